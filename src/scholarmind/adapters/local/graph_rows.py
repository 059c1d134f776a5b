"""Read nodes and edges of the graph, within what a filter lets pass. Under a filter a node shows only what the edges shown say of it."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from operator import itemgetter
from typing import Any

from scholarmind.relations import Edge, Node, Relation

Passes = Callable[[int], bool] | None  # whether a document does; None: all do
Row = tuple[Any, ...]
Said = Mapping[int, Mapping[str, int]]  # by node: its names, and how often each is used
_MOST_NAMES = 50  # of a node that are shown
# The order of the joins is ours: from a node over its names to their edges, and to the name at the other end.
EDGE = (
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
_NAMES = """
    SELECT node, kind, name, edges FROM graph_names
    WHERE node IN (SELECT value FROM json_each(?)) AND edges > 0 ORDER BY edges DESC, number
"""
_KINDS = "SELECT number, kind FROM graph_names WHERE number IN (SELECT value FROM json_each(?))"
_DOCUMENTS = """
    SELECT d.number, c.name, d.id, d.year FROM documents d JOIN collections c ON c.number = d.collection
    WHERE d.number IN (SELECT value FROM json_each(?))
"""


def seen(row: Row, passes: Passes) -> bool:
    """Tell whether an edge may be shown: it leads to another node, and its documents pass."""
    if row[3] == row[4]:
        return False
    return passes is None or (passes(row[1]) and (row[2] is None or passes(row[2])))


def edge_rows(
    connection: sqlite3.Connection,
    nodes: Sequence[int],
    relations: Sequence[Relation] = (),
    into: bool | None = None,
) -> Iterator[Row]:
    """Yield the edges of one node after the other, those that begin there first; of none, all there are as they were stated."""
    condition = f"e.relation IN ({','.join('?' * len(relations))})" if relations else "1"
    if not nodes:
        yield from connection.execute(f"SELECT {EDGE} {_ANY} WHERE {condition} ORDER BY e.number", relations)
        return
    asked = (json.dumps(list(dict.fromkeys(nodes))), *relations)
    ends = ([] if into is True else [_FROM]) + ([] if into is False else [_INTO])
    found = [connection.execute(f"SELECT {EDGE}, v.key {end} WHERE {condition}", asked) for end in ends]
    yield from merge(*found, key=_PLACE)


def is_shown(connection: sqlite3.Connection, name: int, passes: Passes) -> bool:
    """Tell whether a node may be seen by one of its names: an edge that passes has to say it so. Without a filter it may."""
    return passes is None or any(_stated(connection, name, passes))


def times_shown(connection: sqlite3.Connection, name: int, passes: Passes) -> int:
    """Return how many edges that pass use a name."""
    return sum(_stated(connection, name, passes))


def _stated(connection: sqlite3.Connection, name: int, passes: Passes) -> Iterator[bool]:
    """Yield of each edge with a name whether it passes."""
    said = (f"SELECT document, about FROM graph_edges WHERE {end} = ?" for end in ("source", "target"))  # noqa: S608
    return (
        passes is None or (passes(document) and (about is None or passes(about)))
        for sql in said
        for document, about in connection.execute(sql, (name,))
    )


def rows_of(connection: sqlite3.Connection, numbers: Iterable[int]) -> list[Row]:
    """Return these edges, in their order."""
    sql = f"SELECT {EDGE} {_ANY} WHERE e.number IN (SELECT value FROM json_each(?))"  # noqa: S608
    asked = list(numbers)
    found = {row[0]: row for row in connection.execute(sql, (json.dumps(asked),))}
    return [found[number] for number in asked if number in found]


def edges_of(
    connection: sqlite3.Connection, rows: Sequence[Row], passes: Passes, nodes: Mapping[int, Node] | None = None
) -> list[Edge]:
    """Read edges back from `EDGE`, with both of their nodes, which may be known already."""
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
    connection: sqlite3.Connection, numbers: Iterable[int], passes: Passes = None, said: Said | None = None
) -> dict[int, Node]:
    """Return those of these nodes that have edges. Under a filter they are called as is `said`: other names may be hidden ones."""
    asked = json.dumps(sorted(set(numbers)))
    named: dict[int, list[tuple[str, str, int]]] = {}
    if passes is None:
        for node, kind, name, edges in connection.execute(_NAMES, (asked,)):
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


def said_in(rows: Sequence[Row]) -> Said:
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
