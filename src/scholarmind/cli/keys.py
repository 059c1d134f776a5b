"""`scholarmind keys`."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from scholarmind.cli.main import echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.service.keys import Keys


@click.group("keys")
def command() -> None:
    """Make, list and revoke the keys of a service."""


@command.command("create")
@click.option(
    "--scopes",
    required=True,
    metavar="LIST",
    help="What it may do: ask, search, ingest, admin; several with commas between them.",
)
@click.option("--collections", metavar="LIST", help="The only collections that are there for it.  [default: all]")
@click.option("--rate", default="", metavar="NUMBER/PERIOD", help="How many requests, such as 60/min.")
@click.option(
    "--budget",
    default="",
    metavar="AMOUNT/PERIOD",
    help="What its questions may cost in calls to models, such as 5.00/month, in the currency of the prices.",
)
@click.option("--name", default="", help="Whose it is.")
@library_option
@json_option
def create(
    scopes: str, collections: str | None, rate: str, budget: str, name: str, library: str | None, as_json: bool
) -> None:
    """Make a key, and show it this once: only a hash of it is kept."""
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    with _keys(library) as keys:
        chosen = None if collections is None else _listed(collections)
        key = keys.create(_listed(scopes), chosen, name=name, rate=rate, budget=budget)
    if as_json:
        print_json({"key": key, "id": key.split("_")[1]})
    else:
        echo(key)


@command.command("list")
@library_option
@json_option
def listing(library: str | None, as_json: bool) -> None:
    """List the keys, with what each has used."""
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415

    with _keys(library) as keys:
        found = keys.listed()
    if as_json:
        print_json([asdict(key) for key in found])
        return
    if not found:
        echo("no keys yet; make one with: scholarmind keys create --scopes ask,search")
    for key in found:
        where = "all collections" if key.collections is None else ", ".join(key.collections)
        limits = "".join(f" · {limit}" for limit in (key.rate, key.budget) if limit)
        made = f"{datetime.fromtimestamp(key.created, UTC):%Y-%m-%d}"
        told = f"{key.requests:,} requests, {key.questions:,} questions, {key.tokens:,} tokens, {key.cost:.2f}"
        state = " · revoked" if key.revoked else ""
        echo(safe(f"{key.id}  {made}  {','.join(key.scopes)} · {where}{limits} · {told}{state}  {key.name}"))


@command.command("revoke")
@click.argument("key")
@library_option
@json_option
def revoke(key: str, library: str | None, as_json: bool) -> None:
    """Make a key worthless from this moment. KEY is its id, the eight characters behind `sm_`."""
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    with _keys(library) as keys:
        if not keys.revoke(key):
            raise click.ClickException(
                f"there is no key {key!r} that opens anything; 'scholarmind keys list' lists them"
            )
    if as_json:
        print_json({"revoked": key})
    else:
        echo(f"revoked {key}")


@contextmanager
def _keys(library: str | None) -> "Generator[Keys]":
    from scholarmind.service.file import ServiceFile  # noqa: PLC0415
    from scholarmind.service.keys import Keys  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    folder = Settings.load(library=library).library
    folder.mkdir(parents=True, exist_ok=True)
    with ServiceFile(folder / "service.db") as file:
        yield Keys(file)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
