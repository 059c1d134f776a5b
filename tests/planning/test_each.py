"""What is asked of each item of a list, by the rules and in the plans of a model."""

import pytest

from scholarmind.plan import Plan
from scholarmind.planning.rule_planner import RulePlanner

pytestmark = pytest.mark.anyio

PLANNER = RulePlanner(cap=5)
SHORT = {
    "For each of the datasets that BERT was evaluated on, what is the size?": [
        ("What are the datasets that BERT was evaluated on?", 0),
        ("What is the size of #1?", 1),
    ],
    "For each dataset used by BERT, what metric was reported?": [
        ("What are the datasets used by BERT?", 0),
        ("What metric was reported for #1?", 1),
    ],
    "For each of the models proposed by Google, who are the authors and when was it released?": [
        ("What are the models proposed by Google?", 0),
        ("Who are the authors of #1?", 1),
        ("When was #1 released?", 1),
    ],
    "What is the size of each dataset used by BERT?": [
        ("What are the datasets used by BERT?", 0),
        ("What is the size of #1?", 1),
    ],
    "How many parameters does every model proposed by Radford have?": [
        ("What are the models proposed by Radford?", 0),
        ("How many parameters does #1 have?", 1),
    ],
    "Which datasets was BERT evaluated on, and what is the accuracy of each?": [
        ("Which datasets was BERT evaluated on?", 0),
        ("What is the accuracy of #1?", 1),
    ],
    "Which models were proposed by Google in 2018, and how many parameters does each have?": [
        ("Which models were proposed by Google in 2018?", 0),
        ("How many parameters does #1 have?", 1),
    ],
    "Which datasets were used to train CLIP and ALIGN, and how large is each of them?": [
        ("Which datasets were used to train CLIP?", 0),
        ("Which datasets were used to train ALIGN?", 0),
        ("How large is #1?", 1),
        ("How large is #2?", 2),
    ],
    "Which datasets was BERT evaluated on, and what is its score on each?": [
        ("Which datasets was BERT evaluated on?", 0),
        ("What is BERT's score on #1?", 1),
    ],
    "Which datasets was BERT evaluated on, and how well does it perform on each dataset?": [
        ("Which datasets was BERT evaluated on?", 0),
        ("How well does BERT perform on #1?", 1),
    ],
    "Which benchmarks did T5 report? What is its result on every one of them?": [
        ("Which benchmarks did T5 report?", 0),
        ("What is T5's result on #1?", 1),
    ],
    "Which datasets does BERT use, and what is the accuracy of BERT on each?": [
        ("Which datasets does BERT use?", 0),
        ("What is the accuracy of BERT on #1?", 1),
    ],
    "Which datasets were BERT and RoBERTa evaluated on, and what are their scores on each?": [
        ("Which datasets was BERT evaluated on?", 0),
        ("Which datasets was RoBERTa evaluated on?", 0),
        ("What are BERT's scores on #1?", 1),
        ("What are RoBERTa's scores on #2?", 2),
    ],
    "Which universities did Turing attend, and what did he study at each?": [
        ("Which universities did Turing attend?", 0),
        ("What did Turing study at #1?", 1),
    ],
    "Which libraries does the paper use, and what does it do with each library?": [
        ("Which libraries does the paper use?", 0),
        ("What does the paper do with #1?", 1),
    ],
    "BERT在哪些数据集上评测过，它在每个数据集上的得分是多少？": [
        ("BERT在哪些数据集上评测过？", 0),
        ("BERT在#1 上的得分是多少？", 1),
    ],
    "BERT在哪些数据集上评测过，以及在每个数据集上的得分是多少？": [
        ("BERT在哪些数据集上评测过？", 0),
        ("BERT在#1 上的得分是多少？", 1),
    ],
    "拿破仑入侵过哪些国家，他在什么时候入侵了每个国家？": [
        ("拿破仑入侵过哪些国家？", 0),
        ("拿破仑在什么时候入侵了#1？", 1),
    ],
    "Which methods improve on the Transformer, on which datasets were they evaluated, and who proposed them?": [
        ("Which methods improve on the Transformer?", 0),
        ("On which datasets were #1 evaluated?", 0),
        ("Who proposed #1?", 0),
    ],
    "Which methods improve on BERT, on which datasets were they evaluated, and when was each published?": [
        ("Which methods improve on BERT?", 0),
        ("On which datasets were #1 evaluated?", 0),
        ("When was #1 published?", 1),
    ],
    "哪些方法改进了BERT，在哪些数据集上评测，由谁提出？": [
        ("哪些方法改进了BERT？", 0),
        ("#1 在哪些数据集上评测？", 0),
        ("#1 由谁提出？", 0),
    ],
    "BERT在哪些数据集上做了评测，它们各有多大？": [("BERT在哪些数据集上做了评测？", 0), ("#1 有多大？", 1)],
    "BERT使用的每个数据集的规模是多少？": [("BERT使用的数据集有哪些？", 0), ("#1 的规模是多少？", 1)],
    "对于BERT评测过的每个数据集，准确率是多少？": [("BERT评测过的数据集有哪些？", 0), ("#1 的准确率是多少？", 1)],
    "BERT所用各数据集的规模分别是多少？": [("BERT所用的数据集有哪些？", 0), ("#1 的规模分别是多少？", 1)],
    "请列出LoRA论文评测的每个模型的参数量": [("LoRA论文评测的模型有哪些？", 0), ("请列出#1 的参数量。", 1)],
    "BERT使用了哪些数据集，各自的规模是多少？": [("BERT使用了哪些数据集？", 0), ("#1 的规模是多少？", 1)],
    "BERT使用了哪些数据集？每个数据集的规模是多少？": [("BERT使用了哪些数据集？", 0), ("#1 的规模是多少？", 1)],
}
ALONE = [
    "What is the capital of each country?",
    "What was the role of each player in the team?",
    "For each of the following, what is it: BERT, GPT?",
    "每个国家的首都是什么？",
    "每年发布多少模型？",
    "各种方法的优缺点是什么？",
]
QUESTION = "What is the size of each dataset used by BERT?"


def rows(plan: Plan) -> list[tuple[str, int]]:
    return [(part.text, part.each) for part in plan.parts]


@pytest.mark.parametrize(("question", "expected"), SHORT.items())
def test_the_list_first_then_what_is_asked_of_each(question: str, expected: list[tuple[str, int]]) -> None:
    plan = PLANNER.plan(question)
    assert rows(plan) == expected
    assert {part.each for part in plan.parts} <= {0, *(number for part in plan.parts for number in part.depends_on)}


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("Which datasets was BERT evaluated on, and how does it perform on them?", ("How does BERT perform on #1?", 0)),
        (
            "Which datasets was BERT evaluated on, and how many samples does each class have?",
            ("How many samples does each class have (BERT)?", 0),
        ),
        (
            "Which models were proposed by Google, and how do they differ from each other?",
            ("How do #1 differ from each other?", 0),
        ),
        ("What is BERT, and what is its score on each dataset?", ("What is BERT's score on each dataset?", 0)),
    ],
)
def test_what_is_asked_of_no_single_item_of_the_list(question: str, last: tuple[str, int]) -> None:
    assert rows(PLANNER.plan(question))[-1] == last


@pytest.mark.parametrize("question", ALONE)
def test_each_of_what_nobody_can_list_stays_whole(question: str) -> None:
    assert rows(PLANNER.plan(question)) == [(question, 0)]


def test_each_of_names_that_are_given_waits_for_nothing() -> None:
    plan = PLANNER.plan("Compare BERT and GPT-2 on GLUE, and who proposed each?")
    assert {part.each for part in plan.parts} == {0}
