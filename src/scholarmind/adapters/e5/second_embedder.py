"""An embedder for English and Chinese together: a question finds what answers it in either language.

multilingual-e5-small as it was before the reader was trained. It puts texts of one language near each other whatever they are about, so
what all questions and all passages of a language have in common is taken away (`scripts/centre_languages.py` measures it).
"""

import asyncio
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from scholarmind.adapters.bert import DIMENSION, Array, build, open_session
from scholarmind.adapters.e5.reader import UPPER, E5Reader, run, untrained
from scholarmind.ports import Embeddings
from scholarmind.text.language import HAN, lazy_regex

LANGUAGES = Path(__file__).with_name("languages.npz")
TOKENS = 320
_LATIN_WORD = lazy_regex(r"[A-Za-z]+")
_WORD_WEIGHT = 1.5  # of a Latin word beside a Chinese character

Side = Literal["query", "passage"]


class E5Embedder:
    """Embeds questions, or passages, with the untrained weights of a reader. Nothing is loaded until the first text arrives."""

    fingerprint = f"multilingual-e5-small/{DIMENSION}/1"

    def __init__(self, reader: E5Reader, side: Side) -> None:
        self._reader = reader
        self._side: Side = side
        self._loading = threading.Lock()

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a unit vector for each text and the share of its tokens that the model does not know."""
        return await asyncio.to_thread(self.encode, texts)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Do the work of `embed` in this thread."""
        made = self.plain(texts)
        shares = np.array([chinese_share(text) for text in texts], np.float32)[:, None]
        english, chinese = (self._common[f"{self._side}_{language}"] for language in ("en", "zh"))
        centred = made.vectors - shares * chinese - (1 - shares) * english
        return Embeddings(vectors=centred / np.linalg.norm(centred, axis=1, keepdims=True), unknown=made.unknown)

    def plain(self, texts: Sequence[str]) -> Embeddings:
        """Return the vectors with what texts of a language have in common."""
        ids = [self._reader.ids(f"{self._side}: {text}", TOKENS) for text in texts]
        vectors = np.zeros((len(texts), DIMENSION), np.float32)

        with self._loading:
            session = self._session

        def embed(number: int) -> None:
            vectors[number] = run(session, self._reader.middle(ids[number]))[0]

        if len(texts) > 1:
            with ThreadPoolExecutor(os.cpu_count() or 1) as workers:
                list(workers.map(embed, range(len(texts))))
        elif texts:
            embed(0)
        unknown = [each.count(self._reader.unknown) / max(1, len(each) - 2) for each in ids]
        return Embeddings(vectors=vectors, unknown=unknown)

    @cached_property
    def _session(self) -> Any:
        return open_session(build(untrained(), UPPER, int8=True, pooled=True), threads=1)

    @cached_property
    def _common(self) -> dict[str, Array]:
        with np.load(LANGUAGES) as kept:
            return {name: kept[name] for name in kept.files}


def chinese_share(text: str) -> float:
    """Return how much of a text is Chinese; names of methods in Latin letters stand in most of them."""
    characters, words = len(HAN.findall(text)), len(_LATIN_WORD.findall(text))
    return characters / (characters + _WORD_WEIGHT * words) if characters else 0.0
