"""Rows of values as lines of text, for tables that are files of their own."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from scholarmind.adapters.readers.grid import Cell, line_of
from scholarmind.model import Problem

MOST_ROWS = 200_000
_LOOKED_AT = 5


def lines_of(rows: Iterable[Sequence[str]], where: str, problems: list[Problem]) -> Iterator[str]:
    """Yield each row as a line; the first one names the columns if it looks like it. What is beyond the limit is told."""
    filled = (row for row in rows if any(row))
    head = list(islice(filled, _LOOKED_AT))
    names = list(head[0]) if _names_columns(head) else []
    for number, row in enumerate(chain(head[1 if names else 0 :], filled)):
        if number >= MOST_ROWS:
            problems.append(
                Problem(
                    where=where,
                    reason=f"it has more than {MOST_ROWS:,} rows; the first ones were read",
                    advice="split it, or add the rows that matter",
                    lasting=True,
                )
            )
            return
        yield line_of([Cell(value) for value in row], names)


def _names_columns(head: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row holds names: words, all different, one for nearly each column."""
    if len(head) < 2:
        return False
    names = [name for name in head[0] if name]
    columns = max(sum(map(bool, row)) for row in head)
    words = all(any(map(str.isalpha, name)) for name in names)
    return len(names) > 1 and words and len(set(names)) == len(names) and len(names) >= columns - 1
