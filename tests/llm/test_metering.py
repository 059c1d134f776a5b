"""What calls cost is counted, limits hold also for calls at the same time, and no call outlives the time of its question."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest

from scholarmind.calls import Budget, CallCost, LanguageModel, PromptMessage, Reply, Request, Usage
from scholarmind.errors import BudgetError, ContextOverflowError, ModelError, ModelReplyError, ModelUnavailableError
from scholarmind.events import Event, ModelCalled
from scholarmind.llm.language_models import PriceList
from scholarmind.llm.metering import Meter

pytestmark = pytest.mark.anyio

PRICES = PriceList(prices={"m": (1.0, 10.0)})
NAMES = {"routing": "m", "extraction": "m", "generation": "m"}
ASK = Request(
    purpose="part 2", task="extraction", messages=(PromptMessage("user", "w" * 400),), max_tokens=50, part=2, prompt="p"
)
ANSWER = replace(ASK, purpose="answer", task="generation", part=None)
GIVEN = Reply(text="one two", model="m", usage=Usage(110, 20))


class Model:
    """Gives a reply, or does what it is told first; `closed` counts the streams that were closed properly."""

    def __init__(self, reply: Reply = GIVEN, act: Callable[[], object] = lambda: None, latency: float = 0.0) -> None:
        self.reply = reply
        self.act = act
        self.latency = latency
        self.asked = 0
        self.closed = 0

    async def complete(self, request: Request) -> Reply:
        self.asked += 1
        await asyncio.sleep(self.latency)
        self.act()
        return self.reply

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        self.asked += 1
        try:
            yield "one "
            await asyncio.sleep(self.latency)
            self.act()
            yield "two"
            yield self.reply
        finally:
            self.closed += 1


def failing(error: BaseException) -> Callable[[], object]:
    def act() -> None:
        raise error

    return act


def metered(model: LanguageModel, **more: object) -> tuple[Meter, LanguageModel]:
    meter = Meter(**{"prices": PRICES, "names": NAMES, **more})  # type: ignore[arg-type]
    return meter, meter.over(model)


async def streamed(model: LanguageModel, request: Request = ASK) -> list[str | Reply]:
    return [piece async for piece in model.stream(request)]


def timeless(call: CallCost) -> CallCost:
    assert call.seconds >= 0
    return replace(call, seconds=0.0)


CALL = CallCost(
    purpose="part 2", task="extraction", model="m", part=2, prompt="p", usage=Usage(110, 20), cost=310 / 1e6
)


class TestCounting:
    async def test_a_call_and_a_stream_are_recorded_alike(self) -> None:
        events: list[Event] = []
        meter, model = metered(Model(), report=events.append)
        assert await model.complete(ASK) == GIVEN
        assert await streamed(model) == ["one ", "two", GIVEN]
        assert [timeless(call) for call in meter.calls] == [CALL, CALL]
        assert events == [ModelCalled(call=call) for call in meter.calls]
        assert meter.spent == {"llm_calls": 2, "tokens": 260, "cost": pytest.approx(620 / 1e6)}

    async def test_nothing_is_spent_before_the_first_call(self) -> None:
        meter, _ = metered(Model())
        assert (meter.calls, meter.spent, meter.exhausted) == ((), {"llm_calls": 0, "tokens": 0, "cost": 0}, False)

    async def test_an_unknown_price_is_told_as_unknown(self) -> None:
        meter, model = metered(Model(replace(GIVEN, model="odd")), names={})
        await model.complete(ASK)
        assert meter.calls[0].cost is None
        assert meter.spent == {"llm_calls": 1, "tokens": 130}

    async def test_a_model_that_calls_itself_otherwise_costs_what_the_one_costs_that_was_asked(self) -> None:
        meter, model = metered(Model(replace(GIVEN, model="deployment-7")))
        await model.complete(ASK)
        assert (meter.calls[0].model, meter.calls[0].cost) == ("deployment-7", CALL.cost)

    @pytest.mark.parametrize("memory", ["journal", "cache"])
    async def test_what_is_remembered_costs_nothing(self, memory: str) -> None:
        meter, model = metered(Model(replace(GIVEN, remembered=memory, calls=0)), budget=Budget(calls=1))  # type: ignore[arg-type]
        await model.complete(ASK)
        await streamed(model)
        assert timeless(meter.calls[0]) == replace(CALL, cost=0.0, calls=0, remembered=memory)  # type: ignore[arg-type]
        assert meter.spent == {"llm_calls": 0, "tokens": 0, "cost": 0}

    async def test_repairs_count(self) -> None:
        meter, model = metered(Model(replace(GIVEN, calls=3)), budget=Budget(calls=3))
        await model.complete(ASK)
        assert meter.spent["llm_calls"] == 3
        assert meter.exhausted

    async def test_two_models_share_one_meter(self) -> None:
        meter = Meter(prices=PRICES, names=NAMES, budget=Budget(calls=1))
        await meter.over(Model()).complete(ASK)
        with pytest.raises(BudgetError, match="max_calls = 1 is reached"):
            await meter.over(Model()).complete(ASK)


class TestFailures:
    @pytest.mark.parametrize("error", [ModelUnavailableError("no server"), ContextOverflowError("too long")])
    async def test_a_refusal_is_recorded_and_costs_nothing(self, error: Exception) -> None:
        meter, model = metered(Model(act=failing(error)))
        with pytest.raises(type(error)):
            await model.complete(ASK)
        assert timeless(meter.calls[0]) == replace(CALL, usage=Usage(), cost=0.0, error=str(error))

    async def test_a_useless_reply_is_paid_for(self) -> None:
        meter, model = metered(Model(act=failing(ModelReplyError("garbage"))))
        with pytest.raises(ModelReplyError):
            await model.complete(ASK)
        assert timeless(meter.calls[0]) == replace(
            CALL, usage=Usage(100, 0, estimated=True), cost=100 / 1e6, error="garbage"
        )

    @pytest.mark.parametrize("kind", [ModelUnavailableError, ContextOverflowError, ModelReplyError])
    async def test_what_was_replied_before_an_error_is_paid_for(self, kind: type[ModelError]) -> None:
        error = kind("the repair failed")
        error.usage, error.calls = Usage(200, 30), 2
        meter, model = metered(Model(act=failing(error)), budget=Budget(calls=2))
        with pytest.raises(kind):
            await model.complete(ASK)
        assert timeless(meter.calls[0]) == replace(
            CALL, usage=Usage(200, 30), calls=2, cost=500 / 1e6, error="the repair failed"
        )
        assert meter.exhausted

    async def test_a_stream_that_breaks_off_after_other_replies_costs_both(self) -> None:
        error = ModelUnavailableError("reset")
        error.usage, error.calls = Usage(200, 30), 1
        meter, model = metered(Model(act=failing(error)))
        with pytest.raises(ModelUnavailableError):
            await streamed(model)
        assert timeless(meter.calls[0]) == replace(
            CALL, usage=Usage(300, 31, estimated=True), calls=2, cost=610 / 1e6, error="reset"
        )

    async def test_a_stream_that_breaks_off_costs_what_had_come(self) -> None:
        inner = Model(act=failing(ModelUnavailableError("reset")))
        meter, model = metered(inner)
        with pytest.raises(ModelUnavailableError, match="reset"):
            await streamed(model)
        assert timeless(meter.calls[0]) == replace(
            CALL, usage=Usage(100, 1, estimated=True), cost=110 / 1e6, error="reset"
        )
        assert inner.closed == 1

    async def test_an_error_of_another_kind_is_named(self) -> None:
        meter, model = metered(Model(act=failing(RuntimeError("oh"))))
        with pytest.raises(RuntimeError):
            await model.complete(ASK)
        assert meter.calls[0].error == "RuntimeError: oh"

    async def test_a_stream_that_is_left_is_settled_and_closed(self) -> None:
        inner = Model()
        meter, model = metered(inner, budget=Budget(calls=2))
        stream = model.stream(ASK)
        assert await anext(stream) == "one "
        assert meter.calls == ()
        await stream.aclose()  # type: ignore[attr-defined]
        assert (inner.closed, meter.calls[0].error) == (1, "its stream was left before the end")
        await model.complete(ASK)
        assert meter.exhausted

    async def test_who_has_the_reply_may_leave_its_stream(self) -> None:
        meter, model = metered(Model())
        async for piece in model.stream(ASK):
            if isinstance(piece, Reply):
                break
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert [timeless(call) for call in meter.calls] == [CALL]

    async def test_a_cancelled_call_is_settled(self) -> None:
        meter, model = metered(Model(latency=60))
        task = asyncio.create_task(model.complete(ASK))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert timeless(meter.calls[0]) == replace(
            CALL, usage=Usage(100, 0, estimated=True), cost=100 / 1e6, error="it was cancelled"
        )


class TestLimits:
    @pytest.mark.parametrize(
        ("budget", "told"),
        [
            (Budget(calls=2), "max_calls = 2 is reached; there was no call for part 2"),
            (Budget(tokens=409), "max_tokens = 409 is reached"),
            (Budget(cost=0.0012), "max_cost = 0.0012 is reached"),
        ],
    )
    @pytest.mark.parametrize("ask", [lambda model: model.complete(ASK), streamed])
    async def test_the_call_that_would_pass_a_limit_is_not_made(
        self, budget: Budget, told: str, ask: Callable[[LanguageModel], object]
    ) -> None:
        """Each call may take 150 tokens (600 millionths) and then takes 130 (310)."""
        inner = Model()
        meter, model = metered(inner, budget=budget)
        await ask(model)  # type: ignore[misc]
        assert not meter.exhausted
        await ask(model)  # type: ignore[misc]
        with pytest.raises(BudgetError, match=told):
            await ask(model)  # type: ignore[misc]
        assert (inner.asked, len(meter.calls)) == (2, 2)

    async def test_a_limit_that_is_just_met_is_kept(self) -> None:
        _, model = metered(Model(), budget=Budget(calls=1, tokens=150, cost=0.0006))
        assert await model.complete(ASK) == GIVEN

    @pytest.mark.parametrize("budget", [Budget(calls=3), Budget(tokens=150 * 3), Budget(cost=0.0006 * 3)])
    async def test_calls_at_the_same_time_do_not_pass_a_limit(self, budget: Budget) -> None:
        inner = Model(latency=0.01)
        _, model = metered(inner, budget=budget)
        ended = await asyncio.gather(*(model.complete(ASK) for _ in range(10)), return_exceptions=True)
        assert inner.asked == 3
        assert [type(one) for one in ended] == [Reply] * 3 + [BudgetError] * 7

    async def test_what_is_set_aside_and_not_needed_is_there_again(self) -> None:
        _, model = metered(Model(replace(GIVEN, usage=Usage(5, 5))), budget=Budget(tokens=170))
        for _ in range(3):
            await model.complete(ASK)
        with pytest.raises(BudgetError):
            await model.complete(ASK)

    async def test_failed_calls_count_too(self) -> None:
        inner = Model(act=failing(ModelUnavailableError("no")))
        _, model = metered(inner, budget=Budget(calls=2))
        for error in (ModelUnavailableError, ModelUnavailableError, BudgetError):
            with pytest.raises(error):
                await model.complete(ASK)
        assert inner.asked == 2

    async def test_money_cannot_be_limited_without_a_price(self) -> None:
        meter, model = metered(Model(), budget=Budget(cost=1), names={"extraction": "odd"})
        with pytest.raises(
            BudgetError, match="max_cost = 1 cannot be kept: the price of 'odd' is unknown; add it to a file"
        ):
            await model.complete(ASK)
        assert meter.calls == ()

    @pytest.mark.parametrize(
        ("budget", "reserve"),
        [
            (Budget(calls=1), Budget(calls=1)),
            (Budget(tokens=200), Budget(tokens=100)),
            (Budget(cost=0.001), Budget(cost=0.0005)),
        ],
    )
    async def test_what_is_kept_back_is_for_the_answer(self, budget: Budget, reserve: Budget) -> None:
        _, model = metered(Model(), budget=budget, reserve=reserve)
        with pytest.raises(BudgetError, match=r"is reached"):
            await model.complete(ASK)
        assert await model.complete(ANSWER) == GIVEN


class TestTime:
    @pytest.mark.parametrize("ask", [lambda model: model.complete(ASK), streamed])
    async def test_a_call_ends_with_the_time_of_its_question(self, ask: Callable[[LanguageModel], object]) -> None:
        inner = Model(latency=60)
        meter, model = metered(inner, deadline=time.monotonic() + 1)
        with pytest.raises(
            ModelUnavailableError, match=r"did not end part 2 within [01]\.\d s, the time left for this question"
        ):
            await ask(model)  # type: ignore[misc]
        assert meter.calls[0].usage.prompt == 100
        assert meter.calls[0].cost is not None
        assert meter.calls[0].cost > 0

    async def test_no_call_begins_when_the_time_is_over(self) -> None:
        inner = Model()
        meter, model = metered(inner, deadline=time.monotonic())
        with pytest.raises(BudgetError, match="no time is left for part 2"):
            await model.complete(ASK)
        assert (inner.asked, meter.calls) == (0, ())

    async def test_a_time_out_of_the_model_itself_stays_what_it_is(self) -> None:
        _, model = metered(Model(act=failing(TimeoutError("mine"))), deadline=time.monotonic() + 60)
        with pytest.raises(TimeoutError, match="mine"):
            await model.complete(ASK)

    async def test_the_pauses_of_the_reader_are_not_cut(self) -> None:
        """A slow reader is not torn out of its own work; only the waiting for the next piece ends."""
        deadline = time.monotonic() + 1
        _, model = metered(Model(), deadline=deadline)
        pieces: list[str | Reply] = []

        async def read_slowly() -> None:
            async for piece in model.stream(ASK):
                await asyncio.sleep(deadline + 0.05 - time.monotonic())
                pieces.append(piece)

        with pytest.raises(ModelUnavailableError):
            await read_slowly()
        assert pieces == ["one "]


async def test_once_the_answer_is_written_nothing_is_kept_back_for_it() -> None:
    meter = Meter(budget=Budget(calls=2), prices=PriceList(), reserve=Budget(calls=1))
    model = meter.over(Model())
    for purpose in ("answer", "check"):
        await model.complete(replace(ASK, purpose=purpose))
    assert [call.purpose for call in meter.calls] == ["answer", "check"]
