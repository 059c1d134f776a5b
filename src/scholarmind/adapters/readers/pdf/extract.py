"""One page of a PDF as lines in reading order: characters upright, in pieces, columns and lines, one direction after the other.

The characters are those that pdfium knows. What the lines are (headings, tables, footnotes) is no matter of this module."""

import ctypes
import math
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any

from scholarmind.adapters.readers.pdf.drawn_signs import drawn_sign, may_be_other
from scholarmind.adapters.readers.pdf.lines import Ink, cut_pieces, join_lines, text_lines
from scholarmind.adapters.readers.pdf.page import Cell, Frame, TextLine, TextPage, turn_back
from scholarmind.adapters.readers.pdf.page_columns import in_order

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]
    import numpy as np
    import numpy.typing as npt
    import pypdfium2 as pdfium  # pyright: ignore[reportMissingTypeStubs]

    Integers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

# -- the characters of a page as pdfium knows them (code, box, base line, size, font), and how much of the page is pictures

# Whole arrays, since calls by character cost most: what is the same for all characters of a text object is asked once, and what belongs
# to which object is asked at the ends of lines and words only.

# -- pdfium without types: a call through pypdfium2 takes a microsecond, most of it to make Python's numbers into C's, and a dense page
# needs twenty thousand. The address of the page's text is made once, those of the rows that are filled once for all pages

_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int
_UNTYPED = {
    "FPDFText_GetUnicode": ctypes.c_uint,
    "FPDFText_GetTextObject": ctypes.c_ssize_t,
    "FPDFText_GetLooseCharBox": _NUMBER,
    "FPDFText_GetCharBox": _NUMBER,
    "FPDFText_GetCharOrigin": _NUMBER,
    "FPDFText_GetMatrix": _NUMBER,
    "FPDFText_GetFontSize": ctypes.c_double,
    "FPDFText_IsGenerated": _NUMBER,
    "FPDFText_HasUnicodeMapError": _NUMBER,
    "FPDFPage_GetObject": ctypes.c_ssize_t,
}

_TYPED: dict[str, tuple[Any, ...]] = {
    "FPDFTextObj_GetFont": (_POINTER, _POINTER),
    "FPDFTextObj_GetTextRenderMode": (_NUMBER, _POINTER),
    "FPDFFont_GetBaseFontName": (ctypes.c_size_t, _POINTER, _POINTER, ctypes.c_size_t),
    "FPDFFont_GetFlags": (_NUMBER, _POINTER),
    "FPDFFont_GetGlyphWidth": (_NUMBER, _POINTER, ctypes.c_uint, ctypes.c_float, _POINTER),
    "FPDFPageObj_GetType": (_NUMBER, _POINTER),
}

_ROWS, _WIDTH = 4096, 32  # rows that are filled at once, and their bytes: the longest has four doubles


def native() -> Any:
    """Return pdfium's functions, which are loaded when the first PDF is read."""
    from pypdfium2 import raw  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    return raw


@cache
def calls() -> dict[str, Callable[..., Any]]:
    """Return the functions that are called often: those of objects and fonts take plain numbers for pointers."""
    raw = native()
    kinds: dict[str, tuple[Any, ...]] = {name: (kind,) for name, kind in _UNTYPED.items()}
    # A prototype of nothing but a result leaves the arguments as they are given.
    return {
        name: ctypes.PYFUNCTYPE(*kind)(ctypes.cast(getattr(raw, name), _POINTER).value or 0)
        for name, kind in (kinds | _TYPED).items()
    }


class _Rows(threading.local):
    """Room that functions write to, one for each thread, and the addresses of its rows."""

    def __init__(self) -> None:
        self.room = ctypes.create_string_buffer(_ROWS * _WIDTH)
        self.addresses = [
            [ctypes.byref(self.room, _WIDTH * row + shift) for row in range(_ROWS)] for shift in (0, 8, 16, 24)
        ]


_rows = cache(_Rows)


class _NativeQueries:
    """A page (an FPDF_PAGE) that is asked about many of its objects at once, or its text (an FPDF_TEXTPAGE) about its characters."""

    def __init__(self, whole: object) -> None:
        self.whole = whole
        self._handle: Any = _POINTER.from_param(ctypes.cast(whole, _POINTER).value)  # pyright: ignore[reportArgumentType]

    def values(self, name: str, indices: Sequence[int], kind: "npt.DTypeLike") -> Any:
        """Return what a function returns for each of them."""
        import numpy as np  # noqa: PLC0415

        return np.fromiter(map(calls()[name], repeat(self._handle), indices), kind, len(indices))

    def rows(self, name: str, indices: Sequence[int], kind: "npt.DTypeLike", shape: tuple[int, int]) -> Any:
        """Return what a function writes for each of them; `shape`: to how many places, and how many numbers in all."""
        import numpy as np  # noqa: PLC0415

        pointers, numbers = shape
        rows, function = _rows(), calls()[name]
        room: Any = np.frombuffer(memoryview(rows.room), kind).reshape(_ROWS, -1)
        found = np.empty((len(indices), numbers), kind)
        for start in range(0, len(indices), _ROWS):
            some = indices[start : start + _ROWS]
            room[: len(some)] = 0
            deque(map(function, repeat(self._handle), some, *rows.addresses[:pointers]), maxlen=0)
            found[start : start + len(some)] = room[: len(some), :numbers]
        return found


# -- characters

_MOST_CHARACTERS = 200_000  # of a page; what is beyond is no text that anybody reads
_SAMPLE = 600  # characters that are asked whether their font knows what they mean
_BOLD = re.compile(r"bold|black|heavy|demi|-medi|medi$|cmb|sfb[fx]|\bbd\b|-bd", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obliq|slant|cmti|cmsl|sfti|sfsl|-it\b", re.IGNORECASE)
_HANGING = re.compile(r"cmex|mathext|exten|esint|mnsymbole|[tp]xex|wasyext", re.IGNORECASE)
_FLAG_ITALIC, _FLAG_BOLD = 1 << 6, 1 << 18
_SPACES = (*range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)  # and those which everybody knows
_UNEVEN = 0.05  # points
_INKED = 0.85  # small letters are no higher against tall ones, if boxes are of the ink
_LOWEST, _HIGHEST = 0.7, 1.4  # how far a size may be from what its letters look like
_LARGEST = 2.5
_LEANS = 0.05
_OVER = 2.0  # times the size: less may be an overhang
_WHITE = 255
_TINY = 2.0  # points
_FEWEST_STEPS = 4
_HYPHEN = 2  # what pdfium makes of a hyphen that ends a line
_OBJECT = "FPDFText_GetTextObject"
_STROKED = 2  # render mode: filled and stroked, a way to fake bold type


@dataclass(frozen=True, slots=True, kw_only=True)
class Glyphs:
    """Characters in the order of the file. Boxes are in the file's own coordinates (y upwards): around ink and advance width both."""

    code: "Integers"
    boxes: "Floats"  # left, bottom, right, top
    origin: "Floats"  # x and y of a point on the base line
    size: "Floats"  # as shown
    advance: (
        "Floats"  # how far the next character stands from the origin, where the font says so; much where it does not
    )
    direction: "Integers"  # quarter turns counter-clockwise of the line's direction; -1 askew
    object: "Integers"  # which text object it is from
    bold: "Flags"
    italic: "Flags"
    spaces: "Integers"  # how many spaces the file has before it, all in all; those which pdfium thought up are left out
    unreadable: float
    cut: bool

    def __len__(self) -> int:
        return len(self.code)

    def picked(self, kept: "Flags") -> "Glyphs":
        """Return some of them."""
        return replace(self, **{name: getattr(self, name)[kept] for name in _OF_CHARACTERS})


_OF_CHARACTERS = ("code", "boxes", "origin", "size", "advance", "direction", "object", "bold", "italic", "spaces")


@dataclass(frozen=True, slots=True)
class _Font:
    pointer: int
    bold: bool
    italic: bool
    hanging: bool  # big operators and brackets, which hang from their base line


@dataclass(frozen=True, slots=True, kw_only=True)
class _TextObjects:
    """Text objects, by what their first characters tell."""

    origin: "Floats"
    size: "Floats"
    width: "Floats"  # the same along the line: type may be stretched
    direction: "Integers"
    slanted: "Flags"  # upright letters that the file leans over: their boxes are wider than they are
    font: "Integers"  # number of its font
    fonts: list[_Font]

    def marked(self, name: str, piece: "Integers") -> "Flags":
        """Return for each character whether its font has a property, given the numbers of the characters' objects."""
        import numpy as np  # noqa: PLC0415

        return np.array([getattr(font, name) for font in self.fonts], np.bool_)[self.font][piece]


def read_glyphs(text_page: object, most: int = _MOST_CHARACTERS) -> Glyphs:
    """Read the characters of a text page (an FPDF_TEXTPAGE), `most` of them, those without ink left out."""
    import numpy as np  # noqa: PLC0415 - takes a tenth of a second

    asked = _NativeQueries(text_page)
    there: int = max(0, native().FPDFText_CountChars(text_page))
    count = min(there, most)
    code = _codes(asked, count)
    space, end = _is_space(code), (code == 0x0A) | (code == 0x0D)
    ends = np.flatnonzero(end)  # what pdfium did not think up is a ligature: TeX has some there
    end[ends] = asked.values("FPDFText_IsGenerated", ends.tolist(), np.int64) == 1
    kept = np.flatnonzero(~(space | end))
    objects = _objects(asked, kept, code, end)
    if not objects.all():
        kept, objects = kept[objects != 0], objects[objects != 0]
    spaces = np.flatnonzero(space)
    given = spaces[asked.values("FPDFText_IsGenerated", spaces.tolist(), np.int64) == 0]
    found = _assembled(asked, kept, code[kept], objects, np.searchsorted(given, kept), cut=there > count)
    hidden = _hidden(found, objects)
    return found if hidden is None else found.picked(~hidden)


def _hidden(glyphs: Glyphs, objects: "Integers") -> "Flags | None":
    """Return which characters are white below others: captions are printed so for programs to find. None where nothing overlaps."""
    import numpy as np  # noqa: PLC0415

    starts = np.flatnonzero(np.diff(glyphs.object, prepend=-1))
    if len(starts) < 2:
        return None
    row, left = np.rint(glyphs.origin[starts, 1]), np.minimum.reduceat(glyphs.boxes[:, 0], starts)
    right = np.maximum.reduceat(glyphs.boxes[:, 2], starts)
    order = np.lexsort((left, row))
    over = np.minimum(right[order[1:]], right[order[:-1]]) - left[order[1:]] > _OVER * glyphs.size[starts[order[1:]]]
    over &= row[order[1:]] == row[order[:-1]]
    if not over.any():
        return None
    pairs = [(a, b) for at in np.flatnonzero(over).tolist() for a, b in (order[at : at + 2], order[at : at + 2][::-1])]
    white = [_is_white(int(objects[starts[piece]])) for piece, _ in pairs]
    gone = [a for (a, b), it in zip(pairs, white, strict=True) if it and not _is_white(int(objects[starts[b]]))]
    if not gone:
        return None
    rows = np.flatnonzero(np.isin(row, row[gone]))  # what goes on beyond the letters above it
    along = [glyphs.object[starts[piece]] for piece in rows.tolist() if _is_white(int(objects[starts[piece]]))]
    return np.isin(glyphs.object, along)


def _is_white(pointer: int) -> bool:
    raw = native()
    parts = [ctypes.c_uint() for _ in range(4)]
    told = raw.FPDFPageObj_GetFillColor(ctypes.cast(pointer, raw.FPDF_PAGEOBJECT), *parts)
    return bool(told) and all(part.value == _WHITE for part in parts[:3])


def _codes(asked: _NativeQueries, count: int) -> "Integers":
    """Return the character codes: all at once, or one by one where pdfium's text skips some or has two units for one."""
    import numpy as np  # noqa: PLC0415

    units = np.zeros(2 * count + 2, np.uint16)
    place = ctypes.cast(int(units.ctypes.data), ctypes.POINTER(ctypes.c_ushort))
    written: int = native().FPDFText_GetText(asked.whole, 0, count, place) if count else 0
    if written - 1 == count:
        return units[:count].astype(np.int64)
    return asked.values("FPDFText_GetUnicode", range(count), np.int64)


def _is_space(code: "Integers") -> "Flags":
    import numpy as np  # noqa: PLC0415

    low = (code == 0x20) | (code == 0xA0) | (code == 0x09)
    return low | np.isin(code, _SPACES) if int(code.max(initial=0)) >= _SPACES[0] else low


def _objects(asked: _NativeQueries, kept: "Integers", code: "Integers", end: "Flags") -> "Integers":
    """Return the text object of each character. Where both ends of a line, or else of a word, are of one, so is what is between.

    Not so where pdfium has turned round what runs from right to left.
    """
    import numpy as np  # noqa: PLC0415

    found = np.zeros(len(kept), np.int64)
    leftwards = (
        ((code >= 0x590) & (code < 0x900)) | ((code >= 0xFB1D) & (code < 0xFE00)) | ((code >= 0xFE70) & (code < 0xFEFD))
    )
    lines, words = np.cumsum(end)[kept], kept - np.arange(len(kept))
    for group in () if leftwards.any() else (lines, words):
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        counts = np.diff(starts, append=len(group))
        starts, counts = starts[found[starts] == 0], counts[found[starts] == 0]
        first = asked.values(_OBJECT, kept[starts].tolist(), np.int64)
        last = asked.values(_OBJECT, kept[starts + counts - 1].tolist(), np.int64)
        found[found == 0] = np.repeat(np.where(first == last, first, 0), counts)
    rest = np.flatnonzero(found == 0)
    found[rest] = asked.values(_OBJECT, kept[rest].tolist(), np.int64)
    return found


def _assembled(
    asked: _NativeQueries, kept: "Integers", code: "Integers", objects: "Integers", spaces: "Integers", *, cut: bool
) -> Glyphs:
    import numpy as np  # noqa: PLC0415

    places: list[int] = kept.tolist()
    boxes = asked.rows("FPDFText_GetLooseCharBox", places, np.float32, (1, 4))  # FS_RECTF: left, top, right, bottom
    boxes = boxes[:, [0, 3, 2, 1]].astype(np.float64)
    # A text object may be cut in pieces by a line break; what is asked once a piece holds for all of it.
    fresh = np.diff(objects, prepend=0) != 0
    firsts, piece = np.flatnonzero(fresh), np.cumsum(fresh) - 1
    of = _pieces(asked, kept[firsts].tolist(), objects[firsts].tolist())
    origin, inked = _origins(asked, places, boxes, (firsts, piece), of)
    code, advance = _advances(code, piece, origin, of)
    size = of.size[piece]
    # A box wider than the advance is one of overhanging ink, or the font tells the advance of another letter: then the ink is narrower.
    upright = (of.direction == 0) & ~of.slanted
    wide = np.flatnonzero(upright[piece] & (boxes[:, 2] - origin[:, 0] - advance > _UNEVEN))
    ink = asked.rows("FPDFText_GetCharBox", kept[wide].tolist(), np.float64, (4, 4))  # left, right, bottom, top
    advance[wide[ink[:, 1] < boxes[wide, 2] - _UNEVEN]] = math.inf
    if inked:
        _measure(code, boxes, origin, size, advance, (piece, of))
    if any(font.hanging for font in of.fonts):
        hanging = np.flatnonzero(of.marked("hanging", piece))
        tight = asked.rows(
            "FPDFText_GetCharBox", kept[hanging].tolist(), np.float64, (4, 4)
        )  # left, right, bottom, top
        # Big operators are put on the line that they are centred on; their own base line is far above their ink.
        origin[hanging, 1] = (tight[:, 2] + tight[:, 3]) / 2 - 0.25 * of.size[piece[hanging]]
        boxes[hanging, 1], boxes[hanging, 3] = tight[:, 2], tight[:, 3]
    return Glyphs(
        code=code,
        boxes=boxes,
        origin=origin,
        size=size,
        advance=advance,
        direction=of.direction[piece],
        object=piece,
        bold=of.marked("bold", piece),
        italic=of.marked("italic", piece),
        spaces=spaces,
        unreadable=_unreadable(asked, places, code),
        cut=cut,
    )


def _origins(
    asked: _NativeQueries, places: list[int], boxes: "Floats", objects: "tuple[Integers, Integers]", of: _TextObjects
) -> "tuple[Floats, bool]":
    """Return a point on the base line of each character, from that of its object's first one where boxes stand in line.

    They do not where a font has no heights, as those that are pictures (Type 3): then the boxes are of the ink.
    """
    import numpy as np  # noqa: PLC0415

    firsts, piece = objects
    low = np.where((of.direction % 2 == 0)[piece], boxes[:, 1], boxes[:, 0])
    if np.abs(low - low[firsts][piece]).max(initial=0) > _UNEVEN:
        return asked.rows("FPDFText_GetCharOrigin", places, np.float64, (2, 2)), True
    return boxes[:, :2] + (of.origin - boxes[firsts, :2])[piece], False


def _measure(
    code: "Integers",
    boxes: "Floats",
    origin: "Floats",
    size: "Floats",
    advance: "Floats",
    objects: "tuple[Integers, _TextObjects]",
) -> None:
    """Measure what fonts of pictures do not tell: the size of the type by its letters, their advance by the steps from one to the next.

    Letters without ascenders are about .44 of their size high, others .69.
    """
    import numpy as np  # noqa: PLC0415

    piece, of = objects
    font, height = of.font[piece], boxes[:, 3] - origin[:, 1]
    upright = (of.direction[piece] == 0) & (height > 0)
    small = upright & np.isin(code, [*map(ord, "acegmnopqrsuvwxyz")])
    tall = upright & np.isin(code, [*map(ord, "bdfhklABCDEFGHIKLMNOPRSTUVWXYZ0123456789")])
    step = np.append(np.diff(origin[:, 0]), 0.0)
    follows = np.append(piece[1:] == piece[:-1], False) & upright & (step > 0) & np.isfinite(advance)
    for number in range(len(of.fonts)):
        own = font == number
        low, high = (height[own & kind] for kind in (small, tall))
        if not len(low) + len(high):
            if (any_ := height[own & upright]).any() and size[own].max() < _TINY:
                size[own] = np.median(any_) / 0.69
            continue
        measured = float(np.median(high) / 0.69 if len(high) else np.median(low) / 0.44)
        inked = len(low) and len(high) and np.median(low) < _INKED * np.median(high)
        if not inked and measured < _LARGEST * size[own].max():
            continue  # boxes of the font's height, which some letters exceed
        if not _LOWEST < size[own].mean() / measured < _HIGHEST:
            size[own] = measured
        steps = own & follows
        ratio = float(np.median(step[steps] / advance[steps])) if steps.sum() >= _FEWEST_STEPS else math.inf
        advance[own] *= ratio
        known = own & upright & np.isfinite(advance)
        boxes[known, 0], boxes[known, 2] = origin[known, 0], origin[known, 0] + advance[known]


def _advances(code: "Integers", piece: "Integers", origin: "Floats", of: _TextObjects) -> "tuple[Integers, Floats]":
    """Return what each character is, and its advance width. The letters of a ligature share its place, and have none of their own."""
    import numpy as np  # noqa: PLC0415

    ask, room = calls()["FPDFFont_GetGlyphWidth"], ctypes.c_float()
    address = ctypes.addressof(room)
    kinds, which = np.unique(of.font[piece] << 21 | code & 0x1FFFFF, return_inverse=True)
    widths: list[float] = []
    drawn: dict[int, int] = {}
    numbers: list[int] = kinds.tolist()
    for place, kind in enumerate(numbers):
        font, sign = of.fonts[kind >> 21].pointer, kind & 0x1FFFFF
        known = ask(font, sign, 1.0, address)
        widths.append(room.value if known and room.value > 0 else math.inf)
        if known and may_be_other(sign, room.value) and (other := drawn_sign(native(), font, sign)) != sign:
            drawn[place] = other
    found = np.array(widths)[which] * of.width[piece]
    same = (piece[1:] == piece[:-1]) & (origin[1:] == origin[:-1]).all(1)
    found[:-1][same] = math.inf
    found[1:][same] = math.inf
    for place, other in drawn.items():
        code = np.where(which == place, other, code)
    return code, found


def _pieces(asked: _NativeQueries, firsts: list[int], objects: list[int]) -> _TextObjects:
    """Return base line, size, direction and font of each text object, from its first character."""
    import numpy as np  # noqa: PLC0415

    call = calls()
    matrix = asked.rows("FPDFText_GetMatrix", firsts, np.float32, (1, 6))
    size = asked.values("FPDFText_GetFontSize", firsts, np.float64)
    width = np.abs(size) * np.hypot(matrix[:, 0], matrix[:, 1])
    size = np.abs(size) * np.hypot(matrix[:, 2], matrix[:, 3])
    angle = np.degrees(np.arctan2(matrix[:, 1].astype(np.float64), matrix[:, 0].astype(np.float64)))
    turns = np.rint(angle / 90)
    pointers, modes = map(call["FPDFTextObj_GetFont"], objects), map(call["FPDFTextObj_GetTextRenderMode"], objects)
    used = [(pointer or 0, mode == _STROKED) for pointer, mode in zip(pointers, modes, strict=True)]
    numbers = {font: number for number, font in enumerate(dict.fromkeys(used))}
    return _TextObjects(
        origin=asked.rows("FPDFText_GetCharOrigin", firsts, np.float64, (2, 2)),
        size=np.maximum(size, 0.5),
        width=width,
        slanted=np.abs(matrix[:, 2]) > _LEANS * np.abs(matrix[:, 3]),
        direction=np.where(np.abs(angle - 90 * turns) <= 3, turns % 4, -1).astype(np.int64),
        font=np.array([numbers[font] for font in used], np.int64),
        fonts=[_font(pointer, stroked=stroked) for pointer, stroked in numbers],
    )


def _font(pointer: int, *, stroked: bool) -> _Font:
    name, flags = "", 0
    if pointer:
        call, room = calls(), ctypes.create_string_buffer(256)
        call["FPDFFont_GetBaseFontName"](pointer, ctypes.addressof(room), 256)
        name, flags = room.value.decode("utf-8", "replace"), max(0, call["FPDFFont_GetFlags"](pointer))
    return _Font(
        pointer=pointer,
        bold=stroked or bool(_BOLD.search(name)) or bool(flags & _FLAG_BOLD),
        italic=bool(_ITALIC.search(name)) or (bool(flags & _FLAG_ITALIC) and "MI" not in name),
        hanging=bool(_HANGING.search(name)),
    )


def _unreadable(asked: _NativeQueries, places: list[int], code: "Integers") -> float:
    """Return the share of characters that have no Unicode value, by a sample."""
    import numpy as np  # noqa: PLC0415

    if not places:
        return 0.0
    step = max(1, len(places) // _SAMPLE)
    code = code[::step]
    private = ((code >= 0xE000) & (code < 0xF900)) | (code >= 0xF0000)
    bad = private | ((code < 0x20) & (code != _HYPHEN)) | (code == 0xFFFD)
    wrong = asked.values("FPDFText_HasUnicodeMapError", places[::step], np.int64) == 1
    return float((wrong | bad).mean())


# -- pictures

_MOST_OBJECTS = 20_000  # that are looked at; a drawing may have millions
_DEPTH = 3


def share_of_pictures(page: object, area: float) -> float:
    """Return the share of a page (an FPDF_PAGE) that is covered by images; those which overlap count twice, up to all of it."""
    import numpy as np  # noqa: PLC0415

    raw = native()
    count = min(max(0, raw.FPDFPage_CountObjects(page)), _MOST_OBJECTS)
    objects: list[int] = _NativeQueries(page).values("FPDFPage_GetObject", range(count), np.int64).tolist()
    kinds = zip(objects, map(calls()["FPDFPageObj_GetType"], objects), strict=True)
    closer = [found for found, kind in kinds if kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM)]
    covered = sum(_covered(ctypes.cast(found, raw.FPDF_PAGEOBJECT), 1.0, _DEPTH) for found in closer)
    return min(1.0, covered / area) if area > 0 else 0.0


def _covered(found: Any, scale: float, depth: int) -> float:
    """Return the area of an image, or of the images within a form, whose own measure is `scale` times smaller than the page's."""
    raw = native()
    kind = raw.FPDFPageObj_GetType(found)
    if kind == raw.FPDF_PAGEOBJ_IMAGE:
        sides = [ctypes.c_float() for _ in range(4)]
        if not raw.FPDFPageObj_GetBounds(found, *sides):
            return 0.0
        left, bottom, right, top = (side.value for side in sides)
        return scale * max(0.0, right - left) * max(0.0, top - bottom)
    if kind != raw.FPDF_PAGEOBJ_FORM or not depth:
        return 0.0
    matrix = raw.FS_MATRIX()
    if raw.FPDFPageObj_GetMatrix(found, matrix):
        scale *= abs(matrix.a * matrix.d - matrix.b * matrix.c)
    count = min(max(0, raw.FPDFFormObj_CountObjects(found)), _MOST_OBJECTS // 10)
    return sum(_covered(raw.FPDFFormObj_GetObject(found, index), scale, depth - 1) for index in range(count))


# -- lines out of characters

# -- the visible characters of one direction, turned upright and made plain

_HYPHENS = (0x02, 0xFFFE, 0x2010, 0x2011)  # the first two are what pdfium makes of a hyphen that ends a line
_NOTHING = (0x200B, 0x2060, 0xFEFF)
_UNKNOWN = 0xFFFD
_FIRST_LIGATURE, _FIRST_OF_CORK = (
    0x0B,
    0x1B,
)  # of five that TeX's fonts have there, in Unicode's order: ff, fi, fl, ffi, ffl

_SURROGATES = 0xD800
_SOFT_HYPHEN = 0xAD
_INK = 0.5  # of a box at least is its own: some fonts tell wrong widths


def _ink_of(glyphs: Glyphs, frame: Frame, direction: int) -> Ink:
    """Return the characters that run in a direction and are within the page, as they are on the turned page."""
    import numpy as np  # noqa: PLC0415

    code, kept = _plain(glyphs.code)
    left, top = frame.points(glyphs.boxes[:, 0], glyphs.boxes[:, 3])
    right, bottom = frame.points(glyphs.boxes[:, 2], glyphs.boxes[:, 1])
    left, right = np.minimum(left, right), np.maximum(left, right)
    top, bottom = np.minimum(top, bottom), np.maximum(top, bottom)
    origin, base = frame.points(glyphs.origin[:, 0], glyphs.origin[:, 1])
    if direction == 0:
        # The ink of an f or a slanted letter hangs over its neighbours: words are told apart by where the next one may begin.
        least = left + _INK * (right - left)
        begin = np.clip(origin, left, least)
        left, right = begin, np.clip(np.maximum(origin, left) + glyphs.advance, least, np.maximum(right, least))
    middle, height = (left + right) / 2, (top + bottom) / 2
    kept &= (middle >= 0) & (middle <= frame.width) & (height >= 0) & (height <= frame.height)
    kept &= ~((code == _SOFT_HYPHEN) & (right - left < 0.01 * glyphs.size))
    order = np.cumsum(kept) - 1
    spaced = np.zeros(len(code), np.bool_)
    spaced[kept] = np.diff(glyphs.spaces[kept], prepend=0) > 0
    chosen = kept & (glyphs.direction == direction)
    return Ink(
        code=code[chosen],
        left=left[chosen],
        right=right[chosen],
        base=base[chosen],
        size=glyphs.size[chosen],
        object=glyphs.object[chosen],
        bold=glyphs.bold[chosen],
        italic=glyphs.italic[chosen],
        order=order[chosen],
        spaced=spaced[chosen],
    )


def _plain(code: "Integers") -> "tuple[Integers, Flags]":
    """Return the codes with one hyphen for all, pairs of surrogates joined, what is no character marked; and which to keep."""
    import numpy as np  # noqa: PLC0415

    code = code.copy()
    kept = ~np.isin(code, _NOTHING)
    code[np.isin(code, _HYPHENS)] = 0x2D
    first = np.where(code < _FIRST_OF_CORK, _FIRST_LIGATURE, _FIRST_OF_CORK)
    ligature = (code >= first) & (code < first + 5)
    letter = ((code | 0x20) >= 0x61) & ((code | 0x20) <= 0x7A)
    ligature &= np.append(letter[1:], False)  # an "off" is lost, and arrows of other fonts stay unknown
    code[ligature] += (0xFB00 - first)[ligature]
    high = np.flatnonzero((code[:-1] >> 10 == 0x36) & (code[1:] >> 10 == 0x37))
    code[high] = 0x10000 + ((code[high] & 0x3FF) << 10) + (code[high + 1] & 0x3FF)
    kept[high + 1] = False
    code[(code < 0x20) | (code > 0x10FFFF) | ((code >= _SURROGATES) & (code < 0xE000))] = _UNKNOWN
    return code, kept


# -- pages

_MOSTLY = 0.5
_ASKEW = -1


class Pages:
    """Reads the pages of a document. Use it as a context manager, before the document is closed.

    The page that was read last stays open until the next one is: pdfium drops a font with the last page that uses it, and to read
    a large Chinese font again for every page takes longer than all the rest.
    """

    def __init__(self, document: "pdfium.PdfDocument") -> None:
        self._document = document
        self._last: pdfium.PdfPage | None = None

    def __enter__(self) -> "Pages":
        return self

    def __exit__(self, *_: object) -> None:
        self._keep(None)

    def extract(self, index: int) -> TextPage:
        """Read a page by its index from 0. Raises pypdfium2's `PdfiumError` where the page is broken."""
        page = self._document[index]
        self._keep(page)
        return _read(page, index)

    def _keep(self, page: "pdfium.PdfPage | None") -> None:
        if self._last is not None:
            self._last.close()
        self._last = page


def extract(document: "pdfium.PdfDocument", index: int) -> TextPage:
    """Read one page by its index from 0; `Pages` is quicker for many. Raises pypdfium2's `PdfiumError` where it is broken."""
    with Pages(document) as pages:
        return pages.extract(index)


def _read(page: "pdfium.PdfPage", index: int) -> TextPage:
    text = page.get_textpage()
    try:
        handle: Any = text.raw
        glyphs = read_glyphs(handle)
    finally:
        text.close()
    raw, handle = native(), page.raw
    shown = raw.FS_RECTF()
    raw.FPDF_GetPageBoundingBox(handle, shown)
    quarters: int = page.get_rotation() // 90
    frame = Frame(left=shown.left, bottom=shown.bottom, right=shown.right, top=shown.top, turns=quarters)
    pictures = share_of_pictures(handle, frame.width * frame.height)
    # how many quarters clockwise the page as shown is to be turned for most of its text to be upright
    counts = _counts(glyphs)
    counts.pop(_ASKEW, None)
    if not counts:
        turned = 0
    else:
        direction = max(counts, key=lambda direction: counts[direction])
        turned = (direction - frame.turns) % 4 if counts[direction] > _MOSTLY * sum(counts.values()) else 0
    frame = frame.turned(turned)
    return TextPage(
        number=index + 1,
        width=frame.width,
        height=frame.height,
        lines=_lines(glyphs, frame),
        pictures=pictures,
        unreadable=glyphs.unreadable,
        cut=glyphs.cut,
        turned=turned,
    )


def _counts(glyphs: Glyphs) -> dict[int, int]:
    """Return how many characters run in each direction."""
    import numpy as np  # noqa: PLC0415

    counts: list[int] = np.bincount(glyphs.direction - _ASKEW).tolist()
    return {direction: count for direction, count in enumerate(counts, _ASKEW) if count}


def _lines(glyphs: Glyphs, frame: Frame) -> list[TextLine]:
    """Return the upright lines in reading order, then those that run up, down, upside down, askew, each direction for itself."""
    lines: list[TextLine] = []
    there = _counts(glyphs)
    for quarters in (0, 1, 3, 2):
        turned = frame.turned(quarters)
        if turned.turns not in there:
            continue
        for block in _blocks(glyphs, turned, turned.turns):
            for line in block:
                line.block = lines[-1].block + (line is block[0]) if lines else 0
                line.turned = quarters > 0
                turn_back(line, turned, quarters)
                lines.append(line)
    for line in _askew(glyphs, frame) if _ASKEW in there else ():
        line.block = lines[-1].block + 1 if lines else 0
        lines.append(line)
    return lines


def _blocks(glyphs: Glyphs, frame: Frame, direction: int) -> Iterator[list[TextLine]]:
    """Yield the blocks of the text that is upright on this frame."""
    ink = _ink_of(glyphs, frame, direction)
    order, pieces = cut_pieces(ink)
    if not pieces:
        return
    # whether most of these characters belong to a script that is read from right to left
    code = ink.code
    found = (
        ((code >= 0x590) & (code < 0x900)) | ((code >= 0xFB1D) & (code < 0xFE00)) | ((code >= 0xFE70) & (code < 0xFEFD))
    )
    regions = [join_lines(region) for region in in_order(pieces, leftwards=2 * int(found.sum()) > len(code))]
    built = iter(text_lines([line for region in regions for line in region], ink, order))
    for region in regions:
        yield [next(built) for _ in region]


def _askew(glyphs: Glyphs, frame: Frame) -> Iterator[TextLine]:
    """Yield text at odd angles, as the file has it: stamps, labels of drawings."""
    import numpy as np  # noqa: PLC0415

    ink = _ink_of(glyphs, frame, _ASKEW)
    breaks = np.flatnonzero(np.diff(ink.order) != 1) + 1
    for places in np.split(np.arange(len(ink.code)), breaks):
        if not len(places):
            continue
        text = "".join((" " if ink.spaced[at] and at != places[0] else "") + chr(ink.code[at]) for at in places)
        left, right = float(ink.left[places].min()), float(ink.right[places].max())
        size = float(ink.size[places].max())
        yield TextLine(
            text=text,
            left=left,
            top=float(ink.base[places].min()) - size,
            right=right,
            bottom=float(ink.base[places].max()) + size / 2,
            size=size,
            cells=[Cell(start=0, end=len(text), left=left, right=right)],
            turned=True,
        )
