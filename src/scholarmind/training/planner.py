"""Examples for a planner: the plans of answers that gave what was asked for, as a model would have to reply them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scholarmind.training.examples import Example, Frame, Left
from scholarmind.training.history import History, Record

_CAP = 5
_SINCE = {"retrieval", "own_answer"}  # what plans of the first versions lack


def planner_examples(frame: Frame, history: History) -> Iterator[Example | Left]:
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
