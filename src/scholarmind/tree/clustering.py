"""Put vectors that are alike into groups of about the same size, and say how alike texts are by their words.

Numbers only, and for the same vectors the same groups. Where no embedder makes sense of a text, the vector is made of its words: each
term weighs by how rare it is.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    centres = vectors[_far_apart(vectors, count)]
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


def _far_apart(vectors: Vectors, count: int) -> list[int]:
    """Return rows to begin with: each is drawn with the chance that its distance from those drawn before gives it."""
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
    return chosen


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
