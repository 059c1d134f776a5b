"""A run as it goes on, and when it is over: the plan as a tree that fills, the trace as a file, and a picture of where the time went.

The tree shows the answer while it is written. How an answer is printed is in `answer_output`.
"""

import sys
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.main import echo
from scholarmind.cli.model_costs import call_tokens
from scholarmind.cli.output import console, json_text, safe
from scholarmind.events import (
    AnswerPiece,
    Consulted,
    Event,
    FirstLook,
    Numbered,
    OnEvent,
    PartAnswered,
    PartFailed,
    PartStarted,
    Planned,
    Reviewed,
    RoundStarted,
    RunStarted,
    Selected,
    Understood,
    ignore,
    numbered,
    plain,
    to_record,
)
from scholarmind.plan import Plan, SubQuestion
from scholarmind.text.language import language_of
from scholarmind.text.untrusted import uncontrolled

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult


# -- what a part was looked up in beside its passages: levels of the tree, relations of the graph

_TITLES = 3


def _consulted_line(record: Mapping[str, Any]) -> str:
    """Return a `consulted` event as a line: "tree: levels 2, 3 · Attention, Scaling · 12 passages"."""
    row = f" ({record['row']})" if record["row"] != str(record["part"]) else ""
    names = list(record["nodes"])
    named = ", ".join(names[:_TITLES]) + (f" and {len(names) - _TITLES} more" if len(names) > _TITLES else "")
    if record["structure"] == "tree":
        levels = list(record["levels"])
        where = [f"level{'s' * (len(levels) != 1)} {', '.join(map(str, levels))}", named]
    else:
        where = [", ".join(record["relations"]) + (f" from {named}" if named else "")]
    passages = f"{record['passages']} passage{'s' * (record['passages'] != 1)}"
    said = " · ".join(filter(None, (*where, passages, record["counted"])))
    return " ".join(f"{record['structure']}{row}: {said}".split())


# -- the plan as a tree that fills, and below it the answer as it is written

_LONGEST_ANSWER = 80
_FEWEST_LINES = 3  # of what has been written, however small the terminal is
_CHARACTERS = 6_000  # of it that are laid out


class PlanProgress:
    """What is known of each part so far, and what has been written."""

    def __init__(self) -> None:
        self._plan: Plan | None = None
        self._state: dict[int, tuple[str, str]] = {}  # style, and what to say behind the question
        self._consulted: dict[tuple[int, str, str], str] = {}  # by part, row and structure
        self._round = 1
        self._understood = ""
        self._now = "looking ..."
        self._effort = ""
        self._written: tuple[int, str] = (0, "")  # the number of the draft, and its text

    def take(self, event: Event) -> None:
        """Bring the tree up to an event."""
        match event:
            case RunStarted():
                self._effort = event.effort
            case Understood():
                self._understood = event.became
            case FirstLook():
                self._now = "planning ..."
            case Planned():
                self._plan, self._now = event.plan, ""
            case Consulted():
                self._consulted[event.part, event.row, event.structure] = _consulted_line(plain(event))
            case PartStarted() | PartAnswered() | PartFailed():
                self._state[event.part] = _state_of(event)
            case RoundStarted():
                self._round, self._now, self._written = event.round, "", (0, "")
            case Selected() | AnswerPiece() | Reviewed():
                self._take_writing(event)
            case _:
                pass

    def end(self) -> None:
        """Leave the tree alone: the answer itself comes next."""
        self._now, self._written = "", (0, "")

    def _take_writing(self, event: Selected | AnswerPiece | Reviewed) -> None:
        match event:
            case Selected():
                self._now, self._written = "writing ...", (0, "")
            case AnswerPiece():
                before = self._written[1] if event.draft == self._written[0] else ""
                self._written = (event.draft, before + event.text)
            case Reviewed():
                self._now = "checking ..." if self._effort in {"standard", "deep"} else ""

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        """Draw the tree, and as much of the end of what has been written as there is room for."""
        from rich.console import Group  # noqa: PLC0415
        from rich.markdown import Markdown  # noqa: PLC0415
        from rich.segment import Segment  # noqa: PLC0415

        lines = console.render_lines(Group(*self._above()), options, pad=False)
        if text := self._written[1]:
            if len(lines) + _FEWEST_LINES + 3 > console.height:
                lines = lines[: 1 + bool(self._understood)]  # the tree is whole again when the answer is
            room = max(1, console.height - len(lines) - 3)
            written = Markdown(uncontrolled(text[-_CHARACTERS:]), hyperlinks=False)
            lines = [*lines, [], *console.render_lines(written, options, pad=False)[-room:]]
        for line in (*lines, []):  # what is typed, such as ^C, must not break a full line
            yield from line
            yield Segment.line()

    def _above(self) -> "Iterator[RenderableType]":
        """Yield what the question became, the tree, and what is being done."""
        from rich.text import Text  # noqa: PLC0415
        from rich.tree import Tree  # noqa: PLC0415

        if self._understood:
            yield Text(safe(f"understood as: {self._understood}"), style="dim")
        if self._plan is not None:
            rounds = f", round {self._round}" if self._round > 1 else ""
            tree = Tree(Text(f"Plan: {self._plan.shape}, decided by {self._plan.decided_by}{rounds}", style="bold"))
            branches = {0: tree}
            for part in self._plan.parts:  # each before its own
                style, told = self._state.get(part.id, ("dim", ""))
                above = branches.get(part.parent, tree)
                branch = branches[part.id] = above.add(Text(safe(part_line(part)), style=style))
                looked = [line for (number, _, _), line in self._consulted.items() if number == part.id]
                for line in filter(None, (*looked, told)):
                    branch.add(Text(safe(line)[:_LONGEST_ANSWER], style="dim"))
            yield tree
        if self._now and not self._written[1]:
            yield Text(self._now, style="dim")


def _state_of(event: PartStarted | PartAnswered | PartFailed) -> tuple[str, str]:
    match event:
        case PartStarted():
            return "cyan", "…"
        case PartAnswered():
            return "green", " ".join(event.answer.split()) or f"{event.passages} passages"
        case PartFailed():
            return "red", event.error


def part_line(part: SubQuestion) -> str:
    """Return a part as one line: number, question, kind, what it waits for, whose list it goes through, how the graph answers it."""
    from scholarmind.publishing.manuscript import words_in  # noqa: PLC0415

    words = words_in(language_of(part.text))
    after = words["after"].format(parts=", ".join(map(str, part.depends_on))) if part.depends_on else ""
    each = words["each"].format(part=part.each) if part.each else ""
    form = words["form"].format(form=part.form) if part.form else ""
    kind = words.get(part.kind, part.kind)
    return f"{part.id}. {' '.join(part.text.split())} ({kind}{after}{each}{form})"


@contextmanager
def watched(*, quiet: bool, transient: bool = False) -> Generator[OnEvent]:
    """Show the tree where somebody watches; unless it is `transient` it stays when the run is over."""
    if quiet or not sys.stderr.isatty():
        yield ignore
        return
    from rich.live import Live  # noqa: PLC0415

    tree = PlanProgress()
    with Live(tree, console=console(error=True), refresh_per_second=10, transient=transient):
        try:
            yield tree.take
        finally:
            tree.end()


# -- the trace: a line of JSON for each event, and the waterfall of a run

_Record = Mapping[str, Any]
_LABEL, _TOLD, _NARROWEST = 32, 36, 10  # columns
_STEPS = {"routed": "route", "first_look": "first look", "planned": "plan", "selected": "select", "reviewed": "check"}


class TraceWriter:
    """Writes what it is told to a file, at once, and remembers it for the picture. Close it, or use it in a `with` block."""

    def __init__(self, path: Path) -> None:
        self.records: list[_Record] = []
        self._failed = False
        self._number = numbered(self._take, time.monotonic)
        try:
            self._file = path.open("wb", buffering=0)
        except OSError as error:
            raise click.FileError(str(path), f"the trace cannot be written there: {error.strerror}") from error

    def __call__(self, event: Event | Numbered) -> None:
        """Write down an event; what has no number yet gets one."""
        if isinstance(event, Numbered):
            self._take(event)
        else:
            self._number(event)

    def __enter__(self) -> "TraceWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _take(self, event: Numbered) -> None:
        record = to_record(event.event, event.number, event.at)
        self.records.append(record)
        try:
            self._file.write(json_text(record).encode() + b"\n")
        except OSError as error:
            if not self._failed:  # the answer is worth more than its trace
                echo(f"the trace is cut short: {error}", err=True)
            self._failed = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bar:
    label: str
    start: float
    end: float
    told: str
    part: int = 0


def waterfall(records: Sequence[_Record], width: int = 110) -> str:
    """Return a line for each step of a run: its name, when it ran as a bar, how long it took, and what came of it.

    Below a part stands what the tree and the graph were asked for it. Of a run that was resumed, the last attempt is drawn.
    """
    from rich.cells import set_cell_size  # noqa: PLC0415

    begins = [place for place, record in enumerate(records) if record["type"] == "run_started"]
    records = records[begins[-1] if begins else 0 :]
    bars = _bars(records)
    if not bars:
        return ""
    end = max(1e-6, *(bar.end for bar in bars), *(record["at"] for record in records))
    room = max(_NARROWEST, width - _LABEL - _TOLD)
    lines = [f"{'':<{_LABEL}}0{_milliseconds(end):>{room - 1}}"]
    below = _consulted_by_part(records)
    for bar in bars:
        lines += [
            _bar_line(bar, end, room),
            *(set_cell_size(f"    {told}", width).rstrip() for told in below.pop(bar.part, ())),
        ]
    return "\n".join(lines)


def _consulted_by_part(records: Sequence[_Record]) -> dict[int, list[str]]:
    """Return what each part was looked up in, by its number; of a part that was researched again, the last time."""
    latest = {(one["part"], one["row"], one["structure"]): one for one in records if one["type"] == "consulted"}
    found: dict[int, list[str]] = {}
    for record in latest.values():
        found.setdefault(record["part"], []).append(_plain(_consulted_line(record)))
    return found


def _bars(records: Sequence[_Record]) -> list[_Bar]:
    bars: list[_Bar] = []
    begun: dict[int, _Record] = {}
    remembered: set[int] = set()
    written = 0.0  # when a model last said something
    for record in records:
        kind, at = record["type"], record["at"]
        if kind in {"model_called", "answer_piece"}:
            written = at
        if kind in _STEPS:
            start = (
                at - record["seconds"]
            )  # of a check: with the writing, which has a bar of its own where a model does it
            start = max(start, written) if kind == "reviewed" else start
            bars.append(_Bar(label=_STEPS[kind], start=start, end=at, told=_outcome(record)))
        elif kind == "model_called":
            bars.append(_call_bar(record["call"], at))
        elif kind == "part_started":
            begun[record["part"]] = record
        elif kind == "part_evidence" and record["remembered"]:
            remembered.add(record["part"])
        elif kind in {"part_answered", "part_failed"}:
            start = begun.pop(record["part"], {"at": at - record["seconds"]})["at"]
            told = _outcome(record) + ", remembered" * (record["part"] in remembered)
            bars.append(_Bar(label=_label(record), start=start, end=at, told=told, part=record["part"]))
    last = max((record["at"] for record in records), default=0.0)
    bars += [
        _Bar(label=_label(record), start=record["at"], end=last, told="not done", part=record["part"])
        for record in begun.values()
    ]
    return sorted(bars, key=lambda bar: bar.start)


def _call_bar(call: _Record, at: float) -> _Bar:
    error = f"failed: {call['error']}" if call["error"] else f"{call_tokens(call)}, {call['model']}"
    return _Bar(label=f"  model: {call['purpose']}", start=at - call["seconds"], end=at, told=error)


def _label(record: _Record) -> str:
    return f"{record['part']} {record['question']}"


def _outcome(record: _Record) -> str:
    match record["type"]:
        case "routed":
            return str(record["route"])
        case "planned":
            return f"{len(record['plan']['parts'])} parts, {record['plan']['shape']}"
        case "part_failed":
            return f"failed: {record['error']}"
        case "selected":
            return f"{record['passages']} of {record['considered']} passages"
        case "reviewed":
            return f"{record['verdict']}, {record['confidence']:.2f}"
        case _:
            return f"{record['passages']} passages"


def _bar_line(bar: _Bar, end: float, room: int) -> str:
    from rich.cells import set_cell_size  # noqa: PLC0415

    first = min(room - 1, int(max(0.0, bar.start) / end * room))
    cells = max(1, round((bar.end - max(0.0, bar.start)) / end * room))
    drawn = (" " * first + "█" * min(cells, room - first)).ljust(room)
    label = set_cell_size(_plain(bar.label), _LABEL - 1)
    told = set_cell_size(_plain(f"{_milliseconds(bar.end - bar.start):>9}  {bar.told}"), _TOLD - 1)
    return f"{label} {drawn} {told}".rstrip()


def _plain(text: str) -> str:
    return safe(text.replace("\n", " ").replace("\t", " "))


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1e3:.1f} ms"
