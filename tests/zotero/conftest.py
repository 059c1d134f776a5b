"""A Zotero that holds something, and a library to keep in step with it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from zotero_folder import Zotero

from scholarmind.api import Library

TIDES = (
    "Tides in Narrow Bays\n\nAnna Berg\n\nAbstract\nWe measured the tides of narrow bays over ten years, and tell why some are high.",
    "2 Results\nThe highest tide of the northern bay was 11.3 metres, in March.\nThe southern bay never had one above 4.2 metres.",
)


@pytest.fixture
def zotero(tmp_path: Path) -> Zotero:
    """A Zotero with a paper and its notes, a book without a file, and something in the bin."""
    made = Zotero(tmp_path / "Zotero")
    tides = made.item(
        "TIDES001",
        "journalArticle",
        title="Tides in Narrow Bays",
        publicationTitle="Journal of Shores",
        date="2021-03-00 March 2021",
        DOI="10.1000/tides",
        authors=(("Anna", "Berg"), ("", "Shore Watch")),
        tags=("to read", "潮汐"),
    )
    pdf = made.pdf("TIDESPDF", tides, "Berg 2021.pdf", *TIDES)
    made.highlight(
        "MARKED01", pdf, 2, "The highest tide of the northern bay was 11.3 metres", "Compare with our buoys."
    )
    made.note("NOTETIDE", tides, "<div><h1>Doubts</h1><p>The buoy of 2019 was broken for <b>six weeks</b>.</p></div>")
    book = made.item(
        "BOOK0001",
        "book",
        title="A Short History of Harbours",
        date="1998",
        extra="Citation Key: moor1998harbours",
        abstractNote="Harbours were built where two rivers met.",
        authors=(("Jo", "Moor"),),
    )
    other = made.item("OTHER001", "report", title="Elsewhere", date="2001")
    binned = made.item("BINNED01", "book", title="Thrown away")
    made.change("INSERT INTO deletedItems (itemID) VALUES (?)", binned)
    shores = made.collect("Shores", tides, key="SHORES01")
    made.collect("Harbours", book, below=shores, key="HARBOUR1")
    made.collect("Others", other, binned, key="OTHERS01")
    made.better_bibtex({"TIDES001": "bergTides2021"})
    return made


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Library]]:
    """Open the library, as often as is wanted."""
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "none")
    for structure in ("GRAPH", "TREE"):
        monkeypatch.setenv(f"SCHOLARMIND_{structure}", "false")
    monkeypatch.setenv("SCHOLARMIND_READING_HERE", ".json .jsonl .pdf")  # without a process for each
    libraries: list[Library] = []

    def open_library() -> Library:
        libraries.append(Library.open(tmp_path / "library"))
        return libraries[-1]

    yield open_library
    for library in libraries:
        library.close()
