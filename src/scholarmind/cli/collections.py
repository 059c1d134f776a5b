"""`scholarmind collections`."""

from dataclasses import asdict

import click

from scholarmind.cli.main import echo, json_option, library_option


@click.command("collections")
@library_option
@json_option
def command(library: str | None, as_json: bool) -> None:
    """List the collections of the library."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        collections = opened.counts()
    if as_json:
        print_json([{"name": name, **asdict(count)} for name, count in collections.items()])
        return
    for name, count in collections.items():
        echo(f"{name}  ({count.documents:,} documents, {count.passages:,} passages)")
