"""Lines put together that belong together, and taken apart: numbers in a column of their own (labels of works, page numbers of
contents) belong to the lines beside them, and headings of two columns that stand at one height to their columns.
"""

import re
from collections.abc import Iterator, Sequence
from copy import copy

from scholarmind.adapters.readers.pdf.numbering import is_known
from scholarmind.adapters.readers.pdf.page import Cell, TextLine, TextPage

_NUMBER = re.compile(r"[\[(]?(?:\d{1,4}|[ivxlc]{1,6})[\])]?[.:]?|\[[^\[\]]{1,16}\]", re.IGNORECASE)
_MANY = 3
_SHARE = 0.7  # of the numbers have a line beside them
_LONGEST_HEADINGS = 90  # characters of two
_FARTHEST = 40.0  # points between a label and its line


def stitch(page: TextPage) -> None:
    """Put such numbers back into their lines, as cells of their own."""
    gone: set[int] = set()
    for run in _runs(page.lines):
        others = [line for line in page.lines if not _NUMBER.fullmatch(line.text.strip())]
        pairs = [(number, beside) for number in run if (beside := _beside(number, others)) is not None]
        if len(pairs) < max(_MANY, _SHARE * len(run)):
            continue
        for number, beside in pairs:
            _join(number, beside)
            gone.add(id(number))
    if gone:
        page.lines = [line for line in page.lines if id(line) not in gone]


def part_headings(page: TextPage) -> None:
    """Give the second of two headings at one height back to its column: it is one that sections have, and text stands below it alone."""
    place = 0
    while place < len(page.lines):
        line = page.lines[place]
        place += 1
        if len(line.cells) != 2 or len(line.text) > _LONGEST_HEADINGS or not is_known(line.text[line.cells[1].start :]):
            continue
        if sum(map(str.isalpha, line.text[: line.cells[0].end])) < _MANY:  # its number
            continue
        first, second = line.cells
        below = (
            at for at in range(place, len(page.lines)) if _is_under(page.lines[at], second, first.right, line.bottom)
        )
        if (at := next(below, None)) is None:
            continue
        other = copy(line)
        other.text, other.left, other.block = line.text[second.start :], second.left, page.lines[at].block
        other.cells = [Cell(start=0, end=len(other.text), left=second.left, right=second.right)]
        other.raised = []
        line.text, line.right, line.cells = line.text[: first.end], first.right, [first]
        page.lines.insert(at, other)


def _is_under(line: TextLine, cell: Cell, left: float, bottom: float) -> bool:
    return left < line.left <= cell.left + 2 and cell.right <= line.right + 2 and line.top >= bottom - 2


def _runs(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """Yield numbers that follow each other in reading order, down the page."""
    run: list[TextLine] = []
    for line in lines:
        if _NUMBER.fullmatch(line.text.strip()) and not line.turned and (not run or line.top > run[-1].top):
            run.append(line)
            continue
        if len(run) >= _MANY:
            yield run
        run = []
    if len(run) >= _MANY:
        yield run


def _beside(number: TextLine, lines: Sequence[TextLine]) -> TextLine | None:
    """Return the line at the same height: right behind a label, or somewhere in front of a page number."""
    middle = (number.top + number.bottom) / 2
    level = [line for line in lines if line.top < middle < line.bottom and abs(line.bottom - number.bottom) < 4]
    right = [line for line in level if -2 < line.left - number.right < _FARTHEST]
    left = [line for line in level if line.right <= number.left + 2 and line.block < number.block]
    return min(right, key=lambda line: line.left, default=None) or max(left, key=lambda line: line.right, default=None)


def _join(number: TextLine, line: TextLine) -> None:
    cells = line.cells or [Cell(start=0, end=len(line.text), left=line.left, right=line.right)]
    text = number.text.strip()
    if number.left < line.left:
        moved = len(text) + 1
        own = Cell(start=0, end=len(text), left=number.left, right=number.right)
        shifted = [Cell(start=c.start + moved, end=c.end + moved, left=c.left, right=c.right) for c in cells]
        line.text, line.cells, line.left = f"{text} {line.text}", [own, *shifted], number.left
        line.raised = [(start + moved, end + moved) for start, end in line.raised]
    else:
        start = len(line.text) + 1
        line.cells = [*cells, Cell(start=start, end=start + len(text), left=number.left, right=number.right)]
        line.text, line.right = f"{line.text} {text}", number.right
