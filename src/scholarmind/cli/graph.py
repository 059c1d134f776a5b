"""`scholarmind graph`: what documents state of methods, data sets, authors and each other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.graph_file import export
from scholarmind.cli.graph_names import KINDS, merge, merges, split
from scholarmind.cli.main import echo, json_option, library_option
from scholarmind.cli.modelled import modelled_options

if TYPE_CHECKING:
    from scholarmind.relations import GraphCounts, NodeKind, Relation

RELATIONS: "list[Relation]" = [
    "AUTHORED_BY",
    "AFFILIATED_WITH",
    "CITES",
    "PROPOSES",
    "IMPROVES_ON",
    "EVALUATED_ON",
    "REPORTS",
    "USES",
    "ADDRESSES",
    "PUBLISHED_IN",
    "MENTIONS",
]
_THINGS = "documents"


@click.group("graph")
def command() -> None:
    """Look around in the graph of papers, mend it, build it, and take it elsewhere.

    \b
      scholarmind graph show BERT --relation improves_on     what improves on BERT, and what BERT improves on, with the proofs
      scholarmind graph show BERT --hops 2                   the same, and what is behind that
      scholarmind graph merge "BERT base" BERT               two names for one thing; `split` takes them apart again
      scholarmind graph export --around BERT -o bert.html    a picture
    """


for _each in (merge, split, merges, export):
    command.add_command(_each)


@command.command("show")
@click.argument("name")
@click.option("--hops", default=1, show_default=True, type=click.IntRange(1, 4), help="Steps from there.")
@click.option(
    "--relation",
    "relations",
    multiple=True,
    type=click.Choice(RELATIONS, case_sensitive=False),
    help="Follow only this one; several may be given.",
)
@click.option("--kind", type=click.Choice(KINDS), help="What is meant, where several things have the name.")
@click.option("--limit", default=40, show_default=True, type=click.IntRange(1, 10_000), help="Edges that are shown.")
@click.option("--where", metavar="FILTER", help='Only what these documents state, such as "year >= 2020".')
@library_option
@json_option
def show(
    name: str,
    hops: int,
    relations: "Sequence[Relation]",
    kind: "NodeKind | None",
    limit: int,
    where: str | None,
    library: str | None,
    as_json: bool,
) -> None:
    """Show what the graph holds around a name (or around a node by its number, "#12"), with year, confidence and proof of each edge."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.graph_tree import print_around, record  # noqa: PLC0415
    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.filters import parse_filter  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        around = opened.graph.neighbourhood(
            name,
            hops=hops,
            relations=relations,
            kinds=(kind,) if kind else (),
            filter=parse_filter(where) if where else None,
        )
    if as_json:
        print_json(record(around))
    else:
        print_around(around, hops=hops, limit=limit)


@command.command("build")
@click.option("--again", is_flag=True, help="Read every document anew; what was merged and split by hand stays.")
@modelled_options
@library_option
@json_option
def build(again: bool, modelled: dict[str, Any], library: str | None, as_json: bool) -> None:
    """Bring the graph up to what the library holds. With --llm a language model then reads what rules miss.

    What it finds stays only if the text says so. Stopped at any time, the same command goes on.
    """
    from dataclasses import asdict  # noqa: PLC0415

    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.modelled import budget_of, carried_out, is_wanted, modelled_record, settings_of  # noqa: PLC0415
    from scholarmind.cli.output import print_json, progress  # noqa: PLC0415

    outlook = worked = None
    with Library.open(library, create=False, **settings_of(modelled)) as opened:
        with progress(quiet=as_json) as on_event:
            opened.graph.build(again=again, on_event=on_event)
        if is_wanted(modelled):
            outlook, budget = opened.graph.outlook(), budget_of(modelled)
            worked = carried_out(
                outlook,
                lambda on_event: opened.graph.read(budget=budget, on_event=on_event),
                modelled,
                _THINGS,
                as_json=as_json,
            )
        counts = opened.graph.counts()
    if as_json:
        print_json({**asdict(counts), **modelled_record(outlook, worked)})
    elif not is_wanted(modelled):
        _print_counts(counts)


@command.command("status")
@library_option
@json_option
def status(library: str | None, as_json: bool) -> None:
    """Show how much the graph holds, and whether documents have still to be read."""
    from dataclasses import asdict  # noqa: PLC0415

    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        counts = opened.graph.counts()
    if as_json:
        print_json(asdict(counts))
    else:
        _print_counts(counts)


def _print_counts(counts: "GraphCounts") -> None:
    waiting = f", {counts.waiting:,} still to be read: scholarmind graph build" if counts.waiting else ""
    echo(f"documents  {counts.documents:,}{waiting}")
    for title, numbers in (("nodes", counts.nodes), ("edges", counts.edges)):
        told = ", ".join(f"{number:,} {kind}" for kind, number in sorted(numbers.items(), key=lambda item: -item[1]))
        echo(f"{title:<10} {sum(numbers.values()):,}" + (f" ({told})" if told else ""))
    echo(f"merged     {counts.merged:,} names; `scholarmind graph merges` lists them")
