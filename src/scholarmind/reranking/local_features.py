"""Score passages by what can be seen without any model: which words of the question they have, how close together, and their cosine."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scholarmind.errors import ScholarMindError
from scholarmind.model import Evidence
from scholarmind.ports import Lexicon, Rated
from scholarmind.text.analysis import terms

# Shares of the score. Meaning sees what is said in other words, and words see the names and numbers that meaning blurs
_WORDS = 0.35

_PAIRS = 0.15
_TITLE = 0.1
_COSINE = 0.4
_CLOSE = 3  # terms from one word to the other, within which two neighbours of the question count as still together
_AT_ONCE = 50  # passages; more than a few milliseconds of work leave the loop
_TELLING = 0.7  # a library of one passage tells nothing of how rare a word is


class LocalFeatures:
    """The scores are absolute: they depend on the question, the passage and the library, not on what else is scored."""

    name = "local"

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self._lexicon = lexicon

    async def rate(self, question: str, evidence: Sequence[Evidence]) -> Rated:
        """Return how much of the question each passage has; the reasons tell the share of each feature."""
        asked = terms(question)
        rarity, notes = await self._rarity(asked)
        rating = _Rating(asked=tuple(asked), weights=_weights(asked, rarity))
        if len(evidence) > _AT_ONCE:
            features = await asyncio.to_thread(rating.features, evidence)
        else:
            features = rating.features(evidence)
        return Rated(
            scores=tuple(item.score for item in features), reasons=tuple(item.reason for item in features), notes=notes
        )

    async def _rarity(self, words: Sequence[str]) -> tuple[Mapping[str, float], tuple[str, ...]]:
        if self._lexicon is None:
            return {}, ()
        try:
            return await self._lexicon.rarity(list(dict.fromkeys(words))), ()
        except ScholarMindError as error:
            return {}, (f"all words count the same in the scores: how rare they are could not be found out: {error}",)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Features:
    """Each between 0 and 1."""

    words: float
    pairs: float | None
    title: float
    cosine: float | None

    @property
    def score(self) -> float:
        """The mean of the features that there are, by their shares."""
        features = ((_WORDS, self.words), (_PAIRS, self.pairs), (_TITLE, self.title), (_COSINE, self.cosine))
        known = [(share, value) for share, value in features if value is not None]
        return sum(share * value for share, value in known) / sum(share for share, _ in known)

    @property
    def reason(self) -> str:
        features = (("words", self.words), ("pairs", self.pairs), ("title", self.title), ("cosine", self.cosine))
        return ", ".join(f"{name} {value:.2f}" for name, value in features if value is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rating:
    """What a question asks for, and how much each of its words is worth."""

    asked: tuple[str, ...]
    weights: Mapping[str, float]

    def features(self, evidence: Sequence[Evidence]) -> list[_Features]:
        return [self._features_of(item) for item in evidence]

    def _features_of(self, item: Evidence) -> _Features:
        places, title = self._places(item.passage.text), frozenset(_terms(item.document.title))
        return _Features(
            words=self._share_in(title.union(places)),
            pairs=self._together(places),
            title=self._share_in(title),
            cosine=None if item.scores.vector is None else min(1.0, max(0.0, item.scores.vector)),
        )

    def _places(self, text: str) -> dict[str, list[int]]:
        """Return where each word of the question stands in a passage."""
        places: dict[str, list[int]] = {}
        for place, term in enumerate(_terms(text)):
            if term in self.weights:
                places.setdefault(term, []).append(place)
        return places

    def _share_in(self, known: frozenset[str]) -> float:
        total = sum(self.weights.values())
        return sum(weight for term, weight in self.weights.items() if term in known) / total if total else 0.0

    def _together(self, places: Mapping[str, Sequence[int]]) -> float | None:
        """Return the share of neighbouring words of the question that stand close together in the passage, in their order."""
        pairs = dict.fromkeys(zip(self.asked, self.asked[1:], strict=False))
        worth = {(one, other): self.weights[one] + self.weights[other] for one, other in pairs if one != other}
        total = sum(worth.values())
        if not total:
            return None
        close = (
            weight for (one, other), weight in worth.items() if _follows(places.get(one, ()), places.get(other, ()))
        )
        return sum(close) / total


def _weights(asked: Sequence[str], rarity: Mapping[str, float]) -> dict[str, float]:
    """Return what each word is worth: its rarity, or the same for all where the library is too small to tell."""
    if max(rarity.values(), default=0.0) <= _TELLING:
        return dict.fromkeys(asked, 1.0)
    return {term: rarity.get(term, 0.0) for term in asked}


def _follows(firsts: Sequence[int], seconds: Sequence[int]) -> bool:
    near = {first + gap for first in firsts for gap in range(1, _CLOSE + 1)}
    return not near.isdisjoint(seconds)


@lru_cache(maxsize=2_000)
def _terms(text: str) -> tuple[str, ...]:
    return tuple(terms(text))
