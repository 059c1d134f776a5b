"""Search for one concept: plainly, within its time; for what is late, what the question itself finds stands in."""

import asyncio
from dataclasses import dataclass

from scholarmind.model import Found
from scholarmind.ports import Retriever
from scholarmind.steps.gather import Gathered

_GRACE_SECONDS = 1.0  # for a search that was told to stop


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptGathering:
    """Finds the best passages for a concept, in the order of the search."""

    question: str  # the original one
    retriever: Retriever  # as the library searches
    concepts: Retriever  # how concepts are searched for, which may be the same
    top_k: int
    seconds: float

    async def gather(self, question: str, label: str, *, hop: bool) -> Gathered:
        """Return what a concept finds, marked as found by `label`."""
        del hop
        own = asyncio.create_task(self.concepts.search(question, self.top_k))
        try:
            found = await self._in_time(own, question)
        finally:
            if not own.done():
                own.cancel()
                await asyncio.wait([own], timeout=_GRACE_SECONDS)
        evidence = tuple(item.rated(item.scores.fused, frozenset((label,))) for item in found.evidence)
        return Gathered(evidence=evidence, notes=found.notices)

    async def _in_time(self, own: "asyncio.Task[Found]", concept: str) -> Found:
        """Return what the concept itself finds, if that is there before the stand-in is: an embedder may just be starting."""
        await asyncio.wait([own], timeout=self.seconds)
        if own.done():
            return own.result()
        found = await self.retriever.search(self.question, self.top_k)
        if own.done():
            return own.result()
        late = f"{concept!r} was not found within {self.seconds:g} s; what the whole question finds stands in for it"
        return Found(evidence=found.evidence, notices=(late, *found.notices))
