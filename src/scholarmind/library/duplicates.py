"""Documents that are the same work: two that share a key of `identity.keys_of`, or their whole text.

Both stay; that they are one work is only told: of new documents, which are works that the library has already, as a preprint, a
publication, or another copy. So a doubtful pair is not told: yearly reports and every "Introduction" share their titles.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from scholarmind import identity
from scholarmind.filters import AllOf, AnyOf, Compare
from scholarmind.library_ports import Catalog, Shelf
from scholarmind.model import Document, Entry, Problem
from scholarmind.text.likeness import share_people, title_of

# -- two documents

Kind = Literal["content", "DOI", "arXiv", "preprint", "title"]
_MOST_YEARS_APART = 2
_PREPRINT_KINDS = frozenset({"preprint", "posted-content", "submitted"})
_PREPRINT_SERVERS = (
    "arxiv",
    "biorxiv",
    "medrxiv",
    "chemrxiv",
    "psyarxiv",
    "ssrn",
    "research square",
    "techrxiv",
    "corr",
)

_PREPRINT_DOIS = tuple(  # of bioRxiv, Research Square, ChemRxiv, PsyArXiv, OSF, SSRN, preprints.org, TechRxiv
    f"doi:10.{number}/" for number in (1101, 21203, 26434, 31234, 31219, 2139, 20944, 36227)
)

_VENUES = ("journal", "journaltitle", "booktitle", "container-title", "venue", "publisher")


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """A document that is the same work as `other`, and by what."""

    document: Document
    other: Document
    kind: Kind

    def __str__(self) -> str:
        first, second = _called(self.document), _called(self.other)
        match self.kind:
            case "content":
                return f"{first} has the same content as {second}; one of them can go"
            case "preprint":
                preprint = (first, second) if _is_preprint(self.document) else (second, first)
                return f"{preprint[0]} is the preprint of {preprint[1]}; cite the publication"
            case "title":
                return f"{first} has the same title as {second}; they may be versions of one work"
            case _:
                return f"{first} has the same {self.kind} as {second}; they are one work"


def duplicates(
    document: Document, others: Iterable[Document], *, same_content: Collection[str] = ()
) -> tuple[Duplicate, ...]:
    """Return which of the others are the same work; `same_content` holds the ids of those with the same text."""
    return tuple(_found(document, others, same_content))


def _found(document: Document, others: Iterable[Document], same_content: Collection[str]) -> Iterator[Duplicate]:
    keys = frozenset(identity.keys_of(document))
    for other in others:
        if (other.collection, other.id) == (document.collection, document.id):
            continue
        kind = "content" if other.id in same_content else _kind(document, other, keys)
        if kind:
            yield Duplicate(document=document, other=other, kind=kind)


def _kind(document: Document, other: Document, keys: frozenset[str]) -> Kind | None:
    others = frozenset(identity.keys_of(other))
    shared = keys & others
    one_is_preprint = _is_preprint(document) != _is_preprint(other)
    if one_is_preprint and shared and (_has(shared, "arxiv:") or _titles_tell(document, other)):
        return "preprint"
    if _has(shared, "doi:"):
        return "DOI"
    if _has(shared, "arxiv:"):
        return "arXiv"
    if not _has(shared, "title:") or not _titles_tell(document, other):
        return None
    apart = _has(keys, "doi:") and _has(others, "doi:")
    return None if apart and not share_people(document.authors, other.authors) else "title"


def _titles_tell(document: Document, other: Document) -> bool:
    """Tell whether the same title means the same work: not if it is one that many have, nor if years and authors contradict."""
    if not title_of(document.title).names_a_work:
        return False
    shared = share_people(document.authors, other.authors)
    apart = abs(document.year - other.year) if document.year and other.year else 0
    return bool(shared) or apart <= _MOST_YEARS_APART


def _is_preprint(document: Document) -> bool:
    """Tell whether a document says that it is a preprint, and not that it came out since."""
    told = [str(document.metadata.get(name, "")).casefold().strip() for name in _VENUES]
    if any(venue and not venue.startswith(_PREPRINT_SERVERS) for venue in told):
        return False
    if document.kind.casefold() in _PREPRINT_KINDS or any(told):
        return True
    keys = frozenset(identity.keys_of(document))
    return any(key.startswith(_PREPRINT_DOIS) for key in keys) or (_has(keys, "arxiv:") and not _has(keys, "doi:"))


def _has(keys: Iterable[str], kind: str) -> bool:
    return any(key.startswith(kind) for key in keys)


def _called(document: Document) -> str:
    year = f", {document.year}" if document.year else ""
    return f"{document.id} ({document.title}{year})" if document.title else document.id


# -- new documents and the library

_NO_PAPERS = frozenset({"record", "note", "text", "table", "mail", "notebook"})  # many of those share a title


class _Store(Catalog, Shelf, Protocol):
    """The documents of a library, and how they hang together."""


async def duplicates_in_library(
    store: _Store, collection: str, entries: Sequence[Entry], going: Mapping[str, Collection[tuple[str, str]]]
) -> list[Problem]:
    """Return a problem for each new document that is a work of another one; nothing has to be done about it.

    `going` are for each new document the origins and ids of entries without a file that go because this is their file.
    """
    new = {entry.document.id: entry.document for entry in entries if entry.document.kind not in _NO_PAPERS}
    keys: dict[str, set[str]] = {}
    for document in new.values():
        for key in identity.keys_of(document):
            keys.setdefault(key, set()).add(document.id)
    same = await store.same(collection, list(keys)) if keys else []
    wanted = {id for key, id in same if keys[key] != {id}}
    if not wanted:
        return []
    ids = AnyOf(tuple(Compare("id", "=", id) for id in sorted(wanted)))
    others = await store.documents(AllOf((Compare("collection", "=", collection), ids)))
    known = {document.id: document for document in others if document.kind not in _NO_PAPERS}
    return [
        _problem(found)
        for found in _pairs(new, known)
        if (found.other.origin, found.other.id) not in going.get(found.document.id, ())
    ]


def _pairs(new: Mapping[str, Document], known: Mapping[str, Document]) -> Iterator[Duplicate]:
    """Yield each pair once, also where both are new."""
    for document in new.values():
        others = (other for other in known.values() if other.id not in new or other.id > document.id)
        yield from duplicates(document, others)


def _problem(found: Duplicate) -> Problem:
    advice = f"both are kept; remove one with: scholarmind remove {found.other.id}"
    return Problem(where=found.document.origin, reason=str(found), advice=advice, lasting=True)
