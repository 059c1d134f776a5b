"""Access to the truth: it is read in a few threads, and written in one, under a lock that one process holds at a time.

Who has to wait for the lock takes a ticket: a file in the queue with the next number, under a lock that the kernel keeps for as long
as its process lives. Tickets without that lock are of processes that died, and are thrown away by whoever sees them.
"""

import asyncio
import fcntl
import json
import os
import socket
import sys
import threading
import time
import weakref
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store.database import Database, errors_of, without_locks
from scholarmind.errors import LibraryLockedError, LibraryStorageError

# -- the lock: first come, first served; it dies with its holder, and the file tells who that is

_POLL_SECONDS = 0.02
_ASLEEP_SECONDS = 1.0  # a free lock that the first in the queue does not take: it was stopped, and is passed over
_held: "weakref.WeakSet[WriterLock]" = weakref.WeakSet()


class WriterLock:
    """A lock on a file, taken with `acquire` and given back with `release`; not re-entrant."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._queue = path.with_name("writer.queue")
        self._descriptor: int | None = None
        self._ticket: tuple[Path, int] | None = None

    def acquire(self, wait: float, given_up: threading.Event | None = None) -> None:
        """Wait for the lock, so many seconds for each of those that come before (or until the event is set); then say who holds it."""
        if self.try_acquire():
            return
        try:
            self._take_ticket()
            self._wait_in_turn(wait, given_up)
        finally:
            self._drop_ticket()

    def _wait_in_turn(self, wait: float, given_up: threading.Event | None) -> None:
        ahead, deadline, seen_taken = -1, 0.0, time.monotonic()
        while True:
            now, before = time.monotonic(), self._others()
            if ahead != before:
                ahead, deadline = before, now + wait
            if (not before or now - seen_taken > _ASLEEP_SECONDS) and self._take():
                return
            if not self.is_free():
                seen_taken = now
            if now >= deadline or (given_up is not None and given_up.is_set()):
                others = f"; {before} more came before this one" if before else ""
                raise LibraryLockedError(
                    f"the library {str(self._path.parent)!r} is being written by {self.holder() or 'another process'}{others}; "
                    "wait until it is done, or stop it, and run the command again"
                )
            time.sleep(_POLL_SECONDS)

    def try_acquire(self) -> bool:
        """Take the lock if it is free and nobody waits for it."""
        return not self.is_wanted() and self._take()

    def is_wanted(self) -> bool:
        """Tell whether anybody waits for the lock."""
        return self._others() > 0

    def _take(self) -> bool:
        with errors_of(self._path):
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        if not _lock(descriptor, self._path.parent):
            os.close(descriptor)
            return False
        with suppress(OSError):  # on a full disk nobody's name is in the file, and the lock holds all the same
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(_this_process()).encode(), 0)
        self._descriptor = descriptor
        _held.add(self)
        return True

    def release(self) -> None:
        """Give the lock back; nothing happens if it is not held."""
        if self._descriptor is not None:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None

    # -- the queue

    def _take_ticket(self) -> None:
        """Join the queue at its end; where no file can be made, on a full disk, without a place in it."""
        with suppress(OSError):
            self._queue.mkdir(exist_ok=True)
            with self._alone():
                path = self._queue / f"{int(max(self._tickets(), default='0')) + 1:012}"
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
                _held.add(self)
                self._ticket = path, descriptor
                _lock(descriptor, self._path.parent)

    def _drop_ticket(self) -> None:
        if self._ticket is not None:
            path, descriptor = self._ticket
            with suppress(OSError):
                path.unlink()
            os.close(descriptor)
            self._ticket = None

    def _others(self) -> int:
        """Return how many wait who came before; all of them for who has no ticket. Tickets of dead processes are thrown away."""
        own = self._ticket[0].name if self._ticket else None
        before = [name for name in self._tickets() if own is None or name < own]
        if not before:
            return 0
        with suppress(OSError), self._alone():
            return sum(self._is_alive(self._queue / name) for name in before)
        return 0

    def _tickets(self) -> list[str]:
        try:
            return [name for name in os.listdir(self._queue) if name.isdecimal()]  # noqa: PTH208  (a name is all we need)
        except OSError:
            return []

    def _is_alive(self, ticket: Path) -> bool:
        try:
            descriptor = os.open(ticket, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            if not _lock(descriptor, self._path.parent):
                return True
            ticket.unlink(missing_ok=True)
        finally:
            os.close(descriptor)
        return False

    @contextmanager
    def _alone(self) -> Generator[None]:
        """Nobody else takes or judges a ticket meanwhile: one that was made and not yet locked looks like that of a dead process."""
        descriptor = os.open(self._queue, os.O_RDONLY | os.O_CLOEXEC)
        deadline = time.monotonic() + _ASLEEP_SECONDS
        try:
            while not _lock(descriptor, self._path.parent):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"somebody was stopped while looking at {str(self._queue)!r}")
                time.sleep(_POLL_SECONDS / 10)
            yield
        finally:
            os.close(descriptor)

    # -- who it is

    def holder(self) -> str:
        """Return who wrote their name into the file last, or '' if it was given back."""
        try:
            told = json.loads(self._path.read_text(encoding="utf-8"))
            return f"process {told['process']} on {told['host']} ({told['command']}, since {told['since']})"
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def is_free(self) -> bool:
        """Tell whether nobody is writing, without leaving a trace."""
        try:
            with errors_of(self._path):
                descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except LibraryStorageError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return True
            raise
        try:
            return _lock(descriptor, self._path.parent, fcntl.LOCK_SH)
        finally:
            os.close(descriptor)

    def forget(self) -> None:
        """Drop the descriptors that a fork inherited: the child must not keep its parent's lock or place in the queue alive."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        if self._ticket is not None:
            os.close(self._ticket[1])
            self._ticket = None


def _lock(descriptor: int, library: Path, how: int = fcntl.LOCK_EX) -> bool:
    """Lock an open file; tell whether that could be done at once."""
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise LibraryStorageError(without_locks(library, error)) from error
    return True


def _this_process() -> dict[str, Any]:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return {"process": os.getpid(), "host": socket.gethostname(), "command": Path(sys.argv[0]).name, "since": since}


def describe_this_process() -> str:
    """Return who this is, for people who wait."""
    return "process {process} on {host} ({command}, since {since})".format(**_this_process())


def _forget_all() -> None:
    for lock in list(_held):
        lock.forget()


os.register_at_fork(after_in_child=_forget_all)


# -- the thread that writes

T = TypeVar("T")
_LINGER_SECONDS = 0.3


class LockedWriter:
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


# -- what the parts of a store share

_AT_ONCE = 20_000  # SQLite takes 32,766 parameters


class ReadAccess(Protocol):
    """Does some reading in one of the threads for it."""

    async def __call__(self, work: Callable[[], T]) -> T: ...


class Writing(Protocol):
    """Does some writing in the one thread for it, in a transaction."""

    async def __call__(self, work: Callable[[DatabaseConnection], T]) -> T: ...


class Access:
    """What the parts of a store share. The store itself sets the three."""

    database: Database
    _readers: ThreadPoolExecutor
    _writer: LockedWriter

    async def _read(self, work: Callable[[], T]) -> T:
        def reading() -> T:
            with errors_of(self.database.path):
                return work()

        return await asyncio.get_running_loop().run_in_executor(self._readers, reading)

    async def _write(self, work: Callable[[DatabaseConnection], T]) -> T:
        """Do this in one transaction that changes nothing that can be searched."""

        def locked() -> T:
            with self.database.transaction() as connection:
                return work(connection)

        return await self._writer.run(locked)


def look_up(database: Database, sql: str, values: Sequence[object], *others: object) -> Iterable[tuple[Any, ...]]:
    """Yield the rows of a query with one `{}` for any number of values, and after it a `?` for each other parameter."""
    for begin in range(0, len(values), _AT_ONCE):
        some = values[begin : begin + _AT_ONCE]
        yield from database.rows(sql.format(",".join("?" * len(some))), (*some, *others))
