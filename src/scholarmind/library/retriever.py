"""The library's search as the reading path asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.filters import Filter, both
from scholarmind.library.recalling import Recalling
from scholarmind.library.retrieval import Retrieval
from scholarmind.model import Evidence, Found, Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryRetriever:
    """Searches in one way, and only among what passes `within`."""

    retrieval: Retrieval
    mode: Mode = "hybrid"
    within: Filter | None = None
    every_score: bool = False  # tell the cosine also of what only its words found
    recalling: Recalling | None = None  # a memory of searches

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        """Return the best passages for a question."""
        wanted = both(self.within, filter)
        searching = self.recalling or self.retrieval
        return await searching.search(question, k, mode=self.mode, filter=wanted, every_score=self.every_score)

    async def linked(self, question: str, seeds: Sequence[Evidence], k: int) -> Found:
        """Return the passages that are one mention away from the seeds."""
        searching = self.recalling or self.retrieval
        return await searching.linked(question, seeds, k, mode=self.mode, filter=self.within)
