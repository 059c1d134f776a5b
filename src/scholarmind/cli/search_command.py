"""`scholarmind search`."""

from typing import Any

import click

from scholarmind.cli.command_options import model_options, with_fields, within_collections
from scholarmind.cli.main import echo, json_option, library_option

_PRESETS = ["precision", "recall", "balanced", "research", "fast"]
_PLACES = 10
_OF_A_STRATEGY = {  # settings that mean nothing to a search without one
    "llm": "--llm",
    "effort": "--effort",
    "max_calls": "--max-calls",
    "max_tokens": "--max-tokens",
    "max_cost": "--max-cost",
    "run_seconds": "--max-seconds",
}


@click.command("search")
@click.argument("question", nargs=-1, required=True)
@click.option(
    "-k",
    "k",
    type=click.IntRange(1, 1000),
    help="How many passages.  [default: 10; with --strategy, as many as it keeps]",
)
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
@click.option("--collection", "collections", multiple=True, help="Only in this collection; can be repeated.")
@click.option("--author", help="Only by this author (full or family name).")
@click.option("--title", help="Only in documents with this in their title.")
@click.option(
    "--year", metavar="YEAR|FROM..TO", help="Only of this year, or of these years; either end may be left open."
)
@click.option("--source", help="Only from this source.")
@click.option("--language", help="Only in this language (en, zh, ...).")
@click.option("--kind", help="Only documents of this kind.")
@click.option("--per-document", type=click.IntRange(1), help="At most so many passages of one document.")
@click.option("--scores", is_flag=True, help="Show how each passage came by its place.")
@click.option(
    "--format",
    "form",
    default="text",
    show_default=True,
    type=click.Choice(["text", "content"]),
    help="For people, or as content for a prompt.",
)
@click.option("--preset", type=click.Choice(_PRESETS), help="Values for --strategy scored.")
@model_options
@library_option
@json_option
def search_command(
    question: tuple[str, ...],
    k: int | None,
    mode: str,
    where: str | None,
    per_document: int | None,
    collections: tuple[str, ...],
    scores: bool,
    form: str,
    preset: str | None,
    chosen: dict[str, Any],
    library: str | None,
    as_json: bool,
    **fields: str | None,
) -> None:
    """Find the passages that match a question, by its words and by its meaning.

    Without a --strategy this is one search, and asks no language model whatever is set. With one, it finds what an answer would be written
    from: the question is taken apart, and with a language model (--llm, or
    SCHOLARMIND_LLM_BASE_URL) `scored` has every passage scored by it.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli import answer_output  # noqa: PLC0415
    from scholarmind.filters import both, parse_filter  # noqa: PLC0415
    from scholarmind.setting_values import joined  # noqa: PLC0415

    text, strategy = " ".join(question), chosen.get("strategy")
    _check(chosen, preset, per_document)
    if preset:
        chosen = joined({"scored": {"preset": preset}}, chosen)
    wanted = both(parse_filter(where) if where else None, within_collections(collections), with_fields(fields))
    with Library.open(library, create=False, **chosen) as opened:
        if strategy:
            retrieved = answer_output.find(opened, text, k, mode=mode, wanted=wanted, quiet=as_json)
            answer_output.show_retrieved(retrieved, scores=scores, form=form, as_json=as_json)
            nothing, notes = not retrieved.evidence, retrieved.notes
        else:
            hits = opened.search(text, k or _PLACES, mode=mode, filter=wanted, per_document=per_document)  # type: ignore[arg-type]
            answer_output.show_hits(hits, text, mode, scores=scores, form=form, as_json=as_json)
            nothing, notes = not hits.evidence, hits.notices
    if as_json:
        return
    for note in notes:
        echo(f"note: {note}", err=True, fg="yellow")
    if nothing:
        echo(
            "nothing found"
            + (" that passes the filter" if wanted else "")
            + "; 'scholarmind status' shows what the library holds",
            err=True,
        )


def _check(chosen: dict[str, Any], preset: str | None, per_document: int | None) -> None:
    """Refuse what would have no effect."""
    strategy = chosen.get("strategy")
    if preset and strategy != "scored":
        raise click.UsageError("--preset holds values for --strategy scored")
    if strategy and per_document:
        raise click.UsageError("--per-document is for a search without --strategy")
    if not strategy and (given := [option for name, option in _OF_A_STRATEGY.items() if chosen.get(name) is not None]):
        raise click.UsageError(f"{given[0]} is for a search with --strategy: without one no language model is asked")
