"""A page of a PDF as the geometry gives it to the rest: lines in reading order, their features, and how the page is turned.

Boxes are in points from the upper left of the page as it is read. How the lines are found is in `extract`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

# -- lines and their cells


@dataclass(slots=True, kw_only=True)
class Cell:
    """A stretch of a line between wide gaps: most lines have one, rows of tables have more. `start` and `end` count in the line's text."""

    start: int
    end: int
    left: float
    right: float


@dataclass(slots=True, kw_only=True)
class TextLine:
    """A line of one column. Lines of one block (a column's stretch, a head over all columns, a table) share its number."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float  # of most of its letters, in points
    bold: bool = False  # most of its letters are
    italic: bool = False
    lead: int = (
        0  # characters in bold that it begins with, if the rest is not: a heading that its paragraph runs on from
    )
    block: int = 0  # blocks are numbered in reading order
    cells: list[Cell] = field(default_factory=list[Cell])
    raised: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])  # characters set as superscripts
    turned: bool = (
        False  # runs up, down or askew: a stamp on the margin, a label; its cells are measured along the line
    )


@dataclass(slots=True, kw_only=True)
class TextPage:
    """A page: its number from 1, its size as shown, its lines in reading order, and how much of it is pictures."""

    number: int
    width: float
    height: float
    lines: list[TextLine]
    pictures: float = 0.0  # share of the page that is covered by images
    unreadable: float = 0.0  # share of its characters that have no Unicode value
    cut: bool = False  # it has more characters than are read
    turned: int = 0  # quarter turns clockwise from the page as shown to the page as its text is upright; sizes and boxes are of the latter


# -- turning a page


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A page turned clockwise by so many quarters: what is visible of it, in the file's coordinates."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int

    @property
    def width(self) -> float:
        """As turned."""
        return self.right - self.left if self.turns % 2 == 0 else self.top - self.bottom

    @property
    def height(self) -> float:
        """As turned."""
        return self.top - self.bottom if self.turns % 2 == 0 else self.right - self.left

    def turned(self, quarters: int) -> "Frame":
        """Return the page turned on clockwise."""
        return Frame(
            left=self.left, bottom=self.bottom, right=self.right, top=self.top, turns=(self.turns + quarters) % 4
        )

    def points(self, x: "Floats", y: "Floats") -> "tuple[Floats, Floats]":
        """Return where points of the file are on the turned page, from its upper left."""
        if self.turns == 0:
            return x - self.left, self.top - y
        if self.turns == 1:
            return y - self.bottom, x - self.left
        if self.turns == 2:
            return self.right - x, y - self.bottom
        return self.top - y, self.right - x


def turn_back(line: TextLine, frame: Frame, quarters: int) -> None:
    """Give a line's box, measured on `frame`, as it is on the page before it was turned clockwise by so many quarters."""
    width, height = frame.width, frame.height
    for _ in range(quarters):
        line.left, line.top, line.right, line.bottom = line.top, width - line.right, line.bottom, width - line.left
        width, height = height, width


# -- what size, pitch and indent are usual in a document, and by which first signs lines of each kind are known

# -- what is usual in a document

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
        for block in _blocks_of(page.lines):
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


def _blocks_of(lines: Iterable[TextLine]) -> Iterator[list[TextLine]]:
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
    left, right = _edges(block)
    indented = other = 0
    for one, two in pairwise(long):
        if one.right < right - 0.12 * (right - left):
            indented += _INDENT < two.left - left < _WIDEST_INDENT
            other += abs(two.left - left) <= _INDENT
    return indented, other


def _edges(block: Sequence[TextLine]) -> tuple[float, float]:
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
    blocks = list(_blocks_of(page.lines))
    columns = [(_edges(block), len(block)) for block in blocks]
    found: list[list[Printed]] = []
    for block, (own, _) in zip(blocks, columns, strict=True):
        left, right = _column(own, columns) if len(block) < 4 else own
        # the pitch of this block as a multiple of the size of its lines, if it is its own
        steps = [
            (two.bottom - one.bottom) / two.size
            for one, two in pairwise(block)
            if abs(one.size - two.size) < 0.6 and 0.8 < (two.bottom - one.bottom) / (two.size or 1) < 3
        ]
        pitch = min(median(steps), 1.3 * style.pitch) if len(steps) > 3 else style.pitch
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


def _gap(above: TextLine, line: TextLine, pitch: float, style: Style) -> float:
    step = line.bottom - above.bottom
    if step < -style.size:  # higher up: another column
        return 9.0
    return max(step, 0.0) / (pitch * max(line.size, 1.0))


# -- how lines of each kind begin

_KINDS = (
    r"(?P<kind>(?:supplementary |extended data |online )?"
    r"(?:fig(?:ure|s?\.|\b)|table|tab\.|algorithm|listing|scheme|chart|plate|exhibit)|[图圖表]|算法)"
)

_CAPTION = re.compile(
    rf"{_KINDS}\s*(?P<number>[A-Z]?\.?\d{{1,3}}(?:[.\-–]\d{{1,3}})*[a-z]?|[IVXL]{{1,6}}|[A-Z]\b)(?:\s*(?P<sign>[:.．：|—–\-]|\)|$))?(?P<rest>.*)",
    re.IGNORECASE,
)

FIGURE = re.compile(r"(?:supplementary |extended data )?(?:fig|scheme|chart|plate|图|圖)", re.IGNORECASE)
_ITEM = re.compile(
    r"(?:[•·▪▫◦‣∙●○■□◆◇►▶➢✓\x80-\x9f\uf000-\uf0ff–—*\-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,5})[.)]|[（(](?:\d{1,2}|[a-zA-Z]|[ivx]{1,5})[)）]|[①-⑳]|\d{1,2}[、）])(?:\s+\S|(?=[\u3400-\u9fff]))"
)

_BULLET = re.compile(r"[•·▪▫◦‣∙●○■□◆◇►▶➢✓\x80-\x9f\uf000-\uf0ff]\s*\S")
MARKER = re.compile(
    r"[•·▪▫◦‣∙●○■□◆◇►▶➢✓\x80-\x9f\uf000-\uf0ff–—*\-]|[(（]?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)）、]|\[\w{1,8}\]"
)

_NOTE = re.compile(r"(?:[*†‡§¶‖#∗⋆]{1,3}|[¹²³⁴-⁹⁰]{1,2}|\d{1,3}|[①-⑳])\s*(?=[A-Z\"“(（\u3400-\u9fffh])")
_SIGN_NOTE = re.compile(r"[*†‡§¶‖∗⋆¹²³⁴-⁹⁰]")
_LEADER = re.compile(r"(?:[.．·•]\s?){3,}|…{1,}|_{4,}")
_ENTRY_END = re.compile(r"(?:(?<=\s)|(?<=[.…·]))(?:[A-Z]?-?\d{1,4}|[ivxlc]{1,8})\s*$")
_ABSTRACT = re.compile(
    r"(?:(?i:a\s*b\s*s\s*t\s*r\s*a\s*c\s*t)(?:\s*[.:：—–\-]+\s*|\s+(?=[A-Z]))|[【\[]?\s*[摘概]\s*要\s*[】\]]?\s*[:：—]?\s*|"
    r"(?i:summary)\s*[:—–]\s*)(?=\S)"
)

_CODE = re.compile(
    r"(?:\d{1,3}\s*:\s)|.*[;{}]\s*$|(?:for|while|if|else|elif|return|def|class|import|from|end|function|procedure|repeat|until|input|output|require|ensure)\b"
    r"(?:.*(?:do|then|[:({])\s*$|:|\s*$)|return\b.{0,60}$|[\w.\[\]]+\s*(?:=|←|:=|\+=)\s*\S|(?:\$|>>>|#!?)\s?\S"
)

_EQUATION_NUMBER = re.compile(r"[(（]\s*[A-Z]?\.?\d{1,3}(?:[.\-–]\d{1,3})*[a-z]?\s*[)）]")


def begins_caption(text: str) -> bool:
    """Tell whether the words are those of a caption, with a sign behind the number."""
    found = _CAPTION.match(text)
    return found is not None and bool(found["sign"])


def is_caption(entry: Printed, style: Style) -> bool:
    """Tell a caption from a sentence that begins with "Figure 3": by the sign after the number, or by its letters."""
    found = _CAPTION.match(entry.line.text)
    if found is None:
        return False
    rest = found["rest"]
    if found["sign"] or not rest.strip():
        return not rest or rest[0].isspace() or found["kind"] in "图圖表" or not rest[0].isascii() or rest[0].isupper()
    other = abs(entry.line.size - style.size) > 0.4 or entry.line.bold != style.bold
    if found["kind"] in "图圖表":
        return rest[:1].isspace() and (other or not entry.full)
    return other and rest.lstrip()[:1].isupper() and entry.gap > 1.2


def is_item(text: str) -> bool:
    """Tell whether a list's item begins here."""
    return _ITEM.match(text) is not None or _BULLET.match(text) is not None


def is_note(line: TextLine) -> bool:
    """Tell whether a footnote begins here: with a raised mark, a sign, or a number before a capital."""
    if any(start == 0 for start, _ in line.raised):
        return True
    return _NOTE.match(line.text) is not None


def is_signed(line: TextLine) -> bool:
    """Tell whether the line begins with what only footnotes begin with."""
    return any(start == 0 for start, _ in line.raised) or _SIGN_NOTE.match(line.text) is not None


def has_leader(text: str) -> bool:
    """Tell whether dots lead to a page number."""
    return _may_end_entry(text) and _LEADER.search(text) is not None and _ENTRY_END.search(text) is not None


def is_entry(line: TextLine) -> bool:
    """Tell whether a line of a table of contents ends here: with a page number."""
    return _may_end_entry(line.text) and _ENTRY_END.search(line.text) is not None


def _may_end_entry(text: str) -> bool:
    """Tell quickly that no page number ends the line: few lines are looked at longer."""
    last = text.rstrip()[-1:]
    return last.isdecimal() or last in "ivxlc"


def is_set_off(line: TextLine) -> bool:
    """Tell whether the page number at the end stands apart from the words: behind dots or a gap."""
    return is_entry(line) and (len(line.cells) > 1 or has_leader(line.text))


def abstract_start(text: str) -> int:
    """Return where the abstract begins behind its name in the same line, or 0."""
    found = _ABSTRACT.match(text)
    return found.end() if found else 0


def code_lines(block: Sequence[Printed], place: int) -> int:
    """Return how many lines from here on are a program: three or more that mostly look like one."""
    if _CODE.match(block[place].line.text) is None:
        return 0
    end, good = place, 0
    while end < len(block) and (end == place or block[end].gap < 1.6):
        like = _CODE.match(block[end].line.text) is not None and not block[end].line.text.endswith((".", "。"))
        if not like and (end == place or _CODE.match(block[end - 1].line.text) is None or block[end].full):
            break
        good += like
        end += 1
    while end > place and _CODE.match(block[end - 1].line.text) is None:
        end -= 1
    return end - place if good > 3 and good >= 0.6 * (end - place) else 0


def is_equation(line: TextLine) -> bool:
    """Tell whether the cells of a line are a formula and its number."""
    return len(line.cells) > 1 and _EQUATION_NUMBER.fullmatch(line.text[line.cells[-1].start :].strip()) is not None
