"""Changing a plan at the prompt: what is typed, and what comes of it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from scholarmind import Ask, Plan, SubQuestion
from scholarmind.cli.plan_command import change_plan
from scholarmind.errors import PlanError

Run = Callable[..., Result]
TWO = "Which words does BERT hide, and to which side does GPT attend?"
BERT, GPT = "Which words does BERT hide?", "To which side does GPT attend?"

CHAIN = Plan(
    question="q",
    parts=(
        SubQuestion(id=1, text="Which dataset did BERT use?"),
        SubQuestion(id=2, text="Who made #1?", depends_on=(1,)),
        SubQuestion(id=3, text="Where does #2 live?", depends_on=(2,)),
        SubQuestion(id=4, text="Compare 1 and 3", depends_on=(1, 3), role="compare", asks=(Ask(text="#3 or #1?"),)),
    ),
    complexity="composite",
    reason="",
    decided_by="rules",
)


@pytest.fixture
def edited(filled: Run) -> Callable[..., Any]:
    """Type lines at the prompt, then Enter; return the answer's parts as (text, what it waits for)."""

    def typed(*lines: str) -> list[tuple[str, list[int]]]:
        result = filled("ask", "-i", "--json", TWO, typed="\n".join([*lines, "", ""]))
        assert result.exit_code == 0, result.stderr
        return [(part["text"], part["depends_on"]) for part in json.loads(result.stdout)["plan"]["parts"]]

    return typed


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([], [(BERT, []), (GPT, [])], id="as it is"),
        pytest.param(["+ Who wrote BERT?"], [(BERT, []), (GPT, []), ("Who wrote BERT?", [])], id="added"),
        pytest.param(["+Who?"], [(BERT, []), (GPT, []), ("Who?", [])], id="added without a space"),
        pytest.param(["- 1"], [(GPT, [])], id="cut"),
        pytest.param(["-2", "+ Who?"], [(BERT, []), ("Who?", [])], id="cut and added"),
        pytest.param(["2 When was #1 made?", "2 after 1"], [(BERT, []), ("When was #1 made?", [1])], id="waits"),
        pytest.param(["2 after 1", "2 after nothing"], [(BERT, []), (GPT, [])], id="waits no more"),
        pytest.param(["+ Both?", "3 after 2, 1,2"], [(BERT, []), (GPT, []), ("Both?", [1, 2])], id="waits for two"),
        pytest.param(["  - 2  "], [(BERT, [])], id="spaces"),
        pytest.param(["1 谁提出了BERT？"], [("谁提出了BERT？", []), (GPT, [])], id="Chinese"),
    ],
)
def test_what_is_typed_is_what_runs(edited: Callable[..., Any], lines: list[str], expected: list[Any]) -> None:
    assert edited(*lines) == expected


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("x", "not done: 'x' is not understood; `help` lists what is"),
        ("+", "not done: '+' is not understood"),
        ("- 9", "not done: there is no part 9"),
        ("9 Who?", "not done: there is no part 9"),
        ("1 after 9", "not done: part 1 depends on part 9, which there is not"),
        ("1 after 1", "not done: parts wait for each other: 1 -> 1"),
        ("- 12345", "not done: '- 12345' is not understood"),
        ("after 1", "not done: 'after 1' is not understood"),
    ],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(filled: Run, line: str, told: str) -> None:
    result = filled("ask", "-i", "--json", TWO, typed=f"{line}\n\n")
    assert result.exit_code == 0
    assert told in result.stderr
    assert [part["text"] for part in json.loads(result.stdout)["parts"]] == [BERT, GPT]


def test_the_last_part_stays(filled: Run) -> None:
    result = filled("ask", "-i", "--json", TWO, typed="- 1\n- 2\n\n")
    assert "not done: a plan needs at least one part" in result.stderr
    assert [part["text"] for part in json.loads(result.stdout)["parts"]] == [GPT]


def test_a_circle_is_refused(filled: Run) -> None:
    result = filled("ask", "-i", "--json", TWO, typed="2 after 1\n1 after 2\n\n")
    assert "not done: parts wait for each other: " in result.stderr
    assert result.exit_code == 0


def test_the_plan_is_shown_again_after_each_change(filled: Run) -> None:
    result = filled("ask", "-i", "--markdown", TWO, typed="- 2\n\n")
    assert result.stderr.count(f"  1. {BERT} (factual)\n") == 2
    assert result.stderr.count(f"  2. {GPT} (factual)\n") == 1
    assert result.stdout.startswith("# ")


@pytest.mark.parametrize("typed", ["q\n", "", "- 1\nq\n"])
def test_stopping_asks_nothing(filled: Run, typed: str) -> None:
    result = filled("ask", "-i", TWO, typed=typed)
    assert (result.exit_code, result.stdout) == (1, "")
    assert json.loads(filled("runs", "--json").stdout) == []


# -- what a cut leaves


def test_who_waited_for_a_part_that_is_cut_asks_with_its_question() -> None:
    plan = change_plan(CHAIN, "- 1")
    assert [(part.id, part.text, part.depends_on) for part in plan.parts] == [
        (2, "Who made (Which dataset did BERT use)?", ()),
        (3, "Where does #2 live?", (2,)),
        (4, "Compare 1 and 3", (3,)),
    ]
    assert plan.part(4).asks == (Ask(text="#3 or (Which dataset did BERT use)?"),)


def test_a_question_that_is_taken_over_takes_over_what_it_waited_for() -> None:
    plan = change_plan(CHAIN, "- 2")
    assert plan.part(3) == SubQuestion(id=3, text="Where does (Who made #1) live?", depends_on=(1,))
    assert plan.part(3).resolve({1: "BookCorpus"}) == "Where does (Who made BookCorpus) live?"


def test_a_comparison_with_nothing_left_to_compare_looks_for_itself() -> None:
    plan = change_plan(change_plan(CHAIN, "4 after 1"), "- 1")
    assert plan.part(4).role == "find"
    assert change_plan(CHAIN, "4 after nothing").part(4).role == "find"


def test_numbers_are_never_given_twice() -> None:
    plan = change_plan(change_plan(change_plan(CHAIN, "- 2"), "+ One?"), "+ Two?")
    assert [part.id for part in plan.parts] == [1, 3, 4, 5, 6]


lines = st.one_of(
    st.text(max_size=30),
    st.builds("- {}".format, st.integers(0, 6)),
    st.builds("+ {}".format, st.text(max_size=9)),
    st.builds("{} after {}".format, st.integers(0, 6), st.lists(st.integers(0, 6), max_size=3)),
    st.builds("{} after {}, {}".format, st.integers(0, 6), st.integers(0, 6), st.integers(0, 6)),
    st.builds("{} {}".format, st.integers(0, 6), st.text(max_size=9)),
)


@given(st.lists(lines, max_size=8))
def test_whatever_is_typed_leaves_a_plan_without_dangling_numbers(typed: list[str]) -> None:
    plan = CHAIN
    for line in typed:
        try:
            plan = change_plan(plan, line)
        except PlanError:
            continue
        assert plan.decided_by == "user"
        assert all(part.text.strip() for part in plan.parts)
        assert all(part.depends_on or part.role == "find" for part in plan.parts)


def test_the_parts_of_a_part_that_is_cut_stand_where_it_stood() -> None:
    parts = (
        SubQuestion(id=1, text="A or B?", role="compare", depends_on=(2, 3)),
        SubQuestion(id=2, text="A?", parent=1),
        SubQuestion(id=3, text="B?", parent=1),
        SubQuestion(id=4, text="C?"),
    )
    plan = Plan(question="q", parts=parts, complexity="composite", reason="", decided_by="rules")

    assert [(part.id, part.parent) for part in change_plan(plan, "- 1").parts] == [(2, 0), (3, 0), (4, 0)]
    assert [(part.id, part.role, part.depends_on) for part in change_plan(plan, "- 2").parts] == [
        (1, "compare", (3,)),
        (3, "find", ()),
        (4, "find", ()),
    ]
