"""Commands on what was asked before: `scholarmind runs` with `rate` and `prune`, `conversations`, and `export` of examples from runs."""

import json
import os
import shlex
import sys
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import click

from scholarmind.cli.main import check_suffix, echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.adapters.runs import Runs
    from scholarmind.api import Library
    from scholarmind.evaluation.training_data import Count, Role
    from scholarmind.plan import Plan
    from scholarmind.ports import Conversation, Rating, Run, Turn


# -- runs rate


@click.command("rate")
@click.argument("run", metavar="ID")
@click.argument("judgement", metavar="[good|bad]", type=click.Choice(["good", "bad"]), required=False)
@click.option("--part", type=click.IntRange(1), help="Only this part of the answer, by its number.")
@click.option("--note", default="", metavar="TEXT", help="Why.")
@click.option("--clear", is_flag=True, help="Take back whatever was said of this run.")
@library_option
@json_option
def rate_command(
    run: str, judgement: str | None, part: int | None, note: str, clear: bool, library: str | None, as_json: bool
) -> None:
    """Say whether an answer, or a part of it, was good. `tune` and `export --training` go by it."""
    import asyncio  # noqa: PLC0415

    from scholarmind.cli.output import print_json  # noqa: PLC0415

    if clear == bool(judgement) or (clear and (part or note)):
        raise click.UsageError("say good or bad, or take everything back with --clear")
    with runs_of(library) as runs:
        kept = asyncio.run(_rate(runs, run, judgement, part or 0, note))
    if as_json:
        print_json([_rating_record(rating) for rating in kept])
    elif clear:
        echo("taken back")
    else:
        for line in _rating_lines(kept):
            echo(line)


async def _rate(runs: "Runs", run: str, judgement: str | None, part: int, note: str) -> "list[Rating]":
    if judgement:
        await runs.rate(run, good=judgement == "good", part=part, note=note)
    else:
        await runs.unrate(run)
    return await runs.ratings(run)


def _rating_lines(ratings: "Sequence[Rating]") -> list[str]:
    """Return a line for each rating of a run."""
    from scholarmind.cli.output import safe  # noqa: PLC0415

    return [
        f"rated {_judgement(rating)}{f' in part {rating.part}' if rating.part else ''}"
        + (f": {safe(' '.join(rating.note.split()))}" if rating.note else "")
        for rating in ratings
    ]


def _judgement(rating: "Rating") -> str:
    """Return a rating as the word that it was given with."""
    return "good" if rating.good else "bad"


def _rating_record(rating: "Rating") -> dict[str, Any]:
    """Return a rating as JSON."""
    at = datetime.fromtimestamp(rating.at, UTC).isoformat(timespec="milliseconds")
    return asdict(rating) | {"good": rating.good, "at": at}


# -- runs, and runs prune

_LONGEST_QUESTION = 100


class _RunsCommand(click.Command):
    """Hands `runs rate ...` and `runs prune ...` on to commands of their own; everything else shows runs."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments as those of the command that they are for."""
        name = args[0] if args else ""
        if name not in {"rate", "prune"}:
            return super().make_context(info_name, args, parent, **extra)

        chosen = rate_command if name == "rate" else prune_command
        return chosen.make_context(f"{info_name} {name}", args[1:], parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that the arguments were for."""
        return super().invoke(ctx) if ctx.command is self else ctx.command.invoke(ctx)


@click.command("runs", cls=_RunsCommand)
@click.argument("run", metavar="[ID]", required=False)
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(1, 10_000), help="How many, the latest first."
)
@click.option(
    "--plan", "only_plan", is_flag=True, help="Print the plan of the run, to be changed and given to `ask --plan`."
)
@library_option
@json_option
def runs_command(run: str | None, limit: int, only_plan: bool, library: str | None, as_json: bool) -> None:
    """List the questions that were asked, or show one run. `ask --run ID` goes on with one that waits or was cut short.

    `runs rate ID good|bad` keeps what you think of an answer, `runs prune` forgets old runs: see their --help.
    """
    import asyncio  # noqa: PLC0415

    from scholarmind.cli.output import print_json  # noqa: PLC0415

    if only_plan and not run:
        raise click.UsageError("--plan needs the ID of a run")
    with runs_of(library) as runs:
        if run:
            found, events = asyncio.run(_run_with_events(runs, run))
            ratings = asyncio.run(runs.ratings(run))
            if only_plan:
                _print_plan(found)
            elif as_json:
                print_json({**_run_record(found, ratings), "answer": _loaded(found.answer), "events": events})
            else:
                _show_run(found, events, library)
                for line in ("", *_rating_lines(ratings)) if ratings else ():
                    echo(line)
        else:
            _print_runs(asyncio.run(runs.latest(limit)), asyncio.run(runs.ratings()), as_json=as_json)


def runs_of(library: str | None) -> "Runs":
    """Return the runs of a library that is there."""
    from scholarmind import wiring  # noqa: PLC0415
    from scholarmind.setting_values import check_library  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    settings = Settings.load(library=library)
    if not settings.database and not (settings.library / "runs.db").is_file():
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
def prune_command(
    older_than: float | None, keep: int | None, dry_run: bool, library: str | None, as_json: bool
) -> None:
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


def _print_runs(found: "Sequence[Run]", ratings: "Sequence[Rating]", *, as_json: bool) -> None:
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415

    if as_json:
        print_json([_run_record(run, ratings) for run in found])
        return
    if not found:
        echo("no runs yet; ask something with: scholarmind ask QUESTION")
    for run in found:
        question = safe(" ".join(run.question[: _LONGEST_QUESTION + 1].split()))
        shown = question if len(run.question) <= _LONGEST_QUESTION else question[:_LONGEST_QUESTION] + "…"
        judged = dict.fromkeys(_judgement(rating) for rating in ratings if rating.run == run.id)
        rated = f"  · rated {' and '.join(judged)}" if judged else ""
        echo(f"{run.id}  {_when(run.started)}  {_duration(run):>9}  {run.status:<13}  {shown}{rated}")


async def _run_with_events(runs: "Runs", name: str) -> "tuple[Run, list[Any]]":
    """Return a run and its events."""
    run = await runs.find(name)
    if run is None:
        raise click.ClickException(f"there is no run {name!r}; 'scholarmind runs' lists those that there are")
    return run, [_loaded(record) for record in await runs.events(name)]


def _show_run(run: "Run", events: list[Any], library: str | None) -> None:
    """Print when a run was, where its time went, what its calls cost, and its answer or how to go on with it."""
    from scholarmind.cli.command_options import resume_command  # noqa: PLC0415
    from scholarmind.cli.output import safe  # noqa: PLC0415
    from scholarmind.cli.run_progress import waterfall  # noqa: PLC0415
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
        echo(f"go on with it: {resume_command(run.id, {}, library)}")


def _print_calls(events: list[Any]) -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415
    from scholarmind.cli.run_progress import call_lines, counted, money  # noqa: PLC0415

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
    from scholarmind.cli.command_options import resume_command  # noqa: PLC0415
    from scholarmind.cli.plan_command import print_plan  # noqa: PLC0415
    from scholarmind.cli.run_progress import print_estimate  # noqa: PLC0415

    if plan := plan_of_run(run):
        print_plan(plan)
    told = next((event["estimate"] for event in reversed(events) if event.get("estimate")), None)
    print_estimate(Estimate(**told) if told else None)
    command = resume_command(run.id, {}, library)
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


def _run_record(run: "Run", ratings: "Sequence[Rating]") -> dict[str, Any]:
    """Return a run as JSON; the answer is shown with a single run only."""

    record = asdict(run) | {"plan": _loaded(run.plan), "settings": _loaded(run.settings)}
    record |= {name: _iso(record[name]) for name in ("started", "finished")}
    del record["answer"]
    return record | {"ratings": [_rating_record(rating) for rating in ratings if rating.run == run.id]}


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


# -- conversations


@click.command("conversations")
@click.argument("name", required=False)
@library_option
@json_option
def conversations_command(name: str | None, library: str | None, as_json: bool) -> None:
    """List the conversations, or show what was asked in one. `ask --conversation NAME` begins one, or goes on with it."""
    import asyncio  # noqa: PLC0415

    from scholarmind.cli.output import print_json  # noqa: PLC0415

    with runs_of(library) as runs:
        if name is None:
            found = asyncio.run(runs.conversations.all())
            if as_json:
                print_json([asdict(one) | {"when": _iso(one.when)} for one in found])
            else:
                _print_conversations(found)
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


def _print_conversations(found: "Sequence[Conversation]") -> None:
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


# -- export: runs as examples for training, or for programs that measure


@click.command("export")
@click.option(
    "--training",
    "role",
    type=click.Choice(["router", "planner", "filter", "decision"]),
    help="What a small model is to be trained as, on what the runs of this library show.",
)
@click.option(
    "--evaluation",
    "program",
    type=click.Choice(["ragas", "deepeval"]),
    help="Questions, answers and passages under the names of such a program, which measures them.",
)
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.  [default: print it]"
)
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    metavar="DATE",
    help="Only runs from this day on, such as 2026-01-31.",
)
@click.option("--rated-only", is_flag=True, help="Only runs that somebody rated: `runs rate`.")
@click.option("--include-passages", is_flag=True, help="With the texts of passages, which may not be yours to pass on.")
@click.option("--where", metavar="FILTER", help="Only runs that rest on no other documents than these.")
@click.option("--collection", help="Only runs that rest on no other collection than this.")
@library_option
@json_option
def export_command(
    role: "Role | None",
    program: str | None,
    output: Path | None,
    since: datetime | None,
    rated_only: bool,
    include_passages: bool,
    where: str | None,
    collection: str | None,
    library: str | None,
    as_json: bool,
) -> None:
    """Turn the runs of the library into lines of JSON that a small model can be trained on, or that other programs measure.

    With --training each line is a chat (`messages`) with its `label`, a `weight`, and what run it is from (`meta`). What worked is
    told by the review of each answer and by `runs rate`. Addresses, telephone numbers and keys in questions are masked, ids of runs
    are hashed, and nothing of the texts of passages is in it unless --include-passages.

    With --evaluation each line has a question, its answer, and the passages that were found for it: `user_input`, `response` and
    `retrieved_contexts` for ragas, `input`, `actual_output` and `retrieval_context` for deepeval. What is right is for you to add.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.blocking import Series  # noqa: PLC0415
    from scholarmind.cli.output import json_text  # noqa: PLC0415
    from scholarmind.evaluation.training_data import (  # noqa: PLC0415
        MEASURED,
        Count,
        ExampleFrame,
        Wanted,
        examples,
        measured,
    )
    from scholarmind.llm.prompts import Prompts  # noqa: PLC0415

    if (role is None) == (program is None):
        raise click.UsageError("say what the lines are for: either --training or --evaluation")
    if program and include_passages:
        raise click.UsageError("--include-passages goes with --training; with --evaluation passages are always in it")
    check_suffix(output, ".jsonl", ".ndjson")
    with ExitStack() as stack:
        opened = stack.enter_context(Library.open(library, create=False))
        allowed = _allowed_documents(
            opened, where, collection
        )  # what is wrong with it is told before anything is written
        file = stack.enter_context(_output_file(output))
        began = since.astimezone(UTC) if since else None
        wanted = Wanted(role=role, since=began, rated_only=rated_only, allowed=allowed)
        frame = ExampleFrame(prompts=Prompts(), include_passages=include_passages)
        count = Count()

        async def records() -> "AsyncGenerator[Mapping[str, Any]]":
            if program:
                async for record in measured(opened.runs, wanted, MEASURED[program], count):
                    yield record
            else:
                async for example in examples(opened.runs, wanted, frame, count):
                    yield example.record

        for record in Series(records):
            file.write(json_text(record).encode() + b"\n")
    _tell_count(count, output, as_json=as_json)


def _allowed_documents(
    library: "Library", where: str | None, collection: str | None
) -> frozenset[tuple[str, str]] | None:
    """Return the documents that runs may rest on."""
    from scholarmind.filters import Compare, both, parse_filter  # noqa: PLC0415

    wanted = both(
        parse_filter(where) if where else None, Compare("collection", "=", collection) if collection else None
    )
    if wanted is None:
        return None
    return frozenset((document.collection, document.id) for document in library.documents(wanted))


@contextmanager
def _output_file(output: Path | None) -> Generator[BinaryIO]:
    if output is None:
        if sys.stdout is None:  # closed by whoever started the program
            raise click.UsageError("there is nowhere to print to; give --output FILE")
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    whole = output if output.exists() and not output.is_file() else output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with whole.open("wb") as file:
            yield file
        if whole != output:  # not before: an export that is cut short must not cost the one before
            whole.replace(output)
    except OSError as error:
        raise click.FileError(str(output), f"cannot be written: {error.strerror}") from error
    finally:
        if whole != output:
            whole.unlink(missing_ok=True)


def _tell_count(count: "Count", output: Path | None, *, as_json: bool) -> None:
    """Tell what was made and what was left out; as JSON on stdout, unless the examples themselves went there."""
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    if as_json:
        told = {"examples": count.made, "left_out": dict(sorted(count.left.items()))}
        print_json(told, indent=None, err=output is None)
        return
    place = f", written to {output}" if output else ""
    echo(f"{count.made} example{'s' * (count.made != 1)}{place}", err=True)
    for why, number in sorted(count.left.items()):
        echo(f"left out: {number} ({why})", err=True)
