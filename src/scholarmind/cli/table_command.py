"""`scholarmind table`: the literature matrix. A row a paper, a column a question, each cell with its page and words."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.main import check_suffix, echo, json_option, library_option
from scholarmind.cli.run_progress import (
    budget_of,
    carried_out,
    is_wanted,
    modelled_options,
    modelled_record,
    settings_of,
    several,
)

if TYPE_CHECKING:
    from scholarmind.library.tabulating.paper_tables import LibraryTables
    from scholarmind.tables import LiteratureTable, SavedTable

_SUFFIXES = (".md", ".csv", ".xlsx", ".tex", ".html", ".json")
_LEAST_WIDTH = 16  # of a column in a terminal: with less, papers are shown one under another


@click.command("table")
@click.argument("table", required=False, metavar="[NAME|COLUMNS]")
@click.option("--where", metavar="FILTER", help='Only papers that pass this filter, such as "year >= 2022".')
@click.option("--collection", "collections", multiple=True, help="Only of this collection; can be repeated.")
@click.option("--name", help="Save the table under this name.  [default: table-1, table-2 ...]")
@click.option("--add", "added", metavar="COLUMNS", help="Give a saved table more columns.")
@click.option(
    "--set", "corrections", multiple=True, metavar="PAPER/COLUMN=VALUE", help="Correct a cell by hand; can be repeated."
)
@click.option(
    "--sort", metavar="COLUMN", help="Order papers by a column, or by year, title or paper; -COLUMN: falling."
)
@click.option("--columns", "chosen", metavar="COLUMNS", help="Show these columns only, in this order.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file: .md, .csv, .xlsx, .tex, .html or .json.",
)
@click.option("--sources", "with_sources", is_flag=True, help="Also show the words that each cell is from.")
@click.option(
    "--remove", "forget", is_flag=True, help="Forget the table; corrections stay for others that ask the same."
)
@modelled_options
@library_option
@json_option
def table_command(
    table: str | None,
    corrections: tuple[str, ...],
    added: str | None,
    forget: bool,
    modelled: dict[str, Any],
    library: str | None,
    as_json: bool,
    output: Path | None,
    **given: Any,
) -> None:
    """Ask every paper the same questions, and show the answers as a table.

    \b
      scholarmind table "task; data sets; metric; best result; limitation" --where 'year >= 2022'
      scholarmind table "task; layers (number) = How many layers does it have?; Who funded it?" --name survey
      scholarmind table                                  the saved tables
      scholarmind table survey                           again: only papers that are new are asked
      scholarmind table survey --set 'bert/layers=24'    corrected by hand; an empty value takes it back
      scholarmind table survey --sort -layers --output survey.xlsx

    Columns are presets (task, method, contribution, data sets, sample size, baselines, metric, best result, limitation, future work,
    funding, code; title, authors, year, venue, source, language, doi), questions, or NAME (text|list|number|year) = QUESTION.

    A cell is the shortest answer with its page, or "not stated". Stopped at any time, the same command goes on. With --llm a language
    model reads each paper once for all of its columns, and code checks what it says.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import file_progress, print_json  # noqa: PLC0415
    from scholarmind.library.tabulating.columns import arranged  # noqa: PLC0415

    check_suffix(output, *_SUFFIXES)
    if output is not None and output.suffix.lower() not in _SUFFIXES:
        raise click.UsageError(f"{str(output)!r}: give a name that ends in one of {', '.join(_SUFFIXES)}")
    outlook = worked = None
    with Library.open(library, create=False, **settings_of(modelled)) as opened:
        tables = opened.tables
        if table is None:
            _refuse_alone(given, corrections, added, forget=forget, output=output, modelled=modelled)
            _print_saved(tables.saved(), as_json=as_json)
            return
        if forget:
            _forget(tables, table, as_json=as_json)
            return
        saved = _table_of(tables, table, given)
        if added:
            saved = tables.add_columns(saved.name, added)
        for correction in corrections:
            _correct(tables, saved, correction, quiet=as_json)
        order = given["sort"] or "", given["chosen"] or ""
        arranged(tables.read(saved.name), *order)  # what cannot be is told before anything is asked
        with file_progress(quiet=as_json) as on_event:
            found = tables.fill(saved.name, on_event=on_event)
        if is_wanted(modelled):
            outlook, budget = tables.outlook(saved.name), budget_of(modelled)
            worked = carried_out(
                outlook,
                lambda on_event: tables.ask(saved.name, budget=budget, on_event=on_event),
                modelled,
                "papers",
                as_json=as_json,
            )
            found = tables.read(saved.name)
    found = arranged(found, *order)
    if output is not None:
        _write(found, output)
    if as_json:
        from scholarmind.library.tabulating.table_files import table_record  # noqa: PLC0415

        model = modelled_record(outlook, worked) if is_wanted(modelled) else {}
        print_json({**table_record(found), **model})
    elif output is None:
        _print_table(found, with_sources=given["with_sources"])


def _refuse_alone(
    given: dict[str, Any],
    corrections: Sequence[str],
    added: str | None,
    *,
    forget: bool,
    output: Path | None,
    modelled: dict[str, Any],
) -> None:
    """Refuse options that are for a table where none is named."""
    for option, value in {
        "--set": corrections,
        "--add": added,
        "--remove": forget,
        "--output": output,
        "--llm": modelled["llm"],
        "--where": given["where"],
        "--name": given["name"],
        "--sort": given["sort"],
        "--columns": given["chosen"],
    }.items():
        if value:
            raise click.UsageError(f"{option} is for one table; give its name, or columns")


def _table_of(tables: "LibraryTables", named: str, given: dict[str, Any]) -> "SavedTable":
    """Return the table of a name; what is no name is columns of one that is saved now."""
    from scholarmind.cli.command_options import within_collections  # noqa: PLC0415
    from scholarmind.filters import both, parse_filter, written  # noqa: PLC0415
    from scholarmind.library.tabulating.columns import is_columns  # noqa: PLC0415

    wanted = both(parse_filter(given["where"]) if given["where"] else None, within_collections(given["collections"]))
    saved = tables.find(named)
    if saved is None and is_columns(named):
        return tables.save(named, where=written(wanted) if wanted else "", name=given["name"] or "")
    if saved is not None and (wanted or given["name"]):
        raise click.UsageError(
            f"the table {saved.name!r} has its filter and its name; give columns with --where and --name for another one"
        )
    return saved or tables.named(named)


def _forget(tables: "LibraryTables", name: str, *, as_json: bool) -> None:
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415

    if not tables.remove(name):
        tables.named(name)
    if as_json:
        print_json({"removed": name})
    else:
        echo(safe(f"{name}: forgotten"))


def _correct(tables: "LibraryTables", table: "SavedTable", correction: str, *, quiet: bool) -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415

    place, equals, value = correction.partition("=")
    if not equals:
        raise click.BadParameter(
            f"{correction!r} is not PAPER/COLUMN=VALUE, such as 'bert/limitation=not stated'", param_hint="--set"
        )
    document, column = tables.correct(table.name, place, value)
    if not quiet:
        told = f"= {value.strip()}, by hand" if value.strip() else "is what its paper says again"
        echo(safe(f"{document.id}/{column.name} {told}"), err=True)


def _write(table: "LiteratureTable", output: Path) -> None:
    from scholarmind.cli.output import write_whole  # noqa: PLC0415
    from scholarmind.library.tabulating.table_files import WRITERS  # noqa: PLC0415

    made = WRITERS[output.suffix.lower()](table)
    write_whole(output, [made if isinstance(made, bytes) else made.encode()])
    echo(
        f"{several(len(table.rows), 'papers')}, {several(len(table.table.columns), 'columns')} written to {output}",
        err=True,
    )


def _print_saved(saved: "Sequence[SavedTable]", *, as_json: bool) -> None:
    from dataclasses import asdict  # noqa: PLC0415

    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415

    if as_json:
        print_json([asdict(table) for table in saved])
        return
    for table in saved:
        echo(safe(table.name), bold=True)
        echo(safe(f"  {'; '.join(column.name for column in table.columns)}"))
        if table.where:
            echo(safe(f"  where {table.where}"))
    if not saved:
        echo(
            'no table is saved yet; make one with: scholarmind table "task; method; data sets; best result; limitation"'
        )


def _print_table(table: "LiteratureTable", *, with_sources: bool) -> None:
    """Print a table, or its papers one under another where its columns have no room side by side; then how much is stated."""
    from scholarmind.citing.citation_styles import assign  # noqa: PLC0415
    from scholarmind.cli.output import console, safe  # noqa: PLC0415
    from scholarmind.library.tabulating.table_files import words_of  # noqa: PLC0415

    columns = table.table.columns
    if not table.rows:
        filtered = f" that passes {table.table.where!r}" if table.table.where else ""
        echo(safe(f"{table.table.name}: there is no paper{filtered}; add some with: scholarmind add FILES"), err=True)
        return
    keys, words, terminal = assign([row.document for row in table.rows]), words_of(table), console()
    echo(safe(table.table.name), bold=True)
    is_narrow = terminal.width < _LEAST_WIDTH * (len(columns) + 1) or with_sources
    if is_narrow:
        _print_papers(table, keys, words, with_sources=with_sources)
    else:
        _print_grid(table, keys, words)
    cells = [cell for row in table.rows for cell in row.cells]
    stated = sum(bool(cell and cell.value) for cell in cells)
    by_hand = sum(bool(cell and cell.by == "hand") for cell in cells)
    told = f"{several(len(table.rows), 'papers')}, {stated:,} of {several(len(cells), 'cells')} stated"
    echo(
        f"{told}{f', {by_hand:,} by hand' if by_hand else ''}" + ("" if with_sources else "; their words: --sources"),
        err=True,
    )
    echo(safe(f"saved as {table.table.name!r}; again: scholarmind table {table.table.name!r}"), err=True)


def _print_grid(table: "LiteratureTable", keys: Any, words: Any) -> None:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.output import console, safe  # noqa: PLC0415
    from scholarmind.library.tabulating.table_files import HAND, is_by_hand, place_of, shown  # noqa: PLC0415

    grid = Table(pad_edge=False, show_lines=True)
    for name in (words["paper"], *(column.name for column in table.table.columns)):
        grid.add_column(Text(safe(name)), overflow="fold")
    for row in table.rows:
        line = [Text(safe(keys[row.document.collection, row.document.id]))]
        for cell in row.cells:
            place = place_of(cell.source, words) if cell and cell.source else ""
            line.append(
                Text.assemble(
                    (safe(shown(cell, words)), "" if cell and cell.value else "dim"),
                    (f" ({safe(place)})" if place else f" {HAND}" if is_by_hand(cell) else "", "dim"),
                )
            )
        grid.add_row(*line)
    console().print(grid)
    if any(is_by_hand(cell) for row in table.rows for cell in row.cells):
        console().print(Text(f"{HAND} {words['hand']}", "dim"))


def _print_papers(table: "LiteratureTable", keys: Any, words: Any, *, with_sources: bool) -> None:
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.output import console, safe  # noqa: PLC0415
    from scholarmind.library.tabulating.table_files import place_of, shown  # noqa: PLC0415

    terminal = console()
    for row in table.rows:
        echo(safe(f"\n{keys[row.document.collection, row.document.id]} · {row.document.title}"), bold=True)
        for column, cell in zip(table.table.columns, row.cells, strict=True):
            place = place_of(cell.source, words) if cell and cell.source else ""
            hand = words["hand"] if cell and cell.by == "hand" else ""
            told = safe(shown(cell, words)) + (f" ({safe(place or hand)})" if place or hand else "")
            terminal.print(
                Text.assemble((f"  {safe(column.name)}: ", "cyan"), (told, "" if cell and cell.value else "dim"))
            )
            if with_sources and cell and cell.source and cell.source.text.strip() != cell.value:
                terminal.print(Text(f"    “{safe(' '.join(cell.source.text.split()))}”", "dim"))
    echo()
