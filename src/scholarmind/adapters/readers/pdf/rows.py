"""The characters of all lines in order, and which wide gaps between them are borders of cells rather than spaces of a loose line."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

_EVEN = 2.2  # the widest space of a stretched line against its narrowest: more of the stretch goes behind a full stop
_ALIGNED = 0.6  # of the borders of a row of a table, which stand below those of the row above
_TABLE = 3  # rows: fewer whose gaps stand below each other are no table
_AROUND = 4  # lines
_FLUSH = 0.2  # of the size of the type
_INDENT = 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """All characters in the order of lines and places."""

    code: "Integers"
    left: "Floats"
    right: "Floats"
    size: "Floats"
    line: "Integers"
    raised: "Flags"
    bold: "Flags"
    italic: "Flags"
    order: "Integers"
    spaced: "Flags"
    object: "Integers"

    def picked(self, places: "Integers | Flags") -> "Row":
        """Return some of them."""
        return Row(**{name: getattr(self, name)[places] for name in Row.__slots__})


def without_stretched(row: Row, space: "Flags", wide: "Flags") -> "Flags":
    """Return which gaps are wide, without those of lines that are stretched to the width of their column.

    The stretch of a line is shared by all its spaces. So they are about even, none is as narrow as usual, the line is flush with
    others near it, and its gaps do not stand where those of two neighbours do.
    """
    import numpy as np  # noqa: PLC0415

    if not wide.any():
        return wide
    starts = np.flatnonzero(np.diff(row.line, prepend=-1))
    ends = np.append(starts[1:], len(row.line)) - 1
    left, right = row.left[starts], np.maximum.reduceat(row.right, starts)
    size = np.maximum.reduceat(row.size, starts)
    kept = wide.copy()
    loose = np.unique(np.searchsorted(starts, np.flatnonzero(wide), side="right") - 1)
    for number in loose.tolist():
        within = slice(starts[number], ends[number])
        gaps = (row.left[1:] - row.right[:-1])[within][space[within]]
        near = slice(max(0, number - _AROUND), number + _AROUND + 1)
        flush = np.abs(right[near] - right[number]) <= _FLUSH * size[number]
        flush &= np.abs(left[near] - left[number]) <= _INDENT * size[number]
        if gaps.max() > _EVEN * gaps.min() or flush.sum() < 3:
            continue
        around = [
            slice(starts[other], ends[other]) if 0 <= other < len(starts) else None
            for other in range(number - 2, number + 3)
        ]
        below = [part is not None and _are_below(row, wide, within, part) for part in around]
        if not any(all(below[first : first + _TABLE]) for first in range(_TABLE)):
            kept[within] = False
    return kept


def _are_below(row: Row, wide: "Flags", line: slice, other: slice) -> bool:
    """Whether most wide gaps of a line overlap one of another line."""
    import numpy as np  # noqa: PLC0415

    at, there = (np.flatnonzero(wide[part]) + part.start for part in (line, other))
    both = np.minimum(row.left[at + 1][:, None], row.left[there + 1]) - np.maximum(
        row.right[at][:, None], row.right[there]
    )
    return bool(len(there)) and float((both > 0).any(1).mean()) >= _ALIGNED
