"""500 questions to language models that fail, hang, lie or are not there: each must end in an answer, in time, without a false claim.

python bench/faults.py                 all of it, as JSON, in about five minutes
python bench/faults.py --questions 60  a sample
python bench/faults.py --strategies    the same faults for every strategy, at the effort standard
"""

import argparse
import asyncio
import contextlib
import gc
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from faulty_cases import LIES, PLANTED, Case, cases
from faulty_servers import Trial, forget, free_port, served
from scholarmind import Answer, Library
from scholarmind.strategies import strategy_names
from scholarmind.testing import Fault

EFFORTS = ("fast", "standard", "deep")
STRATEGIC = ("standard",)  # at which a strategy asks a model all that it ever asks
RUN_SECONDS = 6.0
AT_ONCE = 6
FAULTS = (
    Fault("rate_limit", seconds=0.2),
    Fault("server_error"),
    Fault("html_error"),
    Fault("wrong_key"),
    Fault("refuse_json_schema"),
    Fault("refuse_all_formats"),
    Fault("small_context", tokens=1_200),
    Fault("hang"),
    Fault("fenced"),
    Fault("wrong_schema"),
    Fault("empty"),
    Fault("endless"),
    Fault("garbage"),
    Fault("slow_drip", seconds=0.2),
    Fault("cut_stream"),
)


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What became of one question."""

    trial: Trial
    case: Case
    seconds: float
    answer: Answer | None = None
    error: str = ""
    problems: list[str] = field(default_factory=list[str])


# -- what is tried


def trials(questions: int, efforts: Sequence[str] = EFFORTS) -> list[Trial]:
    """Share the questions out: half for single faults, a quarter for all at 30 % of calls, the rest for lies and for no server."""
    known = cases(4 * questions + 400)
    at = iter(known)

    def some(share: float) -> list[Case]:
        return [next(at) for _ in range(max(1, round(share)))]

    half, quarter = 0.5 * questions / (len(FAULTS) * len(efforts)), 0.25 * questions / len(efforts)
    tenth = 0.2 * questions / (len(LIES) * len(efforts))
    none = 0.05 * questions / (5 * len(efforts))
    made = [
        Trial(name=fault.kind, effort=effort, cases=some(half), faults=(fault,))
        for fault in FAULTS
        for effort in efforts
    ]
    made += [
        Trial(name="all at 30 %", effort=effort, cases=some(quarter), faults=FAULTS, rate=0.3) for effort in efforts
    ]
    made += [Trial(name=lie, effort=effort, cases=some(tenth), lie=lie) for lie in LIES for effort in efforts]
    for effort in efforts:
        made += [
            Trial(name="refused", effort=effort, cases=some(none), address=f"http://127.0.0.1:{free_port()}/v1"),
            Trial(name="no such host", effort=effort, cases=some(none), address="http://no-such-host.invalid/v1"),
            Trial(name="wrong key", effort=effort, cases=some(none), key="sk-this-is-not-the-key"),
            Trial(name="dies", effort=effort, cases=some(none), dies_after=1),
            Trial(name="proxy page", effort=effort, cases=some(none), address="proxy page"),
        ]
    return made


# -- how it goes


async def tried(folder: Path, trial: Trial, *, at_once: int = AT_ONCE, **settings: Any) -> list[Outcome]:
    """Ask all questions of a trial, several at a time."""
    turns = asyncio.Semaphore(at_once)

    async def one(library: Library, case: Case) -> Outcome:
        async with turns:
            return await asked(library, trial, case)

    with served(trial) as address:
        async with opened(folder, address, trial, **settings) as library:
            return await asyncio.gather(*(one(library, case) for case in trial.cases))


@contextlib.asynccontextmanager
async def opened(folder: Path, address: str, trial: Trial, **settings: Any) -> AsyncGenerator[Library]:
    """Open the library with the model of a trial, and close the connections of this loop before it ends.

    Without the graph: what is counted there needs no model, and here the model is what is tried.
    """
    chosen = {"run_seconds": RUN_SECONDS, "cache": "none", "llm_api_key": trial.key or None, "graph": False}
    chosen |= settings
    with Library.open(folder, create=False, llm=address, effort=trial.effort, **chosen) as library:
        try:
            yield library
        finally:
            if library.models is not None:
                await library.models.close()


async def asked(library: Library, trial: Trial, case: Case) -> Outcome:
    """Ask one question, and say what is wrong with the answer."""
    began = time.monotonic()
    try:
        answer = await library.ask.aio(case.question)
    except Exception as error:  # noqa: BLE001  (any at all is what is looked for)
        return Outcome(
            trial=trial, case=case, seconds=time.monotonic() - began, error=f"{type(error).__name__}: {error}"
        )
    outcome = Outcome(trial=trial, case=case, seconds=time.monotonic() - began, answer=answer)
    outcome.problems = [*problems(case, answer), *(["late"] if outcome.seconds > RUN_SECONDS + 1 else [])]
    return outcome


def problems(case: Case, answer: Answer) -> list[str]:
    """Return what no answer may do, whatever the model did."""
    found = ["empty"] if not answer.text.strip() else []
    answered = [row.text for row in answer.review.rows if row.status == "answered"]
    found += [f"answered what is withheld: {text}" for text in answered if case.is_withheld(text)]
    found += [f"says {word}" for word in ("<script", "onerror", "[Lovelace", "(Turing, 2030)") if word in answer.text]
    found += unmarked(answer)
    found_for_parts = [item for finding in answer.findings for item in finding.evidence]
    passages = {
        (item.document.collection, item.document.id)
        for item in (*found_for_parts, *answer.evidence)  # which may be from the first look
    }
    found += [
        f"cites {one.key}, which was not found"
        for one in answer.citations
        if (one.collection, one.document) not in passages
    ]
    found += [f"a key of a passage shows: {answer.text[:80]!r}" for key in ("[P1]", "[P77]") if key in answer.text]
    if any("\n" in note.strip() or "Traceback" in note for note in answer.fallbacks):
        found.append("a note of several lines")
    if answer.plan.retrieval and len(answer.plan.parts) > 12:
        found.append(f"{len(answer.plan.parts)} parts")
    return found


def unmarked(answer: Answer) -> list[str]:
    """Return what the text says without any source, and no claim says that it could not be confirmed."""
    if answer.source == "model" and answer.review.verdict == "not in the library":
        return []  # it says on top that it is the model's own knowledge
    doubted = [claim for claim in answer.claims if claim.status == "unsupported"]
    false = ("Lovelace", "HACKED")
    sure = [claim.text for claim in answer.claims if claim not in doubted]
    found = [f"confirmed what nobody said: {text}" for text in sure if any(word in text for word in false)]
    if any(word in answer.text for word in false) and not doubted:
        found.append("says what nobody said without a mark")
    if doubted and answer.review.verdict == "complete":
        found.append("complete, with a sentence that could not be confirmed")
    return found


# -- what it leaves behind


def resources() -> dict[str, int]:
    """Count what this process holds: open files and sockets, threads, and memory in kB."""
    gc.collect()
    status = Path("/proc/self/status").read_text(encoding="ascii")
    memory = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    return {
        "files": len(list(Path("/proc/self/fd").iterdir())),
        "threads": threading.active_count(),
        "memory_kB": memory,
    }


async def leaks(folder: Path, questions: int) -> dict[str, Any]:
    """Ask one library again and again while all faults are played, and count what stays, every fifth of the way."""
    quick = [fault for fault in FAULTS if fault.kind not in {"hang", "slow_drip"}]
    slow = [Fault("hang"), Fault("slow_drip", seconds=0.2)]
    trial = Trial(name="leaks", effort="standard", cases=cases(questions, seed=7), faults=(*quick, *slow), rate=0.3)
    told: list[dict[str, int]] = []
    step = max(1, questions // 5)
    with served(trial) as address:
        async with opened(folder, address, trial) as library:
            for start in range(0, questions, step):
                batch = trial.cases[start : start + step]
                for first in range(0, len(batch), AT_ONCE):
                    await asyncio.gather(*(asked(library, trial, case) for case in batch[first : first + AT_ONCE]))
                await asyncio.to_thread(forget, address)
                told.append({**resources(), "tasks": len(asyncio.all_tasks()) - 1})
    await asyncio.sleep(0.1)
    return {
        "questions": questions,
        "while open": told,
        "closed": {**resources(), "tasks": len(asyncio.all_tasks()) - 1},
    }


# -- all of it


@contextlib.contextmanager
def demo_library(folder: Path, **settings: Any) -> Generator[Path]:
    """Make the library that is asked: the notes of the demo, and two documents with instructions to the model."""
    planted = folder / "planted"
    planted.mkdir()
    for name, text in PLANTED.items():
        (planted / name).write_text(text, encoding="utf-8")
    with Library.open(folder / "library", **settings) as library, as_file(files("scholarmind.demo") / "notes") as notes:
        library.add([notes, planted])
    yield folder / "library"


def summed(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """Return the counts of some questions."""
    told = list(outcomes)
    answers = [outcome.answer for outcome in told if outcome.answer]
    rows = [(outcome, row) for outcome in told if outcome.answer for row in outcome.answer.review.rows]
    withheld = [row for outcome, row in rows if outcome.case.is_withheld(row.text)]
    return {
        "questions": len(told),
        "answers": len(answers),
        "written by a model": sum(bool(answer.written_by) for answer in answers),
        "sentences that could not be confirmed": sum(
            claim.status == "unsupported" for answer in answers for claim in answer.claims
        ),
        "rows withheld": len(withheld),
        "of these called answered": sum(row.status == "answered" for row in withheld),
        "rows answered": sum(row.status == "answered" for _, row in rows),
        "rows failed": sum(row.status == "failed" for _, row in rows),
        "longest_s": round(max((outcome.seconds for outcome in told), default=0.0), 2),
        "late": sum("late" in outcome.problems for outcome in told),
        "problems": sum(bool(outcome.problems or outcome.error) for outcome in told),
    }


async def played(
    folder: Path, arguments: argparse.Namespace, efforts: Sequence[str] = EFFORTS, **settings: Any
) -> list[Outcome]:
    """Return what became of the questions of all trials."""
    outcomes: list[Outcome] = []
    for trial in trials(arguments.questions, efforts):
        if arguments.only and arguments.only not in trial.name:
            continue
        outcomes += await tried(folder, trial, **settings)
        told = summed(one for one in outcomes if one.trial is trial)
        print(trial.name, trial.effort, *settings.values(), told, file=sys.stderr, flush=True)
    return outcomes


async def compared(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Play the same faults to every strategy."""
    figures: dict[str, Any] = {}
    for strategy in strategy_names():
        made_up = {"concepts": {"hyde": True}} if strategy == "concepts" else {}  # so that all of its calls are made
        outcomes = await played(folder, arguments, STRATEGIC, strategy=strategy, **made_up)
        figures[strategy] = {**summed(outcomes), "what": wrong(outcomes), "notes": notes(outcomes)}
    return figures


async def measured(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    outcomes = await played(folder, arguments)
    names = dict.fromkeys(outcome.trial.name for outcome in outcomes)
    figures = {
        "all": summed(outcomes),
        "by effort": {effort: summed(one for one in outcomes if one.trial.effort == effort) for effort in EFFORTS},
        "by fault": {name: summed(one for one in outcomes if one.trial.name == name) for name in names},
        "problems": wrong(outcomes),
        "notes": {name: notes(one for one in outcomes if one.trial.name == name) for name in names},
    }
    if arguments.leaks:
        figures["leaks"] = await leaks(folder, arguments.leaks)
    return figures


def wrong(outcomes: Iterable[Outcome]) -> list[list[str]]:
    """Return what was wrong with which question."""
    return [
        [one.trial.name, one.trial.effort, one.case.question, one.error or "; ".join(one.problems)]
        for one in outcomes
        if one.error or one.problems
    ]


def notes(outcomes: Iterable[Outcome]) -> list[str]:
    """Return what people were told most, a line each."""
    told = Counter(note for outcome in outcomes if outcome.answer for note in outcome.answer.fallbacks)
    return [note for note, _ in told.most_common(3)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument(
        "--leaks", type=int, default=200, help="questions after which nothing may have been left behind; 0 for none"
    )
    parser.add_argument("--only", default="", help="only what has this in its name")
    parser.add_argument("--strategies", action="store_true")
    parser.add_argument("--embedder", default="minilm")
    arguments = parser.parse_args()
    os.environ["SCHOLARMIND_EMBEDDER"] = arguments.embedder
    with tempfile.TemporaryDirectory(prefix="scholarmind-bench-") as temporary, demo_library(Path(temporary)) as folder:
        began = time.monotonic()
        figures = asyncio.run((compared if arguments.strategies else measured)(folder, arguments))
        figures["seconds"] = round(time.monotonic() - began, 1)
    print(json.dumps(figures, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
