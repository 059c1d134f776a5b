"""Look beyond single passages: ask the tree of summaries for questions about the whole, the graph of papers for relations."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scholarmind.errors import ScholarMindError
from scholarmind.events import Consulted, OnEvent, ignore
from scholarmind.model import Evidence
from scholarmind.plan import SubQuestion
from scholarmind.ports import Overview, Relations
from scholarmind.ranking import key_of, merged
from scholarmind.relations import Related, Surveyed
from scholarmind.steps.gather import Gathered

_FROM_TREE = 20  # passages
_FROM_GRAPH = 20
_FIRST = 5  # passages of a row that no edge moves
_NEXT = 1 - 1e-9  # a factor: behind the first


@dataclass(frozen=True, slots=True, kw_only=True)
class Widening:
    """The structures over a library; without either it changes nothing."""

    overview: Overview | None = None
    relations: Relations | None = None
    on_event: OnEvent = ignore

    async def widen(self, part: SubQuestion, question: str, label: str, gathered: Gathered) -> Gathered:
        """Return what was gathered for a row, with what the structures know of it. One that fails is told of, and costs nothing else."""
        surveyed, related = await asyncio.gather(
            self._survey(part, question, label, gathered.evidence), self._relate(part, question, label)
        )
        evidence = _together(gathered.evidence, surveyed.evidence, related, label)
        tally = replace(related.tally, row=label) if related.tally else None
        notes = tuple(dict.fromkeys((*gathered.notes, *surveyed.notices, *related.notices)))
        return replace(gathered, evidence=evidence, tally=tally, notes=notes)

    async def _survey(self, part: SubQuestion, question: str, label: str, gathered: Sequence[Evidence]) -> Surveyed:
        if self.overview is None or part.kind != "global":
            return Surveyed()
        began = time.monotonic()
        try:
            found = await self.overview.survey(question, _FROM_TREE, gathered)
        except ScholarMindError as error:
            return Surveyed(notices=(f"the tree of summaries could not be asked: {error}",))
        if found.levels:
            told = Consulted(part=part.id, row=label, structure="tree", levels=found.levels, nodes=found.nodes)
            seconds = time.monotonic() - began
            self.on_event(replace(told, passages=len(found.evidence), seconds=seconds, notes=found.notices))
        return found

    async def _relate(self, part: SubQuestion, question: str, label: str) -> Related:
        if self.relations is None:
            return Related()
        began = time.monotonic()
        try:
            found = await self.relations.related(question, part.kind, _FROM_GRAPH)
        except ScholarMindError as error:
            return Related(notices=(f"the graph of papers could not be asked: {error}",))
        if found.relations:
            counted = found.tally.said if found.tally else ""
            told = Consulted(part=part.id, row=label, structure="graph", relations=found.relations, nodes=found.nodes)
            seconds = time.monotonic() - began
            told = replace(told, passages=len(found.evidence), counted=counted, seconds=seconds, notes=found.notices)
            self.on_event(told)
        return found


def _together(
    gathered: Sequence[Evidence], surveyed: Sequence[Evidence], related: Related, label: str
) -> tuple[Evidence, ...]:
    """Return all passages in one order; all scores are places between 0 and 1.

    The first place is the search's own. What a count rests on comes next, and what the tree read by its own score. What only proves an
    edge answers no word of the question: it moves nothing of the first few, and shares the places behind them.
    """
    if not surveyed and not related.evidence:
        return tuple(gathered)
    found_by = frozenset((label,))
    counted, proofs = (related.evidence, ()) if related.tally else ((), related.evidence)
    below = gathered[0].scores.fused * _NEXT if gathered else 1.0
    structures = [
        *(item.rated(item.scores.fused, found_by) for item in surveyed),
        *(item.rated(min(item.scores.fused, below), found_by) for item in counted),
    ]
    ranked = _best_first(merged([gathered, structures]).values())
    known, later = set(map(key_of, ranked)), [item.scores.fused for item in ranked[_FIRST:]] or [0.0]
    new = [item for item in proofs if key_of(item) not in known]
    shared = [
        item.rated(min(item.scores.fused, later[min(place, len(later) - 1)]), found_by)
        for place, item in enumerate(new)
    ]
    return _best_first((*ranked, *shared))


def _best_first(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    return tuple(sorted(evidence, key=lambda item: (-item.scores.fused, key_of(item))))
