"""What the tests of the planner with a model share: replies in short, looks, and a plan as rows that can be compared."""

from dataclasses import replace
from typing import Any

from scholarmind.llm.assistant import Assistant
from scholarmind.model import Document, Evidence, Name, Passage, Scores
from scholarmind.plan import Plan
from scholarmind.planning.keyless import KeylessPlanner
from scholarmind.planning.modelled import ModelPlanner
from scholarmind.planning.plan_reply import PlannedPart, PlanReply, ResolvedBridge
from scholarmind.planning.planner import RulePlanner
from scholarmind.ports import Look
from scholarmind.testing import ScriptedModel

MARKER = "5ca1ab1e0fed"

Row = tuple[str, tuple[int, ...], str]


def replied(*rows: Any, **more: Any) -> PlanReply:
    """A reply whose parts are given as (question, depends_on, role), or as the question alone; they are numbered from 1."""
    full = [(row,) if isinstance(row, str) else row for row in rows]
    parts = tuple(
        PlannedPart(
            id=number,
            question=row[0],
            depends_on=tuple(row[1]) if len(row) > 1 else (),
            role=row[2] if len(row) > 2 else "find",
        )
        for number, row in enumerate(full, 1)
    )
    return PlanReply(parts=parts, **more)


def bridged(reply: PlanReply, *bridges: tuple[int, str, list[str]]) -> PlanReply:
    """The reply with bridges that the model says to have read: part, answer, keys of passages."""
    resolved = tuple(ResolvedBridge(part=part, answer=answer, passages=tuple(keys)) for part, answer, keys in bridges)
    return replace(reply, bridges=resolved)


def found(id: str, text: str, title: str = "") -> Evidence:
    """A passage of a first look."""
    passage = Passage(text=text, start=40, end=40 + len(text), position=1)
    return Evidence(passage=passage, document=Document(id=id, title=title or id), scores=Scores(fused=1.0))


def name(text: str, question: str) -> Name:
    """A name that the library knows in a question."""
    start = question.index(text)
    return Name(text=text, start=start, end=start + len(text), field="title", value=text, documents=1)


def planner(model: ScriptedModel, **more: Any) -> ModelPlanner:
    """The planner under test, over the real rules."""
    rules = more.pop("rules", KeylessPlanner(rules=RulePlanner(cap=more.get("cap", 5))))
    return ModelPlanner(rules=rules, assistant=Assistant(model=model, marker=MARKER), **more)


async def planned(question: str, reply: object, look: Look | None = None, **more: Any) -> Plan:
    """The plan that a reply of the model ends in."""
    return await planner(ScriptedModel(lambda _: reply), **more).plan(question, look or Look())


def rows(plan: Plan) -> list[Row]:
    """The parts of a plan: text, dependencies, role."""
    return [(part.text, part.depends_on, part.role) for part in plan.parts]
