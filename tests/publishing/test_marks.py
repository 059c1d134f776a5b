"""The marks behind sentences that are not confirmed."""

import pytest

from scholarmind.answer import Claim
from scholarmind.publishing.manuscript import marked

DOUBTED = Claim(text="BERT has 12 layers.", status="unsupported", citations=())
SURE = Claim(text="GPT has 12 layers.", status="verified", citations=())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BERT has 12 layers.", "BERT has 12 layers.†"),
        ("BERT has 12 layers [Devlin, 2019]. GPT too.", "BERT has 12 layers [Devlin, 2019].† GPT too."),
        ("- BERT has **12** layers [A, 2019][B, 2020]\n- GPT", "- BERT has **12** layers [A, 2019][B, 2020]†\n- GPT"),
        ("As [A, 2019] says, BERT [B, 2020] has 12 layers!", "As [A, 2019] says, BERT [B, 2020] has 12 layers!†"),
        ("GPT has 12 layers. BERT has 12 layers.", "GPT has 12 layers. BERT has 12 layers.†"),
    ],
)
def test_a_mark_stands_behind_the_sentence_and_what_it_cites(text: str, expected: str) -> None:
    assert marked(text, [DOUBTED, SURE]) == (expected, ())


def test_a_cell_of_a_table() -> None:
    cell = Claim(text="BERT: 12 layers", status="unsupported", citations=())
    text = "| model | year | depth |\n|---|---|---|\n| BERT | 2018 [A] | 12 layers [A, 2019] |"
    assert marked(text, [cell]) == (text.replace("12 layers [A, 2019]", "12 layers [A, 2019]†"), ())


def test_an_item_of_a_list_is_looked_for_behind_its_lead() -> None:
    item = Claim(text="BERT was trained on: Reddit", status="unsupported", citations=())
    text = "Reddit is large. BERT was trained on:\n- Wikipedia [A, 2019]\n- Reddit [A, 2019]"
    assert marked(text, [item]) == (f"{text}†", ())


def test_chinese() -> None:
    doubted = Claim(text="BERT 有 12 层。", status="unsupported", citations=())
    assert marked("BERT 有 12 层 [甲，2019]。GPT 也有。", [doubted]) == ("BERT 有 12 层 [甲，2019]。†GPT 也有。", ())


def test_what_is_not_found_is_told_beside_the_text() -> None:
    assert marked("BERT is 12 layers deep.", [DOUBTED, DOUBTED, SURE]) == ("BERT is 12 layers deep.", (DOUBTED.text,))
    assert marked("ALBERT has 12 layers.", [DOUBTED]) == ("ALBERT has 12 layers.", (DOUBTED.text,))


def test_one_mark_is_enough() -> None:
    assert marked("BERT has 12 layers.", [DOUBTED, DOUBTED]) == ("BERT has 12 layers.†", ())


def test_a_sentence_without_words() -> None:
    empty = Claim(text="…", status="unsupported", citations=())
    assert marked("…", [empty]) == ("…", ("…",))
