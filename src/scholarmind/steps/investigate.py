"""Research one part of a plan: fill in what it waited for, find evidence for each thing that it asks, and note the short answers."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from scholarmind.answer import Finding
from scholarmind.model import Evidence
from scholarmind.naming import short_name
from scholarmind.plan import Plan, SubQuestion
from scholarmind.ports import Lexicon
from scholarmind.ranking import key_of, merged
from scholarmind.steps.execute import resolved
from scholarmind.steps.gather import Gathered, Gathering
from scholarmind.text.analysis import terms

ShortAnswers = Callable[[str, Sequence[Evidence], Mapping[str, float]], Sequence[str]]
_CANDIDATES = 3
_KEPT = 30
_READ = 8  # passages that a short answer is looked for in
_LATER_CANDIDATE = 0.07  # what the second and the third candidate of an earlier part have to make up for
_DEPENDENCY_KEPT = 5
_SUBJECTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Investigator:
    """Answers one part after another of one plan."""

    plan: Plan
    gathering: Gathering
    short_answers: ShortAnswers
    lexicon: Lexicon | None = None
    hops: bool = True
    injection: bool = True

    async def __call__(self, part: SubQuestion, given: Mapping[int, Finding]) -> Finding:
        """Return what was found for a part, given what the parts that it depends on found."""
        given = given if self.injection else {number: _unanswered(finding) for number, finding in given.items()}
        question = resolved(part, given)
        if part.role != "find":
            return Finding(part=part, question=question, rows=(question,), evidence=_of_dependencies(given))
        rows = await asyncio.gather(
            *(self._row(part, ask.text, label, given) for ask, label in zip(part.rows, part.row_ids, strict=True))
        )
        evidence = tuple(merged(_in_turn([row.evidence[:_KEPT] for _, row in rows])).values())
        waited_for = any(part.id in other.bridges for other in self.plan.parts)
        candidates = await self._candidates(part, [(text, row.evidence) for text, row in rows]) if waited_for else []
        return Finding(
            part=part,
            question=question if len(rows) > 1 else rows[0][0],
            rows=tuple(text for text, _ in rows),
            evidence=evidence,
            answer=candidates[0] if candidates else "",
            candidates=tuple(candidates),
            notes=tuple(dict.fromkeys(note for _, row in rows for note in row.notes)),
        )

    async def _row(
        self, part: SubQuestion, text: str, label: str, given: Mapping[int, Finding]
    ) -> tuple[str, Gathered]:
        """Return what one row asks once everything is filled in, and its evidence: of several chains the one that fits best."""
        hop = self.hops and (part.kind == "reasoning" or bool(part.depends_on) or self.plan.complexity == "composite")
        chains = self._chains(part, text, given)
        gathered = await asyncio.gather(*(self.gathering.gather(chain, label, hop=hop) for chain in chains))
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
        bridges = [number for number in part.bridges if number in given and given[number].candidates]
        if not bridges:
            return [resolved(part, given, text)]
        first = bridges[0]
        candidates = given[first].candidates[:_CANDIDATES]
        readings = [{**given, first: replace(given[first], answer=candidate)} for candidate in candidates]
        return list(dict.fromkeys(resolved(part, reading, text) for reading in readings))

    async def _candidates(self, part: SubQuestion, rows: Sequence[tuple[str, Sequence[Evidence]]]) -> list[str]:
        """Return the short answers of all rows; those of several rows are told together. An overview is answered by what it is about."""
        if part.kind == "global":
            return [", ".join(_subjects(rows[0][1]))] if rows[0][1] else []
        answers: list[Sequence[str]] = []
        for text, evidence in rows:
            answers.append(self.short_answers(text, evidence[:_READ], await self._rarity(text)))
        if len(answers) == 1:
            return list(answers[0])[:_CANDIDATES]
        together = [answer[0] for answer in answers if answer]
        return [", ".join(dict.fromkeys(together))] if together else []

    async def _rarity(self, text: str) -> Mapping[str, float]:
        if self.lexicon is None:
            return {}
        return await self.lexicon.rarity(list(dict.fromkeys(terms(text))))


def _subjects(evidence: Sequence[Evidence]) -> list[str]:
    """Return the short names of the documents that come first."""
    return list(dict.fromkeys(short_name(item.document) for item in evidence))[:_SUBJECTS]


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
    return [replace(item, scores=replace(item.scores, fused=item.scores.fused * factor)) for item in items]


def _of_dependencies(given: Mapping[int, Finding]) -> tuple[Evidence, ...]:
    return tuple(merged(finding.evidence[:_DEPENDENCY_KEPT] for finding in given.values()).values())
