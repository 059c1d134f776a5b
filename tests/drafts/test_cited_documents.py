"""What keys stand for, and the nearest right one for those that stand for nothing."""

import pytest

from scholarmind.drafts.cited_documents import CitedDocuments
from scholarmind.model import BibEntry, Document, Reference


def entry(key: str, title: str, author: str, year: int) -> BibEntry:
    document = Document(id=key, title=title, authors=(author,), year=year, origin="refs.bib")
    return BibEntry(key=key, line=1, document=document)


ENTRIES = [
    entry("calder1934bridges", "Bridges of Steel and Stone", "Calder, Inga", 1934),
    entry("brandt1988arnholm", "The Arnholm Bridge and Its Builders", "Brandt, Tove", 1988),
    entry("weiss1990ferries", "Ferries of the Northern Islands", "Weiss, Aron", 1990),
]
PAPER = Document(id="p1", title="Bridges of steel and stone", authors=("Inga Calder",), year=1934, origin="calder.pdf")
ONLY_AN_ENTRY = Document(id="weiss1990ferries", title="Ferries of the Northern Islands", origin="refs.bib")


def test_keys_stand_for_entries_references_and_documents() -> None:
    listed = Reference(text="", start=0, end=0, title="Bridges of Steel and Stone", authors=("Calder, I.",), year=1934)
    cited = CitedDocuments(ENTRIES, {"#1": listed}, [PAPER, ONLY_AN_ENTRY])
    assert [cited.of(key).document for key in ("calder1934bridges", "#1", "p1")] == [PAPER, PAPER, PAPER]
    assert (cited.of("weiss1990ferries").document, cited.of("weiss1990ferries").known) == (None, True)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("calder1935bridges", "calder1934bridges"),
        ("calder34", "calder1934bridges"),
        ("brandt88", "brandt1988arnholm"),
        ("arnholm1988", "brandt1988arnholm"),
        ("wiess1990ferries", "weiss1990ferries"),
        ("zhou2021lakes", ""),
    ],
)
def test_an_unknown_key_gets_the_nearest_right_one(wrong: str, right: str) -> None:
    work = CitedDocuments(ENTRIES, {}, [PAPER]).of(wrong)
    assert (work.known, work.nearest) == (False, right)
