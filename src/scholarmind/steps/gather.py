"""Find the evidence for one thing that is asked: by its words, within what it names, and one mention further on."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import Protocol

from scholarmind.model import Evidence, Found, Name
from scholarmind.ports import Links, Names, Retriever
from scholarmind.ranking import key_of, merged, on_scale_of
from scholarmind.relations import Tally
from scholarmind.steps.narrow import Narrowed, narrowed
from scholarmind.text.language import language_of

# Added to a score between 0 and 1; measured together on four sets, `evaluate --ablate` shows what each is worth
_NAMED = 1.0  # within a document that the question names
_HEAD = 0.5  # among the first few for the question's own words
_LINKED = 0.5  # one mention away from the first few
_WHOLE = 0.2  # of its own score for the whole question, if it is in such a document
_HEADS = 2
_SEEDS = 3
_OTHER_LANGUAGE = 0.8  # a factor: who asks in English reads English first
_HIGHEST = 1 + _NAMED + _WHOLE * (1 + _HEAD + _LINKED)
UNNARROWED = 1 / _HIGHEST  # where the best passage of a search without a filter stands, but for the first few,
NARROWED = (1 + _NAMED) / _HIGHEST  # and that of a search within what the question names
_WIDE = 30
_NARROW = 20
_LINKED_KEPT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The evidence for one question, best first; `scores.fused` is its place between 0 and 1 among all that was found for it."""

    evidence: tuple[Evidence, ...]
    names: tuple[Name, ...] = ()
    notes: tuple[str, ...] = ()
    tally: Tally | None = None  # what was counted in the graph, where the question is one of counting or following


class Gatherer(Protocol):
    """Finds the evidence for one thing that is asked; `hop`: also what is one mention away."""

    async def gather(self, question: str, label: str, *, hop: bool) -> Gathered: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """A retriever, with what else is known of the library behind it; somebody's own search function has neither names nor links."""

    retriever: Retriever
    names: Names | None = None
    links: Links | None = None
    now: int = 9999  # the current year
    filters: bool = True

    async def gather(self, question: str, label: str, *, hop: bool) -> Gathered:
        """Return the best passages for a question, marked as found by `label`."""
        names = (await self.names.names([question]))[0] if self.names else ()
        searches = narrowed(question, names, self.now) if self.filters else ()
        wide, *narrow = await asyncio.gather(
            self.retriever.search(question, _WIDE), *(self._search_within(item, question) for item in searches)
        )
        linked = await self._one_mention_on(question, wide, narrow) if hop else Found(evidence=())
        notes = dict.fromkeys(notice for found in (wide, *narrow, linked) for notice in found.notices)
        ranked = _ranked(wide.evidence, [found.evidence for found in narrow], linked.evidence, language_of(question))
        found_by = frozenset((label,))
        evidence = tuple(item.rated(score, found_by) for item, score in ranked)
        return Gathered(evidence=evidence, names=names, notes=tuple(notes))

    async def _search_within(self, search: Narrowed, question: str) -> Found:
        """Search with the strictest filter that finds anything, and say if it was not the first."""
        for place, filter in enumerate(search.filters):
            found = await self.retriever.search(search.text, _NARROW, filter)
            if found.evidence:
                dropped = (f"a filter on {search.about!r} found nothing and was loosened",) if place else ()
                return Found(evidence=found.evidence, notices=dropped)
        # beside the name there may be no word that its document has: then the name finds at least the document
        found = await self.retriever.search(question, _NARROW, search.filters[-1])
        dropped = () if found.evidence else (f"a filter on {search.about!r} found nothing and was dropped",)
        return Found(evidence=found.evidence, notices=dropped)

    async def _one_mention_on(self, question: str, wide: Found, narrow: Sequence[Found]) -> Found:
        if self.links is None:
            return Found(evidence=())
        seeds = [*(found.evidence[0] for found in narrow if found.evidence), *wide.evidence[:_HEADS]]
        unique = list({key_of(seed): seed for seed in seeds}.values())
        if not unique:
            return Found(evidence=())
        return await self.links.linked(question, unique[:_SEEDS], _LINKED_KEPT)


def _ranked(
    wide: Sequence[Evidence], narrow: Iterable[Sequence[Evidence]], linked: Sequence[Evidence], language: str
) -> list[tuple[Evidence, float]]:
    """Put all into one order, each with its score. The linked ones stand on the scale of the wide ones: they answer the same words."""
    wide, linked, *narrow = map(_within_one, (wide, linked, *narrow))
    pool = {key_of(item): item for item in (*linked, *wide)}
    scores = {key_of(item): item.scores.fused for item in on_scale_of(wide, linked)}
    scores |= {key_of(item): item.scores.fused for item in wide}
    for item in linked:
        scores[key_of(item)] += _LINKED
    for item in wide[:_HEADS]:
        scores[key_of(item)] += _HEAD
    whole = dict(scores)
    for item in chain.from_iterable(narrow):
        pool.setdefault(key_of(item), item)
        own = whole.get(key_of(item), 0.0)
        scores[key_of(item)] = max(scores.get(key_of(item), 0.0), item.scores.fused + _NAMED + _WHOLE * own)
    for key, item in pool.items():
        if language and item.passage.language and item.passage.language != language:
            scores[key] *= _OTHER_LANGUAGE
    order = sorted(pool, key=lambda key: (-scores[key], key))
    return [(pool[key], min(1.0, scores[key] / _HIGHEST)) for key in order]


def _within_one(found: Sequence[Evidence]) -> list[Evidence]:
    """Return each passage once; somebody's own scores that are not between 0 and 1 are spread over that, or made of the order."""
    unique = list(merged([found]).values())
    scores = [item.scores.fused for item in unique]
    if all(0 <= score <= 1 for score in scores):
        return unique
    low, width = min(scores), max(scores) - min(scores)
    if not all(map(isfinite, (width, *scores))) or not width:
        return [item.rated(1 / place) for place, item in enumerate(unique, 1)]
    return [item.rated((item.scores.fused - low) / width) for item in unique]
