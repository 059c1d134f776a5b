"""The library and its documents: `status`, `collections`, `doctor`, `search`, `show`, `open`, `set`, `remove`, `next`."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from scholarmind.cli.command_options import model_options, with_fields, within_collections
from scholarmind.cli.main import check_suffix, echo, json_option, library_option
from scholarmind.cli.run_progress import several
from scholarmind.errors import LibraryError, LibraryStorageError

if TYPE_CHECKING:
    from scholarmind.api import Library
    from scholarmind.library.descriptions import Explained
    from scholarmind.library.reading_list import ReadingList
    from scholarmind.library.report import MatchReport
    from scholarmind.library_ports import Cited, Reach, Source
    from scholarmind.model import Check, Counts, Entry, Passage
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


# -- its documents

_within = click.option(
    "--collection", help="Collection that the document is in.  [default: default, or the only one that has it]"
)


def _located(opened: "Library", named: str, collection: str | None) -> tuple[str, str]:
    """Return the collection and the id of the document that is meant."""
    return opened.locate(named) if collection is None else (collection, opened.resolve(named, collection=collection))


# -- show: everything that is known of a document

_LONGEST = 100
_MOST = 12  # sections and cited documents shown


@click.command("show")
@click.argument("id")
@click.option("--passages", "with_passages", is_flag=True, help="Also print every passage.")
@_within
@library_option
@json_option
def show_command(id: str, with_passages: bool, collection: str | None, library: str | None, as_json: bool) -> None:
    """Show everything that is known of a document.

    Its fields, with who said so and how sure that is; its file, sections, pages, passages, references; and what was wrong with it.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.library.descriptions import explained  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        collection, id = _located(opened, id, collection)
        entry = opened.entry(id, collection=collection)
        if entry is None:
            raise click.ClickException(f"there is no document {id!r} in {collection!r}; 'scholarmind search' shows ids")
        cited = opened.references(id, collection=collection)
        citing = opened.citing(id, collection=collection)
        key = opened.citation_keys([entry.document]).get((collection, id), "")
        source = next((s for _, s in opened.sources(collection) if s.path == entry.document.origin), None)
    fields = explained(entry.document, entry.facts)
    if as_json:
        print_json({"key": key, **_shown_record(entry, fields, cited, citing, source)})
        return
    _print_fields(entry, fields)
    _print_file(entry, source, key)
    _print_contents(entry)
    _print_links(cited, citing)
    if with_passages:
        from scholarmind.cli.output import safe  # noqa: PLC0415

        for passage in entry.passages:
            place = " › ".join(passage.section) + (f" · page {passage.page}" if passage.page else "")
            echo(
                safe(f"\n{passage.position}. {passage.kind} · {place} · characters {passage.start}-{passage.end}"),
                dim=True,
            )
            echo(safe(passage.text))


def _shown_record(
    entry: "Entry", fields: "list[Explained]", cited: "list[Cited]", citing: list[str], source: "Source | None"
) -> dict[str, Any]:
    """Return all of it as JSON."""
    return {
        "document": asdict(entry.document),
        "fields": [asdict(field) for field in fields],
        "file": asdict(source) if source else None,
        "pages": [asdict(page) for page in entry.layout.pages] if entry.layout else [],
        "sections": _sections(entry),
        "passages": [asdict(passage) for passage in entry.passages],
        "references": [{**asdict(item.reference), "document": item.document} for item in cited],
        "cited_by": citing,
    }


def _print_fields(entry: "Entry", fields: "list[Explained]") -> None:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.output import console, safe  # noqa: PLC0415

    echo(safe(entry.document.title), bold=True)
    table = Table("Field", "Value", "From", "Sure", "Others say", box=None, pad_edge=False)
    for field in fields:
        agree = [other.source for other in field.others if other.value == field.value]
        others = [
            f"{_short(other.value)} ({other.source}, {other.sure:.2f})"
            for other in field.others
            if other.value != field.value
        ]
        sources = "; also ".join(dict.fromkeys((field.source, *agree)))
        cells = (field.field, _short(field.value), sources, f"{field.sure:.2f}", "; ".join(others))
        table.add_row(*(Text(safe(cell)) for cell in cells))
    console().print(table)


def _print_file(entry: "Entry", source: "Source | None", key: str) -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415
    from scholarmind.text.untrusted import uncontrolled  # noqa: PLC0415

    echo(safe(f"\nid        {entry.document.id}  (collection {entry.document.collection})"))
    if key:
        echo(safe(f"key       {key}"))
    echo(uncontrolled(f"file      {entry.document.origin}"))
    if source is not None:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(source.read))
        echo(f"read      {when}, {source.bytes / 1e6:,.2f} MB in {source.seconds:.1f} s")
    for problem in source.problems if source is not None else ():
        echo(safe(f"warning   {problem.where}: {problem.reason}; {problem.advice}"), fg="yellow")


def _print_contents(entry: "Entry") -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415

    pages = f"{len(entry.layout.pages)} pages, " if entry.layout else ""
    kinds = Counter(passage.kind for passage in entry.passages)
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    echo(f"holds     {pages}{len(entry.text):,} characters, {len(entry.passages)} passages ({told})")
    sections = _sections(entry)
    for section in sections[:_MOST]:
        page = f"  p. {section['page']}" if section["page"] else ""
        echo(safe(f"  {'  ' * (len(section['path']) - 1)}{section['path'][-1]}{page}"))
    if len(sections) > _MOST:
        echo(f"  ... {len(sections) - _MOST} more sections; --json lists all")


def _print_links(cited: "list[Cited]", citing: list[str]) -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415

    known = [item for item in cited if item.document]
    echo(f"cites     {len(cited)} works, {len(known)} of them in the library")
    for item in known[:_MOST]:
        echo(safe(f"  {item.document}  {_short(item.reference.title or item.reference.text)}"))
    echo(safe(f"cited by  {len(citing)} documents in the library" + "".join(f"\n  {id}" for id in citing[:_MOST])))


def _sections(entry: "Entry") -> list[dict[str, Any]]:
    """Return the sections that have passages, in order, each once."""
    found = dict.fromkeys(passage.section for passage in entry.passages if passage.section)
    pages = {passage.section: passage.page for passage in reversed(entry.passages)}
    return [{"path": list(path), "page": pages[path]} for path in found]


def _short(value: object) -> str:
    several = cast("tuple[object, ...]", value) if isinstance(value, tuple) else ("" if value is None else value,)
    told = "; ".join(map(str, several))
    return told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"


# -- open: a page as it was read, or the file

_VIEWERS = ("xdg-open", "open")


@click.command("open")
@click.argument("id")
@click.option("--page", type=click.IntRange(1), help="Page to show, from 1.  [default: that of the passage, or 1]")
@click.option(
    "--passage", type=click.IntRange(0), help="Mark this passage (its position, as `show` and `search --json` give it)."
)
@click.option("--viewer", is_flag=True, help="Open the file itself with this computer's program for it.")
@_within
@library_option
@json_option
def open_command(
    id: str,
    page: int | None,
    passage: int | None,
    viewer: bool,
    collection: str | None,
    library: str | None,
    as_json: bool,
) -> None:
    """Show a page of a document as it was read, or open its file.

    What has no pages is shown whole, or from the passage on.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415
    from scholarmind.text.untrusted import disarmed_pieces  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        collection, id = _located(opened, id, collection)
        entry = opened.entry(id, collection=collection)
    if entry is None:
        raise click.ClickException(f"there is no document {id!r} in {collection!r}; 'scholarmind search' shows ids")
    if viewer:
        _open_file(entry.document.origin)
        return
    if page and not entry.layout:
        raise click.ClickException(f"{id!r} has no pages; leave --page out")
    chosen = _passage_at(entry, passage)
    number = page or (chosen.page if chosen else None) or 1
    pieces = _page_pieces(entry, number) if entry.layout else [(0, len(entry.text))]
    span = (chosen.start, chosen.end) if chosen else (0, 0)
    pages = len(entry.layout.pages) if entry.layout else 0
    if as_json:
        text = "\n".join(entry.text[start:end] for start, end in pieces)
        boxes = [asdict(box) for box in entry.layout.boxes(*span)] if entry.layout and chosen else []
        print_json({"id": id, "page": number if pages else None, "pages": pages, "text": text, "boxes": boxes})
        return
    echo(safe(entry.document.title + (f" · page {number} of {pages}" if pages else "")), bold=True)
    for start, end in pieces:
        before, after = max(start, min(end, span[0])), max(start, min(end, span[1]))
        pieces_of = disarmed_pieces(entry.text[start:end], (before - start, after - start))
        for part, marked in zip(pieces_of, (False, True, False), strict=True):
            echo(part, nl=False, **({"reverse": True} if marked else {}))
        echo()


def _page_pieces(entry: "Entry", number: int) -> list[tuple[int, int]]:
    """Return what of the text stands on a page, line by line."""
    layout = entry.layout
    if layout is None or number > len(layout.pages):
        raise click.ClickException(f"there is no page {number}; the last one is {len(layout.pages) if layout else 0}")
    found = [(line.start, line.end) for line in layout.lines if line.box.page == number]
    if not found:
        raise click.ClickException(
            f"nothing was read on page {number}; 'scholarmind show {entry.document.id}' tells why"
        )
    return found


def _passage_at(entry: "Entry", position: int | None) -> "Passage | None":
    if position is None:
        return None
    if position >= len(entry.passages):
        raise click.ClickException(f"there is no passage {position}; the last one is {len(entry.passages) - 1}")
    return entry.passages[position]


def _open_file(origin: str) -> None:
    """Hand the file to the computer's own program for it."""
    import shutil  # noqa: PLC0415
    import subprocess  # noqa: PLC0415

    if not Path(origin).is_file():
        raise click.ClickException(f"the file {origin!r} is gone; add it again from where it is now")
    program = next((found for name in _VIEWERS if (found := shutil.which(name))), None)
    if program is None:
        raise click.ClickException(f"no program to open files was found (looked for {', '.join(_VIEWERS)}): {origin}")
    done = subprocess.run([program, origin], check=False)  # noqa: S603  (a file that exists, no shell)
    if done.returncode:
        raise click.ClickException(f"{program} could not open {origin!r} (exit code {done.returncode})")


# -- set: corrections


@click.command("set")
@click.argument("id")
@click.argument("corrections", nargs=-1, required=True, metavar="FIELD=VALUE...")
@_within
@library_option
@json_option
def set_command(
    id: str, corrections: tuple[str, ...], collection: str | None, library: str | None, as_json: bool
) -> None:
    """Correct what the library takes a document for.

    \b
      scholarmind set bert-3fa1c2 year=2019 "title=BERT: Pre-training of Deep Bidirectional Transformers"
      scholarmind set bert-3fa1c2 "authors=Jacob Devlin; Ming-Wei Chang" venue=NAACL
      scholarmind set bert-3fa1c2 year=              takes the correction back

    A correction survives that the file is read again, and comes before what the file, a bibliography or a catalogue says.
    `scholarmind show ID` tells what each of them says.
    """
    from dataclasses import asdict  # noqa: PLC0415

    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import citation, print_json, safe  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        collection, id = _located(opened, id, collection)
        document = opened.correct(id, corrections, collection=collection)
    if as_json:
        print_json(asdict(document))
    else:
        echo(safe(f"{document.id}: {document.title} · {citation(document)}"))


# -- remove


@click.command("remove")
@click.argument("ids", nargs=-1)
@click.option("--where", metavar="FILTER", help="Remove the documents that pass this filter, such as: year < 2010")
@click.option("--collection", default="default", show_default=True, help="The collection to remove them from.")
@click.option("--yes", is_flag=True, help="Do not ask back.")
@library_option
@json_option
def remove_command(
    ids: tuple[str, ...], where: str | None, collection: str, yes: bool, library: str | None, as_json: bool
) -> None:
    """Remove documents by id (as `search` shows it), by your citation key or by filter. The files themselves stay."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415
    from scholarmind.filters import Compare, both, parse_filter  # noqa: PLC0415

    if bool(ids) == bool(where):
        raise click.UsageError("give either ids or --where")
    with Library.open(library, create=False) as opened:
        if where:
            wanted = both(Compare("collection", "=", collection), parse_filter(where))
            documents = opened.documents(wanted)
            ids = tuple(document.id for document in documents)
            if ids and not (yes or as_json):
                echo(
                    "\n".join(f"  {safe(document.id)}  {safe(document.title)}" for document in documents[:20]), err=True
                )
                click.confirm(
                    f"remove these {len(ids)} documents?"
                    if len(ids) <= 20
                    else f"remove these and {len(ids) - 20} more?",
                    abort=True,
                )
        there = opened.documents(Compare("collection", "=", collection))
        known = {document.id for document in there}
        by_key = {key: id for (_, id), key in opened.citation_keys(there).items()}
        ids = tuple(id if id in known else by_key.get(id, id) for id in ids)
        missing = [identifier for identifier in ids if identifier not in known]
        removed = opened.remove(
            ids, collection=collection
        )  # of nothing, too: an earlier removal may have been cut short
    if as_json:
        print_json({"removed": removed, "missing": missing})
    else:
        echo(f"{removed} removed")
        for identifier in missing:
            echo(f"no document {identifier!r} in collection {collection!r}", err=True)
    if missing and not removed:
        raise SystemExit(1)


# -- what to read next


@click.command("next")
@click.argument("question", nargs=-1)
@click.option("--run", default="", metavar="ID", help="Take the answer of this run; `scholarmind runs` lists them.")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 1_000), help="How many works.")
@model_options
@click.option("--where", metavar="FILTER", help="Only from these documents, such as: year >= 2019 and author = Devlin")
@click.option("--collection", "collections", multiple=True, help="Only from this collection; can be repeated.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the missing works to a file: .bib (BibTeX), .json, .txt.",
)
@library_option
@json_option
def next_command(
    question: tuple[str, ...],
    run: str,
    limit: int,
    chosen: dict[str, Any],
    where: str | None,
    collections: tuple[str, ...],
    output: Path | None,
    library: str | None,
    as_json: bool,
) -> None:
    """Tell which works to read next for a question: cited by what answers it, and not in the library.

    \b
    Examples:
      scholarmind next "Why does attention scale quadratically?"
      scholarmind next --run 20260131-101500-7d3qnpd4 --output list.bib

    First come the works that are cited in or beside the words that answer, or by a sentence that speaks of a part that stays open;
    then those of the same section; then all others. Within that, what more of the works cite, and what the sentence says of the
    question. Each with who cites it, for what, on which page.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json, write_whole  # noqa: PLC0415
    from scholarmind.cli.run_progress import watched  # noqa: PLC0415
    from scholarmind.events import plain  # noqa: PLC0415
    from scholarmind.filters import both, parse_filter  # noqa: PLC0415
    from scholarmind.library.reading_list import READING_LIST_FILES  # noqa: PLC0415

    text = " ".join(question).strip()
    if bool(text) == bool(run):
        raise click.UsageError(
            'ask something, such as: scholarmind next "How do BERT and GPT-2 differ?", or give --run ID'
        )
    check_suffix(output, ".bib", ".json", ".txt")
    within = both(parse_filter(where) if where else None, within_collections(collections))
    with Library.open(library, create=False, **chosen) as opened, watched(quiet=as_json, transient=True) as shown:
        found = opened.reading_list(text, run=run, limit=limit, filter=within, on_event=shown)
    if output is not None:
        content = READING_LIST_FILES[output.suffix.lower() or ".txt"](found)
        write_whole(output, [content.encode("utf-8", "replace")])
        echo(f"{len(found.missing)} work{'s' * (len(found.missing) != 1)} written to {output}", err=True)
    if as_json:
        print_json(plain(found))
    elif output is None:
        _print_lines(found)


def _print_lines(found: "ReadingList") -> None:
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.output import console, indented  # noqa: PLC0415
    from scholarmind.library.reading_list import reading_lines  # noqa: PLC0415

    terminal = console()
    for depth, line in reading_lines(found):
        terminal.print(indented(Text(line, "" if depth else "bold"), terminal, depth))


# -- search

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
