"""Measure the short answers of `scholarmind.writing.short_answers` on questions with gold steps.

python bench/spans.py --data DIR [--limit 50] [--show 20]     accuracy given the gold passage, and given hybrid search's first five
python bench/spans.py --data DIR --fit DIR2 [DIR3 ...]        fit the weights on other datasets, print them, and measure with them

A dataset is a folder with corpus.jsonl and queries.jsonl; the steps are in `decomposition` (step, question with #N, answer, evidence).
Without it the question itself is the only step. Right = the same words, or one within the other with at most four words more.
"""

import argparse
import hashlib
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind import Library
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.text.analysis import fold, terms
from scholarmind.writing import short_answers
from scholarmind.writing.answer_type import relation_as_words
from scholarmind.writing.evidence_sentences import read_question, scenes
from scholarmind.writing.short_answers import proposed, signals

_REFERENCE = re.compile(r"#(\d+)")
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    question: str
    answers: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    rarity: dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--show", type=int, default=0, help="print this many of the failures")
    parser.add_argument("--fit", type=Path, nargs="+", help="datasets to fit the weights on")
    arguments = parser.parse_args()
    steps = list(load(arguments.data))[: arguments.limit]
    if arguments.fit:
        short_answers.WEIGHTS = fit([step for folder in arguments.fit for step in with_searched(folder)])
        print(json.dumps(short_answers.WEIGHTS))
    print("gold passage:", accuracy(steps, [step.evidence for step in steps], arguments.show))
    found = searched(arguments.data, steps)
    print("hybrid first five:", accuracy(steps, found, 0))


def load(folder: Path) -> Iterator[Step]:
    with (folder / "corpus.jsonl").open(encoding="utf-8") as file:
        records = {record["id"]: record for record in map(json.loads, file)}
    held = Counter(term for record in records.values() for term in set(terms(f"{record['title']} {record['text']}")))
    with (folder / "queries.jsonl").open(encoding="utf-8") as file:
        for query in map(json.loads, file):
            for question, answers, evidence in _steps(query):
                words = terms(relation_as_words(question))
                rarity = {word: math.log((len(records) + 1) / (held[word] + 1)) for word in words}
                gold = tuple(_evidence(records[key]) for key in evidence if key in records)
                if gold:
                    yield Step(question=question, answers=answers, evidence=gold, rarity=rarity)


def _steps(query: dict[str, Any]) -> Iterator[tuple[str, tuple[str, ...], list[str]]]:
    known: dict[int, str] = {}
    for step in query.get("decomposition") or ():
        question = _REFERENCE.sub(lambda match: known.get(int(match[1]), match[0]), step["question"])
        known[step["step"]] = step["answer"]
        yield question, (step["answer"],), [step.get("evidence") or ""]
    if not query.get("decomposition"):
        answer = query.get("answer") or ""
        texts = answer.get("answers") or [] if isinstance(answer, dict) else [answer]
        if any(texts):
            yield query["question"], tuple(dict.fromkeys(texts)), [item["id"] for item in query.get("evidence") or ()]


def _evidence(record: dict[str, Any]) -> Evidence:
    passage = Passage(text=record["text"], start=0, end=len(record["text"]), position=0)
    return Evidence(passage=passage, document=Document(id=record["id"], title=record["title"]), scores=Scores(fused=1))


def searched(folder: Path, steps: Sequence[Step]) -> list[tuple[Evidence, ...]]:
    corpus = folder / "corpus.jsonl"
    digest = hashlib.sha256(corpus.read_bytes()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "scholarmind" / "spans" / digest
    with Library.open(cache) as library:
        library.add(corpus)
        return [library.search(relation_as_words(step.question), 5).evidence for step in steps]


def with_searched(folder: Path) -> list[Step]:
    """Return the steps twice: with their gold passage, and with what a search finds, from which the rank is learnt."""
    steps = list(load(folder))
    found = searched(folder, steps)
    return steps + [replace(step, evidence=given) for step, given in zip(steps, found, strict=True)]


def accuracy(steps: Sequence[Step], evidence: Sequence[tuple[Evidence, ...]], show: int) -> dict[str, float]:
    first = exact = any_of = 0
    for step, given in zip(steps, evidence, strict=True):
        answers = short_answers.short_answers(step.question, given, step.rarity)
        right = [is_right(answer, step.answers) for answer in answers]
        first += bool(right and right[0])
        any_of += any(right)
        exact += bool(answers and plain(answers[0]) in map(plain, step.answers))
        if show and not (right and right[0]):
            show -= 1
            print(f"  {step.question[:100]!r} wants {step.answers[0]!r}, got {answers}")
    count = len(steps) or 1
    shares = {"first": first, "first, same words": exact, "in three": any_of}
    return {"n": len(steps)} | {name: round(number / count, 3) for name, number in shares.items()}


def plain(text: str) -> str:
    words = re.sub(r"[^\w\s]", " ", fold(text)).split()
    return " ".join(word for word in words if word not in ("a", "an", "the"))


def is_right(text: str, answers: Sequence[str]) -> bool:
    return any(_same(plain(text), plain(answer)) for answer in answers)


def _same(ours: str, gold: str) -> bool:
    if not ours or not gold:
        return False
    if _HAN.search(gold):
        ours, gold = ours.replace(" ", ""), gold.replace(" ", "")
        return (gold in ours and len(ours) <= 1.6 * len(gold) + 2) or (ours in gold and 2 * len(ours) >= len(gold))
    size, wanted = len(ours.split()), len(gold.split())
    longer = f" {gold} " in f" {ours} " and size <= wanted + 4
    return longer or (f" {ours} " in f" {gold} " and 2 * size >= wanted)


def fit(steps: Sequence[Step], rounds: int = 400, rate: float = 0.05, decay: float = 1.0) -> dict[str, float]:
    """Fit the ranking: the right candidates of a question should have the largest share of exp(score)."""
    tables = [table for step in steps if (table := _table(step))]
    names = list(dict.fromkeys(name for rows, _ in tables for row in rows for name in row))
    data = [(np.array([[row.get(name, 0.0) for name in names] for row in rows]), right) for rows, right in tables]
    weights, mean, square = (np.zeros(len(names)) for _ in range(3))
    for number in range(1, rounds + 1):
        gradient = decay * weights / len(data) + sum(_gradient(weights, *pair) for pair in data) / len(data)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        weights -= rate * (mean / (1 - 0.9**number)) / (np.sqrt(square / (1 - 0.99**number)) + 1e-8)
    return {name: round(float(weight), 2) for name, weight in zip(names, weights, strict=True)}


def _gradient(weights: Any, table: Any, right: Any) -> Any:
    scores = table @ weights
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    wanted = right * shares
    return table.T @ (shares - wanted / wanted.sum())


def _table(step: Step) -> tuple[list[dict[str, float]], Any] | None:
    ask = read_question(step.question, step.rarity)
    rows: list[dict[str, float]] = []
    right: list[float] = []
    for scene in scenes(ask, step.evidence):
        for candidate in proposed(scene):
            if short_answers.is_new(ask, candidate):
                rows.append(signals(ask, scene, candidate))
                same = plain(candidate.text) in map(plain, step.answers)
                right.append(1.0 if same else 0.35 * is_right(candidate.text, step.answers))
    return (rows, np.array(right)) if any(right) else None


if __name__ == "__main__":
    main()
