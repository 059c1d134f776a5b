"""The tree of summaries grows: like passages and nodes are grouped, and each group becomes a node above them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log, sqrt
from zlib import crc32

import numpy as np
import numpy.typing as npt

# -- groups

_AT_ONCE = 2_048  # vectors that are compared with all centres of their part
_ROUNDS = 8
_LARGEST_SAMPLE = 8_192  # vectors that rough parts are told apart by
_EXACT = 1e-5
_SEED = 11
Vectors = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How many members a group has."""

    fewest: int
    usual: int
    most: int


OF_PASSAGES = Sizes(fewest=3, usual=8, most=12)
OF_NODES = Sizes(fewest=2, usual=4, most=6)  # what is above says something of each


def units(vectors: Vectors) -> Vectors:
    """Return them with length 1; what has none stays as it is. Where all have it already they are not copied."""
    lengths = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))[..., None]
    if np.all((np.abs(lengths - 1) < _EXACT) | (lengths == 0)):
        return vectors
    return vectors / np.where(lengths > 0, lengths, 1).astype(np.float32)


def grouped(vectors: Vectors, sizes: Sizes = OF_PASSAGES) -> list[Numbers]:
    """Return the rows of each group, in the order of their first; none has more than the most, few have fewer than the fewest."""
    if not len(vectors):
        return []
    vectors = units(vectors)
    groups: list[Numbers] = []
    for part in _parts(vectors):
        groups += _groups_of(vectors, part, sizes)
    return sorted(groups, key=lambda rows: int(rows[0]))


def halves(vectors: Vectors, fewest: int = 1) -> npt.NDArray[np.bool_]:
    """Tell for each of some vectors whether it belongs to the second of two halves, neither of which is less than a quarter of them."""
    vectors = units(vectors)
    least = max(fewest, len(vectors) // 4)
    first = int(np.argmin(vectors @ units(vectors.sum(axis=0))))  # the two that are farthest out
    second = int(np.argmin(vectors @ vectors[first]))
    centres, belongs = vectors[[first, second]], np.zeros(len(vectors), np.bool_)
    for _ in range(_ROUNDS):
        lean = vectors @ (centres[1] - centres[0])
        order = np.argsort(lean, kind="stable")
        leaning = np.count_nonzero(lean > 0) if lean.any() else len(vectors) // 2  # all the same: any half will do
        count = int(np.clip(leaning, least, len(vectors) - least))
        belongs = np.zeros(len(vectors), np.bool_)
        belongs[order[len(vectors) - count :]] = True
        centres = units(np.stack([vectors[~belongs].sum(axis=0), vectors[belongs].sum(axis=0)]))
    return belongs


def _parts(vectors: Vectors) -> list[Numbers]:
    """Return rough parts, each small enough for k-means with as many centres as there will be groups."""
    waiting, parts = [np.arange(len(vectors))], list[Numbers]()
    while waiting:
        rows = waiting.pop()
        if len(rows) <= 2 * _AT_ONCE:
            parts.append(rows)
        else:
            waiting += _roughly_split(vectors, rows, -(-len(rows) // _AT_ONCE))
    return parts


def _roughly_split(vectors: Vectors, rows: Numbers, count: int) -> list[Numbers]:
    """Return these rows in up to `count` groups, by the centres of a sample: all of them at once may be too much to hold twice."""
    sample = rows[:: -(-len(rows) // _LARGEST_SAMPLE)]
    centres = units(np.stack([vectors[some].sum(axis=0) for some in _split(vectors, sample, count)]))
    labels = np.concatenate(
        [
            np.argmax(vectors[rows[start : start + _AT_ONCE]] @ centres.T, axis=1)
            for start in range(0, len(rows), _AT_ONCE)
        ]
    )
    found = [rows[labels == label] for label in np.unique(labels)]
    return found if len(found) > 1 else [rows[: len(rows) // 2], rows[len(rows) // 2 :]]


def _groups_of(vectors: Vectors, rows: Numbers, sizes: Sizes) -> list[Numbers]:
    """Return the groups of a part."""
    waiting, groups = [rows], list[Numbers]()
    while waiting:
        some = waiting.pop()
        if len(some) <= sizes.most:
            groups.append(some)
        else:
            waiting += _split(vectors, some, max(2, -(-len(some) // sizes.usual)))
    return _without_small(vectors, groups, sizes)


def _split(vectors: Vectors, rows: Numbers, count: int) -> list[Numbers]:
    """Return these rows in up to `count` groups; in halves if k-means does not part them."""
    labels = _means(vectors[rows], count)
    found = [rows[labels == label] for label in np.unique(labels)]
    if len(found) > 1:
        return found
    belongs = halves(vectors[rows])
    return [rows[~belongs], rows[belongs]]


def _means(vectors: Vectors, count: int) -> Numbers:
    """Return the nearest of `count` centres for each vector, by spherical k-means."""
    # rows to begin with: each is drawn with the chance that its distance from those drawn before gives it
    chance = np.random.default_rng(_SEED)
    chosen = [int(chance.integers(len(vectors)))]
    distances = 1 - vectors @ vectors[chosen[0]]
    while len(chosen) < min(count, len(vectors)):
        reached = np.cumsum(np.maximum(distances, 0), dtype=np.float64)
        whole = float(reached[-1])
        if whole <= 1e-6 * len(vectors):  # all the others are the same as one of those
            break
        chosen.append(int(np.searchsorted(reached, chance.random() * whole, side="right")))
        distances = np.minimum(distances, 1 - vectors @ vectors[chosen[-1]])
    centres = vectors[chosen]
    labels = np.full(len(vectors), -1)
    for _ in range(_ROUNDS):
        nearest = np.argmax(vectors @ centres.T, axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        sums = np.zeros_like(centres)
        np.add.at(sums, labels, vectors)
        taken = np.bincount(labels, minlength=len(centres)) > 0
        centres = np.where(taken[:, None], units(sums), centres)
    return labels


def _without_small(vectors: Vectors, groups: Sequence[Numbers], sizes: Sizes) -> list[Numbers]:
    """Give the members of groups that are too small to the nearest group that has room; those left over make groups of their own."""
    kept = [rows for rows in groups if len(rows) >= sizes.fewest]
    small = [rows for rows in groups if len(rows) < sizes.fewest]
    if not kept:
        return _halved(vectors, np.concatenate(small), sizes)
    centres = units(np.stack([vectors[rows].sum(axis=0) for rows in kept]))
    left: list[Numbers] = []
    for rows in small:
        room = np.array([len(others) + len(rows) <= sizes.most for others in kept])
        near = np.where(room, centres @ vectors[rows].sum(axis=0), -np.inf)
        place = int(np.argmax(near))
        if room[place]:
            kept[place] = np.concatenate([kept[place], rows])
        else:
            left.append(rows)
    if 0 < sum(map(len, left)) < sizes.fewest:  # too few for a group: the nearest one is cut with them
        left.append(kept.pop(int(np.argmax(centres @ vectors[np.concatenate(left)].sum(axis=0)))))
    return [np.sort(rows) for rows in kept] + (_halved(vectors, np.concatenate(left), sizes) if left else [])


def _halved(vectors: Vectors, rows: Numbers, sizes: Sizes) -> list[Numbers]:
    """Return these rows cut in two, and so on, until no group is too big; none is too small, unless all are too few."""
    if len(rows) <= sizes.most:
        return [np.sort(rows)]
    belongs = halves(vectors[rows], sizes.fewest)
    return _halved(vectors, rows[~belongs], sizes) + _halved(vectors, rows[belongs], sizes)


# -- likeness by words

DIMENSION = 1024
_REMEMBERED = 200_000


def vector_of(terms: Sequence[str], rarity: Mapping[str, float]) -> Vectors:
    """Return the vector of a text with these terms; one without any has no length."""
    vector = np.zeros(DIMENSION, np.float32)
    for term, weight in _weights(terms, rarity).items():
        place, sign = _place(term)
        vector[place] += sign * weight
    return units(vector)


def cosine(some: Sequence[str], others: Sequence[str], rarity: Mapping[str, float]) -> float:
    """Return how alike two texts with these terms are, from 0 to 1."""
    one, other = _weights(some, rarity), _weights(others, rarity)
    shared = sum(weight * other[term] for term, weight in one.items() if term in other)
    return shared / sqrt(sum(w * w for w in one.values()) * sum(w * w for w in other.values())) if shared else 0.0


def likeness(cosines: Vectors) -> Vectors:
    """Return cosines of a question with texts on the scale of an embedder's, from 0 to 1.

    A question has few of the words of a text: where all of them are in it, the cosine is about the root of their share.
    """
    return np.sqrt(np.clip(cosines, 0, 1))


def _weights(terms: Sequence[str], rarity: Mapping[str, float]) -> dict[str, float]:
    return {term: (1 + log(count)) * (1 + rarity.get(term, 0.0)) for term, count in Counter(terms).items()}


@lru_cache(maxsize=_REMEMBERED)
def _place(term: str) -> tuple[int, int]:
    number = crc32(term.encode("utf-8", "surrogatepass"))
    return number % DIMENSION, 1 if number >> 31 else -1


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
            larger = np.zeros((max(64, 2 * len(self._numbers)), len(next(iter(sums.values())))), np.float32)
            larger[: len(self._centres), : self._centres.shape[1]] = self._centres
            self._centres = larger
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
            # take a node out that is empty or about to be, and what is empty above it
            branch = self.branches[node]
            self._grow(node, -branch.sums, -branch.passages)
            self._places.forget(node)
            self._leaves.pop(node, None)
            parent = self._drop(node)
            while parent is not None and not self.branches[parent].below:
                parent = self._drop(parent)
            self._thin(parent)
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
        tops = sorted(number for number, branch in self.branches.items() if branch.parent is None) if at is None else []
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
                # take a root away, and those below it that are over one node as well
                root = node
                while len(self.branches[root].below) == 1:
                    (child,) = self.branches[root].below
                    self._hang(child, None)
                    self.branches[root].below.clear()
                    self._drop(root)
                    root = child
            elif sisters := sorted(self.branches[parent].below - {node}):
                # what is below a node to the nearest sister of it
                centres = units(np.stack([self.branches[number].sums for number in sisters]))
                sister = sisters[int(np.argmax(centres @ units(self.branches[node].sums)))]
                self._move(sorted(self.branches[node].below), node, sister)
                self._drop(node)
                self._split(sister)
            node = parent

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
