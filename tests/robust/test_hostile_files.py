"""A folder of good notes among files that are broken, that lie or that mean harm: each ends as a row, and the rest is in the library."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import hostile
import pytest
from robustly import start

from scholarmind import Document, Library, Problem, Report, Settings

# what must be read, what must be told, and what must be both; of the others one of it
READ = """
    paths.zip laughs.html scripts.html mark.bib two_encodings.bib long_field.bib long_line.csv keys_twice.bib brace_missing.bib
    many_pages.pdf macros.docm large_table.html nested.html
""".split()
TOLD = """
    encrypted.pdf truncated.pdf zero_pages.pdf many_pages.pdf a_gigabyte_of_blanks.pdf no_unicode.pdf bomb.zip lying_bomb.zip
    lying_bomb.xlsx lying_bomb.epub link.zip laughs.docx outside.docx macros.docm large_table.html nested.ipynb brace_missing.bib
    keys_twice.bib picture.pdf page.pdf paper.docx letter.xlsx program.csv text.epub picture.md pipe.md gone.pdf growing.md
""".split()
LIMITS = {"embedder": "none", "max_pages": 20, "reading_seconds": 20.0, "reading_megabytes": 800}


@dataclass(frozen=True)
class Added:
    """What came of the folder."""

    library: Library
    folder: Path
    report: Report
    left: set[int]  # children that were there after it and not before
    around: list[str]  # what there is beside the folder and the library

    def rows(self, path: Path) -> list[Problem]:
        """Return what is told of a file."""
        places = (str(path), f"{path}, ")
        return [told for told in self.report.problems if told.where == places[0] or told.where.startswith(places[1])]

    def documents(self, path: Path) -> list[Document]:
        """Return what came of a file."""
        return [document for document in self.library.documents() if document.origin == str(path)]


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Added]:
    """Everything, added with the workers that a user has."""
    around = tmp_path_factory.mktemp("hostile")
    folder, library, scratch = around / "papers", around / "library", around / "scratch"
    for made in (folder, scratch):
        made.mkdir()
    files = hostile.write(folder)
    for number, name in enumerate(hostile.SCRIPTS):
        (folder / f"{name}.md").write_text(f"A good note about zebras, called zebra{number}.")
    (folder / "good.pdf").write_bytes(hostile.pdf("A good paper about ostriches."))
    (folder / "gone.pdf").symlink_to(around / "nowhere.pdf")
    (folder / "round").symlink_to(folder)
    os.mkfifo(folder / "pipe.md")
    children = children_of(os.getpid())
    with pytest.MonkeyPatch.context() as patch, Library(Settings(library=library, **LIMITS)) as opened:
        patch.setenv("TMPDIR", str(scratch))
        with growing(folder / "growing.md"):
            report = opened.add(folder)
        left = children_of(os.getpid()) - children
        found = [path.relative_to(around) for path in around.rglob("*")]
        beside = [str(path) for path in found if path.parts[0] not in {"papers", "library"}]
        assert set(files) <= set(folder.iterdir())
        yield Added(library=opened, folder=folder, report=report, left=left, around=beside)


@contextmanager
def growing(path: Path) -> Iterator[None]:
    """Write on in a file as long as this is open."""
    path.write_text("A sentence that stands here. " * 20_000)
    done = threading.Event()

    def write() -> None:
        with path.open("a", buffering=1) as file:
            while not done.wait(0.002):
                file.write("One more.\n")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def children_of(process: int) -> set[int]:
    """Return the processes that it has started and that have not ended."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    found = {int(number) for task in tasks for number in (task / "children").read_text().split()}
    return {number for number in found if runs(number)}


def runs(process: int) -> bool:
    """Tell whether a process is there and is no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in {"Z", "X"}
    except OSError:
        return False


# --- the folder ---


def test_every_file_is_read_or_told(added: Added) -> None:
    """None is passed over in silence, and what is told says why and what to do."""
    lost = [
        path.name
        for path in map(added.folder.joinpath, hostile.FILES)
        if not added.rows(path) and not added.documents(path)
    ]
    assert lost == []
    assert [told for told in added.report.problems if not (told.where and told.reason and told.advice)] == []


@pytest.mark.parametrize("name", READ)
def test_what_has_a_text_is_read(added: Added, name: str) -> None:
    assert added.documents(added.folder / name.replace("_", " ")) != []


@pytest.mark.parametrize("name", TOLD)
def test_what_is_wrong_is_told(added: Added, name: str) -> None:
    path = added.folder / name.replace("_", " ")
    assert added.rows(path) != []
    assert (added.documents(path) != []) == (name in READ or name == "growing.md")


def test_bibliographies_lose_only_what_is_broken(added: Added) -> None:
    counted = {
        name: len(added.documents(added.folder / f"{name}.bib"))
        for name in ("brace missing", "keys twice", "mark", "two encodings")
    }
    assert counted == {"brace missing": 39, "keys twice": 10, "mark": 5, "two encodings": 20}
    authors = {
        author for document in added.documents(added.folder / "two encodings.bib") for author in document.authors
    }
    assert authors == {"Müller, Jörg"}


def test_good_files_are_all_there_and_found(added: Added) -> None:
    for number, name in enumerate(hostile.SCRIPTS):
        (document,) = added.documents(added.folder / f"{name}.md")
        (found,) = added.library.search(f"zebra{number}", k=1, mode="keyword").evidence
        assert found.document.id == document.id
    assert added.library.search("ostriches", k=1, mode="keyword").evidence[0].document.title == "good"


def test_nothing_from_outside_and_nothing_unseen_came_in(added: Added) -> None:
    """No file that an entity, a link or a path points to, no script, no billion of laughs."""
    texts = {document.id: added.library.text(document.id) or "" for document in added.library.documents()}
    for unwanted in ("root:", "scripted", "evil", "AutoOpen", "ha" * 1000):
        assert [id for id, text in texts.items() if unwanted in text] == []
    assert added.library.text(added.documents(added.folder / "scripts.html")[0].id) == "Quiet page\n\nText of the page."


def test_nothing_was_left_behind(added: Added) -> None:
    """No process, no file beside the library."""
    assert added.left == set()
    assert added.around == ["scratch"]
    assert not Path("/tmp/outside.tex").exists()  # noqa: S108 - where an archive of the folder would put it


def test_a_file_that_grew_is_read_when_it_has_come_to_rest(added: Added) -> None:
    path = added.folder / "growing.md"
    assert [told.reason for told in added.rows(path)] == ["it changed while it was read"]
    report = added.library.add(path)
    assert report.problems == []
    (document,) = added.documents(path)
    assert added.library.text(document.id) == path.read_text()


# --- what takes time and memory without end ---


def test_a_reader_that_takes_too_long_or_too_much_costs_its_file(tmp_path: Path) -> None:
    """Two real PDFs: a form that draws itself twice, and a gigabyte of blanks, each among good ones."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "b.pdf").write_bytes(hostile.doubling())
    (folder / "d.pdf").write_bytes(hostile.inflating())
    for name in "ace":
        (folder / f"{name}.pdf").write_bytes(hostile.pdf(f"A good paper about things called good{name}."))
    # the first would be drawing for years: no test takes that long
    limits = Settings(library=tmp_path / "library", embedder="none", reading_seconds=3, reading_megabytes=400)
    with Library(limits) as library:
        report = library.add(folder)
        titles = sorted(document.title for document in library.documents())
    assert {Path(told.where).name for told in report.problems} == {"b.pdf", "d.pdf"}
    assert all(told.reason and told.advice for told in report.problems)
    assert titles == ["a", "c", "e"]


# --- a parent that is killed ---

_ADDING = """
from scholarmind.events import FileProgress
library, documents = sys.argv[1:]
def report(event):
    if isinstance(event, Progress) and event.stage == "read" and event.done:
        say("some")
        time.sleep(60)  # there is more to read, and the children wait to tell it
with Library(Settings(library=Path(library), embedder="none", reading_processes=2, stored_at_once=20)) as adding:
    adding.add(documents, on_event=report)
    say("all", len(adding.documents()))
"""
_PAPERS, _PAGES = 30, 4


def test_children_of_a_killed_parent_end_and_the_next_one_finishes(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(_PAPERS):
        sentence = f"Paper {number} says things about wombats and their habits. "
        (folder / f"{number}.pdf").write_bytes(hostile.pdf(*(sentence * 60 for _ in range(_PAGES))))
    process = start(_ADDING, tmp_path / "library", folder)
    assert process.stdout
    assert process.stdout.readline() == "some\n"
    children = children_of(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(children) == 2
    deadline = time.monotonic() + 60
    while any(map(runs, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [child for child in children if runs(child)] == []
    with Library(Settings(library=tmp_path / "library", embedder="none")) as library:
        before = len(library.documents())
        report = library.add(folder)
        origins = [document.origin for document in library.documents()]
    assert (before > 0, report.added, report.problems) == (True, _PAPERS - before, [])
    assert sorted(origins) == sorted(str(path) for path in folder.iterdir())
