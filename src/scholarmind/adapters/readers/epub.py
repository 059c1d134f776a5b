"""Books in EPUB: chapters in the order of the book, under the titles that its table of contents gives them."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from scholarmind.adapters.readers.composition import Composition, flowed
from scholarmind.adapters.readers.containers import Archive, parse_xml
from scholarmind.adapters.readers.decode import clean
from scholarmind.adapters.readers.file_metadata import document_of, with_file_name
from scholarmind.adapters.readers.web.page_tree import parse, text_of, without_code
from scholarmind.adapters.readers.web.page_writer import PageWriter, words_of
from scholarmind.errors import ReadError
from scholarmind.model import Fact, Problem, Reading, Value
from scholarmind.text.untrusted import printable

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")  # disguised, not protected
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/xml", "text/x-oeb1-document"})
_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20\d\d)(?!\d)")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_ISBN = re.compile(r"(?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx]")


@dataclass(frozen=True, slots=True)
class _ManifestItem:
    """A file of the book: its name in the archive, its type, what it is for."""

    name: str
    type: str
    properties: str


@dataclass(frozen=True, slots=True)
class EpubReader:
    """A book with protected chapters is refused; one with broken chapters is read without them."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the book, and a problem for each chapter that could not be read."""
        where = printable(path)
        with Archive(path, self.max_bytes) as archive:
            name = _package_name(archive)
            package = parse_xml(archive.read(name))
            items = _manifest(package, posixpath.dirname(name))
            chapters = [items[id] for id in _spine(package) if id in items]
            _refuse_protected(archive, {item.name for item in chapters})
            titles = _titles(archive, items)
            composition = Composition()
            problems: list[Problem] = []
            for item in chapters:
                problems += _chapter(archive, item, titles.get(item.name, ""), composition, where)
        if not len(composition):
            reason = problems[0].reason if problems else "none of its chapters has text"
            raise ReadError(f"it has no text: {reason}", "it may be a book of pictures; convert it to PDF and add that")
        facts = with_file_name(_facts(package), path)
        yield Reading(
            document=document_of(facts, path, "book"),
            text=composition.text,
            sections=tuple(composition.sections),
            regions=tuple(composition.regions),
            facts=facts,
        )
        yield from problems


def _package_name(archive: Archive) -> str:
    """Return the name of the file that lists all others."""
    if _CONTAINER in archive:
        for element in _named(parse_xml(archive.read(_CONTAINER)), "rootfile"):
            name = _resolved("", element.get("full-path") or "")
            if name in archive:
                return name
    found = next((name for name in archive.names() if name.lower().endswith(".opf")), "")
    if not found:
        raise ReadError("it is no EPUB: it has no list of its contents", "it may have the wrong suffix, or be cut off")
    return found


def _named(root: Any, *names: str) -> Iterator[Any]:
    """Yield all elements of these names, whatever their namespace."""
    for element in root.iter():
        if isinstance(element.tag, str) and element.tag.rpartition("}")[2] in names:
            yield element


def _resolved(folder: str, href: str) -> str:
    """Return the name in the archive that a link in this folder means; one that leads out of it is found nowhere."""
    path = unquote(href.split("#", 1)[0])
    return posixpath.normpath(posixpath.join(folder, path)) if path else ""


def _manifest(package: Any, folder: str) -> dict[str, _ManifestItem]:
    found: dict[str, _ManifestItem] = {}
    for element in _named(package, "item"):
        name = _resolved(folder, element.get("href") or "")
        found[element.get("id") or ""] = _ManifestItem(
            name, element.get("media-type") or "", element.get("properties") or ""
        )
    return found


def _spine(package: Any) -> list[str]:
    """Return the ids of the chapters in reading order, each once."""
    return list(dict.fromkeys(element.get("idref") or "" for element in _named(package, "itemref")))


def _refuse_protected(archive: Archive, chapters: set[str]) -> None:
    if _ENCRYPTION not in archive:
        return
    for data in _named(parse_xml(archive.read(_ENCRYPTION)), "EncryptedData"):
        method = next((element.get("Algorithm") or "" for element in _named(data, "EncryptionMethod")), "")
        if method in _FONTS:
            continue
        if any(_resolved("", element.get("URI") or "") in chapters for element in _named(data, "CipherReference")):
            raise ReadError("its chapters are encrypted (copy protection)", "add an edition without copy protection")


def _titles(archive: Archive, items: dict[str, _ManifestItem]) -> dict[str, str]:
    """Return what the table of contents calls each file; of several entries for one file the first counts."""
    found: dict[str, str] = {}
    tables = [item for item in items.values() if "nav" in item.properties.split() or "ncx" in item.type]
    for item in sorted(tables, key=lambda item: "ncx" in item.type):
        if item.name not in archive or found:
            continue
        folder = posixpath.dirname(item.name)
        try:
            pairs = _from_ncx(archive.read(item.name)) if "ncx" in item.type else _from_nav(archive.read(item.name))
        except ReadError:  # then the headings of the chapters have to do
            continue
        for href, title in pairs:
            found.setdefault(_resolved(folder, href), title)
    return found


def _from_ncx(content: bytes) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for point in _named(parse_xml(content), "navPoint"):
        label = next((flowed("".join(text.itertext())) for text in _named(point, "text")), "")
        href = next((element.get("src") or "" for element in _named(point, "content")), "")
        if label and href:
            pairs.append((href, clean(label)))
    return pairs


def _from_nav(content: bytes) -> list[tuple[str, str]]:
    root = parse(text_of(content)).root
    if root is None:
        return []
    lists = list(root.iter("nav"))
    toc = next(
        (nav for nav in lists if "toc" in (nav.get("epub:type") or nav.get("role") or "")), lists[0] if lists else root
    )
    return [
        (link.get("href"), title) for link in toc.iter("a") if link.get("href") and (title := clean(words_of(link)))
    ]


def _chapter(archive: Archive, item: _ManifestItem, title: str, composition: Composition, where: str) -> list[Problem]:
    """Write a chapter; return what was wrong with it."""
    if item.type not in _PAGES or "nav" in item.properties.split():
        return []
    try:
        page = parse(text_of(archive.read(item.name)))
    except ReadError as error:
        return [_problem(where, item.name, f"a chapter could not be read: {error.reason}", error.advice)]
    body = None if page.root is None else without_code(page.root)
    if body is not None and any(text.strip() for text in body.itertext()):  # a cover has none, and needs no heading
        if title:
            composition.heading(1, title)
        PageWriter(composition, 1 if title else 0, title).write(body)
    return [_problem(where, item.name, reason, advice) for reason, advice in page.losses]


def _problem(where: str, name: str, reason: str, advice: str) -> Problem:
    return Problem(where=f"{where}, {clean(name)}", reason=reason, advice=advice, lasting=True)


def _facts(package: Any) -> Iterator[Fact]:
    """Yield what the book says of itself."""
    told: dict[str, list[str]] = {}
    for element in _named(package, "title", "creator", "date", "language", "identifier", "publisher"):
        text = flowed(clean("".join(element.itertext())))
        if text:
            told.setdefault(element.tag.rpartition("}")[2], []).append(text)
    found: list[tuple[str, Value, float]] = [
        ("title", told.get("title", [""])[0], 0.8),
        ("authors", tuple(dict.fromkeys(told.get("creator", []))), 0.8),
        ("year", next((int(year[0]) for text in told.get("date", []) if (year := _YEAR.search(text))), 0), 0.7),
        ("language", told.get("language", [""])[0].split("-")[0].lower(), 0.8),
        ("source", told.get("publisher", [""])[0], 0.7),
        ("doi", next((doi[0] for text in told.get("identifier", []) if (doi := _DOI.search(text))), ""), 0.9),
        ("isbn", next((isbn for text in told.get("identifier", []) if (isbn := _isbn(text))), ""), 0.9),
    ]
    for name, value, sure in found:
        if value:
            yield Fact(field=name, value=value, source="document properties", sure=sure)


def _isbn(text: str) -> str:
    bare = re.sub(r"^(?:urn:)?isbn:?\s*", "", text, flags=re.IGNORECASE)
    return re.sub(r"[- ]", "", bare).upper() if _ISBN.fullmatch(bare) else ""
