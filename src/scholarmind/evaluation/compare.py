"""Two rankings of the same questions beside each other: who was helped, who was hurt, and how sure the mean difference is."""

from collections.abc import Mapping, Sequence
from typing import Any

_RESAMPLES = 2_000
_SEED = 7


def difference(off: Sequence[Mapping[str, float]], on: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Return for each measure the mean difference, its paired bootstrap 95 % interval, and how many questions changed which way."""
    changes: dict[str, list[float]] = {}
    for before, after in zip(off, on, strict=True):
        for name in before.keys() & after.keys():
            changes.setdefault(name, []).append(after[name] - before[name])
    names = dict.fromkeys(name for row in off for name in row)
    return {name: _paired(changes[name]) for name in names if name in changes}


def _paired(changes: Sequence[float]) -> dict[str, float]:
    import numpy as np  # noqa: PLC0415

    values = np.asarray(changes)
    drawn = np.random.default_rng(_SEED).integers(0, len(values), (_RESAMPLES, len(values)))
    low, high = np.percentile(values[drawn].mean(axis=1), (2.5, 97.5))
    return {
        "mean": round(float(values.mean()), 4),
        "low": round(float(low), 4),
        "high": round(float(high), 4),
        "helped": int((values > 1e-9).sum()),
        "hurt": int((values < -1e-9).sum()),
    }
