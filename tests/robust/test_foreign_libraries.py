"""What is no library of ours, or was made with other parts, is refused in words and left as it is."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from robustly import (
    DIMENSION,
    Corpus,
    assert_derived_agree,
    assert_sound_truth,
    assert_whole_documents,
    files_of,
    opened,
    start,
)

from scholarmind.cli.main import group
from scholarmind.errors import LibraryError, LibraryMismatchError, LibraryStorageError, ScholarMindError
from scholarmind.model import text_to_embed
from scholarmind.testing import HashEmbedder


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Return a few documents."""
    made = Corpus(tmp_path / "documents")
    made.add(8)
    return made


@pytest.fixture
def folder(tmp_path: Path, corpus: Corpus) -> Path:
    """Return a library of these documents, made with an embedder of 512 numbers."""
    with opened(tmp_path / "library") as library:
        library.add(corpus.folder)
    return tmp_path / "library"


@pytest.mark.parametrize(
    "content", [b"This is no database. " * 500, b"SQLite format 3\0" + bytes(range(256)) * 32, b"short"]
)
@pytest.mark.parametrize("create", [True, False])
def test_file_that_is_no_database(tmp_path: Path, content: bytes, create: bool) -> None:
    """It is refused with what to do, and not overwritten."""
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "library.db").write_bytes(content)
    with pytest.raises(LibraryStorageError, match=r"damaged.*backup") as caught:
        opened(folder, create=create)
    assert str(folder) in str(caught.value)
    assert (folder / "library.db").read_bytes() == content


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_database_that_was_cut_off(folder: Path, share: float) -> None:
    """A copy that stopped in the middle gives our error, not a trace; what can still be read is not wrong."""
    path = folder / "library.db"
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    with pytest.raises(LibraryStorageError, match="damaged"), opened(folder) as library:  # noqa: PT012
        library.search("common", k=1000)
        library.documents()
        library.rebuild()
        library.remove([document.id for document in library.documents()])


def test_database_of_another_program(tmp_path: Path) -> None:
    """A SQLite file that is not ours is not filled with our tables unasked."""
    folder = tmp_path / "library"
    folder.mkdir()
    with sqlite3.connect(folder / "library.db") as connection:
        connection.execute("CREATE TABLE documents (name TEXT)")
        connection.execute("INSERT INTO documents VALUES ('theirs')")
    connection.close()
    with pytest.raises(LibraryError):
        opened(folder)
    connection = sqlite3.connect(folder / "library.db")
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("documents",)]
    connection.close()


def test_empty_file(tmp_path: Path, corpus: Corpus) -> None:
    """What a crash at the very first moment leaves behind: the library is laid out and used."""
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "library.db").touch()
    with opened(folder) as library:
        assert library.add(corpus.folder).added == 8
        assert_sound_truth(library)
        assert_derived_agree(library)


def _truncate(path: Path) -> None:
    path.write_bytes(b"")


def _replace_by_an_empty_database(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


def _replace_by_an_empty_library(path: Path) -> None:
    path.unlink()
    opened(path.with_name("other")).close()
    (path.with_name("other") / "library.db").replace(path)


@pytest.mark.parametrize("empty", [Path.unlink, _truncate, _replace_by_an_empty_database, _replace_by_an_empty_library])
def test_emptied_database(folder: Path, corpus: Corpus, empty: Callable[[Path], None]) -> None:
    """The indexes beside it tell that it was in use: every command refuses it, nothing is thrown away, and it can be restored."""
    backup = (folder / "library.db").read_bytes()
    empty(folder / "library.db")
    before = files_of(folder)
    for arguments in (
        ["add", corpus.folder],
        ["search", "common"],
        ["ask", "What is common?"],
        ["status"],
        ["remove", "note0001"],
        ["set", "note0001", "year=2001"],
        ["graph", "build"],
        ["tree", "show"],
        ["collections"],
        ["doctor"],
        ["doctor", "--mend"],
    ):
        told = CliRunner().invoke(group, [*map(str, arguments), "--library", str(folder)], catch_exceptions=False)
        assert told.exit_code == 1, arguments
        assert f"the library '{folder}' has lost its documents: library.db " in told.output
        assert "restore library.db from a backup, or, to begin anew, move" in told.output
    after = files_of(folder)
    assert {name for name in before if after.get(name) != before[name]} <= {"writer.lock", "library.db"}
    (folder / "library.db").write_bytes(backup)
    with opened(folder) as library:
        assert len(library.documents()) == 8
        assert_derived_agree(library)


def test_library_that_holds_nothing_yet(tmp_path: Path, corpus: Corpus) -> None:
    """A new library, and one from which everything was removed, are no lost ones."""
    with opened(tmp_path / "library") as library:
        assert library.search("common").evidence == ()
    for _ in range(2):
        with opened(tmp_path / "library") as library:
            assert library.add(corpus.folder).added == 8
            assert library.remove([document.id for document in library.documents()]) == 8
        with opened(tmp_path / "library") as library:
            assert library.documents() == []


def test_newer_layout(folder: Path) -> None:
    """A library of a later version is refused, with both versions named, and nothing in it is changed."""
    connection = sqlite3.connect(folder / "library.db")
    connection.execute("UPDATE about SET value='99' WHERE key='schema'")
    connection.commit()
    connection.close()
    before = (folder / "library.db").read_bytes()
    with pytest.raises(LibraryMismatchError, match=r"'99'.*'4'") as caught:
        opened(folder)
    assert str(folder) in str(caught.value)
    assert (folder / "library.db").read_bytes() == before


def test_missing_library(tmp_path: Path) -> None:
    """Reading does not make a library by the way."""
    with pytest.raises(LibraryError, match="scholarmind add"):
        opened(tmp_path / "library", create=False)
    assert not (tmp_path / "library").exists()


# -- other embedders


def test_another_embedder_is_refused_with_the_command(folder: Path, corpus: Corpus) -> None:
    """Adding and searching are refused, the message has the command, and the first embedder still works."""
    with opened(folder, embedder=HashEmbedder(32)) as library:
        for work in (lambda: library.search("common"), lambda: library.add(corpus.folder)):
            with pytest.raises(LibraryMismatchError) as caught:
                work()
            assert f"scholarmind doctor --reembed --library {folder}" in str(caught.value)
            assert "'hash/512'" in str(caught.value)
            assert "'hash/32'" in str(caught.value)
    with opened(folder) as library:
        assert library.search("common", mode="vector").evidence


def test_reembedding(folder: Path, corpus: Corpus) -> None:
    """With the new embedder everything is embedded again; the old one is then the wrong one."""
    other = HashEmbedder(32)
    with opened(folder, embedder=other) as library:
        passages = library.counts()["default"].passages
        assert library.reembed().embedded == passages
        question = corpus.texts["note0003.txt"].split(". ")[0]
        found = library.search(question, k=3, mode="vector").evidence
        assert found[0].document.title == "note0003"
        text = text_to_embed(found[0].document.title, found[0].passage)
        assert found[0].scores.vector == pytest.approx(float(other.vector(text) @ other.vector(question)), abs=1e-5)
        corpus.add(2)
        assert library.add(corpus.folder).added == 2
        assert_sound_truth(library)
        assert_whole_documents(library)
    with opened(folder, embedder=other) as library:
        assert len(library.search("common", k=1000, mode="vector").evidence) == library.counts()["default"].passages
    with opened(folder) as library, pytest.raises(LibraryMismatchError):
        library.search("common")


def test_reader_is_told_that_another_embedder_took_over(folder: Path) -> None:
    """A process that has the library open goes on with keywords or is refused; it never mixes vectors."""
    with opened(folder) as reader:
        assert reader.search("common", mode="vector").evidence
        with opened(folder, embedder=HashEmbedder(32)) as library:
            library.reembed()
        with pytest.raises(LibraryMismatchError, match="--reembed"):
            reader.search("common")


_REEMBEDDING = """
with opened(sys.argv[1], embedder=HashEmbedder(32)) as library:
    def killed(event):
        if event.done > 32:
            os.kill(os.getpid(), signal.SIGKILL)
    library.reembed(on_event=killed)
"""


def test_killed_while_reembedding(folder: Path, corpus: Corpus) -> None:
    """The new embedder finishes what it began; the old one does not add to it."""
    corpus.add(20)
    with opened(folder) as library:
        library.add(corpus.folder)
    process = start(_REEMBEDDING, folder)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    with opened(folder) as library:
        with pytest.raises(LibraryMismatchError):
            library.search("common")
        with pytest.raises(LibraryMismatchError):
            library.add()
    with opened(folder, embedder=HashEmbedder(32)) as library:
        assert 32 < library.add().embedded < library.counts()["default"].passages
        assert library.counts()["default"].waiting == 0
        assert len(library.search("common", k=1000, mode="vector").evidence) == library.counts()["default"].passages


class _Renamed(HashEmbedder):
    """Claims to be the embedder of 512 numbers, as a server does whose model was exchanged behind its name."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self.fingerprint = f"hash/{DIMENSION}"


def test_vectors_of_another_dimension(folder: Path, corpus: Corpus) -> None:
    """They do not fit beside the others: adding and searching say so, and what was there still works."""
    corpus.add(3)
    with opened(folder, embedder=_Renamed(48)) as library:
        with pytest.raises(LibraryMismatchError, match=r"48 and 512.*--reembed"):
            library.add(corpus.folder)
        for mode in ("vector", "hybrid"):
            with pytest.raises(ScholarMindError, match="48"):
                library.search("common", mode=mode)
        assert library.search("common", mode="keyword").evidence
        assert_sound_truth(library)
    with opened(folder) as library:
        assert library.add().embedded > 0
        assert len(library.search("common", k=1000, mode="vector").evidence) == library.counts()["default"].passages
        assert_derived_agree(library)


class _Broken(HashEmbedder):
    """Gives numbers that are none."""

    def vector(self, text: str) -> "np.ndarray":
        return np.full(self.dimension, np.nan, np.float32)


def test_vectors_that_are_no_numbers(tmp_path: Path, corpus: Corpus) -> None:
    """Whatever an embedder gives, the keyword leg still finds, and nothing breaks."""
    with opened(tmp_path / "library", embedder=_Broken(DIMENSION)) as library:
        with suppress(ScholarMindError):
            library.add(corpus.folder)
        assert len(library.search("common", k=1000, mode="keyword").evidence) == library.counts()["default"].passages


def test_command_line_says_it_in_one_line(tmp_path: Path, folder: Path) -> None:
    """A refused library is a line and an exit code, not a trace; the command in that line mends it."""
    script = Path(sys.executable).with_name("scholarmind")

    def call(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [script, *arguments, "--library", folder], capture_output=True, text=True, check=False, timeout=60
        )

    refused = call("search", "common")
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    assert f"scholarmind doctor --reembed --library {folder}" in refused.stderr.replace("\n", " ")
    assert call("doctor", "--reembed").returncode == 0
    assert call("search", "common").returncode == 0
    (folder / "library.db").write_bytes(b"no database" * 1000)
    damaged = call("doctor")
    assert damaged.returncode == 1
    assert "damaged" in damaged.stdout
    assert "Traceback" not in damaged.stderr
