"""Tables: which lines are rows, and what they read like without their columns."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scholarmind.adapters.readers.decode import clean
from scholarmind.adapters.readers.pdf.line_features import MARKER, Printed, begins_caption, is_equation, is_item
from scholarmind.adapters.readers.pdf.page import Cell, TextLine

_FIGURE = re.compile(
    r"[\s\d.,:;%+\-–−±×*/()<>≤≥=~$€£¥†‡]*\d[\s\d.,:;%+\-–−±×*/()<>≤≥=~$€£¥†‡kKMBs]*|[-–—✓✗×xX]|n/?a|N/?A"
)
_NARROW = 2.0  # points that must stay free between two columns
_MOST_HEADS = 3  # lines of a head
_MOST_SINGLE = 2  # lines with one cell between rows
_SIZE = 0.6  # points
_FARTHER = 1.3
_WIDE_STEP = 2.6  # pitches between rows of one table


@dataclass(slots=True)
class PrintedRow:
    """A row as it is read: its text, and the printed lines that it is from."""

    text: str
    lines: list[Printed]


def table_lines(block: Sequence[Printed], place: int) -> int:
    """Return how many lines from here on are a table: rows whose cells stand under each other. 0: none."""
    if not _is_row(block[place].line):
        return 0
    rows: list[Printed] = []
    end = last = place
    while end < len(block) and (end == place or block[end].gap < _WIDE_STEP):
        line = block[end].line
        if _is_row(line) and not begins_caption(line.text):
            if rows and (not any(_aligned(row.line, line) for row in rows[-2:]) or _is_below(rows, block[end])):
                break
            rows.append(block[end])
            last = end + 1
        elif end == place or end - last >= _MOST_SINGLE or not _fits(line, block[last - 1].line):
            break
        end += 1
    widest = max((len(row.line.cells) for row in rows), default=0)
    enough = len(rows) >= 2 and (widest > 2 or len(rows) > 2)
    above = block[place - 1] if place else None
    return last - place if enough and not _is_list(rows) and not _is_prose(rows, above) else 0


def _is_below(rows: Sequence[Printed], entry: Printed) -> bool:
    """Tell a stretched line of the text below a table: in letters that no row has, and farther from the rows than these are apart."""
    bottoms = [
        row.line.bottom for row in (*rows, entry)
    ]  # gaps are measured by the size of the letters, which differs here
    *steps, step = (lower - upper for upper, lower in pairwise(bottoms))
    other = all(abs(entry.line.size - row.line.size) > _SIZE for row in rows)
    return other and entry.full and bool(steps) and step > _FARTHER * max(steps)


def _is_row(line: TextLine) -> bool:
    return len(line.cells) > 1 and not is_equation(line)


def _is_list(rows: Sequence[Printed]) -> bool:
    marked = sum(MARKER.fullmatch(row.line.text[: row.line.cells[0].end].strip()) is not None for row in rows)
    return marked > 0.6 * len(rows) and max(len(row.line.cells) for row in rows) == 2


def _is_prose(rows: Sequence[Printed], above: Printed | None) -> bool:
    """Tell lines of text whose words were pushed apart to fill the column: a sentence goes through them."""
    lines = [row.line for row in rows]
    figures = sum(
        _FIGURE.fullmatch(line.text[cell.start : cell.end].strip()) is not None for line in lines for cell in line.cells
    )
    if figures >= len(rows) or not all(row.full and abs(row.indent) < 20 for row in rows):
        return False
    open_end = above is not None and above.full and not above.line.text.rstrip().endswith((".", ":", "。", "："))
    return len(rows) < 4 or (open_end and rows[0].gap < 1.15)


def _aligned(one: TextLine, other: TextLine) -> bool:
    """Tell whether some room between cells goes through both lines."""
    return any(
        min(right_a, right_b) - max(left_a, left_b) >= _NARROW
        for left_a, right_a in _rooms(one)
        for left_b, right_b in _rooms(other)
    )


def _rooms(line: TextLine) -> Iterator[tuple[float, float]]:
    for cell, following in zip(line.cells, line.cells[1:], strict=False):
        yield cell.right, following.left


def _fits(line: TextLine, row: TextLine) -> bool:
    """Tell whether a line with one cell is part of a cell, not a line of text below the table."""
    inside = row.left - 3 <= line.left and line.right <= row.right + 3
    return inside and line.right - line.left < 0.6 * (row.right - row.left) and not is_item(line.text)


def rows_of(lines: Sequence[Printed]) -> list[PrintedRow]:
    """Return the rows of a table as text: with the names of their columns where these are known."""
    columns = _columns(lines)
    grid: list[tuple[list[str], list[Printed]]] = []
    steps = [entry.gap for entry in lines[1:] if _is_row(entry.line)]
    usual = min(steps, default=1.0)
    for place, entry in enumerate(lines):
        cells = _placed(entry.line, columns)
        if grid and place and _continues(cells, entry, grid[-1][0], usual):
            grid[-1] = ([f"{a} {b}".strip() for a, b in zip(grid[-1][0], cells, strict=True)], [*grid[-1][1], entry])
        else:
            grid.append((cells, [entry]))
    head = _head_rows(grid)
    names = _names([cells for cells, _ in grid[:head]], len(columns))
    found = [PrintedRow(_plain(cells), entries) for cells, entries in grid[:head]]
    found += [PrintedRow(_named(cells, names) if head else _plain(cells), entries) for cells, entries in grid[head:]]
    return [row for row in found if row.text]


def rest_of(above: Sequence[Printed], below: Sequence[Printed]) -> Sequence[Printed] | None:
    """Return the rows with which a table goes on at the top of the next page, without a head that comes again. None: it is another."""
    if below[0].page != above[-1].page + 1:
        return None
    one, two = _columns(above), _columns(below)
    if len(one) != len(two) or len(one) < 2:
        return None
    if any(min(a[1], b[1]) <= max(a[0], b[0]) for a, b in zip(one, two, strict=True)):
        return None
    head = 0
    while head < _MOST_HEADS and head + 1 < min(len(above), len(below)) and _same(above[head].line, below[head].line):
        head += 1
    if not head and below[0].line.bold and above[0].line.bold:
        return None  # it has a head of its own
    return below[head:]


def _same(one: TextLine, other: TextLine) -> bool:
    return one.bold == other.bold and one.text.split() == other.text.split()


def _columns(lines: Sequence[Printed]) -> list[tuple[float, float]]:
    """Return where the columns stand: what the cells of the usual rows cover, one below the other."""
    rows = [_cells(entry.line) for entry in lines]
    counts = Counter(len(cells) for cells in rows if len(cells) > 1)
    usual = max(counts, key=lambda count: (counts[count] * count, count), default=1)
    columns: list[tuple[float, float]] = []
    for cell in sorted((cell for cells in rows if len(cells) >= usual for cell in cells), key=lambda cell: cell.left):
        if columns and cell.left < columns[-1][1] + _NARROW / 2:
            columns[-1] = (columns[-1][0], max(columns[-1][1], cell.right))
        else:
            columns.append((cell.left, cell.right))
    return columns or [(0.0, 1e9)]


def _cells(line: TextLine) -> list[Cell]:
    return line.cells or [Cell(start=0, end=len(line.text), left=line.left, right=line.right)]


def _placed(line: TextLine, columns: Sequence[tuple[float, float]]) -> list[str]:
    """Return the text of each column; a cell over several columns counts for the first of them."""
    found = [""] * len(columns)
    for cell in _cells(line):
        text = " ".join(clean(line.text[cell.start : cell.end]).split())
        column = max(range(len(columns)), key=lambda place: (_overlap(cell, columns[place]), -place))
        found[column] = f"{found[column]} {text}".strip()
    return found


def _overlap(cell: Cell, column: tuple[float, float]) -> float:
    common = min(cell.right, column[1]) - max(cell.left, column[0])
    return common if common <= 0 else min(common / max(min(cell.right - cell.left, column[1] - column[0]), 1.0), 0.5)


def _continues(cells: Sequence[str], entry: Printed, above: Sequence[str], usual: float) -> bool:
    """Tell whether this line goes on with the cells above it: it begins no row of its own, and stands as near as a next line."""
    filled = [text for text in cells if text]
    if cells[0] and not (len(filled) == 1 and cells[0][:1].islower()):
        return False
    words = all(not _FIGURE.fullmatch(text) for text in filled)
    under = all(over for text, over in zip(cells, above, strict=True) if text)
    return words and under and len(filled) < len(cells) and entry.gap < max(1.15 * usual, 1.05)


def _head_rows(grid: Sequence[tuple[list[str], list[Printed]]]) -> int:
    """Return how many rows at the top name the columns: bold over plain, or words over numbers."""
    if len(grid) < 2 or len(grid[0][0]) < 2:
        return 0
    bold = [all(entry.line.bold for entry in entries) for _, entries in grid]
    for head in (1, 2):
        rest = grid[head:]
        if not rest or not all(_wordy(cells) for cells, _ in grid[:head]):
            return 0
        if sum(1 for text in grid[head - 1][0] if text) < 2:
            continue
        if all(bold[:head]) and not any(bold[head:]):
            return head
        if not _wordy(rest[0][0]) and sum(_numeric(cells) for cells, _ in rest) >= 0.6 * len(rest):
            return head
    return 0


def _wordy(cells: Sequence[str]) -> bool:
    return not any(_FIGURE.fullmatch(text) and not _is_year(text) for text in cells if text)


def _is_year(text: str) -> bool:
    return text.isdecimal() and 1900 <= int(text) <= 2100


def _numeric(cells: Sequence[str]) -> bool:
    behind = [text for text in cells[1:] if text]
    return sum(_FIGURE.fullmatch(text) is not None for text in behind) >= 0.5 * max(len(behind), 1)


def _names(head: Sequence[Sequence[str]], columns: int) -> list[str]:
    """Return a name for each column; a name over several columns is put before the names under it."""
    names = [""] * columns
    for number, cells in enumerate(head):
        over = ""
        for place, text in enumerate(cells):
            over = text or (over if number + 1 < len(head) and place else "")
            names[place] = f"{names[place]} {text if number + 1 == len(head) else over}".strip()
    return names


def _named(cells: Sequence[str], names: Sequence[str]) -> str:
    return "; ".join(f"{name}: {text}" if name else text for name, text in zip(names, cells, strict=True) if text)


def _plain(cells: Sequence[str]) -> str:
    return " | ".join(text for text in cells if text)
