"""Counts what the calls of one run cost, stops before a limit is passed, and ends calls when the time of the run is over."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from scholarmind.calls import Budget, CallCost, LanguageModel, Reply, Request, Task, Usage
from scholarmind.errors import BudgetError, ContextOverflowError, ModelError, ModelUnavailableError, ScholarMindError
from scholarmind.events import ModelCalled, OnEvent, ignore
from scholarmind.llm.language_models import PriceList, cost, tokens_of

T = TypeVar("T")
_REFUSALS = (ModelUnavailableError, ContextOverflowError)
_NOTHING = Budget()
_LAST = "answer"
_EPSILON = 1e-9  # of money: sums of floats


@dataclass(slots=True)
class _Bill:
    """A call under way: what is set aside for it until it is known what it cost."""

    request: Request
    prompt: int  # tokens, about
    tokens: int  # at most
    cost: float
    began: float
    seconds: float  # that were left for it
    is_late: bool = False
    said: list[str] = field(default_factory=list[str])
    reply: Reply | None = None
    error: str = ""
    paid: tuple[Usage, int] | None = None  # what replies before the error cost
    is_free: bool = False  # nobody read it, so nothing is to be paid

    @property
    def total(self) -> tuple[Usage, int]:
        """What it took, and in how many calls; estimated where there is no reply that tells."""
        if self.reply:
            return self.reply.usage, self.reply.calls
        if self.paid and not self.said:
            return self.paid
        usage, calls = self.paid or (Usage(), 0)
        return usage + Usage(self.prompt, tokens_of("".join(self.said)), estimated=True), calls + 1


class Meter:
    """Of the budget of a run, `reserve` is kept back for the request whose purpose is "answer", so that it can still be written.

    Only one event loop may use a meter: what is left is asked for and set aside without a pause between.
    """

    def __init__(
        self,
        *,
        budget: Budget = _NOTHING,
        prices: PriceList,
        names: Mapping[Task, str] | None = None,
        report: OnEvent = ignore,
        deadline: float | None = None,  # by time.monotonic
        reserve: Budget = _NOTHING,
    ) -> None:
        self._budget = budget
        self._prices = prices.prices
        self._names = names or {}
        self._report = report
        self._deadline = deadline
        self._reserve = reserve
        self._open: list[_Bill] = []
        self._calls: list[CallCost] = []

    def over(self, model: LanguageModel) -> LanguageModel:
        """Return a model whose calls are counted here."""
        return _Metered(self, model)

    @property
    def calls(self) -> tuple[CallCost, ...]:
        """All calls that are over, in the order of their ends."""
        return tuple(self._calls)

    @property
    def spent(self) -> dict[str, float]:
        """The sums of all calls that are over; no `cost` if that of one of them is unknown."""
        tokens = sum(_tokens(call) for call in self._calls)
        sums: dict[str, float] = {"llm_calls": sum(call.calls for call in self._calls), "tokens": tokens}
        costs = [call.cost for call in self._calls if call.cost is not None]
        return sums | {"cost": sum(costs)} if len(costs) == len(self._calls) else sums

    @property
    def exhausted(self) -> bool:
        """Tell whether a limit is reached, so that not even the smallest call is left."""
        return bool(self._reached(_NOTHING, tokens=1, money=_EPSILON * 2))

    def begin(self, request: Request) -> _Bill:
        """Set aside what a call may cost at most. A BudgetError names the limit that it would pass."""
        left = self.left()
        if left is not None and left <= 0:
            raise BudgetError(f"no time is left for {request.purpose}; give the question more (run_seconds)")
        prompt = sum(tokens_of(message.text) for message in request.messages)
        money = self._money(request, Usage(prompt, request.max_tokens))
        tokens = prompt + request.max_tokens
        is_written = any(call.purpose == _LAST for call in self._calls)
        reserve = _NOTHING if is_written or request.purpose == _LAST else self._reserve
        if reached := self._reached(reserve, tokens=tokens, money=money):
            raise BudgetError(f"{reached} is reached; there was no call for {request.purpose}")
        bill = _Bill(request, prompt, tokens, money, time.monotonic(), left or 0.0)
        self._open.append(bill)
        return bill

    def left(self) -> float | None:
        """Return the seconds that are left for the question; None is without end."""
        return None if self._deadline is None else self._deadline - time.monotonic()

    def settle(self, bill: _Bill) -> None:
        """Count what a call really cost, and report it."""
        self._open.remove(bill)
        call = self._call(bill)
        self._calls.append(call)
        self._report(ModelCalled(call=call))

    def recall(self, purpose: str, task: Task, seconds: float) -> None:
        """Count a call that did not have to be made, because what it had brought was kept, and report it."""
        model = self._names.get(task, "")
        call = CallCost(purpose=purpose, task=task, model=model, calls=0, cost=0.0, seconds=seconds, remembered="cache")
        self._calls.append(call)
        self._report(ModelCalled(call=call))

    def _reached(self, reserve: Budget, *, tokens: int, money: float) -> str:
        """Return the limit that so much more would pass, or ''. Calls under way count with all that they may cost."""
        spent = self._calls
        count = sum(call.calls for call in spent) + len(self._open) + 1
        tokens += sum(map(_tokens, spent)) + sum(bill.tokens for bill in self._open)
        money += sum(call.cost or 0 for call in spent) + sum(bill.cost for bill in self._open)
        budget = self._budget
        if budget.calls is not None and count > budget.calls - (reserve.calls or 0):
            return f"max_calls = {budget.calls}"
        if budget.tokens is not None and tokens > budget.tokens - (reserve.tokens or 0):
            return f"max_tokens = {budget.tokens}"
        if budget.cost is not None and money > budget.cost - (reserve.cost or 0) + _EPSILON:
            return f"max_cost = {budget.cost}"
        return ""

    def _money(self, request: Request, usage: Usage) -> float:
        """Return what a call costs at most. Where there is a limit, what has no price cannot be asked."""
        name = self._names.get(request.task, "")
        money = cost(usage, name, self._prices)
        if money is None and self._budget.cost is not None:
            raise BudgetError(
                f"max_cost = {self._budget.cost} cannot be kept: the price of {name!r} is unknown; "
                "add it to a file of prices, or take the limit away"
            )
        return money or 0.0

    def _call(self, bill: _Bill) -> CallCost:
        request, reply = bill.request, bill.reply
        call = CallCost(
            purpose=request.purpose,
            task=request.task,
            model=reply.model if reply else self._names.get(request.task, ""),
            part=request.part,
            prompt=request.prompt,
            seconds=time.monotonic() - bill.began,
            error=bill.error,
        )
        if reply and reply.remembered:
            return replace(call, usage=reply.usage, calls=0, cost=0.0, remembered=reply.remembered)
        if bill.is_free:
            return replace(call, cost=0.0)
        usage, calls = bill.total
        return replace(call, usage=usage, calls=calls, cost=self._price(call.model, request.task, usage))

    def _price(self, model: str, task: Task, usage: Usage) -> float | None:
        """Return what it cost: by the name that the server gives itself, or else by the one that was asked for."""
        found = cost(usage, model, self._prices)
        return cost(usage, self._names.get(task, ""), self._prices) if found is None else found


class _Metered:
    """A model whose calls a meter counts."""

    def __init__(self, meter: Meter, model: LanguageModel) -> None:
        self._meter = meter
        self._model = model

    async def complete(self, request: Request) -> Reply:
        """Ask, within the budget and the time that is left."""
        with self._billed(request) as bill:
            bill.reply = await self._in_time(self._model.complete(request), bill)
            return bill.reply

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        """Ask in the same way; a stream that is left early is paid for too."""
        with self._billed(request) as bill:
            pieces = self._model.stream(request)
            try:
                while (piece := await self._in_time(anext(pieces, None), bill)) is not None:
                    if isinstance(piece, Reply):
                        bill.reply = piece
                    else:
                        bill.said.append(piece)
                    yield piece
            finally:
                if isinstance(pieces, AsyncGenerator):
                    await pieces.aclose()

    @contextmanager
    def _billed(self, request: Request) -> Generator[_Bill]:
        bill = self._meter.begin(request)
        try:
            yield bill
        except BaseException as error:
            if bill.reply is None:  # who has the reply may leave the stream
                bill.error = _told(error)
                bill.paid = _paid_before(error)
                bill.is_free = isinstance(error, _REFUSALS) and not (bill.paid or bill.said or bill.is_late)
            raise
        finally:
            self._meter.settle(bill)

    async def _in_time(self, waiting: Awaitable[T], bill: _Bill) -> T:
        """Wait until the time of the question is over, and no longer."""
        limit = asyncio.timeout(self._meter.left())
        try:
            async with limit:
                return await waiting
        except TimeoutError as error:
            if not limit.expired():
                raise
            bill.is_late = True
            raise ModelUnavailableError(
                f"the model did not end {bill.request.purpose} within {bill.seconds:.1f} s, the time left for this question"
            ) from error


def _paid_before(error: BaseException) -> tuple[Usage, int] | None:
    return (error.usage, error.calls) if isinstance(error, ModelError) and error.usage else None


def _told(error: BaseException) -> str:
    if isinstance(error, asyncio.CancelledError):
        return "it was cancelled"
    if isinstance(error, GeneratorExit):
        return "its stream was left before the end"
    return str(error) if isinstance(error, ScholarMindError) else f"{type(error).__name__}: {error}"


def _tokens(call: CallCost) -> int:
    return 0 if call.remembered else call.usage.prompt + call.usage.completion
