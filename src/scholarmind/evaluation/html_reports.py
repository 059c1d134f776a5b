"""Reports as HTML pages that stand alone: of a comparison, and of a tuned setting, with their plots as SVG.

No scripts, nothing from elsewhere, and nothing of a document that could become markup. Colours are classes, which `report.css` gives a
meaning. What can be said comes first, then the figures that it rests on.
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from scholarmind.errors import QueryError
from scholarmind.evaluation.experiments import Verdict
from scholarmind.text.untrusted import uncontrolled

# -- pages and their parts

_STYLE = Path(__file__).with_name("report.css")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def text(value: Any) -> str:
    """Return a value so that a browser shows it and does nothing else with it."""
    return escape(uncontrolled(str(value)), quote=True)


def _page(title: str, parts: Iterable[str]) -> str:
    """Return a whole page."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{text(title)}</title>",
            f"<style>{_STYLE.read_text(encoding='utf-8')}</style></head><body>",
            f"<h1>{text(title)}</h1>",
            *parts,
            "</body></html>",
            "",
        ]
    )


def _paragraph(told: str, kind: str = "") -> str:
    """Return a paragraph."""
    return f'<p class="{kind}">{text(told)}</p>' if kind else f"<p>{text(told)}</p>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0, kind: str = "") -> str:
    """Return a table; its cells are HTML already, the first `numbers` columns after the first hold numbers."""

    def cells(row: Sequence[str], tag: str) -> str:
        marks = (' class="number"' if 0 < place <= numbers else "" for place in range(len(row)))
        return "".join(f"<{tag}{mark}>{cell}</{tag}>" for mark, cell in zip(marks, row, strict=True))

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    head = f"<thead><tr>{cells([text(one) for one in heads], 'th')}</tr></thead>"
    return f'<div class="wide"><table class="{kind}">{head}<tbody>{body}</tbody></table></div>'


def _facts(known: Mapping[str, Any]) -> str:
    """Return a table of names and values."""
    return _table(["", ""], [[text(name), text(_joined(value))] for name, value in known.items()])


def _joined(value: Any) -> str:
    return ", ".join(map(str, cast("list[Any]", value))) if isinstance(value, list) else str(value)


def _figure(picture: str, caption: str) -> str:
    """Return a picture with what is to be seen in it."""
    return f"<figure>{picture}<figcaption>{text(caption)}</figcaption></figure>"


def folded(title: str, inside: str, *, unfolded: bool) -> str:
    """Return a part of a page that can be folded away."""
    return f"<details{' open' if unfolded else ''}><summary>{text(title)}</summary>{inside}</details>"


def check_place(path: Path) -> None:
    """Complain before the work, not after it, where no page can be written."""
    folder = path.parent
    special = path.exists() and not path.is_file()  # a folder or a device
    if special or not folder.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise QueryError(f"no report can be written to {str(path)!r}; --report takes a file in a folder that there is")


def write(path: Path, whole: str) -> None:
    """Write a page whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(whole, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise QueryError(f"the report {str(path)!r} cannot be written: {error}") from error
    finally:
        temporary.unlink(missing_ok=True)


# -- plots

_WIDTH = 360  # as wide as a phone, so that the words stay readable there
_LONGEST_LABEL = 20  # characters
_LETTER = 6.3  # as wide as most
_RIGHT = 14
_ROW = 24
_BARS = 21
_STEPS = (1, 2, 2.5, 5, 10)
_LEAST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A value with its interval."""

    label: str
    mean: float
    low: float
    high: float
    verdict: Verdict = "unsure"
    marked: bool = False


def intervals(dots: Sequence[Dot], title: str) -> str:
    """Return a line for each difference, with a dot at its mean, on both sides of no difference."""
    reach = max((abs(value) for dot in dots for value in (dot.low, dot.high)), default=0) or 0.1
    marks = _ticks(-reach, reach)
    labels = [_fitting(dot.label) for dot in dots]
    left = 24 + _LETTER * max(map(_wide, labels), default=0)
    x = _scale(min(-reach, marks[0]), max(reach, marks[-1]), left, _WIDTH - _RIGHT)
    bottom = 10 + _ROW * len(dots)
    shapes = [_upright(x(mark), 6, bottom, "zero" if abs(mark) < _LEAST else "grid") for mark in marks]
    shapes += [_text(x(mark), bottom + 14, f"{mark:+g}" if mark else "0", "middle") for mark in marks]
    for place, (label, dot) in enumerate(zip(labels, dots, strict=True)):
        y = 10 + _ROW * (place + 0.5)
        shapes.append(_text(left - 14, y + 4, label, "end"))
        shapes.append(f'<line class="{dot.verdict}" x1="{x(dot.low):.1f}" x2="{x(dot.high):.1f}" y1="{y}" y2="{y}"/>')
        told = f"{dot.label}: {dot.mean:+.3f} [{dot.low:+.3f}, {dot.high:+.3f}]"
        shapes.append(_dot(x(dot.mean), y, dot.verdict, told))
    return _picture(shapes, bottom + 22, title)


def histogram(changes: Sequence[float], title: str) -> str:
    """Return how many questions changed by how much; those that did not change are not drawn."""
    changed = [change for change in changes if abs(change) > _LEAST]
    reach = max(map(abs, changed), default=1.0)
    counts = [0] * _BARS  # the one in the middle stays empty: nought is not drawn
    for change in changed:
        away = max(1, math.ceil(abs(change) / reach * (_BARS // 2) - _LEAST))
        counts[_BARS // 2 + (away if change > 0 else -away)] += 1
    x = _scale(-reach, reach, 30, _WIDTH - 30)
    width, bottom = (_WIDTH - 60) / _BARS, 130
    shapes: list[str] = []
    for place, count in enumerate(counts):
        if count:
            left, height = 30 + place * width, 100 * count / max(counts)
            kind = "better" if place > _BARS // 2 else "worse"
            size = f'width="{width - 2:.1f}" height="{height:.1f}"'
            shapes.append(f'<rect class="{kind}" x="{left + 1:.1f}" y="{bottom - height:.1f}" {size}/>')
            shapes.append(_text(left + width / 2, bottom - height - 4, str(count), "middle"))
    shapes.append(_upright(x(0), 14, bottom, "zero"))
    shapes += [
        _text(x(mark), bottom + 14, f"{mark:+g}" if mark else "0", "middle")
        for mark in (-round(reach, 3), 0, round(reach, 3))
    ]
    return _picture(shapes, bottom + 22, title)


def curve(dots: Sequence[Dot], title: str) -> str:
    """Return the mean of each value with its interval, from left to right; numbers stand where they belong."""
    places = _places([dot.label for dot in dots])
    low, high = min(dot.low for dot in dots), max(dot.high for dot in dots)
    marks = _ticks(low, high if high > low else low + 0.1)
    x = _scale(min(places), max(places), 56, _WIDTH - 28)
    y = _scale(min(low, marks[0]), max(high, marks[-1]), 170, 14)
    shapes = [
        f'<line class="grid" x1="44" x2="{_WIDTH - _RIGHT}" y1="{y(mark):.1f}" y2="{y(mark):.1f}"/>' for mark in marks
    ]
    shapes += [_text(40, y(mark) + 4, f"{mark:g}", "end") for mark in marks]
    known = sorted(zip(places, dots, strict=True), key=lambda pair: pair[0])
    line = " ".join(f"{x(place):.1f},{y(dot.mean):.1f}" for place, dot in known)
    shapes.append(f'<polyline class="curve" points="{line}"/>')
    for place, dot in known:
        kind = "better" if dot.marked else "unsure"
        shapes.append(
            f'<line class="{kind}" x1="{x(place):.1f}" x2="{x(place):.1f}" y1="{y(dot.low):.1f}" y2="{y(dot.high):.1f}"/>'
        )
        shapes.append(_dot(x(place), y(dot.mean), kind, f"{dot.label}: {dot.mean:.3f} [{dot.low:.3f}, {dot.high:.3f}]"))
        shapes.append(_text(x(place), 188, dot.label, "middle"))
    return _picture(shapes, 196, title)


def _fitting(label: str) -> str:
    """Return a label, cut if it is too long."""
    if _wide(label) <= _LONGEST_LABEL:
        return label
    while _wide(label) >= _LONGEST_LABEL:
        label = label[:-1]
    return f"{label}…"


def _wide(label: str) -> int:
    return sum(2 if letter >= "\u2e80" else 1 for letter in label)  # Chinese letters take twice the place


def _places(labels: Sequence[str]) -> list[float]:
    """Return where values stand beside each other: numbers by their size, unless they would lie on each other, words one by one."""
    try:
        numbers = [float(label) for label in labels]
    except ValueError:
        numbers = []
    ordered = sorted(numbers)
    width = (ordered[-1] - ordered[0]) if ordered else 0.0
    if not width or min(after - before for before, after in pairwise(ordered)) < width / 12:
        return [float(place) for place in (map(ordered.index, numbers) if numbers else range(len(labels)))]
    return numbers


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    width = (high - low) or 1.0
    return lambda value: start + (value - low) / width * (end - start) if high > low else (start + end) / 2


def _ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers that reach from low to high."""
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * one for one in _STEPS if power * one >= rough - _LEAST)
    first, last = math.floor(low / step + _LEAST), math.ceil(high / step - _LEAST)
    return [round(place * step, 10) for place in range(first, last + 1)]


def _dot(x: float, y: float, kind: str, told: str) -> str:
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"><title>{escape(told)}</title></circle>'


def _upright(x: float, top: float, bottom: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _picture(shapes: Sequence[str], height: float, title: str) -> str:
    shown = escape(title, quote=True)
    return f'<svg viewBox="0 0 {_WIDTH} {height:g}" role="img" aria-label="{shown}">{"".join(shapes)}</svg>'


# -- the report of a comparison

_UNFOLDED = 12  # questions that are shown without being asked for
_SAID = {"better": "better", "worse": "worse", "unsure": "cannot be told", "same": "the same"}
_SHORT = 160


def comparison_page(told: Mapping[str, Any]) -> str:
    """Return the page of what `compare` returned."""
    names = list(told["ways"])
    parts = [
        _paragraph(f"{told['questions']} questions of {told['dataset']}, each asked in every way, by turns.", "soft")
    ]
    for one in told["comparisons"]:
        parts += _comparison_parts(told, one, several=len(told["comparisons"]) > 1)
    parts += ["<h2>What differs</h2>", _settings(told["settings"], names)]
    parts += ["<h2>Time and cost</h2>", *_costs(told)]
    parts += ["<h2>Conditions</h2>", _facts(told["conditions"]), *map(_paragraph, _cautions(told))]
    return _page(f"{', '.join(names)} on {told['dataset']}", parts)


def _comparison_parts(told: Mapping[str, Any], one: Mapping[str, Any], *, several: bool) -> Iterator[str]:
    first, other, metric = one["from"], one["to"], told["metric"]
    if several:
        yield f"<h2>{text(other)} beside {text(first)}</h2>"
    yield _paragraph(one["summary"], "claim")
    yield _measures(told, one)
    yield '<div class="pictures">'
    caption = f"{other} minus {first}: mean and 95 % interval. Filled: a difference can be told."
    yield _figure(intervals(_dots(one["difference"]), f"Differences of {other} to {first}"), caption)
    changes = [row["change"] for row in (*one["helped"], *one["hurt"])]
    if changes:
        unchanged = told["ways"][first]["n"] - len(changes)
        caption = f"{metric}, question by question: how many changed by how much. {unchanged} more did not change."
        yield _figure(histogram(changes, f"Questions by their change in {metric}"), caption)
    yield "</div>"
    if len(one["by_type"]) > 1:
        yield f"<h3>{text(metric)} by type of question</h3>"
        rows = [[text(kind), str(row["n"]), *_changed(row)] for kind, row in one["by_type"].items()]
        heads = ["type", "questions", "difference", "95 % interval", "helped / hurt", "so it is"]
        yield _table(heads, rows, numbers=4)
        yield _figure(
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
    return _table(["", first, other, "difference", "95 % interval", "helped / hurt", "so it is"], rows, numbers=5)


def _changed(row: Mapping[str, Any]) -> list[str]:
    said = f'<span class="verdict {row["verdict"]}">{_SAID[row["verdict"]]}</span>'
    return [f"{row['mean']:+.3f}", f"{row['low']:+.3f} to {row['high']:+.3f}", f"{row['helped']} / {row['hurt']}", said]


def _questions(rows: Sequence[Mapping[str, Any]], first: str, other: str) -> str:
    def cells(row: Mapping[str, Any]) -> list[str]:
        found = "".join(f"<li>{_needed(item)}</li>" for item in row["evidence"])
        told = f'{text(row["question"])}<div class="soft">{text(row["type"])} · {text(row["id"])}</div><ul>{found}</ul>'
        return [told, *(f"{row['values'][name]:.2f}" for name in (first, other))]

    return _table(["question, and what is needed", first, other], map(cells, rows), numbers=2, kind="questions")


def _needed(item: Mapping[str, Any]) -> str:
    by = item["found_by"]
    told = {0: "found by neither", 1: f"found by {by[0] if by else ''} only", 2: "found by both"}[len(by)]
    return f'{text(_cut(item["title"] or item["needed"], _SHORT))} <span class="soft">{text(told)}</span>'


def _settings(settings: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> str:
    if not settings:
        return _paragraph("Nothing: these files ask for the same.")
    rows = [
        [text(setting), *(text(_cut(_written(values[name]), _SHORT)) for name in names)]
        for setting, values in settings.items()
    ]
    return _table(["setting", *names], rows)


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
    yield _table(
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


# -- the report of a tuned setting


def tuning_page(told: Mapping[str, Any]) -> str:
    """Return the page of what `tune` returned."""
    return _page(f"{told['setting']} on {told['dataset']}", _parts(told))


def _parts(told: Mapping[str, Any]) -> Iterator[str]:
    metric, tuning, others = told["metric"], told["tuning"], told["others"]
    yield _paragraph(f"Recommended: {told['setting']} = {told['recommended']}: {told['why']}.", "claim")
    dots = [
        Dot(label=row["value"], mean=row["mean"], low=row["low"], high=row["high"], marked=row["value"] == told["best"])
        for row in tuning["values"]
    ]
    caption = (
        f"{metric} on the {tuning['n']} questions for tuning: mean and 95 % interval of each value; filled is the best. The intervals "
        "are of the means themselves and overlap also where a difference is sure: the table has the differences."
    )
    yield _figure(curve(dots, f"{metric} by {told['setting']}"), caption)
    yield "<h2>On the questions for tuning</h2>"
    rows = [
        [_marked(row["value"], told), f"{row['mean']:.3f}", *_difference_cells(row["difference"])]
        for row in tuning["values"]
    ]
    yield _table([told["setting"], metric, "to what is set", "95 % interval", "helped / hurt"], rows, numbers=4)
    yield f"<h2>On the {others['n']} other questions</h2>"
    names = list(dict.fromkeys((told["default"], told["best"])))
    changes = {told["best"]: others.get("difference", {})}
    rows = [[_marked(name, told), f"{others[name]:.3f}", *_difference_cells(changes.get(name, {}))] for name in names]
    yield _table([told["setting"], metric, "to what is set", "95 % interval", "helped / hurt"], rows, numbers=4)
    yield _paragraph(
        "The best value was chosen by the questions for tuning, so its lead on them is partly luck; only the others judge it.",
        "note",
    )
    yield "<h2>Conditions</h2>"
    yield _facts(told["conditions"])


def _marked(value: str, told: Mapping[str, Any]) -> str:
    marks = [mark for mark, name in (("set", "default"), ("best", "best")) if told[name] == value]
    return f'{text(value)} <span class="soft">{", ".join(marks)}</span>' if marks else text(value)


def _difference_cells(changed: Mapping[str, Any]) -> list[str]:
    if not changed:
        return ["", "", ""]
    return [
        f"{changed['mean']:+.3f}",
        f"{changed['low']:+.3f} to {changed['high']:+.3f}",
        f"{changed['helped']} / {changed['hurt']}",
    ]
