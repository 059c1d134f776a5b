"""`scholarmind graph merge`, `split` and `merges`: which names are one thing."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from scholarmind.cli.main import echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.relations import Merged, Node, NodeKind

KINDS: "list[NodeKind]" = ["paper", "author", "institution", "method", "dataset", "metric", "task", "venue", "year"]
kind_option = click.option(
    "--kind", type=click.Choice(KINDS), help="What is meant, where things of several kinds have the name."
)


@click.command("merge")
@click.argument("names", nargs=-1, required=True, metavar="NAME... INTO")
@kind_option
@library_option
@json_option
def merge(names: Sequence[str], kind: "NodeKind | None", library: str | None, as_json: bool) -> None:
    """Take names for one thing from now on: all of them for the last. Where several nodes have a name, give the number ("#12")."""
    from scholarmind.api import Library  # noqa: PLC0415

    if len(names) < 2:
        raise click.UsageError("give two names at least: those that are one thing, and last the one that they are")
    with Library.open(library, create=False) as opened:
        node = opened.graph.merge(names[:-1], names[-1], kind=kind)
    _print_node(node, as_json=as_json)


@click.command("split")
@click.argument("name")
@click.option("--paper", metavar="ID", help="Of an author: the one of this document, apart from others of the name.")
@click.option("--collection", default="default", show_default=True, help="Collection that the document is in.")
@kind_option
@library_option
@json_option
def split(
    name: str, paper: str | None, collection: str, kind: "NodeKind | None", library: str | None, as_json: bool
) -> None:
    """Take a name out of what it was merged with. It stays apart, whatever is added, until you merge it again.

    What you merged goes back to what it was before. What rules found to be one is told apart name by name: of a person, the
    author of one paper is taken out, and who wrote the others stays as far as they prove it without that one.
    """
    from scholarmind.api import Library  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        node = opened.graph.split(name, paper=paper or "", collection=collection, kind=kind)
    _print_node(node, as_json=as_json)


@click.command("merges")
@click.argument("name", required=False)
@click.option("--by-hand", is_flag=True, help="Only what somebody merged, not what rules found.")
@library_option
@json_option
def merges(name: str | None, by_hand: bool, library: str | None, as_json: bool) -> None:
    """List which names are taken for one thing, by whom and why: those of one name, or all."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        found = [each for each in opened.graph.merges(name or "") if not by_hand or each.by == "hand"]
    if as_json:
        print_json([asdict(each) for each in found])
        return
    for each in found:
        echo(safe(_line(each)))
    if not found:
        echo("nothing was merged")


def _line(merged: "Merged") -> str:
    within = [f" (in {scope})" if scope else "" for scope in (merged.scope, merged.into_scope)]
    why = f": {merged.reason}" if merged.reason else ""
    return f"{merged.kind:<8} {merged.name}{within[0]} = {merged.into}{within[1]}, by {merged.by}{why}"


def _print_node(node: "Node", *, as_json: bool) -> None:
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415

    if as_json:
        print_json(asdict(node))
        return
    names = "; ".join(dict.fromkeys(node.names or (node.name,)))
    echo(safe(f"{node.kind} #{node.number}: {names}  ({node.edges:,} edge{'s' * (node.edges != 1)})"))
