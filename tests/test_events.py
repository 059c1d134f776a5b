"""Events are numbered, and become records that any program can read."""

import json
from typing import get_args

import pytest

from scholarmind.answer import Row
from scholarmind.calls import CallCost, Usage
from scholarmind.events import (
    AnswerPiece,
    ClaimChecked,
    Consulted,
    Decided,
    Done,
    Event,
    FileProgress,
    Filtered,
    FirstLook,
    ModelCalled,
    Numbered,
    PartAnswered,
    PartEvidence,
    PartFailed,
    PartStarted,
    Planned,
    Progress,
    Ranked,
    Reviewed,
    RoundStarted,
    Routed,
    RunStarted,
    Selected,
    Shown,
    Understood,
    numbered,
    plain,
    to_record,
)
from scholarmind.model import Problem
from scholarmind.plan import Plan, SubQuestion

PLAN = Plan(
    question="Q?",
    parts=(SubQuestion(id=1, text="a"), SubQuestion(id=2, text="b of #1", depends_on=(1,))),
    complexity="composite",
    reason="two hops",
    decided_by="rules",
)
SHOWN = Shown(
    document="bert", collection="default", position=2, title="BERT", score=0.8, text="BERT is", found_by=("1",)
)
EVENTS: list[Event] = [
    RunStarted(run="r1", question="比较 BERT 和 GPT-2"),
    Routed(route="library"),
    Understood(question="and GPT-2?", became="How large is GPT-2?", reason="GPT-2 in place of BERT"),
    FirstLook(passages=8, documents=("BERT",), seconds=0.01, notes=("keywords only",)),
    Planned(plan=PLAN),
    PartStarted(part=1, question="a"),
    PartEvidence(part=1, question="a", passages=3, best=(SHOWN,)),
    Ranked(best=(SHOWN,), moved=True, reason="scored by a model"),
    Filtered(part=1, objective="a", query="a?", kept=(SHOWN,)),
    Decided(part=1, action="[LLM]", round=1, by="rules"),
    PartAnswered(part=1, question="a", answer="A", passages=3),
    PartFailed(part=2, question="b of A", error="KeyError"),
    Selected(passages=5, considered=9, parts={1: 3, 2: 2}),
    ModelCalled(call=CallCost(purpose="plan", task="extraction", model="m", usage=Usage(10, 5), seconds=0.2)),
    AnswerPiece(text="A. "),
    ClaimChecked(text="A.", status="verified", citations=("Devlin et al., 2019",)),
    Reviewed(
        verdict="complete",
        confidence=0.9,
        rows=(Row(id="1", part=1, text="a", status="answered", confidence=0.9),),
    ),
    RoundStarted(round=2, parts=(2,), reason="part 2 failed"),
    Done(run="r1", verdict="complete", spent={"seconds": 0.4}),
    FileProgress(path="a.pdf", state="reading", done=3, total=9),
    Progress(stage="embed", done=1, total=2, unit="passages"),
    Problem(where="a.md", reason="empty", advice="fill it"),
    Consulted(part=1, row="1", structure="graph", relations=("CITES",), nodes=("BERT",), passages=2, counted="Two."),
]


def test_every_kind_of_event_is_among_these() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(Event))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_a_record_is_json_with_number_time_and_type(event: Event) -> None:
    record = to_record(event, 7, 0.1234567)
    assert json.loads(json.dumps(record)) == {
        **record,
        **({"parts": {"1": 3, "2": 2}} if "considered" in record else {}),
    }
    assert (record["number"], record["at"]) == (7, 0.123457)
    assert set(record) == {"number", "at", "type", *type(event).__dataclass_fields__}


@pytest.mark.parametrize(
    ("event", "name"),
    [(EVENTS[0], "run_started"), (EVENTS[3], "first_look"), (EVENTS[18], "done"), (EVENTS[15], "claim_checked")],
)
def test_the_type_is_the_name_in_small_letters(event: Event, name: str) -> None:
    assert to_record(event, 1, 0.0)["type"] == name


def test_a_plan_in_a_record_tells_its_shape() -> None:
    plan = to_record(EVENTS[4], 1, 0.0)["plan"]
    assert (plan["shape"], plan["execution_plan"], plan["parts"][1]["depends_on"]) == (
        "sequential",
        "all_sequential",
        [1],
    )


def test_numbers_go_on_where_a_resumed_run_stopped() -> None:
    times, seen = iter([100.0, 100.5, 103.0]), list[Numbered]()
    on_event = numbered(seen.append, lambda: next(times), 8)
    on_event(EVENTS[0])
    on_event(EVENTS[1])
    assert seen == [Numbered(number=8, at=0.5, event=EVENTS[0]), Numbered(number=9, at=3.0, event=EVENTS[1])]


def test_sets_are_sorted_and_tuples_are_lists() -> None:
    assert plain({"a": frozenset({"z", "b"}), 2: (1, (None, 2.5))}) == {"a": ["b", "z"], "2": [1, [None, 2.5]]}
