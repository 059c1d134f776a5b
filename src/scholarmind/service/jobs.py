"""Jobs: what is to be done, who does it, and how far it is; and handing work from a command to the service that runs over its library.

Worker processes take jobs, and take up those whose worker has gone silent: who holds a job says so again every half second. That does
not rest on a process id: in a container every service may be process 1. Needs nothing that is not installed by default.
"""

import asyncio
import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.errors import LibraryError, SettingsError
from scholarmind.library.report import Report
from scholarmind.service.keys import LOCAL, charge
from scholarmind.service.service_file import ServiceFile
from scholarmind.steps.journal import decode

# -- the table of jobs

Kind = Literal["ask", "propose", "again", "add", "fill", "check", "renew"]
State = Literal["waiting", "running", "awaiting_plan", "done", "failed", "cancelled"]
RUNS: tuple[Kind, ...] = ("ask", "propose", "again")
RESEARCH: tuple[Kind, ...] = ("fill", "renew", "check")  # what takes longer than a question
_OVER = frozenset(("done", "failed", "cancelled", "awaiting_plan"))
_LEASE_SECONDS = 6.0
HEARTBEAT_SECONDS = 2.0
_MOST_ATTEMPTS = 5
_REQUESTS_KEPT = 86_400.0
_COLUMNS = "id, kind, owner, task, state, attempts, cancel, created, finished, progress, result, error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A piece of work: for whom, what, and what came of it. A question's job has the id of its run."""

    id: str
    kind: Kind
    owner: str
    task: dict[str, Any]
    state: State
    attempts: int
    cancel: bool
    created: float
    finished: float | None
    progress: dict[str, Any]
    result: Any
    error: str

    @property
    def is_over(self) -> bool:
        """Whether nobody works on it, nor will unless somebody asks for that."""
        return self.state in _OVER


class SameKeyOtherRequestError(Exception):
    """An idempotency key came again with another request."""


class Jobs:
    """The table of jobs. Every step is one transaction, so that no job is done by two at a time."""

    def __init__(self, file: ServiceFile) -> None:
        self._file = file

    # -- for those who want something done

    async def put(
        self, kind: Kind, owner: str, task: dict[str, Any], *, id: str = "", once: str = "", most: int = 0
    ) -> Job | None:
        """Add a job, or return the one that the same request made before (`once` is its key); None if `most` already wait or run."""
        text = json.dumps(task, sort_keys=True, ensure_ascii=False)
        digest = hashlib.sha256(f"{kind} {text}".encode("utf-8", "replace")).digest()
        id = id or f"job-{secrets.token_hex(8)}"

        def work(connection: DatabaseConnection) -> Job | None:
            if once and (known := _asked_before(connection, owner, once, digest, self._file.now(connection))):
                return _find(connection, known)
            if most:
                kinds = RUNS if kind in RUNS else (kind,)
                sql = f"SELECT count(*) FROM jobs WHERE state IN ('waiting', 'running') AND kind IN ({_marks(kinds)})"  # noqa: S608
                if connection.execute(sql, kinds).fetchone()[0] >= most:
                    return None
            sql = "INSERT INTO jobs (id, kind, owner, task, state, created) VALUES (?, ?, ?, ?, 'waiting', ?)"
            connection.execute(sql, (id, kind, owner, text, self._file.now(connection)))
            if once:
                connection.execute(
                    "INSERT INTO requests VALUES (?, ?, ?, ?, ?)", (owner, once, digest, id, self._file.now(connection))
                )
            return _find(connection, id)

        return await self._file.done(work)

    async def find(self, id: str) -> Job | None:
        """Return a job."""
        return await self._file.read(lambda connection: _find(connection, id))

    async def listed(
        self, kinds: Sequence[Kind], owner: str | None, limit: int, before: tuple[float, str] | None = None
    ) -> list[Job]:
        """Return jobs of these kinds, the latest first: those of an owner, or of all (None)."""
        when, id = before or (9e99, "")
        values = (*kinds, owner, owner, when, when, id, limit)
        sql = (
            f"SELECT {_COLUMNS} FROM jobs WHERE kind IN ({_marks(kinds)}) AND (CAST(? AS TEXT) IS NULL OR owner = ?) "  # noqa: S608
            "AND (created < ? OR (created = ? AND id < ?)) ORDER BY created DESC, id DESC LIMIT ?"
        )
        return await self._file.read(lambda connection: [_job(row) for row in connection.execute(sql, values)])

    async def cancel(self, id: str) -> Job | None:
        """Have a job ended: at once if it waits, by its worker if it runs."""

        def work(connection: DatabaseConnection) -> Job | None:
            sql = "UPDATE jobs SET state = 'cancelled', finished = ? WHERE id = ? AND state IN ('waiting', 'awaiting_plan')"
            connection.execute(sql, (self._file.now(connection), id))
            connection.execute("UPDATE jobs SET cancel = 1 WHERE id = ? AND state = 'running'", (id,))
            return _find(connection, id)

        return await self._file.done(work)

    async def again(self, id: str, kind: Kind, task: dict[str, Any]) -> Job | None:
        """Have a job that is over done again: a run that failed, was cancelled, or whose plan waits. None if it is not over."""

        def work(connection: DatabaseConnection) -> Job | None:
            sql = (
                "UPDATE jobs SET state = 'waiting', kind = ?, task = ?, cancel = 0, attempts = 0, finished = NULL, error = '', result = '' "
                "WHERE id = ? AND state IN ('failed', 'cancelled', 'awaiting_plan')"
            )
            changed = connection.execute(sql, (kind, json.dumps(task, ensure_ascii=False), id)).rowcount
            return _find(connection, id) if changed else None

        return await self._file.done(work)

    async def forget(self, id: str) -> bool:
        """Forget a job that is over."""
        marks = _marks(tuple(_OVER))
        sql = f"DELETE FROM jobs WHERE id = ? AND state IN ({marks})"  # noqa: S608
        return await self._file.done(lambda connection: connection.execute(sql, (id, *_OVER)).rowcount > 0)

    async def counts(self) -> dict[tuple[str, str], int]:
        """Return how many jobs there are of each kind in each state."""
        sql = "SELECT kind, state, count(*) FROM jobs GROUP BY kind, state"
        return await self._file.read(lambda connection: {(k, s): n for k, s, n in connection.execute(sql)})

    # -- for those who do it

    async def take(self, holder: str, kinds: Sequence[Kind]) -> Job | None:
        """Take the job that has waited longest, or one whose holder has gone silent."""

        def work(connection: DatabaseConnection) -> Job | None:
            now, marks = self._file.now(connection), _marks(kinds)
            sql = (
                "UPDATE jobs SET state = CASE cancel WHEN 1 THEN 'cancelled' ELSE 'failed' END, finished = ?, "
                "error = CASE cancel WHEN 1 THEN '' ELSE 'its worker process ended ' || attempts || ' times' END "
                "WHERE state = 'running' AND lease < ? AND (cancel = 1 OR attempts >= ?)"
            )
            connection.execute(sql, (now, now, _MOST_ATTEMPTS))
            sql = (
                f"SELECT id FROM jobs WHERE kind IN ({marks}) "  # noqa: S608
                "AND (state = 'waiting' OR (state = 'running' AND lease < ?)) ORDER BY created LIMIT 1"
            )
            found = connection.execute(sql, (*kinds, now)).fetchone()
            if found is None:
                return None
            sql = "UPDATE jobs SET state = 'running', holder = ?, lease = ?, attempts = attempts + 1 WHERE id = ?"
            connection.execute(sql, (holder, now + _LEASE_SECONDS, found[0]))
            return _find(connection, found[0])

        return await self._file.done(work)

    def hold(self, holder: str, ids: Collection[str]) -> tuple[set[str], set[str]]:
        """Say that these jobs are still worked on. Return those that are to be cancelled, and those that somebody else has by now."""

        def work(connection: DatabaseConnection) -> tuple[set[str], set[str]]:
            sql = "UPDATE jobs SET lease = ? WHERE holder = ? AND state = 'running'"
            connection.execute(sql, (self._file.now(connection) + _LEASE_SECONDS, holder))
            sql = "SELECT id, cancel FROM jobs WHERE holder = ? AND state = 'running'"
            held = {id: bool(cancel) for id, cancel in connection.execute(sql, (holder,))}
            return {id for id in ids if held.get(id)}, set(ids) - set(held)

        return self._file.do(work)

    async def report(self, holder: str, id: str, progress: dict[str, Any]) -> None:
        """Tell how far a job is."""
        sql = "UPDATE jobs SET progress = ? WHERE id = ? AND holder = ?"
        values = (json.dumps(progress, ensure_ascii=False), id, holder)
        await self._file.done(lambda connection: connection.execute(sql, values))

    async def finish(
        self,
        holder: str,
        id: str,
        state: State,
        *,
        result: Any = None,
        error: str = "",
        spent: dict[str, float] | None = None,
    ) -> bool:
        """Tell how a job ended; False if somebody else has it by now. A question that was answered goes on its owner's account."""

        def work(connection: DatabaseConnection) -> bool:
            sql = (
                "UPDATE jobs SET state = ?, finished = ?, result = ?, error = ?, holder = '' "
                "WHERE id = ? AND holder = ? AND state = 'running'"
            )
            told = "" if result is None else json.dumps(result, ensure_ascii=False)
            if not connection.execute(sql, (state, self._file.now(connection), told, error, id, holder)).rowcount:
                return False
            if spent is not None:
                owner = connection.execute("SELECT owner FROM jobs WHERE id = ?", (id,)).fetchone()[0]
                charge(connection, owner, int(spent.get("tokens", 0)), spent.get("cost", 0.0))
            return True

        return await self._file.done(work)

    async def give_back(self, holder: str, id: str = "") -> None:
        """Leave a job, or everything that is held, to others, at once."""
        sql = "UPDATE jobs SET state = 'waiting', holder = '', attempts = attempts - 1 WHERE holder = ? AND state = 'running'"
        sql, values = (f"{sql} AND id = ?", (holder, id)) if id else (sql, (holder,))
        await self._file.done(lambda connection: connection.execute(sql, values))


def _asked_before(connection: DatabaseConnection, owner: str, once: str, digest: bytes, now: float) -> str:
    connection.execute("DELETE FROM requests WHERE at < ?", (now - _REQUESTS_KEPT,))
    sql = "SELECT hash, job FROM requests WHERE owner = ? AND key = ?"
    found = connection.execute(sql, (owner, once)).fetchone()
    if found is None:
        return ""
    if found[0] != digest:
        raise SameKeyOtherRequestError
    return found[1]


def _find(connection: DatabaseConnection, id: str) -> Job | None:
    row = connection.execute(f"SELECT {_COLUMNS} FROM jobs WHERE id = ?", (id,)).fetchone()  # noqa: S608
    return _job(row) if row else None


def _job(row: tuple[Any, ...]) -> Job:
    id, kind, owner, task, state, attempts, cancel, created, finished, progress, result, error = row
    return Job(
        id=id,
        kind=kind,
        owner=owner,
        task=cast("dict[str, Any]", json.loads(task)),
        state=state,
        attempts=attempts,
        cancel=bool(cancel),
        created=created,
        finished=finished,
        progress=json.loads(progress),
        result=json.loads(result) if result else None,
        error=error,
    )


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))


# -- whether a library is being served, and handing work over

_LOOK_SECONDS = 0.2


def hold_lock(library: Path) -> int:
    """Take the lock that tells others that this library is being served; it goes with the process, however that ends."""
    lock = os.open(library / "service.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise SettingsError(f"the library {str(library)!r} is being served already") from None
    return lock


def is_served(library: Path) -> bool:
    """Tell whether a service is running over this library."""
    try:
        lock = os.open(library / "service.lock", os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def hand_over(library: Path, task: Mapping[str, Any]) -> Report:
    """Have documents added by the service, and return what it reports. Who stops waiting stops it."""
    named = [str(Path(path).absolute()) for path in task["paths"]]
    lists = [str(Path(path).absolute()) for path in task["bibliographies"]]
    job = asyncio.run(_job_report(library, {**task, "paths": named, "bibliographies": lists}))
    if job.state != "done":
        raise LibraryError(f"the service did not add this: {job.state} {job.error}")
    report = decode(Report, json.dumps({"format": 1, "type": "Report", "value": job.result}))
    if report is None:
        raise LibraryError(
            "the service is of another version, and its report cannot be read; what it added is in the library"
        )
    return report


async def _job_report(library: Path, task: dict[str, Any]) -> Job:
    with ServiceFile(library / "service.db") as file:
        jobs = Jobs(file)
        job = await jobs.put("add", LOCAL, task)
        try:
            while job is not None and not job.is_over:
                if not is_served(library):
                    break
                await asyncio.sleep(_LOOK_SECONDS)
                job = await jobs.find(job.id)
        except asyncio.CancelledError:
            if job is not None:
                await jobs.cancel(job.id)
            raise
    if job is None or not job.is_over:
        raise LibraryError("the service has ended; its next start goes on with this, and so does the same command")
    return job
