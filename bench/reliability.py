"""How far the confidence of an answered part can be trusted: a table of what was said against what was right.

python bench/reliability.py --data DIR [--json] [--limit N]

DIR is a dataset as `scholarmind evaluate` takes it. Each question is searched for; if it names documents of the library, their passages
come first (ten for each). Right means that the question can be answered at all and that at least one of its reference sentences (or, in a
set without them, of the records that are needed) is in the evidence; complete, that every one is. Questions that cannot be answered are
those of an unsolvable or null type, and those marked impossible.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from scholarmind.api import Library
from scholarmind.blocking import run
from scholarmind.evaluation.answerable import auc
from scholarmind.evaluation.datasets import is_answerable
from scholarmind.evaluation.run import cached_library
from scholarmind.filters import Compare
from scholarmind.model import Evidence
from scholarmind.settings import Settings
from scholarmind.text.analysis import terms
from scholarmind.writing.support import Coverage, support

DEPTH = 10
BINS = (0.0, 0.2, 0.4, 0.55, 0.7, 0.8, 0.9, 1.01)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question, the evidence that is shown for it, and whether that is right."""

    question: str
    type: str
    answerable: bool
    needed: tuple[str, ...]  # reference sentences, or else ids of records
    evidence: Sequence[Evidence]
    rarity: Mapping[str, float]
    right: bool
    complete: bool


def cases(data: Path, limit: int | None = None) -> Iterator[Case]:
    """Search for every question of a dataset."""
    settings = Settings.load()
    with Library(replace(settings, library=cached_library(data / "corpus.jsonl", settings))) as library:
        library.add(data / "corpus.jsonl")
        for line in (data / "queries.jsonl").read_text(encoding="utf-8").splitlines()[:limit]:
            yield case(library, json.loads(line))


def case(library: Library, query: dict[str, Any]) -> Case:
    question = query["question"]
    evidence = own_evidence(library, question)
    references = tuple(query.get("references") or ())
    if references:
        texts = [letters(item.passage.text) for item in evidence]
        found = [any(letters(one) in text for text in texts) for one in references]
    else:
        ids = {item.document.id for item in evidence}
        found = [item["id"] in ids for item in query.get("evidence") or ()]
    answerable = is_answerable(query)
    return Case(
        question=question,
        type=str(query.get("type") or "all"),
        answerable=answerable,
        needed=references or tuple(item["id"] for item in query.get("evidence") or ()),
        evidence=evidence,
        rarity=run(library.store.rarity(sorted(set(terms(question))))),
        right=answerable and any(found),
        complete=answerable and bool(found) and all(found),
    )


def own_evidence(library: Library, question: str, depth: int = DEPTH) -> list[Evidence]:
    """Return what a plan would show: the passages of each named document, filled up with what is found without a filter."""
    [names] = run(library.store.names([question]))
    titles = list(dict.fromkeys(name.text for name in names if name.field == "title"))
    chosen: dict[tuple[str, int], Evidence] = {}
    for title in titles:
        for item in library.search(question, depth, filter=Compare("called", "=", title)).evidence:
            chosen.setdefault((item.document.id, item.passage.position), item)
    for item in library.search(question, depth).evidence if len(chosen) < depth else ():
        chosen.setdefault((item.document.id, item.passage.position), item)
    return list(chosen.values())[: depth * max(1, len(titles))]


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def table(judged: Sequence[tuple[Case, Coverage]]) -> dict[str, Any]:
    scores = [coverage.confidence for _, coverage in judged]
    rows = []
    for low, high in pairwise(BINS):
        within = [(case, coverage) for case, coverage in judged if low <= coverage.confidence < high]
        rows.append({"from": low, "to": min(high, 1.0), **shares(within)})
    sure = [(case, coverage) for case, coverage in judged if coverage.confidence >= 0.8]
    told = {
        name: [coverage.status == "not in the library" for case, coverage in judged if case.answerable is answerable]
        for name, answerable in (("answerable", True), ("unanswerable", False))
    }
    kinds = sorted({case.type for case, _ in judged})
    return {
        "n": len(judged),
        "bins": rows,
        "from_0.8": shares(sure),
        "expected_error": round(
            sum(row["n"] * abs(row["right"] - row["confidence"]) for row in rows if row["n"]) / len(judged), 3
        ),
        "auc_answerable": rounded(auc([case.answerable for case, _ in judged], scores)),
        "auc_right": rounded(auc([case.right for case, _ in judged], scores)),
        "told_not_in_the_library": {name: rounded(sum(one) / len(one)) if one else None for name, one in told.items()},
        "by_type": {kind: shares([one for one in judged if one[0].type == kind]) for kind in kinds},
    }


def shares(judged: Sequence[tuple[Case, Coverage]]) -> dict[str, Any]:
    n = len(judged)
    if not n:
        return {"n": 0, "confidence": None, "right": None, "complete": None, "not_in_the_library": None}
    return {
        "n": n,
        "confidence": round(sum(coverage.confidence for _, coverage in judged) / n, 3),
        "right": round(sum(case.right for case, _ in judged) / n, 3),
        "complete": round(sum(case.complete for case, _ in judged) / n, 3),
        "not_in_the_library": round(sum(coverage.status == "not in the library" for _, coverage in judged) / n, 3),
    }


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def printed(name: str, result: dict[str, Any]) -> str:
    lines = [
        f"{name}: {result['n']} questions",
        "",
        "| confidence | n | mean | right | complete | told not in the library |",
        "|" + "---|" * 6,
    ]
    lines += [
        f"| {row['from']:.2f} to {row['to']:.2f} | {' | '.join(map(str, list(row.values())[2:]))} |"
        for row in result["bins"]
    ]
    lines += ["", "| type | n | mean | right | complete | told not in the library |", "|" + "---|" * 6]
    lines += [f"| {kind} | {' | '.join(map(str, row.values()))} |" for kind, row in result["by_type"].items()]
    sure, told = result["from_0.8"], result["told_not_in_the_library"]
    return "\n".join(
        [
            *lines,
            "",
            f"from 0.8 on: {sure['n']} questions, right {sure['right']}, complete {sure['complete']}",
            f"told not in the library: answerable {told['answerable']}, unanswerable {told['unanswerable']}",
            f"AUC: answerable {result['auc_answerable']}, right {result['auc_right']}; expected error {result['expected_error']}",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    judged = [(one, support(one.question, one.evidence, one.rarity)) for one in cases(arguments.data, arguments.limit)]
    result = table(judged)
    name = arguments.data.resolve().name
    print(json.dumps({"dataset": name, **result}, ensure_ascii=False) if arguments.json else printed(name, result))


if __name__ == "__main__":
    main()
