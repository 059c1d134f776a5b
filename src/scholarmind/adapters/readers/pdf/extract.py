"""One page of a PDF as lines in reading order: characters upright, in pieces, columns and lines, one direction after the other.

What the lines are (headings, tables, footnotes) is no matter of this module.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from scholarmind.adapters.readers.pdf.glyphs import Glyphs, native, read_glyphs, share_of_pictures
from scholarmind.adapters.readers.pdf.lines import Ink, cut_pieces, join_lines, text_lines
from scholarmind.adapters.readers.pdf.page import Cell, Frame, TextLine, TextPage, turn_back
from scholarmind.adapters.readers.pdf.page_columns import in_order

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pypdfium2 as pdfium  # pyright: ignore[reportMissingTypeStubs]

    Integers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]


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


def _runs_leftwards(ink: Ink) -> bool:
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
    turned = _main_turn(glyphs, frame)
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


def _main_turn(glyphs: Glyphs, frame: Frame) -> int:
    """Return how many quarters clockwise the page as shown is to be turned for most of its text to be upright."""
    counts = _counts(glyphs)
    counts.pop(_ASKEW, None)
    if not counts:
        return 0
    direction = max(counts, key=lambda direction: counts[direction])
    return (direction - frame.turns) % 4 if counts[direction] > _MOSTLY * sum(counts.values()) else 0


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
    regions = [join_lines(region) for region in in_order(pieces, leftwards=_runs_leftwards(ink))]
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
