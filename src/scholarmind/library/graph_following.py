"""Keep the graph of papers in step with the documents: read what waits, store what it states, and settle whose names are one.

It can be stopped between any two batches, each of which is stored whole, and goes on there the next time.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.graph.extracting import VERSION, extract
from scholarmind.graph.known import Known, named_in
from scholarmind.library_ports import Graph, Store
from scholarmind.relations import Extracted

_MOST_WAITING = 10_000_000
_AT_ONCE = 200  # documents in a batch
_SECONDS = 2.0  # that reading for a batch takes, at most by one document more


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFollowing:
    """Brings the graph of a library up to its documents."""

    store: Store
    graph: Graph
    at_once: int = _AT_ONCE
    version: str = VERSION  # of the rules; what another one read is read again

    async def follow(self, on_event: OnEvent = ignore) -> None:
        """Read the documents that wait, and compare their names with those of the others. Where nothing waits, that is all it asks."""
        waiting = await self.graph.waiting(self.version, _MOST_WAITING)
        known = await self._known() if waiting else Known()
        done = 0
        while done < len(waiting):
            async with self.store.writing():  # nobody may put another document in the place of one that was read
                read, extracted = await self._read(waiting[done : done + self.at_once], known)
                await self.graph.put(extracted)
            await self._settle()
            done += read
            on_event(Progress(stage="graph", done=done, total=len(waiting), unit="documents"))
        await self._settle()

    async def _read(self, waiting: Sequence[tuple[str, str]], known: Known) -> tuple[int, list[Extracted]]:
        """Read documents for as long as a batch may take, and return how many were read, and what those that there still are state."""
        began, read = time.monotonic(), 0
        extracted: list[Extracted] = []
        for collection, id in waiting:
            entry = await self.store.entry(collection, id)
            read += 1
            if entry is not None:
                extracted.append(await asyncio.to_thread(extract, entry, known))
            if time.monotonic() - began > _SECONDS:
                break
        return read, extracted

    async def _known(self) -> Known:
        """Return the names that documents may speak of: those that the metadata of any of them give."""
        documents = await self.store.documents()
        return await asyncio.to_thread(lambda: Known.of(named_in(*documents)))

    async def _settle(self) -> None:
        while await self.graph.settle(self.at_once):
            pass
