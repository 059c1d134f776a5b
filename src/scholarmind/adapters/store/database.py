"""Connections to the SQLite file, its schema, and its errors in our words."""

import errno
import fcntl
import os
import shutil
import sqlite3
import tempfile
import threading
import time
import weakref
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store import checksums
from scholarmind.errors import LibraryMismatchError, LibraryStorageError
from scholarmind.model import Check

SCHEMA = "4"
BEING_COPIED = "being copied"  # stands for a layout while not all is there that belongs to it
_BEFORE = "3"  # without checksums: read as it is, and brought up by the first write
_WAIT_SECONDS = 10.0
_NEEDED_BYTES = 1_000_000  # less is what SQLite fails for, whatever it calls that
_TABLES_OF_LAYOUT = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name IN ('documents', 'sums')"


class Database:
    """One file, a connection for each thread. Before a fork all connections are closed: SQLite does not survive one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.writable = os.access(path if path.exists() else path.parent, os.W_OK) and os.access(path.parent, os.W_OK)
        self.is_full = False  # so that SQLite cannot even make the files that it needs for reading
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        self._has_grown = False
        self._renew()
        _open.add(self)

    def connection(self) -> DatabaseConnection:
        """Return this thread's connection; use it within `in_use`."""
        connection: DatabaseConnection | None = getattr(self._threads, "connection", None)
        if connection is not None and not self.writable and getattr(self._threads, "depth", 0) <= 1:
            connection = self._followed(connection)
        if (
            connection is not None
            and connection in self._unsummed
            and self._has_grown
            and getattr(self._threads, "depth", 0) <= 1
        ):
            self._opened.remove(connection)
            connection.close()
            connection = None
        if connection is None:
            self._threads.seen = self._state_of_files()
            connection = self._threads.connection = self._connect()
            self._opened.append(connection)
        return connection

    def _followed(self, connection: DatabaseConnection) -> DatabaseConnection | None:
        """Without rights to write, SQLite cannot take part in the log and does not see what others add: look at the files."""
        if self._threads.seen == self._state_of_files():
            return connection
        self._opened.remove(connection)
        connection.close()
        if self._copy is not None:
            self._copy.cleanup()
            self._copy = None
        return None

    def _state_of_files(self) -> list[tuple[int, int, int]]:
        states: list[tuple[int, int, int]] = []
        for path in (self.path, self.path.with_name(f"{self.path.name}-wal")):
            with suppress(FileNotFoundError):
                status = path.stat()
                states.append((status.st_ino, status.st_size, status.st_mtime_ns))
        return states

    @contextmanager
    def in_use(self) -> Generator[None]:
        """Keep a fork waiting for as long as the block runs."""
        depth: int = getattr(self._threads, "depth", 0)
        threads, users = self._threads, self._users
        if not depth:
            with users:
                users.wait_for(lambda: not self._closing)
                self._count += 1
        threads.depth = depth + 1
        try:
            yield
        finally:
            threads.depth = depth
            if not depth:
                with users:
                    self._count -= 1
                    users.notify_all()

    def before_fork(self) -> None:
        """Wait until nobody reads or writes, and close every connection."""
        own: int = getattr(self._threads, "depth", 0)
        with self._users:
            self._closing = True
            self._users.wait_for(lambda: self._count <= bool(own))
            self._close_connections()

    def after_fork(self, *, in_child: bool) -> None:
        """Let work go on, each thread with a connection of its own."""
        if in_child:
            self._renew()
            return
        with self._users:
            self._closing = False
            self._users.notify_all()

    def _renew(self) -> None:
        self._threads = threading.local()
        self._opened: list[DatabaseConnection] = []
        self._unsummed: list[DatabaseConnection] = []
        self._users = threading.Condition()
        self._count = 0
        self._closing = False

    def _close_connections(self) -> None:
        for connection in self._opened:
            connection.close()
        depth: int = getattr(self._threads, "depth", 0)
        self._threads, self._opened = threading.local(), []
        self._threads.depth = depth

    def rows(self, sql: str, parameters: Any = ()) -> list[Any]:
        """Return all rows of a query."""
        with errors_of(self.path), self.in_use():
            return self.connection().execute(sql, parameters).fetchall()

    def value(self, sql: str, parameters: Any = ()) -> Any:
        """Return the first column of the first row, or None."""
        with errors_of(self.path), self.in_use():
            row = self.connection().execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    def stream(self, sql: str, parameters: Sequence[Any], page: int) -> Iterator[list[Any]]:
        """Yield the rows of a query some at a time; use it within `in_use`."""
        cursor = self.connection().execute(sql, parameters)
        while rows := cursor.fetchmany(page):
            yield rows

    @contextmanager
    def snapshot(self) -> Generator[DatabaseConnection]:
        """All that the block reads is of one moment, whatever is written meanwhile."""
        with errors_of(self.path), self.in_use():
            connection = self.connection()
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Generator[DatabaseConnection]:
        """All of the block or nothing of it."""
        self.check_writable()
        with errors_of(self.path), self.in_use():
            connection = self.connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def check_writable(self) -> None:
        """Refuse to write where that is not possible."""
        if self.is_full:
            raise LibraryStorageError(
                _without_room(self.path.parent, "not even for the files that writing begins with")
            )
        if not self.writable:
            raise LibraryStorageError(
                f"the library {str(self.path.parent)!r} is read-only; make it writable, or choose another with --library"
            )

    def create(self) -> None:
        """Lay out the tables, unless somebody else was faster."""
        if not self.has_layout():
            with errors_of(self.path), self.in_use():
                self._set_write_ahead()
            with self.transaction() as connection:
                self.lay_out(connection, "schema.sql")
                self.lay_out(connection, "sums.sql")
                connection.execute("INSERT INTO about VALUES ('schema', ?)", (SCHEMA,))

    def lay_out(self, connection: DatabaseConnection, name: str) -> None:
        """Make the tables of a script."""
        for statement in statements_of(script(name)):
            connection.execute(statement)

    def grow(self) -> None:
        """Give a library of the version before what it lacks, all at once. The caller holds the writer's lock."""
        if self.about("schema") == SCHEMA:
            return
        with self.transaction() as connection:
            for statement in statements_of(script("sums.sql")):
                connection.execute(statement.replace("CREATE TABLE ", "CREATE TABLE main."))
            for table in ("sums", "passage_sums"):
                connection.execute(f"DROP TABLE temp.{table}")
            checksums.write_missing(connection)
            connection.execute("UPDATE about SET value = ? WHERE key = 'schema'", (SCHEMA,))
        self._has_grown = True

    def check_layout(self) -> None:
        """Refuse a layout that we do not know."""
        found = self.about("schema")
        check_is_whole(str(self.path.parent), found)
        if found not in {SCHEMA, _BEFORE}:
            raise LibraryMismatchError(
                f"the library {str(self.path.parent)!r} has layout {found!r}, this version reads {SCHEMA!r}; "
                "use the version of scholarmind that made it, or add the documents to a new library"
            )

    def has_layout(self) -> bool:
        """Tell whether the tables are there."""
        return bool(self.value("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'about'"))

    def examine(self) -> Iterator[Check]:
        """Yield what is found of the file itself."""
        restore = "restore library.db from a backup, or move it away and add the documents again"
        try:
            found = [row[0] for row in self.rows("PRAGMA quick_check(3)")]
        except LibraryStorageError as error:
            yield Check(name="library file", ok=False, seen=str(error), mend=restore)
            return
        yield Check(name="library file", ok=found == ["ok"], seen="; ".join(found), mend=restore)

    def bytes_used(self) -> int:
        """Return how much room the library takes elsewhere than in its folder."""
        return 0

    def about(self, key: str) -> str | None:
        """Return what the library says of itself under this key."""
        return self.value("SELECT value FROM about WHERE key = ?", (key,))

    def last_change(self) -> int:
        """Return the number of the latest change: what the matrix has to reach."""
        return self.value("SELECT max(number) FROM changes") or 0

    def last_text_change(self) -> int:
        """Return the number of the latest change other than of vectors: what the keyword index has to reach."""
        return self.value("SELECT max(number) FROM changes WHERE kind <> 'fill'") or 0

    def languages(self) -> dict[str, int]:
        """Count passages by the language of their documents; both columns are read from indexes, no text is."""
        sql = (
            "SELECT t.value, count(*) FROM terms t JOIN passages p ON p.document = t.document "
            "WHERE t.field = 'language' GROUP BY t.value ORDER BY t.value"
        )
        return dict(self.rows(sql))

    def close(self) -> None:
        """Close every thread's connection."""
        self._close_connections()
        if self._copy is not None:
            self._copy.cleanup()

    def _set_write_ahead(self) -> None:
        """Switch to WAL. Others may look at the new file this moment, and SQLite does not wait for them here."""
        deadline = time.monotonic() + _WAIT_SECONDS
        switched = False
        while not switched:
            try:
                self.connection().execute("PRAGMA journal_mode = WAL")
                switched = True
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def _connect(self) -> DatabaseConnection:
        with errors_of(self.path):
            connection = self._open_with_room() if self.writable else self._open_read_only()
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            if {name for (name,) in connection.execute(_TABLES_OF_LAYOUT)} == {"documents"}:
                for statement in statements_of(script("sums.sql")):  # empty ones, in memory
                    connection.execute(statement.replace("CREATE TABLE ", "CREATE TABLE temp."))
                self._unsummed.append(connection)
            return connection

    def _open_with_room(self) -> DatabaseConnection:
        """On a full disk SQLite cannot make the file that its log is read by: what is there can be read all the same."""
        connection = self._open(self.path)
        try:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            connection.close()
            if not is_full(self.path.parent, error) or not self.path.stat().st_size:
                raise
            self.writable, self.is_full = False, True
            return self._open_read_only()
        return connection

    def _open(self, path: Path, options: str = "") -> DatabaseConnection:
        mode = "rwc" if self.writable or path != self.path else "ro"
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}{options}",
            timeout=_WAIT_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )

    def _open_read_only(self) -> DatabaseConnection:
        """WAL needs to write beside the file. Where it may not, and nobody else does, the file is enough, or a copy of it and its log."""
        connection = self._open(self.path)
        try:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            connection.close()
        else:
            return connection
        log = self.path.with_name(f"{self.path.name}-wal")
        if not log.exists() or not log.stat().st_size:
            return self._open(self.path, "&immutable=1")
        if self._copy is None:
            self._copy = tempfile.TemporaryDirectory(prefix="scholarmind-")
            for path in (self.path, log):
                shutil.copyfile(path, Path(self._copy.name) / path.name)
        return self._open(Path(self._copy.name) / self.path.name)


_open: "weakref.WeakSet[Database]" = weakref.WeakSet()


def _before_fork() -> None:
    for database in list(_open):
        database.before_fork()


def _after_fork(*, in_child: bool) -> None:
    for database in list(_open):
        database.after_fork(in_child=in_child)


os.register_at_fork(
    before=_before_fork,
    after_in_parent=lambda: _after_fork(in_child=False),
    after_in_child=lambda: _after_fork(in_child=True),
)


@contextmanager
def errors_of(path: Path) -> Generator[None]:
    """Turn SQLite's and the system's errors into ours, and those of values that cannot have been written so."""
    try:
        yield
    except (sqlite3.Error, OSError, ValueError) as error:
        raise LibraryStorageError(_told(error, path.parent)) from error


def is_full(folder: Path, error: Exception) -> bool:
    """Tell whether this went wrong for want of room. SQLite calls it an I/O error, too, or a file that it cannot open."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if isinstance(error, OSError):
        return error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
    if code in {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}:
        with suppress(OSError):
            return shutil.disk_usage(folder).free < _NEEDED_BYTES
    return code == sqlite3.SQLITE_FULL


def _without_room(folder: Path, error: object) -> str:
    return f"there is no room left for the library {str(folder)!r} ({error}); nothing is lost: make room and run the command again"


def _told(error: Exception, folder: Path) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    number = error.errno if isinstance(error, OSError) else None
    if is_full(folder, error):
        return _without_room(folder, error)
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM} or number in {
        errno.EROFS,
        errno.EACCES,
        errno.EPERM,
    }:
        return f"the library {str(folder)!r} cannot be opened or written ({error}); check that it exists and who may write there"
    if (
        code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
        or isinstance(error, ValueError)
        or "UTF-8" in str(error)
    ):
        return f"the file of the library {str(folder)!r} is damaged ({error}); restore it from a backup, or add the documents again"
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PROTOCOL} and (
        lacking := _lacking_locks(folder)
    ):
        return without_locks(folder, lacking)
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return f"the library {str(folder)!r} stayed busy for {_WAIT_SECONDS:.0f} s ({error}); see who uses it and try again"
    return f"the library {str(folder)!r} could not be read or written ({error}); 'scholarmind doctor' looks closer"


def without_locks(folder: Path, error: OSError) -> str:
    """Say that files cannot be locked where this library is."""
    return (
        f"the library {str(folder)!r} is on a file system without file locks ({error}), where two programs that use it at the same "
        "time would spoil it; keep it on a local disk (--library or SCHOLARMIND_LIBRARY), or have that file system mounted with locks"
    )


def _lacking_locks(folder: Path) -> OSError | None:
    """Try the locks that SQLite needs on a file of our own: it says of itself only that it waited in vain, or that it failed."""
    with suppress(OSError), tempfile.TemporaryFile(dir=folder) as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error
    return None


def check_is_whole(place: str, layout: str | None) -> None:
    """Refuse half a copy."""
    if layout == BEING_COPIED:
        raise LibraryMismatchError(
            f"the library in {place} is not whole yet: give the same 'scholarmind copy' or 'restore' again, which goes on where it was"
        )


def script(name: str) -> str:
    """Return a file of SQL."""
    return files("scholarmind.adapters.store").joinpath(name).read_text(encoding="utf-8")


def statements_of(script: str) -> Iterator[str]:
    """Yield the statements of a script one by one."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
