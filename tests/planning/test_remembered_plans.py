"""A plan that was made before is not made again, unless something that it rests on is another."""

from dataclasses import replace

import pytest

from scholarmind import Document, Evidence, Passage, Plan, Scores, SubQuestion
from scholarmind.events import Event, ModelCalled
from scholarmind.llm.language_models import PriceList
from scholarmind.llm.metering import Meter
from scholarmind.planning.plan_cache import CachingPlanner
from scholarmind.ports import Look
from scholarmind.steps.run_caches import Recent

pytestmark = pytest.mark.anyio


class Planning:
    """Counts the plans that it makes; every other one is made in another way than asked, if it is told to."""

    def __init__(self, notes: tuple[str, ...] = ()) -> None:
        self.made = 0
        self.notes = notes

    def talk(self, question: str) -> str:
        return "Hello." if question == "hi" else ""

    async def plan(self, question: str, look: Look) -> Plan:
        self.made += 1
        part = SubQuestion(id=1, text=f"{question} {self.made}")
        return Plan(
            question=question, parts=(part,), complexity="simple", reason="", decided_by="test", notes=self.notes
        )


def look(text: str) -> Look:
    evidence = Evidence(
        passage=Passage(text=text, start=0, end=len(text), position=0),
        document=Document(id="a", title="A"),
        scores=Scores(fused=0.5),
    )
    return Look(evidence=(evidence,))


async def test_the_same_question_has_the_same_plan_and_any_other_its_own() -> None:
    planning, memory = Planning(), Recent()
    planner = CachingPlanner(planner=planning, memory=memory, basis="settings")
    first = await planner.plan("Who?", look("one"))
    again = await CachingPlanner(planner=planning, memory=memory, basis="settings").plan("Who?", look("one"))
    assert (again.parts, planning.made) == (first.parts, 1)
    await planner.plan("Whom?", look("one"))
    await planner.plan("Who?", look("another"))
    await CachingPlanner(planner=planning, memory=memory, basis="other settings").plan("Who?", look("one"))
    assert planning.made == 4
    assert planner.talk("hi") == "Hello."


async def test_a_plan_that_fell_back_is_tried_anew() -> None:
    planning = Planning(notes=("the plan was made by rules: no answer",))
    planner = CachingPlanner(planner=planning, memory=Recent(), basis="")
    await planner.plan("Who?", Look())
    await planner.plan("Who?", Look())
    assert planning.made == 2


@pytest.mark.parametrize(("decided_by", "spared"), [("model", [("plan", "m", "cache", 0, 0.0)]), ("rules", [])])
async def test_a_call_that_was_spared_is_told(decided_by: str, spared: list[object]) -> None:
    class Deciding(Planning):
        async def plan(self, question: str, look: Look) -> Plan:
            return replace(await super().plan(question, look), decided_by=decided_by)

    events: list[Event] = []
    meter = Meter(prices=PriceList(), names={"extraction": "m"}, report=events.append)
    planner = CachingPlanner(planner=Deciding(), memory=Recent(), basis="", meter=meter)
    await planner.plan("Who?", Look())
    assert meter.calls == ()
    await planner.plan("Who?", Look())
    told = [(call.purpose, call.model, call.remembered, call.calls, call.cost) for call in meter.calls]
    assert told == spared
    assert events == [ModelCalled(call=call) for call in meter.calls]


async def test_what_is_damaged_is_planned_anew() -> None:
    class Damaged(Recent):
        async def get(self, address: str) -> str | None:
            return "{"

    planning = Planning()
    await CachingPlanner(planner=planning, memory=Damaged(), basis="").plan("Who?", Look())
    assert planning.made == 1
