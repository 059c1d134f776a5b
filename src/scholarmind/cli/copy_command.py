"""A whole library from one home to another: `scholarmind copy`, `backup`, `restore`, and `migrate` where it is."""

import itertools
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scholarmind.cli.main import echo, json_option, library_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scholarmind.service.library_copy import Copied


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
    from scholarmind.cli.output import progress  # noqa: PLC0415
    from scholarmind.service.library_copy import copy_library, home_at, home_of  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    source, target = home_of(Settings.load(library=library)), home_at(to)
    begun = time.monotonic()
    with progress(quiet=as_json) as on_event:
        tables = copy_library(source, target, on_event=on_event)
    _print(source.shown, target.shown, tables, begun, as_json=as_json)


@click.command("backup")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@library_option
@json_option
def backup_command(file: Path, library: str | None, as_json: bool) -> None:
    """Write the whole library into one FILE (a .tar.gz), as it is at this moment, wherever it is kept.

    It may be used meanwhile. What is derived is left out. `scholarmind restore` makes a library of the file again, in a folder or a
    database.
    """
    from scholarmind.cli.output import progress  # noqa: PLC0415
    from scholarmind.service.library_copy import back_up, home_of  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    source, begun = home_of(Settings.load(library=library)), time.monotonic()
    with progress(quiet=as_json) as on_event:
        tables = back_up(source, file, on_event=on_event)
    _print(source.shown, str(file), tables, begun, as_json=as_json)


@click.command("restore")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@library_option
@json_option
def restore_command(file: Path, library: str | None, as_json: bool) -> None:
    """Make a library of a FILE that `scholarmind backup` wrote, in the folder or the database of the settings, which must be empty.

    Interrupted, the same command goes on. Every table is held against what was written down when the backup was made.
    """
    from scholarmind.cli.output import progress  # noqa: PLC0415
    from scholarmind.service.library_copy import home_of, restore  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    target, begun = home_of(Settings.load(library=library)), time.monotonic()
    with progress(quiet=as_json) as on_event:
        tables = restore(file, target, on_event=on_event)
    _print(str(file), target.shown, tables, begun, as_json=as_json)


def _print(source: str, target: str, tables: "Sequence[Copied]", begun: float, *, as_json: bool) -> None:
    from dataclasses import asdict  # noqa: PLC0415

    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415

    seconds = time.monotonic() - begun
    rows = sum(table.rows for table in tables)
    if as_json:
        listed = [asdict(table) for table in tables]
        print_json({"from": source, "to": target, "rows": rows, "seconds": round(seconds, 3), "tables": listed})
        return
    rate = f"{rows / max(seconds, 1e-3):,.0f} rows/s"
    echo(safe(f"{rows:,} rows of {len(tables)} tables are in {target}, the same as in {source} ({rate})"))


@click.command("migrate")
@click.option("--to", metavar="LAYOUT", help="The layout that it is to have.  [default: that of this version]")
@library_option
@json_option
def migrate_command(to: str | None, library: str | None, as_json: bool) -> None:
    """Bring the tables of the library to the layout of this version, or back to that of an earlier one, with all that is in them.

    Nobody else may be at work with it meanwhile: stop the service first, and take a backup.
    """
    from contextlib import closing  # noqa: PLC0415

    from scholarmind.adapters.store.database import SCHEMA  # noqa: PLC0415
    from scholarmind.adapters.store.migrations import migrate  # noqa: PLC0415
    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.service.library_copy import home_of  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    settings = Settings.load(library=library)
    settings.library.mkdir(parents=True, exist_ok=True)
    home = home_of(settings)
    home.check_is_there()
    database, lock = home.open()
    with closing(database):
        lock.acquire(settings.lock_wait)
        try:
            passed = migrate(database, to or SCHEMA)
        finally:
            lock.release()
    if as_json:
        print_json({"layouts": list(passed)})
        return
    for before, after in itertools.pairwise(passed):
        echo(f"brought from layout {before} to {after}")
    echo(f"the library has layout {passed[-1]}")
