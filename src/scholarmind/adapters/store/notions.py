"""What a question asks an index of words for, whichever engine holds the index.

A word and its translations are one notion: a passage is scored by the best of them, not by their sum. A translation never counts for more
than the words that it stands for, so that what is rare only because few documents are in its language does not come first. Translations
that no passage has are left out: in a library of one language everything is as if there were none.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from scholarmind.model import Translation
from scholarmind.text import analysis

_MOST_TERMS = 64  # of a long question the rarest ones are asked for
_MOST_TRANSLATED = 256


@dataclass(frozen=True, slots=True)
class Variant:
    """Terms that a passage is scored for together, times `boost`."""

    terms: tuple[str, ...]
    boost: float = 1.0


Notion = tuple[Variant, ...]  # the best of them counts


class Notions:
    """Made for one state of an index, from how many passages have a term and how many there are."""

    def __init__(self, count: Callable[[str], int], total: int) -> None:
        self._count = count
        self._total = max(1, total)

    def of(self, words: Sequence[str], translations: Iterable[Translation] = ()) -> list[Notion]:
        """Return what any of these terms, or what they are called elsewhere, is found by."""
        own = dict.fromkeys(words)
        if len(own) > _MOST_TERMS:
            present = sorted(filter(self._count, own), key=self._count)
            own = dict.fromkeys(present[:_MOST_TERMS])
        taken, notions = set(own), list[Notion]()
        for word, others in translations:
            named = dict.fromkeys(analysis.terms(word))
            variants = self._variants(others, taken)
            weight = sum(map(self.weight, named))
            if variants and weight and len(taken) < _MOST_TRANSLATED:
                notions.append(self._notion(tuple(term for term in named if term in own), variants, weight))
                taken.update(*variants)
                own = {term: None for term in own if term not in named}
        return notions + [(Variant((term,)),) for term in own]

    def weight(self, term: str) -> float:
        """Return what the term weighs in BM25."""
        count = self._count(term)
        return math.log(1 + (self._total - count + 0.5) / (count + 0.5))

    def _variants(self, others: Iterable[str], taken: set[str]) -> list[tuple[str, ...]]:
        """Return the terms of each translation that some passage has and that are not asked for already."""
        found = (
            tuple(term for term in dict.fromkeys(analysis.terms(other)) if term not in taken and self._count(term))
            for other in others
        )
        return list(dict.fromkeys(filter(None, found)))

    def _notion(self, own: tuple[str, ...], variants: Sequence[tuple[str, ...]], weight: float) -> Notion:
        first = [Variant(own)] if own else []
        boosts = (weight / max(weight, sum(map(self.weight, variant))) for variant in variants)
        return (*first, *map(Variant, variants, boosts))
