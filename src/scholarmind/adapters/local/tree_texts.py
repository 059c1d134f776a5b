"""What summaries are made from, and where they are kept."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from scholarmind.adapters.local.access import look_up
from scholarmind.adapters.local.database import Database
from scholarmind.adapters.local.tree_image import ONE_NODE, Extent, node_of
from scholarmind.adapters.local.tree_sources import sources
from scholarmind.adapters.local.values import to_json
from scholarmind.relations import Summary, SummarySources, SummaryTask, SummaryText, TreeNode
from scholarmind.text.analysis import terms

_IN_USE = "n.due = 1 AND t.state IN ('building', 'whole')"
_COUNT = f"SELECT count(*) FROM tree_nodes n JOIN trees t ON t.number = n.tree WHERE {_IN_USE}"  # noqa: S608
_DUE = (
    "SELECT n.number, n.level FROM tree_nodes n JOIN trees t ON t.number = n.tree "  # noqa: S608
    f"WHERE {_IN_USE} ORDER BY n.level, n.number LIMIT ?"
)
_NODES = ONE_NODE + "WHERE n.number IN ({}) ORDER BY n.number"
_BELOW = """
    WITH RECURSIVE below (number) AS (
        SELECT ? UNION ALL SELECT n.number FROM tree_nodes n JOIN below b ON n.parent = b.number
    )
    SELECT m.passage, p.document, coalesce(d.year, 0) FROM below b JOIN tree_members m ON m.node = b.number
    JOIN passages p ON p.number = m.passage JOIN documents d ON d.number = p.document
    UNION
    SELECT m.passage, p.document, coalesce(d.year, 0) FROM below b JOIN tree_members m ON m.second = b.number
    JOIN passages p ON p.number = m.passage JOIN documents d ON d.number = p.document
"""
_PASSAGES = (
    "SELECT p.number, p.text, d.title FROM passages p JOIN documents d ON d.number = p.document WHERE p.number IN ({})"
)
_CHILDREN = "SELECT number, summary FROM tree_nodes WHERE parent = ? ORDER BY number"
_TITLES = "SELECT p.number, d.title FROM passages p JOIN documents d ON d.number = p.document WHERE p.number IN ({})"
_STORE = 'UPDATE tree_nodes SET title = ?, summary = ?, "by" = ?, notes = ?, due = CASE due WHEN 2 THEN 2 ELSE 0 END WHERE number = ?'


def unsummarised(database: Database) -> int:
    """Return how many nodes need a summary."""
    return database.value(_COUNT)


def due(database: Database, limit: int) -> list[int]:
    """Return nodes that need a summary, all of the lowest level that has any: those above are made from them."""
    rows = database.rows(_DUE, (limit,))
    return [number for number, level in rows if level == rows[0][1]]


def tasks(
    database: Database, nodes: Sequence[int], rarity: Callable[[Sequence[str]], Mapping[str, float]]
) -> list[SummaryTask]:
    """Return what the summaries of these nodes are made from."""
    found: list[tuple[TreeNode, tuple[SummaryText, ...], SummarySources]] = []
    for row in look_up(database, _NODES, nodes):
        below: list[tuple[int, int, int]] = database.rows(_BELOW, (row[0],))
        node, own = node_of(row, _extent(below)), [passage for passage, _, _ in below]
        texts = _passages(database, own) if node.level == 1 else _sentences(database, node.number)
        on = (passage for text in texts for passage in text.passages)
        found.append((node, texts, sources(database, [document for _, document, _ in below], on)))
    words = list(dict.fromkeys(term for _, texts, _ in found for text in texts for term in terms(text.text)))
    known = rarity(words)
    return [SummaryTask(node=node, texts=texts, rarity=known, sources=of) for node, texts, of in found]


def store(connection: sqlite3.Connection, summaries: Mapping[int, Summary]) -> None:
    """Keep the summaries of these nodes, and tell readers."""
    rows = [
        (
            summary.title,
            to_json([(sentence.text, sentence.passages) for sentence in summary.sentences]),
            summary.by,
            to_json(summary.notes),
            number,
        )
        for number, summary in summaries.items()
    ]
    connection.executemany(_STORE, rows)
    trees = "SELECT DISTINCT tree FROM tree_nodes WHERE number = ?"
    numbers = {row[0] for number in summaries for row in connection.execute(trees, (number,))}
    connection.executemany("UPDATE trees SET version = version + 1 WHERE number = ?", [(number,) for number in numbers])


def _extent(rows: Sequence[tuple[int, int, int]]) -> Extent:
    years = [year for _, _, year in rows if year]
    return Extent(
        passages=len(rows),
        documents=len({document for _, document, _ in rows}),
        first=min(years, default=None),
        last=max(years, default=None),
        hidden=False,
        is_seen={passage for passage, _, _ in rows}.__contains__,
    )


def _passages(database: Database, numbers: Sequence[int]) -> tuple[SummaryText, ...]:
    rows = sorted(look_up(database, _PASSAGES, numbers))
    return tuple(SummaryText(text=text, passages=(number,), document=title) for number, text, title in rows)


def _sentences(database: Database, node: int) -> tuple[SummaryText, ...]:
    """Return the sentences of the summaries right below a node."""
    told: list[tuple[int, str, list[int]]] = [
        (child, text, on) for child, summary in database.rows(_CHILDREN, (node,)) for text, on in json.loads(summary)
    ]
    titles = _titles(database, (passage for _, _, on in told for passage in on))
    return tuple(
        SummaryText(text=text, passages=tuple(on), document=titles.get(on[0], ""), child=child)
        for child, text, on in told
        if all(passage in titles for passage in on)
    )


def _titles(database: Database, passages: Iterable[int]) -> dict[int, Any]:
    return dict(look_up(database, _TITLES, sorted(set(passages))))
