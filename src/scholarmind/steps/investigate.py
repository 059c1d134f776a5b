"""Research one part of a plan: fill in what it waited for, find evidence for each thing that it asks, and note the short answers."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from scholarmind.answer import Finding
from scholarmind.events import OnEvent, ignore
from scholarmind.model import Evidence
from scholarmind.plan import Plan, SubQuestion
from scholarmind.ports import Answerer, Short
from scholarmind.ranking import key_of, merged
from scholarmind.relations import Tally
from scholarmind.steps.execute import resolved
from scholarmind.steps.gather import Gathered, Gatherer
from scholarmind.steps.standing import told
from scholarmind.steps.widen import Widening

_CANDIDATES = 3
_KEPT = 30
_LATER_CANDIDATE = 0.07  # what the second and the third candidate of an earlier part have to make up for
_DEPENDENCY_KEPT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Investigator:
    """Answers one part after another of one plan."""

    plan: Plan
    gathering: Gatherer
    answerer: Answerer  # of parts that others wait for
    narrator: Answerer | None = None  # of all others, if they are to be answered at all
    hops: bool = True
    injection: bool = True
    widening: Widening = field(default_factory=Widening)
    kept: int = _KEPT  # passages of a row
    on_event: OnEvent = ignore

    async def __call__(self, part: SubQuestion, given: Mapping[int, Finding]) -> Finding:
        """Return what was found for a part, given what the parts that it depends on found."""
        given = given if self.injection else {number: _unanswered(finding) for number, finding in given.items()}
        question = resolved(part, given)
        if part.role != "find":
            return Finding(part=part, question=question, rows=(question,), evidence=_of_dependencies(given))
        rows = await asyncio.gather(
            *(self._row(part, ask.text, label, given) for ask, label in zip(part.rows, part.row_ids, strict=True))
        )
        evidence = tuple(merged(_in_turn([row.evidence[: self.kept] for _, row in rows])).values())
        finding = Finding(
            part=part,
            question=question if len(rows) > 1 else rows[0][0],
            rows=tuple(text for text, _ in rows),
            evidence=evidence,
            tallies=tuple(row.tally for _, row in rows if row.tally is not None),
        )
        self.on_event(told(finding))  # before the short answer, which may take a model some seconds
        short = _counted(finding.tallies) or await self._short(part, finding.rows, evidence)
        return replace(
            finding,
            answer=short.candidates[0] if short.candidates else "",
            candidates=short.candidates,
            items=short.items,
            lacks=short.lacks,
            notes=tuple(dict.fromkeys((*(note for _, row in rows for note in row.notes), *short.notes))),
        )

    async def _short(self, part: SubQuestion, rows: tuple[str, ...], evidence: tuple[Evidence, ...]) -> Short:
        """Return the short answers of a part that others wait for; they may be known from the first look."""
        if part.known:
            return Short(candidates=(part.known,))
        waited_for = any(part.id in other.bridges for other in self.plan.parts)
        answerer = self.answerer if waited_for else None if part.extends else self.narrator
        return await answerer.short(part, "\n".join(rows), evidence) if answerer else Short()

    async def _row(
        self, part: SubQuestion, text: str, label: str, given: Mapping[int, Finding]
    ) -> tuple[str, Gathered]:
        """Return what one row asks once everything is filled in, and all that is known of it."""
        question, gathered = await self._gathered(part, text, label, given)
        return question, await self.widening.widen(part, question, label, gathered)

    async def _gathered(
        self, part: SubQuestion, text: str, label: str, given: Mapping[int, Finding]
    ) -> tuple[str, Gathered]:
        """Return the row's question with its evidence: of several chains of answers the one that fits best."""
        chains = self._chains(part, text, given)
        searched = [_in_context(part, chain, given) for chain in chains]
        gathered = await asyncio.gather(*(self.gathering.gather(each, label, hop=self.hops) for each in searched))
        found = list(zip(chains, gathered, strict=True))
        if len(found) == 1:
            return found[0]
        weights = [_fit(row) - place * _LATER_CANDIDATE for place, (_, row) in enumerate(found)]
        order = sorted(range(len(found)), key=lambda place: -weights[place])
        best = found[order[0]]
        others = [found[place][1].evidence for place in order[1:]]
        discounted = [_discounted(items, 0.75**place) for place, items in enumerate(others, 1)]
        evidence = merged([best[1].evidence, *discounted])
        ranked = tuple(sorted(evidence.values(), key=lambda item: (-item.scores.fused, key_of(item))))
        return best[0], replace(best[1], evidence=ranked)

    def _chains(self, part: SubQuestion, text: str, given: Mapping[int, Finding]) -> list[str]:
        """Return the row with the answers of earlier parts filled in: one reading for each candidate of the first bridge."""
        bridges = [
            number for number in part.bridges if f"#{number}" in text and number in given and given[number].candidates
        ]
        if not bridges:
            return [resolved(part, given, text)]
        first = bridges[0]
        candidates = given[first].candidates[:_CANDIDATES]
        readings = [{**given, first: replace(given[first], answer=candidate)} for candidate in candidates]
        return list(dict.fromkeys(resolved(part, reading, text) for reading in readings))


def _in_context(part: SubQuestion, text: str, given: Mapping[int, Finding]) -> str:
    """Return what is searched for: a part that waits for others without a `#N` goes on from what they asked, and what that found."""
    unnamed = [given[number] for number in part.depends_on if number in given and number not in part.bridges]
    said = [each.rstrip(" ?？") for finding in unnamed for each in (finding.question, finding.answer) if each]
    return f"{text} ({'; '.join(said)})" if said else text


def _counted(tallies: Sequence[Tally]) -> Short | None:
    """Return the short answers that were counted: nothing that reads passages could do better."""
    items = tuple(dict.fromkeys(item for tally in tallies for item in tally.items))
    if not items:
        return None
    return Short(candidates=(", ".join(items),), items=items if len(items) > 1 else ())


def _unanswered(finding: Finding) -> Finding:
    return replace(finding, answer="", candidates=())


def _in_turn(rows: Sequence[Sequence[Evidence]]) -> list[list[Evidence]]:
    """Return the best of every row, then the second best ...: what comes first must not be all from one row."""
    return [[item for item in place if item is not None] for place in zip_longest(*rows)]


def _fit(row: Gathered) -> float:
    """Return how well the best passages fit what was asked, on a scale that does not depend on what else was found."""
    vectors = [item.scores.vector for item in row.evidence[:3] if item.scores.vector is not None]
    return max(vectors, default=0.0)


def _discounted(items: Sequence[Evidence], factor: float) -> list[Evidence]:
    return [item.rated(item.scores.fused * factor) for item in items]


def _of_dependencies(given: Mapping[int, Finding]) -> tuple[Evidence, ...]:
    return tuple(merged(finding.evidence[:_DEPENDENCY_KEPT] for finding in given.values()).values())
