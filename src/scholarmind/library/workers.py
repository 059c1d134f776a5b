"""Child processes that read files side by side, and what comes of the files, in batches that are stored together.

A process that hangs, crashes or grows too large costs its file, and nothing else. Batches are made in a thread, ahead of the storing.
"""

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
from dataclasses import dataclass, field, replace
from os.path import lexists
from pathlib import Path

from scholarmind.events import FileProgress, FileState
from scholarmind.library.descriptions import Describing
from scholarmind.library.file_reading import (
    Begun,
    BrokenWireError,
    Ended,
    FileReading,
    ReadingJob,
    Step,
    job_frame,
    read_frame,
    step_of,
)
from scholarmind.library_ports import Known, Source
from scholarmind.model import BibEntry, Entry, Headway, Problem
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
            code = self._process.wait()
            if self._failure:
                reason = f"its reader failed ({self._failure})"
            elif code == -signal.SIGABRT:
                reason = "its reader gave up (SIGABRT), mostly for want of memory"
            else:
                name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
                reason = f"its reader crashed ({name})"
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
            pipe = self._process.stdout
            if pipe is None:
                block = b""
            else:
                waiting = select.poll()
                waiting.register(pipe, select.POLLIN)
                if not waiting.poll(max(0.0, deadline - time.monotonic()) * 1000):
                    raise TimeoutError
                block = os.read(pipe.fileno(), _BLOCK)
            if not block:
                return b""
            self._buffer += block
        with memoryview(self._buffer) as view:  # a slice of the buffer itself would be one more copy
            taken = bytes(view[:size])
        del self._buffer[:size]
        return taken


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


# -- what comes of files, gathered into batches that are stored together

_FILES = 500
_SECONDS = 2.0  # what was read is searchable after about so long
_NEWS_SECONDS = 0.25


@dataclass(kw_only=True)
class Batch:
    """What is stored together: entries, the files that end with them, and what there is to tell."""

    entries: list[Entry] = field(default_factory=list[Entry])
    sources: list[Source] = field(default_factory=list[Source])
    problems: list[Problem] = field(default_factory=list[Problem])
    news: list[FileProgress] = field(default_factory=list[FileProgress])
    passages: int = 0
    replaced: int = 0
    unchanged: int = 0
    duplicates: int = 0
    ended: int = 0  # files
    begun: float = field(default_factory=time.monotonic)

    def is_full(self, passages: int) -> bool:
        """Tell whether it is time to store it: it holds so many passages, or many files, or is old."""
        late = time.monotonic() - self.begun > _SECONDS and bool(self.entries or self.sources)
        return late or len(self.sources) >= _FILES or self.passages >= passages


@dataclass(kw_only=True)
class _File:
    """What is known of a file that is being read."""

    problems: list[Problem] = field(default_factory=list[Problem])
    copy_of: str = ""  # another file with the same content


@dataclass(kw_only=True)
class BatchBuilder:
    """Turns what readers say into batches. `seen` holds the ids that are still there; `touched` those that were described anew.

    `again` holds files that were passed over as copies of one that then turned out to be unusable: under another name they may do.
    """

    collection: str
    known: Known
    describing: Describing
    stored_at_once: int = 2_000  # passages
    seen: set[str] = field(default_factory=set[str])
    touched: set[str] = field(default_factory=set[str])
    again: list[Path] = field(default_factory=list[Path])
    bibliographies: frozenset[str] = frozenset()  # which entries are from
    _files: dict[Path, _File] = field(init=False, default_factory=dict[Path, _File])
    _contents: dict[str, str] = field(init=False, default_factory=dict[str, str])
    _stored: dict[str, list[str]] = field(init=False, default_factory=dict[str, list[str]])
    _sound: set[str] = field(init=False, default_factory=set[str])
    _copies: list[tuple[Path, str, Ended]] = field(init=False, default_factory=list[tuple[Path, str, Ended]])
    _told: float = field(init=False, default=0.0)
    _stopped: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        listed = {entry.document.origin for entry in self.describing.entries}
        self.bibliographies = frozenset(listed)

    def stop(self) -> None:
        """Let `batches` come to an end soon: nobody wants what is still to come."""
        self._stopped = True

    def batches(self, files: Sequence[Path], runner: Runner) -> Generator[Batch]:
        """Yield what is to be stored, a batch at a time; one without entries where there is only news."""
        for identifier, (_, origin) in self.known.documents.items():
            self._stored.setdefault(origin, []).append(identifier)
        self._contents.update((digest, path) for path, digest in self.known.sources.items() if lexists(path))
        self._sound.update(self._contents.values())
        jobs = (ReadingJob(path=path, known=self.known.sources.get(printable(path), "")) for path in files)
        said = runner(jobs)
        batch = Batch()
        try:
            for item in said:
                if self._stopped:
                    return
                if item is not None:
                    self._take(*item, batch)
                if batch.is_full(self.stored_at_once) or (
                    batch.news and time.monotonic() - self._told > _NEWS_SECONDS and not batch.entries
                ):
                    self._told = time.monotonic()
                    yield batch
                    batch = Batch()
            self._settle_copies(batch)
            yield batch
        finally:
            said.close()

    def _take(self, job: ReadingJob, step: Step, batch: Batch) -> None:
        name = printable(job.path)
        file = self._files.setdefault(job.path, _File())
        match step:
            case Begun():
                batch.news.append(FileProgress(path=name, state="reading"))
                owner = self._contents.setdefault(step.hash, name)
                file.copy_of = owner if owner != name else ""
            case Headway():
                batch.news.append(FileProgress(path=name, state="reading", done=step.done, total=step.total))
            case Problem():
                self._object(step, file, batch)
            case Entry():
                if not file.copy_of:
                    self._enter(step, job.path, file, batch)
            case Ended():
                self._end(job.path, step, self._files.pop(job.path), batch)
            case BibEntry():
                raise TypeError("a bibliography among the documents")

    def _object(self, problem: Problem, file: _File, batch: Batch) -> None:
        if not file.copy_of:
            file.problems.append(problem)
            batch.problems.append(problem)

    def _enter(self, entry: Entry, path: Path, file: _File, batch: Batch) -> None:
        document = replace(entry.document, collection=self.collection)
        known_hash, known_origin = self.known.documents.get(document.id, ("", ""))
        mine = {"", document.origin, *self.bibliographies}  # a file takes the place of its entry
        elsewhere = known_origin not in mine and lexists(known_origin)
        if document.id in self.seen or elsewhere:
            other = known_origin if elsewhere else "an earlier record"
            reason = f"the id {document.id!r} is taken by {other}"
            problem = Problem(where=printable(path), reason=reason, advice="give every record an id of its own")
            self._object(problem, file, batch)
            return
        self.seen.add(document.id)
        self.touched.add(document.id)
        described = self.describing.describe(replace(entry, document=document), path)
        if described.hash == known_hash:
            batch.unchanged += 1
            return
        batch.entries.append(described)
        batch.passages += len(described.passages)
        batch.replaced += document.id in self.known.documents

    def _end(self, path: Path, ended: Ended, file: _File, batch: Batch) -> None:
        batch.ended += 1
        if file.copy_of:
            self._copies.append((path, file.copy_of, ended))
            return
        name = printable(path)
        stored = self._stored.get(name, ())
        sound = bool(ended.hash) and all(problem.lasting for problem in file.problems)
        state: FileState = "unchanged" if ended.unchanged else "read" if sound else "failed"
        batch.news.append(FileProgress(path=name, state=state, seconds=ended.seconds))
        if sound:
            self._sound.add(name)
        if ended.unchanged or not sound:
            self.seen.update(stored)  # not taken for gone
        if ended.unchanged:
            batch.unchanged += len(stored)
        else:
            batch.sources.append(_source(name, ended, file.problems, ended.hash if sound else None))

    def _settle_copies(self, batch: Batch) -> None:
        """Tell of each copy whose original is in the library; the others are to be read for themselves."""
        for path, owner, ended in self._copies:
            name = printable(path)
            if owner not in self._sound:
                self.again.append(path)
                continue
            advice = "it is in the library once; nothing to do"
            problem = Problem(where=name, reason=same_content(owner), advice=advice, lasting=True)
            batch.problems.append(problem)
            batch.duplicates += 1
            batch.news.append(FileProgress(path=name, state="unchanged"))
            batch.sources.append(_source(name, ended, (problem,), None))


def _source(name: str, ended: Ended, problems: Sequence[Problem], digest: str | None) -> Source:
    return Source(
        path=name,
        hash=digest,
        read=time.time(),
        seconds=ended.seconds,
        bytes=ended.bytes,
        problems=tuple(problems),
    )


def same_content(path: str) -> str:
    """Return what is told of a file that holds just what this one holds."""
    return f"it has the same content as {path}"
