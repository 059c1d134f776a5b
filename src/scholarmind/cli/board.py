"""The live table of `add`: what is being read, what was read last, how many of each state, rate and remaining time."""

import sys
import time
from collections import Counter, deque
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from pathlib import PurePath
from typing import Any

from scholarmind.cli.main import echo
from scholarmind.cli.output import bars_of, console, print_problems
from scholarmind.events import Event, FileProgress, OnEvent, Progress, ignore
from scholarmind.model import Problem
from scholarmind.text.untrusted import uncontrolled

_SHOWN = 6  # files that were finished last
_LONGEST = 60
_FIRST_SECONDS, _SECONDS = 5.0, 20.0  # until the first line of a stage, and from one to the next
_COLOURS = {"reading": "cyan", "read": "green", "unchanged": "dim", "failed": "red"}


@contextmanager
def board(*, quiet: bool = False) -> Generator[OnEvent]:
    """Show files and stages as they go on: as a table that lives where somebody watches, in a line now and then where nobody does.

    What could not be used is shown before the embedding begins, which takes longest, and also if that is stopped.
    """
    if quiet:
        yield ignore
        return
    problems: list[Problem] = []

    def tell_problems() -> None:
        print_problems(problems)
        problems.clear()

    lively = sys.stderr.isatty()
    with _table() if lively else nullcontext(_Lines()) as show:

        def take(event: Event) -> None:
            if isinstance(event, Problem):
                problems.append(event)
            elif isinstance(event, Progress) and (event.stage != "read" or not event.done):
                tell_problems()  # a path that is not there before anything is read, what was left out before embedding
            show(event)

        try:
            yield take
        finally:
            tell_problems()


@contextmanager
def _table() -> Generator[OnEvent]:
    from rich.live import Live  # noqa: PLC0415

    files = _Files()
    bars, advance = bars_of()
    with Live(console=console(error=True), transient=True, refresh_per_second=8) as live:

        def show(event: Event) -> None:
            if isinstance(event, FileProgress):
                files.take(event)
            elif isinstance(event, Progress):
                advance(event)
                if event.stage != "read":
                    files.clear()
            live.update(files.shown(bars))

        yield show


class _Lines:
    """How far each stage is, in a line every so many seconds, with how long it will take from here."""

    def __init__(self) -> None:
        self._stage, self._began, self._said = "", 0.0, 0.0

    def __call__(self, event: Event) -> None:
        if not isinstance(event, Progress):
            return
        now = time.monotonic()
        if event.stage != self._stage:
            self._stage, self._began, self._said = event.stage, now, now - _SECONDS + _FIRST_SECONDS
        if now - self._said >= _SECONDS and 0 < event.done < event.total:
            self._said = now
            left = (now - self._began) * (event.total - event.done) / event.done
            searchable = "; keyword search works already" if event.stage == "embed" else ""
            echo(
                f"{event.stage}: {event.done:,} of {event.total:,} {event.unit}, about {_spoken(left)} left{searchable}",
                err=True,
            )


def _spoken(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{max(seconds, 1):.0f} seconds"


class _Files:
    """The files of the moment."""

    def __init__(self) -> None:
        self._reading: dict[str, tuple[FileProgress, float]] = {}
        self._finished: deque[FileProgress] = deque(maxlen=_SHOWN)
        self._states: Counter[str] = Counter()

    def take(self, news: FileProgress) -> None:
        if news.state == "reading":
            _, since = self._reading.get(news.path, (news, time.monotonic()))
            self._reading[news.path] = (news, since)
            return
        self._reading.pop(news.path, None)
        self._states[news.state] += 1
        if news.state != "unchanged":
            self._finished.append(news)

    def clear(self) -> None:
        self._reading.clear()
        self._finished.clear()

    def shown(self, bars: Any) -> Any:
        """Return the table with the bars below it."""
        from rich.console import Group  # noqa: PLC0415
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        table = Table.grid(padding=(0, 2))
        for news in self._finished:
            table.add_row(Text(news.state, _COLOURS[news.state]), _name(news.path), f"{news.seconds:.1f} s")
        for news, since in self._reading.values():
            pages = f"page {news.done:,} of {news.total:,}" if news.total else ""
            table.add_row(Text("reading", "cyan"), _name(news.path), f"{time.monotonic() - since:.0f} s {pages}")
        counts = " · ".join(f"{count:,} {state}" for state, count in self._states.items())
        return Group(table, Text(counts, "dim"), bars)


def _name(path: str) -> str:
    name = uncontrolled(PurePath(path).name).replace("[", "\\[")
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
