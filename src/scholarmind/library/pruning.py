"""What a prune may take away: not what came from a folder that looks like a drive that is not mounted."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from os.path import lexists
from pathlib import Path
from typing import Literal

from scholarmind.library.files import Files
from scholarmind.library_ports import Known
from scholarmind.model import Problem
from scholarmind.text.names import printable

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
    places: Sequence[Files], asked: Callable[[str], bool], known: Known, mounts: Collection[str], prune: Prune
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
