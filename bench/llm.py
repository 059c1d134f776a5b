"""What asking with a model costs outside the model: calls, levels, time, the first word, and many questions at once.

python bench/llm.py                 a scripted server in a process of its own, 200 ms a call, a library of 1,000 passages
python bench/llm.py --strategies    what each strategy calls to find passages, and to answer; a table goes to the standard error
"""

import argparse
import asyncio
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Iterator
from pathlib import Path
from typing import Any

from scholarmind import Library
from scholarmind.answer import Retrieved
from scholarmind.events import AnswerPiece, Event, Planned

sys.path.append(str(Path(__file__).with_name("asks_peers")))
from library import QUESTION, passages

SIMPLE = "What is the accuracy of Korvax on Osprey?"
BRIDGE = "What latency does the most accurate system on Osprey have on Heron, and what accuracy do Korvax and Bellis reach on Osprey?"
STRATEGIES: dict[str, dict[str, Any]] = {
    "plan": {},
    "concepts": {"strategy": "concepts"},
    "concepts, made-up passages": {"strategy": "concepts", "concepts": {"hyde": True}},
    "scored": {"strategy": "scored"},
    "roadmap": {"strategy": "roadmap"},
}
SYSTEMS = [
    first + last
    for first in ("Mar", "Sul", "Ven", "Dor", "Pel", "Ras", "Lom")
    for last in ("vax", "lis", "dra", "tek", "lin")
]
MOST_AT_ONCE = 8
WIDE = 16  # calls at a time, so that those that need not wait for each other do not
FORGETFUL: dict[str, Any] = {"cache": "none"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--repeat", type=int, default=11)
    parser.add_argument("--at-once", type=int, default=64)
    parser.add_argument("--strategies", action="store_true")
    parser.add_argument("--folder", type=Path, help="keep the library here, and use it if it is there already")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scholarmind-bench-") as temporary:
        folder = arguments.folder or Path(temporary) / "library"
        made(folder)
        figures = asyncio.run((compared if arguments.strategies else measured)(folder, arguments))
    if arguments.strategies:
        print("\n".join(table(figures)), file=sys.stderr)
    print(json.dumps(figures, indent=1))


def made(folder: Path) -> None:
    """Make a library of a thousand passages, those that `bench-asks` gives other programs."""
    if (folder / "library.db").exists():
        return
    with tempfile.TemporaryDirectory() as notes, Library.open(folder) as library:
        records = [{"id": str(number), "text": text} for number, text in enumerate(passages())]
        file = Path(notes, "passages.jsonl")
        file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        library.add(file)


async def measured(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    with server(arguments.latency) as url, server(0.7) as slow:
        for effort in ("fast", "standard", "deep"):
            print(f"{effort} ...", file=sys.stderr)
            figures[effort] = await asked(folder, url, effort, QUESTION, arguments)
            if effort != "fast":
                figures[f"{effort}, one bridge"] = await asked(folder, url, effort, BRIDGE, arguments)
        figures["64 at once"] = await together(folder, url, arguments)
        arguments.latency, arguments.repeat = 0.7, 3
        for name, question in (("simple", SIMPLE), ("three parts", QUESTION), ("one bridge", BRIDGE)):
            figures[f"at 700 ms: {name}"] = await asked(folder, slow, "standard", question, arguments)
    return figures


async def compared(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Find passages for a question, and answer it, with each strategy; and answer one with a bridge."""
    figures: dict[str, Any] = {}
    with server(arguments.latency) as url:
        for name, settings in STRATEGIES.items():
            print(f"{name} ...", file=sys.stderr)
            given = {
                "llm": f"{url}#scripted",
                "effort": "standard",
                "llm_concurrency": WIDE,
                **FORGETFUL,
                **settings,
            }
            with Library.open(folder, **given) as library:
                figures[name] = {
                    "find": await repeated(library, url, QUESTION, arguments, answers=False),
                    "ask": await repeated(library, url, QUESTION, arguments),
                    "ask, one bridge": await repeated(library, url, BRIDGE, arguments),
                }
    return figures


async def repeated(
    library: Library, url: str, question: str, arguments: argparse.Namespace, *, answers: bool = True
) -> dict[str, Any]:
    """Ask one question again and again, or only find its passages; outside is what the levels do not explain."""
    walls: list[float] = []
    log: dict[str, Any] = {}
    estimates: list[Any] = []

    def note(event: Event) -> None:
        if isinstance(event, Planned) and event.estimate:
            estimates.append(event.estimate)

    for turn in range(arguments.repeat + 2):
        forget(url, library)
        began = time.perf_counter()
        told = await (library.ask if answers else library.find).aio(question, on_event=note)
        wall = time.perf_counter() - began
        log = told_of(url)
        if turn > 1:  # those before warm up
            walls.append(wall - log["levels"] * arguments.latency)
    figures = {
        "calls": len(log["calls"]),
        "levels": log["levels"],
        "calls by kind": dict(Counter(call["purpose"] for call in log["calls"])),
        "outside_ms": round(statistics.median(walls) * 1e3, 1),
    }
    if isinstance(told, Retrieved):
        return {**figures, "passages": len(told.evidence), "scored": len(told.judged), "notes": list(told.notes)}
    estimate = estimates[-1]
    return {
        **figures,
        "estimated": [estimate.calls, estimate.levels],
        "rows": len(told.review.rows),
        "verdict": told.review.verdict,
        "written by": told.written_by,
        "notes": list(told.fallbacks),
    }


def table(figures: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a table in Markdown."""
    yield "| strategy | find: calls, levels | outside, ms | ask | outside, ms | estimated | ask, one bridge | estimated |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, one in figures.items():
        find, ask, bridge = one["find"], one["ask"], one["ask, one bridge"]
        cells = [
            f"`{name}`",
            f"{find['calls']}, {find['levels']}",
            find["outside_ms"],
            f"{ask['calls']}, {ask['levels']}",
            ask["outside_ms"],
            ", ".join(map(str, ask["estimated"])),
            f"{bridge['calls']}, {bridge['levels']}",
            ", ".join(map(str, bridge["estimated"])),
        ]
        yield f"| {' | '.join(map(str, cells))} |"


async def asked(folder: Path, url: str, effort: str, question: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Ask one question again and again; the time outside the model is what the levels do not explain."""
    walls: list[float] = []
    firsts: list[float] = []
    log: dict[str, Any] = {}
    with Library.open(folder, llm=f"{url}#scripted", effort=effort, **FORGETFUL) as library:
        for turn in range(arguments.repeat + 2):
            forget(url, library)
            moments: dict[str, float] = {}

            def note(event: Event, moments: dict[str, float] = moments) -> None:
                moments.setdefault(type(event).__name__, time.perf_counter())

            async with stalls() as longest:
                began = time.perf_counter()
                answer = await library.ask.aio(question, on_event=note)
                wall = time.perf_counter() - began
            log = told_of(url)
            if turn < 2:  # warming up
                continue
            walls.append(wall - log["levels"] * arguments.latency)
            firsts.append(moments[AnswerPiece.__name__] - moments[Planned.__name__])
    outside = statistics.median(walls)
    rest = log["levels"] - (0 if effort == "fast" else 1)
    return {
        "calls": len(log["calls"]),
        "levels": log["levels"],
        "verdict": answer.review.verdict,
        "written by": answer.written_by,
        "wall_s": round(outside + log["levels"] * arguments.latency, 3),
        "outside_ms": round(outside * 1e3, 1),
        "first word after the plan, beyond the calls (ms)": round(
            (statistics.median(firsts) - rest * arguments.latency) * 1e3, 1
        ),
        "longest stall of the last (ms)": round(longest[0] * 1e3, 1),
        "notes": list(answer.fallbacks),
    }


async def together(folder: Path, url: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Ask many questions at once on one loop; as many calls run at a time as the setting allows."""
    settings: dict[str, Any] = {"llm": f"{url}#scripted", "llm_concurrency": MOST_AT_ONCE, **FORGETFUL}
    with Library.open(folder, **settings) as library:
        await library.ask.aio(QUESTION)
        forget(url, library)
        began = time.perf_counter()
        questions = [QUESTION.replace("Tindra", SYSTEMS[number % len(SYSTEMS)]) for number in range(arguments.at_once)]
        answers = await asyncio.gather(*(library.ask.aio(question) for question in questions))
        wall = time.perf_counter() - began
        log = told_of(url)
    ideal = len(log["calls"]) / log["most_at_once"] * arguments.latency
    return {
        "calls": len(log["calls"]),
        "most at once": log["most_at_once"],
        "written by a model": sum(bool(answer.written_by) for answer in answers),
        "wall_s": round(wall, 3),
        "share of the ideal rate": round(ideal / wall, 3),
    }


@contextlib.asynccontextmanager
async def stalls() -> AsyncGenerator[list[float]]:
    """Measure how long the loop is kept from its other work."""
    longest = [0.0]

    async def tick() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            longest[0] = max(longest[0], time.perf_counter() - before - 0.001)

    task = asyncio.create_task(tick())
    try:
        yield longest
    finally:
        task.cancel()


@contextlib.contextmanager
def server(latency: float) -> Generator[str]:
    script = Path(__file__).with_name("llm_script.py")
    command = [sys.executable, script, "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def told_of(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/log") as reply:  # noqa: S310
        return json.load(reply)


def forget(url: str, library: Library) -> None:
    """Have the server forget what it was asked, and the library the plans that it keeps for whoever asks the same again."""
    vars(library).pop("plans", None)
    request = urllib.request.Request(url.removesuffix("/v1") + "/log", method="DELETE")  # noqa: S310
    urllib.request.urlopen(request).close()  # noqa: S310


if __name__ == "__main__":
    main()
