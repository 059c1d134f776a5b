"""The export of runs: what a router, a planner, a filter or a decision maker can learn from them, or what others measure them by.

Runs are gone through in their order; what no example is made of is counted by its reason.
"""

import json
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from scholarmind.training.examples import Example, ExampleFrame, History, Left, Place, Record, history_of, place_of

if TYPE_CHECKING:
    from scholarmind.adapters.runs import Runs


# -- examples for a router: which of the three ways was the simplest that served a question.
#
# Of each question one example is made, from all of its runs. A way serves if people found its answer good, or if nobody said
# anything and the review found all that was asked for. Where a question was only ever planned, a plan whose answer cites nothing
# but documents that the first search alone had found counts as a single search: it was not needed.

WAYS = ("No Retrieval", "Retrieval", "Planning")  # the simplest first


def _key_of(question: str) -> str:
    """Return what makes two questions the same."""
    return " ".join(question.casefold().split())


def router_examples(frame: ExampleFrame, histories: Sequence[History]) -> Iterator[Example | Left]:
    """Yield the example of a question, from all of its runs, and the runs that tell nothing."""
    went = [_way_of(history) for history in histories]
    if "Retrieval" not in went:  # where nobody tried less, the run itself tells whether less had been enough
        went = [_needed(way, history) for way, history in zip(went, histories, strict=True)]
    served = [
        (WAYS.index(went[place]), place) for place, history in enumerate(histories) if went[place] and history.served
    ]
    if not served:
        yield from (Left(why="no way served the question") for _ in histories)
        return
    best, place = min(served)
    label = WAYS[best]
    if any(way == label and history.rated() is False for way, history in zip(went, histories, strict=True)):
        yield from (Left(why="people disagree about the way that served") for _ in histories)
        return
    yield from (Left(why="another run of the question says more") for _ in histories[1:])
    history = histories[place]
    values = {
        "names": frame.nothing(history),
        "whole": frame.nothing(history),
        "question": frame.fenced(history, "question", history.question),
    }
    said = f"[Retrieval] {_query(history)}" if label == "Retrieval" else f"[{label}]"
    yield frame.example(history, "route", values, said, label=label)


def _way_of(history: History) -> str:
    """Return the way that a run went; '' where it went none."""
    if history.answer.get("source") in {"talk", "model"}:
        return "No Retrieval"
    finding = [part for part in history.answer["plan"]["parts"] if part["role"] == "find"]
    if not finding:
        return ""
    return "Planning" if sum(len(part["asks"]) or 1 for part in finding) > 1 else "Retrieval"


def _needed(way: str, history: History) -> str:
    return "Retrieval" if way == "Planning" and _one_search_was_enough(history) else way


def _one_search_was_enough(history: History) -> bool:
    """Tell whether all that is cited had been found for the question as it stands, before it was taken apart."""
    looked = next((event for event in history.of_type("part_evidence") if not event["part"]), None)
    cited = history.cited()
    return looked is not None and bool(cited) and cited <= {place_of(item) for item in looked["best"]}


def _query(history: History) -> str:
    """Return what was searched for: a router's own words, or the question."""
    actions = (str(event.get("action") or "") for event in history.of_type("routed") if not event.get("part"))
    return next(
        (action.partition("] ")[2] for action in actions if action.startswith("[Retrieval] ")), history.question
    )


# -- examples for a planner: the plans of answers that gave what was asked for, as a model would have to reply them

_CAP = 5
_SINCE = {"retrieval", "own_answer"}  # what plans of the first versions lack


def planner_examples(frame: ExampleFrame, history: History) -> Iterator[Example | Left]:
    """Yield the plan that a run began with, if it served."""
    plan = history.plan
    if not plan:
        yield Left(why="it needed no plan")
    elif history.any_bad:
        yield Left(why="people found it bad")
    elif not history.served:
        yield Left(why="the answer lacks something")
    elif not plan.keys() >= _SINCE:
        yield Left(why="it is of an earlier version")
    elif any(part.get("extends") for part in plan["parts"]):
        yield Left(why="the plan has parts that a planner does not write")
    else:
        looked = next((event for event in history.of_type("part_evidence") if not event["part"]), None)
        shown = looked["best"] if looked and frame.include_passages else ()
        values = {
            "cap": str(max(_CAP, len(plan["parts"]))),
            "passages": frame.passages(history, shown),
            "conversation": frame.nothing(history),
            "question": frame.fenced(history, "question", plan["question"]),
        }
        said = json.dumps(_reply(plan), ensure_ascii=False)
        yield frame.example(history, "plan", values, said, label=str(plan["complexity"]))


def _reply(plan: Record) -> dict[str, Any]:
    """Return a plan as `planning.plan_reply` has a model say it."""
    parts = [_part(part) for part in plan["parts"]] if plan["retrieval"] else []
    return {"parts": parts, "own_answer": plan["own_answer"], "standalone": ""}


def _part(part: Record) -> dict[str, Any]:
    asks: list[Mapping[str, Any]] = part["asks"]
    return {
        "question": part["text"],
        "depends_on": list(part["depends_on"]),
        "kind": part["kind"] if part["role"] == "find" else part["role"],
        "rows": [ask["text"] for ask in asks] if len(asks) > 1 else [],
    }


# -- examples from the rounds of a roadmap: what a filter should have kept, and whether another search was worth it.
#
# Both are told by how it ended. Useful is a passage of a document that the answer to its part cites. A search was worth it if it
# brought something that the filter kept and had not before; if not, the decision should have been to stop.

_MOST_SHOWN = 12


def _filter_examples(frame: ExampleFrame, history: History) -> Iterator[Example | Left]:
    """Yield what the filter should have kept of each search."""
    for event in history.of_type("filtered"):
        part = int(event["part"])
        if left := _left(history, part):
            yield left
            continue
        shown = [*event["kept"], *event["dropped"]]
        shown.sort(key=lambda item: -item["score"])
        useful = history.cited(part)
        keep = [f"P{number}" for number, item in enumerate(shown, 1) if place_of(item) in useful]
        if not shown:
            yield Left(why="the search brought nothing to filter")
            continue
        values = {
            "passages": frame.passages(history, shown),
            "question": frame.fenced(history, "question", history.question),
            "query": frame.fenced(history, "query", event["query"]),
            "objective": frame.fenced(history, "objective", event["objective"]),
        }
        said = json.dumps({"keep": keep, "none_useful": not keep, "reason": "cited by the answer" if keep else ""})
        yield frame.example(history, "filter", values, said, label="keep" if keep else "none", part=part)


def _decision_examples(frame: ExampleFrame, history: History) -> Iterator[Example | Left]:
    """Yield what the decision maker should have said each time."""
    for place, event in enumerate(history.events):
        if event["type"] != "decided":
            continue
        part = int(event["part"])
        before = [each for each in history.events[:place] if each["type"] == "filtered" and each["part"] == part]
        after = [each for each in history.events[place:] if each["type"] == "filtered" and each["part"] == part]
        if left := _left(history, part):
            yield left
            continue
        had = [item for each in before for item in each["kept"]]
        said = event["action"] if _was_worth_it(event, had, after) else "[LLM]"
        yield frame.example(
            history,
            "decide",
            _state(frame, history, before, had, part),
            said,
            label=said.partition("]")[0].strip("["),
            part=part,
        )


def _was_worth_it(decision: Record, had: list[Record], after: list[Record]) -> bool:
    if not str(decision["action"]).startswith("[Retrieval]"):
        return True
    known = {(*place_of(item), item["position"]) for item in had}
    kept = after[0]["kept"] if after else ()
    return any((*place_of(item), item["position"]) not in known for item in kept)


def _state(frame: ExampleFrame, history: History, before: list[Record], had: list[Record], part: int) -> dict[str, str]:
    parts: list[Record] = list(history.plan.get("parts") or ())
    objective = next((each["text"] for each in parts if each["id"] == part), history.question)
    queries = [f"- {each['query']}" + ("" if each["kept"] else " (nothing found)") for each in before]
    roadmap = "\n".join(f"{each['id']}. {each['text']}" for each in parts)
    return {
        "passages": frame.passages(history, had[:_MOST_SHOWN]),
        "searched": frame.fenced(history, "searched", "\n".join(queries)),
        "question": frame.fenced(history, "question", history.question),
        "roadmap": frame.fenced(history, "roadmap", roadmap),
        "objective": frame.fenced(history, "objective", str(before[-1]["objective"]) if before else objective),
    }


def _left(history: History, part: int) -> Left | None:
    """Return why nothing can be learnt from a part."""
    if history.rated(part) is False:
        return Left(why="people found it bad")
    rows = history.rows(part)
    if history.rated(part) is None and not any(row["status"] == "answered" for row in rows):
        return Left(why="its part was not answered")
    return None


# -- all runs of a library

Role = Literal["router", "planner", "filter", "decision"]
Field = Literal["question", "answer", "passages"]
MEASURED: dict[str, dict[Field, str]] = {  # what programs that measure answers call it
    "ragas": {"question": "user_input", "answer": "response", "passages": "retrieved_contexts"},
    "deepeval": {"question": "input", "answer": "actual_output", "passages": "retrieval_context"},
}

_BY_RUN = {"planner": planner_examples, "filter": _filter_examples, "decision": _decision_examples}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which runs are taken. `allowed` are the documents that they may rest on; None allows all."""

    role: Role | None = None
    since: datetime | None = None
    rated_only: bool = False
    allowed: frozenset[Place] | None = None


@dataclass(slots=True)
class Count:
    """How many examples were made, and why of how many runs or steps none was."""

    made: int = 0
    left: Counter[str] = field(default_factory=Counter[str])


async def examples(runs: "Runs", wanted: Wanted, frame: ExampleFrame, count: Count) -> AsyncGenerator[Example]:
    """Yield the examples that the runs hold, in their order; `count` tells what was left out."""
    async for found in _made(runs, wanted, frame, count):
        if isinstance(found, Left):
            count.left[found.why] += 1
        else:
            count.made += 1
            yield found


async def measured(
    runs: "Runs", wanted: Wanted, names: dict[Field, str], count: Count
) -> AsyncGenerator[dict[str, Any]]:
    """Yield each answer with its question and the passages that were found for it, under these names."""
    async for history in _taken(runs, wanted, count):
        count.made += 1
        found = (item["text"] for row in history.answer["parts"] for item in row["evidence"])
        yield {
            names["question"]: history.question,
            names["answer"]: str(history.answer.get("answer") or ""),
            names["passages"]: list(dict.fromkeys(found)),
        }


async def _made(runs: "Runs", wanted: Wanted, frame: ExampleFrame, count: Count) -> AsyncGenerator[Example | Left]:
    if wanted.role == "router":
        groups = await _by_question(runs, wanted, count)
        for ids in groups:
            histories = [history for run in ids if (history := await _history(runs, run))]
            for found in router_examples(frame, histories):
                yield found
        return
    if wanted.role is None:
        return
    make = _BY_RUN[wanted.role]
    async for history in _taken(runs, wanted, count):
        made = list(make(frame, history))
        for found in made or [Left(why="nothing of the kind happened in it")]:
            yield found


async def _by_question(runs: "Runs", wanted: Wanted, count: Count) -> Iterable[list[str]]:
    """Return the ids of the runs of each question: all of them at once may be too much to hold."""
    groups: dict[str, list[str]] = {}
    async for history in _taken(runs, wanted, count):
        groups.setdefault(_key_of(history.question), []).append(history.run.id)
    return groups.values()


async def _taken(runs: "Runs", wanted: Wanted, count: Count) -> AsyncGenerator[History]:
    for run in await runs.ids(wanted.since):
        history = await _history(runs, run)
        why = _refused(history, wanted)
        if history is None or why:
            count.left[why] += 1
        else:
            yield history


async def _history(runs: "Runs", run: str) -> History | None:
    known = await runs.find(run)
    if known is None:
        return None
    return history_of(known, await runs.events(run), await runs.ratings(run))


def _refused(history: History | None, wanted: Wanted) -> str:
    if history is None:
        return "it came to no answer"
    if wanted.allowed is not None and not history.documents <= wanted.allowed:
        return "it rests on documents that were not chosen, or are gone"
    if wanted.rated_only and not history.ratings:
        return "nobody rated it"
    return ""
