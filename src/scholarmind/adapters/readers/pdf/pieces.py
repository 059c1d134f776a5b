"""Pieces of lines: characters on one base line, with no gap between them that might be a gutter or the border of a cell."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

_GAP = 0.55  # of the size of the type: wider gaps may be gutters
_OTHER_SIZE = 1.5  # an initial does not belong to the line that it stands on
_FAR = 1e6  # points: more than a page is wide
_ONE_BASE = 6  # tenths of a point within which base lines are the same
_MOST_TENTHS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """Characters that run in one direction, turned so that it is from left to right; y grows downwards. Spaces are apart."""

    code: "Integers"
    left: "Floats"
    right: "Floats"
    base: "Floats"
    size: "Floats"
    object: "Integers"
    bold: "Flags"
    italic: "Flags"
    order: "Integers"  # place in the file, of those with ink
    spaced: "Flags"  # the file has a space before it


@dataclass(slots=True, kw_only=True, eq=False)
class Piece:
    """Where a piece stands, and what it is of: `first` and `end` count in the order of `Pieces`."""

    left: float
    right: float
    base: float
    size: float
    top: float  # of its letters
    bottom: float
    first: int
    end: int
    count: int  # characters
    letters: int


def cut_pieces(ink: Ink) -> "tuple[Integers, list[Piece]]":
    """Return the characters' order by base line and place, and the pieces, which count in it."""
    import numpy as np  # noqa: PLC0415

    count = len(ink.code)
    if not count:
        return np.zeros(0, np.int64), []
    row = _rows(ink.base)
    order = np.argsort(row * _FAR + ink.left, kind="stable")
    row, left, right, size = row[order], ink.left[order], ink.right[order], ink.size[order]
    gap = left[1:] - np.maximum(right[:-1], left[:-1])
    new = np.ones(count, np.bool_)
    large, small = np.maximum(size[1:], size[:-1]), np.minimum(size[1:], size[:-1])
    new[1:] = (row[1:] != row[:-1]) | (gap > _GAP * large) | (large > _OTHER_SIZE * small)
    starts = np.flatnonzero(new)
    counts = np.diff(starts, append=count)
    base, largest = np.add.reduceat(ink.base[order], starts) / counts, np.maximum.reduceat(size, starts)
    columns = (
        left[starts].tolist(),
        np.maximum.reduceat(right, starts).tolist(),
        base.tolist(),
        largest.tolist(),
        (base - 0.72 * largest).tolist(),
        (base + 0.21 * largest).tolist(),
        starts.tolist(),
        (starts + counts).tolist(),
        counts.tolist(),
        np.add.reduceat(_is_letter(ink.code[order]).astype(np.int64), starts).tolist(),
    )
    pieces = [
        Piece(
            left=left,
            right=right,
            base=base,
            size=size,
            top=top,
            bottom=bottom,
            first=first,
            end=end,
            count=many,
            letters=letters,
        )
        for left, right, base, size, top, bottom, first, end, many, letters in zip(*columns, strict=True)
    ]
    return order, pieces


def usual_size(pieces: Iterable[Piece]) -> float:
    """Return the size of the type of most of these pieces: the middle one, long pieces counting as more."""
    weights: dict[float, int] = {}
    for piece in pieces:
        weights[piece.size] = weights.get(piece.size, 0) + min(piece.count, 40)
    half = sum(weights.values()) // 2
    for size in sorted(weights):
        half -= weights[size]
        if half < 0:
            return size
    return 0.0


def _rows(base: "Floats") -> "Integers":
    """Return a number for each base line. A row never grows higher than `_ONE_BASE`, however crooked the lines are."""
    import numpy as np  # noqa: PLC0415

    tenths = np.rint(10 * base).astype(np.int64)
    lowest, highest = int(tenths.min()), int(tenths.max())
    few = highest - lowest < _MOST_TENTHS
    values = lowest + np.flatnonzero(np.bincount(tenths - lowest)) if few else np.unique(tenths)
    numbers, number, start = np.zeros(len(values), np.int64), -1, -(10**9)
    for place, value in enumerate(values.tolist()):
        if value - start > _ONE_BASE:
            number, start = number + 1, value
        numbers[place] = number
    return numbers[np.searchsorted(values, tenths)]


def _is_letter(code: "Integers") -> "Flags":
    small = code | 0x20
    return (
        ((small >= 0x61) & (small <= 0x7A)) | ((code >= 0xC0) & (code < 0x2000)) | ((code >= 0x2E80) & (code < 0xE000))
    )
