"""`scholarmind watch-question`: questions that are asked again after each `add`, and what became of their answers."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.command_options import model_options, within_collections
from scholarmind.cli.main import check_suffix, echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.api import Library
    from scholarmind.remarks import Remark, WatchedQuestion
    from scholarmind.watching import NewsForm, Renewed

_INTERRUPTED = 130
_NONE = 'no question is watched; begin with: scholarmind watch-question add "..."'
_BY_SUFFIX: "Mapping[str, NewsForm]" = {
    ".txt": "text",
    ".json": "json",
    ".atom": "atom",
    ".xml": "atom",
    ".eml": "mail",
}


@click.group("watch-question")
def watch_question_command() -> None:
    """Watch questions: each is asked again after every `add`, and only what changed in its answer is told.

    \b
    Examples:
      scholarmind watch-question add "How many parameters does GPT-3 have?" --name gpt3
      scholarmind add papers/                                   asks it again, and tells what changed
      scholarmind watch-question news --output news.atom        a feed; also .json, .eml (a mail), .txt

    Told are a part that is answered now, sources that disagree, a new source, one that says something else, another count, and a part
    that lost its source; each with the words and the page. An answer that only reads differently tells nothing.
    """


@watch_question_command.command("add")
@click.argument("question", nargs=-1, required=True)
@click.option("--name", default="", metavar="NAME", help="What to call it.  [default: its first words]")
@model_options
@click.option("--where", metavar="FILTER", help="Only from these documents, such as: year >= 2019 and author = Devlin")
@click.option("--collection", "collections", multiple=True, help="Only from this collection; can be repeated.")
@library_option
@json_option
def add(
    question: tuple[str, ...],
    name: str,
    chosen: dict[str, Any],
    where: str | None,
    collections: tuple[str, ...],
    library: str | None,
    as_json: bool,
) -> None:
    """Answer a question, and watch it from now on.

    It is asked without a language model, whatever the settings say, unless --llm or --effort asks for one: it is asked again after
    every `add`, with nobody there to see what that costs.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415
    from scholarmind.cli.run_progress import watched  # noqa: PLC0415
    from scholarmind.filters import both, parse_filter  # noqa: PLC0415
    from scholarmind.watching import watched_record  # noqa: PLC0415

    within = both(parse_filter(where) if where else None, within_collections(collections))
    with Library.open(library, create=False) as opened, watched(quiet=as_json, transient=True) as shown:
        kept = opened.watched.add(" ".join(question), name=name, filter=within, settings=chosen, on_event=shown)
    if as_json:
        print_json(watched_record(kept))
        return
    echo(safe(f"watching {kept.name!r}: {kept.question}"))
    echo(safe(f"answered as of now: {_parts(kept)}; all of it: scholarmind watch-question show {kept.name}"))


@watch_question_command.command("list")
@library_option
@json_option
def list_questions(library: str | None, as_json: bool) -> None:
    """List the questions that are watched, and which of them wait to be asked again."""
    from rich.cells import cell_len  # noqa: PLC0415

    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415
    from scholarmind.watching import watched_record  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        found, waiting = opened.watched.all(), {one.id for one in opened.watched.waiting()}
    if as_json:
        print_json([watched_record(one) | {"waits": one.id in waiting} for one in found])
        return
    width = max((cell_len(one.name) for one in found), default=0)
    for one in found:
        waits = "  · waits to be asked again" if one.id in waiting else ""
        space = " " * (width - cell_len(one.name))
        echo(safe(f"{one.name}{space}  {_day(one.asked)}  {_parts(one)}  {one.question}{waits}"))
    if not found:
        echo(_NONE, err=True)


@watch_question_command.command("show")
@click.argument("name")
@library_option
@json_option
def show(name: str, library: str | None, as_json: bool) -> None:
    """Show a watched question: its settings, its latest answer, and all remarks on it."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import json_text, print_json, safe  # noqa: PLC0415
    from scholarmind.text.untrusted import uncontrolled  # noqa: PLC0415
    from scholarmind.watching import remark_told, watched_record  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        found, remarks = opened.watched.find(name), opened.watched.news(name)
    if as_json:
        print_json(watched_record(found) | {"answer": found.answer, "remarks": [remark_told(one) for one in remarks]})
        return
    echo(safe(f"{found.name}: {found.question}"))
    settings = ", ".join(f"{setting} = {value}" for setting, value in found.settings.items())
    echo(
        safe(
            f"watched since {_day(found.added)}, asked last {_day(found.asked)} ({settings}); run {found.answer['run']}"
        )
    )
    if found.within:
        echo(safe(f"only from: {json_text(found.within)}"))
    echo(f"\n{uncontrolled(str(found.answer['answer'])).strip()}\n")
    if remarks:
        print_remarks(remarks)


@watch_question_command.command("remove")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@library_option
@json_option
def remove(names: tuple[str, ...], library: str | None, as_json: bool) -> None:
    """Watch these questions no longer, and forget what was remarked on them."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        for name in names:
            opened.watched.remove(name)
            if not as_json:
                echo(f"{name!r} is watched no longer")
    if as_json:
        print_json({"removed": list(names)})


@watch_question_command.command("run")
@click.argument("name", default="")
@library_option
@json_option
def run(name: str, library: str | None, as_json: bool) -> None:
    """Ask again now: every question that waits for it, or the one of this NAME in any case; tell what changed."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        if not name and not opened.watched.all():
            echo(_NONE, err=True)
        renewed = renew_watched(opened, name=name, quiet=as_json)
    if as_json:
        print_json(renewed_record(renewed))
    else:
        print_renewed(renewed)
    if renewed.failed:
        raise SystemExit(1)


@watch_question_command.command("news")
@click.argument("name", default="")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "atom", "mail"]),
    help="Atom for readers of feeds, mail for a file that mail programs open.  [default: by the name of the file, else text]",
)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    metavar="DATE",
    help="Only from this day on, such as 2026-01-31.",
)
@click.option("--limit", default=100, show_default=True, type=click.IntRange(1, 100_000), help="How many, the latest.")
@library_option
@json_option
def news(
    name: str,
    form: "NewsForm | None",
    output: Path | None,
    since: datetime | None,
    limit: int,
    library: str | None,
    as_json: bool,
) -> None:
    """Tell what changed in the answers to watched questions, or to the one of this NAME; the latest first.

    Where nothing changed nothing is printed, and no text or mail is written; a feed is written without entries.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import write_whole  # noqa: PLC0415
    from scholarmind.watching import news_file  # noqa: PLC0415

    if form is None and output is not None and not as_json:
        check_suffix(output, *_BY_SUFFIX)
    chosen = "json" if as_json else form or _BY_SUFFIX.get(output.suffix.lower() if output else "", "text")
    after = since.astimezone(UTC).timestamp() if since else 0.0
    with Library.open(library, create=False) as opened:
        if not name and not opened.watched.all():
            echo(_NONE, err=True)
            return
        remarks = opened.watched.news(name, since=after, limit=limit)
        watched = [opened.watched.find(name)] if name else opened.watched.all()
        added, question = max(one.added for one in watched), watched[0].question if name else ""
        content = news_file(remarks, chosen, feed=opened.watched.feed(name), updated=added, question=question)
    if output is None:
        _print_content(chosen, content, remarks)
    elif content:
        write_whole(output, [content])
        echo(f"{len(remarks)} remark{'s' * (len(remarks) != 1)} written to {output}", err=True)
    if not remarks and chosen != "json":
        echo("nothing new", err=True)


def _print_content(form: "NewsForm", content: bytes, remarks: "Sequence[Remark]") -> None:
    if form == "text":
        print_remarks(remarks)
    elif sys.stdout is None:  # closed by whoever started the program
        raise click.UsageError("there is nowhere to print to; give --output FILE")
    else:
        click.echo(content, nl=False)  # noqa: TID251  (bytes of a file)


# -- for `add` and `run`: asking again, and telling what it brought


def renew_watched(library: "Library", *, name: str = "", quiet: bool) -> "Renewed":
    """Ask again what waits for it, or one question; Ctrl-C leaves the rest to the next time."""
    from scholarmind.cli.output import progress  # noqa: PLC0415

    waiting = len([library.watched.find(name)] if name else library.watched.waiting())
    if waiting and not quiet:
        echo(f"asking {waiting} watched question{'s' * (waiting != 1)} again", err=True)
    try:
        with progress(quiet=quiet) as report:
            return library.watched.renew(name, on_event=report)
    except KeyboardInterrupt:
        echo("\nstopped; what was not asked again waits: scholarmind watch-question run, or the next add", err=True)
        sys.exit(_INTERRUPTED)


def print_renewed(renewed: "Renewed") -> None:
    """Print what asking again brought; nothing where nothing changed."""
    from scholarmind.cli.output import safe  # noqa: PLC0415

    print_remarks(renewed.remarks)
    for name, error in renewed.failed.items():
        echo(safe(f"{name!r} could not be asked again, and waits: {error}"), err=True)


def renewed_record(renewed: "Renewed") -> dict[str, Any]:
    """Return what asking again brought, as JSON."""
    from scholarmind.watching import remark_told  # noqa: PLC0415

    remarks = [remark_told(one) for one in renewed.remarks]
    return {"asked": renewed.asked, "news": remarks, "failed": dict(renewed.failed)}


def print_remarks(remarks: "Sequence[Remark]") -> None:
    """Print remarks; in a terminal their lines are wrapped where they begin."""
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.output import console, indented  # noqa: PLC0415
    from scholarmind.watching import text_lines  # noqa: PLC0415

    terminal = console()
    for depth, line in text_lines(remarks):
        terminal.print(indented(Text(line, "bold" if depth == 0 else ""), terminal, depth))


def _parts(watched: "WatchedQuestion") -> str:
    rows = watched.answer["parts"]
    return f"{sum(row['status'] == 'answered' for row in rows)} of {len(rows)} answered"


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC).astimezone():%Y-%m-%d %H:%M}"
