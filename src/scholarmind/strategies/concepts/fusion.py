"""Choose the passages: the lists of the concepts are fused by rank, and the fused list may be put into order by a reranker."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholarmind.answer import Finding
from scholarmind.model import Evidence
from scholarmind.plan import Plan
from scholarmind.ports import Chosen, Look, Selector
from scholarmind.ranking import merged
from scholarmind.steps.options import Concepts
from scholarmind.steps.select import rank_scores

_NO_RERANKER = "the passages stand in the order of their ranks: there is no reranker; set one (rerank)"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankFusion:
    """Fuses by reciprocal rank, which puts first what several concepts found. `reranking` puts one list into order."""

    options: Concepts
    reranking: Selector | None = None

    async def select(self, plan: Plan, look: Look, findings: Sequence[Finding], places: int) -> Chosen:
        """Return the best passages of all lists, each with everything that found it."""
        lists = [
            [item for item in finding.evidence if label in item.found_by]
            for finding in findings
            for label in finding.part.row_ids
            if finding.part.role == "find"
        ]
        if self.options.original:
            lists.append(list(look.evidence[: self.options.top_k]))
        fused = fused_by_rank(lists, self.options.rrf_k)
        if self.options.rerank and self.reranking is not None:
            return await self.reranking.select(plan, replace(look, evidence=fused), (), places)
        notes = (_NO_RERANKER,) if self.options.rerank else ()
        return Chosen(evidence=fused[:places], considered=len(fused), notes=notes)


def fused_by_rank(lists: Sequence[Sequence[Evidence]], k: int) -> tuple[Evidence, ...]:
    """Return every passage of the lists, best first; its fused score is the sum of 1 / (k + rank)."""
    pool, scores = merged(lists), rank_scores(lists, k)
    return tuple(pool[key].rated(scores[key]) for key in sorted(pool, key=lambda key: (-scores[key], key)))
