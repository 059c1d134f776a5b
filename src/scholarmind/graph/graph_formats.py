"""The graph for people and other programs: lines for edges, GraphML, JSON-LD, and a picture on a page that stands alone. Pure."""

import hashlib
import html
import json
import re
import unicodedata
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import numpy.typing as npt

from scholarmind.identity import headings_below
from scholarmind.model import Evidence
from scholarmind.relations import Edge, Node
from scholarmind.text.analysis import sentences
from scholarmind.text.untrusted import escaped, uncontrolled

# -- an edge as people see it

_LONGEST = 500  # characters of a proof


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEdge:
    """An edge with its proof: the words of the document, '' where its metadata say so."""

    edge: Edge
    title: str = ""  # of the document
    section: tuple[str, ...] = ()
    page: int | None = None
    text: str = ""

    @property
    def verb(self) -> str:
        """The relation in words: "improves on"."""
        return self.edge.relation.lower().replace("_", " ")

    @property
    def result(self) -> str:
        """What was measured, for an edge that reports something: "F1 93.2 (test set)"."""
        edge = self.edge
        setting = f"({edge.setting})" if edge.setting else ""
        return " ".join(filter(None, (edge.metric, edge.value, setting)))

    @property
    def place(self) -> str:
        """Where the proof stands, for people."""
        parts = [
            self.title or self.edge.document,
            " › ".join(headings_below(self.title, self.section)),
            f"p. {self.page}" if self.page else "",
        ]
        return " · ".join(part for part in parts if part)


def shown(edge: Edge, evidence: Evidence | None) -> ShownEdge:
    """Return an edge with the sentences around the characters that prove it."""
    if evidence is None:
        return ShownEdge(edge=edge)
    passage = evidence.passage
    start, end = edge.start - passage.start, min(edge.end, passage.end) - passage.start
    if edge.position is None or not 0 <= start < end:
        return ShownEdge(edge=edge, title=evidence.document.title, text="")
    # the whole sentences that these characters are part of, in one line
    spans = [span for span in sentences(passage.text) if span[0] < end and start < span[1]]
    begin, stop = (spans[0][0], spans[-1][1]) if spans else (start, end)
    told = " ".join(passage.text[begin:stop].split())
    return ShownEdge(
        edge=edge,
        title=evidence.document.title,
        section=passage.section,
        page=passage.page_at(edge.start),
        text=told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…",
    )


# -- GraphML

# what XML cannot hold, escaped or not, beside what steers a terminal
_NO_XML = re.compile("[\ufffe\uffff]")

_OF_NODES = {"kind": "string", "name": "string", "names": "string", "collection": "string", "document": "string"}
_OF_EDGES = {
    "relation": "string",
    "confidence": "double",
    "by": "string",
    "year": "int",
    "metric": "string",
    "value": "string",
    "number": "double",
    "setting": "string",
    "stated_in": "string",
    "page": "int",
    "proof": "string",
}

GRAPHML_TAIL = "</graph>\n</graphml>\n"


def graphml_head() -> Iterator[str]:
    """Yield what stands before the nodes."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for owner, fields in (("node", _OF_NODES), ("edge", _OF_EDGES)):
        for name, kind in fields.items():
            yield f'<key id="{owner}-{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield '<graph id="papers" edgedefault="directed">\n'


def graphml_node(node: Node) -> str:
    """Return a node."""
    told = {
        "kind": node.kind,
        "name": node.name,
        "names": "; ".join(node.names),
        "collection": node.collection,
        "document": node.document,
    }
    return f'<node id="n{node.number}">{_graphml_data("node", told)}</node>\n'


def graphml_edges(edges: Iterable[ShownEdge]) -> Iterator[str]:
    """Yield edges; both nodes of each stand before them."""
    for shown in edges:
        ends = f'source="n{shown.edge.source.number}" target="n{shown.edge.target.number}"'
        yield f"<edge {ends}>{_graphml_data('edge', _edge_fields(shown))}</edge>\n"


def _edge_fields(shown: ShownEdge) -> dict[str, object]:
    edge = shown.edge
    return {
        "relation": edge.relation,
        "confidence": round(edge.confidence, 4),
        "by": edge.by,
        "year": edge.year,
        "metric": edge.metric,
        "value": edge.value,
        "number": edge.number,
        "setting": edge.setting,
        "stated_in": f"{edge.collection}/{edge.document}",
        "page": shown.page,
        "proof": shown.text,
    }


def _graphml_data(owner: str, values: Mapping[str, object]) -> str:
    told = (
        (name, _NO_XML.sub("\ufffd", uncontrolled(str(value))))
        for name, value in values.items()
        if value not in (None, "")
    )
    return "".join(f"<data key={quoteattr(f'{owner}-{name}')}>{escape(value)}</data>" for name, value in told)


# -- JSON-LD

_OWN = "urn:scholarmind:"
_CONTEXT = {"@vocab": "https://schema.org/", "sm": _OWN}
_TYPES: dict[str, str | list[str]] = {
    "paper": "ScholarlyArticle",
    "author": "Person",
    "institution": "Organization",
    "dataset": "Dataset",
    "method": ["DefinedTerm", "sm:Method"],
    "metric": ["DefinedTerm", "sm:Metric"],
    "task": ["DefinedTerm", "sm:Task"],
    "venue": "Periodical",
}

_PROPERTIES = {
    "AUTHORED_BY": "author",
    "CITES": "citation",
    "MENTIONS": "mentions",
    "ADDRESSES": "about",
    "PROPOSES": "sm:proposes",
    "IMPROVES_ON": "sm:improvesOn",
    "EVALUATED_ON": "sm:evaluatedOn",
    "USES": "sm:uses",
}

JSONLD_HEAD = f'{{\n"@context": {json.dumps(_CONTEXT)},\n"@graph": [\n'
JSONLD_TAIL = "\n]\n}\n"


def jsonld_things(nodes: Iterable[Node], leaving: Iterable[ShownEdge]) -> Iterator[str]:
    """Yield a thing for each node, and one for each proof of the edges that leave them; commas go between them."""
    edges = list(leaving)
    of: dict[int, list[Edge]] = {}
    for shown in edges:
        of.setdefault(shown.edge.source.number, []).append(shown.edge)
    for node in nodes:
        if node.kind != "year":
            yield escaped(json.dumps(_thing(node, of.get(node.number, ())), ensure_ascii=False))
    for shown in edges:
        if shown.edge.relation == "REPORTS":
            yield escaped(json.dumps(_observation(shown), ensure_ascii=False))
        elif shown.text:
            yield escaped(json.dumps(_claim(shown), ensure_ascii=False))


def _thing(node: Node, edges: Sequence[Edge]) -> dict[str, Any]:
    """Return a node with the properties that its edges give it, each value once."""
    others = [name for name in node.names if name != node.name]
    told: dict[str, Any] = {"@id": _id(node), "@type": _TYPES[node.kind], "name": node.name}
    if others:
        told["alternateName"] = others
    if node.document:
        told["identifier"] = f"{node.collection}/{node.document}"
    for edge in edges:
        name, value = _property(edge)
        values = told.setdefault(name, []) if name else None
        if values is not None and value not in values:
            values.append(value)
    return told


def _property(edge: Edge) -> tuple[str, Any]:
    """Return the property that an edge is, and its value; '' for what stands by itself."""
    if edge.relation == "PUBLISHED_IN":
        if edge.target.kind == "year":
            return "datePublished", edge.target.name
        return "isPartOf", {"@id": _id(edge.target)}
    if edge.relation == "AFFILIATED_WITH":
        return "affiliation" if edge.source.kind == "author" else "sourceOrganization", {"@id": _id(edge.target)}
    return _PROPERTIES.get(edge.relation, ""), {"@id": _id(edge.target)}


def _observation(shown: ShownEdge) -> dict[str, Any]:
    """Return a result: what was measured of a method on a data set."""
    edge = shown.edge
    told = {
        "@type": "Observation",
        "observationAbout": {"@id": _id(edge.source)},
        "sm:dataset": {"@id": _id(edge.target)},
        "measuredProperty": edge.metric,
        "value": edge.value if edge.number is None else edge.number,
        "measurementQualifier": edge.setting,
    }
    return {name: value for name, value in told.items() if value != ""} | _proof(shown)


def _claim(shown: ShownEdge) -> dict[str, Any]:
    """Return the sentence that proves an edge, and what it proves."""
    edge = shown.edge
    return {
        "@type": "Claim",
        "sm:source": {"@id": _id(edge.source)},
        "sm:relation": _OWN + edge.relation,
        "sm:target": {"@id": _id(edge.target)},
    } | _proof(shown)


def _proof(shown: ShownEdge) -> dict[str, Any]:
    edge = shown.edge
    told: dict[str, Any] = {
        "text": shown.text,
        "sm:statedIn": f"{edge.collection}/{edge.document}",
        "pagination": str(shown.page or ""),
    }
    kept = {name: value for name, value in told.items() if value}
    return kept | {"sm:confidence": round(edge.confidence, 4), "sm:by": edge.by}


def _id(node: Node) -> str:
    return f"{_OWN}node:{node.number}"


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
    return html.escape(_plain(str(value)), quote=True)


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
