"""The files that an entry names, as Zotero, JabRef, Mendeley, BibDesk and EndNote write them, to plain paths."""

import base64
import binascii
import plistlib
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, cast
from urllib.parse import unquote

from scholarmind.adapters.readers.bibliography.latex import accented

_MOST_FILES = 50
_LONGEST = 4_000
_LONGEST_FIELD = 200_000
_PATH_FIELDS = ("file", "pdf", "localfile", "local-url")
_BIBDESK = re.compile(r"bdsk-file-\d+")
_LATEX_SIGN = re.compile(r"\{\\([_&%#$~^])(?:\{\})?\}|\\([_&%#$])|\{\\textasciitilde\}|\\textasciitilde\{\}")
_ESCAPE_OR_BORDER = re.compile(r"\\([\\:;])|([:;])")
_RAW_WINDOWS = re.compile(r"(?:^|[:;])(?:[A-Za-z]:\\(?!\\)|\\\\(?!\\))[^:;]*")  # backslashes that nobody escaped
_RAW_DRIVE = re.compile(r"[A-Za-z]:\\(?![\\:;])")
_LATEX_LETTER = re.compile(r"\\[\"'`^=.A-Za-z]")
_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+|[A-Za-z0-9+ -]{0,12}")
_LONE_DRIVE = re.compile(r"[A-Za-z]")
_DRIVE = re.compile(r"^/?[A-Za-z]:(?=[\\/])")
_SCHEME = re.compile(r"^(?:file:(?://(?:localhost)?(?=/))?|internal-pdf://)", re.IGNORECASE)
_WEB = re.compile(r"^(?:https?|ftp|doi|zotero)(?::|$)", re.IGNORECASE)


def files_of(fields: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths in the fields of an entry, each as its program wrote it."""
    found: list[str] = []
    for name in _PATH_FIELDS:
        if value := fields.get(name, "")[:_LONGEST_FIELD]:
            found += islice(_listed(value), _MOST_FILES)
    for name, value in fields.items():
        if _BIBDESK.fullmatch(name):
            found += _bookmarked(value)
    paths = (plain_path(path) for path in found)
    return tuple(dict.fromkeys(path for path in paths if path))[:_MOST_FILES]


def plain_path(path: str) -> str:
    """Return a path with forward slashes, without a drive or scheme in front; '' for an address on the web."""
    path = path.strip().strip('"')[:_LONGEST]
    if _WEB.match(path):
        return ""
    shorter = _SCHEME.sub("", path)
    path = unquote(shorter) if shorter != path and "%" in shorter else shorter
    return _DRIVE.sub("", path).replace("\\", "/")


def _listed(value: str) -> Iterator[str]:
    """Yield the path of each item. Items stand between semicolons, and are a path, or a description, a path and a type between colons."""
    value = value.replace(r"$\backslash$", "\\").replace(r"\textbackslash{}", "\\").replace(r"{\textbackslash}", "\\")
    if _RAW_WINDOWS.match(value) or (_RAW_DRIVE.search(value) and r"\\" not in value):
        value = value.replace("\\", "/")
    else:
        value = _LATEX_SIGN.sub(lambda found: found[1] or found[2] or "~", value)
        value = accented(value) if _LATEX_LETTER.search(value) else value
    for parts in _items(value.replace("{", "").replace("}", "")):
        if path := _path(parts):
            yield path


def _items(value: str) -> Iterator[list[str]]:
    """Yield the parts of each item, without the backslashes that keep colons and semicolons from being borders."""
    parts, begin = [""], 0
    for mark in _ESCAPE_OR_BORDER.finditer(value):
        parts[-1] += value[begin : mark.start()] + (mark[1] or "")
        begin = mark.end()
        if mark[2] == ":":
            parts.append("")
        elif mark[2] == ";":
            yield parts
            parts = [""]
    parts[-1] += value[begin:]
    yield parts


def _path(parts: list[str]) -> str:
    is_name = len(parts) == 2 and parts[1].startswith(" ")  # "Title: subtitle.pdf"
    parts = [":".join(parts)] if is_name else _with_drives([part.strip() for part in parts])
    if len(parts) == 1:
        return parts[0]
    typed = bool(_TYPE.fullmatch(parts[-1])) and (len(parts) > 2 or "." not in parts[-1])
    if len(parts) == 2:
        first, last = parts
        return first if typed and first else last
    middle = parts[1:-1] if typed else parts[1:]
    return ":".join(middle) if any(middle) else parts[0]


def _with_drives(parts: list[str]) -> list[str]:
    """Put `C` and `/Users/...` together again, and the `file` and `http` of an address with what follows it."""
    joined: list[str] = []
    for part in parts:
        before = joined[-1] if joined else ""
        is_drive = bool(_LONE_DRIVE.fullmatch(before)) and part.startswith(("/", "\\"))
        if is_drive or (before.casefold() in {"http", "https", "file", "ftp", "internal-pdf"} and part.startswith("/")):
            joined[-1] = f"{before}:{part}"
        else:
            joined.append(part)
    return joined


def _bookmarked(value: str) -> Iterator[str]:
    """Yield the relative path in what BibDesk keeps: a property list, in base64, perhaps as an archive of objects."""
    try:
        content = base64.b64decode("".join(value.split())[:_LONGEST_FIELD], validate=True)
        known: Any = plistlib.loads(content, fmt=plistlib.FMT_BINARY)
    except (plistlib.InvalidFileException, binascii.Error, ValueError, OverflowError, RecursionError, MemoryError):
        return
    if not isinstance(known, dict):
        return
    fields = cast("dict[str, Any]", known)
    path: Any = fields.get("relativePath")
    if isinstance(path, str):
        yield path
    objects: Any = fields.get("$objects")
    for item in cast("list[Any]", objects) if isinstance(objects, list) else []:
        if isinstance(item, str) and "/" in item + "/" and re.search(r"\.\w{2,5}$", item) and not item.startswith("$"):
            yield item
