"""The child process that reads files: limited in memory, gone when its parent is. The library starts `python -m scholarmind.worker`."""

import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from scholarmind import wiring_readers
from scholarmind.library.file_reading import (
    Begun,
    Ended,
    FileReading,
    ReadingJob,
    Step,
    frame,
    frame_reader,
    job_of,
    read_frame,
    step_frame,
)
from scholarmind.model import Headway, Problem
from scholarmind.settings import Settings
from scholarmind.text.untrusted import printable

_HEADWAY_SECONDS = 0.2
_ORPHAN_SECONDS = 1.0
_STATE = Path("/proc/self/statm")
_MEGABYTE = 1_000_000
_WORN = 4  # a process that has grown to a fourth of its limit is replaced after the file


def main(reading_of: Callable[[Settings], FileReading] = wiring_readers.file_reading) -> None:
    """Read jobs from standard input and write what comes of them to standard output, until there are no more."""
    # keep standard output for ourselves: what a parser prints must not come between our messages
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    jobs, answers = sys.stdin.buffer, own
    sys.excepthook = _telling(answers)
    hello = read_frame(frame_reader(jobs))
    if hello is None:
        return
    settings = Settings(**hello[0])
    # bound what a hostile file can take. An interrupt from the terminal is for the parent, which ends us.
    resource.setrlimit(resource.RLIMIT_AS, (settings.reading_megabytes * _MEGABYTE, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(os.getppid())
    reading = reading_of(settings)
    while (message := read_frame(frame_reader(jobs))) is not None:
        for step in _steps(reading, job_of(message[0]), settings.reading_megabytes):
            answers.write(step_frame(step))
            if isinstance(step, (Begun, Headway, Ended)):  # the others can wait for these
                answers.flush()
        if _resident() > settings.reading_megabytes * _MEGABYTE / _WORN:
            return


def _steps(reading: FileReading, job: ReadingJob, megabytes: int) -> Iterator[Step]:
    """Yield what comes of a file; of the headway only as much as anybody can watch."""
    told = 0.0
    try:
        for step in reading.steps(job):
            if not isinstance(step, Headway):
                yield step
            elif time.monotonic() - told > _HEADWAY_SECONDS:
                told = time.monotonic()
                yield step
    except MemoryError:
        yield Problem(
            where=printable(job.path),
            reason=f"reading it takes more than {megabytes:,} MB of memory",
            advice="split it, or raise SCHOLARMIND_READING_MEGABYTES",
        )
        yield Ended()


def _resident() -> int:
    """Return how many bytes of memory we have now. `ru_maxrss` does not tell: a child begins with its parent's."""
    try:
        return int(_STATE.read_text().split()[1]) * resource.getpagesize()
    except FileNotFoundError:  # not Linux: we are not replaced, only limited
        return 0


def _telling(answers: BinaryIO) -> Any:
    def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        answers.write(frame({"failed": f"{kind.__name__}: {error}"[:500]}))
        answers.flush()
        sys.__excepthook__(kind, error, trace)

    return tell


def _end_with(parent: int) -> None:
    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_ORPHAN_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    main()
