"""How near the nodes of a tree of words are to a question: what the passages that its words find add up to, below each node."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scholarmind.adapters.local.access import look_up
from scholarmind.adapters.local.database import Database
from scholarmind.adapters.local.hits import Mask
from scholarmind.adapters.local.keyword import KeywordIndex
from scholarmind.adapters.local.tree_image import Image
from scholarmind.model import Search
from scholarmind.text.analysis import terms
from scholarmind.tree.clustering import Vectors, cosine, likeness

_FOUND = 300  # passages; what the others have in common with a question is next to nothing
_COMPARED = 8  # of them, to tell what a score of the index means
_TEXTS = "SELECT number, text FROM passages WHERE number IN ({})"

Rarity = Callable[[Sequence[str]], Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordLikeness:
    """Compares one question by its words."""

    database: Database
    keyword: KeywordIndex
    search: Search

    def of_nodes(self, image: Image, mask: Mask | None) -> Vectors:
        """Return the likeness of each node: the cosine with its sum is the sum of those with its passages, by its length."""
        hits = self.keyword.search(terms(self.search.text), _FOUND, mask, self.search.translations).ranked()
        known = [(passage, score) for passage, score in hits if passage in image.home_of]
        found = np.zeros(len(image.numbers) + 1, np.float64)
        for passage, score in known:
            found[image.home_of[passage] + 1] += score
        sums = np.cumsum(found)
        below = sums[image.ends] - sums[:-1]
        return likeness((self._worth(known[:_COMPARED]) * below / image.lengths).astype(np.float32))

    def of_texts(self, texts: Sequence[str]) -> list[float]:
        """Return the likeness of texts."""
        return likeness(np.array(self._cosines(texts), np.float32)).tolist()

    def _worth(self, known: Sequence[tuple[int, float]]) -> float:
        """Return what a score of the index is as a cosine."""
        texts = dict(look_up(self.database, _TEXTS, [passage for passage, _ in known]))
        present = [(texts[passage], score) for passage, score in known if passage in texts]
        total = sum(score for _, score in present)
        return sum(self._cosines([text for text, _ in present])) / total if total else 0.0

    def _cosines(self, texts: Sequence[str]) -> list[float]:
        asked, others = terms(self.search.text), [terms(text) for text in texts]
        rarity = self.keyword.rarity(list(dict.fromkeys(term for words in (asked, *others) for term in words)))
        return [cosine(asked, words, rarity) for words in others]
