"""Fit the trees that weigh the signs of words together with what a reader of meaning makes of a sentence, and the limits of both.

pip install scikit-learn
python scripts/fit_claims.py --corpus DIR [DIR ...] [--test FILE ...] [--write]

Learnt from the statements on the texts that `scripts/train_entailment.py` holds out, and from nearly literal ones that
`scripts/train_claims.py` makes of these texts and of the `corpus.jsonl` of each DIR. All that stands on one text is in one fold. The limits
are set so that `SHARE` of the true ones lie below the lower, and of the false ones above the upper. A --test file has pairs as
`bench/claims.py` takes them, which nothing is learnt from.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from sklearn.model_selection import GroupKFold
from train_claims import FOLDS, HAN, SEEDS, WEIGHTS, Pair, dump, fitted, judged, made, made_of_text
from train_entailment import is_held_out, statements, written

from scholarmind.adapters.e5.reader import E5Entailment, E5Reader
from scholarmind.judge import claims
from scholarmind.judge.signs import Comparison

SHARE = 0.05
LITERAL = 0.7  # what nearly literal ones count, beside the others
CROSSING = 0.05


def own_pairs(chance: random.Random) -> Iterator[Pair]:
    """Yield what stands on the texts that were held out; those whose statements are in another language apart, as `crossing`."""
    for name, found in written().items():
        if not is_held_out(found):
            continue
        text = ("" if HAN.search(found["sentences"][0]) else " ").join(found["sentences"])
        for one in statements(found):
            kind = "crossing" if bool(HAN.search(one.sentence)) != bool(HAN.search(text)) else "written"
            yield Pair(source=(text,), sentence=one.sentence, label=one.right, kind=kind, group=name)
        yield from made_of_text(text, name, chance)


def signs_of(pair: Pair, reads: E5Entailment) -> dict[str, float]:
    signs = Comparison.of(pair.sentence, pair.source).signs
    odds = reads(claims.shown(pair.sentence, pair.source, ""), pair.sentence)
    if not signs or odds is None:
        return {}
    return {**signs, "odds": odds, "trees": claims.weights().unread.score(signs)}


def area(right: np.ndarray, score: np.ndarray) -> float:
    high, low = score[right], score[~right]
    return float((high[:, None] > low).mean() + (high[:, None] == low).mean() / 2)


def told(name: str, right: np.ndarray, score: np.ndarray, limits: tuple[float, float]) -> None:
    low, high = limits
    sys.stdout.write(
        f"{name:28} n {len(right):5}  area {area(right, score):.3f}  true confirmed {(score[right] > high).mean():.3f} "
        f"refused {(score[right] < low).mean():.3f}  false confirmed {(score[~right] > high).mean():.3f} "
        f"refused {(score[~right] < low).mean():.3f}\n"
    )


def limits_of(right: np.ndarray, score: np.ndarray, share: float) -> tuple[float, float]:
    true, false = np.sort(score[right]), np.sort(score[~right])[::-1]
    low, high = float(true[int(share * len(true))]), float(false[int(share * len(false))])
    return min(low, high - 0.1), high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, nargs="*", default=[])
    parser.add_argument("--test", type=Path, nargs="*", default=[])
    parser.add_argument("--write", action="store_true", help="replace the weights beside the module")
    options = parser.parse_args()
    chance, reads = random.Random(7), E5Entailment(E5Reader())  # noqa: S311
    every = [*own_pairs(chance), *(pair for folder in options.corpus for pair in made(folder, chance))]
    found = [(pair, signs) for pair in every if (signs := signs_of(pair, reads))]
    crossing = [(pair.label, signs["odds"]) for pair, signs in found if pair.kind == "crossing"]
    right, odds = np.array([label for label, _ in crossing]), np.array([one for _, one in crossing])
    between = limits_of(right, odds, CROSSING)
    told("crossing, odds alone", right, odds, between)
    found = [(pair, signs) for pair, signs in found if pair.kind != "crossing"]
    names = sorted({name for _, signs in found for name in signs})
    x, y = table([signs for _, signs in found], names), np.array([pair.label for pair, _ in found])
    pairs = [pair for pair, _ in found]
    weight = np.array([LITERAL if pair.made else 1.0 for pair in pairs])
    groups = np.array([pair.group for pair in pairs])
    score = np.zeros(len(pairs))
    for seed in range(SEEDS):
        for fit, hold in GroupKFold(FOLDS, shuffle=True, random_state=seed).split(x, y, groups):
            score[hold] += fitted(x[fit], y[fit], weight[fit], seed).decision_function(x[hold]) / SEEDS
    limits: dict[str, tuple[float, float]] = {}
    for chinese, name in ((False, "en"), (True, "zh")):
        mine = np.array([pair.chinese is chinese for pair in pairs])
        by_hand = mine & np.array([not pair.made for pair in pairs])
        limits[name] = limits_of(y[by_hand], score[by_hand], SHARE)
        told(f"{name}, written", y[by_hand], score[by_hand], limits[name])
        told(f"{name}, written, odds alone", y[by_hand], x[by_hand, names.index("odds")], (0, 0))
        told(f"{name}, nearly literal", y[mine & ~by_hand], score[mine & ~by_hand], limits[name])
    models = [fitted(x, y, weight, seed) for seed in range(SEEDS)]
    for file in options.test:
        some = [(pair, signs) for pair in judged(file) if (signs := signs_of(pair, reads))]
        z = table([signs for _, signs in some], names)
        scores = sum(model.decision_function(z) for model in models) / SEEDS
        language = "zh" if some[0][0].chinese else "en"
        told(file.stem, np.array([pair.label for pair, _ in some]), scores, limits[language])
    if options.write:
        dump(x, y, weight, names, limits, "read")
        kept = {**json.loads(WEIGHTS.read_text(encoding="utf-8")), "crossing": [round(one, 3) for one in between]}
        WEIGHTS.write_text(json.dumps(kept, separators=(",", ":")) + "\n", encoding="utf-8")


def table(some: Sequence[dict[str, float]], names: Sequence[str]) -> np.ndarray:
    return np.array([[float(signs.get(name, 0)) for name in names] for signs in some])


if __name__ == "__main__":
    main()
