"""What is usual in a document: the size and pitch of its running text, where its columns stand, whether it indents."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from scholarmind.adapters.readers.pdf.page import TextLine, TextPage

_INDENT = 4.0  # points; less is a matter of the first letter's shape
_WIDEST_INDENT = 45.0
_LONG_LINE = 25  # characters
_PITCH = 1.2  # of the size: what is usual where nothing can be measured


@dataclass(slots=True)
class Printed:
    """A line with its surroundings: the page, the edges of its column, and how far it is below the line above."""

    line: TextLine
    page: int
    left: float
    right: float
    gap: float  # in usual pitches; 1 is the next line of a paragraph; 9 begins a block
    height: float  # of the page

    @property
    def indent(self) -> float:
        """How far from the left edge of its column the line begins."""
        return self.line.left - self.left

    @property
    def full(self) -> bool:
        """Tell that the line goes to the right edge of its column: the paragraph may go on."""
        return self.line.right >= self.right - 0.1 * (self.right - self.left)


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The usual look of a document."""

    size: float
    bold: bool
    pitch: float  # from line to line, as a multiple of the size
    indents: bool  # paragraphs begin with an indented line


def style_of(pages: Sequence[TextPage], *, indents: bool = True) -> Style:
    """Measure the usual look; every line counts by its letters. Without `indents` these are not looked for."""
    sizes: Counter[float] = Counter()
    weights: Counter[bool] = Counter()
    for line in (line for page in pages for line in page.lines):
        sizes[round(line.size * 2) / 2] += len(line.text)
        weights[line.bold] += len(line.text)
    size = max(sizes, key=lambda known: (sizes[known], known), default=10.0) or 10.0
    pitches: Counter[float] = Counter()
    indented = unindented = 0
    for page in pages:
        for block in blocks_of(page.lines):
            pitches.update(_pitches(block, size))
            if indents:
                first, other = _beginnings(block)
                indented, unindented = indented + first, unindented + other
    pitch = max(pitches, key=pitches.__getitem__) if pitches else _PITCH * size
    return Style(
        size=size,
        bold=weights[True] > weights[False],
        pitch=min(max(pitch / size, 1.0), 3.0),
        indents=indented > 1 and indented > 0.25 * unindented,
    )


def blocks_of(lines: Iterable[TextLine]) -> Iterator[list[TextLine]]:
    """Yield the lines that stand together, in reading order."""
    for _, block in groupby(lines, key=lambda line: line.block):
        yield list(block)


def _pitches(block: Sequence[TextLine], size: float) -> Iterator[float]:
    for one, other in pairwise(block):
        step = other.bottom - one.bottom
        if abs(one.size - size) < 0.6 and abs(other.size - size) < 0.6 and 0.8 * size < step < 3 * size:
            yield round(step * 2) / 2


def _beginnings(block: Sequence[TextLine]) -> tuple[int, int]:
    """Count the paragraphs that seem to begin: after a short line, with an indent or without one."""
    long = [line for line in block if len(line.text) > _LONG_LINE]
    if len(long) < 4:
        return 0, 0
    left, right = edges(block)
    indented = other = 0
    for one, two in pairwise(long):
        if one.right < right - 0.12 * (right - left):
            indented += _INDENT < two.left - left < _WIDEST_INDENT
            other += abs(two.left - left) <= _INDENT
    return indented, other


def edges(block: Sequence[TextLine]) -> tuple[float, float]:
    """Return where most lines of a block begin, and where its long lines end."""
    lefts = [line.left for line in block]
    right = max([line.right for line in block])
    if len(block) < 4:  # two or three lines do not tell what is usual: the leftmost is the edge
        return min(lefts), right
    rounded = [round(left / 2) for left in lefts]
    counts = Counter(rounded)
    most = max(counts.values())
    usual = min(edge for edge, count in counts.items() if count == most)
    return min([left for left, edge in zip(lefts, rounded, strict=True) if edge == usual]), right


def printed(page: TextPage, style: Style) -> list[list[Printed]]:
    """Return the blocks of a page with what surrounds each line. A short block takes the edges of the column it stands in."""
    blocks = list(blocks_of(page.lines))
    columns = [(edges(block), len(block)) for block in blocks]
    found: list[list[Printed]] = []
    for block, (own, _) in zip(blocks, columns, strict=True):
        left, right = _column(own, columns) if len(block) < 4 else own
        pitch = _usual_pitch(block, style)
        lines = [Printed(line, page.number, left, right, 9.0, page.height) for line in block]
        for one, two in pairwise(lines):
            two.gap = _gap(one.line, two.line, pitch, style)
        found.append(lines)
    return found


def _column(own: tuple[float, float], columns: Sequence[tuple[tuple[float, float], int]]) -> tuple[float, float]:
    for (left, right), lines in columns:
        if lines >= 4 and left - 2 <= own[0] and own[1] <= right + 2 and own[0] < left + 0.5 * (right - left):
            return left, right
    return own


def _usual_pitch(block: Sequence[TextLine], style: Style) -> float:
    """Return the pitch of this block as a multiple of the size of its lines, if it is its own."""
    steps = [
        (two.bottom - one.bottom) / two.size
        for one, two in pairwise(block)
        if abs(one.size - two.size) < 0.6 and 0.8 < (two.bottom - one.bottom) / (two.size or 1) < 3
    ]
    return min(median(steps), 1.3 * style.pitch) if len(steps) > 3 else style.pitch


def _gap(above: TextLine, line: TextLine, pitch: float, style: Style) -> float:
    step = line.bottom - above.bottom
    if step < -style.size:  # higher up: another column
        return 9.0
    return max(step, 0.0) / (pitch * max(line.size, 1.0))
