"""Build (once) a library from a dataset's records, ask it every question, and measure what comes back."""

import hashlib
import os
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Literal

from scholarmind import wiring
from scholarmind.adapters.local.database import SCHEMA
from scholarmind.api import Library
from scholarmind.calls import Call
from scholarmind.errors import QueryError
from scholarmind.evaluation.compare import difference
from scholarmind.evaluation.datasets import Query, load_queries
from scholarmind.evaluation.measures import Values, means, measure
from scholarmind.events import Event, ModelCalled, OnEvent, Progress, ignore
from scholarmind.llm.models import Models
from scholarmind.model import Evidence, Mode
from scholarmind.settings import Settings
from scholarmind.steps.options import Options

_DEPTH = 10
Decompose = Literal["off", "on", "both"]
ABLATIONS: dict[str, dict[str, Any]] = {
    "all": {},
    "no filters": {"filters": False},
    "no hops": {"hops": False},
    "no quotas": {"quotas": False},
    "no injection": {"injection": False},
    "no parts": {"decompose": False, "effort": "keyless"},  # a model would take questions apart all the same
    "rrf": {"selection": "rrf"},
    "original-only": {"selection": "original-only"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to measure."""

    mode: Mode = "hybrid"
    at: tuple[int, ...] = (5, 10)
    limit: int | None = None
    decompose: Decompose = "off"
    ablate: bool = False


class _Calls:
    """Adds up what models were asked."""

    def __init__(self) -> None:
        self._calls: list[Call] = []

    def take(self, event: Event) -> None:
        """Note a call."""
        if isinstance(event, ModelCalled):
            self._calls.append(event.call)

    @property
    def spent(self) -> dict[str, Any]:
        """Calls, tokens and money; a cost of None is unknown."""
        paid = [call for call in self._calls if not call.remembered]
        costs = [call.cost for call in paid if call.cost is not None]
        return {
            "calls": sum(call.calls for call in paid),
            "remembered": len(self._calls) - len(paid),
            "failed": sum(bool(call.error) for call in paid),
            "tokens": sum(call.usage.prompt + call.usage.completion for call in paid),
            "cost": sum(costs) if len(costs) == len(paid) else None,
        }


def _by_models(models: Models, calls: _Calls) -> dict[str, Any]:
    return {"names": dict(models.names), **calls.spent, "currency": models.prices.currency}


@dataclass(slots=True, kw_only=True)
class _Asked:
    """What came of asking every question in one way."""

    rows: list[Values] = field(default_factory=list[Values])
    seconds: list[float] = field(default_factory=list[float])
    notices: Counter[str] = field(default_factory=Counter[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """What is asked how, and who wants to know."""

    library: Library
    queries: Sequence[Query]
    plan: Plan
    on_event: OnEvent
    calls: _Calls


def evaluate(folder: Path, settings: Settings, plan: Plan, on_event: OnEvent = ignore) -> dict[str, Any]:
    """Return the figures of one dataset, ready to print as JSON; if a language model plans, with what that took as `models`."""
    queries = load_queries(folder)[: plan.limit]
    if not queries:
        raise QueryError(f"{str(folder / 'queries.jsonl')!r} holds no question")
    corpus = folder / "corpus.jsonl"
    with Library(replace(settings, library=cached_library(corpus, settings))) as library:
        report = library.add(corpus, on_event=on_event)
        counts = library.counts().get("default")
        calls = _Calls()
        found = _measured(_Asking(library=library, queries=queries, plan=plan, on_event=on_event, calls=calls))
        models = {"models": _by_models(library.models, calls)} if library.models else {}
    return {
        "dataset": folder.resolve().name,
        "mode": plan.mode,
        "decompose": plan.decompose,
        **found,
        **models,
        "documents": counts.documents if counts else 0,
        "passages": counts.passages if counts else 0,
        "problems": len(report.problems),
    }


def _measured(asking: _Asking) -> dict[str, Any]:
    queries, plan = asking.queries, asking.plan
    chosen = wiring.options(asking.library.settings)
    if plan.ablate:
        runs = {name: _ask_all(asking, replace(chosen, **changed)) for name, changed in ABLATIONS.items()}
        off = _ask_all(asking, None)
        return {
            "off": _figures(queries, off),
            "ablation": {name: _compared(queries, off, run) for name, run in runs.items()},
        }
    if plan.decompose == "both":
        off, on = _ask_all(asking, None), _ask_all(asking, chosen)
        return {"off": _figures(queries, off), "on": _figures(queries, on), "difference": difference(off.rows, on.rows)}
    return _figures(queries, _ask_all(asking, chosen if plan.decompose == "on" else None))


def _compared(queries: Sequence[Query], off: _Asked, run: _Asked) -> dict[str, Any]:
    return {"metrics": _figures(queries, run)["metrics"], "difference": difference(off.rows, run.rows)}


def _figures(queries: Sequence[Query], asked: _Asked) -> dict[str, Any]:
    measured = [(query, values) for query, values in zip(queries, asked.rows, strict=True) if values]
    return {
        "n": len(measured),
        "without_evidence": len(queries) - len(measured),
        "metrics": means(values for _, values in measured),
        "by_type": _by_type(measured),
        "latency": _latency(asked.seconds),
        "notices": dict(asked.notices),
    }


def _ask_all(asking: _Asking, options: Options | None) -> _Asked:
    """Ask every question: by one search, or with options through the whole reading path."""
    asked, library, plan = _Asked(), asking.library, asking.plan
    depths = (*plan.at, _DEPTH)
    for done, query in enumerate(asking.queries, 1):
        start = time.perf_counter()
        if options is None:
            found = library.search(query.question, max(depths), mode=plan.mode)
            asked.notices.update(notice.partition(":")[0] for notice in found.notices)
            ranked = dict.fromkeys(depths, found.evidence)
        else:
            ranked = library.retrieve(
                query.question, depths, mode=plan.mode, options=options, on_event=asking.calls.take
            )
        asked.seconds.append(time.perf_counter() - start)
        asked.rows.append(_values(query, ranked, plan.at))
        asking.on_event(Progress(stage="ask", done=done, total=len(asking.queries), unit="questions"))
    return asked


def _values(query: Query, ranked: dict[int, tuple[Evidence, ...]], at: Sequence[int]) -> Values:
    """Measure each number of places on the ranking that was made for it, and what depends on ranks on that for ten."""

    def measured(places: int, depths: Sequence[int]) -> Values:
        evidence = ranked[places]
        return measure(query, [item.document.id for item in evidence], [item.passage.text for item in evidence], depths)

    by_rank = measured(_DEPTH, ())
    values: Values = {}
    for places in at:
        values |= {name: value for name, value in measured(places, (places,)).items() if name not in by_rank}
    return values | by_rank


def _by_type(measured: Sequence[tuple[Query, Values]]) -> dict[str, Any]:
    types: dict[str, list[Values]] = defaultdict(list)
    for query, values in measured:
        types[query.type].append(values)
    return {name: {"n": len(rows), "metrics": means(rows)} for name, rows in sorted(types.items())}


def _latency(seconds: Sequence[float]) -> dict[str, float]:
    p95 = quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0]
    return {"p50_ms": round(median(seconds) * 1e3, 2), "p95_ms": round(p95 * 1e3, 2)}


def cached_library(corpus: Path, settings: Settings) -> Path:
    """Return the folder of the library for these records under these settings."""
    with corpus.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    made_by = (
        settings.embedder,
        settings.embedding_model,
        settings.embedding_precision,
        settings.passage_tokens,
        settings.passage_overlap,
    )
    digest.update(repr((*made_by, settings.unknown_limit, SCHEMA)).encode())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return cache / "scholarmind" / "evaluate" / digest.hexdigest()[:16]
