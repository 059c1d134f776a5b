"""`scholarmind show`."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

import click

from scholarmind.cli.main import echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.library.descriptions import Explained
    from scholarmind.library_ports import Cited, Source
    from scholarmind.model import Entry, Passage

_LONGEST = 100
_MOST = 12  # sections and cited documents shown


@click.command("show")
@click.argument("id")
@click.option("--passages", "with_passages", is_flag=True, help="Also print every passage.")
@click.option("--collection", default="default", show_default=True, help="Collection that the document is in.")
@library_option
@json_option
def command(id: str, with_passages: bool, collection: str, library: str | None, as_json: bool) -> None:
    """Show everything that is known of a document.

    Its fields, with who said so and how sure that is; its file, sections, pages, passages, references; and what was wrong with it.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.library.descriptions import explained  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        id = opened.resolve(id, collection=collection)
        entry = opened.entry(id, collection=collection)
        if entry is None:
            raise click.ClickException(f"there is no document {id!r} in {collection!r}; 'scholarmind search' shows ids")
        cited = opened.references(id, collection=collection)
        citing = opened.citing(id, collection=collection)
        source = next((s for _, s in opened.sources(collection) if s.path == entry.document.origin), None)
    fields = explained(entry.document, entry.facts)
    if as_json:
        print_json(_record(entry, fields, cited, citing, source))
        return
    _print_fields(entry, fields)
    _print_file(entry, source)
    _print_contents(entry)
    _print_links(cited, citing)
    if with_passages:
        _print_passages(entry.passages)


def _record(
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


def _print_file(entry: "Entry", source: "Source | None") -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415
    from scholarmind.text.untrusted import uncontrolled  # noqa: PLC0415

    echo(safe(f"\nid        {entry.document.id}  (collection {entry.document.collection})"))
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
