"""Whole trees as arrays in memory, for questions: nodes in the order of a walk, so that all that is below a node stands side by side."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scholarmind.adapters.local.database import Database
from scholarmind.adapters.local.hits import Mask, Numbers, passing
from scholarmind.adapters.local.tree_state import MEND
from scholarmind.relations import Space, SummarySentence, TreeNode
from scholarmind.tree.clustering import Vectors, units
from scholarmind.tree.summarising import PARTS

_NODES = "SELECT number, level, parent, sums, summary <> '[]', due FROM tree_nodes WHERE tree = ? ORDER BY number"
# from documents to passages by an index alone: the rows of passages hold their texts, and reading them takes four times as long
_MEMBERS = (
    "SELECT m.passage, m.node, coalesce(m.second, 0), d.number, coalesce(d.year, 0) FROM trees t "
    "CROSS JOIN documents d ON d.collection = t.collection CROSS JOIN passages p ON p.document = d.number "
    "CROSS JOIN tree_members m ON m.passage = p.number AND m.tree = t.number WHERE t.number = ?"
)
NODE_COLUMNS = 'n.number, n.level, n.parent, n.title, n.summary, n."by", n.notes, t.space, c.name'
ONE_NODE = (
    f"SELECT {NODE_COLUMNS} FROM tree_nodes n JOIN trees t ON t.number = n.tree "  # noqa: S608
    "JOIN collections c ON c.number = t.collection "
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Passages by the row of a node that they belong to, with the row of their first one, their documents and years (0: none)."""

    rows: Numbers
    homes: Numbers
    passages: Numbers
    documents: Numbers
    years: Numbers

    def __getitem__(self, places: Any) -> "Places":
        return Places(
            rows=self.rows[places],
            homes=self.homes[places],
            passages=self.passages[places],
            documents=self.documents[places],
            years=self.years[places],
        )

    def below(self, begin: int, end: int) -> "Places":
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
    numbers: Numbers
    levels: Numbers
    ends: Numbers
    centres: Vectors
    lengths: Vectors  # of the sums that they are the directions of
    told: Mask  # has a summary
    due: Numbers  # the most that is to be done to a node or below it
    first: Places  # of each passage
    second: Places  # of those that have one
    row_of: dict[int, int]
    document_of: dict[int, int]  # of each passage
    home_of: dict[int, int]  # the row of each passage
    _extents: dict[int, Extent] = field(default_factory=dict[int, Extent])

    def passages(self, row: int, mask: Mask | None) -> tuple[Numbers, Numbers]:
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

    def _below(self, row: int) -> tuple[Places, Places]:
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
    """Read a node from `NODE_COLUMNS`, with nothing of it that rests on what may not be seen."""
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


def _places(members: Numbers, nodes: Numbers, row_of: dict[int, int]) -> Places:
    rows = np.array([row_of.get(number, -1) for number in nodes.tolist()], np.int64)
    homes = np.array([row_of.get(number, -1) for number in members[:, 1].tolist()], np.int64)
    kept = np.flatnonzero(rows >= 0)
    kept = kept[np.argsort(rows[kept], kind="stable")]
    places = Places(rows=rows, homes=homes, passages=members[:, 0], documents=members[:, 3], years=members[:, 4])
    return places[kept]


def _allowed(places: Places, mask: Mask | None) -> Places:
    return places if mask is None else places[passing(mask, places.documents)]


def _different(numbers: Numbers) -> int:
    """Count different numbers, none of them large."""
    seen = np.zeros(1 + int(numbers.max(initial=0)), np.bool_)
    seen[numbers] = True
    return int(np.count_nonzero(seen))
