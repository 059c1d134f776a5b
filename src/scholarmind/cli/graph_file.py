"""`scholarmind graph export`."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scholarmind.cli.main import check_suffix, echo, library_option

if TYPE_CHECKING:
    from scholarmind.library.paper_graph import Form

_BY_SUFFIX: "dict[str, Form]" = {".graphml": "graphml", ".jsonld": "jsonld", ".html": "html"}


@click.command("export")
@click.option(
    "--format",
    "form",
    type=click.Choice(sorted(_BY_SUFFIX.values())),
    help="GraphML for Gephi, yEd and networkx; JSON-LD; HTML: a picture of 200 nodes at most.  [default: by the name of the file]",
)
@click.option("--around", metavar="NAME", help="Only what is around this name.  [default: everything]")
@click.option("--hops", default=2, show_default=True, type=click.IntRange(1, 4), help="Steps from there.")
@click.option("--limit", type=click.IntRange(2, 100_000), help="Nodes at most, where there is a name.  [default: 200]")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.  [default: print it]"
)
@library_option
def export(
    form: "Form | None", around: str | None, hops: int, limit: int | None, output: Path | None, library: str | None
) -> None:
    """Write the graph, or what is around a name, to a file. A picture needs no server and no network: open it in a browser."""
    from scholarmind.api import Library  # noqa: PLC0415

    if form is None:
        check_suffix(output, *_BY_SUFFIX)
    chosen = form or (_BY_SUFFIX.get(output.suffix.lower()) if output else None)
    if chosen is None:
        raise click.UsageError(f"give --format, or a file whose name ends in {' or '.join(_BY_SUFFIX)}")
    with Library.open(library, create=False) as opened:
        pieces = opened.graph.export(chosen, around=around or "", hops=hops, most=limit)
        if output is not None:
            _write(output, pieces)
            echo(f"written to {output}", err=True)
        elif sys.stdout is None:  # closed by whoever started the program
            raise click.UsageError("there is nowhere to print to; give --output FILE")
        else:
            for piece in pieces:
                sys.stdout.buffer.write(piece.encode("utf-8", "replace"))
            sys.stdout.buffer.flush()


def _write(output: Path, pieces: Iterable[str]) -> None:
    """Write the file whole or not at all; a device is written to as it is."""
    whole = output if output.exists() and not output.is_file() else output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with whole.open("wb") as file:
            for piece in pieces:
                file.write(piece.encode("utf-8", "replace"))
        if whole != output:
            whole.replace(output)
    except OSError as error:
        raise click.FileError(str(output), f"cannot be written: {error.strerror}") from error
    finally:
        if whole != output:
            whole.unlink(missing_ok=True)
