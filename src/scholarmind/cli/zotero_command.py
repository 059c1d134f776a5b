"""`scholarmind zotero`: a library kept in step with Zotero."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scholarmind.cli.main import echo, json_option, library_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scholarmind.zotero.sync import SyncReport

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
@library_option
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
    from scholarmind.zotero.local_api import ZoteroLocalApi  # noqa: PLC0415
    from scholarmind.zotero.sync import sync  # noqa: PLC0415
    from scholarmind.zotero.zotero_database import ZoteroDatabase  # noqa: PLC0415

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
    _print(found, as_json=as_json, removes=remove)


def _print(found: "SyncReport", *, as_json: bool, removes: bool) -> None:
    from scholarmind.cli.add_command import report_line  # noqa: PLC0415
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
