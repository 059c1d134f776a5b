"""Passages: exact places, bounded sizes, never across a heading."""

import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.adapters.readers.text_files import MarkdownReader
from scholarmind.layout import Box, Layout, Line
from scholarmind.library.passages import Cutting, count_tokens, cut, enter
from scholarmind.model import Document, Passage, Reading, Region, RegionKind, Section

FIVE_TOKENS = "Alpha beta gamma delta. "  # four words and a full stop


def plain(text: str, *, whole: bool = False) -> Reading:
    """Return a text without headings, as a reader gives it."""
    return Reading(document=Document(id="d", title="D"), text=text, whole=whole)


def markdown(text: str) -> Reading:
    """Return a text with its headings, read from a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "note.md"
        path.write_bytes(text.encode())
        (reading,) = (item for item in MarkdownReader(10_000_000).read(path) if isinstance(item, Reading))
        return reading


def passages(reading: Reading, tokens: int = 20, overlap: int = 0) -> list[Passage]:
    """Return the passages of this size."""
    return list(cut(reading, Cutting(tokens=tokens, overlap=overlap)))


def assert_exact(reading: Reading, found: list[Passage]) -> None:
    """Every passage is the trimmed slice that its offsets say, and they come in order."""
    assert [passage.position for passage in found] == list(range(len(found)))
    assert [passage.start for passage in found] == sorted(passage.start for passage in found)
    for passage in found:
        assert reading.text[passage.start : passage.end] == passage.text
        assert passage.text == passage.text.strip() != ""


def uncovered(reading: Reading, found: list[Passage]) -> str:
    """Return what is in no passage, in no heading and not in the head of the text, white space apart."""
    seen = bytearray(len(reading.text))
    places = [(part.start, part.end) for part in (*found, *reading.regions)]
    for start, end in [*places, *((section.heading, section.start) for section in reading.sections)]:
        seen[start:end] = b"\1" * (end - start)
    return "".join(sign for sign, there in zip(reading.text, seen, strict=True) if not there and not sign.isspace())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("One two three. Four five!", 7, id="words and stops"),
        pytest.param("注意力机制。", 6, id="Chinese"),
        pytest.param("transformers", 2, id="a long word is several pieces"),
        pytest.param("", 0, id="nothing"),
    ],
)
def test_tokens_are_counted_as_a_language_model_would(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_a_passage_is_filled_with_whole_sentences() -> None:
    found = passages(plain(FIVE_TOKENS * 8))
    assert [(passage.start, passage.end) for passage in found] == [(0, 95), (96, 191)]
    assert found[0].text == (FIVE_TOKENS * 4).strip()


def test_a_passage_begins_with_the_end_of_the_one_before() -> None:
    found = passages(plain("".join(f"Alpha beta gamma no{n}. " for n in range(6))), overlap=5)
    assert [passage.text.split()[3::4] for passage in found] == [
        ["no0.", "no1.", "no2.", "no3."],
        ["no3.", "no4.", "no5."],
    ]


def test_without_overlap_no_character_is_in_two_passages() -> None:
    found = passages(plain(FIVE_TOKENS * 50))
    assert all(before.end <= after.start for before, after in pairwise(found))


def test_a_short_rest_joins_the_passage_before() -> None:
    assert len(passages(plain(FIVE_TOKENS * 7), tokens=30)) == 1


def test_a_longer_rest_is_a_passage_of_its_own() -> None:
    assert len(passages(plain(FIVE_TOKENS * 8), tokens=30)) == 2


def test_a_passage_never_crosses_a_heading() -> None:
    found = passages(markdown("Before.\n# One\nIn one.\n## Two\nIn two.\n# Three\nIn three.\n"), tokens=200)
    assert [(passage.section, passage.text) for passage in found] == [
        ((), "Before."),
        (("One",), "In one."),
        (("One", "Two"), "In two."),
        (("Three",), "In three."),
    ]


def test_overlap_stays_within_a_section() -> None:
    found = passages(markdown(f"# A\n{FIVE_TOKENS * 4}\n# B\n{FIVE_TOKENS * 4}"), overlap=10)
    assert [(passage.section, len(passage.text)) for passage in found] == [(("A",), 95), (("B",), 95)]


def test_a_heading_without_a_body_makes_no_passage() -> None:
    assert [passage.text for passage in passages(markdown("# A\n# B\nbody\n# C\n"))] == ["body"]


def test_a_text_of_headings_alone_is_still_found() -> None:
    assert [passage.text for passage in passages(markdown("# One\n## Two\n"))] == ["# One\n## Two"]


def test_a_long_text_of_headings_alone_is_cut() -> None:
    found = passages(markdown("".join(f"# Heading number {n}\n" for n in range(1000))))
    assert max(count_tokens(passage.text) for passage in found) <= 40


def test_sizes_of_prose_are_about_the_limit() -> None:
    found = passages(plain(FIVE_TOKENS * 2000), tokens=200, overlap=40)
    sizes = [count_tokens(passage.text) for passage in found]
    assert set(sizes[:-1]) == {200}
    assert 40 <= sizes[-1] <= 240


@pytest.mark.parametrize(
    "word", [pytest.param("word", id="English"), pytest.param("распространённость", id="Russian, longer than a piece")]
)
def test_a_line_of_100000_words_is_cut_between_words(word: str) -> None:
    reading = plain(f"{word} " * 100_000)
    found = passages(reading, tokens=200, overlap=40)
    assert_exact(reading, found)
    assert uncovered(reading, found) == ""
    assert {part for passage in found for part in passage.text.split()} == {word}
    assert max(count_tokens(passage.text) for passage in found) <= 240


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x" * 100_000, id="one word"),
        pytest.param("QUJD+/" * 20_000, id="encoded data"),
        pytest.param("注意力" * 30_000, id="Chinese without stops"),
        pytest.param("{[(" * 30_000, id="brackets"),
        pytest.param("a\n" * 50_000, id="short lines"),
    ],
)
def test_a_text_without_sentences_is_cut_and_nothing_is_lost(text: str) -> None:
    reading = plain(text)
    found = passages(reading, tokens=200, overlap=40)
    assert_exact(reading, found)
    assert uncovered(reading, found) == ""
    assert max(count_tokens(passage.text) for passage in found) <= 400 + 40


def test_chinese_is_cut_at_its_stops() -> None:
    found = passages(plain("注意力机制很重要。" * 8), tokens=20)
    assert {passage.text for passage in found} == {"注意力机制很重要。注意力机制很重要。"}
    assert len(found) == 4


def test_a_record_stays_whole_if_it_is_short_enough() -> None:
    text = "First paragraph.\n\nSecond paragraph.\n\n- a list"
    assert [passage.text for passage in passages(plain(f"\n{text}\n", whole=True))] == [text]


def test_a_record_that_is_too_long_is_cut() -> None:
    assert len(passages(plain(FIVE_TOKENS * 8, whole=True))) == 2


def test_every_passage_has_its_own_language() -> None:
    found = passages(markdown("# 一\n注意力机制是一种方法。\n# Two\nIt is the way of the model.\n# 3\n42\n"))
    assert [passage.language for passage in found] == ["zh", "en", ""]


def test_white_space_alone_has_no_passage() -> None:
    assert passages(plain(" \n\t\u3000")) == []


def test_the_hash_of_an_entry_changes_with_text_metadata_and_cutting() -> None:
    document = Document(id="d", title="D")
    hashes = [
        enter(Reading(document=document, text="text"), Cutting()).hash,
        enter(Reading(document=document, text="text"), Cutting()).hash,
        enter(Reading(document=document, text="other"), Cutting()).hash,
        enter(Reading(document=Document(id="d", title="D", year=2019), text="text"), Cutting()).hash,
        enter(Reading(document=document, text="text"), Cutting(tokens=100)).hash,
    ]
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 4


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["# A", "## B #", "###### C", "Title\n=====", "Sub\n---", "```", "~~~", "", " ", "- item", "> q"]
        ),
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40),
        st.text(st.sampled_from("ab .。注!?\t"), max_size=60),
    ),
    max_size=20,
)


def crossed(reading: Reading, found: list[Passage]) -> Iterator[int]:
    """Yield where a heading begins inside a passage."""
    for passage in found:
        yield from (part.heading for part in reading.sections if passage.start < part.heading < passage.end)


@given(lines=LINES, tokens=st.integers(20, 60), overlap=st.integers(0, 70))
@settings(max_examples=200, deadline=None)
def test_everything_is_in_a_passage_or_in_a_heading(lines: list[str], tokens: int, overlap: int) -> None:
    reading = markdown("\n".join(["start", *lines]))
    found = passages(reading, tokens, overlap)
    assert_exact(reading, found)
    assert uncovered(reading, found) == ""
    assert list(crossed(reading, found)) == []
    for passage in found:
        above = [part for part in reading.sections if part.start <= passage.start]
        assert passage.section == (above[-1].path if above else ())


@given(text=st.text(max_size=400), tokens=st.integers(20, 40), overlap=st.integers(0, 50), whole=st.booleans())
@settings(max_examples=200, deadline=None)
def test_any_text_is_cut_exactly_and_completely(text: str, tokens: int, overlap: int, *, whole: bool) -> None:
    reading = plain(text, whole=whole)
    found = passages(reading, tokens, overlap)
    assert_exact(reading, found)
    assert uncovered(reading, found) == ""
    assert bool(found) == bool(text.strip())


# -- regions and pages


def region(text: str, part: str, kind: RegionKind) -> Region:
    """Return the region that this part of the text is."""
    start = text.index(part)
    return Region(start=start, end=start + len(part), kind=kind)


def test_regions_are_cut_apart_and_lists_of_references_not_at_all() -> None:
    text = "Prose one.\n\nTable 1: Scores.\n\nModel: BERT; F1: 90\nModel: GPT; F1: 88\n\nProse two.\n\n[1] A. B. 2019.\n\nAn appendix."
    regions = (
        region(text, "Table 1: Scores.", "caption"),
        region(text, "Model: BERT; F1: 90\nModel: GPT; F1: 88", "table"),
        region(text, "[1] A. B. 2019.", "references"),
    )
    found = list(cut(Reading(document=Document(id="d", title="D"), text=text, regions=regions), Cutting()))
    assert [(passage.kind, passage.text) for passage in found] == [
        ("text", "Prose one."),
        ("caption", "Table 1: Scores."),
        ("table", "Model: BERT; F1: 90\nModel: GPT; F1: 88"),
        ("text", "Prose two."),
        ("text", "An appendix."),
    ]
    assert [passage.position for passage in found] == [0, 1, 2, 3, 4]


def test_a_region_belongs_to_the_section_that_it_stands_in() -> None:
    text = "A\nOne.\n\nTable: x\n\nB\nTwo."
    sections = (Section(heading=0, start=2, path=("A",)), Section(heading=18, start=20, path=("B",)))
    reading = Reading(
        document=Document(id="d", title="D"), text=text, sections=sections, regions=(region(text, "Table: x", "table"),)
    )
    assert [(passage.section, passage.text) for passage in cut(reading, Cutting())] == [
        (("A",), "One."),
        (("A",), "Table: x"),
        (("B",), "Two."),
    ]


def test_a_long_table_is_cut_between_rows() -> None:
    text = "\n".join(f"Model: number {row}; Score: {row}.5" for row in range(100))
    regions = (Region(start=0, end=len(text), kind="table"),)
    found = list(cut(Reading(document=Document(id="d", title="D"), text=text, regions=regions), Cutting(tokens=50)))
    assert len(found) > 10
    assert {line for passage in found for line in passage.text.split("\n")} == set(text.split("\n"))


def test_a_text_of_nothing_but_references_has_no_passages() -> None:
    text = "[1] A. B. 2019."
    regions = (Region(start=0, end=len(text), kind="references"),)
    assert list(cut(Reading(document=Document(id="d", title="D"), text=text, regions=regions), Cutting())) == []


def test_a_passage_knows_its_page_and_where_the_next_ones_begin() -> None:
    text = "One. Two. Three."
    boxes = [Box(page=page, left=0, top=0, right=9, bottom=9) for page in (2, 3, 5)]
    lines = tuple(
        Line(start=start, end=end, box=box) for (start, end), box in zip(((0, 4), (5, 9), (10, 16)), boxes, strict=True)
    )
    layout = Layout(pages=(), lines=lines)
    (passage,) = cut(Reading(document=Document(id="d", title="D"), text=text, layout=layout), Cutting())
    assert (passage.page, passage.turns) == (2, (5, 10, 10))
    assert [passage.page_at(offset) for offset in (0, 4, 5, 9, 10, 15)] == [2, 2, 3, 3, 5, 5]
