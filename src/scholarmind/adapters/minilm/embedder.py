"""The embedder that is always there: one ONNX session, batches of like length, its work in a thread."""

import asyncio
import importlib
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.minilm.network import DIMENSION, build
from scholarmind.adapters.minilm.wordpiece import WordPiece
from scholarmind.errors import ModelError
from scholarmind.ports import Embeddings

_WEIGHTS = Path(__file__).parent / "weights"
_TOKENS = 256  # what the model was trained to read; longer text is cut
_BATCH_TOKENS = 4096
_BATCH_TEXTS = 32


class MiniLM:
    """all-MiniLM-L6-v2. Nothing is loaded until the first text arrives."""

    dimension = DIMENSION

    def __init__(self, *, precision: str = "fp32", threads: int = 0) -> None:
        self.fingerprint = f"all-MiniLM-L6-v2/{DIMENSION}/{precision}"
        self._int8 = precision == "int8"
        self._threads = threads
        self._loading = threading.Lock()

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a unit vector for each text and the share of its tokens that the model does not know."""
        return await asyncio.to_thread(self.encode, texts)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Do the work of `embed` in this thread."""
        with self._loading:
            tokenizer, session = self._tokenizer, self._session
        encoded = [tokenizer.encode(text, _TOKENS) for text in texts]
        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        for batch in _batches(encoded):
            ids = np.zeros((len(batch), len(encoded[batch[-1]])), np.int64)
            mask = np.zeros_like(ids)
            for row, number in enumerate(batch):
                ids[row, : len(encoded[number])] = encoded[number]
                mask[row, : len(encoded[number])] = 1
            vectors[batch] = session.run(None, {"ids": ids, "mask": mask})[0]
        unknown = [ids.count(tokenizer.unknown) / max(1, len(ids) - 2) for ids in encoded]
        return Embeddings(vectors=vectors, unknown=unknown)

    @cached_property
    def _tokenizer(self) -> WordPiece:
        return WordPiece(_required("vocab.txt"))

    @cached_property
    def _session(self) -> Any:
        onnxruntime: Any = importlib.import_module("onnxruntime")  # 0.2 s that a keyword search need not pay

        model, weights = build(_required("model.safetensors"), int8=self._int8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # the cores are shared
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
        options.add_external_initializers(list(weights), values)
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _batches(encoded: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the numbers of texts of like length, shortest first, so that little of a batch is padding."""
    batch: list[int] = []
    for number in sorted(range(len(encoded)), key=lambda n: len(encoded[n])):
        if batch and (len(batch) == _BATCH_TEXTS or (len(batch) + 1) * len(encoded[number]) > _BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _required(name: str) -> Path:
    path = _WEIGHTS / name
    if not path.is_file():
        raise ModelError(f"the embedder's file {name!r} is missing from {str(_WEIGHTS)!r}; install scholarmind again")
    return path
