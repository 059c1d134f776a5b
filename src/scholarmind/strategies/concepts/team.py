"""Who works on concepts: their planner, a plain search for each of them, and the fusion of what was found."""

from dataclasses import replace
from functools import partial
from typing import cast

from scholarmind.events import OnEvent
from scholarmind.llm.prompts import Assistant
from scholarmind.parts import Parts
from scholarmind.ports import Retriever
from scholarmind.reranking.reranked_selection import RerankingSelector
from scholarmind.steps.gather import Gathering
from scholarmind.steps.investigate import Investigator
from scholarmind.strategies.concepts.fusion import RankFusion
from scholarmind.strategies.concepts.gathering import ConceptGathering
from scholarmind.strategies.concepts.hypothetical import Feedback, Hypothetical
from scholarmind.strategies.concepts.modelled import Namer
from scholarmind.strategies.concepts.planner import ConceptPlanner
from scholarmind.team import Team


def team(base: Team, parts: Parts, report: OnEvent) -> Team:
    """Return the default team with another planner, searcher and selector. There is one round, and none of repair."""
    del report
    options = parts.options.concepts
    assistant = None if parts.effort == "fast" else base.assistant
    planner = ConceptPlanner(
        talker=base.planner,
        options=options,
        namer=_namer(parts, assistant) if assistant else None,
        decompose=parts.options.decompose,
    )
    return replace(
        base,
        planner=planner,
        selector=RankFusion(options=options, reranking=_reranking(parts)),
        investigator=partial(_searching, parts, assistant),
        narrator=None,
        translator=None,  # a concept is a name: what it is called elsewhere is for the glossary of the search
        looks=options.original,
        places=options.top_k,
        pool=options.top_k,
        rounds=1,
        repairs=0,
    )


def _namer(parts: Parts, assistant: Assistant) -> Namer:
    options, models = parts.options.concepts, parts.models
    return Namer(
        assistant=assistant,
        memory=parts.plans,
        most=options.max_concepts,
        seconds=options.seconds,
        rests_on=(models.names.get("extraction", ""), models.rights) if models else (),
    )


def _reranking(parts: Parts) -> RerankingSelector | None:
    """Return what puts the fused list into order; it is one list, whatever found its passages."""
    if parts.reranker is None:
        return None
    top = parts.options.rerank_top
    return RerankingSelector(parts.reranker, "original-only", top=top, weight=1.0)  # ranks are no scale to mix with


def _searching(parts: Parts, assistant: Assistant | None, investigator: Investigator) -> Investigator:
    """Return an investigator that searches for concepts plainly: nothing is narrowed, and no mention is followed."""
    options, question = parts.options.concepts, investigator.plan.question
    plain = cast("Gathering", investigator.gathering).retriever  # with the memory of this run
    gathering = ConceptGathering(
        question=question,
        retriever=plain,
        concepts=_concepts(parts, assistant, plain, question) if options.hyde else plain,
        top_k=options.top_k,
        seconds=options.seconds + (options.hyde_seconds if options.hyde and assistant else 0.0),
    )
    return replace(investigator, gathering=gathering, hops=False, kept=options.top_k)


def _concepts(parts: Parts, assistant: Assistant | None, plain: Retriever, question: str) -> Retriever:
    """Return a search for what a passage on a concept may say."""
    if assistant is None:
        return Feedback(retriever=plain, lexicon=parts.lexicon)
    return Hypothetical(
        question=question,
        assistant=assistant,
        retriever=plain,
        meaning=parts.meaning,
        seconds=parts.options.concepts.hyde_seconds,
    )
