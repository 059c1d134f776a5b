"""`scholarmind add`."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.main import echo, json_option, library_option
from scholarmind.errors import ScholarMindError

if TYPE_CHECKING:
    from scholarmind.api import Library
    from scholarmind.library.report import Report
    from scholarmind.library_ports import Reach


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
    from scholarmind.cli.watch_commands import print_renewed, renew_watched, renewed_record  # noqa: PLC0415

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
    from scholarmind.cli.watch_commands import print_renewed, renewed_record  # noqa: PLC0415

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
