"""Which entry of a bibliography names which file, with the paths of other machines too. Pure: nothing is looked up on disk."""

import posixpath
import re
import unicodedata
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from urllib.parse import unquote

from scholarmind.model import BibEntry
from scholarmind.text.names import printable

_DRIVE = re.compile(r"^/*[A-Za-z]:(?=/)")
_SCHEME = re.compile(r"^file:(?://(?:localhost)?)?(?=/)", re.IGNORECASE)
_MOST_FOLDERS = 8


class Fit(IntEnum):
    """How much of a path agrees."""

    NONE = 0
    NAME = 1  # the file's name, which only one entry has
    END = 2  # the last folders too
    WHOLE = 3


class Attachments:
    """Every file that some entry names, under all the paths that this may mean."""

    def __init__(self, entries: Sequence[BibEntry]) -> None:
        self._whole: dict[str, list[int]] = {}
        self._ends: dict[str, list[int]] = {}
        self._names: dict[str, set[int]] = {}
        for place, entry in enumerate(entries):
            folder = posixpath.dirname(entry.document.origin)
            for named in dict.fromkeys(form for file in entry.files for form in _forms(file)):
                self._take(place, named, folder)

    def find(self, path: Path) -> tuple[list[int], Fit]:
        """Return the entries that name this file, and by how much of its path."""
        whole = _normal(printable(path))
        if found := self._whole.get(whole):
            return found, Fit.WHOLE
        parts = whole.strip("/").split("/")
        for length in range(min(len(parts), _MOST_FOLDERS), 1, -1):
            if found := self._ends.get("/".join(parts[-length:])):
                return found, Fit.END
        found = sorted(self._names.get(parts[-1].casefold(), ()))
        return (found, Fit.NAME) if len(found) == 1 else ([], Fit.NONE)

    def _take(self, place: int, named: str, folder: str) -> None:
        absolute = named.startswith("/")
        whole = named if absolute else _normal(f"{folder}/{named}")
        self._whole.setdefault(whole, []).append(place)
        parts = [part for part in named.split("/") if part not in {"", "..", "."}]
        for length in range(2, min(len(parts), _MOST_FOLDERS) + 1):
            if length == len(parts) or absolute:
                self._ends.setdefault("/".join(parts[-length:]), []).append(place)
        if parts:
            self._names.setdefault(parts[-1].casefold(), set()).add(place)


def _forms(file: str) -> Iterator[str]:
    """Yield the paths that the text may mean: as it stands, with %20 taken for a space, with the slashes of Windows turned."""
    for text in dict.fromkeys((file, unquote(file))):
        plain = _SCHEME.sub("", text.strip())
        turned = plain.replace("\\:", ":").replace("\\", "/")
        for path in dict.fromkeys((plain, _DRIVE.sub("", turned))):
            if path.strip("/.\\"):
                yield _normal(path)


def _normal(path: str) -> str:
    """Return the path with accents as single characters (macOS takes them apart), without '.', '..' and doubled slashes."""
    plain = posixpath.normpath(unicodedata.normalize("NFC", path))
    return plain[1:] if plain.startswith("//") else plain
