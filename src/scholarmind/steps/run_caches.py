"""Caches of one run, and of one process: a search that parts share, and values that were worked out lately."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from scholarmind.filters import Filter
from scholarmind.model import Evidence, Found
from scholarmind.ports import Links, Retriever
from scholarmind.ranking import key_of

# -- searches of one question, each done once

_GRACE_SECONDS = 1.0  # for a search that was told to stop


class Remembering:
    """A retriever for one question. Parts that search at the same moment share one search."""

    def __init__(self, retriever: Retriever, links: Links | None = None) -> None:
        self._retriever = retriever
        self._links = links
        self._searches: dict[object, asyncio.Task[Found]] = {}
        self._left: list[asyncio.Task[Found]] = []
        self._count = 0

    @property
    def count(self) -> int:
        """How many searches were really made."""
        return self._count

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        """Return the best passages for a question."""
        return await self._once((question, k, filter), self._retriever.search, question, k, filter)

    async def linked(self, question: str, seeds: Sequence[Evidence], k: int) -> Found:
        """Return the passages that are one mention away from the seeds."""
        if self._links is None:
            return Found(evidence=())
        key = ("linked", question, tuple(map(key_of, seeds)), k)
        return await self._once(key, self._links.linked, question, seeds, k)

    def renew(self) -> None:
        """Leave searches that are not done to those who wait for them: whoever asks from now on has them begun anew."""
        pending = {key: task for key, task in self._searches.items() if not task.done()}
        self._left += pending.values()
        for key in pending:
            del self._searches[key]

    async def close(self) -> None:
        """End what nobody waits for any more."""
        tasks = [*self._searches.values(), *self._left]
        for task in tasks:
            task.cancel()
            task.add_done_callback(_failed)
        if tasks:
            await asyncio.wait(tasks, timeout=_GRACE_SECONDS)

    async def _once(self, key: object, search: Callable[..., Coroutine[Any, Any, Found]], *arguments: Any) -> Found:
        if key not in self._searches or _failed(self._searches[key]):  # what failed may succeed the next time
            self._count += 1
            self._searches[key] = asyncio.create_task(search(*arguments))
        return await asyncio.shield(self._searches[key])  # a part that gives up must not end it for the others


def _failed(task: asyncio.Task[Found]) -> bool:
    """Tell whether it ended without a result, and take note of its error: asyncio complains about those that nobody asks for."""
    return task.done() and (task.cancelled() or task.exception() is not None)


# -- values by address, the least used forgotten; or none

_SIZE = 1_000


class Recent:
    """Keeps values by address, and forgets what was not asked for longest. A ResponseCache."""

    def __init__(self, size: int = _SIZE) -> None:
        self._size = size
        self._values: OrderedDict[str, str] = OrderedDict()

    async def get(self, address: str) -> str | None:
        """Return what is kept there, if anything is."""
        if address in self._values:
            self._values.move_to_end(address)
        return self._values.get(address)

    async def put(self, address: str, value: str) -> None:
        """Keep a value in place of what was there."""
        self._values[address] = value
        self._values.move_to_end(address)
        while len(self._values) > self._size:
            self._values.popitem(last=False)


class Nothing:
    """Keeps nothing. A ResponseCache."""

    async def get(self, address: str) -> str | None:
        """Return None: there is nothing."""
        del address

    async def put(self, address: str, value: str) -> None:
        """Forget it."""
        del address, value
