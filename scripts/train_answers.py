"""Learn the weights of `scholarmind.judge.answers` by hiding: with its passages a question must be answered, without them not.

python scripts/train_answers.py DIR [DIR ...] [--limit N]

A DIR is a dataset as `scholarmind evaluate` takes it, or a folder with `documents/` and `questions.jsonl` ("question", "answerable").
Every set counts alike. A question is as sure as its least sure row, so the rows are learnt through their minimum. Prints the area under
the curve of each set when it is left out, how often either side is wrong there, and the weights of all.
Use no set whose licence forbids it, and report nothing on a set that stands here.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind import Library
from scholarmind.adapters.e5.reader import E5Reader
from scholarmind.answer import Answer
from scholarmind.evaluation.experiments import Choice, loaded, opened
from scholarmind.filters import AnyOf, Compare, Not
from scholarmind.judge.answers import PARTIAL, UNSAID, lacks_names, likelihood
from scholarmind.writing.text_review import grounds_of_rows

Rows = list[tuple[dict[str, float], bool]]  # the signs of each row that searches, and whether anything was said of it
Bag = tuple[Rows, bool]  # and whether the question can be answered
READER = E5Reader()
_RIDGE = 0.02
_STEPS, _RATE = 3_000, 0.05


def bags_of(folder: Path, limit: int) -> Iterator[Bag]:
    """Ask every question of a set, as it is and with its passages hidden."""
    settings = loaded({})
    if (folder / "documents").is_dir():
        with tempfile.TemporaryDirectory() as place, Library(replace(settings, library=Path(place))) as library:
            library.add(folder / "documents")
            for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()[:limit]:
                query = json.loads(line)
                yield bag(library.ask(query["question"])), query["answerable"]
        return
    with opened(folder / "corpus.jsonl", [Choice(name="on", settings=settings)], lambda _: None) as ((way,), _):
        asked = 0
        for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
            query = json.loads(line)
            if asked < limit and is_answerable(query):
                asked += 1
                hidden = Not(AnyOf(tuple(Compare("id", "=", str(one["id"])) for one in query["evidence"])))
                yield bag(way.library.ask(query["question"])), True
                yield bag(way.library.ask(query["question"], filter=hidden)), False


def is_answerable(query: dict[str, Any]) -> bool:
    answer = query.get("answer")
    return bool(query.get("evidence")) and not (isinstance(answer, dict) and answer.get("is_impossible"))


def bag(answer: Answer) -> Rows:
    """Return the signs of each row that searches, and whether anything was said of it; none where nothing was found or can be read."""
    found: Rows = []
    for row in grounds_of_rows(answer.findings, answer.draft):
        odds = likelihood(row.question, row.said or row.found, READER) if row.found else None
        named = float(not lacks_names(row.question, row.found))
        found.append(({} if odds is None else {"read": odds, "named": named}, bool(row.said)))
    return found


def fit(sets: Sequence[Sequence[Bag]]) -> dict[str, float]:
    """Return the weights by name that tell best; every set counts alike, and large weights cost something."""
    bags = [
        ([row for row, _ in rows], label, 1 / len(some))
        for some in sets
        for rows, label in some
        if rows and all(row for row, _ in rows)
    ]
    names = sorted({name for rows, _, _ in bags for row in rows for name in row})
    flat = np.array([[row.get(name, 0.0) for name in names] for rows, _, _ in bags for row in rows])
    middle, spread = flat.mean(0), flat.std(0) + 1e-6
    flat = (flat - middle) / spread
    ends = np.cumsum([len(rows) for rows, _, _ in bags])
    labels, worth = np.array([label for _, label, _ in bags], float), np.array([weight for _, _, weight in bags])
    worth /= worth.sum()
    weights, intercept = np.zeros(len(names)), 0.0
    moment, square = np.zeros(len(names) + 1), np.zeros(len(names) + 1)
    for step in range(1, _STEPS + 1):
        scores = flat @ weights + intercept
        least = np.array([start + scores[start:end].argmin() for start, end in zip((0, *ends[:-1]), ends, strict=True)])
        error = (1 / (1 + np.exp(-scores[least])) - labels) * worth
        slope = np.append(flat[least].T @ error + _RIDGE * weights, error.sum())
        moment, square = 0.9 * moment + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        change = _RATE * (moment / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        weights, intercept = weights - change[:-1], intercept - change[-1]
    found = dict(zip(names, weights / spread, strict=True))
    return {**found, "intercept": float(intercept - (weights * middle / spread).sum())}


def score(weights: Mapping[str, float], rows: Rows) -> float:
    """Return how sure the least sure row is; 0 where nothing was found."""
    found: list[float] = []
    for row, told in rows:
        total = weights["intercept"] + sum(weights[name] * value for name, value in row.items()) if row else -30.0
        found.append(float(1 / (1 + np.exp(-total))) * (1 if told else UNSAID))
    return min(found, default=0.0)


def area(scored: Sequence[tuple[float, bool]]) -> float:
    high, low = ([one for one, label in scored if label is wanted] for wanted in (True, False))
    return float(np.mean([(one > other) + (one == other) / 2 for one in high for other in low]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--limit", type=int, default=250)
    options = parser.parse_args()
    sets = {folder.name: list(bags_of(folder, options.limit)) for folder in options.folders}
    for name, some in sets.items():
        others = {one: other for one, other in sets.items() if one != name} or sets
        weights = fit(list(others.values()))
        scored = [(score(weights, rows), label) for rows, label in some]
        wrong = [
            np.mean([one >= PARTIAL for one, label in scored if not label]),
            np.mean([one < PARTIAL for one, label in scored if label]),
        ]
        print(
            f"{name:20} left out: area {area(scored):.3f}, false answered {wrong[0]:.2f}, false missing {wrong[1]:.2f}, n {len(some)}"
        )
    print({name: round(value, 2) for name, value in fit(list(sets.values())).items()})


if __name__ == "__main__":
    main()
