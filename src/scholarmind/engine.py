"""The reading path of the whole product: start at `Engine.ask`."""

from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.answer import Answer, Retrieved
from scholarmind.components import Parts
from scholarmind.events import OnEvent, ignore
from scholarmind.inquiry import Inquiry
from scholarmind.model import Evidence
from scholarmind.plan import Plan
from scholarmind.ports import Turn
from scholarmind.steps.journal import new_run


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine(Parts):
    """Answers questions over a library, or over anybody's own async `search(question, k, filter)`."""

    async def ask(
        self,
        question: str,
        *,
        plan: Plan | None = None,
        run: str = "",
        turns: Sequence[Turn] = (),
        on_event: OnEvent = ignore,
    ) -> Answer:
        """Route, look, plan, research, write, check; go round again while parts are weak and there is time.

        `turns` are those of the conversation so far, which a follow-up is understood from.
        """
        inquiry = Inquiry(self, question or (plan.question if plan else ""), run or new_run(), on_event, turns)
        if reply := inquiry.talk(plan):
            return reply
        try:
            look = await inquiry.look()
            plan = inquiry.take(plan) if plan else await inquiry.plan(look)
            if reply := inquiry.own_knowledge(plan):
                return reply
            findings = await inquiry.research(plan)
            plan = inquiry.expanded(plan, findings)
            while weak := await inquiry.worth_another_round(plan, findings):
                findings = await inquiry.research_again(plan, findings, weak)
                plan = inquiry.expanded(plan, findings)
            answer = await inquiry.compose(plan, look, findings)
            while repaired := await inquiry.repair(answer, look):
                answer = repaired
            return inquiry.done(await inquiry.examine(answer))
        finally:
            await inquiry.close()

    async def plan(
        self, question: str, *, run: str = "", turns: Sequence[Turn] = (), on_event: OnEvent = ignore
    ) -> Plan:
        """Return how a question would be taken apart, without researching it."""
        inquiry = Inquiry(self, question, run, on_event, turns)
        try:
            return await inquiry.plan(await inquiry.look(), only=True)
        finally:
            await inquiry.close()

    async def find(self, question: str, places: int | None = None, *, on_event: OnEvent = ignore) -> Retrieved:
        """Return the passages that an answer would be written from: so many, or as many as the strategy keeps."""
        inquiry = Inquiry(self, question, "", on_event, writes=False)
        try:
            look = await inquiry.look()
            plan = await inquiry.plan(look)
            findings = await inquiry.research(plan)
            return await inquiry.select(inquiry.expanded(plan, findings), look, findings, places)
        finally:
            await inquiry.close()

    async def retrieve(
        self, question: str, places: Sequence[int] = (10,), *, on_event: OnEvent = ignore
    ) -> dict[int, tuple[Evidence, ...]]:
        """Return the same for several numbers of places."""
        inquiry = Inquiry(self, question, "", on_event, writes=False)
        try:
            look = await inquiry.look()
            plan = await inquiry.plan(look)
            findings = await inquiry.research(plan)
            plan = inquiry.expanded(plan, findings)
            return {number: (await inquiry.select(plan, look, findings, number)).evidence for number in places}
        finally:
            await inquiry.close()
