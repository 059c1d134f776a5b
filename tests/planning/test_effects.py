"""Questions of effect with another question behind them, by the rules."""

import pytest

from scholarmind.plan import Plan
from scholarmind.planning.rule_planner import RulePlanner

PLANNER = RulePlanner(cap=9)
BEHIND = {
    "How does dropout affect overfitting, and which models use it?": "Which models use dropout?",
    "How does dropout affect overfitting and which recent language models use it?": "Which recent language models use dropout?",
    "How does dropout affect overfitting, and who proposed it?": "Who proposed dropout?",
    "How does temperature affect diversity, and what is its default?": "What is temperature's default?",
    "dropout如何影响过拟合，哪些模型使用了它？": "哪些模型使用了dropout？",
    "分块策略如何影响RAG中的重排序，哪些系统采用了这种策略？": "哪些系统采用了分块策略？",
    "量化如何影响推理速度，它是谁提出的？": "量化是谁提出的？",
}
BOTH = {
    "How are depth and width related, and which papers vary them?": [
        "Which papers vary depth?",
        "Which papers vary width?",
    ],
    "注意力与记忆之间有什么关系，并且哪些论文研究过它们？": ["哪些论文研究过注意力？", "哪些论文研究过记忆？"],
}


def depends(plan: Plan) -> list[tuple[int, ...]]:
    return [part.depends_on for part in plan.parts]


@pytest.mark.parametrize(("question", "last"), BEHIND.items())
def test_what_is_asked_behind_an_effect_is_a_part_of_its_own(question: str, last: str) -> None:
    plan = PLANNER.plan(question)
    assert depends(plan) == [(), (), (1, 2), ()]
    assert plan.parts[-1].text == last
    assert [end for end in (", ", " and which", "，") if end in plan.parts[1].text] == []


@pytest.mark.parametrize(("question", "last"), BOTH.items())
def test_several_that_are_meant_are_each_asked_about(question: str, last: list[str]) -> None:
    plan = PLANNER.plan(question)
    assert depends(plan) == [(), (), (1, 2), (), ()]
    assert [part.text for part in plan.parts[-2:]] == last


def test_what_is_said_by_the_way_is_no_question() -> None:
    plan = PLANNER.plan("How does dropout affect overfitting, which is a problem of large models?")
    assert [part.text for part in plan.parts[:2]] == ["What is dropout?", "What is overfitting?"]
    assert depends(plan) == [(), (), (1, 2)]


@pytest.mark.parametrize(
    "question",
    [
        "Which papers measure the effect of dropout on overfitting?",
        "What datasets were used to measure the effect of dropout on overfitting?",
        "哪些论文测量了学习率对收敛速度的影响？",
        "What is a model which was proposed by Google and which outperforms strong baselines?",
        "What is a method which works and which later became popular?",
    ],
)
def test_what_only_speaks_of_an_effect_or_goes_on_stays_whole(question: str) -> None:
    assert [part.text for part in PLANNER.plan(question).parts] == [question]
