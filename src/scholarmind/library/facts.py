"""What is known of a document, by whom, and how sure that is: which value wins, and what the others said. Pure."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from scholarmind import identity
from scholarmind.errors import QueryError
from scholarmind.model import CREATION, YEAR_FROM, BibEntry, Document, Fact, Value, by_field
from scholarmind.text.names import storable

BY_HAND = "by hand"
THE_FILE = "the file"
SURE_OF_FILE = 0.9  # what a file says of itself in so many words
_OWN = ("title", "authors", "year", "kind", "source", "language")
_NEVER = frozenset({"id", "collection", "origin", "metadata", "text", "hash"})  # a document would become another one
_OTHER_NAMES = {"author": "authors", "type": "kind", "lang": "language"}
_HOUSEKEEPING = frozenset(  # what programs note for themselves in a bibliography
    "file date-added date-modified added modified timestamp owner groups username rating ranking readstatus qualityassured "
    "__markedentry creationdate modificationdate local-url abstract annote bibsource biburl mendeley-groups mendeley-tags".split()
)
_FIELD = re.compile(r"[^\W\d][\w.-]*")
_LONGEST = 10_000
_FIRST_YEAR, _LAST_YEAR = 1000, 2199


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A field as it was settled: its value (None: known to be empty), who said so, and what else was said, the surest first."""

    field: str
    value: Value | None
    source: str
    sure: float
    others: tuple[Fact, ...] = ()


def settled(document: Document, facts: Iterable[Fact]) -> Document:
    """Return the document with each field as its surest fact has it."""
    own: dict[str, Any] = {}
    metadata = dict(document.metadata)
    for fact in by_field(spoken(document, facts)).values():
        chosen = fact[0]
        if chosen.field in _OWN:
            own[chosen.field] = _EMPTY[chosen.field] if chosen.value is None else chosen.value
        elif chosen.value is None:
            metadata.pop(chosen.field, None)
        else:
            metadata[chosen.field] = chosen.value
        if chosen.field == "year":
            metadata.pop(YEAR_FROM, None)
            metadata |= {YEAR_FROM: CREATION} if chosen.source == CREATION else {}
    return replace(document, **own, metadata=metadata)


def spoken(document: Document, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return all facts, with one for each field that only the document itself carries; keep these: `settled` forgets who lost."""
    usable = _usable_of(facts)
    return (*_unspoken(document, {fact.field for fact in usable if fact.by == "file"}), *usable)


def explained(document: Document, facts: Iterable[Fact]) -> list[Explained]:
    """Return what is known of each field of a document as it was settled by these facts, the document's own fields first."""
    usable = _usable_of(facts)
    known = by_field((*_unspoken(document, {fact.field for fact in usable}), *usable))
    order = [field for field in _OWN if field in known] + sorted(known.keys() - set(_OWN))
    return [
        Explained(field=field, value=first.value, source=first.source, sure=first.sure, others=tuple(others))
        for field in order
        for first, *others in [known[field]]
    ]


def facts_of(entry: BibEntry, how: str, sure: float) -> tuple[Fact, ...]:
    """Return what an entry of a bibliography says of the document that it was matched with, by `how` (see `Match`)."""
    source = f"{PurePath(entry.document.origin).name}, line {entry.line}" + (" (by title)" if how == "title" else "")
    return tuple(
        Fact(field=field, value=value, source=source, sure=sure, by="bibliography")
        for field, value in _fields(entry.document)
        if field not in _HOUSEKEEPING and not field.startswith("bdsk-")
    )


def by_hand(field: str, value: Value | None) -> Fact:
    """Return what a person said of a field; nothing is surer."""
    return Fact(field=field, value=value, source=BY_HAND, sure=1.0, by="hand")


def parse_correction(text: str) -> tuple[str, Value | None]:
    """Take `field=value` apart; no value takes the correction of the field back."""
    name, sign, rest = storable(text).partition("=")
    field = " ".join(name.split()).lower()
    field = _OTHER_NAMES.get(field, field)
    if not sign or not field:
        raise QueryError(
            f"{text!r} is no correction; write field=value, such as year=2019 or 'authors=Ada Lovelace; Alan Turing'"
        )
    if field in _NEVER:
        raise QueryError(
            f"{field!r} cannot be corrected; title, authors, year, kind, source, language and any other field can"
        )
    if not _FIELD.fullmatch(field):
        raise QueryError(
            f"{field!r} is no name of a field; use letters, digits, '-', '_' and '.', such as publisher=Springer"
        )
    value = " ".join(rest.split())
    if len(value) > _LONGEST:
        raise QueryError(f"the value of {field!r} has {len(value):,} characters; {_LONGEST:,} are the most")
    return field, (_checked(field, value) if value else None)


def _checked(field: str, value: str) -> Value:
    match field:
        case "year":
            return _year(value)
        case "authors":
            return _authors(value)
        case "language":
            return value.lower()
        case "doi" if not any(identity.keys(doi=value, arxiv="", title="")):
            raise QueryError(f"doi = {value!r} is no DOI; write it like 10.1000/182")
        case _:
            return value


def _year(value: str) -> int:
    if not re.fullmatch(r"\d{4}", value) or not _FIRST_YEAR <= int(value) <= _LAST_YEAR:
        raise QueryError(
            f"year = {value!r} is no year; write four digits between {_FIRST_YEAR} and {_LAST_YEAR}, such as year=2019"
        )
    return int(value)


def _authors(value: str) -> tuple[str, ...]:
    names = tuple(name for part in re.split("[;；]", value) if (name := part.strip()))
    if not names:
        raise QueryError(
            f"authors = {value!r} names nobody; separate names by ';', such as 'authors=Ada Lovelace; Alan Turing'"
        )
    return names


_EMPTY: Mapping[str, Any] = {"title": "", "authors": (), "year": None, "kind": "", "source": "", "language": ""}


def _fields(document: Document) -> Iterator[tuple[str, Value]]:
    for field in _OWN:
        value: Value | None = getattr(document, field)
        if value is not None and value not in {"", ()}:
            yield field, value
    yield from ((field, value) for field, value in document.metadata.items() if field not in {*_OWN, YEAR_FROM})


def _usable_of(facts: Iterable[Fact]) -> list[Fact]:
    return [fact for given in facts if (fact := _usable(given))]


def _unspoken(document: Document, told: Collection[str]) -> Iterator[Fact]:
    """Yield what a document says of the fields that nothing was told of."""
    for field, value in _fields(document):
        if field not in told:
            yield Fact(field=field, value=value, source=THE_FILE, sure=SURE_OF_FILE)


def _usable(fact: Fact) -> Fact | None:
    """Return the fact with its value in the form that its field has; what cannot be brought into it says nothing."""
    if fact.field in _NEVER or not fact.field:
        return None
    if fact.value is None:
        return fact
    value = _as_field(fact.field, fact.value)
    return None if value is None else fact if value == fact.value else replace(fact, value=value)


def _as_field(field: str, value: Value) -> Value | None:
    if field == "year":
        found = re.fullmatch(r"\s*([12]\d{3})\s*", str(value))
        return int(found[1]) if found else None
    if field == "authors":
        names = value if isinstance(value, tuple) else (value,)
        return tuple(str(name) for name in names if str(name).strip())
    if field in _OWN:
        return "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return value
