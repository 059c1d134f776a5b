"""The strategy `scored`: sub-questions, whose passages a model scores one against another; and what it found as text, JSON and records."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from statistics import fmean
from typing import Any

from scholarmind.answer import Finding, Retrieved
from scholarmind.calls import Request
from scholarmind.components import Parts, Team
from scholarmind.errors import ModelError, ModelReplyError
from scholarmind.events import OnEvent
from scholarmind.filters import AnyOf, Compare, Filter
from scholarmind.identity import headings_below
from scholarmind.llm.language_models import EstimatedCalls
from scholarmind.llm.prompts import Assistant, filled_in, within
from scholarmind.model import Evidence, Judged, Translation
from scholarmind.plan import Plan, SubQuestion, is_open
from scholarmind.planning.plan_mending import plain
from scholarmind.planning.rule_planner import RulePlanner, direct
from scholarmind.ports import Chosen, Lexicon, Look, Planner, Reranker, Retriever
from scholarmind.ranking import Key, key_of
from scholarmind.record import plan_record
from scholarmind.reranking import HIGHEST, ModelReranker
from scholarmind.steps.execute import resolved
from scholarmind.steps.gather import Gathered, Gatherer, Gathering
from scholarmind.steps.investigate import Investigator
from scholarmind.steps.journal import Investigate
from scholarmind.steps.options import Scored
from scholarmind.steps.search_function import score_of_place
from scholarmind.strategies.estimates import SCORE_REPLY, SCORES_REPLY, Ahead, StrategyCalls
from scholarmind.text.analysis import terms
from scholarmind.text.glossary import translations
from scholarmind.text.language import language_of

# -- take a composite question apart into sub-questions that are searched side by side: by one call to a model, or by rules


_REPLY_TOKENS = 1_000
_LONGEST_ERROR = 200
_LONGEST_TEXT = 2_000  # characters of a sub-question
_REPLY = '{"sub_questions": ["...", "..."]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """What a model replies."""

    sub_questions: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPlanner:
    """Plans parts that wait for nothing. Whether a question is composite is for the usual planner to say."""

    usual: Planner
    scored: Scored
    assistant: Assistant | None = None
    decompose: bool = True
    seconds: float = 8.0

    def talk(self, question: str) -> str:
        """Return a reply to what is no question, or ''."""
        return self.usual.talk(question)

    async def plan(self, question: str, look: Look) -> Plan:
        """Return the sub-questions of a composite question; of a simple one, the question."""
        started = time.perf_counter()
        if not self.decompose or self.scored.max_decomposition_count == 1:
            return replace(direct(question, "taking apart is switched off", "setting"), strategy="scored")
        usual = await self.usual.plan(question, look)
        if usual.complexity == "simple":
            return replace(usual, parts=direct(question, "", "").parts, strategy="scored")
        ruled = RulePlanner(cap=self.scored.max_decomposition_count, depth=1).plan(question, look.names)
        plan = replace(usual, parts=_numbered(_side_by_side(ruled), question), strategy="scored")
        if self.assistant is not None:
            plan = await self._by_model(plan, self.assistant)
        return replace(plan, milliseconds=round((time.perf_counter() - started) * 1000, 3))

    async def _by_model(self, plan: Plan, assistant: Assistant) -> Plan:
        """Return the model's sub-questions in place of those of the rules, if it has any."""
        try:
            async with asyncio.timeout(self.seconds):
                count, split = await self._asked(plan, assistant)
        except TimeoutError:
            return _by_rules(plan, f"no sub-questions came from the model within {self.seconds:g} s")
        except ModelError as error:
            return _by_rules(plan, " ".join(str(error).split())[:_LONGEST_ERROR] or type(error).__name__)
        told = (plain(text, assistant.marker)[:_LONGEST_TEXT] for text in split.sub_questions)
        kept = _different(text for text in told if not is_open(text) or is_open(plan.question))  # they wait for nothing
        kept = kept[: self.scored.max_decomposition_count]
        reason = plain(split.reason, assistant.marker)[:_LONGEST_ERROR] or plan.reason
        as_asked = len(kept) == len(split.sub_questions) == count
        notes = plan.notes if as_asked else (*plan.notes, _miscounted(count, split, kept))
        return replace(plan, parts=_numbered(kept, plan.question), reason=reason, decided_by="model", notes=notes)

    async def _asked(self, plan: Plan, assistant: Assistant) -> tuple[int, Split]:
        """Return how many were asked for, and the reply: as many as the rules see, or where they see one thing, as its steps."""
        ruled = len(plan.parts)
        count = min(self.scored.max_decomposition_count, ruled if ruled > 1 else max(2, plan.steps))
        reply = await assistant.model.complete(self._request(plan.question, count, assistant))
        if not isinstance(reply.value, Split):
            raise ModelReplyError("the model's reply holds no sub-questions")
        return count, reply.value

    def _request(self, question: str, count: int, assistant: Assistant) -> Request:
        own, language = self.scored.decomposition_prompt, language_of(question)
        if own:
            task = filled_in(own, original_query=question, max_count=str(count))
            values = {"task": task, "reply": _REPLY}
        else:
            told = within(question, assistant.marker, "question")
            values = {"original_query": told, "max_count": str(count)}
        return assistant.request(
            ("custom" if own else "split", language),
            purpose="plan",
            max_tokens=_REPLY_TOKENS,
            values=values,
            shape=Split,
        )


def _side_by_side(plan: Plan) -> list[str]:
    """Return what is to be looked up; in place of an answer that a part would wait for stands what was asked."""
    told: dict[int, Finding] = {}
    for part in plan.parts:
        given = {number: told[number] for number in part.depends_on if number in told}
        told[part.id] = Finding(part=part, question=resolved(part, given))
    return [told[part.id].question for part in plan.parts if part.role == "find"]


def _different(texts: Iterable[str]) -> list[str]:
    """Return each text once, in whatever case it stands."""
    kept: dict[str, str] = {}
    for text in texts:
        if text:
            kept.setdefault(text.casefold(), text)
    return list(kept.values())


def _numbered(texts: Sequence[str], question: str) -> tuple[SubQuestion, ...]:
    """Return the parts; of one text alone, the question as it stands."""
    texts = texts if len(texts) > 1 else [question.strip() or "?"]
    return tuple(SubQuestion(id=number, text=text) for number, text in enumerate(texts, 1))


def _by_rules(plan: Plan, why: str) -> Plan:
    return replace(plan, notes=(*plan.notes, f"the sub-questions were made by rules: {why}"))


def _miscounted(count: int, split: Split, kept: Sequence[str]) -> str:
    gave = len(split.sub_questions)
    return f"the model was asked for {count} sub-questions and gave {gave}, of which {len(kept)} can be used"


# -- similarity: words that count, and cosine, on a scale that does not depend on what else was found

_TELLING = 0.7  # a library of one passage tells nothing of how rare a word is


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """Compares passages with one question: `keyword_weight` times the share of its words, the rest by the cosine.

    What has no cosine, since the question or the passage has no vector, is compared by words alone.
    """

    weights: Mapping[str, float]  # of the question's terms
    translations: Sequence[Translation] = ()
    keyword_weight: float = 0.3

    @classmethod
    def to(cls, question: str, rarity: Mapping[str, float], keyword_weight: float) -> "Similarity":
        """Return what compares passages with this question; a rare word counts for more, if it is known how rare words are."""
        asked = dict.fromkeys(terms(question))
        telling = max((rarity.get(term, 0.0) for term in asked), default=0.0) > _TELLING
        weights = {term: rarity.get(term, 0.0) if telling else 1.0 for term in asked}
        return cls(weights=weights, translations=translations(question), keyword_weight=keyword_weight)

    def rated(self, evidence: Sequence[Evidence]) -> list[Evidence]:
        """Return the passages, the most similar first, with their similarity as their score."""
        # whether the scores of somebody's own search lie between 0 and 1 and say more than the order
        scores = [item.scores.fused for item in evidence]
        absolute = all(0 <= score <= 1 for score in scores) and scores != [
            score_of_place(place) for place in range(len(scores))
        ]
        rated = [item.rated(self._of(item, absolute=absolute)) for item in evidence]
        return sorted(rated, key=lambda item: -item.scores.fused)

    def _of(self, item: Evidence, *, absolute: bool) -> float:
        words, cosine = self._share_of_words(item), _cosine(item, absolute=absolute)
        return words if cosine is None else self.keyword_weight * words + (1 - self.keyword_weight) * cosine

    def _share_of_words(self, item: Evidence) -> float:
        """Return the share of the question's words that the passage has, in their own language or in the other."""
        total = sum(self.weights.values())
        if not total:
            return 0.0
        known = _terms_of(f"{item.document.title}\n{' '.join(item.passage.section)}\n{item.passage.text}")
        had = {term for term in self.weights if term in known}
        for word, others in self.translations:
            if any(known.issuperset(_terms_of(other)) for other in others):
                had.update(_terms_of(word))
        return sum(weight for term, weight in self.weights.items() if term in had) / total


def _cosine(item: Evidence, *, absolute: bool) -> float | None:
    """Return the cosine, or for what somebody's own search found its score, if that can stand for one."""
    if item.scores.vector is not None:
        return min(1.0, max(0.0, item.scores.vector))
    return item.scores.fused if absolute and item.scores.keyword is None else None


@lru_cache(maxsize=4_000)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(terms(text))


# -- candidates of one sub-question

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
            found = await self.retriever.search(question, self.scored.top_k, _within(self.scored.collections))
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


def _within(collections: tuple[str, ...]) -> Filter | None:
    """Return the filter that lets these collections pass; all of them, if none is named."""
    if not collections:
        return None
    wanted = tuple(Compare("collection", "=", name) for name in collections)
    return wanted[0] if len(wanted) == 1 else AnyOf(wanted)


def _nothing_left(question: str, best: float, limit: float) -> str:
    return f"nothing that was found for {question!r} is similar enough: {best:.2f} at best, similarity_threshold is {limit:g}"


# -- one order: each passage scored once by the whole question, weighed with its similarity

_NO_MODEL = "no language model scored the passages: {}"


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

    def __init__(self, reranker: Reranker | None, weight: float, *, is_model: bool) -> None:
        self._reranker = reranker
        self._weight = weight
        self._scored: dict[Key, tuple[float | None, str]] = {}
        who = f"{reranker.name!r} did" if reranker else "they are in the order of their similarity"
        self._notes: dict[str, None] = {} if is_model else {_NO_MODEL.format(who): None}

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
        if not new or self._reranker is None:
            return
        rated = await self._reranker.rate(question, list(new.values()))
        reasons = rated.reasons or ("",) * len(new)
        self._scored |= dict(zip(new, zip(rated.scores, reasons, strict=True), strict=True))
        self._notes |= dict.fromkeys(rated.notes)
        if unscored := sum(score is None for score in rated.scores):
            self._notes[f"{unscored} of {len(new)} passages keep their similarity as their score"] = None

    def _judged(self, key: Key, candidate: _Candidate) -> Judged:
        relevance, reason = self._scored.get(key, (None, ""))
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


# -- the team

_LONGEST_CALL = 0.25  # of the time of the run, for a call that others wait for


def team(base: Team, parts: Parts, report: OnEvent) -> Team:
    """Return the team: a model takes apart and scores where the effort allows more than writing, else rules and similarity."""
    del report
    options, scored = parts.options, parts.options.scored
    assistant = base.assistant if parts.effort in {"standard", "deep"} else None
    longest = _LONGEST_CALL * options.run_seconds
    planner = ScoredPlanner(
        usual=base.rule_planner,
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


def _reranker(parts: Parts, assistant: Assistant | None, seconds: float) -> Reranker | None:
    """Return who scores: a model, or where none may be asked whoever the engine has for that, if anybody."""
    scored = parts.options.scored
    if assistant is None:
        return parts.reranker
    return ModelReranker(
        assistant,
        batch=1 if scored.per_passage else scored.batch,
        prompt=scored.reranking_prompt,
        concurrent=scored.enable_concurrency,
        seconds=seconds,
    )


# -- what it will cost


def _splitting(ahead: Ahead) -> Iterator[EstimatedCalls]:
    yield EstimatedCalls(prompt="custom" if ahead.options.scored.decomposition_prompt else "split")


def _scoring(ahead: Ahead) -> Iterator[EstimatedCalls]:
    """Yield the calls that score every passage once, as if each row found as many as it may and no two the same."""
    scored = ahead.options.scored
    batch = 1 if scored.per_passage or scored.reranking_prompt else scored.batch
    calls = math.ceil(ahead.rows * scored.top_k / batch)
    yield EstimatedCalls(
        prompt="custom" if scored.reranking_prompt else "relevance",
        calls=calls,
        levels=1 if scored.enable_concurrency else calls,
        shown=batch,
        reply=SCORES_REPLY + SCORE_REPLY * batch,
    )


CALLS = StrategyCalls(planning=_splitting, selecting=_scoring)


# -- what retrieval brought back, for those who go on with it


def formalized_content(retrieved: Retrieved) -> str:
    """Return the passages as text for a prompt, numbered, each under what it is from."""
    return content_of(retrieved.evidence)


def content_of(evidence: Sequence[Evidence]) -> str:
    """Return any passages as such text."""
    return "\n\n".join(f"[{place}] {_origin(item)}\n{item.passage.text}" for place, item in enumerate(evidence, 1))


def json_record(retrieved: Retrieved) -> dict[str, Any]:
    """Return everything as JSON: the plan, the passages that were kept, a record of each that was scored, and how it went."""
    return {
        "question": retrieved.question,
        "strategy": retrieved.plan.strategy,
        "sub_queries": [part.text for part in retrieved.plan.parts if part.role == "find"],
        "plan": plan_record(retrieved.plan),
        "chunks": [_chunk(rank, item) for rank, item in enumerate(retrieved.evidence, 1)],
        "formalized_content": formalized_content(retrieved),
        "debug": debug_records(retrieved),
        "thoughts": thoughts(retrieved),
        "notes": list(retrieved.notes),
        "spent": dict(retrieved.spent),
    }


def debug_records(retrieved: Retrieved) -> list[dict[str, Any]]:
    """Return how each passage that was scored came by its place, the best first, also those that were not kept."""
    return [debug_record(item) for item in retrieved.judged]


def debug_record(judged: Judged) -> dict[str, Any]:
    """Return the scores of one passage: that of the model from 1 to 10, all others from 0 to 1."""
    return {
        "chunk_id": chunk_id(judged.evidence),
        "content": judged.evidence.passage.text,
        "best_single_score": round(judged.best, 4),
        "llm_relevance_score": None if judged.relevance is None else round(judged.relevance * HIGHEST, 2),
        "vector_similarity_score": round(judged.similarity, 4),
        "final_fused_score": round(judged.evidence.scores.fused, 4),
        "retrieved_by_sub_queries": list(judged.asked),
        "reason": judged.reason,
    }


def chunk_id(item: Evidence) -> str:
    """Return a name for a passage that no other one of the library has."""
    collection, document, position = key_of(item)
    return f"{collection}/{document}#{position}"


def thoughts(retrieved: Retrieved) -> str:
    """Return in plain sentences what was done, and what was done in another way than asked."""
    return "\n".join((*_of_plan(retrieved), *_of_scores(retrieved), *(f"Note: {note}." for note in retrieved.notes)))


def _of_plan(retrieved: Retrieved) -> Iterator[str]:
    plan = retrieved.plan
    asked = [part.text for part in plan.parts if part.role == "find"]
    if len(asked) == 1:
        yield f"The question was searched for as it stands: {plan.reason or plan.complexity}."
        return
    yield f"The question was taken apart into {len(asked)} sub-questions (decided by {plan.decided_by}: {plan.reason}):"
    yield from (f"  {number}. {text}" for number, text in enumerate(asked, 1))


def _of_scores(retrieved: Retrieved) -> Iterator[str]:
    judged, kept = retrieved.judged, len(retrieved.evidence)
    if not judged:
        yield f"{_passages(kept)} kept; none was scored one against another."
        return
    found = Counter(text for item in judged for text in item.asked)
    told = ", ".join(f"{count} for {text!r}" for text, count in found.items())
    yield f"{_passages(len(judged))} similar enough: {told}."
    if several := sum(len(item.asked) > 1 for item in judged):
        yield f"{several} of them {_were(several)} found by several sub-questions; {_its(several)} similarity is the mean."
    scores = [item.relevance * HIGHEST for item in judged if item.relevance is not None]
    ends = f", from {min(scores):.1f} to {max(scores):.1f} of {HIGHEST}" if scores else ""
    yield f"{len(scores)} {_were(len(scores))} scored by the whole question{ends}."
    yield f"{_passages(kept)} kept, by the best final scores."


def _passages(count: int) -> str:
    return f"{count} passage{'' if count == 1 else 's'} {_were(count)}"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _its(count: int) -> str:
    return "its" if count == 1 else "their"


def _chunk(rank: int, item: Evidence) -> dict[str, Any]:
    document, passage = item.document, item.passage
    return {
        "rank": rank,
        "chunk_id": chunk_id(item),
        "content": passage.text,
        "score": round(item.scores.fused, 4),
        "document_id": document.id,
        "document_name": document.title,
        "collection": document.collection,
        "authors": list(document.authors),
        "year": document.year,
        "section": list(passage.section),
        "page": passage.page,
        "start": passage.start,
        "end": passage.end,
    }


def _origin(item: Evidence) -> str:
    """Return what a passage is from, in one line."""
    document, passage = item.document, item.passage
    people = ", ".join(document.authors[:3]) + (" et al." if len(document.authors) > 3 else "")
    place = (" › ".join(headings_below(document.title, passage.section)), f"p. {passage.page}" if passage.page else "")
    told = (document.title or document.id, people, str(document.year or ""), *place)
    return " ".join(" · ".join(part for part in told if part).split())
