"""Tables taken from one database to another, SQLite or PostgreSQL on either side: by ranges of their keys, and compared on both.

A range whose rows are the same on both sides is left alone, any other is written anew: so what was interrupted goes on, what changed
meanwhile is brought up, and a range that was damaged is mended, all by the same loop. Numbers stay what they are.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from scholarmind.adapters.databases import DatabaseConnection

Row = tuple[Any, ...]
_ROWS = 500
_BYTES = 4_000_000  # of a range, about: books are long
_BITS = (1 << 128) - 1


class Tabled(Protocol):
    """What knows the columns and the primary key of a table, as a connection to PostgreSQL does."""

    def table(self, name: str) -> Any: ...
    def run(self, sql: str) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """How many rows a table has, and a sum over all that is in them, whatever their order and whatever keeps them."""

    rows: int = 0
    sum: int = 0

    def with_rows(self, rows: Iterable[Row]) -> "Content":
        """Return what it is with these as well."""
        count, total = self.rows, self.sum
        for row in rows:
            count += 1
            total += int.from_bytes(
                hashlib.blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=16).digest()
            )
        return Content(rows=count, sum=total & _BITS)

    def __str__(self) -> str:
        """Show both."""
        return f"{self.rows} {self.sum:032x}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedTable:
    """A table as it is copied: its columns, the key that ranges are of, which rows, and what a row is made of that means the same."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    where: str = "1 = 1"
    plain: Callable[[Row], Row] = tuple

    def read(
        self, connection: DatabaseConnection, after: Row | None, rows: int = 0, until: Row | None = None
    ) -> list[Row]:
        """Return rows of which the key comes after this one, so many of them, or until that one."""
        key = ", ".join(map(_quoted, self.key))
        marks = ", ".join("?" * len(self.key))
        after_sql = "" if after is None else f" AND ({key}) > ({marks})"
        until_sql = "" if until is None else f" AND ({key}) <= ({marks})"
        columns = ", ".join(map(_quoted, self.columns))
        limit = f" LIMIT {rows}" if rows else ""
        sql = f"SELECT {columns} FROM {self.name} WHERE {self.where}{after_sql}{until_sql} ORDER BY {key}{limit}"  # noqa: S608
        found = connection.execute(sql, (*(after or ()), *(until or ()))).fetchall()
        return [self.plain(tuple(row)) for row in found]

    def key_of(self, row: Row) -> Row:
        """Return the key of a row."""
        return tuple(row[self.columns.index(column)] for column in self.key)

    def remove(self, connection: DatabaseConnection, after: Row | None, until: Row | None) -> None:
        """Remove the rows between these keys."""
        key = ", ".join(map(_quoted, self.key))
        marks = ", ".join("?" * len(self.key))
        after_sql = "" if after is None else f" AND ({key}) > ({marks})"
        until_sql = "" if until is None else f" AND ({key}) <= ({marks})"
        sql = f"DELETE FROM {self.name} WHERE {self.where}{after_sql}{until_sql}"  # noqa: S608
        connection.execute(sql, (*(after or ()), *(until or ())))

    def insert(self, connection: DatabaseConnection, rows: Sequence[Row]) -> None:
        """Insert these rows."""
        columns, marks = ", ".join(map(_quoted, self.columns)), ", ".join("?" * len(self.columns))
        connection.executemany(f"INSERT INTO {self.name} ({columns}) VALUES ({marks})", rows)  # noqa: S608

    def ranges(self, connection: DatabaseConnection) -> Iterator[tuple[Row | None, list[Row]]]:
        """Yield all rows in pieces, each with the key that it comes after."""
        after: Row | None = None
        size = _ROWS
        while rows := self.read(connection, after, size):
            yield after, rows
            after = self.key_of(rows[-1])
            heavy = sum(len(value) for row in rows for value in row if isinstance(value, (str, bytes)))
            size = max(1, min(2 * _ROWS, _BYTES * len(rows) // max(1, heavy)))

    def content(self, connection: DatabaseConnection) -> Content:
        """Return what is in it."""
        found = Content()
        for _, rows in self.ranges(connection):
            found = found.with_rows(rows)
        return found


def tables_in(connection: DatabaseConnection) -> frozenset[str]:
    """Return the names of the tables that are there."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return frozenset(name for (name,) in rows)


def table_of(connection: DatabaseConnection, name: str, *, in_order: bool = False) -> CopiedTable:
    """Return a table as it is here; `in_order`: its rows are numbered by the database, and the number counts."""
    if isinstance(connection, sqlite3.Connection):
        found = connection.execute(f"PRAGMA table_info({name})").fetchall()
        columns = tuple(row[1] for row in found)
        key = tuple(row[1] for row in sorted(found, key=lambda row: row[5]) if row[5])
    else:
        described = _postgres(connection).table(name)
        columns, key = described.columns, described.key
    if in_order:
        columns, key = ("rowid", *(column for column in columns if column != "rowid")), ("rowid",)
    return CopiedTable(name=name, columns=columns, key=key)


def copy_table(source: DatabaseConnection, target: DatabaseConnection, table: CopiedTable) -> Iterator[Content]:
    """Bring a table of the target to what that of the source is; yield what the source has so far, after each range that is kept."""
    found, after = Content(), None
    for after_, rows in table.ranges(source):
        until = table.key_of(rows[-1])
        if (there := table.read(target, after_, until=until)) != rows:
            target.execute("BEGIN IMMEDIATE")
            try:
                if there:
                    table.remove(target, after_, until)
                table.insert(target, rows)
                target.execute("COMMIT")
            finally:
                if target.in_transaction:
                    target.execute("ROLLBACK")
        found, after = found.with_rows(rows), until
        yield found
    table.remove(target, after, None)  # what is beyond the last
    yield found


# -- what has to be off while tables are copied one after another, and what the database counts by itself

_REFERENCES = (
    "SELECT conrelid::regclass::text, conname::text, pg_get_constraintdef(oid) FROM pg_constraint "
    "WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1, 2"
)
_TRIGGERED = (
    "SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
    "WHERE c.relnamespace = current_schema()::regnamespace AND NOT tgisinternal"
)
_COUNTERS = (
    "SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
    "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attidentity <> ''"
)


def without_checks(connection: DatabaseConnection) -> list[Row]:
    """Let rows come in any order, without what follows from them by itself; return the references that are checked no longer.

    Over PostgreSQL this is part of the caller's transaction, and lasts until `with_checks`.
    """
    if isinstance(connection, sqlite3.Connection):
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        return []
    postgres = _postgres(connection)
    for (table,) in connection.execute(_TRIGGERED).fetchall():
        postgres.run(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    references = connection.execute(_REFERENCES).fetchall()
    for table, name, _ in references:
        postgres.run(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    return [tuple(row) for row in references]


def with_checks(connection: DatabaseConnection, references: Iterable[Sequence[str]]) -> None:
    """Check all that refers to other rows, and go on checking it; over SQLite its triggers are the caller's."""
    if isinstance(connection, sqlite3.Connection):
        wrong = connection.execute("PRAGMA foreign_key_check").fetchall()
        if wrong:
            raise sqlite3.IntegrityError(f"{len(wrong)} rows of {wrong[0][0]} refer to rows that are not there")
        return
    postgres = _postgres(connection)
    for table, name, definition in references:
        postgres.run(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
    for (table,) in connection.execute(_TRIGGERED).fetchall():
        postgres.run(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def counters(connection: DatabaseConnection) -> dict[str, int]:
    """Return the highest number that each table ever gave."""
    return dict(connection.execute("SELECT name, seq FROM sqlite_sequence").fetchall())


def set_counters(connection: DatabaseConnection, names: Iterable[str], numbers: Mapping[str, int]) -> None:
    """Have these tables go on counting from there, and beyond all that they hold."""
    wanted = set(names)
    if isinstance(connection, sqlite3.Connection):
        counted = connection.execute("SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'").fetchall()
        for (name,) in counted:
            if name in wanted:
                connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
                connection.execute(
                    f"INSERT INTO sqlite_sequence (name, seq) SELECT ?, max(?, coalesce(max(number), 0)) FROM {name}",  # noqa: S608
                    (name, numbers.get(name, 0)),
                )
        return
    for table, column in connection.execute(_COUNTERS).fetchall():
        if table in wanted:
            last = connection.execute(f"SELECT coalesce(max({column}), 0) FROM {table}").fetchone()[0]  # noqa: S608
            if highest := max(last, numbers.get(table, 0)):
                connection.execute("SELECT setval(CAST(? AS regclass), ?)", (f"{table}_{column}_seq", highest))


def only(table: CopiedTable, where: str) -> CopiedTable:
    """Return a table of which only some rows count."""
    return replace(table, where=where)


def _quoted(name: str) -> str:
    return f'"{name}"'


def _postgres(connection: Any) -> Tabled:
    return connection
