"""Answers of catalogues on disk, so that nothing is asked twice: what was found for 90 days, what was not for 7."""

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from scholarmind.adapters.catalogues.work import Work, restored, stored

_DAY = 86_400
_KEPT = 90 * _DAY
_KEPT_IN_VAIN = 7 * _DAY
_WAIT = 5.0  # seconds for another process
_TABLE = "CREATE TABLE IF NOT EXISTS answers (question TEXT PRIMARY KEY, works TEXT NOT NULL, helped INTEGER NOT NULL, asked REAL NOT NULL)"


class Cache:
    """A file that can be deleted at any time. Where it cannot be used `problem` says why, and everything is asked anew."""

    def __init__(self, path: Path) -> None:
        self.problem = ""
        self._path = path

    def find(self, question: str) -> list[Work] | None:
        """Return what was answered, [] for nothing, None if it was not asked lately."""
        sql = "SELECT works FROM answers WHERE question = ? AND asked > ? - CASE helped WHEN 1 THEN ? ELSE ? END AND asked <= ?"
        now = time.time()
        rows = self._run(sql, (question, now, _KEPT, _KEPT_IN_VAIN, now + _DAY))
        try:
            return restored(json.loads(rows[0][0])) if rows else None
        except (ValueError, TypeError, KeyError):
            return None  # of another version

    def keep(self, question: str, works: list[Work], *, helped: bool) -> None:
        """Keep an answer, and whether it was about the work in question."""
        values = (question, json.dumps(stored(works)), int(helped), time.time())
        self._run("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", values)

    def _run(self, sql: str, values: tuple[str | int | float, ...]) -> list[tuple[str]]:
        if self.problem:
            return []
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=_WAIT)) as connection, connection:
                connection.execute(_TABLE)
                return connection.execute(sql, values).fetchall()
        except (sqlite3.Error, OSError) as error:
            self.problem = f"the answers of catalogues are not kept: {self._path} cannot be used ({error}); delete it, or make room"
            return []
