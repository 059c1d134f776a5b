"""`scholarmind add`."""

from dataclasses import asdict

import click

from scholarmind.cli.main import json_option, library_option


@click.command("add")
@click.argument("paths", nargs=-1)
@click.option(
    "--collection", default="default", show_default=True, help="Named part of the library to put the documents into."
)
@click.option("--prune", is_flag=True, help="Also remove documents whose file (or record) is gone from these places.")
@library_option
@json_option
def command(paths: tuple[str, ...], collection: str, prune: bool, library: str | None, as_json: bool) -> None:
    """Take in files, folders and patterns.

    Markdown (.md, with YAML front matter), text (.txt, .text, .rst, any encoding) and records (.jsonl with id, title, text, meta).
    Do it again after changes: unchanged files cost nothing, changed ones are replaced. Keyword search works as soon as the text is in;
    vectors follow. Stop with Ctrl-C at any time; the same command, or `add` without paths, goes on.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json, print_problems, progress  # noqa: PLC0415

    with Library.open(library) as opened, progress(quiet=as_json) as on_event:
        report = opened.add(paths, collection=collection, prune=prune, on_event=on_event)
    if as_json:
        print_json(asdict(report))
    else:
        click.echo(
            f"{report.added} added, {report.replaced} replaced, {report.unchanged} unchanged, {report.removed} removed; "
            f"{report.passages:,} new passages, {report.embedded:,} embedded"
            + (
                f", {report.unsuited:,} in a language that the embedder does not know (found by keywords)"
                if report.unsuited
                else ""
            )
            + (f"; {report.ignored} files of other kinds passed over" if report.ignored else "")
        )
        print_problems(report.problems)
    if report.problems and not (report.added or report.replaced or report.unchanged):
        raise SystemExit(1)
