"""One writer at a time, across processes, first come, first served. The lock dies with its holder, and the file tells who that is.

Who has to wait takes a ticket: a file in the queue with the next number, under a lock that the kernel keeps for as long as its process
lives. Tickets without that lock are of processes that died, and are thrown away by whoever sees them.
"""

import fcntl
import json
import os
import socket
import sys
import threading
import time
import weakref
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from scholarmind.adapters.local.database import errors_of, without_locks
from scholarmind.errors import LibraryLockedError, LibraryStorageError

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
            os.pwrite(descriptor, _describe_this_process(), 0)
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


def _describe_this_process() -> bytes:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    told = {"process": os.getpid(), "host": socket.gethostname(), "command": Path(sys.argv[0]).name, "since": since}
    return json.dumps(told).encode()


def _forget_all() -> None:
    for lock in list(_held):
        lock.forget()


os.register_at_fork(after_in_child=_forget_all)
