"""What stands on the two sides of a blank strip, and whether that makes it a gutter between columns or a gap of a table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scholarmind.adapters.readers.pdf.pieces import Piece, usual_size

_REACH = 2.0  # of the size of the type: how far a row goes on from piece to piece
_SAME_BASE = 0.15
_PROSE_WIDTH = 8.0  # of the size of the type: columns of prose are not narrower
_PROSE_COUNT = 8  # characters of a row
_PROSE_LETTERS = 0.6
_FULL = 0.75
_FILLED = 0.7  # of the rows of two columns fill theirs
_FILLED_WIDE = 0.4  # two lists of references do it for less; cells that do it as often do not stand so far apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
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
class Side:
    """The rows of one side, and the edges that most of them keep."""

    rows: Sequence[Row]
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


def side_of(pieces: Sequence[Piece], *, before: bool, limit: float) -> Side:
    """Return the rows next to a gutter, of the pieces before or behind it, no farther away than `limit`."""
    pieces = [piece for piece in pieces if (piece.left + piece.right > 2 * limit) is before] or pieces
    size = usual_size(pieces)
    rows = [_row(row, before=before) for row in _by_base(piece for piece in pieces if piece.size >= 0.75 * size)]
    lefts, rights = sorted(row.left for row in rows), sorted(row.right for row in rows)
    return Side(rows=rows, left=lefts[len(lefts) // 8], right=rights[-1 - len(rights) // 8], size=size)


def separates(before: Side, behind: Side, *, wide: bool) -> bool:
    """Tell whether the strip between is a gutter. `wide` says that it is as wide as the margins between two pages of one sheet."""
    least, most = sorted((len(before.rows), len(behind.rows)))
    if most < 2:
        return False
    shared = _shared(before, behind)
    if before.is_prose and behind.is_prose:
        return _are_columns(before, behind, shared, _FILLED_WIDE if wide else _FILLED)
    if wide and least >= 3 and shared < 0.8:
        return True
    if before.is_strong:
        return _stands_apart(behind, before, shared)
    if behind.is_strong:
        return shared < 0.5 or (before.is_numbers and len(before.rows) >= 0.8 * len(behind.rows))
    return False


def _are_columns(before: Side, behind: Side, shared: float, filled: float) -> bool:
    """Two stretches of prose side by side. Cells that hold long words share their base lines and leave the ends of rows open."""
    if before.is_strong or behind.is_strong:
        return True
    least = min(len(before.rows), len(behind.rows))
    full = (before.full + behind.full) / (len(before.rows) + len(behind.rows))
    blank = min(row.left for row in behind.rows) - max(row.right for row in before.rows)
    few = least < 4  # the wide spaces of a few loose lines may happen to stand below each other
    return least >= 2 and (blank >= 0.9 * before.size or not few) and (shared < 0.8 or full >= filled)


def _stands_apart(narrow: Side, main: Side, shared: float) -> bool:
    """Whether what stands behind a column of prose is another matter: line numbers, notes on the margin, a picture's labels."""
    if narrow.is_numbers or shared < 0.5:
        return True
    justified = sum(abs(row.right - main.right) <= 0.3 * main.size for row in main.rows)
    return justified >= 0.6 * len(main.rows) and len(narrow.rows) <= 0.6 * len(main.rows)


def _shared(before: Side, behind: Side) -> float:
    return share_of_bases(*sorted((before.rows, behind.rows), key=len))


def share_of_bases(less: Sequence[Row], more: Sequence[Row]) -> float:
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


def _row(pieces: list[Piece], *, before: bool) -> Row:
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
    return Row(left=left, right=right, base=base, size=size, count=count, letters=letters, parted=parted)


def _middle(values: Iterable[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else 0.0
