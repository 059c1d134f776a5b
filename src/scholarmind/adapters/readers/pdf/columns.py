"""Reading order: a page is cut along gutters, the blank strips between columns, and what is above and below of each is cut in turn.

A gutter is told from the gaps of a table by what stands beside it: lines of prose that fill their column, over several lines.
Nothing here depends on the order in which a file draws its words.
"""

from collections.abc import Sequence
from itertools import pairwise

from scholarmind.adapters.readers.pdf.bands import Band, bands_of, border, is_within, trimmed
from scholarmind.adapters.readers.pdf.gutters import Gutter, find_gutters
from scholarmind.adapters.readers.pdf.pieces import Piece
from scholarmind.adapters.readers.pdf.sides import Row, Side, separates, side_of

_DEPTH = 16
_MOST = 20_000  # pieces: a page of more is a picture drawn with letters
_BREAK = 2.4  # lines from one base line to the next
_LEVEL = 0.5  # points
_RIVALS = (0.65, 0.3, 9.0)  # how prominent the next gutter of a page is, at least; in the end there is none
_WIDE = 36.0  # points: no narrower are the margins between two pages of one sheet

Region = list[Piece]


def in_order(pieces: Sequence[Piece], *, leftwards: bool = False) -> list[Region]:
    """Return the blocks of a page in reading order. `leftwards`: the right column comes first, as in Arabic and Hebrew."""
    done: list[Region] = []
    waiting: list[tuple[Region, int]] = [(list(pieces), 0)]
    while waiting:
        region, depth = waiting.pop()
        parts = _cut(region, leftwards=leftwards) if depth < _DEPTH and 4 <= len(region) <= _MOST else None
        if parts is None:
            if region:
                done.append(region)
            continue
        waiting.extend((part, depth + 1) for part in reversed(parts) if part)
    return done


def _cut(region: Region, *, leftwards: bool) -> tuple[Region, ...] | None:
    """Cut a region at its most prominent gutter: what is above, both sides, what is below. None where it is one column."""
    gutters = find_gutters(region)
    for gutter in gutters:
        zone = [piece for piece in region if gutter.top <= (piece.top + piece.bottom) / 2 < gutter.bottom]
        left = [piece for piece in zone if (piece.left + piece.right) / 2 < gutter.x]
        right = [piece for piece in zone if (piece.left + piece.right) / 2 >= gutter.x]
        if _is_hopeless(left, right, gutter):
            continue
        sides = _sides(left, right, gutter, gutters)
        if sides is None or is_within(*sides, gutter, region):
            continue
        top, bottom = trimmed(*sides, gutter, region)
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


def _is_hopeless(left: Region, right: Region, gutter: Gutter) -> bool:
    """Whether it takes no closer look to see that a strip is no gutter: most are between the words of a few loose lines."""
    less, more = sorted((len(left), len(right)))
    if not less or (less < 2 and more < 6):
        return True
    few, many = sorted(len({round(piece.base) for piece in side}) for side in (left, right))
    if many >= 6 or gutter.width >= _WIDE:
        return False
    return few < 2 or (few < 4 and gutter.width + 4 < 0.9 * left[0].size)


def _sides(left: Region, right: Region, gutter: Gutter, others: Sequence[Gutter]) -> tuple[Side, Side] | None:
    """Return what stands beside a strip if that makes it a gutter. A column reaches to the next strip that is about as prominent."""
    tried: set[tuple[float, float]] = set()
    found: tuple[Side, Side] | None = None
    for share in _RIVALS:
        rivals = [other.x for other in others if other is not gutter and _is_rival(other, gutter, share)]
        limits = (
            max((x for x in rivals if x < gutter.x), default=-1e9),
            min((x for x in rivals if x > gutter.x), default=1e9),
        )
        if limits in tried:
            continue
        tried.add(limits)
        sides = side_of(left, before=True, limit=limits[0]), side_of(right, before=False, limit=limits[1])
        if separates(*sides, wide=gutter.width >= max(_WIDE, 4 * sides[0].size)):
            if sides[0].is_prose and sides[1].is_prose:
                return sides
            found = found or (sides if share < 1 else None)
    return found


def _is_rival(other: Gutter, gutter: Gutter, share: float) -> bool:
    both = min(gutter.bottom, other.bottom) - max(gutter.top, other.top)
    return (
        abs(other.x - gutter.x) > 20 and other.weight >= share * gutter.weight and 2 * both > gutter.bottom - gutter.top
    )


def _height(piece: Piece) -> float:
    return (piece.top + piece.bottom) / 2


def _broken(before: Side, behind: Side, zone: tuple[float, float], region: Region) -> float:
    """Return where the columns end, if blank paper runs through all of them and they go on below as columns of their own.

    Headings and pictures that happen to stand side by side leave such a blank too. There the text flows on down the column, but
    where columns end and begin anew it flows from the foot of one to the head of the next: in the middle of a paragraph, mostly.
    """
    top, bottom = zone
    bands = [
        band for band in bands_of(before, behind) if top <= min(row.base for rows in band for row in rows) < bottom
    ]
    leading = _leading(before if len(before.rows) >= len(behind.rows) else behind)
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
        edge = border(upper, heads.get(highest, lower))
        if _begins_anew(upper, lower, before, behind) and not any(piece.top < edge < piece.bottom for piece in region):
            return edge
    return bottom


def _begins_anew(upper: Band, lower: Band, before: Side, behind: Side) -> bool:
    """Whether both bands begin level, and the text flows from the foot of one to the head of the next, or has a new paragraph below."""
    if any(abs(left[0].base - right[0].base) > _LEVEL for left, right in (upper, lower)):
        return False
    flows = _runs_on(upper[0][-1], before) or (_runs_on(lower[1][0], behind) and _is_flush(lower[1][0], behind))
    return flows or _is_indented(lower[0], before)


def _without_heads(bands: Sequence[Band]) -> tuple[list[Band], dict[float, Band]]:
    """Return the bands without headings over all columns, and these by the height of what they stand over.

    Such a heading is short enough to stand on one side of the gutter, by itself between two bands that have both.
    """
    kept: list[Band] = []
    heads: dict[float, Band] = {}
    for place, band in enumerate(bands):
        one = sorted(map(len, band)) == [0, 1]
        if one and 0 < place < len(bands) - 1 and all([*bands[place - 1], *bands[place + 1]]):
            heads[min(row.base for rows in bands[place + 1] for row in rows)] = band
        else:
            kept.append(band)
    return kept, heads


def _is_indented(rows: Sequence[Row], side: Side) -> bool:
    """Whether a paragraph of running text begins here: neither captions nor headings are set so."""
    first, second = rows[:2]
    alike = abs(first.size - side.size) < 0.5 and abs(second.size - side.size) < 0.5
    return alike and 0.5 * first.size < first.left - side.left < 3 * first.size and _is_flush(second, side)


def _leading(side: Side) -> float:
    steps = sorted(lower.base - upper.base for upper, lower in pairwise(side.rows))
    return max(steps[len(steps) // 2], side.size) if steps else side.size


def _runs_on(row: Row, side: Side) -> bool:
    return side.right - row.right <= 1.5 * row.size


def _is_flush(row: Row, side: Side) -> bool:
    return row.left - side.left <= 0.5 * row.size
