"""Walk the graph some steps from some nodes, within bounds, and rank what is there by personalised PageRank."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import get_args

import numpy as np
import numpy.typing as npt

from scholarmind.adapters.local.graph_pieces import Pieces
from scholarmind.adapters.local.graph_rows import Passes
from scholarmind.relations import Relation

Step = tuple[int, int, int, float]  # an edge, the nodes that it leads from and to, and how sure it is
# an edge, the node at its other end, how sure it is, its documents, and its name at the other end
Found = tuple[int, int, float, int, int | None, int]
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
class Walk:
    """What was reached from some nodes, in the order in which it was."""

    connection: sqlite3.Connection
    most_nodes: int
    most_edges: int  # that are looked at
    passes: Passes
    pieces: Pieces
    nodes: dict[int, None] = field(default_factory=dict[int, None])
    steps: dict[int, Step] = field(default_factory=dict[int, Step])
    sizes: dict[int, int] = field(default_factory=dict[int, int])  # edges of a node, all told
    looked_at: int = 0  # edges
    cut: bool = False  # there is more

    def go(self, seeds: Iterable[int], hops: int) -> "Walk":
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

    def _edges(self, sql: str, node: int) -> Iterable[Found]:
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

    def _passes(self, found: Found) -> bool:
        """Tell whether the documents that an edge rests on pass."""
        _, _, _, document, about, _ = found
        return self.passes is None or (self.passes(document) and (about is None or self.passes(about)))


def ranked_steps(walk: Walk, seeds: Mapping[int, float]) -> list[tuple[int, float]]:
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


def between(steps: Sequence[Step], nodes: Iterable[int]) -> list[int]:
    """Return the edges of which both ends are among these nodes."""
    among = set(nodes)
    return [number for number, source, target, _ in steps if source in among and target in among]
