"""A run that somebody else carries out stage by stage: a graph of another framework, which may stop and go on in another process.

Each stage may be asked for at any time. What another process did of the stages before it is done again by the journal, which costs
nothing that was paid for; what the journal does not hold is done anew.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from scholarmind.answer import Answer, Finding
from scholarmind.engine import Engine
from scholarmind.events import Done, Numbered, numbered
from scholarmind.inquiry import Inquiry
from scholarmind.plan import Plan
from scholarmind.ports import Look, turn_of
from scholarmind.record import answer_record
from scholarmind.running import RunRequest, written
from scholarmind.steps.journal import encode, new_run

if TYPE_CHECKING:
    from scholarmind.adapters.runs import Runs


async def unfinished_run(runs: "Runs", thread: str, *asked: str) -> str:
    """Return the run of a question in a thread: one that was begun there and has not ended, or a new one."""
    if not thread:
        return new_run()
    for number in count():
        told = json.dumps([thread, *asked, number])
        name = f"staged-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
        known = await runs.find(name)
        if known is None or known.status != "done":
            return name
    raise AssertionError("there is always another number")


class StagedRun:
    """The stages of one run, in one loop. `answer` is there from the beginning where no documents are needed for it."""

    plan: Plan
    answer: Answer | None = None

    def __init__(self, engine: Engine, runs: "Runs", asked: RunRequest) -> None:
        self.asked = asked
        self.on_event: Callable[[Numbered], None] = lambda _: None  # may be set anew before each stage
        self.loop = asyncio.get_running_loop()
        self._engine = engine
        self._runs = runs
        self._closing = AsyncExitStack()
        self._beginning = asyncio.Lock()
        self._inquiry: Inquiry | None = None
        self._look = Look()
        self._found: dict[int, Finding] = {}
        self._findings: list[Finding] = []
        self._rounds = self._answers = 0

    async def begin(self) -> None:
        """Come to where the plan is known: that of the run, or one that is made now. Who comes while that is done waits for it."""
        async with self._beginning:
            if self._inquiry is None:
                self._inquiry = await self._begun()

    async def _begun(self) -> Inquiry:
        asked, engine, told = self.asked, self._engine, self._engine.basis.settings
        conversations = self._runs.conversations
        turns = await conversations.turns(asked.conversation, before=asked.run) if asked.conversation else ()
        tell = numbered(self._tell, time.monotonic)
        self._report = await self._closing.enter_async_context(written(engine, asked, self._runs, told, tell))
        inquiry = Inquiry(engine, asked.question, asked.run, self._report, turns)
        self._closing.push_async_callback(inquiry.close)
        self.answer = inquiry.talk(asked.plan)
        if self.answer is None:
            self._look = await inquiry.look()
            self.plan = inquiry.take(asked.plan) if asked.plan else await inquiry.plan(self._look)
            await self._runs.begin(asked.run, asked.question, plan=encode(self.plan))
            self.answer = inquiry.own_knowledge(self.plan)
        return inquiry

    def _tell(self, item: Numbered) -> None:
        self.on_event(item)

    @property
    def inquiry(self) -> Inquiry:
        """What carries the stages out."""
        if self._inquiry is None:
            raise RuntimeError("`begin` comes before every other stage")
        return self._inquiry

    async def part(self, number: int) -> Finding:
        """Research one part that waits for no other. Several may be researched at the same time."""
        others = {part.id: Finding(part=part, question=part.text) for part in self.plan.parts if part.id != number}
        findings = await self.inquiry.research(self.plan, others)
        self._found[number] = next(finding for finding in findings if finding.part.id == number)
        return self._found[number]

    async def findings(self, again: Sequence[Sequence[int]] = ()) -> list[Finding]:
        """Return a finding for each part, after the first round and further ones, each of which is for the parts that it names."""
        while self._rounds <= len(again):
            if self._rounds == 0:
                self._findings = await self.inquiry.research(self.plan, self._found)
            else:
                await self.written(again[: self._rounds - 1])
                self._findings = await self.inquiry.research_again(self.plan, self._findings, again[self._rounds - 1])
            self.plan = self.inquiry.expanded(self.plan, self._findings)
            self._rounds += 1
        return self._findings

    async def written(self, again: Sequence[Sequence[int]] = ()) -> Answer:
        """Return the answer after these rounds; one that is less sure than the one before does not take its place."""
        findings = await self.findings(again)
        if self.answer is None or self._answers <= len(again):
            answer = await self.inquiry.compose(self.plan, self._look, findings)
            while repaired := await self.inquiry.repair(answer, self._look):
                answer = repaired
            answer = await self.inquiry.examine(answer)
            self.plan, self._findings = answer.plan, list(answer.findings)
            self._answers += 1
            if self.answer is None or answer.review.confidence >= self.answer.review.confidence:
                self.answer = answer
        return self.answer

    async def suspend(self) -> None:
        """Let the run wait until somebody has looked at its plan."""
        self._report(Done(run=self.asked.run, status="awaiting_plan"))
        await self._closing.aclose()
        await self._runs.finish(self.asked.run, "awaiting_plan")

    async def finish(self) -> Answer:
        """Write down the answer as the end of the run, and return it."""
        asked, answer = self.asked, self.answer or await self.written()
        if answer.source == "library":
            answer = self.inquiry.done(answer)
        await self._closing.aclose()
        if problem := self._runs.problem(asked.run):
            answer = replace(answer, fallbacks=(*answer.fallbacks, problem))
        await self._runs.finish(asked.run, "done", json.dumps(answer_record(answer), ensure_ascii=False))
        if asked.conversation and answer.source != "talk":
            turn = turn_of(answer.asked or answer.question, answer.plan, answer.answers)
            await self._runs.conversations.add_turn(asked.conversation, asked.run, turn)
        return answer

    async def give_up(self, error: BaseException) -> None:
        """Write down that something cut the run short, and leave nothing running."""
        await self._closing.__aexit__(type(error), error, error.__traceback__)
