"""Small pictures of figures, as SVG that stands in the page itself. Colours are classes, which the page's style gives a meaning."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from scholarmind.evaluation.compare import Verdict

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
        return [float(place) for place in (_ranks(numbers) if numbers else range(len(labels)))]
    return numbers


def _ranks(numbers: Sequence[float]) -> list[int]:
    ordered = sorted(numbers)
    return [ordered.index(number) for number in numbers]


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
