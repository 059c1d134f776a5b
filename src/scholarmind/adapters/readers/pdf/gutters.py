"""Blank strips of a page that have text on both sides, found on a coarse raster of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scholarmind.adapters.readers.pdf.pieces import Piece

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_CELL = 2.0  # points a square of the raster
_LEAST_HEIGHT = 3  # squares with text on both sides
_BLANK = 4.0  # squares: how much taller a strip counts if it is blank from top to bottom
_MARGIN = 36.0  # points: wider strips are between two pages of one sheet, and come first
_LEAST_WIDTH = 2  # squares
_TRIALS = 10  # strips that are looked at before a region is taken for one column
_MOST_SQUARES = 1_000_000  # a page as large as a wall is looked at more coarsely


@dataclass(frozen=True, slots=True, kw_only=True)
class Gutter:
    """A blank strip: nothing crosses `x` between `top` and `bottom`. `weight` tells how tall and wide it is."""

    x: float
    width: float
    top: float
    bottom: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Raster:
    """Squares of a page with ink and without. Rows that are alike are one: `heights` tells how many squares tall each is."""

    inked: "npt.NDArray[np.bool_]"
    heights: "npt.NDArray[np.int16]"
    edges: list[int]  # where the rows begin, in squares, and where the last one ends
    left: float
    top: float
    cell: float


def find_gutters(pieces: Sequence[Piece]) -> list[Gutter]:
    """Return blank strips with text on both sides, the most prominent first."""
    raster = _raster(pieces)
    left, top, cell, edges = raster.left, raster.top, raster.cell, raster.edges
    found = [
        Gutter(
            x=left + cell * middle,
            width=cell * squares,
            top=top + cell * edges[first],
            bottom=top + cell * edges[last],
            weight=tall * (1 + min(max(squares * cell - _MARGIN, 0), 40) / 80),
        )
        for middle, squares, first, last, tall in _peaks(_runs(raster), raster)
    ]
    return sorted(found, key=lambda gutter: -gutter.weight)


def _raster(pieces: Sequence[Piece]) -> _Raster:
    import numpy as np  # noqa: PLC0415

    boxes = np.array([(piece.left, piece.right, piece.top, piece.bottom) for piece in pieces])
    left, top = float(boxes[:, 0].min()), float(boxes[:, 2].min())
    width, height = float(boxes[:, 1].max()) - left, float(boxes[:, 3].max()) - top
    cell = max(_CELL, (width * height / _MOST_SQUARES) ** 0.5)
    squares = ((boxes - [left, left, top, top]) / cell).astype(np.int64)
    upper, lower = squares[:, 2], np.maximum(squares[:, 3], squares[:, 2] + 1)
    edges = np.flatnonzero(np.bincount(np.concatenate((upper, lower, [0, int(height / cell) + 2]))))
    inked = np.zeros((len(edges) - 1, int(width / cell) + 2), np.bool_)
    rows = np.searchsorted(edges, (upper, lower)).tolist()
    for first, end, start, stop in zip(*rows, squares[:, 0].tolist(), squares[:, 1].tolist(), strict=True):
        inked[first:end, start : stop + 1] = True
    return _Raster(
        inked=inked, heights=np.diff(edges).astype(np.int16), edges=edges.tolist(), left=left, top=top, cell=cell
    )


def _runs(raster: _Raster) -> "npt.NDArray[np.int16]":
    """Return for each square how many up to it, upwards to the next ink, are blank with ink to their left and right."""
    import numpy as np  # noqa: PLC0415

    inked = raster.inked
    columns = np.arange(inked.shape[1], dtype=np.int16)
    first, last = inked.argmax(1).astype(np.int16), (inked.shape[1] - inked[:, ::-1].argmax(1)).astype(np.int16)
    last[~inked.any(1)] = 0
    between = (columns >= first[:, None]) & (columns < last[:, None]) & ~inked
    total: npt.NDArray[np.int16] = (between * raster.heights[:, None]).cumsum(0, dtype=np.int16)
    return total - np.maximum.accumulate(total * inked, 0)


def _peaks(run: "npt.NDArray[np.int16]", raster: _Raster) -> Iterator[tuple[float, int, int, int, int]]:
    """Yield for each tall strip: its middle, its width, its first and last row, and its rows with text on both sides."""
    import numpy as np  # noqa: PLC0415

    inked, heights = raster.inked, raster.heights
    blank = _BLANK * (1 - (heights.astype(np.float64) @ inked.astype(np.float64)) / raster.edges[-1])
    best = run.max(0)
    for _ in range(_TRIALS):
        peak = int((best + blank).argmax())
        tall = int(best[peak])
        if tall < _LEAST_HEIGHT:
            return
        enough = best >= 0.9 * tall
        first = peak - int(enough[peak::-1].argmin()) + 1 if not enough[: peak + 1].all() else 0
        right = peak + int(enough[peak:].argmin()) - 1 if not enough[peak:].all() else len(best) - 1
        # Within the strip the place that is blank for the most rows is the one to cut at.
        middle = first + (right - first) // 2
        if best[middle] < best[peak]:
            middle = peak
        end = int(run[:, middle].argmax())
        above = np.flatnonzero(inked[:end, middle])
        below = np.flatnonzero(inked[end:, middle])
        upper = int(above[-1]) + 1 if len(above) else 0
        lower = end + int(below[0]) if len(below) else len(inked)
        if right - first + 1 >= _LEAST_WIDTH:
            yield middle + 0.5, right - first + 1, upper, lower, tall
        near = slice(max(0, first - 1), right + 2)
        run[upper:lower, near] = 0
        best[near] = run[:, near].max(0)
