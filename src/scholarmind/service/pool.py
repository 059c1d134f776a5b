"""The worker processes of a server: started, called, watched, and started anew when one ends."""

import asyncio
import itertools
import json
import logging
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scholarmind import errors
from scholarmind.errors import ModelUnavailableError, ScholarMindError
from scholarmind.service.jobs import RUNS, Jobs, Kind

log = logging.getLogger("scholarmind.service")
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
