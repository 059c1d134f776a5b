"""What Word, PowerPoint and Excel files have in common: parts in an archive, relations between them, and properties."""

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from scholarmind.adapters.readers.containers import Archive, parse_xml
from scholarmind.model import Fact, Problem

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
