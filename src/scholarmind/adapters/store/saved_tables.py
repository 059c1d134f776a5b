"""The literature tables of a library: their columns, the cells that were found, and what people said of cells.

They stand beside the documents, in tables of their own; as long as there are none, every read returns nothing at once. A row whose
checksum is wrong is as good as none: a cell is asked anew. `doctor` names such rows.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store.access import ReadAccess, T, Writing
from scholarmind.adapters.store.checksums import sum_of_row
from scholarmind.adapters.store.database import Database
from scholarmind.adapters.store.records import to_json
from scholarmind.errors import LibraryStorageError
from scholarmind.tables import CellSource, SavedTable, TableCell, TableColumn
from scholarmind.text.untrusted import storable

_IS_THERE = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'literature_tables'"
_HASHES = "SELECT c.name, d.id, d.hash FROM documents d JOIN collections c ON c.number = d.collection"
_ROWS = {  # every row with its checksum last, by what it is called
    "saved tables": "SELECT name, definition, sum FROM literature_tables",
    "cells": 'SELECT content, "column", cell, sum FROM literature_cells',
    "corrections of cells": 'SELECT collection, id, "column", value, sum FROM literature_corrections',
}


class LocalTables:
    """Keeps them, in the threads of the store."""

    def __init__(self, database: Database, *, read: ReadAccess, write: Writing) -> None:
        self._database = database
        self._read = read
        self._write = write

    async def saved(self) -> list[SavedTable]:
        """Return the saved tables by name. One that is damaged is an error, since nothing else knows its columns."""

        def work() -> list[SavedTable]:
            rows = self._rows("saved tables")
            if wrong := [row[0] for row in rows if not _is_sound(row)]:
                raise LibraryStorageError(
                    f"the saved table {wrong[0]!r} is damaged: bytes of library.db changed on the disk; forget it with "
                    f"'scholarmind table {wrong[0]} --remove' and make it anew (its cells are kept), or restore library.db from a backup"
                )
            return [_table_of(name, json.loads(definition)) for name, definition, _ in rows]

        return await self._read(work)

    async def save(self, table: SavedTable) -> None:
        """Keep a table, in place of the one of its name."""
        row = storable(table.name), to_json({"columns": [asdict(each) for each in table.columns], "where": table.where})
        await self._change(
            lambda connection: connection.execute(
                "INSERT OR REPLACE INTO literature_tables VALUES (?, ?, ?)", (*row, sum_of_row(row))
            )
        )

    async def forget(self, name: str) -> bool:
        """Forget a table and say whether there was one; its cells stay until another change finds nobody who asks for them."""
        sql = "DELETE FROM literature_tables WHERE name = ?"
        return bool(await self._change(lambda connection: connection.execute(sql, (storable(name),)).rowcount))

    async def contents(self) -> dict[tuple[str, str], str]:
        """Return what each document says, as a hash, by collection and id."""
        rows = await self._read(lambda: self._database.rows(_HASHES))
        return {(collection, id): digest for collection, id, digest in rows}

    async def cells(self, columns: Collection[str]) -> dict[tuple[str, str], TableCell]:
        """Return the cells of these columns by content and column."""

        def work() -> dict[tuple[str, str], TableCell]:
            found: dict[tuple[str, str], TableCell] = {}
            for row in self._rows("cells", f'WHERE "column" IN ({", ".join("?" * len(columns))})', list(columns)):
                if _is_sound(row):
                    found[row[0], row[1]] = _cell_of(json.loads(row[2]))
            return found

        return await self._read(work)

    async def keep(self, content: str, cells: Mapping[str, TableCell]) -> None:
        """Keep the cells of one paper by column: all of them or none."""
        rows = [(content, storable(column), to_json(asdict(cell))) for column, cell in cells.items()]
        sql = "INSERT OR REPLACE INTO literature_cells VALUES (?, ?, ?, ?)"
        await self._change(
            lambda connection: connection.executemany(sql, [(*row, sum_of_row(row)) for row in rows]).rowcount
        )

    async def clear(self, columns: Collection[str]) -> int:
        """Throw away the cells of documents that are gone and of all but these columns; return how many."""
        gone = 'DELETE FROM literature_cells WHERE content NOT IN (SELECT hash FROM documents) OR "column" NOT IN ({})'
        sql = gone.format(", ".join("?" * len(columns)))
        return await self._change(lambda connection: connection.execute(sql, list(columns)).rowcount)

    async def corrected(self) -> dict[tuple[str, str, str], str]:
        """Return what people said, by collection, id and column."""
        rows = await self._read(lambda: self._rows("corrections of cells"))
        return {(collection, id, column): value for collection, id, column, value, _ in filter(_is_sound, rows)}

    async def correct(self, document: tuple[str, str], column: str, value: str | None) -> None:
        """Keep what somebody said of a cell; None takes it back."""
        place = (*map(storable, document), storable(column))

        def work(connection: DatabaseConnection) -> None:
            if value is None:
                sql = 'DELETE FROM literature_corrections WHERE collection = ? AND id = ? AND "column" = ?'
                connection.execute(sql, place)
                return
            row = (*place, storable(value))
            sql = "INSERT OR REPLACE INTO literature_corrections VALUES (?, ?, ?, ?, ?)"
            connection.execute(sql, (*row, sum_of_row(row)))

        await self._change(work)

    def damages(self) -> dict[str, int]:
        """Return how many rows there are whose checksum is wrong, by what they are."""
        found = {what: sum(not _is_sound(row) for row in self._rows(what)) for what in _ROWS}
        return {what: count for what, count in found.items() if count}

    def counts(self) -> dict[str, int]:
        """Return how many rows there are, by what they are."""
        return {what: len(self._rows(what)) for what in _ROWS}

    def _rows(self, what: str, where: str = "", parameters: Sequence[str] = ()) -> list[Any]:
        if not self._database.value(_IS_THERE):
            return []
        return self._database.rows(f"{_ROWS[what]} {where} ORDER BY 1, 2", parameters)

    async def _change(self, work: Callable[[DatabaseConnection], T]) -> T:
        def changing(connection: DatabaseConnection) -> T:
            self._database.lay_out(connection, "tables.sql")
            return work(connection)

        return await self._write(changing)


def _is_sound(row: Sequence[Any]) -> bool:
    return row[-1] == sum_of_row(row[:-1])


def _table_of(name: str, told: Mapping[str, Any]) -> SavedTable:
    return SavedTable(name=name, columns=tuple(map(_column_of, told["columns"])), where=told["where"])


def _column_of(told: Mapping[str, Any]) -> TableColumn:
    fields: dict[str, Any] = {**told, "questions": tuple(told["questions"]), "chinese": tuple(told["chinese"])}
    return TableColumn(**fields)


def _cell_of(told: Mapping[str, Any]) -> TableCell:
    fields: dict[str, Any] = {**told, "items": tuple(told["items"])}
    fields |= {name: fields[name] and _source_of(fields[name]) for name in ("source", "nearest")}
    return TableCell(**fields)


def _source_of(told: Mapping[str, Any]) -> CellSource:
    fields: dict[str, Any] = {**told, "section": tuple(told["section"])}
    return CellSource(**fields)
