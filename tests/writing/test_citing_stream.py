"""Pieces of a model's text, on their way to people."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.writing.answer_stream import CitingStream, rendered

KEYS = {"P1": "Devlin et al., 2019", "P2": "Clark et al., 2020", "P3": "孙等, 2019"}
BITS = (
    "[P1] [P2, P3] (P1) 【P2】 [P9] [Smith, 2020] (Wu et al., 2018) [12] (see Table 1) text 模型有24层 。 . , \n \n\n - ** # | ` "
    "< <b> </b> <think> "
    "</think> [ ] ( ) [a](b(c)) ![a](b) http://x.y www.x.y a@b.c "
    "P1 P7 === PARTS 1: & &amp; \\ _ ~ \ue000P1\ue001 \u202e"
).split(" ")
TEXTS = st.lists(st.sampled_from([*BITS, " ", "\n=== PARTS ===\n"]), max_size=40).map("".join) | st.text(max_size=200)


def streamed(text: str, size: int) -> tuple[str, CitingStream, str]:
    """Return what was marked, the stream, and what was shown piece by piece since the last new beginning."""
    stream, marked, shown = CitingStream(KEYS), "", ""
    for start in (*range(0, len(text), size), -1):
        piece = stream.take(text[start : start + size] if start >= 0 else "", last=start < 0)
        if stream.begun_anew:
            stream.begun_anew, marked, shown = False, "", ""
        shown += rendered(piece, KEYS, marked[-1:])
        marked += piece
    return marked, stream, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("24 layers [P1].", "24 layers [Devlin et al., 2019]."),
        ("24 layers[P1]", "24 layers [Devlin et al., 2019]"),
        ("24 layers [P1][P2].", "24 layers [Devlin et al., 2019] [Clark et al., 2020]."),
        ("共24层【P3】。", "共24层 [孙等, 2019]。"),
        ("24 layers [P1, P99].", "24 layers [Devlin et al., 2019]."),
        ("24 layers [P99].", "24 layers."),
        ("24 layers [Smith, 2020].", "24 layers."),
        ("24 layers (Clark et al., 2020).", "24 layers [Clark et al., 2020]."),
        ("24 layers (NAACL 2019, see Table 1).", "24 layers (NAACL 2019, see Table 1)."),
        ("released (October 2018).", "released (October 2018)."),
        ("as P1 says", "as [Devlin et al., 2019] says"),
        ("the P100 GPU", "the P100 GPU"),
        ("in [0.1, 0.5]", "in \\[0.1, 0.5\\]"),
        ("<think>so</think>yes", "yes"),
        ("yes <think>so", "yes"),
        ("[a](http://x.y) <b>c</b> ![d](e)", "a c"),
        ("a < b", "a &lt; b"),
        ("see http://x.y", "see http&#58;//x.y"),
        ("## Title\n- **a** [P1]", "## Title\n- **a** [Devlin et al., 2019]"),
        ("text\n===", "text\n\\==="),
        ("text\n\n=== PARTS ===\n1: answered", "text"),
        ("text\n**=== PARTS ===**\n1: answered", "text"),
        ("text\n## PARTS\n1: answered", "text"),
        ("```markdown\ntext\n```", "text"),
        ("[P1]: http://x.y", "[Devlin et al., 2019] : http&#58;//x.y"),
        ("[P1](" + "x" * 700 + ")", "[Devlin et al., 2019] (" + "x" * 700 + ")"),
        ("a\ue000P1\ue001b", "aP1b"),
    ],
)
def test_text_comes_out_safe_with_authors_and_years(text: str, expected: str) -> None:
    for size in (1, 3, 1_000):
        assert streamed(text, size)[2].strip() == expected


def test_what_is_behind_the_line_of_the_report_is_the_report() -> None:
    assert streamed("text [P1]\n=== PARTS ===\n1: answered\n", 2)[1].report.strip() == "1: answered"


def test_what_was_removed_is_told() -> None:
    _, stream, _ = streamed("a [P99]. b [Smith, 2020]. c [12].", 4)
    assert stream.notes == ("3 citations of what the model was not given were removed: P99, Smith, 2020, 12",)


@settings(deadline=None)
@given(TEXTS, st.integers(1, 9))
def test_any_text_is_safe_in_pieces_of_any_size(text: str, size: int) -> None:
    marked, _, shown = streamed(text, size)
    assert shown == rendered(marked, KEYS)
    assert not any(sign in shown for sign in ("<", "\ue000", "\ue001", "\u202e", "http:"))
    assert re.search(r"(?<!\\)\][(:\[]", shown) is None  # no link, no definition of one
