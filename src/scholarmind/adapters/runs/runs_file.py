"""The SQLite file of the runs: one thread that does all work in order, its connection, its errors in our words, and packed runs.

Runs that are done are packed: their events and journal as one piece of compressed data, in which what is repeated stands once. Nothing
is lost: a run that goes on is unpacked first. The oldest that nobody rated make room for new ones.
"""

import asyncio
import json
import lzma
import os
import shutil
import sqlite3
import threading
import time
import weakref
import zlib
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.errors import LibraryError, LibraryMismatchError, LibraryStorageError
from scholarmind.text.untrusted import storable

# -- packed runs

_PRESET = (
    1  # a window of a megabyte, in which the passages of all parts are found again; more takes longer than it is worth
)

_TEXTS = ("plan", "settings", "answer")
_UNPACKED = """
SELECT id FROM runs WHERE status = 'done'
    AND (EXISTS (SELECT 1 FROM events WHERE run = id) OR EXISTS (SELECT 1 FROM journal WHERE run = id))
ORDER BY started LIMIT ?
"""

_BYTES = (
    "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
)

# the rows of a run are its own, and those of the tables that are made when they are first needed
_SIZE = """
SELECT length(CAST(question AS BLOB)) + length(CAST(plan AS BLOB)) + length(CAST(settings AS BLOB)) + length(CAST(answer AS BLOB))
    + coalesce((SELECT sum(length(CAST(record AS BLOB))) FROM events WHERE run = id), 0)
    + coalesce((SELECT sum(length(CAST(value AS BLOB))) FROM journal WHERE run = id), 0)
    + coalesce((SELECT length(content) FROM archive WHERE run = id), 0)
FROM runs WHERE id = ?
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """How long runs are kept, and how much room they may take; 0 for as long and as much as there is."""

    days: float = 0.0
    megabytes: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What was removed, or would be: the ids of the runs, and the bytes that they take; and how many were packed."""

    runs: tuple[str, ...] = ()
    bytes: int = 0
    packed: int = 0


def text_of(value: str | bytes) -> str:
    """Return a text that may be packed."""
    try:
        return zlib.decompress(value).decode() if isinstance(value, bytes) else value
    except (zlib.error, ValueError) as error:
        raise _damaged(error) from error


def _content(packed: bytes) -> Any:
    try:
        return json.loads(lzma.decompress(packed))
    except (lzma.LZMAError, ValueError) as error:
        raise _damaged(error) from error


def _damaged(error: Exception) -> LibraryStorageError:
    return LibraryStorageError(
        f"what was packed of a run is damaged ({error}); move runs.db away: nothing but past runs is in it"
    )


def pack(connection: DatabaseConnection, run: str) -> None:
    """Pack what belongs to a run, with what was packed of it before."""
    unpack(connection, run)
    events = connection.execute("SELECT number, record FROM events WHERE run = ? ORDER BY number", (run,)).fetchall()
    journal = connection.execute("SELECT address, step, value FROM journal WHERE run = ? ORDER BY rowid", (run,))
    content = lzma.compress(json.dumps([events, journal.fetchall()]).encode(), preset=_PRESET)
    texts = connection.execute(f"SELECT {', '.join(_TEXTS)} FROM runs WHERE id = ?", (run,)).fetchone()  # noqa: S608
    packed = (text if isinstance(text, bytes) else zlib.compress(text.encode()) for text in texts)
    connection.execute("UPDATE runs SET plan = ?, settings = ?, answer = ? WHERE id = ?", (*packed, run))
    connection.execute("INSERT OR REPLACE INTO archive VALUES (?, ?)", (run, content))
    connection.execute("DELETE FROM events WHERE run = ?", (run,))
    connection.execute("DELETE FROM journal WHERE run = ?", (run,))


def unpack(connection: DatabaseConnection, run: str) -> None:
    """Put the events and the journal of a run that goes on back where they were."""
    found = connection.execute("SELECT content FROM archive WHERE run = ?", (run,)).fetchone()
    if found is None:
        return
    events, journal = _content(found[0])
    connection.executemany("INSERT OR IGNORE INTO events VALUES (?, ?, ?)", [(run, *row) for row in events])
    connection.executemany("INSERT OR IGNORE INTO journal VALUES (?, ?, ?, ?)", [(run, *row) for row in journal])
    connection.execute("DELETE FROM archive WHERE run = ?", (run,))


def events_of(content: bytes, after: int) -> list[str]:
    """Return the events of a packed run that came after this number."""
    return [record for number, record in _content(content)[0] if number > after]


def unpacked(connection: DatabaseConnection, most: int) -> list[str]:
    """Return runs that are done and not packed yet, the oldest first: another version left them, or what ended this one."""
    return [run for (run,) in connection.execute(_UNPACKED, (most,))]


def size(connection: DatabaseConnection, run: str) -> int:
    """Return about how many bytes a run takes."""
    return connection.execute(_SIZE, (run,)).fetchone()[0]


def removable(connection: DatabaseConnection, before: float | None = None, keep: int = 0) -> list[str]:
    """Return the runs that are done, unrated, and began before this moment, the oldest first, without the latest of all runs."""
    there = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'ratings'").fetchone()
    unrated = "AND id NOT IN (SELECT run FROM ratings)" if there else ""
    found = connection.execute(
        f"SELECT id FROM runs WHERE status = 'done' {unrated} AND started < ? "  # noqa: S608
        "AND id NOT IN (SELECT id FROM runs ORDER BY started DESC, id DESC LIMIT ?) ORDER BY started, id",
        (float("inf") if before is None else before, keep),
    )
    return [run for (run,) in found]


def beyond(connection: DatabaseConnection, limits: RunLimits, now: float, used: int) -> list[str]:
    """Return the runs that are over the limits of age and of room; the latest run always stays."""
    old = removable(connection, now - limits.days * 86_400, keep=1) if limits.days else []
    if not limits.megabytes:
        return old
    over = used - limits.megabytes * 1_000_000 - sum(size(connection, run) for run in old)
    for run in removable(connection, keep=1)[len(old) :]:
        if over <= 0:
            break
        old.append(run)
        over -= size(connection, run)
    return old


def forget(connection: DatabaseConnection, runs: Sequence[str]) -> None:
    """Remove these runs with all that is theirs in the tables that every file has."""
    ids = [(run,) for run in runs]
    for table, column in (("runs", "id"), ("journal", "run"), ("events", "run"), ("archive", "run")):
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", ids)  # noqa: S608


# -- the file

_T = TypeVar("_T")
_LAYOUT = 2
_BEFORE = 1  # which is this one without an archive
_WAIT_SECONDS = 2.0  # for another process; longer would be felt in the answer
_MOST_PROBLEMS = 256
_NEEDED_BYTES = 1_000_000  # less is what SQLite fails for, whatever it calls that
TABLES = """
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    question TEXT NOT NULL,
    plan TEXT NOT NULL,
    settings TEXT NOT NULL,
    library TEXT NOT NULL,
    status TEXT NOT NULL,
    started REAL NOT NULL,
    finished REAL,
    answer TEXT NOT NULL,
    process TEXT NOT NULL
);
CREATE INDEX runs_by_start ON runs (started);
CREATE TABLE journal (
    run TEXT NOT NULL,
    address TEXT NOT NULL,
    step TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, address)
);
CREATE TABLE events (
    run TEXT NOT NULL,
    number INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (run, number)
)
"""

ARCHIVE = "CREATE TABLE IF NOT EXISTS archive (run TEXT PRIMARY KEY, content BLOB NOT NULL)"
_open: "weakref.WeakSet[RunFile]" = weakref.WeakSet()
_left_to_parent: list[Any] = []  # a forked child must not let go of its parent's thread


class RunFile:
    """Every write is a commit of its own, which survives the end of the process. The file is made by the first write."""

    packs = True  # what is done takes less room then; a database that packs by itself does not need it

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: dict[str, str] = {}  # by run: why it leaves no trace
        self._connection: DatabaseConnection | None = None
        self._start()
        _open.add(self)

    def close(self) -> None:
        """Write what is still to be written, and let go of the file."""
        self._thread.shutdown(wait=True)
        with self._guard:
            self._disconnect()

    def write(self, run: str, sql: str, values: tuple[Any, ...]) -> None:
        """Have a statement carried out, after all those before it, and do not wait.

        The first failure ends the writing for this run: waiting and failing again helps nobody.
        """
        self._waiting.append((run, sql, values))
        if not self._is_woken:  # a thread that is about to write takes along what has been added since
            self._is_woken = True
            self._thread.submit(self._write_waiting)

    async def written(self) -> None:
        """Wait until everything that was to be written is."""
        await _end_of(self._thread.submit(self._write_waiting))

    def _write_waiting(self) -> None:
        self._is_woken = False
        while self._waiting:
            run, sql, values = self._waiting.popleft()
            if run in self.problems:
                continue
            try:
                self._write(sql, values)
            except LibraryError as error:
                self.give_up(run, error)

    def _write(self, sql: str, values: tuple[Any, ...]) -> None:
        self._work(lambda connection: connection.execute(sql, _storable(values)))

    def give_up(self, run: str, error: LibraryError) -> None:
        """Write no more for this run."""
        self.problems.setdefault(run, str(error))
        for old in [*self.problems][:-_MOST_PROBLEMS]:
            self.problems.pop(old, None)

    async def rows(self, sql: str, values: tuple[Any, ...]) -> list[Any]:
        """Return all rows of a query; where there is no file there are none."""

        def job() -> list[Any]:
            if self._connection is None and not self.is_there():
                return []
            return self._work(lambda connection: connection.execute(sql, _storable(values)).fetchall())

        return await _end_of(self._thread.submit(job))

    async def together(self, work: Callable[[DatabaseConnection], _T]) -> _T:
        """All of this work or nothing of it; the room that it frees is given back."""
        return await _end_of(self.submitted(work))

    def submitted(self, work: Callable[[DatabaseConnection], _T]) -> "Future[_T]":
        """Have such work done after all that was begun before, and do not wait."""

        def job(connection: DatabaseConnection) -> _T:
            connection.execute("BEGIN IMMEDIATE")
            try:
                done = work(connection)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            self._free_room(connection)
            return done

        return self._thread.submit(self._work, job)

    def _work(self, work: Callable[[DatabaseConnection], _T]) -> _T:
        with self._guard, _errors_of(self.path):
            if self._connection is None:
                self._connection = self.connect()
            try:
                return work(self._connection)
            except sqlite3.Error:
                self._disconnect()  # opened anew, it may be written again
                raise

    def is_there(self) -> bool:
        """Tell whether any run was ever noted."""
        return self.path.exists() and self.path.stat().st_size > 0

    def bytes_used(self, connection: DatabaseConnection) -> int:
        """Return how much room all runs take."""
        return connection.execute(_BYTES).fetchone()[0]

    def connect(self) -> DatabaseConnection:
        """Return a connection of its own, where the tables are."""
        return _connect(self.path)

    def _free_room(self, connection: DatabaseConnection) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.executescript("PRAGMA incremental_vacuum")  # `execute` would free one page

    def _start(self) -> None:
        self._guard = threading.Lock()
        self._thread = ThreadPoolExecutor(1, "scholarmind-runs")
        self._waiting: deque[tuple[str, str, tuple[Any, ...]]] = deque()
        self._is_woken = False

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def before_fork(self) -> None:
        """SQLite does not survive a fork: wait for the work under way, and close."""
        self._guard.acquire()
        self._disconnect()

    def after_fork(self, *, in_child: bool) -> None:
        """Go on, in a child with a thread of its own."""
        if in_child:
            _left_to_parent.append(self._thread)
            self._start()
        else:
            self._guard.release()


async def _end_of(future: "Future[_T]") -> _T:
    """Wait for the thread, even when cancelled: what was answered is written down."""
    waiting = asyncio.wrap_future(future)
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        await asyncio.wait([waiting])
        raise


def _connect(path: Path) -> DatabaseConnection:
    writable = os.access(path if path.exists() else path.parent, os.W_OK) and os.access(path.parent, os.W_OK)
    connection = _opened(path, "rwc" if writable else "ro")
    try:
        if writable:
            _prepare(connection, path)
            return connection
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        if writable and not (_is_full(path) and path.stat().st_size):
            raise
        return _opened(path, "ro&immutable=1")  # the log cannot be taken part in; the file can be read
    except BaseException:
        connection.close()
        raise
    return connection


def _opened(path: Path, mode: str) -> DatabaseConnection:
    address = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(address, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False, uri=True)


def _prepare(connection: DatabaseConnection, path: Path) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if not found:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        set_write_ahead(connection)
        _lay_out(connection)
    elif found == _BEFORE:
        _lay_out(connection)
    elif found != _LAYOUT:
        raise LibraryMismatchError(
            f"the runs in {str(path)!r} have layout {found!r}, this version reads {_LAYOUT!r}; "
            "use the version of scholarmind that made them, or move the file away"
        )


def _lay_out(connection: DatabaseConnection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if found < _LAYOUT:  # nobody was faster
            for statement in () if found else TABLES.split(";"):
                connection.execute(statement)
            connection.execute(ARCHIVE)
            connection.execute(f"PRAGMA user_version = {_LAYOUT}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def set_write_ahead(connection: DatabaseConnection, seconds: float = _WAIT_SECONDS) -> None:
    """Switch to WAL. Others may open the new file this moment, and SQLite does not wait for them here."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _storable(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(storable(value) if isinstance(value, str) else value for value in values)


@contextmanager
def _errors_of(path: Path) -> Generator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        advice = {
            sqlite3.SQLITE_FULL: "make room on the disk",
            sqlite3.SQLITE_CORRUPT: "move the file away: nothing but past runs, conversations and ratings is in it",
            sqlite3.SQLITE_NOTADB: "move the file away: nothing but past runs, conversations and ratings is in it",
            sqlite3.SQLITE_BUSY: "see who keeps it locked",
        }.get(code, "check who may write there")
        if code != sqlite3.SQLITE_FULL and _is_full(path):
            advice = "make room on the disk"
        raise LibraryStorageError(f"runs cannot be kept in {str(path)!r} ({error}); {advice}") from error


def _is_full(path: Path) -> bool:
    """SQLite calls a full disk an I/O error, too, or a file that it cannot open."""
    try:
        return shutil.disk_usage(path.parent).free < _NEEDED_BYTES
    except OSError:
        return False


def _before_fork() -> None:
    for file in list(_open):
        file.before_fork()


def _after_fork(*, in_child: bool) -> None:
    for file in list(_open):
        file.after_fork(in_child=in_child)


os.register_at_fork(
    before=_before_fork,
    after_in_parent=lambda: _after_fork(in_child=False),
    after_in_child=lambda: _after_fork(in_child=True),
)
