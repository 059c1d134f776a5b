"""`scholarmind copy`: a whole library from one home to another."""

import click

from scholarmind.cli.main import echo, json_option, library_option


@click.command("copy")
@click.option(
    "--to", required=True, metavar="URL|FOLDER", help="Where it goes: postgresql://USER@HOST/NAME, or a folder."
)
@library_option
@json_option
def copy_command(to: str, library: str | None, as_json: bool) -> None:
    """Copy the whole library, with runs, conversations and what the service keeps, to a database or a folder.

    \b
    Examples:
      scholarmind copy --to postgresql://scholarmind@db.example.org/library
      scholarmind copy --database postgresql://scholarmind@db.example.org/library --to ~/library

    It may be used meanwhile; what is copied is as it was at one moment. Interrupted, the same command goes on; given again, it brings over
    what came since, as long as nobody used the copy. Every table is compared on both sides before the copy can be opened.
    """
    import time  # noqa: PLC0415
    from dataclasses import asdict  # noqa: PLC0415

    from scholarmind.cli.output import print_json, progress, safe  # noqa: PLC0415
    from scholarmind.service.library_copy import copy_library, home_at, home_of  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    source, target = home_of(Settings.load(library=library)), home_at(to)
    begun = time.monotonic()
    with progress(quiet=as_json) as on_event:
        tables = copy_library(source, target, on_event=on_event)
    seconds = time.monotonic() - begun
    rows = sum(table.rows for table in tables)
    if as_json:
        print_json(
            {
                "from": source.shown,
                "to": target.shown,
                "rows": rows,
                "seconds": round(seconds, 3),
                "tables": [asdict(table) for table in tables],
            }
        )
        return
    echo(
        safe(
            f"{rows:,} rows of {len(tables)} tables are in {target.shown}, the same as in {source.shown} "
            f"({rows / max(seconds, 1e-3):,.0f} rows/s)"
        )
    )
