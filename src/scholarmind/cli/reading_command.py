"""`scholarmind next`: the works to read next for a question, by what answers it cites."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.command_options import model_options, within_collections
from scholarmind.cli.main import check_suffix, echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.library.reading_list import ReadingList


@click.command("next")
@click.argument("question", nargs=-1)
@click.option("--run", default="", metavar="ID", help="Take the answer of this run; `scholarmind runs` lists them.")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 1_000), help="How many works.")
@model_options
@click.option("--where", metavar="FILTER", help="Only from these documents, such as: year >= 2019 and author = Devlin")
@click.option("--collection", "collections", multiple=True, help="Only from this collection; can be repeated.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the missing works to a file: .bib (BibTeX), .json, .txt.",
)
@library_option
@json_option
def next_command(
    question: tuple[str, ...],
    run: str,
    limit: int,
    chosen: dict[str, Any],
    where: str | None,
    collections: tuple[str, ...],
    output: Path | None,
    library: str | None,
    as_json: bool,
) -> None:
    """Tell which works to read next for a question: cited by what answers it, and not in the library.

    \b
    Examples:
      scholarmind next "Why does attention scale quadratically?"
      scholarmind next --run 20260131-101500-7d3qnpd4 --output list.bib

    First come the works that are cited in or beside the words that answer, or by a sentence that speaks of a part that stays open;
    then those of the same section; then all others. Within that, what more of the works cite, and what the sentence says of the
    question. Each with who cites it, for what, on which page.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json, write_whole  # noqa: PLC0415
    from scholarmind.cli.run_progress import watched  # noqa: PLC0415
    from scholarmind.events import plain  # noqa: PLC0415
    from scholarmind.filters import both, parse_filter  # noqa: PLC0415
    from scholarmind.library.reading_list import READING_LIST_FILES  # noqa: PLC0415

    text = " ".join(question).strip()
    if bool(text) == bool(run):
        raise click.UsageError(
            'ask something, such as: scholarmind next "How do BERT and GPT-2 differ?", or give --run ID'
        )
    check_suffix(output, ".bib", ".json", ".txt")
    within = both(parse_filter(where) if where else None, within_collections(collections))
    with Library.open(library, create=False, **chosen) as opened, watched(quiet=as_json, transient=True) as shown:
        found = opened.reading_list(text, run=run, limit=limit, filter=within, on_event=shown)
    if output is not None:
        content = READING_LIST_FILES[output.suffix.lower() or ".txt"](found)
        write_whole(output, [content.encode("utf-8", "replace")])
        echo(f"{len(found.missing)} work{'s' * (len(found.missing) != 1)} written to {output}", err=True)
    if as_json:
        print_json(plain(found))
    elif output is None:
        _print_lines(found)


def _print_lines(found: "ReadingList") -> None:
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.output import console, indented  # noqa: PLC0415
    from scholarmind.library.reading_list import reading_lines  # noqa: PLC0415

    terminal = console()
    for depth, line in reading_lines(found):
        terminal.print(indented(Text(line, "" if depth else "bold"), terminal, depth))
