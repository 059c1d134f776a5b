"""Replies that were given once are not paid for twice, and a memory that fails costs nothing but a note."""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from scholarmind.calls import Budget, LanguageModel, PromptMessage, Reply, Request, Usage
from scholarmind.errors import LibraryStorageError, ModelUnavailableError
from scholarmind.llm.language_models import PriceList
from scholarmind.llm.metering import Cached, Journalled, Meter
from scholarmind.testing import Interrupted, MemoryJournal, ScriptedModel

pytestmark = pytest.mark.anyio

NAMES = {"extraction": "m", "generation": "w"}


@dataclass(frozen=True, slots=True)
class Short:
    """The shape of a reply."""

    answer: str
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
    """Another shape."""

    count: int


ASK = Request(purpose="part 1", task="extraction", messages=(PromptMessage("user", "Who?"),), shape=Short)
TEXT = replace(ASK, purpose="answer", task="generation", shape=None)


class Kept:
    """A cache in memory; `broken` makes it fail as a full disk does."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.broken = False

    async def get(self, address: str) -> str | None:
        self._check()
        return self.values.get(address)

    async def put(self, address: str, value: str) -> None:
        self._check()
        self.values[address] = value

    def _check(self) -> None:
        if self.broken:
            raise LibraryStorageError("the disk is full")


class Journal(Kept):
    """The same as a journal."""

    async def get(self, run: str, address: str) -> str | None:  # type: ignore[override]
        return await super().get(run + address)

    async def put(self, run: str, address: str, step: str, value: str) -> None:  # type: ignore[override]
        await super().put(run + address, value)


def says(answer: object, model: str = "scripted") -> ScriptedModel:
    """A model that always says the same."""
    return ScriptedModel(lambda _: answer, model=model)


Over = Callable[[LanguageModel], LanguageModel]


@pytest.fixture(params=["journal", "cache"])
def memory(request: pytest.FixtureRequest) -> tuple[str, Kept, Over, list[str]]:
    """Each of the two memories: its name, what it holds, how a model gets it, and the notes."""
    notes: list[str] = []
    if request.param == "journal":
        journal = Journal()
        return (
            "journal",
            journal,
            lambda model: Journalled(model, journal, "r", basis="7", names=NAMES, notes=notes),
            notes,
        )  # type: ignore[arg-type, return-value]
    cache = Kept()
    return "cache", cache, lambda model: Cached(model, cache, rights="all", names=NAMES, notes=notes), notes


async def streamed(model: LanguageModel, request: Request) -> list[str | Reply]:
    return [piece async for piece in model.stream(request)]


class TestBoth:
    async def test_a_reply_comes_back_whole_and_free(self, memory: tuple[str, Kept, Over, list[str]]) -> None:
        name, _, over, notes = memory
        inner = says(Short("Devlin", ("P1",)))
        first = await over(inner).complete(ASK)
        again = await over(inner).complete(replace(ASK, purpose="part 3", part=3))
        assert len(inner.requests) == 1
        assert (first.remembered, first.calls, first.value) == ("", 1, Short("Devlin", ("P1",)))
        assert again == replace(first, remembered=name, calls=0, seconds=0.0)  # type: ignore[arg-type]
        assert notes == []

    async def test_a_stream_is_remembered_as_one_piece(self, memory: tuple[str, Kept, Over, list[str]]) -> None:
        name, _, over, _ = memory
        inner = says("BERT was proposed by Devlin.")
        first = await streamed(over(inner), TEXT)
        again = await streamed(over(inner), TEXT)
        assert len(first) > 2
        assert again == [
            "BERT was proposed by Devlin.",
            replace(first[-1], remembered=name, calls=0, seconds=0.0),  # type: ignore[type-var]
        ]
        assert (await over(inner).complete(TEXT)).text == "BERT was proposed by Devlin."
        assert len(inner.requests) == 1

    async def test_another_question_model_or_shape_is_asked_anew(
        self, memory: tuple[str, Kept, Over, list[str]]
    ) -> None:
        _, _, over, _ = memory
        inner = says('{"answer": "a", "count": 1}')
        others = [
            replace(ASK, messages=(PromptMessage("user", "When?"),)),
            replace(ASK, task="generation"),
            replace(ASK, shape=Count),
            replace(ASK, max_tokens=5),
        ]
        for request in (ASK, *others):
            assert (await over(inner).complete(request)).remembered == ""
        assert len(inner.requests) == 5

    async def test_the_random_marker_makes_no_other_question(self, memory: tuple[str, Kept, Over, list[str]]) -> None:
        _, _, over, _ = memory
        inner = says("{'answer': 'a'}")
        for marker in ("abc", "xyz"):
            text = f"<passage {marker} P1>"
            await over(inner).complete(replace(ASK, messages=(PromptMessage("user", text),), marker=marker))
        assert len(inner.requests) == 1

    async def test_failures_are_not_remembered(self, memory: tuple[str, Kept, Over, list[str]]) -> None:
        _, kept, over, _ = memory
        for answer in (ModelUnavailableError("down"), Interrupted("half", ModelUnavailableError("reset"))):
            with pytest.raises(ModelUnavailableError):
                await over(says(answer)).complete(ASK)
            with pytest.raises(ModelUnavailableError):
                await streamed(over(says(answer)), ASK)
        assert kept.values == {}

    async def test_a_stream_that_is_left_is_closed_and_not_remembered(
        self, memory: tuple[str, Kept, Over, list[str]]
    ) -> None:
        _, kept, over, _ = memory
        closed: list[bool] = []

        class Endless(ScriptedModel):
            async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
                try:
                    while True:
                        yield "more "
                finally:
                    closed.append(True)

        stream = over(Endless()).stream(TEXT)
        assert await anext(stream) == "more "
        await stream.aclose()  # type: ignore[attr-defined]
        assert (closed, kept.values) == ([True], {})

    async def test_a_memory_that_fails_costs_a_note(self, memory: tuple[str, Kept, Over, list[str]]) -> None:
        name, kept, over, notes = memory
        kept.broken = True
        inner = says(Short("Devlin"))
        for _ in range(2):
            assert (await over(inner).complete(ASK)).value == Short("Devlin")
        assert (await streamed(over(inner), ASK))[-1].value == Short("Devlin")  # type: ignore[union-attr]
        assert notes == [
            f"the {name} of replies could not be read: the disk is full",
            f"the {name} of replies could not be written: the disk is full",
        ]

    @pytest.mark.parametrize(
        "value",
        [
            "",
            "[]",
            "null",
            "{}",
            '{"text": 5, "model": "m", "usage": [1, 1, false], "finish": "stop"}',
            '{"text": "{\\"answer\\": \\"a\\"}", "model": "m", "usage": [1], "finish": "stop"}',
            '{"text": "{\\"answer\\": \\"a\\"}", "model": "m", "usage": [1, 1, false], "finish": "odd"}',
            '{"text": "no JSON", "model": "m", "usage": [1, 1, false], "finish": "stop"}',
        ],
    )
    async def test_what_no_longer_reads_is_asked_again(
        self, memory: tuple[str, Kept, Over, list[str]], value: str
    ) -> None:
        _, kept, over, _ = memory
        inner = says(Short("Devlin"))
        await over(inner).complete(ASK)
        written = dict(kept.values)
        kept.values = dict.fromkeys(kept.values, value)
        assert (await over(inner).complete(ASK)).value == Short("Devlin")
        assert (len(inner.requests), kept.values) == (2, written)


class Finishing(ScriptedModel):
    """Its replies end as they are told to."""

    def __init__(self, finish: str, text: str = "half a sentence") -> None:
        super().__init__(lambda _: text)
        self.finish: Any = finish

    async def complete(self, request: Request) -> Reply:
        return replace(await super().complete(request), finish=self.finish)


class TestJournal:
    async def test_it_belongs_to_one_run_and_one_basis(self) -> None:
        journal = MemoryJournal()
        inner = says("text")
        for run, basis in (("a", "1"), ("b", "1"), ("a", "2"), ("a", "1")):
            await Journalled(inner, journal, run, basis=basis, names=NAMES).complete(TEXT)
        assert len(inner.requests) == 3
        assert journal.steps == [("a", "answer"), ("b", "answer"), ("a", "answer")]

    @pytest.mark.parametrize("finish", ["length", "filter", "cut"])
    async def test_it_keeps_also_what_did_not_end_well(self, finish: str) -> None:
        journal, inner = MemoryJournal(), Finishing(finish)
        for remembered in ("", "journal"):
            reply = await Journalled(inner, journal, "r", basis="", names=NAMES).complete(TEXT)
            assert (reply.finish, reply.remembered) == (finish, remembered)


class TestCache:
    async def test_who_may_see_something_else_is_answered_anew(self) -> None:
        cache, inner = Kept(), says("text")
        for rights in ("public", "secret", "public"):
            await Cached(inner, cache, rights=rights, names=NAMES).complete(TEXT)
        assert len(inner.requests) == 2

    @pytest.mark.parametrize(
        ("finish", "text"), [("length", "half"), ("filter", "no"), ("cut", "half"), ("stop", ""), ("stop", " \n")]
    )
    async def test_it_keeps_only_what_ended_well(self, finish: str, text: str) -> None:
        cache = Kept()
        await Cached(Finishing(finish, text), cache, rights="", names=NAMES).complete(TEXT)
        assert cache.values == {}

    async def test_it_keeps_what_is_needed_and_no_more(self) -> None:
        cache = Kept()
        await Cached(says("text", model="v"), cache, rights="", names=NAMES).complete(TEXT)
        assert [json.loads(value) for value in cache.values.values()] == [
            {"text": "text", "model": "v", "usage": [1, 1, False], "finish": "stop"}
        ]


class TestTogether:
    async def test_the_meter_sees_what_is_remembered(self) -> None:
        """The order in use: a meter over the journal over the cache over the client."""
        journal, cache = MemoryJournal(), Kept()
        inner = says("text", model="w")
        prices = PriceList(prices={"w": (1.0, 1.0)})
        seen: list[tuple[str, float | None, int]] = []
        for run in ("one", "one", "two", "two"):
            meter = Meter(prices=prices, names=NAMES, budget=Budget(calls=1))
            remembering = Journalled(Cached(inner, cache, rights="", names=NAMES), journal, run, basis="", names=NAMES)
            await meter.over(remembering).complete(TEXT)
            seen += [(call.remembered, call.cost, call.calls) for call in meter.calls]
        assert seen == [("", 2 / 1e6, 1), ("journal", 0.0, 0), ("cache", 0.0, 0), ("journal", 0.0, 0)]
        assert len(inner.requests) == 1

    async def test_usage_is_kept(self) -> None:
        journal = MemoryJournal()
        model = Journalled(says("text"), journal, "r", basis="", names=NAMES)
        assert [(await model.complete(TEXT)).usage for _ in range(2)] == [Usage(1, 1), Usage(1, 1)]
