"""Time whole answers without a model: on the demo library, at 100,000 passages with a plan of five parts, and from a cold command line.

python bench/ask.py --passages 100000
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import scholarmind.demo
from scholarmind import Library, Settings
from scholarmind.adapters.minilm import MiniLM
from scholarmind.cli.service_commands import QUESTIONS
from scholarmind.plan import Plan, SubQuestion
from search import build
from synthetic import Synthetic

NOTES = Path(scholarmind.demo.__path__[0]) / "notes"
RUNS = 20
PARTS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=100_000, help="of the large library; 0 leaves it out")
    parser.add_argument("--folder", type=Path, help="keep the large library here, and use it if it is there already")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scholarmind-bench-") as temporary:
        demo = Path(temporary) / "demo"
        figures: dict[str, Any] = {"demo": warm_demo(demo), "cold_cli_ms": cold(demo)}
        if arguments.passages:
            figures["large"] = large(arguments.folder or Path(temporary) / "large", arguments.passages)
    print(json.dumps(figures, indent=1, ensure_ascii=False))


def warm_demo(folder: Path) -> dict[str, Any]:
    with Library.open(folder) as library:
        library.add(NOTES)
        for question in QUESTIONS:
            library.ask(question)
        return {question[:40]: times(lambda question=question: library.ask(question)) for question in QUESTIONS}


def cold(folder: Path) -> dict[str, float]:
    script = Path(sys.executable).with_name("scholarmind")
    command = [script, "ask", QUESTIONS[0], "--library", folder, "--json"]
    return times(lambda: subprocess.run(command, check=True, capture_output=True, env=os.environ))


def large(folder: Path, passages: int) -> dict[str, Any]:
    """A plan of five parts over a library of papers, with the vectors of the built-in embedder asked for each part."""
    if not (folder / "library.db").exists():
        asyncio.run(build(folder, Synthetic(per_document=20), passages))
    questions = [text for text, _ in Synthetic(per_document=20).queries(RUNS * PARTS)]
    plans = [plan_of(questions[begin : begin + PARTS]) for begin in range(0, len(questions), PARTS)]
    with Library(Settings(library=folder), embedder=Named()) as library:
        library.ask(plans[0].question, plan=plans[0])
        remaining = iter(plans * 2)

        def ask_next() -> None:
            plan = next(remaining)
            library.ask(plan.question, plan=plan)

        return {"passages": passages, "parts": PARTS, **times(ask_next)}


def plan_of(questions: list[str]) -> Plan:
    parts = tuple(SubQuestion(id=number, text=text) for number, text in enumerate(questions, 1))
    return Plan(question="; ".join(questions), parts=parts, complexity="composite", reason="bench", decided_by="user")


class Named(MiniLM):
    """The built-in embedder under the name of the made-up vectors, so that the library lets it search."""

    def __init__(self) -> None:
        super().__init__()
        self.fingerprint = "synthetic"


def times(work: Any) -> dict[str, float]:
    spent: list[float] = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        spent.append((time.perf_counter() - start) * 1e3)
    return {"p50_ms": round(median(spent), 1), "p95_ms": round(quantiles(spent, n=20)[-1], 1)}


if __name__ == "__main__":
    main()
