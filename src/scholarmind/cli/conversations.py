"""`scholarmind conversations`."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from scholarmind.cli.main import echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.conversations import Conversation, Turn


@click.command("conversations")
@click.argument("name", required=False)
@library_option
@json_option
def command(name: str | None, library: str | None, as_json: bool) -> None:
    """List the conversations, or show what was asked in one. `ask --conversation NAME` begins one, or goes on with it."""
    import asyncio  # noqa: PLC0415

    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.cli.runs import runs_of  # noqa: PLC0415

    with runs_of(library) as runs:
        if name is None:
            found = asyncio.run(runs.conversations.all())
            if as_json:
                print_json([asdict(one) | {"when": _iso(one.when)} for one in found])
            else:
                _print_list(found)
            return
        turns = asyncio.run(runs.conversations.turns(name))
    if not turns:
        raise click.ClickException(
            f"there is no conversation {name!r}; 'scholarmind conversations' lists those that there are"
        )
    if as_json:
        print_json([asdict(turn) for turn in turns])
    else:
        _print_turns(turns)


def _print_list(found: "Sequence[Conversation]") -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415

    if not found:
        echo("no conversations yet; begin one with: scholarmind ask QUESTION --conversation NAME")
    width = max((len(one.name) for one in found), default=0)
    for one in found:
        when = f"{datetime.fromtimestamp(one.when, UTC).astimezone():%Y-%m-%d %H:%M}"
        turns = f"{one.turns} turn{'s' * (one.turns != 1)}"
        echo(safe(f"{one.name:<{width}}  {when}  {turns:>9}  {' '.join(one.last.split())}"))


def _print_turns(turns: "Sequence[Turn]") -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415

    for number, turn in enumerate(turns, 1):
        echo(safe(f"{number}. {' '.join(turn.asked.split())}"))
        if turn.asked != turn.question:
            echo(safe(f"   understood as: {' '.join(turn.question.split())}"))
        if turn.answer:
            echo(safe(f"   {' '.join(turn.answer.split())}"))


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
