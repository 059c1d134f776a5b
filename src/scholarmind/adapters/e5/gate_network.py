"""How likely a question is composite: a small network over the middle states of its tokens in multilingual-e5-small.

Two narrow layers of attention see how the words hang together; the mean and the largest of what they make of each token are weighed. The
weights are made by `scripts/train_gate.py`.
"""

from functools import cached_property
from pathlib import Path

import numpy as np

from scholarmind.adapters.bert.onnx import Array
from scholarmind.adapters.e5.reader import E5Reader

WEIGHTS = Path(__file__).with_name("gate.npz")
WIDTH, HEADS, LAYERS = 64, 4, 2
_EPSILON = 1e-5


class E5Gate:
    """Reads questions with the network of a reader, which it shares."""

    def __init__(self, reader: E5Reader) -> None:
        self._reader = reader

    def composite(self, question: str) -> float | None:
        """Return how likely a question is composite (0 to 1); None where too much of it is unknown."""
        states = self._reader.states(question)
        return None if states is None else probability(states, self._weights)

    @cached_property
    def _weights(self) -> dict[str, Array]:
        with np.load(WEIGHTS) as kept:
            return {name: kept[name].astype(np.float32) for name in kept.files}


def probability(states: Array, weights: dict[str, Array]) -> float:
    """Return the chance that the question with these states is composite."""
    hidden = _normed(states) @ weights["narrow.weight"].T + weights["narrow.bias"]
    for number in range(LAYERS):
        hidden = _layer(hidden, weights, f"layers.{number}")
    hidden = _normed(hidden) * weights["norm.weight"] + weights["norm.bias"]
    pooled = np.concatenate([hidden.mean(0), hidden.max(0)])
    score = float(pooled @ weights["head.weight"][0] + weights["head.bias"][0])
    return float(1 / (1 + np.exp(-score)))


def _layer(hidden: Array, weights: dict[str, Array], name: str) -> Array:
    def linear(values: Array, part: str, kind: str = ".") -> Array:
        return values @ weights[f"{name}.{part}{kind}weight"].T + weights[f"{name}.{part}{kind}bias"]

    def normed(values: Array, part: str) -> Array:
        return _normed(values) * weights[f"{name}.{part}.weight"] + weights[f"{name}.{part}.bias"]

    projected = linear(normed(hidden, "norm1"), "self_attn", ".in_proj_")
    # by head, token and number
    query, key, value = projected.reshape(len(hidden), 3, HEADS, WIDTH // HEADS).transpose(1, 2, 0, 3)
    alike = query @ key.transpose(0, 2, 1) / np.sqrt(WIDTH // HEADS)
    shares = np.exp(alike - alike.max(-1, keepdims=True))
    attended = (shares / shares.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(hidden), WIDTH)
    hidden = hidden + linear(attended, "self_attn", ".out_proj.")
    return hidden + linear(np.maximum(linear(normed(hidden, "norm2"), "linear1"), 0), "linear2")


def _normed(values: Array) -> Array:
    centred = values - values.mean(-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + _EPSILON)
