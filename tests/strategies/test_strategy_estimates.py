"""What a plan comes to under each strategy and effort: its calls, and how many of them wait for one another."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from scholarmind.calls import Effort
from scholarmind.llm.language_models import Models
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.steps.options import Concepts, Options, Roadmap, Scored
from scholarmind.strategies.estimates import Ahead, estimate_of, longest_chain
from scholarmind.testing import ScriptedModel

MODELS = Models(model=ScriptedModel())
EFFORTS: tuple[Effort, ...] = ("keyless", "fast", "standard", "deep")
Count = tuple[int, int]  # calls, levels


def part(number: int, text: str = "What?", *on: int, **more: Any) -> SubQuestion:
    return SubQuestion(id=number, text=text, depends_on=on, **more)


def plan(*parts: SubQuestion) -> Plan:
    return Plan(question="Q?", parts=parts, complexity="composite", reason="", decided_by="test")


ONE = plan(part(1))
THREE = plan(part(1), part(2), part(3), part(4, "Compare", 1, 2, 3, role="compare"))
BRIDGE = plan(part(1), part(2, "Where is #1?", 1))
CHAIN = plan(part(1), part(2, "Where is #1?", 1), part(3, "When was #2?", 2), part(4))
FORK = plan(part(1), part(2), part(3, "Is #1 in #2?", 1, 2), part(4, "conclude from #3", 3, role="conclude"))
KNOWN = plan(part(1, known="Devlin", known_from=("p",)), part(2, "Where is #1?", 1))
CONTEXT = plan(part(1), part(2, "What else?", 1))  # waits, but for no answer
TREE = plan(
    part(1, "A or B?", 2, 3, role="compare"),
    part(2, parent=1),
    part(3, parent=1),
    part(4),
    part(5, "Or?", 6, role="conclude"),
    part(6, parent=5),
)
ROWS = plan(part(1, asks=(Ask(text="a?"), Ask(text="b?"))), part(2, "Where is #1?", 1))
OWN = replace(ONE, retrieval=False, own_answer="42")


def count(made: Plan, options: Options, effort: Effort = "standard", **more: Any) -> Count:
    found = estimate_of(Ahead(plan=made, options=options, effort=effort, **more), MODELS)
    return found.calls, found.levels


def counts(made: Plan, options: Options) -> list[Count]:
    return [count(made, options, effort) for effort in EFFORTS]


def prompt_tokens(made: Plan, options: Options, effort: Effort = "standard") -> int:
    return estimate_of(Ahead(plan=made, options=options, effort=effort), MODELS).prompt_tokens


# -- plan


@pytest.mark.parametrize(
    ("made", "standard", "deep"),
    [
        (ONE, (3, 3), (4, 4)),
        (THREE, (3, 3), (6, 4)),
        (BRIDGE, (4, 4), (5, 5)),
        (CHAIN, (5, 5), (7, 6)),
        (FORK, (6, 5), (6, 5)),  # the last answer that somebody waits for is that of the last part that is looked up
        (KNOWN, (3, 3), (4, 4)),
        (CONTEXT, (3, 3), (5, 5)),
    ],
)
def test_a_plan_costs_its_bridges_in_standard_and_every_part_in_deep(made: Plan, standard: Count, deep: Count) -> None:
    assert counts(made, Options()) == [(0, 0), (1, 1), standard, deep]
    for effort, (calls, levels) in (("standard", standard), ("deep", deep)):
        assert count(made, Options(), effort, planned=True) == (calls - 1, levels - 1)


@pytest.mark.parametrize(("effort", "whole", "rest"), [("standard", (3, 3), (2, 2)), ("deep", (7, 4), (6, 3))])
def test_a_tree_is_planned_with_one_call(effort: Effort, whole: Count, rest: Count) -> None:
    assert count(TREE, Options(), effort) == whole
    assert count(TREE, Options(), effort, planned=True) == rest


def test_more_rows_than_places_show_more_passages() -> None:
    rows = plan(part(1, asks=tuple(Ask(text=f"aspect {number}?") for number in range(12))))
    assert prompt_tokens(rows, Options(), "fast") - prompt_tokens(ONE, Options(), "fast") == 2 * 400


def test_a_part_for_each_item_costs_no_call_more_and_shows_a_passage_for_each() -> None:
    options = Options(max_items=14)
    each = replace(BRIDGE, parts=(BRIDGE.parts[0], replace(BRIDGE.parts[1], each=1)))
    assert count(each, options) == count(BRIDGE, options)
    assert prompt_tokens(each, options) - prompt_tokens(BRIDGE, options) == 2 * (1 + 14 - 10) * 400  # answer and check
    rows = tuple(Ask(text=f"Where is {name}?") for name in ("A", "B"))
    known = replace(each, parts=(each.parts[0], replace(each.parts[1], asks=rows)))
    assert prompt_tokens(known, options) == prompt_tokens(BRIDGE, options)


def test_a_model_that_reranks_is_asked_for_every_row_and_the_question_at_once() -> None:
    options = Options(rerank="llm")
    assert count(THREE, options) == (3 + 4 * 2, 3 + 1)  # 30 passages each, 16 in a call
    assert count(THREE, options, "fast") == (1, 1)
    assert count(THREE, replace(options, rerank="cross-encoder")) == (3, 3)


def test_what_a_model_knows_itself_was_answered_with_the_plan() -> None:
    assert counts(OWN, Options()) == [(0, 0), (0, 0), (1, 1), (1, 1)]
    assert count(OWN, Options(), planned=True) == (0, 0)


# -- concepts


def test_concepts_cost_one_call_and_an_answer_one_or_two_more() -> None:
    options = Options(strategy="concepts")
    assert counts(THREE, options) == [(0, 0), (1, 1), (3, 3), (3, 3)]  # in deep, too, no part is answered


def test_a_made_up_passage_for_each_concept_is_one_level_more() -> None:
    options = Options(strategy="concepts", concepts=Concepts(hyde=True))
    assert counts(THREE, options) == [(0, 0), (1, 1), (3 + 3, 3 + 1), (3 + 3, 3 + 1)]


def test_the_fused_list_is_reranked_where_both_settings_say_so() -> None:
    reranked = Options(strategy="concepts", concepts=Concepts(rerank=True, top_k=7), rerank="llm")
    assert count(THREE, reranked) == (3 + 2, 3 + 1)  # 3 lists of 7
    assert count(THREE, replace(reranked, concepts=Concepts())) == (3, 3)


# -- scored


def test_passages_are_scored_sixteen_at_a_time_beside_each_other() -> None:
    options = Options(strategy="scored", scored=Scored(top_k=11))
    scoring = 3  # 3 x 11 passages
    assert counts(THREE, options) == [(0, 0), (1, 1), (3 + scoring, 4), (3 + 3 + scoring, 5)]
    assert count(THREE, options, planned=True) == (2 + scoring, 3)


@pytest.mark.parametrize(
    ("scored", "expected"),
    [
        (Scored(top_k=10, per_passage=True), (30, 1)),
        (Scored(top_k=10, reranking_prompt="{query} {chunk_text}"), (30, 1)),
        (Scored(top_k=10, enable_concurrency=False), (2, 2)),
        (Scored(top_k=10, batch=5), (6, 1)),
    ],
)
def test_scores_cost_what_the_settings_say(scored: Scored, expected: Count) -> None:
    calls, levels = count(THREE, Options(strategy="scored", scored=scored))
    assert (calls - 3, levels - 3) == expected


def test_scored_writes_from_its_own_number_of_passages() -> None:
    def shown(top_n: int) -> int:
        return prompt_tokens(ONE, Options(strategy="scored", scored=Scored(top_n=top_n)), "fast")

    assert shown(9) - shown(7) == 2 * 400


# -- roadmap


@pytest.mark.parametrize(
    ("made", "rows", "bridges", "levels"),
    [(ONE, 1, 0, 1 + 6), (THREE, 3, 0, 1 + 6), (BRIDGE, 2, 1, 2 * (1 + 6) + 1), (CHAIN, 4, 2, 3 * (1 + 6) + 2), (ROWS, 3, 1, 15)],
)  # fmt: skip
def test_a_roadmap_costs_at_most_its_rounds(made: Plan, rows: int, bridges: int, levels: int) -> None:
    """Each row is routed once, and filtered and decided on in each of 3 rounds; parts that wait for nothing are side by side."""
    options = Options(strategy="roadmap", roadmap=Roadmap(max_rounds=3))
    calls = rows * (1 + 2 * 3) + bridges
    assert count(made, options) == (2 + calls + 2, 2 + levels + 2)
    assert count(made, options, planned=True) == (calls + 2, levels + 2)
    assert count(made, options, "fast") == (1, 1)


def test_a_roadmap_narrates_in_deep() -> None:
    options = Options(strategy="roadmap", roadmap=Roadmap(max_rounds=1))
    assert count(THREE, options, "deep") == (2 + 3 * 3 + 3 + 2, 2 + 3 + 1 + 2)


def test_what_a_roadmap_leaves_to_the_model_is_a_route_and_an_answer() -> None:
    assert count(OWN, Options(strategy="roadmap")) == (2, 2)


# -- chains


@pytest.mark.parametrize(
    ("levels", "chain"),
    [({1: 1, 2: 1, 3: 1, 4: 1}, (1, 2, 3)), ({1: 1, 2: 1, 3: 1, 4: 9}, (4,)), ({1: 0, 4: 1}, (4,))],
)
def test_the_longest_chain_is_the_one_of_most_levels(levels: dict[int, int], chain: Iterable[int]) -> None:
    assert longest_chain(CHAIN, levels) == chain
