"""`scholarmind runs`."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import click

from scholarmind.cli.main import echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.adapters.runs import Runs
    from scholarmind.plan import Plan
    from scholarmind.ports import Rating, Run

_LONGEST_QUESTION = 100


class OrAnother(click.Command):
    """Hands `runs rate ...` and `runs prune ...` on to commands of their own; everything else shows runs."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments as those of the command that they are for."""
        name = args[0] if args else ""
        if name not in {"rate", "prune"}:
            return super().make_context(info_name, args, parent, **extra)
        from scholarmind.cli.rate import command as rate  # noqa: PLC0415

        chosen = rate if name == "rate" else prune
        return chosen.make_context(f"{info_name} {name}", args[1:], parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that the arguments were for."""
        return super().invoke(ctx) if ctx.command is self else ctx.command.invoke(ctx)


@click.command("runs", cls=OrAnother)
@click.argument("run", metavar="[ID]", required=False)
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(1, 10_000), help="How many, the latest first."
)
@click.option(
    "--plan", "only_plan", is_flag=True, help="Print the plan of the run, to be changed and given to `ask --plan`."
)
@library_option
@json_option
def command(run: str | None, limit: int, only_plan: bool, library: str | None, as_json: bool) -> None:
    """List the questions that were asked, or show one run. `ask --run ID` goes on with one that waits or was cut short.

    `runs rate ID good|bad` keeps what you think of an answer, `runs prune` forgets old runs: see their --help.
    """
    import asyncio  # noqa: PLC0415

    from scholarmind.cli.output import print_json  # noqa: PLC0415

    if only_plan and not run:
        raise click.UsageError("--plan needs the ID of a run")
    with runs_of(library) as runs:
        if run:
            found, events = asyncio.run(_found(runs, run))
            ratings = asyncio.run(runs.ratings(run))
            if only_plan:
                _print_plan(found)
            elif as_json:
                print_json({**_record(found, ratings), "answer": _loaded(found.answer), "events": events})
            else:
                _show(found, events, library)
                _print_ratings(ratings)
        else:
            _print_list(asyncio.run(runs.latest(limit)), asyncio.run(runs.ratings()), as_json=as_json)


def runs_of(library: str | None) -> "Runs":
    """Return the runs of a library that is there."""
    from scholarmind import wiring  # noqa: PLC0415
    from scholarmind.setting_values import check_library  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    settings = Settings.load(library=library)
    if not (settings.library / "runs.db").is_file():
        check_library(settings.library)
    return wiring.runs(settings)


@click.command("prune")
@click.option(
    "--older-than", metavar="DAYS", type=click.FloatRange(0, 36_500), help="Forget runs that began before so many days."
)
@click.option("--keep", metavar="NUMBER", type=click.IntRange(0), help="Forget all but so many, the latest.")
@click.option("--dry-run", is_flag=True, help="Only tell what would be forgotten.")
@library_option
@json_option
def prune(older_than: float | None, keep: int | None, dry_run: bool, library: str | None, as_json: bool) -> None:
    """Forget old runs, and pack those that are done. Without options, those beyond the settings `runs_days` and `runs_megabytes`.

    With both options a run goes if both say so. Never forgotten are runs that somebody rated, that wait, or that can go on. That also
    happens by itself at the end of each question, by the settings.
    """
    import asyncio  # noqa: PLC0415

    from scholarmind.cli.output import print_json  # noqa: PLC0415

    if keep == 0 and older_than is None:
        older_than = 0.0
    with runs_of(library) as runs:
        found = asyncio.run(runs.prune(older_than, keep or 0, dry_run=dry_run, whole=True))
    if as_json:
        print_json({"removed": found.runs, "bytes": found.bytes, "packed": found.packed, "dry_run": dry_run})
        return
    would = "would be " if dry_run else ""
    echo(f"{len(found.runs)} {would}removed ({found.bytes / 1e6:,.2f} MB), {found.packed} {would}packed")


def _print_list(found: "Sequence[Run]", ratings: "Sequence[Rating]", *, as_json: bool) -> None:
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415

    if as_json:
        print_json([_record(run, ratings) for run in found])
        return
    if not found:
        echo("no runs yet; ask something with: scholarmind ask QUESTION")
    for run in found:
        question = safe(" ".join(run.question[: _LONGEST_QUESTION + 1].split()))
        shown = question if len(run.question) <= _LONGEST_QUESTION else question[:_LONGEST_QUESTION] + "…"
        told = _rated(run, ratings)
        echo(f"{run.id}  {_when(run.started)}  {_duration(run):>9}  {run.status:<13}  {shown}{told}")


def _rated(run: "Run", ratings: "Sequence[Rating]") -> str:
    from scholarmind.cli.rate import judgement  # noqa: PLC0415

    told = dict.fromkeys(judgement(rating) for rating in ratings if rating.run == run.id)
    return f"  · rated {' and '.join(told)}" if told else ""


def _print_ratings(ratings: "Sequence[Rating]") -> None:
    from scholarmind.cli.rate import rating_lines  # noqa: PLC0415

    if ratings:
        echo("\n" + "\n".join(rating_lines(ratings)))


async def _found(runs: "Runs", name: str) -> "tuple[Run, list[Any]]":
    """Return a run and its events."""
    run = await runs.find(name)
    if run is None:
        raise click.ClickException(f"there is no run {name!r}; 'scholarmind runs' lists those that there are")
    return run, [_loaded(record) for record in await runs.events(name)]


def _show(run: "Run", events: list[Any], library: str | None) -> None:
    """Print when a run was, where its time went, what its calls cost, and its answer or how to go on with it."""
    from scholarmind.cli.model_options import again  # noqa: PLC0415
    from scholarmind.cli.output import safe  # noqa: PLC0415
    from scholarmind.cli.trace import waterfall  # noqa: PLC0415
    from scholarmind.text.untrusted import uncontrolled  # noqa: PLC0415

    echo(f"{run.id}  {_when(run.started)}  {_duration(run)}  {run.status}\n{safe(run.question)}\n")
    if picture := waterfall(events):
        echo(picture + "\n")
    _print_calls(events)
    if run.status == "awaiting_plan":
        _show_waiting(run, events, library)
    elif text := _text_of(_loaded(run.answer)):
        echo(uncontrolled(text))
    elif run.status not in {"running", "done"}:
        echo(f"go on with it: {again(run.id, {}, library)}")


def _print_calls(events: list[Any]) -> None:
    from scholarmind.cli.costs import call_lines, counted, money  # noqa: PLC0415
    from scholarmind.cli.output import safe  # noqa: PLC0415

    calls = [event["call"] for event in events if event["type"] == "model_called"]
    if not calls:
        return
    currency = next((event["estimate"]["currency"] for event in events if event.get("estimate")), "USD")
    echo("calls to language models:")
    for line in call_lines(calls, currency):
        echo(safe(f"  {line}"))
    costs = [call["cost"] for call in calls]
    cost = None if None in costs else sum(costs)
    tokens = sum(
        sum((call["usage"]["prompt"], call["usage"]["completion"])) for call in calls if not call["remembered"]
    )
    asked = sum(call["calls"] for call in calls)
    echo(f"  together {counted(asked, 'call')}, {tokens:,} tokens, {money(cost, currency)}\n")


def _show_waiting(run: "Run", events: list[Any], library: str | None) -> None:
    """Print the plan that waits, what it will cost, and how to go on."""
    from scholarmind.calls import Estimate  # noqa: PLC0415
    from scholarmind.cli.costs import print_estimate  # noqa: PLC0415
    from scholarmind.cli.model_options import again  # noqa: PLC0415
    from scholarmind.cli.plan import print_plan  # noqa: PLC0415

    if plan := plan_of_run(run):
        print_plan(plan)
    told = next((event["estimate"] for event in reversed(events) if event.get("estimate")), None)
    print_estimate(Estimate(**told) if told else None)
    command = again(run.id, {}, library)
    place = f" --library {shlex.quote(library)}" if library else ""
    echo(f"carry it out with: {command}")
    echo(f"change it before: {command} --interactive")
    echo(f"or in an editor: scholarmind runs {run.id} --plan{place} > plan.json; {command} --plan plan.json")


def plan_of_run(run: "Run") -> "Plan | None":
    """Return the plan that was kept with a run."""
    from scholarmind.plan import Plan  # noqa: PLC0415
    from scholarmind.steps.journal import decode  # noqa: PLC0415

    return decode(Plan, run.plan) if run.plan else None


def _print_plan(run: "Run") -> None:
    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.record import plan_record  # noqa: PLC0415

    plan, answer = plan_of_run(run), _loaded(run.answer)
    record: Any = plan_record(plan) if plan else None
    if record is None and isinstance(answer, dict):
        record = cast("dict[str, Any]", answer).get("plan")
    if record is None:
        raise click.ClickException(f"run {run.id!r} has no plan yet")
    print_json(record)


def _record(run: "Run", ratings: "Sequence[Rating]") -> dict[str, Any]:
    """Return a run as JSON; the answer is shown with a single run only."""
    from scholarmind.cli.rate import rating_record  # noqa: PLC0415

    record = asdict(run) | {"plan": _loaded(run.plan), "settings": _loaded(run.settings)}
    record |= {name: _iso(record[name]) for name in ("started", "finished")}
    del record["answer"]
    return record | {"ratings": [rating_record(rating) for rating in ratings if rating.run == run.id]}


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


def _duration(run: "Run") -> str:
    return "" if run.finished is None else f"{run.finished - run.started:,.1f} s"
