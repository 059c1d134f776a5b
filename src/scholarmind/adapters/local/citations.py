"""Documents and passages that are linked by references: one points at a work in its list, the other is that work."""

from collections.abc import Collection, Iterable, Sequence

from scholarmind.adapters.local.access import look_up
from scholarmind.adapters.local.database import Database

Span = tuple[int, int, int]  # a document, and characters of its text
_MOST_DOCUMENTS = 20  # a work that more documents claim to be links nothing
_MOST_CITING = 200  # documents of which the passages are looked at, the latest
# CROSS JOIN keeps SQLite to our order: by itself it looks through every reference of a document for each pointer
_FROM_POINTERS = """
    CROSS JOIN json_each(p."references") r CROSS JOIN cited_keys k ON k.document = p.document AND k.position = r.value
    CROSS JOIN work_keys w ON w.key = k.key
"""
_POINTED_AT = f"""
    SELECT DISTINCT w.key, w.document FROM pointers p {_FROM_POINTERS}
    WHERE p.document = ? AND p.start >= ? AND p.start < ?
"""  # noqa: S608
_POINTING = f"""
    SELECT DISTINCT n.number, w.document, n.document FROM passages n
    CROSS JOIN pointers p ON p.document = n.document AND p.start >= n.start AND p.start < n."end" {_FROM_POINTERS}
    WHERE n.number IN ({{}})
"""  # noqa: S608
_CITING = f"""
    SELECT DISTINCT k.document FROM work_keys w CROSS JOIN cited_keys k ON k.key = w.key
    WHERE w.document = ? AND k.document <> w.document ORDER BY k.document DESC LIMIT {_MOST_CITING}
"""  # noqa: S608


def documents_pointed_at(database: Database, spans: Iterable[Span]) -> set[int]:
    """Return the documents that are works at which one of these stretches of text points."""
    found: set[int] = set()
    for span in spans:
        works: dict[str, set[int]] = {}
        for key, document in database.rows(_POINTED_AT, span):
            works.setdefault(key, set()).add(document)
        found.update(*(some for some in works.values() if len(some) <= _MOST_DOCUMENTS))
    return found


def documents_citing(database: Database, documents: Iterable[int]) -> set[int]:
    """Return documents that have one of these among their references."""
    return {row[0] for document in documents for row in database.rows(_CITING, (document,))}


def passages_pointing(database: Database, passages: Sequence[int], documents: Collection[int]) -> set[int]:
    """Return those of the passages that point at one of these documents, other than their own."""
    rows = look_up(database, _POINTING, passages)
    return {passage for passage, work, own in rows if work in documents and work != own}
