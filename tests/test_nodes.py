"""Handing files and texts out to nodes: the same library as without, whatever becomes of a task. Threads stand for the nodes."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from reportlab.pdfgen.canvas import Canvas

from scholarmind import Library, Progress, Settings, nodes, wiring
from scholarmind.errors import ClusterError, SettingsError, WorkerLostError
from scholarmind.library.file_reading import ReadingJob
from scholarmind.model import Problem


class Threads:
    """Nodes that are threads. Tasks on files whose content has a word of `losing` are lost with their process."""

    slots = 2

    def __init__(self, *losing: bytes) -> None:
        self.losing = losing
        self.handed_out: list[str] = []
        self.under_way = self.most_under_way = 0
        self.closed = False
        self._pool = ThreadPoolExecutor(self.slots)

    def submit(self, function: Callable[..., object], *arguments: object) -> "Future[object]":
        """Run it in a thread."""
        self.handed_out.append(function.__name__)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        if isinstance(content := arguments[-1], bytes) and any(word in content for word in self.losing):
            lost: Future[object] = Future()
            lost.set_exception(WorkerLostError("3 processes died with it"))
            return lost
        future = self._pool.submit(function, *arguments)
        future.add_done_callback(self._landed)
        return future

    def _landed(self, _: object) -> None:
        self.under_way -= 1

    def close(self) -> None:
        """Let the threads end."""
        self.closed = True
        self._pool.shutdown(cancel_futures=True)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Three PDFs, a page that is read here, and a note."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for name in ("first", "second", "third é"):
        canvas = Canvas(str(folder / f"{name}.pdf"), invariant=True, pageCompression=0)
        for page in range(2):
            canvas.drawString(
                72, 720, f"The {name.split()[0]} paper says on page {page} that probes are warm in winter."
            )
            canvas.showPage()
        canvas.save()
    (folder / os.fsdecode(b"page \xff.html")).write_text(
        "<title>Page</title><p>Pages are read on nodes, like papers.</p>"
    )
    (folder / "note.md").write_text("# Note\n\nNotes are read here.\n")
    return folder


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Library]]:
    """Opens libraries whose settings name a cluster, which these nodes stand for."""
    opened: list[Library] = []
    chosen = nodes.workforce

    def open_library(name: str, given: Threads | None) -> Library:
        monkeypatch.setattr(nodes, "workforce", lambda settings, embedder: chosen(settings, embedder, given))
        opened.append(Library(Settings(library=tmp_path / name, passage_tokens=20, passage_overlap=0)))
        return opened[-1]

    yield open_library
    for library in opened:
        library.close()


def content(library: Library) -> dict[str, object]:
    """Return all that the library holds, but for vectors."""
    return {document.id: library.entry(document.id) for document in library.documents()}


def vectors(library: Library) -> dict[tuple[str, int], np.ndarray]:
    """Return the vector of each passage."""
    rows = library.store.database.rows(
        "SELECT d.id, p.position, v.vector FROM vectors v JOIN passages p ON p.number = v.passage "
        "JOIN documents d ON d.number = p.document"
    )
    return {(id, position): np.frombuffer(vector, np.float32) for id, position, vector in rows}


def test_the_library_is_the_same(papers: Path, added: Callable[..., Library]) -> None:
    here, threads = added("here", None), Threads()
    told_here, told = [], []
    first = here.add(papers, on_event=told_here.append)
    there = added("there", threads)
    second = there.add(papers, on_event=told.append)
    assert content(there) == content(here)
    assert len(content(there)) == 5
    assert vectors(there).keys() == vectors(here).keys()
    for place, vector in vectors(here).items():
        np.testing.assert_allclose(vectors(there)[place], vector, atol=1e-5)
    assert [getattr(second, name) for name in ("added", "passages", "embedded", "unsuited", "problems", "files")] == [
        getattr(first, name) for name in ("added", "passages", "embedded", "unsuited", "problems", "files")
    ]
    ends = [event for event in told if isinstance(event, Progress)]
    assert {(event.stage, event.total) for event in ends} == {
        (event.stage, event.total) for event in told_here if isinstance(event, Progress)
    }
    assert threads.handed_out.count("read_file") == 4  # not the note
    assert "embed_texts" in threads.handed_out
    assert threads.closed


def test_what_is_there_already_is_not_sent(papers: Path, added: Callable[..., Library]) -> None:
    library = added("there", Threads())
    library.add(papers)
    threads = Threads()
    again = added("there", threads)
    assert again.add(papers).unchanged == 5
    assert threads.handed_out == []


def test_a_file_that_takes_its_process_along_is_a_problem_and_read_the_next_time(
    papers: Path, added: Callable[..., Library]
) -> None:
    library = added("there", Threads(b"The second paper"))
    report = library.add(papers)
    assert [(Path(problem.where).name, problem.reason) for problem in report.problems] == [
        ("second.pdf", "its reader crashed (3 processes died with it)")
    ]
    assert report.added == 4
    assert added("there", Threads()).add(papers).added == 1


def test_only_so_many_files_are_under_way(tmp_path: Path, added: Callable[..., Library]) -> None:
    for number in range(20):
        (tmp_path / f"{number}.html").write_text(f"<p>Page number {number} of them says something.</p>")
    threads = Threads()
    added("there", threads).add([tmp_path / f"{number}.html" for number in range(20)])
    assert threads.handed_out.count("read_file") == 20
    reading = 2 * threads.slots
    assert threads.most_under_way <= reading


def test_a_file_that_changes_while_it_is_away_is_told(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<p>It says one thing.</p>")
    settings = Settings(library=tmp_path / "library", embedder="none")
    runner = nodes.workforce(settings, None, Threads()).runner
    steps = []
    for item in runner([ReadingJob(path=path)]):
        if item is None:
            continue
        if not steps:
            path.write_text("<p>It says another thing by now.</p>")
        steps.append(item[1])
    assert [step.reason for step in steps if isinstance(step, Problem)] == ["it changed while it was read"]
    assert steps[-1].hash == ""


def test_another_release_is_refused(tmp_path: Path) -> None:
    workers = wiring.workers(Settings(library=tmp_path))
    with pytest.raises(
        ClusterError, match=r"has scholarmind .*, and this machine 0\.0\.0 other; install the same on both"
    ):
        nodes.read_file("0.0.0 other", workers, "/a.pdf", b"")
    with pytest.raises(ClusterError, match="install the same"):
        nodes.embed_texts("0.0.0 other", "fp32", json.dumps(["a"]).encode())


def test_without_ray_it_is_told_what_to_install(papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        Library(Settings(library=tmp_path / "library", embedder="none", reading_on="local")) as library,
        pytest.raises(ClusterError, match=r"pip install 'scholarmind\[ray\]'"),
    ):
        library.add(papers)


@pytest.mark.parametrize("named", ["ray", "ray://somewhere", "http://127.0.0.1:10001", "ray://127.0.0.1:10001/x"])
def test_a_cluster_is_named_in_one_of_two_ways(named: str) -> None:
    with pytest.raises(SettingsError, match="reading_on"):
        Settings(reading_on=named)
    assert Settings(reading_on="ray://127.0.0.1:10001").reading_on
    assert Settings(reading_on="local").reading_on
