"""Try values of one setting on some of the questions, and see on the others whether the best of them is better than what is set."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from scholarmind.errors import QueryError
from scholarmind.evaluation.dataset_evaluation import conditions, metric_of
from scholarmind.evaluation.datasets import DatasetQuery
from scholarmind.evaluation.experiments import (
    KEPT,
    TABLE,
    Choice,
    Switches,
    Way,
    WayResult,
    ask_by_turns,
    chosen_by,
    loaded,
    places_of,
    spent,
)
from scholarmind.evaluation.retrieval_metrics import SEED, difference, interval, means, verdict
from scholarmind.events import OnEvent, ignore
from scholarmind.settings import named
from scholarmind.steps.options import Options
from scholarmind.strategies import strategy_names

_METRIC = re.compile(r"(recall|all|complete)@(?!0)\d{1,3}|hits@4|(mrr|map)@10|(recall|all|precision|f1)@kept")
Opened = Callable[[Sequence[Choice]], AbstractContextManager[tuple[list[Way], int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Which setting is tried with which values, and what counts."""

    setting: str
    values: tuple[str, ...]
    base: Mapping[str, Any]
    mode: str = "hybrid"
    metric: str = ""  # '' for the first there is; where the setting says how many passages are kept, f1@kept
    share: float = 0.5  # of the questions that the values are tried on
    seed: int = SEED


def tune(
    name: str, queries: Sequence[DatasetQuery], sweep: Sweep, opened: Opened, on_event: OnEvent = ignore
) -> dict[str, Any]:
    """Return how each value did on the questions for tuning, and how the best of them and the one that is set do on the others."""
    default, choices = _choices(sweep)
    metric, at = _metric(sweep, default, choices)
    tried, others = split(_usable(queries, metric), sweep.share, sweep.seed)
    ordered = [default, *(choice for choice in choices if choice.name != default.name)]
    with opened(ordered) as (ways, _):
        asked = dict(zip((way.name for way in ways), ask_by_turns(ways, tried, at, on_event, "tune"), strict=True))
        metric = metric_of(asked[default.name].rows, metric)
        best = _best([choice.name for choice in choices], default.name, metric, asked)
        last = [way for way in ways if way.name in {default.name, best}]
        checked = dict(zip((way.name for way in last), ask_by_turns(last, others, at, on_event, "check"), strict=True))
        where = conditions(ways, sweep.seed)
        models = ways[0].library.models
        told_models = {"models": spent(models, [call for way in ways for call in way.calls.made])} if models else {}
    return {
        "dataset": name,
        "setting": sweep.setting,
        "metric": metric,
        "default": default.name,
        "tuning": {"n": len(tried), "values": _tried(choices, default.name, metric, asked, sweep.seed)},
        **_checked(default.name, best, metric, checked, sweep),
        **told_models,
        "conditions": where | {"share": sweep.share},
    }


def split(queries: Sequence[DatasetQuery], share: float, seed: int) -> tuple[list[DatasetQuery], list[DatasetQuery]]:
    """Return the questions for tuning and the others: by a hash of their ids, with the same share of every type."""
    types: dict[str, list[DatasetQuery]] = defaultdict(list)
    for query in queries:
        types[query.type].append(query)
    tried: set[int] = set()
    wanted = 0.0
    for kind in sorted(types):
        wanted += share * len(types[kind])
        ordered = sorted(types[kind], key=lambda query: _hash(query, seed))
        taken = max(0, min(len(ordered), round(wanted) - len(tried)))
        tried |= {id(query) for query in ordered[:taken]}
    sides = [query for query in queries if id(query) in tried], [query for query in queries if id(query) not in tried]
    if not all(sides):
        raise QueryError(
            f"{len(queries)} measurable questions cannot be split in two with a share of {share}; there must be one on each side"
        )
    return sides


def _hash(query: DatasetQuery, seed: int) -> str:
    return hashlib.sha256(f"{seed}\n{query.id}\n{query.question}".encode("utf-8", "replace")).hexdigest()


def _usable(queries: Sequence[DatasetQuery], metric: str) -> list[DatasetQuery]:
    """Return the questions that have the metric, so that both sides of the split do."""
    if metric.startswith("complete"):
        return [query for query in queries if query.references]
    with_evidence = [query for query in queries if query.evidence]
    return with_evidence or [query for query in queries if query.references and not metric]


def _choices(sweep: Sweep) -> tuple[Choice, list[Choice]]:
    """Return what is set now, and a choice for each value that is to be tried."""
    choices = [_choice(sweep, value) for value in dict.fromkeys(sweep.values)]
    by_name = {choice.name: choice for choice in choices}
    default = Choice(
        name="",
        settings=loaded(sweep.base),
        switches=Switches(mode=sweep.mode),  # type: ignore[arg-type]
    )
    table, inner = sweep.setting.partition(".")[::2]
    if inner and table in strategy_names() and default.settings.strategy != table:
        raise QueryError(
            f"{sweep.setting} changes nothing with strategy {default.settings.strategy!r}; give --strategy {table}"
        )
    now = _shown(default, sweep.setting)
    if not set(by_name) - {now}:
        raise QueryError(f"there is nothing to compare: {sweep.setting} is {now} already; give other --values")
    return by_name.get(now) or _choice(sweep, now), list(by_name.values())


def _choice(sweep: Sweep, value: str) -> Choice:
    """Return the choice of a value; its name is the value as it was understood, so that .7 and 0.70 are the same."""
    switches: dict[str, Any] = {"mode": sweep.mode}
    name = sweep.setting.removeprefix(f"{TABLE}.")
    given: dict[str, Any] = {TABLE: switches}
    if name in Switches.__dataclass_fields__:
        switches[name] = value
    else:
        given |= named(name, value)
    choice = chosen_by("", given, sweep.base, "setting")
    return Choice(name=_shown(choice, sweep.setting), settings=choice.settings, switches=choice.switches)


def _shown(choice: Choice, setting: str) -> str:
    value = _value(choice, setting)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(choice: Choice, setting: str) -> Any:
    name = setting.removeprefix(f"{TABLE}.")
    if name in Switches.__dataclass_fields__:
        return getattr(choice.switches, name)
    ((table, inner),) = named(name, "").items()
    value = getattr(choice.settings, table)
    return getattr(value, next(iter(inner))) if inner else value


def _metric(sweep: Sweep, default: Choice, choices: Sequence[Choice]) -> tuple[str, tuple[int, ...]]:
    """Return what counts, and the numbers of places at which to measure it."""
    numbers = {places_of(choice.options or Options()) for choice in (default, *choices)}
    metric = sweep.metric or ("f1@kept" if len(numbers) > 1 else "")
    if not metric:
        return "", (5,)
    if not _METRIC.fullmatch(metric):
        raise QueryError(
            f"--metric {metric!r} is not understood; such as recall@5, all@10, complete@5, mrr@10, f1@kept"
        )
    places = metric.partition("@")[2]
    return metric, (KEPT if places == "kept" else int(places),)


def _best(names: Sequence[str], default: str, metric: str, asked: Mapping[str, WayResult]) -> str:
    """Return the value with the highest mean; of equals the one that is set, else the first."""
    reached = {name: means(asked[name].rows)[metric] for name in names}
    highest = max(reached.values())
    equals = [name for name, mean in reached.items() if mean == highest]
    return default if means(asked[default].rows)[metric] == highest else equals[0]


def _tried(
    choices: Sequence[Choice], default: str, metric: str, asked: Mapping[str, WayResult], seed: int
) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    names = [choice.name for choice in choices]
    for name in names if default in names else [default, *names]:
        values = [row[metric] for row in asked[name].rows if metric in row]
        low, high = interval(values, seed)
        beside: dict[str, float] = (
            {} if name == default else difference(asked[default].rows, asked[name].rows, seed)[metric]
        )
        told.append(
            {"value": name, "mean": means(asked[name].rows)[metric], "low": low, "high": high, "difference": beside}
        )
    return told


def _checked(default: str, best: str, metric: str, asked: Mapping[str, WayResult], sweep: Sweep) -> dict[str, Any]:
    """Return how the best value did on questions that it was not chosen by, and what follows from that."""
    rows = asked[default].rows
    told: dict[str, Any] = {
        "best": best,
        "others": {"n": len(rows), default: means(rows)[metric]},
    }
    if best == default:
        return told | {
            "recommended": default,
            "why": f"no value did better than {default}, which is set, on the questions for tuning",
        }
    changed = difference(rows, asked[best].rows, sweep.seed)[metric]
    told["others"] |= {best: means(asked[best].rows)[metric], "difference": changed}
    judged = verdict(changed)
    told["recommended"] = best if judged == "better" else default
    told["why"] = _why(judged, default, best, metric, changed)
    return told


def _why(judged: str, default: str, best: str, metric: str, changed: Mapping[str, float]) -> str:
    measured = f"{changed['mean']:+.3f} [{changed['low']:+.3f}, {changed['high']:+.3f}] of {metric}"
    if judged == "better":
        return f"{best} is better than {default} also on questions that it was not chosen by: {measured}"
    if judged == "worse":
        return f"{best} was the best on the questions for tuning only; on the others it is worse: {measured}"
    if judged == "same":
        return f"on questions that it was not chosen by, {best} brings the same as {default}: keep what is set"
    return f"on questions that it was not chosen by, the difference of {best} is noise: {measured}; keep {default}, which is set"
