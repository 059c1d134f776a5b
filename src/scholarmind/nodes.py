"""Reading and embedding on other machines: what a node does with a file or a batch of texts, and how they are handed out to nodes.

Files go as bytes, so that a node needs no disk of ours, and come back as the messages that a child process would have sent. On its node a
file is read by such a child, with the same limits. What is done twice gives the same: a task may be repeated anywhere. Which engine
carries tasks to nodes is known to its adapter alone.
"""

import asyncio
import hashlib
import io
import json
import socket
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from scholarmind import wiring, wiring_readers
from scholarmind.errors import ClusterError, WorkerLostError
from scholarmind.library.file_reading import (
    Begun,
    CopiedFile,
    Ended,
    FileReading,
    ReadingJob,
    Step,
    changed,
    frame_reader,
    read_frame,
    state_of,
    step_frame,
    step_of,
    unreadable,
)
from scholarmind.library.workers import ReadingChild, Runner, Workers, crashed
from scholarmind.model import Headway
from scholarmind.ports import Embedder, Embeddings
from scholarmind.settings import Settings

if TYPE_CHECKING:
    from scholarmind.adapters.minilm import MiniLM

Returned = TypeVar("Returned")


class Nodes(Protocol):
    """Processes elsewhere. A task that its process or machine took along is tried again, and ends as `WorkerLostError` at last."""

    @property
    def slots(self) -> int: ...  # tasks that run at once
    def submit(self, function: Callable[..., Returned], *arguments: object) -> Future[Returned]: ...
    def close(self) -> None: ...  # ends what still runs


# -- on a node


def read_file(release: str, workers: Workers, name: str, content: bytes) -> bytes:
    """Return what comes of a file, as messages one after another. The file is known by the name that it has where it is from."""
    _check(release)
    with tempfile.NamedTemporaryFile(prefix="scholarmind-", suffix=Path(name).suffix) as copy:
        copy.write(content)
        copy.flush()
        steps = _child(workers, threading.get_ident()).steps(ReadingJob(path=CopiedFile.of(name, copy.name)))
        return b"".join(step_frame(step) for step in steps if not isinstance(step, (Begun, Headway)))


def embed_texts(release: str, precision: str, texts: bytes) -> Embeddings:
    """Return the vectors of texts, which come as a list in JSON."""
    _check(release)
    return _embedder(precision).encode(json.loads(texts))


def _check(release: str) -> None:
    """Refuse to work for another release: the passages of one library would be cut in two ways."""
    own = wiring.release()
    if own != release:
        raise ClusterError(
            f"the node {socket.gethostname()!r} has scholarmind {own}, and this machine {release}; install the same on both"
        )


@cache
def _child(workers: Workers, _thread: int) -> ReadingChild:
    """Return the child that all tasks of this thread read with, one after the other."""
    return ReadingChild(replace(workers, command=(sys.executable, *workers.command[1:])))


@cache
def _embedder(precision: str) -> "MiniLM":
    from scholarmind.adapters.minilm import MiniLM  # noqa: PLC0415

    return MiniLM(precision=precision, threads=1)  # a task is counted as one core


# -- here: handing out files

_AHEAD = 2  # tasks a slot that are under way, so that none waits for us
_BYTES = 256_000_000  # of files that are under way
_TICK_SECONDS = 0.25
_BESIDE = frozenset((".tex", ".ltx"))  # what is read together with files beside it


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flight:
    """A file that is being read elsewhere, and what it was when it was sent."""

    job: ReadingJob
    state: tuple[int, int, int]
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadReading:
    """Reads files on nodes. Small plain texts, bibliographies, and what has files beside it, are read `here` by children."""

    nodes: Nodes
    reading: FileReading
    workers: Workers
    here: Runner
    plain: frozenset[str]

    def read(self, jobs: Iterable[ReadingJob]) -> Generator[tuple[ReadingJob, Step] | None]:
        """Yield what comes of the files as it comes, and None now and then where nothing does."""
        own: list[ReadingJob] = []
        waiting: deque[ReadingJob] = deque()
        for job in jobs:
            (waiting if self._travels(job) else own).append(job)
        if own:
            yield from self.here(own)
        flying: dict[Future[bytes], _Flight] = {}
        try:
            while waiting or flying:
                while waiting and self._has_room(flying):
                    job = waiting.popleft()
                    yield from ((job, step) for step in self._send(job, flying))
                done = wait(flying, _TICK_SECONDS, FIRST_COMPLETED).done if flying else ()
                if not done:
                    yield None
                for future in done:
                    flight = flying.pop(future)
                    yield from ((flight.job, step) for step in _landed(flight, future))
        finally:
            for future in flying:
                future.cancel()

    def _travels(self, job: ReadingJob) -> bool:
        suffix = job.path.suffix.lower()
        try:
            return not job.bibliography and suffix not in self.plain | _BESIDE and job.path.stat().st_size <= _BYTES
        except OSError:
            return False  # a child says what is wrong with it

    def _has_room(self, flying: dict[Future[bytes], _Flight]) -> bool:
        """Tell whether another file may be sent: so many tasks and bytes are under way at most. The first asks nothing of the nodes."""
        size = sum(flight.state[0] for flight in flying.values())
        return not flying or (len(flying) < _AHEAD * self.nodes.slots and size < _BYTES)

    def _send(self, job: ReadingJob, flying: dict[Future[bytes], _Flight]) -> Iterator[Step]:
        """Hand a file out, unless it is known already."""
        try:
            state, content = state_of(job.path), job.path.read_bytes()
        except OSError as error:
            yield unreadable(job.path, error)
            yield Ended()
            return
        whole, in_part = self.reading.hashes(hashlib.sha256(content).hexdigest())
        yield Begun(hash=whole)
        if job.known in {whole, in_part}:
            yield Ended(hash=job.known, unchanged=True, bytes=len(content))
            return
        future = self.nodes.submit(read_file, wiring.release(), self.workers, str(job.path), content)
        flying[future] = _Flight(job=job, state=state, hash=whole)


def _landed(flight: _Flight, future: Future[bytes]) -> Iterator[Step]:
    """Yield what came of a file."""
    path = flight.job.path
    try:
        messages = frame_reader(io.BytesIO(future.result()))
    except WorkerLostError as error:
        yield crashed(path, str(error))
        yield Ended()
        return
    while (message := read_frame(messages)) is not None:
        step = step_of(*message)
        if isinstance(step, Ended):
            try:
                is_same = state_of(path) == flight.state
            except OSError:  # it is gone by now: what was sent is what it was
                is_same = True
            if not is_same:
                yield changed(path)
                step = replace(step, hash="")
        yield step


# -- here: handing out texts

_SIDE_BY_SIDE = 64  # batches that are under way


@dataclass(slots=True)
class SpreadEmbedder:
    """The built-in embedder on nodes: the same vectors, by a batch a task."""

    nodes: Nodes
    fingerprint: str
    precision: str

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a unit vector for each text and the share of its tokens that the model does not know."""
        told = json.dumps(list(texts)).encode()
        future = await asyncio.to_thread(self.nodes.submit, embed_texts, wiring.release(), self.precision, told)
        return await asyncio.wrap_future(future)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workforce:
    """Who reads and embeds for an `add`; closed when that is done."""

    runner: Runner
    embedder: Embedder | None
    embedding_side_by_side: int = 1
    nodes: Nodes | None = None

    async def close(self) -> None:
        """Let go of the nodes; nobody waits for what still runs there."""
        if self.nodes is not None:
            await asyncio.shield(asyncio.to_thread(self.nodes.close))


def workforce(settings: Settings, embedder: Embedder | None, nodes: Nodes | None = None) -> Workforce:
    """Return who reads with these settings: children of this process, or the `nodes` (by default those that the settings name).

    The nodes embed if the embedder is the built-in one; another stays where it is. They are asked for when there is something to do.
    """
    workers = wiring.workers(settings)
    if nodes is None and not settings.reading_on:
        return Workforce(runner=workers.read, embedder=embedder)
    if nodes is None:
        from scholarmind.adapters.ray_nodes import RayNodes  # noqa: PLC0415

        nodes = RayNodes(settings.reading_on, settings.reading_processes)
    files = SpreadReading(
        nodes=nodes,
        reading=wiring_readers.file_reading(settings),
        workers=workers,
        here=workers.read,
        plain=frozenset(settings.reading_here.split()),
    )
    built_in = wiring.embedder(settings) if settings.embedder == "minilm" else None
    if built_in is None or embedder is None or embedder.fingerprint != built_in.fingerprint:
        return Workforce(runner=files.read, embedder=embedder, nodes=nodes)
    spread = SpreadEmbedder(nodes, built_in.fingerprint, settings.embedding_precision)
    return Workforce(runner=files.read, embedder=spread, embedding_side_by_side=_SIDE_BY_SIDE, nodes=nodes)
