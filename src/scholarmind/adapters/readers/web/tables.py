"""Tables of web pages as lines of text."""

from collections.abc import Callable, Iterator
from typing import Any

from scholarmind.adapters.readers.grid import Cell, column_names, line_of

_WIDEST = 100  # columns that one cell may claim
_MOST_COLUMNS = 500
_HIGHEST = 1_000  # rows that one cell may claim
_LONGEST_CELL = 1_000  # characters; a longer one is prose, and its table a way to place it on the page
_LAYOUT = frozenset("table pre h1 h2 h3 h4 h5 h6 form".split())
_ROWS = frozenset({"tr"})
_WITHIN = {
    "table": frozenset("caption colgroup col thead tbody tfoot tr".split()),
    "thead": _ROWS,
    "tbody": _ROWS,
    "tfoot": _ROWS,
    "tr": frozenset({"td", "th"}),
    "colgroup": frozenset({"col"}),
}
_DATA = ("tabular", "wikitable", "data", "table")

Words = Callable[[Any], str]


def is_data(table: Any) -> bool:
    """Tell whether a table holds values, rather than the parts of the page."""
    name = table.get("class") or ""
    if table.get("role") in {"presentation", "none"} or "equation" in name or "eqn" in name:
        return False
    if next((True for element in table.iter(*_LAYOUT) if element is not table), False):
        return False
    if next(table.iter("td", "th"), None) is None or not _is_sound(table):
        return False
    if next(table.iter("th", "thead", "caption"), None) is not None or any(sign in name for sign in _DATA):
        return True
    rows = list(table.iter("tr"))
    cells = list(table.iter("td"))
    shortest = all(sum(map(len, cell.itertext())) <= _LONGEST_CELL for cell in cells[:200])
    return len(rows) > 1 and len(cells) >= 2 * len(rows) and shortest


def _is_sound(element: Any) -> bool:
    """Tell whether there is nothing in a table but rows, and nothing in its rows but cells: a browser shows the rest too."""
    allowed = _WITHIN.get(element.tag)
    if allowed is None:  # a cell, or a caption
        return True
    if (element.text or "").strip():
        return False
    return all(child.tag in allowed and not (child.tail or "").strip() and _is_sound(child) for child in element)


def lines_of(table: Any, words: Words) -> Iterator[str]:
    """Yield a line for every row: `Header: value; ...` where the header is known, else the cells with bars between them."""
    rows = list(_grid(table, words))
    count = _header_rows(table, rows)
    header = column_names(rows[:count])
    for row in rows[count:]:
        line = line_of(row, header)
        if line:
            yield line
    if count == len(rows):  # nothing but headers
        yield from (line for row in rows if (line := line_of(row, [])))


def _grid(table: Any, words: Words) -> Iterator[list[Cell]]:
    """Yield the rows with every place filled, that of a wide or high cell with the cell itself."""
    hanging: dict[int, tuple[Cell, int]] = {}  # by column: what hangs down from above, and through how many rows
    for element in table.iter("tr"):
        row: list[Cell] = []
        _hang(row, hanging)
        for cell in element:
            if cell.tag not in {"td", "th"} or len(row) > _MOST_COLUMNS:
                continue
            width = _number(cell.get("colspan"), _WIDEST)
            height = _number(cell.get("rowspan"), _HIGHEST)
            text = words(cell)
            for place in range(width):
                filled = Cell(text, cell.tag == "th", width, place == 0)
                if height > 1:
                    hanging[len(row)] = (filled, height - 1)
                row.append(filled)
            _hang(row, hanging)
        yield row


def _hang(row: list[Cell], hanging: dict[int, tuple[Cell, int]]) -> None:
    """Fill the next places with what hangs down into them."""
    while len(row) in hanging:
        place = len(row)
        cell, left = hanging.pop(place)
        if left > 1:
            hanging[place] = (cell, left - 1)
        row.append(cell)


def _number(value: str | None, most: int) -> int:
    return min(most, max(1, int(value))) if value and value.isascii() and value.isdigit() and len(value) < 6 else 1


def _header_rows(table: Any, rows: list[list[Cell]]) -> int:
    """Return how many rows are headers: those of the head, or the first ones that are nothing but header cells."""
    head = table.find("thead")
    count = len(head.findall("tr")) if head is not None else 0
    if not count:
        for row in rows[:3]:
            if not row or not all(cell.is_header or not cell.text for cell in row) or len(row) < 2:
                break
            count += 1
    return min(count, len(rows))
