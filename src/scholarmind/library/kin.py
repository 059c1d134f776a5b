"""Tell which new documents are works that the library has already: as a preprint, a publication, or another copy."""

from collections.abc import Iterator, Mapping, Sequence

from scholarmind import identity
from scholarmind.filters import AllOf, AnyOf, Compare
from scholarmind.library.duplicates import Duplicate, duplicates
from scholarmind.library_ports import Catalog, Shelf
from scholarmind.model import Document, Entry, Problem

_NO_PAPERS = frozenset({"record", "note", "text", "table", "mail", "notebook"})  # many of those share a title


async def kin(catalog: Catalog, shelf: Shelf, collection: str, entries: Sequence[Entry]) -> list[Problem]:
    """Return a problem for each new document that is a work of another one; nothing has to be done about it."""
    new = {entry.document.id: entry.document for entry in entries if entry.document.kind not in _NO_PAPERS}
    keys: dict[str, set[str]] = {}
    for document in new.values():
        for key in identity.keys_of(document):
            keys.setdefault(key, set()).add(document.id)
    same = await shelf.same(collection, list(keys)) if keys else []
    wanted = {id for key, id in same if keys[key] != {id}}
    if not wanted:
        return []
    ids = AnyOf(tuple(Compare("id", "=", id) for id in sorted(wanted)))
    others = await catalog.documents(AllOf((Compare("collection", "=", collection), ids)))
    known = {document.id: document for document in others if document.kind not in _NO_PAPERS}
    return [_problem(found) for found in _pairs(new, known)]


def _pairs(new: Mapping[str, Document], known: Mapping[str, Document]) -> Iterator[Duplicate]:
    """Yield each pair once, also where both are new."""
    for document in new.values():
        others = (other for other in known.values() if other.id not in new or other.id > document.id)
        yield from duplicates(document, others)


def _problem(found: Duplicate) -> Problem:
    advice = f"both are kept; remove one with: scholarmind remove {found.other.id}"
    return Problem(where=found.document.origin, reason=str(found), advice=advice, lasting=True)
