"""Trees with a model: composite parts are planned with calls of their own, and the rules stand behind each of them."""

from typing import Any

import pytest
from planning_models import planner, replied

from scholarmind.calls import Request
from scholarmind.errors import BudgetError
from scholarmind.plan import Plan
from scholarmind.ports import Look
from scholarmind.testing import ScriptedModel

pytestmark = pytest.mark.anyio

QUESTION = "Compare BERT and GPT-2 on depth and data, and who proposed RoBERTa?"
COMPARISON = "Compare BERT and GPT-2 on depth and data."
TOPS = replied(COMPARISON, "Who proposed RoBERTa?")
SIDES = replied(
    "What are the depth and data of BERT?",
    "What are the depth and data of GPT-2?",
    (COMPARISON, [1, 2], "compare"),
)
Row = tuple[int, int, str, tuple[int, ...], str]


def rows(plan: Plan) -> list[Row]:
    return [(part.id, part.parent, part.role, part.depends_on, part.text) for part in plan.parts]


def asked_about(request: Request) -> str:
    """Return the question of a call, which its last message ends with."""
    return request.messages[-1].text.rstrip().splitlines()[-2]


def scripted(own: Any) -> ScriptedModel:
    """A model that plans the question, and makes this of its part."""

    def reply(request: Request) -> Any:
        if asked_about(request) != COMPARISON:
            return TOPS
        if isinstance(own, Exception):
            raise own
        return own

    return ScriptedModel(reply)


async def test_a_composite_part_is_planned_again() -> None:
    model = scripted(SIDES)
    plan = await planner(model, depth=2).plan(QUESTION, Look())

    assert rows(plan) == [
        (1, 0, "compare", (2, 3), COMPARISON),
        (2, 1, "find", (), "What are the depth and data of BERT?"),
        (3, 1, "find", (), "What are the depth and data of GPT-2?"),
        (4, 0, "find", (), "Who proposed RoBERTa?"),
    ]
    assert ([asked_about(call) for call in model.requests], plan.notes) == ([QUESTION, COMPARISON], ())


async def test_a_depth_of_one_asks_once() -> None:
    model = scripted(SIDES)
    plan = await planner(model, depth=1).plan(QUESTION, Look())

    assert ([part.text for part in plan.parts], len(model.requests)) == ([COMPARISON, "Who proposed RoBERTa?"], 1)


@pytest.mark.parametrize(
    ("own", "told"),
    [
        (BudgetError("no calls are left"), "no calls are left"),
        (replied(), "the model's plan had no parts"),
        (replied(COMPARISON), "the model saw one question"),
    ],
)
async def test_rules_take_a_part_apart_where_the_model_does_not(own: Any, told: str) -> None:
    plan = await planner(scripted(own), depth=2).plan(QUESTION, Look())

    assert [(part.parent, part.text) for part in plan.parts] == [
        (0, COMPARISON),
        (1, "BERT on depth"),
        (1, "GPT-2 on depth"),
        (1, "BERT on data"),
        (1, "GPT-2 on data"),
        (0, "Who proposed RoBERTa?"),
    ]
    (note,) = plan.notes
    assert note.startswith(f"{COMPARISON!r}: the plan was made by rules: {told}")


async def test_answers_are_still_passed_on_when_numbers_move() -> None:
    tops = replied(COMPARISON, "Which dataset did RoBERTa use?", ("What is the size of #2?", [2]))
    question = "Compare BERT and GPT-2 on depth and data. Which dataset did RoBERTa use, and what is its size?"
    model = ScriptedModel(lambda request: SIDES if asked_about(request) == COMPARISON else tops)

    plan = await planner(model, depth=2).plan(question, Look())

    assert [(part.text, part.depends_on) for part in plan.parts[3:]] == [
        ("Which dataset did RoBERTa use?", ()),
        ("What is the size of #4?", (4,)),
    ]


async def test_what_waits_or_is_waited_for_stays_whole() -> None:
    reply = replied(
        "Which datasets do BERT and GPT-2 use?",
        ("What are the sizes and the languages of #1?", [1]),
        "Who proposed RoBERTa?",
    )
    model = ScriptedModel(lambda _: reply)
    plan = await planner(model, depth=2).plan(
        "Which datasets do BERT and GPT-2 use, what are their sizes and languages, and who proposed RoBERTa?", Look()
    )

    assert ({part.parent for part in plan.parts}, len(model.requests)) == ({0}, 1)


async def test_the_model_is_told_how_many_parts_the_question_may_have() -> None:
    model = ScriptedModel(lambda _: replied("What dataset did BERT use?", ("What is the size of #1?", [1])))
    await planner(model, cap=9).plan("What is the size of the dataset that BERT used?", Look())

    assert "At most 3 parts." in model.requests[0].messages[0].text
