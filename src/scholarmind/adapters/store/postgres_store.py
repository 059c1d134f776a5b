"""A library whose truth is in PostgreSQL: many processes, on many machines, read and write it.

What is derived, the indexes, each process keeps in a folder of its machine, and brings up by the log of changes as over SQLite: what is
found is the same. Who writes holds a lock of the database, which goes with its connection, and writes over that connection.
"""

import shutil
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.databases.postgres import Address, PostgresConnection
from scholarmind.adapters.store import postgres_health, postgres_search
from scholarmind.adapters.store.access import WriterLock, describe_this_process
from scholarmind.adapters.store.database import SCHEMA, Database, check_is_whole, errors_of, script, statements_of
from scholarmind.adapters.store.indexes import Derived, Indexes
from scholarmind.adapters.store.store import LOCK_WAIT, LocalStore
from scholarmind.errors import LibraryError, LibraryLockedError, LibraryMismatchError, LibraryStorageError
from scholarmind.model import Check

_POLL_SECONDS = 0.02
_IDENTITY = "identity"  # in `about`, and in a file beside what is derived from the library
_DERIVED = ("keyword", "vectors", "multilingual")


class PostgresDatabase(Database):
    """A schema of a database, a connection for each thread."""

    def __init__(self, address: Address, folder: Path, *, extensions: bool = False) -> None:
        self.address = address
        self._extensions = extensions
        self.before_commit: Callable[[], None] = lambda: None  # is part of every transaction
        super().__init__(folder / "library.db")  # which is never made: it names the folder of what is derived
        self.writable = True

    def connection(self) -> PostgresConnection:
        found: PostgresConnection | None = getattr(self._threads, "connection", None)
        if found is None:
            found = self._threads.connection = PostgresConnection(
                self.address, name=describe_this_process(), extensions=self._extensions
            )
            self._opened.append(found)
        return found

    def stream(self, sql: str, parameters: Sequence[Any], page: int) -> Iterator[list[Any]]:
        return self.connection().stream(sql, parameters, page)

    @contextmanager
    def snapshot(self) -> Generator[DatabaseConnection]:
        with self.in_use():
            connection = self.connection()
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Generator[DatabaseConnection]:
        with super().transaction() as connection:
            # a lost connection took the right to write with it: none but who holds it, or finds it free, may write
            sql = "SELECT pg_try_advisory_xact_lock(hashtext(?), 0)"
            if not connection.execute(sql, (self.writer,)).fetchone()[0]:
                raise LibraryLockedError(
                    f"the connection to {self.address.shown} was lost, and another process writes by now; "
                    "nothing half done is kept: run the command again"
                )
            yield connection
            self.before_commit()

    @property
    def writer(self) -> str:
        """The name of the right to write."""
        return f"{self.address.schema} writer"

    def lay_out_search(self) -> None:
        """Make the tables of search in the database, where they are not there yet."""
        if self.value("SELECT to_regclass(?) IS NOT NULL", (f"{self.address.schema}.search_postings",)):
            return
        place = self.value("SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector'")
        if place not in {None, "public", self.address.schema}:
            raise LibraryStorageError(
                f"pgvector is in the schema {place!r} of {self.address.shown}, where libraries do not look for it; "
                "have its owner run: ALTER EXTENSION vector SET SCHEMA public"
            )
        if place is None:
            try:
                self.connection().run(postgres_health.MAKE_EXTENSION)
            except LibraryStorageError as error:
                raise LibraryStorageError(
                    f"search_in = 'database' needs pgvector, which {self.address.shown} does not have yet ({error}); "
                    f"have somebody who may do it run there: {postgres_health.MAKE_EXTENSION}"
                ) from error
        with super().transaction() as connection:  # beside whoever writes
            connection.execute("SELECT pg_advisory_xact_lock(hashtext(?))", (f"{self.address.schema} layout",))
            postgres_search.create(_OwnWords(self))

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

    def lay_out(self, connection: DatabaseConnection, name: str) -> None:
        made = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        statements = list(statements_of(script(name)))
        if any(f" {table} (" in statement for (table,) in made for statement in statements):
            return
        for statement in statements:
            if "CREATE TRIGGER" not in statement:
                connection.execute(statement)
        with suppress(FileNotFoundError):
            self._run(connection, script(f"{name.removesuffix('.sql')}_postgres.sql"))

    def _run(self, connection: DatabaseConnection, sql: str) -> None:
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
                "stop who uses it and bring it up with: scholarmind migrate; or use the version of scholarmind that made it"
            )


class DerivedInDatabase(Derived):
    """The indexes in the database itself, one for all processes, brought up by each transaction before it ends."""

    def __init__(self, folder: Path, database: Database, *, keyword: Path | None = None) -> None:
        del folder, keyword  # nothing of it is on this machine
        assert isinstance(database, PostgresDatabase)  # noqa: S101
        self._database = database

        def words() -> _OwnWords:
            return _OwnWords(database)

        self.keyword = postgres_search.PostgresKeywords(words)
        self.matrix = postgres_search.PostgresVectors(words)
        self.multilingual = postgres_search.PostgresVectors(words, "multilingual")

    def may_be_written(self) -> bool:
        return not self._database.value("SELECT pg_is_in_recovery()")


class _OwnWords:
    """The connection of the calling thread, for statements in PostgreSQL's own words."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    @property
    def in_transaction(self) -> bool:
        return self._database.connection().in_transaction

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        with self._database.in_use():
            return self._database.connection().execute_own(sql, parameters)


class DatabaseLock(WriterLock):
    """The right to write, which one connection holds for all machines, and beside it the lock of the folder of what is derived.

    Who waits holds another lock together with all who wait, by which the holder sees that it is wanted.
    """

    def __init__(self, database: PostgresDatabase, folder: WriterLock) -> None:
        self._database = database
        self._folder = folder
        self._name = database.writer

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
    """A library in PostgreSQL, with what is derived from it in a folder of this machine, or in the database as well."""

    def __init__(
        self,
        url: str,
        folder: Path,
        *,
        fingerprint: str,
        lock_wait: float = LOCK_WAIT,
        create: bool = True,
        search_in: Literal["here", "database"] = "here",
    ) -> None:
        self._address = Address(url)
        self._search_in = search_in
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
        database = PostgresDatabase(self._address, self.folder, extensions=self._search_in == "database")
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
        if self._search_in == "database":
            database.lay_out_search()

    def _opened_indexes(self) -> Indexes:
        if self._search_in == "here":
            return super()._opened_indexes()
        indexes = Indexes(self.folder, self.database, self.lock, self._lock_wait, DerivedInDatabase)
        assert isinstance(self.database, PostgresDatabase)  # noqa: S101
        self.database.before_commit = lambda: None if indexes.derived.is_current() else indexes.derived.catch_up()
        return indexes

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
