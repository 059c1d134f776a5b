"""The planner of a roadmap: routes the question, then answers it, makes one part of it, or draws a roadmap of sub-goals."""

import time
from dataclasses import dataclass, replace

from scholarmind.calls import Reply, Request
from scholarmind.events import OnEvent
from scholarmind.llm.prompts import Assistant, within
from scholarmind.plan import Plan
from scholarmind.planning.plan_checks import other_language
from scholarmind.planning.plan_mending import PlanContext, mended
from scholarmind.planning.plan_reply import PlannedPart, PlanReply, plain
from scholarmind.planning.question_gate import judge
from scholarmind.planning.rule_planner import direct
from scholarmind.ports import Look, Planner
from scholarmind.strategies.roadmap.actions import Action
from scholarmind.strategies.roadmap.asking import Asking
from scholarmind.strategies.roadmap.rounds import Crew
from scholarmind.strategies.roadmap.router import Asked, Route, route
from scholarmind.strategies.roadmap.routing_rules import query_of
from scholarmind.text.language import language_of

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
    crew: Crew
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
        asking = Asking(self.assistant, self.seconds) if self.assistant else None
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

    async def _routed(self, question: str, look: Look, ruled: Plan, asking: Asking | None) -> Route:
        """Route the question, and remember it for the part that asks the same. What rules are sure of is planned, whoever doubts it."""
        began = time.monotonic()
        asked = Asked(question=question, names=look.names, composite=ruled.complexity == "composite")
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
        reply = await Asking(assistant, self.seconds).reply(request)
        if isinstance(reply, str):
            return f"the model did not answer it ({reply})"
        answer = reply.text.strip()[:_LONGEST_OWN].replace(assistant.marker, " ")
        if not plain(answer) or other_language(answer, question):
            return "the model's answer could not be used"
        return replace(reply, text=answer)

    async def _roadmap(self, question: str, look: Look, ruled: Plan, asking: Asking | None) -> Plan:
        """Return the roadmap that a model draws, as far as it can be used; else the rules' plan."""
        if self.assistant is None or asking is None:
            return ruled
        if asking.over:
            return _by_rules(ruled, asking.over)
        asking = Asking(self.assistant, self.seconds)
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
