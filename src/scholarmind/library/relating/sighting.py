"""Read the graph of papers within what a filter lets pass, in the terms of questions: whose papers, which methods, on what topic."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scholarmind.filters import Filter
from scholarmind.graph.naming import family
from scholarmind.library_ports import Graph
from scholarmind.model import Evidence
from scholarmind.planning.structured.recognising import described
from scholarmind.planning.words import content
from scholarmind.relations import Edge, Node, NodeKind, Proof, Query, Relation

Key = tuple[str, str]  # collection and id of a document
_MOST = 200_000  # edges that are looked at in one step
_EXCEPT = re.compile(
    r"\b(?:except|excluding|other than|besides|apart from|aside from|leaving out)\b|除|以外|之外", re.IGNORECASE
)
_PEOPLE: tuple[NodeKind, ...] = ("author", "institution", "venue")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a question is about: the nodes that are called so, or the words of a topic that is none."""

    text: str
    nodes: tuple[Node, ...] = ()
    topic: str = ""

    def of(self, *kinds: NodeKind) -> list[Node]:
        """Return the nodes of these kinds."""
        return [node for node in self.nodes if node.kind in kinds]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What may be seen of a graph."""

    graph: Graph
    within: Filter | None = None
    cut: list[int] = field(default_factory=list[int])  # after how many edges it was not looked any further

    async def edges(
        self, nodes: Sequence[Node], *relations: Relation, into: bool | None = None, most: int = _MOST
    ) -> list[Edge]:
        """Return the edges of these nodes; of none, none."""
        if not nodes:
            return []
        numbers = list(dict.fromkeys(node.number for node in nodes))
        found = await self.graph.edges(numbers, relations=relations, into=into, filter=self.within, limit=most)
        return self._told(found, most)

    async def every(self, *relations: Relation) -> list[Edge]:
        """Return all edges of these relations."""
        return self._told(await self.graph.edges((), relations=relations, filter=self.within, limit=_MOST), _MOST)

    def _told(self, edges: list[Edge], most: int) -> list[Edge]:
        if len(edges) >= most:
            self.cut.append(most)
        return edges

    async def subject(self, text: str) -> Subject:
        """Return what is called so. Words around a name in small letters make a topic of it: sparse attention is not attention."""
        mentions = await self.graph.mentioned(text, self.within)
        rest = text
        for mention in sorted(mentions, key=lambda mention: -mention.start):
            rest = f"{rest[: mention.start]} {rest[mention.end :]}"
        named = [mention for mention in mentions if not content(rest) or mention.text != mention.text.lower()]
        nodes = [mention.node for mention in named] or await self.graph.find(text, filter=self.within)
        found = tuple({node.number: node for node in nodes}.values())
        return Subject(text=text, nodes=found, topic="" if any(node.kind in _PEOPLE for node in found) else text)

    async def parts(self, institutions: Sequence[Node]) -> list[Node]:
        """Return the institutions whose names begin with that of one of these: Google Research is a part of Google."""
        begins = tuple(f"{node.name} " for node in institutions)
        if not begins:
            return []
        targets = {edge.target.number: edge.target for edge in await self.every("AFFILIATED_WITH")}
        return [node for node in targets.values() if node.name.startswith(begins)]

    async def proposers(self, methods: Sequence[Node]) -> dict[int, list[Edge]]:
        """Return, by the number of a method or data set, the edges from the papers of the library that propose it.

        What a paper's own metadata say of it outweighs what a sentence somewhere may have been misread for.
        """
        found: dict[int, list[Edge]] = {}
        for edge in await self.edges(methods, "PROPOSES", into=True):
            if edge.source.document and own(edge):
                found.setdefault(edge.target.number, []).append(edge)
        return {number: [edge for edge in edges if edge.by == "metadata"] or edges for number, edges in found.items()}

    async def proofs(self, edges: Iterable[Edge]) -> "Proofs":
        """Return what these edges rest on."""
        wanted = list({(edge.collection, edge.document, edge.position): edge for edge in edges}.values())
        found = await self.graph.proofs(wanted)
        exact = {(item.document.collection, item.document.id, item.passage.position): item for item in found}
        whole: dict[Key, Evidence] = {}
        for item in sorted(found, key=lambda item: item.passage.position):
            whole.setdefault((item.document.collection, item.document.id), item)
        return Proofs(exact=exact, whole=whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proofs:
    """Passages by their place, and the first known of each document."""

    exact: Mapping[tuple[str, str, int], Evidence]
    whole: Mapping[Key, Evidence]

    def of(self, edge: Edge) -> Proof | None:
        """Return the passage that proves an edge; a document that is gone proves nothing."""
        if edge.position is not None:
            item = self.exact.get((edge.collection, edge.document, edge.position))
        else:
            item = self.whole.get((edge.collection, edge.document))
        return Proof(evidence=item, start=edge.start, end=edge.end) if item else None


def called(node: Node) -> str:
    """Return the name of a node without a size, if it is known by that too: Mamba, not Mamba-2.8B."""
    plain = family(node.kind, node.name)
    return plain if plain in node.names else node.name


def own(edge: Edge) -> bool:
    """Tell whether a paper itself states what the edge says of it."""
    return (edge.source.collection, edge.source.document) == (edge.collection, edge.document)


def paper_of(edge: Edge) -> Key:
    """Return the document that states an edge."""
    return edge.collection, edge.document


def nested(piece: str, query: Query, now: int) -> Query | None:
    """Return the question that a piece of another one holds, if it describes what it is about."""
    inner = described(piece, now)
    return inner if inner is not None and inner.text != query.text else None


def excepts(query: Query) -> bool:
    """Tell whether a question leaves something out by its name, rather than all of which something is not true."""
    return bool(query.without and _EXCEPT.search(query.text))
