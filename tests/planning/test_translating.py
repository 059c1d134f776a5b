"""Translations of what a plan asks: said in one call, checked by code; none where the library speaks but one language."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from scholarmind.calls import Request
from scholarmind.errors import LibraryError, ModelUnavailableError
from scholarmind.llm.prompts import Assistant
from scholarmind.plan import Plan, SubQuestion, Translation
from scholarmind.planning.model_planner import ModelTranslator, takes_a_call
from scholarmind.testing import ScriptedModel

pytestmark = pytest.mark.anyio

DATASET = "What dataset did BERT use in 2018?"
SIZE = "What is the size of #1?"
PLAN = Plan(
    question="How large is the dataset that BERT used in 2018?",
    parts=(
        SubQuestion(id=1, text=DATASET),
        SubQuestion(id=2, text=SIZE, depends_on=(1,)),
        SubQuestion(id=3, text="Put it together", depends_on=(1, 2), role="conclude"),
    ),
    complexity="simple",
    reason="",
    decided_by="rules",
)
CHINESE = {1: "BERT在2018年用了什么数据集？", 2: "#1的规模是多少？"}


class Speaking:
    """A library with so many passages in each language."""

    def __init__(self, counts: Mapping[str, int] | Exception) -> None:
        self._counts = counts

    async def languages(self) -> Mapping[str, int]:
        if isinstance(self._counts, Exception):
            raise self._counts
        return self._counts


def said(texts: Mapping[int, str], language: str = "zh") -> dict[str, Any]:
    return {"translations": [{"id": id, "language": language, "text": text} for id, text in texts.items()]}


def with_plan(**said: str) -> Plan:
    """Return the plan as a model made it, with these translations of the first and the second part."""
    texts = {"first": DATASET, "second": SIZE}
    translations = tuple(Translation(asked=texts[name], language="zh", said=text) for name, text in said.items())
    return replace(PLAN, complexity="composite", decided_by="model", translations=translations)


async def translator(reply: object, counts: Any = None, **more: Any) -> tuple[ModelTranslator, ScriptedModel]:
    model = ScriptedModel(lambda _: reply, latency=more.pop("latency", 0.0))
    made = ModelTranslator(Assistant(model=model, marker="5ca1ab1e"), Speaking(counts or {"en": 50, "zh": 50}), **more)
    await made.settle(PLAN.question)
    assert made.know(PLAN) == ()
    return made, model


async def test_one_call_for_all_that_is_asked_and_answers_are_put_in_as_they_are() -> None:
    made, model = await translator(said(CHINESE))
    texts = [DATASET, "What is the size of English Wikipedia?", "What is the size of BooksCorpus?"]
    found = await asyncio.gather(*(made.translated(text, PLAN) for text in texts))
    assert [each.texts for each in found] == [
        {"zh": CHINESE[1]},
        {"zh": "English Wikipedia的规模是多少？"},
        {"zh": "BooksCorpus的规模是多少？"},
    ]
    (request,) = model.requests
    asked = request.messages[-1].text
    assert (request.purpose, request.task, DATASET in asked, SIZE in asked, "Put it together" in asked) == (
        "translate",
        "extraction",
        True,
        True,
        False,
    )


@pytest.mark.parametrize(
    ("counts", "others"),
    [
        ({"en": 100}, ()),
        ({"en": 95, "zh": 5}, ()),
        ({"en": 80, "zh": 20}, ("zh",)),
        ({"zh": 10}, ("zh",)),
        ({"en": 10, "zh": 20, "de": 30, "fr": 40}, ("fr", "de")),
        ({"en": 10, "xx": 90}, ()),
        ({}, ()),
    ],
)
async def test_only_languages_with_a_considerable_share_are_worth_a_call(
    counts: Mapping[str, int], others: tuple[str, ...]
) -> None:
    made = ModelTranslator(Assistant(model=ScriptedModel(), marker="m"), Speaking(counts))
    assert (await made.settle(PLAN.question), made.others) == ((), others)


async def test_in_a_library_of_the_same_language_nobody_is_asked() -> None:
    made, model = await translator(said(CHINESE), {"en": 10})
    found = await made.translated(DATASET, PLAN)
    assert (found.texts, found.notes, model.requests) == ({}, (), [])


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("BERT用了什么数据集？", "lost '2018'"),
        ("它在2018年用了什么数据集？", "lost 'BERT'"),
        ("Which dataset did BERT use in 2018?", "is in another language"),
        ("BERT在2018年用了什么数据集？" * 20, "is too long"),
        ("#1在2018年用了什么数据集，BERT？", "lost what stands for an answer"),
        ("", "is missing"),
    ],
)
async def test_a_translation_that_lost_something_is_not_searched_with(reply: str, why: str) -> None:
    made, _ = await translator(said({1: reply, 2: CHINESE[2]}))
    found = await made.translated(DATASET, PLAN)
    assert (found.texts, found.notes) == ({}, (f"{DATASET!r} was not searched for in Chinese: its translation {why}",))
    assert (await made.translated("What is the size of GLUE?", PLAN)).texts == {"zh": "GLUE的规模是多少？"}


@pytest.mark.parametrize(
    ("reply", "more", "why"),
    [
        pytest.param(ModelUnavailableError("nobody there"), {}, "nobody there", id="no model"),
        pytest.param(said(CHINESE), {"latency": 5.0, "seconds": 0.01}, "no translation came within 0.01 s", id="late"),
    ],
)
async def test_a_failure_is_told_and_not_tried_again(reply: object, more: dict[str, Any], why: str) -> None:
    made, model = await translator(reply, **more)
    found: Sequence[Any] = [await made.translated(text, PLAN) for text in (DATASET, "What is the size of GLUE?")]
    assert [(each.texts, each.notes) for each in found] == [({}, (f"nothing was searched for in Chinese: {why}",))] * 2
    assert len(model.requests) == 1


async def test_there_is_one_call_and_no_other_for_what_is_asked_later() -> None:
    def reply(request: Request) -> object:
        return said({1: "什么是第一？"})

    model = ScriptedModel(reply)
    made = ModelTranslator(Assistant(model=model, marker="m"), Speaking({"zh": 1}))
    await made.settle("What is it?")
    made.know(PLAN)
    found = [await made.translated(f"Which one is the {'very ' * number}first?", PLAN) for number in range(3)]
    assert len(model.requests) == 1
    assert found[2].notes == (
        "nothing was searched for in Chinese: 'Which one is the very very first?' was not translated",
    )


async def test_what_a_plan_says_in_other_languages_costs_no_call() -> None:
    made, model = await translator(said({}))
    assert made.know(with_plan(first=CHINESE[1], second=CHINESE[2])) == ()
    found = [await made.translated(text, PLAN) for text in (DATASET, "What is the size of GLUE?")]
    assert [(each.texts, each.notes) for each in found] == [
        ({"zh": CHINESE[1]}, ()),
        ({"zh": "GLUE的规模是多少？"}, ()),
    ]
    assert model.requests == []


@pytest.mark.parametrize(
    ("plan", "notes"),
    [
        pytest.param(
            with_plan(first="它在2018年用了什么数据集？", second=CHINESE[2]),
            ("part 1: not searched for in Chinese: the translation lost 'BERT'",),
            id="lost",
        ),
        pytest.param(
            with_plan(first=CHINESE[1]),
            ("part 2: not searched for in Chinese: the translation is missing",),
            id="missing",
        ),
    ],
)
async def test_parts_that_do_without_are_told_and_no_call_is_made_for_them(plan: Plan, notes: tuple[str, ...]) -> None:
    made, model = await translator(said(CHINESE))
    assert made.know(plan) == notes
    found = await made.translated("Which one?", plan)
    assert (found.texts, model.requests) == ({}, [])


@pytest.mark.parametrize(
    ("change", "others", "expected"),
    [
        ({}, ("zh",), True),
        ({}, (), False),
        ({"complexity": "composite", "decided_by": "model"}, ("zh",), True),
        ({"retrieval": False}, ("zh",), False),
        ({"translations": with_plan(first=CHINESE[1]).translations}, ("zh",), False),
        ({"translations": (Translation(asked="Who?", language="zh", said="谁？"),)}, ("zh",), True),
    ],
)
def test_a_call_is_made_only_where_the_plan_says_nothing_in_other_languages(
    change: dict[str, Any], others: tuple[str, ...], expected: bool
) -> None:
    assert takes_a_call(replace(PLAN, **change), others) == expected


async def test_a_library_that_does_not_tell_its_languages_is_searched_in_that_of_the_question() -> None:
    made = ModelTranslator(Assistant(model=ScriptedModel(), marker="m"), Speaking(LibraryError("damaged")))
    (note,) = await made.settle(PLAN.question)
    assert (made.others, "damaged" in note) == ((), True)
