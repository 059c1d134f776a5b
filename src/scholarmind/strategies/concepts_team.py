"""The strategy `concepts`: two to four concepts of a question are searched for side by side, and their lists fused by rank.

Each concept is searched for plainly within its time, if wanted also for what a passage on it may say in place of its name. `team`
puts that together with the planner in `concept_planner`.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from scholarmind.answer import Finding
from scholarmind.errors import ModelError
from scholarmind.events import OnEvent
from scholarmind.filters import Filter
from scholarmind.llm.prompts import Assistant, within
from scholarmind.model import Evidence, Found
from scholarmind.parts import Parts
from scholarmind.plan import Plan
from scholarmind.planning.plan_reply import plain
from scholarmind.ports import Chosen, Lexicon, Look, Retriever, Selector
from scholarmind.ranking import merged
from scholarmind.reranking.reranked_selection import RerankingSelector
from scholarmind.steps.gather import Gathered, Gathering
from scholarmind.steps.investigate import Investigator
from scholarmind.steps.options import Concepts
from scholarmind.steps.select import rank_scores
from scholarmind.strategies.concept_planner import ConceptPlanner, Namer
from scholarmind.team import Team
from scholarmind.text.analysis import spans, terms
from scholarmind.text.language import language_of

# -- concepts


# -- hypothetical passages: what a passage on a concept may say, in place of the concept's name.
#
# A model writes such a passage, which is then searched for by its vector. Without a model the rare words of the first passages are
# added to the name.

_MOST_TOKENS = 250  # of a made-up passage
_LONGEST = 2_000  # characters of it; an embedder reads no further
_LONGEST_ERROR = 200
_FIRST = 3  # passages that words are taken from
_ADDED = 6  # words
_LEAST = 2  # letters of one
_READ = 4_000  # characters of a passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothetical:
    """A retriever that searches for a made-up passage on what it is given. `meaning` searches by vectors alone."""

    question: str  # that the concepts are from
    assistant: Assistant
    retriever: Retriever
    meaning: Retriever | None
    seconds: float

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        """Return what is nearest to the passage; what a concept itself finds, if there is none."""
        written, why = await self._written(question)
        if not written:
            found = await self.retriever.search(question, k, filter)
            return _noted(found, f"{question!r} itself was searched for: {why}")
        if self.meaning is None:
            found = await self.retriever.search(written, k, filter)
            return _noted(
                found, "there is no search by vectors alone: made-up passages were searched for as they stand"
            )
        return await self.meaning.search(written, k, filter)

    async def _written(self, concept: str) -> tuple[str, str]:
        """Return the passage, or why there is none."""
        marker = self.assistant.marker
        request = self.assistant.request(
            ("hypothetical", "zh" if language_of(self.question) == "zh" else "en"),
            purpose=f"hypothetical passage on {concept}",
            max_tokens=_MOST_TOKENS,
            values={
                "concept": within(concept, marker, "concept"),
                "question": within(self.question, marker, "question"),
            },
        )
        try:
            async with asyncio.timeout(self.seconds):
                reply = await self.assistant.model.complete(request)
        except TimeoutError:
            return "", f"no passage on it was written within {self.seconds:g} s"
        except ModelError as error:
            return "", " ".join(str(error).split())[:_LONGEST_ERROR] or type(error).__name__
        return plain(reply.text, marker)[:_LONGEST], "the model wrote nothing on it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """A retriever that searches twice: for what it is given, then with the words that mark the first passages found."""

    retriever: Retriever
    lexicon: Lexicon | None

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        """Return what is found the second time."""
        first = await self.retriever.search(question, k, filter)
        if self.lexicon is None:
            return _noted(first, "no words were added to the concepts: it is not known how rare words are")
        words = await self._marking(question, first.evidence[:_FIRST], self.lexicon)
        if not words:
            return first
        return await self.retriever.search(f"{question} {' '.join(words)}", k, filter)

    async def _marking(self, concept: str, evidence: Sequence[Evidence], lexicon: Lexicon) -> list[str]:
        """Return the words that are frequent in these passages and rare in the library, as they stand there."""
        texts = [f"{item.document.title}\n{item.passage.text[:_READ]}" for item in evidence]
        written = _written_as(texts)
        held = Counter(term for text in texts for term in set(terms(text)))
        known = set(terms(concept))
        candidates = [term for term in held if term not in known and len(term) >= _LEAST and not term.isdigit()]
        rarity = await lexicon.rarity(candidates)
        worth: Mapping[str, float] = {term: held[term] * rarity.get(term, 0.0) for term in candidates}
        return [
            written[term] for term in sorted(worth, key=lambda term: (-worth[term], term))[:_ADDED] if term in written
        ]


def _written_as(texts: Iterable[str]) -> dict[str, str]:
    """Return the terms of these texts, each with the word that it was first met in."""
    found: dict[str, str] = {}
    for text in texts:
        for start, end, held in spans(text):
            for term in held:
                found.setdefault(term, text[start:end])
    return found


def _noted(found: Found, notice: str) -> Found:
    return Found(evidence=found.evidence, notices=(notice, *found.notices))


# -- searching for one concept

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


# -- fusing the lists by rank

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


# -- the team


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
    return RerankingSelector(parts.reranker, "original-only", weight=1.0)  # ranks are no scale to mix with


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
