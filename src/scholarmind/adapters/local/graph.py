"""The graph of papers beside the documents, in tables of its own. As long as there are none, every read returns nothing at once."""

import sqlite3
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import TypeVar

from scholarmind.adapters.local.database import statements_of
from scholarmind.adapters.local.graph_links import put_mentions
from scholarmind.adapters.local.graph_names import NamesOfGraph
from scholarmind.adapters.local.graph_people import Settling, is_settled
from scholarmind.adapters.local.graph_reader import COUNT_CHANGE, GraphReader
from scholarmind.adapters.local.graph_rows import nodes_of
from scholarmind.adapters.local.graph_writing import Putting
from scholarmind.relations import (
    Extracted,
    Merged,
    Node,
)

T = TypeVar("T")
_WAITING = """
    SELECT c.name, d.id FROM documents d JOIN collections c ON c.number = d.collection
    {} ORDER BY d.number LIMIT ?
"""
_NOT_READ = (  # neither by this version, nor by one that goes on from it: "VERSION + ..."
    "LEFT JOIN graph_documents g ON g.document = d.number "
    "WHERE instr(coalesce(g.version, '') || ' + ', ? || ' + ') <> 1"
)
_ALL_READ = """
    SELECT (SELECT coalesce(sum(documents), 0) FROM collections)
    = (SELECT coalesce(sum(documents), 0) FROM graph_versions WHERE instr(version || ' + ', ? || ' + ') = 1)
"""
_UNUSED = """
    DELETE FROM graph_names WHERE edges = 0
    AND NOT EXISTS (SELECT 1 FROM graph_names o WHERE o.node = graph_names.number AND o.number <> graph_names.number)
    AND NOT EXISTS (SELECT 1 FROM graph_papers p WHERE p.name = graph_names.number)
    AND NOT EXISTS (SELECT 1 FROM graph_merges m WHERE m.kind = graph_names.kind AND m.into_key = graph_names.key)
    AND (kind = 'author' OR NOT EXISTS (
        SELECT 1 FROM graph_merges m WHERE m.kind = graph_names.kind AND m.key = graph_names.key AND m.scope = graph_names.scope
    ))
"""


class LocalGraph(GraphReader):
    """The graph of one library: what is read of it, and how it changes."""

    # -- built document by document

    async def waiting(self, version: str, limit: int) -> list[tuple[str, str]]:
        """Return the documents that this version has not read yet, the oldest first, by collection and id."""

        def work() -> list[tuple[str, str]]:
            if not self._is_there():
                return self.database.rows(_WAITING.format(""), (limit,))
            if self.database.value(_ALL_READ, (version,)):
                return []
            return self.database.rows(_WAITING.format(_NOT_READ), (version, limit))

        return await self._read(work)

    async def put(self, extracted: Sequence[Extracted]) -> None:
        """Put what these documents state in place of what they stated before; all of them or none."""

        def work(connection: sqlite3.Connection) -> None:
            putting = Putting(connection)
            documents = [number for each in extracted if (number := putting.put(each)) is not None]
            put_mentions(self.database, self._derived(), putting, documents)
            connection.execute(_UNUSED)

        await self._change(work)

    async def settle(self, limit: int) -> int:
        """Compare the names of so many documents with those of all others, and return how many documents there were."""

        def work(connection: sqlite3.Connection) -> int:
            settled = Settling(connection).settle(limit)
            connection.execute(_UNUSED)  # what documents that went have left behind
            return settled

        def is_all_compared() -> bool:
            with self.database.snapshot() as connection:
                return not self._is_there() or is_settled(connection)

        return 0 if await self._read(is_all_compared) else await self._change(work)

    async def forget(self) -> None:
        """Forget all but what was merged and split by hand."""

        def work(connection: sqlite3.Connection) -> None:
            for table in ("unsettled", "documents", "papers", "works", "edges", "names"):
                connection.execute(f"DELETE FROM graph_{table}")  # noqa: S608
            connection.execute("DELETE FROM graph_merges WHERE \"by\" <> 'hand'")

        await self._change(work)

    # -- names

    async def merge(self, merged: Sequence[Merged]) -> None:
        """Take names for one thing from now on. What was told apart by hand is made one by hand only."""

        def work(connection: sqlite3.Connection) -> None:
            names = NamesOfGraph(connection)
            for each in merged:
                names.merge(each)

        await self._change(work)

    async def split(self, node: int, name: str, scope: str = "") -> Node:
        """Take a name out of a node, to stay apart from then on, and return the node that it is now."""

        def work(connection: sqlite3.Connection) -> Node:
            number, pieces = NamesOfGraph(connection).split(node, name, scope)
            Settling(connection).prove(pieces)
            own = NamesOfGraph(connection).node_of(number)
            found = nodes_of(connection, (own,))
            return found.get(own) or _without_edges(connection, own)

        return await self._change(work)

    async def _change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def changing(connection: sqlite3.Connection) -> T:
            if not self._is_there():
                script = files("scholarmind.adapters.local").joinpath("graph.sql").read_text(encoding="utf-8")
                for statement in statements_of(script):
                    connection.execute(statement)
            connection.execute(COUNT_CHANGE)
            return work(connection)

        return await self._write(changing)


def _without_edges(connection: sqlite3.Connection, number: int) -> Node:
    """Return a node that only its names are known of."""
    rows = connection.execute("SELECT kind, name FROM graph_names WHERE node = ? ORDER BY number", (number,)).fetchall()
    names = tuple(dict.fromkeys(name for _, name in rows))
    return Node(number=number, kind=rows[0][0], name=names[0], names=names)
