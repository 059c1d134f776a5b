"""Names that texts define as one: "masked language modelling (MLM)". One that stands for two things is taken for neither."""

import json
import sqlite3
from collections.abc import Iterable, Sequence

from scholarmind.adapters.local.graph_names import NamesOfGraph
from scholarmind.graph.name_matching import key_of
from scholarmind.relations import Merged, NodeKind, Thing
from scholarmind.text.names import storable

DEFINED = "a text defines both names as one"
_PUT = "INSERT OR IGNORE INTO graph_aliases VALUES (?, ?, ?, ?, ?, ?)"
_OF_DOCUMENTS = (
    "SELECT DISTINCT kind, key FROM graph_aliases WHERE document IN (SELECT value FROM json_each(?)) ORDER BY kind, key"
)
_OTHERS = (
    "SELECT max(name), max(other) FROM graph_aliases WHERE kind = ? AND key = ? "
    "GROUP BY other_key ORDER BY count(*) DESC, other_key"
)
_MERGED = "SELECT key, scope, into_key, into_scope FROM graph_merges WHERE kind = ? AND key = ? AND \"by\" = 'rules' AND reason = ?"
_UNPROVEN = """
    SELECT m.kind, m.key, m.scope, m.into_key, m.into_scope FROM graph_merges m WHERE m.kind <> 'author' AND m.reason = ?
    AND NOT EXISTS (SELECT 1 FROM graph_aliases a WHERE a.kind = m.kind AND a.key = m.key AND a.other_key = m.into_key)
"""


def put_aliases(connection: sqlite3.Connection, document: int, aliases: Iterable[tuple[Thing, Thing]]) -> None:
    """Put in what a document defines, in place of what it defined before."""
    connection.execute("DELETE FROM graph_aliases WHERE document = ?", (document,))
    for one, other in aliases:
        keys = (key_of(one.kind, one.name), key_of(other.kind, other.name))
        if one.kind == other.kind and all(keys) and keys[0] != keys[1] and not (one.scope or other.scope):
            connection.execute(_PUT, (document, one.kind, *keys, storable(one.name), storable(other.name)))


class Aliases:
    """Takes names for one by what texts define, for as long as one transaction lasts."""

    def __init__(self, connection: sqlite3.Connection, names: NamesOfGraph) -> None:
        self._connection = connection
        self._names = names

    def compare(self, documents: Sequence[int], *, went: bool) -> None:
        """Merge what these documents define; where documents went, undo what no text defines any more."""
        if went:
            for kind, *merge in self._connection.execute(_UNPROVEN, (DEFINED,)).fetchall():
                self._names.take_back(kind, [tuple(merge)])
        several: list[tuple[NodeKind, str]] = []
        for kind, key in self._connection.execute(_OF_DOCUMENTS, (json.dumps(documents),)).fetchall():
            others = self._others(kind, key)
            if len(others) == 1:
                self._merge(kind, *others[0])
            else:
                several.append((kind, key))
        for kind, key in several:  # by now it is known which of the others are one themselves
            self._merge_if_one(kind, key)

    def _merge_if_one(self, kind: NodeKind, key: str) -> None:
        """Merge a name with all that it stands for, if that is one thing."""
        merges = self._connection.execute(_MERGED, (kind, key, DEFINED)).fetchall()
        self._names.take_back(kind, merges)
        others = self._others(kind, key)
        nodes = {self._names.node_of(self._names.file(kind, other, "")) for _, other in others}
        if len(nodes) == 1:
            self._merge(kind, *others[0])

    def _others(self, kind: NodeKind, key: str) -> list[tuple[str, str]]:
        """Return what a name stands for, that of most documents first, each beside the name as it is written."""
        return self._connection.execute(_OTHERS, (kind, key)).fetchall()

    def _merge(self, kind: NodeKind, name: str, other: str) -> None:
        self._names.merge(Merged(kind=kind, name=name, scope="", into=other, into_scope="", by="rules", reason=DEFINED))
