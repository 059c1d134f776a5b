"""Goes through the runs of a library and writes what can be learnt from them, or what others measure them by, in the order of the runs."""

from collections import Counter
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from scholarmind.training.examples import Example, Frame, Left
from scholarmind.training.history import History, Place, history_of
from scholarmind.training.planner import planner_examples
from scholarmind.training.rounds import decision_examples, filter_examples
from scholarmind.training.router import key_of, router_examples

if TYPE_CHECKING:
    from scholarmind.adapters.runs import Runs

Role = Literal["router", "planner", "filter", "decision"]
ROLES: tuple[Role, ...] = ("router", "planner", "filter", "decision")
Field = Literal["question", "answer", "passages"]
MEASURED: dict[str, dict[Field, str]] = {  # what programs that measure answers call it
    "ragas": {"question": "user_input", "answer": "response", "passages": "retrieved_contexts"},
    "deepeval": {"question": "input", "answer": "actual_output", "passages": "retrieval_context"},
}
_BY_RUN = {"planner": planner_examples, "filter": filter_examples, "decision": decision_examples}


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


async def examples(runs: "Runs", wanted: Wanted, frame: Frame, count: Count) -> AsyncGenerator[Example]:
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


async def _made(runs: "Runs", wanted: Wanted, frame: Frame, count: Count) -> AsyncGenerator[Example | Left]:
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
        groups.setdefault(key_of(history.question), []).append(history.run.id)
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
