"""Followers: what keeps the graph of papers, the trees of summaries and the second vectors in step with the documents.

Each follows one store, can be stopped anywhere, and goes on there. Second vectors are from an embedder that knows more languages; they are
made last, since everything can be found without them. What is read out of a document for the graph is in `graph.rule_reading`.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.graph.gazetteer import KnownNames, named_in
from scholarmind.graph.rule_reading import VERSION, extract
from scholarmind.library.ingest import embed
from scholarmind.library_ports import Graph, Growing, Multilingual, Store
from scholarmind.ports import Embedder
from scholarmind.relations import Extracted
from scholarmind.tree.summarising import Extractive, Summariser

# -- the graph: read what waits, store what it states, and settle whose names are one

_MOST_WAITING = 10_000_000
_DOCUMENTS_AT_ONCE = 200  # documents in a batch
_SECONDS = 2.0  # that reading for a batch takes, at most by one document more


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFollowing:
    """Brings the graph of a library up to its documents."""

    store: Store
    graph: Graph
    at_once: int = _DOCUMENTS_AT_ONCE
    version: str = VERSION  # of the rules; what another one read is read again

    async def follow(self, on_event: OnEvent = ignore) -> None:
        """Read the documents that wait, and compare their names with those of the others. Where nothing waits, that is all it asks."""
        waiting = await self.graph.waiting(self.version, _MOST_WAITING)
        known = await self._known() if waiting else KnownNames()
        done = 0
        while done < len(waiting):
            async with self.store.writing():  # nobody may put another document in the place of one that was read
                read, extracted = await self._read(waiting[done : done + self.at_once], known)
                await self.graph.put(extracted)
            await self._settle()
            done += read
            on_event(Progress(stage="graph", done=done, total=len(waiting), unit="documents"))
        await self._settle()

    async def _read(self, waiting: Sequence[tuple[str, str]], known: KnownNames) -> tuple[int, list[Extracted]]:
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

    async def _known(self) -> KnownNames:
        """Return the names that documents may speak of: those that the metadata of any of them give."""
        documents = await self.store.documents()
        return await asyncio.to_thread(lambda: KnownNames.of(named_in(*documents)))

    async def _settle(self) -> None:
        while await self.graph.settle(self.at_once):
            pass


# -- the trees: let them grow, then say anew what the nodes that changed are about

_SUMMARIES_AT_ONCE = 64  # summaries that are stored together


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeFollowing:
    """Follows one store. Stopped anywhere it goes on there; until a new tree is whole, the one before it serves."""

    store: Store
    tree: Growing
    summariser: Summariser = field(default_factory=Extractive)

    async def follow(self, on_event: OnEvent = ignore) -> None:
        """Bring the trees up to what the library holds now."""
        if not await self.tree.behind():
            return
        async with self.store.writing():
            while await self._grow() or await self._summarise(on_event):
                pass

    async def _grow(self) -> bool:
        """Do every step that needs no summary; tell whether there was one."""
        steps = 0
        while await self.tree.grow():
            steps += 1
        return bool(steps)

    async def _summarise(self, on_event: OnEvent) -> bool:
        """Make the summaries that are to be made, the lowest level first; tell whether there were any."""
        total, done = await self.tree.unsummarised(), 0
        while tasks := await self.tree.tasks(_SUMMARIES_AT_ONCE):
            summaries = await self.summariser.summarise(tasks)
            numbers = (task.node.number for task in tasks)
            await self.tree.summarise(dict(zip(numbers, summaries, strict=True)))
            done += len(tasks)
            on_event(Progress(stage="tree", done=done, total=max(total, done), unit="summaries"))
        return bool(done)


# -- second vectors

_VECTORS_AT_ONCE = 64
_UNKNOWN_LIMIT = 0.3  # above this share of unknown tokens not even this embedder can make sense of a text


@dataclass(frozen=True, slots=True, kw_only=True)
class MultilingualFollowing:
    """Follows one store. Stopped anywhere it goes on there; what has its vector is found by it at once."""

    store: Store
    space: Multilingual
    embedder: Embedder

    async def follow(self, on_event: OnEvent = ignore) -> None:
        """Bring the second vectors up to what the library holds now; those that have no other come first."""
        made_by = self.embedder.fingerprint
        if not (await self.space.reach(made_by)).missing:
            return
        async with self.store.writing():
            for_all: bool | None = None
            while (reach := await self.space.reach(made_by)).missing and reach.is_for_all != for_all:
                for_all = reach.is_for_all
                after = done = 0
                while waiting := await self.space.waiting(made_by, _VECTORS_AT_ONCE, after):
                    vectors = await embed(self.embedder, [item.text for item in waiting], _UNKNOWN_LIMIT)
                    await self.space.fill(
                        made_by, {item.number: one for item, one in zip(waiting, vectors, strict=True)}
                    )
                    after, done = waiting[-1].number, done + len(waiting)
                    on_event(Progress(stage="multilingual", done=done, total=max(reach.missing, done), unit="passages"))
