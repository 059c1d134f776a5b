"""How a document is described: by its file, a bibliography, catalogues and people, who is believed, and what the others said. Pure.

Every statement is a `Fact` with who says it and how sure that is; the best one wins. Which entry of a bibliography a document is, is in
`matching`.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from scholarmind import identity
from scholarmind.errors import QueryError
from scholarmind.library.matching import Match, Matcher, Miss
from scholarmind.model import YEAR_FROM, BibEntry, Document, Entry, Fact, Value, by_field
from scholarmind.text.untrusted import storable

# -- facts: which value wins, and what others said

_BY_HAND = "by hand"
_THE_FILE = "the file"
_LINE = re.compile(r", line \d+")
_DOUBTFUL = 0.5  # a year of which its source is less sure is shown as a guess
_SURE_OF_FILE = 0.9  # what a file says of itself in so many words
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
            metadata |= {YEAR_FROM: chosen.source} if chosen.sure < _DOUBTFUL else {}
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


def unlined(fact: Fact) -> Fact:
    """Return what an entry says without the line in which it stands: an entry more would shift all below it."""
    return replace(fact, source=_LINE.sub("", fact.source)) if fact.by == "bibliography" else fact


def by_hand(field: str, value: Value | None) -> Fact:
    """Return what a person said of a field; nothing is surer."""
    return Fact(field=field, value=value, source=_BY_HAND, sure=1.0, by="hand")


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
            if not re.fullmatch(r"\d{4}", value) or not _FIRST_YEAR <= int(value) <= _LAST_YEAR:
                raise QueryError(
                    f"year = {value!r} is no year; write four digits between {_FIRST_YEAR} and {_LAST_YEAR}, such as year=2019"
                )
            return int(value)
        case "authors":
            names = tuple(name for part in re.split("[;；]", value) if (name := part.strip()))
            if not names:
                raise QueryError(
                    f"authors = {value!r} names nobody; separate names by ';', such as 'authors=Ada Lovelace; Alan Turing'"
                )
            return names
        case "language":
            return value.lower()
        case "doi" if not any(identity.keys(doi=value, arxiv="", title="")):
            raise QueryError(f"doi = {value!r} is no DOI; write it like 10.1000/182")
        case _:
            return value


_EMPTY: Mapping[str, Any] = {"title": "", "authors": (), "year": None, "kind": "", "source": "", "language": ""}


def _fields(document: Document) -> Iterator[tuple[str, Value]]:
    for name in _OWN:
        value: Value | None = getattr(document, name)
        if value is not None and value not in {"", ()}:
            yield name, value
    yield from ((name, value) for name, value in document.metadata.items() if name not in {*_OWN, YEAR_FROM})


def _usable_of(facts: Iterable[Fact]) -> list[Fact]:
    return [fact for given in facts if (fact := _usable(given))]


def _unspoken(document: Document, told: Collection[str]) -> Iterator[Fact]:
    """Yield what a document says of the fields that nothing was told of."""
    for name, value in _fields(document):
        if name not in told:
            yield Fact(field=name, value=value, source=_THE_FILE, sure=_SURE_OF_FILE)


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


# -- descriptions

_PLAIN = ("source", "language", "kind")


@dataclass(kw_only=True)
class Describing:
    """Describes documents, and keeps which entry of a bibliography each was matched with."""

    entries: Sequence[BibEntry]
    corrections: Mapping[str, Mapping[str, Value]]
    catalogued: Mapping[str, Sequence[Fact]] = field(default_factory=dict[str, Sequence[Fact]])
    matches: dict[str, Match] = field(default_factory=dict[str, Match])
    _matcher: Matcher | None = None

    def __post_init__(self) -> None:
        self._matcher = Matcher(self.entries) if self.entries else None

    @property
    def misses(self) -> Mapping[str, Miss]:
        """Why documents have no entry, by their ids."""
        return self._matcher.misses if self._matcher else {}

    def describe(self, entry: Entry, path: Path) -> Entry:
        """Return the entry with everything that is known of its document; its hash covers that."""
        own = tuple(fact for fact in entry.facts if fact.by == "file")
        said = _bare(entry, own)
        match = self._matcher.match(said, own, path) if self._matcher else None
        if match is None:
            self.matches.pop(said.id, None)
            found = ()
        else:
            self.matches[said.id] = match
            found = facts_of(match.entry, match.how, match.sure)
        by_hand = _by_hand(self.corrections.get(said.id, {}))
        return _described(entry, (*found, *self.catalogued.get(said.id, ()), *by_hand))


def with_facts(entry: Entry, facts: Iterable[Fact], *, by: str) -> Entry:
    """Return a stored entry with these facts in place of those that the same side brought before."""
    return _described(entry, (*(fact for fact in entry.facts if fact.by not in {"file", by}), *facts))


def corrected(entry: Entry, corrections: Mapping[str, Value]) -> Entry:
    """Return a stored entry as a person describes it now."""
    return with_facts(entry, _by_hand(corrections), by="hand")


def _described(entry: Entry, others: Sequence[Fact]) -> Entry:
    own = tuple(fact for fact in entry.facts if fact.by == "file")
    said = _bare(entry, own)
    facts = (*own, *_spelled_out(said, own, others), *others)
    document = settled(said, facts)
    return replace(entry, document=document, facts=facts, hash=_hash(entry.hash, document, facts))


def _hash(before: str, document: Document, facts: Iterable[Fact]) -> str:
    """Return the hash of the reading, and behind it that of the description: the same in whatever order and line things were said."""
    read, _, _ = before.partition("-")
    said = sorted(repr(unlined(fact)) for fact in facts if fact.source != _THE_FILE)
    fields = replace(document, metadata=dict(sorted(document.metadata.items())))
    told = hashlib.sha256(f"{fields!r} {said!r}".encode("utf-8", "replace")).hexdigest()
    return f"{read}-{told}"


def _by_hand(corrections: Mapping[str, Value]) -> Iterator[Fact]:
    for name, value in corrections.items():
        yield by_hand(name, value)


def _bare(entry: Entry, own: Sequence[Fact]) -> Document:
    """Return the document as its own file describes it: without what others had said of it."""
    said_of = {fact.field for fact in entry.facts if fact.by != "file"}
    return settled(_without(entry.document, said_of), own)


def _spelled_out(document: Document, own: Sequence[Fact], others: Iterable[Fact]) -> Iterator[Fact]:
    """Yield what the file says of fields that others speak of too, so that it can be told, and taken up again."""
    known = {fact.field for fact in own}
    for name in dict.fromkeys(fact.field for fact in others):
        value = (
            getattr(document, name) if name in {"title", "authors", "year", *_PLAIN} else document.metadata.get(name)
        )
        if name not in known and value not in {None, "", ()}:
            yield Fact(field=name, value=value, source=_THE_FILE, sure=_SURE_OF_FILE)


def _without(document: Document, names: set[str]) -> Document:
    plain = {name: "" for name in (*_PLAIN, "title") if name in names}
    return replace(
        document,
        **plain,
        authors=() if "authors" in names else document.authors,
        year=None if "year" in names else document.year,
        metadata={key: value for key, value in document.metadata.items() if key not in names},
    )
