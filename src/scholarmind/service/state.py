"""All that a server has in its hands: the library to look things up in, the tables, the worker processes, and its limits."""

import asyncio
import ipaddress
import itertools
import json
import logging
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scholarmind import errors, wiring
from scholarmind.api import Library
from scholarmind.errors import ModelUnavailableError, ScholarMindError, SettingsError
from scholarmind.model import Counts
from scholarmind.ports import Run
from scholarmind.record import filter_record
from scholarmind.service import telemetry
from scholarmind.service.gate import Refused
from scholarmind.service.jobs import RUNS, Job, Jobs, Kind, SameKeyOtherRequestError, hold_lock
from scholarmind.service.keys import Caller, Keys
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


# -- the worker processes: started, called, watched, and started anew when one ends

_LONGEST_LINE = 64 * 1024 * 1024
_IDLE_SECONDS = 60.0  # after which the processes that read files go
_PAUSE_SECONDS = 0.5  # before a process is started anew, longer each time
_LONGEST_PAUSE = 30.0
_WATCH_SECONDS = 1.0
_MOST_CALLS = 100  # that wait for one process
# glibc keeps what many threads have used of memory for each of them; a worker so takes half as much, and is no slower
_MEMORY = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}


@dataclass(slots=True, kw_only=True, eq=False)
class _Hand:
    """One worker process, and the calls that wait for it."""

    process: asyncio.subprocess.Process
    kinds: tuple[Kind, ...]
    waiting: dict[int, asyncio.Future[Any]] = field(default_factory=dict[int, asyncio.Future[Any]])
    warm: bool = False
    idle: bool = False  # it takes no more jobs, and has none
    used: float = field(default_factory=time.monotonic)

    def send(self, message: dict[str, Any]) -> None:
        """Write a line; a process that is gone is noticed where its output ends."""
        if self.process.stdin is not None and not self.process.stdin.is_closing():
            self.process.stdin.write(json.dumps(message).encode() + b"\n")


class Pool:
    """Keeps so many processes for questions, one for documents while there are some to add, and one for drafts while there are some.

    What is sent to us is read in processes of their own: a file that takes all memory, or for ever, keeps no question waiting.
    """

    def __init__(
        self, library: Path, jobs: Jobs, *, count: int, at_once: int, on_over: Callable[[dict[str, Any]], None]
    ) -> None:
        self._library = library
        self._jobs = jobs
        self._count = count
        self._at_once = at_once
        self._on_over = on_over
        self._hands: list[_Hand] = []
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self._ending = False

    @property
    def warm(self) -> bool:
        """Whether a question would be answered without waiting for anything to be loaded."""
        return any(hand.warm for hand in self._hands if "ask" in hand.kinds)

    @property
    def alive(self) -> int:
        """How many processes there are."""
        return len(self._hands)

    async def start(self) -> None:
        """Start the processes that answer; they warm up by themselves."""
        for _ in range(self._count):
            self._begin(self._keep((*RUNS, "fill", "renew")))
        self._begin(self._keep_while_needed("add"))
        self._begin(self._keep_while_needed("check"))

    async def call(self, what: str, /, *, seconds: float = 60.0, **arguments: Any) -> Any:
        """Have a process do something now, and return what came of it; its errors are raised here."""
        hands = [hand for hand in self._hands if "ask" in hand.kinds]
        if not hands:
            raise ModelUnavailableError("no worker process is ready; try again in some seconds")
        hand = min(hands, key=lambda hand: len(hand.waiting))
        if len(hand.waiting) >= _MOST_CALLS:
            raise ModelUnavailableError(f"{_MOST_CALLS} calls wait for each worker process already; try again")
        return await self._called(hand, what, seconds, arguments)

    async def call_each(self, what: str, /, *, seconds: float = 10.0, **arguments: Any) -> list[Any]:
        """Have every process that answers do something, and return what came of it."""
        hands = [hand for hand in self._hands if "ask" in hand.kinds]
        return list(await asyncio.gather(*(self._called(hand, what, seconds, arguments) for hand in hands)))

    async def _called(self, hand: _Hand, what: str, seconds: float, arguments: dict[str, Any]) -> Any:
        number = next(self._numbers)
        future = hand.waiting[number] = asyncio.get_running_loop().create_future()
        hand.send({"id": number, "call": what, "arguments": arguments})
        try:
            return await asyncio.wait_for(future, seconds)
        except TimeoutError:
            raise ModelUnavailableError(f"{what} took more than {seconds:.0f} seconds; try again") from None
        finally:
            hand.waiting.pop(number, None)

    def wake(self) -> None:
        """Tell that there is something to do."""
        for hand in self._hands:
            hand.send({"wake": True})

    async def drain(self, seconds: float) -> None:
        """Take no more; wait so long for what runs. What is not done then is left to be taken up by the next server."""
        self._ending = True
        for hand in self._hands:
            hand.send({"drain": True})
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not all(hand.idle for hand in self._hands):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- processes

    def _begin(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _keep(self, kinds: tuple[Kind, ...]) -> None:
        """Keep one process for these jobs, whatever befalls it."""
        pause = _PAUSE_SECONDS
        while not self._ending:
            began = time.monotonic()
            await self._run(kinds)
            pause = _PAUSE_SECONDS if time.monotonic() - began > _LONGEST_PAUSE else min(pause * 2, _LONGEST_PAUSE)
            if not self._ending:
                log.warning("a worker process ended", extra={"about": {"pause": pause}})
                await asyncio.sleep(pause)

    async def _keep_while_needed(self, kind: Kind) -> None:
        """Start a process when jobs of a kind wait; it goes when there were none for a while, and takes its memory along."""
        while not self._ending:
            if await self._wanted(kind):
                await self._run((kind,))
            await asyncio.sleep(_WATCH_SECONDS)

    async def _wanted(self, kind: Kind) -> int:
        counts = await self._jobs.counts()
        return counts.get((kind, "waiting"), 0) + counts.get((kind, "running"), 0)

    async def _run(self, kinds: tuple[Kind, ...]) -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "scholarmind.service.worker_process",
            str(self._library),
            ",".join(kinds),
            str(self._at_once if "ask" in kinds else 1),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            env={**_MEMORY, **os.environ},
        )
        hand = _Hand(process=process, kinds=kinds)
        self._hands.append(hand)
        if "ask" in kinds:
            self._begin(self._warm(hand))
        try:
            if process.stdout is not None:
                while line := await self._line(hand, process.stdout):
                    self._take(hand, json.loads(line))
        finally:
            self._hands.remove(hand)
            for future in hand.waiting.values():
                if not future.done():
                    future.set_exception(ModelUnavailableError("the worker process ended; try again"))
            if process.stdin is not None:
                process.stdin.close()
            await _ended(process)

    async def _line(self, hand: _Hand, output: asyncio.StreamReader) -> bytes:
        """Return the next line; nothing at its end, or where work was waited for in vain."""
        while True:
            reading = asyncio.ensure_future(output.readline())
            done, _ = await asyncio.wait([reading], timeout=_IDLE_SECONDS)
            if done:
                return reading.result()
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading
            if "ask" not in hand.kinds and not await self._wanted(hand.kinds[0]):
                return b""

    async def _warm(self, hand: _Hand) -> None:
        try:
            await self._called(hand, "warm", 600.0, {})
            hand.warm = True
        except ScholarMindError as error:
            log.warning("the warm-up failed", extra={"about": {"error": str(error)}})

    def _take(self, hand: _Hand, message: dict[str, Any]) -> None:
        if "id" in message:
            future = hand.waiting.get(message["id"])
            if future is not None and not future.done():
                if "error" in message:
                    future.set_exception(_error(message))
                else:
                    future.set_result(message["result"])
        elif "idle" in message:
            hand.idle = True
        elif "over" in message:
            self._on_over(message)
        else:
            log.warning("a worker has trouble", extra={"about": message})


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Wait until a process is gone, and see to it."""
    try:
        await asyncio.wait_for(process.wait(), 5.0)
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _error(message: dict[str, Any]) -> ScholarMindError:
    kind = getattr(errors, message["error"], None)
    if isinstance(kind, type) and issubclass(kind, ScholarMindError) and kind is not errors.MissingExtraError:
        return kind(message["message"]) if kind is not errors.ReadError else ScholarMindError(message["message"])
    return ModelUnavailableError("an error of ours; the log of the service has more")
