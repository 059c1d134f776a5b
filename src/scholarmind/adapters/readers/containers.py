"""Zip containers, packages of Office and XML that nobody vouches for: what is read of them stays within bounds.

What is in an archive is taken out by name, never written anywhere. Of XML nothing is fetched, nothing multiplies, nothing is nested
without end."""

import importlib
import posixpath
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from scholarmind.errors import ReadError
from scholarmind.model import Fact, Problem

# -- Zip

_MOST_ENTRIES = 10_000
_LONGEST_DIRECTORY = 50_000_000  # bytes of the list of entries; beyond, the list itself would fill the memory
_UNPACKED = 4  # times the limit of the file, for all that is taken out of it
_RATIO = 200
_FREE = 1_000_000  # bytes of an entry that may be packed as tightly as they are
_PIECE = 1 << 16
_END = b"PK\x05\x06"
_END_64 = b"PK\x06\x06"
_LONGEST_END = (1 << 16) + 22 + 56 + 20
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})  # the others unpack in pieces of any size
_DRIVE = re.compile(r"[A-Za-z]:")
_ENCRYPTED = 0x1
_UNICODE = 0x800
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error, ValueError, OverflowError)


class Archive:
    """An open zip file. `ignored` says which of its entries cannot be had, and why. An archive in it is a file like any other."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        """Open the file; `max_bytes` is the limit of the file itself, and a quarter of what may be taken out of it."""
        self._left = _UNPACKED * max_bytes
        self._limit = self._left
        self._taken: dict[str, int] = {}
        self._zip = _opened(path, max_bytes)
        self._entries: dict[str, zipfile.ZipInfo] = {}
        self.ignored: list[tuple[str, str]] = []
        if len(self._zip.infolist()) > _MOST_ENTRIES:
            self._zip.close()
            raise _crowded(f"it has {len(self._zip.infolist()):,} entries, the limit is {_MOST_ENTRIES:,}")
        for entry in self._zip.infolist():
            self._list(entry)

    def __enter__(self) -> Self:
        """Return the archive itself; it is closed at the end."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the file."""
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        """Tell whether there is a file of this name."""
        return name in self._entries

    def names(self) -> list[str]:
        """Return the names of all files in it, with `/` between folders, in the order of the archive."""
        return list(self._entries)

    def read(self, name: str) -> bytes:
        """Return what is in a file. Declared sizes lie: what counts is what comes out."""
        entry = self._entries.get(name)
        if entry is None:
            raise ReadError(f"there is no {name!r} in it", "the file may be incomplete; save or download it again")
        if entry.flag_bits & _ENCRYPTED:
            raise ReadError(f"{name!r} in it is encrypted", "remove the password, and add it again")
        if entry.compress_type not in _METHODS:
            raise ReadError(
                f"{name!r} in it is packed with method {entry.compress_type}",
                "zip it again in the ordinary way (deflate)",
            )
        pieces: list[bytes] = []
        size = 0
        self._left += self._taken.pop(name, 0)  # what is read twice counts once
        for piece in self._pieces(entry, name):
            size += len(piece)
            self._check(entry, name, size)
            pieces.append(piece)
        self._taken[name] = size
        self._left -= size
        return b"".join(pieces)

    def _list(self, entry: zipfile.ZipInfo) -> None:
        name = _name(entry)
        if name.endswith("/"):
            return
        # why an entry is not listed, or ''
        if name.startswith("/") or _DRIVE.match(name):
            reason = "its name is an absolute path"
        elif ".." in name.split("/"):
            reason = "its name leads out of the archive"
        elif not name or any(ord(letter) < 32 for letter in name):
            reason = "its name is empty or has control characters"
        elif stat.S_ISLNK(entry.external_attr >> 16):
            reason = "it is a link"
        else:
            reason = ""
        if reason:
            self.ignored.append((name, reason))
            return
        if name in self._entries:
            self.ignored.append((name, "it is there twice; the last one is used"))
        self._entries[name] = entry

    def _pieces(self, entry: zipfile.ZipInfo, name: str) -> Iterator[bytes]:
        try:
            with self._zip.open(entry) as file:
                while piece := file.read(_PIECE):
                    yield piece
        except _DAMAGE as error:
            raise ReadError(
                f"{name!r} in it is damaged: {error}", "save or download it again; `unzip -t` shows what is wrong"
            ) from error
        except OSError as error:
            raise ReadError(f"{name!r} in it cannot be read: {error.strerror}", "check the disk") from error

    def _check(self, entry: zipfile.ZipInfo, name: str, size: int) -> None:
        if size > _FREE and size > _RATIO * max(1, entry.compress_size):
            raise ReadError(
                f"{name!r} in it unpacks to more than {_RATIO} times its size",
                "leave it out if you do not know where it is from; otherwise unpack it, and add what is in it",
            )
        if size > self._left:
            raise ReadError(
                f"what is in it has more than {self._limit / 1e6:,.0f} MB",
                "split it, or raise the limit with SCHOLARMIND_MAX_FILE_MEGABYTES",
            )


def _opened(path: Path, max_bytes: int) -> zipfile.ZipFile:
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise ReadError(
                f"it has {size / 1e6:,.0f} MB, the limit is {max_bytes / 1e6:,.0f} MB",
                "split it, or raise the limit with SCHOLARMIND_MAX_FILE_MEGABYTES",
            )
        if size == 0:
            raise ReadError("it is empty", "nothing to do, unless it should not be")
        with path.open("rb") as file:
            file.seek(max(0, size - _LONGEST_END))
            tail = file.read()
        length = _directory_of(tail)
        if length > _LONGEST_DIRECTORY:
            raise _crowded(f"its list of entries has {length / 1e6:,.0f} MB")
        return zipfile.ZipFile(path)
    except _DAMAGE as error:
        raise ReadError(
            f"it is not a zip file, or a damaged one: {error}",
            "it may have the wrong suffix, or be cut off; save or download it again",
        ) from error
    except OSError as error:
        raise ReadError(f"it cannot be read: {error.strerror}", "check who may read it") from error


def _directory_of(tail: bytes) -> int:
    """Return the largest size that the end of the file gives for its list of entries, which is read at once when it is opened."""
    at, at_64 = tail.rfind(_END), tail.rfind(_END_64)
    lengths = [struct.unpack_from("<L", tail, at + 12)[0]] if 0 <= at <= len(tail) - 22 else []
    if 0 <= at_64 <= len(tail) - 56:
        lengths.append(struct.unpack_from("<Q", tail, at_64 + 40)[0])
    known = [length for length in lengths if length != 0xFFFFFFFF]  # the sign for "see the larger record"
    return max(known, default=0)


def _name(entry: zipfile.ZipInfo) -> str:
    name = entry.filename.replace("\\", "/")
    if entry.flag_bits & _UNICODE:
        return name
    try:
        return name.encode("cp437").decode("utf-8")  # macOS writes UTF-8 and does not say so
    except UnicodeError:
        return name


def _crowded(reason: str) -> ReadError:
    return ReadError(reason, "unpack it, and add the files that matter")


# -- XML

_OF_PROGRAMMERS = re.compile(r",? (?:use|try|see) xml\w+(?: option)?\.?|\(<string>.*", re.IGNORECASE)
_ADVICE = "save it again with the program that made it, or leave it out"


def etree() -> Any:
    """Return lxml's module: compiled, without types, and 20 ms to load."""
    return importlib.import_module("lxml.etree")


def parse_xml(content: bytes) -> Any:
    """Return the root element of a well-formed document; comments and processing instructions are left out."""
    lxml = etree()
    # libxml2 itself stops at 256 levels, at 10 MB in one text, and where entities multiply
    parser = lxml.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = lxml.fromstring(content, parser)
    except (lxml.XMLSyntaxError, ValueError) as error:
        raise ReadError(f"its XML is broken: {_told(error)}", _ADVICE) from error
    if root is None:
        raise ReadError("its XML is empty", _ADVICE)
    info = root.getroottree().docinfo
    if info.internalDTD is not None and any(True for _ in info.internalDTD.iterentities()):
        raise ReadError("its XML declares entities, which can multiply without end", _ADVICE)
    return root


def _told(error: BaseException) -> str:
    return _OF_PROGRAMMERS.sub("", str(error).split("\n", 1)[0]).strip(" ,")[:200]


# -- what Word, PowerPoint and Excel files have in common: parts in an archive, relations between them, and properties

_RELATIONS = "_rels/{}.rels"
_LINKS = ("/hyperlink",)  # the one thing outside that a document may well name
_PROPERTIES = "docProps/core.xml"
_SURE = 0.6
_YEAR = re.compile(r"(?<!\d)(?:1[0-9]{3}|20\d\d)(?!\d)")
_NO_TITLE = re.compile(
    r"(?:microsoft word - |powerpoint|untitled|document\d*$|presentation\d*$|book\d*$)", re.IGNORECASE
)
_NO_AUTHOR = re.compile(
    r"(?:microsoft|user|admin|administrator|owner|author|python-docx|openpyxl|.*@.*|\W*)$", re.IGNORECASE
)


def local(element: Any) -> str:
    """Return the name of an element without its namespace."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Any, name: str, default: str = "") -> str:
    """Return an attribute by its name without the namespace."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return default


def children(element: Any, *names: str) -> Iterator[Any]:
    """Yield the child elements of these names."""
    return (child for child in element if local(child) in names)


def first(element: Any, name: str) -> Any | None:
    """Return the first child of this name."""
    return next(children(element, name), None)


def relations(archive: Archive, part: str) -> dict[str, tuple[str, str]]:
    """Return kind and target by id of what a part refers to within the file."""
    folder, name = posixpath.split(part)
    listed = posixpath.join(folder, _RELATIONS.format(name))
    if listed not in archive:
        return {}
    return {
        attribute(item, "Id"): (attribute(item, "Type"), _target(folder, attribute(item, "Target")))
        for item in parse_xml(archive.read(listed))
        if attribute(item, "TargetMode") != "External"
    }


def main_part(archive: Archive, usual: str) -> str:
    """Return the name of the part that the file is about."""
    if usual in archive:
        return usual
    return next((target for kind, target in relations(archive, "").values() if kind.endswith("/officeDocument")), usual)


def facts_of(archive: Archive) -> Iterator[Fact]:
    """Yield what the properties say; programs fill some of them with nothing of worth."""
    if _PROPERTIES not in archive:
        return
    told = {local(item): (item.text or "").strip() for item in parse_xml(archive.read(_PROPERTIES))}
    title, creator = told.get("title", ""), told.get("creator", "")
    if title and not _NO_TITLE.match(title):
        yield Fact(field="title", value=title, source="document properties", sure=_SURE)
    authors = tuple(
        name.strip() for name in re.split(r"[;；]|\s+and\s+", creator) if not _NO_AUTHOR.match(name.strip())
    )
    if authors:
        yield Fact(field="authors", value=authors, source="document properties", sure=_SURE)
    year = _YEAR.search(told.get("created", ""))
    if year:
        yield Fact(field="created", value=int(year[0]), source="document properties", sure=_SURE)
    if told.get("keywords"):
        yield Fact(field="keywords", value=told["keywords"], source="document properties", sure=_SURE)


def warnings(archive: Archive, where: str) -> Iterator[Problem]:
    """Yield what the file would have a program do: none of it was done."""
    if any(name.casefold().endswith("vbaproject.bin") for name in archive.names()):
        yield Problem(where=where, reason="it holds macros", advice="they were not run; nothing to do", lasting=True)
    outside = sum(_outside(archive, name) for name in archive.names() if name.endswith(".rels"))
    if outside:
        reason = f"it refers to {outside} {'thing' if outside == 1 else 'things'} outside of itself"
        yield Problem(where=where, reason=reason, advice="they were not fetched; nothing to do", lasting=True)


def _outside(archive: Archive, name: str) -> int:
    items = [item for item in parse_xml(archive.read(name)) if attribute(item, "TargetMode") == "External"]
    return sum(not attribute(item, "Type").endswith(_LINKS) for item in items)


def _target(folder: str, target: str) -> str:
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
