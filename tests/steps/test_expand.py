"""A part that is carried out for each item of a list: its rows, their bound, and what has no row."""

from dataclasses import replace
from typing import Any

import pytest

from scholarmind.answer import Finding
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.steps.investigate import expanded, fanned_out

LIST = SubQuestion(id=1, text="Which datasets did BERT use?")
SIZES = SubQuestion(id=2, text="What is the size of #1?", depends_on=(1,), each=1)
PLAIN = replace(SIZES, each=0)
PLAN = Plan(question="q", parts=(LIST, SIZES), complexity="composite", reason="", decided_by="test")


def found(*items: str, answer: str = "", **more: Any) -> Finding:
    """What the part with the list found."""
    return Finding(part=LIST, question=LIST.text, items=items, answer=answer or ", ".join(items), **more)


def texts(part: SubQuestion) -> list[str]:
    return [ask.text for ask in part.asks]


def test_a_row_for_each_item() -> None:
    part = fanned_out(SIZES, {1: found("GLUE", "SQuAD")}, 12)
    assert part.asks == (
        Ask(text="What is the size of GLUE?", entity="GLUE"),
        Ask(text="What is the size of SQuAD?", entity="SQuAD"),
    )
    assert part.row_ids == ("2.1", "2.2")


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        pytest.param(found("GLUE", "glue", "SQuAD"), ["GLUE", "SQuAD"], id="said twice"),
        pytest.param(found(answer="GLUE, SQuAD and SWAG"), ["GLUE", "SQuAD", "SWAG"], id="an answer that is a list"),
        pytest.param(found("GLUE", answer="GLUE and others"), ["GLUE"], id="a list of one"),
        pytest.param(found(answer="GLUE"), [], id="an answer that is none"),
        pytest.param(found(), [], id="no answer"),
        pytest.param(found("x" * 300, "GLUE"), ["GLUE"], id="a sentence is no item"),
        pytest.param(found("C #1", "D"), ["C # 1", "D"], id="what looks like a reference is none"),
    ],
)
def test_what_counts_as_an_item(source: Finding, rows: list[str]) -> None:
    assert texts(fanned_out(SIZES, {1: source}, 12)) == [f"What is the size of {row}?" for row in rows]


def test_no_more_rows_than_allowed_and_the_others_are_named() -> None:
    findings = [found("a1", "b2", "c3", "d4"), Finding(part=fanned_out(SIZES, {1: found("a1", "b2")}, 2), question="")]
    plan, notes = expanded(PLAN, findings, 2)
    assert texts(plan.part(2)) == ["What is the size of a1?", "What is the size of b2?"]
    assert notes == ("part 2 was carried out for 2 of 4 items of part 1, not for c3, d4",)


def test_without_a_list_it_is_carried_out_once_and_that_is_said() -> None:
    findings = [found(answer="GLUE"), Finding(part=SIZES, question="What is the size of GLUE?")]
    assert expanded(PLAN, findings, 12) == (PLAN, ("part 1 gave no list: part 2 was carried out once, for its answer",))


def test_rows_stay_once_they_are_there() -> None:
    part = fanned_out(SIZES, {1: found("GLUE", "SQuAD")}, 12)
    later = found("GLUE", "SWAG")
    assert fanned_out(part, {1: later}, 12) == part
    plan = replace(PLAN, parts=(LIST, part))
    _, notes = expanded(plan, [later, Finding(part=part, question="")], 12)
    assert notes == ("part 2 was carried out for 1 of 2 items of part 1, not for SWAG",)


def test_a_part_that_failed_has_a_row_for_each_item_too() -> None:
    plan, _ = expanded(PLAN, [found("GLUE", "SQuAD"), Finding(part=SIZES, question="", error="too late")], 12)
    assert texts(plan.part(2)) == ["What is the size of GLUE?", "What is the size of SQuAD?"]


def test_a_failed_list_says_no_more_than_that() -> None:
    findings = [found(error="gone"), Finding(part=SIZES, question="")]
    assert expanded(PLAN, findings, 12) == (PLAN, ())


def test_only_the_rows_of_a_merged_part_that_name_the_list_are_for_each() -> None:
    merged = replace(
        SIZES,
        text="What is the size of #1? Who made BERT?",
        asks=(Ask(text="What is the size of #1?", aspect="size"), Ask(text="Who made BERT?")),
    )
    part = fanned_out(merged, {1: found("GLUE", "SQuAD")}, 12)
    assert texts(part) == ["What is the size of GLUE?", "What is the size of SQuAD?", "Who made BERT?"]
    assert [ask.aspect for ask in part.asks] == ["size", "size", ""]


def test_another_answer_is_filled_in_later() -> None:
    part = replace(SIZES, text="How does #3 do on #1?", depends_on=(1, 3))
    assert texts(fanned_out(part, {1: found("GLUE")}, 12)) == ["How does #3 do on GLUE?"]


class TestPlainReference:
    @pytest.mark.parametrize(
        "text",
        [
            "What is the size of #1?",
            "How many words does #1 have?",
            "#1 的规模是多少？",
        ],
    )
    def test_a_list_of_a_model_or_of_a_sentence_is_asked_item_by_item(self, text: str) -> None:
        part = fanned_out(replace(PLAIN, text=text), {1: found("GLUE", "SQuAD")}, 12)
        assert (part.each, len(part.rows)) == (1, 2)

    @pytest.mark.parametrize(
        "text",
        [
            "Which of #1 is newer?",
            "What is the total size of #1?",
            "Compare #1.",
            "Which is the largest of #1?",
            "#1 中哪个最大？",
        ],
    )
    def test_what_is_asked_of_the_whole_list_is_asked_once(self, text: str) -> None:
        part = replace(PLAIN, text=text)
        assert fanned_out(part, {1: found("GLUE", "SQuAD")}, 12) is part

    @pytest.mark.parametrize(
        "source",
        [
            pytest.param(found(answer="GLUE and SQuAD"), id="nobody listed the items"),
            pytest.param(found("GLUE", "SQuAD", answer="SWAG"), id="the answer is not that list"),
            pytest.param(found("GLUE"), id="one"),
        ],
    )
    def test_a_list_that_is_not_sure_is_asked_once(self, source: Finding) -> None:
        assert fanned_out(PLAIN, {1: source}, 12) is PLAIN

    def test_nor_is_a_part_that_others_wait_for(self) -> None:
        assert fanned_out(PLAIN, {1: found("GLUE", "SQuAD")}, 12, frozenset({2})) is PLAIN
