"""The trace of a run, as a file and as a picture."""

import json
from pathlib import Path
from typing import Any

import click
import pytest

from scholarmind.cli.run_progress import TraceWriter, waterfall
from scholarmind.events import (
    Consulted,
    Event,
    FirstLook,
    Numbered,
    PartAnswered,
    PartEvidence,
    PartFailed,
    PartStarted,
    Planned,
    Reviewed,
    RunStarted,
    Selected,
    to_record,
)
from scholarmind.plan import Plan, SubQuestion

PLAN = Plan(
    question="Q?",
    parts=(SubQuestion(id=1, text="a"), SubQuestion(id=2, text="b of #1", depends_on=(1,))),
    complexity="composite",
    reason="",
    decided_by="rules",
)
RUN: list[tuple[float, Event]] = [
    (0.0, RunStarted(run="r1", question="Q?")),
    (0.1, FirstLook(passages=8, seconds=0.1)),
    (0.2, Planned(plan=PLAN, seconds=0.1)),
    (0.2, PartStarted(part=1, question="谁提出了\nBERT？")),
    (0.2, PartStarted(part=3, question="What else?")),
    (0.3, PartEvidence(part=1, question="谁提出了 BERT？", passages=2, remembered=True)),
    (0.6, PartAnswered(part=1, question="谁提出了\nBERT？", answer="A", passages=2, seconds=0.4)),
    (0.6, PartStarted(part=2, question="Where did \x1b[31mthey study?")),
    (0.9, PartFailed(part=2, question="Where did \x1b[31mthey study?", error="KeyError: 'x'", seconds=0.3)),
    (0.95, Selected(passages=5, considered=9, seconds=0.05)),
    (1.0, Reviewed(verdict="incomplete", confidence=0.5, seconds=0.005)),
]


def records(events: list[tuple[float, Event]]) -> list[dict[str, Any]]:
    """Number the events."""
    return [to_record(event, number, at) for number, (at, event) in enumerate(events, 1)]


def test_the_picture_shows_what_ran_when() -> None:
    assert waterfall(records(RUN), 88).splitlines() == [
        "                                0           1,000 ms",
        "first look                      ██                      100 ms  8 passages",
        "plan                              ██                    100 ms  2 parts, sequential",
        "1 谁提出了 BERT？                   ████████            400 ms  2 passages, remembered",
        "3 What else?                        ████████████████    800 ms  not done",
        "2 Where did \ufffd[31mthey study?                ██████      300 ms  failed: KeyError: 'x'",
        "select                                            █      50 ms  5 of 9 passages",
        "check                                              █    5.0 ms  incomplete, 0.50",
    ]


def test_below_a_part_stands_what_it_was_looked_up_in() -> None:
    tree = Consulted(part=1, row="1", structure="tree", levels=(2, 3), nodes=("Attention", "Scaling"), passages=12)
    graph = Consulted(
        part=1, row="1", structure="graph", relations=("IMPROVES_ON",), nodes=("Transformer",), passages=8
    )
    counted = Consulted(part=3, row="3.1", structure="graph", relations=("CITES",), passages=1, counted="2 papers\x1b.")
    again = Consulted(part=1, row="1", structure="graph", relations=("USES",), nodes=tuple("ABCDE"), passages=3)
    lines = waterfall(records([*RUN[:5], (0.25, tree), (0.25, graph), (0.26, counted), *RUN[5:]])).splitlines()
    assert [line for line in lines if line.startswith("    ")][1:] == [
        "    tree: levels 2, 3 · Attention, Scaling · 12 passages",
        "    graph: IMPROVES_ON from Transformer · 8 passages",
        "    graph (3.1): CITES · 1 passage · 2 papers\ufffd.",
    ]
    assert lines[3].startswith("1 谁提出了"), "each below its part"
    assert lines[6].startswith("3 What else?")
    lines = waterfall(records([*RUN[:5], (0.25, graph), (0.7, again), *RUN[5:]])).splitlines()
    assert lines[4] == "    graph: USES from A, B, C and 2 more · 3 passages", (
        "the last time that the part was researched"
    )


def test_of_a_resumed_run_the_last_attempt_is_drawn() -> None:
    again = records([*RUN, (0.0, RunStarted(run="r1", question="Q?", resumed=True)), (0.1, FirstLook(passages=3))])
    (_, only) = waterfall(again).splitlines()
    assert only.startswith("first look ")
    assert only.endswith("3 passages")


@pytest.mark.parametrize("width", [1, 60, 400])
def test_any_width_and_any_time(width: int) -> None:
    for events in ([], RUN[:1], [(0.0, FirstLook(passages=0))], [(0.1, FirstLook(passages=0, seconds=5.0))], RUN):
        picture = waterfall(records(events), width)
        assert len(picture.splitlines()) == {0: 0, 1: 0 if events == RUN[:1] else 2}.get(len(events), 8)


def test_the_file_has_a_line_for_each_event_at_once(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as trace:
        trace(RUN[0][1])
        (line,) = path.read_text(encoding="utf-8").splitlines()
        assert json.loads(line) == {**to_record(RUN[0][1], 1, 0.0), "at": json.loads(line)["at"]}
        trace(Numbered(number=41, at=2.5, event=RUN[3][1]))
    written = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert written[1] == to_record(RUN[3][1], 41, 2.5)
    assert written == trace.records
    assert "谁提出了" in path.read_text(encoding="utf-8")


def test_half_characters_do_not_stop_it(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "trace.jsonl") as trace:
        trace(RunStarted(run="r1", question="what is \udce4?"))
    assert json.loads((tmp_path / "trace.jsonl").read_text(encoding="utf-8"))["question"] == "what is ??"


def test_a_place_that_cannot_be_written_is_told_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(click.FileError, match="the trace cannot be written there: No such file or directory"):
        TraceWriter(tmp_path / "none" / "trace.jsonl")


def test_a_full_disk_ends_the_trace_and_not_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    with TraceWriter(Path("/dev/full")) as trace:
        for _, event in RUN:
            trace(event)
    assert capsys.readouterr().err == "the trace is cut short: [Errno 28] No space left on device\n"
    assert len(trace.records) == len(RUN)
