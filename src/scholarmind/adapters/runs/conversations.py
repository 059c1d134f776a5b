"""The turns of conversations, beside the runs that made them. Their table is made by the first turn: older files have none."""

import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from scholarmind.adapters.runs.file import RunFile
from scholarmind.conversations import Conversation, Turn

_TABLE = """
CREATE TABLE IF NOT EXISTS turns (
    number INTEGER PRIMARY KEY,
    conversation TEXT NOT NULL,
    run TEXT NOT NULL,
    noted REAL NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (conversation, run)
)
"""
# A run that is resumed says its turn anew, in the place that it had
_ADD = """
INSERT INTO turns (conversation, run, noted, record) VALUES (?, ?, ?, ?)
ON CONFLICT (conversation, run) DO UPDATE SET record = excluded.record
"""
_BEFORE = """
SELECT record FROM turns WHERE conversation = ? AND number < coalesce(
    (SELECT number FROM turns WHERE conversation = ? AND run = ?), 9223372036854775807
) ORDER BY number
"""
_LATEST = """
SELECT conversation, count(*), max(number), max(noted) FROM turns GROUP BY conversation ORDER BY max(number) DESC
"""
_IS_THERE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'turns'"


class RunConversations:
    """The conversations in a file of runs. Noting a turn never fails a run: `Runs.problem` tells what could not be written."""

    def __init__(self, file: RunFile) -> None:
        self._file = file

    async def turns(self, conversation: str, before: str = "") -> list[Turn]:
        """Return the turns of a conversation, the oldest first, or those before a run's own; none for a name that is new."""
        rows = await self._rows(_BEFORE, (conversation, conversation, before))
        return [_turn_of(record) for (record,) in rows]

    async def add_turn(self, conversation: str, run: str, turn: Turn) -> None:
        """Note the turn of a run; noted again, it takes the place of the one before."""
        self._file.write(run, _TABLE, ())
        record = json.dumps(asdict(turn), ensure_ascii=False)
        self._file.write(run, _ADD, (conversation, run, time.time(), record))
        await self._file.written()

    async def all(self) -> list[Conversation]:
        """Return every conversation, the one that was spoken in last first."""
        found: list[Conversation] = []
        for name, count, last, when in await self._rows(_LATEST, ()):
            records = await self._rows("SELECT record FROM turns WHERE number = ?", (last,))
            typed = "".join(_turn_of(record).asked for (record,) in records)
            found.append(Conversation(name=name, turns=count, last=typed, when=when))
        return found

    async def _rows(self, sql: str, values: tuple[Any, ...]) -> list[Any]:
        return await self._file.rows(sql, values) if await self._file.rows(_IS_THERE, ()) else []


def forget_turns(connection: sqlite3.Connection, ids: Sequence[tuple[str]]) -> None:
    """Remove the turns of these runs: who has a run forgotten wants its question and answer forgotten."""
    if connection.execute(_IS_THERE).fetchone():
        connection.executemany("DELETE FROM turns WHERE run = ?", ids)


def _turn_of(record: str) -> Turn:
    """Read a turn; what a later version noted beside ours is left out."""
    known = json.loads(record)
    return Turn(
        question=known["question"],
        asked=known["asked"],
        answer=known.get("answer", ""),
        entities=tuple(known.get("entities", ())),
        aspects=tuple(known.get("aspects", ())),
    )
