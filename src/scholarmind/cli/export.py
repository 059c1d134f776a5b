"""`scholarmind export`."""

import os
import sys
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from scholarmind.cli.main import check_suffix, echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.api import Library
    from scholarmind.training.export import Count, Role


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
def command(
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
    from scholarmind.llm.prompts import Prompts  # noqa: PLC0415
    from scholarmind.training.examples import Frame  # noqa: PLC0415
    from scholarmind.training.export import MEASURED, Count, Wanted, examples, measured  # noqa: PLC0415

    if (role is None) == (program is None):
        raise click.UsageError("say what the lines are for: either --training or --evaluation")
    if program and include_passages:
        raise click.UsageError("--include-passages goes with --training; with --evaluation passages are always in it")
    check_suffix(output, ".jsonl", ".ndjson")
    with ExitStack() as stack:
        opened = stack.enter_context(Library.open(library, create=False))
        allowed = _allowed(opened, where, collection)  # what is wrong with it is told before anything is written
        file = stack.enter_context(_lines(output))
        began = since.astimezone(UTC) if since else None
        wanted = Wanted(role=role, since=began, rated_only=rated_only, allowed=allowed)
        frame = Frame(prompts=Prompts(), include_passages=include_passages)
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
    _tell(count, output, as_json=as_json)


def _allowed(library: "Library", where: str | None, collection: str | None) -> frozenset[tuple[str, str]] | None:
    """Return the documents that runs may rest on."""
    from scholarmind.filters import Compare, both, parse_filter  # noqa: PLC0415

    wanted = both(
        parse_filter(where) if where else None, Compare("collection", "=", collection) if collection else None
    )
    if wanted is None:
        return None
    return frozenset((document.collection, document.id) for document in library.documents(wanted))


@contextmanager
def _lines(output: Path | None) -> Generator[BinaryIO]:
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


def _tell(count: "Count", output: Path | None, *, as_json: bool) -> None:
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
