"""One writer at a time, across processes. The lock dies with its holder, and the file tells who that is."""

import fcntl
import json
import os
import socket
import sys
import threading
import time
import weakref
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from scholarmind.adapters.local.database import errors_of
from scholarmind.errors import LibraryLockedError

_POLL_SECONDS = 0.05
_held: "weakref.WeakSet[WriterLock]" = weakref.WeakSet()


class WriterLock:
    """A lock on a file, taken with `acquire` and given back with `release`; not re-entrant."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self, wait: float, given_up: threading.Event | None = None) -> None:
        """Wait so many seconds for the lock (or until the event is set); then say who holds it."""
        deadline = time.monotonic() + wait
        while not self.try_acquire():
            if time.monotonic() >= deadline or (given_up is not None and given_up.is_set()):
                raise LibraryLockedError(
                    f"the library {str(self._path.parent)!r} is being written by {self.holder() or 'another process'}; "
                    "wait until it is done, or stop it, and run the command again"
                )
            time.sleep(_POLL_SECONDS)

    def try_acquire(self) -> bool:
        """Take the lock if it is free."""
        with errors_of(self._path):
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
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
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None

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
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            os.close(descriptor)
        return True

    def forget(self) -> None:
        """Drop the descriptor that a fork inherited: the child must not keep its parent's lock alive."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _describe_this_process() -> bytes:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    told = {"process": os.getpid(), "host": socket.gethostname(), "command": Path(sys.argv[0]).name, "since": since}
    return json.dumps(told).encode()


def _forget_all() -> None:
    for lock in list(_held):
        lock.forget()


os.register_at_fork(after_in_child=_forget_all)
