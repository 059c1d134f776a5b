"""Plans that are trees: nested questions come out as the trees that they are, within bounds, and with answers still passed on."""

import gold_chinese
import gold_english
import pytest
from gold_trees import FLAT, TREES, Tree

from scholarmind.plan import Plan
from scholarmind.planning.rule_planner import RulePlanner

PLANNER = RulePlanner(cap=5, depth=2)
LARGE = "Compare BERT, GPT-2 and T5 in depth, data, speed and cost; then compare ViT, Swin and ResNet in accuracy, speed, memory and cost."


def tree(plan: Plan, parent: int = 0) -> list[Tree]:
    """Return a plan as its gold tree is written."""
    found: list[Tree] = []
    for part in plan.parts:
        if part.parent == parent:
            own = tree(plan, part.id)
            found.append(part.text if part.role == "find" else (part.text, part.role, own))
    return found


def test_there_are_twenty_gold_trees() -> None:
    assert len({question for question, _ in TREES}) == 20


@pytest.mark.parametrize(("question", "gold"), TREES, ids=[question[:40] for question, _ in TREES])
def test_a_nested_question_is_the_tree_that_it_is(question: str, gold: list[Tree]) -> None:
    assert tree(PLANNER.plan(question)) == gold


@pytest.mark.parametrize("question", [question for question, _ in TREES])
def test_a_part_waits_for_its_own_parts_and_for_the_answers_in_its_text(question: str) -> None:
    plan = PLANNER.plan(question)

    for part in plan.parts:
        own = tuple(other.id for other in plan.parts if other.parent == part.id)
        if own:
            assert set(part.depends_on) == {*own, *part.bridges}
            assert all(number > part.id for number in own)  # they are shown below it


@pytest.mark.parametrize("question", [*FLAT, *(row[0] for row in gold_english.SPLIT + gold_chinese.SPLIT)])
def test_what_only_looks_nested_is_planned_as_before(question: str) -> None:
    nested, flat = RulePlanner(cap=9, depth=2).plan(question), RulePlanner(cap=9, depth=1).plan(question)

    assert nested.parts == flat.parts


@pytest.mark.parametrize("question", [question for question, _ in TREES])
def test_a_depth_of_one_is_flat(question: str) -> None:
    plan = RulePlanner(cap=5, depth=1).plan(question)

    assert [part.parent for part in plan.parts] == [0] * len(plan.parts)
    assert len(plan.parts) <= 5


@pytest.mark.parametrize(
    ("question", "waits"),
    [
        ("Who proposed dropout? How do BatchNorm and LayerNorm differ in stability? Summarize the findings.", (1, 2)),
        ("谁提出了Transformer？LSTM和GRU的区别是什么？综合以上，能得出什么结论？", (1, 2)),
    ],
)
def test_a_conclusion_from_the_whole_waits_for_what_stands_at_the_top(question: str, waits: tuple[int, ...]) -> None:
    last = PLANNER.plan(question).parts[-1]

    assert (last.role, last.parent, last.depends_on) == ("conclude", 0, waits)


def test_a_large_tree_keeps_its_bound_and_every_row() -> None:
    plan = RulePlanner(cap=5, depth=2).plan(LARGE)

    assert [part.role for part in plan.parts if not part.parent] == ["compare", "compare"]
    assert len(plan.parts) == 10
    assert sum(len(part.rows) for part in plan.parts if part.role == "find") == 24


def test_more_clauses_than_a_plan_may_have_at_its_top_are_planned_flat() -> None:
    plan = RulePlanner(cap=2, depth=2).plan(
        "Compare ViT and Swin in speed. Who proposed LoRA? Which datasets are in BEIR? When was GPT-2 released?"
    )

    assert len(plan.parts) <= 2
    assert {part.parent for part in plan.parts} == {0}
