"""Put what all sub-questions found into one order: each passage once, scored by the whole question, weighed with its similarity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from scholarmind.answer import Finding
from scholarmind.model import Evidence, Judged
from scholarmind.plan import Plan
from scholarmind.ports import Chosen, Look, Reranker
from scholarmind.ranking import Key, key_of

_LOCAL = "no language model scored the passages: {!r} did, by what can be seen without one"


@dataclass(slots=True)
class _Candidate:
    """A passage with what each sub-question that found it had asked, and how similar the two are."""

    evidence: Evidence
    found_by: set[str] = field(default_factory=set[str])
    asked: list[str] = field(default_factory=list[str])
    similarities: list[float] = field(default_factory=list[float])


class ScoredSelector:
    """Has each passage scored once, however often it is asked; `weight` is that of the score, the rest that of the similarity.

    What could not be scored keeps its similarity as its score, and a note says so.
    """

    def __init__(self, reranker: Reranker, weight: float, *, is_model: bool) -> None:
        self._reranker = reranker
        self._weight = weight
        self._scored: dict[Key, tuple[float | None, str]] = {}
        self._notes: dict[str, None] = {} if is_model else {_LOCAL.format(reranker.name): None}

    async def select(self, plan: Plan, look: Look, findings: Sequence[Finding], places: int) -> Chosen:
        """Return the best passages of all; what the first look found is not among them unless a part found it."""
        del look
        candidates = _candidates(findings)
        await self._score(plan.question, candidates)
        judged = [self._judged(key, candidate) for key, candidate in candidates.items()]
        judged.sort(key=lambda item: -item.evidence.scores.fused)
        return Chosen(
            evidence=tuple(item.evidence for item in judged[:places]),
            considered=len(judged),
            judged=tuple(judged),
            notes=tuple(self._notes) if judged else (),
        )

    async def _score(self, question: str, candidates: Mapping[Key, _Candidate]) -> None:
        """Have those scored that were not yet."""
        new = {key: candidate.evidence for key, candidate in candidates.items() if key not in self._scored}
        if not new:
            return
        rated = await self._reranker.rate(question, list(new.values()))
        reasons = rated.reasons or ("",) * len(new)
        self._scored |= dict(zip(new, zip(rated.scores, reasons, strict=True), strict=True))
        self._notes |= dict.fromkeys(rated.notes)
        if unscored := sum(score is None for score in rated.scores):
            self._notes[f"{unscored} of {len(new)} passages keep their similarity as their score"] = None

    def _judged(self, key: Key, candidate: _Candidate) -> Judged:
        relevance, reason = self._scored[key]
        similarity = fmean(candidate.similarities)
        final = similarity if relevance is None else self._weight * relevance + (1 - self._weight) * similarity
        return Judged(
            evidence=candidate.evidence.rated(final, frozenset(candidate.found_by)),
            best=max(candidate.similarities),
            similarity=similarity,
            relevance=relevance,
            reason=reason,
            asked=tuple(candidate.asked),
        )


def _candidates(findings: Sequence[Finding]) -> dict[Key, _Candidate]:
    """Return each passage once, in the order in which the sub-questions found them."""
    candidates: dict[Key, _Candidate] = {}
    for finding in findings:
        rows = dict(zip(finding.part.row_ids, finding.rows, strict=False)) if finding.part.role == "find" else {}
        for item in finding.evidence if rows else ():
            candidate = candidates.setdefault(key_of(item), _Candidate(item))
            candidate.found_by |= item.found_by
            for label in sorted(item.found_by & rows.keys()):
                candidate.asked.append(rows[label])
                candidate.similarities.append(item.scores.fused)
    return {key: candidate for key, candidate in candidates.items() if candidate.asked}
