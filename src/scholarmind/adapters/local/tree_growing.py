"""How the trees of a library grow: one step after another, each in one transaction, so that whoever dies leaves a tree behind.

A tree that is built at once is another one, which nobody is asked about until all of it is there and has its summaries; then it takes the
place of the one before in one transaction. Few new passages are placed in the tree as it is.
"""

import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Protocol

import numpy as np

from scholarmind.adapters.local import tree_rows, tree_texts
from scholarmind.adapters.local.database import Database, statements_of
from scholarmind.adapters.local.keyword import KeywordIndex
from scholarmind.adapters.local.masks import Masks
from scholarmind.adapters.local.tree_rows import Placing
from scholarmind.adapters.local.tree_state import MEND, OF_OURS, Home, State, Tree, made_for, state_of
from scholarmind.model import NO_EMBEDDER, Evidence, Search
from scholarmind.relations import Space, Summary, SummaryTask
from scholarmind.text.analysis import terms
from scholarmind.tree.clustering import vector_of
from scholarmind.tree.growing import Growth

_PLACED_AT_ONCE = 256
_MENDED_AT_ONCE = 256
_CLEARED_AT_ONCE = 5_000


class _Read(Protocol):
    def __call__(self, work: Callable[[], Any]) -> Awaitable[Any]: ...


class _Write(Protocol):
    def __call__(self, work: Callable[[sqlite3.Connection], Any]) -> Awaitable[Any]: ...


@dataclass(kw_only=True)
class TreeGrowing:
    """What the trees of a store need of it; `search` and `keyword` see the latest commit."""

    database: Database
    masks: Masks
    fingerprint: str
    read: _Read
    write: _Write
    search: Callable[[Search], list[Evidence]]
    keyword: Callable[[], KeywordIndex]
    _is_made: bool = field(default=False, init=False)

    async def behind(self) -> bool:
        """Tell whether there is anything to do."""
        return await self.read(lambda: self.state().is_behind)

    async def grow(self) -> bool:
        """Do the next step; tell whether there was one."""
        state: State = await self.read(self.state)
        if state.to_plant and not (state.old or state.outlived or state.due == MEND):
            return await self._plant(state.to_plant[0])
        return await self.write(lambda connection: self._step(connection, state))

    async def renew(self) -> None:
        """Build every tree anew, beside the one that serves until the new one is whole."""
        state: State = await self.read(self.state)
        for home in state.whole.keys() - state.building.keys():
            await self._plant(home)

    async def unsummarised(self) -> int:
        """Return how many nodes need a summary."""
        return await self.read(lambda: tree_texts.unsummarised(self.database) if self.has_trees() else 0)

    async def tasks(self, limit: int) -> list[SummaryTask]:
        """Return nodes of one level that need a summary, the lowest first."""

        def work() -> list[SummaryTask]:
            nodes = tree_texts.due(self.database, limit) if self.has_trees() else []
            return tree_texts.tasks(self.database, nodes, self.rarity)

        return await self.read(work)

    async def task(self, node: int) -> SummaryTask | None:
        """Return what the summary of a node is made from."""

        def work() -> list[SummaryTask]:
            return tree_texts.tasks(self.database, [node], self.rarity) if self.has_trees() else []

        found = await self.read(work)
        return found[0] if found else None

    async def summarise(self, summaries: Mapping[int, Summary]) -> None:
        """Give these nodes their summaries. What is above them is not made anew."""
        await self.write(lambda connection: tree_texts.store(connection, summaries))

    def state(self) -> State:
        """Read what is there and what is to be done."""
        return state_of(self.database, self.fingerprint, has_trees=self.has_trees())

    def has_trees(self) -> bool:
        """Tell whether the tables were ever needed."""
        if not self._is_made:
            sql = "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = 'tree_member_went'"
            self._is_made = self.database.value(sql) is not None
        return self._is_made

    def rarity(self, words: Sequence[str]) -> dict[str, float]:
        """Return how rare each term is."""
        return self.keyword().rarity(words)

    async def _plant(self, home: Home) -> bool:
        """Build a tree of all that belongs to it, beside the one that serves."""

        def work() -> tuple[int, Growth, dict[int, int | None]]:
            pages = tree_rows.belonging(self.database, home, embedder=self._has_embedder)
            placing = tree_rows.together(self._placing(rows, home[1]) for rows in pages)
            began = self.database.value(tree_rows.FOLLOWING) if self.has_trees() else 1
            growth = Growth({}, _nothing, began)
            growth.plant(placing.passages, placing.vectors)
            return began, growth, _seconds(growth)

        growth_began, growth, seconds = await self.read(work)
        if not growth.placed:
            return False

        def store(connection: sqlite3.Connection) -> bool:
            is_building = home in self.state().building
            self._make_tables(connection)
            if growth_began == tree_rows.following(connection) and not is_building:
                tree_rows.store(
                    connection, tree_rows.open_tree(connection, home, made_for(self.fingerprint)), growth, seconds
                )
            return True  # else somebody was faster, or took the numbers of our nodes: see what is to be done now

        return await self.write(store)

    def _step(self, connection: sqlite3.Connection, state: State) -> bool:
        """Do what comes before and after planting."""
        if state.old:
            return _clear_away(connection, state.old[0])
        if state.outlived:
            return _retire(connection, state.outlived)
        if state.due == MEND:
            return self._mend(connection)
        if state.building and not state.due:
            return _switch(connection, state)
        return any(self._place(connection, tree) for tree in state.to_place)

    def _place(self, connection: sqlite3.Connection, tree: Tree) -> bool:
        """Put some passages where they are nearest."""
        rows = tree_rows.waiting(connection, tree, _PLACED_AT_ONCE, embedder=self._has_embedder)
        placing = self._placing(rows, tree.home[1])
        growth = self._growth(connection, tree.number, tree.home[1])
        for passage, vector in zip(placing.passages.tolist(), placing.vectors, strict=True):
            growth.add(passage, vector)
        tree_rows.store(connection, tree.number, growth, _seconds(growth))
        return bool(rows)

    def _mend(self, connection: sqlite3.Connection) -> bool:
        """Count some nodes anew that lost passages."""
        sql = (
            "SELECT n.number, n.tree, t.space FROM tree_nodes n JOIN trees t ON t.number = n.tree "  # noqa: S608
            f"WHERE n.due = 2 AND {OF_OURS} ORDER BY n.tree, n.number LIMIT ?"
        )
        found = connection.execute(sql, (made_for(self.fingerprint), _MENDED_AT_ONCE)).fetchall()
        for tree, space in dict.fromkeys((tree, space) for _, tree, space in found):
            growth = self._growth(connection, tree, space)
            for number, home, _ in found:
                if home == tree:
                    growth.mend(number)
            tree_rows.store(connection, tree, growth, _seconds(growth))
        connection.executemany("UPDATE tree_nodes SET due = 1 WHERE number = ?", [(number,) for number, _, _ in found])
        return bool(found)

    def _growth(self, connection: sqlite3.Connection, tree: int, space: Space) -> Growth:
        def leaves(node: int) -> dict[int, Any]:
            placing = self._placing(tree_rows.members(connection, node, space), space)
            return dict(zip(placing.passages.tolist(), placing.vectors, strict=True))

        return Growth(tree_rows.branches(connection, tree), leaves, tree_rows.following(connection))

    def _placing(self, rows: Sequence[tuple[int, Any]], space: Space) -> Placing:
        if not rows:
            return tree_rows.empty()
        if space == "vector":
            return tree_rows.stacked(rows)
        texts = {number: terms(text) for number, text in rows}
        rarity = self.rarity(list(dict.fromkeys(term for words in texts.values() for term in words)))
        vectors = np.stack([vector_of(words, rarity) for words in texts.values()])
        return Placing(passages=np.array(list(texts), np.int64), vectors=vectors)

    @property
    def _has_embedder(self) -> bool:
        return self.fingerprint != NO_EMBEDDER

    def _make_tables(self, connection: sqlite3.Connection) -> None:
        if not self.has_trees():
            script = files("scholarmind.adapters.local").joinpath("tree.sql").read_text(encoding="utf-8")
            for statement in statements_of(script):
                connection.execute(statement)


def _nothing(_node: int) -> dict[int, Any]:
    return {}


def _seconds(growth: Growth) -> dict[int, int | None]:
    return growth.seconds({passage: growth.leaves(node)[passage] for passage, node in growth.placed.items()})


def _switch(connection: sqlite3.Connection, state: State) -> bool:
    """Let every tree that is whole by now serve, in place of the one before."""
    for home, tree in state.building.items():
        if home in state.whole:
            connection.execute("UPDATE trees SET state = 'old' WHERE number = ?", (state.whole[home].number,))
        connection.execute("UPDATE trees SET state = 'whole' WHERE number = ?", (tree.number,))
    return True


def _retire(connection: sqlite3.Connection, trees: Sequence[Tree]) -> bool:
    connection.executemany("UPDATE trees SET state = 'old' WHERE number = ?", [(tree.number,) for tree in trees])
    return True


def _clear_away(connection: sqlite3.Connection, tree: Tree) -> bool:
    """Delete some of what an old tree holds; at last the tree itself."""
    sql = "DELETE FROM tree_members WHERE tree = ? AND passage IN (SELECT passage FROM tree_members WHERE node IN ({}) LIMIT ?)"
    nodes = "SELECT number FROM tree_nodes WHERE tree = ?"
    cleared = connection.execute(sql.format(nodes), (tree.number, tree.number, _CLEARED_AT_ONCE)).rowcount
    if not cleared:
        connection.execute("DELETE FROM trees WHERE number = ?", (tree.number,))
    return True
