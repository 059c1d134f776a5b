"""Commands on the whole library: `scholarmind status`, `collections` and `doctor`."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from scholarmind.cli.main import echo, json_option, library_option
from scholarmind.cli.model_costs import several
from scholarmind.errors import LibraryError, LibraryStorageError

if TYPE_CHECKING:
    from scholarmind.library.report import MatchReport
    from scholarmind.library_ports import Reach
    from scholarmind.model import Check, Counts
    from scholarmind.relations import GraphCounts, TreeCounts


# -- status: what it holds, and which files need somebody


@click.command("status")
@library_option
@json_option
def status_command(library: str | None, as_json: bool) -> None:
    """Show what the library holds, how far its vectors are, which files need you, and how bibliographies matched."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json, print_problems, safe  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        collections = opened.counts()
        problems = [problem for _, source in opened.sources() for problem in source.problems]
        matches = {name: found for name in collections if (found := opened.matches(name)) is not None}
        folder, embedder = opened.store.folder, opened.store.fingerprint
        place, in_database = opened.store.place, opened.store.database.bytes_used()
        behind = opened.store.derived.behind() if in_database else 0
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
                **(
                    {"database": {"place": place, "bytes": in_database, "indexes_behind": behind}}
                    if in_database
                    else {}
                ),
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
    if in_database:
        echo(f"library   {place} ({in_database / 1e6:,.1f} MB)")
        later = f"{several(behind, 'changes')} behind: the next question brings them up" if behind else "up to date"
        shared = opened.settings.search_in == "database"
        echo(f"indexes   {'in the database' if shared else f'{folder} ({size / 1e6:,.1f} MB)'}, {later}")
    else:
        echo(f"library   {folder} ({size / 1e6:,.1f} MB)")
    echo(f"embedder  {embedder}")
    if holder:
        echo(f"writer    {holder}")
    rates = (
        f"{kind}: {hits:,} of {hits + misses:,} found again ({hits / max(1, hits + misses):.0%})"
        for kind, (hits, misses) in counts_of_cache.items()
    )
    if told := trouble or ", ".join(rates):
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


# -- collections


@click.command("collections")
@library_option
@json_option
def collections_command(library: str | None, as_json: bool) -> None:
    """List the collections of the library."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        collections = opened.counts()
    if as_json:
        print_json([{"name": name, **asdict(count)} for name, count in collections.items()])
        return
    for name, count in collections.items():
        echo(f"{name}  ({count.documents:,} documents, {count.passages:,} passages)")


# -- doctor: examining the library, or a language model

_CONFIGURED = "as configured"
_PARTS = ("scholarmind", "tantivy", "onnxruntime", "numpy")


@click.command("doctor")
@click.option(
    "--mend",
    is_flag=True,
    help="Make the derived indexes anew, set the counts right, and bring graph and tree up to the documents.",
)
@click.option("--reembed", is_flag=True, help="Embed everything again, with the embedder of the settings.")
@click.option(
    "--llm",
    is_flag=False,
    flag_value=_CONFIGURED,
    metavar="[MODEL]",
    help="Examine the language model of the settings, or this one, by asking it a few things that cost next to nothing.",
)
@library_option
@json_option
def doctor_command(mend: bool, reembed: bool, llm: str | None, library: str | None, as_json: bool) -> None:
    """Examine the library, or a language model, and say how to mend what is not well. Changes nothing unless told to."""
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    if llm is None:
        checks = [_versions(), *_examine(library, mend=mend, reembed=reembed, quiet=as_json)]
    else:
        checks = _examine_model("" if llm == _CONFIGURED else llm)
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        for check in checks:
            _print_check(check, one_line=llm is not None)
    if not all(check.ok for check in checks):
        raise SystemExit(1)


def _print_check(check: "Check", *, one_line: bool) -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415

    mend = "" if check.ok else check.mend
    told = f"{check.seen}; {mend}" if mend and one_line else check.seen
    echo(safe(f"{'ok ' if check.ok else 'BAD'} {check.name:<14} {told}"), fg=None if check.ok else "red")
    if mend and not one_line:
        echo(safe(f"    {'':<14} mend: {mend}"))


def _versions() -> "Check":
    import platform  # noqa: PLC0415
    import sqlite3  # noqa: PLC0415
    from importlib.metadata import version  # noqa: PLC0415

    from scholarmind.model import Check  # noqa: PLC0415

    told = [f"{part} {version(part)}" for part in _PARTS]
    return Check(
        name="versions",
        ok=True,
        seen=", ".join([*told, f"python {platform.python_version()}", f"sqlite {sqlite3.sqlite_version}"]),
    )


def _examine_model(llm: str) -> "list[Check]":
    from scholarmind import wiring_models  # noqa: PLC0415
    from scholarmind.blocking import run  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    return run(wiring_models.examine_models(Settings.load(llm=llm or None)))


def _examine(library: str | None, *, mend: bool, reembed: bool, quiet: bool) -> "Iterator[Check]":
    from scholarmind.adapters.store.health import examine, let_damaged_be_read_again, recount  # noqa: PLC0415
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import progress  # noqa: PLC0415
    from scholarmind.model import Check  # noqa: PLC0415

    try:
        with Library.open(library, create=False) as opened:
            if mend:
                recount(opened.store)
                let_damaged_be_read_again(opened.store)
                opened.rebuild()
            if reembed:
                with progress(quiet=quiet) as on_event:
                    opened.reembed(on_event=on_event)
            yield from examine(opened.store)
    except LibraryError as error:
        yield Check(name="library", ok=False, seen=str(error))
