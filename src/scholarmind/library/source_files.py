"""Files that a user means by paths, folders and patterns: find them, notice that they change, and tell which are gone.

Changes are noticed by looking: that works on every disk, a network's too, and needs nothing. What came from a folder that looks like a
drive that is not mounted is not gone, so that a prune does not take it away. What files hold is in `file_reading`.
"""

import asyncio
import fnmatch
import glob
import os
import re
import stat
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from os.path import lexists
from pathlib import Path
from typing import Literal, TypeVar

from scholarmind.errors import LibraryLockedError
from scholarmind.library_ports import Known
from scholarmind.model import Problem
from scholarmind.text.untrusted import printable

# -- finding


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFiles:
    """What was found: files in order, what was asked for, what cannot be read (and is not gone for that), what was passed over.

    `bases` are the folders that what was asked for is in, `mounts` those in them where another disk begins.
    """

    files: tuple[Path, ...]
    places: tuple[re.Pattern[str], ...]
    bases: tuple[Path, ...]
    mounts: tuple[Path, ...]
    unreadable: tuple[Path, ...]
    problems: tuple[Problem, ...]
    ignored: int

    def lost(self, origin: str) -> bool:
        """Tell whether a file that was not found belongs to what was asked for, so that it must be gone."""
        hidden = any(origin == str(path) or origin.startswith(f"{path}/") for path in map(printable, self.unreadable))
        return not hidden and any(place.fullmatch(origin) for place in self.places)


def find_files(paths: Iterable[str | Path], suffixes: Collection[str], *, follow_links: bool = False) -> FoundFiles:
    """Resolve files, folders and patterns such as `notes/**/*.md`.

    A link that is given is followed. One that is found is followed, once, where it leads inside the folder that was given, and
    with `follow_links` anywhere.
    """
    walk = _FolderWalk(suffixes, follow_links)
    for given in paths:
        path = _absolute(given)
        if not os.path.lexists(path) and glob.has_magic(str(given)):
            walk.pattern(path)
        else:
            walk.place(path, given)
    return FoundFiles(
        files=tuple(walk.files),
        places=tuple(walk.places),
        bases=tuple(dict.fromkeys(walk.bases)),
        mounts=tuple(walk.mounts),
        unreadable=tuple(walk.unreadable),
        problems=tuple(walk.problems),
        ignored=walk.ignored,
    )


@dataclass
class _FolderWalk:
    """What has been found so far."""

    suffixes: Collection[str]
    follow_links: bool
    files: dict[Path, None] = field(default_factory=dict[Path, None])
    places: list[re.Pattern[str]] = field(default_factory=list[re.Pattern[str]])
    bases: list[Path] = field(default_factory=list[Path])
    mounts: list[Path] = field(default_factory=list[Path])
    unreadable: list[Path] = field(default_factory=list[Path])
    problems: list[Problem] = field(default_factory=list[Problem])
    walked: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    ignored: int = 0

    def place(self, path: Path, given: str | Path) -> None:
        """Take a file or folder that was named."""
        self.places.append(re.compile(f"{re.escape(printable(path))}(?:/.*)?", re.DOTALL))
        self.bases.append(path)
        if _is_folder(path):
            self.folder(path)
        elif os.path.lexists(path):
            self.file(path)
        else:
            self.report(given, "there is no such file or folder", "check the path")

    def pattern(self, path: Path) -> None:
        """Take what a pattern matches; folders whole."""
        before = len(self.files) + self.ignored + len(self.unreadable)
        self.places.append(_as_expression(path))
        self.bases.append(_base_of(path))
        self.match(Path(path.anchor), path.parts[1:], set())
        if len(self.files) + self.ignored + len(self.unreadable) == before and not self._had_all(path):
            self.report(path, "no file matches the pattern", "check the pattern, and quote it")

    def match(self, folder: Path, segments: tuple[str, ...], seen: set[tuple[int, int]]) -> None:
        """Follow a pattern one name at a time, each folder once."""
        if not segments:
            self.anything(folder)
        elif segments[0] == "**":
            self.match_at_any_depth(folder, segments, seen)
        elif not glob.has_magic(segments[0]):
            path = folder / segments[0]
            # before the first star the user names folders himself, links too
            if os.path.lexists(path) and (_is_within(self.bases[-1], path) or not self.leads_out(path)):
                self.match(path, segments[1:], seen)
        elif _is_folder(folder):
            for entry in self.entries(folder):
                path = Path(entry.path)
                passes = fnmatch.fnmatchcase(entry.name, segments[0])
                if passes and not (segments[1:] and _is_folder(path) and self.leads_out(path)):
                    self.match(path, segments[1:], seen)

    def match_at_any_depth(self, folder: Path, segments: tuple[str, ...], seen: set[tuple[int, int]]) -> None:
        """Follow `**`: the rest of the pattern here, and all of it in every folder below."""
        key = _folder_identity(folder)
        if key is None or key in seen:
            return
        seen.add(key)
        self.match(folder, segments[1:], set())
        for entry in self.entries(folder):
            if _is_folder(Path(entry.path)) and not self.leads_out(Path(entry.path)):
                self.match(Path(entry.path), segments, seen)

    def anything(self, path: Path) -> None:
        """Take a folder whole, or a file if there is a reader for it; nothing behind a link that leads out."""
        is_folder = _is_folder(path)
        if not is_folder and path.suffix.lower() not in self.suffixes:
            self.ignored += 1
        elif self.leads_out(path):
            return
        elif is_folder:
            self.folder(path)
        else:
            self.file(path)

    def leads_out(self, path: Path) -> bool:
        """Tell whether this is a link out of the folder that was given, and report it."""
        base = self.bases[-1]
        if self.follow_links or not _leads_out(path, base):
            return False
        if path not in self.unreadable:
            self.unreadable.append(path)  # what was read behind it before is not gone
            self.report(
                path,
                f"it is a link out of {printable(base)!r}, to {printable(Path(os.path.realpath(path)))!r}: left out",
                "add what it leads to by its own path, or say --follow-links (follow_links = true)",
            )
        return True

    def folder(self, folder: Path) -> None:
        """Take everything below a folder that was not walked yet."""
        key = _folder_identity(folder)
        if key is None or key in self.walked:  # a link back, or the folder given twice
            return
        self.walked.add(key)
        if os.path.ismount(folder):
            self.mounts.append(folder)
        for entry in self.entries(folder):
            self.anything(Path(entry.path))

    def entries(self, folder: Path) -> list["os.DirEntry[str]"]:
        """Return what is in a folder, by name, without hidden names."""
        try:
            with os.scandir(folder) as found:
                return sorted(
                    (entry for entry in found if not entry.name.startswith(".")), key=lambda entry: entry.name
                )
        except OSError as error:
            self.unreadable.append(folder)
            self.report(folder, f"cannot be listed: {error.strerror}", "check who may read it")
            return []

    def file(self, path: Path) -> None:
        """Take one file, if it is one that can be read."""
        for reason, advice in _objections(path, self.suffixes):
            self.unreadable.append(path)
            self.report(path, reason, advice)
            return
        self.files[path] = None

    def report(self, where: str | Path, reason: str, advice: str) -> None:
        """Note what cannot be used."""
        self.problems.append(Problem(where=printable(Path(where)), reason=reason, advice=advice))

    def _had_all(self, path: Path) -> bool:
        expression = _as_expression(path)
        return any(expression.fullmatch(printable(file)) for file in self.files)


def _leads_out(path: Path, base: Path) -> bool:
    """Tell whether this is a link to something that is not in the base folder. A loop of links leads nowhere."""
    if not os.path.islink(path):  # noqa: PTH114  (unlike Path.is_symlink, it raises for nothing)
        return False
    return not _is_within(Path(os.path.realpath(path)), Path(os.path.realpath(base)))


def _base_of(pattern: Path) -> Path:
    """Return the folder that everything is in that the pattern matches."""
    while glob.has_magic(str(pattern)):
        pattern = pattern.parent
    return pattern


def _absolute(given: str | Path) -> Path:
    """Return the path in full, the home folder of `~` spelled out; links stay."""
    path = Path(given)
    if not os.path.lexists(path):
        with suppress(RuntimeError):  # ~name of nobody: a name like any other
            path = path.expanduser()
    return Path(os.path.abspath(path))  # noqa: PTH100  (resolve() would follow links)


def _is_within(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112  (unlike Path.is_dir, it raises for nothing)


def _folder_identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _objections(path: Path, suffixes: Collection[str]) -> Iterator[tuple[str, str]]:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        yield f"cannot be opened: {error.strerror}", "check the link and who may read it"
        return
    if not stat.S_ISREG(mode):
        yield "is not a plain file", "give files or folders"
    elif path.suffix.lower() not in suffixes:
        yield (
            f"there is no reader for {path.suffix or 'a name without suffix'!r}",
            f"known: {' '.join(sorted(suffixes))}",
        )


def _as_expression(pattern: Path) -> re.Pattern[str]:
    """Return what the pattern matches, and everything below that."""
    *folders, last = printable(pattern).split("/")
    before = "".join("(?:[^/]+/)*" if segment == "**" else f"{_segment(segment)}/" for segment in folders)
    return re.compile(before + (".*" if last == "**" else f"{_segment(last)}(?:/.*)?"), re.DOTALL)


def _segment(segment: str) -> str:
    # within one name, a star does not reach over a slash
    return fnmatch.translate(segment).removeprefix("(?s:").removesuffix(r")\Z").replace(".*", "[^/]*")


# -- pruning: what it may take away

Prune = bool | Literal["really"]  # really: also where a whole folder is missing, empty, or nearly so
_MANY_FILES = 10
_FEW_LEFT = 0.1
_ADVICE = "mount or restore it, and add it again; if they are to go all the same, say --prune --really (prune='really')"


@dataclass(frozen=True, slots=True)
class Guard:
    """Tells which files are gone, and keeps what came from the folders that it suspects."""

    asked: Callable[[str], bool]  # whether a file that was not found belongs to what was asked for
    suspects: tuple[tuple[str, str], ...] = ()  # folders, and what is wrong with them
    gone: frozenset[str] = frozenset()

    def lost(self, origin: str) -> bool:
        """Tell whether what came from this file may be taken away, if the file was not found."""
        return self.asked(origin) and self._suspect(origin) is None

    def kept(self, origins: Iterable[str]) -> list[tuple[Problem, int]]:
        """Return for each suspect why what came from it is kept, and how many of these documents there are."""
        count = Counter(place for origin in origins if origin in self.gone and (place := self._suspect(origin)))
        return [(_problem(folder, reason, count[folder, reason]), count[folder, reason]) for folder, reason in count]

    def _suspect(self, origin: str) -> tuple[str, str] | None:
        return next((place for place in self.suspects if _is_in(origin, place[0])), None)


def guard_of(
    places: Sequence[FoundFiles], asked: Callable[[str], bool], known: Known, mounts: Collection[str], prune: Prune
) -> Guard:
    """Look at the folders of every known file that was asked for and not found. `mounts` are folders where a disk was mounted before."""
    if prune == "really":
        return Guard(asked)
    found = {printable(path) for files in places for path in files.files}
    origins = {*known.sources, *(origin for _, origin in known.documents.values())}
    gone = frozenset(origin for origin in origins - found if asked(origin) and not lexists(origin))
    suspects: dict[str, str] = {}
    bases = dict.fromkeys(base for files in places for base in files.bases)
    for base in bases if gone else ():
        name = printable(base)
        missing = [origin for origin in gone if _is_in(origin, name)]
        for folder in dict.fromkeys(folder for origin in missing for folder in _folders(origin, base, name)):
            if reason := _unmounted(folder, is_base=folder == base, was_mount=printable(folder) in mounts):
                suspects.setdefault(printable(folder), reason)
        before = sum(_is_in(origin, name) for origin in origins)
        left = sum(_is_in(origin, name) for origin in found | (origins - gone))
        if len(missing) >= _MANY_FILES and left < _FEW_LEFT * before:
            suspects.setdefault(name, f"{len(missing):,} of its {before:,} files are gone")
    return Guard(asked, tuple(suspects.items()), gone)


def _folders(origin: str, base: Path, name: str) -> Iterable[Path]:
    """Return the folders that a file was in, from the base on; a base that was itself the file stands for its folder."""
    if origin == name:
        return (base.parent,)
    inner = Path(origin).parent.relative_to(name).parts
    return (base, *(base.joinpath(*inner[: depth + 1]) for depth in range(len(inner))))


def _unmounted(folder: Path, *, is_base: bool, was_mount: bool) -> str:
    """Return why a folder looks as if its drive were not there, or ''. One that was asked for, or was a drive, may not be missing."""
    try:
        with os.scandir(folder) as entries:
            return "" if any(not entry.name.startswith(".") for entry in entries) else "it is empty"
    except (FileNotFoundError, NotADirectoryError):
        return "it is missing" if is_base or was_mount else ""
    except OSError as error:
        return f"it cannot be listed ({error.strerror})"


def _is_in(origin: str, folder: str) -> bool:
    return origin == folder or origin.startswith(f"{folder.rstrip('/')}/")


def _problem(folder: str, reason: str, count: int) -> Problem:
    documents = "1 document is" if count == 1 else f"{count:,} documents are"
    return Problem(where=folder, reason=f"{reason}, as where a drive is not mounted; {documents} kept", advice=_ADVICE)


# -- watching

T = TypeVar("T")
_LIBRARY = "library.db"
_States = dict[str, tuple[int, int]]


async def changes(paths: Sequence[str | Path], every: float, *, follow_links: bool = False) -> AsyncIterator[None]:
    """Yield at once, and again whenever something changed and then stayed as it is for one look: nobody is writing any more."""
    told: _States | None = None
    before: _States | None = None
    while True:
        now = await asyncio.to_thread(_look, paths, follow_links)
        if now != told and (told is None or now == before):
            told = now
            yield
        before = now
        await asyncio.sleep(every)


async def when_free(adding: Callable[[], Awaitable[T]], every: float) -> T:
    """Return what this brings, as soon as nobody else writes to the library."""
    while True:
        try:
            return await adding()
        except LibraryLockedError:
            await asyncio.sleep(every)


def _look(paths: Sequence[str | Path], follow_links: bool) -> _States:
    """Return size and time of every file below these places; the folder of a pattern stands for it."""
    states: _States = {}
    for given in paths:
        path = _absolute(given)
        for entry in _files(path if lexists(path) else _base_of(path), follow_links=follow_links):
            try:
                status = entry.stat()
            except OSError:  # gone this moment
                continue
            states[str(entry)] = (status.st_size, status.st_mtime_ns)
    return states


def _files(path: Path, *, follow_links: bool) -> Iterator[Path]:
    """Yield what is below a place, links followed once and not out of it, as `add` does."""
    if not os.path.isdir(path):  # noqa: PTH112  (unlike Path.is_dir, it raises for nothing)
        yield path
        return
    walked: set[tuple[int, int]] = set()
    for folder, folders, names in os.walk(path, followlinks=True):
        key = _file_identity(folder)
        if key is None or key in walked:  # gone this moment, or a link back
            folders.clear()
            continue
        walked.add(key)
        if _LIBRARY in names and folder != str(path):  # what an `add` writes there is no news
            folders.clear()
            continue
        inside = {name for name in (*folders, *names) if follow_links or not _leads_out(Path(folder, name), path)}
        folders[:] = [name for name in folders if not name.startswith(".") and name in inside]
        yield from (Path(folder, name) for name in names if not name.startswith(".") and name in inside)


def _file_identity(folder: str) -> tuple[int, int] | None:
    try:
        status = Path(folder).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
