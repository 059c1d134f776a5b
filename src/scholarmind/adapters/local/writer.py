"""The one thread that writes, and the lock that it holds while it does."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from scholarmind.adapters.local.lock import WriterLock

T = TypeVar("T")
_LINGER_SECONDS = 0.3


class Writer:
    """Runs work under the lock. `prepare` runs once the lock is taken, `finish` before it is given back.

    The lock is kept for a moment after the last piece of work: opening the index again for each of many small writes would take most of
    their time. Where others wait for it, it is given back at once, and taken again in turn.
    """

    def __init__(self, lock: WriterLock, wait: float, prepare: Callable[[], None], finish: Callable[[], None]) -> None:
        self._lock = lock
        self._wait = wait
        self._prepare = prepare
        self._finish = finish
        self._thread = ThreadPoolExecutor(1, "scholarmind-write")
        self._depth = 0
        self._timer: threading.Timer | None = None
        self.holds_lock = False

    @property
    def is_busy(self) -> bool:
        """Tell whether work is going on, which will leave everything in order when it ends."""
        return self._depth > 0

    async def run(self, work: Callable[[], T]) -> T:
        """Do this work in the writing thread, under the lock."""

        def locked(given_up: threading.Event) -> T:
            self._enter(given_up)
            try:
                return work()
            finally:
                self._leave()

        return await self._in_thread(locked)

    @asynccontextmanager
    async def hold(self) -> AsyncGenerator[None]:
        """Keep the lock for as long as the block runs."""
        entered = False

        def enter(given_up: threading.Event) -> None:
            nonlocal entered
            self._enter(given_up)
            entered = True

        try:
            await self._in_thread(enter)
            yield
        finally:
            if entered:
                await self._in_thread(self._leave_again)

    async def _in_thread(self, work: Callable[[threading.Event], T]) -> T:
        """Wait for the work even when cancelled, after telling it to give up waiting for the lock: nothing is left half done."""
        given_up = threading.Event()
        future = asyncio.get_running_loop().run_in_executor(self._thread, work, given_up)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            given_up.set()
            await asyncio.wait([future])
            if not future.cancelled():
                future.exception()  # taken note of
            raise

    def close(self) -> None:
        """Wait for the work under way and give the lock back."""
        if self._timer is not None:
            self._timer.cancel()
        self._submit_release()
        self._thread.shutdown(wait=True)

    def _enter(self, given_up: threading.Event) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._lingers_before_others():
            self._release()
        if not self.holds_lock:
            self._lock.acquire(self._wait, given_up)
            self.holds_lock = True
        self._depth += 1
        try:
            if self._depth == 1:
                self._prepare()
        except BaseException:
            self._leave()
            raise

    def _leave_again(self, _given_up: threading.Event) -> None:
        self._leave()

    def _leave(self) -> None:
        self._depth -= 1
        if self._lingers_before_others():
            self._release()
        elif self._depth == 0:
            self._timer = threading.Timer(_LINGER_SECONDS, self._submit_release)
            self._timer.daemon = True
            self._timer.start()

    def _lingers_before_others(self) -> bool:
        return self._depth == 0 and self.holds_lock and self._lock.is_wanted()

    def _submit_release(self) -> None:
        with suppress(RuntimeError):  # closed meanwhile
            self._thread.submit(self._release)

    def _release(self) -> None:
        if self._depth == 0 and self.holds_lock:
            try:
                self._finish()
            finally:
                self.holds_lock = False
                self._lock.release()
