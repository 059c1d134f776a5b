"""Much work for a language model: many calls, several at a time, within a budget; a reply that was paid for is remembered.

At a limit the work stops, and what was done stays done: the same work, begun again, goes on from there.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from scholarmind.calls import Budget, CallCost, Estimate, LanguageModel, Reply, Request
from scholarmind.errors import BudgetError, ModelUnavailableError
from scholarmind.events import OnEvent, ignore
from scholarmind.llm.language_models import EstimatedCalls, Models, estimate
from scholarmind.llm.metering import Cached, Meter
from scholarmind.llm.prompts import Assistant, marker_of

T = TypeVar("T")
_GIVES_UP = 8  # calls in a row that nobody answered: the server is not there, and the rest would only wait for it
_TOKENS_A_SECOND = 40  # of a reply, about
_SECONDS = 1.5  # that a call takes beside its reply, about
_LONGEST_TOLD = 200
_MOST_NOTES = 20
_NOTHING = Budget()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What work with a model would come to: so many things to do, what that costs, and about how long it takes."""

    things: int
    estimate: Estimate
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """What work with a model came to. The same work, begun again, goes on with what is left."""

    done: int = 0  # things that the model did
    kept: int = 0  # things that stay as they were without it; `notes` say why
    left: int = 0
    stopped: str = ""  # the limit that was reached, or why it was given up
    notes: tuple[str, ...] = ()
    spent: Mapping[str, float] = field(default_factory=dict[str, float])  # llm_calls, tokens; cost if it is known
    remembered: int = 0  # replies that were there already
    currency: str = "USD"


class ModelWork:
    """Asks a model, and stops at a limit. Only one event loop may use it."""

    def __init__(
        self, models: Models, *, budget: Budget = _NOTHING, concurrency: int = 8, on_event: OnEvent = ignore
    ) -> None:
        self.stopped = ""
        self.notes: list[str] = []
        self._meter = Meter(budget=budget, prices=models.prices, names=models.names, report=on_event)
        self._currency = models.prices.currency
        self._concurrency = concurrency
        self._places = asyncio.Semaphore(concurrency)
        self._under_way = 0
        self._ended = asyncio.Event()  # another one after each call
        self._unanswered = 0
        model = self._meter.over(_remembering(models, self.notes))
        marker = marker_of(secrets.token_hex(16))  # what is remembered has no marker in its address
        self.assistant = Assistant(model=model, marker=marker, prompts=models.prompts)

    async def reply(self, request: Request) -> Reply:
        """Return what the model replies; a BudgetError when the work has stopped."""
        while not self.stopped:
            ended = self._ended
            try:
                async with self._places:
                    return await self._asked(request)
            except BudgetError as error:
                if not self._under_way:
                    self.stopped = str(error)
                    raise
            await ended.wait()  # what calls under way have set aside is more than they need: then there is room again
        raise BudgetError(self.stopped)

    async def each(self, things: Sequence[T], work: Callable[[T], Awaitable[None]]) -> None:
        """Do the work for all things, several at a time, until it has stopped. Any other error ends it."""
        waiting = deque(things)

        async def go_on() -> None:
            while waiting and not self.stopped:
                await work(waiting.popleft())

        tasks = [asyncio.create_task(go_on()) for _ in range(min(self._concurrency, len(things)))]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def worked(self, *, done: int, kept: int, left: int) -> Worked:
        """Return what the work came to, with what it cost and the first of its notes."""
        calls = self._meter.calls
        notes = list(dict.fromkeys(self.notes))
        more = [f"and {len(notes) - _MOST_NOTES:,} more notes"] if len(notes) > _MOST_NOTES else []
        return Worked(
            done=done,
            kept=kept,
            left=left,
            stopped=self.stopped,
            notes=(*notes[:_MOST_NOTES], *more),
            spent=self._meter.spent,
            remembered=sum(map(_is_remembered, calls)),
            currency=self._currency,
        )

    async def _asked(self, request: Request) -> Reply:
        self._under_way += 1
        began = True
        try:
            reply = await self.assistant.model.complete(request)
        except BudgetError:
            began = False
            raise
        except ModelUnavailableError as error:
            self._unanswered += 1
            if self._unanswered >= _GIVES_UP:
                self.stopped = f"{self._unanswered} calls in a row were not answered: {why(error)}"
            raise
        finally:
            self._under_way -= 1
            if began:
                self._ended.set()
                self._ended = asyncio.Event()
        self._unanswered = 0
        return reply


def outlook(things: int, work: Sequence[EstimatedCalls], models: Models, concurrency: int) -> Outlook:
    """Return what work would come to that is done so many calls at a time, one kind after another."""
    seconds = sum(
        max(each.levels, -(-each.calls // concurrency)) * (_SECONDS + each.longest / _TOKENS_A_SECOND)
        for each in work
        if each.calls
    )
    return Outlook(things=things, estimate=estimate(work, models), seconds=seconds)


def why(error: Exception) -> str:
    """Return an error in one line that is not too long."""
    return " ".join(str(error).split())[:_LONGEST_TOLD] or type(error).__name__


def _is_remembered(call: CallCost) -> bool:
    return bool(call.remembered)


def _remembering(models: Models, notes: list[str]) -> LanguageModel:
    if models.cache is None:
        return models.model
    return Cached(models.model, models.cache, rights=models.rights, names=models.names, notes=notes)
