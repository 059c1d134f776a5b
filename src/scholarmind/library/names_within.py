"""The names that a library knows, as far as documents have them that may be seen: who may not see a document hears none of its names."""

from collections.abc import Sequence
from typing import Protocol

from scholarmind.filters import Compare, Filter, both
from scholarmind.library_ports import Catalog
from scholarmind.model import Name
from scholarmind.naming import TITLES
from scholarmind.ports import Names


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
