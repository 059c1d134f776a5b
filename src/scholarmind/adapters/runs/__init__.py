"""Runs, their journal, events, conversations and ratings in one SQLite file, apart from the library: asking never waits for an `add`.

What cannot be written costs a run its memory, never its answer.
"""

import os
import socket
import sqlite3
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from scholarmind.adapters.runs import archive
from scholarmind.adapters.runs.archive import Limits, Pruned
from scholarmind.adapters.runs.conversations import RunConversations, forget_turns
from scholarmind.adapters.runs.file import RunFile
from scholarmind.adapters.runs.ratings import RunRatings, check_part, forget_ratings
from scholarmind.errors import LibraryError, QueryError
from scholarmind.ports import Rating, Run

_MOST_BEGUN = 1_000
_PACKED_AT_ONCE = 20  # runs that an older version left, at the end of each run
_NO_LIMITS = Limits()
_HAS_ARCHIVE = (
    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'archive'"  # a file of an older version has none
)
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

    def __init__(self, path: Path, limits: Limits = _NO_LIMITS) -> None:
        self.path = path
        self._limits = limits
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
        if await self._packed(run):
            try:
                await self._file.together(lambda connection: archive.unpack(connection, run))
            except LibraryError as error:
                self._file.give_up(run, error)
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
        """Note how a run ended; all of its events are written by then. What is done is packed, and what is over the limits goes."""
        sql = "UPDATE runs SET status = ?, finished = ?, answer = ? WHERE id = ?"
        self._file.write(run, sql, (status, time.time(), answer, run))
        await self._file.written()
        if status == "done" and not self.problem(run):
            self._file.submitted(
                self._pruning()
            )  # nobody waits: a run that stays as it was is only larger than it could be

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
        if rows := await self._file.rows(sql, (run, after)):
            return [row[0] for row in rows]
        content = await self._packed(run)  # asked second: another process may pack the run between the two
        return archive.events_of(content, after) if content else []

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

    # -- room

    async def forget(self, run: str) -> bool:
        """Forget a run with all that is its, whatever was said of it; tell whether it was there."""
        if await self.find(run) is None:
            return False

        def work(connection: sqlite3.Connection) -> None:
            archive.forget(connection, [run])
            forget_turns(connection, [(run,)])
            forget_ratings(connection, [(run,)])

        await self._file.together(work)
        return True

    async def prune(
        self, older_than: float | None = None, keep: int = 0, *, dry_run: bool = False, whole: bool = False
    ) -> Pruned:
        """Pack the runs that are done, and forget the oldest finished ones: those that began before so many days, but for the latest.

        Without either, those that are over the limits. A run that is rated, waits or can go on is never forgotten.
        """
        work = self._pruning(older_than, keep, dry_run=dry_run, whole=whole)
        return await self._file.together(work) if self.path.exists() else Pruned()

    def _pruning(
        self, older_than: float | None = None, keep: int = 0, *, dry_run: bool = False, whole: bool = False
    ) -> Callable[[sqlite3.Connection], Pruned]:
        asked = older_than is not None or keep > 0
        now = time.time()

        def work(connection: sqlite3.Connection) -> Pruned:
            waiting = archive.unpacked(connection, -1 if whole else _PACKED_AT_ONCE)
            for run in () if dry_run else waiting:
                archive.pack(connection, run)
            before = None if older_than is None else now - older_than * 86_400
            old = (
                archive.removable(connection, before, keep) if asked else archive.beyond(connection, self._limits, now)
            )
            freed = sum(archive.size(connection, run) for run in old)
            if not dry_run:
                archive.forget(connection, old)
                forget_turns(connection, [(run,) for run in old])
            return Pruned(runs=tuple(old), bytes=freed, packed=len(waiting))

        return work

    async def _packed(self, run: str) -> bytes | None:
        """Return what is packed of a run."""
        try:
            if not await self._file.rows(_HAS_ARCHIVE, ()):
                return None
            rows = await self._file.rows("SELECT content FROM archive WHERE run = ?", (run,))
        except LibraryError:  # whoever reads or writes next tells of it
            return None
        return rows[0][0] if rows else None


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
        plan=archive.text_of(plan),
        settings=archive.text_of(settings),
        library=library,
        status=status,
        started=started,
        finished=finished,
        answer=archive.text_of(answer),
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
