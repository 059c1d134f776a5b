"""Read who wrote documents together with what can prove who they are."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scholarmind.graph.author_disambiguation import Byline, Writer

_SIZES = """
    SELECT document, count(*) FROM graph_edges
    WHERE document IN (SELECT value FROM json_each(?)) AND relation = 'AUTHORED_BY' GROUP BY document
"""
_INSTITUTIONS = """
    SELECT e.document, n.key, n.name FROM graph_edges e CROSS JOIN graph_names n ON n.number = e.target
    WHERE e.document IN (SELECT value FROM json_each(?)) AND e.relation = 'AFFILIATED_WITH'
"""
_CITED = """
    SELECT e.document, p.document FROM graph_edges e CROSS JOIN graph_names n ON n.number = e.target
    CROSS JOIN graph_names m ON m.node = n.node CROSS JOIN graph_papers p ON p.name = m.number
    WHERE e.document IN (SELECT value FROM json_each(?)) AND e.relation = 'CITES'
    UNION SELECT e.document, o.document FROM graph_edges e CROSS JOIN graph_names n ON n.number = e.target
    CROSS JOIN graph_names m ON m.node = n.node CROSS JOIN graph_edges o ON o.target = m.number AND o.relation = 'PROPOSES'
    WHERE e.document IN (SELECT value FROM json_each(?)) AND e.relation = 'IMPROVES_ON'
"""


def bylines_of(connection: sqlite3.Connection, rows: Iterable[Sequence[Any]]) -> dict[int, Byline]:
    """Return the bylines of documents by their numbers. A row is a document, a writer's scope, key and name, and his node."""
    writers: dict[int, list[Writer]] = {}
    scopes: dict[int, str] = {}
    for document, scope, key, name, node in rows:
        writers.setdefault(document, []).append(Writer(key=key, name=name, node=node))
        scopes[document] = scope
    asked = json.dumps(list(writers))
    sizes: Mapping[int, int] = dict(connection.execute(_SIZES, (asked,)))
    institutions: dict[int, dict[str, str]] = {}
    for document, key, name in connection.execute(_INSTITUTIONS, (asked,)):
        institutions.setdefault(document, {})[key] = name
    cites: dict[int, set[int]] = {}
    for document, other in connection.execute(_CITED, (asked, asked)):
        cites.setdefault(document, set()).add(other)
    return {
        document: Byline(
            document=document,
            scope=scopes[document],
            writers=found,
            size=sizes[document],
            institutions=institutions.get(document, {}),
            cites=cites.get(document, frozenset()),
        )
        for document, found in writers.items()
    }
