"""Scores from a server with `/rerank`, as Cohere, Jina, vLLM and llama.cpp have it (one shape) and text-embeddings-inference (another)."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal
from urllib.parse import urlsplit

from scholarmind.adapters.rerankers.calibration import sigmoid
from scholarmind.adapters.rerankers.posting import Posting, RefusedError
from scholarmind.adapters.rerankers.replies import scores
from scholarmind.errors import ModelError, ModelReplyError, SettingsError
from scholarmind.model import Evidence, text_to_embed
from scholarmind.ports import Rated

Shape = Literal["auto", "cohere", "tei"]
_UNKNOWN_FIELDS = {400, 404, 405, 415, 422}  # what servers say to a request in the other shape


class HttpReranker:
    """One model on one server. Which of the two shapes it speaks is found out by the first question."""

    name = "http"

    def __init__(
        self, *, base_url: str, model: str = "", api_key: str = "", shape: Shape = "auto", seconds: float = 5.0
    ) -> None:
        self._server = _server(base_url)
        self._url = f"{base_url.rstrip('/').removesuffix('/rerank')}/rerank"
        self._model = model
        self._key = api_key
        self._shape: Shape = shape
        self._seconds = seconds
        self._unbounded = False  # whether scores were seen that are no probabilities

    async def rate(self, question: str, evidence: Sequence[Evidence]) -> Rated:
        """Return the server's scores; a passage that it leaves out has none."""
        if not evidence:
            return Rated(scores=())
        texts = [text_to_embed(item.document.title, item.passage) for item in evidence]
        try:
            async with Posting(self._url, self._key, self._seconds) as posting:
                found = await self._asked(posting, question, texts)
        except ModelError as error:
            return Rated(scores=(None,) * len(texts), notes=(f"not ordered by the rerank server: {error}",))
        # once seen it holds for all that come: scores of one question must not stand on two scales
        self._unbounded = self._unbounded or any(not 0 <= score <= 1 for score in found.values())
        if self._unbounded:
            found = {place: sigmoid(score) for place, score in found.items()}
        missing = len(texts) - len(found)
        notes = (f"{self._server} gave no score for {missing} of {len(texts)} passages; they keep their places",)
        return Rated(scores=tuple(found.get(place) for place in range(len(texts))), notes=notes if missing else ())

    async def _asked(self, posting: Posting, question: str, texts: Sequence[str]) -> dict[int, float]:
        """Return the scores by place, in whichever shape the server understands; that one is used from then on."""
        if self._shape != "auto":
            return await self._said(posting, self._shape, question, texts)
        try:
            found = await self._said(posting, "cohere", question, texts)
        except RefusedError as refused:
            if refused.status not in _UNKNOWN_FIELDS:
                raise
            found = await self._otherwise(posting, question, texts, refused)
            self._shape = "tei"
        else:
            self._shape = "cohere"
        return found

    async def _otherwise(
        self, posting: Posting, question: str, texts: Sequence[str], refused: RefusedError
    ) -> dict[int, float]:
        try:
            return await self._said(posting, "tei", question, texts)
        except RefusedError as other:
            raise RefusedError(
                f"{refused}, and in the other shape: {other}; check rerank_base_url and rerank_model", other.status
            ) from other

    async def _said(self, posting: Posting, shape: Shape, question: str, texts: Sequence[str]) -> dict[int, float]:
        content = await posting.post(self._body(shape, question, texts))
        try:
            return scores(content, len(texts))
        except ModelReplyError as error:
            raise ModelReplyError(f"{self._server} {error}") from error

    def _body(self, shape: Shape, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
        if shape == "tei":
            return {"query": question, "texts": texts, "raw_scores": False, "truncate": True}
        named = {"model": self._model} if self._model else {}
        return {**named, "query": question, "documents": texts, "top_n": len(texts)}


def _server(base_url: str) -> str:
    """Return the name of the server, or say what is wrong with its address."""
    with suppress(ValueError):
        parts = urlsplit(base_url)
        if parts.scheme in {"http", "https"} and parts.hostname:
            return parts.hostname
    raise SettingsError(
        f"rerank = 'http' needs rerank_base_url, which is {base_url!r}; it is the address of a server with /rerank, "
        "such as 'https://api.jina.ai/v1', 'https://api.cohere.com/v2' or 'http://localhost:8080'"
    )
