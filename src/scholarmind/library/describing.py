"""What a document is taken for: what its file says, what a bibliography and catalogues say of it, and what a person corrected."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from scholarmind.library.facts import SURE_OF_FILE, THE_FILE, by_hand, facts_of, settled
from scholarmind.library.matching import Match, Matcher, Miss
from scholarmind.model import BibEntry, Document, Entry, Fact, Value

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
        said = bare(entry, own)
        found = self._from_bibliography(said, own, path)
        by_hand = _by_hand(self.corrections.get(said.id, {}))
        return _described(entry, (*found, *self.catalogued.get(said.id, ()), *by_hand))

    def _from_bibliography(self, document: Document, own: Sequence[Fact], path: Path) -> Iterable[Fact]:
        match = self._matcher.match(document, own, path) if self._matcher else None
        if match is None:
            self.matches.pop(document.id, None)
            return ()
        self.matches[document.id] = match
        return facts_of(match.entry, match.how, match.sure)


def with_facts(entry: Entry, facts: Iterable[Fact], *, by: str) -> Entry:
    """Return a stored entry with these facts in place of those that the same side brought before."""
    return _described(entry, (*(fact for fact in entry.facts if fact.by not in {"file", by}), *facts))


def corrected(entry: Entry, corrections: Mapping[str, Value]) -> Entry:
    """Return a stored entry as a person describes it now."""
    return with_facts(entry, _by_hand(corrections), by="hand")


def _described(entry: Entry, others: Sequence[Fact]) -> Entry:
    own = tuple(fact for fact in entry.facts if fact.by == "file")
    said = bare(entry, own)
    facts = (*own, *_spelled_out(said, own, others), *others)
    document = settled(said, facts)
    return replace(entry, document=document, facts=facts, hash=_hash(entry.hash, document, facts))


def _hash(before: str, document: Document, facts: Iterable[Fact]) -> str:
    """Return the hash of the reading, and behind it that of the description: the same in whatever order things were said."""
    read, _, _ = before.partition("-")
    said = sorted(repr(fact) for fact in facts if fact.source != THE_FILE)
    fields = replace(document, metadata=dict(sorted(document.metadata.items())))
    told = hashlib.sha256(f"{fields!r} {said!r}".encode("utf-8", "replace")).hexdigest()
    return f"{read}-{told}"


def _by_hand(corrections: Mapping[str, Value]) -> Iterator[Fact]:
    for name, value in corrections.items():
        yield by_hand(name, value)


def bare(entry: Entry, own: Sequence[Fact]) -> Document:
    """Return the document as its own file describes it: without what others had said of it."""
    said_of = {fact.field for fact in entry.facts if fact.by != "file"}
    return settled(_without(entry.document, said_of), own)


def _spelled_out(document: Document, own: Sequence[Fact], others: Iterable[Fact]) -> Iterator[Fact]:
    """Yield what the file says of fields that others speak of too, so that it can be told, and taken up again."""
    known = {fact.field for fact in own}
    for name in dict.fromkeys(fact.field for fact in others):
        value = _value(document, name)
        if name not in known and value not in {None, "", ()}:
            yield Fact(field=name, value=value, source=THE_FILE, sure=SURE_OF_FILE)


def _value(document: Document, name: str) -> Value | None:
    if name in {"title", "authors", "year", *_PLAIN}:
        return getattr(document, name)
    return document.metadata.get(name)


def _without(document: Document, names: set[str]) -> Document:
    plain = {name: "" for name in (*_PLAIN, "title") if name in names}
    return replace(
        document,
        **plain,
        authors=() if "authors" in names else document.authors,
        year=None if "year" in names else document.year,
        metadata={key: value for key, value in document.metadata.items() if key not in names},
    )
