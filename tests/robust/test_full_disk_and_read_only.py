"""A full disk and a folder that may not be written: clear errors, nothing lost, nothing changed, and reading goes on."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from robustly import (
    UNSHARED,
    Corpus,
    assert_sound,
    expect,
    files_of,
    needs_mount,
    opened,
    run,
    start,
    stored,
    tell,
)

from scholarmind.errors import LibraryStorageError

# -- a full disk

_FULL = """
import subprocess
from robustly import assert_sound, assert_sound_truth
disk, documents, more, left = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "none", disk], check=True)
library, filler = disk / "library", disk / "filler"

def fill():
    with filler.open("wb", buffering=0) as file:
        room = os.statvfs(disk).f_bavail * os.statvfs(disk).f_bsize - left
        while room > 0:
            room -= file.write(bytes(min(room, 4096)))

def attempt(what, work):
    try:
        work()
        say(what, "done")
    except LibraryStorageError as error:
        say(what, "told" if str(disk) in str(error) else error)

with opened(library, lock_wait=1) as first:
    first.add(documents)
    fill()
    attempt("add:", lambda: first.add(more))
    attempt("add again:", lambda: first.add(more))
    attempt("search on:", lambda: titles(first, "common")[0])
    assert_sound_truth(first)
with opened(library, lock_wait=1) as second:
    attempt("add later:", lambda: second.add(more))
    filler.unlink()
    attempt("add with room:", lambda: second.add(more))
with opened(library, lock_wait=1) as third:
    third.add(more)
    assert_sound(third, but=("disk",))  # it has little room
    assert len(third.documents()) == 120, len(third.documents())
say("sound")
"""


@needs_mount
@pytest.mark.parametrize("left", [0, 500_000])
def test_full_disk(tmp_path: Path, left: int) -> None:
    """With so many bytes left an `add` fails and says why; what is there is found; with room again the same session goes on."""
    disk, corpus, more = tmp_path / "disk", Corpus(tmp_path / "documents"), Corpus(tmp_path / "more", seed=9)
    disk.mkdir()
    corpus.add(20)
    more.add(100)
    told = run(_FULL, disk, corpus.folder, more.folder, left, wrapper=UNSHARED, timeout=180)
    assert told == [
        "add: told",
        "add again: told",
        "search on: done",
        "add later: told",
        "add with room: done",
        "sound",
    ]


_WITHOUT_ROOM = """
import subprocess
disk, documents, more, left, state = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", disk], check=True)
script = Path(sys.executable).with_name("scholarmind")
def command(*given):
    return subprocess.run([script, *given, "--library", disk / "library"], capture_output=True, text=True)
assert command("add", documents).returncode == 0
if state == "asked before":
    assert command("ask", "What is common?", "--conversation", "one").returncode == 0
if state == "writer was killed":
    writing = "from scholarmind import Library; import os, sys; library = Library.open(sys.argv[1]); "
    writing += "library.correct(library.documents()[0].id, ['year=2001']); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", writing, disk / "library"])
with (disk / "filler").open("wb", buffering=0) as file:
    room = os.statvfs(disk).f_bavail * os.statvfs(disk).f_bsize - left
    while room > 0:
        room -= file.write(bytes(min(room, 4096)))
id = json.loads(command("search", "common", "--json").stdout)["hits"][0]["document"]["id"]
say("search")
for given in (["ask", "What is common?", "--json"], ["ask", "And what else is common?", "--conversation", "one", "--json"]):
    told = command(*given)
    answer = json.loads(told.stdout)
    notes = [note for note in answer["fallbacks"] if "runs.db" in note]
    assert answer["parts"] and told.returncode == 0 and not told.stderr, told
    assert len(notes) <= 1 and all("make room" in note for note in notes), answer["fallbacks"]
    assert notes or left or state == "writer was killed", answer["fallbacks"]
say("ask")
for given in (["show", id], ["conversations"], ["doctor", "--json"]):
    told = command(*given)
    assert not told.stderr and (told.returncode == 0 or given[0] == "doctor"), told
say("look")
for given in (["add", more], ["set", id, "year=2003"], ["tree", "build", "--again"]):
    told = command(*given)
    if told.returncode:
        assert told.stderr.startswith(f"Error: there is no room left for the library '{disk}/library' ("), told
        assert "make room and run the command again" in told.stderr
    else:
        assert left, told
(disk / "filler").unlink()
assert command("add", documents, more).returncode == 0
bad = [check["name"] for check in json.loads(command("doctor", "--json").stdout) if not check["ok"]]
say(*bad)
"""


@needs_mount
@pytest.mark.parametrize(
    ("left", "state"), [(0, "new"), (0, "asked before"), (0, "writer was killed"), (60_000, "asked before")]
)
def test_programs_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: int, state: str) -> None:
    """Programs that begin when there is no room: they search and answer all the same, and who would write is told why not."""
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "none")
    disk, corpus, more = tmp_path / "disk", Corpus(tmp_path / "documents"), Corpus(tmp_path / "more", seed=9)
    disk.mkdir()
    corpus.add(10)
    more.add(60)
    told = run(_WITHOUT_ROOM, disk, corpus.folder, more.folder, left, state, wrapper=UNSHARED, timeout=180)
    assert told == ["search", "ask", "look", "disk"]  # it is a small one


_LIMITED = """
import resource
library, documents, more, limit = *sys.argv[1:4], int(sys.argv[4])
from robustly import assert_sound
with opened(library) as adding:
    adding.add(documents)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        adding.add(more)
        say("added")
    except LibraryStorageError as error:
        assert library in str(error), error
        say("LibraryStorageError")
    assert titles(adding, "common", mode="vector")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert adding.add(more).problems == []
    assert_sound(adding)
    assert len(adding.documents()) == 80
with opened(library) as again:
    assert_sound(again)
say("sound")
"""


@pytest.mark.parametrize("limit", [8_192, 60_000, 250_000])
def test_file_size_limit(tmp_path: Path, limit: int) -> None:
    """Each file may grow to so many bytes only: depending on that, SQLite, the matrix or tantivy is the first to fail."""
    corpus, more = Corpus(tmp_path / "documents"), Corpus(tmp_path / "more", seed=9)
    corpus.add(10)
    more.add(70)
    told = run(_LIMITED, tmp_path / "library", corpus.folder, more.folder, limit)
    assert told == ["LibraryStorageError", "sound"]


def test_a_path_with_words_of_errors(tmp_path: Path) -> None:
    """What is wrong is told by the error, not by the words that happen to be in a path."""
    place = tmp_path / "fulltexts-locked-malformed"
    place.mkdir()
    (place / "library").write_text("a file where a folder should be")
    with pytest.raises(LibraryStorageError) as caught:
        opened(place / "library")
    told = str(caught.value).replace(str(place), "")
    assert "disk" not in told
    assert "damaged" not in told
    assert "locked" not in told


# -- read-only


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that every user may enter."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(folder)


_UNPRIVILEGED = """
import tempfile
library, temporary = sys.argv[1:]
with opened(Path(temporary) / "warm") as warm:  # imports everything: our own code may be out of the other user's reach
    (Path(temporary) / "warm.txt").write_text("Some common words.")
    warm.add(temporary)
    titles(warm, "words")
    warm.remove([document.id for document in warm.documents()])
    try:
        opened("/proc/none/library")
    except LibraryStorageError:
        pass
import shutil
shutil.rmtree(Path(temporary) / "warm")
(Path(temporary) / "warm.txt").unlink()
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
tempfile.tempdir = temporary
"""

_SEARCHING = """
import tempfile
from scholarmind.adapters.store.health import examine
library, temporary = sys.argv[1:3]
tempfile.tempdir = temporary
with opened(library) as reading:
    for _ in range(2):
        say([len(titles(reading, "common", mode=mode)) for mode in ("keyword", "vector", "hybrid")])
    say([len(titles(reading, "common", filter="title ~ note")), len(reading.documents()), reading.counts()["default"].passages])
    assert len(list(examine(reading.store))) > 5
say("left behind", len(os.listdir(temporary)))
"""

_WRITING = """
library, temporary = sys.argv[1:3]
with opened(library) as writing:
    identifier = writing.documents()[0].id
    for what, work in {
        "add": lambda: writing.add(Path(temporary)),
        "remove": lambda: writing.remove([identifier]),
        "rebuild": writing.rebuild,
        "reembed": writing.reembed,
    }.items():
        try:
            work()
            say(what, "done")
        except LibraryStorageError as error:
            say(what, "told" if library in str(error) else error)
    say(len(titles(writing, "common")))
"""

_BOUND = """
import subprocess
subprocess.run(["mount", "--bind", sys.argv[1], sys.argv[1]], check=True)
subprocess.run(["mount", "-o", "remount,ro,bind", sys.argv[1]], check=True)
"""

_KILLED = """
library, documents = sys.argv[1:]
adding = opened(library)
adding.add(documents)
os.kill(os.getpid(), signal.SIGKILL)
"""

_READ_ONLY_WAYS = {
    "another user": (_UNPRIVILEGED, ()),
    "another mount": (_BOUND, UNSHARED),
}


@pytest.mark.parametrize(
    ("way", "state"),
    [
        pytest.param("another mount", "sound", marks=needs_mount),
        pytest.param("another mount", "without indexes", marks=needs_mount),
        pytest.param("another mount", "writer was killed", marks=needs_mount),
        ("another user", "sound"),
        ("another user", "indexes behind"),
        ("another user", "writer was killed"),
        ("another user", "copied without -shm"),
    ],
)
def test_searching_what_is_read_only(public: Path, way: str, state: str) -> None:
    """Everything is found, whatever state the last writer left, and not a byte changes."""
    corpus, folder, temporary = Corpus(public / "documents"), public / "library", _for_all(public / "temporary")
    corpus.add(15)
    passages = _make(folder, corpus, state)
    before = _locked_up(folder)
    program, wrapper = _READ_ONLY_WAYS[way]
    told = run(program + _SEARCHING, folder, temporary, wrapper=wrapper)
    assert told == [
        str([passages] * 3),
        str([passages] * 3),
        str([passages, len(corpus.texts), passages]),
        "left behind 0",
    ]
    assert files_of(folder) == before


@pytest.mark.parametrize("way", [pytest.param("another mount", marks=needs_mount), "another user"])
def test_writing_what_is_read_only(public: Path, way: str) -> None:
    """It is refused in words, and not a byte changes."""
    corpus, folder, temporary = Corpus(public / "documents"), public / "library", _for_all(public / "temporary")
    corpus.add(15)
    passages = _make(folder, corpus, "sound")
    before = _locked_up(folder)
    program, wrapper = _READ_ONLY_WAYS[way]
    told = run(program + _WRITING, folder, temporary, wrapper=wrapper)
    assert told == ["add told", "remove told", "rebuild told", "reembed told", str(passages)]
    assert files_of(folder) == before


def _for_all(folder: Path) -> Path:
    folder.mkdir()
    folder.chmod(0o777)
    return folder


def _locked_up(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return files_of(folder)


def _make(folder: Path, corpus: Corpus, state: str) -> int:
    """Make a library in this state and return how many passages it has."""
    if state in {"writer was killed", "copied without -shm"}:
        with opened(folder) as library:
            library.add(corpus.folder)
        corpus.add(5)
        start(_KILLED, folder, corpus.folder).communicate()
        assert (folder / "library.db-wal").stat().st_size
        if state == "copied without -shm":
            (folder / "library.db-shm").unlink()
        shutil.copytree(folder, folder.with_name("twin"))
        with opened(folder.with_name("twin")) as library:
            return library.counts()["default"].passages
    with opened(folder) as library:
        library.add(corpus.folder)
    if state == "without indexes":
        shutil.rmtree(folder / "keyword")
        shutil.rmtree(folder / "vectors")
    if state == "indexes behind":
        shutil.copytree(folder, folder.with_name("older"))
        corpus.add(5)
        with opened(folder) as library:
            library.add(corpus.folder)
        for name in ("keyword", "vectors"):
            shutil.rmtree(folder / name)
            shutil.copytree(folder.with_name("older") / name, folder / name)
    with opened(folder.with_name("twin")) as library:
        library.add(corpus.folder)
        return library.counts()["default"].passages


_FOLLOWING = """
with opened(library) as reading:
    say("opened")
    for line in sys.stdin:
        say(json.dumps([len(set(titles(reading, line.strip(), mode=mode))) for mode in ("keyword", "vector", "hybrid")]))
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only the superuser can become somebody else")
def test_reader_without_rights_follows_a_writer(public: Path) -> None:
    """The operator writes, a user who may only read has it open all the time, and sees what is new."""
    corpus, folder, temporary = Corpus(public / "documents"), public / "library", _for_all(public / "temporary")
    corpus.add(10)
    with opened(folder) as library:
        library.add(corpus.folder)
    reader = start(_UNPRIVILEGED + _FOLLOWING, folder, temporary)
    expect(reader, "opened")
    tell(reader, "common")
    expect(reader, "[10, 10, 10]")
    corpus.add(10)
    corpus.remove(2)
    with opened(folder) as library:
        library.add(corpus.folder, prune=True)
        tell(reader, "common")
        expect(reader, "[18, 18, 18]")
    tell(reader, "common")
    expect(reader, "[18, 18, 18]")
    with opened(folder) as library:
        assert_sound(library)
        assert stored(library) == corpus.texts


_OPENING = """
with opened(library) as reading:
    titles(reading, "common")
    say(json.dumps([path.name for path in Path(temporary).rglob("*") if path.suffix in {".idx", ".bin"}]))
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only the superuser can become somebody else")
def test_sound_index_is_not_made_again_for_a_reader(public: Path) -> None:
    """Who may only read has the index that is there, or at most a copy of it: making it anew takes long in a big library."""
    corpus, folder, temporary = Corpus(public / "documents"), public / "library", _for_all(public / "temporary")
    corpus.add(10)
    with opened(folder) as library:
        library.add(corpus.folder)
    told = run(_UNPRIVILEGED + _OPENING, folder, temporary)
    assert set(json.loads(told[0])) <= {path.name for path in folder.rglob("*")}
