"""Notice that files changed, by looking: it works on every disk, a network's too, and needs nothing."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from scholarmind.errors import LibraryLockedError

T = TypeVar("T")

_LIBRARY = "library.db"
_States = dict[str, tuple[int, int]]


async def changes(paths: Sequence[str | Path], every: float) -> AsyncIterator[None]:
    """Yield at once, and again whenever something changed and then stayed as it is for one look: nobody is writing any more."""
    told: _States | None = None
    before: _States | None = None
    while True:
        now = await asyncio.to_thread(_look, paths)
        if now != told and (told is None or now == before):
            told = now
            yield
        before = now
        await asyncio.sleep(every)


async def when_free(adding: Callable[[], Awaitable[T]], every: float) -> T:
    """Return what this brings, as soon as nobody else writes to the library."""
    while True:
        try:
            return await adding()
        except LibraryLockedError:
            await asyncio.sleep(every)


def _look(paths: Sequence[str | Path]) -> _States:
    """Return size and time of every file below these places; the folder of a pattern stands for it."""
    states: _States = {}
    for path in paths:
        for entry in _files(_place(Path(path).expanduser())):
            try:
                status = entry.stat()
            except OSError:  # gone this moment
                continue
            states[str(entry)] = (status.st_size, status.st_mtime_ns)
    return states


def _place(path: Path) -> Path:
    while not os.path.exists(path) and path != path.parent:  # noqa: PTH110  (unlike Path.exists, it raises for nothing)
        path = path.parent
    return path


def _files(path: Path) -> Iterator[Path]:
    """Yield what is below a place, links followed once, as `add` does."""
    if not os.path.isdir(path):  # noqa: PTH112  (unlike Path.is_dir, it raises for nothing)
        yield path
        return
    walked: set[tuple[int, int]] = set()
    for folder, folders, names in os.walk(path, followlinks=True):
        key = _identity(folder)
        if key is None or key in walked:  # gone this moment, or a link back
            folders.clear()
            continue
        walked.add(key)
        if _LIBRARY in names and folder != str(path):  # what an `add` writes there is no news
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(folder, name) for name in names if not name.startswith("."))


def _identity(folder: str) -> tuple[int, int] | None:
    try:
        status = Path(folder).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
