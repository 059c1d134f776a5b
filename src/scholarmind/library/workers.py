"""Child processes that read files side by side. One that hangs, crashes or grows too large costs its file, and nothing else."""

import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scholarmind.library.file_reading import (
    BrokenWireError,
    Ended,
    FileReading,
    ReadingJob,
    Step,
    job_frame,
    read_frame,
    step_of,
)
from scholarmind.model import Entry, Problem
from scholarmind.text.untrusted import printable

_WAITING = 8  # bundles of steps that may wait to be stored: bounds the memory
_TICK_SECONDS = 0.25
_CHARACTERS = 500_000  # that are passed on together at most
_BUNDLE_SECONDS = 0.05
_POLL_SECONDS = 0.05
_START_SECONDS = 60.0  # until a child says its first word; a busy machine takes seconds to start one
_BLOCK = 1 << 20
_Said = tuple[ReadingJob, Step]


def read_here(reading: FileReading, jobs: Iterable[ReadingJob]) -> Generator[_Said | None]:
    """Yield what comes of files, one after the other, in this process: for few and harmless ones."""
    for job in jobs:
        for step in reading.steps(job):
            yield job, step


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """How child processes are started and what they may take."""

    command: Sequence[str]
    hello: bytes  # the first message: what to read with
    count: int
    silence: float  # seconds without a message after which a child is taken for stuck

    def read(self, jobs: Iterable[ReadingJob]) -> Generator[_Said | None]:
        """Yield what comes of the files as it comes, and None now and then where nothing does. Closing it ends the children."""
        said: queue.Queue[list[_Said] | None] = queue.Queue(_WAITING)
        stop = threading.Event()
        waiting = _Shared(iter(jobs))
        slots = [_Slot(self, waiting, said, stop) for _ in range(self.count)]
        for slot in slots:
            slot.start()
        running = len(slots)
        try:
            while running:
                try:
                    item = said.get(timeout=_TICK_SECONDS)
                except queue.Empty:
                    yield None
                    continue
                if item is None:
                    running -= 1
                else:
                    yield from item
        finally:
            stop.set()
            for slot in slots:
                slot.end()
        for slot in slots:
            if slot.failure is not None:
                raise slot.failure


class _Shared:
    """Jobs that several threads take from."""

    def __init__(self, jobs: Iterator[ReadingJob]) -> None:
        self._jobs = jobs
        self._lock = threading.Lock()

    def take(self) -> ReadingJob | None:
        with self._lock:
            return next(self._jobs, None)


class _Slot:
    """A thread with one child at a time, which passes on what that says."""

    def __init__(
        self, workers: Workers, jobs: _Shared, said: "queue.Queue[list[_Said] | None]", stop: threading.Event
    ) -> None:
        self.failure: BaseException | None = None
        self._jobs, self._said, self._stop = jobs, said, stop
        self._child = ReadingChild(workers)
        self._thread = threading.Thread(target=self._run, name="scholarmind-worker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def _run(self) -> None:
        try:
            bundle = _Bundle()
            while not self._stop.is_set() and (job := self._jobs.take()) is not None:
                for step in self._child.steps(job):
                    if bundle.takes((job, step)):
                        self._pass_on(bundle.taken())
            self._pass_on(bundle.taken())
        except OSError as error:  # no process can be started
            self.failure = error
        finally:
            self.failure = self.failure or sys.exc_info()[1]  # a mistake of ours must not lose files in silence
            self._child.close()
            self._pass_on(None)

    def end(self) -> None:
        """Let go of the child at once."""
        while self._thread.is_alive():  # it may be starting another child this moment
            self._child.kill()
            self._thread.join(_POLL_SECONDS)

    def _pass_on(self, item: list[_Said] | None) -> None:
        while not self._stop.is_set():
            with suppress(queue.Full):
                self._said.put(item, timeout=_TICK_SECONDS)
                return


class ReadingChild:
    """One child process after the other, each as long as it lasts."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._child: _Child | None = None

    def steps(self, job: ReadingJob) -> Iterator[Step]:
        """Yield what comes of a file, `Ended` last, whatever becomes of the child."""
        child = self._child = self._child or _Child(self._workers)
        try:
            yield from child.read(job)
        except _Retired:
            self.close()
            child = self._child = _Child(self._workers)
            yield from child.read(job)
        if child.is_broken:
            self.close()

    def kill(self) -> None:
        """End the child at once."""
        child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        """Let go of the child."""
        child, self._child = self._child, None
        if child is not None:
            child.close()


class _Bundle:
    """Steps that are passed on together: handing over each by itself costs more than reading a small file."""

    def __init__(self) -> None:
        self._said: list[_Said] = []
        self._characters = 0
        self._since = time.monotonic()

    def takes(self, said: _Said) -> bool:
        """Take one more, and tell whether it is time to pass them on."""
        self._said.append(said)
        if isinstance(said[1], Entry):
            self._characters += len(said[1].text)
        return self._characters > _CHARACTERS or time.monotonic() - self._since > _BUNDLE_SECONDS

    def taken(self) -> list[_Said]:
        """Return them, and begin anew."""
        said, self._said, self._characters, self._since = self._said, [], 0, time.monotonic()
        return said


class _Retired(Exception):  # noqa: N818  (it is no error)
    """The child ended by itself before it took the job: it had grown."""


class _Child:
    """A process that reads one file after the other."""

    def __init__(self, workers: Workers) -> None:
        self._silence = workers.silence
        self._process = subprocess.Popen(  # noqa: S603  (our own module)
            workers.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        self._buffer = bytearray()
        self._failure = ""
        self._has_spoken = False
        self._has_worked = False
        self.is_broken = False
        self._send(workers.hello)

    def read(self, job: ReadingJob) -> Iterator[Step]:
        """Yield what the child says of a file, and in its place what became of the child."""
        self._send(job_frame(job))
        taken = False
        try:
            while (message := read_frame(self._exactly)) is not None:
                taken = self._has_spoken = True
                if "failed" in message[0]:
                    self._failure = message[0]["failed"]
                    continue
                step = step_of(*message)
                yield step
                if isinstance(step, Ended):
                    self._has_worked = True
                    return
            if not taken and self._has_worked:
                raise _Retired
            reason = self._cause_of_death()
        except TimeoutError:
            reason = f"its reader said nothing for {self._silence:,.0f} s"
        except BrokenWireError as error:
            reason = f"its reader sent nonsense ({error})"
        self.is_broken = True
        self.kill()
        yield Problem(where=printable(job.path), reason=reason, advice=_advice(reason))
        yield Ended()

    def kill(self) -> None:
        """End the process at once."""
        with suppress(ProcessLookupError):
            self._process.kill()

    def close(self) -> None:
        """Let it end by itself: there are no more jobs."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self.kill()
        self._process.wait()

    def _send(self, message: bytes) -> None:
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):  # it died: reading from it tells
                self._process.stdin.write(message)

    def _exactly(self, size: int) -> bytes:
        """Return so many bytes, or b'' if the child is gone."""
        deadline = time.monotonic() + (self._silence if self._has_spoken else max(self._silence, _START_SECONDS))
        while len(self._buffer) < size:
            block = self._block(deadline)
            if not block:
                return b""
            self._buffer += block
        with memoryview(self._buffer) as view:  # a slice of the buffer itself would be one more copy
            taken = bytes(view[:size])
        del self._buffer[:size]
        return taken

    def _block(self, deadline: float) -> bytes:
        pipe = self._process.stdout
        if pipe is None:
            return b""
        waiting = select.poll()
        waiting.register(pipe, select.POLLIN)
        if not waiting.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError
        return os.read(pipe.fileno(), _BLOCK)

    def _cause_of_death(self) -> str:
        code = self._process.wait()
        if self._failure:
            return f"its reader failed ({self._failure})"
        if code == -signal.SIGABRT:
            return "its reader gave up (SIGABRT), mostly for want of memory"
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"its reader crashed ({name})"


def crashed(path: Path, how: str) -> Problem:
    """Return what is told of a file that takes with it who reads it."""
    reason = f"its reader crashed ({how})"
    return Problem(where=printable(path), reason=reason, advice=_advice(reason))


def _advice(reason: str) -> str:
    if "said nothing" in reason:
        return "leave it out, or raise SCHOLARMIND_READING_SECONDS"
    if "memory" in reason:
        return "leave it out, or raise SCHOLARMIND_READING_MEGABYTES"
    return "open it in another program and save it anew; if that opens it, please report the file"


Runner = Callable[[Iterable[ReadingJob]], Generator[_Said | None]]
