"""Search for one sub-question: so many candidates, of which those that are similar enough are kept."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from scholarmind.filters import AnyOf, Compare, Filter
from scholarmind.model import Evidence
from scholarmind.ports import Lexicon, Retriever
from scholarmind.steps.gather import Gathered
from scholarmind.steps.options import Scored
from scholarmind.strategies.scored.similarity import Similarity
from scholarmind.text.analysis import terms

_AT_ONCE = 10  # searches; there are no more sub-questions


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredGatherer:
    """Finds candidates with the plain search. Their score is their similarity, which is the same whatever else was found."""

    retriever: Retriever
    scored: Scored
    lexicon: Lexicon | None = None
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    @classmethod
    def over(cls, retriever: Retriever, scored: Scored, lexicon: Lexicon | None) -> "ScoredGatherer":
        """Return what searches side by side, or one after another, as these settings want it."""
        turns = asyncio.Semaphore(_AT_ONCE if scored.enable_concurrency else 1)
        return cls(retriever=retriever, scored=scored, lexicon=lexicon, turns=turns)

    async def gather(self, question: str, label: str, *, hop: bool) -> Gathered:
        """Return the candidates that are similar enough, marked as found by `label`; mentions are not followed."""
        del hop
        async with self.turns:
            found = await self.retriever.search(question, self.scored.top_k, within(self.scored.collections))
        words = list(dict.fromkeys(terms(question)))
        rarity = await self.lexicon.rarity(words) if self.lexicon else dict[str, float]()
        similarity = Similarity.to(question, rarity, self.scored.keywords_similarity_weight)
        rated = await asyncio.to_thread(similarity.rated, found.evidence)
        limit = self.scored.similarity_threshold
        kept = tuple(item.rated(item.scores.fused, frozenset((label,))) for item in rated if item.scores.fused >= limit)
        return Gathered(evidence=kept, notes=(*found.notices, *self._nothing(question, rated, kept)))

    def _nothing(self, question: str, rated: Sequence[Evidence], kept: Sequence[Evidence]) -> Iterator[str]:
        """Say which setting it may be by which nothing was found."""
        limit, names = self.scored.similarity_threshold, ", ".join(map(repr, self.scored.collections))
        if rated and not kept:
            yield _nothing_left(question, rated[0].scores.fused, limit)
        if names and not rated:
            yield f"nothing at all was found within scored.collections = {names}: is that how they are written?"


def within(collections: tuple[str, ...]) -> Filter | None:
    """Return the filter that lets these collections pass; all of them, if none is named."""
    if not collections:
        return None
    wanted = tuple(Compare("collection", "=", name) for name in collections)
    return wanted[0] if len(wanted) == 1 else AnyOf(wanted)


def _nothing_left(question: str, best: float, limit: float) -> str:
    return f"nothing that was found for {question!r} is similar enough: {best:.2f} at best, similarity_threshold is {limit:g}"
