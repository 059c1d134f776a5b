"""The plan as a tree that fills while it is researched."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from scholarmind.cli.output import console, safe
from scholarmind.events import Event, OnEvent, PartAnswered, PartFailed, PartStarted, Planned, RoundStarted, ignore
from scholarmind.plan import Plan, SubQuestion

_LONGEST_ANSWER = 80


class PlanTree:
    """What is known of each part so far."""

    def __init__(self) -> None:
        self._plan: Plan | None = None
        self._state: dict[int, tuple[str, str]] = {}  # style, and what to say behind the question
        self._round = 1

    def take(self, event: Event) -> None:
        """Bring the tree up to an event."""
        match event:
            case Planned():
                self._plan = event.plan
            case PartStarted():
                self._state[event.part] = ("cyan", "…")
            case PartAnswered():
                self._state[event.part] = ("green", event.answer or f"{event.passages} passages")
            case PartFailed():
                self._state[event.part] = ("red", event.error)
            case RoundStarted():
                self._round = event.round
            case _:
                pass

    def __rich__(self) -> Any:
        """Draw it."""
        from rich.text import Text  # noqa: PLC0415
        from rich.tree import Tree  # noqa: PLC0415

        if self._plan is None:
            return Text("looking ...", style="dim")
        rounds = f", round {self._round}" if self._round > 1 else ""
        tree = Tree(Text(f"Plan: {self._plan.shape}, decided by {self._plan.decided_by}{rounds}", style="bold"))
        for part in self._plan.parts:
            style, told = self._state.get(part.id, ("dim", ""))
            branch = tree.add(Text(safe(part_line(part)), style=style))
            if told:
                branch.add(Text(safe(told)[:_LONGEST_ANSWER], style="dim"))
        return tree


def part_line(part: SubQuestion) -> str:
    """Return a part as one line: number, question, kind, and what it waits for."""
    after = f", after {', '.join(map(str, part.depends_on))}" if part.depends_on else ""
    return f"{part.id}. {' '.join(part.text.split())} ({part.kind}{after})"


@contextmanager
def watched(*, quiet: bool) -> Generator[OnEvent]:
    """Show the tree where somebody watches; it stays when the run is over."""
    if quiet or not sys.stderr.isatty():
        yield ignore
        return
    from rich.live import Live  # noqa: PLC0415

    tree = PlanTree()
    with Live(tree, console=console(error=True), refresh_per_second=12):
        yield tree.take
