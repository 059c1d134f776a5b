"""The visible characters of one direction, turned upright and made plain: what words, lines and columns are made from."""

from typing import TYPE_CHECKING

from scholarmind.adapters.readers.pdf.frames import Frame
from scholarmind.adapters.readers.pdf.glyphs import Glyphs
from scholarmind.adapters.readers.pdf.pieces import Ink

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

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


def ink_of(glyphs: Glyphs, frame: Frame, direction: int) -> Ink:
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


def runs_leftwards(ink: Ink) -> bool:
    """Whether most of these characters belong to a script that is read from right to left."""
    code = ink.code
    found = (
        ((code >= 0x590) & (code < 0x900)) | ((code >= 0xFB1D) & (code < 0xFE00)) | ((code >= 0xFE70) & (code < 0xFEFD))
    )
    return 2 * int(found.sum()) > len(code)


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
