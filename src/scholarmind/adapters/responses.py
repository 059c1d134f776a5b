"""Replies of language models in one SQLite file. It is a cache: whatever is wrong with the file, a reply is asked for again.

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

from scholarmind.text.names import storable

T = TypeVar("T")
_LAYOUT = 1
_WAIT_SECONDS = 0.2  # for another process; a reply is better asked for than waited for
_TABLES = """
CREATE TABLE IF NOT EXISTS replies (address TEXT PRIMARY KEY, value TEXT NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS replies_by_use ON replies (used)
"""
_PUT = """
INSERT INTO replies VALUES (?, ?, ?)
ON CONFLICT (address) DO UPDATE SET value = excluded.value, used = excluded.used
"""
_SIZE = (
    "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
)
_DROP = """
DELETE FROM replies
WHERE address IN (SELECT address FROM replies ORDER BY used LIMIT (SELECT max(1, count(*) / 10) FROM replies))
"""  # a tenth: not at every reply again
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_at_work = threading.Lock()  # a process that is forked while SQLite is at work could never use it again
os.register_at_fork(before=_at_work.acquire, after_in_parent=_at_work.release, after_in_child=_at_work.release)


class Responses:
    """The least recently used go first when there are more megabytes than are allowed. `problem` tells why the last work failed, or ''."""

    def __init__(self, path: Path, megabytes: float) -> None:
        self.path = path
        self.problem = ""
        self._most = int(megabytes * 1_000_000)
        self._threads: dict[int, ThreadPoolExecutor] = {}  # by process: a forked one has none of its parent's

    async def get(self, address: str) -> str | None:
        """Return what is kept under the address."""

        def read(connection: sqlite3.Connection) -> str | None:
            found = connection.execute("SELECT value FROM replies WHERE address = ?", (address,)).fetchone()
            if found is None:
                return None
            with suppress(sqlite3.OperationalError):  # read-only or locked: it was found nevertheless
                connection.execute("UPDATE replies SET used = ? WHERE address = ?", (time.time_ns(), address))
            return found[0]

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
            connection.execute("DELETE FROM replies")
            connection.executescript("PRAGMA incremental_vacuum")

        await self._done(empty)

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
                with closing(_opened(self.path)) as connection:
                    found = work(connection)
            except (sqlite3.Error, OSError) as error:
                self.problem = f"replies cannot be kept in {str(self.path)!r}: {error}"
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
                    self._set_aside()
                return None
        self.problem = ""
        return found

    def _set_aside(self) -> None:
        """Begin a new file. The damaged one is not removed: it may be somebody else's."""
        with suppress(OSError):
            self.path.replace(f"{self.path}.damaged")
            Path(f"{self.path}-journal").unlink(missing_ok=True)


def _size(connection: sqlite3.Connection) -> int:
    return connection.execute(_SIZE).fetchone()[0]


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)
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
    if found:
        raise sqlite3.DatabaseError(f"it has layout {found!r}, this version reads {_LAYOUT!r}; move it away")
    connection.execute("PRAGMA page_size = 1024")  # a reply begins a page of its own
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.executescript(f"BEGIN IMMEDIATE; {_TABLES}; PRAGMA user_version = {_LAYOUT}; COMMIT")
