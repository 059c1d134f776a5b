"""How trees are written: vectors of passages in, nodes and places out."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scholarmind.adapters.local.database import Database
from scholarmind.adapters.local.tree_state import Home, Tree
from scholarmind.relations import Space
from scholarmind.tree.clustering import DIMENSION, Numbers, Vectors, units
from scholarmind.tree.growing import Branch, Growth

_PASSAGES = "FROM documents d JOIN passages p ON p.document = d.number LEFT JOIN vectors v ON v.passage = p.number "
_TEXT = {"vector": "v.vector", "words": "p.text"}
# a passage that an embedder makes no sense of has a row without a vector; where there is no embedder it has no row
_BELONGS = {"vector": "v.vector IS NOT NULL", "words": "v.vector IS NULL AND (v.passage IS NOT NULL OR ?)"}
_NOT_PLACED = "NOT EXISTS (SELECT 1 FROM tree_members m WHERE m.passage = p.number AND m.tree = ?)"
FOLLOWING = "SELECT 1 + coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'tree_nodes'"
_NODE = """
    INSERT INTO tree_nodes (number, tree, level, parent, passages, sums) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (number)
    DO UPDATE SET parent = excluded.parent, passages = excluded.passages, sums = excluded.sums, due = max(due, 1)
"""
_LEFT = "SELECT second FROM tree_members WHERE passage = ? AND tree = ? AND second IS NOT NULL AND second IS NOT ?"
_PATH = """
    UPDATE tree_nodes SET due = max(due, 1) WHERE number IN (
        WITH RECURSIVE above (number) AS (
            SELECT ? UNION ALL SELECT n.parent FROM above a JOIN tree_nodes n ON n.number = a.number
        )
        SELECT number FROM above
    )
"""
_MEMBER = """
    INSERT INTO tree_members VALUES (?, ?, ?, ?)
    ON CONFLICT (passage, tree) DO UPDATE SET node = excluded.node, second = excluded.second
"""

_READ_AT_ONCE = 1_000

Rows = Iterable[tuple[int, Any]]  # passages, with their vector or their text


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """Passages that belong to a tree, with what their likeness is measured by."""

    passages: Numbers
    vectors: Vectors


def belonging(database: Database, home: Home, *, embedder: bool) -> Iterator[list[tuple[int, Any]]]:
    """Yield the passages that belong to a collection and a space, with their vector or their text, some at a time."""
    collection, space = home
    sql = (
        f"SELECT p.number, {_TEXT[space]} {_PASSAGES} WHERE d.collection = ? AND {_BELONGS[space]} AND p.number > ? "
        f"ORDER BY p.number LIMIT {_READ_AT_ONCE}"
    )
    own = (collection,) if space == "vector" else (collection, not embedder)
    after = -1
    while rows := database.rows(sql, (*own, after)):
        yield rows
        after = rows[-1][0]


def waiting(connection: sqlite3.Connection, tree: Tree, limit: int, *, embedder: bool) -> list[tuple[int, Any]]:
    """Return some of those that have no place in a tree, the oldest first."""
    collection, space = tree.home
    sql = (
        f"SELECT p.number, {_TEXT[space]} {_PASSAGES} WHERE d.collection = ? AND {_BELONGS[space]} AND {_NOT_PLACED} "
        "ORDER BY p.number LIMIT ?"
    )
    own = (collection,) if space == "vector" else (collection, not embedder)
    return connection.execute(sql, (*own, tree.number, limit)).fetchall()


def members(connection: sqlite3.Connection, node: int, space: Space) -> list[tuple[int, Any]]:
    """Return the passages of a node of level 1."""
    sql = (
        f"SELECT p.number, {_TEXT[space]} FROM tree_members m JOIN passages p ON p.number = m.passage "  # noqa: S608
        f"LEFT JOIN vectors v ON v.passage = p.number WHERE m.node = ? AND {_TEXT[space]} IS NOT NULL ORDER BY p.number"
    )
    return connection.execute(sql, (node,)).fetchall()


def stacked(rows: Rows) -> Placing:
    """Return vectors as one matrix; what is no number in a damaged one counts as nothing."""
    known = list(rows)
    vectors = np.frombuffer(b"".join(vector for _, vector in known), np.float32).reshape(len(known), -1)
    return Placing(
        passages=np.array([number for number, _ in known], np.int64),
        vectors=units(np.nan_to_num(vectors, posinf=0, neginf=0)),
    )


def together(pieces: Iterable[Placing]) -> Placing:
    """Put pieces together. What was read of them is let go of as it comes: a book has a hundred thousand passages."""
    passages, vectors = np.empty(0, np.int64), np.empty((0, DIMENSION), np.float32)
    for number, piece in enumerate(pieces):
        if not number:
            vectors = np.empty((0, piece.vectors.shape[1]), np.float32)
        before, after = len(passages), len(passages) + len(piece.passages)
        passages = np.concatenate([passages, piece.passages])
        vectors.resize((after, vectors.shape[1]), refcheck=False)  # in place, where there is room
        vectors[before:] = piece.vectors
    return Placing(passages=passages, vectors=vectors)


def branches(connection: sqlite3.Connection, tree: int) -> dict[int, Branch]:
    """Read the nodes of a tree as they grow."""
    sql = "SELECT number, level, parent, passages, sums FROM tree_nodes WHERE tree = ?"
    found = {
        number: Branch(level=level, parent=parent, passages=passages, sums=np.frombuffer(sums, np.float32))
        for number, level, parent, passages, sums in connection.execute(sql, (tree,))
    }
    for number, branch in found.items():
        if branch.parent is not None:
            found[branch.parent].below.add(number)
    return found


def following(connection: sqlite3.Connection) -> int:
    """Return the number of the next node; none is used twice."""
    return connection.execute(FOLLOWING).fetchone()[0]


def open_tree(connection: sqlite3.Connection, home: Home, made: str) -> int:
    """Begin a tree."""
    sql = "INSERT INTO trees (collection, space, fingerprint, state) VALUES (?, ?, ?, 'building')"
    return connection.execute(sql, (*home, made)).lastrowid or 0


def store(connection: sqlite3.Connection, tree: int, growth: Growth, seconds: Mapping[int, int | None]) -> None:
    """Write what changed as a tree grew."""
    known = _still_there(connection, growth.placed)
    nodes = sorted(growth.touched, key=lambda number: (-growth.branches[number].level, number))  # parents come first
    rows = ((number, tree, growth.branches[number]) for number in nodes)
    connection.executemany(
        _NODE,
        (
            (number, tree, node.level, node.parent, node.passages, np.asarray(node.sums, np.float32).tobytes())
            for number, tree, node in rows
        ),
    )
    moved = ((growth.branches[number].parent, number) for number in sorted(growth.moved - growth.touched))
    connection.executemany("UPDATE tree_nodes SET parent = ? WHERE number = ?", moved)
    members = [(passage, tree, growth.placed[passage], seconds.get(passage)) for passage in sorted(known)]
    left = {row for passage, _, _, second in members for row in connection.execute(_LEFT, (passage, tree, second))}
    connection.executemany(_PATH, sorted(left))  # they tell of passages that are nearly as near to others now
    connection.executemany(_MEMBER, members)
    lost = {(growth.placed[passage],) for passage in growth.placed if passage not in known}
    connection.executemany("UPDATE tree_nodes SET due = 2 WHERE number = ?", lost)
    connection.executemany("DELETE FROM tree_nodes WHERE number = ?", ((number,) for number in growth.gone))
    count = "(SELECT count(*) FROM tree_members WHERE tree = trees.number)"
    connection.execute(f"UPDATE trees SET passages = {count}, version = version + 1 WHERE number = ?", (tree,))  # noqa: S608


def _still_there(connection: sqlite3.Connection, placed: Mapping[int, int]) -> set[int]:
    """Return which passages are not removed meanwhile."""
    sql = "SELECT number FROM passages WHERE number BETWEEN ? AND ?"
    if not placed:
        return set()
    return {row[0] for row in connection.execute(sql, (min(placed), max(placed)))} & placed.keys()


def empty() -> Placing:
    """Return no passages at all."""
    return Placing(passages=np.empty(0, np.int64), vectors=np.empty((0, DIMENSION), np.float32))
