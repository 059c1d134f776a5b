"""`scholarmind status`."""

from dataclasses import asdict

import click

from scholarmind.cli.main import json_option, library_option
from scholarmind.model import NO_EMBEDDER, Counts


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
        holder = "" if opened.store.lock.is_free() else opened.store.lock.holder()
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
                "problems": [asdict(problem) for problem in problems],
                "matches": {name: asdict(found) for name, found in matches.items()},
            }
        )
        return
    click.echo(f"library   {folder} ({size / 1e6:,.1f} MB)")
    click.echo(f"embedder  {embedder}")
    if holder:
        click.echo(f"writer    {holder}")
    if told := trouble or ", ".join(_rate(kind, *counts) for kind, counts in counts_of_cache.items()):
        click.echo(safe(f"cache     {told}"))
    for name, count in collections.items():
        click.echo(
            f"\n{name}\n  {count.documents:,} documents, {count.passages:,} passages; {_vectors(count, embedder)}"
        )
        for line in matches[name].lines() if name in matches else ():
            click.echo(safe(f"  {line}"))
    if not collections:
        click.echo("\nempty; fill it with: scholarmind add FILES")
    if problems:
        click.echo()
        print_problems(problems)


def _rate(kind: str, hits: int, misses: int) -> str:
    return f"{kind}: {hits:,} of {hits + misses:,} found again ({hits / max(1, hits + misses):.0%})"


def _vectors(count: Counts, embedder: str) -> str:
    if embedder == NO_EMBEDDER:
        return "keywords only: no embedder is set"
    told = f"vectors for {count.vectors:,}"
    if count.unsuited:
        told += f", {count.unsuited:,} in a language that the embedder does not know (found by keywords)"
    if count.waiting:
        told += f", {count.waiting:,} still to come: 'scholarmind add' goes on with them"
    return told
