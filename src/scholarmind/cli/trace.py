"""The trace of a run: a file with a line of JSON for each event, and a picture of where the time went."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from scholarmind.cli import consulted
from scholarmind.cli.costs import call_tokens
from scholarmind.cli.main import echo
from scholarmind.cli.output import json_text, safe
from scholarmind.events import Event, Numbered, numbered, to_record

Record = Mapping[str, Any]
_LABEL, _TOLD, _NARROWEST = 32, 36, 10  # columns
_STEPS = {"routed": "route", "first_look": "first look", "planned": "plan", "selected": "select", "reviewed": "check"}


class TraceWriter:
    """Writes what it is told to a file, at once, and remembers it for the picture. Close it, or use it in a `with` block."""

    def __init__(self, path: Path) -> None:
        self.records: list[Record] = []
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


def waterfall(records: Sequence[Record], width: int = 110) -> str:
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
    below = _consulted(records)
    for bar in bars:
        lines += [
            _line(bar, end, room),
            *(set_cell_size(f"    {told}", width).rstrip() for told in below.pop(bar.part, ())),
        ]
    return "\n".join(lines)


def _consulted(records: Sequence[Record]) -> dict[int, list[str]]:
    """Return what each part was looked up in, by its number; of a part that was researched again, the last time."""
    latest = {(one["part"], one["row"], one["structure"]): one for one in records if one["type"] == "consulted"}
    found: dict[int, list[str]] = {}
    for record in latest.values():
        found.setdefault(record["part"], []).append(_plain(consulted.told(record)))
    return found


def _bars(records: Sequence[Record]) -> list[_Bar]:
    bars: list[_Bar] = []
    begun: dict[int, Record] = {}
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
            bars.append(_Bar(label=_STEPS[kind], start=start, end=at, told=_told(record)))
        elif kind == "model_called":
            bars.append(_call_bar(record["call"], at))
        elif kind == "part_started":
            begun[record["part"]] = record
        elif kind == "part_evidence" and record["remembered"]:
            remembered.add(record["part"])
        elif kind in {"part_answered", "part_failed"}:
            start = begun.pop(record["part"], {"at": at - record["seconds"]})["at"]
            told = _told(record) + ", remembered" * (record["part"] in remembered)
            bars.append(_Bar(label=_label(record), start=start, end=at, told=told, part=record["part"]))
    last = max((record["at"] for record in records), default=0.0)
    bars += [
        _Bar(label=_label(record), start=record["at"], end=last, told="not done", part=record["part"])
        for record in begun.values()
    ]
    return sorted(bars, key=lambda bar: bar.start)


def _call_bar(call: Record, at: float) -> _Bar:
    error = f"failed: {call['error']}" if call["error"] else f"{call_tokens(call)}, {call['model']}"
    return _Bar(label=f"  model: {call['purpose']}", start=at - call["seconds"], end=at, told=error)


def _label(record: Record) -> str:
    return f"{record['part']} {record['question']}"


def _told(record: Record) -> str:
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


def _line(bar: _Bar, end: float, room: int) -> str:
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
