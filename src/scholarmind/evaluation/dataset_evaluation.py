"""Evaluate a dataset, and compare ways of asking it: with parts switched off (ablations), or as files of settings describe them.

The figures are ready to print as JSON. A page with plots is made of them by `html_reports`.
"""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, Literal, cast

from scholarmind.errors import QueryError
from scholarmind.evaluation.datasets import DatasetQuery, load_queries
from scholarmind.evaluation.experiments import (
    DEPTH,
    KEPT,
    Choice,
    Switches,
    Way,
    WayResult,
    ask_by_turns,
    cached_library,
    chosen_by_files,
    differing,
    figures,
    opened,
    spent,
)
from scholarmind.evaluation.retrieval_metrics import RESAMPLES, SEED, Values, difference, means, verdict
from scholarmind.events import OnEvent, ignore
from scholarmind.llm.language_models import Models
from scholarmind.model import Mode
from scholarmind.settings import Settings
from scholarmind.steps.options import Options

__all__ = [
    "_ABLATIONS",
    "ComparisonPlan",
    "Decompose",
    "EvaluationPlan",
    "cached_library",
    "compare",
    "conditions",
    "evaluate",
    "metric_of",
]


# -- one dataset, and ablations

Decompose = Literal["off", "on", "both"]
_ABLATIONS: dict[str, dict[str, Any]] = {
    "all": {},
    "no filters": {"filters": False},
    "no hops": {"hops": False},
    "no quotas": {"quotas": False},
    "no injection": {"injection": False},
    "no tree": {"tree": False},
    "no graph": {"graph": False},
    "no parts": {"decompose": False, "effort": "keyless"},  # a model would take questions apart all the same
    "rrf": {"selection": "rrf"},
    "original-only": {"selection": "original-only"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationPlan:
    """What to measure."""

    mode: Mode = "hybrid"
    at: tuple[int, ...] = (5, 10)
    limit: int | None = None
    decompose: Decompose = "off"
    ablate: bool = False
    strategies: tuple[str, ...] = ()  # one after another, each beside the first


def evaluate(
    folder: Path, settings: Settings, plan: EvaluationPlan, on_event: OnEvent = ignore, models: Models | None = None
) -> dict[str, Any]:
    """Return the figures of one dataset, ready to print as JSON; if a language model plans, with what that took as `models`."""
    queries = load_queries(folder)[: plan.limit]
    choice = Choice(name="on", settings=settings, switches=Switches(mode=plan.mode))
    with opened(folder / "corpus.jsonl", [choice], on_event, models) as ((way,), problems):
        counts = way.library.counts().get("default")
        ways = _ways(way, plan)
        asked = dict(zip((one.name for one in ways), ask_by_turns(ways, queries, plan.at, on_event), strict=True))
        found = _told(queries, asked, plan)
        models = way.library.models
        if models and plan.strategies:
            for one in ways:
                found["strategies"][one.name] |= {"models": spent(models, one.calls.made)}
        calls = [call for one in ways for call in one.calls.made]
    return {
        "dataset": folder.resolve().name,
        "mode": plan.mode,
        "decompose": plan.decompose,
        **found,
        **({"models": spent(models, calls)} if models else {}),
        "documents": counts.documents if counts else 0,
        "passages": counts.passages if counts else 0,
        "problems": problems,
    }


def _ways(way: Way, plan: EvaluationPlan) -> list[Way]:
    """Return the ways that are measured, all over one library."""
    off, options = _like(way, "off", None), way.options or Options()
    if plan.strategies:
        strategies = [_like(way, name, replace(options, strategy=name)) for name in plan.strategies]
        return [off, *strategies] if plan.decompose == "both" else strategies
    if plan.ablate:
        return [off, *(_like(way, name, replace(options, **changes)) for name, changes in _ABLATIONS.items())]
    return {"off": [off], "on": [way], "both": [off, way]}[plan.decompose]


def _like(way: Way, name: str, options: Options | None) -> Way:
    return Way(name=name, library=way.library, options=options, mode=way.mode)


def _told(queries: Sequence[DatasetQuery], asked: Mapping[str, WayResult], plan: EvaluationPlan) -> dict[str, Any]:
    told = {name: figures(queries, one) for name, one in asked.items()}
    if plan.strategies:
        first = asked[plan.strategies[0]]
        for name, one in asked.items():
            if one is not first:
                told[name]["difference"] = difference(first.rows, one.rows)
        return {"strategies": told}
    if plan.ablate:
        off = asked["off"]
        compared = {
            name: {"metrics": told[name]["metrics"], "difference": difference(off.rows, asked[name].rows)}
            for name in _ABLATIONS
        }
        return {"off": told["off"], "ablation": compared}
    if plan.decompose == "both":
        return {**told, "difference": difference(asked["off"].rows, asked["on"].rows)}
    return told[plan.decompose]


# -- files of settings: the first one with each of the others


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPlan:
    """What to compare, and by what."""

    files: tuple[Path, ...]
    base: Mapping[str, Any]  # settings that hold where a file says nothing
    at: tuple[int, ...] = (5, 10)
    limit: int | None = None
    metric: str = ""  # by which questions count as helped or hurt in the lists; '' for the first there is
    seed: int = SEED


def compare(
    folder: Path, wanted: ComparisonPlan, on_event: OnEvent = ignore, models: Models | None = None
) -> dict[str, Any]:
    """Return the figures of each way, and what can be said of each beside the first, ready to print as JSON."""
    choices = chosen_by_files(wanted.files, wanted.base)
    differs = differing(choices)  # now: a prompt that cannot be used is found before anything is asked
    queries = load_queries(folder)[: wanted.limit]
    with opened(folder / "corpus.jsonl", choices, on_event, models) as (ways, problems):
        asked = ask_by_turns(ways, queries, wanted.at, on_event)
        told = [_of(way, queries, one) for way, one in zip(ways, asked, strict=True)]
        where = conditions(ways, wanted.seed)
    metric = metric_of(asked[0].rows, wanted.metric)
    return {
        "dataset": folder.resolve().name,
        "questions": len(queries),
        "metric": metric,
        "ways": {choice.name: one for choice, one in zip(choices, told, strict=True)},
        "comparisons": [
            _beside(queries, _Pair(choices[0], choice, asked[0], one), metric, wanted.seed)
            for choice, one in zip(choices[1:], asked[1:], strict=True)
        ],
        "settings": {
            name: {choice.name: _readable(value) for choice, value in zip(choices, values, strict=True)}
            for name, values in differs.items()
        },
        "conditions": where | {"problems": problems},
    }


def metric_of(rows: Sequence[Values], wanted: str) -> str:
    """Return the metric that is wanted, or the first that was measured; another one is an error that names those."""
    known = list(means(rows))
    if not known:
        raise QueryError("none of the questions names evidence or references, so nothing can be measured")
    if wanted and wanted not in known:
        raise QueryError(f"{wanted!r} was not measured; known here: {', '.join(known)}")
    return wanted or known[0]


def conditions(ways: Sequence[Way], seed: int) -> dict[str, Any]:
    """Return what whoever wants the same figures again has to know."""
    counts = [way.library.counts().get("default") for way in ways]
    return {
        "scholarmind": version("scholarmind"),
        "python": platform.python_version(),
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
        "seed": seed,
        "resamples": RESAMPLES,
        "passages": list(dict.fromkeys(one.passages if one else 0 for one in counts)),
        "embedders": list(dict.fromkeys(way.library.store.fingerprint for way in ways)),
    }


def _summary(first: str, other: str, changes: Mapping[str, Mapping[str, float]]) -> str:
    """Return in one sentence what was measured, and no more than that."""
    told: dict[str, list[str]] = {"better": [], "worse": [], "unsure": [], "same": []}
    for metric, changed in changes.items():
        said = f"{metric} by {abs(changed['mean']):.3f} [{changed['low']:+.3f}, {changed['high']:+.3f}]"
        judged = verdict(changed)
        told[judged].append(said if judged in {"better", "worse"} else metric)
    clauses = [
        f"{other} is {judged} than {first} on {_listed(told[judged])}" for judged in ("better", "worse") if told[judged]
    ]
    if told["unsure"]:
        clauses.append(f"on {_listed(told['unsure'])} no difference can be told")
    if told["same"]:
        clauses.append(f"on {_listed(told['same'])} no question came out differently")
    sentence = "; ".join(clauses) or "nothing was measured"
    return f"{sentence}." if clauses and sentence.startswith(other) else f"{sentence[0].upper()}{sentence[1:]}."


@dataclass(frozen=True, slots=True)
class _Pair:
    before: Choice
    after: Choice
    off: WayResult
    on: WayResult

    @property
    def names(self) -> tuple[str, str]:
        return self.before.name, self.after.name


def _of(way: Way, queries: Sequence[DatasetQuery], asked: WayResult) -> dict[str, Any]:
    models = way.library.models
    return figures(queries, asked) | ({"models": spent(models, way.calls.made)} if models else {})


def _beside(queries: Sequence[DatasetQuery], pair: _Pair, metric: str, seed: int) -> dict[str, Any]:
    changes = difference(pair.off.rows, pair.on.rows, seed)
    first, other = pair.names
    changed = _changed(queries, pair, metric)
    slower = [after - before for before, after in zip(pair.off.seconds, pair.on.seconds, strict=True)]
    return {
        "from": first,
        "to": other,
        "summary": _summary(first, other, changes),
        "difference": {name: {**row, "verdict": verdict(row)} for name, row in changes.items()},
        "by_type": _by_type(queries, pair, metric, seed),
        "milliseconds": round(median(slower) * 1e3, 2),
        "helped": [row for row in changed if row["change"] > 0],
        "hurt": [row for row in reversed(changed) if row["change"] < 0],
    }


def _by_type(queries: Sequence[DatasetQuery], pair: _Pair, metric: str, seed: int) -> dict[str, Any]:
    """Return the difference of one metric for each type of question."""
    told: dict[str, Any] = {}
    for kind in sorted({query.type for query in queries}):
        places = [place for place, query in enumerate(queries) if query.type == kind]
        off, on = ([side.rows[place] for place in places] for side in (pair.off, pair.on))
        if changed := difference(off, on, seed).get(metric):
            n = sum(metric in row for row in off)
            told[kind] = {"n": n, **changed, "verdict": verdict(changed)}
    return told


def _changed(queries: Sequence[DatasetQuery], pair: _Pair, metric: str) -> list[dict[str, Any]]:
    """Return the questions whose value changed, the most helped first, with what each side found of what is needed."""
    told: list[dict[str, Any]] = []
    depth = _depth_of(metric)
    for place, query in enumerate(queries):
        values = [side.rows[place].get(metric) for side in (pair.off, pair.on)]
        if None in values or abs(change := (values[1] or 0.0) - (values[0] or 0.0)) <= 1e-9:
            continue
        off, on = pair.off.found[place][depth], pair.on.found[place][depth]
        told.append(
            {
                "id": query.id,
                "question": query.question,
                "type": query.type,
                "values": dict(zip(pair.names, values, strict=True)),  # apart: a file may be called id.toml
                "change": round(change, 4),
                "evidence": [
                    {
                        "needed": needed,
                        "title": pair.off.titles.get(needed) or pair.on.titles.get(needed, ""),
                        "found_by": [
                            name for name, found in zip(pair.names, (off, on), strict=True) if needed in found
                        ],
                    }
                    for needed in (*sorted(query.evidence), *query.references)
                ],
            }
        )
    return sorted(told, key=lambda row: (-row["change"], row["id"]))


def _depth_of(metric: str) -> int:
    """Return the number of places whose passages a metric is about."""
    places = metric.partition("@")[2]
    if places == "kept":
        return KEPT
    return int(places) if metric.startswith(("recall", "all", "complete")) else DEPTH


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _readable(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(cast("tuple[str, ...]", value))
    return value if isinstance(value, int | float | str) else str(value)
