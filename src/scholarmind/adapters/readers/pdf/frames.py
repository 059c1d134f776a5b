"""Turning a page: from the file's coordinates (y upwards, any corner) to points from the upper left of the page as it is read."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scholarmind.adapters.readers.pdf.page import TextLine

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


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
