"""Trees of summaries as they are stored: their state, their rows, and whole trees as arrays in memory.

In memory the nodes are in the order of a walk, so that all that is below a node stands side by side.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store.database import Database
from scholarmind.adapters.store.masks import Integers, Mask, passing
from scholarmind.model import NO_EMBEDDER
from scholarmind.relations import Space, SummarySentence, TreeNode
from scholarmind.tree.growing import DIMENSION, Branch, Growth, Numbers, Vectors, units
from scholarmind.tree.summarising import PARTS

# -- state: what the trees of a library are now, and what is still to be done to them

_COLLECTIONS = "SELECT number, passages, vectors, unsuited FROM collections"
_TREES = "SELECT number, collection, space, fingerprint, state, passages FROM trees ORDER BY number"
OF_OURS = (
    "t.state IN ('building', 'whole') AND (t.space = 'words' OR t.fingerprint = ?)"  # others are only to be replaced
)

_DUE = f"SELECT max(n.due) FROM tree_nodes n JOIN trees t ON t.number = n.tree WHERE n.due > 0 AND {OF_OURS}"  # noqa: S608
MEND = 2  # of `due`: passages went
_SHAPE = 3  # of the trees that are grown and described as they are now; one of another serves until it is built anew
_REBUILT_SHARE = 0.5  # more passages without a place than this share of those with one, and all is built anew
Home = tuple[int, Space]  # the number of a collection, and what likeness is measured by


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTree:
    """A tree, by its number in the store."""

    number: int
    home: Home
    made: str  # for which embedder, and in which shape
    passages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Trees by their collection and space, and how many passages belong there. `due`: 0 nothing, 1 summaries, 2 to be mended."""

    belonging: dict[Home, int]
    made: str  # what a tree is made for now
    whole: dict[Home, StoredTree] = field(default_factory=dict[Home, StoredTree])
    building: dict[Home, StoredTree] = field(default_factory=dict[Home, StoredTree])
    old: tuple[StoredTree, ...] = ()
    due: int = 0

    @property
    def waiting(self) -> int:
        """Passages without a place."""
        return sum(self.lacking(home) for home in self.belonging)

    @property
    def is_behind(self) -> bool:
        """Whether anything is to be done."""
        return bool(self.building or self.old or self.due or self.outlived or self.to_plant or self.to_place)

    @property
    def outlived(self) -> list[StoredTree]:
        """Trees that nothing belongs to any more, or that are of another embedder or another shape while they are built."""
        empty = [tree for home, tree in self.whole.items() if not self.belonging.get(home)]
        stale = [tree for home, tree in self.building.items() if tree.made != self.made or not self.belonging.get(home)]
        return empty + stale

    @property
    def to_plant(self) -> list[Home]:
        """Where a tree is to be built at once."""
        return [home for home in self.belonging if home not in self.building and self._is_to_plant(home)]

    @property
    def to_place(self) -> list[StoredTree]:
        """Trees with passages that wait for their place in them."""
        return [
            tree
            for home, tree in self.whole.items()
            if home not in self.building and not self._is_to_plant(home) and self.lacking(home) > 0
        ]

    def lacking(self, home: Home) -> int:
        """Return how many passages have no place there."""
        tree = self.whole.get(home)
        placed = tree.passages if tree is not None and tree.made == self.made else 0
        return max(0, self.belonging.get(home, 0) - placed)

    def _is_to_plant(self, home: Home) -> bool:
        tree = self.whole.get(home)
        if tree is None or tree.made != self.made:
            return self.belonging[home] > 0
        # more than belong there: an embedder judged some passages in another way than before
        return self.lacking(home) > _REBUILT_SHARE * tree.passages or tree.passages > self.belonging[home]


def made_for(fingerprint: str) -> str:
    """Return what tells that a tree is of these vectors and of today's shape."""
    return f"{_SHAPE}:{fingerprint}"


def embedder_of(made: str) -> str:
    """Return the fingerprint of the embedder that the vectors of a tree are from, whatever its shape."""
    return made.partition(":")[2]


def state_of(database: Database, fingerprint: str, *, has_trees: bool) -> State:
    """Read it. Vectors of another embedder than ours are left alone."""
    made_with = database.about("fingerprint")
    if made_with not in {None, fingerprint}:
        return State(belonging={}, made=made_for(fingerprint))
    belonging: dict[Home, int] = {}
    for number, passages, vectors, unsuited in database.rows(_COLLECTIONS):
        belonging[number, "vector"] = vectors
        belonging[number, "words"] = passages if fingerprint == NO_EMBEDDER else unsuited
    state = State(belonging={home: count for home, count in belonging.items() if count}, made=made_for(fingerprint))
    if not has_trees:
        return state
    trees = {"whole": dict[Home, StoredTree](), "building": dict[Home, StoredTree]()}
    old: list[StoredTree] = []
    for number, collection, space, made, stage, passages in database.rows(_TREES):
        tree = StoredTree(number=number, home=(collection, space), made=made, passages=passages)
        if stage in trees:
            trees[stage][tree.home] = tree
        else:
            old.append(tree)
    return State(
        belonging=state.belonging,
        made=state.made,
        whole=trees["whole"],
        building=trees["building"],
        old=tuple(old),
        due=database.value(_DUE, (made_for(fingerprint),)) or 0,
    )


# -- rows: vectors of passages in, nodes and places out

_PASSAGES = "FROM documents d JOIN passages p ON p.document = d.number LEFT JOIN vectors v ON v.passage = p.number "
_TEXT = {"vector": "v.vector", "words": "p.text"}
# a passage that an embedder makes no sense of has a row without a vector; where there is no embedder it has no row
_BELONGS = {"vector": "v.vector IS NOT NULL", "words": "v.vector IS NULL AND (v.passage IS NOT NULL OR ?)"}

_NOT_PLACED = "NOT EXISTS (SELECT 1 FROM tree_members m WHERE m.passage = p.number AND m.tree = ?)"
FOLLOWING = "SELECT 1 + coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'tree_nodes'"
_NODE = """
    INSERT INTO tree_nodes (number, tree, level, parent, passages, sums) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (number)
    DO UPDATE SET parent = excluded.parent, passages = excluded.passages, sums = excluded.sums, due = max(tree_nodes.due, 1)
"""

_LEFT = "SELECT second FROM tree_members WHERE passage = ? AND tree = ? AND second IS NOT NULL AND second IS NOT ?"
_PATH = """
    UPDATE tree_nodes SET due = max(due, 1) WHERE number IN (
        WITH RECURSIVE above (number) AS (
            SELECT CAST(? AS INTEGER) UNION ALL SELECT n.parent FROM above a JOIN tree_nodes n ON n.number = a.number
        )
        SELECT number FROM above
    )
"""

_MEMBER = """
    INSERT INTO tree_members VALUES (?, ?, ?, ?)
    ON CONFLICT (passage, tree) DO UPDATE SET node = excluded.node, second = excluded.second
"""

_READ_AT_ONCE = 1_000
_Rows = Iterable[tuple[int, Any]]  # passages, with their vector or their text


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


def waiting(connection: DatabaseConnection, tree: StoredTree, limit: int, *, embedder: bool) -> list[tuple[int, Any]]:
    """Return some of those that have no place in a tree, the oldest first."""
    collection, space = tree.home
    sql = (
        f"SELECT p.number, {_TEXT[space]} {_PASSAGES} WHERE d.collection = ? AND {_BELONGS[space]} AND {_NOT_PLACED} "
        "ORDER BY p.number LIMIT ?"
    )
    own = (collection,) if space == "vector" else (collection, not embedder)
    return connection.execute(sql, (*own, tree.number, limit)).fetchall()


def members(connection: DatabaseConnection, node: int, space: Space) -> list[tuple[int, Any]]:
    """Return the passages of a node of level 1."""
    sql = (
        f"SELECT p.number, {_TEXT[space]} FROM tree_members m JOIN passages p ON p.number = m.passage "  # noqa: S608
        f"LEFT JOIN vectors v ON v.passage = p.number WHERE m.node = ? AND {_TEXT[space]} IS NOT NULL ORDER BY p.number"
    )
    return connection.execute(sql, (node,)).fetchall()


def stacked(rows: _Rows) -> Placing:
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


def branches(connection: DatabaseConnection, tree: int) -> dict[int, Branch]:
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


def following(connection: DatabaseConnection) -> int:
    """Return the number of the next node; none is used twice."""
    return connection.execute(FOLLOWING).fetchone()[0]


def open_tree(connection: DatabaseConnection, home: Home, made: str) -> int:
    """Begin a tree."""
    sql = "INSERT INTO trees (collection, space, fingerprint, state) VALUES (?, ?, ?, 'building')"
    return connection.execute(sql, (*home, made)).lastrowid or 0


def store_nodes(connection: DatabaseConnection, tree: int, growth: Growth, seconds: Mapping[int, int | None]) -> None:
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


def _still_there(connection: DatabaseConnection, placed: Mapping[int, int]) -> set[int]:
    """Return which passages are not removed meanwhile."""
    sql = "SELECT number FROM passages WHERE number BETWEEN ? AND ?"
    if not placed:
        return set()
    return {row[0] for row in connection.execute(sql, (min(placed), max(placed)))} & placed.keys()


def empty_trees() -> Placing:
    """Return no passages at all."""
    return Placing(passages=np.empty(0, np.int64), vectors=np.empty((0, DIMENSION), np.float32))


# -- images: whole trees as arrays

_NODES = "SELECT number, level, parent, sums, summary <> '[]', due FROM tree_nodes WHERE tree = ? ORDER BY number"
# from documents to passages by an index alone: the rows of passages hold their texts, and reading them takes four times as long
_MEMBERS = (
    "SELECT m.passage, m.node, coalesce(m.second, 0), d.number, coalesce(d.year, 0) FROM trees t "
    "CROSS JOIN documents d ON d.collection = t.collection CROSS JOIN passages p ON p.document = d.number "
    "CROSS JOIN tree_members m ON m.passage = p.number AND m.tree = t.number WHERE t.number = ?"
)

_NODE_COLUMNS = 'n.number, n.level, n.parent, n.title, n.summary, n."by", n.notes, t.space, c.name'
ONE_NODE = (
    f"SELECT {_NODE_COLUMNS} FROM tree_nodes n JOIN trees t ON t.number = n.tree "  # noqa: S608
    "JOIN collections c ON c.number = t.collection "
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Passages by the row of a node that they belong to, with the row of their first one, their documents and years (0: none)."""

    rows: Integers
    homes: Integers
    passages: Integers
    documents: Integers
    years: Integers

    def __getitem__(self, places: Any) -> "_Places":
        return _Places(
            rows=self.rows[places],
            homes=self.homes[places],
            passages=self.passages[places],
            documents=self.documents[places],
            years=self.years[places],
        )

    def below(self, begin: int, end: int) -> "_Places":
        """Return those whose nodes are from one row up to another."""
        return self[slice(*np.searchsorted(self.rows, (begin, end)).tolist())]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much is below a node, and which passages may be seen there; `hidden` tells that its title may be of others as well."""

    passages: int
    documents: int
    first: int | None
    last: int | None
    hidden: bool
    is_seen: Callable[[int], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """One tree. The nodes below that of a row are those up to `ends` of it."""

    space: Space
    numbers: Integers
    levels: Integers
    ends: Integers
    centres: Vectors
    lengths: Vectors  # of the sums that they are the directions of
    told: Mask  # has a summary
    due: Integers  # the most that is to be done to a node or below it
    first: _Places  # of each passage
    second: _Places  # of those that have one
    row_of: dict[int, int]
    document_of: dict[int, int]  # of each passage
    home_of: dict[int, int]  # the row of each passage
    _extents: dict[int, Extent] = field(default_factory=dict[int, Extent])

    def passages(self, row: int, mask: Mask | None) -> tuple[Integers, Integers]:
        """Return the passages below a node and their documents, as far as a mask of documents lets them pass."""
        parts = [_allowed(part, mask) for part in self._below(row)]
        return np.concatenate([part.passages for part in parts]), np.concatenate([part.documents for part in parts])

    def extent(self, row: int, mask: Mask | None) -> Extent:
        """Return how much is below a node of what a mask of documents lets pass."""
        if mask is None and row in self._extents:
            return self._extents[row]
        parts = self._below(row)
        allowed = [_allowed(part, mask) for part in parts]
        years = np.concatenate([part.years[part.years > 0] for part in allowed])
        count = sum(len(part.rows) for part in allowed)
        found = Extent(
            passages=count,
            documents=_different(np.concatenate([part.documents for part in allowed])),
            first=int(years.min()) if len(years) else None,
            last=int(years.max()) if len(years) else None,
            # until a summary is made anew its title may be of passages that are gone, or of some that are now elsewhere
            hidden=count < sum(len(part.rows) for part in parts) or self.due[row] >= (MEND if mask is None else 1),
            is_seen=lambda passage: (
                passage in self.document_of
                and (mask is None or bool(passing(mask, np.array([self.document_of[passage]]))[0]))
            ),
        )
        if mask is None:
            self._extents[row] = found
        return found

    def open_to(self, mask: Mask) -> Mask:
        """Tell of each node whether there is a passage below it that a mask of documents lets pass."""
        open_to = np.zeros(len(self.numbers), np.bool_)
        for places in (self.first, self.second):
            rows = _allowed(places, mask).rows
            open_to |= np.searchsorted(rows, self.ends) > np.searchsorted(rows, np.arange(len(self.numbers)))
        return open_to

    def _below(self, row: int) -> tuple[_Places, _Places]:
        """Return the passages below a node: those at home there, and those that only are nearly as near."""
        end = int(self.ends[row])
        second = self.second.below(row, end)
        return self.first.below(row, end), second[(second.homes < row) | (second.homes >= end)]


def image_of(database: Database, tree: int, space: Space) -> Image:
    """Read a tree."""
    nodes = {row[0]: row for row in database.rows(_NODES, (tree,))}
    order, ends = _walk({number: row[2] for number, row in nodes.items()})
    row_of = {number: row for row, number in enumerate(order)}
    members = np.array(database.rows(_MEMBERS, (tree,)), np.int64).reshape(-1, 5)
    blobs = b"".join(nodes[number][3] for number in order)
    sums = np.frombuffer(blobs, np.float32).reshape(len(order), -1) if order else np.empty((0, 0), np.float32)
    due = np.array([nodes[number][5] for number in order], np.int64)
    first = _places(members, members[:, 1], row_of)
    return Image(
        space=space,
        numbers=np.array(order, np.int64),
        levels=np.array([nodes[number][1] for number in order], np.int64),
        ends=np.array(ends, np.int64),
        centres=units(sums),
        lengths=np.maximum(np.linalg.norm(sums, axis=1), 1e-6),
        told=np.array([nodes[number][4] for number in order], np.bool_),
        due=np.array([due[row:end].max() for row, end in enumerate(ends)], np.int64),
        first=first,
        second=_places(members, members[:, 2], row_of),
        row_of=row_of,
        document_of=dict(members[:, [0, 3]].tolist()),
        home_of=dict(zip(first.passages.tolist(), first.rows.tolist(), strict=True)) if space == "words" else {},
    )


def node_of(row: Sequence[Any], extent: Extent) -> TreeNode:
    """Read a node from `_NODE_COLUMNS`, with nothing of it that rests on what may not be seen."""
    told = tuple(SummarySentence(text=text, passages=tuple(on)) for text, on in json.loads(row[4]))
    seen = tuple(sentence for sentence in told if all(map(extent.is_seen, sentence.passages)))
    whole = len(seen) == len(told) and not extent.hidden
    return TreeNode(
        number=row[0],
        collection=row[8],
        space=row[7],
        level=row[1],
        parent=row[2],
        title=row[3] if whole else _seen_of_title(row[3], seen),
        summary=seen,
        by=row[5],
        passages=extent.passages,
        documents=extent.documents,
        first=extent.first,
        last=extent.last,
        notes=tuple(json.loads(row[6])) if whole else (),
    )


def _seen_of_title(title: str, seen: Sequence[SummarySentence]) -> str:
    """Return the parts of a title that stand in the sentences that may be seen."""
    text = " ".join(sentence.text for sentence in seen).casefold()
    return ", ".join(part for part in PARTS.split(title) if part.casefold() in text)


def _walk(parents: dict[int, int | None]) -> tuple[list[int], list[int]]:
    """Return nodes so that each comes before all that is below it, and for each the place after the last of these."""
    below: dict[int | None, list[int]] = {}
    for number, parent in parents.items():
        below.setdefault(parent if parent in parents else None, []).append(number)
    order: list[int] = []
    ends: dict[int, int] = {}
    waiting = [(number, False) for number in reversed(below.get(None, []))]
    while waiting:
        number, is_done = waiting.pop()
        if is_done:
            ends[number] = len(order)
        else:
            order.append(number)
            waiting.append((number, True))
            waiting += ((child, False) for child in reversed(below.get(number, [])))
    return order, [ends[number] for number in order]


def _places(members: Integers, nodes: Integers, row_of: dict[int, int]) -> _Places:
    rows = np.array([row_of.get(number, -1) for number in nodes.tolist()], np.int64)
    homes = np.array([row_of.get(number, -1) for number in members[:, 1].tolist()], np.int64)
    kept = np.flatnonzero(rows >= 0)
    kept = kept[np.argsort(rows[kept], kind="stable")]
    places = _Places(rows=rows, homes=homes, passages=members[:, 0], documents=members[:, 3], years=members[:, 4])
    return places[kept]


def _allowed(places: _Places, mask: Mask | None) -> _Places:
    return places if mask is None else places[passing(mask, places.documents)]


def _different(numbers: Integers) -> int:
    """Count different numbers, none of them large."""
    seen = np.zeros(1 + int(numbers.max(initial=0)), np.bool_)
    seen[numbers] = True
    return int(np.count_nonzero(seen))
