"""How the parts of a store reach the truth: it is read in a few threads, and written in one, under the lock."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from scholarmind.adapters.local.database import Database, errors_of
from scholarmind.adapters.local.writer import Writer

T = TypeVar("T")
_AT_ONCE = 20_000  # SQLite takes 32,766 parameters


class Reading(Protocol):
    """Does some reading in one of the threads for it."""

    async def __call__(self, work: Callable[[], T]) -> T: ...


class Writing(Protocol):
    """Does some writing in the one thread for it, in a transaction."""

    async def __call__(self, work: Callable[[sqlite3.Connection], T]) -> T: ...


class Access:
    """What the parts of a store share. The store itself sets the three."""

    database: Database
    _readers: ThreadPoolExecutor
    _writer: Writer

    async def _read(self, work: Callable[[], T]) -> T:
        def reading() -> T:
            with errors_of(self.database.path):
                return work()

        return await asyncio.get_running_loop().run_in_executor(self._readers, reading)

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
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
