"""The graph of papers as people and programs use it: look around in it, take names for one or apart, export it.

Edges are shown with what proves them, a few at a time. An export is a part of the graph at once, or the whole of it a few hundred nodes
at a time. Rules fill the graph in `followers`, a language model in `model_extraction`; what it answers is in `relating`.
"""

import difflib
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from scholarmind.blocking import Series, both
from scholarmind.calls import Budget
from scholarmind.errors import QueryError, SettingsError
from scholarmind.events import OnEvent, ignore
from scholarmind.filters import AllOf, Compare, Filter
from scholarmind.graph import graph_formats
from scholarmind.graph.graph_formats import ShownEdge, shown
from scholarmind.graph.name_matching import scope_of, written_as_authors
from scholarmind.library.model_work import Outlook, Worked
from scholarmind.library_ports import Graph, Store
from scholarmind.llm.language_models import Models
from scholarmind.model import Evidence
from scholarmind.relations import Edge, GraphCounts, Merged, Node, NodeKind, Relation

if TYPE_CHECKING:
    from scholarmind.library.model_extraction import GraphModelling


# -- edges with what proves them

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

    async def shown(self, edges: Sequence[Edge]) -> list[ShownEdge]:
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
    ) -> tuple[list[ShownEdge], bool]:
        """Return the edges within so many steps of a node, its own first, and whether there are more."""
        if relations:
            edges, cut = await self._along(number, hops, relations, most, filter)
        else:
            found = await self.graph.neighbourhood((number,), hops=hops, most=most, filter=filter)
            edges, cut = list(found.edges), found.cut
        edges.sort(key=lambda edge: number not in {edge.source.number, edge.target.number})
        return await self.shown(edges), cut

    async def hubs(self, most: int, filter: Filter | None) -> tuple[list[Node], list[ShownEdge], bool]:
        """Return the most connected nodes with the edges between them, and whether there are more nodes."""
        if filter is not None:
            return await self._passing_hubs(most, filter)
        nodes = await self.graph.nodes((), most + 1)
        chosen = {node.number for node in nodes[:most]}
        edges = await self.graph.edges(sorted(chosen), into=False, limit=_MOST_EDGES * most)
        between = [edge for edge in edges if edge.source.number in chosen and edge.target.number in chosen]
        seen = {end.number: end for edge in between for end in (edge.source, edge.target)}
        return list(seen.values()), await self.shown(between), len(nodes) > most

    async def _passing_hubs(self, most: int, filter: Filter) -> tuple[list[Node], list[ShownEdge], bool]:
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
            for end in [end for edge in edges for end in (edge.source, edge.target)]:
                if end.number not in reached and len(reached) < most:
                    reached.add(end.number)
                    frontier.append(end.number)
            inside = [edge for edge in edges if edge.source.number in reached and edge.target.number in reached]
            cut = cut or len(inside) < len(edges)
            found += [edge for edge in inside if edge not in found]
        return found, cut


# -- export


def _whole(
    form: str, nodes: Sequence[Node], edges: Sequence[ShownEdge], *, start: Node | None = None, cut: bool = False
) -> Iterator[str]:
    """Yield a file of these nodes and the edges between them."""
    if form == "html":
        from scholarmind.graph.graph_formats import picture  # noqa: PLC0415  (needs numpy)

        yield picture(nodes, edges, start=start, cut=cut)
    elif form == "graphml":
        yield from graph_formats.graphml_head()
        yield from map(graph_formats.graphml_node, nodes)
        yield from graph_formats.graphml_edges(edges)
        yield graph_formats.GRAPHML_TAIL
    else:
        yield graph_formats.JSONLD_HEAD
        yield ",\n".join(graph_formats.jsonld_things(nodes, edges))
        yield graph_formats.JSONLD_TAIL


async def _streamed(form: str, edges: EdgesShown, filter: Filter | None) -> AsyncGenerator[str]:
    """Yield a file of all nodes that have an edge, and of all edges."""
    pieces = _graphml(edges, filter) if form == "graphml" else _jsonld(edges, filter)
    async for piece in pieces:
        yield piece


async def _graphml(edges: EdgesShown, filter: Filter | None) -> AsyncGenerator[str]:
    """The nodes stand before the edges; so all edges are read twice, and only the numbers of nodes are kept."""
    for line in graph_formats.graphml_head():
        yield line
    written: set[int] = set()
    async for batch in edges.batches(filter):
        for node in _new(written, (end for edge in batch for end in (edge.source, edge.target))):
            yield graph_formats.graphml_node(node)
    async for batch in edges.batches(filter):
        for line in graph_formats.graphml_edges(await edges.shown(batch)):
            yield line
    yield graph_formats.GRAPHML_TAIL


async def _jsonld(edges: EdgesShown, filter: Filter | None) -> AsyncGenerator[str]:
    """A node stands with the edges that leave it; those that none leaves come last."""
    yield graph_formats.JSONLD_HEAD
    written: set[int] = set()
    leaves: dict[int, Node] = {}
    comma = ""
    async for batch in edges.batches(filter):
        leaves |= {edge.target.number: edge.target for edge in batch}
        sources = list(_new(written, (edge.source for edge in batch)))
        for thing in graph_formats.jsonld_things(sources, await edges.shown(batch)):
            yield comma + thing
            comma = ",\n"
    for thing in graph_formats.jsonld_things(_new(written, leaves.values()), ()):
        yield comma + thing
        comma = ",\n"
    yield graph_formats.JSONLD_TAIL


def _new(written: set[int], nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield the nodes that were not written yet, each once."""
    for node in nodes:
        if node.number not in written:
            written.add(node.number)
            yield node


# -- the graph

Form = Literal["graphml", "jsonld", "html"]
_NO_LIMIT = Budget()
_MOST = 200  # nodes of a neighbourhood, and of a picture
_NAMES = 50_000  # that are looked through for one that is nearly as it was written
_TOLD = 6  # nodes of one name that an error lists
_EMPTY = "the graph is empty; build it with: scholarmind graph build"
_NUMBER = re.compile(r"#(-?\d{1,18})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What is around a node: the edges with their proofs, those of the node itself first; `cut` tells that there is more."""

    node: Node
    nodes: tuple[Node, ...]
    edges: tuple[ShownEdge, ...]
    cut: bool = False
    others: tuple[Node, ...] = ()  # of the same name


class LibraryGraph:
    """The graph of one library. A node is given by its name, or by its number ("#12"), which names that several share need."""

    def __init__(
        self, store: Store, graph: Graph, models: Callable[[], Models | None] = lambda: None, concurrency: int = 8
    ) -> None:
        self._store = store
        self._graph = graph
        self._models = models
        self._concurrency = concurrency
        self._edges = EdgesShown(graph)

    @both
    async def counts(self) -> GraphCounts:
        """Return how much there is, and how many documents have still to be read."""
        return await self._graph.counts()

    @both
    async def find(self, name: str, kinds: Sequence[NodeKind] = (), *, filter: Filter | None = None) -> list[Node]:
        """Return the nodes of this name, the most connected first; "Devlin et al. (2019)" is a paper.

        Under a filter nodes are what those documents say, without their other names; of one that comes apart so the numbers
        are below zero, and mean nothing without it.
        """
        if number := _NUMBER.fullmatch(name):
            node = await self._edges.node(int(number[1]), filter)
            return [node] if node else []
        return await self._graph.find(name, kinds, filter=filter) or await self._written(name, kinds, filter)

    @both
    async def neighbourhood(
        self,
        name: str,
        *,
        hops: int = 1,
        relations: Sequence[Relation] = (),
        kinds: Sequence[NodeKind] = (),
        most: int = _MOST,
        filter: Filter | None = None,
    ) -> Around:
        """Return what is within so many steps of the most connected node of this name; a filter hides what else it is called."""
        node, *others = await self._all_of(name, kinds, filter)
        found, cut = await self._edges.around(node.number, hops=hops, relations=relations, most=most, filter=filter)
        nodes = {end.number: end for shown in found for end in (shown.edge.source, shown.edge.target)}
        return Around(
            node=nodes.get(node.number, node),
            nodes=tuple(nodes.values()),
            edges=tuple(found),
            cut=cut,
            others=tuple(others),
        )

    @both
    async def merge(self, names: Sequence[str], into: str, *, kind: NodeKind | None = None) -> Node:
        """Take these names for one thing from now on, by hand, and return the node that they make up; those that are, stay so."""
        if into in names:
            raise QueryError(f"{into!r} is to be one with itself; give another name of the same thing")
        target = await self._only(into, (kind,) if kind else ())
        others = [await self._only(name, (target.kind,)) for name in names]
        into_name, into_scope = await self._called(target)
        merged: list[Merged] = []
        for other in others:
            if other.number == target.number:
                continue
            if other.kind != target.kind:
                raise QueryError(
                    f"{other.name!r} (#{other.number}) is of kind {other.kind}, {target.name!r} of kind {target.kind}"
                )
            name, scope = await self._called(other)
            merged.append(
                Merged(
                    kind=target.kind,
                    name=name,
                    scope=scope,
                    into=into_name,
                    into_scope=into_scope,
                    by="hand",
                    reason="",
                )
            )
        if merged:
            await self._graph.merge(merged)
        return (await self._edges.node(target.number)) or target

    @both
    async def split(
        self, name: str, *, paper: str = "", collection: str = "default", kind: NodeKind | None = None
    ) -> Node:
        """Take a name out of its node, for good, and return the node that it is now. Of an author the paper says which one."""
        kinds: tuple[NodeKind, ...] = (kind,) if kind else ("author",) if paper else ()
        scope = scope_of(collection, paper) if paper else ""
        nodes = await self._all_of(name, kinds)
        if paper:
            nodes = [node for node in nodes if await self._edges.is_author_of(node, collection, paper)]
            if not nodes:
                raise QueryError(f"{paper!r} in {collection!r} is by nobody of the name {name!r}")
        node = await self._one(name, nodes)
        written = name if not name.startswith("#") else node.name
        return await self._graph.split(node.number, written, scope)

    @both
    async def merges(self, name: str = "") -> list[Merged]:
        """Return which names were taken for one thing, by whom and why: of the nodes of a name, or of all."""
        if not name:
            return await self._graph.merges()
        return [merged for node in await self._all_of(name, ()) for merged in await self._graph.merges(node.number)]

    def export(
        self,
        form: Form,
        *,
        around: str = "",
        hops: int = 2,
        most: int | None = None,
        filter: Filter | None = None,
    ) -> Series[str]:
        """Give the graph, or what is around a node, as the text of a file, piece by piece. A picture shows 200 nodes at most."""
        return Series(partial(self._pieces, form, around, hops, most, filter))

    @both
    async def build(self, *, again: bool = False, on_event: OnEvent = ignore) -> None:
        """Read the documents that wait; `again` reads all of them anew, and forgets all but what was merged and split by hand."""
        from scholarmind.library.followers import GraphFollowing  # noqa: PLC0415  (the rules are many patterns)

        if again:
            await self._graph.forget()
        await GraphFollowing(store=self._store, graph=self._graph).follow(on_event)

    @both
    async def outlook(self) -> Outlook:
        """Return what it would come to if a language model read what it has not read yet."""
        return await self._modelling().outlook.aio()

    @both
    async def read(self, *, budget: Budget = _NO_LIMIT, on_event: OnEvent = ignore) -> Worked:
        """Have a language model read the documents too; what it finds is checked against their text."""
        return await self._modelling().run.aio(budget=budget, on_event=on_event)

    def _modelling(self) -> "GraphModelling":
        from scholarmind.library.model_extraction import GraphModelling  # noqa: PLC0415

        models = self._models()
        if models is None:
            raise SettingsError("no language model is set; give one, such as ollama/qwen3 or openai/gpt-5-mini")
        return GraphModelling(store=self._store, graph=self._graph, models=models, concurrency=self._concurrency)

    async def _pieces(
        self, form: Form, around: str, hops: int, most: int | None, filter: Filter | None
    ) -> AsyncGenerator[str]:
        if not (await self._graph.counts()).documents:
            raise QueryError(_EMPTY)
        most = min(most or _MOST, _MOST) if form == "html" else most
        if around:
            found = await self.neighbourhood.aio(around, hops=hops, most=most or _MOST, filter=filter)
            for piece in _whole(form, found.nodes, found.edges, start=found.node, cut=found.cut):
                yield piece
        elif form == "html":
            nodes, edges, cut = await self._edges.hubs(most or _MOST, filter)
            for piece in _whole(form, nodes, edges, cut=cut):
                yield piece
        else:
            async for piece in _streamed(form, self._edges, filter):
                yield piece

    async def _all_of(self, name: str, kinds: Sequence[NodeKind], filter: Filter | None = None) -> list[Node]:
        """Return the nodes of a name, of which there is one at least."""
        found = await self.find.aio(name, kinds, filter=filter)
        if not found:
            raise QueryError(await self._unknown(name, kinds, filter))
        return found

    async def _only(self, name: str, kinds: Sequence[NodeKind]) -> Node:
        return await self._one(name, await self._all_of(name, kinds))

    async def _one(self, name: str, nodes: Sequence[Node]) -> Node:
        """Return the only node of a name; where several have it, complain, and tell how to say which."""
        if len(nodes) == 1:
            return nodes[0]
        told = "; ".join([await self._edges.told(node) for node in nodes[:_TOLD]])
        more = f"; and {len(nodes) - _TOLD} more" if len(nodes) > _TOLD else ""
        raise QueryError(
            f"{len(nodes)} nodes have the name {name!r}; say which by its number or its kind: {told}{more}"
        )

    async def _unknown(self, name: str, kinds: Sequence[NodeKind], filter: Filter | None) -> str:
        counts = await self._graph.counts()
        if not counts.documents:
            return _EMPTY
        known = {each.casefold(): each for node in await self._graph.nodes(kinds, _NAMES) for each in node.names}
        near = difflib.get_close_matches(name.casefold(), known, 3, 0.6)
        if filter is not None:  # nobody is told that there is what he may not see
            near = [each for each in near if await self._graph.find(known[each], kinds, filter=filter)]
        of_kind = f" among {' and '.join(kinds)} nodes" if kinds else ""
        hint = f"; did you mean {' or '.join(repr(known[each]) for each in near)}?" if near else ""
        return f"nothing is called {name!r}{of_kind} in the graph{hint}"

    async def _written(self, name: str, kinds: Sequence[NodeKind], filter: Filter | None) -> list[Node]:
        """Return the papers that "Devlin et al. (2019)" may mean."""
        said = written_as_authors(name)
        if said is None or (kinds and "paper" not in kinds):
            return []
        called = (Compare("author", "~", said[0]), Compare("year", "=", said[1]))
        passing = AllOf(called if filter is None else (*called, filter))
        found: list[Node] = []
        for document in await self._store.documents(passing):
            named = await self._graph.find(document.title, ("paper",), filter=filter)
            found += [node for node in named if (node.collection, node.document) == (document.collection, document.id)]
        return found

    async def _called(self, node: Node) -> tuple[str, str]:
        """Return a name of a node with its scope, by which a merge is kept."""
        if node.kind == "author":
            return await self._edges.author_called(node)
        return node.name, scope_of(node.collection, node.document) if node.document else ""
