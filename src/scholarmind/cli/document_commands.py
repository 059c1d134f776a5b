"""Commands on single documents: `scholarmind show`, `open`, `set` and `remove`."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from scholarmind.cli.main import echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.api import Library
    from scholarmind.library.descriptions import Explained
    from scholarmind.library_ports import Cited, Source
    from scholarmind.model import Entry, Passage


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
        _print_passages(entry.passages)


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


def _print_passages(passages: "Iterable[Passage]") -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415

    for passage in passages:
        place = " › ".join(passage.section) + (f" · page {passage.page}" if passage.page else "")
        echo(
            safe(f"\n{passage.position}. {passage.kind} · {place} · characters {passage.start}-{passage.end}"), dim=True
        )
        echo(safe(passage.text))


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
