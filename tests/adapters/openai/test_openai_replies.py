"""What a model says, without what it thinks."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scholarmind.adapters.openai.chat_completions import ReplyBuilder, Spoken, tokens_in


def spoken(*parts: str, unopened: bool = False) -> str:
    filter = Spoken(unopened=unopened)
    for part in parts:
        filter.take(part)
    filter.take("", last=True)
    return "".join(filter.said)


CASES = [
    ("<think>hm</think>\n\nyes", "yes"),
    ("<THINK>hm</Think>yes", "yes"),
    ("<thinking>a <b> c</thinking>yes", "yes"),
    ("yes <think>hm</think>and no", "yes and no"),
    ("<think>never closed", ""),
    ("thoughts without a beginning</think>\nyes", "yes"),
    ("a < b and <table> and </th", "a < b and <table> and </th"),
    ("  yes ", "yes "),
    ("<think></think><think>x</think>", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_thoughts_are_no_part_of_the_text_however_it_is_cut(text: str, expected: str) -> None:
    assert spoken(text) == expected
    assert spoken(*text) == expected


@given(some.sampled_from([text for text, _ in CASES]), some.lists(some.integers(0, 40)))
def test_where_the_pieces_end_makes_no_difference(text: str, cuts: list[int]) -> None:
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    assert spoken(*(text[start:end] for start, end in pairwise(places))) == spoken(text)


def test_pieces_are_let_through_as_soon_as_they_can_be_no_tag() -> None:
    filter = Spoken()
    assert [filter.take(part) for part in ("a ", "<", "b", "> c", "<thi", "nk>d")] == ["a ", "", "", "<b> c", "", ""]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("thoughts</think>yes", "yes"),
        ("<think>thoughts</think>yes", "yes"),
        ("no thoughts at all", "no thoughts at all"),
    ],
)
def test_who_is_known_to_think_first_is_held_back_from_the_start(text: str, expected: str) -> None:
    filter = Spoken(unopened=True)
    given = [filter.take(part) for part in text] + [filter.take("", last=True)]
    assert "".join(given) == expected


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("four" * 10, 10), ("注意力机制是什么" * 2, 10), ("abcd注意力机制是什么", 6)]
)
def test_tokens_are_guessed_by_the_script(text: str, tokens: int) -> None:
    assert tokens_in(text) == tokens


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["smile \ud83d", "\ude00."], "smile 😀."),
        (["half \ud83d", " alone"], "half \ufffd alone"),
        (["at the end \ud83d"], "at the end \ufffd"),
        (["\ude00 first, 你", "好"], "\ufffd first, 你好"),
    ],
)
def test_characters_are_whole_however_a_server_cuts_them(pieces: list[str], expected: str) -> None:
    gathered = ReplyBuilder(1_000)
    told = [gathered.take({"choices": [{"delta": {"content": piece}, "finish_reason": "stop"}]}) for piece in pieces]
    assert "".join([*told, gathered.end()]) == gathered.said().text == expected
