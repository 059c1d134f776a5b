"""Lines of text from characters: pieces on one base line, lines of pieces, and their text with its spaces, accents and directions.

Which lines make a column, and in which order they are read, is in `page_columns`.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from scholarmind.adapters.readers.pdf.page import Cell, TextLine

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]


# -- pieces: no gap within them might be a gutter or the border of a cell

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


# -- lines: pieces of one height, with their superscripts

_SAME_BASE = 0.3  # of the size of the type
_SMALLER = 0.87  # superscripts are not larger than this, against their line
_RISE, _FALL = 0.75, 0.45  # how far superscripts stand above the base line, and subscripts below
_NEAR = 0.6  # how far they stand from what they belong to
_INITIAL = 1.8  # how much larger an initial is than its text


@dataclass(slots=True, kw_only=True, eq=False)
class _Line:
    """The pieces of a line; `attached` are its superscripts and subscripts, with what they are raised by."""

    base: float
    size: float
    pieces: list[Piece]
    attached: list[tuple[Piece, float]] = field(default_factory=list[tuple[Piece, float]])

    def gap(self, piece: Piece) -> float:
        """Return how far a piece stands from the nearest one of the line; less than nothing within."""
        return min(max(other.left - piece.right, piece.left - other.right) for other in self.pieces)


def join_lines(pieces: Sequence[Piece]) -> list[_Line]:
    """Return the lines of a block from top to bottom. The largest type comes first, so that a line is there before its superscripts."""
    lines, bases = list[_Line](), list[float]()
    initials = _initials(pieces)
    plain = [piece for piece in pieces if piece not in initials] if initials else pieces
    for piece in sorted(plain, key=lambda piece: (-round(piece.size, 1), piece.base, piece.left)):
        _place(lines, bases, piece)
    for initial in initials:
        if not _begins(lines, initial):
            _place(lines, bases, initial)
    return lines


def _place(lines: list[_Line], bases: list[float], piece: Piece) -> None:
    """Give a piece to the line on its base line, or to the one that it is a superscript or subscript of, or begin a line with it."""
    if (home := _own_line(_near(lines, bases, piece, _SAME_BASE), piece)) is not None:
        home.pieces.append(piece)
    elif (home := _host(_near(lines, bases, piece, 3), piece)) is not None:
        home.attached.append((piece, home.base - piece.base))
    else:
        place = bisect_right(bases, piece.base)
        bases.insert(place, piece.base)
        lines.insert(place, _Line(base=piece.base, size=piece.size, pieces=[piece]))


def _near(lines: list[_Line], bases: list[float], piece: Piece, reach: float) -> list[_Line]:
    """Return the lines no farther above or below a piece than so many times its size. Type of other sizes reaches as far as three."""
    base, reach = piece.base, reach * piece.size
    return lines[bisect_left(bases, base - reach) : bisect_right(bases, base + reach)]


def _own_line(lines: list[_Line], piece: Piece) -> _Line | None:
    if len(lines) < 2:
        return lines[0] if lines else None
    return min(lines, key=lambda line: abs(line.base - piece.base))


def _host(lines: list[_Line], piece: Piece) -> _Line | None:
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


def _begins(lines: list[_Line], initial: Piece) -> bool:
    """Give a large initial to the first of the lines that it stands beside, if there is one."""
    for line in lines:
        high = initial.base - 0.9 * initial.size <= line.base <= initial.base + 0.2 * line.size
        near = -0.5 * line.size <= min(piece.left for piece in line.pieces) - initial.right <= 1.5 * line.size
        if high and near and initial.size >= _INITIAL * line.size:
            line.pieces.append(initial)
            return True
    return False


# -- wide gaps: borders of cells, or spaces of a loose line

_EVEN = 2.2  # the widest space of a stretched line against its narrowest: more of the stretch goes behind a full stop
_ALIGNED = 0.6  # of the borders of a row of a table, which stand below those of the row above
_TABLE = 3  # rows: fewer whose gaps stand below each other are no table
_AROUND = 4  # lines
_FLUSH = 0.2  # of the size of the type
_INDENT = 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Characters:
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

    def picked(self, places: "Integers | Flags") -> "_Characters":
        """Return some of them."""
        return _Characters(**{name: getattr(self, name)[places] for name in _Characters.__slots__})


def _without_stretched(row: _Characters, space: "Flags", wide: "Flags") -> "Flags":
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


def _are_below(row: _Characters, wide: "Flags", line: slice, other: slice) -> bool:
    """Whether most wide gaps of a line overlap one of another line."""
    import numpy as np  # noqa: PLC0415

    at, there = (np.flatnonzero(wide[part]) + part.start for part in (line, other))
    both = np.minimum(row.left[at + 1][:, None], row.left[there + 1]) - np.maximum(
        row.right[at][:, None], row.right[there]
    )
    return bool(len(there)) and float((both > 0).any(1).mean()) >= _ALIGNED


# -- scripts: accents on their letters, lines from right to left, one form of each letter

# Accents that are drawn as characters of their own, and the combining ones that they stand for.
_COMBINING = {
    0x5E: 0x302, 0x60: 0x300, 0x7E: 0x303, 0xA8: 0x308, 0xAF: 0x304, 0xB4: 0x301, 0xB8: 0x327, 0x2C6: 0x302, 0x2C7: 0x30C,
    0x2D8: 0x306, 0x2D9: 0x307, 0x2DA: 0x30A, 0x2DB: 0x328, 0x2DC: 0x303, 0x2DD: 0x30B,
}  # fmt: skip

_DOTLESS = {0x131: 0x69, 0x237: 0x6A}  # take the dot away again when they carry an accent
_MARKS = frozenset([*range(0x300, 0x370), *range(0x591, 0x5C8), *range(0x610, 0x61B), *range(0x64B, 0x660), 0x670])
_LEFTWARDS = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_FORMS = re.compile(
    "[\u2e80-\u2fd5\ufb00-\ufb06\ufb1d-\ufdfb\ufe70-\ufefc]+"
)  # radicals, ligatures, shapes of Arabic letters

# radicals that fonts give for characters, and whose characters Unicode does not give as their compatible forms
_RADICALS = str.maketrans(
    "⺁⺄⺅⺆⺇⺈⺉⺊⺌⺍⺎⺏⺐⺒⺓⺔⺕⺖⺘⺙⺛⺜⺝⺞⺟⺠⺡⺢⺣⺤⺥⺦⺧⺨⺩⺪⺫⺬⺭⺮⺯⺰⺱⺲⺶⺸⺹⺺⺻⺼⺽⺾⺿⻀⻁⻂⻃⻄⻅⻆"
    "⻇⻈⻉⻊⻋⻌⻍⻎⻏⻐⻑⻒⻓⻔⻕⻖⻗⻘⻙⻚⻛⻜⻝⻟⻠⻡⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻭⻮⻯⻰⻱⻲⻳",
    "厂乙亻冂几刀刂卜小小兀尣尢巳幺彑彐忄扌攵旡日月歺母民氵氺灬爫爫丬牛犭王疋目示礻竹糹纟罓罒羊羊耂肀聿肉臼艹艹艹虎衤覀西见角"
    "角讠贝足车辶辶辶邑钅長镸长门阜阝雨青韦页风飞食飠饣首马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟",
)  # fmt: skip

_RIGHTWARDS = re.compile(r"[^\W_]")
_LEFT, _RIGHT, _NEUTRAL = "R", "L", "N"


def plain(text: str) -> str:
    """Return a text with composed letters, and with letters for their shapes and ligatures."""
    text = _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text).translate(_RADICALS)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def as_read(seen: list[str], *, leftwards: bool) -> list[str]:
    """Return characters, given as seen from left to right, in the order in which they are read.

    Each item is what stands in one place: a letter with its marks, or the letters of a ligature. Words and numbers of the other
    direction keep their own order.
    """
    runs = list(_runs([_direction(item) for item in seen], _LEFT if leftwards else _RIGHT))
    if leftwards:
        runs.reverse()
    return [
        item
        for direction, start, end in runs
        for item in (seen[start:end][::-1] if direction == _LEFT else seen[start:end])
    ]


def _direction(item: str) -> str:
    if _LEFTWARDS.match(item):
        return _LEFT
    return _RIGHT if _RIGHTWARDS.match(item) else _NEUTRAL


def _runs(directions: list[str], outer: str) -> Iterator[tuple[str, int, int]]:
    """Cut a line in runs of one direction; what has none goes with its neighbours if they agree, else with the line."""
    settled = list(directions)
    strong = [place for place, direction in enumerate(directions) if direction != _NEUTRAL]
    previous = -1
    for place in [*strong, len(directions)]:
        before = directions[previous] if previous >= 0 else outer
        behind = directions[place] if place < len(directions) else outer
        settled[previous + 1 : place] = [before if before == behind else outer] * (place - previous - 1)
        previous = place
    start = 0
    for place in range(1, len(settled) + 1):
        if place == len(settled) or settled[place] != settled[start]:
            yield settled[start], start, place
            start = place


# -- words: characters in order of place, spaces where the distance or the file says so

_WORD_GAP = 0.13  # of the size of the type
_HAN_GAP = 0.6  # Han characters are set apart to fill a line
_CELL_GAP = 1.0
_OVERPRINT = 0.12
_WORD = 3  # letters: a number in bold is no heading
_RAISED = 0.15
_HAN = (0x2E80, 0xA000, 0xF900, 0xFB00, 0xFE30, 0xFE50, 0xFF00, 0xFFF0, 0x20000, 0x40000)
_LETTERSPACED = 0.07


def text_lines(lines: Sequence[_Line], ink: Ink, order: "Integers") -> list[TextLine]:
    """Return the lines as text. Lines without a character that means anything are left out."""
    import numpy as np  # noqa: PLC0415

    if not lines:
        return []
    row = _once(_placed(lines, ink, order))
    same = row.line[1:] == row.line[:-1]
    reached = np.maximum.accumulate(row.right + _FAR * row.line)
    gap = row.left[1:] + _FAR * row.line[1:] - reached[:-1]
    space = _spaces(row, same, gap)
    row, space, gap = _with_accents(row, space, gap)
    wide = space & (gap > _CELL_GAP * np.maximum(row.size[1:], row.size[:-1]))
    return list(_built(lines, row, space, _without_stretched(row, space, wide)))


def _placed(lines: Sequence[_Line], ink: Ink, order: "Integers") -> _Characters:
    """Sort the characters by line and place. Superscripts and subscripts stay together, each where it begins."""
    import numpy as np  # noqa: PLC0415

    line_of = np.full(len(order), -1, np.int64)
    key, raised = ink.left[order], np.zeros(len(order), np.bool_)
    for number, line in enumerate(lines):
        for piece in line.pieces:
            line_of[piece.first : piece.end] = number
        for piece, rise in line.attached:
            line_of[piece.first : piece.end] = number
            key[piece.first : piece.end] = piece.left
            raised[piece.first : piece.end] = rise > _RAISED * line.size
    sequence = np.lexsort((key, line_of))
    sequence = sequence[line_of[sequence] >= 0]
    at = order[sequence]
    return _Characters(
        code=ink.code[at],
        left=ink.left[at],
        right=np.maximum(ink.right[at], ink.left[at]),
        size=ink.size[at],
        line=line_of[sequence],
        raised=raised[sequence],
        bold=ink.bold[at],
        italic=ink.italic[at],
        order=ink.order[at],
        spaced=ink.spaced[at],
        object=ink.object[at],
    )


def _once(row: _Characters) -> _Characters:
    """Leave out characters that are printed over themselves to look bold."""
    import numpy as np  # noqa: PLC0415

    again = np.zeros(len(row.code), np.bool_)
    again[1:] = (
        (row.code[1:] == row.code[:-1])
        & (row.line[1:] == row.line[:-1])
        & (row.object[1:] != row.object[:-1])
        & (np.abs(row.left[1:] - row.left[:-1]) < _OVERPRINT * row.size[1:])
    )
    return row.picked(~again) if again.any() else row


def _spaces(row: _Characters, same: "Flags", gap: "Floats") -> "Flags":
    """Tell before which characters a space belongs: where they stand apart, and where the file has one."""
    import numpy as np  # noqa: PLC0415

    size = np.maximum(row.size[1:], row.size[:-1])
    step = row.order[1:] - row.order[:-1]
    given = ((step == 1) & row.spaced[1:]) | ((step == -1) & row.spaced[:-1])
    space = (gap > _WORD_GAP * size) | (given & (gap > -0.2 * size))
    # Sorted borders of the blocks: a code within a block has an odd number of borders up to it.
    han = np.searchsorted(np.array(_HAN), row.code, side="right") % 2 == 1
    both = han[1:] & han[:-1]
    apart = (gap > _HAN_GAP * size) | (given & (gap > 0.3 * size))
    space = ((space & ~both) | (apart & both)) & same
    _join_letterspaced(row, space, gap / size, same)
    return space


def _join_letterspaced(row: _Characters, space: "Flags", gap: "Floats", same: "Flags") -> None:
    """Take back the spaces within words whose letters are all set apart ("A B S T R A C T")."""
    import numpy as np  # noqa: PLC0415

    starts = np.flatnonzero(np.concatenate(([True], ~same)))
    apart = np.concatenate(([0], ((gap > _LETTERSPACED) & same).astype(np.int64)))
    counts = np.diff(starts, append=len(row.code))
    for number in np.flatnonzero(np.add.reduceat(apart, starts) > 0.75 * (counts - 1)):
        first, end = int(starts[number]), int(starts[number] + counts[number])
        inside = gap[first : end - 1]
        if len(inside) < 5 or not all(chr(code).isalpha() for code in row.code[first:end].tolist()):
            continue
        usual, most = np.quantile(inside, (0.5, 0.6))
        if usual < 0.6 and most - inside.min() < 0.12:
            space[first : end - 1] = inside > usual + max(0.15, 0.35 * usual)


def _with_accents(row: _Characters, space: "Flags", gap: "Floats") -> tuple[_Characters, "Flags", "Floats"]:
    """Put accents that are drawn by themselves behind the letter that they stand on, as combining marks."""
    import numpy as np  # noqa: PLC0415

    drawn = np.isin(row.code, [*_COMBINING, *_MARKS])
    if not drawn.any():
        return row, space, gap
    code, places = row.code.copy(), np.arange(len(row.code))
    space = space.copy()
    for at in np.flatnonzero(drawn).tolist():
        letter = max((at - 1, at + 1), key=lambda near: _overlap(row, at, near))
        if _overlap(row, at, letter) < 0.5:
            continue
        code[at] = _COMBINING.get(int(code[at]), int(code[at]))
        code[letter] = _DOTLESS.get(int(code[letter]), int(code[letter]))
        space[min(at, letter)] = False
        if letter > at:
            places[at], places[letter] = letter, at
    return replace(row, code=code).picked(places), space, gap


def _overlap(row: _Characters, accent: int, letter: int) -> float:
    """Return the share of the narrower one's width that an accent and a letter of its line have in common."""
    if not 0 <= letter < len(row.code) or row.line[letter] != row.line[accent] or not chr(row.code[letter]).isalpha():
        return 0.0
    common = min(row.right[accent], row.right[letter]) - max(row.left[accent], row.left[letter])
    narrow = min(row.right[accent] - row.left[accent], row.right[letter] - row.left[letter])
    return float(common / narrow) if narrow > 0 else float(common >= 0)


def _built(lines: Sequence[_Line], row: _Characters, space: "Flags", wide: "Flags") -> Iterator[TextLine]:
    import numpy as np  # noqa: PLC0415

    inserted = np.flatnonzero(space) + 1
    text = np.insert(row.code, inserted, 0x20).astype("<u4").tobytes().decode("utf-32-le")
    shift = np.concatenate(([0], np.cumsum(space)))  # spaces up to and before each character
    starts = np.flatnonzero(np.concatenate(([True], row.line[1:] != row.line[:-1])))
    begins = (starts + shift[starts]).tolist()
    bold, italic = (np.add.reduceat(flags.astype(np.int64), starts).tolist() for flags in (row.bold, row.italic))
    left, right = np.minimum.reduceat(row.left, starts).tolist(), np.maximum.reduceat(row.right, starts).tolist()
    smallest, largest = np.minimum.reduceat(row.size, starts).tolist(), np.maximum.reduceat(row.size, starts).tolist()
    counts = np.diff(starts, append=len(row.code)).tolist()
    cuts = np.flatnonzero(wide) + 1
    borders = np.searchsorted(cuts, [*starts.tolist(), len(row.code)])
    numbers: list[int] = row.line[starts].tolist()
    for place, number in enumerate(numbers):
        line, start = lines[number], int(starts[place])
        end, begin = start + counts[place], begins[place]
        within = cuts[borders[place] : borders[place + 1]].tolist()
        whole = Cell(
            start=0, end=end - start + int(shift[end - 1] - shift[start]), left=left[place], right=right[place]
        )
        built = TextLine(
            text=text[begin : begins[place + 1] if place + 1 < len(begins) else len(text)],
            left=left[place],
            top=line.base - 0.75 * line.size,
            right=right[place],
            bottom=line.base + 0.22 * line.size,
            size=largest[place] if largest[place] == smallest[place] else float(np.median(row.size[start:end])),
            bold=2 * bold[place] > counts[place],
            italic=2 * italic[place] > counts[place],
            lead=_lead(row, shift - begin, start, end) if 0 < bold[place] < counts[place] else 0,
            cells=_cells(row, shift - begin, start, end, within) if within else [whole],
            raised=_raised(row, shift - begin, start, end) if line.attached else [],
        )
        if _LEFTWARDS.search(built.text):
            _turn_round(built, _joined(row, shift - begin, start, end))
        else:
            _finish(built)
        yield built


def _cells(row: _Characters, shift: "Integers", start: int, end: int, cuts: list[int]) -> list[Cell]:
    return [
        Cell(
            start=int(first + shift[first]),
            end=int(last + shift[last - 1]),
            left=float(row.left[first:last].min()),
            right=float(row.right[first:last].max()),
        )
        for first, last in zip([start, *cuts], [*cuts, end], strict=True)
    ]


def _lead(row: _Characters, shift: "Integers", start: int, end: int) -> int:
    """Return where bold letters end that begin the line, if none follow: 0 if it is not set so."""
    import numpy as np  # noqa: PLC0415

    turn = start + int(np.argmin(row.bold[start:end]))
    if (
        turn == start
        or row.bold[turn:end].any()
        or sum(chr(code).isalpha() for code in row.code[start:turn].tolist()) < _WORD
    ):
        return 0
    return int(turn + shift[turn])


def _raised(row: _Characters, shift: "Integers", start: int, end: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for place in range(start, end):
        if row.raised[place]:
            at = int(place + shift[place])
            if found and at <= found[-1][1] + 1 and row.raised[place - 1]:
                found[-1] = (found[-1][0], at + 1)
            else:
                found.append((at, at + 1))
    return found


def _finish(line: TextLine) -> None:
    """Compose letters, and show hyphens within a line as what they look like."""
    if "\xad" in line.text[:-1]:
        line.text = line.text[:-1].replace("\xad", "-") + line.text[-1]
    # whether `plain` would leave it as it is
    if not (line.text.isascii() or (unicodedata.is_normalized("NFC", line.text) and not _FORMS.search(line.text))):
        whole = line.text
        line.text, line.lead = plain(whole), len(plain(whole[: line.lead]))
        line.raised = [(len(plain(whole[:start])), len(plain(whole[:end]))) for start, end in line.raised]
        for cell in line.cells:
            cell.start, cell.end = len(plain(whole[: cell.start])), len(plain(whole[: cell.end]))


def _turn_round(line: TextLine, joined: set[int]) -> None:
    """Put a line of a right-to-left script in the order in which it is read. What is raised in it is not kept."""
    # whether most of its letters belong to a script that is read from right to left
    letters = sum(character.isalpha() for character in line.text)
    leftwards = 2 * len(_LEFTWARDS.findall(line.text)) > letters
    text, line.raised = "", []
    cells = line.cells[::-1] if leftwards else line.cells
    for cell in cells:
        places: list[str] = []
        for at in range(cell.start, cell.end):
            if at in joined and places:
                places[-1] += line.text[at]
            else:
                places.append(line.text[at])
        read = plain("".join(as_read(places, leftwards=leftwards)))
        cell.start = len(text) + bool(text)
        text = f"{text} {read}" if text else read
        cell.end = len(text)
    line.text, line.cells = text, cells


def _joined(row: _Characters, shift: "Integers", start: int, end: int) -> set[int]:
    """Return which characters share the place of the one before: marks, and the letters of a ligature."""
    return {
        int(place + shift[place])
        for place in range(start + 1, end)
        if int(row.code[place]) in _MARKS
        or (
            row.object[place] == row.object[place - 1]
            and row.left[place] == row.left[place - 1]
            and row.right[place] == row.right[place - 1]
        )
    }
