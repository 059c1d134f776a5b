"""Places that fill up: each passage once, and none that nearly repeats another."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from scholarmind.model import Evidence
from scholarmind.ranking import Key
from scholarmind.text.analysis import terms

_SAME = 0.9  # share of terms in common that makes two passages near-duplicates


class Choosing:
    """The places of one answer, which the passages of a pool compete for."""

    def __init__(self, pool: Mapping[Key, Evidence], places: int) -> None:
        self._pool = pool
        self._places = places
        self._taken: dict[Key, frozenset[str]] = {}

    @property
    def full(self) -> bool:
        """Whether no place is left."""
        return len(self._taken) >= self._places

    def take(self, key: Key) -> bool:
        """Give the passage a place, if there is one left and it says something new."""
        if self.full or key in self._taken:
            return False
        words = _words(self._pool[key].passage.text)
        if any(_alike(words, other) for other in self._taken.values()):
            return False
        self._taken[key] = words
        return True

    def take_one(self, keys: Iterable[Key]) -> Key | None:
        """Give a place to the first of these that gets one, and return it."""
        return next((key for key in keys if self.take(key)), None)

    def chosen(self) -> list[Evidence]:
        """Return the passages that have a place, in the order in which they got it."""
        return [self._pool[key] for key in self._taken]


@lru_cache(maxsize=1_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and len(one & other) >= _SAME * len(one | other)
