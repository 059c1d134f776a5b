"""Build (once) a library from a dataset's records, ask it every question, and measure what comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from scholarmind.evaluation.asking import Asked, Way, ask_by_turns, figures, spent
from scholarmind.evaluation.compare import difference
from scholarmind.evaluation.datasets import Query, load_queries
from scholarmind.evaluation.ways import Choice, Switches, cached_library, opened
from scholarmind.events import OnEvent, ignore
from scholarmind.llm.language_models import Models
from scholarmind.model import Mode
from scholarmind.settings import Settings
from scholarmind.steps.options import Options
from scholarmind.steps.strategies import Strategy

__all__ = ["ABLATIONS", "Decompose", "Plan", "cached_library", "evaluate"]

Decompose = Literal["off", "on", "both"]
ABLATIONS: dict[str, dict[str, Any]] = {
    "all": {},
    "no filters": {"filters": False},
    "no hops": {"hops": False},
    "no quotas": {"quotas": False},
    "no injection": {"injection": False},
    "no tree": {"tree": False},
    "no graph": {"graph": False},
    "no parts": {"decompose": False, "effort": "keyless"},  # a model would take questions apart all the same
    "rrf": {"selection": "rrf"},
    "bandit": {"selection": "bandit"},
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
    strategies: tuple[Strategy, ...] = ()  # one after another, each beside the first


def evaluate(
    folder: Path, settings: Settings, plan: Plan, on_event: OnEvent = ignore, models: Models | None = None
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
            found = {"strategies": _with_spent(found["strategies"], ways, models)}
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


def _with_spent(told: Mapping[str, dict[str, Any]], ways: Sequence[Way], models: Models) -> dict[str, Any]:
    return {way.name: told[way.name] | {"models": spent(models, way.calls.made)} for way in ways}


def _ways(way: Way, plan: Plan) -> list[Way]:
    """Return the ways that are measured, all over one library."""
    off, options = _like(way, "off", None), way.options or Options()
    if plan.strategies:
        strategies = [_like(way, name, replace(options, strategy=name)) for name in plan.strategies]
        return [off, *strategies] if plan.decompose == "both" else strategies
    if plan.ablate:
        return [off, *(_like(way, name, replace(options, **changes)) for name, changes in ABLATIONS.items())]
    return {"off": [off], "on": [way], "both": [off, way]}[plan.decompose]


def _like(way: Way, name: str, options: Options | None) -> Way:
    return Way(name=name, library=way.library, options=options, mode=way.mode)


def _told(queries: Sequence[Query], asked: Mapping[str, Asked], plan: Plan) -> dict[str, Any]:
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
            for name in ABLATIONS
        }
        return {"off": told["off"], "ablation": compared}
    if plan.decompose == "both":
        return {**told, "difference": difference(asked["off"].rows, asked["on"].rows)}
    return told[plan.decompose]
