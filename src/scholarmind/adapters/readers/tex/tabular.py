"""Tables of LaTeX as lines of text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from scholarmind.adapters.readers.grid import Cell, column_names, line_of
from scholarmind.adapters.readers.tex.inline import Inline

_MARK = re.compile(r"\\(?P<nest>begin|end)\b|\\\\(?:\*?\[[^\]\n]*\])?|\\tabularnewline\b|\\[\s\S]|[{}&]")
_RULE = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|specialrule|hhline|Xhline|cmidrule|cline|thickhline|endhead|endfirsthead|endfoot|endlastfoot|addlinespace|morecmidrules)\b\s*(?:\([^()]*\))?(?:\[[^\]]*\])?(?:\{[^{}]*\})*"
)
_FULL_RULE = re.compile(r"\\(?:hline|midrule|specialrule|hhline|Xhline|thickhline|endhead|endfirsthead)\b")
_WIDE = re.compile(r"\s*\\multicolumn\s*\{\s*(\d{1,3})\s*\}")
_HIGH = re.compile(r"\\multirow\s*(?:\[[^\]]*\])?\{\s*-?(\d{1,3})\s*\}")
_MOST_ROWS = 20_000
_MOST_HEADERS = 3


@dataclass(slots=True)
class _Raw:
    """A row of the source: where its cells are, and whether a rule is drawn above it."""

    cells: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    below_rule: bool = False


def rows_of(inline: Inline, start: int, end: int) -> Iterator[str]:
    """Yield a line for every row between these places of the source."""
    raw = [row for row in _raw_rows(inline, start, end) if row.cells]
    hanging: dict[int, tuple[Cell, int]] = {}
    filled = [(row, _cells(inline, row, hanging)) for row in raw[:_MOST_ROWS]]
    rows = [(row, cells) for row, cells in filled if any(cell.text for cell in cells)]
    count = _headers([row for row, _ in rows])
    names = column_names([cells for _, cells in rows[:count]])
    for _, cells in rows[count:]:
        line = line_of(cells, names)
        if line:
            yield line


def _raw_rows(inline: Inline, start: int, end: int) -> Iterator[_Raw]:
    text, row, begun, position, nested = inline.text, _Raw(), start, start, 0
    while found := _MARK.search(text, position, end):
        position = found.end()
        sign = found[0]
        nested += {"begin": 1, "end": -1}.get(found["nest"] or "", 0)
        if sign == "{":
            position = max(position, inline.closing(found.start()) + 1)
        elif nested <= 0 and sign == "&":
            row.cells.append((begun, found.start()))
            begun = position
        elif nested <= 0 and sign.startswith(("\\\\", "\\tabularnewline")):
            row.cells.append((begun, found.start()))
            yield _ruled(text, row)
            row, begun = _Raw(), position
    row.cells.append((begun, end))
    yield _ruled(text, row)


def _ruled(text: str, row: _Raw) -> _Raw:
    """Take the rules out of the first cell of a row."""
    start, end = row.cells[0]
    row.below_rule = _FULL_RULE.search(text, start, end) is not None
    while found := _RULE.search(text, start, min(end, start + 500)):
        if text[start : found.start()].strip():
            break
        start = found.end()
    row.cells[0] = (min(start, end), end)
    return row


def _cells(inline: Inline, row: _Raw, hanging: dict[int, tuple[Cell, int]]) -> list[Cell]:
    cells: list[Cell] = []
    for start, end in row.cells:
        wide, high = _WIDE.match(inline.text, start, end), _HIGH.search(inline.text, start, min(end, start + 200))
        width = min(100, max(1, int(wide[1]))) if wide else 1
        cell = Cell(_text(inline, start, end, high), width=width)
        for place in range(width):
            cells.append(_hung(Cell(cell.text, width=width, is_first=place == 0), len(cells), hanging))
            if high and cell.text:
                hanging[len(cells) - 1] = (cells[-1], int(high[1]) - 1)
    return cells


def _text(inline: Inline, start: int, end: int, high: re.Match[str] | None) -> str:
    if high is None:
        return inline.plain(start, end)
    group = inline.argument(high.end(), end)  # the width, then the text
    return inline.plain(group[2] if group else high.end(), end).removeprefix("*").strip()


def _hung(cell: Cell, place: int, hanging: dict[int, tuple[Cell, int]]) -> Cell:
    """Return the cell, or the high one from above that hangs down into its place."""
    if place not in hanging:
        return cell
    above, left = hanging[place]
    if left <= 0 or cell.text:
        del hanging[place]
        return cell
    hanging[place] = (above, left - 1)
    return above


def _headers(rows: list[_Raw]) -> int:
    """Return how many rows stand above the first rule that has rows on both sides."""
    for count, row in enumerate(rows[1 : _MOST_HEADERS + 1], start=1):
        if row.below_rule:
            return count
    return 0
