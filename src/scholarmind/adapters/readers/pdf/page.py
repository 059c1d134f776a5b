"""What the geometry of a page gives to the rest: its lines in reading order. Boxes are in points from the upper left, page upright."""

from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Cell:
    """A stretch of a line between wide gaps: most lines have one, rows of tables have more. `start` and `end` count in the line's text."""

    start: int
    end: int
    left: float
    right: float


@dataclass(slots=True, kw_only=True)
class TextLine:
    """A line of one column. Lines of one block (a column's stretch, a head over all columns, a table) share its number."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float  # of most of its letters, in points
    bold: bool = False  # most of its letters are
    italic: bool = False
    lead: int = (
        0  # characters in bold that it begins with, if the rest is not: a heading that its paragraph runs on from
    )
    block: int = 0  # blocks are numbered in reading order
    cells: list[Cell] = field(default_factory=list[Cell])
    raised: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])  # characters set as superscripts
    turned: bool = (
        False  # runs up, down or askew: a stamp on the margin, a label; its cells are measured along the line
    )


@dataclass(slots=True, kw_only=True)
class TextPage:
    """A page: its number from 1, its size as shown, its lines in reading order, and how much of it is pictures."""

    number: int
    width: float
    height: float
    lines: list[TextLine]
    pictures: float = 0.0  # share of the page that is covered by images
    unreadable: float = 0.0  # share of its characters that have no Unicode value
    cut: bool = False  # it has more characters than are read
    turned: int = 0  # quarter turns clockwise from the page as shown to the page as its text is upright; sizes and boxes are of the latter
