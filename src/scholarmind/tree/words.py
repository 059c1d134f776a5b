"""Likeness by words, where no embedder makes sense of a text: each term weighs by how rare it is.

For trees a text becomes a vector of a thousand numbers, to which its terms are hashed. A question has too few terms for that: by chance
alone it would be as near to a node as by what they share. So it is compared with passages term by term.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log, sqrt
from zlib import crc32

import numpy as np

from scholarmind.tree.clustering import Vectors, units

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
