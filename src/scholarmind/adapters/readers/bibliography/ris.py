"""RIS files, as publishers, Zotero, EndNote and Chinese databases write them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from scholarmind.adapters.readers.bibliography.bibliography_record import (
    MOST_NAMES,
    OTHERS,
    BibliographyEntries,
    Record,
    keywords_of,
    plain_path,
    tidy,
)
from scholarmind.adapters.readers.bibliography.bibliography_text import paragraphs, read_source, untagged
from scholarmind.errors import ReadError
from scholarmind.model import BibEntry, Problem
from scholarmind.text.untrusted import printable

_LINE = re.compile(r"[ \t]{0,3}([A-Z][A-Z0-9])[ \t]{1,4}-(?:[ \t](.*)|)$")
_BEGIN = re.compile(r"^[ \t]{0,3}TY[ \t]{1,4}-[ \t]", re.MULTILINE)
_KINDS = {
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
                yield from listing.enter(_record(raw))


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


def _record(raw: _Raw) -> Record:
    kind = _KINDS.get(raw.first("TY").upper(), "misc")
    editors = _people(raw.all("ED", "A2", "A3") if kind != "misc" else raw.all("ED"))
    authors = _people(raw.all("AU", "A1"))
    fields = {name: _text(raw.first(*tags)) for name, tags in _PLAIN.items()}
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
        keywords=keywords_of(_text(word) for word in raw.all("KW", "K1")),
        abstract=paragraphs(raw.first("AB", "N2")[:_LONGEST_ABSTRACT], untagged),
        files=tuple(dict.fromkeys(filter(None, map(plain_path, raw.all("L1", "L2", "L3", "L4", "FL"))))),
        keyless=True,
    )


def _where(raw: _Raw, kind: str) -> dict[str, str]:
    """Return what says where the work came out and can be found."""
    found = {_VENUE.get(kind, "journal"): _text(raw.first(*(("C3", *_VENUES) if kind == "inproceedings" else _VENUES)))}
    first, last = _text(raw.first("SP")), _text(raw.first("EP"))
    found["pages"] = (
        f"{first}–{last}" if first and last and last != first and not re.search("[-–]", first) else first or last
    )
    found["url"] = next(
        (value.strip() for value in raw.all("UR", "L2", "L1") if value.startswith(("http:", "https:"))), ""
    )
    number = _text(raw.first("SN"))
    found["isbn" if _BOOK_NUMBER.fullmatch(number) else "issn"] = number
    other = _text(raw.first("M1"))
    if other and not raw.first("IS", "CP"):
        found["number"] = other
    kept = _text(raw.first("M3"))
    if kept and not (_DOI.fullmatch(kept) and raw.first("DO", "DI")):
        found["doi" if _DOI.fullmatch(kept) else "type"] = kept
    return found


def _people(values: list[str]) -> tuple[str, ...]:
    names = [name for value in values[: MOST_NAMES + 1] for name in tidy(value)]
    named = [name for name in names if name != OTHERS]
    return (*named[:MOST_NAMES], OTHERS) if len(named) < len(names) or len(named) > MOST_NAMES else tuple(named)


def _text(value: str, longest: int = _LONGEST) -> str:
    return " ".join(untagged(value[:longest]).split())
