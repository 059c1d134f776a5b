"""CSL-JSON: what Zotero, pandoc and Crossref exchange. Items are read one by one, so that a broken one costs only itself."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from scholarmind.adapters.readers.bibliography.bibliography_record import (
    MOST_NAMES,
    OTHERS,
    BibliographyEntries,
    Record,
    body,
    joined,
    keywords_of,
    plain_path,
)
from scholarmind.adapters.readers.bibliography.bibliography_text import paragraphs, read_source, untagged
from scholarmind.errors import ReadError
from scholarmind.model import BibEntry, Problem, Value
from scholarmind.text.untrusted import printable

_KINDS = {
    **dict.fromkeys(
        "article-journal article-magazine article-newspaper journal-article review review-book".split(), "article"
    ),
    **dict.fromkeys("paper-conference proceedings-article speech".split(), "inproceedings"),
    **dict.fromkeys(
        "chapter book-chapter entry entry-dictionary entry-encyclopedia reference-entry".split(), "incollection"
    ),
    **dict.fromkeys("book monograph edited-book reference-book classic".split(), "book"),
    **dict.fromkeys("webpage post post-weblog".split(), "online"),
    **dict.fromkeys("thesis dissertation".split(), "phdthesis"),
    **dict.fromkeys("report report-component standard legislation".split(), "techreport"),
    "posted-content": "preprint",
    "manuscript": "unpublished",
    "dataset": "dataset",
    "software": "software",
    "patent": "patent",
    "periodical": "periodical",
}
_FIELDS = {
    "title": ("title",), "volume": ("volume",), "number": ("issue", "number"), "publisher": ("publisher",), "edition": ("edition",),
    "address": ("publisher-place", "event-place"), "language": ("language",), "note": ("note",), "series": ("collection-title",),
    "doi": ("DOI",), "url": ("URL",), "pages": ("page", "number-of-pages"), "isbn": ("ISBN",), "issn": ("ISSN",),
    "shorttitle": ("title-short",),
    "pmid": ("PMID",), "pmcid": ("PMCID",), "type": ("genre",),
}  # fmt: skip
_PUBLISHER = {"phdthesis": "school", "techreport": "institution"}
_VENUE = {"inproceedings": "booktitle", "incollection": "booktitle", "book": "series"}
_DATES = ("issued", "published", "published-print", "published-online", "original-date", "submitted")
_PREPRINTS = re.compile(r"arxiv|rxiv|preprint|ssrn|research square|osf", re.IGNORECASE)
_ITEM = re.compile(r"\{\s*\"(?:id|type|title|DOI|author|abstract|citation-key|container-title)\"\s*:")
_GAP = re.compile(r"[\s,]*")
_LIST = re.compile(r"\"(?:items|references)\"\s*:\s*\[")
_LONGEST = 20_000
_MOST_BROKEN = 1_000
_LONGEST_ABSTRACT = 200_000
_CUSTOM = re.compile(r"[a-z][a-z_]{0,40}")
_MOST_CUSTOM = 200


@dataclass(frozen=True, slots=True)
class CslReader:
    """Reads `.json` files that are said to be bibliographies."""

    max_bytes: int

    def entries(self, path: Path) -> Iterator[BibEntry | Problem]:
        """Yield the entries in their order, and what is wrong with them."""
        text = read_source(path, self.max_bytes)
        listing = BibliographyEntries(origin=printable(path))
        works = False
        waiting: list[Problem] = []  # until something tells that this is a bibliography
        for line, item in _items(text):
            if isinstance(item, str):
                waiting.append(
                    listing.problem(
                        line, f"an item cannot be read: {item}; it is not used", "mend it there, or export it again"
                    )
                )
            elif not _is_work(item):
                waiting.append(
                    listing.problem(
                        line, "an item has neither a type nor a title; it is not used", "complete it, or take it out"
                    )
                )
            else:
                works = True
                yield from waiting
                waiting = []
                yield from listing.enter(_record(item, line))
        if not works and not (waiting and _ITEM.search(text)):
            raise ReadError("there is no CSL-JSON item in it", "export it as CSL-JSON again, or leave it out")
        yield from waiting


def _items(text: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """Yield the items of the list with their lines; of a broken one, what is wrong with it."""
    decoder = json.JSONDecoder(strict=False)
    position, line, counted, broken = _begin(text), 1, 0, 0
    while position < len(text) and text[position] == "{":
        line, counted = line + text.count("\n", counted, position), position
        try:
            item, position = decoder.raw_decode(text, position)
            yield line, cast("Mapping[str, Any]", item)
        except (ValueError, RecursionError) as error:
            yield line, _reason(error)
            broken += 1
            if broken == _MOST_BROKEN:
                yield line, "too many before it are broken; what follows is not looked at"
                return
            following = _ITEM.search(text, max(position + 1, getattr(error, "pos", 0)))
            position = following.start() if following else len(text)
        gap = _GAP.match(text, position)
        position = gap.end() if gap else position
    if counted < position < len(text) and text[position] not in "]}":
        line += text.count("\n", counted, position)
        yield line, f"{text[position : position + 20]!r} stands where an item should begin"


def _begin(text: str) -> int:
    """Return where the first item begins."""
    start = len(text) - len(text.lstrip())
    if text[start] == "[":
        gap = _GAP.match(text, start + 1)
        return gap.end() if gap else start + 1
    found = _LIST.search(text)
    if found:
        gap = _GAP.match(text, found.end())
        return gap.end() if gap else found.end()
    return start if text[start] == "{" else len(text)


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} (line {error.lineno}, column {error.colno})"
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]


def _is_work(item: Mapping[str, Any]) -> bool:
    return bool(item.get("title") or item.get("type") or item.get("DOI"))


def _record(item: Mapping[str, Any], line: int) -> Record:
    kind = _kind(item)
    fields = {name: _text(item, *keys) for name, keys in _FIELDS.items()}
    fields[_VENUE.get(kind, "journal")] = _text(item, "container-title", "event-title", "event")
    fields["date"] = next((date for name in _DATES if (date := _date(item.get(name)))), "")
    if (publisher := fields["publisher"]) and kind in _PUBLISHER:
        fields |= {"publisher": "", _PUBLISHER[kind]: publisher}
    if "arxiv" in _text(item, "archive").casefold():
        fields |= {"archiveprefix": "arXiv", "eprint": _text(item, "archive_location", "archive-location")}
    authors, editors = _people(item.get("author")), _people(item.get("editor"))
    fields["editor"] = "; ".join(name.strip("{}") for name in editors)
    return Record(
        key=_key(item),
        line=line,
        kind=kind,
        fields={name: value for name, value in fields.items() if value},
        authors=editors if not authors and kind == "book" else authors,
        keywords=keywords_of(_texts(item.get("keyword") or item.get("keywords"))),
        abstract=paragraphs(_text(item, "abstract", longest=_LONGEST_ABSTRACT, lines=True), untagged),
        files=tuple(dict.fromkeys(filter(None, map(plain_path, _texts(item.get("file")))))),
        custom=dict(_custom(item.get("custom"))),
    )


def _custom(value: Any) -> Iterator[tuple[str, Value]]:
    """Yield what CSL-JSON has no place for: texts and lists of texts, under names of their own."""
    for name, said in cast("dict[str, Any]", value).items() if isinstance(value, dict) else ():
        texts = tuple(text[:_LONGEST] for text in _texts(said)[:_MOST_CUSTOM])
        if texts and _CUSTOM.fullmatch(name):
            yield name, texts if isinstance(said, list) else texts[0]


def _kind(item: Mapping[str, Any]) -> str:
    stated = _text(item, "type").casefold()
    genre = _text(item, "genre")
    kind = _KINDS.get(stated, "misc")
    if stated == "article" and item.get("container-title"):
        return "article"
    if stated == "article" and any(
        _PREPRINTS.search(_text(item, name)) for name in ("publisher", "archive", "genre", "number", "URL")
    ):
        return "preprint"
    return "mastersthesis" if kind == "phdthesis" and "master" in genre.casefold() else kind


def _key(item: Mapping[str, Any]) -> str:
    """Return the key that people type; Zotero also gives addresses, whose last part is a key."""
    key = _text(item, "citation-key", "id")
    return key.rstrip("/").rpartition("/")[2] if key.startswith(("http:", "https:")) else key


def _text(item: Mapping[str, Any], *names: str, longest: int = _LONGEST, lines: bool = False) -> str:
    for name in names:
        if texts := _texts(item.get(name)):
            return texts[0][:longest] if lines else " ".join(untagged(texts[0][:longest]).split())
    return ""


def _texts(value: Any) -> list[str]:
    """Return the texts and numbers in a value, which may be a list of them."""
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [
        str(item)
        for item in items
        if (isinstance(item, str) and item.strip()) or (isinstance(item, (int, float)) and _is_short(item))
    ]


def _is_short(number: float) -> bool:
    return not isinstance(number, bool) and abs(number) < 1 << 63


def _date(value: Any) -> str:
    """Return the year of a date in parts, or the text that a date is."""
    if not isinstance(value, dict):
        return next(iter(_texts(value)), "")
    date = cast("dict[str, Any]", value)
    first: Any = date.get("date-parts")
    while isinstance(first, list) and first:
        first = cast("list[Any]", first)[0]
    found = (*_texts(first), *_texts(date.get("raw")), *_texts(date.get("literal")))
    return found[0] if found else ""


def _people(value: Any) -> tuple[str, ...]:
    items = cast("list[Any]", value) if isinstance(value, list) else []
    names = [name for item in items[: MOST_NAMES + 1] if (name := _person(item))]
    named = [name for name in names if name != OTHERS]
    return (*named[:MOST_NAMES], OTHERS) if len(named) < len(names) or len(named) > MOST_NAMES else tuple(names)


def _person(value: Any) -> str:
    if isinstance(value, str):
        return body(untagged(value))
    if not isinstance(value, dict):
        return ""
    item = cast("dict[str, Any]", value)
    family, given, dropped = (_text(item, name) for name in ("family", "given", "dropping-particle"))
    prefix = _text(item, "non-dropping-particle")
    if not family:
        return body(_text(item, "literal", "name") or given)
    if dropped.endswith(("'", "’")):
        prefix = f"{prefix} {dropped}".strip()
    else:  # it stands behind the given names where the family name comes first
        given = f"{given} {dropped}".strip()
    return joined(family, given, prefix=prefix, suffix=_text(item, "suffix"))
