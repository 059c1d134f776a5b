"""Measure the rule planner on the evaluation sets: shapes against gold decompositions, splitting of simple and composite questions, time.

`--counts` measures how far the number of parts is from gold instead: as `how_many` counts them in the question, and with a fixed number.

The shape of a gold decomposition (QDMR) is read from its steps, without those that only put answers together or arrange them
(intersection, union, comparison, comparative, superlative, boolean, sort, group, arithmetic, aggregate, discard):

* direct      one step is left
* parallel    several are left and none refers to another
* sequential  each one but the first refers to an earlier one (select then project, select then filter)
* mixed       anything else
"""

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scholarmind.planning.rule_planner import MOST_STEPS, RulePlanner, how_many

ARRANGING = frozenset(
    "intersection union comparison comparative superlative boolean sort group arithmetic aggregate discard None".split()
)
SPLITS = (  # set, types that count (all, if empty), the least or most that should be composite
    ("webquestions_simple", (), "<= .08"),
    ("nq_open_simple", (), "<= .08"),
    ("squad2_500", (), "<= .12"),
    ("cmrc2018_500", (), "<= .12"),
    ("musique_100", (), ">= .75 with a second look"),
    ("hotpotqa_100", (), ">= .80 with a second look"),
    ("multihop_rag_tune", ("comparison_query", "temporal_query"), ">= .90"),
    ("dragonball_tune", ("Multi-document",), ""),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the evaluation sets")
    parser.add_argument("--limit", type=int, default=None, help="the first so many questions of each set")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--show", help="print the plans of this set instead: what was split where it should not, or the reverse"
    )
    parser.add_argument(
        "--counts", action="store_true", help="the number of parts against the steps of gold decompositions"
    )
    arguments = parser.parse_args()
    if arguments.counts:
        found = counts(arguments.data, arguments.limit)
        print(json.dumps(found, indent=1) if arguments.json else table_of_counts(found))
        return
    if arguments.show:
        show(arguments.data, arguments.show, arguments.limit)
        return
    report = {
        "shapes": shapes(arguments.data, arguments.limit),
        "parallel": parallel(arguments.data, arguments.limit),
        "composite": composite(arguments.data, arguments.limit),
        "milliseconds": times(arguments.data, arguments.limit),
    }
    print(json.dumps(report, indent=1) if arguments.json else table(report))


def load(data: Path, name: str, limit: int | None = None) -> list[dict[str, Any]]:
    lines = (data / name / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines][:limit]


def gold_shape(question: dict[str, Any]) -> str:
    """Return the shape of a gold decomposition by the mapping above."""
    steps = [
        step
        for step, operator in zip(question["decomposition"], question["operators"], strict=False)
        if operator not in ARRANGING
    ]
    if len(steps) <= 1:
        return "direct"
    kept = {step["step"] for step in steps}
    waiting = sum(bool(kept & set(step["depends_on"])) for step in steps)
    if not waiting:
        return "parallel"
    return "sequential" if waiting == len(steps) - 1 else "mixed"


def shapes(data: Path, limit: int | None) -> dict[str, Any]:
    """Compare shapes on the high-level part of CWQ; precision and recall of parallel also on the other high-level questions."""
    planner = RulePlanner()
    rows = [row for row in load(data, "break_tune") if row["type"] == "qdmr_high" and row["origin"] == "CWQ"][:limit]
    pairs = [(gold_shape(row), planner.plan(row["question"]).shape) for row in rows]
    report: dict[str, Any] = {"questions": len(pairs), "right": share(gold == ours for gold, ours in pairs)}
    for shape in ("direct", "parallel", "sequential"):
        report[shape] = {
            "precision": share(gold == shape for gold, ours in pairs if ours == shape),
            "recall": share(ours == shape for gold, ours in pairs if gold == shape),
            "gold": sum(gold == shape for gold, _ in pairs),
            "ours": sum(ours == shape for _, ours in pairs),
        }
    report["confusion"] = {f"{gold} -> {ours}": count for (gold, ours), count in Counter(pairs).most_common()}
    return report


def parallel(data: Path, limit: int | None) -> dict[str, Any]:
    """Precision and recall of parallel where the kind of question tells: comparisons are, bridges and chains are not."""
    planner = RulePlanner()
    pairs: list[tuple[bool, bool]] = []
    for name in ("hotpotqa_100", "musique_100", "break_tune"):
        for row in load(data, name, limit):
            if name != "break_tune" or (row["type"] == "qdmr_high" and row["origin"] == "CWQ"):
                gold = gold_shape(row) == "parallel" if name == "break_tune" else row["type"] == "comparison"
                pairs.append((gold, planner.plan(row["question"]).shape == "parallel"))
    return {
        "questions": len(pairs),
        "precision": share(gold for gold, ours in pairs if ours),
        "recall": share(ours for gold, ours in pairs if gold),
    }


def counts(data: Path, limit: int | None) -> dict[str, dict[str, float]]:
    """Return the mean distance from the number of gold steps: of fixed numbers, and of both counts, in all and for each type of gold."""
    rows = load(data, "break_tune", limit)
    ways: dict[str, Any] = {
        "always 3": lambda _: 3,
        "always 5": lambda _: 5,
        "rule plan": lambda question: len(RulePlanner(cap=MOST_STEPS, depth=1).plan(question).parts),
        "steps": how_many,
        "steps, at most 5": lambda question: how_many(question, most=5),
        "parts": lambda question: how_many(question, grain="parts"),
    }
    numbers = {name: [way(row["question"]) for row in rows] for name, way in ways.items()}
    report: dict[str, dict[str, float]] = {}
    for group in ("all", *sorted({row["type"] for row in rows})):
        taken = [place for place, row in enumerate(rows) if group in {"all", row["type"]}]
        gold = [len(rows[place]["decomposition"]) for place in taken]
        report[group] = {"questions": len(taken), "gold": round(statistics.mean(gold), 2)}
        for name, found in numbers.items():
            away = [abs(found[place] - steps) for place, steps in zip(taken, gold, strict=True)]
            report[group][name] = round(statistics.mean(away), 3)
    return report


def table_of_counts(report: dict[str, dict[str, float]]) -> str:
    names = list(report["all"])
    lines = ["mean |parts - gold steps| on break_tune", f"{'':10}" + "".join(f"{name:>18}" for name in names)]
    for group, row in report.items():
        lines.append(f"{group:10}" + "".join(f"{row[name]:>18}" for name in names))
    return "\n".join(lines)


def composite(data: Path, limit: int | None) -> dict[str, Any]:
    """Tell what share of each set's questions is taken apart."""
    planner = RulePlanner()
    report: dict[str, Any] = {}
    for name, types, reach in SPLITS:
        rows = [row for row in load(data, name, limit) if not types or row["type"].startswith(types)]
        report[name] = {
            "questions": len(rows),
            "composite": share(planner.plan(row["question"]).complexity == "composite" for row in rows),
            "reach": reach,
        }
    return report


def times(data: Path, limit: int | None) -> dict[str, Any]:
    """Time plans on every set together, scaled to 200 characters for what is longer.

    It is time of the processor, so that other work on the machine does not count.
    """
    planner = RulePlanner()
    spent: list[float] = []
    for name, _, _ in SPLITS:
        for row in load(data, name, limit):
            start = time.thread_time()
            planner.plan(row["question"])
            seconds = time.thread_time() - start
            spent.append(seconds * 1000 * min(1.0, 200 / len(row["question"])))
    ordered = sorted(spent)
    return {
        "plans": len(spent),
        "p50": round(statistics.median(spent), 3),
        "p99": round(ordered[int(0.99 * len(ordered))], 3),
        "most": round(ordered[-1], 3),
    }


def share(hits: Iterable[bool]) -> float | None:
    found = list(hits)
    return round(sum(found) / len(found), 3) if found else None


def table(report: dict[str, Any]) -> str:
    found = report["shapes"]
    lines = [f"shape right on {found['questions']} CWQ questions (qdmr_high): {found['right']}", ""]
    for shape in ("direct", "parallel", "sequential"):
        row = found[shape]
        lines.append(
            f"{shape:12} precision {row['precision']}  recall {row['recall']}  gold {row['gold']}  ours {row['ours']}"
        )
    row = report["parallel"]
    lines += [
        "",
        f"parallel on {row['questions']} of CWQ, HotpotQA and MuSiQue: precision {row['precision']}  recall {row['recall']}",
    ]
    lines += ["", f"{'set':22} {'questions':>9} {'composite':>9}  reach"]
    for name, row in report["composite"].items():
        lines.append(f"{name:22} {row['questions']:9} {row['composite']:9}  {row['reach']}")
    spent = report["milliseconds"]
    lines += [
        "",
        f"milliseconds per 200 characters, {spent['plans']} plans: p50 {spent['p50']}  p99 {spent['p99']}  most {spent['most']}",
    ]
    return "\n".join(lines)


def show(data: Path, name: str, limit: int | None) -> None:
    """Print the plans of one set, for reading."""
    planner = RulePlanner()
    for row in load(data, name, limit):
        plan = planner.plan(row["question"])
        print(f"\n[{row.get('type', '')} {plan.shape}] {row['question']}")
        if plan.complexity == "composite":
            for part in plan.parts:
                print(f"   {part.id}. {part.text}  <{part.kind} {part.role} {list(part.depends_on)}>")


if __name__ == "__main__":
    main()
