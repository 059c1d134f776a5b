"""Which way served a question: from what its runs left behind."""

import json
from typing import Any

import pytest

from scholarmind.evaluation.training_data import Example, ExampleFrame, History, history_of, router_examples
from scholarmind.llm.prompts import Prompts
from scholarmind.ports import Rating, Run


def ran(
    number: int, parts: int, cited: str, first: str, *, verdict: str = "complete", good: bool | None = None
) -> History:
    """Return a run of so many parts; `cited` and `first` are documents, a letter each."""
    plan = {"parts": [{"id": part, "role": "find", "asks": []} for part in range(1, parts + 1)]}
    places = [{"collection": "c", "document": letter, "key": letter} for letter in cited]
    answer = {
        "question": "Q?",
        "source": "library",
        "plan": plan,
        "verdict": verdict,
        "confidence": 0.9,
        "parts": [],
        "citations": places,
        "claims": [{"text": "T.", "part": "1", "citations": list(cited)}],
    }
    best = [{"collection": "c", "document": letter} for letter in first]
    events = [{"type": "run_started", "effort": "keyless"}, {"type": "part_evidence", "part": 0, "best": best}]
    run = Run(
        id=f"r{number}",
        question="Q?",
        plan="",
        settings="",
        library="1",
        status="done",
        started=0,
        answer=json.dumps(answer),
    )
    ratings = [] if good is None else [Rating(run=run.id, good=good)]
    history = history_of(run, list(map(json.dumps, events)), ratings)
    assert history is not None
    return history


def labels(*histories: History) -> list[str]:
    """Return the labels of the examples made of the runs of a question."""
    made: list[Any] = list(router_examples(ExampleFrame(prompts=Prompts()), histories))
    return [example.label for example in made if isinstance(example, Example)]


@pytest.mark.parametrize(
    ("cited", "first", "label"),
    [
        ("ab", "abc", "Retrieval"),  # the question as it stands had found all that is cited
        ("ab", "acd", "Planning"),
        ("", "abc", "Planning"),  # nothing tells that less had been enough
    ],
)
def test_a_plan_was_needed_if_the_first_search_lacked_what_is_cited(cited: str, first: str, label: str) -> None:
    assert labels(ran(1, 2, cited, first)) == [label]


def test_a_single_search_that_was_tried_tells_more_than_what_the_first_one_found() -> None:
    plan = ran(1, 2, "ab", "abc")
    assert labels(plan, ran(2, 1, "a", "abc", verdict="incomplete")) == ["Planning"]
    assert labels(plan, ran(2, 1, "a", "abc")) == ["Retrieval"]
    assert labels(plan, ran(2, 1, "a", "abc", good=False)) == ["Planning"]


def test_what_did_not_serve_is_no_example() -> None:
    assert labels(ran(1, 1, "a", "a", verdict="not in the library")) == []
    assert labels(ran(1, 1, "a", "a", good=False)) == []
    assert labels(ran(1, 1, "", "a", verdict="not in the library", good=True)) == ["Retrieval"]
    assert labels(ran(1, 1, "a", "a", good=True), ran(2, 1, "a", "a", good=False)) == []


def test_one_that_was_taken_up_again_counts_from_there() -> None:
    plan = ran(1, 2, "ab", "ab")
    again = [*plan.events, {"type": "run_started", "effort": "deep"}]
    resumed = history_of(plan.run, list(map(json.dumps, again)), ())
    assert resumed is not None
    assert (resumed.meta["effort"], labels(resumed)) == ("deep", ["Planning"])


@pytest.mark.parametrize(
    ("status", "answer", "events"),
    [
        ("failed", "{}", []),
        ("done", "no JSON", []),
        ("done", '{"answer": "of an earlier version"}', []),
        ("done", '["claims"]', []),
        ("done", '{"parts": [], "claims": [], "citations": []}', ["no JSON"]),
    ],
)
def test_a_run_that_tells_nothing(status: str, answer: str, events: list[str]) -> None:
    run = Run(id="r", question="Q?", plan="", settings="", library="", status=status, started=0, answer=answer)
    assert history_of(run, events, ()) is None
