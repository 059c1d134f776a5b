"""Runs, their journal, events, conversations and ratings in one SQLite file, apart from the library: asking never waits for an `add`.

What cannot be written costs a run its memory, never its answer.
"""

import os
import socket
import sqlite3
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from scholarmind.adapters.runs.conversations import RunConversations, forget_turns
from scholarmind.adapters.runs.file import RunFile
from scholarmind.adapters.runs.ratings import RunRatings, check_part, forget_ratings
from scholarmind.errors import LibraryError, QueryError
from scholarmind.ports import Rating, Run

_MOST_BEGUN = 1_000
_COLUMNS = "id, question, plan, settings, library, status, started, finished, answer, process"
_BEGIN = """
INSERT INTO runs VALUES (?, ?, ?, ?, ?, 'running', ?, NULL, '', ?)
ON CONFLICT (id) DO UPDATE SET status = 'running', finished = NULL, question = excluded.question, process = excluded.process,
    plan = CASE excluded.plan WHEN '' THEN plan ELSE excluded.plan END,
    settings = CASE excluded.settings WHEN '' THEN settings ELSE excluded.settings END,
    library = CASE excluded.library WHEN '' THEN library ELSE excluded.library END
"""


class Runs:
    """The runs of one library. Close it, or use it in a `with` block. The file is made by the first run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = RunFile(path)
        self.journal = RunJournal(self._file)
        self.conversations = RunConversations(self._file)
        self._ratings = RunRatings(self._file)

    def __enter__(self) -> "Runs":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what is still to be written, and let go of the file."""
        self._file.close()

    # -- writing: never fails

    async def begin(self, run: str, question: str, *, plan: str = "", settings: str = "", library: str = "") -> int:
        """Note that a run has begun, or goes on; what is '' stays as it was. Return the number of its last event so far."""
        self._file.problems.pop(run, None)
        values = (run, question, plan, settings, library, time.time(), _this_process())
        self._file.write(run, _BEGIN, values)
        await self._file.written()
        if self.problem(run):
            return 0
        last = (await self._file.rows("SELECT max(number) FROM events WHERE run = ?", (run,)))[0][0] or 0
        self.journal.begin(run, new=last == 0)
        return last

    def append_event(self, run: str, number: int, record: str) -> None:
        """Note an event, after those noted before it; does not wait until it is written."""
        self._file.write(run, "INSERT OR IGNORE INTO events VALUES (?, ?, ?)", (run, number, record))

    async def finish(self, run: str, status: str, answer: str = "") -> None:
        """Note how a run ended; all of its events are written by then."""
        sql = "UPDATE runs SET status = ?, finished = ?, answer = ? WHERE id = ?"
        self._file.write(run, sql, (status, time.time(), answer, run))
        await self._file.written()

    def problem(self, run: str) -> str:
        """Return why this run leaves no trace, or not all of it; '' if it does."""
        return self._file.problems.get(run, "")

    # -- reading

    async def find(self, run: str) -> Run | None:
        """Return what is known of a run."""
        rows = await self._file.rows(f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (run,))  # noqa: S608
        return _run_of(rows[0]) if rows else None

    async def latest(self, limit: int = 20) -> list[Run]:
        """Return the latest runs, the latest first."""
        sql = f"SELECT {_COLUMNS} FROM runs ORDER BY started DESC, id DESC LIMIT ?"  # noqa: S608
        return [_run_of(row) for row in await self._file.rows(sql, (limit,))]

    async def ids(self, since: datetime | None = None) -> list[str]:
        """Return the ids of all runs, or of those that began at this moment or later, in their order."""
        sql = "SELECT id FROM runs WHERE started >= ? ORDER BY started, id"
        return [row[0] for row in await self._file.rows(sql, (since.timestamp() if since else 0.0,))]

    async def events(self, run: str, after: int = 0) -> list[str]:
        """Return the events of a run that came after this number, as they were noted."""
        sql = "SELECT record FROM events WHERE run = ? AND number > ? ORDER BY number"
        return [row[0] for row in await self._file.rows(sql, (run, after))]

    async def ratings(self, run: str = "") -> list[Rating]:
        """Return what people said of a run, or of all, in the order of the runs and their parts."""
        return await self._ratings.of(run)

    async def rate(self, run: str, *, good: bool, part: int = 0, note: str = "") -> None:
        """Keep what somebody says of a run, or of one of its parts, in place of what was said of it before."""
        known = await self.find(run)
        if known is None:
            raise _unknown(run)
        check_part(known, part)
        await self._ratings.put(Rating(run=run, good=good, part=part, note=note))

    async def unrate(self, run: str) -> int:
        """Take back whatever was said of a run, and return how many ratings that were."""
        if await self.find(run) is None:
            raise _unknown(run)
        return await self._ratings.clear(run)

    async def remove_before(self, moment: datetime) -> int:
        """Forget the runs that began before this moment, and all that is theirs; those at work stay. Return how many there were."""
        sql = f"SELECT {_COLUMNS} FROM runs WHERE started < ?"  # noqa: S608
        old = [_run_of(row) for row in await self._file.rows(sql, (moment.timestamp(),))]
        ids = [(run.id,) for run in old if run.status != "running"]

        def work(connection: sqlite3.Connection) -> None:
            for table, column in (("runs", "id"), ("journal", "run"), ("events", "run")):
                connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", ids)  # noqa: S608
            forget_turns(connection, ids)
            forget_ratings(connection, ids)

        if ids:
            await self._file.together(work)
        return len(ids)


class RunJournal:
    """The journal of the runs in a file. It never fails: of what cannot be read nothing is there, and `Runs.problem` tells why."""

    def __init__(self, file: RunFile) -> None:
        self._file = file
        self._begun: dict[str, set[str]] = {}  # what was noted of runs that are new: nothing else has to be looked for

    def begin(self, run: str, *, new: bool) -> None:
        """Take note of a run that begins."""
        self._begun.pop(run, None)
        if new:
            self._begun[run] = set()
        for old in [*self._begun][:-_MOST_BEGUN]:
            self._begun.pop(old, None)

    async def get(self, run: str, address: str) -> str | None:
        """Return what this run noted under the address."""
        if address not in self._begun.get(run, (address,)):
            return None
        try:
            rows = await self._file.rows("SELECT value FROM journal WHERE run = ? AND address = ?", (run, address))
        except LibraryError as error:
            self._file.give_up(run, error)
            return None
        return rows[0][0] if rows else None

    async def put(self, run: str, address: str, step: str, value: str) -> None:
        """Note it; on return it is committed."""
        if run in self._begun:
            self._begun[run].add(address)
        self._file.write(run, "INSERT OR REPLACE INTO journal VALUES (?, ?, ?, ?)", (run, address, step, value))
        await self._file.written()


def _unknown(run: str) -> QueryError:
    return QueryError(f"there is no run {run!r}; 'scholarmind runs' lists those that there are")


def _run_of(row: tuple[Any, ...]) -> Run:
    run, question, plan, settings, library, status, started, finished, answer, process = row
    if status == "running" and not _is_alive(process):
        status = "interrupted"
    return Run(
        id=run,
        question=question,
        plan=plan,
        settings=settings,
        library=library,
        status=status,
        started=started,
        finished=finished,
        answer=answer,
    )


def _this_process() -> str:
    return f"{os.getpid()}@{socket.gethostname()}"


def _is_alive(process: str) -> bool:
    """Tell whether the process is still there; of another machine nobody knows."""
    number, _, host = process.partition("@")
    if host != socket.gethostname():
        return True
    try:
        os.kill(int(number), 0)
    except PermissionError:
        return True
    except (ProcessLookupError, ValueError):
        return False
    return True
