"""All that a server has in its hands: the library to look things up in, the tables, the workers, and its limits."""

import ipaddress
import logging
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scholarmind import wiring
from scholarmind.api import Library
from scholarmind.errors import SettingsError
from scholarmind.model import Counts
from scholarmind.ports import Run
from scholarmind.record import filter_record
from scholarmind.service import telemetry
from scholarmind.service.gate import Refused
from scholarmind.service.jobs import RUNS, Job, Jobs, Kind, SameKeyOtherRequestError, hold_lock
from scholarmind.service.keys import Caller, Keys
from scholarmind.service.pool import Pool
from scholarmind.service.run_events import Following
from scholarmind.service.service_file import ServiceFile
from scholarmind.service.telemetry import Metrics
from scholarmind.settings import Settings
from scholarmind.steps.journal import new_run
from scholarmind.text.untrusted import check_question

log = logging.getLogger("scholarmind.service")
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is let in, from where, and how many questions may wait or run at a time."""

    hosts: frozenset[str] = frozenset(("localhost",))
    body: int = 2 * _MEGABYTE
    upload: int = 300 * _MEGABYTE
    uploads: int = 8  # on their way at a time: what has come of them is on the disk
    questions: int = 64
    folders: tuple[Path, ...] = ()  # that documents may be added from by name
    grace: float = 20.0  # seconds that runs are given to end


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """How the service was started."""

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    at_once: int = 8  # questions in each worker
    require_key: bool = False
    alone: bool = True  # keep other services of this library away
    limits: Limits = field(default_factory=Limits)


class Service:
    """One library being served."""

    def __init__(self, settings: Settings, serving: Serving) -> None:
        self.settings = settings
        self.serving = serving
        self.limits = serving.limits
        self.needs_key = serving.require_key or not is_loopback(serving.host)
        _ = wiring.embedder(settings), telemetry.provider()  # what is wrong is an error now, not in every worker
        settings.library.mkdir(parents=True, exist_ok=True)
        self._lock = hold_lock(settings.library) if serving.alone else None
        self.file = ServiceFile(settings.library / "service.db", settings.database)
        self.keys = Keys(self.file)
        self._has_keys = self.keys.exist()
        if self.needs_key and not self._has_keys:
            raise SettingsError(
                f"whoever reaches {serving.host!r} needs a key, and there is none; make one first with: "
                f"scholarmind keys create --scopes ask,search --library {settings.library}"
            )
        self.library = Library(replace(settings, embedder="none", cache="exact"))
        self.jobs = Jobs(self.file)
        self.metrics = Metrics()
        self.following = Following(self.library.runs, self.jobs)
        self.pool = Pool(
            settings.library, self.jobs, count=serving.workers, at_once=serving.at_once, on_over=self._over
        )

    def close(self) -> None:
        """Let go of everything."""
        self.library.close()
        self.file.close()
        if self._lock is not None:
            os.close(self._lock)

    async def any_key(self) -> bool:
        """Tell whether there are keys at all."""
        if not self._has_keys:
            sql = "SELECT 1 FROM keys WHERE revoked IS NULL LIMIT 1"
            self._has_keys = await self.file.read(lambda connection: connection.execute(sql).fetchone() is not None)
        return self._has_keys

    def _over(self, told: dict[str, Any]) -> None:
        self.metrics.over(told["kind"], told["state"])
        log.info("job over", extra={"about": {"run": told["over"], "kind": told["kind"], "state": told["state"]}})

    # -- what may be seen

    async def collections(self, caller: Caller) -> dict[str, Counts]:
        """Return the collections that a caller has, with their counts."""
        counts = await self.library.counts.aio()
        return {name: counted for name, counted in counts.items() if caller.sees(name)}

    async def run(self, caller: Caller, id: str) -> tuple[Job | None, Run | None]:
        """Return a run as a job and as what is written down of it; what belongs to somebody else is not there."""
        job = await self.jobs.find(id)
        mine = job is not None and job.kind in RUNS and (job.owner == caller.id or caller.may("admin"))
        if not mine and not (job is None and caller.may("admin") and caller.collections is None):
            raise Refused(404, f"there is no run {id[:100]!r}")
        run = await self.library.runs.find(id)
        if job is None and run is None:
            raise Refused(404, f"there is no run {id[:100]!r}")
        return job, run

    async def job(self, caller: Caller, id: str) -> Job:
        """Return a job that is no run."""
        job = await self.jobs.find(id)
        if job is None or job.kind in RUNS or (job.owner != caller.id and not caller.may("admin")):
            raise Refused(404, f"there is no job {id[:100]!r}")
        return job

    # -- what is to be done

    async def ask(self, caller: Caller, task: dict[str, Any], *, kind: Kind = "ask", once: str = "") -> Job:
        """Have a question answered: within what its caller may see, as far as its budget goes."""
        check_question(task["question"])
        await self._check_budget(caller)
        task |= {"within": filter_record(caller.within(task.pop("collections", ()), task.pop("filter", None)))}
        if task.get("conversation"):
            task["conversation"] = f"{caller.id}/{task['conversation']}"
        return await self._put(caller, kind, task, once, id=new_run(), most=self.limits.questions)

    async def add(self, caller: Caller, task: dict[str, Any], *, once: str = "") -> Job:
        """Have documents added, and what is watched asked again when they are in."""
        return await self._put(caller, "add", task | {"renew": True}, once)

    async def research(self, caller: Caller, kind: Kind, task: dict[str, Any], *, id: str = "") -> Job:
        """Have a table filled, a draft checked, or watched questions asked again."""
        return await self._put(caller, kind, task, "", id=id, most=self.limits.questions)

    async def _put(
        self, caller: Caller, kind: Kind, task: dict[str, Any], once: str, *, id: str = "", most: int = 0
    ) -> Job:
        if self.following.stopping:
            raise Refused(503, "the service is being stopped; try again soon", retry=5)
        try:
            job = await self.jobs.put(kind, caller.id, task, id=id, once=once, most=most)
        except SameKeyOtherRequestError:
            raise Refused(422, "this Idempotency-Key came before, with another request") from None
        if job is None:
            raise Refused(429, f"{most} of these wait or are worked on already; try again", retry=5)
        self.pool.wake()
        return job

    async def _check_budget(self, caller: Caller) -> None:
        if caller.budget:
            spent, left = await self.keys.spent(caller)
            if spent >= float(caller.budget.partition("/")[0]):
                raise Refused(429, f"the budget of this key ({caller.budget}) is spent", retry=left)


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
