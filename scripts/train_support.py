"""Fit the weights of the support score, and say how well they carry over.

python scripts/train_support.py --train DIR [DIR ...] [--test DIR ...] [--write]

Learnt from our own questions over the demo notes (tests/data/support_questions.jsonl) and from datasets whose questions have one record
that answers them: once with what is found, and once with that record taken away, which makes the question unanswerable. Reported by
cross-validation with all questions about one document in one fold; the sets of --test are never learnt from.
"""

import argparse
import json
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "bench"))  # what is right is told there
from reliability import DEPTH, cases, rounded, table  # noqa: E402
from scholarmind.api import Library  # noqa: E402
from scholarmind.blocking import run  # noqa: E402
from scholarmind.evaluation.answerable import auc  # noqa: E402
from scholarmind.evaluation.datasets import is_answerable  # noqa: E402
from scholarmind.evaluation.run import cached_library  # noqa: E402
from scholarmind.settings import Settings  # noqa: E402
from scholarmind.text.analysis import terms  # noqa: E402
from scholarmind.writing import support as support_module  # noqa: E402
from scholarmind.writing.covering import covered  # noqa: E402
from scholarmind.writing.support import FEATURES  # noqa: E402

DEEPER = 30
FOLDS = 5
L2 = 0.003
UNANSWERABLE = {"demo": 0.5}  # the share of such questions that the fit assumes; one in five elsewhere
MAY_BE_NEGATIVE = {
    "named"
}  # a thing that is named is found whether or not the rest is; all other features only speak for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    set: str
    group: str  # questions of one group stay in one fold
    features: tuple[float, ...]
    answered: bool


def rows_of(data: Path, limit: int | None) -> Iterator[Row]:
    settings = Settings.load()
    with Library(replace(settings, library=cached_library(data / "corpus.jsonl", settings))) as library:
        library.add(data / "corpus.jsonl")
        for line in (data / "queries.jsonl").read_text(encoding="utf-8").splitlines()[:limit]:
            query = json.loads(line)
            if is_answerable(query):
                yield from both_ways(library, data.name, query)


def both_ways(library: Library, name: str, query: dict[str, Any]) -> Iterator[Row]:
    """Yield the question with what is found for it, and without the records that answer it."""
    question = query["question"]
    needed = {item["id"] for item in query["evidence"]}
    rarity = run(library.store.rarity(sorted(set(terms(question)))))
    found = library.search(question, DEEPER).evidence
    for evidence, there in ((found, True), ([item for item in found if item.document.id not in needed], False)):
        shown = evidence[:DEPTH]
        answered = there and needed <= {item.document.id for item in shown}
        for topic in covered(question, shown, rarity):
            features = tuple(getattr(topic, feature) for feature in FEATURES)
            yield Row(set=name, group=min(needed), features=features, answered=answered)


def rows_of_demo() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder) / "library") as library:
        library.add(ROOT / "src/scholarmind/demo/notes")
        for line in (ROOT / "tests/data/support_questions.jsonl").read_text(encoding="utf-8").splitlines():
            query = json.loads(line)
            question = query["question"]
            rarity = run(library.store.rarity(sorted(set(terms(question)))))
            for topic in covered(question, library.search(question, DEPTH).evidence, rarity):
                features = tuple(getattr(topic, feature) for feature in FEATURES)
                yield Row(
                    set="demo", group=topic.name.lower() or question, features=features, answered=query["answered"]
                )


def fit(rows: Sequence[Row], steps: int = 3000) -> tuple[np.ndarray, float]:
    """Descend along the gradient; weights that must not be negative are held at 0. Every set counts the same."""
    x = np.array([row.features for row in rows])
    y = np.array([row.answered for row in rows], float)
    share = importance(rows, y)
    centre, spread = x.mean(0), x.std(0) + 1e-6
    z = (x - centre) / spread
    floor = np.array([-np.inf if name in MAY_BE_NEGATIVE else 0.0 for name in FEATURES])
    weights, intercept = np.zeros(len(FEATURES)), 0.0
    for _ in range(steps):
        error = share * (1 / (1 + np.exp(-(z @ weights + intercept))) - y)
        weights = np.maximum(weights - 0.5 * (z.T @ error + L2 * weights), floor)
        intercept -= 0.5 * float(error.sum())
    weights = weights / spread
    return weights, intercept - float(centre @ weights)


def importance(rows: Sequence[Row], y: np.ndarray) -> np.ndarray:
    share = np.zeros(len(rows))
    names = np.array([row.set for row in rows])
    for name in set(names):
        wrong = UNANSWERABLE.get(name, 0.2)
        for answered, part in ((1.0, 1 - wrong), (0.0, wrong)):
            chosen = (names == name) & (y == answered)
            share[chosen] = part / max(1, chosen.sum())
    return share / share.sum()


def cross_validated(rows: Sequence[Row]) -> np.ndarray:
    fold = np.array([zlib.crc32(row.group.encode()) % FOLDS for row in rows])
    x = np.array([row.features for row in rows])
    scores = np.zeros(len(rows))
    for n in range(FOLDS):
        weights, intercept = fit([row for row, of in zip(rows, fold, strict=True) if of != n])
        scores[fold == n] = 1 / (1 + np.exp(-(x[fold == n] @ weights + intercept)))
    return scores


def report(rows: Sequence[Row]) -> dict[str, Any]:
    scores = cross_validated(rows)
    found: dict[str, Any] = {}
    for name in sorted({row.set for row in rows}):
        own = [(row, float(score)) for row, score in zip(rows, scores, strict=True) if row.set == name]
        told = {
            kind: [score < support_module.NOT_IN_LIBRARY for row, score in own if row.answered is kind]
            for kind in (True, False)
        }
        found[name] = {
            "rows": len(own),
            "auc": rounded(auc([row.answered for row, _ in own], [score for _, score in own])),
            "answered_told_not_in_the_library": rounded(sum(told[True]) / max(1, len(told[True]))),
            "unanswerable_told_not_in_the_library": rounded(sum(told[False]) / max(1, len(told[False]))),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", type=Path, nargs="+", required=True)
    parser.add_argument("--test", type=Path, nargs="*", default=[])
    parser.add_argument("--limit", type=int)
    parser.add_argument("--write", action="store_true", help="replace the weights beside the module")
    arguments = parser.parse_args()
    rows = [*rows_of_demo(), *(row for data in arguments.train for row in rows_of(data, arguments.limit))]
    weights, intercept = fit(rows)
    kept = {
        "weights": {name: round(float(weight), 4) for name, weight in zip(FEATURES, weights, strict=True)},
        "intercept": round(intercept, 4),
    }
    if arguments.write:
        path = Path(support_module.__file__).with_name("support.json")
        path.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(json.dumps({**kept, "cross_validated": report(rows)}, indent=2) + "\n")
    for data in arguments.test:
        judged = [
            (one, support_module.support(one.question, one.evidence, one.rarity))
            for one in cases(data, arguments.limit)
        ]
        result = table(judged)
        del result["bins"], result["by_type"]
        sys.stdout.write(f"{data.name} {json.dumps(result)}\n")


if __name__ == "__main__":
    main()
