"""When a derived index cannot be written, the text is stored all the same, and is found as soon as it can."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from robustly import UNSHARED, Corpus, assert_sound, needs_mount, opened, run, stored

from scholarmind.errors import LibraryStorageError


def _replace_by_file(folder: Path) -> None:
    folder.rename(folder.with_name("aside"))
    folder.write_text("in the way")


def _unwritable_by_root(folder: Path) -> None:
    subprocess.run(["chattr", "+i", str(folder)], check=True)


def _writable_by_root(folder: Path) -> None:
    subprocess.run(["chattr", "-i", str(folder)], check=True)


_OBSTACLES: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "a file in its place": (_replace_by_file, Path.unlink),
    "nothing may be written": (_unwritable_by_root, _writable_by_root),
}


@pytest.mark.parametrize("obstacle", _OBSTACLES)
@pytest.mark.parametrize("name", ["keyword", "vectors"])
def test_failing_index(tmp_path: Path, name: str, obstacle: str) -> None:
    """In the middle of a session the folder of an index becomes unusable, and later usable again."""
    spoil, mend = _OBSTACLES[obstacle]
    corpus, folder = Corpus(tmp_path / "documents"), tmp_path / "library"
    corpus.add(20)
    with opened(folder) as library:
        library.add(corpus.folder)
        try:
            spoil(folder / name)
        except subprocess.CalledProcessError:
            pytest.skip("this file system has no immutable folders")
        try:
            corpus.add(10)
            corpus.change(10)
            with pytest.raises(LibraryStorageError, match=str(tmp_path)):
                library.add(corpus.folder)
            assert stored(library) == corpus.texts  # nothing of the text is lost
        finally:
            mend(folder / name)
        corpus.add(3)
        report = library.add(corpus.folder)
        assert (report.added, report.replaced, report.problems) == (3, 0, [])
        assert_sound(library)
        assert stored(library) == corpus.texts
    with opened(folder) as library:
        assert_sound(library)
        assert stored(library) == corpus.texts


@pytest.mark.parametrize("name", ["keyword", "vectors"])
def test_mended_by_opening_again(tmp_path: Path, name: str) -> None:
    """The session in which the index failed ends; the next one finds everything, without an `add`."""
    corpus, folder = Corpus(tmp_path / "documents"), tmp_path / "library"
    corpus.add(20)
    with opened(folder) as library:
        library.add(corpus.folder)
        _replace_by_file(folder / name)
        document = library.documents()[0]
        with pytest.raises(LibraryStorageError):
            library.remove([document.id])
    (folder / name).unlink()
    with opened(folder) as library:
        found = library.search("common", k=1000).evidence
        assert {item.document.id for item in found} == {item.id for item in library.documents()}
        assert document.id not in {item.id for item in library.documents()}
        assert_sound(library, but=("tree",))  # it follows with the next `add`, and doctor says so


@pytest.mark.parametrize("names", [("keyword",), ("vectors",), ("keyword", "vectors")])
def test_folder_deleted_in_a_session(tmp_path: Path, names: tuple[str, ...]) -> None:
    """Somebody tidies up while the library is open: what is added then is found, and what was there too."""
    corpus, folder = Corpus(tmp_path / "documents"), tmp_path / "library"
    corpus.add(20)
    with opened(folder) as library:
        library.add(corpus.folder)
        for name in names:
            shutil.rmtree(folder / name)
        corpus.add(10)
        corpus.change(5)
        library.add(corpus.folder)
        assert_sound(library)
        assert stored(library) == corpus.texts
    with opened(folder) as library:
        assert_sound(library)


_FULL = """
import subprocess
library, documents = sys.argv[1:]
index = Path(library) / "keyword"
def mount(options):
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", index], check=True)
index.mkdir(parents=True)
mount("size=60k")
with opened(library) as adding:
    try:
        adding.add(documents)
        say("added")
    except LibraryStorageError as error:
        say(f"LibraryStorageError: {error}")
    say(len(adding.documents()))
    mount("remount,size=20m")
    adding.add(documents)
    say(len(titles(adding, "common", mode="keyword")))
    say(len(titles(adding, "common", mode="vector")))
with opened(library) as again:
    say(len(titles(again, "common", mode="keyword")))
"""


@needs_mount
def test_keyword_index_on_a_full_disk(tmp_path: Path) -> None:
    """tantivy runs out of room in the middle of a commit, while SQLite has enough."""
    corpus = Corpus(tmp_path / "documents")
    corpus.add(300)
    told = run(_FULL, tmp_path / "library", corpus.folder, wrapper=UNSHARED)
    with opened(tmp_path / "reference") as library:
        library.add(corpus.folder)
        passages = library.counts()["default"].passages
    assert told[0].startswith("LibraryStorageError: ")
    assert int(told[1]) > 0  # what was to be committed is stored, if not yet found
    assert told[2:] == [str(min(passages, 1000))] * 3
