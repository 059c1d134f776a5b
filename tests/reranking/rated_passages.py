"""Passages, lexicons and rerankers as the tests of reranking need them."""

from collections.abc import Mapping, Sequence

from scholarmind.errors import LibraryStorageError
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.ports import Rated


def passage(
    text: str, position: int = 0, *, title: str = "", vector: float | None = None, fused: float = 0.5, by: str = "1"
) -> Evidence:
    """A passage of a document of its own."""
    return Evidence(
        passage=Passage(text=text, start=0, end=len(text), position=position),
        document=Document(id=f"d{position}", title=title),
        scores=Scores(fused=fused, vector=vector),
        found_by=frozenset((by,)),
    )


class Rare:
    """A lexicon in which the words that are named are rare, and all others are common."""

    def __init__(self, *words: str) -> None:
        self._words = words

    async def rarity(self, words: Sequence[str]) -> Mapping[str, float]:
        return {word: 6.0 if word in self._words else 1.0 for word in words}


class Broken:
    """A lexicon whose library is gone."""

    async def rarity(self, words: Sequence[str]) -> Mapping[str, float]:
        raise LibraryStorageError("the disk is gone")


class Told:
    """A reranker that was told the score of each text; others it cannot score."""

    name = "told"

    def __init__(self, scores: Mapping[str, float], reason: str = "") -> None:
        self.scores = scores
        self.asked: list[tuple[str, tuple[str, ...]]] = []  # each question, with the texts that were to be scored
        self._reason = reason

    async def rate(self, question: str, evidence: Sequence[Evidence]) -> Rated:
        texts = tuple(item.passage.text for item in evidence)
        self.asked.append((question, texts))
        scores = tuple(self.scores.get(text) for text in texts)
        reasons = tuple(self._reason for _ in texts) if self._reason else ()
        return Rated(scores=scores, reasons=reasons)
