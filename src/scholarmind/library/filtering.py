"""What is asked for, held against what the library has: fields, documents by their names, vectors that are still to come.

Names are known as far as documents have them that may be seen: who may not see a document hears none of its names.
"""

import difflib
from collections.abc import Sequence
from typing import Protocol

from scholarmind.errors import QueryError
from scholarmind.filters import AllOf, Compare, Filter, both, fields_of, written
from scholarmind.identity import TITLES
from scholarmind.library.bibliographies import documents_with_key
from scholarmind.library_ports import Bibliographies, Catalog
from scholarmind.model import Name
from scholarmind.ports import Names
from scholarmind.text.language import language_of

# -- fields and documents

_CORRECTED_FIELDS = ("title", "authors", "year", "kind", "source", "language")
_MISSPELT = 0.75
_OWN_FIELDS = ("collection", "id", "title", "author", "year", "source", "language", "kind", "called")
_OTHER_NAMES = {
    "authors": "author",
    "type": "kind",
    "lang": "language",
    "date": "year",
    "published": "year",
    "name": "title",
}

_MOST_NAMED = 5
_WAITING = {
    "en": "{count:,} passages have no vectors yet and are found by keywords only: 'scholarmind add' goes on with them",
    "zh": "还有 {count:,} 个段落没有向量，目前只能按关键词找到；运行 scholarmind add 会继续生成",
}

_EMPTIED = {"en": "no document passes the filter {filter}", "zh": "没有文档符合筛选条件 {filter}"}


async def check_fields(catalog: Catalog, filter: Filter | None) -> None:
    """Refuse a filter on a field that no document has, with the name that was probably meant."""
    asked = {field.partition(".")[0] if field.startswith("called.") else field for field in fields_of(filter)}
    if not asked.difference(_OWN_FIELDS):
        return
    stored = await catalog.fields()
    known = [*_OWN_FIELDS, *sorted(stored - set(_OWN_FIELDS))]
    if stored and (unknown := sorted(asked.difference(known))):
        raise QueryError(f"no document has a field {unknown[0]!r}{_nearest_field(unknown[0], known)}")


def _nearest_field(name: str, known: list[str]) -> str:
    """Return the end of a message on an unknown field: which one was probably meant, or which there are."""
    by_other_name = _OTHER_NAMES.get(name.casefold())
    near = [by_other_name] if by_other_name in known else difflib.get_close_matches(name.casefold(), known, 1, 0.6)
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known[:20])}"


def check_correction(field: str, stored: frozenset[str]) -> None:
    """Refuse to correct a field that is nearly the name of another; a new name is a new field."""
    known = [*_CORRECTED_FIELDS, *sorted(stored)]
    if field not in known and (near := difflib.get_close_matches(field, known, 1, _MISSPELT)):
        raise QueryError(f"no document has a field {field!r}; did you mean {near[0]!r}?")


async def emptied(catalog: Catalog, filter: Filter, question: str) -> str:
    """Say in the language of a question that this filter lets nothing pass, and which part of it; '' if something does."""
    if await catalog.documents(filter, 1):
        return ""
    parts = filter.parts if isinstance(filter, AllOf) else ()
    empty = [part for part in parts if not await catalog.documents(part, 1)]
    told = _EMPTIED["zh" if language_of(question) == "zh" else "en"]
    return told.format(filter=written(empty[0] if empty else filter))


async def without_vectors(catalog: Catalog, question: str) -> tuple[str, ...]:
    """Say in the language of a question that passages wait for their vectors, if any do."""
    waiting = sum(counts.waiting for counts in (await catalog.counts()).values())
    told = _WAITING["zh" if language_of(question) == "zh" else "en"]
    return (told.format(count=waiting),) if waiting else ()


class Documents(Catalog, Bibliographies, Protocol):
    """The documents of a library, and the user's own bibliographies of them."""


async def resolve(store: Documents, named: str, collection: str) -> str:
    """Return the id of the document that is meant: by its id, the user's citation key, the beginning of its id, its title or an alias."""
    found = await _meant(store, named, collection)
    if len(found) == 1:
        return found[0]
    if found:
        told = ", ".join(found[:_MOST_NAMED]) + (" ..." if len(found) > _MOST_NAMED else "")
        raise QueryError(f"{named!r} may be any of {len(found)} documents: {told}")
    known = [document.id for document in await store.documents(Compare("collection", "=", collection))]
    near = difflib.get_close_matches(named, known, 3, 0.6)
    advice = f"did you mean {' or '.join(map(repr, near))}?" if near else "'scholarmind search' shows ids"
    raise QueryError(f"there is no document {named!r} in {collection!r}; {advice}")


async def resolve_anywhere(store: Documents, named: str, first: str = "default") -> tuple[str, str]:
    """Return the collection and the id of the document that is meant: of the `first` collection, else of the only other one that has it."""
    collections = sorted(await store.counts())
    meant = {place: found for place in collections if (found := await _meant(store, named, place))}
    if first not in meant and len(meant) > 1:
        raise QueryError(f"{named!r} is in the collections {', '.join(meant)}; say in which with --collection")
    place = first if first in meant else next(iter(meant or collections), first)
    if not meant and len(collections) > 1:
        raise QueryError(f"there is no document {named!r} in any of the collections {', '.join(collections)}")
    return place, await resolve(store, named, place)


async def _meant(store: Documents, named: str, collection: str) -> list[str]:
    """Return the ids of the documents that may be meant, by the first way in which there is any."""
    within = Compare("collection", "=", collection)

    async def ids(meant: Compare) -> list[str]:
        return [document.id for document in await store.documents(AllOf((within, meant)))]

    if await ids(Compare("id", "=", named)):
        return [named]
    documents, listed = await store.documents(within), await store.listed(collection)
    if found := documents_with_key(named, documents, listed):
        return found
    begun = [id for id in await ids(Compare("id", "~", named)) if id.startswith(named)] if named else []
    return (
        begun or await ids(Compare("called", "=", named)) or documents_with_key(named, documents, listed, exactly=False)
    )


# -- names within a filter


class _Named(Names, Catalog, Protocol):
    """Knows names, and the documents that have them."""


class NamesWithin:
    """Finds the names of a store in texts, and leaves out those that no document has which passes a filter."""

    def __init__(self, store: _Named, within: Filter) -> None:
        self._store = store
        self._within = within

    async def names(self, texts: Sequence[str]) -> list[tuple[Name, ...]]:
        """Return the names in each of these texts that may be known."""
        found = await self._store.names(texts)
        known = {(name.field, name.value): await self._is_known(name) for each in found for name in each}
        return [tuple(name for name in each if known[name.field, name.value]) for each in found]

    async def _is_known(self, name: Name) -> bool:
        field = "called" if name.field in TITLES else f"called.{name.field}"
        named = both(self._within, Compare(field, "=", name.value))
        return bool(await self._store.documents(named, limit=1))
