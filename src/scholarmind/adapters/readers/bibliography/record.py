"""From the fields of an entry, whatever the format, to a document: years, identifiers, pages, and an id that people can type."""

import hashlib
import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import unquote

from scholarmind.adapters.readers.bibliography.names import LONGEST_NAME, MOST_NAMES
from scholarmind.adapters.readers.decode import clean
from scholarmind.model import BibEntry, Document, Problem, Value
from scholarmind.text.names import storable

LONGEST_TITLE = 2_000
LONGEST_ABSTRACT = 50_000
LONGEST_VALUE = 2_000
_LONGEST_NOTE = 300
_LONGEST_KEY = 100
_MOST_FIELDS = 100
_MOST_KEYWORDS = 100
_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|2[01][0-9]{2})(?!\d)")
_BRACKETS = re.compile(r"\[[^\]]*\]|\([^)]*\)")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_DOI_ADDRESS = re.compile(r"doi\.org/+(10\.\d{4,9}/\S+)", re.IGNORECASE)
_ARXIV_ID = r"(\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Za-z]{2})?/\d{7})(?:v\d{1,3})?"
_ARXIV = re.compile(rf"(?:arxiv\s*:\s*|arxiv\.org/(?:abs|pdf|html)/|10\.48550/arxiv\.){_ARXIV_ID}(?!\d)", re.IGNORECASE)
_ARXIV_FIELDS = ("eprint", "number", "doi", "url", "howpublished", "journal", "pages")
_PAGES = re.compile(r"\s*(?:-{1,3}|[–—−])\s*")
_UNTYPED = re.compile(r"[^\w.:+/-]+")
_WORD = re.compile(r"[^\W_]+")
_DROPPED = frozenset(
    "__markedentry abstract annotation annote attachments author authors bibsource biburl collection comment comments creationdate "
    "crossref date date-added date-modified doi entryset execute extra file groups hyphenation id ids key keyword keywords kind label "
    "langid language local-url localfile mendeley-groups mendeley-tags modificationdate nameaddon options origin owner pdf presort "
    "printed priority qualityassured ranking rating read readstatus relevance review shorthand sortkey sortname sorttitle source "
    "subtitle timestamp title titleaddon urldate xdata year".split()
)
_DROPPED_PREFIX = re.compile(r"(?:bdsk-|creator-|__|x-|jabref-|zotero-)|.*\+an$")
_SHORT = frozenset({"note", "addendum", "howpublished"})
_LANGUAGES = {
    "english": "en", "american": "en", "british": "en", "usenglish": "en", "ukenglish": "en", "australian": "en", "canadian": "en",
    "german": "de", "ngerman": "de", "austrian": "de", "naustrian": "de", "deutsch": "de", "french": "fr", "français": "fr",
    "francais": "fr", "spanish": "es", "español": "es", "italian": "it", "portuguese": "pt", "brazilian": "pt", "brazil": "pt",
    "dutch": "nl", "russian": "ru", "chinese": "zh", "中文": "zh", "chi": "zh", "zho": "zh", "japanese": "ja", "日本語": "ja",
    "jpn": "ja", "korean": "ko", "kor": "ko", "eng": "en", "ger": "de", "deu": "de", "fre": "fr", "fra": "fr", "spa": "es",
    "ita": "it", "por": "pt", "rus": "ru", "polish": "pl", "swedish": "sv", "danish": "da", "norwegian": "no", "finnish": "fi",
    "czech": "cs", "turkish": "tr", "greek": "el", "arabic": "ar",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An entry without its format: plain text in fields that have BibTeX's names. Long values are cut here, not before."""

    key: str
    line: int
    kind: str
    fields: Mapping[str, str]
    authors: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    abstract: str = ""
    files: tuple[str, ...] = ()
    keyless: bool = False  # its format has no keys, so that none is missing


@dataclass(slots=True, kw_only=True)
class Listing:
    """Turns the records of one file into entries, and sees to it that keys and ids are unique in it."""

    origin: str
    lines: dict[str, int] = field(default_factory=dict[str, int])  # by key
    ids: set[str] = field(default_factory=set[str])
    numbers: dict[str, int] = field(default_factory=dict[str, int])  # the last one given behind a key or id

    def enter(self, record: Record) -> Iterator[BibEntry | Problem]:
        """Yield the entry, if it can be used, after what is wrong with it."""
        title = _title(record.fields)
        if not title and not record.authors and not record.fields.get("doi"):
            yield self.problem(
                record.line,
                f"{_named(record)} has neither a title nor authors; it is not used",
                "complete it, or take it out",
            )
            return
        key = record.key or self._made(record, title)
        if key in self.lines:
            yield self.problem(
                record.line,
                f"the key {key!r} is taken by the entry in line {self.lines[key]}; the one in line {record.line} is not used",
                "give one of them another key, or take out the one that is not needed",
            )
            return
        self.lines[key] = record.line
        yield from self._complaints(record, title, key)
        yield self._entry(record, title[:LONGEST_TITLE], key)

    def problem(self, line: int, reason: str, advice: str) -> Problem:
        """Return a problem of an entry; the rest of the file is used."""
        return Problem(where=f"{self.origin}, line {line}", reason=clean(reason), advice=advice, lasting=True)

    def _complaints(self, record: Record, title: str, key: str) -> Iterator[Problem]:
        if not record.key and not record.keyless:
            yield self.problem(record.line, f"the entry has no key; it is used as {key!r}", "give it a key")
        if not title:
            yield self.problem(record.line, f"{_named(record)} has no title; it is used without one", "add the title")
        for name, value, longest in (("title", title, LONGEST_TITLE), ("abstract", record.abstract, LONGEST_ABSTRACT)):
            if len(value) > longest:
                reason = f"the {name} of {_named(record)} is too long; its first {longest:,} characters are used"
                yield self.problem(record.line, reason, "see whether a brace is missing")
        if len(record.authors) > MOST_NAMES or any(len(name) >= LONGEST_NAME for name in record.authors):
            reason = f"{_named(record)} has more than {MOST_NAMES:,} authors, or names of {LONGEST_NAME} characters; the rest is cut off"
            yield self.problem(record.line, reason, "see whether an 'and' or a brace is missing")

    def _entry(self, record: Record, title: str, key: str) -> BibEntry:
        fields = record.fields
        document = Document(
            id=self._id(key),
            title=clean(title),
            authors=tuple(map(clean, record.authors)),
            year=year_of(fields),
            origin=self.origin,
            language=_language(fields),
            kind=clean(record.kind)[:40],
            metadata=_metadata(record),
        )
        abstract = clean(record.abstract[:LONGEST_ABSTRACT])
        return BibEntry(
            key=clean(key),
            line=record.line,
            document=document,
            abstract=abstract,
            files=tuple(map(clean, record.files)),
        )

    def _made(self, record: Record, title: str) -> str:
        """Return a key for an entry without one, such as devlin2019bert."""
        family = record.authors[0].strip("{}") if record.authors else ""
        family = family.partition(",")[0] if "," in family else family.rpartition(" ")[2]
        words = (
            [word for word in _WORD.findall(_folded(title)) if len(word) > 3] or _WORD.findall(_folded(title)) or [""]
        )
        base = (
            "".join((*_WORD.findall(_folded(family)), str(year_of(record.fields) or ""), words[0]))[:_LONGEST_KEY]
            or "entry"
        )
        return self._free(base, self.lines)

    def _id(self, key: str) -> str:
        plain = _UNTYPED.sub("-", storable(clean(key))).strip("-")
        if not plain or len(plain) > _LONGEST_KEY:
            digest = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:8]
            plain = f"{plain[: _LONGEST_KEY - 9]}-{digest}".lstrip("-")
        found = self._free(plain, self.ids)
        self.ids.add(found)
        return found

    def _free(self, base: str, taken: Container[str]) -> str:
        free, number = base, self.numbers.get(base, 1)  # thousands may have the same base
        while free in taken:
            number += 1
            free = f"{base}-{number}"
        self.numbers[base] = number
        return free


def year_of(fields: Mapping[str, str]) -> int | None:
    """Return the year of "2019-05-03", "2019a", "c. 1998", "2019/2020" (the first); of "[1984] 2003" the one that is not set apart."""
    for name in ("year", "date", "issued"):
        text = unicodedata.normalize("NFKC", fields.get(name, "")[:LONGEST_VALUE])
        found = _YEAR.search(_BRACKETS.sub(" ", text)) or _YEAR.search(text)
        if found:
            return int(found[0])
    return None


def plain_doi(text: str) -> str:
    """Return a DOI without what stands before it in addresses."""
    text = unquote(text) if "%" in text else text
    found = _DOI.search("".join(text.split()))
    return found[0].rstrip(".,;") if found else ""


def keywords_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return keywords from lists between semicolons, or else commas."""
    found = (
        word.strip() for text in texts for word in re.split(r"[;；]" if re.search("[;；]", text) else r"[,，、]", text)
    )
    return tuple(islice(dict.fromkeys(clean(word)[:LONGEST_VALUE] for word in found if word), _MOST_KEYWORDS))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()


def _named(record: Record) -> str:
    return f"entry {record.key[:LONGEST_TITLE]!r}" if record.key else "the entry"


def _title(fields: Mapping[str, str]) -> str:
    title = fields.get("title") or fields.get("shorttitle") or fields.get("booktitle") or fields.get("maintitle") or ""
    subtitle = fields.get("subtitle", "")
    if subtitle and title and subtitle.casefold() not in title.casefold():
        return f"{title}{'' if title.endswith(('?', '!', ':', '.')) else ':'} {subtitle}"
    return title


def _language(fields: Mapping[str, str]) -> str:
    stated = (fields.get("language") or fields.get("langid") or fields.get("hyphenation") or "").casefold().strip()
    short = re.split(r"[-_ ,;]", stated)[0]
    return _LANGUAGES.get(stated) or _LANGUAGES.get(short) or (short if re.fullmatch("[a-z]{2}", short) else "")


def _metadata(record: Record) -> dict[str, Value]:
    fields = dict(record.fields)
    doi = plain_doi(fields.get("doi", "")) or _in_address(fields)
    arxiv = _arxiv(fields)
    if arxiv and not _is_other_archive(fields):
        fields |= {"eprint": arxiv, "archiveprefix": "arXiv"}
        said_again = {
            "number": _ARXIV.search(fields.get("number", "")),
            "publisher": fields.get("publisher", "").casefold() == "arxiv",
        }
        fields |= {name: "" for name, said in said_again.items() if said}
    found: dict[str, Value] = {"doi": doi} if doi else {}
    if (stated := fields.get("year", "")) and year_of(record.fields) is None:
        found["pubstate"] = clean(stated)[:_LONGEST_NOTE]  # "in press"
    if fields.get("type"):
        found["entrytype"] = record.kind  # which `type` ("PhD thesis") would hide
    for name, value in fields.items():
        if value and name not in found and not is_dropped(name):
            found[clean(name)[:_LONGEST_KEY]] = _value(name, value)
    if record.keywords:
        found["keywords"] = record.keywords
    return dict(islice(found.items(), _MOST_FIELDS))


def is_dropped(name: str) -> bool:
    """Tell that a field is no metadata: it has a place of its own, or is for the program that wrote it."""
    return name in _DROPPED or bool(_DROPPED_PREFIX.match(name))


def _value(name: str, value: str) -> str:
    value = clean(value)
    if name == "pages":
        return _PAGES.sub("–", value)[:LONGEST_VALUE]
    return value[: _LONGEST_NOTE if name in _SHORT else LONGEST_VALUE]


def _in_address(fields: Mapping[str, str]) -> str:
    found = _DOI_ADDRESS.search(unquote(fields.get("url", "")) + " " + fields.get("note", ""))
    return found[1].rstrip(".,;") if found else ""


def _arxiv(fields: Mapping[str, str]) -> str:
    """Return the arXiv id that one of the fields states."""
    stated = re.fullmatch(rf"(?:arxiv\s*:\s*)?{_ARXIV_ID}", fields.get("eprint", "").strip(), re.IGNORECASE)
    if stated:
        return stated[0].split(":")[-1].strip()
    found = [_ARXIV.search(fields.get(name, "")) for name in _ARXIV_FIELDS]
    found.append(_ARXIV.match(fields.get("note", "")))  # further on it may speak of another work
    return next((match[1] for match in found if match), "")


def _is_other_archive(fields: Mapping[str, str]) -> bool:
    return bool(fields.get("eprint")) and fields.get("archiveprefix", "arxiv").casefold() not in {"arxiv", ""}
