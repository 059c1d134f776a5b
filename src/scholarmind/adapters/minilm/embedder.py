"""The embedder that is always there: it works in threads, and short texts that arrive together are encoded together."""

import asyncio
import math
import os
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any

from scholarmind.adapters.bert.network import DIMENSION
from scholarmind.adapters.minilm.encoder import Encoder
from scholarmind.ports import Embeddings

_SHORT = 400  # characters: what is longer reads the weights for itself
_TOGETHER = 512  # characters: longer company saves nothing more and keeps the first of them waiting
_made: "weakref.WeakSet[MiniLM]" = weakref.WeakSet()
_left_to_parent: list[Any] = []  # tidying up the parent's session in a child would wait for threads that are not there


class MiniLM:
    """all-MiniLM-L6-v2. Nothing is loaded until the first text arrives."""

    dimension = DIMENSION

    def __init__(self, *, precision: str = "fp32", threads: int = 0) -> None:
        self.fingerprint = f"all-MiniLM-L6-v2/{DIMENSION}/{precision}"
        self._int8 = precision == "int8"
        self._threads = threads or len(os.sched_getaffinity(0))
        self._begin()
        _made.add(self)

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a unit vector for each text and the share of its tokens that the model does not know."""
        # in int8 texts of one batch change each other's vectors, and a question's should not depend on the others
        if self._int8 or sum(map(len, texts)) > _SHORT:
            return await asyncio.to_thread(self.encode, texts)
        asked = _EmbeddingRequest(texts=list(texts), found=Future())
        with self._lock:
            self._waiting.append(asked)
        # not at once: what else is ready to run on this loop may ask too
        asyncio.get_running_loop().call_soon(self._start)
        return await asyncio.wrap_future(asked.found)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Do the work of `embed` in this thread."""
        return self._encoder.encode(texts)

    def after_fork(self) -> None:
        """Begin anew in a forked child, where neither the session's threads nor ours live on."""
        _left_to_parent.append((self._encoder, self._workers, self._waiting))
        self._begin()

    def _begin(self) -> None:
        self._encoder = Encoder(int8=self._int8, threads=self._threads)
        self._workers = ThreadPoolExecutor(self._threads, "scholarmind-minilm")  # starts them when there is work
        self._lock = threading.Lock()
        self._waiting: deque[_EmbeddingRequest] = deque()
        self._running = 0

    def _start(self) -> None:
        """Give what waits to the threads that are free; what arrives while none is, goes together afterwards."""
        while group := self._next_group():
            try:
                work = self._workers.submit(self.encode, [text for asked in group for text in asked.texts])
            except RuntimeError as error:  # the interpreter is ending and starts no more threads
                work = Future[Embeddings]()
                work.set_exception(error)
            work.add_done_callback(partial(self._deliver, group))

    def _next_group(self) -> "list[_EmbeddingRequest]":
        """Take from the queue for one free thread its even share, as far as that pays."""
        with self._lock:
            free = self._threads - self._running
            if not free:
                return []
            left = min(_TOGETHER, math.ceil(sum(asked.characters for asked in self._waiting) / free))
            group: list[_EmbeddingRequest] = []
            while self._waiting and (not group or self._waiting[0].characters <= left):
                asked = self._waiting.popleft()
                if asked.found.set_running_or_notify_cancel():  # nobody waits for those that were cancelled
                    group.append(asked)
                    left -= asked.characters
            self._running += bool(group)
            return group

    def _deliver(self, group: "list[_EmbeddingRequest]", work: Future[Embeddings]) -> None:
        """Hand each caller its own, or the error to all, and go on with what came meanwhile."""
        with self._lock:
            self._running -= 1
        self._start()
        if error := work.exception():
            for asked in group:
                asked.found.set_exception(error)
            return
        made = work.result()
        ends = accumulate(len(asked.texts) for asked in group)
        for asked, end in zip(group, ends, strict=True):
            own = slice(end - len(asked.texts), end)
            asked.found.set_result(Embeddings(vectors=made.vectors[own], unknown=made.unknown[own]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _EmbeddingRequest:
    texts: list[str]
    found: Future[Embeddings]

    @property
    def characters(self) -> int:
        return sum(map(len, self.texts))


def _after_fork() -> None:
    for model in list(_made):
        model.after_fork()


os.register_at_fork(after_in_child=_after_fork)
