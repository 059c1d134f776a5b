"""The library's search as the reading path asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.filters import Filter, both
from scholarmind.library.retrieval import Retrieval
from scholarmind.model import Evidence, Found, Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryRetriever:
    """Searches in one way, and only among what passes `within`."""

    retrieval: Retrieval
    mode: Mode = "hybrid"
    within: Filter | None = None

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        """Return the best passages for a question."""
        return await self.retrieval.search(question, k, mode=self.mode, filter=both(self.within, filter))

    async def linked(self, question: str, seeds: Sequence[Evidence], k: int) -> Found:
        """Return the passages that are one mention away from the seeds."""
        return await self.retrieval.linked(question, seeds, k, mode=self.mode, filter=self.within)
