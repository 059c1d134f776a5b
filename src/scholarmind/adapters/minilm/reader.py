"""A reader of answers: how likely a short text answers a question, read together by the embedder's own network.

The upper three of its six layers were trained further, on questions and texts written for it (`scripts/train_reader.py`); they are kept in
eight bits a weight. English only: of a text that is mostly unknown to it, it says nothing.
"""

import importlib
import threading
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.minilm.encoder import required
from scholarmind.adapters.minilm.network import build_for_pairs
from scholarmind.adapters.minilm.onnx import Array
from scholarmind.adapters.minilm.wordpiece import WordPiece

_TUNED = Path(__file__).with_name("reader.npz")
_QUESTION_TOKENS, _TEXT_TOKENS = 48, 110
_MOST_UNKNOWN = 0.3  # of the tokens
_REMEMBERED = 4_096


class AnswerReader:
    """Loaded when it is first asked; it remembers what it read last."""

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._read = lru_cache(maxsize=_REMEMBERED)(self._read_anew)

    def __call__(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """Return for each text how likely it answers the question (0 to 1); None where it cannot be read."""
        return [self._read(question, text) for text in texts]

    def _read_anew(self, question: str, text: str) -> float | None:
        with self._loading:
            tokenizer, session, head = self._tokenizer, self._session, self._head
        asked = tokenizer.encode(question, _QUESTION_TOKENS)
        said = tokenizer.encode(text, _TEXT_TOKENS)[1:]
        ids = np.array([asked + said], np.int64)
        if (ids == tokenizer.unknown).mean() > _MOST_UNKNOWN:
            return None
        kinds = np.array([[0] * len(asked) + [1] * len(said)], np.int64)
        places = np.arange(ids.shape[1], dtype=np.int64)[None]
        members = np.ones((1, 1, ids.shape[1]), np.float32)
        hidden: Array = session.run(None, {"ids": ids, "places": places, "kinds": kinds, "members": members})[0][0]
        one, other = hidden[: len(asked)].mean(0), hidden[len(asked) :].mean(0)
        likeness = float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other) + 1e-8))
        weights, bias = head
        score = float(np.append(hidden.mean(0), likeness) @ weights + bias)
        return float(1 / (1 + np.exp(-np.clip(score, -30, 30))))

    @cached_property
    def _tokenizer(self) -> WordPiece:
        return WordPiece(required("vocab.txt"))

    @cached_property
    def _kept(self) -> dict[str, Array]:
        with np.load(_TUNED) as kept:
            return {name: kept[name] for name in kept.files}

    @cached_property
    def _head(self) -> tuple[Array, float]:
        return self._kept["head.weight"][0], float(self._kept["head.bias"][0])

    @cached_property
    def _session(self) -> Any:
        onnxruntime: Any = importlib.import_module("onnxruntime")
        tuned = {
            name: value.astype(np.float32) * self._kept[scale] if (scale := f"{name}.scale") in self._kept else value
            for name, value in self._kept.items()
            if not name.startswith("head") and not name.endswith(".scale")
        }
        model, weights = build_for_pairs(
            required("model.safetensors"), {name: value.astype(np.float32) for name, value in tuned.items()}
        )
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
        options.add_external_initializers(list(weights), values)
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
