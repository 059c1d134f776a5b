"""The strategy `concepts`: two to four concepts of a question are searched for side by side, and their lists fused by rank.

Each concept is searched for plainly within its time, if wanted also for what a passage on it may say in place of its name. `team`
puts that together with the planner.
"""

import asyncio
import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from scholarmind.answer import Finding
from scholarmind.calls import ResponseCache
from scholarmind.components import Parts, Team
from scholarmind.errors import ModelError, ScholarMindError
from scholarmind.events import OnEvent
from scholarmind.filters import Filter
from scholarmind.llm.language_models import EstimatedCalls
from scholarmind.llm.prompts import Assistant, within
from scholarmind.model import Evidence, Found, Name
from scholarmind.plan import Plan, SubQuestion, is_open
from scholarmind.planning.decomposition.clause_rewriting import names_in
from scholarmind.planning.decomposition.decompose import decompose
from scholarmind.planning.drafts import PartDraft, referred
from scholarmind.planning.plan_mending import plain
from scholarmind.planning.question_gate import gate_text, judge
from scholarmind.planning.question_words import (
    ASKING,
    CHINESE_ASKING,
    PREPOSITIONS,
    REFERENCES,
    Protector,
    cleaned,
    content,
    is_chinese,
    statement,
    trimmed,
)
from scholarmind.planning.rule_planner import LONGEST_QUESTION, direct
from scholarmind.ports import Chosen, Lexicon, Look, Planner, Retriever, Selector
from scholarmind.ranking import merged
from scholarmind.reranking import RERANKED, RerankingSelector
from scholarmind.steps.gather import Gathered, Gathering
from scholarmind.steps.investigate import Investigator
from scholarmind.steps.journal import decode, encode
from scholarmind.steps.options import Concepts
from scholarmind.steps.select import rank_scores
from scholarmind.strategies.estimates import Ahead, StrategyCalls, scoring_calls
from scholarmind.text.analysis import spans, terms
from scholarmind.text.language import language_of

# -- the gate: whether a question may be about several concepts

_JOINING = re.compile(
    r"\b(?P<english>vs|versus|compared (?:to|with)|and|or|with|affect(?:s|ed|ing)?|impact(?:s|ed|ing)?|influence[sd]?"
    r"|differences?|relationships?|relations?|interactions?|trade-?offs?)\b"
    r"|(?P<chinese>以及|还是|相比|对比|比较|影响|区别|差异|不同|关系|联系|同时|另外|[和与跟及或、])"
)

_ONE_THING = re.compile(r"^(?:what are (?:the |some )?|list )?(?:the )?best practices (?:for|of|in|to)\b|最佳实践")


def several(question: str, names: Sequence[Name] = ()) -> tuple[bool, str]:
    """Tell whether a question looks like one about several concepts, and why; who is wrong here loses one call."""
    judgement = judge(question, names)
    if judgement.complexity == "composite":
        return True, judgement.reason
    text = gate_text(question, names).masked
    if judgement.probability == 0 or _ONE_THING.search(text):
        return False, "asks for one thing"
    found = _JOINING.search(text)
    return (True, f"joins several things with {found[0]!r}") if found else (False, judgement.reason)


# -- concepts by rules, as noun phrases

_ASKED = re.compile(
    r"^(?:what|who|which|when|where) (?:is|are|was|were) (?P<x>\S.*)$"
    r"|^(?P<y>\S.*?)(?:是什么|是谁|有哪些|如何|怎么样|怎样)$",
    re.IGNORECASE,
)

_ORDERED = re.compile(rf"^(?:{'|'.join(sorted(ASKING))})\s+", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_LOOSE = re.compile(rf"^['’]s\s+|(?:\s+(?:{'|'.join(sorted(PREPOSITIONS))}))+$", re.IGNORECASE)
_RESTRICTS = re.compile(
    r"^(?:for|in terms of|with respect to|regarding|when it comes to|in|on|at|under|across)\s+(?P<x>\D+)$"
    r"|^在(?P<y>\D+)$",
    re.IGNORECASE,
)

_WITHIN = re.compile(
    r"^(?P<thing>\S.*?) (?:in|within) (?P<where>\D{2,60})$|^(?P<place>\D{2,20}?)[中里]的(?P<what>.{2,})$"
)


def concepts_of(question: str, names: Sequence[Name] = ()) -> tuple[str, ...]:
    """Return the concepts that a question is about, in its order; none where the rules see only one thing."""
    text = cleaned(question).strip()
    if not text or len(text) > LONGEST_QUESTION:
        return ()
    protector = Protector(names)
    drafts = [draft for draft in decompose(text, protector).drafts if draft.role == "find"]
    if len(drafts) < 2:
        return _by_names(text, protector)
    linked = any(draft.after and not referred(draft.text) for draft in drafts)  # a question of effect or relation
    asked = [draft for draft in drafts if not draft.after or referred(draft.text)]
    # take `in RAG` off the concepts that share it, or from those of a relation: where things happen is a concept of
    # its own
    concepts = _with_aspects(asked)
    found = {concept: _WITHIN.match(concept) for concept in concepts}
    where = Counter(_place(match) for match in found.values() if match)
    things: list[str] = []
    places: list[str] = []
    for concept in concepts:
        match = found[concept]
        if match and (linked or where[_place(match)] > 1):
            things.append(match["thing"] or match["what"])
            places.append(_place(match))
        else:
            things.append(concept)
    return tuple(dict.fromkeys(filter(None, (*things, *places))))


def _with_aspects(drafts: Sequence[PartDraft]) -> list[str]:
    """Return what each draft asks for; an aspect that several things share stands once, beside the things."""
    shared = Counter(draft.aspect for draft in drafts if draft.aspect and draft.entity)
    alone = {draft.entity for draft in drafts if draft.entity and not draft.aspect}
    things: list[str] = []
    aspects: list[str] = []
    for draft in drafts:
        restricts = _RESTRICTS.match(draft.aspect)
        if shared[draft.aspect] > 1 and (restricts or draft.entity in alone):
            things.append(draft.entity)
            aspects.append((restricts["x"] or restricts["y"]) if restricts else draft.aspect)
        else:
            # what a question asks for, without the words that only ask, and without answers that are not there yet
            body = " ".join(REFERENCES.sub(" ", statement(draft.text)).split())
            if match := _ASKED.match(body):
                body = match["x"] or match["y"]
            body = (CHINESE_ASKING if is_chinese(body) else _ORDERED).sub("", body)
            body = _LOOSE.sub("", _ARTICLE.sub("", body))
            things.append(trimmed(body) if content(body) else "")
    return [*things, *aspects]


def _place(match: re.Match[str]) -> str:
    return trimmed(match["where"] or match["place"])


def _by_names(text: str, protector: Protector) -> tuple[str, ...]:
    """Return each name of a question that is not taken apart, with what is asked of it."""
    names = names_in(protector.line(text))
    if len(names) < 2:
        return ()
    said = {word for name in names for word in content(name)}
    rest = " ".join(word for word in content(text) if word not in said)
    return tuple(trimmed(f"{name} {rest}") for name in names)


# -- concepts that a language model names

_MOST_TOKENS = 400  # of the reply
_LONGEST = 200  # characters of a concept, of the reason, or of an error


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptReply:
    """What a model is asked to reply."""

    reason: str = ""
    concepts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The concepts of a question, and why it is about these."""

    concepts: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Unnamed:
    """Why no concepts came."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Namer:
    """Names concepts with one call, unless the same question was asked before. `rests_on` is what the reply depends on beside it."""

    assistant: Assistant
    memory: ResponseCache
    most: int
    seconds: float
    rests_on: tuple[str, ...] = ()

    async def name(self, question: str) -> Named | Unnamed:
        """Return the concepts, or why there are none: then the question is searched for as it stands."""
        prompt = self.assistant.prompts.filled("concepts", _language(question), marker="", most="", question="")
        content = ["concepts", question.strip().lower(), self.most, prompt.version, *self.rests_on]
        address = hashlib.sha256(json.dumps(content).encode()).hexdigest()
        if kept := await self._recalled(address):
            return kept
        try:
            async with asyncio.timeout(self.seconds):
                request = self.assistant.request(
                    ("concepts", _language(question)),
                    purpose="concepts",
                    max_tokens=_MOST_TOKENS,
                    shape=ConceptReply,
                    values={"most": str(self.most), "question": within(question, self.assistant.marker, "question")},
                )
                reply = (await self.assistant.model.complete(request)).value
        except TimeoutError:
            return _without(f"no concepts came from the model within {self.seconds:g} s")
        except ModelError as error:
            return _without(" ".join(str(error).split())[:_LONGEST] or type(error).__name__)
        if not isinstance(reply, ConceptReply):
            return _without("the model's reply named no concepts")
        marker = self.assistant.marker
        concepts = (plain(concept, marker)[:_LONGEST] for concept in reply.concepts)
        named = Named(concepts=tuple(filter(None, concepts)), reason=plain(reply.reason, marker)[:_LONGEST])
        await self._remember(address, named)
        return named

    async def _recalled(self, address: str) -> Named | None:
        """Return what was named before; a memory that fails costs a call and nothing else."""
        try:
            kept = await self.memory.get(address)
        except ScholarMindError:
            return None
        return decode(Named, kept) if kept else None

    async def _remember(self, address: str, named: Named) -> None:
        try:
            await self.memory.put(address, encode(named))
        except ScholarMindError:
            return  # the next question asks again


def _without(why: str) -> Unnamed:
    return Unnamed(f"the question was searched for as it stands: {why}")


def _language(question: str) -> str:
    return "zh" if language_of(question) == "zh" else "en"


# -- the planner

_MOST = 5  # concepts of one question, whoever finds them
_ONE_STEP = "one question about one thing, answered in one step"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptPlanner:
    """Plans a part for each concept; the parts wait for nothing. None or one concept: the question as it stands."""

    talker: Planner
    options: Concepts
    namer: Namer | None = None  # a model; without one the concepts are found by rules
    decompose: bool = True

    def talk(self, question: str) -> str:
        """Return a reply to what is no question, or ''."""
        return self.talker.talk(question)

    async def plan(self, question: str, look: Look) -> Plan:
        """Return the concepts of a question as the parts of a plan."""
        started = time.perf_counter()
        plan = await self._plan(question, look)
        return replace(plan, strategy="concepts", milliseconds=round((time.perf_counter() - started) * 1000, 3))

    async def _plan(self, question: str, look: Look) -> Plan:
        if not self.decompose or self.options.max_concepts == 1:
            return direct(question, "taking apart is switched off", "setting")
        composite, reason = several(question, look.names)
        if not composite:
            return direct(question, reason, "rules")
        if self.namer is None:
            found = Named(concepts=concepts_of(question, look.names), reason=reason)
        else:
            named = await self.namer.name(question)
            if isinstance(named, Unnamed):
                return replace(direct(question, reason, "rules"), notes=(named.why,))
            found = named
        # the plan that these concepts make
        decided_by = "rules" if self.namer is None else "model"
        closed = [concept for concept in found.concepts if not is_open(concept) or is_open(question)]
        concepts = _distinct(question, closed)
        most = min(_MOST, self.options.max_concepts + 1)
        kept, cut = concepts[:most], concepts[most:]
        notes = [f"only {most} concepts are searched for; left out: {', '.join(cut)}"] if cut else []
        if waiting := [concept for concept in found.concepts if concept not in closed]:
            notes.append(f"concepts wait for nothing; left out: {', '.join(waiting)}")
        if len(kept) < 2:
            return replace(direct(question, found.reason or _ONE_STEP, decided_by), notes=tuple(notes))
        return replace(
            direct(question, found.reason or "about several concepts", decided_by),
            parts=tuple(SubQuestion(id=number, text=concept) for number, concept in enumerate(kept, 1)),
            complexity="composite",
            known_entities=kept,
            notes=tuple(notes),
        )


def _distinct(question: str, concepts: Iterable[str]) -> list[str]:
    """Return each concept once, without one that is the question itself."""
    kept: dict[Sequence[str], str] = {}
    for concept in concepts:
        words = content(concept) or (concept.lower(),)
        if words != content(question):
            kept.setdefault(words, concept)
    return list(kept.values())


# -- hypothetical passages: what a passage on a concept may say, in place of the concept's name.
#
# A model writes such a passage, which is then searched for by its vector. Without a model the rare words of the first passages are
# added to the name.

_PASSAGE_TOKENS = 250  # of a made-up passage
_LONGEST_PASSAGE = 2_000  # characters of it; an embedder reads no further
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
            max_tokens=_PASSAGE_TOKENS,
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
        return plain(reply.text, marker)[:_LONGEST_PASSAGE], "the model wrote nothing on it"


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
        # the words that are frequent in these passages and rare in the library, as they stand there
        texts = [f"{item.document.title}\n{item.passage.text[:_READ]}" for item in first.evidence[:_FIRST]]
        written = _written_as(texts)
        held = Counter(term for text in texts for term in set(terms(text)))
        known = set(terms(question))
        candidates = [term for term in held if term not in known and len(term) >= _LEAST and not term.isdigit()]
        rarity = await self.lexicon.rarity(candidates)
        worth: Mapping[str, float] = {term: held[term] * rarity.get(term, 0.0) for term in candidates}
        words = [
            written[term] for term in sorted(worth, key=lambda term: (-worth[term], term))[:_ADDED] if term in written
        ]
        if not words:
            return first
        return await self.retriever.search(f"{question} {' '.join(words)}", k, filter)


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


# -- what it will cost


def _naming(ahead: Ahead) -> Iterator[EstimatedCalls]:
    del ahead
    yield EstimatedCalls(prompt="concepts")


def _hypothetical(ahead: Ahead, part: SubQuestion) -> Iterator[EstimatedCalls]:
    if ahead.options.concepts.hyde:
        yield EstimatedCalls(prompt="hypothetical", calls=ahead.rows_of(part))


def _fused(ahead: Ahead) -> Iterator[EstimatedCalls]:
    """Yield the calls that score the one list that the concepts were fused into."""
    options = ahead.options
    if options.concepts.rerank and options.rerank == "llm":
        lists = ahead.rows + options.concepts.original
        yield scoring_calls([min(RERANKED, lists * options.concepts.top_k)])


CALLS = StrategyCalls(planning=_naming, searching=_hypothetical, selecting=_fused, narrates=False)
