"""Find the files that a user means by paths, folders and patterns."""

import glob
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from scholarmind.model import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """What was found: files in order, places asked for (files or folders), what cannot be read, how many were passed over."""

    files: tuple[Path, ...]
    roots: tuple[Path, ...]
    problems: tuple[Problem, ...]
    ignored: int


@dataclass
class _Walk:
    suffixes: Collection[str]
    files: dict[Path, None] = field(default_factory=dict[Path, None])
    roots: list[Path] = field(default_factory=list[Path])
    problems: list[Problem] = field(default_factory=list[Problem])
    visited: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    ignored: int = 0


def find_files(paths: Iterable[str | Path], suffixes: Collection[str]) -> Files:
    """Resolve files, folders (walked, links followed once) and patterns such as `notes/**/*.md`."""
    walk = _Walk(suffixes)
    for given in paths:
        path = Path(os.path.abspath(Path(given).expanduser()))  # noqa: PTH100  (resolve() would follow links)
        if path.is_dir():
            walk.roots.append(path)
            _walk_folder(path, walk)
        elif path.exists() or path.is_symlink():
            walk.roots.append(path)
            _take_file(path, walk)
        elif glob.has_magic(str(given)):
            _walk_pattern(path, walk)
        else:
            walk.roots.append(path)  # a file that is gone can still be pruned
            walk.problems.append(
                Problem(where=str(given), reason="there is no such file or folder", advice="check the path")
            )
    return Files(files=tuple(walk.files), roots=tuple(walk.roots), problems=tuple(walk.problems), ignored=walk.ignored)


def _walk_pattern(pattern: Path, walk: _Walk) -> None:
    matches = sorted(glob.glob(str(pattern), recursive=True))  # noqa: PTH207  (absolute patterns)
    if not matches:
        walk.problems.append(
            Problem(where=str(pattern), reason="no file matches the pattern", advice="check the pattern, and quote it")
        )
    for match in matches:
        path = Path(match)
        walk.roots.append(path)
        if path.is_dir():
            _walk_folder(path, walk)
        else:
            _take_known(path, walk)


def _walk_folder(folder: Path, walk: _Walk) -> None:
    try:
        status = folder.stat()
        if (status.st_dev, status.st_ino) in walk.visited:  # a link back, or the folder given twice
            return
        walk.visited.add((status.st_dev, status.st_ino))
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        walk.problems.append(
            Problem(where=str(folder), reason=f"cannot be listed: {error.strerror}", advice="check who may read it")
        )
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            _walk_folder(Path(entry.path), walk)
        else:
            _take_known(Path(entry.path), walk)


def _take_known(path: Path, walk: _Walk) -> None:
    if path.suffix.lower() in walk.suffixes:
        _take_file(path, walk)
    else:
        walk.ignored += 1


def _take_file(path: Path, walk: _Walk) -> None:
    for problem in _objections(path, walk.suffixes):
        walk.problems.append(problem)
        return
    walk.files[path] = None


def _objections(path: Path, suffixes: Collection[str]) -> Iterator[Problem]:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        yield Problem(
            where=str(path), reason=f"cannot be opened: {error.strerror}", advice="check the link and who may read it"
        )
        return
    if not stat.S_ISREG(mode):
        yield Problem(where=str(path), reason="is not a plain file", advice="give files or folders")
    elif path.suffix.lower() not in suffixes:
        known = " ".join(sorted(suffixes))
        yield Problem(
            where=str(path),
            reason=f"there is no reader for {path.suffix or 'a name without suffix'!r}",
            advice=f"known: {known}",
        )
