"""The strategy `roadmap`: a router, an information filter and a decision maker around an unchanged search. Start at `team`.

Here are its planner and who investigates its parts; the rounds of a part are in `roadmap_rounds`.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from scholarmind.answer import Finding
from scholarmind.calls import Reply, Request
from scholarmind.events import OnEvent
from scholarmind.llm.language_models import EstimatedCalls
from scholarmind.llm.prompts import Assistant, within
from scholarmind.model import Evidence
from scholarmind.parts import Parts
from scholarmind.plan import Plan, SubQuestion
from scholarmind.planning.plan_checks import other_language
from scholarmind.planning.plan_mending import PlanContext, mended
from scholarmind.planning.plan_reply import PlannedPart, PlanReply, plain
from scholarmind.planning.question_gate import judge
from scholarmind.planning.rule_planner import KeylessPlanner, direct
from scholarmind.ports import Look, Planner
from scholarmind.steps.investigate import Investigator
from scholarmind.strategies.estimates import Ahead, StrategyCalls, reranking_calls
from scholarmind.strategies.roadmap_actions import Action, TimedCalls
from scholarmind.strategies.roadmap_rounds import RoundParts, Rounds, found_nothing, in_vain
from scholarmind.strategies.roadmap_router import Route, RoutedQuestion, query_of, route
from scholarmind.team import Team
from scholarmind.text.language import language_of
from scholarmind.writing.extractive import KeylessAnswerer
from scholarmind.writing.model_answerer import ModelAnswerer

# -- roadmap


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
        self.crew.routed[question] = _as_a_search(way, question)
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


def _as_a_search(way: Route, question: str) -> Route:
    """Return the route of a part that asks the whole question: it is searched for in any case."""
    action = Action("Retrieval", query_of(question)) if way.action.verb == "No Retrieval" else way.action
    return replace(way, action=action, notes=())


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
        return replace(finding, evidence=self._within_share(finding), notes=tuple(notes))

    @property
    def _share(self) -> int:
        """How many documents each row may gather: the same for all, so that no part waits for what the others leave."""
        rows = sum(len(part.rows) for part in self.default.plan.parts if part.role == "find")
        return max(1, self.crew.options.max_documents // max(1, rows))

    def _seconds_left(self) -> float:
        """Return the seconds of the rounds: not more than half of what is left of the run."""
        left = self.crew.meter.left() if self.crew.meter else None
        return self.seconds if left is None else max(0.0, min(self.seconds, left / 2))

    def _within_share(self, finding: Finding) -> tuple[Evidence, ...]:
        """Return no more of the evidence than its rows may gather: several readings of a row have gathered each for itself."""
        return finding.evidence[: self._share * max(1, len(finding.rows))]


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
