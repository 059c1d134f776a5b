"""Where sentences end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.text.analysis import sentences

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)
TRICKY_TEXT = st.text(st.sampled_from(list("aA1.!?… \t\n\r\u3000。！”)'」-*|>#注")), max_size=80)


def split(text: str) -> list[str]:
    """Return the sentences themselves."""
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("It works. It is fast.", ["It works.", "It is fast."], id="full stops"),
        pytest.param(
            "So it is.[3] And.^1,2^ On.² Off.[^n] End.",
            ["So it is.[3]", "And.^1,2^", "On.²", "Off.[^n]", "End."],
            id="cited",
        ),
        pytest.param("它升高了。[2]后来降了。", ["它升高了。[2]", "后来降了。"], id="cited in Chinese"),
        pytest.param(
            "See Fig.[3] for it, e.g.[4] this.", ["See Fig.[3] for it, e.g.[4] this."], id="cited behind what is short"
        ),
        pytest.param("Really?! Yes! No?", ["Really?!", "Yes!", "No?"], id="questions and exclamations"),
        pytest.param('He said "stop." Then he left.', ['He said "stop."', "Then he left."], id="quotes"),
        pytest.param("(It works.) It is fast.", ["(It works.)", "It is fast."], id="brackets"),
        pytest.param("Devlin et al. Propose it.", ["Devlin et al. Propose it."], id="et al."),
        pytest.param("See Fig. 3 and Eq. 2. Then go.", ["See Fig. 3 and Eq. 2.", "Then go."], id="figures"),
        pytest.param("Masks, e.g. Spans, help.", ["Masks, e.g. Spans, help."], id="e.g."),
        pytest.param("Dr. Lee of the U.S. Army wrote.", ["Dr. Lee of the U.S. Army wrote."], id="titles, countries"),
        pytest.param("J. K. Devlin wrote it. K. Lee too.", ["J. K. Devlin wrote it.", "K. Lee too."], id="initials"),
        pytest.param("It has 3.14 points. Then 2.5.", ["It has 3.14 points.", "Then 2.5."], id="decimals"),
        pytest.param("Published in 2018. In 2019 more.", ["Published in 2018.", "In 2019 more."], id="years"),
        pytest.param("See https://x.org/a.b now.", ["See https://x.org/a.b now."], id="addresses"),
        pytest.param("It is approx. the same.", ["It is approx. the same."], id="lower case goes on"),
        pytest.param("Wait... What?", ["Wait...", "What?"], id="three dots"),
        pytest.param("第一句。第二句！第三句？第四", ["第一句。", "第二句！", "第三句？", "第四"], id="Chinese stops"),
        pytest.param("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"], id="Chinese quotes"),
        pytest.param("- one\n- two\n  * three", ["- one", "- two", "* three"], id="list"),
        pytest.param("1. one\n2. two\n10) ten", ["1. one", "2. two", "10) ten"], id="numbered list"),
        pytest.param("| a | b |\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"], id="table"),
        pytest.param("text\n## Heading\nmore", ["text", "## Heading\nmore"], id="heading"),
        pytest.param("one line\nof a paragraph", ["one line\nof a paragraph"], id="wrapped lines"),
        pytest.param("one\n\n \t\ntwo", ["one", "two"], id="empty lines"),
        pytest.param("  \n\t ", [], id="white space only"),
        pytest.param("", [], id="nothing"),
        pytest.param("...", ["..."], id="dots only"),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_only_the_asked_for_part_is_looked_at() -> None:
    text = "One. Two. Three. Four."
    assert [text[start:end] for start, end in sentences(text, 5, 16)] == ["Two.", "Three."]


@given(st.one_of(ANY_TEXT, TRICKY_TEXT))
@settings(max_examples=300, deadline=None)
def test_spans_are_ordered_trimmed_and_cover_everything_but_white_space(text: str) -> None:
    found = list(sentences(text))
    last = 0
    for start, end in found:
        assert last <= start < end <= len(text)
        assert text[start:end].strip() == text[start:end]
        last = end
    covered = {place for start, end in found for place in range(start, end)}
    assert [place for place, sign in enumerate(text) if not sign.isspace() and place not in covered] == []


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "piece",
    [
        pytest.param(".", id="dots"),
        pytest.param("?!", id="exclamations"),
        pytest.param("(", id="brackets"),
        pytest.param(".)", id="dots and brackets"),
        pytest.param(" ", id="spaces"),
        pytest.param("\n", id="line ends"),
        pytest.param("\n \t", id="empty lines"),
        pytest.param("…", id="ellipses"),
        pytest.param("a. ", id="abbreviations"),
        pytest.param("x.y", id="dotted word"),
    ],
)
def test_a_megabyte_of_anything_is_read_in_linear_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert sum(end - start for start, end in sentences(text)) <= 1_000_000
