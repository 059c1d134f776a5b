"""Readers see what others wrote, as it was committed, in threads, in other processes, and on both sides of a fork."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from robustly import PRELUDE, Corpus, assert_sound, expect, finish, opened, run, start, tell

from scholarmind import Library
from scholarmind.model import Evidence

# -- other processes

_READING = """
library = sys.argv[1]
with opened(library) as reading:
    say("opened")
    for line in sys.stdin:
        say(json.dumps([titles(reading, line.strip(), mode=mode) for mode in ("keyword", "vector", "hybrid")]))
"""


def _seen(reader: subprocess.Popen[str], question: str) -> list[list[str]]:
    """Return the titles that the reader finds by words, by vectors, and by both."""
    tell(reader, question)
    return json.loads(reader.stdout.readline())


def test_reader_sees_commits_of_another_process(tmp_path: Path) -> None:
    """Additions, replacements and removals, one after the other, without opening again."""
    documents = tmp_path / "documents"
    documents.mkdir()
    reader = start(_READING, tmp_path / "library")
    with opened(tmp_path / "library") as library:
        expect(reader, "opened")
        assert _seen(reader, "walrus") == [[], [], []]
        (documents / "one.txt").write_text("The walrus sleeps.")
        library.add(documents)
        assert _seen(reader, "walrus") == [["one"]] * 3
        (documents / "two.txt").write_text("A walrus swims.")
        library.add(documents)
        assert _seen(reader, "walrus") == [["one", "two"]] * 3
        (documents / "one.txt").write_text("The giraffe sleeps.")
        library.add(documents)
        assert _seen(reader, "walrus")[0] == ["two"]
        assert _seen(reader, "giraffe")[0] == ["one"]
        assert _seen(reader, "giraffe")[1:] == [["one", "two"]] * 2  # the vector leg gives everything that there is
        library.remove([document.id for document in library.documents() if document.title == "two"])
        assert _seen(reader, "walrus")[0] == []
        assert _seen(reader, "giraffe") == [["one"]] * 3
        library.remove([document.id for document in library.documents()])
        assert _seen(reader, "giraffe") == [[], [], []]


def test_reader_sees_a_rebuilt_index(tmp_path: Path) -> None:
    """Another process throws the files away that the reader works on."""
    corpus = Corpus(tmp_path / "documents")
    corpus.add(40)
    reader = start(_READING, tmp_path / "library")
    with opened(tmp_path / "library") as library:
        expect(reader, "opened")
        library.add(corpus.folder)
        before = _seen(reader, "common")
        assert [len(set(titles)) for titles in before] == [40, 40, 40]
        library.rebuild()
        assert _seen(reader, "common") == before
        corpus.add(1)
        library.add(corpus.folder)
        assert [len(set(titles)) for titles in _seen(reader, "common")] == [41, 41, 41]


# every sentence of a document names it and its version; those called `stable` are never touched again
_STABLE, _ROUNDS = 12, 4

_WRITING = """
library, folder, rounds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
with opened(library, lock_wait=60, stored_at_once=40) as writing:
    for version in range(rounds):
        for number in range(40):
            if version % 5 == number % 5:
                (folder / f"moving{number}.txt").unlink(missing_ok=True)
            else:
                word = f"moving{number} version{version}"
                (folder / f"moving{number}.txt").write_text(" ".join(f"Common {word} sentence{n}." for n in range(12)))
        assert writing.add(folder, prune=True).problems == []
say("written")
"""


def _stable_documents(folder: Path) -> None:
    folder.mkdir()
    for number in range(_STABLE):
        sentences = " ".join(f"Common stable{number} version0 sentence{n}." for n in range(8))
        (folder / f"stable{number}.txt").write_text(sentences)


def _assert_consistent(evidence: tuple[Evidence, ...]) -> None:
    versions: dict[str, set[str]] = {}
    for item in evidence:
        words = item.passage.text.rstrip(".").split()
        assert item.document.title in words, (item.document.title, item.passage.text)
        versions.setdefault(item.document.title, set()).update(word for word in words if word.startswith("version"))
    assert all(len(found) == 1 for found in versions.values()), versions


def _assert_stable_is_found(library: Library, number: int) -> None:
    for mode in ("keyword", "vector", "hybrid"):
        evidence = library.search(f"common stable{number} version0 sentence", k=3, mode=mode).evidence
        assert [item.document.title for item in evidence] == [f"stable{number}"] * 3, (mode, number)
        _assert_consistent(evidence)


def _search_until(library: Library, done: threading.Event, number: int, errors: list[BaseException]) -> None:
    try:
        while not done.is_set():
            _assert_stable_is_found(library, number % _STABLE)
            _assert_consistent(library.search("common sentence3", k=200).evidence)
            _assert_consistent(library.search("common sentence3", k=50, filter="title ~ stable").evidence)
    except BaseException as error:  # noqa: BLE001  (the test raises it)
        errors.append(error)


@pytest.mark.parametrize("writer", ["the same library", "another process"])
def test_threads_search_while_a_writer_adds(tmp_path: Path, writer: str) -> None:
    """Eight threads; every hit belongs to its document, one version at a time, and what was not touched is always found."""
    folder, errors, done = tmp_path / "documents", [], threading.Event()
    _stable_documents(folder)
    with opened(tmp_path / "library") as library:
        library.add(folder)
        threads = [threading.Thread(target=_search_until, args=(library, done, n, errors)) for n in range(8)]
        for thread in threads:
            thread.start()
        try:
            if writer == "another process":
                assert run(_WRITING, tmp_path / "library", folder, _ROUNDS) == ["written"]
            else:
                namespace = {
                    "opened": lambda *_, **__: _Kept(library),
                    "sys": _Arguments(folder),
                    "say": print,
                    "Path": Path,
                }
                exec(_WRITING, namespace)  # noqa: S102  (the same program, in this process)
        finally:
            done.set()
            for thread in threads:
                thread.join()
        for error in errors:
            raise error
        assert_sound(library)


class _Kept:
    """A library that somebody else closes."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def __enter__(self) -> Library:
        return self._library

    def __exit__(self, *_: object) -> None:
        pass


class _Arguments:
    def __init__(self, folder: Path) -> None:
        self.argv = ["", "", str(folder), str(_ROUNDS)]


_OPENING = """
library, done = sys.argv[1], Path(sys.argv[2])
opening = 0
while not done.exists():
    with opened(library, create=False) as reading:
        for mode in ("keyword", "vector"):
            found = reading.search("common stable5 version0 sentence", k=3, mode=mode).evidence
            assert [item.document.title for item in found] == ["stable5"] * 3, (opening, mode, [e.document.title for e in found],
                reading.store.derived.keyword.damage, reading.store.derived.matrix.damage)
    opening += 1
say(opening > 0)
"""


_REBUILDING = """
library, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
with opened(library, lock_wait=60) as writing:
    for _ in range(3 * rounds):
        writing.rebuild()
say("written")
"""


@pytest.mark.parametrize("program", [pytest.param(_WRITING, id="adds"), pytest.param(_REBUILDING, id="rebuilds")])
def test_opening_while_another_process_writes(tmp_path: Path, program: str) -> None:
    """A search right after opening finds everything, at whatever moment of another's commits, merges or rebuilding that is."""
    folder, done = tmp_path / "documents", tmp_path / "done"
    _stable_documents(folder)
    others = Corpus(tmp_path / "others")
    others.add(150)
    with opened(tmp_path / "library") as library:
        library.add([folder, others.folder])
    reader = start(_OPENING, tmp_path / "library", done)
    assert run(program, tmp_path / "library", folder, _ROUNDS) == ["written"]
    done.touch()
    assert finish(reader) == ["True"]


# -- forks

_FORKING = """
import multiprocessing
library, documents, more, way = sys.argv[1:]
parent = opened(library)
parent.add(documents)
for mode in ("keyword", "vector", "hybrid"):
    assert len(titles(parent, "common", k=5, mode=mode)) == 5
if way == "after a while":
    time.sleep(0.6)  # the writer has given its lock back

def work():
    for mode in ("keyword", "vector", "hybrid"):
        assert len(titles(parent, "common", k=5, mode=mode)) == 5
    report = parent.add(more)
    assert (report.added, report.problems) == (10, []), report
    assert len(set(titles(parent, "common"))) == 20
    parent.close()

if way == "multiprocessing":
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join(20)
    say(child.exitcode)
else:
    child = os.fork()
    if child == 0:
        work()
        sys.exit(0)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(0.05)
    try:
        os.kill(child, signal.SIGKILL)
        say("the child hangs")
    except ProcessLookupError:
        say(0)
for mode in ("keyword", "vector", "hybrid"):
    assert len(set(titles(parent, "common", mode=mode))) == 20, mode
(Path(documents) / "last.txt").write_text("Common words of the parent after the fork.")
assert parent.add(documents).added == 1
assert titles(parent, "fork", mode="keyword") == ["last"]
parent.close()
say("parent done")
"""


@pytest.mark.parametrize("way", ["at once", "after a while", "multiprocessing"])
def test_fork_after_a_search(tmp_path: Path, way: str) -> None:
    """The child searches and writes, then the parent does; neither hangs, and both see all of it."""
    corpus, more = Corpus(tmp_path / "documents"), Corpus(tmp_path / "more", seed=8)
    corpus.add(10)
    more.add(10)
    for name in list(more.texts):
        (more.folder / name).rename(more.folder / f"more{name}")
    assert run(_FORKING, tmp_path / "library", corpus.folder, more.folder, way) == ["0", "parent done"]
    with opened(tmp_path / "library") as library:
        assert_sound(library)
        assert library.counts()["default"].documents == 21


_SURVIVING = """
library, documents, more = sys.argv[1:]
parent = opened(library)
parent.add(documents)
titles(parent, "common")
child = os.fork()
if child == 0:
    for line in sys.stdin:  # the parent is gone by now, and another process was there
        try:
            if line == "add\\n":
                say(json.dumps(parent.add(more).added))
            else:
                say(json.dumps(len(titles(parent, "common", mode="keyword"))))
        except LibraryError as error:
            say(json.dumps(f"{type(error).__name__}: {error}"))
    parent.close()
    os._exit(0)
parent.close()
os._exit(0)
"""


@pytest.mark.parametrize("other", ["closes it", "keeps it open"])
def test_child_outlives_its_parent(tmp_path: Path, other: str) -> None:
    """The parent ends, another process opens the library and writes, and the child goes on with it: nothing is damaged."""
    corpus, more, between = (Corpus(tmp_path / name, seed=n) for n, name in enumerate(("documents", "more", "between")))
    for one in (corpus, more, between):
        one.add(10)
    child = start(_SURVIVING, tmp_path / "library", corpus.folder, more.folder)

    def ask(line: str) -> object:
        tell(child, line)
        return json.loads(child.stdout.readline())

    child.wait(20)  # the parent
    library = opened(tmp_path / "library")
    library.add(between.folder)
    passages = library.counts()["default"].passages
    if other == "closes it":
        library.close()
    assert ask("search") == passages
    if other == "keeps it open":
        between.add(5)
        assert library.add(between.folder).added == 5
    assert ask("add") == 10
    if other == "keeps it open":
        between.add(5)
        assert library.add(between.folder).added == 5
        library.close()
    child.stdin.close()
    child.stdout.read()  # until the child has closed it
    with opened(tmp_path / "library") as library:
        assert_sound(library)
        assert library.counts()["default"].documents == {"closes it": 30, "keeps it open": 40}[other]


_SPAWNING = """
import multiprocessing

def work(library, more):
    with opened(library) as child:
        assert len(titles(child, "common", k=5)) == 5
        assert child.add(more).added == 10
        assert len(set(titles(child, "common"))) == 20

if __name__ == "__main__":
    library, documents, more = sys.argv[1:]
    with opened(library) as parent:
        parent.add(documents)
        assert len(set(titles(parent, "common"))) == 10
        child = multiprocessing.get_context("spawn").Process(target=work, args=(library, more))
        child.start()
        child.join(30)
        assert child.exitcode == 0
        assert len(set(titles(parent, "common"))) == 20
    say("done")
"""


def test_spawn_after_a_search(tmp_path: Path) -> None:
    """A process that shares nothing with its parent but the folder."""
    corpus, more = Corpus(tmp_path / "documents"), Corpus(tmp_path / "more", seed=8)
    corpus.add(10)
    more.add(10)
    for name in list(more.texts):
        (more.folder / name).rename(more.folder / f"more{name}")
    program = tmp_path / "program.py"
    program.write_text(PRELUDE + _SPAWNING)
    command = [sys.executable, program, tmp_path / "library", corpus.folder, more.folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("done\n", "")
    with opened(tmp_path / "library") as library:
        assert_sound(library)


_EMBEDDING = """
import faulthandler
from scholarmind.adapters.minilm import MiniLM
library, threads = sys.argv[1], int(sys.argv[2])
with opened(library, embedder=MiniLM(threads=threads)) as parent:
    (Path(library).parent / "one.txt").write_text("A walrus is a large animal that lives near the North Pole. " * 40)
    parent.add(Path(library).parent / "one.txt")
    expected = parent.search("big animals of the Arctic").evidence
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(15, exit=True)
        found = parent.search("big animals of the Arctic").evidence
        assert [item.scores for item in found] == [item.scores for item in expected]
        (Path(library).parent / "two.txt").write_text("The giraffe has a long neck. It eats leaves. " * 40)
        assert parent.add(Path(library).parent / "two.txt").embedded >= 1
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert set(titles(parent, "animal giraffe", mode="vector")) == {"one", "two"}
say("done")
"""


@pytest.mark.parametrize("threads", [0, 4])
def test_fork_after_embedding(tmp_path: Path, threads: int) -> None:
    """The real embedder has threads of its own, which a child does not inherit: it must not wait for them."""
    assert run(_EMBEDDING, tmp_path / "library", threads) == ["done"]
