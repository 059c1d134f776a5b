"""RIS files, as publishers, Zotero, EndNote and Chinese databases write them, and CSL-JSON, which Zotero, pandoc and Crossref exchange."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
    tidy,
)
from scholarmind.adapters.readers.bibliography.bibliography_text import paragraphs, read_source, untagged
from scholarmind.errors import ReadError
from scholarmind.model import BibEntry, Problem, Value
from scholarmind.text.untrusted import printable

# -- RIS

_LINE = re.compile(r"[ \t]{0,3}([A-Z][A-Z0-9])[ \t]{1,4}-(?:[ \t](.*)|)$")
_BEGIN = re.compile(r"^[ \t]{0,3}TY[ \t]{1,4}-[ \t]", re.MULTILINE)
_RIS_KINDS = {
    **dict.fromkeys("ABST CTLG EJOUR INPR JFULL JOUR MGZN NEWS".split(), "article"),
    **dict.fromkeys("CONF CPAPER".split(), "inproceedings"),
    **dict.fromkeys("CHAP ECHAP ENCYC DICT".split(), "incollection"),
    **dict.fromkeys("BOOK EBOOK EDBOOK CLSWK SER".split(), "book"),
    **dict.fromkeys("ELEC WEB BLOG ICOMM".split(), "online"),
    **dict.fromkeys("RPRT GOVDOC STAND".split(), "techreport"),
    "THES": "phdthesis",
    "DATA": "dataset",
    "COMP": "software",
    "PAT": "patent",
    "UNPB": "unpublished",
    "MANSCPT": "unpublished",
}
_VENUES = ("T2", "JF", "JO", "BT", "JA", "J2", "J1")
_PLAIN = {
    "title": ("TI", "T1", "CT", "BT"), "volume": ("VL",), "number": ("IS", "CP"), "publisher": ("PB",), "address": ("CY", "PP"),
    "edition": ("ET",), "language": ("LA",), "note": ("N1",), "date": ("PY", "Y1", "DA"), "series": ("T3",), "doi": ("DO", "DI"),
}  # fmt: skip
_PUBLISHER = {"phdthesis": "school", "techreport": "institution"}
_VENUE = {"inproceedings": "booktitle", "incollection": "booktitle", "book": "series"}
_LONGEST = 20_000
_LONGEST_ABSTRACT = 200_000
_MOST_LINES = 20_000  # of one record
_DOI = re.compile(r"(?:doi:\s*|https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S+", re.IGNORECASE)
_BOOK_NUMBER = re.compile(r"(?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx]\b")


@dataclass(slots=True)
class _Raw:
    """The tagged lines of one record; a value is the list of the lines that it goes over."""

    line: int
    values: dict[str, list[list[str]]] = field(default_factory=dict[str, list[list[str]]])
    lines: int = 0
    last: list[str] = field(default_factory=list[str])

    def take(self, tag: str, text: str) -> None:
        """Add a tagged line."""
        self.last = []
        self.values.setdefault(tag, []).append(self.last)
        self.go_on(text)

    def go_on(self, text: str) -> None:
        """Add a line without a tag to the value before it."""
        self.lines += 1
        if self.lines <= _MOST_LINES and text.strip():
            self.last.append(text.strip())

    def all(self, *tags: str) -> list[str]:
        """Return all values of these tags, in the order of the tags."""
        return [" ".join(value) for tag in tags for value in self.values.get(tag, ()) if value]

    def first(self, *tags: str) -> str:
        """Return the first value of the first tag that has one."""
        return next((" ".join(value) for tag in tags for value in self.values.get(tag, ()) if value), "")


@dataclass(frozen=True, slots=True)
class RisReader:
    """Reads `.ris` files."""

    max_bytes: int

    def entries(self, path: Path) -> Iterator[BibEntry | Problem]:
        """Yield the entries in their order, and what is wrong with them."""
        text = read_source(path, self.max_bytes)
        if not _BEGIN.search(text):
            raise ReadError(
                "there is no RIS record in it", "a record begins with 'TY  - '; export it again, or leave it out"
            )
        listing = BibliographyEntries(origin=printable(path))
        for raw, wrong in _records(text):
            if wrong:
                yield listing.problem(raw.line, wrong, "mend it there, or export it again")
            if "TY" in raw.values:
                yield from listing.enter(_ris_record(raw))


def _records(text: str) -> Iterator[tuple[_Raw, str]]:
    """Yield records as they stand, with what is wrong with their borders."""
    raw: _Raw | None = None
    lost = "the lines from here on belong to no record, for none begins with 'TY  - '; they are not used"
    for number, line in enumerate(text.split("\n"), 1):
        found = _LINE.match(line)
        if found is None:
            if raw is not None:
                raw.go_on(line)
            continue
        tag, value = found.groups()
        if raw is not None and tag in {"TY", "ER"}:
            unclosed = "" if tag == "ER" else "the record has no end ('ER  - '); it was read up to the next one"
            yield raw, unclosed if "TY" in raw.values else lost
            raw = None
        if tag != "ER":
            raw = raw or _Raw(number)
            raw.take(tag, value or "")
    if raw is not None:
        yield raw, "" if "TY" in raw.values else lost


def _ris_record(raw: _Raw) -> Record:
    kind = _RIS_KINDS.get(raw.first("TY").upper(), "misc")
    editors = _ris_people(raw.all("ED", "A2", "A3") if kind != "misc" else raw.all("ED"))
    authors = _ris_people(raw.all("AU", "A1"))
    fields = {name: _ris_text(raw.first(*tags)) for name, tags in _PLAIN.items()}
    fields |= _where(raw, kind)
    if editors:
        fields["editor"] = "; ".join(name.strip("{}") for name in editors)
    if publisher := fields["publisher"]:
        fields[_PUBLISHER.get(kind, "publisher")] = publisher
        fields |= {"publisher": ""} if kind in _PUBLISHER else {}
    return Record(
        key=raw.first("ID"),
        line=raw.line,
        kind=kind,
        fields={name: value for name, value in fields.items() if value},
        authors=editors if not authors and kind == "book" else authors,
        keywords=keywords_of(_ris_text(word) for word in raw.all("KW", "K1")),
        abstract=paragraphs(raw.first("AB", "N2")[:_LONGEST_ABSTRACT], untagged),
        files=tuple(dict.fromkeys(filter(None, map(plain_path, raw.all("L1", "L2", "L3", "L4", "FL"))))),
        keyless=True,
    )


def _where(raw: _Raw, kind: str) -> dict[str, str]:
    """Return what says where the work came out and can be found."""
    found = {
        _VENUE.get(kind, "journal"): _ris_text(raw.first(*(("C3", *_VENUES) if kind == "inproceedings" else _VENUES)))
    }
    first, last = _ris_text(raw.first("SP")), _ris_text(raw.first("EP"))
    found["pages"] = (
        f"{first}–{last}" if first and last and last != first and not re.search("[-–]", first) else first or last
    )
    found["url"] = next(
        (value.strip() for value in raw.all("UR", "L2", "L1") if value.startswith(("http:", "https:"))), ""
    )
    number = _ris_text(raw.first("SN"))
    found["isbn" if _BOOK_NUMBER.fullmatch(number) else "issn"] = number
    other = _ris_text(raw.first("M1"))
    if other and not raw.first("IS", "CP"):
        found["number"] = other
    kept = _ris_text(raw.first("M3"))
    if kept and not (_DOI.fullmatch(kept) and raw.first("DO", "DI")):
        found["doi" if _DOI.fullmatch(kept) else "type"] = kept
    return found


def _ris_people(values: list[str]) -> tuple[str, ...]:
    names = [name for value in values[: MOST_NAMES + 1] for name in tidy(value)]
    named = [name for name in names if name != OTHERS]
    return (*named[:MOST_NAMES], OTHERS) if len(named) < len(names) or len(named) > MOST_NAMES else tuple(named)


def _ris_text(value: str, longest: int = _LONGEST) -> str:
    return " ".join(untagged(value[:longest]).split())


# -- CSL-JSON: items are read one by one, so that a broken one costs only itself

_CSL_KINDS = {
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
_DATES = ("issued", "published", "published-print", "published-online", "original-date", "submitted")
_PREPRINTS = re.compile(r"arxiv|rxiv|preprint|ssrn|research square|osf", re.IGNORECASE)
_ITEM = re.compile(r"\{\s*\"(?:id|type|title|DOI|author|abstract|citation-key|container-title)\"\s*:")
_GAP = re.compile(r"[\s,]*")
_LIST = re.compile(r"\"(?:items|references)\"\s*:\s*\[")
_MOST_BROKEN = 1_000
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
            elif not bool(item.get("title") or item.get("type") or item.get("DOI")):
                waiting.append(
                    listing.problem(
                        line, "an item has neither a type nor a title; it is not used", "complete it, or take it out"
                    )
                )
            else:
                works = True
                yield from waiting
                waiting = []
                yield from listing.enter(_csl_record(item, line))
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


def _csl_record(item: Mapping[str, Any], line: int) -> Record:
    kind = _kind(item)
    fields = {name: _csl_text(item, *keys) for name, keys in _FIELDS.items()}
    fields[_VENUE.get(kind, "journal")] = _csl_text(item, "container-title", "event-title", "event")
    fields["date"] = next((date for name in _DATES if (date := _date(item.get(name)))), "")
    if (publisher := fields["publisher"]) and kind in _PUBLISHER:
        fields |= {"publisher": "", _PUBLISHER[kind]: publisher}
    if "arxiv" in _csl_text(item, "archive").casefold():
        fields |= {"archiveprefix": "arXiv", "eprint": _csl_text(item, "archive_location", "archive-location")}
    authors, editors = _csl_people(item.get("author")), _csl_people(item.get("editor"))
    fields["editor"] = "; ".join(name.strip("{}") for name in editors)
    # the key that people type; Zotero also gives addresses, whose last part is a key
    key = _csl_text(item, "citation-key", "id")
    return Record(
        key=key.rstrip("/").rpartition("/")[2] if key.startswith(("http:", "https:")) else key,
        line=line,
        kind=kind,
        fields={name: value for name, value in fields.items() if value},
        authors=editors if not authors and kind == "book" else authors,
        keywords=keywords_of(_texts(item.get("keyword") or item.get("keywords"))),
        abstract=paragraphs(_csl_text(item, "abstract", longest=_LONGEST_ABSTRACT, lines=True), untagged),
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
    stated = _csl_text(item, "type").casefold()
    genre = _csl_text(item, "genre")
    kind = _CSL_KINDS.get(stated, "misc")
    if stated == "article" and item.get("container-title"):
        return "article"
    if stated == "article" and any(
        _PREPRINTS.search(_csl_text(item, name)) for name in ("publisher", "archive", "genre", "number", "URL")
    ):
        return "preprint"
    return "mastersthesis" if kind == "phdthesis" and "master" in genre.casefold() else kind


def _csl_text(item: Mapping[str, Any], *names: str, longest: int = _LONGEST, lines: bool = False) -> str:
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
        if (isinstance(item, str) and item.strip())
        or (isinstance(item, (int, float)) and (not isinstance(item, bool) and abs(item) < 1 << 63))
    ]


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


def _csl_people(value: Any) -> tuple[str, ...]:
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
    family, given, dropped = (_csl_text(item, name) for name in ("family", "given", "dropping-particle"))
    prefix = _csl_text(item, "non-dropping-particle")
    if not family:
        return body(_csl_text(item, "literal", "name") or given)
    if dropped.endswith(("'", "’")):
        prefix = f"{prefix} {dropped}".strip()
    else:  # it stands behind the given names where the family name comes first
        given = f"{given} {dropped}".strip()
    return joined(family, given, prefix=prefix, suffix=_csl_text(item, "suffix"))
