"""What cells say in one form: numbers with their units, years, names that are written in several ways, and the order of rows.

A value is shown as its document writes it; beside it stands what can be compared.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from scholarmind.errors import QueryError
from scholarmind.judge.amounts import Amount, amounts
from scholarmind.library.tabulating.columns import column_named, split_columns
from scholarmind.model import Document
from scholarmind.tables import LiteratureTable, TableCell, TableColumn, TableRow
from scholarmind.text.analysis import each_once, fold, items_of, terms
from scholarmind.writing.asked_number import counted_by, counted_in

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_JOINTS = re.compile(r"[\s\-_./’'\"“”《》()]+")


def amount_in(text: str) -> Amount | None:
    """Return the first amount of a text that is surely one, and no year."""
    found = [one for one in amounts(text) if one.exact and one.unit not in {"year", "decade"}]
    return found[0] if found else None


def year_in(text: str) -> int | None:
    """Return the first year of a text."""
    match = _YEAR.search(text)
    return int(match[0]) if match else None


def with_unit(text: str, amount: Amount) -> str:
    """Return an amount as it stands in a text, with the words that say what it counts behind it."""
    stands = text[amount.start : amount.end].strip(" -")
    counted = "" if amount.unit else counted_by(text, amount)
    return f"{stands} {counted}".strip() if counted.isascii() else stands + counted


def normalised(cell: TableCell, column: TableColumn) -> TableCell:
    """Return a cell with what can be compared of its value, by the type of its column."""
    if not cell.value:
        return cell
    if column.kind == "number":
        amount = amount_in(cell.value)
        return replace(
            cell, number=amount and amount.value, unit=_unit_of(cell.value, amount, column) if amount else ""
        )
    if column.kind == "year":
        year = year_in(cell.value)
        return replace(cell, number=None if year is None else float(year))
    if column.kind == "list" and cell.by in {"hand", "model"}:  # else its items are known, or it is a sentence
        return replace(cell, items=each_once(items_of(cell.value)))
    return cell


def check_fits(value: str, column: TableColumn) -> None:
    """Refuse a value of another type than its column has."""
    fits = {"year": year_in(value) is not None, "number": bool(amounts(value))}
    if not fits.get(column.kind, True):
        such = {"year": "a year, such as 2019", "number": "a number, such as 128 or 1,465 patients"}[column.kind]
        raise QueryError(f"{value!r} does not fit the column {column.name!r}, which takes {such}, or 'not stated'")


def _unit_of(value: str, amount: Amount, column: TableColumn) -> str:
    """Return the unit of an amount, else what it counts, where the column asks for just that."""
    if amount.unit:
        return amount.unit
    said = counted_by(value, amount)
    asked = {term for question in (*column.questions, *column.chinese) for term in terms(counted_in(question))}
    return said if asked.intersection(terms(said)) else ""


def measure_of(cell: TableCell) -> str:
    """Return the unit that parts a number from others: of what is counted there is none, so that "58" stands among "31 colonies"."""
    amount = amount_in(cell.value)
    return amount.unit if amount else ""


# -- names


def with_one_spelling(table: LiteratureTable) -> LiteratureTable:
    """Return a table in whose lists a name that differs in case, spaces and hyphens only is written in one way, the most frequent."""
    spelled = _spellings(
        item for row in table.rows for cell in row.cells if cell and cell.by != "hand" for item in cell.items
    )

    def told(cell: TableCell | None) -> TableCell | None:
        if cell is None or not cell.items or cell.by == "hand":
            return cell
        items = tuple(dict.fromkeys(spelled.get(_squeezed(item), item) for item in cell.items))
        return replace(cell, items=items, value=", ".join(items))

    return replace(table, rows=tuple(replace(row, cells=tuple(map(told, row.cells))) for row in table.rows))


def _spellings(items: Iterable[str]) -> Mapping[str, str]:
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        found[_squeezed(item)][item] += 1
    return {key: min(counts, key=lambda item: (-counts[item], item)) for key, counts in found.items()}


def _squeezed(item: str) -> str:
    return _JOINTS.sub("", fold(item).removeprefix("the ")) or item


# -- order

_OF_PAPERS: Mapping[str, Callable[[Document], tuple[bool, float, str]]] = {
    "year": lambda document: (document.year is None, document.year or 0, ""),
    "title": lambda document: (False, 0, fold(document.title)),
    "paper": lambda document: (False, 0, fold(" ".join(document.authors) or document.title)),
}


def arranged(table: LiteratureTable, sort: str = "", columns: str = "") -> LiteratureTable:
    """Return a table ordered by a column (`-COLUMN`: falling), or by year, title or authors, with these columns only."""
    own, rows = table.table.columns, table.rows
    falling, name = sort.strip().startswith("-"), sort.strip().lstrip("-").strip()
    if name:
        try:
            rows = in_order(rows, own.index(column_named(own, name)), falling=falling)
        except QueryError:
            if fold(name) not in _OF_PAPERS:
                raise
            known = _OF_PAPERS[fold(name)]
            rows = tuple(sorted(rows, key=lambda row: known(row.document), reverse=falling))
    if columns.strip():
        wanted = list(dict.fromkeys(own.index(column_named(own, each)) for each in split_columns(columns)))
        rows = tuple(replace(row, cells=tuple(row.cells[place] for place in wanted)) for row in rows)
        table = replace(table, table=replace(table.table, columns=tuple(own[place] for place in wanted)))
    return replace(table, rows=rows)


def in_order(rows: Sequence[TableRow], place: int, *, falling: bool) -> tuple[TableRow, ...]:
    """Return rows by the cells of a column: numbers of one unit together, what is not stated last whichever way."""
    stated = [row for row in rows if (cell := row.cells[place]) and cell.value]
    stated.sort(key=lambda row: _rank(row.cells[place]), reverse=falling)
    return (*stated, *(row for row in rows if not ((cell := row.cells[place]) and cell.value)))


def _rank(cell: TableCell | None) -> tuple[bool, str, float, str]:
    number = cell.number if cell and cell.number is not None else math.inf
    return number == math.inf, measure_of(cell) if cell else "", number, fold(cell.value if cell else "")
