"""`scholarmind doctor`."""

import platform
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version

import click

from scholarmind.cli.main import json_option, library_option
from scholarmind.errors import LibraryError
from scholarmind.model import Check

_PARTS = ("scholarmind", "tantivy", "onnxruntime", "numpy")


@click.command("doctor")
@click.option("--mend", is_flag=True, help="Make the derived indexes anew and set the counts right.")
@click.option("--reembed", is_flag=True, help="Embed everything again, with the embedder of the settings.")
@library_option
@json_option
def command(mend: bool, reembed: bool, library: str | None, as_json: bool) -> None:
    """Examine the library and say how to mend what is not well. Changes nothing unless told to."""
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    checks = [_versions(), *_examine(library, mend=mend, reembed=reembed, quiet=as_json)]
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        for check in checks:
            click.secho(f"{'ok ' if check.ok else 'BAD'} {check.name:<14} {check.seen}", fg=None if check.ok else "red")
            if not check.ok and check.mend:
                click.echo(f"    {'':<14} mend: {check.mend}")
    if not all(check.ok for check in checks):
        raise SystemExit(1)


def _versions() -> Check:
    told = [f"{part} {version(part)}" for part in _PARTS]
    return Check(
        name="versions",
        ok=True,
        seen=", ".join([*told, f"python {platform.python_version()}", f"sqlite {sqlite3.sqlite_version}"]),
    )


def _examine(library: str | None, *, mend: bool, reembed: bool, quiet: bool) -> Iterator[Check]:
    from scholarmind.adapters.local.health import examine, recount  # noqa: PLC0415
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import progress  # noqa: PLC0415

    try:
        with Library.open(library, create=False) as opened:
            if mend:
                recount(opened.store)
                opened.rebuild()
            if reembed:
                with progress(quiet=quiet) as on_event:
                    opened.reembed(on_event=on_event)
            yield from examine(opened.store)
    except LibraryError as error:
        yield Check(name="library", ok=False, seen=str(error))
