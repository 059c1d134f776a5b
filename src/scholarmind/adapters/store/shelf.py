"""Stored documents as a whole and how they hang together, and what is remembered beside them: files, listings, corrections.

Which document a reference means is asked anew each time.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields
from typing import Any

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store import checksums, records
from scholarmind.adapters.store.access import Access, look_up
from scholarmind.adapters.store.records import metadata_of, to_json, value_of
from scholarmind.layout import Layout
from scholarmind.library_ports import Cited, Known, LibraryChanges, Listed, Source
from scholarmind.model import BibEntry, Document, Entry, Fact, Problem, Value
from scholarmind.text.untrusted import storable

# -- the ledger: which files were read, what bibliographies list, what people corrected

_DOCUMENT_FIELDS = tuple(field.name for field in fields(Document))
_MOUNTS = "mounts"
_SOURCE_COLUMNS = "path, hash, read, seconds, bytes, problems"


class LocalLedger(Access):
    """Remembers them. Nothing of it can be searched, so that no index has to follow."""

    async def known(self, collection: str) -> Known:
        """Return what is stored already."""
        sql = "SELECT d.id, d.hash, d.origin FROM documents d JOIN collections c ON c.number = d.collection WHERE c.name = ?"
        documents = await self._read(lambda: self.database.rows(sql, (storable(collection),)))
        sql_sources = "SELECT path, hash FROM sources WHERE collection = ? AND hash IS NOT NULL"
        sources = await self._read(lambda: self.database.rows(sql_sources, (storable(collection),)))
        return Known(sources=dict(sources), documents={row[0]: (row[1], row[2]) for row in documents})

    async def note(self, collection: str, sources: Sequence[Source]) -> None:
        """Remember what became of these files, in place of what was known of them."""
        rows = [(storable(collection), *_source_row(source)) for source in sources]
        sql = "INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?, ?)"
        await self._write(lambda connection: connection.executemany(sql, rows))

    async def forget(self, collection: str, paths: Sequence[str]) -> None:
        """Remember nothing of these files any more."""
        rows = [(storable(collection), storable(path)) for path in paths]
        sql = "DELETE FROM sources WHERE collection = ? AND path = ?"
        await self._write(lambda connection: connection.executemany(sql, rows))

    async def sources(self, collection: str | None = None) -> list[tuple[str, Source]]:
        """Return what became of the files of a collection, or of all, by collection and path."""
        sql = f"SELECT {_SOURCE_COLUMNS}, collection FROM sources {{}} ORDER BY collection, path"  # noqa: S608
        where, parameters = ("", ()) if collection is None else ("WHERE collection = ?", (storable(collection),))
        rows = await self._read(lambda: self.database.rows(sql.format(where), parameters))
        return [(row[-1], _source_of(row)) for row in rows]

    async def mounts(self) -> frozenset[str]:
        """Return the folders where another disk was mounted when they were added."""
        return frozenset(json.loads(await self._read(lambda: self.database.about(_MOUNTS)) or "[]"))

    async def note_mounts(self, folders: Collection[str]) -> None:
        """Remember these folders too."""
        known = sorted({*await self.mounts(), *map(storable, folders)})
        sql = "INSERT OR REPLACE INTO about VALUES (?, ?)"
        await self._write(lambda connection: connection.execute(sql, (_MOUNTS, to_json(known))))

    async def listed(self, collection: str) -> dict[str, list[Listed]]:
        """Return the entries of each bibliography, in their order. A match stays what it was when its document is gone."""
        sql = "SELECT key, line, entry, document, how, path FROM bibliographies WHERE collection = ? ORDER BY path, position"
        rows = await self._read(lambda: self.database.rows(sql, (storable(collection),)))
        found: dict[str, list[Listed]] = {}
        for row in rows:
            found.setdefault(row[-1], []).append(_listed_of(row))
        return found

    async def keep(self, collection: str, bibliography: str, entries: Sequence[Listed]) -> None:
        """Keep these entries in place of those that the bibliography had. Without any it is forgotten."""
        file = storable(collection), storable(bibliography)

        def work(connection: DatabaseConnection) -> None:
            connection.execute("DELETE FROM bibliographies WHERE collection = ? AND path = ?", file)
            rows = ((*file, *row) for row in _listed_rows(entries))
            connection.executemany("INSERT INTO bibliographies VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

        await self._write(work)

    async def corrected(self, collection: str) -> dict[str, dict[str, Value]]:
        """Return what was corrected, by the id of the document, whether or not it is stored now."""
        sql = "SELECT id, field, value FROM corrections WHERE collection = ? ORDER BY id, field"
        found: dict[str, dict[str, Value]] = {}
        for id, field, value in await self._read(lambda: self.database.rows(sql, (storable(collection),))):
            found.setdefault(id, {})[field] = value_of(value)
        return found

    async def correct(self, collection: str, id: str, field: str, value: Value | None) -> None:
        """Remember a correction, or take it back."""
        place = storable(collection), storable(id), storable(field)
        if value is None:
            sql, parameters = "DELETE FROM corrections WHERE collection = ? AND id = ? AND field = ?", place
        else:
            sql, parameters = "INSERT OR REPLACE INTO corrections VALUES (?, ?, ?, ?)", (*place, to_json(value))
        await self._write(lambda connection: connection.execute(sql, parameters))


def _source_row(source: Source) -> tuple[Any, ...]:
    problems = [(problem.where, problem.reason, problem.advice, problem.lasting) for problem in source.problems]
    return (
        storable(source.path),
        source.hash,
        source.read,
        source.seconds,
        source.bytes,
        to_json(problems),
    )


def _source_of(row: Sequence[Any]) -> Source:
    path, digest, read, seconds, size, stored = row[:6]
    problems = tuple(
        Problem(where=where, reason=reason, advice=advice, lasting=lasting)
        for where, reason, advice, lasting in json.loads(stored)
    )
    return Source(path=path, hash=digest, read=read, seconds=seconds, bytes=size, problems=problems)


def _listed_rows(entries: Sequence[Listed]) -> Iterator[tuple[Any, ...]]:
    for position, listed in enumerate(entries):
        entry = listed.entry
        document = {name: getattr(entry.document, name) for name in _DOCUMENT_FIELDS}
        document["metadata"] = dict(entry.document.metadata)
        told = to_json({"document": document, "abstract": entry.abstract, "files": entry.files})
        yield position, storable(entry.key), entry.line, told, storable(listed.document), storable(listed.how)


def _listed_of(row: Sequence[Any]) -> Listed:
    key, line, stored, document, how = row[:5]
    told = json.loads(stored)
    work = told["document"]
    work |= {"authors": tuple(work["authors"]), "metadata": metadata_of(work["metadata"])}
    entry = BibEntry(
        key=key, line=line, document=Document(**work), abstract=told["abstract"], files=tuple(told["files"])
    )
    return Listed(entry=entry, document=document, how=how)


# -- the shelf: whole documents, and which of them refer to which

_ONE = "FROM documents d JOIN collections c ON c.number = d.collection {} WHERE c.name = ? AND d.id = ?"
_ENTRY = f"SELECT {records.DOCUMENT_COLUMNS}, d.number, d.hash, t.text, l.packed " + _ONE.format(
    "JOIN texts t ON t.document = d.number LEFT JOIN layouts l ON l.document = d.number"
)

_PASSAGES = f"SELECT {records.PASSAGE_COLUMNS} FROM passages p WHERE p.document = ? ORDER BY p.number"  # noqa: S608
_FACTS = f"SELECT {records.FACT_COLUMNS} FROM facts f WHERE f.document = ? ORDER BY f.position"  # noqa: S608
_REFERENCES = f"SELECT {records.REFERENCE_COLUMNS} FROM cited r WHERE r.document = ? ORDER BY r.position"  # noqa: S608
_POINTERS = f"SELECT {records.POINTER_COLUMNS} FROM pointers p WHERE p.document = ? ORDER BY p.position"  # noqa: S608
# CROSS JOIN keeps SQLite to our order, from keys to documents; by itself it may look through all documents of the collection.
# A reference means a document by its numbers rather than by its title, of several with its title the one of its year, never its own.
MEANT = """
    SELECT {} FROM (
        SELECT e.id, e.number, k.key, e.year IS NOT r.year AS of_another_year
        FROM cited_keys k CROSS JOIN work_keys w ON w.key = k.key CROSS JOIN documents e ON e.number = w.document
        WHERE k.document = r.document AND k.position = r.position AND e.collection = d.collection AND e.number <> d.number
    ) ORDER BY key, of_another_year, number LIMIT 1
"""

_CITED = f"SELECT {records.REFERENCE_COLUMNS}, ({MEANT.format('id')}) " + (
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
            lambda: records.layout_of(self.database.value(sql, (storable(collection), storable(id))))
        )

    async def facts(self, collection: str, *, by: str = "") -> dict[str, tuple[Fact, ...]]:
        """Return what was said of each document of a collection, by one side or by all, for those of which anything was."""
        sql = (
            f"SELECT {records.FACT_COLUMNS}, d.id FROM collections c JOIN documents d ON d.collection = c.number "  # noqa: S608
            "JOIN facts f ON f.document = d.number WHERE c.name = ? AND ? IN ('', f.by) ORDER BY d.number, f.position"
        )
        rows = await self._read(lambda: self.database.rows(sql, (storable(collection), by)))
        found: dict[str, list[Fact]] = {}
        for row in rows:
            found.setdefault(row[-1], []).append(records.fact_of(row))
        return {id: tuple(facts) for id, facts in found.items()}

    async def references(self, collection: str, id: str) -> list[Cited]:
        """Return the references of a document, each with the document of the collection that it means."""
        rows = await self._read(lambda: self.database.rows(_CITED, (storable(collection), storable(id))))
        return [Cited(reference=records.reference_of(row), document=row[-1] or "") for row in rows]

    async def since(self, change: int) -> LibraryChanges:
        """Return what changed after this change; a document that only got another title or year counts too."""

        def work() -> LibraryChanges:
            with self.database.snapshot() as connection:
                came = connection.execute(_CAME, (change,)).fetchall()
                kinds = dict(connection.execute(_KINDS, (change,)).fetchall())
            documents = tuple(records.document_of(row) for row in came)
            return LibraryChanges(documents=documents, removals=kinds.get("remove", 0), vectors="fill" in kinds)

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


def _check(connection: DatabaseConnection, collection: str, id: str) -> None:
    row = connection.execute("SELECT d.number " + _ONE.format(""), (storable(collection), storable(id))).fetchone()
    if row is not None:
        checksums.check(connection, row[0])


def _entry(connection: DatabaseConnection, row: Sequence[Any]) -> Entry:
    number, digest, text, packed = row[-4:]
    return Entry(
        document=records.document_of(row),
        text=text,
        passages=tuple(map(records.passage_of, connection.execute(_PASSAGES, (number,)))),
        hash=digest,
        layout=records.layout_of(packed),
        facts=tuple(map(records.fact_of, connection.execute(_FACTS, (number,)))),
        references=tuple(map(records.reference_of, connection.execute(_REFERENCES, (number,)))),
        pointers=tuple(map(records.pointer_of, connection.execute(_POINTERS, (number,)))),
    )
