"""A stored document as a whole, and how documents hang together. Which document a reference means is asked anew each time."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from scholarmind.adapters.local import records, related, sums
from scholarmind.adapters.local.access import Access, look_up
from scholarmind.layout import Layout
from scholarmind.library_ports import Cited, Since
from scholarmind.model import Entry, Fact
from scholarmind.text.names import storable

_ONE = "FROM documents d JOIN collections c ON c.number = d.collection {} WHERE c.name = ? AND d.id = ?"
_ENTRY = f"SELECT {records.DOCUMENT_COLUMNS}, d.number, d.hash, t.text, l.packed " + _ONE.format(
    "JOIN texts t ON t.document = d.number LEFT JOIN layouts l ON l.document = d.number"
)
_PASSAGES = f"SELECT {records.PASSAGE_COLUMNS} FROM passages p WHERE p.document = ? ORDER BY p.number"  # noqa: S608
_FACTS = f"SELECT {related.FACT_COLUMNS} FROM facts f WHERE f.document = ? ORDER BY f.position"  # noqa: S608
_REFERENCES = f"SELECT {related.REFERENCE_COLUMNS} FROM cited r WHERE r.document = ? ORDER BY r.position"  # noqa: S608
_POINTERS = f"SELECT {related.POINTER_COLUMNS} FROM pointers p WHERE p.document = ? ORDER BY p.position"  # noqa: S608
# CROSS JOIN keeps SQLite to our order, from keys to documents; by itself it may look through all documents of the collection.
# A reference means a document by its numbers rather than by its title, of several with its title the one of its year, never its own.
MEANT = """
    SELECT {} FROM (
        SELECT e.id, e.number, k.key, e.year IS NOT r.year AS of_another_year
        FROM cited_keys k CROSS JOIN work_keys w ON w.key = k.key CROSS JOIN documents e ON e.number = w.document
        WHERE k.document = r.document AND k.position = r.position AND e.collection = d.collection AND e.number <> d.number
    ) ORDER BY key, of_another_year, number LIMIT 1
"""
_CITED = f"SELECT {related.REFERENCE_COLUMNS}, ({MEANT.format('id')}) " + (
    _ONE.format("JOIN cited r ON r.document = d.number") + " ORDER BY r.position"
)
_CITING = """
    SELECT e.id FROM documents d JOIN collections c ON c.number = d.collection CROSS JOIN work_keys w ON w.document = d.number
    CROSS JOIN cited_keys k ON k.key = w.key CROSS JOIN documents e ON e.number = k.document
    WHERE c.name = ? AND d.id = ? AND e.collection = d.collection AND e.number <> d.number
    GROUP BY e.number ORDER BY e.number
"""
_CAME = (
    f"SELECT {records.DOCUMENT_COLUMNS} FROM changes h JOIN documents d ON d.number = h.document "  # noqa: S608
    "JOIN collections c ON c.number = d.collection WHERE h.number > ? AND h.kind = 'put' ORDER BY d.number"
)
_KINDS = "SELECT kind, count(*) FROM changes WHERE number > ? GROUP BY kind"
_SAME = """
    SELECT w.key, d.id FROM work_keys w CROSS JOIN documents d ON d.number = w.document JOIN collections c ON c.number = d.collection
    WHERE w.key IN ({}) AND c.name = ? ORDER BY d.number
"""


class LocalShelf(Access):
    """Gives documents back, and tells which of them cite which."""

    async def entry(self, collection: str, id: str) -> Entry | None:
        """Return a document as it was put, all of it from one moment."""

        def work() -> Entry | None:
            with self.database.snapshot() as connection:
                _check(connection, collection, id)
                row = connection.execute(_ENTRY, (storable(collection), storable(id))).fetchone()
                return None if row is None else _entry(connection, row)

        return await self._read(work)

    async def text(self, collection: str, id: str) -> str | None:
        """Return the whole text of a document: what the offsets of its passages count in."""
        sql = "SELECT t.text " + _ONE.format("JOIN texts t ON t.document = d.number")

        def work() -> str | None:
            with self.database.snapshot() as connection:
                _check(connection, collection, id)
                row = connection.execute(sql, (storable(collection), storable(id))).fetchone()
                return row and row[0]

        return await self._read(work)

    async def layout(self, collection: str, id: str) -> Layout | None:
        """Return where the text of a document stands on its pages, if it has any."""
        sql = "SELECT l.packed " + _ONE.format("JOIN layouts l ON l.document = d.number")
        return await self._read(
            lambda: related.layout_of(self.database.value(sql, (storable(collection), storable(id))))
        )

    async def facts(self, collection: str, *, by: str = "") -> dict[str, tuple[Fact, ...]]:
        """Return what was said of each document of a collection, by one side or by all, for those of which anything was."""
        sql = (
            f"SELECT {related.FACT_COLUMNS}, d.id FROM collections c JOIN documents d ON d.collection = c.number "  # noqa: S608
            "JOIN facts f ON f.document = d.number WHERE c.name = ? AND ? IN ('', f.by) ORDER BY d.number, f.position"
        )
        rows = await self._read(lambda: self.database.rows(sql, (storable(collection), by)))
        found: dict[str, list[Fact]] = {}
        for row in rows:
            found.setdefault(row[-1], []).append(related.fact_of(row))
        return {id: tuple(facts) for id, facts in found.items()}

    async def references(self, collection: str, id: str) -> list[Cited]:
        """Return the references of a document, each with the document of the collection that it means."""
        rows = await self._read(lambda: self.database.rows(_CITED, (storable(collection), storable(id))))
        return [Cited(reference=related.reference_of(row), document=row[-1] or "") for row in rows]

    async def since(self, change: int) -> Since:
        """Return what changed after this change; a document that only got another title or year counts too."""

        def work() -> Since:
            with self.database.snapshot() as connection:
                came = connection.execute(_CAME, (change,)).fetchall()
                kinds = dict(connection.execute(_KINDS, (change,)).fetchall())
            documents = tuple(records.document_of(row) for row in came)
            return Since(documents=documents, removals=kinds.get("remove", 0), vectors="fill" in kinds)

        return await self._read(work)

    async def citing(self, collection: str, id: str) -> list[str]:
        """Return the documents of the collection that cite this one, in the order in which they came."""
        rows = await self._read(lambda: self.database.rows(_CITING, (storable(collection), storable(id))))
        return [row[0] for row in rows]

    async def same(self, collection: str, keys: Sequence[str]) -> list[tuple[str, str]]:
        """Return the documents that are the works of these keys, in the order of the keys."""
        asked = list(dict.fromkeys(map(storable, keys)))
        rows = await self._read(lambda: list(look_up(self.database, _SAME, asked, storable(collection))))
        found: dict[str, list[str]] = {}
        for key, id in rows:
            found.setdefault(key, []).append(id)
        return [(key, id) for key in asked for id in found.get(key, ())]


def _check(connection: sqlite3.Connection, collection: str, id: str) -> None:
    row = connection.execute("SELECT d.number " + _ONE.format(""), (storable(collection), storable(id))).fetchone()
    if row is not None:
        sums.check(connection, row[0])


def _entry(connection: sqlite3.Connection, row: Sequence[Any]) -> Entry:
    number, digest, text, packed = row[-4:]
    return Entry(
        document=records.document_of(row),
        text=text,
        passages=tuple(map(records.passage_of, connection.execute(_PASSAGES, (number,)))),
        hash=digest,
        layout=related.layout_of(packed),
        facts=tuple(map(related.fact_of, connection.execute(_FACTS, (number,)))),
        references=tuple(map(related.reference_of, connection.execute(_REFERENCES, (number,)))),
        pointers=tuple(map(related.pointer_of, connection.execute(_POINTERS, (number,)))),
    )
