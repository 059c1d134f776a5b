"""An embedder that needs no model."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scholarmind.ports import Embeddings
from scholarmind.text.analysis import terms


class HashEmbedder:
    """Vectors from the terms of a text: texts that share terms are near to each other. No model, no state."""

    def __init__(self, dimension: int = 64, unknown: Callable[[str], float] = lambda text: 0.0 * len(text)) -> None:
        self.dimension = dimension
        self.fingerprint = f"hash/{dimension}"
        self._unknown = unknown

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a unit vector for each text."""
        vectors = (
            np.stack([self.vector(text) for text in texts]) if texts else np.empty((0, self.dimension), np.float32)
        )
        return Embeddings(vectors=vectors, unknown=[self._unknown(text) for text in texts])

    def vector(self, text: str) -> Any:
        """Return the vector of one text."""
        vector = np.full(self.dimension, 1e-3, np.float32)
        for term in terms(text):
            digest = hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8).digest()
            vector[int.from_bytes(digest) % self.dimension] += 1
        return vector / np.linalg.norm(vector)
