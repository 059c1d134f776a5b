"""What may be needed again, in one SQLite file: replies of models, plans, searches. Whatever is wrong with the file, it is made anew.

A connection lives for one piece of work, so that none is carried into a forked process; all work is done in a thread of its own.
"""

import asyncio
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeVar

from scholarmind.text.untrusted import storable

T = TypeVar("T")
_LAYOUT = 2
_WAIT_SECONDS = 0.2  # for another process; a reply is better asked for than waited for
_BUSY_SECONDS = 5.0  # after a wait for nothing, in which nobody waits again: a question asks a hundred times
_TABLES = """
DROP TABLE IF EXISTS replies;
CREATE TABLE IF NOT EXISTS kept (address TEXT PRIMARY KEY, value TEXT NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS kept_by_use ON kept (used);
CREATE TABLE IF NOT EXISTS counts (kind TEXT PRIMARY KEY, hits INTEGER NOT NULL, misses INTEGER NOT NULL)
"""
_PUT = """
INSERT INTO kept VALUES (?, ?, ?)
ON CONFLICT (address) DO UPDATE SET value = excluded.value, used = excluded.used
"""
_SIZE = (
    "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
)
_DROP = """
DELETE FROM kept
WHERE address IN (SELECT address FROM kept ORDER BY used LIMIT (SELECT max(1, count(*) / 10) FROM kept))
"""  # a tenth: not at every reply again
_COUNT = """
INSERT INTO counts VALUES (?, ?, ?)
ON CONFLICT (kind) DO UPDATE SET hits = hits + excluded.hits, misses = misses + excluded.misses
"""
_REPLIES = "replies"  # what has no kind before its address
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_at_work = threading.Lock()  # a process that is forked while SQLite is at work could never use it again
os.register_at_fork(before=_at_work.acquire, after_in_parent=_at_work.release, after_in_child=_at_work.release)


class Responses:
    """The least recently used go first when there are more megabytes than are allowed. `problem` tells why the last work failed, or ''."""

    def __init__(self, path: Path, megabytes: float) -> None:
        self.path = path
        self.problem = ""
        self._most = int(megabytes * 1_000_000)
        self._busy_until = 0.0
        self._threads: dict[int, ThreadPoolExecutor] = {}  # by process: a forked one has none of its parent's

    async def get(self, address: str) -> str | None:
        """Return what is kept under the address."""

        def read(connection: sqlite3.Connection) -> str | None:
            found = connection.execute("SELECT value FROM kept WHERE address = ?", (address,)).fetchone()
            kind, colon, _ = address.partition(":")
            kind = kind if colon else _REPLIES
            try:
                connection.execute(_COUNT, (kind, int(found is not None), int(found is None)))
                connection.execute("UPDATE kept SET used = ? WHERE address = ?", (time.time_ns(), address))
            except sqlite3.OperationalError as error:  # read-only or locked: what was found is found nevertheless
                self._take_note(error)
            return found[0] if found else None

        return await self._done(read)

    async def put(self, address: str, value: str) -> None:
        """Keep it; what is larger than the limit is not kept."""
        value = storable(value)

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(_PUT, (address, value, time.time_ns()))
            while _size(connection) > self._most and connection.execute(_DROP).rowcount:
                pass
            connection.execute("COMMIT")
            connection.executescript("PRAGMA incremental_vacuum")

        if len(value.encode()) <= self._most:
            await self._done(write)

    async def clear(self) -> None:
        """Forget everything."""

        def empty(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM kept")
            connection.executescript("PRAGMA incremental_vacuum")

        await self._done(empty)

    def of(self, kind: str) -> "KeptOfAKind":
        """Return the same cache for what is of this kind."""
        return KeptOfAKind(self, kind)

    async def counts(self) -> dict[str, tuple[int, int]]:
        """Return how often something of each kind was asked for and found, and not found."""

        def read(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
            return {
                kind: (hits, misses) for kind, hits, misses in connection.execute("SELECT * FROM counts ORDER BY kind")
            }

        return await self._done(read) or {}

    async def size(self) -> int:
        """Return how many bytes the file holds."""
        return await self._done(_size) or 0

    async def close(self) -> None:
        """Let the thread go; whoever asks again gets a new one."""
        thread = self._threads.pop(os.getpid(), None)
        if thread:
            await asyncio.to_thread(thread.shutdown)

    async def _done(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Have work done in our thread; None if it cannot be done."""
        thread = self._threads.get(os.getpid())
        if thread is None:
            thread = self._threads[os.getpid()] = ThreadPoolExecutor(1, "scholarmind-responses")
        return await asyncio.wrap_future(thread.submit(self._tried, work))

    def _tried(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        with _at_work:
            try:
                wait = _WAIT_SECONDS if time.monotonic() >= self._busy_until else 0.0
                with closing(_opened(self.path, wait)) as connection:
                    found = work(connection)
            except (sqlite3.Error, OSError) as error:
                self._take_note(error)
                self.problem = f"replies cannot be kept in {str(self.path)!r}: {error}"
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
                    self._set_aside()
                return None
        self.problem = ""
        return found

    def _take_note(self, error: Exception) -> None:
        """Remember that another process has the file."""
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            self._busy_until = time.monotonic() + _BUSY_SECONDS

    def _set_aside(self) -> None:
        """Begin a new file. The damaged one is not removed: it may be somebody else's."""
        with suppress(OSError):
            self.path.replace(f"{self.path}.damaged")
            Path(f"{self.path}-journal").unlink(missing_ok=True)


class KeptOfAKind:
    """What a cache keeps of one kind: counted by itself, and never mistaken for anything else."""

    def __init__(self, cache: Responses, kind: str) -> None:
        self._cache = cache
        self._kind = kind

    async def get(self, address: str) -> str | None:
        """Return what is kept under the address."""
        return await self._cache.get(f"{self._kind}:{address}")

    async def put(self, address: str, value: str) -> None:
        """Keep it."""
        await self._cache.put(f"{self._kind}:{address}", value)


def _size(connection: sqlite3.Connection) -> int:
    return connection.execute(_SIZE).fetchone()[0]


def _opened(path: Path, wait: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = OFF")  # a power cut may cost the cache, nothing else
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    found: Any = connection.execute("PRAGMA user_version").fetchone()[0]
    if found == _LAYOUT:
        return
    if found > _LAYOUT:
        raise sqlite3.DatabaseError(f"it has layout {found!r}, this version reads {_LAYOUT!r}; move it away")
    connection.execute("PRAGMA page_size = 1024")  # a reply begins a page of its own
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.executescript(f"BEGIN IMMEDIATE; {_TABLES}; PRAGMA user_version = {_LAYOUT}; COMMIT")
