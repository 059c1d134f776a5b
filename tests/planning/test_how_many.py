"""How many parts a question is worth, by what it says and what is to be done with that."""

import pytest

from scholarmind.model import Name
from scholarmind.planning.question_gate import SecondLook
from scholarmind.planning.rule_planner import how_many

LONG = "Compare " + ", ".join(f"method {number} without pruning" for number in range(30)) + " on speed."


@pytest.mark.parametrize(
    ("question", "steps", "parts"),
    [
        ("What is attention?", 1, 1),
        ("What is the size of the dataset that BERT used?", 3, 2),
        ("How many layers does BERT have?", 3, 2),
        ("Which papers on pruning were not evaluated on ImageNet?", 5, 2),
        ("Is RoBERTa larger than BERT?", 4, 3),
        ("什么是注意力机制？", 1, 1),
        ("BERT使用了哪些数据集？", 2, 1),
        ("CLIP和ALIGN使用了哪些数据集，它们的规模有多大？", 5, 4),
        ("小数据集上LoRA和全量微调哪个更好？", 5, 3),
    ],
)
def test_things_and_operations_are_counted(question: str, steps: int, parts: int) -> None:
    assert (how_many(question), how_many(question, grain="parts")) == (steps, parts)


@pytest.mark.parametrize("question", ["", "?", "the", "、", LONG, "的" * 500])
@pytest.mark.parametrize("most", [1, 3, 10])
def test_the_count_keeps_its_bounds(question: str, most: int) -> None:
    assert 1 <= how_many(question, most=most) <= most


def test_a_longer_question_of_the_same_kind_is_worth_more() -> None:
    one = how_many("Who proposed dropout?")
    two = how_many("Who proposed dropout and which networks was it tested on?")
    three = how_many(
        "Who proposed dropout and which networks was it tested on before 2015 without batch normalisation?"
    )

    assert one < two < three


def test_a_name_that_the_library_knows_is_one_thing() -> None:
    question = "Who wrote attention and the limits of memory?"
    name = Name(text="attention and the limits of memory", start=10, end=44, field="title", value="", documents=1)

    assert how_many(question, [name]) < how_many(question)


def test_two_passages_that_each_hold_a_share_are_worth_two_parts() -> None:
    look = SecondLook(verdict="composite", reason="another passage has what the best one lacks")

    assert (how_many("What is attention?", second=look), how_many("What is attention?")) == (2, 1)
