"""Runs, their journal, events, conversations and ratings in one SQLite file, apart from the library: asking never waits for an `add`.

What cannot be written costs a run its memory, never its answer. The tables of conversations and ratings are made by the first turn and
the first rating: older files have none.
"""

import json
import os
import secrets
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.runs import runs_file
from scholarmind.adapters.runs.runs_file import Pruned, RunFile, RunLimits
from scholarmind.errors import LibraryError, QueryError
from scholarmind.plan import Plan
from scholarmind.ports import Conversation, Rating, Run, Turn
from scholarmind.steps.journal import decode

# -- runs and their journal

_MOST_BEGUN = 1_000
_ALL = 1 << 62
_PACKED_AT_ONCE = 20  # runs that an older version left, at the end of each run
_NO_LIMITS = RunLimits()
_HAS_ARCHIVE = (
    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'archive'"  # a file of an older version has none
)

_COLUMNS = "id, question, plan, settings, library, status, started, finished, answer, process"
_BEGIN = """
INSERT INTO runs VALUES (?, ?, ?, ?, ?, 'running', ?, NULL, '', ?)
ON CONFLICT (id) DO UPDATE SET status = 'running', finished = NULL, question = excluded.question, process = excluded.process,
    plan = CASE excluded.plan WHEN '' THEN runs.plan ELSE excluded.plan END,
    settings = CASE excluded.settings WHEN '' THEN runs.settings ELSE excluded.settings END,
    library = CASE excluded.library WHEN '' THEN runs.library ELSE excluded.library END
"""

_FINISH = "UPDATE runs SET status = ?, finished = ?, answer = ? WHERE id = ? AND process = coalesce(?, process)"
_UNANSWERED = "AND answer = ''"  # a process that stood still may begin and give up what others have done meanwhile
_APPEND = "INSERT OR IGNORE INTO events SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM runs WHERE id = ? AND process = ?)"


class Runs:
    """The runs of one library. Close it, or use it in a `with` block. The file is made by the first run."""

    def __init__(self, path: Path, limits: RunLimits = _NO_LIMITS, *, file: RunFile | None = None) -> None:
        self.path = path
        self._limits = limits
        self._file = file or RunFile(path)
        self.journal = RunJournal(self._file)
        self.conversations = RunConversations(self._file)
        self._ratings = RunRatings(self._file)
        self._holders: dict[
            str, str
        ] = {}  # by run: who began it here, as it stands in its row for as long as nobody else took it up

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
                await self._file.together(lambda connection: runs_file.unpack(connection, run))
            except LibraryError as error:
                self._file.give_up(run, error)
        holder = self._holders[run] = f"{_this_process()}#{secrets.token_hex(4)}"
        values = (run, question, plan, settings, library, time.time(), holder)
        self._file.write(run, _BEGIN, values)
        await self._file.written()
        if self.problem(run):
            return 0
        last = (await self._file.rows("SELECT max(number) FROM events WHERE run = ?", (run,)))[0][0] or 0
        self.journal.begin(run, new=last == 0)
        return last

    def append_event(self, run: str, number: int, record: str) -> None:
        """Note an event, after those noted before it; does not wait until it is written. A run that others took up is theirs."""
        holder = self._holders.get(run)
        if holder is None:
            self._file.write(run, "INSERT OR IGNORE INTO events VALUES (?, ?, ?)", (run, number, record))
        else:
            self._file.write(run, _APPEND, (run, number, record, run, holder))

    async def finish(self, run: str, status: str, answer: str = "") -> None:
        """Note how a run ended; all of its events are written by then. What is done is packed, and what is over the limits goes."""
        sql = f"{_FINISH} {_UNANSWERED}" if status in {"cancelled", "failed"} else _FINISH
        self._file.write(run, sql, (status, time.time(), answer, run, self._holders.get(run)))
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
        return runs_file.events_of(content, after) if content else []

    async def ratings(self, run: str = "") -> list[Rating]:
        """Return what people said of a run, or of all, in the order of the runs and their parts."""
        return await self._ratings.of(run)

    async def rate(self, run: str, *, good: bool, part: int = 0, note: str = "") -> None:
        """Keep what somebody says of a run, or of one of its parts, in place of what was said of it before."""
        known = await self.find(run)
        if known is None:
            raise _unknown(run)
        _check_part(known, part)
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

        def work(connection: DatabaseConnection) -> None:
            runs_file.forget(connection, [run])
            _forget_turns(connection, [(run,)])
            _forget_ratings(connection, [(run,)])

        await self._file.together(work)
        return True

    async def prune(
        self, older_than: float | None = None, keep: int = 0, *, dry_run: bool = False, whole: bool = False
    ) -> Pruned:
        """Pack the runs that are done, and forget the oldest finished ones: those that began before so many days, but for the latest.

        Without either, those that are over the limits. A run that is rated, waits or can go on is never forgotten.
        """
        work = self._pruning(older_than, keep, dry_run=dry_run, whole=whole)
        return await self._file.together(work) if self._file.is_there() else Pruned()

    def _pruning(
        self, older_than: float | None = None, keep: int = 0, *, dry_run: bool = False, whole: bool = False
    ) -> Callable[[DatabaseConnection], Pruned]:
        asked = older_than is not None or keep > 0
        now = time.time()

        def work(connection: DatabaseConnection) -> Pruned:
            most = 0 if not self._file.packs else _ALL if whole else _PACKED_AT_ONCE
            waiting = runs_file.unpacked(connection, most)
            for run in () if dry_run else waiting:
                runs_file.pack(connection, run)
            before = None if older_than is None else now - older_than * 86_400
            old = (
                runs_file.removable(connection, before, keep)
                if asked
                else runs_file.beyond(connection, self._limits, now, self._file.bytes_used(connection))
            )
            freed = sum(runs_file.size(connection, run) for run in old)
            if not dry_run:
                runs_file.forget(connection, old)
                _forget_turns(connection, [(run,) for run in old])
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
        plan=runs_file.text_of(plan),
        settings=runs_file.text_of(settings),
        library=library,
        status=status,
        started=started,
        finished=finished,
        answer=runs_file.text_of(answer),
    )


def _this_process() -> str:
    return f"{os.getpid()}@{socket.gethostname()}"


def _is_alive(process: str) -> bool:
    """Tell whether the process is still there; of another machine nobody knows."""
    number, _, host = process.partition("#")[0].partition("@")
    if host != socket.gethostname():
        return True
    try:
        os.kill(int(number), 0)
    except PermissionError:
        return True
    except (ProcessLookupError, ValueError):
        return False
    return True


# -- conversations: their turns, beside the runs that made them

TURNS = """
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

_HAS_TURNS = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'turns'"


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
        self._file.write(run, TURNS, ())
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
        return await self._file.rows(sql, values) if await self._file.rows(_HAS_TURNS, ()) else []


def _forget_turns(connection: DatabaseConnection, ids: Sequence[tuple[str]]) -> None:
    """Remove the turns of these runs: who has a run forgotten wants its question and answer forgotten."""
    if connection.execute(_HAS_TURNS).fetchone():
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


# -- ratings: what people said of answers

RATINGS = """
CREATE TABLE IF NOT EXISTS ratings (
    run TEXT NOT NULL,
    part INTEGER NOT NULL,
    good INTEGER NOT NULL,
    note TEXT NOT NULL,
    noted REAL NOT NULL,
    PRIMARY KEY (run, part)
)
"""

_HAS_RATINGS = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'ratings'"


class RunRatings:
    """The ratings in a file of runs. Unlike what a run notes by itself, a rating that cannot be written is an error."""

    def __init__(self, file: RunFile) -> None:
        self._file = file

    async def put(self, rating: Rating) -> None:
        """Keep a rating in place of the one that the same part of the same run had."""
        values = (rating.run, rating.part, int(rating.good), rating.note, rating.at or time.time())

        def work(connection: DatabaseConnection) -> None:
            connection.execute(RATINGS)
            connection.execute("INSERT OR REPLACE INTO ratings VALUES (?, ?, ?, ?, ?)", values)

        await self._file.together(work)

    async def of(self, run: str = "") -> list[Rating]:
        """Return the ratings of a run, or of all, in the order of the runs and their parts."""
        if not await self._file.rows(_HAS_RATINGS, ()):
            return []
        where, values = ("WHERE run = ?", (run,)) if run else ("", ())
        sql = f"SELECT run, part, good, note, noted FROM ratings {where} ORDER BY run, part"  # noqa: S608
        rows = await self._file.rows(sql, values)
        return [Rating(run=run, part=part, good=bool(good), note=note, at=at) for run, part, good, note, at in rows]

    async def clear(self, run: str) -> int:
        """Take every rating of a run back, and return how many there were."""
        count = len(await self.of(run))
        if count:
            await self._file.together(lambda connection: _forget_ratings(connection, [(run,)]))
        return count


def _forget_ratings(connection: DatabaseConnection, ids: Sequence[tuple[str]]) -> None:
    """Remove the ratings of these runs."""
    if connection.execute(_HAS_RATINGS).fetchone():
        connection.executemany("DELETE FROM ratings WHERE run = ?", ids)


def _check_part(run: Run, part: int) -> None:
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
