"""Connections to the SQLite file, its schema, and its errors in our words."""

import os
import sqlite3
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from scholarmind.errors import LibraryError, LibraryMismatchError, LibraryStorageError

SCHEMA = "1"
_WAIT_SECONDS = 10.0


class Database:
    """One file, a connection for each thread; a forked child gets connections of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.writable = os.access(path if path.exists() else path.parent, os.W_OK) and os.access(path.parent, os.W_OK)
        self._threads = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._process = os.getpid()

    def connection(self) -> sqlite3.Connection:
        """Return this thread's connection."""
        if self._process != os.getpid():  # connections must not be used, nor closed, across a fork
            self._threads, self._opened, self._process = threading.local(), [], os.getpid()
        connection: sqlite3.Connection | None = getattr(self._threads, "connection", None)
        if connection is None:
            connection = self._threads.connection = self._connect()
            self._opened.append(connection)
        return connection

    def rows(self, sql: str, parameters: Any = ()) -> list[Any]:
        """Return all rows of a query."""
        with errors_of(self.path):
            return self.connection().execute(sql, parameters).fetchall()

    def value(self, sql: str, parameters: Any = ()) -> Any:
        """Return the first column of the first row, or None."""
        with errors_of(self.path):
            row = self.connection().execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """All of the block or nothing of it."""
        if not self.writable:
            raise LibraryStorageError(
                f"the library {str(self.path.parent)!r} is read-only; make it writable or use another with --library"
            )
        connection = self.connection()
        with errors_of(self.path):
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def create(self) -> None:
        """Lay out the tables, unless somebody else was faster."""
        if not self.has_layout():
            script = files("scholarmind.adapters.local").joinpath("schema.sql").read_text(encoding="utf-8")
            with self.transaction() as connection:
                for statement in _statements(script):
                    connection.execute(statement)
                connection.execute("INSERT INTO about VALUES ('schema', ?)", (SCHEMA,))

    def check_layout(self) -> None:
        """Refuse a layout that we do not know."""
        found = self.about("schema")
        if found != SCHEMA:
            raise LibraryMismatchError(
                f"the library {str(self.path.parent)!r} has layout {found!r}, this version reads {SCHEMA!r}; "
                "use the version of scholarmind that made it, or add the documents to a new library"
            )

    def has_layout(self) -> bool:
        """Tell whether the tables are there."""
        return bool(self.value("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'about'"))

    def about(self, key: str) -> str | None:
        """Return what the library says of itself under this key."""
        return self.value("SELECT value FROM about WHERE key = ?", (key,))

    def last_change(self) -> int:
        """Return the number of the latest change: what the matrix has to reach."""
        return self.value("SELECT max(number) FROM changes") or 0

    def last_text_change(self) -> int:
        """Return the number of the latest change other than of vectors: what the keyword index has to reach."""
        return self.value("SELECT max(number) FROM changes WHERE kind <> 'fill'") or 0

    def close(self) -> None:
        """Close every thread's connection."""
        if self._process == os.getpid():
            for connection in self._opened:
                connection.close()
        self._threads, self._opened = threading.local(), []

    def _connect(self) -> sqlite3.Connection:
        with errors_of(self.path):
            if self.writable:
                connection = self._open("")
                connection.execute("PRAGMA journal_mode = WAL")
            else:
                connection = self._open_read_only()
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            return connection

    def _open(self, options: str) -> sqlite3.Connection:
        return sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={'rwc' if self.writable else 'ro'}{options}",
            timeout=_WAIT_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )

    def _open_read_only(self) -> sqlite3.Connection:
        connection = self._open("")
        try:
            connection.execute("SELECT 1 FROM sqlite_master")
        except sqlite3.OperationalError:  # WAL needs to write beside the file, unless told that nobody writes
            connection.close()
            connection = self._open("&immutable=1")
        return connection


@contextmanager
def errors_of(path: Path) -> Generator[None]:
    """Turn SQLite's and the system's errors into ours."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise _translated(error, path.parent) from error


def _translated(error: Exception, folder: Path) -> LibraryError:
    told = str(error)
    if "full" in told or "No space" in told:
        return LibraryStorageError(
            f"the disk of {str(folder)!r} is full ({told}); nothing was lost: make room and run the command again"
        )
    if (
        "readonly" in told
        or "read-only" in told.lower()
        or isinstance(error, PermissionError)
        or "unable to open" in told
    ):
        return LibraryStorageError(
            f"{str(folder)!r} cannot be opened or written ({told}); check that it exists and who may write there"
        )
    if "malformed" in told or "not a database" in told:
        return LibraryStorageError(
            f"the library file in {str(folder)!r} is damaged ({told}); restore it from a backup, or add the documents again"
        )
    if "locked" in told:
        return LibraryStorageError(
            f"the library {str(folder)!r} stayed locked for {_WAIT_SECONDS:.0f} s ({told}); see who uses it and try again"
        )
    return LibraryStorageError(
        f"the library {str(folder)!r} could not be read or written ({told}); 'scholarmind doctor' looks closer"
    )


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
