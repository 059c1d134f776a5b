"""Web pages as they are saved, and books in EPUB, which are made of them: the main text, without menus and scripts.

Nothing is run, nothing is fetched. What a page says of itself in its head is read too: Highwire (citation_*), Dublin Core, JSON-LD,
OpenGraph, the title."""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

from scholarmind.adapters.readers.composition import Composition, clean, flowed
from scholarmind.adapters.readers.containers import Archive, parse_xml
from scholarmind.adapters.readers.file_metadata import document_of, read_below, with_file_name
from scholarmind.adapters.readers.web_pages import (
    PageWriter,
    WebPage,
    main_part,
    parse,
    text_of,
    without_code,
    words_of,
)
from scholarmind.errors import ReadError
from scholarmind.model import Fact, Problem, Reading, Value
from scholarmind.text.untrusted import printable

# -- web pages

# -- what a page says of itself

_SOURCE = "document properties"
_MOST_META = 2_000
_MOST_RECORDS = 20
_LONGEST_RECORD = 200_000
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_SEPARATOR = re.compile(r"\s+[|·—–-]\s+|\s*\|\s*")
# field: names of the meta tags, the surest first
_TAGS: dict[str, dict[str, float]] = {
    "title": {"citation_title": 0.9, "dc.title": 0.8, "dcterms.title": 0.8, "og:title": 0.7, "twitter:title": 0.6},
    "year": {
        "citation_publication_date": 0.9,
        "citation_date": 0.9,
        "citation_year": 0.9,
        "citation_cover_date": 0.85,
        "citation_online_date": 0.8,
        "dc.date": 0.8,
        "dcterms.date": 0.8,
        "dc.date.issued": 0.8,
        "dcterms.issued": 0.8,
        "article:published_time": 0.7,
        "date": 0.6,
    },
    "source": {
        "citation_journal_title": 0.9,
        "citation_conference_title": 0.9,
        "citation_inbook_title": 0.85,
        "prism.publicationname": 0.85,
        "og:site_name": 0.5,
    },
    "doi": {"citation_doi": 0.9, "prism.doi": 0.9, "dc.identifier.doi": 0.9, "dc.identifier": 0.6},
    "arxiv": {"citation_arxiv_id": 0.9},
    "language": {"citation_language": 0.8, "dc.language": 0.8, "dcterms.language": 0.8},
}

_AUTHORS = {
    "citation_author": 0.9,
    "citation_authors": 0.9,
    "dc.creator": 0.8,
    "dcterms.creator": 0.8,
    "dc.contributor.author": 0.75,
    "author": 0.7,
    "article:author": 0.6,
}

_ARTICLES = frozenset(
    "Article ScholarlyArticle NewsArticle BlogPosting TechArticle Report Book Chapter Thesis WebPage MedicalScholarlyArticle".split()
)


def _properties(root: Any) -> list[Fact]:
    """Return the facts in the head of a page, before anything is taken out of it."""
    # what the meta tags say, by their names in lower case
    tags: dict[str, list[str]] = {}
    for number, element in enumerate(root.iter("meta")):
        name = (element.get("name") or element.get("property") or "").strip().lower()
        content = flowed(clean(element.get("content") or ""))
        if name and content:
            tags.setdefault(name, []).append(content)
        if number >= _MOST_META:
            break
    facts = [*_from_tags(tags), *_authors(tags), *_from_records(root)]
    language = (root.get("lang") or root.get("xml:lang") or "").strip()
    if re.fullmatch(r"[A-Za-z]{2,3}(?:-\w+)*", language):
        facts.append(_fact("language", language.split("-")[0].lower(), 0.6))
    title = root.find(".//title")
    if title is not None:
        facts.append(_fact("title", flowed(clean("".join(title.itertext()))), 0.4))
    return [fact for fact in facts if fact.value]


def _top_headings(root: Any) -> frozenset[str]:
    """Return the headings of the highest rank, before anything is taken out of the page."""
    return frozenset(flowed(clean("".join(element.itertext()))).lower() for element in root.iter("h1"))


def _title_in_text(heading: str, facts: list[Fact], tops: Set[str]) -> Iterator[Fact]:
    """Yield the first heading of the main text as a title; it is the surer if the page's own title has it beside the site's name.

    Where the heading of the page stands above the main text, the first one below it is that of a section: the page's own title is surer.
    """
    if heading:
        titles = [str(fact.value) for fact in facts if fact.field == "title"]
        known = {part.lower() for title in titles for part in (title, *_SEPARATOR.split(title))}
        said = heading.lower()
        is_of_section = bool(tops) and said not in tops
        is_longer = any(title.lower() in said for title in titles)
        sure = 0.75 if said in known else 0.3 if is_of_section or is_longer else 0.5
        yield _fact("title", heading, sure, "first page")


def _from_tags(tags: Mapping[str, list[str]]) -> Iterator[Fact]:
    for name, known in _TAGS.items():
        for tag, sure in known.items():
            for content in tags.get(tag, ())[:1]:
                yield from _checked(name, content, sure)


def _checked(name: str, content: str, sure: float) -> Iterator[Fact]:
    """Yield what a field says if it can be true: a DOI looks like one, a year has four digits."""
    value: Value = content
    if name == "year":
        year = _YEAR.search(content)
        value = int(year[0]) if year else ""
    elif name == "doi":
        doi = re.search(r"10\.\d{4,9}/\S+", content)
        value = doi[0] if doi else ""
        sure = max(sure, 0.9) if content.lower().startswith(("doi:", "10.")) else sure
    elif name == "arxiv":
        value = re.sub(r"^arxiv:", "", content, flags=re.IGNORECASE)
    elif name == "language":
        value = content.split("-", maxsplit=1)[0].lower() if len(content) < 12 else ""
    if value:
        yield _fact(name, value, sure)


def _authors(tags: Mapping[str, list[str]]) -> Iterator[Fact]:
    for tag, sure in _AUTHORS.items():
        contents = tags.get(tag, [])
        names = [name for content in contents for name in _split(content, alone=len(contents) == 1)]
        names = [name for name in names if not name.startswith(("http:", "https:"))]
        if names:
            yield _fact("authors", tuple(dict.fromkeys(names)), sure)


def _split(content: str, *, alone: bool) -> list[str]:
    """Return the names in one tag: most pages give each name its own."""
    parts = re.split(r"\s*;\s*", content)
    if len(parts) == 1 and alone and (content.count(",") > 1 or " and " in content):
        parts = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", content)
    return [part for part in parts if part]


def _from_records(root: Any) -> Iterator[Fact]:
    """Yield what JSON-LD says of the article; a record that is too long or broken says nothing."""
    count = 0
    for element in root.iter("script"):
        if (element.get("type") or "").split(";")[0].strip().lower() != "application/ld+json":
            continue
        count += 1
        text = element.text or ""
        if count > _MOST_RECORDS or len(text) > _LONGEST_RECORD:
            continue
        try:
            found: Any = json.loads(text)
        except (ValueError, RecursionError):
            continue
        for record in _records(found):
            yield _fact("title", _string(record.get("headline") or record.get("name")), 0.7)
            authors: Any = record.get("author") or ()
            listed: list[Any] = cast("list[Any]", authors) if isinstance(authors, list) else [authors]
            names = tuple(name for author in listed[:_MOST_META] if (name := _string(author)))
            yield _fact("authors", names, 0.75)
            yield from _checked("year", _string(record.get("datePublished")), 0.75)
            yield from _checked("language", _string(record.get("inLanguage")), 0.6)
            yield _fact("source", _string(record.get("isPartOf")) or _string(record.get("publisher")), 0.55)


def _records(found: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the articles among the records, which come alone, in a list, or in a graph."""
    listed: list[Any] = cast("list[Any]", found) if isinstance(found, list) else [found]
    if isinstance(found, dict) and isinstance(cast("dict[str, Any]", found).get("@graph"), list):
        listed = [*listed, *cast("dict[str, Any]", found)["@graph"]]
    for record in listed[:_MOST_META]:
        if isinstance(record, dict):
            kinds = cast("dict[str, Any]", record).get("@type")
            named = cast("list[Any]", kinds) if isinstance(kinds, list) else [kinds]
            if any(isinstance(kind, str) and kind in _ARTICLES for kind in named):
                yield cast("dict[str, Any]", record)


def _string(value: Any) -> str:
    """Return a text, or the name of a thing; '' for anything else."""
    if isinstance(value, dict):
        value = cast("dict[str, Any]", value).get("name")
    return flowed(clean(value)) if isinstance(value, str) else ""


def _fact(name: str, value: Value, sure: float, source: str = _SOURCE) -> Fact:
    return Fact(field=name, value=value, source=source, sure=sure)


# -- the reader


@dataclass(frozen=True, slots=True)
class HtmlReader:
    """Metadata come from the head of the page, the text from where most of its prose is."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the document, and a problem for what of it was left out."""
        text = text_of(content_of(path, self.max_bytes))
        page = parse(text)
        if page.root is None:
            raise ReadError("it has no text", "nothing to do, unless it should have")
        facts, tops = _properties(page.root), _top_headings(page.root)
        composition = compose(text, page)
        heading = composition.sections[0].path[0] if composition.sections else ""
        head = read_below(composition.text, composition.sections)
        facts_of_file = with_file_name([*facts, *_title_in_text(heading, facts, tops), *head.facts], path)
        # whether a page says that it is a publication
        yield Reading(
            document=document_of(
                facts_of_file, path, "paper" if any(fact.sure >= 0.9 for fact in facts) else "web page"
            ),
            text=composition.text,
            sections=tuple(composition.sections),
            regions=(*head.regions, *composition.regions),
            facts=facts_of_file,
        )
        for reason, advice in page.losses:
            yield Problem(where=printable(path), reason=reason, advice=advice, lasting=True)


def content_of(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a file that is not too large and not empty."""
    size = path.stat().st_size
    if size > max_bytes:
        raise ReadError(
            f"it has {size / 1e6:,.0f} MB, the limit is {max_bytes / 1e6:,.0f} MB",
            "split it, or raise the limit with SCHOLARMIND_MAX_FILE_MEGABYTES",
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ReadError(f"it cannot be read: {error.strerror}", "check who may read it") from error
    if not content.strip():
        raise ReadError("it is empty", "nothing to do, unless it should not be")
    return content


def compose(text: str, page: WebPage) -> Composition:
    """Return the main text of a page; all of its text where the main part turns out to have none."""
    body = without_code(page.root)
    composition = _written(main_part(body))
    if not len(composition):
        composition = _written(without_code(parse(text).root))
    if not len(composition):
        raise ReadError(
            "it has no text, only code or pictures", "save the page from a browser after it has loaded, or leave it out"
        )
    return composition


def write_fragment(text: str, writer: PageWriter) -> list[tuple[str, str]]:
    """Write all of a page, for books and mails. Return what was lost: reasons and advice."""
    page = parse(text)
    if page.root is not None:
        writer.write(without_code(page.root))
    return page.losses


def _written(element: Any) -> Composition:
    composition = Composition()
    PageWriter(composition).write(element)
    return composition


# -- books: chapters in the order of the book, under the titles that its table of contents gives them

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")  # disguised, not protected
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/xml", "text/x-oeb1-document"})
_YEAR_OF_BOOK = re.compile(r"(?<!\d)(1[0-9]{3}|20\d\d)(?!\d)")
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
        ("year", next((int(year[0]) for text in told.get("date", []) if (year := _YEAR_OF_BOOK.search(text))), 0), 0.7),
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
