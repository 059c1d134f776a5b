"""`scholarmind plan`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.command_options import model_options, resume_command
from scholarmind.cli.main import echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.plan import Plan
    from scholarmind.planning.rule_planner import KeylessPlanner


@click.command("plan")
@click.argument("question", nargs=-1)
@click.option(
    "--batch",
    type=click.Path(dir_okay=False, path_type=Path),
    help='Plan every line of a file, a question or {"id": 1, "question": "..."}, and print a line of JSON for each; needs no library.',
)
@click.option(
    "--hold",
    is_flag=True,
    help="Keep the plan as a run that waits: `ask --run ID`, with or without --plan, carries it out.",
)
@click.option(
    "--conversation", default="", metavar="NAME", help="Understand a follow-up from what was asked in it before."
)
@model_options
@library_option
@json_option
def plan_command(
    question: tuple[str, ...],
    batch: Path | None,
    hold: bool,
    conversation: str,
    chosen: dict[str, Any],
    library: str | None,
    as_json: bool,
) -> None:
    """Show how a question would be taken apart and what answering it will cost, without researching it."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.blocking import run as run_async  # noqa: PLC0415
    from scholarmind.cli.model_costs import Costs, print_estimate  # noqa: PLC0415
    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.events import plain  # noqa: PLC0415
    from scholarmind.ports import Look  # noqa: PLC0415
    from scholarmind.record import plan_record  # noqa: PLC0415

    text = " ".join(question).strip()
    if bool(text) == bool(batch):
        raise click.UsageError("give either a question or --batch FILE")
    if hold and batch:
        raise click.UsageError("--hold is for one question")
    if batch and (planner := _planner_alone(library, chosen)):
        for record in list(_lines(batch)):
            _print_record(record["id"], run_async(planner.plan(record["question"], Look())))
        return
    costs, run = Costs(), ""
    with Library.open(library, create=False, **chosen) as opened:
        if batch:
            for record in list(_lines(batch)):  # a line that cannot be used is told of before the work, not after it
                _print_record(record["id"], opened.plan(record["question"]))
            return
        if hold:
            proposal = opened.propose(text, conversation=conversation, on_event=costs)
            plan, run = proposal.plan, proposal.run
        else:
            plan = opened.plan(text, conversation=conversation, on_event=costs)
    if as_json:
        record = plan_record(plan) | {"estimate": plain(costs.estimate)}
        print_json(record | {"run": run} if run else record)
        return
    print_plan(plan)
    print_estimate(costs.estimate)
    if run:
        echo(f"it waits; carry it out with: {resume_command(run, chosen, library)}")


def _planner_alone(library: str | None, chosen: dict[str, Any]) -> "KeylessPlanner | None":
    """Return a planner where no library is named and there is none, so that no first look is had; None where a library plans."""
    from scholarmind.settings import Settings  # noqa: PLC0415
    from scholarmind.wiring import planner  # noqa: PLC0415

    settings = Settings.load(library=library, **chosen)
    if library or settings.llm not in {"", "none"} or settings.has_library:
        return None
    echo("there is no library: planned without its names and without a first look", err=True)
    return planner(settings)


def _print_record(number: object, plan: "Plan") -> None:
    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.record import plan_record  # noqa: PLC0415

    print_json({"id": number, **plan_record(plan)}, indent=None)


def print_plan(plan: "Plan", *, err: bool = False) -> None:
    """Print a plan for people."""
    from scholarmind.cli.output import safe  # noqa: PLC0415
    from scholarmind.cli.run_progress import part_line  # noqa: PLC0415

    lines = [f"{plan.complexity}, {plan.shape} (decided by {plan.decided_by}: {plan.reason})"]
    for part in plan.parts:
        indent = "    " * plan.level(part)
        lines.append(f"  {indent}{part_line(part)}")
        if len(part.asks) > 1:
            asks = zip(part.row_ids, part.asks, strict=True)
            lines += [f"     {indent}{label} {' '.join(ask.text.split())}" for label, ask in asks]
    lines += [f"note: {' '.join(note.split())}" for note in plan.notes]
    if plan.background:
        lines.append(f"told beside what is asked: {' '.join(plan.background.split())}")
    if plan.unknown_entities:
        lines.append(f"to find out first: {', '.join(plan.unknown_entities)}")
    echo(safe("\n".join(lines)), err=err)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    from scholarmind.errors import QueryError  # noqa: PLC0415

    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")  # a question may hold other line breaks
    except (OSError, UnicodeDecodeError) as error:
        raise QueryError(f"{str(file)!r} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if not line.lstrip().startswith(("{", "[", '"')):
            yield {"id": number, "question": line.strip()}
            continue
        try:
            record = json.loads(line)
            question = record["question"].strip()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise QueryError(f'{str(file)!r}, line {number}: not {{"id": ..., "question": ...}} ({error!r})') from error
        if not question:
            raise QueryError(f"{str(file)!r}, line {number}: the question is empty")
        yield {"id": record.get("id"), "question": question}
