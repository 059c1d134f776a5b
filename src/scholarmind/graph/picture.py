"""A picture of a part of the graph, as a page that stands alone: it asks nothing of any server, and runs no script but its own.

Nodes stand near what they are tied to, and no label over another; for the same graph it is always the same picture.
"""

import hashlib
import unicodedata
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scholarmind.graph.graph_formats import ShownEdge
from scholarmind.relations import Node
from scholarmind.text.untrusted import uncontrolled

# -- where nodes stand

Points = npt.NDArray[np.float64]
_ROUNDS = 250
_GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))
_GRAVITY = 0.6
_PUSHES = 900
_PATIENCE = 40  # pushes, after which everything gets more room
_DENSE, _LOOSE = 2.2, 9.0  # so much room beside what the boxes take
_GAP = 6.0  # between two boxes
_NEAR = 1e-6


def placed(sizes: Sequence[tuple[float, float]], ties: Sequence[tuple[int, int]], *, loose: bool = False) -> Points:
    """Return the middle of each box of these sizes; the first is in the middle. `loose` leaves room for words at the ties."""
    if not sizes:
        return np.zeros((0, 2))
    boxes = np.asarray(sizes, dtype=np.float64)
    spots = _sprung(len(sizes), sorted({(min(tie), max(tie)) for tie in ties if tie[0] != tie[1]}))
    room = float(np.sqrt((boxes[:, 0] * boxes[:, 1]).sum() * (_LOOSE if loose else _DENSE)))
    spread = max(float(np.ptp(spots, axis=0).max()), _NEAR)
    spots *= np.array([1.25, 0.8]) * room / spread  # labels are wide, and so are screens
    return _apart(spots, boxes)


def _sprung(count: int, ties: Sequence[tuple[int, int]]) -> Points:
    """Let ties pull and nodes push each other (Fruchterman and Reingold), from a spiral on, until little moves."""
    order = np.arange(count)
    radius = np.sqrt(order / max(count, 1))
    spots = np.stack((radius * np.cos(order * _GOLDEN_ANGLE), radius * np.sin(order * _GOLDEN_ANGLE)), axis=1)
    ends = np.asarray(ties, dtype=np.intp).reshape(-1, 2)
    ideal = 1 / np.sqrt(max(count, 1))
    for heat in np.linspace(0.15, 0.002, _ROUNDS):
        away = spots[:, None, :] - spots[None, :, :]
        nearness = ideal**2 / np.maximum(np.einsum("ijk,ijk->ij", away, away), _NEAR)
        force = np.einsum("ijk,ij->ik", away, nearness)
        pull = spots[ends[:, 0]] - spots[ends[:, 1]]
        pull *= np.linalg.norm(pull, axis=1, keepdims=True) / ideal
        np.add.at(force, ends[:, 0], -pull)
        np.add.at(force, ends[:, 1], pull)
        force -= _GRAVITY * spots * ideal * np.sqrt(count)  # what hangs on nothing must not fly off
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), _NEAR)
        spots = spots + force / length * np.minimum(length, heat)
    return spots - spots[0]


def _apart(spots: Points, boxes: Points) -> Points:
    """Push boxes that overlap apart, each time along the shorter way, until none do."""
    least = (boxes[:, None, :] + boxes[None, :, :]) / 2 + _GAP
    rising = np.sign(np.arange(len(boxes))[:, None] - np.arange(len(boxes))[None, :]).astype(np.float64)
    spots = spots.copy()
    for turn in range(1, _PUSHES):
        away = spots[:, None, :] - spots[None, :, :]
        overlap = least - np.abs(away)
        np.fill_diagonal(overlap[:, :, 0], 0)
        if turn % _PATIENCE == 0:
            spots *= 1.06
            continue
        touching = (overlap > _NEAR).all(axis=2)
        if not touching.any():
            break
        side = np.where(away == 0, rising[:, :, None], np.sign(away))
        across = overlap[:, :, 0] < overlap[:, :, 1]
        push = np.where(touching, 0.5, 0.0)[:, :, None] * side * overlap
        push[:, :, 0] *= across
        push[:, :, 1] *= ~across
        crowd = np.maximum(touching.sum(axis=1, keepdims=True), 1) ** 0.5  # many pushes at once must not overshoot
        spots += push.sum(axis=1) / crowd
    return spots


# -- the page

_MOST = 200  # nodes
_MOST_TOLD = 12  # edges between two nodes that are told in full
_LETTER = 6.7  # as wide as most, at 12 pixels; capitals and digits are wider, Chinese characters twice as wide
_CAPITAL = 8.4
_SMALL = 0.8  # the words at a line, beside those of a node
_LONGEST_LABEL = 26  # letters
_LINE = 16.0
_MARGIN = 30
_FEW_TIES = 45  # with no more, the relation stands at each where there is room
_LEAST = (900.0, 560.0)  # of the whole, or a few nodes would be huge
_ALONG = (0.5, 0.62, 0.4, 0.72, 0.3)  # of a line, where its words may stand
_SHAPES = {
    "round": "M0,-{r}A{r},{r} 0 1 1 0,{r}A{r},{r} 0 1 1 0,-{r}Z",
    "square": "M-{r},-{r}H{r}V{r}H-{r}Z",
    "diamond": "M0,-{r}L{r},0L0,{r}L-{r},0Z",
    "peak": "M0,-{r}L{r},{r}H-{r}Z",
}

_SHAPE_OF = {
    "paper": "square",
    "author": "round",
    "institution": "square",
    "method": "diamond",
    "dataset": "round",
    "metric": "peak",
    "task": "peak",
    "venue": "diamond",
    "year": "round",
}

Pair = tuple[int, int]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class LabelBox:
    """What a label takes up, around its middle."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: "LabelBox") -> bool:
        """Tell whether two boxes have room in common."""
        across = abs(self.x - other.x) * 2 < self.width + other.width
        return across and abs(self.y - other.y) * 2 < self.height + other.height


def picture(nodes: Sequence[Node], edges: Sequence[ShownEdge], *, start: Node | None = None, cut: bool = False) -> str:
    """Return the page. Of more than `_MOST` nodes the start and the most connected ones are shown."""
    chosen = _chosen(nodes, edges, start)
    numbers = {node.number for node in chosen}
    between = [each for each in edges if {each.edge.source.number, each.edge.target.number} <= numbers]
    ties: dict[Pair, list[ShownEdge]] = {}
    for each in between:
        ties.setdefault((each.edge.source.number, each.edge.target.number), []).append(each)
    first = start if start and start.number in numbers else None
    title = f"Around {_plain(first.name)}" if first else "The graph of papers"
    more = "" if len(chosen) == len(nodes) and not cut else " There is more than is shown."
    told = f"{_number(len(chosen), 'node')}, {_number(len(between), 'edge')}.{more}"
    style, script = (Path(__file__).with_name(f"picture.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    body = (_header(title, told, chosen), "<main>", _map(chosen, ties, first), _aside(chosen, ties), "</main>")
    return "\n".join((*_head(title, style, script), *body, f"<script>{script}</script>", "</body></html>", ""))


def _number(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' * (number != 1)}"


def _text(value: object) -> str:
    """Return a value so that a browser shows it and does nothing else with it."""
    return escape(_plain(str(value)), quote=True)


def _plain(value: str) -> str:
    return uncontrolled(" ".join(value.split()))


def _chosen(nodes: Sequence[Node], edges: Sequence[ShownEdge], start: Node | None) -> list[Node]:
    """Return the start, and what has the most edges here; those that have none here come last."""
    degree: dict[int, int] = {}
    for each in edges:
        for end in (each.edge.source, each.edge.target):
            degree[end.number] = degree.get(end.number, 0) + 1
    first = start.number if start else -1
    return sorted(nodes, key=lambda node: (node.number != first, -degree.get(node.number, 0), node.number))[:_MOST]


def _head(title: str, style: str, script: str) -> Iterator[str]:
    allowed = (f"{kind}-src '{_hash(content)}'" for kind, content in (("style", style), ("script", script)))
    policy = "; ".join(("default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"))
    yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_text(title)}</title>"
    yield f"<style>{style}</style></head><body>"


def _hash(content: str) -> str:
    return "sha256-" + b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _header(title: str, told: str, nodes: Iterable[Node]) -> str:
    kinds = [kind for kind in _SHAPE_OF if any(node.kind == kind for node in nodes)]
    entries = "".join(
        f'<li><svg viewBox="-8 -8 16 16" aria-hidden="true">{_shape(kind, 6)}</svg>{kind}</li>' for kind in kinds
    )
    return (
        f'<header><h1>{_text(title)}</h1><p class="soft">{_text(told)} Click on a node or a line to see what proves it.</p>'
        '<div class="tools"><input id="search" type="search" placeholder="Find a name" aria-label="Find a name">'
        '<span id="found" class="soft" role="status"></span><span><button id="nearer" aria-label="Nearer">+</button> '
        '<button id="farther" aria-label="Farther">−</button> <button id="all">All</button></span>'
        f'<ul class="legend">{entries}</ul></div></header>'
    )


def _map(nodes: Sequence[Node], ties: Mapping[Pair, Sequence[ShownEdge]], first: Node | None) -> str:
    labels = [_label(node.name) for node in nodes]
    radii = [9.0 if node == first else 6.0 for node in nodes]
    sizes = [(max(_width(label), 2 * radius), 2 * radius + _LINE) for label, radius in zip(labels, radii, strict=True)]
    places = {node.number: place for place, node in enumerate(nodes)}
    few = len(ties) <= _FEW_TIES
    spots = placed(sizes, [(places[source], places[target]) for source, target in ties], loose=few)
    boxes = [LabelBox(float(x), float(y), *size) for (x, y), size in zip(spots, sizes, strict=True)]
    at = {node.number: (box.x, box.y - _LINE / 2) for node, box in zip(nodes, boxes, strict=True)}
    radius_of = {node.number: radius for node, radius in zip(nodes, radii, strict=True)}
    taken, shapes = list(boxes), list[str]()
    for pair, edges in ties.items():
        line = _shortened(at[pair[0]], at[pair[1]], radius_of[pair[1]] + 2)
        shapes.append(_tie(pair, edges, line, _words(edges, line, taken) if few else ""))
    shapes += [
        _node(node, at[node.number], label, radius, is_first=node == first)
        for node, label, radius in zip(nodes, labels, radii, strict=True)
    ]
    arrow = (
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0L8,4L0,8Z"/></marker></defs>'
    )
    crowded = "" if few else ' class="crowded"'
    return f'<svg id="map"{crowded} viewBox="{_view(boxes)}" role="group" aria-label="Graph">{arrow}{"".join(shapes)}</svg>'


def _view(boxes: Sequence[LabelBox]) -> str:
    """Return the part of the plane that holds all boxes."""
    left, right = (
        min((box.x - box.width / 2 for box in boxes), default=0),
        max((box.x + box.width / 2 for box in boxes), default=0),
    )
    top, bottom = (
        min((box.y - box.height / 2 for box in boxes), default=0),
        max((box.y + box.height / 2 for box in boxes), default=0),
    )
    shrunk = max(1.0, (right - left) / _LEAST[0], (bottom - top) / _LEAST[1])
    beside = _MARGIN + (shrunk - 1) * _LONGEST_LABEL * _LETTER / 2  # labels do not shrink with the rest
    width, height = max(right - left + 2 * beside, _LEAST[0]), max(bottom - top + 2 * _MARGIN, _LEAST[1])
    return f"{(left + right - width) / 2:.0f} {(top + bottom - height) / 2:.0f} {width:.0f} {height:.0f}"


def _shortened(start: Point, end: Point, by: float) -> tuple[Point, Point]:
    """Return a line that ends before the shape that it leads to."""
    (x, y), (to_x, to_y) = start, end
    length = max(((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5, 1.0)
    share = max(length - by, 0) / length
    return start, (x + (to_x - x) * share, y + (to_y - y) * share)


def _words(edges: Sequence[ShownEdge], line: tuple[Point, Point], taken: list[LabelBox]) -> str:
    """Return the relations of a line as words at it, where they stand over nothing else; '' where there is no room."""
    told = _verbs(edges)
    (x, y), (to_x, to_y) = line
    for share in _ALONG:
        box = LabelBox(x + (to_x - x) * share, y + (to_y - y) * share, _SMALL * _width(told), _SMALL * _LINE)
        if not any(box.overlaps(other) for other in taken):
            taken.append(box)
            return f'<text class="verb" x="{box.x:.1f}" y="{box.y + 3:.1f}">{_text(told)}</text>'
    return ""


def _verbs(edges: Sequence[ShownEdge]) -> str:
    return ", ".join(dict.fromkeys(each.verb for each in edges))


def _tie(pair: Pair, edges: Sequence[ShownEdge], line: tuple[Point, Point], words: str) -> str:
    """Return the line from one node to another, and a wider one that is easier to hit."""
    (x, y), (to_x, to_y) = line
    drawn = f'x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"'
    said = f"{edges[0].edge.source.name} {_verbs(edges)} {edges[0].edge.target.name}"
    return (
        f'<g class="tie" data-from="{pair[0]}" data-to="{pair[1]}" tabindex="0" role="button" aria-label="{_text(said)}">'
        f'<title>{_text(said)}</title><line class="wide" {drawn}/><line {drawn} marker-end="url(#arrow)"/>{words}</g>'
    )


def _node(node: Node, at: Point, label: str, radius: float, *, is_first: bool) -> str:
    names = _text(" · ".join((node.name, *node.names)).lower())
    return (
        f'<g class="node{" start" if is_first else ""}" data-node="{node.number}" data-names="{names}" tabindex="0" role="button" '
        f'aria-label="{_text(f"{node.kind} {node.name}")}" transform="translate({at[0]:.1f},{at[1]:.1f})">'
        f"<title>{_text(node.name)}</title>{_shape(node.kind, radius)}"
        f'<text y="{radius + 12:.0f}">{_text(label)}</text></g>'
    )


def _shape(kind: str, radius: float) -> str:
    return f'<path class="{kind}" d="{_SHAPES[_SHAPE_OF[kind]].format(r=f"{radius:g}")}"/>'


def _aside(nodes: Iterable[Node], ties: Mapping[Pair, Sequence[ShownEdge]]) -> str:
    """Return what is told of each node and each line; the script shows what was asked for."""
    parts = [_told_of_node(node) for node in nodes]
    parts += [_told_of_tie(pair, edges) for pair, edges in ties.items()]
    hint = "Choose a node or a line: what it says, where, and the sentence that proves it stand here."
    return f'<aside aria-live="polite"><p id="hint" class="soft">{hint}</p>{"".join(parts)}</aside>'


def _told_of_node(node: Node) -> str:
    others = [name for name in node.names if name != node.name]
    lines = [f"also {'; '.join(others)}"] if others else []
    lines += [f"document {node.document} in {node.collection}"] if node.document else []
    told = "".join(f'<p class="soft">{_text(line)}</p>' for line in (node.kind, *lines))
    return f'<section hidden data-node="{node.number}"><h2>{_text(node.name)}</h2>{told}</section>'


def _told_of_tie(pair: Pair, edges: Sequence[ShownEdge]) -> str:
    told = "".join(map(_told_of_edge, edges[:_MOST_TOLD]))
    more = f'<p class="soft">{len(edges) - _MOST_TOLD} more</p>' if len(edges) > _MOST_TOLD else ""
    return f'<section hidden class="tie" data-from="{pair[0]}" data-to="{pair[1]}">{told}{more}</section>'


def _told_of_edge(shown: ShownEdge) -> str:
    edge = shown.edge
    said = f"{edge.source.name} {shown.verb} {edge.target.name}" + (f": {shown.result}" if shown.result else "")
    facts = [str(edge.year or ""), shown.place, f"{edge.confidence:.2f} sure, by {edge.by}"]
    proof = f"<blockquote>{_text(shown.text)}</blockquote>" if shown.text else ""
    return f'<p class="said">{_text(said)}</p>{proof}<p class="soft">{_text(" · ".join(filter(None, facts)))}</p>'


def _label(name: str) -> str:
    """Return as much of a name as a label has room for."""
    kept, room = "", _LETTER * _LONGEST_LABEL
    for character in _plain(name):
        room -= _wide(character)
        if room < 0:
            return kept.rstrip() + "…"
        kept += character
    return kept


def _width(label: str) -> float:
    return sum(map(_wide, label)) + 4


def _wide(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 2 * _LETTER
    return _CAPITAL if character.isupper() or character.isdigit() else _LETTER
