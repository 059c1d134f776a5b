"""What questions are asked of: things that an order to compare names first, and what was counted before."""

import pytest

from scholarmind.planning.rule_planner import RulePlanner


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "Compare Rust and Go: when were they released, and who develops them?",
            ["When was Rust released?", "When was Go released?", "Who develops Rust?", "Who develops Go?"],
        ),
        (
            "Compare the treaties of Paris and Vienna: who signed each, and what did each change?",
            [
                "Who signed the treaties of Paris?",
                "Who signed the treaties of Vienna?",
                "What did the treaties of Paris change?",
                "What did the treaties of Vienna change?",
            ],
        ),
        (
            "Compare the Panama Canal and the Suez Canal: what were the obstacles, and who financed the work?",
            [
                "What were the obstacles (the Panama Canal)?",
                "What were the obstacles (the Suez Canal)?",
                "Who financed the work (the Panama Canal)?",
                "Who financed the work (the Suez Canal)?",
            ],
        ),
        (
            "Compare Let it and Go: what do they say of their song?",
            ["What does Let it say of Let it's song?", "What does Go say of Go's song?"],
        ),
        (
            "Compare the trial of Weil et al. with that of Tisch et al.: which drugs were given?",
            [
                "Which drugs were given (the trial of Weil et al.)?",
                "Which drugs were given (the trial of Tisch et al.)?",
            ],
        ),
        (
            "Compare the Newham service with Soil Systems, Inc.: when did each close, and what became of its data?",
            [
                "When did the Newham service close?",
                "When did Soil Systems, Inc. close?",
                "What became of the Newham service's data?",
                "What became of Soil Systems, Inc.'s data?",
            ],
        ),
        (
            "比较激动药和拮抗药：它们跟受体结合的能力怎样，内在活性有什么不同？",
            [
                "激动药跟受体结合的能力怎样？",
                "拮抗药跟受体结合的能力怎样？",
                "激动药，内在活性有什么不同？",
                "拮抗药，内在活性有什么不同？",
            ],
        ),
        (
            "对比BERT和ALBERT：它们的参数量是多少？",
            ["BERT的参数量是多少？", "ALBERT的参数量是多少？"],
        ),
        (
            "How do oak and beech differ in growth and in drought tolerance?",
            ["Oak in growth", "Beech in growth", "Oak in drought tolerance", "Beech in drought tolerance"],
        ),
        (
            "How do the trap and catching flies with a human as bait compare in cost?",
            ["The trap in cost", "Catching flies with a human as bait in cost"],
        ),
    ],
)
def test_each_thing_is_asked_about_side_by_side(question: str, parts: list[str]) -> None:
    plan = RulePlanner().plan(question)
    assert [part.text for part in plan.parts if part.role == "find"] == parts
    assert [part.role for part in plan.parts][-1] == "compare"


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("2023年一共数到多少只普氏原羚，它们主要集中在哪两个地方？", "普氏原羚主要集中在哪两个地方？"),
        ("2022年共监测到多少种水鸟，它们主要分布在哪里？", "水鸟主要分布在哪里？"),
    ],
)
def test_what_was_counted_is_spoken_of(question: str, last: str) -> None:
    assert RulePlanner().plan(question).parts[-1].text == last


def test_a_comparison_within_comparisons_is_taken_apart_once() -> None:
    plan = RulePlanner().plan("compare A1 and B2: " * 40 + "what did each cost?")
    assert len(plan.parts) <= 5
