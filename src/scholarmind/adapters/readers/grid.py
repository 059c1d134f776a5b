"""Rows of tables as lines of text, wherever the table is from."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """A place in a table. A wide or high cell fills several; only the first one across is told."""

    text: str
    is_header: bool = False
    width: int = 1
    is_first: bool = True


Row = Sequence[Cell]


def column_names(rows: Sequence[Row]) -> list[str]:
    """Return the name of each column under these rows of headers, from the widest group down."""
    columns = max(map(len, rows), default=0)
    names: list[str] = []
    for place in range(columns):
        told = [row[place].text for row in rows if place < len(row) and row[place].text and row[place].width < columns]
        names.append(" ".join(dict.fromkeys(told)))
    return names


def line_of(row: Row, names: Sequence[str]) -> str:
    """Return a row as `Header: value; ...` where the headers are known, else the cells with bars between them."""
    told = [(place, cell) for place, cell in enumerate(row) if cell.text and cell.is_first]
    if len(told) < 2:
        return told[0][1].text if told else ""
    if any(names):
        parts = [(names[place] if place < len(names) else "", cell.text) for place, cell in told]
        return "; ".join(f"{name}: {text}" if name else text for name, text in parts)
    first, *others = (cell for _, cell in told)
    if first.is_header and not any(cell.is_header for cell in others):
        return f"{first.text}: {' | '.join(cell.text for cell in others)}"
    return " | ".join(cell.text for _, cell in told)
