"""What a run shows on the terminal: its steps while they happen, its waterfall, and what the models cost."""

import functools
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from scholarmind.cli.main import echo
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

    from scholarmind.answer import Answer
    from scholarmind.api import Library
    from scholarmind.calls import Budget, Estimate
    from scholarmind.library.model_work import Outlook, Worked

# -- what models cost: estimates before, bills after

_Record = Mapping[str, Any]


class Costs:
    """Takes note of what a plan will cost."""

    def __init__(self) -> None:
        self.estimate: Estimate | None = None

    def __call__(self, event: "Event") -> None:
        """Look for the plan among the events."""
        self.estimate = getattr(event, "estimate", None) or self.estimate


def estimate_of(library: "Library", plan: "Plan") -> "Estimate | None":
    """Return what carrying out a plan will cost with the model of this library, if it has one."""
    from scholarmind import wiring  # noqa: PLC0415
    from scholarmind.strategies import estimates  # noqa: PLC0415

    if library.models is None:
        return None
    options = wiring.options(library.settings)
    ahead = estimates.Ahead(plan=plan, options=options, effort=options.effort, planned=True)
    return estimates.estimate_of(ahead, library.models)


def print_estimate(estimate: "Estimate | None", *, err: bool = False) -> None:
    """Print about what a plan will cost; nothing where no model is asked."""
    if estimate is not None and estimate.calls:
        echo(f"estimated: {estimated(estimate)}", err=err)


def estimated(estimate: "Estimate") -> str:
    """Return an estimate in words."""
    tokens = estimate.prompt_tokens + estimate.completion_tokens
    some = f"{estimate.levels} of them " if estimate.levels < estimate.calls else ""
    waiting = f", {some}one after another" if estimate.calls > 1 else ""
    return f"{counted(estimate.calls, 'call')}{waiting}, about {tokens:,} tokens, {money(estimate.cost, estimate.currency)}"


def money(cost: float | None, currency: str) -> str:
    """Return an amount of money; None is unknown."""
    if cost is None:
        return "price unknown"
    return f"{cost:.4f} {currency}" if 0 < cost < 1 else f"{cost:.2f} {currency}"


def counted(number: float, what: str) -> str:
    """Return a number of things."""
    return f"{number:,.0f} {what}" + "s" * (number != 1)


def paid(answer: "Answer") -> str:
    """Return what the calls of an answer came to: how many to whom, tokens, money, and how many replies were there already."""
    spent = answer.spent
    names = ", ".join(dict.fromkeys(call.model for call in answer.calls if call.model)) or "a language model"
    remembered = sum(bool(call.remembered) for call in answer.calls)
    failed = sum(bool(call.error) for call in answer.calls)
    told = [
        f"{counted(spent.get('llm_calls', 0), 'call')} to {names}",
        f"{spent.get('tokens', 0):,.0f} tokens",
        money(spent.get("cost"), answer.estimate.currency if answer.estimate else "USD"),
        *([f"{remembered} remembered"] if remembered else []),
        *([f"{failed} failed"] if failed else []),
    ]
    return ", ".join(told)


def call_lines(calls: Sequence[_Record], currency: str) -> Iterator[str]:
    """Yield a line for each call of a run: purpose, model, tokens in and out, seconds, money, and what was special about it."""
    purposes = max((len(call["purpose"]) for call in calls), default=0)
    models = max((len(call["model"]) for call in calls), default=0)
    for call in calls:
        tokens = call_tokens(call)
        cost = "" if call["remembered"] else money(call["cost"], currency)
        error = f"failed: {' '.join(call['error'].split())}" if call["error"] else ""
        seconds = f"{call['seconds']:,.2f} s"
        line = (
            f"{call['purpose']:<{purposes}}  {call['model']:<{models}}  {tokens:>22}  {seconds:>8}  {cost:<13}  {error}"
        )
        yield line.rstrip()


def call_tokens(call: _Record) -> str:
    """Return the tokens of a call, in and out, or where its reply was remembered."""
    if call["remembered"]:
        return f"from the {call['remembered']}"
    usage = call["usage"]
    return f"{'about ' * usage['estimated']}{usage['prompt']:,} + {usage['completion']:,} tokens"


# -- work on a whole library

_F = TypeVar("_F", bound=Callable[..., Any])
_CONFIGURED = "as configured"
_OPTIONS = (
    click.option(
        "--llm",
        is_flag=False,
        flag_value=_CONFIGURED,
        metavar="[MODEL]",
        help="Have a language model make it better: that of the settings, or this one. Tells before what it would cost.",
    ),
    click.option(
        "--max-calls", type=click.IntRange(1), help="Calls to the model; the same command goes on after them."
    ),
    click.option("--max-tokens", type=click.IntRange(1), help="Tokens, in and out."),
    click.option("--max-cost", type=click.FloatRange(0, min_open=True), help="Money, by the prices known."),
    click.option("--yes", is_flag=True, help="Do not ask back before the model is asked."),
)


def modelled_options(function: _F) -> _F:
    """Add the options; the command is given them as `modelled`: what `settings_of`, `budget_of` and `carried_out` take."""

    @functools.wraps(function)
    def packed(**given: Any) -> Any:
        modelled = {name: given.pop(name) for name in ("llm", "max_calls", "max_tokens", "max_cost", "yes")}
        if modelled["llm"] in {None, "none"} and any(modelled[name] for name in modelled if name != "llm"):
            raise click.UsageError("--max-calls, --max-tokens, --max-cost and --yes are for --llm")
        return function(modelled=modelled, **given)

    command: Any = packed
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def is_wanted(modelled: dict[str, Any]) -> bool:
    """Tell whether a model is to be asked at all."""
    return modelled["llm"] not in {None, "none"}


def settings_of(modelled: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that a library is opened with."""
    llm = modelled["llm"]
    return {"llm": None if llm == _CONFIGURED else llm, "effort": "auto"} if is_wanted(modelled) else {}


def budget_of(modelled: dict[str, Any]) -> "Budget":
    """Return how much may be spent on all of the work."""
    from scholarmind.calls import Budget  # noqa: PLC0415

    return Budget(calls=modelled["max_calls"], tokens=modelled["max_tokens"], cost=modelled["max_cost"])


def carried_out(
    outlook: "Outlook", work: "Callable[[OnEvent], Worked]", modelled: dict[str, Any], things: str, *, as_json: bool
) -> "Worked | None":
    """Tell what the work would come to, and do it if that is wanted; with --json only --yes says so."""
    from scholarmind.cli.output import progress  # noqa: PLC0415

    if not outlook.things:
        if not as_json:
            echo(f"the model has done all of its work: no {things} are left for it")
        return None
    if not as_json:
        echo(f"{several(outlook.things, things)} for the model; {_foreseen(outlook)}", err=True)
    if not modelled["yes"]:
        if as_json:
            return None
        click.confirm("ask the model?", abort=True, err=True)
    with progress(quiet=as_json) as on_event:
        worked = work(on_event)
    if not as_json:
        _print_worked(worked, things)
    return worked


def _foreseen(outlook: "Outlook") -> str:
    """Return in words what work would come to."""

    estimate = outlook.estimate
    tokens = estimate.prompt_tokens + estimate.completion_tokens
    cost = money(estimate.cost, estimate.currency)
    return f"at most about {counted(estimate.calls, 'call')}, {tokens:,} tokens, {cost}, {_duration_words(outlook.seconds)}"


def _print_worked(worked: "Worked", things: str) -> None:
    """Print what work came to."""
    from scholarmind.cli.output import safe  # noqa: PLC0415

    spent = worked.spent
    told = [
        f"{several(worked.done, things)} by the model",
        *([f"{worked.kept:,} {'stays as it was' if worked.kept == 1 else 'stay as they were'}"] if worked.kept else []),
        counted(spent.get("llm_calls", 0), "call"),
        counted(spent.get("tokens", 0), "token"),
        money(spent.get("cost"), worked.currency),
        *([f"{worked.remembered:,} remembered"] if worked.remembered else []),
    ]
    echo(", ".join(told))
    for note in worked.notes:
        echo(safe(f"note: {note}"))
    if worked.left:
        why = f"stopped: {worked.stopped}; " if worked.stopped else ""
        echo(safe(f"{why}{several(worked.left, things)} left; the same command goes on"))


def modelled_record(outlook: "Outlook | None", worked: "Worked | None") -> dict[str, Any]:
    """Return both as JSON."""
    from dataclasses import asdict  # noqa: PLC0415

    return {"outlook": outlook and asdict(outlook), "worked": worked and asdict(worked)}


def several(number: int, things: str) -> str:
    """Return a number of things, whose word is given in the plural."""
    one = f"{things.removesuffix('ies')}y" if things.endswith("ies") else things.removesuffix("s")
    return f"{number:,} {one if number == 1 else things}"


def _duration_words(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


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
            case Selected():
                self._now, self._written = "writing ...", (0, "")
            case AnswerPiece():
                before = self._written[1] if event.draft == self._written[0] else ""
                self._written = (event.draft, before + event.text)
            case Reviewed():
                self._now = "checking ..." if self._effort in {"standard", "deep"} else ""
            case _:
                pass

    def end(self) -> None:
        """Leave the tree alone: the answer itself comes next."""
        self._now, self._written = "", (0, "")

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
    # what each part was looked up in, by its number; of a part that was researched again, the last time
    latest = {(one["part"], one["row"], one["structure"]): one for one in records if one["type"] == "consulted"}
    below: dict[int, list[str]] = {}
    for record in latest.values():
        below.setdefault(record["part"], []).append(_plain(_consulted_line(record)))
    for bar in bars:
        lines += [
            _bar_line(bar, end, room),
            *(set_cell_size(f"    {told}", width).rstrip() for told in below.pop(bar.part, ())),
        ]
    return "\n".join(lines)


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
            call = record["call"]
            error = f"failed: {call['error']}" if call["error"] else f"{call_tokens(call)}, {call['model']}"
            bars.append(_Bar(label=f"  model: {call['purpose']}", start=at - call["seconds"], end=at, told=error))
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
