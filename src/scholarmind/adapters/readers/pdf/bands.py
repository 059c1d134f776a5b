"""Bands: the rows on both sides of a gutter, parted where blank paper runs through both. Which of them keep to the columns."""

from collections.abc import Sequence

from scholarmind.adapters.readers.pdf.gutters import Gutter
from scholarmind.adapters.readers.pdf.pieces import Piece
from scholarmind.adapters.readers.pdf.sides import Row, Side, share_of_bases

_REACH = 0.35  # of the size of the type: rows of a column do not stick out into its gutter as far as this
_FULL = 0.75
_SAME_ROWS = 0.8
_FEW = 4  # rows
_NEXT = 1.15  # leadings to the next line of a paragraph
_NEAR = 2.5  # lines from a table to its caption

Band = tuple[list[Row], list[Row]]


def bands_of(before: Side, behind: Side) -> list[Band]:
    """Group the rows of both sides where blank paper runs through both."""
    rows = sorted([(row, 0) for row in before.rows] + [(row, 1) for row in behind.rows], key=lambda pair: pair[0].base)
    bands: list[Band] = []
    lowest = -1e9
    for row, side in rows:
        if row.base - lowest > 1.6 * max(row.size, min(before.size, behind.size)) or not bands:
            bands.append(([], []))
        bands[-1][side].append(row)
        lowest = max(lowest, row.base)
    return bands


def border(upper: Band, lower: Band) -> float:
    """Return the height between two bands."""
    lowest = max(row.base for side in upper for row in side)
    return (lowest + min(row.base - 0.72 * row.size for side in lower for row in side)) / 2


def is_within(before: Side, behind: Side, gutter: Gutter, region: Sequence[Piece]) -> bool:
    """Whether the strip is between the words of a few stretched lines: the paragraph's other lines cross it at the usual distance."""
    less, more = sorted((before.rows, behind.rows), key=len)
    if len(more) >= _FEW or share_of_bases(less, more) < _SAME_ROWS:
        return False
    first, last = more[0].base, more[-1].base
    reach = _NEXT * (last - first) / max(len(more) - 1, 1)
    return any(
        piece.left < gutter.x < piece.right
        and abs(piece.size - before.size) < 0.5
        and (0 < first - piece.base <= reach or 0 < piece.base - last <= reach)
        for piece in region
    )


def trimmed(before: Side, behind: Side, gutter: Gutter, region: Sequence[Piece]) -> tuple[float, float]:
    """Return where the columns begin and end, without heads, author blocks and tables that only happen to leave the gutter blank."""
    bands = bands_of(before, behind)
    across = [
        piece.base for piece in region if piece.left < gutter.x - gutter.width < gutter.x + gutter.width < piece.right
    ]
    first, last = int(len(bands) > 1 and _is_centred(bands[0], region)), len(bands) - 1
    while first < last and (_is_alien(bands, first, before, behind) or _is_table(bands[first], across)):
        first += 1
    while last > first and (
        _is_alien(bands, last, before, behind)
        or _is_table(bands[last], across)
        or _is_heading(bands[last], bands[last - 1], before)
    ):
        last -= 1
    # No farther than what was left out: columns farther away may begin and end elsewhere.
    top = gutter.top if first == 0 else max(row.base for rows in bands[first - 1] for row in rows)
    bottom = gutter.bottom
    if last < len(bands) - 1:
        bottom = min(row.base - 0.72 * row.size for rows in bands[last + 1] for row in rows)
    return top, bottom


def _is_alien(bands: Sequence[Band], at: int, before: Side, behind: Side) -> bool:
    """Whether the rows of a band keep to neither column.

    They reach into the gutter; or none is full, and those behind the gutter do not begin where their column does.
    """
    left, right = bands[at]
    if not left or not right:
        return at == 0 and not right and len(left) <= 3
    few = len(left) + len(right) <= 4
    if few and (
        any(_reaches(row, before.right) for row in left) or any(_reaches_back(row, behind.left) for row in right)
    ):
        return True
    if not few and _sticks_out(bands, at):
        return True
    full = _has_full(left, before) or _has_full(right, behind)
    away = sum(abs(row.left - behind.left) > 2 * row.size for row in right)
    return not full and 2 * away >= len(right)


def _is_centred(band: Band, region: Sequence[Piece]) -> bool:
    """Whether a band is one row behind the gutter, in the middle of the whole region: a heading over an odd number of columns."""
    left, right = band
    if left or len(right) != 1:
        return False
    edges = min(piece.left for piece in region) + max(piece.right for piece in region)
    return abs(right[0].left + right[0].right - edges) <= right[0].size


def _sticks_out(bands: Sequence[Band], at: int) -> bool:
    """Whether most rows of a band stick out of the columns that the other bands, which have more of them, make."""
    left, right = bands[at]
    lefts = sorted(row.left for band in bands for row in band[1] if band is not bands[at])
    rights = sorted(row.right for band in bands for row in band[0] if band is not bands[at])
    if len(lefts) < 2 * len(right) or len(rights) < 2 * len(left):
        return False
    first, last = lefts[len(lefts) // 8], rights[-1 - len(rights) // 8]
    out, back = sum(_reaches(row, last) for row in left), sum(_reaches_back(row, first) for row in right)
    return 2 * out > len(left) or 2 * back > len(right)


def _is_table(band: Band, across: Sequence[float]) -> bool:
    """Whether a band has the rows of one wide table: cells at the same heights, and a caption that spans both sides next to them."""
    left, right = band
    less, more = sorted(band, key=len)
    if len(less) < 3 or 2 * sum(row.parted for row in left) < len(left) or share_of_bases(less, more) < _SAME_ROWS:
        return False
    top, bottom = min(left[0].base, right[0].base), max(left[-1].base, right[-1].base)
    reach = _NEAR * left[0].size
    return any(top - reach <= base <= bottom + reach for base in across)


def _has_full(rows: Sequence[Row], side: Side) -> bool:
    return any(row.width >= _FULL * (side.right - side.left) for row in rows)


def _is_heading(band: Band, upper: Band, before: Side) -> bool:
    """Whether a band is one short row, far below the left column: the heading of what comes below, since none ends a column."""
    left, right = band
    if right or len(left) != 1 or _has_full(left, before):
        return False
    return left[0].base - max(row.base for rows in upper for row in rows) >= 2.5 * left[0].size


def _reaches(row: Row, edge: float) -> bool:
    return row.right > edge + _REACH * row.size


def _reaches_back(row: Row, edge: float) -> bool:
    return row.left < edge - _REACH * row.size
