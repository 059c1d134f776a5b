"""Write the graph as a file of one of the formats: a part of it at once, or the whole of it a few hundred nodes at a time."""

from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence

from scholarmind.filters import Filter
from scholarmind.graph import graphml, jsonld
from scholarmind.graph.shown import Shown
from scholarmind.library.graph_edges import EdgesShown
from scholarmind.relations import Node


def whole(
    form: str, nodes: Sequence[Node], edges: Sequence[Shown], *, start: Node | None = None, cut: bool = False
) -> Iterator[str]:
    """Yield a file of these nodes and the edges between them."""
    if form == "html":
        from scholarmind.graph.picture import picture  # noqa: PLC0415  (needs numpy)

        yield picture(nodes, edges, start=start, cut=cut)
    elif form == "graphml":
        yield from graphml.head()
        yield from map(graphml.node_line, nodes)
        yield from graphml.edge_lines(edges)
        yield graphml.TAIL
    else:
        yield jsonld.HEAD
        yield ",\n".join(jsonld.things(nodes, edges))
        yield jsonld.TAIL


async def streamed(form: str, edges: EdgesShown, filter: Filter | None) -> AsyncGenerator[str]:
    """Yield a file of all nodes that have an edge, and of all edges."""
    pieces = _graphml(edges, filter) if form == "graphml" else _jsonld(edges, filter)
    async for piece in pieces:
        yield piece


async def _graphml(edges: EdgesShown, filter: Filter | None) -> AsyncGenerator[str]:
    """The nodes stand before the edges; so all edges are read twice, and only the numbers of nodes are kept."""
    for line in graphml.head():
        yield line
    written: set[int] = set()
    async for batch in edges.batches(filter):
        for node in _new(written, (end for edge in batch for end in (edge.source, edge.target))):
            yield graphml.node_line(node)
    async for batch in edges.batches(filter):
        for line in graphml.edge_lines(await edges.shown(batch)):
            yield line
    yield graphml.TAIL


async def _jsonld(edges: EdgesShown, filter: Filter | None) -> AsyncGenerator[str]:
    """A node stands with the edges that leave it; those that none leaves come last."""
    yield jsonld.HEAD
    written: set[int] = set()
    leaves: dict[int, Node] = {}
    comma = ""
    async for batch in edges.batches(filter):
        leaves |= {edge.target.number: edge.target for edge in batch}
        sources = list(_new(written, (edge.source for edge in batch)))
        for thing in jsonld.things(sources, await edges.shown(batch)):
            yield comma + thing
            comma = ",\n"
    for thing in jsonld.things(_new(written, leaves.values()), ()):
        yield comma + thing
        comma = ",\n"
    yield jsonld.TAIL


def _new(written: set[int], nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield the nodes that were not written yet, each once."""
    for node in nodes:
        if node.number not in written:
            written.add(node.number)
            yield node
