"""Vectors from any server that speaks OpenAI's `/embeddings`: batches, retries, and errors that name the setting to mend."""

import asyncio
import random
from collections.abc import Sequence
from typing import Any

import httpx2
import numpy as np

from scholarmind.errors import ModelError, ModelUnavailableError
from scholarmind.ports import Embeddings

_TRIES = 4
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 20.0
_TOLD = 300  # characters of a server's own words that go into an error


class OpenAIEmbedder:
    """One model on one server. The server's tokenizer is unknown, so no text counts as unknown to it."""

    def __init__(self, *, base_url: str, model: str, api_key: str = "", batch: int = 64, timeout: float = 60.0) -> None:
        self.fingerprint = f"openai/{model}"
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._model = model
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._batch = batch
        self._timeout = timeout

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a unit vector for each text."""
        vectors: list[list[float]] = []
        async with httpx2.AsyncClient(headers=self._headers, timeout=self._timeout) as client:
            for start in range(0, len(texts), self._batch):
                batch = [text or " " for text in texts[start : start + self._batch]]
                vectors += self._read(await self._ask(client, batch), len(batch))
        return Embeddings(vectors=self._normalised(vectors), unknown=[0.0] * len(texts))

    async def _ask(self, client: httpx2.AsyncClient, batch: list[str]) -> Any:
        told = ""
        for attempt in range(_TRIES):
            wait = 0.0
            try:
                answer = await client.post(
                    self._url, json={"model": self._model, "input": batch, "encoding_format": "float"}
                )
            except httpx2.TransportError as error:
                told = f"{type(error).__name__}: {error}"
            else:
                if answer.is_success:
                    return _json(answer, self._url)
                told = f"{answer.status_code}: {answer.text[:_TOLD]}"
                if answer.status_code not in {408, 409, 429} and answer.status_code < 500:
                    raise ModelUnavailableError(
                        f"{self._url} refused model {self._model!r} ({told}); {_advice(answer.status_code)}"
                    )
                wait = _retry_after(answer)
            if attempt + 1 < _TRIES:
                pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt)
                await asyncio.sleep(max(min(wait, _LONGEST_PAUSE), random.uniform(0, pause)))  # noqa: S311  (jitter)
        raise ModelUnavailableError(
            f"{self._url} did not answer after {_TRIES} tries ({told}); check SCHOLARMIND_EMBEDDING_BASE_URL and that the server runs"
        )

    def _read(self, answer: Any, count: int) -> list[list[float]]:
        try:
            rows = sorted(answer["data"], key=lambda row: row["index"])
            vectors = [[float(number) for number in row["embedding"]] for row in rows]
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"{self._url} answered without the vectors that were asked for ({error!r}); is it an embeddings endpoint?"
            ) from error
        if len(vectors) != count or len({len(vector) for vector in vectors}) > 1:
            raise ModelError(
                f"{self._url} gave {len(vectors)} vectors of mixed or wrong number for {count} texts; try SCHOLARMIND_EMBEDDING_BATCH=1"
            )
        return vectors

    def _normalised(self, vectors: list[list[float]]) -> Any:
        matrix = np.array(vectors, np.float32).reshape(len(vectors), -1)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not np.isfinite(matrix).all() or not lengths.all():
            raise ModelError(
                f"{self._url} gave a vector that is zero or not finite; model {self._model!r} cannot be used"
            )
        return matrix / lengths


def _json(answer: httpx2.Response, url: str) -> Any:
    try:
        return answer.json()
    except ValueError as error:
        raise ModelError(
            f"{url} answered something that is not JSON ({answer.text[:80]!r}); is it an embeddings endpoint?"
        ) from error


def _retry_after(answer: httpx2.Response) -> float:
    try:
        return float(answer.headers.get("retry-after", "0"))
    except ValueError:
        return 0.0


def _advice(status: int) -> str:
    if status in {401, 403}:
        return "check SCHOLARMIND_EMBEDDING_API_KEY"
    if status == 404:
        return "check SCHOLARMIND_EMBEDDING_BASE_URL (it usually ends in /v1) and SCHOLARMIND_EMBEDDING_MODEL"
    return "check SCHOLARMIND_EMBEDDING_MODEL and SCHOLARMIND_EMBEDDING_BATCH"
