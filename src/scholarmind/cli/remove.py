"""`scholarmind remove`."""

import click

from scholarmind.cli.main import echo, json_option, library_option


@click.command("remove")
@click.argument("ids", nargs=-1)
@click.option("--where", metavar="FILTER", help="Remove the documents that pass this filter, such as: year < 2010")
@click.option("--collection", default="default", show_default=True, help="The collection to remove them from.")
@click.option("--yes", is_flag=True, help="Do not ask back.")
@library_option
@json_option
def command(
    ids: tuple[str, ...], where: str | None, collection: str, yes: bool, library: str | None, as_json: bool
) -> None:
    """Remove documents by id (as `search` shows it) or by filter. The files themselves stay."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415
    from scholarmind.filters import Compare, both, parse_filter  # noqa: PLC0415

    if bool(ids) == bool(where):
        raise click.UsageError("give either ids or --where")
    with Library.open(library, create=False) as opened:
        if where:
            wanted = both(Compare("collection", "=", collection), parse_filter(where))
            documents = opened.documents(wanted)
            ids = tuple(document.id for document in documents)
            if ids and not (yes or as_json):
                echo(
                    "\n".join(f"  {safe(document.id)}  {safe(document.title)}" for document in documents[:20]), err=True
                )
                click.confirm(
                    f"remove these {len(ids)} documents?"
                    if len(ids) <= 20
                    else f"remove these and {len(ids) - 20} more?",
                    abort=True,
                )
        known = {document.id for document in opened.documents(Compare("collection", "=", collection))}
        missing = [identifier for identifier in ids if identifier not in known]
        removed = opened.remove(
            ids, collection=collection
        )  # of nothing, too: an earlier removal may have been cut short
    if as_json:
        print_json({"removed": removed, "missing": missing})
    else:
        echo(f"{removed} removed")
        for identifier in missing:
            echo(f"no document {identifier!r} in collection {collection!r}", err=True)
    if missing and not removed:
        raise SystemExit(1)
