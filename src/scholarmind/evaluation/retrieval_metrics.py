"""Metrics of rankings, their means over questions, and how sure the difference of two rankings is.

recall@k    share of the needed records that are among the first k passages
all@k       1 if every needed record is
complete@k  1 if every reference sentence occurs (letters and digits alone) in one of the first k passages
hits@4      1 if at least one needed record is among the first 4
mrr@10      1 / rank of the first needed record, 0 beyond 10
map@10      mean precision at the ranks of the needed records; a record counts once
...@kept    of all passages that a strategy keeps by itself, however many; precision@kept is the share of them that is from
            needed records, f1@kept the harmonic mean of that and the recall

Differences are told with a paired bootstrap 95 % interval, and with how many questions were helped and hurt.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Literal

from scholarmind.evaluation.datasets import DatasetQuery

# -- metrics of one ranking, and means

Values = dict[str, float]
_DEPTH = 10
_HITS = 4


def measure(query: DatasetQuery, ids: Sequence[str], texts: Sequence[str], at: Iterable[int]) -> Values:
    """Return every measure that applies to the question. `ids` are those of the records that the passages are from."""
    values: Values = {}
    for k in at:
        if query.evidence:
            found = len(query.evidence & set(ids[:k])) / len(query.evidence)
            values |= {f"recall@{k}": found, f"all@{k}": float(found == 1)}
        if query.references:
            values[f"complete@{k}"] = float(len(present(query.references, texts[:k])) == len(query.references))
    if query.evidence:
        first = {identifier: rank for rank, identifier in reversed(list(enumerate(ids[:_DEPTH], 1)))}
        ranks = sorted(rank for identifier, rank in first.items() if identifier in query.evidence)
        values["hits@4"] = float(bool(ranks) and ranks[0] <= _HITS)
        values["mrr@10"] = 1 / ranks[0] if ranks else 0.0
        precision = sum(found / rank for found, rank in enumerate(ranks, 1))
        values["map@10"] = precision / min(len(query.evidence), _DEPTH)
    return values


def kept(query: DatasetQuery, ids: Sequence[str]) -> Values:
    """Return the measures that say whether the number of passages that are kept is a good one."""
    if not query.evidence:
        return {}
    recall = len(query.evidence & set(ids)) / len(query.evidence)
    precision = sum(one in query.evidence for one in ids) / len(ids) if ids else 0.0
    together = 2 * recall * precision / (recall + precision) if recall and precision else 0.0
    return {
        "recall@kept": recall,
        "all@kept": float(recall == 1),
        "precision@kept": precision,
        "f1@kept": together,
    }


def means(rows: Iterable[Mapping[str, float]]) -> Values:
    """Return the mean of each measure over the questions that have it."""
    gathered: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            gathered.setdefault(name, []).append(value)
    return {name: round(fmean(values), 4) for name, values in gathered.items()}


def present(references: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Return the sentences that occur, by their letters and digits alone, in one of the passages."""
    passages = [_letters(text) for text in texts]
    return [one for one in references if any(_letters(one) in passage for passage in passages)]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


# -- two rankings of the same questions: who was helped, who was hurt, and how sure that is

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
