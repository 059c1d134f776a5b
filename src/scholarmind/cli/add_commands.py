"""What puts documents and questions in and keeps them up to date: `add`, `zotero`, `watch-question`."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.command_options import model_options, within_collections
from scholarmind.cli.main import check_suffix, echo, json_option, library_folder_option, library_option
from scholarmind.errors import ScholarMindError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scholarmind.api import Library
    from scholarmind.library.report import Report
    from scholarmind.library_ports import Reach
    from scholarmind.remarks import Remark, WatchedQuestion
    from scholarmind.watching import NewsForm, Renewed
    from scholarmind.zotero.sync import SyncReport

# -- questions that are watched

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


# -- documents


@click.command("add")
@click.argument("paths", nargs=-1)
@click.option(
    "--collection", default="default", show_default=True, help="Named part of the library to put the documents into."
)
@click.option(
    "--bibliography",
    "bibliographies",
    multiple=True,
    metavar="FILE",
    help="BibTeX, BibLaTeX, RIS or CSL-JSON whose entries describe these files.",
)
@click.option("--prune", is_flag=True, help="Also remove documents whose file (or record) is gone from these places.")
@click.option(
    "--really",
    is_flag=True,
    help="With --prune: also where a folder is missing, empty or nearly so, as where a drive is not mounted.",
)
@click.option(
    "--follow-links", is_flag=True, default=None, help="Read also what links in a folder lead to outside of it."
)
@click.option("--ocr", is_flag=True, default=None, help="Read scanned pages with tesseract.")
@click.option("--online", is_flag=True, default=None, help="Ask OpenAlex, Crossref and arXiv about doubtful metadata.")
@click.option(
    "--on",
    metavar="CLUSTER",
    help="Read and embed on a Ray cluster: ray://HOST:PORT, or local for one of this machine alone.",
)
@click.option("--watch", is_flag=True, help="Go on: keep the library in step with these places until Ctrl-C.")
@click.option("--no-watch", is_flag=True, help="Do not ask watched questions again (`watch-question`); they wait.")
@library_option
@json_option
def add_command(
    paths: tuple[str, ...],
    collection: str,
    bibliographies: tuple[str, ...],
    prune: bool,
    really: bool,
    follow_links: bool | None,
    ocr: bool | None,
    online: bool | None,
    on: str | None,
    watch: bool,
    no_watch: bool,
    library: str | None,
    as_json: bool,
) -> None:
    """Take in files, folders and patterns.

    \b
    Papers and pages   .pdf .tex .zip (LaTeX source) .html .epub .docx .odt .rtf .pptx
    Notes and mail     .md .txt .rst .ipynb .eml
    Tables, records    .csv .tsv .xlsx .jsonl (id, title, text, meta)
    Bibliographies     .bib .ris, and .json (CSL) with --bibliography: matched with the files by their file
                       field, DOI, arXiv id or title; an entry without a file is a document of its own

    Do it again after changes: unchanged files cost nothing, changed ones are replaced. Keyword search works as soon as the text is in;
    vectors follow. Stop with Ctrl-C at any time; the same command, or `add` without paths, goes on. Questions that are watched
    (`watch-question`) are asked again at the end.

    Links within a folder are followed where they lead to a place inside of it; the others are left out and reported. --prune and
    --watch keep what came from a folder that is missing or empty: its drive may not be mounted.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import file_progress  # noqa: PLC0415
    from scholarmind.service.jobs import is_served  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    if watch and not (paths or bibliographies):
        raise click.UsageError("--watch needs files or folders to watch")
    if really and (watch or not prune):
        raise click.UsageError("--really goes with --prune" + (", and never with --watch" if watch else ""))
    settings = Settings.load(library=library)
    if not watch and (ocr, online, follow_links, on) == (None, None, None, None) and is_served(settings.library):
        from scholarmind.service.jobs import hand_over  # noqa: PLC0415

        echo("handed to the service of this library", err=True)
        task = {
            "paths": paths,
            "collection": collection,
            "bibliographies": bibliographies,
            "prune": "really" if really else prune,
        }
        report = hand_over(settings.library, task)
        with Library.open(library, create=False) as opened:
            _tell(opened, report, as_json=as_json, no_watch=no_watch)
        return
    with Library.open(library, ocr=ocr, online=online, follow_links=follow_links, reading_on=on) as opened:
        if watch:
            echo("watching; stop with Ctrl-C", err=True)
            opened.watch(
                paths,
                collection=collection,
                bibliographies=bibliographies,
                on_report=partial(_tell_while_watching, opened, as_json=as_json, no_watch=no_watch),
            )
        with file_progress(quiet=as_json) as on_event:
            report = opened.add(
                paths,
                collection=collection,
                bibliographies=bibliographies,
                prune="really" if really else prune,
                on_event=on_event,
            )
        _tell(opened, report, as_json=as_json, no_watch=no_watch, reach=opened.reach(), shown=True)


def _tell(
    library: "Library",
    report: "Report",
    *,
    as_json: bool,
    no_watch: bool,
    reach: "Reach | None" = None,
    shown: bool = False,
) -> None:
    """Print what became of it, have watched questions asked again, and end with what both came to."""

    news: dict[str, Any] = {}
    try:
        if not as_json:
            _print(report, as_json=False, reach=reach, shown=shown)
        if not no_watch:
            renewed = renew_watched(library, quiet=as_json)
            news = {"watched": renewed_record(renewed)} if renewed.asked or renewed.failed else {}
            if not as_json:
                print_renewed(renewed)
    except ScholarMindError as error:  # what was added is in, and was told
        echo(f"watched questions could not be asked again, and wait: {error}", err=True)
    finally:
        if as_json:
            _print(report, as_json=True, news=news)
    if report.problems and not (report.added or report.replaced or report.unchanged):
        raise SystemExit(1)


async def _tell_while_watching(library: "Library", report: "Report", *, as_json: bool, no_watch: bool) -> None:
    """Print what became of a change, and what watched questions that were asked again tell; in JSON an object for each."""
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    _print(report, as_json=as_json)
    if no_watch:
        return
    try:
        renewed = await library.watched.renew.aio()
    except ScholarMindError as error:
        echo(f"watched questions could not be asked again, and wait: {error}", err=True)
        return
    if not as_json:
        print_renewed(renewed)
    elif renewed.asked or renewed.failed:
        print_json({"watched": renewed_record(renewed)})


def _print(
    report: "Report",
    *,
    as_json: bool,
    reach: "Reach | None" = None,
    shown: bool = False,
    news: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Print what became of it; the problems unless they were `shown` along the way, and the sum of it all last."""
    from scholarmind.cli.output import print_json, print_problems, safe  # noqa: PLC0415

    if as_json:
        print_json({**asdict(report), **news})
        return
    for line in report.matches.lines() if report.matches is not None else ():
        echo(safe(line))
    if not shown:
        print_problems(report.problems)
    echo(report_line(report, reach))


def report_line(report: "Report", reach: "Reach | None") -> str:
    """Return the report in a line, without what did not happen."""
    told = [
        f"{report.added} added, {report.replaced} replaced, {report.unchanged} unchanged, {report.removed} removed",
        f"{report.passages:,} new passages, {report.embedded:,} embedded",
    ]
    if report.kept:
        told[0] += f", {report.kept} kept although their folder is missing or empty"
    if report.unsuited:
        how = "found by keywords" if reach is None else "embedded by another"
        told[-1] += f", {report.unsuited:,} in a language that the embedder does not know ({how})"
    if report.duplicates:
        told.append(f"{report.duplicates} with the same content as another file")
    if report.enriched:
        told.append(f"{report.enriched} described better by on-line catalogues")
    troubled = len({problem.where for problem in report.problems if not problem.lasting})
    if (left_out := troubled - report.duplicates) > 0:
        told.append(f"{left_out} of {max(report.files, left_out)} files left out (see above)")
    if report.ignored:
        told.append(f"{report.ignored} files of other kinds passed over")
    return "; ".join(told)


# -- Zotero

_SHOWN = 10  # titles of what changed, and of what left


@click.group("zotero")
def zotero_command() -> None:
    """Keep the library in step with Zotero: items, PDFs, notes, tags, highlights, citation keys, and links back."""


@zotero_command.command("sync")
@click.option(
    "--database",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Zotero's own zotero.sqlite, or a copy of it. It is only read, and Zotero may be running.",
)
@click.option("--api", metavar="ADDRESS", help="Ask a running Zotero instead, such as http://localhost:23119/api.")
@click.option(
    "--collection", default="", metavar="NAME", help="Only this one and those below it: name, path/to/it or key."
)
@click.option("--group", default="", metavar="NAME", help="The library of this group, and not your own.")
@click.option(
    "--storage",
    type=click.Path(file_okay=False, path_type=Path),
    help="Zotero's folder of files.  [default: storage, beside the database]",
)
@click.option(
    "--attachments",
    type=click.Path(file_okay=False, path_type=Path),
    help="The base folder of linked attachments, where Zotero has one.",
)
@click.option(
    "--into", default="zotero", show_default=True, metavar="NAME", help="Collection of this library that it is kept in."
)
@click.option("--remove", is_flag=True, help="Also take out what is not in Zotero any more; else it is only told.")
@library_folder_option
@json_option
def sync_command(
    database: Path | None,
    api: str | None,
    collection: str,
    group: str,
    storage: Path | None,
    attachments: Path | None,
    into: str,
    remove: bool,
    library: str | None,
    as_json: bool,
) -> None:
    """Take in a collection of Zotero, or all of it; again after changes, when unchanged files cost nothing.

    \b
      scholarmind zotero sync --database ~/Zotero/zotero.sqlite --collection "Transformers"
      scholarmind zotero sync --api http://localhost:23119/api --remove
      scholarmind ask "..." --where 'tags = "to read"'

    PDFs are described by their items; notes and highlights are documents of their own and are cited as yours. Nothing is ever written to
    Zotero. Stop with Ctrl-C at any time; the same command goes on.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import file_progress  # noqa: PLC0415
    from scholarmind.zotero.sync import sync  # noqa: PLC0415
    from scholarmind.zotero.zotero_library import ZoteroDatabase, ZoteroLocalApi  # noqa: PLC0415

    if database is not None and api is None:
        contents = ZoteroDatabase(path=database, storage=storage, attachments=attachments).read(collection, group)
    elif api is not None and database is None:
        if storage or attachments:
            raise click.UsageError(
                "--storage and --attachments go with --database; a running Zotero tells where its files are"
            )
        contents = ZoteroLocalApi(api).read(collection, group)
    else:
        raise click.UsageError("give one of them: --database zotero.sqlite, or --api http://localhost:23119/api")
    with Library.open(library) as opened, file_progress(quiet=as_json) as on_event:
        found = sync(opened, contents, into=into, remove=remove, on_event=on_event)
    _print_sync(found, as_json=as_json, removes=remove)


def _print_sync(found: "SyncReport", *, as_json: bool, removes: bool) -> None:
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415

    if as_json:
        print_json(asdict(found))
        return
    echo(report_line(found.report, found.reach))
    counts = (
        (found.items, "item", "items"),
        (found.files, "file", "files"),
        (found.notes, "note or highlight", "notes and highlights"),
    )
    held = ", ".join(f"{count} {one if count == 1 else several}" for count, one, several in counts)
    echo(safe(f"{found.name}: {held}"))
    if found.changed:
        echo(safe(f"changed in Zotero: {len(found.changed)}: {_first(found.changed)}"))
    if found.left:
        removed = f"{found.removed} {'document' if found.removed == 1 else 'documents'} removed"
        became = removed if removes else "kept until --remove"
        echo(safe(f"not in Zotero any more: {len(found.left)} ({became}): {_first(found.left)}"))


def _first(titles: "Sequence[str]") -> str:
    shown = "; ".join(" ".join(title.split()) for title in titles[:_SHOWN])
    return shown + (f"; and {len(titles) - _SHOWN} more" if len(titles) > _SHOWN else "")
