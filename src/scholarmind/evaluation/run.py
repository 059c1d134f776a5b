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

from scholarmind.adapters.local.database import SCHEMA
from scholarmind.api import Library
from scholarmind.errors import QueryError
from scholarmind.evaluation.compare import difference
from scholarmind.evaluation.datasets import Query, load_queries
from scholarmind.evaluation.measures import Values, means, measure
from scholarmind.events import OnEvent, Progress, ignore
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
    "no parts": {"decompose": False},
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


@dataclass(slots=True, kw_only=True)
class _Asked:
    """What came of asking every question in one way."""

    rows: list[Values] = field(default_factory=list[Values])
    seconds: list[float] = field(default_factory=list[float])
    notices: Counter[str] = field(default_factory=Counter[str])


def evaluate(folder: Path, settings: Settings, plan: Plan, on_event: OnEvent = ignore) -> dict[str, Any]:
    """Return the figures of one dataset, ready to print as JSON."""
    queries = load_queries(folder)[: plan.limit]
    if not queries:
        raise QueryError(f"{str(folder / 'queries.jsonl')!r} holds no question")
    corpus = folder / "corpus.jsonl"
    with Library(replace(settings, library=cached_library(corpus, settings))) as library:
        report = library.add(corpus, on_event=on_event)
        counts = library.counts().get("default")
        found = _measured(library, queries, plan, on_event)
    return {
        "dataset": folder.resolve().name,
        "mode": plan.mode,
        "decompose": plan.decompose,
        **found,
        "documents": counts.documents if counts else 0,
        "passages": counts.passages if counts else 0,
        "problems": len(report.problems),
    }


def _measured(library: Library, queries: Sequence[Query], plan: Plan, on_event: OnEvent) -> dict[str, Any]:
    if plan.ablate:
        runs = {
            name: _ask_all(library, queries, plan, on_event, Options(**changed)) for name, changed in ABLATIONS.items()
        }
        off = _ask_all(library, queries, plan, on_event, None)
        return {
            "off": _figures(queries, off),
            "ablation": {name: _compared(queries, off, run) for name, run in runs.items()},
        }
    if plan.decompose == "both":
        off = _ask_all(library, queries, plan, on_event, None)
        on = _ask_all(library, queries, plan, on_event, Options())
        return {"off": _figures(queries, off), "on": _figures(queries, on), "difference": difference(off.rows, on.rows)}
    options = Options() if plan.decompose == "on" else None
    return _figures(queries, _ask_all(library, queries, plan, on_event, options))


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


def _ask_all(
    library: Library, queries: Sequence[Query], plan: Plan, on_event: OnEvent, options: Options | None
) -> _Asked:
    """Ask every question: by one search, or with options through the whole reading path."""
    asked = _Asked()
    for done, query in enumerate(queries, 1):
        start = time.perf_counter()
        if options is None:
            found = library.search(query.question, max(*plan.at, _DEPTH), mode=plan.mode)
            asked.notices.update(notice.partition(":")[0] for notice in found.notices)
            ranked = dict.fromkeys((*plan.at, _DEPTH), found.evidence)
        else:
            ranked = library.retrieve(query.question, (*plan.at, _DEPTH), mode=plan.mode, options=options)
        asked.seconds.append(time.perf_counter() - start)
        asked.rows.append(_values(query, ranked, plan.at))
        on_event(Progress(stage="ask", done=done, total=len(queries), unit="questions"))
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
