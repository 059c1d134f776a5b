"""What every store tells of what changed since."""

from typing import Any

import pytest

from scholarmind.library_ports import LibraryChanges, Store
from scholarmind.model import Document, Entry, Passage

pytestmark = pytest.mark.anyio


def entry(name: str, text: str = "Some words.") -> Entry:
    """Return a document of one passage."""
    passage = Passage(text=text, start=0, end=len(text), position=0)
    return Entry(document=Document(id=name, title=name), text=text, hash=text, passages=(passage,))


async def names_since(store: Store, change: int) -> tuple[list[str], int, bool]:
    """Return what changed, in short."""
    found = await store.since(change)
    return [document.id for document in found.documents], found.removals, found.vectors


async def test_documents_that_came_came_anew_and_went(store: Any) -> None:
    assert await store.since(0) == LibraryChanges()
    await store.put([entry("a"), entry("b")])
    now = store.database.last_change()
    assert await names_since(store, now) == ([], 0, False)
    await store.put([entry("c"), entry("a", "Other words.")])
    await store.remove("default", ["b"])
    assert await names_since(store, now) == (["c", "a"], 2, False)
    assert await names_since(store, 0) == (["c", "a"], 2, False)


async def test_vectors_that_came(store: Any) -> None:
    await store.put([entry("a")])
    now = store.database.last_change()
    (waiting,) = await store.waiting(10)
    await store.fill({waiting.number: None})
    assert await names_since(store, now) == ([], 0, True)
