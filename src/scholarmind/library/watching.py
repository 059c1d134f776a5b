"""Notice that files changed, by looking: it works on every disk, a network's too, and needs nothing."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from os.path import lexists
from pathlib import Path
from typing import TypeVar

from scholarmind.errors import LibraryLockedError
from scholarmind.library.files import absolute, base_of, leads_out

T = TypeVar("T")

_LIBRARY = "library.db"
_States = dict[str, tuple[int, int]]


async def changes(paths: Sequence[str | Path], every: float, *, follow_links: bool = False) -> AsyncIterator[None]:
    """Yield at once, and again whenever something changed and then stayed as it is for one look: nobody is writing any more."""
    told: _States | None = None
    before: _States | None = None
    while True:
        now = await asyncio.to_thread(_look, paths, follow_links)
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


def _look(paths: Sequence[str | Path], follow_links: bool) -> _States:
    """Return size and time of every file below these places; the folder of a pattern stands for it."""
    states: _States = {}
    for given in paths:
        path = absolute(given)
        for entry in _files(path if lexists(path) else base_of(path), follow_links=follow_links):
            try:
                status = entry.stat()
            except OSError:  # gone this moment
                continue
            states[str(entry)] = (status.st_size, status.st_mtime_ns)
    return states


def _files(path: Path, *, follow_links: bool) -> Iterator[Path]:
    """Yield what is below a place, links followed once and not out of it, as `add` does."""
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
        inside = {name for name in (*folders, *names) if follow_links or not leads_out(Path(folder, name), path)}
        folders[:] = [name for name in folders if not name.startswith(".") and name in inside]
        yield from (Path(folder, name) for name in names if not name.startswith(".") and name in inside)


def _identity(folder: str) -> tuple[int, int] | None:
    try:
        status = Path(folder).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
