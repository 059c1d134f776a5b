"""The live table of `add`: what is being read, what was read last, how many of each state, rate and remaining time."""

import sys
import time
from collections import Counter, deque
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

from scholarmind.cli.output import bars_of, console
from scholarmind.events import Event, FileProgress, OnEvent, Progress, ignore
from scholarmind.text.names import uncontrolled

_SHOWN = 6  # files that were finished last
_LONGEST = 60
_COLOURS = {"reading": "cyan", "read": "green", "unchanged": "dim", "failed": "red"}


@contextmanager
def board(*, quiet: bool = False) -> Generator[OnEvent]:
    """Show files and stages as they go on; nothing where nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield ignore
        return
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
