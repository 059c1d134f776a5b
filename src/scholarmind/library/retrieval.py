"""Search as a user asks for it: embed the question if that makes sense, ask the store, and say what was left out and why."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scholarmind.errors import ModelUnavailableError
from scholarmind.filters import Filter
from scholarmind.library_ports import Searcher
from scholarmind.model import Evidence, Found, Fusion, Mode, Search
from scholarmind.ports import Embedder
from scholarmind.text.glossary import translations

_EMBEDDED_CHARACTERS = 2_000  # an embedder reads no further
_SHOWN = 40  # characters of a question in a notice
UNREACHED = "searched by keywords only, since the embedder cannot be asked: "

NO_SENSE = (
    "searched by keywords only: {share:.0%} of the question's tokens are unknown to the embedder {name!r}. For vectors in this language, "
    "set SCHOLARMIND_EMBEDDER=openai with SCHOLARMIND_EMBEDDING_BASE_URL and SCHOLARMIND_EMBEDDING_MODEL of a multilingual model"
)


NO_EMBEDDER = "searched by keywords only: there is no embedder; set SCHOLARMIND_EMBEDDER=minilm, and run 'scholarmind add' for the vectors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """A store and the embedder that its vectors were made with. It remembers the vectors of the questions that it was asked."""

    store: Searcher
    embedder: Embedder | None
    unknown_limit: float = 0.25
    fusion: Fusion = "convex"
    dense_weight: float = 0.6
    glossary: Path | None = None  # of the user's own terms, beside ours
    embedded: dict[str, tuple[Sequence[float] | None, tuple[str, ...]]] = field(default_factory=dict[str, Any])
    embedding: dict[str, asyncio.Event] = field(
        default_factory=dict[str, asyncio.Event]
    )  # those that are being embedded

    async def search(
        self,
        question: str,
        k: int = 10,
        *,
        mode: Mode = "hybrid",
        filter: Filter | None = None,
        per_document: int | None = None,
        every_score: bool = False,
    ) -> Found:
        """Return the best `k` passages for a question, in any language and of any length."""
        if not question.strip():
            return Found(evidence=(), notices=("the question is empty",))
        if not any(map(str.isalnum, question)):  # an embedder would find something alike for any sign
            return Found(evidence=(), notices=(f"there is no word to search for in {question[:_SHOWN]!r}",))
        search, notices = await self.prepared(question, k, mode, filter)
        found = await self.store.search(replace(search, per_document=per_document, every_score=every_score))
        return Found(evidence=tuple(found), notices=notices)

    async def linked(
        self,
        question: str,
        seeds: Sequence[Evidence],
        k: int,
        *,
        mode: Mode = "hybrid",
        filter: Filter | None = None,
    ) -> Found:
        """Return the passages that are one mention away from the seeds, ranked by the question."""
        search, notices = await self.prepared(question, k, mode, filter)
        return Found(evidence=tuple(await self.store.linked(seeds, search)), notices=notices)

    async def prepared(
        self, question: str, k: int, mode: Mode, filter: Filter | None
    ) -> tuple[Search, tuple[str, ...]]:
        """Return the search that a question makes, with its vector, and what is to be said of that."""
        if mode == "keyword":
            vector, notices = None, ()
        else:
            vector, notices = await self._embedded_once(question, mode)
        search = Search(
            text=question,
            vector=vector,
            k=k,
            mode=mode,
            filter=filter,
            fusion=self.fusion,
            dense_weight=self.dense_weight,
            translations=tuple(translations(question, self.glossary)),
        )
        return search, notices

    def vector_of(self, question: str) -> Sequence[float] | None:
        """Return the vector of a question that was searched for, if it had one."""
        return self.embedded.get(question, (None, ()))[0]

    def know(self, question: str, vector: Sequence[float] | None, notices: tuple[str, ...]) -> None:
        """Take the vector of a question from somebody who kept it."""
        if vector is not None:
            self.embedded.setdefault(question, (vector, notices))

    async def _embedded_once(self, question: str, mode: Mode) -> tuple[Sequence[float] | None, tuple[str, ...]]:
        """Embed a question that several searches ask at the same moment for all of them."""
        while question in self.embedding:
            await self.embedding[question].wait()
        if question not in self.embedded:
            done = self.embedding[question] = asyncio.Event()
            try:
                self.embedded[question] = await self._embed(question, mode)
            finally:
                del self.embedding[question]
                done.set()
        return self.embedded[question]

    async def _embed(self, question: str, mode: Mode) -> tuple[Sequence[float] | None, tuple[str, ...]]:
        if self.embedder is None:
            return None, (NO_EMBEDDER,) if mode == "vector" else ()
        try:
            found = await self.embedder.embed([question[:_EMBEDDED_CHARACTERS]])
        except ModelUnavailableError as error:
            return None, (f"{UNREACHED}{error}",)
        if found.unknown[0] > self.unknown_limit:
            return None, (NO_SENSE.format(share=found.unknown[0], name=self.embedder.fingerprint),)
        return found.vectors[0], ()
