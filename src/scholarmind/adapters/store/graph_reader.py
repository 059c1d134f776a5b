"""What is read of the graph of papers, always within what a filter lets pass, at one moment of the library.

Nodes that a question names, walks from nodes with what they lead to, and the evidence of edges.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store import records
from scholarmind.adapters.store.access import ReadAccess, Writing
from scholarmind.adapters.store.database import Database
from scholarmind.adapters.store.graph_merging import merges_of
from scholarmind.adapters.store.graph_nodes import (
    Apart,
    NodeView,
    Passes,
    Row,
    edges_of,
    is_shown,
    nodes_of,
    rows_of,
    said_in,
    times_shown,
)
from scholarmind.adapters.store.indexes import Derived
from scholarmind.adapters.store.masks import Masks
from scholarmind.filters import Filter
from scholarmind.graph.name_matching import key_of
from scholarmind.identity import TextToken, end_of, is_written_as_name, keys_in, tokens
from scholarmind.model import Evidence, Scores
from scholarmind.relations import Edge, GraphCounts, Mention, Merged, Neighbourhood, Node, NodeKind, Relation

# -- nodes whose names stand in a question

_Place = tuple[int, int]  # tokens of the text, the last excluded
_LONGEST = 20_000  # characters of a text that are looked at
_MOST = 200  # nodes at one place: authors of one name are many
_FILED = """
    SELECT first, name, kind, number, node FROM graph_names
    WHERE first IN (SELECT CAST(value AS TEXT) FROM json_each(?)) ORDER BY edges DESC, number
"""

_PLAIN_WORD = re.compile(r"[A-Z]?[a-z]+")
_COMMON = {"task", "metric"}  # kinds that are called by common words
_COINED = {"method", "dataset"}  # kinds that get words of their own: longformer
_SHORTEST_COINED = 6  # letters


def _mentions_in(connection: DatabaseConnection, text: str, passes: Passes, pieces: NodeView) -> list[Mention]:
    """Return the nodes by the places of their names, the longest name at each place; several that share it each by itself."""
    text = text[:_LONGEST]
    found = tokens(text)
    keys = keys_in(found)
    with_capitals = any(token.capital and token.text.isalpha() and token.text.isascii() for token in found[1:])
    filed = [
        (where, name, number, node)
        for first, name, kind, number, node in connection.execute(_FILED, (json.dumps(list(keys)),))
        for where in _standing(found, keys[first], name, kind, with_capitals=with_capitals)
    ]
    pieces.look(node for *_, node in filed)
    best: dict[_Place, dict[int, str]] = {}
    for where, name, number, stored in filed:
        named, node = best.setdefault(where, {}), pieces.of(number, stored)
        if len(named) < _MOST and node not in named and is_shown(connection, number, passes):
            named[node] = name
    return list(_without_overlaps(connection, text, found, best, passes))


def _standing(
    found: Sequence[TextToken], places: Sequence[int], name: str, kind: str, *, with_capitals: bool
) -> Iterator[_Place]:
    spelled = " ".join(token.text for token in tokens(name))
    for place in places:
        end = end_of(found, place, spelled)
        if end is None:
            continue
        if end - place > 1 or kind in _COMMON or _is_name(found, place, name, kind, with_capitals=with_capitals):
            yield place, end


def _is_name(found: Sequence[TextToken], place: int, name: str, kind: str, *, with_capitals: bool) -> bool:
    """Tell whether a single word is a name here: bert is BERT to those who write all in small letters, attention no title.

    A title that is one common word is one only where its capital is not that of a sentence.
    """
    if kind == "paper" and _PLAIN_WORD.fullmatch(name) and place == 0 and len(found) > 1:
        return False
    if is_written_as_name(found, place, place + 1):
        return True
    is_unusual = not _PLAIN_WORD.fullmatch(name) or (kind in _COINED and len(name) >= _SHORTEST_COINED)
    return is_unusual and not with_capitals


def _without_overlaps(
    connection: DatabaseConnection,
    text: str,
    found: Sequence[TextToken],
    best: dict[_Place, dict[int, str]],
    passes: Passes,
) -> Iterator[Mention]:
    said = {node: {name: 1} for named in best.values() for node, name in named.items()}
    known = nodes_of(connection, said, passes, said)
    free = 0
    for place, end in sorted(best, key=lambda where: (where[0], -where[1])):
        nodes = [known[node] for node in best[place, end] if node in known]
        if place < free or not nodes:
            continue
        free = end
        start, stop = found[place].start, found[end - 1].end
        yield from (Mention(node=node, start=start, end=stop, text=text[start:stop]) for node in nodes)


# -- walks: some steps from some nodes, ranked by personalised PageRank

_Step = tuple[int, int, int, float]  # an edge, the nodes that it leads from and to, and how sure it is
# an edge, the node at its other end, how sure it is, its documents, and its name at the other end
_Found = tuple[int, int, float, int, int | None, int]

_HUB = 200  # edges; of a node with more, some of every relation are followed, and never all of one
_OF_RELATION = 20  # edges of a hub in one relation and direction
_LOOKED_AT = 1000  # edges of a hub in one relation and direction: of those that a filter hides there may be many
_RESTART = 0.2
_ROUNDS = 25
_BEGINNING = """
    SELECT e.number, t.node, e.confidence, e.document, e.about, t.number
    FROM {} CROSS JOIN graph_edges e ON e.source = n.number CROSS JOIN graph_names t ON t.number = e.target WHERE t.node <> n.node
"""

_ENDING = """
    SELECT e.number, s.node, e.confidence, e.document, e.about, s.number
    FROM {} CROSS JOIN graph_edges e ON e.target = n.number CROSS JOIN graph_names s ON s.number = e.source WHERE s.node <> n.node
"""

_OF_NODE = "json_each(?) v CROSS JOIN graph_names n ON n.node = v.value"
_OF_PIECE = "json_each(?) v CROSS JOIN graph_names n ON n.number = v.value"
_OF_ONE_RELATION = " AND e.relation = ?"
_SIZES = "SELECT node, sum(edges) FROM graph_names WHERE node IN (SELECT value FROM json_each(?)) GROUP BY node"
_SIZE = "SELECT sum(edges) FROM graph_names WHERE number IN (SELECT value FROM json_each(?))"


@dataclass(slots=True)
class _Traversal:
    """What was reached from some nodes, in the order in which it was."""

    connection: DatabaseConnection
    most_nodes: int
    most_edges: int  # that are looked at
    passes: Passes
    pieces: NodeView
    nodes: dict[int, None] = field(default_factory=dict[int, None])
    steps: dict[int, _Step] = field(default_factory=dict[int, _Step])
    sizes: dict[int, int] = field(default_factory=dict[int, int])  # edges of a node, all told
    looked_at: int = 0  # edges
    cut: bool = False  # there is more

    def go(self, seeds: Iterable[int], hops: int) -> "_Traversal":
        """Walk so many steps from these nodes. Those with few edges are followed first: they say more than hubs."""
        frontier = self._measured(self.pieces.spread(seeds))
        self.nodes.update(dict.fromkeys(frontier))
        for _ in range(hops):
            reached: dict[int, None] = {}
            for node in sorted(frontier, key=lambda node: (self.sizes[node], node)):
                if self.looked_at >= self.most_edges:
                    self.cut = True
                    break
                self._follow(node, reached)
            frontier = self._measured(reached)
        return self

    def _measured(self, nodes: Iterable[int]) -> list[int]:
        """Return those of the nodes that have edges."""
        asked = list(nodes)
        found: dict[int, int] = dict(self.connection.execute(_SIZES, (json.dumps(asked),)).fetchall())
        for piece in asked:
            if piece < 0:
                (found[piece],) = self.connection.execute(_SIZE, (json.dumps(self.pieces.names_of(piece)),)).fetchone()
        self.sizes |= {node: size for node, size in found.items() if size}
        return [node for node in asked if node in self.sizes]

    def _follow(self, node: int, reached: dict[int, None]) -> None:
        for sql, begins in ((_BEGINNING, True), (_ENDING, False)):
            edges = list(self._edges(sql, node))
            self.pieces.look(stored for _, stored, *_ in edges)
            for number, stored, confidence, *_, name in edges:
                other = self.pieces.of(name, stored)
                self.looked_at += 1
                if other not in self.nodes:
                    if len(self.nodes) >= self.most_nodes:
                        self.cut = True
                        continue
                    self.nodes[other] = reached[other] = None
                self.steps[number] = (number, node, other, confidence) if begins else (number, other, node, confidence)

    def _edges(self, sql: str, node: int) -> Iterable[_Found]:
        asked = json.dumps([node] if node > 0 else self.pieces.names_of(node))
        sql = sql.format(_OF_NODE if node > 0 else _OF_PIECE)
        if self.sizes[node] <= _HUB:
            return filter(self._passes, self.connection.execute(sql, (asked,)).fetchall())
        self.cut = True
        relations = (self.connection.execute(sql + _OF_ONE_RELATION, (asked, each)) for each in get_args(Relation))
        return [
            found
            for rows in relations
            for found in islice(filter(self._passes, islice(rows, _LOOKED_AT)), _OF_RELATION)
        ]

    def _passes(self, found: _Found) -> bool:
        """Tell whether the documents that an edge rests on pass."""
        _, _, _, document, about, _ = found
        return self.passes is None or (self.passes(document) and (about is None or self.passes(about)))


def _ranked_steps(walk: _Traversal, seeds: Mapping[int, float]) -> list[tuple[int, float]]:
    """Return the edges of a walk, those between the nodes best connected with the seeds first, with scores of at most 1.

    A node hands its rank on in shares that are the smaller the more edges the other has, or hubs would draw all of it.
    """
    steps = list(walk.steps.values())
    places = {node: place for place, node in enumerate(walk.nodes)}
    ends = np.array([(places[source], places[target]) for _, source, target, _ in steps], np.int64).reshape(-1, 2)
    sure = np.array([confidence for *_, confidence in steps], np.float64)
    size = np.sqrt([max(1, walk.sizes.get(node, 1)) for node in walk.nodes])
    wanted = np.array([max(0.0, seeds.get(node, 0.0)) for node in walk.nodes])
    if not steps or not wanted.sum():
        return []
    rank = _page_rank(ends, sure, size, wanted / wanted.sum())
    scores = np.sqrt(rank[ends[:, 0]] * rank[ends[:, 1]]) * sure
    scores = _once_a_pair(ends, scores / (scores.max() or 1.0))
    order = np.lexsort((np.array([number for number, *_ in steps]), -scores))
    return [(steps[place][0], float(scores[place])) for place in order]


def _once_a_pair(ends: npt.NDArray[np.int64], scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the scores with those of the second, third ... edge between two nodes halved, divided by three ...: many say the same."""
    times: Counter[tuple[int, int]] = Counter()
    for place in np.argsort(-scores, kind="stable").tolist():
        one, other = sorted(ends[place].tolist())
        times[one, other] += 1
        scores[place] /= times[one, other]
    return scores


def _page_rank(
    ends: npt.NDArray[np.int64],
    sure: npt.NDArray[np.float64],
    size: npt.NDArray[np.float64],
    wanted: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return the rank of every node, walking edges both ways and going back to where it began now and then."""
    giver, taker = np.concatenate([ends, ends[:, ::-1]]).T
    share = np.concatenate([sure, sure]) / size[taker]
    given = np.bincount(giver, share, len(size))
    share = share / np.maximum(given[giver], 1e-12)
    rank = wanted
    for _ in range(_ROUNDS):
        handed = np.bincount(taker, rank[giver] * share, len(size))
        rank = _RESTART * wanted + (1 - _RESTART) * (handed + (1 - handed.sum()) * wanted)
    return rank


def _between(steps: Sequence[_Step], nodes: Iterable[int]) -> list[int]:
    """Return the edges of which both ends are among these nodes."""
    among = set(nodes)
    return [number for number, source, target, _ in steps if source in among and target in among]


# -- the reader

_T = TypeVar("_T")
_RANKED_EDGES = 800  # that are looked at for a ranking
_RANKED_NODES = 600
_REMEMBERED = 16  # filters
_EDGES_PER_NODE = 5  # that are looked at for a neighbourhood
_CALLED = "SELECT number, node, name FROM graph_names WHERE kind = ? AND key = ?"
_MERGES = 'SELECT kind, name, scope, into_name, into_scope, "by", reason FROM graph_merges '
_EDGES_OF_NODE = (
    "WHERE (kind, key, scope) IN (SELECT kind, key, scope FROM graph_names WHERE node = :node) "
    "OR (kind, into_key, into_scope) IN (SELECT kind, key, scope FROM graph_names WHERE node = :node) "
)

# How often the graph was written. What goes with its document is not among that: then there are fewer documents.
COUNT_CHANGE = (
    "INSERT INTO about VALUES ('graph', '1') "
    "ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(about.value AS INTEGER) + 1 AS TEXT)"
)

_VERSION = "SELECT (SELECT value FROM about WHERE key = 'graph'), (SELECT sum(documents) FROM graph_versions)"
_PROOF = (
    f"SELECT {records.FOUND_COLUMNS} FROM collections c "  # noqa: S608
    "JOIN documents d ON d.collection = c.number JOIN passages p ON p.document = d.number "
    "WHERE c.name = ? AND d.id = ? AND p.position {} LIMIT 1"
)


class GraphReader:
    """Reads the graph of one library, by the threads and masks of its store. Where there is none it gives nothing at once."""

    def __init__(
        self,
        database: Database,
        masks: Masks,
        *,
        read: ReadAccess,
        write: Writing,
        derived: Callable[[], Derived],
    ) -> None:
        self.database = database
        self._read = read
        self._write = write
        self._masks = masks
        self._derived = derived
        self._made = False
        self._apart: dict[tuple[Any, ...], Apart] = {}

    async def find(self, name: str, kinds: Sequence[NodeKind] = (), *, filter: Filter | None = None) -> list[Node]:
        """Return the nodes of this name, those with the most edges first; under a filter by this name only."""

        def work(connection: DatabaseConnection) -> list[Node]:
            asked = [(kind, key_of(kind, name) or name) for kind in kinds or get_args(NodeKind)]
            rows = [row for each in asked for row in connection.execute(_CALLED, each)]
            passes = self._passes(filter)
            pieces = self._pieces(connection, filter, passes)
            pieces.look(node for _, node, _ in rows)
            said: dict[int, dict[str, int]] = {}
            for number, node, written in rows if passes else ():
                if times := times_shown(connection, number, passes):
                    said.setdefault(pieces.of(number, node), {})[written] = times
            return _by_size(nodes_of(connection, said if passes else {node for _, node, _ in rows}, passes, said))

        return await self._ask(work, [])

    async def mentioned(self, text: str, filter: Filter | None = None) -> list[Mention]:
        """Return the nodes whose names stand in a text, by place; of overlapping names the longest."""

        def work(connection: DatabaseConnection) -> list[Mention]:
            passes = self._passes(filter)
            return _mentions_in(connection, text, passes, self._pieces(connection, filter, passes))

        return await self._ask(work, [])

    async def merges(self, node: int | None = None) -> list[Merged]:
        """Return what was merged, of one node or of all."""

        def work(connection: DatabaseConnection) -> list[Merged]:
            condition, asked = ("", {}) if node is None else (_EDGES_OF_NODE, {"node": node})
            return merges_of(connection.execute(f"{_MERGES} {condition} ORDER BY kind, name, scope", asked).fetchall())

        return await self._ask(work, [])

    async def nodes(self, kinds: Sequence[NodeKind] = (), limit: int = 1000) -> list[Node]:
        """Return the nodes of these kinds, those with the most edges first."""

        def work(connection: DatabaseConnection) -> list[Node]:
            among = f"kind IN ({','.join('?' * len(kinds))})" if kinds else "1 = 1"
            sql = (
                f"SELECT node FROM graph_names WHERE {among} GROUP BY node HAVING sum(edges) > 0 "  # noqa: S608
                "ORDER BY sum(edges) DESC, node LIMIT ?"
            )
            numbers = [row[0] for row in connection.execute(sql, (*kinds, limit))]
            return _by_size(nodes_of(connection, numbers))

        return await self._ask(work, [])

    async def edges(
        self,
        nodes: Sequence[int] = (),
        *,
        relations: Sequence[Relation] = (),
        into: bool | None = None,
        filter: Filter | None = None,
        limit: int = 2000,
    ) -> list[Edge]:
        """Return the edges of these nodes, or of all, that passing documents state; of two nodes asked for, an edge once."""

        def work(connection: DatabaseConnection) -> list[Edge]:
            passes = self._passes(filter)
            rows: dict[int, Row] = {}
            found = self._pieces(connection, filter, passes).edges(nodes, relations, into)
            new = (row for row in found if row[0] not in rows)
            rows.update((row[0], row) for row in islice(new, limit))
            return edges_of(connection, list(rows.values()), passes)

        return await self._ask(work, [])

    async def neighbourhood(
        self, nodes: Sequence[int], *, hops: int = 2, most: int = 200, filter: Filter | None = None
    ) -> Neighbourhood:
        """Return what is within so many steps of these nodes, hubs in part only."""

        def work(connection: DatabaseConnection) -> Neighbourhood:
            passes = self._passes(filter)
            pieces = self._pieces(connection, filter, passes)
            walk = _Traversal(connection, most, _EDGES_PER_NODE * most, passes, pieces).go(nodes, hops)
            rows = list(pieces.shown(rows_of(connection, _between(list(walk.steps.values()), walk.nodes))))
            found = nodes_of(connection, walk.nodes, passes, said_in(rows))
            edges = edges_of(connection, rows, passes, found)
            return Neighbourhood(
                nodes=tuple(found[node] for node in walk.nodes if node in found), edges=tuple(edges), cut=walk.cut
            )

        return await self._ask(work, Neighbourhood(nodes=(), edges=()))

    async def ranked(
        self, seeds: Mapping[int, float], *, k: int = 20, filter: Filter | None = None
    ) -> list[tuple[Edge, float]]:
        """Return the edges around these nodes that have most to do with them, and how much (1: the first)."""

        def work(connection: DatabaseConnection) -> list[tuple[Edge, float]]:
            passes = self._passes(filter)
            pieces = self._pieces(connection, filter, passes)
            weights = {piece: seeds[node] for piece, node in pieces.spread(seeds).items()}
            walk = _Traversal(connection, _RANKED_NODES, _RANKED_EDGES, passes, pieces).go(weights, 2)
            scores = dict(_ranked_steps(walk, weights)[:k])
            rows = list(pieces.shown(rows_of(connection, scores)))
            return list(zip(edges_of(connection, rows, passes), (scores[row[0]] for row in rows), strict=True))

        return await self._ask(work, [])

    async def proofs(self, edges: Sequence[Edge]) -> list[Evidence]:
        """Return the passage that proves each edge, or its document's first; none for a document that is gone meanwhile."""

        def work(connection: DatabaseConnection) -> list[Evidence]:
            found: list[Evidence] = []
            for edge in edges:
                sql, place = ("IS ?", edge.position) if edge.position is not None else (">= ? ORDER BY p.position", 0)
                row = connection.execute(_PROOF.format(sql), (edge.collection, edge.document, place)).fetchone()
                if row is not None:
                    found.append(_evidence(row, edge.confidence))
            return found

        return await self._ask(work, []) if edges else []

    async def counts(self) -> GraphCounts:
        """Return how much there is."""

        def work(connection: DatabaseConnection) -> GraphCounts:
            sql = "SELECT kind, count(DISTINCT node) FROM graph_names WHERE edges > 0 GROUP BY kind ORDER BY kind"
            nodes = dict(connection.execute(sql).fetchall())
            sql = "SELECT relation, count(*) FROM graph_edges GROUP BY relation ORDER BY relation"
            edges = dict(connection.execute(sql).fetchall())
            sql = "SELECT (SELECT count(*) FROM documents), count(*), (SELECT count(*) FROM graph_merges) FROM graph_documents"
            documents, read, merged = connection.execute(sql).fetchone()
            return GraphCounts(nodes=nodes, edges=edges, documents=read, waiting=documents - read, merged=merged)

        total = "SELECT coalesce(sum(documents), 0) FROM collections"
        nothing = GraphCounts(waiting=await self._read(lambda: self.database.value(total)))
        return await self._ask(work, nothing)

    def version(self) -> str:
        """Return what is other as soon as anything in the graph is: findings rest on it. One look at two rows."""
        if not self._is_there():
            return ""
        return " ".join(map(str, self.database.rows(_VERSION)[0]))

    def _is_there(self) -> bool:
        """Tell whether anything was ever put into the graph of this library."""
        if not self._made:
            sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'graph_versions'"  # made with all others
            self._made = bool(self.database.value(sql))
        return self._made

    async def _ask(self, work: Callable[[DatabaseConnection], _T], nothing: _T) -> _T:
        """Read at one moment of the library; of a library without a graph, nothing."""

        def reading() -> _T:
            if not self._is_there():
                return nothing
            with self.database.snapshot() as connection:
                return work(connection)

        return await self._read(reading)

    def _pieces(self, connection: DatabaseConnection, filter: Filter | None, passes: Passes) -> NodeView:
        """Return the nodes of this moment as the filter shows them, with what is known of them by now."""
        if filter is None:
            return NodeView(connection, passes, Apart())
        moment = (filter, self.database.last_text_change(), *connection.execute(_VERSION).fetchone())
        apart = self._apart.setdefault(moment, Apart())
        while len(self._apart) > _REMEMBERED:
            del self._apart[next(iter(self._apart))]
        return NodeView(connection, passes, apart)

    def _passes(self, filter: Filter | None) -> Passes:
        if filter is None:
            return None
        mask = self._masks.mask(filter, self.database.last_text_change())
        return lambda document: document < len(mask) and bool(mask[document])


def _by_size(nodes: Mapping[int, Node]) -> list[Node]:
    return sorted(nodes.values(), key=lambda node: (-node.edges, node.number))


def _evidence(row: Row, confidence: float) -> Evidence:
    passage, document = records.found(row)
    return Evidence(passage=passage, document=document, scores=Scores(fused=confidence))
