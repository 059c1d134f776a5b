"""`scholarmind runs`."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

import click

from scholarmind.cli.main import json_option, library_option
from scholarmind.ports import Run

if TYPE_CHECKING:
    from scholarmind.adapters.runs import Runs

_LONGEST_QUESTION = 100


@click.command("runs")
@click.argument("run", metavar="[ID]", required=False)
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(1, 10_000), help="How many, the latest first."
)
@click.option(
    "--prune", metavar="DAYS", type=click.FloatRange(0, 36_500), help="Forget the runs that began before so many days."
)
@library_option
@json_option
def command(run: str | None, limit: int, prune: float | None, library: str | None, as_json: bool) -> None:
    """List the questions that were asked, or show one run. `ask --run ID` goes on with one that was cut short."""
    import asyncio  # noqa: PLC0415

    from scholarmind.adapters.runs import Runs  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    if run and prune is not None:
        raise click.UsageError("give either an ID or --prune")
    with Runs(Settings.load(library=library).library / "runs.db") as runs:
        if prune is not None:
            _prune(runs, prune, as_json=as_json)
        elif run:
            asyncio.run(_show(runs, run, as_json=as_json))
        else:
            _print_list(asyncio.run(runs.latest(limit)), as_json=as_json)


def _prune(runs: "Runs", days: float, *, as_json: bool) -> None:
    import asyncio  # noqa: PLC0415

    from scholarmind.cli.output import print_json  # noqa: PLC0415

    removed = asyncio.run(runs.remove_before(datetime.now(UTC) - timedelta(days=days)))
    if as_json:
        print_json({"removed": removed})
    else:
        click.echo(f"{removed} removed")


def _print_list(found: Sequence[Run], *, as_json: bool) -> None:
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415

    if as_json:
        print_json([_record(run) for run in found])
        return
    if not found:
        click.echo("no runs yet; ask something with: scholarmind ask QUESTION")
    for run in found:
        question = safe(" ".join(run.question[: _LONGEST_QUESTION + 1].split()))
        shown = question if len(run.question) <= _LONGEST_QUESTION else question[:_LONGEST_QUESTION] + "…"
        click.echo(f"{run.id}  {_when(run.started)}  {_duration(run):>9}  {run.status:<11}  {shown}")


async def _show(runs: "Runs", name: str, *, as_json: bool) -> None:
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415
    from scholarmind.cli.trace import waterfall  # noqa: PLC0415

    run = await runs.find(name)
    if run is None:
        raise click.ClickException(f"there is no run {name!r}; 'scholarmind runs' lists those that there are")
    events = [_loaded(record) for record in await runs.events(name)]
    if as_json:
        print_json({**_record(run), "answer": _loaded(run.answer), "events": events})
        return
    click.echo(f"{run.id}  {_when(run.started)}  {_duration(run)}  {run.status}\n{safe(run.question)}\n")
    if picture := waterfall(events):
        click.echo(picture + "\n")
    if text := _text_of(_loaded(run.answer)):
        click.echo(safe(text))
    elif run.status not in {"running", "done"}:
        click.echo(f"go on with it: scholarmind ask --run {run.id}")


def _record(run: Run) -> dict[str, Any]:
    """Return a run as JSON; the answer is shown with a single run only."""
    record = asdict(run) | {"plan": _loaded(run.plan), "settings": _loaded(run.settings)}
    record |= {name: _iso(record[name]) for name in ("started", "finished")}
    del record["answer"]
    return record


def _text_of(answer: Any) -> str:
    if not isinstance(answer, dict):
        return ""
    told = cast("dict[str, Any]", answer)
    return str(told.get("answer") or told.get("text") or "")


def _loaded(text: str) -> Any:
    """Return what the text says as JSON, or the text itself: another version may have written it."""
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text


def _iso(moment: float | None) -> str | None:
    return None if moment is None else datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")


def _when(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC).astimezone():%Y-%m-%d %H:%M}"


def _duration(run: Run) -> str:
    return "" if run.finished is None else f"{run.finished - run.started:,.1f} s"
