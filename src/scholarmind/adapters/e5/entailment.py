"""Whether a text says a sentence: the upper layers of multilingual-e5-small, trained on texts with true and false sentences
(`scripts/train_entailment.py`).

The lower layers read text and sentence each alone. Above, a sentence sees the text and itself, so that a text is read once for all that is
held against it. Each token of a sentence is then held against what of the text is nearest to it; the worst of them weighs most.
"""

import threading
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.bert.network import build_guest, build_host, open_session
from scholarmind.adapters.bert.onnx import Array
from scholarmind.adapters.e5.reader import UPPER, E5Reader, Layers, untrained

WEIGHTS = Path(__file__).with_name("entailment.npz")
TEXT_TOKENS, CLAIM_TOKENS = 320, 80
_MOST_UNKNOWN = 0.3  # of the tokens of a sentence
SHARPNESS = 2.0  # of the smallest of the tokens' scores
_TEXTS, _REMEMBERED = 16, 4_096  # a text takes up to 6 MB


class E5Entailment:
    """Reads with the lower layers of a reader, which it shares; it remembers what it read last."""

    def __init__(self, reader: E5Reader, *, int8: bool = True) -> None:
        self._reader, self._int8 = reader, int8
        self._loading = threading.Lock()
        self._text = lru_cache(maxsize=_TEXTS)(self._read_text)
        self._odds = lru_cache(maxsize=_REMEMBERED)(self._read_sentence)

    def __call__(self, text: str, sentence: str) -> float | None:
        """Return the logarithm of the odds that the text says the sentence; None where too much of the sentence is unknown."""
        return self._odds(text, sentence)

    def _read_text(self, text: str) -> list[Array]:
        with self._loading:
            session = self._sessions[0]
        ids = self._reader.ids(f"passage: {text}", TEXT_TOKENS)
        return session.run(None, {"states": self._reader.middle(ids)[None]})

    def _read_sentence(self, text: str, sentence: str) -> float | None:
        ids = self._reader.ids(f"claim: {sentence}", CLAIM_TOKENS)
        if ids.count(self._reader.unknown) > _MOST_UNKNOWN * len(ids):
            return None
        told, *hosts = self._text(text)
        with self._loading:
            session, weights = self._sessions[1], self._weights
        given = {f"host{number}": host for number, host in enumerate(hosts)}
        own = session.run(None, {"states": self._reader.middle(ids)[None], **given})[0][0]
        return log_odds(told[0], own, weights)

    @cached_property
    def _weights(self) -> dict[str, Array]:
        with np.load(WEIGHTS) as kept:
            return {name: kept[name].astype(np.float32) for name in kept.files if not name.startswith("encoder")}

    @cached_property
    def _sessions(self) -> Sequence[Any]:
        with np.load(WEIGHTS) as trained:
            layers = Layers(untrained(), trained)
            return [
                open_session(build(layers, UPPER, int8=self._int8), threads=1) for build in (build_host, build_guest)
            ]


def log_odds(text: Array, sentence: Array, weights: dict[str, Array]) -> float:
    """Return what the last states of a text's tokens and of a sentence's stand for."""

    def linear(values: Array, name: str) -> Array:
        return values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    asking, asked = linear(sentence, "aq"), linear(text, "ak")
    alike = asking @ asked.T / np.sqrt(asking.shape[1])
    shares = np.exp(alike - alike.max(-1, keepdims=True))
    nearest = shares / shares.sum(-1, keepdims=True) @ text
    both = np.concatenate([sentence, nearest, np.abs(sentence - nearest), sentence * nearest], -1)
    features = _gelu(linear(both, "c1"))
    each = linear(features, "c2")[:, 0]
    least = each.min() - np.log(np.exp(-SHARPNESS * (each - each.min())).mean()) / SHARPNESS
    return float(least + linear(features.mean(0), "mean")[0] + linear(sentence[0], "whole")[0])


def _gelu(values: Array) -> Array:
    # the error function by Abramowitz and Stegun 7.1.26, as exact as half precision
    size = np.abs(values) / 2**0.5
    t = 1 / (1 + 0.3275911 * size)
    rest = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return 0.5 * values * (1 + np.sign(values) * (1 - rest * np.exp(-size * size)))
