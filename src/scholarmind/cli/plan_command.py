"""`scholarmind plan`: how a question will be worked on, and the editor of its plan in a terminal."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.command_options import model_options, resume_command
from scholarmind.cli.main import echo, json_option, library_option
from scholarmind.errors import PlanError
from scholarmind.plan import Plan, SubQuestion

if TYPE_CHECKING:
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
    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.cli.run_progress import Costs, print_estimate  # noqa: PLC0415
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


# -- change a plan at the prompt before it is carried out

HINT = "Enter carries the plan out; `help` lists how it can be changed; `q` stops."
HELP = """Enter carries it out. Or:
  + QUESTION        add a part
  N QUESTION        ask something else in part N
  - N               cut part N
  N after N,N       let part N wait for others; write #N in its text for the answer of part N
  N after nothing   let it wait for nobody
  help              show this again
  q                 stop"""

_ASKS_FOR_HELP = frozenset(("help", "h", "?", "？", "帮助"))


def edit_plan(plan: Plan, tell: Callable[[Plan], None]) -> Plan:
    """Show the plan and carry out what is typed until it is accepted; `tell` adds what there is to say of each version."""
    shown: Plan | None = None
    while True:
        if plan is not shown:
            print_plan(plan, err=True)  # the answer goes to where programs read
            tell(plan)
            echo(HINT, err=True)
            shown = plan
        line: str = click.prompt("plan", default="", show_default=False, prompt_suffix="> ", err=True).strip()
        if not line:
            return plan
        if line == "q":
            raise click.Abort
        if line.lower() in _ASKS_FOR_HELP:
            echo(HELP, err=True)
            continue
        try:
            plan = change_plan(plan, line)
        except PlanError as error:
            echo(f"not done: {error}", err=True)


def change_plan(plan: Plan, line: str) -> Plan:
    """Return the plan after one line of the notation above."""
    if match := re.fullmatch(r"\+\s*(?P<text>\S.*)", line):
        number = max(part.id for part in plan.parts) + 1
        return _with(plan, (*plan.parts, SubQuestion(id=number, text=match["text"])))
    if match := re.fullmatch(r"-\s*(?P<number>\d{1,4})", line):
        return _cut(plan, _number(plan, match["number"]))
    if match := re.fullmatch(r"(?P<number>\d{1,4})\s+after\s+(?P<others>nothing|\d{1,4}(?:\s*,\s*\d{1,4})*)", line):
        others = tuple(sorted(set(map(int, re.findall(r"\d+", match["others"])))))
        number = _number(plan, match["number"])
        return _with(plan, [replace(part, depends_on=others) if part.id == number else part for part in plan.parts])
    if match := re.fullmatch(r"(?P<number>\d{1,4})\s+(?P<text>\S.*)", line):
        number = _number(plan, match["number"])
        return _with(
            plan, [replace(part, text=match["text"], asks=()) if part.id == number else part for part in plan.parts]
        )
    raise PlanError(f"{line!r} is not understood; `help` lists what is")


def _number(plan: Plan, text: str) -> int:
    if int(text) not in {part.id for part in plan.parts}:
        raise PlanError(f"there is no part {text}")
    return int(text)


def _cut(plan: Plan, number: int) -> Plan:
    """Take a part out; who waited for it waits no more, and asks with its question in place of its answer."""
    gone = plan.part(number)
    own = tuple(part.id for part in plan.parts if part.parent == number)
    told = f"({gone.text.rstrip(' ?？')})"

    def freed(part: SubQuestion) -> SubQuestion:
        if part.id in own:
            part = replace(part, parent=gone.parent)
        if part.id == gone.parent:
            part = replace(part, depends_on=(*part.depends_on, *own))
        if number not in part.depends_on:
            return part
        text = part.resolve({number: told})
        asks = tuple(replace(ask, text=part.resolve({number: told}, ask.text)) for ask in part.asks)
        inherited = (
            gone.bridges if any(told in asked for asked in (text, *(ask.text for ask in asks))) else ()
        )  # its question may name the answers of others
        others = tuple(sorted({*part.depends_on, *inherited} - {number}))
        return replace(part, text=text, asks=asks, depends_on=others)

    return _with(plan, [freed(part) for part in plan.parts if part.id != number])


def _with(plan: Plan, parts: "tuple[SubQuestion, ...] | list[SubQuestion]") -> Plan:
    complexity = "composite" if len(parts) > 1 else "simple"
    return replace(plan, parts=tuple(map(_with_work, parts)), complexity=complexity, decided_by="user")


def _with_work(part: SubQuestion) -> SubQuestion:
    """Return the part; one that put others together and has none left looks for itself."""
    return part if part.depends_on else replace(part, role="find")
