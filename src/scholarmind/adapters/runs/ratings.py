"""What people said of answers, beside the runs. Their table is made by the first rating: older files have none."""

import json
import sqlite3
import time
from collections.abc import Sequence
from typing import Any, cast

from scholarmind.adapters.runs.file import RunFile
from scholarmind.errors import QueryError
from scholarmind.plan import Plan
from scholarmind.ports import Rating, Run
from scholarmind.steps.journal import decode

_TABLE = """
CREATE TABLE IF NOT EXISTS ratings (
    run TEXT NOT NULL,
    part INTEGER NOT NULL,
    good INTEGER NOT NULL,
    note TEXT NOT NULL,
    noted REAL NOT NULL,
    PRIMARY KEY (run, part)
)
"""
_IS_THERE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'ratings'"


class RunRatings:
    """The ratings in a file of runs. Unlike what a run notes by itself, a rating that cannot be written is an error."""

    def __init__(self, file: RunFile) -> None:
        self._file = file

    async def put(self, rating: Rating) -> None:
        """Keep a rating in place of the one that the same part of the same run had."""
        values = (rating.run, rating.part, rating.good, rating.note, rating.at or time.time())

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(_TABLE)
            connection.execute("INSERT OR REPLACE INTO ratings VALUES (?, ?, ?, ?, ?)", values)

        await self._file.together(work)

    async def of(self, run: str = "") -> list[Rating]:
        """Return the ratings of a run, or of all, in the order of the runs and their parts."""
        if not await self._file.rows(_IS_THERE, ()):
            return []
        where, values = ("WHERE run = ?", (run,)) if run else ("", ())
        sql = f"SELECT run, part, good, note, noted FROM ratings {where} ORDER BY run, part"  # noqa: S608
        rows = await self._file.rows(sql, values)
        return [Rating(run=run, part=part, good=bool(good), note=note, at=at) for run, part, good, note, at in rows]

    async def clear(self, run: str) -> int:
        """Take every rating of a run back, and return how many there were."""
        count = len(await self.of(run))
        if count:
            await self._file.together(lambda connection: forget_ratings(connection, [(run,)]))
        return count


def forget_ratings(connection: sqlite3.Connection, ids: Sequence[tuple[str]]) -> None:
    """Remove the ratings of these runs."""
    if connection.execute(_IS_THERE).fetchone():
        connection.executemany("DELETE FROM ratings WHERE run = ?", ids)


def check_part(run: Run, part: int) -> None:
    """Refuse a part that the run did not have; 0 is the answer as a whole."""
    known = _parts_of(run)
    if part and part not in known:
        told = f"its parts are {', '.join(map(str, known))}" if known else "it has no plan yet"
        raise QueryError(f"run {run.id!r} has no part {part}; {told}")


def _parts_of(run: Run) -> list[int]:
    """Return the numbers of the parts that a run had in the end: those of its answer, else those of its plan."""
    try:
        plan: Any = cast("dict[str, Any]", json.loads(run.answer or "{}"))["plan"]
        return sorted(int(part["id"]) for part in plan["parts"])
    except (ValueError, KeyError, TypeError):
        kept = decode(Plan, run.plan) if run.plan else None
        return sorted(part.id for part in kept.parts) if kept else []
