"""Columns and reading order: a page is cut along gutters, and what is above and below of each is cut in turn.

A gutter, a blank strip between columns, is told from the gaps of a table by what stands beside it: lines of prose that fill their
column, over several lines. Nothing here depends on the order in which a file draws its words.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from scholarmind.adapters.readers.pdf.lines import Piece, usual_size

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


# -- gutters: blank strips with text on both sides, found on a coarse raster

_CELL = 2.0  # points a square of the raster
_LEAST_HEIGHT = 3  # squares with text on both sides
_BLANK = 4.0  # squares: how much taller a strip counts if it is blank from top to bottom
_MARGIN = 36.0  # points: wider strips are between two pages of one sheet, and come first
_LEAST_WIDTH = 2  # squares
_TRIALS = 10  # strips that are looked at before a region is taken for one column
_MOST_SQUARES = 1_000_000  # a page as large as a wall is looked at more coarsely


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gutter:
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


# -- what stands on the two sides of a strip: columns, or cells of a table

_REACH = 2.0  # of the size of the type: how far a row goes on from piece to piece
_SAME_BASE = 0.15
_PROSE_WIDTH = 8.0  # of the size of the type: columns of prose are not narrower
_PROSE_COUNT = 8  # characters of a row
_PROSE_LETTERS = 0.6
_FULL = 0.75
_FILLED = 0.7  # of the rows of two columns fill theirs
_FILLED_WIDE = 0.4  # two lists of references do it for less; cells that do it as often do not stand so far apart


@dataclass(frozen=True, slots=True, kw_only=True)
class _SideRow:
    """What stands next to a gutter at one height."""

    left: float
    right: float
    base: float
    size: float
    count: int
    letters: int
    parted: bool  # there is more of it behind a gap as wide as one between cells

    @property
    def width(self) -> float:
        """From its first letter to its last."""
        return self.right - self.left


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """The rows of one side, and the edges that most of them keep."""

    rows: Sequence[_SideRow]
    left: float
    right: float
    size: float

    @property
    def fill(self) -> float:
        """How much of the column its typical row takes."""
        return _middle(row.width for row in self.rows) / max(self.right - self.left, 1e-6)

    @property
    def full(self) -> int:
        """How many rows fill the column."""
        return sum(row.width >= _FULL * (self.right - self.left) for row in self.rows)

    @property
    def is_prose(self) -> bool:
        """Whether most of its rows are words that fill a column."""
        return (
            _middle(row.width for row in self.rows) >= _PROSE_WIDTH * self.size
            and _middle(row.count for row in self.rows) >= _PROSE_COUNT
            and sum(row.letters for row in self.rows) >= _PROSE_LETTERS * sum(row.count for row in self.rows)
            and self.fill >= 0.6
        )

    @property
    def is_strong(self) -> bool:
        """Whether it is prose beyond doubt."""
        return len(self.rows) >= 6 and self.is_prose and self.full >= 0.6 * len(self.rows)

    @property
    def is_numbers(self) -> bool:
        """Whether it is a column of line numbers."""
        return len(self.rows) >= 10 and not any(row.letters for row in self.rows) and max(row.count for row in self.rows) <= 4  # fmt: skip


def _side_of(pieces: Sequence[Piece], *, before: bool, limit: float) -> _Side:
    """Return the rows next to a gutter, of the pieces before or behind it, no farther away than `limit`."""
    pieces = [piece for piece in pieces if (piece.left + piece.right > 2 * limit) is before] or pieces
    size = usual_size(pieces)
    rows = [_row(row, before=before) for row in _by_base(piece for piece in pieces if piece.size >= 0.75 * size)]
    lefts, rights = sorted(row.left for row in rows), sorted(row.right for row in rows)
    return _Side(rows=rows, left=lefts[len(lefts) // 8], right=rights[-1 - len(rights) // 8], size=size)


def _separates(before: _Side, behind: _Side, *, wide: bool) -> bool:
    """Tell whether the strip between is a gutter. `wide` says that it is as wide as the margins between two pages of one sheet."""
    least, most = sorted((len(before.rows), len(behind.rows)))
    if most < 2:
        return False
    shared = _share_of_bases(*sorted((before.rows, behind.rows), key=len))
    if before.is_prose and behind.is_prose:
        # two stretches of prose side by side. Cells that hold long words share their base lines and leave the ends of rows open
        filled = _FILLED_WIDE if wide else _FILLED
        if before.is_strong or behind.is_strong:
            return True
        least = min(len(before.rows), len(behind.rows))
        full = (before.full + behind.full) / (len(before.rows) + len(behind.rows))
        blank = min(row.left for row in behind.rows) - max(row.right for row in before.rows)
        few = least < 4  # the wide spaces of a few loose lines may happen to stand below each other
        return least >= 2 and (blank >= 0.9 * before.size or not few) and (shared < 0.8 or full >= filled)
    if wide and least >= 3 and shared < 0.8:
        return True
    if before.is_strong:
        # whether what stands behind a column of prose is another matter: line numbers, notes on the margin, a picture's labels
        if behind.is_numbers or shared < 0.5:
            return True
        justified = sum(abs(row.right - before.right) <= 0.3 * before.size for row in before.rows)
        return justified >= 0.6 * len(before.rows) and len(behind.rows) <= 0.6 * len(before.rows)
    if behind.is_strong:
        return shared < 0.5 or (before.is_numbers and len(before.rows) >= 0.8 * len(behind.rows))
    return False


def _share_of_bases(less: Sequence[_SideRow], more: Sequence[_SideRow]) -> float:
    """Return the share of rows that stand on a base line of the others, both from top to bottom."""
    near = place = 0
    others = [row.base for row in more]
    for row in less:
        while place < len(others) - 1 and abs(others[place + 1] - row.base) <= abs(others[place] - row.base):
            place += 1
        near += abs(others[place] - row.base) <= _SAME_BASE * row.size
    return near / len(less)


def _by_base(pieces: Iterable[Piece]) -> list[list[Piece]]:
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.base):
        if rows and piece.base - rows[-1][0].base <= 0.3 * piece.size:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return rows


def _row(pieces: list[Piece], *, before: bool) -> _SideRow:
    """Join the pieces of one height, from the gutter outwards until a gap as wide as one."""
    ordered = sorted(pieces, key=lambda piece: -piece.right if before else piece.left)
    left, right = ordered[0].left, ordered[0].right
    count, letters, parted = 0, 0, False
    for piece in ordered:
        gap = left - piece.right if before else piece.left - right
        if gap > _REACH * piece.size:
            parted = True
            break
        left, right = min(left, piece.left), max(right, piece.right)
        count, letters = count + piece.count, letters + piece.letters
    base, size = ordered[0].base, ordered[0].size
    return _SideRow(left=left, right=right, base=base, size=size, count=count, letters=letters, parted=parted)


def _middle(values: Iterable[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else 0.0


# -- bands: the rows on both sides, parted where blank paper runs through both

_OVERHANG = 0.35  # of the size of the type: rows of a column do not stick out into its gutter as far as this
_SAME_ROWS = 0.8
_FEW = 4  # rows
_NEXT = 1.15  # leadings to the next line of a paragraph
_NEAR = 2.5  # lines from a table to its caption
_Band = tuple[list[_SideRow], list[_SideRow]]


def _bands_of(before: _Side, behind: _Side) -> list[_Band]:
    """Group the rows of both sides where blank paper runs through both."""
    rows = sorted([(row, 0) for row in before.rows] + [(row, 1) for row in behind.rows], key=lambda pair: pair[0].base)
    bands: list[_Band] = []
    lowest = -1e9
    for row, side in rows:
        if row.base - lowest > 1.6 * max(row.size, min(before.size, behind.size)) or not bands:
            bands.append(([], []))
        bands[-1][side].append(row)
        lowest = max(lowest, row.base)
    return bands


def _border(upper: _Band, lower: _Band) -> float:
    """Return the height between two bands."""
    lowest = max(row.base for side in upper for row in side)
    return (lowest + min(row.base - 0.72 * row.size for side in lower for row in side)) / 2


def _is_within(before: _Side, behind: _Side, gutter: _Gutter, region: Sequence[Piece]) -> bool:
    """Whether the strip is between the words of a few stretched lines: the paragraph's other lines cross it at the usual distance."""
    less, more = sorted((before.rows, behind.rows), key=len)
    if len(more) >= _FEW or _share_of_bases(less, more) < _SAME_ROWS:
        return False
    first, last = more[0].base, more[-1].base
    reach = _NEXT * (last - first) / max(len(more) - 1, 1)
    return any(
        piece.left < gutter.x < piece.right
        and abs(piece.size - before.size) < 0.5
        and (0 < first - piece.base <= reach or 0 < piece.base - last <= reach)
        for piece in region
    )


def _trimmed(before: _Side, behind: _Side, gutter: _Gutter, region: Sequence[Piece]) -> tuple[float, float]:
    """Return where the columns begin and end, without heads, author blocks and tables that only happen to leave the gutter blank."""
    bands = _bands_of(before, behind)
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


def _is_alien(bands: Sequence[_Band], at: int, before: _Side, behind: _Side) -> bool:
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


def _is_centred(band: _Band, region: Sequence[Piece]) -> bool:
    """Whether a band is one row behind the gutter, in the middle of the whole region: a heading over an odd number of columns."""
    left, right = band
    if left or len(right) != 1:
        return False
    edges = min(piece.left for piece in region) + max(piece.right for piece in region)
    return abs(right[0].left + right[0].right - edges) <= right[0].size


def _sticks_out(bands: Sequence[_Band], at: int) -> bool:
    """Whether most rows of a band stick out of the columns that the other bands, which have more of them, make."""
    left, right = bands[at]
    lefts = sorted(row.left for band in bands for row in band[1] if band is not bands[at])
    rights = sorted(row.right for band in bands for row in band[0] if band is not bands[at])
    if len(lefts) < 2 * len(right) or len(rights) < 2 * len(left):
        return False
    first, last = lefts[len(lefts) // 8], rights[-1 - len(rights) // 8]
    out, back = sum(_reaches(row, last) for row in left), sum(_reaches_back(row, first) for row in right)
    return 2 * out > len(left) or 2 * back > len(right)


def _is_table(band: _Band, across: Sequence[float]) -> bool:
    """Whether a band has the rows of one wide table: cells at the same heights, and a caption that spans both sides next to them."""
    left, right = band
    less, more = sorted(band, key=len)
    if len(less) < 3 or 2 * sum(row.parted for row in left) < len(left) or _share_of_bases(less, more) < _SAME_ROWS:
        return False
    top, bottom = min(left[0].base, right[0].base), max(left[-1].base, right[-1].base)
    reach = _NEAR * left[0].size
    return any(top - reach <= base <= bottom + reach for base in across)


def _has_full(rows: Sequence[_SideRow], side: _Side) -> bool:
    return any(row.width >= _FULL * (side.right - side.left) for row in rows)


def _is_heading(band: _Band, upper: _Band, before: _Side) -> bool:
    """Whether a band is one short row, far below the left column: the heading of what comes below, since none ends a column."""
    left, right = band
    if right or len(left) != 1 or _has_full(left, before):
        return False
    return left[0].base - max(row.base for rows in upper for row in rows) >= 2.5 * left[0].size


def _reaches(row: _SideRow, edge: float) -> bool:
    return row.right > edge + _OVERHANG * row.size


def _reaches_back(row: _SideRow, edge: float) -> bool:
    return row.left < edge - _OVERHANG * row.size


# -- reading order

_DEPTH = 16
_MOST = 20_000  # pieces: a page of more is a picture drawn with letters
_BREAK = 2.4  # lines from one base line to the next
_LEVEL = 0.5  # points
_RIVALS = (0.65, 0.3, 9.0)  # how prominent the next gutter of a page is, at least; in the end there is none
_WIDE = 36.0  # points: no narrower are the margins between two pages of one sheet
_Region = list[Piece]


def in_order(pieces: Sequence[Piece], *, leftwards: bool = False) -> list[_Region]:
    """Return the blocks of a page in reading order. `leftwards`: the right column comes first, as in Arabic and Hebrew."""
    done: list[_Region] = []
    waiting: list[tuple[_Region, int]] = [(list(pieces), 0)]
    while waiting:
        region, depth = waiting.pop()
        parts = _cut(region, leftwards=leftwards) if depth < _DEPTH and 4 <= len(region) <= _MOST else None
        if parts is None:
            if region:
                done.append(region)
            continue
        waiting.extend((part, depth + 1) for part in reversed(parts) if part)
    return done


def _cut(region: _Region, *, leftwards: bool) -> tuple[_Region, ...] | None:
    """Cut a region at its most prominent gutter: what is above, both sides, what is below. None where it is one column."""
    # blank strips with text on both sides, the most prominent first
    raster = _raster(region)
    left, top, cell, edges = raster.left, raster.top, raster.cell, raster.edges
    found = [
        _Gutter(
            x=left + cell * middle,
            width=cell * squares,
            top=top + cell * edges[first],
            bottom=top + cell * edges[last],
            weight=tall * (1 + min(max(squares * cell - _MARGIN, 0), 40) / 80),
        )
        for middle, squares, first, last, tall in _peaks(_runs(raster), raster)
    ]
    gutters = sorted(found, key=lambda gutter: -gutter.weight)
    for gutter in gutters:
        zone = [piece for piece in region if gutter.top <= (piece.top + piece.bottom) / 2 < gutter.bottom]
        left = [piece for piece in zone if (piece.left + piece.right) / 2 < gutter.x]
        right = [piece for piece in zone if (piece.left + piece.right) / 2 >= gutter.x]
        if _is_hopeless(left, right, gutter):
            continue
        sides = _sides(left, right, gutter, gutters)
        if sides is None or _is_within(*sides, gutter, region):
            continue
        top, bottom = _trimmed(*sides, gutter, region)
        bottom = _broken(*sides, (top, bottom), region)
        if top >= bottom:
            continue
        above = [piece for piece in region if _height(piece) < top]
        below = [piece for piece in region if _height(piece) >= bottom]
        left = [piece for piece in left if top <= _height(piece) < bottom]
        right = [piece for piece in right if top <= _height(piece) < bottom]
        if left and right:
            return (above, right, left, below) if leftwards else (above, left, right, below)
    return None


def _is_hopeless(left: _Region, right: _Region, gutter: _Gutter) -> bool:
    """Whether it takes no closer look to see that a strip is no gutter: most are between the words of a few loose lines."""
    less, more = sorted((len(left), len(right)))
    if not less or (less < 2 and more < 6):
        return True
    few, many = sorted(len({round(piece.base) for piece in side}) for side in (left, right))
    if many >= 6 or gutter.width >= _WIDE:
        return False
    return few < 2 or (few < 4 and gutter.width + 4 < 0.9 * left[0].size)


def _sides(left: _Region, right: _Region, gutter: _Gutter, others: Sequence[_Gutter]) -> tuple[_Side, _Side] | None:
    """Return what stands beside a strip if that makes it a gutter. A column reaches to the next strip that is about as prominent."""
    tried: set[tuple[float, float]] = set()
    found: tuple[_Side, _Side] | None = None
    for share in _RIVALS:
        rivals = [other.x for other in others if other is not gutter and _is_rival(other, gutter, share)]
        limits = (
            max((x for x in rivals if x < gutter.x), default=-1e9),
            min((x for x in rivals if x > gutter.x), default=1e9),
        )
        if limits in tried:
            continue
        tried.add(limits)
        sides = _side_of(left, before=True, limit=limits[0]), _side_of(right, before=False, limit=limits[1])
        if _separates(*sides, wide=gutter.width >= max(_WIDE, 4 * sides[0].size)):
            if sides[0].is_prose and sides[1].is_prose:
                return sides
            found = found or (sides if share < 1 else None)
    return found


def _is_rival(other: _Gutter, gutter: _Gutter, share: float) -> bool:
    both = min(gutter.bottom, other.bottom) - max(gutter.top, other.top)
    return (
        abs(other.x - gutter.x) > 20 and other.weight >= share * gutter.weight and 2 * both > gutter.bottom - gutter.top
    )


def _height(piece: Piece) -> float:
    return (piece.top + piece.bottom) / 2


def _broken(before: _Side, behind: _Side, zone: tuple[float, float], region: _Region) -> float:
    """Return where the columns end, if blank paper runs through all of them and they go on below as columns of their own.

    Headings and pictures that happen to stand side by side leave such a blank too. There the text flows on down the column, but
    where columns end and begin anew it flows from the foot of one to the head of the next: in the middle of a paragraph, mostly.
    """
    top, bottom = zone
    bands = [
        band for band in _bands_of(before, behind) if top <= min(row.base for rows in band for row in rows) < bottom
    ]
    side = before if len(before.rows) >= len(behind.rows) else behind
    steps = sorted(lower.base - upper.base for upper, lower in pairwise(side.rows))
    leading = max(steps[len(steps) // 2], side.size) if steps else side.size
    bands, heads = _without_heads(bands)
    for upper, lower in pairwise(bands):
        if not all([*upper, *lower]) or min(map(len, (*upper, *lower))) < 2:
            continue
        lowest, highest = (
            max(row.base for rows in upper for row in rows),
            min(row.base for rows in lower for row in rows),
        )
        if highest - lowest < _BREAK * leading:
            continue
        edge = _border(upper, heads.get(highest, lower))
        if _begins_anew(upper, lower, before, behind) and not any(piece.top < edge < piece.bottom for piece in region):
            return edge
    return bottom


def _begins_anew(upper: _Band, lower: _Band, before: _Side, behind: _Side) -> bool:
    """Whether both bands begin level, and the text flows from the foot of one to the head of the next, or has a new paragraph below."""
    if any(abs(left[0].base - right[0].base) > _LEVEL for left, right in (upper, lower)):
        return False
    flows = _runs_on(upper[0][-1], before) or (_runs_on(lower[1][0], behind) and _is_flush(lower[1][0], behind))
    return flows or _is_indented(lower[0], before)


def _without_heads(bands: Sequence[_Band]) -> tuple[list[_Band], dict[float, _Band]]:
    """Return the bands without headings over all columns, and these by the height of what they stand over.

    Such a heading is short enough to stand on one side of the gutter, by itself between two bands that have both.
    """
    kept: list[_Band] = []
    heads: dict[float, _Band] = {}
    for place, band in enumerate(bands):
        one = sorted(map(len, band)) == [0, 1]
        if one and 0 < place < len(bands) - 1 and all([*bands[place - 1], *bands[place + 1]]):
            heads[min(row.base for rows in bands[place + 1] for row in rows)] = band
        else:
            kept.append(band)
    return kept, heads


def _is_indented(rows: Sequence[_SideRow], side: _Side) -> bool:
    """Whether a paragraph of running text begins here: neither captions nor headings are set so."""
    first, second = rows[:2]
    alike = abs(first.size - side.size) < 0.5 and abs(second.size - side.size) < 0.5
    return alike and 0.5 * first.size < first.left - side.left < 3 * first.size and _is_flush(second, side)


def _runs_on(row: _SideRow, side: _Side) -> bool:
    return side.right - row.right <= 1.5 * row.size


def _is_flush(row: _SideRow, side: _Side) -> bool:
    return row.left - side.left <= 0.5 * row.size
