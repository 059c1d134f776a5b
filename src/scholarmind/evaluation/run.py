"""Build (once) a library from a dataset's records, ask it every question, and measure what comes back."""

import hashlib
import os
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from scholarmind.api import Library
from scholarmind.errors import QueryError
from scholarmind.evaluation.datasets import Query, load_queries
from scholarmind.evaluation.measures import Values, means, measure
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.model import Mode
from scholarmind.settings import Settings

_DEPTH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to measure."""

    mode: Mode = "hybrid"
    at: tuple[int, ...] = (5, 10)
    limit: int | None = None


def evaluate(folder: Path, settings: Settings, plan: Plan, on_event: OnEvent = ignore) -> dict[str, Any]:
    """Return the figures of one dataset, ready to print as JSON."""
    queries = load_queries(folder)[: plan.limit]
    if not queries:
        raise QueryError(f"{str(folder / 'queries.jsonl')!r} holds no question")
    corpus = folder / "corpus.jsonl"
    with Library(replace(settings, library=_cached(corpus, settings))) as library:
        report = library.add(corpus, on_event=on_event)
        counts = library.counts().get("default")
        rows, seconds, notices = _ask_all(library, queries, plan, on_event)
    measured = [(query, values) for query, values in zip(queries, rows, strict=True) if values]
    return {
        "dataset": folder.resolve().name,
        "mode": plan.mode,
        "n": len(measured),
        "without_evidence": len(queries) - len(measured),
        "metrics": means(values for _, values in measured),
        "by_type": _by_type(measured),
        "latency": _latency(seconds),
        "documents": counts.documents if counts else 0,
        "passages": counts.passages if counts else 0,
        "problems": len(report.problems),
        "notices": notices,
    }


def _ask_all(
    library: Library, queries: Sequence[Query], plan: Plan, on_event: OnEvent
) -> tuple[list[Values], list[float], dict[str, int]]:
    rows: list[Values] = []
    seconds: list[float] = []
    notices: dict[str, int] = defaultdict(int)
    for done, query in enumerate(queries, 1):
        start = time.perf_counter()
        found = library.search(query.question, max(*plan.at, _DEPTH), mode=plan.mode)
        seconds.append(time.perf_counter() - start)
        ids = [evidence.document.id for evidence in found.evidence]
        rows.append(measure(query, ids, [evidence.passage.text for evidence in found.evidence], plan.at))
        for notice in found.notices:
            notices[notice.partition(":")[0]] += 1
        on_event(Progress(stage="ask", done=done, total=len(queries), unit="questions"))
    return rows, seconds, dict(notices)


def _by_type(measured: Sequence[tuple[Query, Values]]) -> dict[str, Any]:
    types: dict[str, list[Values]] = defaultdict(list)
    for query, values in measured:
        types[query.type].append(values)
    return {name: {"n": len(rows), "metrics": means(rows)} for name, rows in sorted(types.items())}


def _latency(seconds: Sequence[float]) -> dict[str, float]:
    p95 = quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0]
    return {"p50_ms": round(median(seconds) * 1e3, 2), "p95_ms": round(p95 * 1e3, 2)}


def _cached(corpus: Path, settings: Settings) -> Path:
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
    digest.update(repr((*made_by, settings.unknown_limit)).encode())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return cache / "scholarmind" / "evaluate" / digest.hexdigest()[:16]
