"""`scholarmind search`."""

import re

import click

from scholarmind.cli.main import json_option, library_option
from scholarmind.errors import QueryError
from scholarmind.filters import Compare, Filter, both, parse_filter

_FIELDS = ("collection", "author", "title", "source", "language", "kind")


@click.command("search")
@click.argument("question", nargs=-1, required=True)
@click.option("-k", "k", default=10, show_default=True, type=click.IntRange(1, 1000), help="How many passages.")
@click.option(
    "--mode",
    default="hybrid",
    show_default=True,
    type=click.Choice(["hybrid", "vector", "keyword"]),
    help="What to search by.",
)
@click.option(
    "--where",
    metavar="FILTER",
    help='Such as: year >= 2019 and (author = Devlin or title ~ "attention") and not language = zh',
)
@click.option("--collection", help="Only in this collection.")
@click.option("--author", help="Only by this author (full or family name).")
@click.option("--title", help="Only in documents with this in their title.")
@click.option(
    "--year", metavar="YEAR|FROM..TO", help="Only of this year, or of these years; either end may be left open."
)
@click.option("--source", help="Only from this source.")
@click.option("--language", help="Only in this language (en, zh, ...).")
@click.option("--kind", help="Only documents of this kind.")
@click.option("--per-document", type=click.IntRange(1), help="At most so many passages of one document.")
@click.option("--scores", is_flag=True, help="Show the score and the rank of each leg.")
@library_option
@json_option
def command(
    question: tuple[str, ...],
    k: int,
    mode: str,
    where: str | None,
    per_document: int | None,
    scores: bool,
    library: str | None,
    as_json: bool,
    **fields: str | None,
) -> None:
    """Find the passages that match a question, by its words and by its meaning."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import evidence_record, print_evidence, print_json  # noqa: PLC0415

    text = " ".join(question)
    wanted = both(parse_filter(where) if where else None, _from_options(fields))
    with Library.open(library, create=False) as opened:
        found = opened.search(text, k, mode=mode, filter=wanted, per_document=per_document)  # type: ignore[arg-type]
    if as_json:
        hits = [evidence_record(rank, item) for rank, item in enumerate(found.evidence, 1)]
        print_json({"question": text, "mode": mode, "hits": hits, "notices": found.notices})
        return
    print_evidence(found.evidence, text, scores=scores)
    for notice in found.notices:
        click.secho(f"note: {notice}", err=True, fg="yellow")
    if not found.evidence:
        click.echo(
            "nothing found"
            + (" that passes the filter" if wanted else "")
            + "; 'scholarmind status' shows what the library holds",
            err=True,
        )


def _from_options(fields: dict[str, str | None]) -> Filter | None:
    compares = [
        Compare(name, "~" if name == "title" else "=", value)
        for name in _FIELDS
        if (value := fields.get(name)) is not None
    ]
    return both(*compares, _years(fields.get("year")))


def _years(text: str | None) -> Filter | None:
    if text is None:
        return None
    match = re.fullmatch(r"(\d{1,4})?(?:(\.\.)(\d{1,4})?)?", text.strip())
    if match is None or not (match[1] or match[3]):
        raise QueryError(f"--year {text!r} is not understood; write 2019, 2019..2023, 2019.. or ..2023")
    if not match[2]:
        return Compare("year", "=", int(match[1]))
    ends = (
        Compare("year", ">=", int(match[1])) if match[1] else None,
        Compare("year", "<=", int(match[3])) if match[3] else None,
    )
    return both(*ends)
