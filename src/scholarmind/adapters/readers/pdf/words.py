"""The text of lines: characters in order of place, spaces where the distance or the file says so, marks on their letters."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from scholarmind.adapters.readers.pdf.lines import Line
from scholarmind.adapters.readers.pdf.page import Cell, TextLine
from scholarmind.adapters.readers.pdf.pieces import Ink
from scholarmind.adapters.readers.pdf.rows import Row, without_stretched
from scholarmind.adapters.readers.pdf.script import (
    COMBINING,
    DOTLESS,
    LEFTWARDS,
    MARKS,
    as_read,
    is_plain,
    plain,
    runs_leftwards,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

_WORD_GAP = 0.13  # of the size of the type
_HAN_GAP = 0.6  # Han characters are set apart to fill a line
_CELL_GAP = 1.0
_OVERPRINT = 0.12
_WORD = 3  # letters: a number in bold is no heading
_RAISED = 0.15
_FAR = 1e6  # points: more than a page is wide
_HAN = (0x2E80, 0xA000, 0xF900, 0xFB00, 0xFE30, 0xFE50, 0xFF00, 0xFFF0, 0x20000, 0x40000)
_LETTERSPACED = 0.07


def text_lines(lines: Sequence[Line], ink: Ink, order: "Integers") -> list[TextLine]:
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
    return list(_built(lines, row, space, without_stretched(row, space, wide)))


def _placed(lines: Sequence[Line], ink: Ink, order: "Integers") -> Row:
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
    return Row(
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


def _once(row: Row) -> Row:
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


def _spaces(row: Row, same: "Flags", gap: "Floats") -> "Flags":
    """Tell before which characters a space belongs: where they stand apart, and where the file has one."""
    import numpy as np  # noqa: PLC0415

    size = np.maximum(row.size[1:], row.size[:-1])
    step = row.order[1:] - row.order[:-1]
    given = ((step == 1) & row.spaced[1:]) | ((step == -1) & row.spaced[:-1])
    space = (gap > _WORD_GAP * size) | (given & (gap > -0.2 * size))
    han = _is_han(row.code)
    both = han[1:] & han[:-1]
    apart = (gap > _HAN_GAP * size) | (given & (gap > 0.3 * size))
    space = ((space & ~both) | (apart & both)) & same
    _join_letterspaced(row, space, gap / size, same)
    return space


def _join_letterspaced(row: Row, space: "Flags", gap: "Floats", same: "Flags") -> None:
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


def _with_accents(row: Row, space: "Flags", gap: "Floats") -> tuple[Row, "Flags", "Floats"]:
    """Put accents that are drawn by themselves behind the letter that they stand on, as combining marks."""
    import numpy as np  # noqa: PLC0415

    drawn = np.isin(row.code, [*COMBINING, *MARKS])
    if not drawn.any():
        return row, space, gap
    code, places = row.code.copy(), np.arange(len(row.code))
    space = space.copy()
    for at in np.flatnonzero(drawn).tolist():
        letter = max((at - 1, at + 1), key=lambda near: _overlap(row, at, near))
        if _overlap(row, at, letter) < 0.5:
            continue
        code[at] = COMBINING.get(int(code[at]), int(code[at]))
        code[letter] = DOTLESS.get(int(code[letter]), int(code[letter]))
        space[min(at, letter)] = False
        if letter > at:
            places[at], places[letter] = letter, at
    return replace(row, code=code).picked(places), space, gap


def _overlap(row: Row, accent: int, letter: int) -> float:
    """Return the share of the narrower one's width that an accent and a letter of its line have in common."""
    if not 0 <= letter < len(row.code) or row.line[letter] != row.line[accent] or not chr(row.code[letter]).isalpha():
        return 0.0
    common = min(row.right[accent], row.right[letter]) - max(row.left[accent], row.left[letter])
    narrow = min(row.right[accent] - row.left[accent], row.right[letter] - row.left[letter])
    return float(common / narrow) if narrow > 0 else float(common >= 0)


def _is_han(code: "Integers") -> "Flags":
    import numpy as np  # noqa: PLC0415

    # Sorted borders of the blocks: a code within a block has an odd number of borders up to it.
    return np.searchsorted(np.array(_HAN), code, side="right") % 2 == 1


def _built(lines: Sequence[Line], row: Row, space: "Flags", wide: "Flags") -> Iterator[TextLine]:
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
        if LEFTWARDS.search(built.text):
            _turn_round(built, _joined(row, shift - begin, start, end))
        else:
            _finish(built)
        yield built


def _cells(row: Row, shift: "Integers", start: int, end: int, cuts: list[int]) -> list[Cell]:
    return [
        Cell(
            start=int(first + shift[first]),
            end=int(last + shift[last - 1]),
            left=float(row.left[first:last].min()),
            right=float(row.right[first:last].max()),
        )
        for first, last in zip([start, *cuts], [*cuts, end], strict=True)
    ]


def _lead(row: Row, shift: "Integers", start: int, end: int) -> int:
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


def _raised(row: Row, shift: "Integers", start: int, end: int) -> list[tuple[int, int]]:
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
    if not is_plain(line.text):
        whole = line.text
        line.text, line.lead = plain(whole), len(plain(whole[: line.lead]))
        line.raised = [(len(plain(whole[:start])), len(plain(whole[:end]))) for start, end in line.raised]
        for cell in line.cells:
            cell.start, cell.end = len(plain(whole[: cell.start])), len(plain(whole[: cell.end]))


def _turn_round(line: TextLine, joined: set[int]) -> None:
    """Put a line of a right-to-left script in the order in which it is read. What is raised in it is not kept."""
    leftwards = runs_leftwards(line.text)
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


def _joined(row: Row, shift: "Integers", start: int, end: int) -> set[int]:
    """Return which characters share the place of the one before: marks, and the letters of a ligature."""
    return {
        int(place + shift[place])
        for place in range(start + 1, end)
        if int(row.code[place]) in MARKS
        or (
            row.object[place] == row.object[place - 1]
            and row.left[place] == row.left[place - 1]
            and row.right[place] == row.right[place - 1]
        )
    }
