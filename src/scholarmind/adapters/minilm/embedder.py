"""The embedder that is always there: one ONNX session, batches of one length, its work in a thread."""

import asyncio
import importlib
import os
import threading
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.minilm.network import DIMENSION, build
from scholarmind.adapters.minilm.wordpiece import WordPiece
from scholarmind.errors import ModelError
from scholarmind.ports import Embeddings

_WEIGHTS = Path(__file__).parent / "weights"
_TOKENS = 256  # what the model was trained to read; longer text is cut
_BATCH_TOKENS = 512  # larger ones are no faster and take more memory
_made: "weakref.WeakSet[MiniLM]" = weakref.WeakSet()
_left_to_parent: list[Any] = []  # tidying up the parent's session in a child would wait for threads that are not there


class MiniLM:
    """all-MiniLM-L6-v2. Nothing is loaded until the first text arrives."""

    dimension = DIMENSION

    def __init__(self, *, precision: str = "fp32", threads: int = 0) -> None:
        self.fingerprint = f"all-MiniLM-L6-v2/{DIMENSION}/{precision}"
        self._int8 = precision == "int8"
        self._threads = threads or len(os.sched_getaffinity(0))
        self._loading = threading.Lock()
        _made.add(self)

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a unit vector for each text and the share of its tokens that the model does not know."""
        return await asyncio.to_thread(self.encode, texts)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Do the work of `embed` in this thread."""
        with self._loading:
            tokenizer, session = self._tokenizer, self._session
        encoded = [tokenizer.encode(text, _TOKENS) for text in texts]
        vectors = np.zeros((len(texts), DIMENSION), np.float32)

        def run(batch: list[int]) -> None:
            ids = np.array([encoded[number] for number in batch], np.int64)
            vectors[batch] = session.run(None, {"ids": ids})[0]

        batches = list(_batches(encoded))
        if len(batches) > 1:
            with ThreadPoolExecutor(self._threads) as workers:
                list(workers.map(run, batches))
        elif batches:
            run(batches[0])
        unknown = [ids.count(tokenizer.unknown) / max(1, len(ids) - 2) for ids in encoded]
        return Embeddings(vectors=vectors, unknown=unknown)

    def after_fork(self) -> None:
        """Load again in a forked child, where the session's threads do not live on."""
        _left_to_parent.append(self.__dict__.pop("_session", None))
        self._loading = threading.Lock()

    @cached_property
    def _tokenizer(self) -> WordPiece:
        return WordPiece(_required("vocab.txt"))

    @cached_property
    def _session(self) -> Any:
        onnxruntime: Any = importlib.import_module("onnxruntime")  # 0.2 s that a keyword search need not pay

        model, weights = build(_required("model.safetensors"), int8=self._int8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # whole batches side by side: 5 % faster than threads inside of one
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # the cores are shared
        # the graph is fused as far as it pays: onnxruntime would put its slow fused layer norm back
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
        options.add_external_initializers(list(weights), values)
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _batches(encoded: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the numbers of texts of one length, shortest first: padding would cost more than small batches do."""
    by_length = sorted(range(len(encoded)), key=lambda number: len(encoded[number]))
    for length, group in groupby(by_length, key=lambda number: len(encoded[number])):
        numbers = list(group)
        size = max(1, _BATCH_TOKENS // length)
        yield from (numbers[start : start + size] for start in range(0, len(numbers), size))


def _required(name: str) -> Path:
    path = _WEIGHTS / name
    if not path.is_file():
        raise ModelError(f"the embedder's file {name!r} is missing from {str(_WEIGHTS)!r}; install scholarmind again")
    return path


def _after_fork() -> None:
    for model in list(_made):
        model.after_fork()


os.register_at_fork(after_in_child=_after_fork)
