"""A page of a PDF as the geometry gives it to the rest: lines in reading order, and how the page is turned.

Boxes are in points from the upper left of the page as it is read. How the lines are found is in `extract`.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


# -- lines and their cells


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


# -- turning a page


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A page turned clockwise by so many quarters: what is visible of it, in the file's coordinates."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int

    @property
    def width(self) -> float:
        """As turned."""
        return self.right - self.left if self.turns % 2 == 0 else self.top - self.bottom

    @property
    def height(self) -> float:
        """As turned."""
        return self.top - self.bottom if self.turns % 2 == 0 else self.right - self.left

    def turned(self, quarters: int) -> "Frame":
        """Return the page turned on clockwise."""
        return Frame(
            left=self.left, bottom=self.bottom, right=self.right, top=self.top, turns=(self.turns + quarters) % 4
        )

    def points(self, x: "Floats", y: "Floats") -> "tuple[Floats, Floats]":
        """Return where points of the file are on the turned page, from its upper left."""
        if self.turns == 0:
            return x - self.left, self.top - y
        if self.turns == 1:
            return y - self.bottom, x - self.left
        if self.turns == 2:
            return self.right - x, y - self.bottom
        return self.top - y, self.right - x


def turn_back(line: TextLine, frame: Frame, quarters: int) -> None:
    """Give a line's box, measured on `frame`, as it is on the page before it was turned clockwise by so many quarters."""
    width, height = frame.width, frame.height
    for _ in range(quarters):
        line.left, line.top, line.right, line.bottom = line.top, width - line.right, line.bottom, width - line.left
        width, height = height, width
