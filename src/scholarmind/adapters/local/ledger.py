"""What is remembered beside the documents: which files were read, what bibliographies list, what people corrected."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields
from typing import Any

from scholarmind.adapters.local.access import Access
from scholarmind.adapters.local.values import metadata_of, to_json, value_of
from scholarmind.library_ports import Known, Listed, Source
from scholarmind.model import BibEntry, Document, Problem, Value
from scholarmind.text.names import storable

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

        def work(connection: sqlite3.Connection) -> None:
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
