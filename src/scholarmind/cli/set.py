"""`scholarmind set`."""

import click

from scholarmind.cli.main import echo, json_option, library_option


@click.command("set")
@click.argument("id")
@click.argument("corrections", nargs=-1, required=True, metavar="FIELD=VALUE...")
@click.option("--collection", default="default", show_default=True, help="Collection that the document is in.")
@library_option
@json_option
def command(id: str, corrections: tuple[str, ...], collection: str, library: str | None, as_json: bool) -> None:
    """Correct what the library takes a document for.

    \b
      scholarmind set bert-3fa1c2 year=2019 "title=BERT: Pre-training of Deep Bidirectional Transformers"
      scholarmind set bert-3fa1c2 "authors=Jacob Devlin; Ming-Wei Chang" venue=NAACL
      scholarmind set bert-3fa1c2 year=              takes the correction back

    A correction survives that the file is read again, and comes before what the file, a bibliography or a catalogue says.
    `scholarmind show ID` tells what each of them says.
    """
    from dataclasses import asdict  # noqa: PLC0415

    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import citation, print_json, safe  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        document = opened.correct(id, corrections, collection=collection)
    if as_json:
        print_json(asdict(document))
    else:
        echo(safe(f"{document.id}: {document.title} · {citation(document)}"))
