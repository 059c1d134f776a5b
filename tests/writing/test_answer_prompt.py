"""The passages that a model writes from: what must be among them, and what fills the rest of the tokens."""

from dataclasses import replace

import pytest
from handmade import passage

from scholarmind.answer import Finding
from scholarmind.model import Evidence
from scholarmind.plan import Plan, SubQuestion
from scholarmind.ranking import passage_id
from scholarmind.relations import Proof, Tally, TallyRow
from scholarmind.writing.model_writer import cost, fewer, within_tokens

OTTER, HERON = SubQuestion(id=1, text="What is Otter?"), SubQuestion(id=2, text="What is Heron?")
PLAN = Plan(question="Otter and Heron?", parts=(OTTER, HERON), complexity="composite", reason="", decided_by="test")


def found(name: str, row: str, score: float) -> Evidence:
    """A passage of ten tokens, found for a row."""
    item = passage(f"{name} says forty letters or a little more.", id=name, title=name)
    return item.rated(score, frozenset((row,)))


OTTERS = tuple(found(f"otter{number}", "1", 0.9 - number / 100) for number in range(8))
HERONS = tuple(found(f"heron{number}", "2", 0.3 - number / 100) for number in range(8))
RANKED = (*OTTERS, *HERONS)
ONE = cost(OTTERS[0])


def findings(**more: object) -> list[Finding]:
    """What both parts found; `more` is told of the second."""
    return [
        Finding(part=OTTER, question=OTTER.text, evidence=OTTERS),
        replace(Finding(part=HERON, question=HERON.text, evidence=HERONS), **more),  # pyright: ignore[reportArgumentType]
    ]


def names(shown: tuple[Evidence, ...]) -> list[str]:
    return [item.document.id for item in shown]


def test_every_row_keeps_its_best_passage_however_few_tokens_there_are() -> None:
    assert names(within_tokens(PLAN, findings(), RANKED, 1)) == ["otter0", "heron0"]


def test_each_row_has_two_before_the_best_of_the_rest() -> None:
    assert names(within_tokens(PLAN, findings(), RANKED, 6 * ONE)) == [
        *("otter0", "heron0", "otter1", "heron1"),
        *("otter2", "otter3"),
    ]


@pytest.mark.parametrize(
    "told",
    [
        {"answer": "Heron", "rests_on": (passage_id(HERONS[6]),)},
        {"answer": "Heron6 says forty"},
    ],
)
def test_what_a_short_answer_rests_on_is_shown(told: dict[str, object]) -> None:
    assert names(within_tokens(PLAN, findings(**told), RANKED, 3 * ONE)) == ["otter0", "heron0", "heron6"]


def test_what_proves_a_count_is_shown_for_its_row() -> None:
    proof = passage("A proof of forty letters or a little more.", id="proof", title="proof")
    tally = Tally(
        row="2",
        form="count",
        said="One.",
        columns=("n",),
        rows=(TallyRow(cells=("1",), proofs=(Proof(evidence=proof),)),),
    )
    shown = within_tokens(PLAN, findings(tallies=(tally,)), RANKED, 3 * ONE)
    assert (names(shown), shown[-1].found_by) == (["otter0", "heron0", "proof"], {"2"})


def test_a_passage_that_is_too_long_makes_room_for_those_behind_it() -> None:
    long = found("long", "1", 0.99)
    long = replace(long, passage=replace(long.passage, text="word " * 300))
    given = [replace(findings()[0], evidence=(OTTERS[0], long, *OTTERS[1:])), findings()[1]]
    assert "long" not in names(within_tokens(PLAN, given, (long, *RANKED), 8 * ONE))


def test_half_of_the_passages_are_those_that_count_most() -> None:
    shown = within_tokens(PLAN, findings(), RANKED, 8 * ONE)
    assert names(fewer(PLAN, findings(), shown)) == names(shown)[:4]
    assert len(fewer(PLAN, findings(), shown[:2])) == 2


def test_what_breaks_off_inside_a_list_is_shown_with_what_it_goes_on_with() -> None:
    first, second, third = (
        replace(item, passage=replace(item.passage, text=text, position=place))
        for place, (item, text) in enumerate(
            zip(
                [replace(OTTERS[0], document=OTTERS[0].document)] * 3,
                ("The parts are:\n- one", "- two\n- three", "What comes next."),
                strict=True,
            )
        )
    )
    given = [replace(findings()[0], evidence=(first, *OTTERS[1:])), findings()[1]]
    shown = within_tokens(PLAN, given, (*RANKED[1:], third, second), 4 * ONE)
    assert [item.passage.text for item in shown[2:3]] == ["- two\n- three"]
    assert third not in shown
