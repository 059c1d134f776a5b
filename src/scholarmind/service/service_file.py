"""`service.db`: who may do what, and what is to be done. One connection in a thread of its own; every piece of work is a transaction."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.runs.runs_file import set_write_ahead
from scholarmind.errors import LibraryMismatchError, LibraryStorageError

T = TypeVar("T")
_LAYOUT = 1
_WAIT_SECONDS = 5.0
_TABLES = """
CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    collections TEXT NOT NULL,
    rate TEXT NOT NULL,
    budget TEXT NOT NULL,
    created REAL NOT NULL,
    revoked REAL
);
CREATE TABLE sessions (hash BLOB PRIMARY KEY, key TEXT NOT NULL, expires REAL NOT NULL);
CREATE TABLE usage (
    key TEXT NOT NULL,
    day TEXT NOT NULL,
    requests INTEGER NOT NULL,
    questions INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (key, day)
);
CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL,
    task TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    holder TEXT NOT NULL DEFAULT '',
    lease REAL NOT NULL DEFAULT 0,
    cancel INTEGER NOT NULL DEFAULT 0,
    created REAL NOT NULL,
    finished REAL,
    progress TEXT NOT NULL DEFAULT '{}',
    result TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT ''
);
CREATE INDEX jobs_by_state ON jobs (state, created);
CREATE INDEX jobs_by_owner ON jobs (owner, kind, created);
CREATE TABLE requests (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    hash BLOB NOT NULL,
    job TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (owner, key)
)
"""


class ServiceFile:
    """The file of the service of one library; made when it is first opened. Close it, or use it in a `with` block.

    With a `database` the same tables are there, for all processes of the service on all machines.
    """

    def __init__(self, path: Path, database: str = "") -> None:
        self.path = path
        self.database = database
        self._connection: DatabaseConnection | None = None
        self._thread = ThreadPoolExecutor(1, "scholarmind-service")

    def __enter__(self) -> "ServiceFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Finish the work under way, and let go of the file."""
        self._thread.submit(self._disconnect)
        self._thread.shutdown(wait=True)

    async def read(self, work: Callable[[DatabaseConnection], T]) -> T:
        """Have something looked up, which waits for nobody who writes."""
        return await asyncio.wrap_future(self._thread.submit(self._reading, work))

    async def done(self, work: Callable[[DatabaseConnection], T]) -> T:
        """Have work done as one transaction."""
        return await asyncio.wrap_future(self._thread.submit(self._work, work))

    def do(self, work: Callable[[DatabaseConnection], T]) -> T:
        """Do the same and wait for it."""
        return self._thread.submit(self._work, work).result()

    def connect(self) -> DatabaseConnection:
        """Return a connection of its own, where the tables are."""
        return _connected(self.database) if self.database else _opened(self.path)

    def now(self, connection: DatabaseConnection) -> float:
        """Return the seconds since 1970 by the one clock that all processes share."""
        if not self.database:
            return time.time()
        return connection.execute("SELECT CAST(extract(epoch FROM clock_timestamp()) AS REAL)").fetchone()[0]

    def _work(self, work: Callable[[DatabaseConnection], T]) -> T:
        def transaction(connection: DatabaseConnection) -> T:
            connection.execute("BEGIN IMMEDIATE")
            try:
                found = work(connection)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            return found

        return self._reading(transaction)

    def _reading(self, work: Callable[[DatabaseConnection], T]) -> T:
        try:
            if self._connection is None:
                self._connection = self.connect()
            return work(self._connection)
        except sqlite3.Error as error:
            self._disconnect()
            raise LibraryStorageError(
                f"{str(self.path)!r} cannot be used ({error}); check who may write there, and that the disk has room"
            ) from error

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _connected(database: str) -> DatabaseConnection:
    from scholarmind.adapters.databases.postgres import Address, PostgresConnection  # noqa: PLC0415

    connection = PostgresConnection(Address(database), serial="service", name="scholarmind service")
    connection.lay_out("jobs", _TABLES.split(";"))
    return connection


def _opened(path: Path) -> DatabaseConnection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        path.chmod(0o600)  # hashes of keys, and what people ask
        set_write_ahead(connection, _WAIT_SECONDS)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("BEGIN IMMEDIATE")
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if not found:
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {_LAYOUT}")
        connection.execute("COMMIT")
        _check_layout(path, found or _LAYOUT)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_layout(path: Path, found: int) -> None:
    if found != _LAYOUT:
        raise LibraryMismatchError(
            f"{str(path)!r} has layout {found!r}, this version reads {_LAYOUT!r}; use the version that made it"
        )
