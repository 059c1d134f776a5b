"""The library's search as the reading path asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholarmind.filters import Filter, both
from scholarmind.library.filtering import emptied
from scholarmind.library.recalling import Recalling
from scholarmind.library.retrieval import Retrieval
from scholarmind.library_ports import Catalog
from scholarmind.model import Evidence, Found, Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryRetriever:
    """Searches in one way, and only among what passes `within`."""

    retrieval: Retrieval
    mode: Mode = "hybrid"
    within: Filter | None = None
    every_score: bool = False  # tell the cosine also of what only its words found
    recalling: Recalling | None = None  # a memory of searches
    catalog: Catalog | None = None  # to say which filter lets nothing pass
    standing: tuple[str, ...] = ()  # what is to be said of every search of this library

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        """Return the best passages for a question."""
        wanted = both(self.within, filter)
        searching = self.recalling or self.retrieval
        found = await searching.search(question, k, mode=self.mode, filter=wanted, every_score=self.every_score)
        found = replace(found, notices=(*found.notices, *self.standing)) if self.standing else found
        if found.evidence or self.within is None or self.catalog is None:
            return found
        why = await emptied(self.catalog, self.within, question)
        return replace(found, notices=(*found.notices, why)) if why else found

    async def linked(self, question: str, seeds: Sequence[Evidence], k: int) -> Found:
        """Return the passages that are one mention away from the seeds."""
        searching = self.recalling or self.retrieval
        return await searching.linked(question, seeds, k, mode=self.mode, filter=self.within)
