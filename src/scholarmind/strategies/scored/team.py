"""Who works on a run of the strategy `scored`."""

from dataclasses import replace

from scholarmind.events import OnEvent
from scholarmind.llm.prompts import Assistant
from scholarmind.parts import Parts
from scholarmind.ports import Reranker
from scholarmind.reranking.local_features import LocalFeatures
from scholarmind.reranking.model_reranker import ModelReranker
from scholarmind.steps.gather import Gatherer, Gathering
from scholarmind.steps.investigate import Investigator
from scholarmind.steps.journal import Investigate
from scholarmind.strategies.scored.planning import ScoredPlanner
from scholarmind.strategies.scored.searching import ScoredGatherer
from scholarmind.strategies.scored.selecting import ScoredSelector
from scholarmind.team import Team

_LONGEST_CALL = 0.25  # of the time of the run, for a call that others wait for


def team(base: Team, parts: Parts, report: OnEvent) -> Team:
    """Return the team: a model takes apart and scores where the effort allows more than writing, else rules and local scores."""
    del report
    options, scored = parts.options, parts.options.scored
    assistant = base.assistant if parts.effort in {"standard", "deep"} else None
    longest = _LONGEST_CALL * options.run_seconds
    planner = ScoredPlanner(
        usual=parts.planner,
        scored=scored,
        assistant=assistant,
        decompose=scored.enable_decomposition and options.decompose,
        seconds=min(options.plan_seconds, longest),
    )

    def gatherer(usual: Gathering) -> Gatherer:
        return ScoredGatherer.over(usual.retriever, scored, parts.lexicon)

    def investigator(usual: Investigator) -> Investigate:
        return base.investigator(replace(usual, kept=scored.top_k, hops=False))  # in other languages, too

    return replace(
        base,
        planner=planner,
        selector=ScoredSelector(
            _reranker(parts, assistant, longest), scored.score_fusion_weight, is_model=assistant is not None
        ),
        gatherer=gatherer,
        investigator=investigator,
        looks=False,  # the sub-questions alone are searched for
        places=scored.top_n,
        pool=scored.top_n,
        rounds=1,  # another one would find the same
    )


def _reranker(parts: Parts, assistant: Assistant | None, seconds: float) -> Reranker:
    """Return who scores: a model, or where none may be asked whoever the engine has for that."""
    scored = parts.options.scored
    if assistant is None:
        return parts.reranker or LocalFeatures(parts.lexicon)
    return ModelReranker(
        assistant,
        batch=1 if scored.per_passage else scored.batch,
        prompt=scored.reranking_prompt,
        concurrent=scored.enable_concurrency,
        seconds=seconds,
    )
