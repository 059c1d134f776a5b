"""The report of a comparison as a page: what can be said first, then the figures that it rests on, question by question."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scholarmind.evaluation.page import facts, figure, folded, page, paragraph, table, text
from scholarmind.evaluation.plots import Dot, histogram, intervals

_UNFOLDED = 12  # questions that are shown without being asked for
_SAID = {"better": "better", "worse": "worse", "unsure": "cannot be told", "same": "the same"}
_SHORT = 160


def comparison_page(told: Mapping[str, Any]) -> str:
    """Return the page of what `compare` returned."""
    names = list(told["ways"])
    parts = [
        paragraph(f"{told['questions']} questions of {told['dataset']}, each asked in every way, by turns.", "soft")
    ]
    for one in told["comparisons"]:
        parts += _beside(told, one, several=len(told["comparisons"]) > 1)
    parts += ["<h2>What differs</h2>", _settings(told["settings"], names)]
    parts += ["<h2>Time and cost</h2>", *_costs(told)]
    parts += ["<h2>Conditions</h2>", facts(told["conditions"]), *map(paragraph, _cautions(told))]
    return page(f"{', '.join(names)} on {told['dataset']}", parts)


def _beside(told: Mapping[str, Any], one: Mapping[str, Any], *, several: bool) -> Iterator[str]:
    first, other, metric = one["from"], one["to"], told["metric"]
    if several:
        yield f"<h2>{text(other)} beside {text(first)}</h2>"
    yield paragraph(one["summary"], "claim")
    yield _measures(told, one)
    yield '<div class="pictures">'
    caption = f"{other} minus {first}: mean and 95 % interval. Filled: a difference can be told."
    yield figure(intervals(_dots(one["difference"]), f"Differences of {other} to {first}"), caption)
    changes = [row["change"] for row in (*one["helped"], *one["hurt"])]
    if changes:
        unchanged = told["ways"][first]["n"] - len(changes)
        caption = f"{metric}, question by question: how many changed by how much. {unchanged} more did not change."
        yield figure(histogram(changes, f"Questions by their change in {metric}"), caption)
    yield "</div>"
    if len(one["by_type"]) > 1:
        yield f"<h3>{text(metric)} by type of question</h3>"
        yield _types(one["by_type"])
        yield figure(
            intervals(_dots(one["by_type"]), f"Differences in {metric} by type"), f"{metric}, by type of question."
        )
    for kind in ("helped", "hurt"):
        if rows := one[kind]:
            title = f"{kind.capitalize()} in {metric}: {len(rows)} question{'s' if len(rows) > 1 else ''}"
            yield folded(title, _questions(rows, first, other), unfolded=len(rows) <= _UNFOLDED)


def _dots(rows: Mapping[str, Mapping[str, Any]]) -> list[Dot]:
    return [
        Dot(label=name, mean=row["mean"], low=row["low"], high=row["high"], verdict=row["verdict"])
        for name, row in rows.items()
    ]


def _measures(told: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    first, other = one["from"], one["to"]
    rows = [
        [
            text(metric),
            f"{told['ways'][first]['metrics'][metric]:.3f}",
            f"{told['ways'][other]['metrics'][metric]:.3f}",
            *_changed(row),
        ]
        for metric, row in one["difference"].items()
    ]
    return table(["", first, other, "difference", "95 % interval", "helped / hurt", "so it is"], rows, numbers=5)


def _changed(row: Mapping[str, Any]) -> list[str]:
    said = f'<span class="verdict {row["verdict"]}">{_SAID[row["verdict"]]}</span>'
    return [f"{row['mean']:+.3f}", f"{row['low']:+.3f} to {row['high']:+.3f}", f"{row['helped']} / {row['hurt']}", said]


def _types(types: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [[text(kind), str(row["n"]), *_changed(row)] for kind, row in types.items()]
    return table(["type", "questions", "difference", "95 % interval", "helped / hurt", "so it is"], rows, numbers=4)


def _questions(rows: Sequence[Mapping[str, Any]], first: str, other: str) -> str:
    def cells(row: Mapping[str, Any]) -> list[str]:
        found = "".join(f"<li>{_needed(item)}</li>" for item in row["evidence"])
        told = f'{text(row["question"])}<div class="soft">{text(row["type"])} · {text(row["id"])}</div><ul>{found}</ul>'
        return [told, *(f"{row['values'][name]:.2f}" for name in (first, other))]

    return table(["question, and what is needed", first, other], map(cells, rows), numbers=2, kind="questions")


def _needed(item: Mapping[str, Any]) -> str:
    by = item["found_by"]
    told = {0: "found by neither", 1: f"found by {by[0] if by else ''} only", 2: "found by both"}[len(by)]
    return f'{text(_cut(item["title"] or item["needed"], _SHORT))} <span class="soft">{text(told)}</span>'


def _settings(settings: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> str:
    if not settings:
        return paragraph("Nothing: these files ask for the same.")
    rows = [
        [text(setting), *(text(_cut(_written(values[name]), _SHORT)) for name in names)]
        for setting, values in settings.items()
    ]
    return table(["setting", *names], rows)


def _costs(told: Mapping[str, Any]) -> Iterator[str]:
    slower = {one["to"]: f"{one['milliseconds']:+.1f} ms" for one in told["comparisons"]}
    heads = ["", "median", "p95", "a question beside the first, median"]
    models = any("models" in way for way in told["ways"].values())
    rows = [
        [
            text(name),
            f"{way['latency']['p50_ms']:.1f} ms",
            f"{way['latency']['p95_ms']:.1f} ms",
            slower.get(name, ""),
            *(_spent(way.get("models")) if models else ()),
        ]
        for name, way in told["ways"].items()
    ]
    yield table(
        [*heads, *(["model", "calls", "remembered", "failed", "tokens", "cost"] if models else [])], rows, numbers=3
    )


def _spent(models: Mapping[str, Any] | None) -> list[str]:
    if models is None:
        return ["none", "0", "0", "0", "0", "0"]
    cost = "unknown" if models["cost"] is None else f"{models['cost']:.4f} {models['currency']}"
    names = ", ".join(dict.fromkeys(models["names"].values())) or "unnamed"
    return [text(names), *(f"{models[name]:,}" for name in ("calls", "remembered", "failed", "tokens")), text(cost)]


def _cautions(told: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a reader must know so as not to read too much into the figures."""
    yield (
        "Intervals are from a paired bootstrap over the questions: they say how far the mean difference would move with other questions "
        "like these. Each stands for itself: of twenty intervals of things that do not differ, one leaves out 0 by chance. "
        "Where fewer than six questions changed, no difference is claimed, whatever the interval."
    )
    remembered = sum(way.get("models", {}).get("remembered", 0) for way in told["ways"].values())
    if remembered:
        yield (
            f"{remembered} replies of models were remembered from before, which cost nothing and took no time: "
            "for prices and times that compare, run it again with --no-cache."
        )
    for name, way in told["ways"].items():
        for notice, count in way["notices"].items():
            yield f"{name}: {notice} for {count} of the questions."


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _cut(told: str, longest: int) -> str:
    return told if len(told) <= longest else f"{told[: longest - 1]}…"
