"""Whatever a model replies: a plan that can be carried out, and no word of the question lost on the way."""

import asyncio

import gold_chinese
import gold_english
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planning_models import found, planned

from scholarmind.plan import Plan
from scholarmind.planning.plan_checks import lost_words, named_in_vain
from scholarmind.planning.plan_mending import PlannedPart, PlanReply
from scholarmind.planning.rule_planner import RulePlanner
from scholarmind.ports import Look

QUESTIONS = [row[0] for row in gold_english.SPLIT + gold_chinese.SPLIT]
QUESTIONS += gold_english.WHOLE + gold_chinese.WHOLE
LOOK = Look(
    evidence=(
        found("bert", "BERT was trained on BookCorpus, as Devlin said.", "BERT"),
        found("zh", "BERT由谷歌提出，在GLUE上得分80.5。", "预训练"),
    )
)
BITS = (
    "#1 #2 #3 #9 #0 it its they 它 他们 上述 Compare the above what who how 谁 什么 BERT GPT-2 GLUE Silent Harbour 2019 John "
    "爱因斯坦 datasets director of in and \n ( ) “ 《 \ue000 \ue105 \x00 ? ？ 。"
).split(" ")


def texts(question: str) -> st.SearchStrategy[str]:
    words = [*question.split(), *BITS, question, question[: len(question) // 2]]
    return st.one_of(st.lists(st.sampled_from(words), max_size=8).map(" ".join), st.text(max_size=30))


def replies(question: str) -> st.SearchStrategy[PlanReply]:
    text, number = texts(question), st.integers(-2, 8)
    numbers = st.lists(number, max_size=4).map(tuple)
    part = st.builds(
        PlannedPart,
        question=text,
        kind=st.sampled_from(["factual", "reasoning", "global", "compare", "conclude", "synthesis", "", "x"]),
        depends_on=numbers,
        rows=st.lists(text, max_size=3).map(tuple),
    )
    return st.builds(PlanReply, standalone=text, own_answer=text, parts=st.lists(part, max_size=9).map(tuple))


def told(text: str) -> str:
    return " ".join(text.split()).rstrip("?？.。")


def check(plan: Plan, question: str, cap: int) -> None:
    asked = [row.text for part in plan.parts for row in part.rows]
    waits = {part.id: part.depends_on for part in plan.parts}
    ruled = RulePlanner(cap=cap).plan(question)
    lost = named_in_vain(lost_words(question, [*asked, *(part.text for part in plan.parts)]), question, ())
    assert set(lost) <= set(lost_words(question, [r.text for part in ruled.parts for r in part.rows]))
    assert [part.id for part in plan.parts] == list(range(1, len(plan.parts) + 1))
    assert len([part for part in plan.parts if not part.parent]) <= cap
    assert len(plan.parts) <= 2 * cap  # with those of a tree
    if plan.decided_by == "model":
        own = {part.id: part.parent for part in plan.parts}  # stand below what puts them together
        assert all(other < number or own[other] == number for number, others in waits.items() for other in others)
        assert not any("\ue000" <= character <= "\uf8ff" for text in asked for character in text)
        assert any(part.role == "find" for part in plan.parts)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(QUESTIONS), st.integers(1, 6))
def test_any_reply_ends_in_a_plan_that_loses_nothing(data: st.DataObject, question: str, cap: int) -> None:
    plan = asyncio.run(planned(question, data.draw(replies(question)), LOOK, cap=cap))

    check(plan, question, cap)
    assert plan.question == question


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(QUESTIONS))
def test_any_reply_in_a_conversation_keeps_what_was_typed(data: st.DataObject, question: str) -> None:
    reply = data.draw(replies(question))

    plan = asyncio.run(
        planned(question, reply, LOOK, earlier=[("What is BERT?", "A model by Devlin.")], typed=question)
    )

    assert lost_words(question, [plan.question]) == []
    check(plan, plan.question, 5)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=200), st.text(max_size=60))
def test_any_question_and_any_part_end_in_a_plan(question: str, part: str) -> None:
    reply = PlanReply(
        parts=(PlannedPart(question=part), PlannedPart(question=question), PlannedPart(question=f"#1 {part}"))
    )

    plan = asyncio.run(planned(question, reply))

    assert plan.parts


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=200))
def test_any_text_that_comes_back_ends_in_a_plan(text: str) -> None:
    plan = asyncio.run(planned(QUESTIONS[0], text))

    check(plan, QUESTIONS[0], 5)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_rules_own_plan_comes_back_whole(question: str) -> None:
    ruled = RulePlanner(cap=9).plan(question)
    parts = tuple(
        PlannedPart(
            question=part.text, kind=part.kind if part.role == "find" else part.role, depends_on=part.depends_on
        )
        for part in ruled.parts
    )

    plan = asyncio.run(planned(question, PlanReply(parts=parts), cap=9))

    assert [told(part.text) for part in plan.parts] == [told(part.text) for part in ruled.parts]
    assert [(part.depends_on, part.role) for part in plan.parts] == [
        (part.depends_on, part.role) for part in ruled.parts
    ]
