"""What stands around a model: the meter of its calls and cost, and the cache of its replies."""

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Generator, Mapping, MutableSequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeVar, cast, get_args

from scholarmind.calls import Budget, CallCost, Finish, LanguageModel, Reply, Request, ResponseCache, Task, Usage
from scholarmind.errors import BudgetError, ContextOverflowError, ModelError, ModelUnavailableError, ScholarMindError
from scholarmind.events import ModelCalled, OnEvent, ignore
from scholarmind.llm.language_models import PriceList, cost, tokens_of
from scholarmind.llm.typed_replies import parse, read
from scholarmind.ports import Journal

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
                bill.paid = (error.usage, error.calls) if isinstance(error, ModelError) and error.usage else None
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


def _told(error: BaseException) -> str:
    if isinstance(error, asyncio.CancelledError):
        return "it was cancelled"
    if isinstance(error, GeneratorExit):
        return "its stream was left before the end"
    return str(error) if isinstance(error, ScholarMindError) else f"{type(error).__name__}: {error}"


def _tokens(call: CallCost) -> int:
    return 0 if call.remembered else call.usage.prompt + call.usage.completion


# -- replies that are there already are not paid for again: those of a run from its journal, those of earlier runs from a cache


class _Memory(Protocol):
    """Where replies are kept."""

    name: Literal["journal", "cache"]

    def address(self, request: Request) -> str: ...
    def keeps(self, reply: Reply) -> bool: ...
    async def get(self, address: str) -> str | None: ...
    async def put(self, address: str, request: Request, value: str) -> None: ...


class _Remembering:
    """A model with a memory."""

    def __init__(self, model: LanguageModel, memory: _Memory, notes: MutableSequence[str] | None) -> None:
        self._model = model
        self._memory = memory
        self._notes = notes

    async def complete(self, request: Request) -> Reply:
        """Return the reply that is remembered, or ask and remember."""
        if (kept := await self._recalled(request)) is not None:
            return kept
        reply = await self._model.complete(request)
        await self._keep(request, reply)
        return reply

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        """Do the same in pieces; what is remembered comes as one."""
        if (kept := await self._recalled(request)) is not None:
            yield kept.text
            yield kept
            return
        pieces = self._model.stream(request)
        try:
            async for piece in pieces:
                if isinstance(piece, Reply):
                    await self._keep(request, piece)
                yield piece
        finally:
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()

    async def _recalled(self, request: Request) -> Reply | None:
        try:
            value = await self._memory.get(self._memory.address(request))
        except ScholarMindError as error:
            self._note(f"the {self._memory.name} of replies could not be read: {error}")
            return None
        reply = _read(value, request) if value is not None else None
        return reply and replace(reply, remembered=self._memory.name)

    async def _keep(self, request: Request, reply: Reply) -> None:
        if not self._memory.keeps(reply):
            return
        try:
            await self._memory.put(self._memory.address(request), request, _written(reply))
        except ScholarMindError as error:
            self._note(f"the {self._memory.name} of replies could not be written: {error}")

    def _note(self, note: str) -> None:
        if self._notes is not None and note not in self._notes:
            self._notes.append(note)


class Journalled(_Remembering):
    """What this run was told once it is told again for nothing, also after a kill. `basis` is all else that replies rest on."""

    def __init__(
        self,
        model: LanguageModel,
        journal: Journal,
        run: str,
        *,
        basis: str,
        names: Mapping[Task, str],
        notes: MutableSequence[str] | None = None,
    ) -> None:
        super().__init__(model, _InJournal(journal, run, basis, names), notes)


class Cached(_Remembering):
    """What any run was told that could see as much (`rights`)."""

    def __init__(
        self,
        model: LanguageModel,
        cache: ResponseCache,
        *,
        rights: str,
        names: Mapping[Task, str],
        notes: MutableSequence[str] | None = None,
    ) -> None:
        super().__init__(model, _InCache(cache, rights, names), notes)


class _InJournal:
    name: Literal["journal", "cache"] = "journal"

    def __init__(self, journal: Journal, run: str, basis: str, names: Mapping[Task, str]) -> None:
        self._journal = journal
        self._run = run
        self._basis = basis
        self._names = names

    def address(self, request: Request) -> str:
        return _address("call", self._basis, self._names.get(request.task, ""), request)

    def keeps(self, reply: Reply) -> bool:
        del reply
        return True  # also half a reply is paid for

    async def get(self, address: str) -> str | None:
        return await self._journal.get(self._run, address)

    async def put(self, address: str, request: Request, value: str) -> None:
        await self._journal.put(self._run, address, request.purpose, value)


class _InCache:
    name: Literal["journal", "cache"] = "cache"

    def __init__(self, cache: ResponseCache, rights: str, names: Mapping[Task, str]) -> None:
        self._cache = cache
        self._rights = rights
        self._names = names

    def address(self, request: Request) -> str:
        return _address("reply", self._rights, self._names.get(request.task, ""), request)

    def keeps(self, reply: Reply) -> bool:
        return reply.finish == "stop" and bool(reply.text.strip())  # another time it may come whole

    async def get(self, address: str) -> str | None:
        return await self._cache.get(address)

    async def put(self, address: str, request: Request, value: str) -> None:
        del request
        await self._cache.put(address, value)


def _address(*parts: str | Request) -> str:
    told = [part.content if isinstance(part, Request) else part for part in parts]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _written(reply: Reply) -> str:
    usage = [reply.usage.prompt, reply.usage.completion, reply.usage.estimated]
    return json.dumps({"text": reply.text, "model": reply.model, "usage": usage, "finish": reply.finish})


def _read(value: str, request: Request) -> Reply | None:
    """Return what was written, with its value in the shape that is wanted today; None if that cannot be done."""
    try:
        kept: dict[str, Any] = json.loads(value)
        text, model, finish = kept["text"], kept["model"], kept["finish"]
        prompt, completion, estimated = kept["usage"]
        if not isinstance(text, str) or finish not in get_args(Finish):
            return None
        typed = read(request.shape, parse(text)) if request.shape else None
        usage = Usage(int(prompt), int(completion), bool(estimated))
    except (ValueError, TypeError, KeyError):
        return None
    return Reply(text=text, model=str(model), value=typed, usage=usage, finish=cast("Finish", finish), calls=0)
