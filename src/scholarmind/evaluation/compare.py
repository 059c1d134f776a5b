"""Two rankings of the same questions beside each other: who was helped, who was hurt, and how sure the mean difference is."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

SEED = 7
RESAMPLES = 2_000
Verdict = Literal["better", "worse", "unsure", "same"]
_LEAST = 1e-9
_FEWEST = 6  # questions that changed: of five that all went one way chance is the reason once in sixteen times


def difference(
    off: Sequence[Mapping[str, float]], on: Sequence[Mapping[str, float]], seed: int = SEED
) -> dict[str, Any]:
    """Return for each measure the mean difference, its paired bootstrap 95 % interval, and how many questions changed which way."""
    changes: dict[str, list[float]] = {}
    for before, after in zip(off, on, strict=True):
        for name in before.keys() & after.keys():
            changes.setdefault(name, []).append(after[name] - before[name])
    names = dict.fromkeys(name for row in off for name in row)
    return {name: _paired(changes[name], seed) for name in names if name in changes}


def verdict(changed: Mapping[str, float]) -> Verdict:
    """Return what a difference allows to say: nothing, while its interval holds 0 or too few questions changed at all."""
    touched = changed["helped"] + changed["hurt"]
    if not touched:
        return "same"
    if touched < _FEWEST or changed["low"] <= 0 <= changed["high"]:
        return "unsure"
    return "better" if changed["mean"] > 0 else "worse"


def interval(values: Sequence[float], seed: int = SEED) -> tuple[float, float]:
    """Return the bootstrap 95 % interval of the mean."""
    import numpy as np  # noqa: PLC0415

    known = np.asarray(values)
    drawn = np.random.default_rng(seed).integers(0, len(known), (RESAMPLES, len(known)))
    low, high = np.percentile(known[drawn].mean(axis=1), (2.5, 97.5))
    return round(float(low), 4) + 0.0, round(float(high), 4) + 0.0  # never -0.0


def _paired(changes: Sequence[float], seed: int) -> dict[str, float]:
    low, high = interval(changes, seed)
    return {
        "mean": round(sum(changes) / len(changes), 4),
        "low": low,
        "high": high,
        "helped": sum(change > _LEAST for change in changes),
        "hurt": sum(change < -_LEAST for change in changes),
    }
