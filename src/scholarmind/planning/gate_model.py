"""A small classifier for the questions that the rules leave open: logistic regression over what is counted in a question and its vector.

The weights are made by `scripts/train_gate.py`, which also prints the families of questions that they were made from.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import mul

from scholarmind.planning.gate_features import features
from scholarmind.planning.gate_text import gate_text

WEIGHTS = "gate_weights.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The weights of one regression; those of the vector are whole numbers, to be multiplied by `scale`."""

    counted: tuple[float, ...]
    bias: float
    vector: tuple[int, ...] = ()
    scale: float = 0.0

    def probability(self, counted: Sequence[float], vector: Sequence[float]) -> float:
        """Return the chance that a question is composite."""
        score = self.bias + sum(map(mul, self.counted, counted)) + self.scale * sum(map(mul, self.vector, vector))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


@dataclass(frozen=True, slots=True, kw_only=True)
class GateModel:
    """Two regressions: one with the vector of the question, one for questions that have no sensible vector."""

    words: Head
    meaning: Head
    fingerprint: str  # of the embedder whose vectors it knows
    families: tuple[str, ...] = ()  # the question sets that it was made from

    @classmethod
    def load(cls) -> "GateModel":
        """Return the model that is shipped."""
        return _shipped()

    @classmethod
    def parse(cls, text: str) -> "GateModel":
        """Read weights as `dump` writes them."""
        read = json.loads(text)
        return cls(
            words=_head(read["words"]),
            meaning=_head(read["meaning"]),
            fingerprint=read["fingerprint"],
            families=tuple(read["families"]),
        )

    def dump(self) -> str:
        """Return the weights as JSON."""
        heads = {
            name: {"counted": head.counted, "bias": head.bias, "vector": head.vector, "scale": head.scale}
            for name, head in (("words", self.words), ("meaning", self.meaning))
        }
        record = {"fingerprint": self.fingerprint, "families": self.families, **heads}
        return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"

    def probability(self, question: str, vector: Sequence[float] | None) -> float:
        """Return the chance that a question is composite; without a vector, or with one of another length, by its words alone."""
        counted = features(gate_text(question))
        if vector is None or len(vector) != len(self.meaning.vector):
            return self.words.probability(counted, ())
        return self.meaning.probability(counted, [float(value) for value in vector])


@cache
def _shipped() -> GateModel:
    return GateModel.parse(files("scholarmind.planning").joinpath(WEIGHTS).read_text(encoding="utf-8"))


def _head(read: dict[str, list[float] | float]) -> Head:
    return Head(counted=tuple(read["counted"]), bias=read["bias"], vector=tuple(read["vector"]), scale=read["scale"])  # type: ignore[arg-type]
