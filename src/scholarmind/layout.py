"""Where the text of a document stands on its pages. Pure data, packed small: a paper has thousands of lines."""

import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

_PER_POINT = 10  # boxes are kept to a tenth of a point
_FIELDS = 7
_LIMIT = 2.0**31 - 1
_MOST_BYTES = 1 << 28  # of a packed layout: ten million lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page as it is shown (turned upright): its number from 1, its size in points, and where its text begins."""

    number: int
    width: float
    height: float
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle on a page, in points from the upper left corner of the page as it is shown."""

    page: int
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A stretch of the text that stands in one box. Lines are ordered by where they start, and do not overlap."""

    start: int
    end: int
    box: Box


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The pages of a document in order, and its lines in the order of the text."""

    pages: tuple[Page, ...]
    lines: tuple[Line, ...]

    def page_at(self, offset: int) -> int | None:
        """Return the number of the page that this character stands on."""
        place = bisect_right(self._starts, offset) - 1
        line = self.lines[max(place, 0)] if self.lines else None
        return None if line is None else line.box.page

    def turns(self, start: int, end: int) -> tuple[int, ...]:
        """Return where in a stretch of text each further page begins; a page that is passed over turns at the same place."""
        found: list[int] = []
        page = self.page_at(start)
        for line in self._lines_from(start):
            if line.start >= end:
                break
            if page is not None and line.box.page > page:
                found += [line.start] * (line.box.page - page)
                page = line.box.page
        return tuple(found)

    def boxes(self, start: int, end: int) -> list[Box]:
        """Return the boxes of a stretch of text, one a line; of a line that it holds in part only that part, by proportion."""
        found: list[Box] = []
        for line in self._lines_from(start):
            if line.start >= end:
                break
            first, last = max(start, line.start), min(end, line.end)
            if first < last:
                found.append(_part(line, first, last))
        return found

    def text_of(self, number: int, text: str) -> str:
        """Return what stands on a page, line by line in the order of the text."""
        return "\n".join(text[line.start : line.end] for line in self.lines if line.box.page == number)

    def pack(self) -> bytes:
        """Return all of it as a few bytes a line."""
        return self._as_bytes

    @classmethod
    def unpack(cls, packed: bytes) -> "Layout":
        """Return what `pack` was given. It packs to the same bytes again, at no cost: most layouts only pass through on their way."""
        numbers = array("i")
        unpacking = zlib.decompressobj()  # the bytes may come from a reader that a hostile file has taken over
        numbers.frombytes(unpacking.decompress(packed, _MOST_BYTES))
        if not unpacking.eof:
            raise ValueError("a layout that is cut short, or far too large")
        border = 1 + 4 * numbers[0]
        layout = cls(pages=tuple(_pages(numbers[1:border])), lines=tuple(_lines(numbers[border:])))
        vars(layout)["_as_bytes"] = packed
        return layout

    @cached_property
    def _as_bytes(self) -> bytes:
        numbers: list[float] = [len(self.pages)]
        for page in self.pages:
            numbers += (page.number, page.start, page.width * _PER_POINT, page.height * _PER_POINT)
        for line in self.lines:
            box = line.box
            sides = (box.left * _PER_POINT, box.top * _PER_POINT, box.right * _PER_POINT, box.bottom * _PER_POINT)
            numbers += (line.start, line.end, box.page, *sides)
        return zlib.compress(
            _rounded(numbers).tobytes(), 1
        )  # higher levels take nine times as long to save a twentieth

    @cached_property
    def _starts(self) -> list[int]:
        return [line.start for line in self.lines]

    def _lines_from(self, start: int) -> Iterator[Line]:
        for place in range(max(0, bisect_right(self._starts, start) - 1), len(self.lines)):
            yield self.lines[place]


def _part(line: Line, start: int, end: int) -> Box:
    box, length = line.box, max(1, line.end - line.start)
    width = box.right - box.left
    return Box(
        page=box.page,
        left=box.left + width * (start - line.start) / length,
        top=box.top,
        right=box.left + width * (end - line.start) / length,
        bottom=box.bottom,
    )


def _rounded(numbers: Sequence[float]) -> "array[int]":
    try:
        return array("i", map(round, numbers))
    except (OverflowError, ValueError):  # sides that are on no page, or no numbers: as far away as can be kept
        return array("i", [round(max(-_LIMIT, min(_LIMIT, number))) for number in numbers])


def _pages(numbers: Sequence[int]) -> Iterator[Page]:
    for at in range(0, len(numbers), 4):
        number, start, width, height = numbers[at : at + 4]
        yield Page(number=number, start=start, width=width / _PER_POINT, height=height / _PER_POINT)


def _lines(numbers: Sequence[int]) -> Iterator[Line]:
    for at in range(0, len(numbers), _FIELDS):
        start, end, page, *sides = numbers[at : at + _FIELDS]
        left, top, right, bottom = (side / _PER_POINT for side in sides)
        yield Line(start=start, end=end, box=Box(page=page, left=left, top=top, right=right, bottom=bottom))
