"""What the graph of papers knows for a question: a count or table where it asks for one, and passages that prove edges about it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import get_args

from scholarmind.filters import Filter
from scholarmind.library.relating.absent import absent
from scholarmind.library.relating.counting import evidence_of, tallied
from scholarmind.library.relating.cues import relations_in
from scholarmind.library.relating.sighting import Sight, called
from scholarmind.library.relating.tallying import Tallying
from scholarmind.library_ports import Graph
from scholarmind.model import Evidence
from scholarmind.plan import Kind
from scholarmind.planning.structured.recognising import recognise
from scholarmind.ports import Retriever
from scholarmind.ranking import key_of
from scholarmind.relations import Edge, Mention, Node, NodeKind, Query, Related, Relation
from scholarmind.text.analysis import STOP_WORDS

_EDGES = 200  # of the nodes of a question that are looked at
_REMEMBERED = 200  # answers
_TALLIED = 0.9  # the score of the first passage that a count rests on
_PROVES = 0.5  # ... that proves an edge that the question asks for
_NEAR = 0.3  # ... that is near by walking the graph
_FADES = 0.02
_NAMED: tuple[NodeKind, ...] = ("paper", "author", "institution", "method", "dataset", "venue")


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryRelations:
    """Asks one graph, and only for what passes `within`. Topics are found by the retriever; years are counted from `now`.

    What is asked again, as a second round of a question does, has the answer that it had: questions read one state of the library.
    """

    graph: Graph
    retriever: Retriever
    now: int
    within: Filter | None = None
    _known: dict[tuple[str, Kind, int], Related] = field(
        default_factory=dict[tuple[str, Kind, int], Related], init=False
    )

    async def related(self, question: str, kind: Kind, k: int) -> Related:
        """Return what the graph knows for a question."""
        asked = (question, kind, k)
        if asked not in self._known:
            found = await self._related(question, kind, k)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[asked] = found
        return self._known[asked]

    async def _related(self, question: str, kind: Kind, k: int) -> Related:
        query = recognise(question, self.now)
        if query is not None and (counted := await self._counted(query, k)) is not None:
            return counted
        mentions = await self.graph.mentioned(question, self.within)
        named = list({mention.node.number: mention.node for mention in mentions if _is_specific(mention)}.values())
        if not named:
            return Related()
        edges = await self._asked_for(question, named)
        near = await self._near(named) if kind == "reasoning" else []
        return await self._proven(edges, near, named, k)

    async def _counted(self, query: Query, k: int) -> Related | None:
        """Return a table with its passages, or nothing where the graph does not know what is asked about."""
        sight = Sight(graph=self.graph, within=self.within)
        counted = await Tallying(sight, self.retriever, self.now).count(query)
        tally = await tallied(query, counted, sight) if counted else None
        if counted is None or tally is None:
            nothing = await absent(query, sight, self.retriever)
            return Related(tally=nothing) if nothing else None
        evidence = list({key_of(item): item for item in evidence_of(tally)}.values())
        relations: dict[Relation, None] = {edge.relation: None for edge in counted.edges}
        names = (called(node) for subject in counted.subjects for node in subject.nodes)
        return Related(
            evidence=tuple(_scored(evidence[:k], _TALLIED)),
            tally=tally,
            relations=tuple(relations) or ("MENTIONS",),
            nodes=tuple(dict.fromkeys(names)),
        )

    async def _asked_for(self, question: str, named: Sequence[Node]) -> list[Edge]:
        """Return the edges of the nodes that the words of a question ask for; those between two of its nodes first."""
        relations = relations_in(question)
        if not relations:
            return []
        numbers = {node.number for node in named}
        edges = await self.graph.edges(sorted(numbers), relations=relations, filter=self.within, limit=_EDGES)
        proven = [edge for edge in edges if edge.position is not None]
        return sorted(
            proven, key=lambda edge: (-len(numbers & {edge.source.number, edge.target.number}), -edge.confidence)
        )

    async def _near(self, named: Sequence[Node]) -> list[Edge]:
        """Return the edges around the nodes by personalised PageRank."""
        seeds = {node.number: 1.0 for node in named}
        return [edge for edge, _ in await self.graph.ranked(seeds, filter=self.within) if edge.position is not None]

    async def _proven(self, edges: Sequence[Edge], near: Sequence[Edge], named: Sequence[Node], k: int) -> Related:
        proving = _scored(await self.graph.proofs(edges[:k]), _PROVES)
        around = _scored(await self.graph.proofs(near[:k]), _NEAR)
        found: dict[tuple[str, str, int], Evidence] = {}
        for item in (*proving, *around):
            found.setdefault(key_of(item), item)
        if not found:
            return Related()
        return Related(
            evidence=tuple(found.values())[:k],
            relations=tuple(dict.fromkeys(edge.relation for edge in (*edges[:k], *near[:k]))),
            nodes=tuple(dict.fromkeys(called(node) for node in named)),
        )


def _is_specific(mention: Mention) -> bool:
    """Tell whether a question names one thing here: not where its words are those of the language, or those of a kind of things."""
    names = {mention.text.casefold(), mention.node.name.casefold()}
    return mention.node.kind in _NAMED and names.isdisjoint(STOP_WORDS) and names.isdisjoint(get_args(NodeKind))


def _scored(evidence: Iterable[Evidence], best: float) -> list[Evidence]:
    """Return passages, each once, with scores that fall from the best one's."""
    once = list({key_of(item): item for item in evidence}.values())
    return [item.rated(max(best - place * _FADES, 0.0)) for place, item in enumerate(once)]
