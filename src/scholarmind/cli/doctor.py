"""`scholarmind doctor`."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from scholarmind.cli.main import echo, json_option, library_option
from scholarmind.errors import LibraryError

if TYPE_CHECKING:
    from scholarmind.model import Check

_CONFIGURED = "as configured"
_PARTS = ("scholarmind", "tantivy", "onnxruntime", "numpy")


@click.command("doctor")
@click.option(
    "--mend",
    is_flag=True,
    help="Make the derived indexes anew, set the counts right, and bring graph and tree up to the documents.",
)
@click.option("--reembed", is_flag=True, help="Embed everything again, with the embedder of the settings.")
@click.option(
    "--llm",
    is_flag=False,
    flag_value=_CONFIGURED,
    metavar="[MODEL]",
    help="Examine the language model of the settings, or this one, by asking it a few things that cost next to nothing.",
)
@library_option
@json_option
def command(mend: bool, reembed: bool, llm: str | None, library: str | None, as_json: bool) -> None:
    """Examine the library, or a language model, and say how to mend what is not well. Changes nothing unless told to."""
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    if llm is None:
        checks = [_versions(), *_examine(library, mend=mend, reembed=reembed, quiet=as_json)]
    else:
        checks = _examine_model("" if llm == _CONFIGURED else llm)
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        for check in checks:
            _print(check, one_line=llm is not None)
    if not all(check.ok for check in checks):
        raise SystemExit(1)


def _print(check: "Check", *, one_line: bool) -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415

    mend = "" if check.ok else check.mend
    told = f"{check.seen}; {mend}" if mend and one_line else check.seen
    echo(safe(f"{'ok ' if check.ok else 'BAD'} {check.name:<14} {told}"), fg=None if check.ok else "red")
    if mend and not one_line:
        echo(safe(f"    {'':<14} mend: {mend}"))


def _versions() -> "Check":
    import platform  # noqa: PLC0415
    import sqlite3  # noqa: PLC0415
    from importlib.metadata import version  # noqa: PLC0415

    from scholarmind.model import Check  # noqa: PLC0415

    told = [f"{part} {version(part)}" for part in _PARTS]
    return Check(
        name="versions",
        ok=True,
        seen=", ".join([*told, f"python {platform.python_version()}", f"sqlite {sqlite3.sqlite_version}"]),
    )


def _examine_model(llm: str) -> "list[Check]":
    from scholarmind import wiring_models  # noqa: PLC0415
    from scholarmind.blocking import run  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    return run(wiring_models.examine_models(Settings.load(llm=llm or None)))


def _examine(library: str | None, *, mend: bool, reembed: bool, quiet: bool) -> "Iterator[Check]":
    from scholarmind.adapters.local.health import examine, let_damaged_be_read_again, recount  # noqa: PLC0415
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import progress  # noqa: PLC0415
    from scholarmind.model import Check  # noqa: PLC0415

    try:
        with Library.open(library, create=False) as opened:
            if mend:
                recount(opened.store)
                let_damaged_be_read_again(opened.store)
                opened.rebuild()
            if reembed:
                with progress(quiet=quiet) as on_event:
                    opened.reembed(on_event=on_event)
            yield from examine(opened.store)
    except LibraryError as error:
        yield Check(name="library", ok=False, seen=str(error))
