"""How alike a question and its passages are, on a scale that does not depend on what else was found: words that count, and cosine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scholarmind.model import Evidence, Translation
from scholarmind.steps.search_function import score_of_place
from scholarmind.text.analysis import terms
from scholarmind.text.glossary import translations

_TELLING = 0.7  # a library of one passage tells nothing of how rare a word is


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """Compares passages with one question: `keyword_weight` times the share of its words, the rest by the cosine.

    What has no cosine, since the question or the passage has no vector, is compared by words alone.
    """

    weights: Mapping[str, float]  # of the question's terms
    translations: Sequence[Translation] = ()
    keyword_weight: float = 0.3

    @classmethod
    def to(cls, question: str, rarity: Mapping[str, float], keyword_weight: float) -> "Similarity":
        """Return what compares passages with this question; a rare word counts for more, if it is known how rare words are."""
        asked = dict.fromkeys(terms(question))
        telling = max((rarity.get(term, 0.0) for term in asked), default=0.0) > _TELLING
        weights = {term: rarity.get(term, 0.0) if telling else 1.0 for term in asked}
        return cls(weights=weights, translations=translations(question), keyword_weight=keyword_weight)

    def rated(self, evidence: Sequence[Evidence]) -> list[Evidence]:
        """Return the passages, the most similar first, with their similarity as their score."""
        absolute = _are_absolute(evidence)
        rated = [item.rated(self._of(item, absolute=absolute)) for item in evidence]
        return sorted(rated, key=lambda item: -item.scores.fused)

    def _of(self, item: Evidence, *, absolute: bool) -> float:
        words, cosine = self._share_of_words(item), _cosine(item, absolute=absolute)
        return words if cosine is None else self.keyword_weight * words + (1 - self.keyword_weight) * cosine

    def _share_of_words(self, item: Evidence) -> float:
        """Return the share of the question's words that the passage has, in their own language or in the other."""
        total = sum(self.weights.values())
        if not total:
            return 0.0
        known = _terms_of(f"{item.document.title}\n{' '.join(item.passage.section)}\n{item.passage.text}")
        had = {term for term in self.weights if term in known}
        for word, others in self.translations:
            if any(known.issuperset(_terms_of(other)) for other in others):
                had.update(_terms_of(word))
        return sum(weight for term, weight in self.weights.items() if term in had) / total


def _cosine(item: Evidence, *, absolute: bool) -> float | None:
    """Return the cosine, or for what somebody's own search found its score, if that can stand for one."""
    if item.scores.vector is not None:
        return min(1.0, max(0.0, item.scores.vector))
    return item.scores.fused if absolute and item.scores.keyword is None else None


def _are_absolute(evidence: Sequence[Evidence]) -> bool:
    """Tell whether the scores of somebody's own search lie between 0 and 1 and say more than the order."""
    scores = [item.scores.fused for item in evidence]
    return all(0 <= score <= 1 for score in scores) and scores != [
        score_of_place(place) for place in range(len(scores))
    ]


@lru_cache(maxsize=4_000)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(terms(text))
