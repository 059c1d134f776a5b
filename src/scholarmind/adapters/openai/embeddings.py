"""Vectors from any server that speaks OpenAI's `/embeddings`: batches, retries, and errors that name the setting to mend."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from scholarmind.adapters.openai.connection import Connection
from scholarmind.adapters.openai.endpoint import Endpoint, Patience
from scholarmind.adapters.openai.refusals import RefusedError
from scholarmind.errors import ContextOverflowError, ModelError, ModelUnavailableError
from scholarmind.ports import Embeddings

_MOST_BYTES = 500_000_000  # 2,048 texts with 4,096 numbers each are 200 MB of JSON


class OpenAIEmbedder:
    """One model on one server. The server's tokenizer is unknown, so no text counts as unknown to it."""

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str = "",
        batch: int = 64,
        timeout: float = 60.0,
        patience: Patience | None = None,
    ) -> None:
        self.fingerprint = f"openai/{model}"
        self._model = model
        self._batch = batch
        self._endpoint = Endpoint(
            base_url=base_url,
            model=model,
            api_key=api_key,
            patience=patience
            or Patience(connect=timeout, read=timeout, total=5 * timeout, setting="SCHOLARMIND_EMBEDDING_TIMEOUT"),
            settings="SCHOLARMIND_EMBEDDING",
        )
        self._url = self._endpoint.server

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a unit vector for each text."""
        vectors: list[list[float]] = []
        async with Connection(self._endpoint) as connection:
            for start in range(0, len(texts), self._batch):
                batch = [text or " " for text in texts[start : start + self._batch]]
                vectors += self._read(await self._ask(connection, batch), len(batch))
        return Embeddings(vectors=self._normalised(vectors), unknown=[0.0] * len(texts))

    async def _ask(self, connection: Connection, batch: list[str]) -> Any:
        body = {"model": self._model, "input": batch, "encoding_format": "float"}
        try:
            return await connection.ask("embeddings", body, most=_MOST_BYTES)
        except ContextOverflowError as error:
            raise ModelUnavailableError(
                f"{error}; try a smaller SCHOLARMIND_EMBEDDING_BATCH or SCHOLARMIND_PASSAGE_TOKENS"
            ) from error
        except RefusedError as error:
            if error.status == 200:  # a web page: nobody should go on without vectors because the address is wrong
                raise ModelError(f"{error}; is it an embeddings endpoint?") from error
            if error.status in {400, 422}:
                raise ModelUnavailableError(f"{error} and SCHOLARMIND_EMBEDDING_BATCH") from error
            raise

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
