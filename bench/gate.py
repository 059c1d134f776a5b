"""Share of each family of questions that the gate calls composite, and how long it takes.

python bench/gate.py --data DIR

DIR holds a folder for each family. Three readings: the rules alone; with the classifier, trained without the family that is
reported; and with the second look too, where the family has a corpus (its library is built once and kept in the cache folder).
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.minilm import MiniLM
from scholarmind.api import Library
from scholarmind.blocking import run
from scholarmind.evaluation.run import cached_library
from scholarmind.planning.gate import decide, judge
from scholarmind.planning.gate_model import GateModel
from scholarmind.planning.gate_text import LONGEST
from scholarmind.planning.second_look import SecondLook, second_look
from scholarmind.settings import Settings
from scholarmind.text.analysis import terms

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
from train_gate import COMPOSITE, SIMPLE, UNKNOWN_LIMIT, load, taken, train  # the script is no package

FAMILIES = {  # what to reach: at most for simple questions, at least for composite ones
    "webquestions_simple": "<= 0.08",
    "nq_open_simple": "<= 0.08",
    "squad2_500": "<= 0.12",
    "cmrc2018_500": "",
    "musique_100": ">= 0.75",
    "hotpotqa_100": ">= 0.80",
    "multihop_rag_tune": ">= 0.90 of comparison and temporal questions",
    "dragonball_tune": "",
    "break_tune/CWQ": "",
    "break_tune/DROP": "",
    "strategyqa_tune": "",
}
LENGTH = 200  # characters of the questions that are timed
HOSTILE = (
    "和 ",
    "1. A. ",
    "the a ",
    "of A's ",
    "which more first , or ",
    "如何影响、",
    "( \" ' ",
    "@ and A ",
    "compare a- ",
    "? a ",
)  # repeated


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the question sets")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--limit", type=int, help="only so many questions of each family")
    arguments = parser.parse_args()
    families = {name: load(arguments.data, name) for name in (*SIMPLE, *COMPOSITE)}
    report: dict[str, Any] = {"families": {}, "trained_on": list(GateModel.load().families)}
    for name, reach in FAMILIES.items():
        rows = read(arguments.data, name)[: arguments.limit]
        model = train(families, without=(name,))
        report["families"][name] = {"reach": reach, **measure(arguments.data / name, rows, model)}
    report["milliseconds"] = times([row["question"] for name in FAMILIES for row in read(arguments.data, name)])
    print(json.dumps(report, indent=1) if arguments.json else as_text(report))


def read(data: Path, name: str) -> list[dict[str, Any]]:
    folder, _, origin = name.partition("/")
    lines = (data / folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if not origin or taken(row, origin)]


def measure(folder: Path, rows: list[dict[str, Any]], model: GateModel) -> dict[str, Any]:
    questions = [row["question"] for row in rows]
    judgements = [judge(question) for question in questions]
    made = asyncio.run(MiniLM().embed(questions))
    vectors = [
        vector if unknown <= UNKNOWN_LIMIT else None
        for vector, unknown in zip(made.vectors.tolist(), made.unknown, strict=True)
    ]
    chances = [model.probability(question, vector) for question, vector in zip(questions, vectors, strict=True)]
    told = list(zip(questions, judgements, chances, strict=True))
    readings: dict[str, list[bool]] = {
        "rules": [judgement.verdict == "composite" for judgement in judgements],
        "classifier": [decide(q, judgement, chance, 1, None)[0] == "composite" for q, judgement, chance in told],
    }
    if (folder / "corpus.jsonl").exists():
        looks = list(look_all(folder / "corpus.jsonl", questions))
        readings["second look"] = [
            decide(q, judgement, chance, 1, look)[0] == "composite"
            for (q, judgement, chance), look in zip(told, looks, strict=True)
        ]
    kinds = [row["type"] for row in rows]
    return {"questions": len(rows)} | {
        name: {"all": share(verdicts), **by_kind(verdicts, kinds)} for name, verdicts in readings.items()
    }


def look_all(corpus: Path, questions: list[str]) -> Iterator[SecondLook]:
    settings = Settings.load()
    with Library(replace(settings, library=cached_library(corpus, settings))) as library:
        library.add(corpus)
        for question in questions:
            evidence = library.search(question, 10).evidence
            rarity = run(library.store.rarity(terms(question)))
            [names] = run(library.store.names([question]))
            yield second_look(question, names, evidence, rarity)


def share(verdicts: list[bool]) -> float:
    return round(sum(verdicts) / len(verdicts), 3)


def by_kind(verdicts: list[bool], kinds: list[str]) -> dict[str, float]:
    groups = sorted(set(kinds)) if len(set(kinds)) > 1 else []
    return {
        group: share([said for said, kind in zip(verdicts, kinds, strict=True) if kind == group]) for group in groups
    }


def times(questions: list[str]) -> dict[str, float]:
    """Time texts of one length, made of whole questions one after another; processor time, so that other programs do not count."""
    long = [" ".join(questions[place : place + 20])[:LENGTH] for place in range(0, len(questions), 2)]
    vector = [0.05] * 384
    model = GateModel.load()
    figures: dict[str, float] = {}
    work: dict[str, Callable[[str], object]] = {
        "rules": judge,
        "model": lambda question: model.probability(question, vector),
    }
    for name, act in work.items():
        spent = [clocked(act, question) for question in long]
        figures |= {f"{name} p{part}": round(float(np.percentile(spent, part)), 3) for part in (50, 99)}
    hostile = [(sign * LONGEST)[:LONGEST] for sign in HOSTILE]
    return figures | {
        f"rules worst of {LONGEST} hostile characters": round(max(clocked(judge, text) for text in hostile), 3)
    }


def clocked(act: Callable[[str], object], question: str) -> float:
    start = time.thread_time_ns()
    act(question)
    return (time.thread_time_ns() - start) / 1e6


def as_text(report: dict[str, Any]) -> str:
    lines = [f"{'called composite':<24}{'rules':>8}{'+ classifier':>14}{'+ second look':>15}   reach"]
    for name, figures in report["families"].items():
        readings = [figures.get(reading) for reading in ("rules", "classifier", "second look")]
        for group in readings[0]:
            cells = [f"{reading[group]:.3f}" if reading else "-" for reading in readings]
            label, reach = (name, figures["reach"]) if group == "all" else (f"  {group[:21]}", "")
            lines.append(f"{label:<24}{cells[0]:>8}{cells[1]:>14}{cells[2]:>15}   {reach}".rstrip())
    lines.append(
        f"milliseconds for {LENGTH} characters: "
        + ", ".join(f"{name} {value}" for name, value in report["milliseconds"].items())
    )
    lines.append("the shipped weights are trained on: " + ", ".join(report["trained_on"]))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
