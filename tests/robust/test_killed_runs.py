"""A run that is killed at any moment goes on where it was: nothing answered is asked again, every answer is its own question's."""

import asyncio
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from robustly import UNSHARED, finish, launch, needs_mount

from scholarmind.adapters.runs import Runs
from scholarmind.plan import Plan, SubQuestion
from scholarmind.steps.journal import encode

_PROGRAM = """
import asyncio, json, sys, time
from pathlib import Path
from scholarmind.adapters.runs import Runs
from scholarmind.answer import Finding
from scholarmind.events import PartAnswered, numbered, to_record
from scholarmind.plan import Plan
from scholarmind.steps.execute import execute, resolved
from scholarmind.steps.journal import Basis, decode, encode, remembered

path, run, library, setting = Path(sys.argv[1]), *sys.argv[2:5]
held = int(sys.argv[5])  # behind so many answers it waits to be killed

def say(*words):
    print(*words, flush=True)

async def investigate(part, given):
    say("asked", part.id)
    await asyncio.sleep(0.01 + part.id * 7 % 5 * 0.015)  # done in another order than begun
    known = ",".join(given[number].answer for number in sorted(given))
    return Finding(part=part, question=resolved(part, given), answer=f"<{part.id}:{known}>", notes=(library, setting))

async def main(runs):
    found = await runs.find(run)
    plan = decode(Plan, found.plan)  # all that this process knows of the question is from the file
    last = await runs.begin(run, found.question, plan=encode(plan))
    answered = []
    def take(event):
        runs.append_event(run, event.number, json.dumps(to_record(event.event, event.number, event.at)))
        if isinstance(event.event, PartAnswered):
            answered.append(event.event.part)
            say("answered", event.event.part)
            if len(answered) == held:
                time.sleep(600)
    on_event = numbered(take, asyncio.get_running_loop().time, last + 1)
    basis = Basis(library=library, settings={"k": setting})
    recall = remembered(investigate, runs.journal, run, basis=basis, on_event=on_event)
    findings = await execute(plan, recall, on_event=on_event)
    await runs.finish(run, "done", "{}")
    say("problem", runs.problem(run))
    say("found", json.dumps([[item.part.id, item.question, item.answer, item.notes, item.error] for item in findings]))
"""
_MAIN = """
with Runs(path) as runs:
    asyncio.run(main(runs))
"""
_PARTS = 6
_SHAPES: dict[str, dict[int, tuple[int, ...]]] = {
    "parallel": dict.fromkeys(range(1, _PARTS + 1), ()),
    "chain": {number: (number - 1,) * (number > 1) for number in range(1, _PARTS + 1)},
    "two chains and their end": {1: (), 2: (), 3: (1,), 4: (2,), 5: (3, 4), 6: (1, 5)},
    "listed from the end": {6: (5, 4), 5: (3,), 4: (2, 1), 3: (1,), 2: (), 1: ()},
}


def plan_of(shape: str) -> Plan:
    """A plan in which every part that waits names what it waits for."""
    parts = tuple(
        SubQuestion(id=number, text=" ".join([f"question {number}", *(f"#{n}" for n in waits)]), depends_on=waits)
        for number, waits in _SHAPES[shape].items()
    )
    return Plan(question=f"How {shape}?", parts=parts, complexity="composite", reason="", decided_by="test")


def expected(plan: Plan, *notes: str) -> list[list[object]]:
    """Return what a run that nothing disturbs finds: number, question, answer, notes, error."""
    answers: dict[int, str] = {}
    questions: dict[int, str] = {}
    while len(answers) < len(plan.parts):
        for part in plan.parts:
            if set(part.depends_on) <= answers.keys():
                questions[part.id] = " ".join([f"question {part.id}", *(answers[n] for n in part.depends_on)])
                answers[part.id] = f"<{part.id}:{','.join(answers[n] for n in sorted(part.depends_on))}>"
    return [[part.id, questions[part.id], answers[part.id], list(notes), ""] for part in plan.parts]


class Session:
    """One run in one file, worked on by one process after the other."""

    def __init__(self, path: Path, plan: Plan, run: str = "run") -> None:
        self.path, self.plan, self.run = path, plan, run

        async def begin() -> None:
            with Runs(path) as runs:
                await runs.begin(run, plan.question, plan=encode(plan))

        asyncio.run(begin())

    def process(self, library: str = "7", setting: str = "10", *, held: int = 0) -> "subprocess.Popen[str]":
        """Start a process that goes on with the run, to its end or until it is killed behind `held` answers."""
        return launch([sys.executable, "-c", _PROGRAM + _MAIN, self.path, self.run, library, setting, str(held)])

    def killed(self, process: "subprocess.Popen[str]", *, after: int, delay: float = 0.0) -> dict[str, list[int]]:
        """Kill it after so many answers, and then so many seconds; return the parts that were asked and answered."""
        lines = [process.stdout.readline()]  # a part was asked
        while sum(line.startswith("answered") for line in lines) < after and (line := process.stdout.readline()):
            lines.append(line)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        lines += process.communicate()[0].splitlines()
        return parts_of(lines)

    def finished(self, library: str = "7", setting: str = "10") -> dict[str, list[int]]:
        """Let a process go on to the end, compare every answer with its own question, and return what was asked."""
        lines = finish(self.process(library, setting))
        assert lines[-2] == "problem "
        assert json.loads(lines[-1].removeprefix("found ")) == expected(self.plan, library, setting)
        return parts_of(lines)

    def state(self) -> tuple[str, list[int]]:
        """Return the status and the numbers of the events."""

        async def look() -> tuple[str, list[int]]:
            with Runs(self.path) as runs:
                found = await runs.find(self.run)
                assert found is not None
                return found.status, [json.loads(record)["number"] for record in await runs.events(self.run)]

        return asyncio.run(look())


def parts_of(lines: list[str]) -> dict[str, list[int]]:
    """Return which parts were asked, and which were reported as answered."""
    told: dict[str, list[int]] = {"asked": [], "answered": []}
    for line in lines:
        word, _, rest = line.strip().partition(" ")
        if word in told and rest:
            told[word].append(int(rest))
    return told


@pytest.mark.parametrize(
    ("shape", "moments"),
    list(zip(_SHAPES, [(1, 3, 5), (0, 2, 4), (1, 3, 5), (0, 2, 4)], strict=True)),
)
def test_killed_right_after_an_answer(tmp_path: Path, shape: str, moments: tuple[int, ...]) -> None:
    """What was reported as answered is never asked again, and what was not even begun is asked now."""
    plan = plan_of(shape)
    for after in moments:
        session = Session(tmp_path / f"{after}.db", plan)
        before = session.killed(session.process(held=max(1, after)), after=after)
        assert session.state()[0] == "interrupted"
        asked = session.finished()["asked"]
        assert sorted({*asked, *before["asked"]}) == [1, 2, 3, 4, 5, 6]
        assert set(asked).isdisjoint(before["answered"])
        assert len(asked) == len(set(asked))
        status, numbers = session.state()
        assert (status, numbers) == ("done", list(range(1, len(numbers) + 1)))


def test_killed_again_and_again(tmp_path: Path) -> None:
    """One run after the other, each killed at random moments until it is done."""
    seeded, kills = random.Random(11), 0
    for number, shape in enumerate(_SHAPES):
        session = Session(tmp_path / "runs.db", plan_of(shape), f"run {number}")
        answered: list[int] = []
        for _ in range(2):
            told = session.killed(session.process(), after=seeded.randint(0, 2), delay=seeded.uniform(0, 0.04))
            assert set(told["asked"]).isdisjoint(answered)
            answered += set(told["answered"]) - set(answered)
            kills += 1
        assert set(session.finished()["asked"]).isdisjoint(answered)
        assert session.finished()["asked"] == []
    assert kills == 8


@pytest.mark.parametrize(("library", "setting"), [("8", "10"), ("7", "11")])
def test_another_library_or_setting_is_another_address(tmp_path: Path, library: str, setting: str) -> None:
    """Nothing that rests on something else is taken for an answer; and what was answered before the change is kept."""
    session = Session(tmp_path / "runs.db", plan_of("chain"))
    before = session.killed(session.process(held=3), after=3)
    assert session.finished(library, setting)["asked"] == [1, 2, 3, 4, 5, 6]
    assert set(session.finished()["asked"]).isdisjoint(before["answered"])
    assert session.finished(library, setting)["asked"] == []


# -- no room, no rights: the run goes on without a journal

_FULL = """
import resource
with Runs(path) as runs:
    asyncio.run(runs.begin(run, "How chain?"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.with_name("runs.db-wal").stat().st_size, resource.RLIM_INFINITY))
    asyncio.run(main(runs))
"""
_READ_ONLY = """
import subprocess
subprocess.run(["mount", "--bind", path.parent, path.parent], check=True)
subprocess.run(["mount", "-o", "remount,ro,bind", path.parent], check=True)
with Runs(path) as runs:
    asyncio.run(main(runs))
"""


@pytest.mark.parametrize(
    ("program", "wrapper", "told"),
    [
        pytest.param(_FULL, (), "problem runs cannot be kept in ", id="full"),
        pytest.param(_READ_ONLY, UNSHARED, "problem runs cannot be kept in ", id="read-only", marks=needs_mount),
    ],
)
def test_without_a_journal_the_run_goes_on(tmp_path: Path, program: str, wrapper: tuple[str, ...], told: str) -> None:
    """Every part is answered, and it is said once that nothing was kept."""
    session = Session(tmp_path / "runs.db", plan_of("chain"))
    lines = finish(launch([*wrapper, sys.executable, "-c", _PROGRAM + program, session.path, "run", "7", "10", "0"]))
    assert json.loads(lines[-1].removeprefix("found ")) == expected(session.plan, "7", "10")
    assert lines[-2].startswith(told)
    assert str(session.path) in lines[-2]
    assert [line for line in lines if line.startswith("problem")] == [lines[-2]]
    assert len(session.finished()["asked"]) == _PARTS
