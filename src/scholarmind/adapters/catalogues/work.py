"""A work as a catalogue describes it, what it is asked, and the facts that follow from its answer."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, cast
from urllib.parse import quote, urlencode

from scholarmind import identity
from scholarmind.model import Document, Fact, Value
from scholarmind.text.untrusted import storable

SURE = 0.93  # below a matched bibliography, above what the file says of itself
_LONGEST = 2_000
_MOST_AUTHORS = 5_000
_MOST_WORDS = 25
_TAG = re.compile(r"</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>")
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_YEARS = range(1000, 2200)
_IN_BOOKS = frozenset("proceedings-article book-chapter book-section book-part reference-entry conference".split())


class UnusableAnswerError(Exception):
    """The answer is not what a catalogue gives; the reason is the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkIdentifiers:
    """All that leaves this machine of a document: its DOI, its arXiv id, its title where that is one work's own ('' for none)."""

    doi: str
    arxiv: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request: the path below the catalogue's address, and its parameters."""

    path: str
    parameters: tuple[tuple[str, str], ...] = ()

    def address(self, *more: tuple[str, str]) -> str:
        """Return path and query, with further parameters."""
        query = urlencode((*self.parameters, *more))
        return f"{self.path}?{query}" if query else self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueWork:
    """What a catalogue says of one work."""

    title: str
    short_title: str = ""  # without the subtitle, if it has one
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str = ""
    arxiv: str = ""
    kind: str = ""
    venue: str = ""
    volume: str = ""
    number: str = ""
    pages: str = ""
    publisher: str = ""


class Catalogue(Protocol):
    """One catalogue: how it is asked and how its answers are read. `seconds_apart` is what it asks of its users."""

    name: str
    base_url: str
    seconds_apart: float
    courtesy: tuple[tuple[str, str], ...]  # parameters that say who asks

    def questions(self, asked: WorkIdentifiers) -> Iterator[Question]: ...
    def works(self, answer: bytes) -> list[CatalogueWork]: ...


def asked_of(document: Document) -> WorkIdentifiers:
    """Return what may be asked about a document."""
    keys = (key.partition(":") for key in identity.keys_of(document))
    found = {kind: value for kind, _, value in keys}
    title = " ".join(document.title.split())[:_LONGEST] if "title" in found else ""
    return WorkIdentifiers(doi=found.get("doi", ""), arxiv=found.get("arxiv", ""), title=title)


def facts_of(work: CatalogueWork, catalogue: str) -> tuple[Fact, ...]:
    """Return what the catalogue says, field by field."""
    fields: dict[str, Value | None] = {
        "title": work.title,
        "authors": work.authors,
        "year": work.year,
        "kind": work.kind,
        "doi": work.doi,
        "arxiv": work.arxiv,
        "booktitle" if work.kind in _IN_BOOKS else "journal": work.venue,
        "volume": work.volume,
        "number": work.number,
        "pages": work.pages,
        "publisher": work.publisher,
    }
    return tuple(
        Fact(field=field, value=value, source=catalogue, sure=SURE, by="catalogue")
        for field, value in fields.items()
        if value
    )


def stored(works: Sequence[CatalogueWork]) -> list[dict[str, Any]]:
    """Return works as they are put into JSON."""
    return [asdict(work) for work in works]


def restored(rows: Any) -> list[CatalogueWork]:
    """Return works from JSON; raises TypeError where it holds something else."""
    return [CatalogueWork(**row | {"authors": tuple(row["authors"])}) for row in rows]


def in_path(identifier: str, safe: str = "") -> str:
    """Return a DOI as part of a path; no '..' in it leads elsewhere."""
    return quote(identifier, safe=safe).replace("/.", "/%2E")


def words_of(title: str) -> str:
    """Return the bare words of a title: no sign in it is taken for an operator, a wildcard or a second filter."""
    words = _WORD.findall(_POSSESSIVE.sub("", storable(title)).lower())
    return " ".join(words[:_MOST_WORDS])


def text(value: Any) -> str:
    """Return a field as plain text in one line, without tags; the first of several; '' for anything else."""
    if isinstance(value, list):
        return text(cast("list[Any]", value)[0]) if value else ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    plain = html.unescape(_TAG.sub("", str(value)[: 2 * _LONGEST]))
    return storable(" ".join(_UNSEEN.sub(" ", plain).split()))[:_LONGEST]


def names(values: Sequence[str]) -> tuple[str, ...]:
    """Return the names that are none, without doubles."""
    return tuple(dict.fromkeys(name for name in values[:_MOST_AUTHORS] if name))


def year(value: Any) -> int | None:
    """Return a year, if it is one."""
    number = int(value[:4]) if isinstance(value, str) and value[:4].isdecimal() else value
    return number if isinstance(number, int) and not isinstance(number, bool) and number in _YEARS else None


def plain_doi(value: Any) -> str:
    """Return a DOI without the address of its resolver."""
    return re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", text(value), flags=re.IGNORECASE)


def mapping(value: Any) -> Mapping[str, Any]:
    """Return an object of JSON; an empty one for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def objects(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list of JSON."""
    return (
        [mapping(item) for item in cast("list[Any]", value) if isinstance(item, dict)]
        if isinstance(value, list)
        else []
    )
