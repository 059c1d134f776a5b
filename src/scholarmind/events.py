"""What happens, as it happens: typed records that progress bars, traces, streams and the journal of a run are made from.

All of them in one list, and so longer than other modules: whoever writes a consumer wants to see them together.
"""

import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal, cast

from scholarmind.answer import Row, Support, Verdict
from scholarmind.calls import CallCost, Estimate
from scholarmind.model import Problem
from scholarmind.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """So much of a stage is done; what is reported as done is on disk."""

    stage: str
    done: int
    total: int
    unit: str
    passages: int = 0  # stored so far


FileState = Literal["reading", "read", "unchanged", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProgress:
    """How far a file is: pages done of so many, where it has pages. What is read is on disk with the next `Progress`."""

    path: str
    state: FileState
    done: int = 0
    total: int = 0
    seconds: float = 0.0


# -- of a run; `seconds` is always how long the step took, `notes` what was left out or done in another way


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """A question is being worked on; a run that is resumed starts again under its own id."""

    run: str
    question: str
    effort: str = ""
    library: str = ""  # its version
    resumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """Where the question (or one part of it) goes: to the library, or to a reply that needs none."""

    route: str
    reason: str = ""
    part: int = 0
    question: str = ""
    action: str = ""  # what a router said, such as "[Retrieval] population of Paris 2023"
    by: str = "rules"
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A follow-up was made to stand alone: this is what will be answered."""

    question: str
    became: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLook:
    """What the original question found by itself."""

    passages: int
    documents: tuple[str, ...] = ()  # titles of the first few
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The parts that will be researched."""

    plan: Plan
    estimate: Estimate | None = None  # of what calls to models will come to
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PartStarted:
    """All that this part waited for is there."""

    part: int
    question: str  # with the answers that it waited for filled in
    waited_for: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A passage as those who watch are told of it: where it is, how well it did, which rows it was found for."""

    document: str
    collection: str
    position: int
    title: str
    score: float
    page: int | None = None
    text: str = ""  # the beginning of it
    found_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PartEvidence:
    """What was found for a part (0: for the question itself), as soon as it is there.

    `remembered` if it is from the run's journal and nothing was asked again.
    """

    part: int
    question: str
    passages: int
    documents: tuple[str, ...] = ()  # titles of the first few
    best: tuple[Shown, ...] = ()  # the first few, the best first
    remembered: bool = False
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Consulted:
    """A part was also looked up in one of the structures over the library: which levels or relations, and from which nodes."""

    part: int
    row: str
    structure: Literal["tree", "graph"]
    levels: tuple[int, ...] = ()
    relations: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    passages: int = 0  # that it brought
    counted: str = ""  # what was counted there, in one sentence
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PartAnswered:
    """A part is done."""

    part: int
    question: str
    answer: str
    passages: int
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFailed:
    """A part brought back an error; the others go on."""

    part: int
    question: str
    error: str
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """The passages that the answer is written from; `parts` counts them by the number of the part."""

    passages: int
    considered: int
    parts: Mapping[int, int] = field(default_factory=dict[int, int])
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """The order of all passages so far, the best first. What was shown in another order before has `moved`."""

    best: tuple[Shown, ...]
    moved: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtered:
    """A filter kept some of the passages that a search brought for an objective, and dropped the others."""

    part: int
    objective: str
    query: str
    kept: tuple[Shown, ...]
    dropped: tuple[Shown, ...] = ()
    by: str = "rules"
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What is done next for a part: `action` as the decision maker said it, such as "[Retrieval] ..."."""

    part: int
    action: str
    round: int
    by: str  # model, rules
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCalled:
    """A call to a language model came to its end, well or not."""

    call: CallCost


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPiece:
    """The next piece of the answer as it is being written. A `draft` that is begun anew takes the place of the one before."""

    text: str
    draft: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimChecked:
    """A sentence of the answer was held against the passages that it cites."""

    text: str
    status: Support
    citations: tuple[str, ...] = ()  # keys
    row: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """How complete the answer is so far."""

    verdict: Verdict
    confidence: float
    rows: tuple[Row, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStarted:
    """These parts are researched once more, or for the first time."""

    round: int
    parts: tuple[int, ...]
    reason: str = ""


RunStatus = Literal["done", "failed", "cancelled", "awaiting_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The run is over, and how."""

    run: str
    status: RunStatus = "done"
    verdict: Verdict | None = None
    error: str = ""
    fallbacks: tuple[str, ...] = ()
    spent: Mapping[str, float] = field(default_factory=dict[str, float])
    seconds: float = 0.0


RunEvent = (
    RunStarted
    | Routed
    | Understood
    | FirstLook
    | Planned
    | PartStarted
    | PartEvidence
    | Consulted
    | Ranked
    | Filtered
    | Decided
    | PartAnswered
    | PartFailed
    | Selected
    | ModelCalled
    | AnswerPiece
    | ClaimChecked
    | Reviewed
    | RoundStarted
    | Done
)
Event = Progress | FileProgress | Problem | RunEvent
OnEvent = Callable[[Event], None]
_INNER_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def ignore(event: Event) -> None:
    """Take no notice."""
    del event


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """An event with its place in the run, from 1, and the seconds since the run began."""

    number: int
    at: float
    event: Event


def numbered(take: Callable[[Numbered], None], clock: Callable[[], float], first: int = 1) -> OnEvent:
    """Return a consumer that numbers events and passes them on; a resumed run goes on counting from `first`."""
    began, number = clock(), first - 1

    def count(event: Event) -> None:
        nonlocal number
        number += 1
        take(Numbered(number=number, at=clock() - began, event=event))

    return count


def to_record(event: Event, number: int, at: float) -> dict[str, Any]:
    """Return an event as JSON holds it: `number`, `at` (seconds since the run began), `type`, and what the event says."""
    name = _INNER_CAPITAL.sub("_", type(event).__name__).lower()
    record: dict[str, Any] = {"number": number, "at": round(at, 6), "type": name, **plain(event)}
    if isinstance(event, Planned):
        record["plan"] |= {"shape": event.plan.shape, "execution_plan": event.plan.execution_plan}
    return record


def plain(value: Any) -> Any:
    """Return frozen data as JSON knows it: objects and lists. A set is sorted, so that equal data are equal text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in cast("tuple[object, ...]", value)]
    if isinstance(value, Set):
        return sorted(cast("Set[Any]", value))
    return value
