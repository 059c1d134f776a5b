"""Find out whose names are one: authors of different documents, and variants of a method. Rules decide, here they get what they need.

Documents wait for it one by one. Where a proof went away with its document, the names concerned are told apart and proven anew.
"""

import json
import sqlite3
from collections import deque
from collections.abc import Sequence
from typing import Any

from scholarmind.adapters.local.graph_aliases import Aliases
from scholarmind.adapters.local.graph_bylines import bylines_of
from scholarmind.adapters.local.graph_names import NamesOfGraph
from scholarmind.graph.author_disambiguation import proven
from scholarmind.graph.name_matching import family, key_of, variants
from scholarmind.naming import KEY_TOKENS, TITLES, tokens

_SETTLED = "graph_settled"  # in `about`: the last change after which every name was compared
_WAITING = "SELECT document FROM graph_unsettled ORDER BY document LIMIT ?"
_WENT = "SELECT 1 FROM changes WHERE kind = 'remove' AND number > ? LIMIT 1"
_MERGE = "m.key, m.scope, m.into_key, m.into_scope"
_UNPROVEN = f"""
    SELECT {_MERGE} FROM graph_merges m WHERE m.kind = 'author' AND m."by" = 'rules' AND (
        NOT EXISTS (SELECT 1 FROM graph_names n WHERE n.kind = m.kind AND n.key = m.key AND n.scope = m.scope AND n.edges > 0)
        OR NOT EXISTS (
            SELECT 1 FROM graph_names n WHERE n.kind = m.kind AND n.key = m.into_key AND n.scope = m.into_scope AND n.edges > 0
        )
    )
"""  # noqa: S608
# A document that came anew has the scope of the one before, and perhaps nothing any more that proved who its authors are.
_WRITERS_OF = """
    SELECT n.key, n.scope FROM graph_edges e CROSS JOIN graph_names n ON n.number = e.target
    WHERE e.document IN (SELECT value FROM json_each(?1)) AND e.relation = 'AUTHORED_BY'
"""
_OF_THE_ONE_BEFORE = f"""
    WITH writers AS MATERIALIZED ({_WRITERS_OF})
    SELECT {_MERGE} FROM writers w
    CROSS JOIN graph_merges m ON m.kind = 'author' AND m.key = w.key AND m.scope = w.scope WHERE m."by" = 'rules'
    UNION SELECT {_MERGE} FROM writers w CROSS JOIN graph_merges m INDEXED BY graph_merges_into
    ON m.kind = 'author' AND m.into_key = w.key AND m.into_scope = w.scope WHERE m."by" = 'rules'
"""  # noqa: S608
_OF_METHODS = f"""
    SELECT {_MERGE} FROM json_each(?) k CROSS JOIN graph_merges m ON m.kind = 'method' AND m.key = k.value WHERE m."by" = 'rules'
"""  # noqa: S608
_WRITTEN_BY = """
    SELECT DISTINCT e.document FROM json_each(?) k CROSS JOIN graph_names n ON n.node = k.value
    CROSS JOIN graph_edges e ON e.target = n.number WHERE e.relation = 'AUTHORED_BY'
"""
_KEYS = """
    SELECT DISTINCT n.key FROM graph_edges e CROSS JOIN graph_names n ON n.number = e.target
    WHERE e.document IN (SELECT value FROM json_each(?)) AND e.relation = 'AUTHORED_BY'
"""
_WRITERS = """
    SELECT e.document, n.scope, n.key, max(n.name), n.node FROM graph_names n CROSS JOIN graph_edges e ON e.target = n.number
    WHERE n.kind = 'author' AND n.key IN (SELECT value FROM json_each(?)) AND e.relation = 'AUTHORED_BY'
    GROUP BY e.document, n.scope, n.key
"""
_METHODS = """
    SELECT DISTINCT n.name FROM graph_edges e CROSS JOIN graph_names n ON n.number IN (e.source, e.target)
    WHERE e.document IN (SELECT value FROM json_each(?)) AND n.kind = 'method'
"""
_IS_TITLE = f"field IN ({', '.join(map(repr, TITLES))})"
_CALLED = f"SELECT DISTINCT value FROM names WHERE document IN (SELECT value FROM json_each(?)) AND {_IS_TITLE}"  # noqa: S608
_PROPOSED = """
    SELECT DISTINCT n.name FROM graph_edges e CROSS JOIN graph_names n ON n.number = e.target
    WHERE e.document IN (SELECT value FROM json_each(?)) AND e.relation = 'PROPOSES' AND n.kind = 'method'
"""
_PROPOSED_KEYS = """
    SELECT DISTINCT n.name FROM json_each(?) k CROSS JOIN graph_names n ON n.kind = 'method' AND n.key = k.value
    CROSS JOIN graph_edges e ON e.target = n.number WHERE e.relation = 'PROPOSES'
"""
_CALLED_SO = f"SELECT DISTINCT value FROM names WHERE key IN (SELECT value FROM json_each(?)) AND {_IS_TITLE}"  # noqa: S608


def is_settled(connection: sqlite3.Connection) -> bool:
    """Tell whether nothing came or went since every name was compared."""
    return not (
        connection.execute(_WAITING, (1,)).fetchone() or connection.execute(_WENT, (_until(connection),)).fetchone()
    )


class Settling:
    """Compares names for as long as one transaction lasts."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._names = NamesOfGraph(connection)

    def settle(self, limit: int) -> int:
        """Compare the names of so many documents with those of all others, and return how many there were."""
        waiting = self._column(_WAITING, limit)
        apart = self._names.take_back("author", self._doubtful(waiting))
        again = self._column(_WRITTEN_BY, json.dumps(apart)) if apart else []
        self._compare_people(sorted({*waiting, *again}))
        self._compare_methods(waiting)
        Aliases(self._connection, self._names).compare(waiting, went=self._went())
        sql = "DELETE FROM graph_unsettled WHERE document = ?"
        self._connection.executemany(sql, ((document,) for document in waiting))
        if len(waiting) < limit:
            sql = "INSERT OR REPLACE INTO about SELECT ?, coalesce(max(number), 0) FROM changes"
            self._connection.execute(sql, (_SETTLED,))
        return len(waiting)

    def prove(self, nodes: Sequence[int]) -> None:
        """Find out which of these authors are one with each other or with anybody, whom nothing ties together any more."""
        self._compare_people(sorted(self._column(_WRITTEN_BY, json.dumps(list(nodes)))))

    def _doubtful(self, waiting: Sequence[int]) -> list[tuple[str, str, str, str]]:
        """Return the merges of authors that rest on a document that is gone, or came anew."""
        found = self._connection.execute(_OF_THE_ONE_BEFORE, (json.dumps(waiting),)).fetchall()
        if self._went():
            found += self._connection.execute(_UNPROVEN).fetchall()
        return sorted(set(found))

    def _went(self) -> bool:
        return bool(self._column(_WENT, _until(self._connection)))

    def _compare_people(self, documents: Sequence[int]) -> None:
        keys = self._column(_KEYS, json.dumps(documents))
        rows = self._connection.execute(_WRITERS, (json.dumps(keys),)).fetchall()
        bylines = bylines_of(self._connection, rows)
        new = [bylines[document] for document in documents if document in bylines]
        chosen = set(documents)
        known = [byline for number, byline in bylines.items() if number not in chosen]
        deque(proven(new, known, self._names.merge), maxlen=0)

    def _compare_methods(self, documents: Sequence[int]) -> None:
        """Take variants for what they are variants of, and no longer what turned out to stand for itself."""
        asked = json.dumps(documents)
        own = [*self._column(_CALLED, asked), *self._column(_PROPOSED, asked)]
        standing = [key_of("method", name) for name in own if family("method", name)]
        self._names.take_back("method", self._connection.execute(_OF_METHODS, (json.dumps(standing),)).fetchall())
        names = [name for name in self._column(_METHODS, asked) if family("method", name)]
        for merged in variants(names, [*own, *self._own(names)]):
            self._names.merge(merged)

    def _own(self, names: Sequence[str]) -> list[str]:
        """Return which of these names are known, from any document, to stand for themselves."""
        keys = [key_of("method", name) for name in names]
        filed = [" ".join(token.text for token in tokens(name)[:KEY_TOKENS]) for name in names]
        return [*self._column(_PROPOSED_KEYS, json.dumps(keys)), *self._column(_CALLED_SO, json.dumps(filed))]

    def _column(self, sql: str, *parameters: Any) -> list[Any]:
        return [row[0] for row in self._connection.execute(sql, parameters)]


def _until(connection: sqlite3.Connection) -> int:
    """Return the last change after which every name was compared."""
    row = connection.execute("SELECT value FROM about WHERE key = ?", (_SETTLED,)).fetchone()
    return int(row[0]) if row else 0
