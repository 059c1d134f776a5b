"""What people see in a terminal: tables, marked passages, bars and live tables of progress; and JSON for programs.

Whatever comes from documents passes `safe` or the console, so that nothing in it is obeyed by a terminal. Answers are in `answer_output`,
plans that fill in `run_progress`.
"""

import json
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, cast

import click

from scholarmind.cli.main import echo
from scholarmind.events import Event, FileProgress, OnEvent, Progress, ignore
from scholarmind.identity import headings_below
from scholarmind.model import Document, Evidence, Problem
from scholarmind.ranking import Key, key_of
from scholarmind.text.untrusted import disarmed, disarmed_pieces, escaped, uncontrolled

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
    from rich.markdown import Markdown
    from rich.progress import Progress as Bars
    from rich.text import Text


# -- JSON, the console, progress, problems and passages

_STAGES = {
    "read": "Reading",
    "online": "Looking up",
    "embed": "Embedding",
    "multilingual": "Embedding for several languages",
    "ask": "Asking",
    "tune": "Tuning",
    "check": "Checking",
    "graph": "Relating",
    "relate": "Asking",
    "tree": "Summing up",
    "summarise": "Asking",
    "watch": "Asking again",
    "table": "Filling",
    "cells": "Asking",
    "copy": "Copying",
}

_MOST_PROBLEMS = 50
_UNSEEN = 200  # characters in a line where there is no terminal


def print_json(value: Any, *, indent: int | None = 2, err: bool = False) -> None:
    """Print one JSON value, readable and in UTF-8; in one line without an indent."""
    click.echo(json_text(value, indent=indent).encode(), err=err)  # noqa: TID251  (bytes of JSON)


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Return a value as JSON that says exactly what it holds, and that a terminal can be shown."""
    return escaped(json.dumps(value, ensure_ascii=False, indent=indent, default=_plain))


def console(*, error: bool = False) -> "Console":
    """Return the terminal, or what stands for it."""
    from rich.console import Console  # noqa: PLC0415

    stream = sys.stderr if error else sys.stdout
    seen = stream is not None and stream.isatty()
    width = None if seen or "COLUMNS" in os.environ else _UNSEEN  # a table of figures must not be cut in a file
    # no emoji: a ratio of 1:100:5 is no picture of a hundred, and their table takes long to load
    made = Console(stderr=error, highlight=False, emoji=False, soft_wrap=not seen, width=width)
    made.push_render_hook(cast("RenderHook", _Uncontrolled()))
    return made


def markdown(text: str) -> "Markdown":
    """Return Markdown to be printed; the cells of its tables are wrapped, also where they have no spaces, and never cut."""
    from rich.markdown import Markdown, TableElement  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    class Folded(TableElement):
        def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
            for made in super().__rich_console__(console, options):
                for column in made.columns if isinstance(made, Table) else ():
                    column.overflow = "fold"
                yield made

    class ShownMarkdown(Markdown):
        elements = Markdown.elements | {"table_open": Folded}

    return ShownMarkdown(text, hyperlinks=False)


def safe(text: str) -> str:
    """Return words of others as they can be printed: nothing in them that a terminal would obey, or that looks like a citation of ours."""
    return uncontrolled(disarmed(text))


def write_whole(output: Path, pieces: Iterable[bytes]) -> None:
    """Write the file whole or not at all; a device is written to as it is."""
    whole = output if output.exists() and not output.is_file() else output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with whole.open("wb") as file:
            for piece in pieces:
                file.write(piece)
        if whole != output:
            whole.replace(output)
    except OSError as error:
        raise click.FileError(str(output), f"cannot be written: {error.strerror}") from error
    finally:
        if whole != output:
            whole.unlink(missing_ok=True)


class _Uncontrolled:
    """Takes out of all that a console prints what its terminal would obey, but for what the console itself says to it."""

    def process_renderables(self, renderables: "list[ConsoleRenderable]") -> "list[ConsoleRenderable]":
        """Wrap what is to be printed."""
        from rich.control import Control  # noqa: PLC0415

        return [one if isinstance(one, Control) else _Harmless(one) for one in renderables]


class _Harmless:
    """Something to be printed, without what a terminal would obey."""

    def __init__(self, inner: "ConsoleRenderable") -> None:
        self._inner = inner

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        """Render it."""
        for segment in console.render(self._inner, options):
            yield segment if segment.control else segment._replace(text=uncontrolled(segment.text))


@contextmanager
def progress(*, quiet: bool = False) -> Generator[OnEvent]:
    """Show a bar for each stage, with rate and remaining time; nothing where nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield ignore
        return
    bars, advance = _bars_of()
    with bars:
        yield lambda event: advance(event) if isinstance(event, Progress) else None


def _bars_of() -> "tuple[Bars, Callable[[Progress], None]]":
    """Return a bar for each stage, and what moves them."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bars  # noqa: PLC0415

    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    bars = Bars(*columns, console=console(error=True), transient=True)
    tasks: dict[str, Any] = {}
    begun: dict[str, float] = {}
    latest = time.monotonic()

    def advance(event: Progress) -> None:
        nonlocal latest
        begun.setdefault(event.stage, latest)  # a stage begins where the last event of the one before was
        latest = time.monotonic()
        if event.stage not in tasks:
            tasks[event.stage] = bars.add_task(_STAGES.get(event.stage, event.stage), rate="")
        count, unit = (event.passages, "passages") if event.passages else (event.done, event.unit)
        rate = f"{count / max(latest - begun[event.stage], 1e-3):,.0f} {unit}/s"
        bars.update(tasks[event.stage], completed=event.done, total=event.total, rate=rate)

    return bars, advance


def print_problems(problems: Sequence[Problem]) -> None:
    """Print what could not be used, why, and what to do."""
    if not problems:
        return
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(title=f"{len(problems)} left out or used in part", title_justify="left")
    for name in ("Where", "Why", "What to do"):
        table.add_column(name, overflow="fold")  # the name of a file is of no use cut
    for problem in problems[:_MOST_PROBLEMS]:
        table.add_row(
            *(Text(uncontrolled(part).replace("\n", " ")) for part in (problem.where, problem.reason, problem.advice))
        )
    terminal = console(error=True)
    terminal.print(table)
    if len(problems) > _MOST_PROBLEMS:
        terminal.print(f"... and {len(problems) - _MOST_PROBLEMS} more; --json lists them all")


def print_evidence(
    evidence: Sequence[Evidence], question: str, *, scores: bool, told: Mapping[Key, str] | None = None
) -> None:
    """Print passages with where they are from, the words of the question marked; what is `told` stands in place of the scores."""
    from rich.text import Text  # noqa: PLC0415

    terminal = console()
    for rank, item in enumerate(evidence, 1):
        terminal.print(Text.assemble((f"{rank:>2}. ", "dim"), (safe(item.document.title or item.document.id), "bold")))
        terminal.print(Text(f"    {safe(origin(item))}", style="cyan"))
        if scores:
            line = (told or {}).get(key_of(item)) or scores_of(item)
            terminal.print(Text(f"    {safe(line)}", style="dim"))
        terminal.print(indented(_marked(item.passage.text, question, plain=not terminal.is_terminal), terminal))
        terminal.print()


def _marked(text: str, question: str, *, plain: bool) -> "Text":
    """Return the passage with the question's words in bold (or between ** where there is no bold)."""
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.text.analysis import spans, terms  # noqa: PLC0415

    wanted = frozenset(terms(question))
    found: list[tuple[int, int]] = []
    for start, end, words in spans(text):
        if words & wanted:
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
    pieces = map(uncontrolled, disarmed_pieces(text, [place for span in found for place in span]))
    styled = [(piece, bool(number % 2)) for number, piece in enumerate(pieces)]
    if plain:
        return Text("".join(f"**{piece}**" if bold else piece for piece, bold in styled))
    return Text.assemble(*((piece, "bold yellow" if bold else "") for piece, bold in styled))


def evidence_record(rank: int, item: Evidence) -> dict[str, Any]:
    """Return a hit as JSON."""
    return {
        "rank": rank,
        "document": asdict(item.document),
        "passage": asdict(item.passage),
        "scores": asdict(item.scores),
    }


def citation(document: Document) -> str:
    """Return who wrote it and when, as far as that is known."""
    from scholarmind.citing.citation_styles import person  # noqa: PLC0415

    named = [person(author).full for author in document.authors[:3]]
    authors = ", ".join(named) + (" et al." if len(document.authors) > 3 else "")
    return " · ".join(part for part in (authors, document.dated) if part)


def origin(item: Evidence) -> str:
    """Return who wrote a passage and when, where it stands, and the id of its document, as far as that is known."""
    return " · ".join(
        part
        for part in (
            citation(item.document),
            " › ".join(headings_below(item.document.title, item.passage.section)),
            f"p. {item.passage.page}" if item.passage.page else "",
            item.document.id,
        )
        if part
    )


def scores_of(item: Evidence) -> str:
    """Return how a passage was found, in a line."""
    scores = item.scores
    legs = (("vector", scores.vector, scores.vector_rank), ("keyword", scores.keyword, scores.keyword_rank))
    told = (f"{name} {'–' if score is None else f'{score:.3f} (rank {rank})'}" for name, score, rank in legs)
    return f"score {scores.fused:.3f} · {' · '.join(told)} · characters {item.passage.start}-{item.passage.end}"


def indented(text: "Text", terminal: "Console", depth: int = 4) -> Any:
    """Return text that stands so many columns to the right, also where its lines are wrapped."""
    from rich.padding import Padding  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    if terminal.is_terminal:
        return Padding(text, (0, 0, 0, depth))
    return Text(
        "\n".join(f"{' ' * depth}{line}" for line in text.plain.split("\n"))
    )  # padding would cut long lines in a pipe


def _plain(value: Any) -> Any:
    return dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else str(value)


# -- the live table of `add`: what is being read, what was read last, rate and remaining time

_FILES_SHOWN = 6  # files that were finished last
_LONGEST = 60
_FIRST_SECONDS, _SECONDS = 5.0, 20.0  # until the first line of a stage, and from one to the next
_COLOURS = {"reading": "cyan", "read": "green", "unchanged": "dim", "failed": "red"}


@contextmanager
def file_progress(*, quiet: bool = False) -> Generator[OnEvent]:
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
    with _live_table() if lively else nullcontext(_ProgressLines()) as show:

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
def _live_table() -> Generator[OnEvent]:
    from rich.live import Live  # noqa: PLC0415

    files = _FileTable()
    bars, advance = _bars_of()
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


class _ProgressLines:
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
            in_words = f"{left / 60:.0f} minutes" if left >= 90 else f"{max(left, 1):.0f} seconds"
            searchable = "; keyword search works already" if event.stage == "embed" else ""
            echo(
                f"{event.stage}: {event.done:,} of {event.total:,} {event.unit}, about {in_words} left{searchable}",
                err=True,
            )


class _FileTable:
    """The files of the moment."""

    def __init__(self) -> None:
        self._reading: dict[str, tuple[FileProgress, float]] = {}
        self._finished: deque[FileProgress] = deque(maxlen=_FILES_SHOWN)
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
            table.add_row(Text(news.state, _COLOURS[news.state]), _file_name(news.path), f"{news.seconds:.1f} s")
        for news, since in self._reading.values():
            pages = f"page {news.done:,} of {news.total:,}" if news.total else ""
            table.add_row(Text("reading", "cyan"), _file_name(news.path), f"{time.monotonic() - since:.0f} s {pages}")
        counts = " · ".join(f"{count:,} {state}" for state, count in self._states.items())
        return Group(table, Text(counts, "dim"), bars)


def _file_name(path: str) -> str:
    name = uncontrolled(PurePath(path).name).replace("[", "\\[")
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
