"""Plans that were made before: the same question, the same first look, the same planner, the same plan."""

import hashlib
import json
import time
from dataclasses import dataclass, replace

from scholarmind.calls import ResponseCache
from scholarmind.events import plain
from scholarmind.llm.metering import Meter
from scholarmind.plan import Plan
from scholarmind.planning.translating import ModelTranslator
from scholarmind.ports import Look, Planner
from scholarmind.steps.journal import decode, encode


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberingPlanner:
    """A planner with a memory. `basis` is all that a plan rests on beside the question and its first look."""

    planner: Planner
    memory: ResponseCache
    basis: str
    translator: ModelTranslator | None = None  # whose languages a plan is made for
    meter: Meter | None = None  # which is told of a call that was spared

    def talk(self, question: str) -> str:
        """Return a reply to what is no question, or ''."""
        return self.planner.talk(question)

    async def plan(self, question: str, look: Look) -> Plan:
        """Return the plan that was made before, or make one; what was made in another way than asked is tried anew the next time."""
        started = time.perf_counter()
        address = self._address(question, look)
        kept = await self.memory.get(address)
        plan = decode(Plan, kept) if kept else None
        if plan is not None:
            seconds = time.perf_counter() - started
            if self.meter and plan.decided_by == "model":
                self.meter.recall("plan", "extraction", seconds)
            return replace(plan, milliseconds=round(seconds * 1000, 3))
        plan = await self.planner.plan(question, look)
        if not plan.notes:
            await self.memory.put(address, encode(plan))
        return plan

    def _address(self, question: str, look: Look) -> str:
        others = self.translator.others if self.translator else ()
        seen = [(item.document.collection, item.document.id, item.passage.text) for item in look.evidence]
        told = json.dumps([self.basis, question, plain(look.names), seen, sorted(look.rarity.items()), others])
        return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()
