"""`scholarmind demo`."""

import click

from scholarmind.cli.main import json_option

QUESTIONS = (
    "How do BERT and GPT-2 compare on GLUE?",
    "Which attention mechanism does Longformer use for long documents?",
    "FlashAttention-2 比第一代快多少？",
)


@click.command("demo")
@click.option("--question", help="Ask this instead of the built-in questions.")
@json_option
def command(question: str | None, as_json: bool) -> None:
    """Look around in a small library: 40 notes on language models and their attention, in English and Chinese.

    It is kept apart from your own, in scholarmind/demo in your data folder.
    """
    from importlib.resources import as_file, files  # noqa: PLC0415

    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import evidence_record, print_evidence, print_json, progress  # noqa: PLC0415
    from scholarmind.settings import default_library  # noqa: PLC0415

    asked: list[dict[str, object]] = []
    with (
        Library.open(default_library().with_name("demo")) as library,
        as_file(files("scholarmind.demo") / "notes") as notes,
    ):
        with progress(quiet=as_json) as on_event:
            library.add(notes, prune=True, on_event=on_event)
        counts = library.counts()["default"]
        if not as_json:
            click.echo(f"The demo library holds {counts.documents} notes in {counts.passages} passages.\n")
        for text in (question,) if question else QUESTIONS:
            found = library.search(text, 3, per_document=1)
            if as_json:
                hits = [evidence_record(rank, item) for rank, item in enumerate(found.evidence, 1)]
                asked.append({"question": text, "hits": hits, "notices": found.notices})
                continue
            click.secho(f"? {text}\n", bold=True)
            print_evidence(found.evidence, text, scores=False)
            for notice in found.notices:
                click.secho(f"note: {notice}\n", fg="yellow")
        folder = library.store.folder
    if as_json:
        print_json(asked[0] if question else asked)
        return
    click.echo("Now try:")
    click.echo(f'  scholarmind search --library {folder} --year 2020.. --scores "cheaper attention"')
    click.echo('  scholarmind add FOLDER_WITH_YOUR_NOTES && scholarmind search "your question"')
