"""Grow a tree of likeness up to one root: planted at once, then passage by passage, touching only the path from level 1 to the root.

A passage belongs to the nearest node of level 1; the centres of all of these are in one matrix. What the nodes say is in `summarising`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from scholarmind.tree.clustering import OF_NODES, OF_PASSAGES, Numbers, Sizes, Vectors, grouped, halves, units

# -- where a passage belongs

_NEARLY = 0.9  # of the likeness to the nearest node: from here on a passage belongs to a second one too
_BLOCK = 512  # passages that are compared with all centres at once


class Places:
    """The centres by the numbers of their nodes."""

    def __init__(self, sums: Mapping[int, Vectors]) -> None:
        self._numbers: list[int] = []
        self._rows: dict[int, int] = {}
        self._centres: Vectors = np.empty((0, 0), np.float32)
        self.learn(sums)

    def __len__(self) -> int:
        return len(self._rows)

    def learn(self, sums: Mapping[int, Vectors]) -> None:
        """Take in the centres of these nodes, new ones and those that moved."""
        new = [number for number in sums if number not in self._rows]
        for number in new:
            self._rows[number] = len(self._numbers)
            self._numbers.append(number)
        if len(self._numbers) > len(self._centres):
            self._make_room(len(next(iter(sums.values()))))
        rows = [self._rows[number] for number in sums]
        if rows:
            self._centres[rows] = units(np.stack(list(sums.values())))

    def forget(self, node: int) -> None:
        """Let a node go: the last one takes its row."""
        row, last = self._rows.pop(node), self._numbers.pop()
        if last != node:
            self._numbers[row], self._rows[last] = last, row
            self._centres[row] = self._centres[len(self._numbers)]

    def nearest(self, vector: Vectors) -> int | None:
        """Return the nearest node; of several the one that came first."""
        if not self._numbers:
            return None
        return self._numbers[int(np.argmax(self._centres[: len(self._numbers)] @ vector))]

    def seconds(self, passages: Mapping[int, Vectors], homes: Mapping[int, int]) -> dict[int, int | None]:
        """Return for each passage the node besides its home that it is nearly as near to, or None."""
        found: dict[int, int | None] = {}
        numbers = list(passages)
        for start in range(0, len(numbers), _BLOCK):
            some = numbers[start : start + _BLOCK]
            likeness = np.stack([passages[number] for number in some]) @ self._centres[: len(self._numbers)].T
            rows, own = np.arange(len(some)), [self._rows[homes[number]] for number in some]
            least = _NEARLY * likeness[rows, own]
            likeness[rows, own] = -1
            best = np.argmax(likeness, axis=1)
            near = likeness[rows, best] >= np.maximum(least, 1e-6)
            found |= {
                number: self._numbers[place] if is_near else None
                for number, place, is_near in zip(some, best.tolist(), near.tolist(), strict=True)
            }
        return found

    def _make_room(self, dimension: int) -> None:
        larger = np.zeros((max(64, 2 * len(self._numbers)), dimension), np.float32)
        larger[: len(self._centres), : self._centres.shape[1]] = self._centres
        self._centres = larger


# -- growth


@dataclass(slots=True, kw_only=True)
class Branch:
    """A node while the tree grows. Those of level 1 have passages below them, the others nodes."""

    level: int
    parent: int | None
    sums: Vectors
    passages: int
    below: set[int] = field(default_factory=set[int])  # nodes; the passages of level 1 are fetched when they are needed


Leaves = dict[int, Vectors]  # the vector of each passage of a node


class Growth:
    """A tree that grows. What changed stands in `touched`, `gone` and `placed`; nodes that are new get numbers from `following` on.

    Those in `moved` have another parent, and what is below them is as it was.
    """

    def __init__(self, branches: Mapping[int, Branch], leaves: Callable[[int], Leaves], following: int) -> None:
        self.branches = dict(branches)
        self.touched: set[int] = set()
        self.moved: set[int] = set()
        self.gone: set[int] = set()
        self.placed: dict[int, int] = {}
        self._fetch = leaves
        self._leaves: dict[int, Leaves] = {}
        self._following = following
        self._places = Places({number: branch.sums for number, branch in self.branches.items() if branch.level == 1})

    # -- what is asked of it

    def plant(self, passages: Numbers, vectors: Vectors) -> None:
        """Build the whole tree of these at once."""
        vectors = units(vectors)
        tops: list[int] = []
        for rows in grouped(vectors):
            number = self._new(1, vectors[rows].sum(axis=0), len(rows))
            self._leaves[number] = {
                int(passages[row]): vectors[row] for row in rows.tolist()
            }  # views: nothing is copied
            self.placed.update(dict.fromkeys(self._leaves[number], number))
            tops.append(number)
        while len(tops) > 1:
            tops = self._over(tops)
        self._places.learn({number: self.branches[number].sums for number in self.placed.values()})

    def add(self, passage: int, vector: Vectors) -> None:
        """Put a passage where it is nearest."""
        vector = units(vector)
        node = self._places.nearest(vector)
        if node is None:
            node = self._new(1, np.zeros_like(vector), 0)
            self._leaves[node] = {}
        leaves = self.leaves(node)
        leaves[passage] = vector
        self.placed[passage] = node
        self._grow(node, vector, 1)
        self._split(node)

    def mend(self, node: int) -> None:
        """Count anew what is below a node of level 1 that lost passages; what is too small goes to its neighbours."""
        if node not in self.branches or self.branches[node].level != 1:
            return
        leaves = self.leaves(node)
        self._count_anew(node)
        if (len(leaves) < OF_PASSAGES.fewest and len(self._places) > 1) or not leaves:
            self._remove(node)
            for passage, vector in leaves.items():
                self.add(passage, vector)

    def leaves(self, node: int) -> Leaves:
        """Return the passages of a node of level 1 with their vectors; one that lost some without being mended is counted anew."""
        if node not in self._leaves:
            self._leaves[node] = self._fetch(node)
            if len(self._leaves[node]) != self.branches[node].passages:
                self._count_anew(node)
        return self._leaves[node]

    def seconds(self, passages: Mapping[int, Vectors]) -> dict[int, int | None]:
        """Return for each passage the other node that it is nearly as near to, if there is one."""
        return self._places.seconds(passages, self.placed)

    # -- how it grows

    def _grow(self, node: int, sums: Vectors, passages: int) -> None:
        """Add to a node and to all above it."""
        at: int | None = node
        while at is not None:
            branch = self.branches[at]
            branch.sums = branch.sums + sums
            branch.passages += passages
            self.touched.add(at)
            at = branch.parent
        if self.branches[node].level == 1:
            self._places.learn({node: self.branches[node].sums})

    def _count_anew(self, node: int) -> None:
        """Let a node of level 1, and all above it, be what its passages add up to."""
        branch, leaves = self.branches[node], self._leaves[node]
        sums = np.sum(list(leaves.values()), axis=0, dtype=np.float32) if leaves else np.zeros_like(branch.sums)
        self._grow(node, sums - branch.sums, len(leaves) - branch.passages)

    def _split(self, node: int) -> None:
        """Cut a node that is too full in two, and so on upwards; over a root that was cut there will be another."""
        at: int | None = node
        while at is not None and self._count(at) > self._sizes(at).most:
            self._cut(at)
            at = self.branches[at].parent
        tops = self._tops() if at is None else []
        if len(tops) > 1:
            self._over(tops)

    def _cut(self, node: int) -> None:
        branch = self.branches[node]
        if branch.level == 1:
            leaves = self.leaves(node)
            members, vectors = sorted(leaves), np.stack([leaves[passage] for passage in sorted(leaves)])
        else:
            members = sorted(branch.below)
            vectors = np.stack([self.branches[child].sums for child in members])
        moving = [
            member for member, moves in zip(members, halves(vectors, self._sizes(node).fewest), strict=True) if moves
        ]
        sister = self._new(branch.level, np.zeros_like(branch.sums), 0, branch.parent)
        self._leaves.setdefault(sister, {})
        self._move(moving, node, sister)

    def _move(self, moving: Iterable[int], node: int, sister: int) -> None:
        """Move passages or nodes from one node to another with the same parent."""
        one, other = self.branches[node], self.branches[sister]
        for member in moving:
            if one.level == 1:
                vector = self._leaves[sister][member] = self._leaves[node].pop(member)
                self.placed[member] = sister
                sums, count = vector, 1
            else:
                child = self.branches[member]
                one.below.remove(member)
                other.below.add(member)
                self._hang(member, sister)
                sums, count = child.sums, child.passages
            one.sums, other.sums = one.sums - sums, other.sums + sums
            one.passages, other.passages = one.passages - count, other.passages + count
        self.touched |= {node, sister}
        if one.level == 1:
            self._places.learn({node: one.sums, sister: other.sums})

    def _over(self, tops: list[int]) -> list[int]:
        """Put a level over these nodes; return its nodes."""
        sums = np.stack([self.branches[number].sums for number in tops])
        level = 1 + max(self.branches[number].level for number in tops)
        made: list[int] = []
        for rows in grouped(sums, OF_NODES):
            below: list[int] = [tops[row] for row in rows.tolist()]
            passages = sum(self.branches[number].passages for number in below)
            parent = self._new(level, sums[rows].sum(axis=0), passages)
            self.branches[parent].below = set(below)
            for number in below:
                self._hang(number, parent)
            made.append(parent)
        return made

    def _remove(self, node: int) -> None:
        """Take a node out that is empty or about to be, and what is empty above it."""
        branch = self.branches[node]
        self._grow(node, -branch.sums, -branch.passages)
        self._places.forget(node)
        self._leaves.pop(node, None)
        parent = self._drop(node)
        while parent is not None and not self.branches[parent].below:
            parent = self._drop(parent)
        self._thin(parent)

    def _drop(self, node: int) -> int | None:
        """Forget a node with nothing below it; return its parent."""
        parent = self.branches.pop(node).parent
        self.touched.discard(node)
        self.moved.discard(node)
        self.gone.add(node)
        if parent is not None:
            self.branches[parent].below.remove(node)
        return parent

    def _thin(self, node: int | None) -> None:
        """Join a node that has too little below it with its nearest sister, and so on upwards; a root over one node goes."""
        while node is not None and len(self.branches[node].below) < OF_NODES.fewest:
            parent = self.branches[node].parent
            if parent is None:
                self._lower(node)
            elif sisters := sorted(self.branches[parent].below - {node}):
                self._join(node, sisters)
            node = parent

    def _lower(self, root: int) -> None:
        """Take a root away, and those below it that are over one node as well."""
        while len(self.branches[root].below) == 1:
            (child,) = self.branches[root].below
            self._hang(child, None)
            self.branches[root].below.clear()
            self._drop(root)
            root = child

    def _join(self, node: int, sisters: list[int]) -> None:
        """Give what is below a node to the nearest sister of it."""
        centres = units(np.stack([self.branches[number].sums for number in sisters]))
        sister = sisters[int(np.argmax(centres @ units(self.branches[node].sums)))]
        self._move(sorted(self.branches[node].below), node, sister)
        self._drop(node)
        self._split(sister)

    def _tops(self) -> list[int]:
        return sorted(number for number, branch in self.branches.items() if branch.parent is None)

    def _sizes(self, node: int) -> Sizes:
        return OF_PASSAGES if self.branches[node].level == 1 else OF_NODES

    def _hang(self, node: int, parent: int | None) -> None:
        self.branches[node].parent = parent
        self.moved.add(node)

    def _new(self, level: int, sums: Vectors, passages: int, parent: int | None = None) -> int:
        number, self._following = self._following, self._following + 1
        self.branches[number] = Branch(level=level, parent=parent, sums=sums, passages=passages)
        if parent is not None:
            self.branches[parent].below.add(number)
        self.touched.add(number)
        return number

    def _count(self, node: int) -> int:
        branch = self.branches[node]
        return branch.passages if branch.level == 1 else len(branch.below)
