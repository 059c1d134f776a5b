"""Lines: pieces of one height joined, superscripts with the line that they belong to, words told apart by their distance."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from scholarmind.adapters.readers.pdf.pieces import Piece, usual_size

_SAME_BASE = 0.3  # of the size of the type
_SMALLER = 0.87  # superscripts are not larger than this, against their line
_RISE, _FALL = 0.75, 0.45  # how far superscripts stand above the base line, and subscripts below
_NEAR = 0.6  # how far they stand from what they belong to
_INITIAL = 1.8  # how much larger an initial is than its text


@dataclass(slots=True, kw_only=True, eq=False)
class Line:
    """The pieces of a line; `attached` are its superscripts and subscripts, with what they are raised by."""

    base: float
    size: float
    pieces: list[Piece]
    attached: list[tuple[Piece, float]] = field(default_factory=list[tuple[Piece, float]])

    def gap(self, piece: Piece) -> float:
        """Return how far a piece stands from the nearest one of the line; less than nothing within."""
        return min(max(other.left - piece.right, piece.left - other.right) for other in self.pieces)


def join_lines(pieces: Sequence[Piece]) -> list[Line]:
    """Return the lines of a block from top to bottom. The largest type comes first, so that a line is there before its superscripts."""
    lines, bases = list[Line](), list[float]()
    initials = _initials(pieces)
    plain = [piece for piece in pieces if piece not in initials] if initials else pieces
    for piece in sorted(plain, key=lambda piece: (-round(piece.size, 1), piece.base, piece.left)):
        _place(lines, bases, piece)
    for initial in initials:
        if not _begins(lines, initial):
            _place(lines, bases, initial)
    return lines


def _place(lines: list[Line], bases: list[float], piece: Piece) -> None:
    """Give a piece to the line on its base line, or to the one that it is a superscript or subscript of, or begin a line with it."""
    if (home := _own_line(_near(lines, bases, piece, _SAME_BASE), piece)) is not None:
        home.pieces.append(piece)
    elif (home := _host(_near(lines, bases, piece, 3), piece)) is not None:
        home.attached.append((piece, home.base - piece.base))
    else:
        place = bisect_right(bases, piece.base)
        bases.insert(place, piece.base)
        lines.insert(place, Line(base=piece.base, size=piece.size, pieces=[piece]))


def _near(lines: list[Line], bases: list[float], piece: Piece, reach: float) -> list[Line]:
    """Return the lines no farther above or below a piece than so many times its size. Type of other sizes reaches as far as three."""
    base, reach = piece.base, reach * piece.size
    return lines[bisect_left(bases, base - reach) : bisect_right(bases, base + reach)]


def _own_line(lines: list[Line], piece: Piece) -> Line | None:
    if len(lines) < 2:
        return lines[0] if lines else None
    return min(lines, key=lambda line: abs(line.base - piece.base))


def _host(lines: list[Line], piece: Piece) -> Line | None:
    """Return the line that a small piece is a superscript or subscript of."""
    found = [
        line
        for line in lines
        if piece.size <= _SMALLER * line.size
        and -_FALL * line.size <= line.base - piece.base <= _RISE * line.size
        and line.gap(piece) <= _NEAR * line.size
    ]
    return min(found, key=lambda line: abs(line.base - 0.1 * line.size - piece.base), default=None)


def _initials(pieces: Sequence[Piece]) -> list[Piece]:
    """Return letters that may be initials: one or two by themselves, much larger than the rest."""
    least = _INITIAL * usual_size(pieces)
    return [piece for piece in pieces if piece.size >= least and piece.count <= 2 and piece.letters]


def _begins(lines: list[Line], initial: Piece) -> bool:
    """Give a large initial to the first of the lines that it stands beside, if there is one."""
    for line in lines:
        high = initial.base - 0.9 * initial.size <= line.base <= initial.base + 0.2 * line.size
        near = -0.5 * line.size <= min(piece.left for piece in line.pieces) - initial.right <= 1.5 * line.size
        if high and near and initial.size >= _INITIAL * line.size:
            line.pieces.append(initial)
            return True
    return False
