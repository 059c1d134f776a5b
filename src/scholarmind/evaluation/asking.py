"""Ask the same questions in several ways, by turns: noise hits all of them. What came of it is noted question by question."""

import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median, quantiles
from typing import Any

from scholarmind.api import Library
from scholarmind.calls import Call
from scholarmind.evaluation.datasets import Query, name_of
from scholarmind.evaluation.measures import Values, kept, means, measure, present
from scholarmind.events import Event, ModelCalled, OnEvent, Progress
from scholarmind.llm.language_models import Models
from scholarmind.model import Evidence, Mode
from scholarmind.steps.options import Options

DEPTH = 10
KEPT = 0  # among depths: as many passages as the strategy keeps by itself


class Calls:
    """Adds up what models were asked."""

    def __init__(self) -> None:
        self.made: list[Call] = []

    def take(self, event: Event) -> None:
        """Note a call."""
        if isinstance(event, ModelCalled):
            self.made.append(event.call)


def spent(models: Models, calls: Sequence[Call]) -> dict[str, Any]:
    """Return calls, tokens and money by what they were; a cost of None is unknown."""
    paid = [call for call in calls if not call.remembered]
    costs = [call.cost for call in paid if call.cost is not None]
    return {
        "names": dict(models.names),
        "calls": sum(call.calls for call in paid),
        "remembered": len(calls) - len(paid),
        "failed": sum(bool(call.error) for call in paid),
        "tokens": sum(call.usage.prompt + call.usage.completion for call in paid),
        "cost": sum(costs) if len(costs) == len(paid) else None,
        "currency": models.prices.currency,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of asking a library: through the reading path with these options, or without options by one search."""

    name: str
    library: Library
    options: Options | None
    mode: Mode = "hybrid"
    calls: Calls = field(default_factory=Calls)

    def ranked(self, question: str, depths: Sequence[int], notices: Counter[str]) -> dict[int, tuple[Evidence, ...]]:
        """Return the passages found for each number of places."""
        if self.options is None:
            found = self.library.search(question, max(depths), mode=self.mode)
            notices.update(notice.partition(":")[0] for notice in found.notices)
            return dict.fromkeys(depths, found.evidence)
        places = {depth: depth or places_of(self.options) for depth in depths}
        found = self.library.retrieve(
            question, list(places.values()), mode=self.mode, options=self.options, on_event=self.calls.take
        )
        return {depth: found[number] for depth, number in places.items()}

    def warm_up(self, question: str) -> None:
        """Load what the first question would have to wait for; no model is asked."""
        warm = self.options and replace(self.options, effort="keyless")
        replace(self, options=warm, calls=Calls()).ranked(question, (DEPTH,), Counter())


@dataclass(slots=True, kw_only=True)
class Asked:
    """What came of asking every question in one way."""

    rows: list[Values] = field(default_factory=list[Values])
    seconds: list[float] = field(default_factory=list[float])
    notices: Counter[str] = field(default_factory=Counter[str])
    found: list[dict[int, frozenset[str]]] = field(default_factory=list[dict[int, frozenset[str]]])  # of what is needed
    titles: dict[str, str] = field(default_factory=dict[str, str])  # of the needed records that were found


def places_of(options: Options) -> int:
    """Return how many passages a strategy keeps by itself."""
    own = {"concepts": options.concepts.top_k, "scored": options.scored.top_n}
    return own.get(options.strategy, options.places)


def ask_by_turns(
    ways: Sequence[Way], queries: Sequence[Query], at: Sequence[int], on_event: OnEvent, stage: str = "ask"
) -> list[Asked]:
    """Ask every question in all of the ways before the next one; each time another way is the first."""
    asked = [Asked() for _ in ways]
    if len(ways) > 1:
        for way in ways:
            way.warm_up(queries[0].question)
    for done, query in enumerate(queries):
        for turn in range(len(ways)):
            place = (done + turn) % len(ways)
            _ask(ways[place], query, at, asked[place])
        on_event(Progress(stage=stage, done=done + 1, total=len(queries), unit="questions"))
    return asked


def _ask(way: Way, query: Query, at: Sequence[int], asked: Asked) -> None:
    start = time.perf_counter()
    ranked = way.ranked(query.question, (*at, DEPTH), asked.notices)
    asked.seconds.append(time.perf_counter() - start)
    asked.rows.append(_values(query, ranked, at))
    asked.found.append({depth: _found(query, evidence, depth or None) for depth, evidence in ranked.items()})
    for item in ranked[DEPTH]:
        if (name := name_of(query, item)) in query.evidence:
            asked.titles[name] = item.document.title


def _values(query: Query, ranked: Mapping[int, Sequence[Evidence]], at: Sequence[int]) -> Values:
    """Measure each number of places on the ranking that was made for it, and what depends on ranks on that for ten."""

    def measured(places: int, depths: Sequence[int]) -> Values:
        evidence = ranked[places]
        ids, texts = [name_of(query, item) for item in evidence], [item.passage.text for item in evidence]
        return measure(query, ids, texts, depths) if places else kept(query, ids)

    by_rank = measured(DEPTH, ())
    values: Values = {}
    for places in at:
        values |= {name: value for name, value in measured(places, (places,)).items() if name not in by_rank}
    return values | by_rank


def _found(query: Query, evidence: Sequence[Evidence], depth: int | None) -> frozenset[str]:
    """Return the needed records, and the needed sentences, that are among the first passages."""
    first = evidence[:depth]
    records = query.evidence & {name_of(query, item) for item in first}
    return records | frozenset(present(query.references, [item.passage.text for item in first]))


def figures(queries: Sequence[Query], asked: Asked) -> dict[str, Any]:
    """Return the means over the questions that could be measured, in all and by type, and how long a question took."""
    measured = [(query, values) for query, values in zip(queries, asked.rows, strict=True) if values]
    types: dict[str, list[Values]] = defaultdict(list)
    for query, values in measured:
        types[query.type].append(values)
    return {
        "n": len(measured),
        "without_evidence": len(queries) - len(measured),
        "metrics": means(values for _, values in measured),
        "by_type": {name: {"n": len(rows), "metrics": means(rows)} for name, rows in sorted(types.items())},
        "latency": _latency(asked.seconds),
        "notices": dict(asked.notices),
    }


def _latency(seconds: Sequence[float]) -> dict[str, float]:
    p95 = quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0]
    return {"p50_ms": round(median(seconds) * 1e3, 2), "p95_ms": round(p95 * 1e3, 2)}
