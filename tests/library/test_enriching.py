"""Asking catalogues about doubtful documents, against the server on this machine that speaks as they do."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scholarmind import Library, Settings, wiring
from scholarmind.adapters.catalogues import Arxiv, Catalogues, Crossref, Manners, OpenAlex
from scholarmind.settings import READING_HERE
from scholarmind.testing import HashEmbedder

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
TITLE = "Burrowing Habits of Plateau Porcupines"


def _server() -> ModuleType:
    """Return the module of the server, which belongs to the tests of the catalogues."""
    path = Path(__file__).parents[1] / "adapters" / "catalogues" / "server.py"
    spec = importlib.util.spec_from_file_location("server", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules.setdefault("server", importlib.util.module_from_spec(spec))
    if not hasattr(module, "CatalogueServer"):
        spec.loader.exec_module(module)
    return module


SERVER = _server()
WORK = SERVER.Record(title=TITLE, authors=(("Ada", "Lovelace"),), year=2019, doi="10.1234/abc")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a paper of unknown authors."""
    made = tmp_path / "papers"
    made.mkdir()
    (made / "p.md").write_text(f"---\nid: p\nkind: article\ntitle: {TITLE}\n---\nThe paper itself.\n")
    return made


@pytest.fixture
def online(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Open a library that asks this server."""
    hasty = Manners(first_pause=0.01, longest_pause=0.1, seconds_apart=0.0)
    opened: list[Library] = []

    def open_with(server: Any, seconds: float = 30.0, **settings: Any) -> Library:
        def enricher(chosen: Settings) -> Catalogues | None:
            every = (OpenAlex(server.url("openalex")), Crossref(server.url("crossref")), Arxiv(server.url("arxiv")))
            cache = chosen.library / "catalogues.db"
            return Catalogues(cache=cache, catalogues=every, seconds=seconds, manners=hasty) if chosen.online else None

        monkeypatch.setattr(wiring, "enricher", enricher)
        settings = {"online": True, "reading_here": f"{READING_HERE} .bib", **settings}
        library = Library(Settings(library=tmp_path / "library", **settings), embedder=HashEmbedder())
        opened.append(library)
        return library

    yield open_with
    for library in opened:
        library.close()


def test_a_doubtful_document_is_described_and_not_asked_about_again(online: Any, folder: Path) -> None:
    with SERVER.CatalogueServer(WORK) as server:
        library = online(server)
        report = library.add(folder)
        (document,) = library.documents()
        assert (report.added, report.enriched, report.problems) == (1, 1, [])
        assert (document.title, document.authors, document.year) == (TITLE, ("Ada Lovelace",), 2019)
        asked = len(server.seen)
        assert asked > 0
        again = library.add(folder)
        assert (again.enriched, again.replaced, again.unchanged, len(server.seen)) == (0, 0, 1, asked)
        entry = library.entry("p")
        assert {fact.source for fact in entry.facts if fact.by == "catalogue"} == {"OpenAlex"}
        assert library.counts()["default"].waiting == 0


def test_what_was_said_survives_that_the_file_changes(online: Any, folder: Path) -> None:
    with SERVER.CatalogueServer(WORK) as server:
        library = online(server)
        library.add(folder)
        asked = len(server.seen)
        (folder / "p.md").write_text((folder / "p.md").read_text() + "And more.\n")
        library.add(folder)
        assert [document.year for document in library.documents()] == [2019]
        assert len(server.seen) == asked


def test_what_was_said_of_an_entry_without_a_file_survives_the_next_add(online: Any, tmp_path: Path) -> None:
    bib = tmp_path / "library.bib"
    bib.write_text(f"@article{{k, title = {{{TITLE}}}}}\n")
    with SERVER.CatalogueServer(WORK) as server:
        library = online(server)
        assert library.add(bibliographies=bib).enriched == 1
        report = library.add(bibliographies=bib)
        assert (report.replaced, report.enriched) == (0, 0)
        assert [document.year for document in library.documents()] == [2019]


def test_without_the_switch_nobody_is_asked(online: Any, folder: Path) -> None:
    with SERVER.CatalogueServer(WORK) as server:
        library = online(server, online=False)
        assert library.add(folder).enriched == 0
        assert server.seen == []
        assert [document.year for document in library.documents()] == [None]


def test_a_work_with_another_title_is_refused(online: Any, folder: Path) -> None:
    other = SERVER.Record(title="Of taxes on salt in medieval towns", year=2001)
    with SERVER.CatalogueServer(other) as server:
        library = online(server)
        report = library.add(folder)
        assert (report.enriched, report.problems) == (0, [])
        assert [(document.authors, document.year) for document in library.documents()] == [((), None)]
        asked = len(server.seen)
        library.add(folder)
        assert len(server.seen) == asked


def test_what_a_person_or_a_bibliography_says_comes_before(online: Any, folder: Path, tmp_path: Path) -> None:
    bib = tmp_path / "library.bib"
    bib.write_text(f"@article{{k, title = {{{TITLE}}}, author = {{Curie, Marie}}}}\n")
    with SERVER.CatalogueServer(WORK) as server:
        library = online(server)
        library.add(folder, bibliographies=bib)
        library.correct("p", ["journal=Valleys"])
        (document,) = library.documents()
        assert (document.authors, document.year) == (("Curie, Marie",), 2019)
        assert document.metadata["journal"] == "Valleys"
        library.add(folder, bibliographies=bib)
        assert library.documents() == [document]


def test_what_is_described_well_is_not_asked_about(online: Any, folder: Path) -> None:
    path = folder / "p.md"
    path.write_text(path.read_text().replace("kind:", "year: 2019\nauthors: [Ada Lovelace]\nkind:"))
    with SERVER.CatalogueServer(WORK) as server:
        assert online(server).add(folder).enriched == 0
        assert server.seen == []


@pytest.mark.parametrize("status", [500, 403])
def test_a_server_that_fails_is_told_and_the_documents_are_there(online: Any, folder: Path, status: int) -> None:
    with SERVER.CatalogueServer(always=SERVER.Fault(status=status)) as server:
        library = online(server)
        report = library.add(folder)
        assert (report.added, report.embedded, report.enriched) == (1, 1, 0)
        assert {problem.where for problem in report.problems} == {"on-line catalogues"}
        assert len(library.search("paper itself").evidence) == 1
    with SERVER.CatalogueServer(WORK) as server:
        library.close()
        assert online(server).add(folder).enriched == 1


def test_a_server_that_hangs_holds_up_no_search_and_ends(online: Any, folder: Path) -> None:
    for number in range(3):
        text = f"---\nid: n{number}\nkind: article\ntitle: {TITLE} part {number}\n---\nPaper {number}.\n"
        (folder / f"n{number}.md").write_text(text)
    with SERVER.CatalogueServer(always=SERVER.Fault(seconds=30)) as server:
        library = online(server, seconds=0.3)
        report = library.add(folder)
        assert len(server.seen) <= 9  # three tries of each catalogue, and then none is asked any more
        assert report.added == 4
        assert len(report.problems) >= 1
