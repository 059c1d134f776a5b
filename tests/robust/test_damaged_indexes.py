"""Damage to what is derived is noticed and mended when the library is next opened."""

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from robustly import QUESTIONS, Corpus, assert_sound, differences, opened, rankings

from scholarmind.adapters.store.health import examine


def _flip(path: Path, place: int, bits: int = 0xFF) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= bits
    path.write_bytes(content)


def _exchange(path: Path) -> None:
    content = bytearray(path.read_bytes())
    place = next((n for n in range(4, len(content) - 1) if content[n] != content[n + 1]), 0)  # a sketch may be all ones
    content[place], content[place + 1] = content[place + 1], content[place]
    path.write_bytes(content)


# every kind of file there is (`test_every_kind_of_file_is_damaged` holds it)
_KEYWORD = (
    "*.del",
    "*.fast",
    "*.fieldnorm",
    "*.idx",
    "*.pos",
    "*.store",
    "*.term",
    "meta.json",
    ".managed.json",
    "checksums.json",
)
_VECTORS = ("*-data.bin", "*-sketch.bin", "*-rows.bin", "*-dead.bin", "head.json")
_KINDS = [("keyword", kind) for kind in _KEYWORD] + [("vectors", kind) for kind in _VECTORS]
_DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "halved": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "one byte flipped": lambda path: _flip(path, path.stat().st_size // 2),
    "two bytes exchanged": _exchange,  # as many bits are set as before
}
_GARBAGE = (
    b"garbage",
    b"{}",
    b"[]",
    b"null",
    b'"text"',
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"dimension": 64, "rows": 1e400, "generation": 0}',
    b'{"dimension": 64, "rows": 1000000000000000000000000, "generation": 0}',
    b'{"dimension": 64, "rows": -5, "generation": 0}',
    b'{"segments": [5], "meta.json": "text", "schema": {}}',
)


class Made(NamedTuple):
    """A library with a past, how its indexes were before its last changes, and what must be found in it."""

    folder: Path
    older: Path
    as_it_was: Any
    fresh: Any


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Make one that all tests of this file copy."""
    top = tmp_path_factory.mktemp("damaged")
    corpus, folder = Corpus(top / "documents"), top / "library"
    corpus.add(25)
    with opened(folder) as library:
        library.add(corpus.folder)
    shutil.copytree(folder, top / "older")
    corpus.change(6)
    corpus.remove(3)
    corpus.add(3)
    with opened(folder) as library:
        library.add(corpus.folder, prune=True)
        as_it_was = rankings(library, QUESTIONS[1:2])
    with opened(top / "fresh") as library:
        library.add(corpus.folder)
        fresh = rankings(library, QUESTIONS[1:2])
    return Made(folder, top / "older", as_it_was, fresh)


@pytest.fixture
def copies(made: Made, tmp_path: Path) -> Iterator[Callable[[], Path]]:
    """Give a new copy of the library for each call, in place of the last one."""
    folder = tmp_path / "library"

    def copy() -> Path:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(made.folder, folder)
        return folder

    return copy


def _wrong(folder: Path, made: Made) -> str:
    """Open, search and examine; return what is wrong, or ''."""
    with opened(folder) as library:
        found = rankings(library, QUESTIONS[1:2])
        # rebuilt, scores are those of a fresh library; kept, they are what they were
        wrong = differences(found, made.fresh) and differences(found, made.as_it_was)
        wrong += "".join(f"{check.name}: {check.seen}" for check in examine(library.store) if not check.ok)
    with opened(folder) as library:
        wrong += "".join(f"next time {check.name}: {check.seen}" for check in examine(library.store) if not check.ok)
    return wrong


def test_every_kind_of_file_is_damaged(made: Made) -> None:
    """No file of a derived index is without a test here, and none of the tests without a file."""
    for name, kinds in (("keyword", _KEYWORD), ("vectors", _VECTORS)):
        folder = made.folder / name
        found = {path for path in folder.iterdir() if not path.name.endswith(".lock")}
        assert found == {path for kind in kinds for path in folder.glob(kind)}
        assert all(list(folder.glob(kind)) for kind in kinds)


@pytest.mark.parametrize("damage", _DAMAGES)
@pytest.mark.parametrize(("index", "kind"), _KINDS)
def test_damaged_file(made: Made, copies: Callable[[], Path], index: str, kind: str, damage: str) -> None:
    """Each file of this kind in turn is damaged in this way, and then searches find what they should."""
    wrong = {}
    for number in range(len(list((made.folder / index).glob(kind)))):
        folder = copies()
        path = sorted((folder / index).glob(kind))[number]
        _DAMAGES[damage](path)
        wrong[path.name] = _wrong(folder, made)
    assert not any(wrong.values()), wrong


@pytest.mark.parametrize(("index", "kind"), [kind for kind in _KINDS if not kind[1].endswith(".json")])
def test_damage_is_noticed(made: Made, copies: Callable[[], Path], index: str, kind: str) -> None:
    """`examine` names the damaged index before anything mended it."""
    folder = copies()
    path = min((folder / index).glob(kind))
    _flip(path, path.stat().st_size // 2, 1)
    with opened(folder) as library:
        bad = {check.name for check in examine(library.store) if not check.ok}
    assert bad == {{"keyword": "keyword index", "vectors": "vector index"}[index]}


@pytest.mark.parametrize(("index", "name"), [kind for kind in _KINDS if kind[1].endswith(".json")])
def test_garbage_in_a_description(made: Made, copies: Callable[[], Path], index: str, name: str) -> None:
    """Whatever stands in these files, what is found stays right."""
    wrong = {}
    for garbage in _GARBAGE:
        folder = copies()
        (folder / index / name).write_bytes(garbage)
        wrong[garbage[:60]] = _wrong(folder, made)
    assert not any(wrong.values()), {key: value for key, value in wrong.items() if value}


@pytest.mark.parametrize(("index", "name"), [kind for kind in _KINDS if kind[1].endswith(".json")])
def test_one_bit_in_a_description(made: Made, copies: Callable[[], Path], index: str, name: str) -> None:
    """A single wrong bit turns one digit or letter into another, which may still be valid JSON."""
    size = (made.folder / index / name).stat().st_size
    wrong = {}
    for place in random.Random(5).sample(range(size), 6):
        folder = copies()
        _flip(folder / index / name, place, 1)
        wrong[place] = _wrong(folder, made)
    assert not any(wrong.values()), {key: value for key, value in wrong.items() if value}


@pytest.mark.parametrize("names", [("keyword",), ("vectors",), ("keyword", "vectors")])
def test_deleted_or_emptied_folder(made: Made, copies: Callable[[], Path], names: tuple[str, ...]) -> None:
    """Without its derived indexes the library makes them anew."""
    for empty in (False, True):
        folder = copies()
        for name in names:
            shutil.rmtree(folder / name)
            if empty:
                (folder / name).mkdir()
        assert _wrong(folder, made) == ""


@pytest.mark.parametrize("name", ["keyword", "vectors"])
def test_older_copy_of_a_folder(made: Made, copies: Callable[[], Path], name: str) -> None:
    """An index from before the last changes catches up: it finds the same, and nothing that was removed since."""
    folder = copies()
    shutil.rmtree(folder / name)
    shutil.copytree(made.older / name, folder / name)
    with opened(folder) as library:
        assert_sound(library)
        found = rankings(library, QUESTIONS[1:2])
    for key, wanted in made.as_it_was.items():
        assert found[key].keys() == wanted.keys()
    if name == "vectors":
        assert not differences(found, made.as_it_was)


def test_older_copy_of_single_files(made: Made, copies: Callable[[], Path]) -> None:
    """A restore of a few files mixes two times in one index."""
    for name in ("keyword/meta.json", "keyword/checksums.json", "keyword/.managed.json", "vectors/head.json"):
        folder = copies()
        shutil.copy(made.older / name, folder / name)
        with opened(folder) as library:
            assert_sound(library)
