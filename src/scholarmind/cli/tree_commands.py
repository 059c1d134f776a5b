"""`scholarmind tree`: the summaries over the passages of the library."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.main import echo, json_option, library_option
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
    from scholarmind.library.summary_tree import Outline, TreeState
    from scholarmind.model import Evidence

_THINGS = "summaries"
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
def show(node: int | None, depth: int, collection: str | None, library: str | None, as_json: bool) -> None:
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
        echo(uncontrolled("\n".join(_lines(outline))))
    if not outlines:
        echo("no summaries yet; make them with: scholarmind tree build" if held else _EMPTY)


@tree_command.command("build")
@click.option("--again", is_flag=True, help="Build everything anew.")
@modelled_options
@library_option
@json_option
def build(again: bool, modelled: dict[str, Any], library: str | None, as_json: bool) -> None:
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
                _THINGS,
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
def status(library: str | None, as_json: bool) -> None:
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


def _lines(outline: "Outline", indent: str = "") -> Iterator[str]:
    node = outline.node
    model = ", by a model" if node.by == "model" else ""
    yield f"{indent}{node.number}  {disarmed(node.title) or '(no title yet)'}  [level {node.level}; {_extent(outline)}{model}]"
    for sentence in node.summary:
        places = [_place(outline.evidence[number]) for number in sentence.passages if number in outline.evidence]
        yield disarmed(f"{indent}    {sentence.text} ({'; '.join(dict.fromkeys(places))})")
    for note in node.notes:
        yield f"{indent}    note: {note}"
    for child in outline.below:
        yield from _lines(child, f"{indent}    ")


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
