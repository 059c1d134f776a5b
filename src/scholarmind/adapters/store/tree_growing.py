"""How the trees of a library grow: one step after another, each in one transaction, so that whoever dies leaves a tree behind.

A tree that is built at once is another one, which nobody is asked about until all of it is there and has its summaries; then it takes the
place of the one before in one transaction. Few new passages are placed in the tree as it is. What summaries are made from is
gathered here; who makes them is not.
"""

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store import records, tree_storage
from scholarmind.adapters.store.access import look_up
from scholarmind.adapters.store.database import Database
from scholarmind.adapters.store.indexes import Keywords
from scholarmind.adapters.store.masks import Masks
from scholarmind.adapters.store.records import to_json
from scholarmind.adapters.store.tree_storage import (
    MEND,
    OF_OURS,
    ONE_NODE,
    Extent,
    Home,
    Placing,
    State,
    StoredTree,
    made_for,
    node_of,
    state_of,
)
from scholarmind.identity import short_name
from scholarmind.model import NO_EMBEDDER, Document, Evidence, Search
from scholarmind.relations import Space, Summary, SummarySources, SummaryTask, SummaryText, TreeNode
from scholarmind.text.analysis import terms
from scholarmind.tree.growing import Growth, vector_of

# -- what titles are made from: names, headings, key words, and who wrote the documents where

_MOST = 40  # documents, those with the most passages
_SECTIONS = "SELECT number, section FROM passages WHERE number IN ({})"
_DOCUMENTS = (
    f"SELECT {records.DOCUMENT_COLUMNS}, d.number FROM documents d "  # noqa: S608
    "JOIN collections c ON c.number = d.collection WHERE d.number IN ({})"
)

_SUBJECTS = ("keywords", "methods", "topics", "subjects", "tags")
_PLACES = ("groups", "institution", "institutions", "affiliation", "affiliations", "publisher")
_VENUES = ("venue", "journal", "booktitle")
_LONGEST_VENUE = 3  # words: the name of a conference in full has words that tell of subjects


def _sources(database: Database, documents: Sequence[int], passages: Iterable[int]) -> SummarySources:
    """Return what is known of documents, each given once for each of its passages, and of the headings over some passages."""
    most = dict(Counter(documents).most_common(_MOST))
    known = {row[-1]: records.document_of(row) for row in look_up(database, _DOCUMENTS, sorted(most))}
    names, subjects, aside = Counter[str](), dict[str, frozenset[int]](), set[str]()
    for number, count in most.items():
        if number in known:
            names[short_name(known[number])] += count
            for subject in _values(known[number], _SUBJECTS):
                subjects[subject] = subjects.get(subject, frozenset()) | {number}
            aside.update(_people_and_places(known[number]))
    aside.difference_update(term for text in (*names, *subjects) for term in terms(text))
    headings = _headings(database, sorted(set(passages)), {document.title for document in known.values()} | set(names))
    return SummarySources(names=names, headings=headings, subjects=subjects, aside=frozenset(aside))


def _headings(database: Database, passages: Sequence[int], names: set[str]) -> Counter[str]:
    """Count the innermost headings; the name of a document is none."""
    paths = (json.loads(section) for _, section in look_up(database, _SECTIONS, passages))
    return Counter(path[-1] for path in paths if path and path[-1] not in names)


def _people_and_places(document: Document) -> Iterator[str]:
    for value in (*document.authors, *_values(document, _PLACES)):
        yield from terms(value)
    for value in (document.source, *_values(document, _VENUES)):
        if len(value.split()) <= _LONGEST_VENUE:
            yield from terms(value)


def _values(document: Document, fields: Sequence[str]) -> Iterator[str]:
    for name in fields:
        value = document.metadata.get(name)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, str):
                yield one


# -- what summaries are made from, and where they are kept

_IN_USE = "n.due = 1 AND t.state IN ('building', 'whole')"
_COUNT = f"SELECT count(*) FROM tree_nodes n JOIN trees t ON t.number = n.tree WHERE {_IN_USE}"  # noqa: S608
_DUE = (
    "SELECT n.number, n.level FROM tree_nodes n JOIN trees t ON t.number = n.tree "  # noqa: S608
    f"WHERE {_IN_USE} ORDER BY n.level, n.number LIMIT ?"
)

_NODES = ONE_NODE + "WHERE n.number IN ({}) ORDER BY n.number"
_BELOW = """
    WITH RECURSIVE below (number) AS (
        SELECT CAST(? AS INTEGER) UNION ALL SELECT n.number FROM tree_nodes n JOIN below b ON n.parent = b.number
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


def _unsummarised(database: Database) -> int:
    """Return how many nodes need a summary."""
    return database.value(_COUNT)


def _due_summaries(database: Database, limit: int) -> list[int]:
    """Return nodes that need a summary, all of the lowest level that has any: those above are made from them."""
    rows = database.rows(_DUE, (limit,))
    return [number for number, level in rows if level == rows[0][1]]


def _summary_tasks(
    database: Database, nodes: Sequence[int], rarity: Callable[[Sequence[str]], Mapping[str, float]]
) -> list[SummaryTask]:
    """Return what the summaries of these nodes are made from."""
    found: list[tuple[TreeNode, tuple[SummaryText, ...], SummarySources]] = []
    for row in look_up(database, _NODES, nodes):
        below: list[tuple[int, int, int]] = database.rows(_BELOW, (row[0],))
        node, own = node_of(row, _extent(below)), [passage for passage, _, _ in below]
        texts = _passages(database, own) if node.level == 1 else _sentences(database, node.number)
        on = (passage for text in texts for passage in text.passages)
        found.append((node, texts, _sources(database, [document for _, document, _ in below], on)))
    words = list(dict.fromkeys(term for _, texts, _ in found for text in texts for term in terms(text.text)))
    known = rarity(words)
    return [SummaryTask(node=node, texts=texts, rarity=known, sources=of) for node, texts, of in found]


def _store_summaries(connection: DatabaseConnection, summaries: Mapping[int, Summary]) -> None:
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


# -- growing

_PLACED_AT_ONCE = 256
_MENDED_AT_ONCE = 256
_CLEARED_AT_ONCE = 5_000


class _StoreRead(Protocol):
    def __call__(self, work: Callable[[], Any]) -> Awaitable[Any]: ...


class _Write(Protocol):
    def __call__(self, work: Callable[[DatabaseConnection], Any]) -> Awaitable[Any]: ...


@dataclass(kw_only=True)
class TreeGrowing:
    """What the trees of a store need of it; `search` and `keyword` see the latest commit."""

    database: Database
    masks: Masks
    fingerprint: str
    read: _StoreRead
    write: _Write
    search: Callable[[Search], list[Evidence]]
    keyword: Callable[[], Keywords]
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
        return await self.read(lambda: _unsummarised(self.database) if self.has_trees() else 0)

    async def tasks(self, limit: int) -> list[SummaryTask]:
        """Return nodes of one level that need a summary, the lowest first."""

        def work() -> list[SummaryTask]:
            nodes = _due_summaries(self.database, limit) if self.has_trees() else []
            return _summary_tasks(self.database, nodes, self.rarity)

        return await self.read(work)

    async def task(self, node: int) -> SummaryTask | None:
        """Return what the summary of a node is made from."""

        def work() -> list[SummaryTask]:
            return _summary_tasks(self.database, [node], self.rarity) if self.has_trees() else []

        found = await self.read(work)
        return found[0] if found else None

    async def summarise(self, summaries: Mapping[int, Summary]) -> None:
        """Give these nodes their summaries. What is above them is not made anew."""
        await self.write(lambda connection: _store_summaries(connection, summaries))

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
            pages = tree_storage.belonging(self.database, home, embedder=self._has_embedder)
            placing = tree_storage.together(self._placing(rows, home[1]) for rows in pages)
            began = self.database.value(tree_storage.FOLLOWING) if self.has_trees() else 1
            growth = Growth({}, _nothing, began)
            growth.plant(placing.passages, placing.vectors)
            return began, growth, _seconds(growth)

        growth_began, growth, seconds = await self.read(work)
        if not growth.placed:
            return False

        def store(connection: DatabaseConnection) -> bool:
            is_building = home in self.state().building
            self._make_tables(connection)
            if growth_began == tree_storage.following(connection) and not is_building:
                tree_storage.store_nodes(
                    connection, tree_storage.open_tree(connection, home, made_for(self.fingerprint)), growth, seconds
                )
            return True  # else somebody was faster, or took the numbers of our nodes: see what is to be done now

        return await self.write(store)

    def _step(self, connection: DatabaseConnection, state: State) -> bool:
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

    def _place(self, connection: DatabaseConnection, tree: StoredTree) -> bool:
        """Put some passages where they are nearest."""
        rows = tree_storage.waiting(connection, tree, _PLACED_AT_ONCE, embedder=self._has_embedder)
        placing = self._placing(rows, tree.home[1])
        growth = self._growth(connection, tree.number, tree.home[1])
        for passage, vector in zip(placing.passages.tolist(), placing.vectors, strict=True):
            growth.add(passage, vector)
        tree_storage.store_nodes(connection, tree.number, growth, _seconds(growth))
        return bool(rows)

    def _mend(self, connection: DatabaseConnection) -> bool:
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
            tree_storage.store_nodes(connection, tree, growth, _seconds(growth))
        connection.executemany("UPDATE tree_nodes SET due = 1 WHERE number = ?", [(number,) for number, _, _ in found])
        return bool(found)

    def _growth(self, connection: DatabaseConnection, tree: int, space: Space) -> Growth:
        def leaves(node: int) -> dict[int, Any]:
            placing = self._placing(tree_storage.members(connection, node, space), space)
            return dict(zip(placing.passages.tolist(), placing.vectors, strict=True))

        return Growth(tree_storage.branches(connection, tree), leaves, tree_storage.following(connection))

    def _placing(self, rows: Sequence[tuple[int, Any]], space: Space) -> Placing:
        if not rows:
            return tree_storage.empty_trees()
        if space == "vector":
            return tree_storage.stacked(rows)
        texts = {number: terms(text) for number, text in rows}
        rarity = self.rarity(list(dict.fromkeys(term for words in texts.values() for term in words)))
        vectors = np.stack([vector_of(words, rarity) for words in texts.values()])
        return Placing(passages=np.array(list(texts), np.int64), vectors=vectors)

    @property
    def _has_embedder(self) -> bool:
        return self.fingerprint != NO_EMBEDDER

    def _make_tables(self, connection: DatabaseConnection) -> None:
        if not self.has_trees():
            self.database.lay_out(connection, "tree.sql")


def _nothing(_node: int) -> dict[int, Any]:
    return {}


def _seconds(growth: Growth) -> dict[int, int | None]:
    return growth.seconds({passage: growth.leaves(node)[passage] for passage, node in growth.placed.items()})


def _switch(connection: DatabaseConnection, state: State) -> bool:
    """Let every tree that is whole by now serve, in place of the one before."""
    for home, tree in state.building.items():
        if home in state.whole:
            connection.execute("UPDATE trees SET state = 'old' WHERE number = ?", (state.whole[home].number,))
        connection.execute("UPDATE trees SET state = 'whole' WHERE number = ?", (tree.number,))
    return True


def _retire(connection: DatabaseConnection, trees: Sequence[StoredTree]) -> bool:
    connection.executemany("UPDATE trees SET state = 'old' WHERE number = ?", [(tree.number,) for tree in trees])
    return True


def _clear_away(connection: DatabaseConnection, tree: StoredTree) -> bool:
    """Delete some of what an old tree holds; at last the tree itself."""
    sql = "DELETE FROM tree_members WHERE tree = ? AND passage IN (SELECT passage FROM tree_members WHERE node IN ({}) LIMIT ?)"
    nodes = "SELECT number FROM tree_nodes WHERE tree = ?"
    cleared = connection.execute(sql.format(nodes), (tree.number, tree.number, _CLEARED_AT_ONCE)).rowcount
    if not cleared:
        connection.execute("DELETE FROM trees WHERE number = ?", (tree.number,))
    return True
