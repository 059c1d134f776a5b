"""A neighbourhood of the graph in the terminal: a tree of edges, each with its year, confidence, proof and where to open it."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scholarmind.cli.main import echo
from scholarmind.cli.output import safe

if TYPE_CHECKING:
    from scholarmind.graph.graph_formats import ShownEdge
    from scholarmind.library.paper_graph import Around
    from scholarmind.relations import Node

_MOST_NAMES = 8


def print_around(around: "Around", *, hops: int, limit: int) -> None:
    """Print the tree from its node on; each edge stands once, where it is reached first."""
    node = around.node
    echo(safe(_one_line(node.name)), bold=True, nl=False)
    echo(f"  {node.kind} #{node.number}, {node.edges:,} edge{'s' * (node.edges != 1)}")
    others = [_one_line(name) for name in node.names if name != node.name]
    if others:
        more = f" and {len(others) - _MOST_NAMES} more" if len(others) > _MOST_NAMES else ""
        echo(safe(f"also {'; '.join(others[:_MOST_NAMES])}{more}"))
    if around.others:
        numbers = ", ".join(f"#{other.number} ({other.kind})" for other in around.others[:_MOST_NAMES])
        more = f" and {len(around.others) - _MOST_NAMES} more" if len(around.others) > _MOST_NAMES else ""
        echo(f"others of this name: {numbers}{more}")
    lines = _Tree(around.edges, limit)
    for style, text in lines.below(node, hops, "  "):
        echo(safe(text), **style)
    left = len(around.edges) - len(lines.told)
    if left or around.cut:
        echo(f"... {f'{left:,} more edges' if left else 'and more'}; --limit, --relation and --hops choose")


def record(around: "Around") -> dict[str, Any]:
    """Return the neighbourhood as JSON."""
    return {
        "node": asdict(around.node),
        "nodes": [asdict(node) for node in around.nodes],
        "edges": [
            {
                **{key: value for key, value in asdict(shown.edge).items() if key not in {"source", "target"}},
                "source": shown.edge.source.number,
                "target": shown.edge.target.number,
                "title": shown.title,
                "section": list(shown.section),
                "page": shown.page,
                "text": shown.text,
            }
            for shown in around.edges
        ],
        "cut": around.cut,
        "others": [asdict(node) for node in around.others],
    }


class _Tree:
    """Edges on their way into lines. What was told once is not told again."""

    def __init__(self, edges: "Iterable[ShownEdge]", limit: int) -> None:
        self._edges = list(edges)
        self._limit = limit
        self.told: set[int] = set()  # their places

    def below(self, node: "Node", hops: int, indent: str) -> Iterator[tuple[dict[str, Any], str]]:
        """Yield the lines below a node: its edges by relation, and below them what is behind each."""
        behind: dict[int, Node] = {}
        for heading, found in self._groups(node).items():
            kept = found[: self._limit - len(self.told)]
            self.told.update(place for place, _, _ in kept)
            behind |= {other.number: other for _, _, other in kept}
            if kept:
                yield {"fg": "cyan"}, f"{indent}{heading}"
            for _, shown, other in kept:
                yield from _lines(shown, other, f"{indent}  ")
        for other in behind.values() if hops > 1 else ():
            if lines := list(self.below(other, hops - 1, f"{indent}    ")):
                yield {"bold": True}, f"{indent}  {_one_line(other.name)}"
                yield from lines

    def _groups(self, node: "Node") -> "dict[str, list[tuple[int, ShownEdge, Node]]]":
        """Return the edges of a node that were not told yet, with their places and other ends, by what they say."""
        groups: dict[str, list[tuple[int, ShownEdge, Node]]] = {}
        for place, shown in enumerate(self._edges):
            source, target = shown.edge.source, shown.edge.target
            if place in self.told or node.number not in {source.number, target.number}:
                continue
            leaves = source.number == node.number
            heading = f"{shown.verb} →" if leaves else f"← {shown.verb}"
            groups.setdefault(heading, []).append((place, shown, target if leaves else source))
        return groups


def _lines(shown: "ShownEdge", other: "Node", indent: str) -> Iterator[tuple[dict[str, Any], str]]:
    edge = shown.edge
    facts = ", ".join(filter(None, (str(edge.year or ""), f"{edge.confidence:.2f}", f"by {edge.by}")))
    result = f": {_one_line(shown.result)}" if shown.result else ""
    yield {}, f"{indent}{_one_line(other.name)}{result}  ({facts})"
    if shown.text:
        yield {"dim": True}, f"{indent}  “{shown.text}”"
    yield {"dim": True}, f"{indent}  {_one_line(shown.place)}  ·  {_opening(shown)}"


def _opening(shown: "ShownEdge") -> str:
    """Return the command that shows where it stands."""
    edge = shown.edge
    passage = "" if edge.position is None else f" --passage {edge.position}"
    collection = "" if edge.collection == "default" else f" --collection {shlex.quote(edge.collection)}"
    return f"scholarmind open {shlex.quote(edge.document)}{passage}{collection}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
