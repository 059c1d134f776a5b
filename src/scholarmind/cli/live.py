"""The plan as a tree that fills while it is researched, and below it the answer as it is written."""

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scholarmind.cli import consulted
from scholarmind.cli.output import console, safe
from scholarmind.events import (
    AnswerPiece,
    Consulted,
    Event,
    FirstLook,
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
    plain,
)
from scholarmind.plan import Plan, SubQuestion
from scholarmind.text.untrusted import uncontrolled

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

_LONGEST_ANSWER = 80
_FEWEST_LINES = 3  # of what has been written, however small the terminal is
_CHARACTERS = 6_000  # of it that are laid out


class PlanTree:
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
            case Consulted() | PartStarted() | PartAnswered() | PartFailed():
                self._take_part(event)
            case RoundStarted():
                self._round, self._now, self._written = event.round, "", (0, "")
            case Selected() | AnswerPiece() | Reviewed():
                self._take_writing(event)
            case _:
                pass

    def end(self) -> None:
        """Leave the tree alone: the answer itself comes next."""
        self._now, self._written = "", (0, "")

    def _take_part(self, event: Consulted | PartStarted | PartAnswered | PartFailed) -> None:
        if isinstance(event, Consulted):
            self._consulted[event.part, event.row, event.structure] = consulted.told(plain(event))
        else:
            self._state[event.part] = _state_of(event)

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
    after = f", after {', '.join(map(str, part.depends_on))}" if part.depends_on else ""
    each = f", for each item of part {part.each}" if part.each else ""
    form = f", counted in the graph: {part.form}" if part.form else ""
    return f"{part.id}. {' '.join(part.text.split())} ({part.kind}{after}{each}{form})"


@contextmanager
def watched(*, quiet: bool, transient: bool = False) -> Generator[OnEvent]:
    """Show the tree where somebody watches; unless it is `transient` it stays when the run is over."""
    if quiet or not sys.stderr.isatty():
        yield ignore
        return
    from rich.live import Live  # noqa: PLC0415

    tree = PlanTree()
    with Live(tree, console=console(error=True), refresh_per_second=10, transient=transient):
        try:
            yield tree.take
        finally:
            tree.end()
