"""Examples from the rounds of a roadmap: what a filter should have kept, and whether another search was worth it.

Both are told by how it ended. Useful is a passage of a document that the answer to its part cites. A search was worth it if it
brought something that the filter kept and had not before; if not, the decision should have been to stop.
"""

import json
from collections.abc import Iterator

from scholarmind.training.examples import Example, Frame, Left
from scholarmind.training.history import History, Record, place_of

_MOST_SHOWN = 12


def filter_examples(frame: Frame, history: History) -> Iterator[Example | Left]:
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


def decision_examples(frame: Frame, history: History) -> Iterator[Example | Left]:
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


def _state(frame: Frame, history: History, before: list[Record], had: list[Record], part: int) -> dict[str, str]:
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
