"""What is built over the documents: `graph`, the graph of papers, and `tree`, the tree of summaries."""

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.main import check_suffix, echo, json_option, library_option
from scholarmind.cli.output import safe
from scholarmind.cli.run_progress import (
    budget_of,
    carried_out,
    is_wanted,
    modelled_options,
    modelled_record,
    settings_of,
    several,
)
from scholarmind.text.untrusted import disarmed, uncontrolled

if TYPE_CHECKING:
    from scholarmind.graph.graph_formats import ShownEdge
    from scholarmind.library.paper_graph import Around
    from scholarmind.library.summary_tree import Outline, TreeState
    from scholarmind.model import Evidence
    from scholarmind.relations import Node

# -- the graph of papers

_MOST_NAMES = 8


def print_around(around: "Around", *, hops: int, limit: int) -> None:
    """Print the tree from its node on; each edge stands once, where it is reached first."""
    node = around.node
    echo(safe(_one_line(node.name)), bold=True, nl=False)
    echo(f"  {node.kind} #{node.number}, {node.edges:,} edge{'s' * (node.edges != 1)}")
    others = [_one_line(name) for name in node.names if name != node.name]
    if others:
        more = f" and {len(others) - _MOST_NAMES} more" if len(others) > _MOST_NAMES else ""
        echo(safe(f"also {'; '.join(others[:_MOST_NAMES])}{more}"))
    if around.others:
        numbers = ", ".join(f"#{other.number} ({other.kind})" for other in around.others[:_MOST_NAMES])
        more = f" and {len(around.others) - _MOST_NAMES} more" if len(around.others) > _MOST_NAMES else ""
        echo(f"others of this name: {numbers}{more}")
    lines = _Tree(around.edges, limit)
    for style, text in lines.below(node, hops, "  "):
        echo(safe(text), **style)
    left = len(around.edges) - len(lines.told)
    if left or around.cut:
        echo(f"... {f'{left:,} more edges' if left else 'and more'}; --limit, --relation and --hops choose")


def record(around: "Around") -> dict[str, Any]:
    """Return the neighbourhood as JSON."""
    return {
        "node": asdict(around.node),
        "nodes": [asdict(node) for node in around.nodes],
        "edges": [
            {
                **{key: value for key, value in asdict(shown.edge).items() if key not in {"source", "target"}},
                "source": shown.edge.source.number,
                "target": shown.edge.target.number,
                "title": shown.title,
                "section": list(shown.section),
                "page": shown.page,
                "text": shown.text,
            }
            for shown in around.edges
        ],
        "cut": around.cut,
        "others": [asdict(node) for node in around.others],
    }


class _Tree:
    """Edges on their way into lines. What was told once is not told again."""

    def __init__(self, edges: "Iterable[ShownEdge]", limit: int) -> None:
        self._edges = list(edges)
        self._limit = limit
        self.told: set[int] = set()  # their places

    def below(self, node: "Node", hops: int, indent: str) -> Iterator[tuple[dict[str, Any], str]]:
        """Yield the lines below a node: its edges by relation, and below them what is behind each."""
        behind: dict[int, Node] = {}
        for heading, found in self._groups(node).items():
            kept = found[: self._limit - len(self.told)]
            self.told.update(place for place, _, _ in kept)
            behind |= {other.number: other for _, _, other in kept}
            if kept:
                yield {"fg": "cyan"}, f"{indent}{heading}"
            for _, shown, other in kept:
                yield from _lines(shown, other, f"{indent}  ")
        for other in behind.values() if hops > 1 else ():
            if lines := list(self.below(other, hops - 1, f"{indent}    ")):
                yield {"bold": True}, f"{indent}  {_one_line(other.name)}"
                yield from lines

    def _groups(self, node: "Node") -> "dict[str, list[tuple[int, ShownEdge, Node]]]":
        """Return the edges of a node that were not told yet, with their places and other ends, by what they say."""
        groups: dict[str, list[tuple[int, ShownEdge, Node]]] = {}
        for place, shown in enumerate(self._edges):
            source, target = shown.edge.source, shown.edge.target
            if place in self.told or node.number not in {source.number, target.number}:
                continue
            leaves = source.number == node.number
            heading = f"{shown.verb} →" if leaves else f"← {shown.verb}"
            groups.setdefault(heading, []).append((place, shown, target if leaves else source))
        return groups


def _lines(shown: "ShownEdge", other: "Node", indent: str) -> Iterator[tuple[dict[str, Any], str]]:
    edge = shown.edge
    facts = ", ".join(filter(None, (str(edge.year or ""), f"{edge.confidence:.2f}", f"by {edge.by}")))
    result = f": {_one_line(shown.result)}" if shown.result else ""
    yield {}, f"{indent}{_one_line(other.name)}{result}  ({facts})"
    if shown.text:
        yield {"dim": True}, f"{indent}  “{shown.text}”"
    yield {"dim": True}, f"{indent}  {_one_line(shown.place)}  ·  {_opening(shown)}"


def _opening(shown: "ShownEdge") -> str:
    """Return the command that shows where it stands."""
    edge = shown.edge
    passage = "" if edge.position is None else f" --passage {edge.position}"
    collection = "" if edge.collection == "default" else f" --collection {shlex.quote(edge.collection)}"
    return f"scholarmind open {shlex.quote(edge.document)}{passage}{collection}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


if TYPE_CHECKING:
    from scholarmind.library.paper_graph import Form
    from scholarmind.relations import GraphCounts, Node, NodeKind, Relation


# -- graph merge, split and merges: which names are one thing

KINDS: "list[NodeKind]" = ["paper", "author", "institution", "method", "dataset", "metric", "task", "venue", "year"]
_kind_option = click.option(
    "--kind", type=click.Choice(KINDS), help="What is meant, where things of several kinds have the name."
)


@click.command("merge")
@click.argument("names", nargs=-1, required=True, metavar="NAME... INTO")
@_kind_option
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
@_kind_option
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
        within = [f" (in {scope})" if scope else "" for scope in (each.scope, each.into_scope)]
        why = f": {each.reason}" if each.reason else ""
        echo(safe(f"{each.kind:<8} {each.name}{within[0]} = {each.into}{within[1]}, by {each.by}{why}"))
    if not found:
        echo("nothing was merged")


def _print_node(node: "Node", *, as_json: bool) -> None:
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415

    if as_json:
        print_json(asdict(node))
        return
    names = "; ".join(dict.fromkeys(node.names or (node.name,)))
    echo(safe(f"{node.kind} #{node.number}: {names}  ({node.edges:,} edge{'s' * (node.edges != 1)})"))


# -- graph export

_BY_SUFFIX: "dict[str, Form]" = {".graphml": "graphml", ".jsonld": "jsonld", ".html": "html"}


@click.command("export")
@click.option(
    "--format",
    "form",
    type=click.Choice(sorted(_BY_SUFFIX.values())),
    help="GraphML for Gephi, yEd and networkx; JSON-LD; HTML: a picture of 200 nodes at most.  [default: by the name of the file]",
)
@click.option("--around", metavar="NAME", help="Only what is around this name.  [default: everything]")
@click.option("--hops", default=2, show_default=True, type=click.IntRange(1, 4), help="Steps from there.")
@click.option("--limit", type=click.IntRange(2, 100_000), help="Nodes at most, where there is a name.  [default: 200]")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.  [default: print it]"
)
@library_option
def export(
    form: "Form | None", around: str | None, hops: int, limit: int | None, output: Path | None, library: str | None
) -> None:
    """Write the graph, or what is around a name, to a file. A picture needs no server and no network: open it in a browser."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import write_whole  # noqa: PLC0415

    if form is None:
        check_suffix(output, *_BY_SUFFIX)
    chosen = form or (_BY_SUFFIX.get(output.suffix.lower()) if output else None)
    if chosen is None:
        raise click.UsageError(f"give --format, or a file whose name ends in {' or '.join(_BY_SUFFIX)}")
    with Library.open(library, create=False) as opened:
        pieces = opened.graph.export(chosen, around=around or "", hops=hops, most=limit)
        if output is not None:
            write_whole(output, (piece.encode("utf-8", "replace") for piece in pieces))
            echo(f"written to {output}", err=True)
        elif sys.stdout is None:  # closed by whoever started the program
            raise click.UsageError("there is nowhere to print to; give --output FILE")
        else:
            for piece in pieces:
                sys.stdout.buffer.write(piece.encode("utf-8", "replace"))
            sys.stdout.buffer.flush()


# -- graph show, build and status

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
def graph_command() -> None:
    """Look around in the graph of papers, mend it, build it, and take it elsewhere.

    \b
      scholarmind graph show BERT --relation improves_on     what improves on BERT, and what BERT improves on, with the proofs
      scholarmind graph show BERT --hops 2                   the same, and what is behind that
      scholarmind graph merge "BERT base" BERT               two names for one thing; `split` takes them apart again
      scholarmind graph export --around BERT -o bert.html    a picture
    """


for _each in (merge, split, merges, export):
    graph_command.add_command(_each)


@graph_command.command("show")
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


@graph_command.command("build")
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


@graph_command.command("status")
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


# -- the tree of summaries

_SUMMARIES = "summaries"
_EMPTY = "there are no passages here; fill the library with: scholarmind add FILES"


@click.group("tree")
def tree_command() -> None:
    """Look at the tree of summaries, build it, and have a language model write it."""


@tree_command.command("show")
@click.argument("node", required=False, type=click.IntRange(max=10**18))
@click.option("--depth", default=2, show_default=True, type=click.IntRange(1, 20), help="Levels that are shown.")
@click.option("--collection", metavar="NAME", help="Only the tree of this collection.")
@library_option
@json_option
def show_outline(node: int | None, depth: int, collection: str | None, library: str | None, as_json: bool) -> None:
    """Show the outline of the library from the top, or below one summary (by its number), with where each sentence stands."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        outlines = opened.tree.outline(node, depth=depth, collection=collection)
        held = sum(each.passages for name, each in opened.counts().items() if collection in {None, name})
    if as_json:
        print_json([_record(outline) for outline in outlines])
        return
    for outline in outlines:
        echo(uncontrolled("\n".join(_outline_lines(outline))))
    if not outlines:
        echo("no summaries yet; make them with: scholarmind tree build" if held else _EMPTY)


@tree_command.command("build")
@click.option("--again", is_flag=True, help="Build everything anew.")
@modelled_options
@library_option
@json_option
def build_tree(again: bool, modelled: dict[str, Any], library: str | None, as_json: bool) -> None:
    """Bring the tree up to what the library holds. With --llm a language model then writes the summaries.

    What it writes is checked: a sentence stays if the passages that it names say it. Stopped at any time, the same command goes on.
    """
    from dataclasses import asdict  # noqa: PLC0415

    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json, progress  # noqa: PLC0415

    outlook = worked = None
    with Library.open(library, create=False, **settings_of(modelled)) as opened:
        with progress(quiet=as_json) as on_event:
            opened.tree.build(again=again, on_event=on_event)
        if is_wanted(modelled):
            outlook, budget = opened.tree.outlook(), budget_of(modelled)
            worked = carried_out(
                outlook,
                lambda on_event: opened.tree.write(budget=budget, on_event=on_event),
                modelled,
                _SUMMARIES,
                as_json=as_json,
            )
        state = opened.tree.state()
    if as_json:
        print_json({**asdict(state), **modelled_record(outlook, worked)})
    elif not is_wanted(modelled):
        _print_state(state)


@tree_command.command("status")
@library_option
@json_option
def tree_status(library: str | None, as_json: bool) -> None:
    """Show how far the tree is, how many summaries are a model's, and why others are not."""
    from dataclasses import asdict  # noqa: PLC0415

    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        state = opened.tree.state()
    if as_json:
        print_json(asdict(state))
    else:
        _print_state(state)


def _print_state(state: "TreeState") -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415

    counts = state.counts
    total = sum(counts.levels.values())
    if not total and not counts.waiting:
        echo(_EMPTY)
        return
    levels = ", ".join(f"{count:,} at level {level}" for level, count in sorted(counts.levels.items()))
    echo(f"summaries  {total:,}" + (f" ({levels})" if levels else ""))
    waiting = f", {counts.waiting:,} still to find their place: scholarmind tree build" if counts.waiting else ""
    echo(f"passages   {counts.passages:,}{waiting}")
    echo(f"by a model {counts.by_model:,} of {total:,}")
    for reason, count in state.kept.items():
        echo(safe(f"           {count:,} stayed extractive: {reason}"))


def _outline_lines(outline: "Outline", indent: str = "") -> Iterator[str]:
    node = outline.node
    model = ", by a model" if node.by == "model" else ""
    yield f"{indent}{node.number}  {disarmed(node.title) or '(no title yet)'}  [level {node.level}; {_extent(outline)}{model}]"
    for sentence in node.summary:
        places = [_place(outline.evidence[number]) for number in sentence.passages if number in outline.evidence]
        yield disarmed(f"{indent}    {sentence.text} ({'; '.join(dict.fromkeys(places))})")
    for note in node.notes:
        yield f"{indent}    note: {note}"
    for child in outline.below:
        yield from _outline_lines(child, f"{indent}    ")


def _extent(outline: "Outline") -> str:
    node = outline.node
    years = (
        "" if node.first is None else f", {node.first}" if node.first == node.last else f", {node.first}-{node.last}"
    )
    return f"{several(node.passages, 'passages')} of {several(node.documents, 'documents')}{years}"


def _place(item: "Evidence") -> str:
    page = f", p. {item.passage.page}" if item.passage.page else ""
    return f"{item.document.title or item.document.id}{page}"


def _record(outline: "Outline") -> dict[str, Any]:
    node = outline.node
    return {
        "number": node.number,
        "collection": node.collection,
        "level": node.level,
        "title": node.title,
        "by": node.by,
        "passages": node.passages,
        "documents": node.documents,
        "years": [node.first, node.last],
        "summary": [
            {"text": sentence.text, "passages": _places(outline, sentence.passages)} for sentence in node.summary
        ],
        "notes": list(node.notes),
        "below": [_record(child) for child in outline.below],
    }


def _places(outline: "Outline", numbers: Sequence[int]) -> list[dict[str, Any]]:
    found = (outline.evidence[number] for number in numbers if number in outline.evidence)
    return [
        {
            "document": item.document.id,
            "title": item.document.title,
            "position": item.passage.position,
            "page": item.passage.page,
        }
        for item in found
    ]
