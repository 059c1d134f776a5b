"""What is read of the graph of papers, always within what a filter lets pass, at one moment of the library."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar, get_args

from scholarmind.adapters.local import records
from scholarmind.adapters.local.access import Reading, Writing
from scholarmind.adapters.local.database import Database
from scholarmind.adapters.local.derived import Derived
from scholarmind.adapters.local.graph_asking import mentions_in
from scholarmind.adapters.local.graph_names import merges_of
from scholarmind.adapters.local.graph_pieces import Apart, Pieces
from scholarmind.adapters.local.graph_rows import Passes, Row, edges_of, nodes_of, rows_of, said_in, times_shown
from scholarmind.adapters.local.graph_walking import Walk, between, ranked_steps
from scholarmind.adapters.local.masks import Masks
from scholarmind.filters import Filter
from scholarmind.graph.name_matching import key_of
from scholarmind.model import Evidence, Scores
from scholarmind.relations import (
    Edge,
    GraphCounts,
    Mention,
    Merged,
    Neighbourhood,
    Node,
    NodeKind,
    Relation,
)

T = TypeVar("T")
_RANKED_EDGES = 800  # that are looked at for a ranking
_RANKED_NODES = 600
_REMEMBERED = 16  # filters
_EDGES_PER_NODE = 5  # that are looked at for a neighbourhood
_CALLED = "SELECT number, node, name FROM graph_names WHERE kind = ? AND key = ?"
_MERGES = 'SELECT kind, name, scope, into_name, into_scope, "by", reason FROM graph_merges '
_OF_NODE = (
    "WHERE (kind, key, scope) IN (SELECT kind, key, scope FROM graph_names WHERE node = ?1) "
    "OR (kind, into_key, into_scope) IN (SELECT kind, key, scope FROM graph_names WHERE node = ?1) "
)
# How often the graph was written. What goes with its document is not among that: then there are fewer documents.
COUNT_CHANGE = "INSERT INTO about VALUES ('graph', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
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
        read: Reading,
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

        def work(connection: sqlite3.Connection) -> list[Node]:
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

        def work(connection: sqlite3.Connection) -> list[Mention]:
            passes = self._passes(filter)
            return mentions_in(connection, text, passes, self._pieces(connection, filter, passes))

        return await self._ask(work, [])

    async def merges(self, node: int | None = None) -> list[Merged]:
        """Return what was merged, of one node or of all."""

        def work(connection: sqlite3.Connection) -> list[Merged]:
            condition, asked = ("", ()) if node is None else (_OF_NODE, (node,))
            return merges_of(connection.execute(f"{_MERGES} {condition} ORDER BY kind, name, scope", asked).fetchall())

        return await self._ask(work, [])

    async def nodes(self, kinds: Sequence[NodeKind] = (), limit: int = 1000) -> list[Node]:
        """Return the nodes of these kinds, those with the most edges first."""

        def work(connection: sqlite3.Connection) -> list[Node]:
            among = f"kind IN ({','.join('?' * len(kinds))})" if kinds else "1"
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

        def work(connection: sqlite3.Connection) -> list[Edge]:
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

        def work(connection: sqlite3.Connection) -> Neighbourhood:
            passes = self._passes(filter)
            pieces = self._pieces(connection, filter, passes)
            walk = Walk(connection, most, _EDGES_PER_NODE * most, passes, pieces).go(nodes, hops)
            rows = list(pieces.shown(rows_of(connection, between(list(walk.steps.values()), walk.nodes))))
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

        def work(connection: sqlite3.Connection) -> list[tuple[Edge, float]]:
            passes = self._passes(filter)
            pieces = self._pieces(connection, filter, passes)
            weights = {piece: seeds[node] for piece, node in pieces.spread(seeds).items()}
            walk = Walk(connection, _RANKED_NODES, _RANKED_EDGES, passes, pieces).go(weights, 2)
            scores = dict(ranked_steps(walk, weights)[:k])
            rows = list(pieces.shown(rows_of(connection, scores)))
            return list(zip(edges_of(connection, rows, passes), (scores[row[0]] for row in rows), strict=True))

        return await self._ask(work, [])

    async def proofs(self, edges: Sequence[Edge]) -> list[Evidence]:
        """Return the passage that proves each edge, or its document's first; none for a document that is gone meanwhile."""

        def work(connection: sqlite3.Connection) -> list[Evidence]:
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

        def work(connection: sqlite3.Connection) -> GraphCounts:
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

    async def _ask(self, work: Callable[[sqlite3.Connection], T], nothing: T) -> T:
        """Read at one moment of the library; of a library without a graph, nothing."""

        def reading() -> T:
            if not self._is_there():
                return nothing
            with self.database.snapshot() as connection:
                return work(connection)

        return await self._read(reading)

    def _pieces(self, connection: sqlite3.Connection, filter: Filter | None, passes: Passes) -> Pieces:
        """Return the nodes of this moment as the filter shows them, with what is known of them by now."""
        if filter is None:
            return Pieces(connection, passes, Apart())
        moment = (filter, self.database.last_text_change(), *connection.execute(_VERSION).fetchone())
        apart = self._apart.setdefault(moment, Apart())
        while len(self._apart) > _REMEMBERED:
            del self._apart[next(iter(self._apart))]
        return Pieces(connection, passes, apart)

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
