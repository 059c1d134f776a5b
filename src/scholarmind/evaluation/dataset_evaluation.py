"""Evaluation of a library on sets of questions: whole sets, comparisons, questions that cannot be answered, and tuning."""

import hashlib
import platform
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import fmean, median
from typing import Any, Literal, cast, get_args

from scholarmind.answer import Answer, Verdict
from scholarmind.errors import QueryError
from scholarmind.evaluation.experiments import (
    DEPTH,
    KEPT,
    RESAMPLES,
    SEED,
    TABLE,
    Choice,
    DatasetQuery,
    Switches,
    Values,
    Way,
    WayResult,
    ask_by_turns,
    cached_library,
    chosen_by,
    chosen_by_files,
    difference,
    differing,
    figures,
    interval,
    load_queries,
    loaded,
    means,
    opened,
    places_of,
    spent,
    verdict,
)
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.filters import AnyOf, Compare, Not
from scholarmind.llm.language_models import Models
from scholarmind.model import Mode
from scholarmind.settings import Settings, named
from scholarmind.steps.options import Options
from scholarmind.strategies import strategy_names

# -- ask every question twice: as it is, and with all records that its answer needs hidden. Is the difference seen?

ANSWERED: frozenset[Verdict] = frozenset(("complete", "with caveats"))
_BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerabilityTrial:
    """What came of asking a question once, with what it needs shown or hidden."""

    shown: bool
    verdict: Verdict
    confidence: float


def evaluate_answerable(
    folder: Path, settings: Settings, on_event: OnEvent, *, mode: Mode, limit: int | None, models: Models | None = None
) -> dict[str, Any]:
    """Return the figures of one dataset, ready to print as JSON; if a language model is asked, with what that took as `models`."""
    queries = load_queries(folder)[:limit]
    choice = Choice(name="ask", settings=settings, switches=Switches(mode=mode))
    with opened(folder / "corpus.jsonl", [choice], on_event, models) as ((way,), _):
        asked = [query for query in queries if query.answerable and way.library.documents(_needed(query), 1)]
        if not asked:
            raise QueryError(
                f"none of the {len(queries)} questions of {str(folder)!r} can be asked with and without its evidence; "
                "at least one has to be answerable and to name records of the corpus"
            )
        askings: list[AnswerabilityTrial] = []
        for done, query in enumerate(asked, 1):
            askings += [_ask(way, query, shown=shown) for shown in (True, False)]
            on_event(Progress(stage="ask", done=done, total=len(asked), unit="questions"))
        models = way.library.models
    return {
        "dataset": folder.resolve().name,
        "n": len(asked),
        **answerability_figures(askings),
        "skipped": len(queries) - len(asked),
        **({"models": spent(models, way.calls.made)} if models else {}),
    }


def answerability_figures(askings: Sequence[AnswerabilityTrial]) -> dict[str, Any]:
    """Return what the module describes, and how many verdicts of each kind there were; some are shown, and as many hidden."""
    shown, confidences = [one.shown for one in askings], [one.confidence for one in askings]
    verdicts = {side: Counter(one.verdict for one in askings if one.shown is side) for side in (True, False)}
    answered = {
        side: sum(counts[verdict] for verdict in ANSWERED) / counts.total() for side, counts in verdicts.items()
    }
    area = auc(shown, confidences)
    return {
        "auc": area if area is None else round(area, 4),
        "false_answered": round(answered[False], 4),
        "false_missing": round(1 - answered[True], 4),
        "ece": round(calibration_error(shown, confidences), 4),
        "by": {
            name: {verdict: verdicts[side][verdict] for verdict in get_args(Verdict)}
            for name, side in (("shown", True), ("hidden", False))
        },
    }


def lowest_confidence(answer: Answer) -> float:
    """Return the confidence of the weakest row that searches; of the whole, where none does."""
    rows = [row.confidence for row in answer.review.rows if answer.plan.part(row.part).role == "find"]
    return min(rows, default=answer.review.confidence)


def auc(right: Iterable[bool], scores: Iterable[float]) -> float | None:
    """Return how often a right one is scored above a wrong one, a tie being half; None where one kind is missing."""
    pairs = list(zip(right, scores, strict=True))
    high = [score for one, score in pairs if one]
    low = sorted(score for one, score in pairs if not one)
    if not high or not low:
        return None
    above = sum(bisect_left(low, score) + bisect_right(low, score) for score in high) / 2
    return above / (len(high) * len(low))


def calibration_error(right: Iterable[bool], confidences: Iterable[float]) -> float:
    """Return the mean distance between confidence and share of right ones, each bin by its size."""
    bins: dict[int, list[tuple[bool, float]]] = {}
    for one, confidence in zip(right, confidences, strict=True):
        bins.setdefault(min(int(confidence * _BINS), _BINS - 1), []).append((one, confidence))
    total = sum(map(len, bins.values()))
    distances = (
        len(within) * abs(fmean(one for one, _ in within) - fmean(confidence for _, confidence in within))
        for within in bins.values()
    )
    return sum(distances) / total


def _ask(way: Way, query: DatasetQuery, *, shown: bool) -> AnswerabilityTrial:
    hidden = None if shown else Not(_needed(query))
    answer = way.library.ask_once(query.question, mode=way.mode, filter=hidden, on_event=way.calls.take)
    return AnswerabilityTrial(shown=shown, verdict=answer.review.verdict, confidence=lowest_confidence(answer))


def _needed(query: DatasetQuery) -> AnyOf:
    """Return the filter that only the records pass that the question needs."""
    return AnyOf(tuple(Compare("id", "=", id) for id in sorted(query.evidence)))


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
        # the ways that are measured, all over one library
        off, options = _like(way, "off", None), way.options or Options()
        if plan.strategies:
            strategies = [_like(way, name, replace(options, strategy=name)) for name in plan.strategies]
            ways = [off, *strategies] if plan.decompose == "both" else strategies
        elif plan.ablate:
            ways = [off, *(_like(way, name, replace(options, **changes)) for name, changes in _ABLATIONS.items())]
        else:
            ways = {"off": [off], "on": [way], "both": [off, way]}[plan.decompose]
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


# -- try values of one setting on some of the questions, and see on the others whether the best of them is better than what is set

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
        # the value with the highest mean; of equals the one that is set, else the first
        names = [choice.name for choice in choices]
        reached = {name: means(asked[name].rows)[metric] for name in names}
        highest = max(reached.values())
        equals = [name for name, mean in reached.items() if mean == highest]
        best = default.name if means(asked[default.name].rows)[metric] == highest else equals[0]
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
