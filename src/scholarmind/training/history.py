"""What is known of a run when it is over: its answer, what happened in it, and what people said of it."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scholarmind.ports import Rating, Run

Record = Mapping[str, Any]
Place = tuple[str, str]  # collection and id of a document
SERVED = ("complete", "with caveats", "conflicting")  # verdicts of answers that gave what was asked for
_GOOD = 2.0  # times the weight of what a person found good
_CAVEATS = 0.7
_NOTHING: Record = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A run with its answer, its events, and its ratings; all but the ratings as JSON."""

    run: Run
    answer: Record
    events: Sequence[Record]
    ratings: Sequence[Rating] = ()

    @property
    def question(self) -> str:
        """The question as it stood alone."""
        return str(self.answer.get("question") or self.run.question)

    def of_type(self, name: str) -> Iterator[Record]:
        """Yield the events of one type."""
        return (event for event in self.events if event["type"] == name)

    def rated(self, part: int = 0) -> bool | None:
        """Return what people said: of the whole, or of a part; a word on the part counts more there. None: nothing."""
        said = {rating.part: rating.good for rating in self.ratings}
        return said.get(part, said.get(0))

    @property
    def any_bad(self) -> bool:
        """Tell whether anybody found anything in it bad."""
        return any(not rating.good for rating in self.ratings)

    @property
    def served(self) -> bool:
        """Tell whether the answer gave what was asked for: people's word counts, else the review's."""
        said = self.rated()
        return said if said is not None else not self.any_bad and self.answer.get("verdict") in SERVED

    def weight(self, part: int = 0) -> float:
        """Return how far an example from this run is to be trusted: the review's confidence, and more for what people found good."""
        sure = float(self.answer.get("confidence") or 0.0) * (
            1.0 if self.answer.get("verdict") == "complete" else _CAVEATS
        )
        return round(_GOOD * max(sure, 0.5) if self.rated(part) else sure, 3)

    def rows(self, part: int) -> list[Record]:
        """Return the rows of the review that belong to a part."""
        return [row for row in self.answer["parts"] if _part_of(row["id"]) == part]

    def cited(self, part: int | None = None) -> set[Place]:
        """Return the documents that the claims of a part cite, or of all."""
        claims = [claim for claim in self.answer["claims"] if part is None or _part_of(claim["part"]) == part]
        keys = {key for claim in claims for key in claim["citations"]}
        return {place_of(item) for item in self.answer["citations"] if item["key"] in keys}

    @property
    def documents(self) -> set[Place]:
        """Every document that the answer rests on, or that any event tells of."""
        found = {place_of(item) for item in self.answer["citations"]}
        found |= {place_of(item) for row in self.answer["parts"] for item in row["evidence"]}
        for event in self.events:
            for name in ("best", "kept", "dropped"):
                found |= {place_of(item) for item in event.get(name) or ()}
        return found

    @property
    def meta(self) -> dict[str, Any]:
        """What an example tells of the run that it is from; its id is hashed."""
        began: Record = next(self.of_type("run_started"), _NOTHING)
        said = self.rated()
        return {
            "run": hashlib.sha256(self.run.id.encode()).hexdigest()[:16],
            "strategy": self.plan.get("strategy") or "plan",
            "effort": began.get("effort") or "",
            "rating": "" if said is None else "good" if said else "bad",
            "verdict": self.answer.get("verdict") or "",
        }

    @property
    def plan(self) -> Record:
        """The first plan of the run."""
        return next(self.of_type("planned"), _NOTHING).get("plan") or _NOTHING


def history_of(run: Run, events: Sequence[str], ratings: Sequence[Rating]) -> History | None:
    """Return a run that came to an answer; None for one that did not, or that an earlier version wrote otherwise."""
    try:
        answer: Any = json.loads(run.answer)
        told = [json.loads(event) for event in events]
        if run.status != "done" or not {"parts", "claims", "citations"} <= answer.keys():
            return None
    except (ValueError, AttributeError):
        return None
    return History(run=run, answer=answer, events=_last_time(told), ratings=ratings)


def _last_time(events: list[Any]) -> list[Any]:
    """Return what happened since the run was last taken up: what went before was done again from its journal."""
    begun = [place for place, event in enumerate(events) if event["type"] == "run_started"]
    return events[begun[-1] :] if begun else events


def place_of(item: Record) -> Place:
    """Return where a passage or a citation is from."""
    return str(item["collection"]), str(item["document"])


def _part_of(row: str) -> int:
    number = str(row).partition(".")[0]
    return int(number) if number.isdigit() else 0
