"""Search as a user asks for it: embed the question if that makes sense, ask the store, and say what was left out and why."""

from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.errors import ModelUnavailableError
from scholarmind.filters import Filter
from scholarmind.model import Found, Fusion, Mode, Search
from scholarmind.ports import Embedder, Searcher

_EMBEDDED_CHARACTERS = 2_000  # an embedder reads no further

NO_SENSE = (
    "searched by keywords only: {share:.0%} of the question's tokens are unknown to the embedder {name!r}. For vectors in this language, "
    "set SCHOLARMIND_EMBEDDER=openai with SCHOLARMIND_EMBEDDING_BASE_URL and SCHOLARMIND_EMBEDDING_MODEL of a multilingual model"
)


NO_EMBEDDER = "searched by keywords only: there is no embedder; set SCHOLARMIND_EMBEDDER=minilm, and run 'scholarmind add' for the vectors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """A store and the embedder that its vectors were made with."""

    store: Searcher
    embedder: Embedder | None
    unknown_limit: float = 0.25
    fusion: Fusion = "convex"
    dense_weight: float = 0.6

    async def search(
        self,
        question: str,
        k: int = 10,
        *,
        mode: Mode = "hybrid",
        filter: Filter | None = None,
        per_document: int | None = None,
    ) -> Found:
        """Return the best `k` passages for a question, in any language and of any length."""
        if not question.strip():
            return Found(evidence=(), notices=("the question is empty",))
        vector, notices = (None, ()) if mode == "keyword" else await self._embed(question, mode)
        search = Search(
            text=question,
            vector=vector,
            k=k,
            mode=mode,
            filter=filter,
            per_document=per_document,
            fusion=self.fusion,
            dense_weight=self.dense_weight,
        )
        return Found(evidence=tuple(await self.store.search(search)), notices=notices)

    async def _embed(self, question: str, mode: Mode) -> tuple[Sequence[float] | None, tuple[str, ...]]:
        if self.embedder is None:
            return None, (NO_EMBEDDER,) if mode == "vector" else ()
        try:
            found = await self.embedder.embed([question[:_EMBEDDED_CHARACTERS]])
        except ModelUnavailableError as error:
            return None, (f"searched by keywords only: {error}",)
        if found.unknown[0] > self.unknown_limit:
            return None, (NO_SENSE.format(share=found.unknown[0], name=self.embedder.fingerprint),)
        return found.vectors[0], ()
