"""Another round: which parts it takes, and what two rounds come to together."""

from dataclasses import replace

import pytest

from scholarmind import Document, Evidence, Finding, Passage, Plan, Scores, SubQuestion
from scholarmind.plan import Ask
from scholarmind.relations import Tally
from scholarmind.steps.execute import taken_up_again, together

PARTS = (
    SubQuestion(id=1, text="one?"),
    SubQuestion(id=2, text="two of #1?", depends_on=(1,)),
    SubQuestion(id=3, text="three of #2?", depends_on=(2,)),
    SubQuestion(id=4, text="four?"),
    SubQuestion(id=5, text="one or three?", depends_on=(1, 3), role="compare"),
    SubQuestion(id=6, text="all?", depends_on=(5, 4), role="conclude"),
)
PLAN = Plan(question="q", parts=PARTS, complexity="composite", reason="", decided_by="test")


def findings(*failed: int) -> list[Finding]:
    return [Finding(part=part, question=part.text, error="x" * (part.id in failed)) for part in PARTS]


def passage(text: str) -> Evidence:
    return Evidence(
        passage=Passage(text=text, start=0, end=len(text), position=0),
        document=Document(id=text, title=text),
        scores=Scores(fused=0.5),
    )


@pytest.mark.parametrize(
    ("weak", "failed", "expected"),
    [
        pytest.param([], [], set(), id="none"),
        pytest.param([4], [], {4, 6}, id="and what puts it together"),
        pytest.param([1], [], {1, 5, 6}, id="an answer that stays does not change those that had it"),
        pytest.param([1], [1], {1, 2, 3, 5, 6}, id="those that went on without an answer"),
        pytest.param([4], [1], {4, 6}, id="a failed part that is not taken up"),
    ],
)
def test_what_is_taken_up_again(weak: list[int], failed: list[int], expected: set[int]) -> None:
    assert taken_up_again(PLAN, findings(*failed), weak) == expected


def test_what_was_counted_stays_and_goes_before_what_was_read() -> None:
    tally = Tally(row="1", form="count", said="2 papers.", columns=(), rows=(), items=("2",))
    read = replace(findings()[0], candidates=("three",), answer="three")
    counted = replace(read, candidates=("2",), answer="2", tallies=(tally,))
    for first, second in ((read, counted), (counted, read)):  # the graph may fail in either round
        (both,) = together([first], [second])
        assert (both.answer, both.tallies) == ("2", (tally,))


def test_what_was_found_first_stays_first() -> None:
    old = replace(findings()[0], evidence=(passage("a"), passage("b")), candidates=("A",), answer="A", notes=("one",))
    new = replace(old, evidence=(passage("c"), passage("a")), candidates=("C", "A"), answer="C", notes=("two",))
    (both,) = together([old], [new])
    assert [item.passage.text for item in both.evidence] == ["a", "b", "c"]
    assert (both.answer, both.candidates, both.notes) == ("A", ("A", "C"), ("one", "two"))


def test_a_second_round_that_fails_takes_nothing_away_and_says_so() -> None:
    old = replace(findings()[0], evidence=(passage("a"),), answer="A", candidates=("A",))
    (both,) = together([old], [replace(old, evidence=(), answer="", candidates=(), error="gone")])
    assert both == replace(old, notes=("searching further for part 1 failed: gone",))


def test_a_part_that_fails_twice_has_failed() -> None:
    old = findings(1)[0]
    assert together([old], [replace(old, error="y")]) == [old]


def test_a_failure_that_is_mended_is_told_of_no_more() -> None:
    told = "part 1 failed (x); this part went on without its answer"
    old = [findings(1)[0], replace(findings()[1], notes=(told, "a filter was dropped"))]
    new = [replace(old[0], error="", answer="A"), replace(old[1], notes=())]
    assert [finding.notes for finding in together(old, new)] == [(), ("a filter was dropped",)]
    assert together(old, [old[0], replace(old[1], notes=(told,))])[1].notes == (told, "a filter was dropped")


def test_what_was_made_up_in_the_first_round_gives_way_to_what_was_read_in_the_second() -> None:
    part = SubQuestion(id=1, text="Who proposed BERT?")
    made_up = Finding(part=part, question=part.text, answer="Ada", candidates=("Ada",), lacks="no passage says so")
    read = Finding(part=part, question=part.text, answer="Devlin", candidates=("Devlin",))
    (found,) = together([made_up], [read])
    assert (found.answer, found.candidates, found.lacks) == ("Devlin", ("Devlin", "Ada"), "")
    (found,) = together([read], [made_up])
    assert (found.answer, found.candidates, found.lacks) == ("Devlin", ("Devlin", "Ada"), "")


def test_a_part_whose_items_are_known_only_now_begins_anew() -> None:
    part = SubQuestion(id=2, text="size of #1?", depends_on=(1,), each=1)
    rows = replace(part, asks=(Ask(text="size of A?", entity="A"), Ask(text="size of B?", entity="B")))
    old = Finding(part=part, question="size of (one)?", evidence=(passage("a"),))
    new = Finding(part=rows, question="size of A and B?", evidence=(passage("b"),))
    assert together([old], [new]) == [new]
    failed = replace(new, evidence=(), error="gone")
    assert together([old], [failed])[0].evidence == old.evidence


def test_the_items_of_the_surer_round_stay() -> None:
    old = replace(findings()[0], answer="A, B", candidates=("A, B",), items=("A", "B"))
    new = replace(old, items=("C",))
    assert together([old], [new])[0].items == ("A", "B")
    assert together([replace(old, items=())], [new])[0].items == ("C",)
