"""One page of a PDF as lines in reading order."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from scholarmind.adapters.readers.pdf.columns import in_order
from scholarmind.adapters.readers.pdf.frames import Frame, turn_back
from scholarmind.adapters.readers.pdf.glyphs import Glyphs, read_glyphs
from scholarmind.adapters.readers.pdf.ink import ink_of, runs_leftwards
from scholarmind.adapters.readers.pdf.lines import join_lines
from scholarmind.adapters.readers.pdf.native import native
from scholarmind.adapters.readers.pdf.page import Cell, TextLine, TextPage
from scholarmind.adapters.readers.pdf.pictures import share_of_pictures
from scholarmind.adapters.readers.pdf.pieces import cut_pieces
from scholarmind.adapters.readers.pdf.words import text_lines

if TYPE_CHECKING:
    import pypdfium2 as pdfium  # pyright: ignore[reportMissingTypeStubs]

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
    ink = ink_of(glyphs, frame, direction)
    order, pieces = cut_pieces(ink)
    if not pieces:
        return
    regions = [join_lines(region) for region in in_order(pieces, leftwards=runs_leftwards(ink))]
    built = iter(text_lines([line for region in regions for line in region], ink, order))
    for region in regions:
        yield [next(built) for _ in region]


def _askew(glyphs: Glyphs, frame: Frame) -> Iterator[TextLine]:
    """Yield text at odd angles, as the file has it: stamps, labels of drawings."""
    import numpy as np  # noqa: PLC0415

    ink = ink_of(glyphs, frame, _ASKEW)
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
