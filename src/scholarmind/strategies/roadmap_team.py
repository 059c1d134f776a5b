"""The strategy `roadmap`: a router, an information filter and a decision maker around an unchanged search. Start at `team`.

For the sub-goals of each part: search, filter what was found, decide whether that is enough or what to search next.
"""

import asyncio
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scholarmind.answer import Finding
from scholarmind.calls import Reply, Request
from scholarmind.components import Parts, Team
from scholarmind.errors import ScholarMindError
from scholarmind.events import Decided, Filtered, OnEvent
from scholarmind.llm.language_models import EstimatedCalls
from scholarmind.llm.metering import Meter
from scholarmind.llm.prompts import Assistant, Fenced, fenced, within
from scholarmind.model import Evidence
from scholarmind.plan import Plan, SubQuestion
from scholarmind.planning.decomposition.clause_rewriting import names_in
from scholarmind.planning.plan_checks import other_language
from scholarmind.planning.plan_mending import PlanContext, PlannedPart, PlanReply, mended, plain
from scholarmind.planning.question_gate import judge
from scholarmind.planning.question_words import Protector, cleaned
from scholarmind.planning.rule_planner import KeylessPlanner, direct
from scholarmind.ports import Lexicon, Look, Names, Planner
from scholarmind.ranking import Key, key_of
from scholarmind.steps.gather import Gathered, Gatherer
from scholarmind.steps.investigate import Investigator
from scholarmind.steps.options import Roadmap
from scholarmind.steps.progress_events import shown
from scholarmind.strategies.estimates import Ahead, StrategyCalls, reranking_calls
from scholarmind.strategies.roadmap_router import (
    OF_DECISION_MAKER,
    Action,
    Route,
    RoutedQuestion,
    TimedCalls,
    query_of,
    route,
)
from scholarmind.text.analysis import spans, terms
from scholarmind.text.language import language_of
from scholarmind.writing.extractive import KeylessAnswerer
from scholarmind.writing.model_answerer import ModelAnswerer

# -- worth: how much of what is asked some passages say

_TELLING = 0.7  # a rarity that no word of a library reaches which is too small to tell
_READ = 4_000  # characters of a passage


@dataclass(frozen=True, slots=True)
class Worth:
    """The words of a text that say something, and what each is worth."""

    weights: Mapping[str, float] = field(default_factory=dict[str, float])

    def held(self, evidence: Iterable[Evidence]) -> frozenset[str]:
        """Return those of the words that the passages or the titles of their documents hold."""
        return frozenset(term for item in evidence for term in _terms_of(item) if term in self.weights)

    def share(self, held: Iterable[str]) -> float:
        """Return how much of the whole these words are worth, 0 to 1; of a text without words that is nothing."""
        total = sum(self.weights.values())
        return sum(self.weights[term] for term in held) / total if total else 0.0


async def _worth_of(text: str, lexicon: Lexicon | None) -> Worth:
    """Return what the words of a text are worth; where no library tells, all the same."""
    words = list(dict.fromkeys(terms(text)))
    rarity: Mapping[str, float] = await lexicon.rarity(words) if lexicon and words else {}
    if max(rarity.values(), default=0.0) <= _TELLING:
        return Worth(dict.fromkeys(words, 1.0))
    rarest = max(rarity.values())
    return Worth({word: max(0.0, rarity.get(word, rarest)) for word in words})


def _terms_of(item: Evidence) -> set[str]:
    return set(terms(f"{item.document.title}\n{item.passage.text[:_READ]}"))


# -- the information filter

_FILTER_TOKENS = 400
_LONGEST_FILTERED = 1_500
_LONGEST_REASON = 200
# Of what the best passage says of the objective, or of how well the best one matched. It leans to keep: what a next step needs has
# few of its words (hotpotqa_100: all@10 .90 at half, .97 here).
_USEFUL = 0.3

_NUMBER = re.compile(r"\d{1,4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterState:
    """What the filter sees: the question, the documents that a query brought, and the objective that they are for."""

    question: str
    documents: Sequence[Evidence]
    objective: str
    query: str
    part: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a model is asked for."""

    keep: tuple[str, ...] = ()
    none_useful: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtering:
    """What was kept and what was not, each in the order of the search, and who said so."""

    kept: tuple[Evidence, ...]
    dropped: tuple[Evidence, ...]
    by: str  # model, rules
    reason: str = ""
    notes: tuple[str, ...] = ()


async def _filtered(state: FilterState, worth: Worth, asking: TimedCalls | None) -> Filtering:
    """Return the useful passages: a model says which, and where it has no word of use, rules."""
    if asking is None:
        return _filter_by_rules(state.documents, worth)
    marker, language = asking.assistant.marker, "zh" if language_of(state.question) == "zh" else "en"
    shown = fenced(state.documents, marker, longest=_LONGEST_FILTERED)
    request = asking.assistant.request(
        ("filter", language),
        purpose=f"filter of part {state.part}",
        max_tokens=_FILTER_TOKENS,
        values={
            "passages": shown.text,
            "question": within(state.question, marker, "question"),
            "query": within(state.query, marker, "query"),
            "objective": within(state.objective, marker, "objective"),
        },
        shape=Kept,
        part=state.part,
    )
    reply = await asking.reply(request)
    if isinstance(reply, str):
        said = reply
    else:
        said = _read(reply.value, shown) if isinstance(reply.value, Kept) else "the model's reply was none of a filter"
    if isinstance(said, Filtering):
        return said
    ruled = _filter_by_rules(state.documents, worth)
    note = f"passages of part {state.part} were filtered by rules: {said}"
    return Filtering(kept=ruled.kept, dropped=ruled.dropped, by="rules", reason=ruled.reason, notes=(note,))


def _filter_by_rules(documents: Sequence[Evidence], worth: Worth) -> Filtering:
    """Keep what says much of the objective, or matched well: what is one mention away may have none of its words."""
    says = [worth.share(worth.held([item])) for item in documents]
    matched = [item.scores.fused for item in documents]
    enough, near = _USEFUL * max(says, default=0.0), _USEFUL * max(matched, default=0.0)
    useful = [(share >= enough and share > 0) or score >= near for share, score in zip(says, matched, strict=True)]
    kept = tuple(item for item, keep in zip(documents, useful, strict=True) if keep)
    dropped = tuple(item for item, keep in zip(documents, useful, strict=True) if not keep)
    return Filtering(kept=kept, dropped=dropped, by="rules", reason="by words in common and by rank")


def _read(said: Kept, shown: Fenced) -> Filtering | str:
    """Return what a reply keeps; an empty one counts only if it says that it is meant."""
    keys = {f"P{number[0]}" for key in said.keep if (number := _NUMBER.search(key))}
    kept = tuple(item for key, item in shown.passages.items() if key in keys)
    if not kept and (said.keep or not said.none_useful):
        return "the model named no passage that it was shown"
    dropped = tuple(item for key, item in shown.passages.items() if key not in keys)
    return Filtering(kept=kept, dropped=dropped, by="model", reason=" ".join(said.reason.split())[:_LONGEST_REASON])


# -- the decision maker

_DECISION_TOKENS = 200
_LONGEST_SHOWN = 800
_MOST_SHOWN = 12  # passages: the best, and it is told how many there are
_ENOUGH = 0.9  # of the worth of a sub-goal's words, by all that was found together


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionState:
    """What the decision maker sees: the question, the documents gathered so far, and the roadmap, with what was searched for."""

    question: str
    documents: Sequence[Evidence]
    roadmap: str
    objective: str
    searched: Sequence[str]
    in_vain: Sequence[str] = ()
    part: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is done next, who says so, and why."""

    action: Action
    by: str  # model, rules
    reason: str = ""
    notes: tuple[str, ...] = ()


async def _decided(state: DecisionState, worth: Worth, asking: TimedCalls | None) -> Decision:
    """Return what to do next: a model says, and where it has no word of use, rules."""
    if asking is None:
        return _decide_by_rules(state, worth)
    action = await _decided_by_model(state, asking)
    if isinstance(action, Action):
        return Decision(action=action, by="model")
    ruled = _decide_by_rules(state, worth)
    note = f"what to do next for part {state.part} was decided by rules: {action}"
    return Decision(action=ruled.action, by="rules", reason=ruled.reason, notes=(note,))


def _decide_by_rules(state: DecisionState, worth: Worth) -> Decision:
    """Stop when the passages have as good as every word of the sub-goal; until then search for those that they lack."""
    held = worth.held(state.documents)
    share = worth.share(held)
    if share >= _ENOUGH or not worth.weights:
        return Decision(action=Action("LLM"), by="rules", reason=f"{share:.0%} of what is asked for was found")
    # the words of a sub-goal that no passage has, as they stand there, behind the names that it is about
    missing = [place for place in spans(state.objective) if place[2] & worth.weights.keys() - held]
    texts: list[str] = []
    end = -1
    for start, stop, _ in missing:
        if texts and start <= end:  # pairs of Chinese characters lap over each other
            texts[-1] += state.objective[end:stop]
        else:
            texts.append(state.objective[start:stop])
        end = max(end, stop)
    if not texts:
        query = ""
    else:
        names = [name for name in names_in(Protector().line(cleaned(state.objective))) if name not in texts]
        query = " ".join(dict.fromkeys((*names, *texts)))
    asked = {_normal(each) for each in (*state.searched, *state.in_vain)}
    if not query or _normal(query) in asked:
        return Decision(action=Action("LLM"), by="rules", reason="there is no other way to ask")
    return Decision(
        action=Action("Retrieval", query), by="rules", reason=f"only {share:.0%} of what is asked for was found"
    )


def _normal(query: str) -> str:
    """Return what makes two queries the same."""
    return " ".join(query.casefold().split()).strip(" ?？.。!！\"'“”")


async def _decided_by_model(state: DecisionState, asking: TimedCalls) -> Action | str:
    marker, language = asking.assistant.marker, "zh" if language_of(state.question) == "zh" else "en"
    shown = fenced(state.documents[:_MOST_SHOWN], marker, longest=_LONGEST_SHOWN)
    vain = {_normal(query) for query in state.in_vain}
    mark = "没有找到任何内容" if language == "zh" else "nothing found"
    queries = dict.fromkeys((*state.searched, *state.in_vain))
    searched = "\n".join(f"- {query}" + (f" ({mark})" if _normal(query) in vain else "") for query in queries)
    nothing = "（无）" if language == "zh" else "(none)"
    request = asking.assistant.request(
        ("decide", language),
        purpose=f"decision on part {state.part}",
        max_tokens=_DECISION_TOKENS,
        values={
            "passages": shown.text or nothing,
            "searched": within(searched, marker, "searched"),
            "question": within(state.question, marker, "question"),
            "roadmap": within(state.roadmap, marker, "roadmap"),
            "objective": within(state.objective, marker, "objective"),
        },
        part=state.part,
    )
    return await asking.action(request, OF_DECISION_MAKER)


# -- searches that found nothing

_NOTE = re.compile(r'nothing found for "(?P<query>.*)"', re.DOTALL)


def found_nothing(query: str) -> str:
    """Return the note that nothing was found for a query."""
    return f'nothing found for "{query}"'


def in_vain(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Return the queries that nothing was found for, as the notes of findings tell."""
    notes = [note for finding in findings for note in finding.notes]
    return tuple(dict.fromkeys(match["query"] for note in notes if (match := _NOTE.fullmatch(note))))


# -- rounds

_TOLD = 600  # characters of a passage, in events
_LAST_RESORT = 3  # passages that are looked at all the same where the filter kept none


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundParts:
    """What all sub-goals of one run share. `routed` are routes that are known already, by question."""

    options: Roadmap
    report: OnEvent
    names: Names | None = None
    lexicon: Lexicon | None = None
    meter: Meter | None = None
    routed: dict[str, Route] = field(default_factory=dict[str, Route])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """A gatherer around the unchanged one, for the rows of one part. `in_vain` are queries that earlier parts found nothing for.

    What it does rests on the part and on those that it waited for alone: parts that run side by side do not change each
    other's prompts, so that a resumed run asks the same.
    """

    crew: RoundParts
    gathering: Gatherer
    plan: Plan
    part: int
    documents: int  # that may be gathered
    until: float  # by time.monotonic
    in_vain: Sequence[str] = ()
    asking: TimedCalls | None = None

    async def gather(self, question: str, label: str, *, hop: bool) -> Gathered:
        """Route the sub-goal, then search in rounds; return what was kept, best first."""
        way = await self._routed(question)
        walk = _GoalRounds(self, question, label, hop=hop, worth=await _worth_of(question, self.crew.lexicon))
        walk.notes += way.notes
        if way.action.verb == "No Retrieval":
            walk.note(
                f"part {self.part} would need no retrieval; it was searched once: answers rest on the library alone"
            )
        once = way.action.verb == "No Retrieval" or (way.action.verb == "Retrieval" and self._is_alone)
        await walk.go(way.action.query or question, once=once)
        return walk.gathered()

    @property
    def _is_alone(self) -> bool:
        return sum(len(part.rows) for part in self.plan.parts if part.role == "find") == 1

    @property
    def is_spent(self) -> bool:
        """Whether there is a model that nothing is left for."""
        meter = self.crew.meter
        return self.asking is not None and (self.asking.is_spent or (meter is not None and meter.exhausted))

    async def _routed(self, question: str) -> Route:
        """Return the route of a sub-goal; one that is the whole question has been routed."""
        if (known := self.crew.routed.get(question)) is not None:
            return known
        began = time.monotonic()
        names = (await self.crew.names.names([question]))[0] if self.crew.names else ()
        asked = RoutedQuestion(question=question, names=names, whole=self.plan.question, part=self.part)
        way = await route(asked, self.asking)
        self.crew.report(way.event(asked, time.monotonic() - began))
        return way


class _GoalRounds:
    """The rounds of one sub-goal, and what they have brought so far."""

    def __init__(self, rounds: Rounds, question: str, label: str, *, hop: bool, worth: Worth) -> None:
        self.notes: list[str] = []
        self._rounds = rounds
        self._question = question
        self._label = label
        self._hop = hop
        self._worth = worth
        self._kept: dict[Key, Evidence] = {}
        self._seen: dict[Key, Evidence] = {}
        self._searched: list[str] = []
        self._in_vain = list(rounds.in_vain)
        self._fruitless = 0  # rounds, one after another
        self._found: list[Gathered] = []

    def note(self, text: str) -> None:
        """Say what was done in another way, or why it ended."""
        if text not in self.notes:
            self.notes.append(text)

    async def go(self, query: str, *, once: bool) -> None:
        """Search, filter, decide, and again; `once` if nothing needs to be decided as long as something is found."""
        options = self._rounds.crew.options
        for number in range(1, options.max_rounds + 1):
            page = await self._page(query, first=number == 1)
            if page is None:
                return
            # filter what a search brought, keep what is useful, and remember what brought nothing
            filtering = await self._filtered(query, page) if page else Filtering(kept=(), dropped=(), by="rules")
            self._seen |= {key_of(item): item for item in page}
            room = max(0, self._rounds.documents - len(self._kept))
            self._kept |= {key_of(item): item for item in filtering.kept[:room]}
            self._fruitless = 0 if filtering.kept else self._fruitless + 1
            if not filtering.kept:
                self._in_vain.append(query)
                self.note(found_nothing(query))
            if (once and self._kept) or self._stopped():
                return
            # what to do next; a query that was in vain is not asked again
            rounds = self._rounds
            state = DecisionState(
                question=rounds.plan.question,
                documents=sorted(self._kept.values(), key=_place),
                roadmap="\n".join(f"{part.id}. {part.text}" for part in rounds.plan.parts),
                objective=self._question,
                searched=self._searched,
                in_vain=self._in_vain,
                part=rounds.part,
            )
            decision = await _decided(state, self._worth, rounds.asking)
            self.notes += decision.notes
            rounds.crew.report(_told(decision, rounds.part, number))
            if decision.action.verb == "LLM" or self._stopped():
                return
            query = decision.action.query
            if number == options.max_rounds:
                self.note(f"part {self._rounds.part} stopped after {number} rounds, as many as it may have")

    def gathered(self) -> Gathered:
        """Return what was kept, best first; where that is nothing, the best of what was found, and a note."""
        kept = list(self._kept.values())
        if not kept and self._seen:
            ranked = sorted(_filter_by_rules([*self._seen.values()], self._worth).kept, key=_place)
            kept = ranked[: min(_LAST_RESORT, self._rounds.documents)]
            self.note(
                f"the filter kept nothing for part {self._rounds.part}; the best {len(kept)} were looked at all the same"
            )
        names = {name.text: name for found in self._found for name in found.names}
        notes = dict.fromkeys((*(note for found in self._found for note in found.notes), *self.notes))
        return Gathered(evidence=tuple(sorted(kept, key=_place)), names=tuple(names.values()), notes=tuple(notes))

    async def _page(self, query: str, *, first: bool) -> tuple[Evidence, ...] | None:
        """Return the next passages for a query: none that was looked at before. None: there is no going on."""
        self._searched.append(query)
        if _normal(query) in set(map(_normal, self._in_vain)):
            return ()
        left = None if first else max(0.0, self._rounds.until - time.monotonic())
        try:
            async with asyncio.timeout(left):
                found = await self._rounds.gathering.gather(query, self._label, hop=self._hop)
        except (ScholarMindError, TimeoutError) as error:
            if first:
                raise
            why = str(error) or "it took too long"
            self.note(f"part {self._rounds.part} went no further than round {len(self._searched) - 1}: {why}")
            return None
        self._found.append(found)
        new = [item for item in found.evidence if key_of(item) not in self._seen]
        return tuple(new[: self._rounds.crew.options.top_k])

    async def _filtered(self, query: str, page: Sequence[Evidence]) -> Filtering:
        rounds = self._rounds
        state = FilterState(
            question=rounds.plan.question, documents=page, objective=self._question, query=query, part=rounds.part
        )
        filtering = await _filtered(state, self._worth, rounds.asking)
        self.notes += filtering.notes
        rounds.crew.report(
            Filtered(
                part=rounds.part,
                objective=self._question,
                query=query,
                kept=tuple(shown(item, _TOLD) for item in filtering.kept),
                dropped=tuple(shown(item, _TOLD) for item in filtering.dropped),
                by=filtering.by,
                reason=filtering.reason,
            )
        )
        return filtering

    def _stopped(self) -> bool:
        """Tell whether a limit is reached, and say which."""
        rounds, options = self._rounds, self._rounds.crew.options
        told = ""
        if len(self._kept) >= rounds.documents:
            told = f"with {len(self._kept)} passages, its share of the {options.max_documents} of the whole question"
        elif self._fruitless >= options.stagnation:
            told = f"after {self._fruitless} rounds that brought nothing new"
        elif rounds.is_spent:
            told = "since the budget is spent"
        elif time.monotonic() >= rounds.until:
            told = "since no time was left for another round"
        if told:
            self.note(f"part {rounds.part} stopped {told}")
        return bool(told)


def _told(decision: Decision, part: int, number: int) -> Decided:
    return Decided(part=part, action=str(decision.action), round=number, by=decision.by, reason=decision.reason)


def _place(item: Evidence) -> tuple[float, Key]:
    return -item.scores.fused, key_of(item)


# -- the planner

_PLAN_TOKENS, _OWN_TOKENS = 2_000, 500
_LONGEST_OWN = 4_000  # characters of an answer from the model's own knowledge
_MOST_NAMES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RoadmapReply:
    """What a model is asked for: sub-goals, which are mended as the parts of any plan are."""

    sub_goals: tuple[PlannedPart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoadmapPlanner:
    """Without an assistant, `rules` plan. Each of its calls may take as long as `seconds`, all of them together twice that."""

    rules: Planner
    crew: RoundParts
    report: OnEvent
    assistant: Assistant | None = None
    seconds: float = 8.0
    library_only: bool = False
    decompose: bool = True

    def talk(self, question: str) -> str:
        """Return a reply to what is no question, or '': rules tell."""
        return self.rules.talk(question)

    async def plan(self, question: str, look: Look) -> Plan:
        """Return the plan of a question: what its route makes of it."""
        began = time.perf_counter()
        asking = TimedCalls(self.assistant, self.seconds) if self.assistant else None
        ruled = await self.rules.plan(question, look)
        way = await self._routed(question, look, ruled, asking)
        if way.action.verb == "No Retrieval":
            plan = await self._own(question, way, ruled)
        elif way.action.verb == "Planning" and self.decompose:
            plan = await self._roadmap(question, look, ruled, asking)
        else:
            plan = _as_one(question, way, ruled)
        seconds = time.perf_counter() - began
        notes = dict.fromkeys((*way.notes, *plan.notes))
        return replace(plan, strategy="roadmap", notes=tuple(notes), milliseconds=round(seconds * 1000, 3))

    async def _routed(self, question: str, look: Look, ruled: Plan, asking: TimedCalls | None) -> Route:
        """Route the question, and remember it for the part that asks the same. What rules are sure of is planned, whoever doubts it."""
        began = time.monotonic()
        asked = RoutedQuestion(question=question, names=look.names, composite=ruled.complexity == "composite")
        way = await route(asked, asking)
        sure = len(ruled.parts) > 1 and judge(question, look.names).is_sure
        if way.by == "model" and way.action.verb == "Retrieval" and sure:
            note = "the model saw one question where the rules are sure of several: a roadmap was drawn"
            way = Route(
                action=Action("Planning"), by="rules", reason="sure of several things", notes=(*way.notes, note)
            )
        # the route of a part that asks the whole question: it is searched for in any case
        action = Action("Retrieval", query_of(question)) if way.action.verb == "No Retrieval" else way.action
        self.crew.routed[question] = replace(way, action=action, notes=())
        self.report(way.event(asked, time.monotonic() - began))
        return way

    async def _own(self, question: str, way: Route, ruled: Plan) -> Plan:
        """Return the model's own answer as a plan; where there is none to be had, the library is searched all the same."""
        own = replace(direct(question, way.reason or "needs no documents", way.by), retrieval=False)
        if self.assistant and self.library_only:
            return own  # it will be refused: nobody is asked for it
        why = "there is no model that knows"
        if self.assistant:
            said = await self._answer(self.assistant, question)
            if isinstance(said, Reply):
                return replace(own, own_answer=said.text)
            why = said
        note = f"it needs no documents, but {why}; the library was searched all the same"
        return replace(_as_one(question, way, ruled), notes=(note,))

    async def _answer(self, assistant: Assistant, question: str) -> Reply | str:
        """Return what a model knows of a question without any document, or why that is nothing."""
        request = assistant.request(
            ("own", "zh" if language_of(question) == "zh" else "en"),
            purpose="answer",  # it is the answer: what the budget keeps back is for it
            max_tokens=_OWN_TOKENS,
            values={"question": within(question, assistant.marker, "question")},
        )
        reply = await TimedCalls(assistant, self.seconds).reply(request)
        if isinstance(reply, str):
            return f"the model did not answer it ({reply})"
        answer = reply.text.strip()[:_LONGEST_OWN].replace(assistant.marker, " ")
        if not plain(answer) or other_language(answer, question):
            return "the model's answer could not be used"
        return replace(reply, text=answer)

    async def _roadmap(self, question: str, look: Look, ruled: Plan, asking: TimedCalls | None) -> Plan:
        """Return the roadmap that a model draws, as far as it can be used; else the rules' plan."""
        if self.assistant is None or asking is None:
            return ruled
        if asking.over:
            return _by_rules(ruled, asking.over)
        asking = TimedCalls(self.assistant, self.seconds)
        reply = await asking.reply(self._request(self.assistant, question, look))
        if isinstance(reply, str):
            return _by_rules(ruled, reply)
        if not isinstance(reply.value, RoadmapReply):
            return _by_rules(ruled, "the model's reply was none of a roadmap")
        drawn = PlanReply(parts=reply.value.sub_goals)
        known = PlanContext(
            question=question,
            look=look,
            ruled=ruled,
            shown={},
            cap=self.crew.options.max_goals,
            marker=self.assistant.marker,
        )
        plan = mended(drawn, known)
        return _by_rules(ruled, plan) if isinstance(plan, str) else plan

    def _request(self, assistant: Assistant, question: str, look: Look) -> Request:
        marker, language = assistant.marker, "zh" if language_of(question) == "zh" else "en"
        names = ", ".join(dict.fromkeys(name.text for name in look.names[:_MOST_NAMES]))
        nothing = "（无）" if language == "zh" else "(none)"
        return assistant.request(
            ("roadmap", language),
            purpose="plan",
            max_tokens=_PLAN_TOKENS,
            values={
                "cap": str(self.crew.options.max_goals),
                "names": within(names, marker, "names") if names else nothing,
                "question": within(question, marker, "question"),
            },
            shape=RoadmapReply,
        )


def _as_one(question: str, way: Route, ruled: Plan) -> Plan:
    """Return the question as one part, of the kind that the rules see in it."""
    plan = direct(question, way.reason or "one search can find it", way.by)
    if len(ruled.parts) == 1:
        return replace(ruled, reason=plan.reason, decided_by=way.by)
    return plan


def _by_rules(ruled: Plan, why: str) -> Plan:
    return replace(ruled, notes=(*ruled.notes, f"the roadmap was drawn by rules: {why}"))


# -- investigating a part


@dataclass(frozen=True, slots=True, kw_only=True)
class RoadmapInvestigator:
    """Gives each part rounds of its own: so many seconds, its share of the documents, and what the parts before it asked in vain."""

    default: Investigator
    crew: RoundParts
    seconds: float
    assistant: Assistant | None = None

    async def __call__(self, part: SubQuestion, given: Mapping[int, Finding]) -> Finding:
        """Return what was found for a part, given what the parts that it depends on found."""
        if part.role != "find":
            return await self.default(part, given)
        vain, seconds = in_vain(given.values()), self._seconds_left()
        rounds = Rounds(
            crew=self.crew,
            gathering=self.default.gathering,
            plan=self.default.plan,
            part=part.id,
            documents=self._share,
            until=time.monotonic() + seconds,
            in_vain=vain,
            asking=TimedCalls(self.assistant, seconds) if self.assistant else None,
        )
        finding = await replace(self.default, gathering=rounds)(part, given)
        notes = dict.fromkeys(
            (*finding.notes, *map(found_nothing, vain))
        )  # those that come after the next part read them too
        # no more of the evidence than its rows may gather: several readings of a row have gathered each for itself
        return replace(
            finding, evidence=finding.evidence[: self._share * max(1, len(finding.rows))], notes=tuple(notes)
        )

    @property
    def _share(self) -> int:
        """How many documents each row may gather: the same for all, so that no part waits for what the others leave."""
        rows = sum(len(part.rows) for part in self.default.plan.parts if part.role == "find")
        return max(1, self.crew.options.max_documents // max(1, rows))

    def _seconds_left(self) -> float:
        """Return the seconds of the rounds: not more than half of what is left of the run."""
        left = self.crew.meter.left() if self.crew.meter else None
        return self.seconds if left is None else max(0.0, min(self.seconds, left / 2))


# -- the team

_ROUNDS_SHARE, _ANSWER_SHARE = 0.6, 0.25  # of the time of a part: for its rounds, then for its short answer
_LONGEST_CALL = (
    0.125  # of the time of the run: a planner has two of them, and one that hangs must leave time for the rest
)


def team(base: Team, parts: Parts, report: OnEvent) -> Team:
    """Return the team; at the effort `fast` a model only writes."""
    options = parts.options
    assistant = None if parts.effort == "fast" else base.assistant
    crew = RoundParts(
        options=options.roadmap, report=report, names=parts.names, lexicon=parts.lexicon, meter=base.meter
    )
    planner = RoadmapPlanner(
        rules=_within(base.rule_planner, options.roadmap.max_goals),
        crew=crew,
        report=report,
        assistant=assistant,
        seconds=min(options.plan_seconds, _LONGEST_CALL * options.run_seconds),
        library_only=options.library_only,
        decompose=options.decompose,
    )

    def investigator(default: Investigator) -> RoadmapInvestigator:
        seconds = _ROUNDS_SHARE * options.part_seconds
        return RoadmapInvestigator(default=default, crew=crew, seconds=seconds, assistant=assistant)

    changed = replace(base, planner=planner, investigator=investigator, translator=None, rounds=1)
    return _in_time(changed, parts, assistant) if assistant else changed


def _within(planner: Planner, goals: int) -> Planner:
    """Return our own rules with room for so many parts; somebody else's planner as it is."""
    return replace(planner, rules=replace(planner.rules, cap=goals)) if isinstance(planner, KeylessPlanner) else planner


def _in_time(team: Team, parts: Parts, assistant: Assistant) -> Team:
    """Return the team with less time for a short answer: the rounds before it have used some."""
    rules, seconds = KeylessAnswerer(parts.lexicon), _ANSWER_SHARE * parts.options.part_seconds
    answerer = ModelAnswerer(assistant, rules, seconds=seconds)
    narrator = ModelAnswerer(assistant, rules, deep=True, seconds=seconds) if team.narrator else None
    return replace(team, answerer=answerer, narrator=narrator)


# -- what it will cost


_SHOWN_TO_DECIDE = 12  # passages


def _planning(ahead: Ahead) -> Iterator[EstimatedCalls]:
    yield EstimatedCalls(prompt="route")
    yield EstimatedCalls(prompt="roadmap" if ahead.plan.retrieval else "own")


def _rounds(ahead: Ahead, part: SubQuestion) -> Iterator[EstimatedCalls]:
    """Yield the calls of the rounds of a part, whose rows are searched for side by side."""
    roadmap, rows = ahead.options.roadmap, ahead.rows_of(part)
    rounds = roadmap.max_rounds
    yield EstimatedCalls(prompt="route", calls=rows)
    yield EstimatedCalls(prompt="filter", calls=rows * rounds, levels=rounds, shown=roadmap.top_k)
    yield EstimatedCalls(prompt="decide", calls=rows * rounds, levels=rounds, shown=_SHOWN_TO_DECIDE)


CALLS = StrategyCalls(planning=_planning, searching=_rounds, selecting=reranking_calls)
