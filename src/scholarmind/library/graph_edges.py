"""Edges of the graph with what proves them, a few at a time."""

from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass

from scholarmind.filters import Filter
from scholarmind.graph.naming import scope_of
from scholarmind.graph.shown import Shown, shown
from scholarmind.library_ports import Graph
from scholarmind.model import Evidence
from scholarmind.relations import Edge, Node, Relation

_AT_ONCE = 200  # nodes
_ALL = 10_000_000
_LOOKED_AT = 20_000  # edges, to find out which nodes have most of what passes a filter
_MOST_EDGES = 20  # of a node of a neighbourhood, on average


@dataclass(frozen=True, slots=True)
class EdgesShown:
    """Reads edges and shows them."""

    graph: Graph

    async def node(self, number: int, filter: Filter | None = None) -> Node | None:
        """Return a node by its number: as its edges have it, since every node has some."""
        edges = await self.graph.edges((number,), filter=filter, limit=1)
        ends = [end for edge in edges for end in (edge.source, edge.target)]
        return next((end for end in ends if end.number == number), None)

    async def shown(self, edges: Sequence[Edge]) -> list[Shown]:
        """Return edges with what proves them; each passage is read once."""
        wanted = {(edge.collection, edge.document, edge.position): edge for edge in edges}
        found = await self.graph.proofs(list(wanted.values()))
        passages: dict[tuple[str, str, int | None], Evidence] = {}
        for item in found:
            passages[item.document.collection, item.document.id, item.passage.position] = item
            passages.setdefault((item.document.collection, item.document.id, None), item)
        return [shown(edge, passages.get((edge.collection, edge.document, edge.position))) for edge in edges]

    async def around(
        self, number: int, *, hops: int, relations: Sequence[Relation], most: int, filter: Filter | None
    ) -> tuple[list[Shown], bool]:
        """Return the edges within so many steps of a node, its own first, and whether there are more."""
        if relations:
            edges, cut = await self._along(number, hops, relations, most, filter)
        else:
            found = await self.graph.neighbourhood((number,), hops=hops, most=most, filter=filter)
            edges, cut = list(found.edges), found.cut
        edges.sort(key=lambda edge: number not in {edge.source.number, edge.target.number})
        return await self.shown(edges), cut

    async def hubs(self, most: int, filter: Filter | None) -> tuple[list[Node], list[Shown], bool]:
        """Return the most connected nodes with the edges between them, and whether there are more nodes."""
        if filter is not None:
            return await self._passing_hubs(most, filter)
        nodes = await self.graph.nodes((), most + 1)
        chosen = {node.number for node in nodes[:most]}
        edges = await self.graph.edges(sorted(chosen), into=False, limit=_MOST_EDGES * most)
        between = [edge for edge in edges if edge.source.number in chosen and edge.target.number in chosen]
        seen = {end.number: end for edge in between for end in (edge.source, edge.target)}
        return list(seen.values()), await self.shown(between), len(nodes) > most

    async def _passing_hubs(self, most: int, filter: Filter) -> tuple[list[Node], list[Shown], bool]:
        """Return the nodes that are most connected by what passes, as far as it is looked at."""
        edges = await self.graph.edges((), filter=filter, limit=_LOOKED_AT)
        ends = Counter(end.number for edge in edges for end in (edge.source, edge.target))
        chosen = {number for number, _ in ends.most_common(most)}
        between = [edge for edge in edges if edge.source.number in chosen and edge.target.number in chosen]
        seen = {end.number: end for edge in between for end in (edge.source, edge.target)}
        shown = between[: _MOST_EDGES * most]
        return list(seen.values()), await self.shown(shown), len(ends) > most or len(edges) == _LOOKED_AT

    async def batches(self, filter: Filter | None) -> AsyncGenerator[list[Edge]]:
        """Yield all edges, those that leave a few hundred nodes at a time."""
        numbers = [node.number for node in await self.graph.nodes((), _ALL)]
        for begin in range(0, len(numbers), _AT_ONCE):
            some = numbers[begin : begin + _AT_ONCE]
            yield await self.graph.edges(some, into=False, filter=filter, limit=_ALL)

    async def is_author_of(self, node: Node, collection: str, paper: str) -> bool:
        """Tell whether a node wrote a document."""
        edges = await self.graph.edges((node.number,), relations=("AUTHORED_BY",), into=True)
        return any((edge.collection, edge.document) == (collection, paper) for edge in edges)

    async def told(self, node: Node) -> str:
        """Return what tells a node from others of its name: its kind, and a document that speaks of it."""
        edges = await self.graph.edges((node.number,), limit=1)
        within = f", in {edges[0].document}" if edges else ""
        return f"#{node.number} ({node.kind}{within}, {node.edges} edge{'s' * (node.edges != 1)})"

    async def author_called(self, node: Node) -> tuple[str, str]:
        """Return a name of an author and its scope, which is a paper."""
        edges = await self.graph.edges((node.number,), relations=("AUTHORED_BY",), into=True, limit=1)
        if not edges:
            return node.name, ""
        return edges[0].said_as[1], scope_of(edges[0].collection, edges[0].document)

    async def _along(
        self, number: int, hops: int, relations: Sequence[Relation], most: int, filter: Filter | None
    ) -> tuple[list[Edge], bool]:
        """Follow these relations only, in both directions."""
        reached, frontier, cut = {number}, [number], False
        found: list[Edge] = []
        for _ in range(hops):
            limit = _MOST_EDGES * most
            edges = await self.graph.edges(tuple(frontier), relations=relations, filter=filter, limit=limit)
            cut = cut or len(edges) >= limit
            frontier.clear()
            for end in _ends(edges):
                if end.number not in reached and len(reached) < most:
                    reached.add(end.number)
                    frontier.append(end.number)
            inside = [edge for edge in edges if edge.source.number in reached and edge.target.number in reached]
            cut = cut or len(inside) < len(edges)
            found += [edge for edge in inside if edge not in found]
        return found, cut


def _ends(edges: Iterable[Edge]) -> list[Node]:
    return [end for edge in edges for end in (edge.source, edge.target)]
