"""`scholarmind runs rate`."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.main import echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.adapters.runs import Runs
    from scholarmind.ports import Rating


@click.command("rate")
@click.argument("run", metavar="ID")
@click.argument("judgement", metavar="[good|bad]", type=click.Choice(["good", "bad"]), required=False)
@click.option("--part", type=click.IntRange(1), help="Only this part of the answer, by its number.")
@click.option("--note", default="", metavar="TEXT", help="Why.")
@click.option("--clear", is_flag=True, help="Take back whatever was said of this run.")
@library_option
@json_option
def command(
    run: str, judgement: str | None, part: int | None, note: str, clear: bool, library: str | None, as_json: bool
) -> None:
    """Say whether an answer, or a part of it, was good. `tune` and `export --training` go by it."""
    import asyncio  # noqa: PLC0415

    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.cli.runs import runs_of  # noqa: PLC0415

    if clear == bool(judgement) or (clear and (part or note)):
        raise click.UsageError("say good or bad, or take everything back with --clear")
    with runs_of(library) as runs:
        kept = asyncio.run(_rated(runs, run, judgement, part or 0, note))
    if as_json:
        print_json([rating_record(rating) for rating in kept])
    elif clear:
        echo("taken back")
    else:
        for line in rating_lines(kept):
            echo(line)


async def _rated(runs: "Runs", run: str, judgement: str | None, part: int, note: str) -> "list[Rating]":
    if judgement:
        await runs.rate(run, good=judgement == "good", part=part, note=note)
    else:
        await runs.unrate(run)
    return await runs.ratings(run)


def rating_lines(ratings: "Sequence[Rating]") -> list[str]:
    """Return a line for each rating of a run."""
    from scholarmind.cli.output import safe  # noqa: PLC0415

    return [
        f"rated {judgement(rating)}{f' in part {rating.part}' if rating.part else ''}"
        + (f": {safe(' '.join(rating.note.split()))}" if rating.note else "")
        for rating in ratings
    ]


def judgement(rating: "Rating") -> str:
    """Return a rating as the word that it was given with."""
    return "good" if rating.good else "bad"


def rating_record(rating: "Rating") -> dict[str, Any]:
    """Return a rating as JSON."""
    at = datetime.fromtimestamp(rating.at, UTC).isoformat(timespec="milliseconds")
    return asdict(rating) | {"good": rating.good, "at": at}
