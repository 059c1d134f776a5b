"""A library whose truth is in PostgreSQL: many processes, on many machines, read and write it.

What is derived, the indexes, each process keeps in a folder of its machine, and brings up by the log of changes as over SQLite: what is
found is the same. Who writes holds a lock of the database, which goes with its connection, and writes over that connection.
"""

import shutil
import threading
import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from scholarmind.adapters.databases import Connection
from scholarmind.adapters.databases.postgres import Address, PostgresConnection
from scholarmind.adapters.store import postgres_health
from scholarmind.adapters.store.access import WriterLock, describe_this_process
from scholarmind.adapters.store.database import SCHEMA, Database, check_is_whole, errors_of, script, statements_of
from scholarmind.adapters.store.store import LOCK_WAIT, LocalStore
from scholarmind.errors import LibraryError, LibraryLockedError, LibraryMismatchError, LibraryStorageError
from scholarmind.model import Check

_POLL_SECONDS = 0.02
_IDENTITY = "identity"  # in `about`, and in a file beside what is derived from the library
_DERIVED = ("keyword", "vectors", "multilingual")


class PostgresDatabase(Database):
    """A schema of a database, a connection for each thread."""

    def __init__(self, address: Address, folder: Path) -> None:
        self.address = address
        super().__init__(folder / "library.db")  # which is never made: it names the folder of what is derived
        self.writable = True

    def connection(self) -> PostgresConnection:
        found: PostgresConnection | None = getattr(self._threads, "connection", None)
        if found is None:
            found = self._threads.connection = PostgresConnection(self.address, name=describe_this_process())
            self._opened.append(found)
        return found

    def stream(self, sql: str, parameters: Sequence[Any], page: int) -> Iterator[list[Any]]:
        return self.connection().stream(sql, parameters, page)

    @contextmanager
    def snapshot(self) -> Generator[Connection]:
        with self.in_use():
            connection = self.connection()
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def check_writable(self) -> None:
        if self.value("SELECT pg_is_in_recovery()"):
            raise LibraryStorageError(
                f"the database {self.address.shown} is a replica, which can only be read; name its primary, "
                "or several hosts with target_session_attrs=read-write"
            )

    def has_layout(self) -> bool:
        return self.value("SELECT to_regclass(?) IS NOT NULL", (f"{self.address.schema}.about",))

    def create(self) -> None:
        self.connection().lay_out("sqlite_master", ())
        with self.transaction() as connection:
            self.lay_out(connection, "schema.sql")
            self.lay_out(connection, "sums.sql")
            connection.execute("INSERT INTO about VALUES ('schema', ?)", (SCHEMA,))
            connection.execute("INSERT INTO about VALUES (?, ?)", (_IDENTITY, str(uuid.uuid4())))

    def lay_out(self, connection: Connection, name: str) -> None:
        made = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        statements = list(statements_of(script(name)))
        if any(f" {table} (" in statement for (table,) in made for statement in statements):
            return
        for statement in statements:
            if "CREATE TRIGGER" not in statement:
                connection.execute(statement)
        with suppress(FileNotFoundError):
            self._run(connection, script(f"{name.removesuffix('.sql')}_postgres.sql"))

    def _run(self, connection: Connection, sql: str) -> None:
        """Carry out a script of PostgreSQL's own."""
        assert isinstance(connection, PostgresConnection)  # noqa: S101
        connection.run(sql)

    def examine(self) -> Iterator[Check]:
        """Yield what is found of the server."""
        yield from postgres_health.examine(self)

    def bytes_used(self) -> int:
        """Return how much room the library takes in the database."""
        return self.value(postgres_health.BYTES) or 0

    def grow(self) -> None:
        """There is no older layout."""

    def check_layout(self) -> None:
        found = self.about("schema")
        check_is_whole(self.address.shown, found)
        if found != SCHEMA:
            raise LibraryMismatchError(
                f"the library in {self.address.shown} has layout {found!r}, this version reads {SCHEMA!r}; "
                "use the version of scholarmind that made it, or bring it up with: scholarmind copy"
            )


class DatabaseLock(WriterLock):
    """The right to write, which one connection holds for all machines, and beside it the lock of the folder of what is derived.

    Who waits holds another lock together with all who wait, by which the holder sees that it is wanted.
    """

    def __init__(self, database: PostgresDatabase, folder: WriterLock) -> None:
        self._database = database
        self._folder = folder
        self._name = f"{database.address.schema} writer"

    def acquire(self, wait: float, given_up: threading.Event | None = None) -> None:
        if self.try_acquire():
            return
        connection, deadline = self._database.connection(), time.monotonic() + wait
        connection.execute("SELECT pg_advisory_lock_shared(hashtext(?), 1)", (self._name,))
        try:
            while not self._take():
                if time.monotonic() > deadline or (given_up is not None and given_up.is_set()):
                    raise LibraryLockedError(
                        f"the library in {self._database.address.shown} is being written by {self.holder() or 'another process'}; "
                        "wait until it is done, or stop it, and run the command again"
                    )
                time.sleep(_POLL_SECONDS)
        finally:
            connection.execute("SELECT pg_advisory_unlock_shared(hashtext(?), 1)", (self._name,))

    def try_acquire(self) -> bool:
        return not self.is_wanted() and self._take()

    def is_wanted(self) -> bool:
        sql = (
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = hashtext(?)::oid AND objid = 1 "
            "AND pid <> pg_backend_pid()"
        )
        return bool(self._database.value(sql, (self._name,)))

    def release(self) -> None:
        self._folder.release()
        with suppress(LibraryStorageError):  # the connection went, and the lock with it
            self._database.value("SELECT pg_advisory_unlock(hashtext(?), 0)", (self._name,))

    def holder(self) -> str:
        sql = (
            "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid "
            "WHERE l.locktype = 'advisory' AND l.classid = hashtext(?)::oid AND l.objid = 0 AND l.granted"
        )
        return self._database.value(sql, (self._name,)) or ""

    def is_free(self) -> bool:
        return not self.holder()

    def forget(self) -> None:
        self._folder.forget()

    def _take(self) -> bool:
        if not self._database.value("SELECT pg_try_advisory_lock(hashtext(?), 0)", (self._name,)):
            return False
        try:
            self._folder.acquire(LOCK_WAIT)
        except BaseException:
            self._database.value("SELECT pg_advisory_unlock(hashtext(?), 0)", (self._name,))
            raise
        return True


class PostgresStore(LocalStore):
    """A library in PostgreSQL, with what is derived from it in a folder of this machine."""

    def __init__(
        self, url: str, folder: Path, *, fingerprint: str, lock_wait: float = LOCK_WAIT, create: bool = True
    ) -> None:
        self._address = Address(url)
        super().__init__(folder, fingerprint=fingerprint, lock_wait=lock_wait, create=create)

    @property
    def options(self) -> str:
        """The options by which commands find this library."""
        return f"--database '{self._address.named}'"

    @property
    def place(self) -> str:
        """Where the library is, for people."""
        return self._address.shown

    def _open_database(self, *, create: bool) -> Database:
        with errors_of(self.folder / "library.db"):
            self.folder.mkdir(parents=True, exist_ok=True)
        database = PostgresDatabase(self._address, self.folder)
        self.folder_lock = WriterLock(self.folder / "writer.lock")
        self.lock = DatabaseLock(database, self.folder_lock)
        self.database = database
        try:
            self._open_layout(database, create=create)
        except BaseException:
            database.close()
            raise
        return database

    def _open_layout(self, database: PostgresDatabase, *, create: bool) -> None:
        if not database.has_layout():
            if not create:
                raise LibraryError(
                    f"there is no library in {self._address.shown}; make one with: scholarmind add PATHS --database {self._address.shown}"
                )
            self._create()
        database.check_layout()
        self._forget_what_another_made(database.about(_IDENTITY) or "")

    def _forget_what_another_made(self, identity: str) -> None:
        """Indexes that were derived from another library would be taken for this one's by their numbers."""
        mark = self.folder / "database"
        if mark.exists() and mark.read_text(encoding="utf-8") == identity:
            return
        if (self.folder / "library.db").exists():
            raise LibraryError(
                f"{str(self.folder)!r} is a library itself; name a folder of its own (--library) for what is derived from "
                f"{self._address.shown}"
            )
        with errors_of(self.database.path):
            self.folder_lock.acquire(LOCK_WAIT)
            try:
                for name in _DERIVED:
                    shutil.rmtree(self.folder / name, ignore_errors=True)
                mark.write_text(identity, encoding="utf-8")
            finally:
                self.folder_lock.release()
