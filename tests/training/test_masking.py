"""What is masked in training data, and what looks like it and is not."""

import pytest

from scholarmind.evaluation.training_data import all_masked, masked


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Write to ada.quux+x@mail.example.co.uk, please", "Write to [e-mail], please"),
        ("see https://ada:pa55@example.org/x?y=1 for more", "see [address] for more"),
        ("see https://example.org/x?api_key=abc&z=1 for more", "see [address] for more"),
        ("why does sk-proj-abcDEF123456789012 fail?", "why does [key] fail?"),
        ("AKIAABCDEFGHIJKLMNOP leaked", "[key] leaked"),
        ("password: hunter2 does not work", "[key] does not work"),
        ("密码是hunter2吗", "[key]吗"),
        ("Authorization: Bearer abcdef0123456789abcdef", "Authorization: [key]"),
        ("hash 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "hash [key]"),
        ("call +49 (30) 1234-5678 now", "call [telephone] now"),
        ("call (555) 123-4567 or 555-123-4567", "call [telephone] or [telephone]"),
        ("打13812345678问", "打[telephone]问"),
        ("030 1234567 is mine", "[telephone] is mine"),
        ("call +1 (415) 555-0132", "call [telephone]"),
        ("手机138-1234-5678或者138 1234 5678", "手机[telephone]或者[telephone]"),
        ("座机010-62751234，或(010) 62751234", "座机[telephone]，或[telephone]"),
        ("身份证11010519491231002X是谁的", "身份证[identity number]是谁的"),
        ("is 110105194912310021 valid?", "is [identity number] valid?"),
        ("看ftp://ada:pa55@10.0.0.1/f 里", "看[address] 里"),
        ("我的sk-abcdefghijklmnop1234失效了", "我的[key]失效了"),
        ("AKIAABCDEFGHIJKLMNOP的密钥", "[key]的密钥"),
        ("OPENAI_API_KEY=xyz does not work", "[key] does not work"),
        ("AWS_SECRET_ACCESS_KEY: wJalr/K7MDENG leaked", "[key] leaked"),
        ("ada＠example.org", "[e-mail]"),
    ],
)
def test_what_belongs_to_somebody(text: str, expected: str) -> None:
    assert masked(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "What is the population of Paris in 2023?",
        "Who proposed BERT in arXiv:1810.04805, and what is 10.18653/v1/N19-1423?",
        "How do GPT-4o-mini and Llama-3.1-70B-Instruct differ on MMLU (5-shot)?",
        "From 1998-2003, 1,234,567 tokens; ISBN 978-3-16-148410-0",
        "See https://example.org/papers?id=12&page=3",
        "Where is passage 12.5 of 300 000 km/s said, 0.0001 or 2018-10-11?",
        "Is 202311011234567890 a run, and 123456789012345678 a step?",
        "2020 到 2023 年间，BERT 的参数量是 340000000 吗？",
    ],
)
def test_what_is_only_a_question(text: str) -> None:
    assert masked(text) == text


def test_every_text_of_a_record() -> None:
    record = {"a": ["x@example.org", {"b": "y@example.org"}], "n": 1, "t": ("z@example.org",), "none": None}
    assert all_masked(record) == {"a": ["[e-mail]", {"b": "[e-mail]"}], "n": 1, "t": ["[e-mail]"], "none": None}
