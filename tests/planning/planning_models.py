"""What the tests of the planner with a model share: replies in short, looks, and a plan as rows that can be compared."""

from dataclasses import replace
from typing import Any

from scholarmind.llm.prompts import Assistant
from scholarmind.model import Document, Evidence, Name, Passage, Scores
from scholarmind.plan import Plan
from scholarmind.planning.model_planner import ModelPlanner
from scholarmind.planning.plan_mending import PlannedPart, PlanReply
from scholarmind.planning.rule_planner import KeylessPlanner, RulePlanner
from scholarmind.ports import Look
from scholarmind.testing import ScriptedModel

MARKER = "5ca1ab1e0fed"

Row = tuple[str, tuple[int, ...], str]


def replied(*rows: Any, **more: Any) -> PlanReply:
    """A reply whose parts are given as (question, depends_on, kind), or as the question alone."""
    full = [(row,) if isinstance(row, str) else row for row in rows]
    parts = tuple(
        PlannedPart(
            question=row[0],
            depends_on=tuple(row[1]) if len(row) > 1 else (),
            kind=row[2] if len(row) > 2 else "factual",
        )
        for row in full
    )
    return PlanReply(parts=parts, **more)


def found(id: str, text: str, title: str = "") -> Evidence:
    """A passage of a first look."""
    passage = Passage(text=text, start=40, end=40 + len(text), position=1)
    return Evidence(passage=passage, document=Document(id=id, title=title or id), scores=Scores(fused=1.0))


def name(text: str, question: str) -> Name:
    """A name that the library knows in a question."""
    start = question.index(text)
    return Name(text=text, start=start, end=start + len(text), field="title", value=text, documents=1)


class Unsure:
    """The real rules, which do not say why they took a question apart: so they are never sure of it."""

    def __init__(self, cap: int) -> None:
        self._rules = KeylessPlanner(rules=RulePlanner(cap=cap))

    def talk(self, question: str) -> str:
        return self._rules.talk(question)

    async def plan(self, question: str, look: Look) -> Plan:
        return replace(await self._rules.plan(question, look), reason="")


def planner(model: ScriptedModel, **more: Any) -> ModelPlanner:
    """The planner under test, over rules that leave composite questions to the model."""
    rules = more.pop("rules", Unsure(more.get("cap", 5)))
    return ModelPlanner(rules=rules, assistant=Assistant(model=model, marker=MARKER), **more)


async def planned(question: str, reply: object, look: Look | None = None, **more: Any) -> Plan:
    """The plan that a reply of the model ends in."""
    return await planner(ScriptedModel(lambda _: reply), **more).plan(question, look or Look())


def rows(plan: Plan) -> list[Row]:
    """The parts of a plan: text, dependencies, role."""
    return [(part.text, part.depends_on, part.role) for part in plan.parts]
