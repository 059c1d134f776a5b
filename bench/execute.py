"""Time the execution of plans whose parts only sleep, with the journal on a disk: what is added to the longest chain of parts.

python bench/execute.py --json
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from scholarmind.adapters.runs import Runs
from scholarmind.answer import Finding
from scholarmind.events import OnEvent, numbered, to_record
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import Plan, SubQuestion
from scholarmind.steps.execute import execute, resolved
from scholarmind.steps.journal import Basis, new_run, remembered

Shape = dict[int, tuple[tuple[int, ...], float]]  # by part: what it waits for, and how long it takes
SHAPES: dict[str, Shape] = {
    "4 parallel": dict.fromkeys(range(1, 5), ((), 0.5)),
    "chain of 3": {1: ((), 0.4), 2: ((1,), 0.4), 3: ((2,), 0.4)},
    "diamond": {1: ((), 0.3), 2: ((1,), 0.3), 3: ((1,), 0.6), 4: ((2, 3), 0.3)},
    "5 with one slow branch": {1: ((), 0.3), 2: ((1,), 0.3), 3: ((2,), 0.3), 4: ((), 0.9), 5: ((3, 4), 0.2)},
}
PASSAGES = (10, 30)  # that a part finds
REACH_RATIO, REACH_MS = 1.05, 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of each plan")
    parser.add_argument("--json", action="store_true", dest="as_json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Runs(Path(folder) / "runs.db") as runs:
        asyncio.run(once(runs, SHAPES["4 parallel"]))  # opens the file
        figures = {
            "plans": {name: figures_of(runs, shape, arguments.runs) for name, shape in SHAPES.items()},
            "ms_a_part": {
                f"{name}, {passages} passages": overhead(runs, shape, arguments.runs * 20, passages)
                for passages in PASSAGES
                for name, shape in {
                    "5 parallel": dict.fromkeys(range(1, 6), ((), 0.0)),
                    "chain of 5": {number: ((number - 1,) * (number > 1), 0.0) for number in range(1, 6)},
                }.items()
            },
        }
    print(json.dumps(figures, indent=1) if arguments.as_json else table(figures))


def figures_of(runs: Runs, shape: Shape, count: int) -> dict[str, float]:
    """Return the median wall time beside the critical path."""
    walls = [asyncio.run(once(runs, shape)) for _ in range(count)]
    critical = critical_path(shape)
    wall = median(walls)
    return {
        "critical_s": round(critical, 3),
        "wall_s": round(wall, 4),
        "ratio": round(wall / critical, 4),
        "worst_ratio": round(max(walls) / critical, 4),
    }


def overhead(runs: Runs, shape: Shape, count: int, passages: int) -> dict[str, float]:
    """Return what a part costs that does nothing: tasks, events, address, codec, commit; and when it is remembered."""
    fresh = [asyncio.run(once(runs, shape, passages=passages)) for _ in range(count)]
    run = new_run()
    again = [asyncio.run(once(runs, shape, run, passages)) for _ in range(count)][1:]
    return {
        "fresh": round(median(fresh) / len(shape) * 1e3, 3),
        "remembered": round(median(again) / len(shape) * 1e3, 3),
    }


def critical_path(shape: Shape) -> float:
    ends: dict[int, float] = {}
    for number, (waits, seconds) in shape.items():
        ends[number] = seconds + max((ends[wait] for wait in waits), default=0.0)
    return max(ends.values())


async def once(runs: Runs, shape: Shape, run: str = "", passages: int = PASSAGES[0]) -> float:
    """Execute a plan of this shape as a run of its own, with journal and events, and return its seconds."""
    run = run or new_run()
    parts = tuple(SubQuestion(id=n, text=f"question {n}", depends_on=waits) for n, (waits, _) in shape.items())
    plan = Plan(question="Q?", parts=parts, complexity="composite", reason="", decided_by="bench")

    found = EVIDENCE[:passages]

    async def investigate(part: SubQuestion, given: Mapping[int, Finding]) -> Finding:
        if seconds := shape[part.id][1]:
            await asyncio.sleep(seconds)
        return Finding(part=part, question=resolved(part, given), answer=f"answer {part.id}", evidence=found)

    last = await runs.begin(run, plan.question)
    on_event = noting(runs, run, last + 1)
    basis = Basis(library="7", settings={"k": 10, "fusion": "convex"})
    start = time.perf_counter()
    await execute(
        plan,
        remembered(investigate, runs.journal, run, basis=basis, on_event=on_event),
        part_seconds=20,
        on_event=on_event,
    )
    seconds = time.perf_counter() - start
    await runs.finish(run, "done")
    assert runs.problem(run) == ""
    return seconds


def noting(runs: Runs, run: str, first: int) -> OnEvent:
    return numbered(
        lambda event: runs.append_event(run, event.number, json.dumps(to_record(event.event, event.number, event.at))),
        time.perf_counter,
        first,
    )


def table(figures: dict[str, Any]) -> str:
    lines = [f"{'plan':<26}{'critical s':>12}{'wall s':>10}{'ratio':>8}{'worst':>8}   reach <= {REACH_RATIO}"]
    lines += [
        f"{name:<26}{row['critical_s']:>12.3f}{row['wall_s']:>10.4f}{row['ratio']:>8.3f}{row['worst_ratio']:>8.3f}"
        for name, row in figures["plans"].items()
    ]
    lines += ["", f"{'ms a part':<26}{'fresh':>12}{'remembered':>12}   reach <= {REACH_MS}"]
    lines += [
        f"{name:<26}{row['fresh']:>12.3f}{row['remembered']:>12.3f}" for name, row in figures["ms_a_part"].items()
    ]
    return "\n".join(lines)


EVIDENCE = tuple(
    Evidence(
        passage=Passage(text="Some words of a passage. " * 40, start=n, end=n + 1000, position=n, section=("Part",)),
        document=Document(id=f"d{n}", title="A title", authors=("One Author",), year=2020, metadata={"pages": 12}),
        scores=Scores(fused=0.5, vector=0.4, keyword=3.2, vector_rank=1, keyword_rank=2),
        found_by=frozenset({"question", "part 1"}),
    )
    for n in range(max(PASSAGES))
)


if __name__ == "__main__":
    main()
