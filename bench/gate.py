"""Share of each family of questions that the gate calls composite, and how long it takes.

pip install torch==2.13.0
python bench/gate.py --data DIR [--states FILE] [--json]

DIR holds a folder for each family. Four readings, all without a library: the signs alone, as where there is no reader; the gate, with a
network that was trained without the families of the same fold (`FOLDS`); the gate as it is shipped, which has seen all of
them but those that may only be measured; and the planner with the parts that rules find, over the network of the fold
(over the shipped one with --shipped).
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.e5 import question_reader
from scholarmind.adapters.e5.question_reader import E5Gate
from scholarmind.adapters.e5.reader import E5Reader
from scholarmind.planning.question_gate import _LONGEST, QuestionGate, judge
from scholarmind.planning.rule_planner import KeylessPlanner
from scholarmind.ports import Look

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
from train_gate import SIMPLE, States, load, packed, train  # the script is no package

FOLDS = (
    ("musique_100", "squad2_500", "webquestions_simple"),
    ("bamboogle_half", "fanoutqa_half", "cmrc2018_500"),
    ("hotpotqa_100", "drcd_500", "nq_open_simple"),
    ("frames_half", "morehopqa_half", "qasper_half", "clapnq_half"),
    ("nlpcc_mh_half", "rgb_zh_half"),  # measured only: nothing is ever trained on them
)
LOOSER = {"qasper_half": "<= 0.12"}
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
)


class Reader:
    """Reads with the weights of a fold."""

    def __init__(self, reader: E5Reader, weights: dict[str, Any]) -> None:
        self._reader, self._weights = reader, {name: array.astype(np.float32) for name, array in weights.items()}

    def composite(self, question: str) -> float | None:
        states = self._reader.states(question)
        return None if states is None else question_reader.composite_probability(states, self._weights)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the question sets")
    parser.add_argument("--states", type=Path, help="a file for what the tokens become, kept for the next time")
    parser.add_argument("--shipped", action="store_true", help="measure only what needs no training")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    reader = E5Reader()
    shipped = QuestionGate(reader=E5Gate(reader))
    questions = {name: read(arguments.data / name) for fold in FOLDS for name in fold}
    report: dict[str, Any] = {"families": {}}
    if not arguments.shipped:
        families = load(arguments.data)
        states = States(families, arguments.states)
    for fold in FOLDS:
        if arguments.shipped:
            left_out = None
        elif set(fold) & families.keys():
            left_out = QuestionGate(reader=Reader(reader, packed(train(families, states, without=fold))))
        else:
            left_out = shipped
        for name in fold:
            figures = {"signs": share(judge, questions[name]), "shipped": share(shipped.judge, questions[name])}
            if left_out:
                figures["left out"] = share(left_out.judge, questions[name])
            figures["parts"] = share(planned(left_out or shipped), questions[name])
            reach = LOOSER.get(name, "<= 0.08" if name in SIMPLE else ">= 0.90")
            report["families"][name] = {"reach": reach, "questions": len(questions[name]), **figures}
    report["milliseconds"] = times(shipped, [question for name in questions for question in questions[name]])
    print(json.dumps(report, indent=1) if arguments.json else as_text(report))


def read(folder: Path) -> list[str]:
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines]


def planned(judging: QuestionGate) -> Callable[[str], Any]:
    """Return what plans a question by gate and rules together, as `plan --batch` does over an empty library."""
    planner = KeylessPlanner(gate=judging)
    return lambda question: asyncio.run(planner.plan(question, Look()))


def share(judging: Callable[[str], Any], questions: Iterable[str]) -> float:
    verdicts = [judging(question).complexity == "composite" for question in questions]
    return round(sum(verdicts) / len(verdicts), 3)


def times(shipped: QuestionGate, questions: list[str]) -> dict[str, float]:
    """Time texts of one length, made of whole questions one after another; processor time, so that other programs do not count."""
    long = [" ".join(questions[place : place + 20])[:LENGTH] for place in range(0, len(questions), 20)]
    figures: dict[str, float] = {}
    work: dict[str, Callable[[str], object]] = {"signs": judge, "whole": shipped.judge}
    for name, act in work.items():
        spent = [clocked(act, question) for question in (long if name == "signs" else questions[::10])]
        figures |= {f"{name} p{part}": round(float(np.percentile(spent, part)), 3) for part in (50, 99)}
    hostile = [(sign * _LONGEST)[:_LONGEST] for sign in HOSTILE]
    return figures | {
        f"signs worst of {_LONGEST} hostile characters": round(max(clocked(judge, each) for each in hostile), 3)
    }


def clocked(act: Callable[[str], object], question: str) -> float:
    start = time.process_time_ns()
    act(question)
    return (time.process_time_ns() - start) / 1e6


def as_text(report: dict[str, Any]) -> str:
    lines = [
        f"{'called composite':<24}{'questions':>10}{'signs':>8}{'left out':>10}{'shipped':>10}{'parts':>8}   reach"
    ]
    for name, figures in report["families"].items():
        cells = [
            f"{figures[each]:.3f}" if each in figures else "-" for each in ("signs", "left out", "shipped", "parts")
        ]
        lines.append(
            f"{name:<24}{figures['questions']:>10}{cells[0]:>8}{cells[1]:>10}{cells[2]:>10}{cells[3]:>8}   {figures['reach']}"
        )
    lines.append("milliseconds: " + ", ".join(f"{name} {value}" for name, value in report["milliseconds"].items()))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
