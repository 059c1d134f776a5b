"""Runs that are done, packed: their events and journal as one piece of compressed data, in which what is repeated stands once.

Nothing is lost: a run that goes on is unpacked first. The oldest that nobody rated make room for new ones.
"""

import json
import lzma
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scholarmind.errors import LibraryStorageError

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
class Limits:
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


def pack(connection: sqlite3.Connection, run: str) -> None:
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


def unpack(connection: sqlite3.Connection, run: str) -> None:
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


def unpacked(connection: sqlite3.Connection, most: int) -> list[str]:
    """Return runs that are done and not packed yet, the oldest first: another version left them, or what ended this one."""
    return [run for (run,) in connection.execute(_UNPACKED, (most,))]


def size(connection: sqlite3.Connection, run: str) -> int:
    """Return about how many bytes a run takes."""
    return connection.execute(_SIZE, (run,)).fetchone()[0]


def removable(connection: sqlite3.Connection, before: float | None = None, keep: int = 0) -> list[str]:
    """Return the runs that are done, unrated, and began before this moment, the oldest first, without the latest of all runs."""
    there = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'ratings'").fetchone()
    unrated = "AND id NOT IN (SELECT run FROM ratings)" if there else ""
    found = connection.execute(
        f"SELECT id FROM runs WHERE status = 'done' {unrated} AND started < ? "  # noqa: S608
        "AND id NOT IN (SELECT id FROM runs ORDER BY started DESC, id DESC LIMIT ?) ORDER BY started, id",
        (float("inf") if before is None else before, keep),
    )
    return [run for (run,) in found]


def beyond(connection: sqlite3.Connection, limits: Limits, now: float) -> list[str]:
    """Return the runs that are over the limits of age and of room; the latest run always stays."""
    old = removable(connection, now - limits.days * 86_400, keep=1) if limits.days else []
    if not limits.megabytes:
        return old
    over = (
        connection.execute(_BYTES).fetchone()[0]
        - limits.megabytes * 1_000_000
        - sum(size(connection, run) for run in old)
    )
    for run in removable(connection, keep=1)[len(old) :]:
        if over <= 0:
            break
        old.append(run)
        over -= size(connection, run)
    return old


def forget(connection: sqlite3.Connection, runs: Sequence[str]) -> None:
    """Remove these runs with all that is theirs in the tables that every file has."""
    ids = [(run,) for run in runs]
    for table, column in (("runs", "id"), ("journal", "run"), ("events", "run"), ("archive", "run")):
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", ids)  # noqa: S608
