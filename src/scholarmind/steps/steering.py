"""What is asked of single parts while a question is researched: to stop one, or to ask it again.

Knows nothing of how a part is researched. A part that is stopped is a finding with an error, as one is whose time is over.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Literal

from scholarmind.answer import Finding
from scholarmind.errors import PlanError
from scholarmind.plan import Plan, SubQuestion
from scholarmind.steps.execute import Investigate, resolved

Steer = Literal["stop", "again"]
_STOPPED = "stopped before it was answered"


class Steering:
    """Takes what is asked of the parts of one run, from whichever thread."""

    def __init__(self) -> None:
        self.stopped: set[int] = set()
        self._again: set[int] = set()
        self._parts = frozenset[int]()
        self._closed = False
        self._done: set[int] = set()
        self._working: dict[int, asyncio.Task[Finding]] = {}

    def steer(self, part: int, what: Steer) -> None:
        """Stop a part, or ask it again: at once if it is being researched, else when the others are done."""
        if self._closed or not self._parts:
            raise PlanError("no part is being researched now; when the answer is there, ask about the part by itself")
        if part not in self._parts:
            raise PlanError(f"the plan has no part {part!r}; its parts are {', '.join(map(str, sorted(self._parts)))}")
        if what == "stop" and part in self._done:
            raise PlanError(f"part {part} is done already; it can be asked again")
        if what == "stop":
            self.stopped.add(part)
        else:
            self.stopped.discard(part)
            if part in self._done:
                self._again.add(part)
        if work := self._working.get(part):
            work.get_loop().call_soon_threadsafe(work.cancel)

    def taken(self) -> tuple[int, ...]:
        """Return the parts that are to be researched once more, and forget that."""
        again, self._again = tuple(sorted(self._again)), set()
        return again

    def close(self) -> None:
        """Take nothing more: what was found is being written up."""
        self._closed = True

    def steered(self, step: Investigate, plan: Plan, renew: Callable[[], None]) -> Investigate:
        """Return the same step, which ends or begins anew where that is asked for; `renew` is called before the latter."""
        self._parts = frozenset(part.id for part in plan.parts)

        async def investigate(part: SubQuestion, given: Mapping[int, Finding]) -> Finding:
            self._done.discard(part.id)
            try:
                return await self._attempted(step, part, given, renew)
            finally:
                self._done.add(part.id)

        return investigate

    async def _attempted(
        self, step: Investigate, part: SubQuestion, given: Mapping[int, Finding], renew: Callable[[], None]
    ) -> Finding:
        while part.id not in self.stopped:
            work = asyncio.ensure_future(step(part, given))
            self._working[part.id] = work
            try:
                return await work
            except asyncio.CancelledError:
                if not _is_steered(work):
                    raise
                renew()
            finally:
                work.cancel()
                del self._working[part.id]
        return Finding(part=part, question=resolved(part, given), error=_STOPPED)


def _is_steered(work: asyncio.Task[Finding]) -> bool:
    """Tell whether only the work was cancelled, and not whoever waits for it."""
    waiting = asyncio.current_task()
    return work.cancelled() and waiting is not None and not waiting.cancelling()
