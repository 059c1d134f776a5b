"""`scholarmind status`."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from scholarmind.cli.main import echo, json_option, library_option
from scholarmind.cli.modelled import several
from scholarmind.errors import LibraryStorageError

if TYPE_CHECKING:
    from scholarmind.library.report import MatchReport
    from scholarmind.library_ports import Reach
    from scholarmind.model import Counts
    from scholarmind.relations import GraphCounts, TreeCounts


@click.command("status")
@library_option
@json_option
def command(library: str | None, as_json: bool) -> None:
    """Show what the library holds, how far its vectors are, which files need you, and how bibliographies matched."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json, print_problems, safe  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        collections = opened.counts()
        problems = [problem for _, source in opened.sources() for problem in source.problems]
        matches = {name: found for name in collections if (found := opened.matches(name)) is not None}
        folder, embedder = opened.store.folder, opened.store.fingerprint
        counts_of_cache = opened.cache_counts()
        trouble = opened.cache.problem if opened.cache else ""
        try:
            holder = "" if opened.store.lock.is_free() else opened.store.lock.holder()
        except LibraryStorageError as error:
            holder = f"nobody can be: {error}"
        graph, tree = opened.graph.counts(), opened.tree.counts()
        reach = opened.reach()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if as_json:
        counts = {name: {**asdict(count), "waiting": count.waiting} for name, count in collections.items()}
        print_json(
            {
                "library": folder,
                "embedder": embedder,
                "bytes": size,
                "writer": holder,
                "cache": {kind: {"hits": hits, "misses": misses} for kind, (hits, misses) in counts_of_cache.items()},
                "collections": counts,
                "graph": asdict(graph),
                "tree": asdict(tree),
                "multilingual": None if reach is None else asdict(reach),
                "problems": [asdict(problem) for problem in problems],
                "matches": {name: asdict(found) for name, found in matches.items()},
            }
        )
        return
    echo(f"library   {folder} ({size / 1e6:,.1f} MB)")
    echo(f"embedder  {embedder}")
    if holder:
        echo(f"writer    {holder}")
    if told := trouble or ", ".join(_rate(kind, *counts) for kind, counts in counts_of_cache.items()):
        echo(safe(f"cache     {told}"))
    if collections:
        echo(f"graph     {_graph(graph)}\ntree      {_tree(tree)}")
    if reach is not None and (reach.vectors or reach.missing):
        echo(f"languages {_languages(reach)}")
    for name, count in collections.items():
        _print_collection(name, count, embedder, matches.get(name), by_second=reach is not None)
    if not collections:
        echo("\nempty; fill it with: scholarmind add FILES")
    if problems:
        echo()
        print_problems(problems)


def _print_collection(
    name: str, count: "Counts", embedder: str, matched: "MatchReport | None", *, by_second: bool
) -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415

    echo(
        f"\n{name}\n  {count.documents:,} documents, {count.passages:,} passages; {_vectors(count, embedder, by_second=by_second)}"
    )
    for line in matched.lines() if matched else ():
        echo(safe(f"  {line}"))


def _rate(kind: str, hits: int, misses: int) -> str:
    return f"{kind}: {hits:,} of {hits + misses:,} found again ({hits / max(1, hits + misses):.0%})"


def _graph(counts: "GraphCounts") -> str:
    nodes, edges = sum(counts.nodes.values()), sum(counts.edges.values())
    told = f"{several(nodes, 'nodes')}, {several(edges, 'edges')} of {several(counts.documents, 'documents')}"
    waiting = f"{several(counts.waiting, 'documents')} still to be read: 'scholarmind graph build' goes on with them"
    return f"{told}, {waiting}" if counts.waiting else told


def _tree(counts: "TreeCounts") -> str:
    told = f"{several(sum(counts.levels.values()), 'summaries')} of {several(counts.passages, 'passages')}"
    if counts.by_model:
        told += f", {counts.by_model:,} by a language model"
    waiting = f"{several(counts.waiting, 'passages')} still to come: 'scholarmind tree build' goes on with them"
    return f"{told}, {waiting}" if counts.waiting else told


def _languages(reach: "Reach") -> str:
    told = f"{several(reach.vectors, 'passages')} can be asked for in English and in Chinese"
    return f"{told}, {reach.missing:,} still to come: 'scholarmind add' goes on with them" if reach.missing else told


def _vectors(count: "Counts", embedder: str, *, by_second: bool) -> str:
    from scholarmind.model import NO_EMBEDDER  # noqa: PLC0415

    if embedder == NO_EMBEDDER:
        return "keywords only: no embedder is set"
    told = f"vectors for {count.vectors:,}"
    if count.unsuited:
        told += f", {count.unsuited:,} in a language that the embedder does not know"
        told += "" if by_second else " (found by keywords)"
    if count.waiting:
        told += f", {count.waiting:,} still to come: 'scholarmind add' goes on with them"
    return told
