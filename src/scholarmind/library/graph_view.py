"""The graph of a library as people and programs use it: look around in it, take names for one or apart, export it."""

import difflib
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from scholarmind.blocking import Series, both
from scholarmind.calls import Budget
from scholarmind.errors import QueryError, SettingsError
from scholarmind.events import OnEvent, ignore
from scholarmind.filters import AllOf, Compare, Filter
from scholarmind.graph.naming import scope_of, written_as_authors
from scholarmind.graph.shown import Shown
from scholarmind.library import graph_export
from scholarmind.library.graph_edges import EdgesShown
from scholarmind.library.model_work import Outlook, Worked
from scholarmind.library_ports import Graph, Store
from scholarmind.llm.models import Models
from scholarmind.relations import GraphCounts, Merged, Node, NodeKind, Relation

if TYPE_CHECKING:
    from scholarmind.library.graph_modelled import GraphModelling

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
    edges: tuple[Shown, ...]
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
        from scholarmind.library.graph_following import GraphFollowing  # noqa: PLC0415  (the rules are many patterns)

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
        from scholarmind.library.graph_modelled import GraphModelling  # noqa: PLC0415

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
            for piece in graph_export.whole(form, found.nodes, found.edges, start=found.node, cut=found.cut):
                yield piece
        elif form == "html":
            nodes, edges, cut = await self._edges.hubs(most or _MOST, filter)
            for piece in graph_export.whole(form, nodes, edges, cut=cut):
                yield piece
        else:
            async for piece in graph_export.streamed(form, self._edges, filter):
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
