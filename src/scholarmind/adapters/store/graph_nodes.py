"""Nodes and edges of the graph within what a filter lets pass: a node shows only what the edges shown say of it.

From whom a filter hides documents, for him two names are one only where what he may see proves it. A node that has come apart for
somebody has a number below zero for each of its pieces. What was merged by hand is one for everybody.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import Any

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store.graph_merging import DEFINED_AS_ONE, Called, bylines_of
from scholarmind.graph.name_matching import Groups, is_body, key_of, near, proven
from scholarmind.relations import Edge, Merged, Node, Relation

# -- rows of nodes and edges

Passes = Callable[[int], bool] | None  # whether a document does; None: all do
Row = tuple[Any, ...]
_Said = Mapping[int, Mapping[str, int]]  # by node: its names, and how often each is used
_MOST_NAMES = 50  # of a node that are shown
# The order of the joins is ours: from a node over its names to their edges, and to the name at the other end.
_EDGE = (
    'e.number, e.document, e.about, s.node, t.node, e.relation, e.source, e.target, e.confidence, e."by", e.passage, '
    'e.start, e."end", e.metric, e.value, e.amount, e.setting, s.name, t.name'
)

_FROM = (
    "FROM json_each(?) v CROSS JOIN graph_names s ON s.node = v.value "
    "CROSS JOIN graph_edges e ON e.source = s.number CROSS JOIN graph_names t ON t.number = e.target"
)

_INTO = (
    "FROM json_each(?) v CROSS JOIN graph_names t ON t.node = v.value "
    "CROSS JOIN graph_edges e ON e.target = t.number CROSS JOIN graph_names s ON s.number = e.source"
)

_PLACE = itemgetter(-1)  # of the node that was asked for
_ANY = (
    "FROM graph_edges e CROSS JOIN graph_names s ON s.number = e.source CROSS JOIN graph_names t ON t.number = e.target"
)

_PAPERS = """
    SELECT n.node, c.name, d.id, d.title, d.number FROM graph_names n CROSS JOIN graph_papers p ON p.name = n.number
    CROSS JOIN documents d ON d.number = p.document CROSS JOIN collections c ON c.number = d.collection
    WHERE n.node IN (SELECT value FROM json_each(?)) ORDER BY d.number
"""

_NAMES_BY_EDGES = """
    SELECT node, kind, name, edges FROM graph_names
    WHERE node IN (SELECT value FROM json_each(?)) AND edges > 0 ORDER BY edges DESC, number
"""

_KINDS = "SELECT number, kind FROM graph_names WHERE number IN (SELECT value FROM json_each(?))"
_DOCUMENTS = """
    SELECT d.number, c.name, d.id, d.year FROM documents d JOIN collections c ON c.number = d.collection
    WHERE d.number IN (SELECT value FROM json_each(?))
"""


def _seen(row: Row, passes: Passes) -> bool:
    """Tell whether an edge may be shown: it leads to another node, and its documents pass."""
    if row[3] == row[4]:
        return False
    return passes is None or (passes(row[1]) and (row[2] is None or passes(row[2])))


def _edge_rows(
    connection: DatabaseConnection,
    nodes: Sequence[int],
    relations: Sequence[Relation] = (),
    into: bool | None = None,
) -> Iterator[Row]:
    """Yield the edges of one node after the other, those that begin there first; of none, all there are as they were stated."""
    condition = f"e.relation IN ({','.join('?' * len(relations))})" if relations else "1 = 1"
    if not nodes:
        yield from connection.execute(f"SELECT {_EDGE} {_ANY} WHERE {condition} ORDER BY e.number", relations)
        return
    asked = (json.dumps(list(dict.fromkeys(nodes))), *relations)
    ends = ([] if into is True else [_FROM]) + ([] if into is False else [_INTO])
    sql = f"SELECT {_EDGE}, v.key {{}} WHERE {condition} ORDER BY v.key, e.source, e.relation, e.target, e.document"
    found = [connection.execute(sql.format(end), asked) for end in ends]
    yield from merge(*found, key=_PLACE)


def is_shown(connection: DatabaseConnection, name: int, passes: Passes) -> bool:
    """Tell whether a node may be seen by one of its names: an edge that passes has to say it so. Without a filter it may."""
    return passes is None or any(_stated(connection, name, passes))


def times_shown(connection: DatabaseConnection, name: int, passes: Passes) -> int:
    """Return how many edges that pass use a name."""
    return sum(_stated(connection, name, passes))


def _stated(connection: DatabaseConnection, name: int, passes: Passes) -> Iterator[bool]:
    """Yield of each edge with a name whether it passes."""
    said = (f"SELECT document, about FROM graph_edges WHERE {end} = ?" for end in ("source", "target"))  # noqa: S608
    return (
        passes is None or (passes(document) and (about is None or passes(about)))
        for sql in said
        for document, about in connection.execute(sql, (name,))
    )


def rows_of(connection: DatabaseConnection, numbers: Iterable[int]) -> list[Row]:
    """Return these edges, in their order."""
    sql = f"SELECT {_EDGE} {_ANY} WHERE e.number IN (SELECT value FROM json_each(?))"  # noqa: S608
    asked = list(numbers)
    found = {row[0]: row for row in connection.execute(sql, (json.dumps(asked),))}
    return [found[number] for number in asked if number in found]


def edges_of(
    connection: DatabaseConnection, rows: Sequence[Row], passes: Passes, nodes: Mapping[int, Node] | None = None
) -> list[Edge]:
    """Read edges back from `_EDGE`, with both of their nodes, which may be known already."""
    if nodes is None:
        nodes = nodes_of(connection, {node for row in rows for node in row[3:5]}, passes, said_in(rows))
    documents = {row[0]: row[1:] for row in connection.execute(_DOCUMENTS, (json.dumps([row[1] for row in rows]),))}
    sql = "SELECT number, position FROM passages WHERE number IN (SELECT value FROM json_each(?))"
    positions: dict[int, int] = dict(connection.execute(sql, (json.dumps([row[10] for row in rows if row[10]]),)))
    return [_edge(row, nodes, documents[row[1]], positions.get(row[10])) for row in rows]


def _edge(row: Row, nodes: Mapping[int, Node], document: Row, position: int | None) -> Edge:
    return Edge(
        relation=row[5],
        source=nodes[row[3]],
        target=nodes[row[4]],
        collection=document[0],
        document=document[1],
        confidence=row[8],
        by=row[9],
        year=document[2],
        position=position,
        start=row[11],
        end=row[12],
        metric=row[13],
        value=row[14],
        number=row[15],
        setting=row[16],
        said_as=(row[17], row[18]),
    )


def nodes_of(
    connection: DatabaseConnection, numbers: Iterable[int], passes: Passes = None, said: _Said | None = None
) -> dict[int, Node]:
    """Return those of these nodes that have edges. Under a filter they are called as is `said`: other names may be hidden ones."""
    asked = json.dumps(sorted(set(numbers)))
    named: dict[int, list[tuple[str, str, int]]] = {}
    if passes is None:
        for node, kind, name, edges in connection.execute(_NAMES_BY_EDGES, (asked,)):
            named.setdefault(node, []).append((kind, name, edges))
    else:
        kinds: dict[int, str] = dict(connection.execute(_KINDS, (json.dumps([abs(node) for node in said or ()]),)))
        named = {
            node: [(kinds[abs(node)], *used) for used in sorted(names.items(), key=lambda item: -item[1])]
            for node, names in (said or {}).items()
            if abs(node) in kinds
        }
    papers: dict[int, Row] = {}
    for row in connection.execute(_PAPERS, (asked,)):
        if passes is None or passes(row[4]):
            papers.setdefault(row[0], row[1:4])
    return {node: _node(node, names, papers.get(node)) for node, names in named.items()}


def said_in(rows: Sequence[Row]) -> _Said:
    """Return the names that these edges use for their nodes, and how often."""
    counted: dict[int, dict[str, int]] = {}
    for row in rows:
        for node, name in ((row[3], row[17]), (row[4], row[18])):
            names = counted.setdefault(node, {})
            names[name] = names.get(name, 0) + 1
    return counted


def _node(number: int, said: Sequence[tuple[str, str, int]], paper: Row | None) -> Node:
    collection, document, title = paper or ("", "", "")
    names = tuple(dict.fromkeys(name for name in (title, *(name for _, name, _ in said)) if name))
    return Node(
        number=number,
        kind=said[0][0],  # pyright: ignore[reportArgumentType]
        name=names[0],
        names=names[:_MOST_NAMES],
        edges=sum(edges for _, _, edges in said),
        collection=collection,
        document=document,
    )


# -- nodes that come apart under a filter

_AT_ONCE = 500  # edges
_NODES = "SELECT number, node FROM graph_names WHERE number IN (SELECT value FROM json_each(?))"
_NAMES_OF_NODES = """
    SELECT n.node, n.number, n.key, n.scope FROM json_each(?) v CROSS JOIN graph_names n ON n.node = v.value
    WHERE +n.kind NOT IN ('paper', 'year')
"""

_MERGE = 'n.node, m.kind, m.key, m.scope, m.into_key, m.into_scope, m.name, m."by", m.reason'
_MERGES = f"""
    SELECT {_MERGE} FROM json_each(?) v CROSS JOIN graph_names n ON n.node = v.value
    CROSS JOIN graph_merges m ON m.kind = n.kind AND m.key = n.key AND m.scope = n.scope
"""  # noqa: S608

_MERGES_BY_HAND = f"""
    SELECT {_MERGE} FROM json_each(?) v CROSS JOIN graph_names n ON n.node = v.value
    CROSS JOIN graph_merges m INDEXED BY graph_merges_by_hand
    ON m.kind = n.kind AND m.into_key = n.key AND m.into_scope = n.scope WHERE m."by" = 'hand'
"""  # noqa: S608

_ANY_BY_HAND = "SELECT 1 FROM graph_merges INDEXED BY graph_merges_by_hand WHERE \"by\" = 'hand' LIMIT 1"
_WRITTEN = """
    SELECT e.target, e.document FROM json_each(?) v CROSS JOIN graph_edges e ON e.target = v.value WHERE e.relation = 'AUTHORED_BY'
"""

_WRITERS = """
    SELECT e.document, n.scope, n.key, max(n.name), n.node FROM graph_edges e CROSS JOIN graph_names n ON n.number = e.target
    WHERE e.document IN (SELECT value FROM json_each(?)) AND e.relation = 'AUTHORED_BY'
    GROUP BY e.document, n.scope, n.key, n.node ORDER BY e.document
"""

_DEFINING = "SELECT document FROM graph_aliases WHERE kind = ? AND key = ? AND other_key = ?"
_Place = tuple[int, str, str]  # a node, and the key and scope of one of its names
_Names = Mapping[Called, Sequence[int]]  # the numbers of what is written alike


@dataclass(slots=True)
class Apart:
    """What came apart for somebody, as far as it was looked at. It holds as long as neither the graph nor his rights change."""

    looked_at: set[int] = field(default_factory=set[int])
    pieces: dict[int, int] = field(default_factory=dict[int, int])  # by name
    of_node: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    names: dict[int, list[int]] = field(default_factory=dict[int, list[int]])  # of each piece


class NodeView:
    """The nodes of one moment, looked at when they are asked for. Without a filter a node is what is stored."""

    def __init__(self, connection: DatabaseConnection, passes: Passes, apart: Apart) -> None:
        self._connection = connection
        self._passes = passes
        self._apart = apart

    def of(self, name: int, node: int) -> int:
        """Return the number of what a name belongs to; its node was looked at before."""
        return self._apart.pieces.get(name, node)

    def names_of(self, piece: int) -> list[int]:
        """Return the numbers of the names that make up a piece."""
        return self._apart.names.get(piece, [])

    def whole(self, numbers: Iterable[int]) -> dict[int, int]:
        """Return the stored node of each node or piece."""
        asked = list(dict.fromkeys(numbers))
        pieces = [-number for number in asked if number < 0]
        nodes: dict[int, int] = dict(self._connection.execute(_NODES, (json.dumps(pieces),))) if pieces else {}
        found = ((number, number if number > 0 else nodes.get(-number)) for number in asked)
        return {number: node for number, node in found if node is not None}

    def spread(self, numbers: Iterable[int]) -> dict[int, int]:
        """Return the pieces of each of these nodes, or itself if it is whole, with that node."""
        asked = list(numbers)
        self.look(self.whole(asked).values())
        return {piece: number for number in asked for piece in self._apart.of_node.get(number, [number])}

    def edges(self, nodes: Sequence[int], relations: Sequence[Relation], into: bool | None) -> Iterator[Row]:
        """Yield the edges of these nodes and pieces, or of all, that may be seen."""
        asked = self.whole(nodes)
        if nodes and not asked:
            return
        rows = _edge_rows(self._connection, list(asked.values()), relations, into)
        if all(number > 0 for number in asked):
            yield from self.shown(rows)
            return
        among = {piece for number in asked for piece in self.spread((number,))}
        for row in self.shown(rows):
            if (into is not True and row[3] in among) or (into is not False and row[4] in among):
                yield row

    def shown(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the edges that may be seen, each between what its names belong to."""
        if self._passes is None:
            yield from (row for row in rows if _seen(row, None))
            return
        passing = (row for row in rows if _seen(row, self._passes))
        while some := list(islice(passing, _AT_ONCE)):
            self.look(node for row in some for node in row[3:5])
            yield from ((*row[:3], self.of(row[6], row[3]), self.of(row[7], row[4]), *row[5:]) for row in some)

    def look(self, nodes: Iterable[int]) -> None:
        """Find out which of these nodes come apart."""
        new = set(nodes) - self._apart.looked_at if self._passes is not None else set[int]()
        if not new:
            return
        named: dict[int, dict[Called, list[int]]] = {}
        for node, number, key, scope in self._connection.execute(_NAMES_OF_NODES, (json.dumps(sorted(new)),)):
            named.setdefault(node, {}).setdefault((key, scope), []).append(number)
        several = {node: names for node, names in named.items() if len(names) > 1}
        if several:
            self._take_apart(several)
        self._apart.looked_at |= new  # last: other threads may be reading

    def _take_apart(self, several: Mapping[int, _Names]) -> None:
        """Put down the pieces of these nodes, each of which has several names."""
        places = {(node, *called): numbers[0] for node, names in several.items() for called, numbers in names.items()}
        written = self._written(several.values())
        groups = Groups()
        for node, kind, *ends, name, by, reason in self._merges(json.dumps(sorted(several))):
            # what was merged with something that is gone has a place all the same
            one, other = (places.setdefault((node, *called), -len(places) - 1) for called in (ends[:2], ends[2:]))
            are_seen = one in written and other in written
            if by == "hand" or self._is_proven(kind, ends, name, reason, are_seen=are_seen):
                groups.join(one, other)
        self._prove_anew(several, places, written, groups)
        for node, names in several.items():
            self._put_down(node, names, written, groups)

    def _merges(self, asked: str) -> list[Row]:
        """Return the merges between names of these nodes, and those by hand with names that are gone."""
        found = self._connection.execute(_MERGES, (asked,)).fetchall()
        if self._connection.execute(_ANY_BY_HAND).fetchone():
            found += self._connection.execute(_MERGES_BY_HAND, (asked,)).fetchall()
        return found

    def _written(self, several: Iterable[_Names]) -> dict[int, set[int]]:
        """Return the documents that may be seen by the authors who wrote them."""
        named = ((called, numbers) for names in several for called, numbers in names.items())
        places = {number: numbers[0] for (_, scope), numbers in named if scope for number in numbers}
        written: dict[int, set[int]] = {}
        for number, document in self._connection.execute(_WRITTEN, (json.dumps(sorted(places)),)):
            if self._passes is None or self._passes(document):
                written.setdefault(places[number], set()).add(document)
        return written

    def _is_proven(self, kind: str, ends: Sequence[str], name: str, reason: str, *, are_seen: bool) -> bool:
        """Tell whether somebody who sees only what passes knows that two names are one."""
        if kind == "author":  # both documents together are the proof; companies are themselves everywhere
            return are_seen or is_body(name)
        if reason != DEFINED_AS_ONE:  # a variant is one by its form
            return True
        rows = self._connection.execute(_DEFINING, (kind, ends[0], ends[2]))
        return any(self._passes is None or self._passes(document) for (document,) in rows)

    def _prove_anew(
        self,
        several: Mapping[int, _Names],
        places: Mapping[_Place, int],
        written: Mapping[int, set[int]],
        groups: Groups,
    ) -> None:
        """Prove by what may be seen whom the stored proofs do not: those lead over whatever document was compared first."""
        doubtful: dict[int, dict[int, int]] = {}  # by node: the names that stand over its documents
        for node, names in several.items():
            seen_names = [numbers[0] for numbers in names.values() if numbers[0] in written]
            if len({groups.leader(number) for number in seen_names}) > 1:
                doubtful[node] = {document: number for number in seen_names for document in written[number]}
        documents = sorted({document for names in doubtful.values() for document in names})
        if not documents:
            return
        rows = self._connection.execute(_WRITERS, (json.dumps(documents),)).fetchall()
        bylines = bylines_of(
            self._connection, ((*row[:4], places.get((row[4], row[2], row[1]), row[4])) for row in rows)
        )
        for node, names in doubtful.items():
            own = {key for key, _ in several[node]}
            for one, other in near((bylines[document] for document in sorted(names)), own):
                ends = names[one.document], names[other.document]
                if not groups.are_one(*ends) and any(_is_of(merged, own) for merged in proven((other,), (one,))):
                    groups.join(*ends)

    def _put_down(self, node: int, names: _Names, written: Mapping[int, set[int]], groups: Groups) -> None:
        """Put down the pieces of a node, if it has several. An author whose paper is hidden is none of them."""
        pieces: dict[int, list[int]] = {}
        for numbers in names.values():
            pieces.setdefault(groups.leader(numbers[0]), []).extend(numbers)
        shown = list(pieces.values())
        if any(scope for _, scope in names):  # of authors
            shown = [numbers for numbers in shown if not written.keys().isdisjoint(numbers)]
        if len(shown) != 1:
            self._apart.pieces |= {number: -min(numbers) for numbers in pieces.values() for number in numbers}
            self._apart.names |= {-min(numbers): numbers for numbers in shown}
            self._apart.of_node[node] = [-min(numbers) for numbers in shown]


def _is_of(merged: Merged, keys: AbstractSet[str]) -> bool:
    """Tell whether it is one of these names that was found to be one person."""
    return key_of("author", merged.name) in keys
