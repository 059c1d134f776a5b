"""Blocks of a document: paragraphs, headings, captions, tables, footnotes, items of lists, programs, lists of works and of contents.

`Splitter` takes the lines of all pages apart; their order is in `structure`."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile
from typing import Literal

from scholarmind.adapters.readers.composition import clean
from scholarmind.adapters.readers.pdf.headings import (
    ABSTRACT,
    CONTENTS,
    REFERENCES,
    Finder,
    Look,
    bare_name,
    is_known,
    look_of,
    number_of,
)
from scholarmind.adapters.readers.pdf.page import (
    MARKER,
    Cell,
    Printed,
    Style,
    TextLine,
    TextPage,
    begins_caption,
    code_lines,
    has_leader,
    is_caption,
    is_entry,
    is_equation,
    is_item,
    is_note,
    is_set_off,
    is_signed,
    printed,
)
from scholarmind.identity import letters_of

# -- tables: which lines are rows, and what they read like without their columns

_FIGURE = re.compile(
    r"[\s\d.,:;%+\-–−±×*/()<>≤≥=~$€£¥†‡]*\d[\s\d.,:;%+\-–−±×*/()<>≤≥=~$€£¥†‡kKMBs]*|[-–—✓✗×xX]|n/?a|N/?A"
)
_NARROW = 2.0  # points that must stay free between two columns
_MOST_HEADS = 3  # lines of a head
_MOST_SINGLE = 2  # lines with one cell between rows
_SIZE = 0.6  # points
_FARTHER = 1.3
_WIDE_STEP = 2.6  # pitches between rows of one table


@dataclass(slots=True)
class PrintedRow:
    """A row as it is read: its text, and the printed lines that it is from."""

    text: str
    lines: list[Printed]


def table_lines(block: Sequence[Printed], place: int) -> int:
    """Return how many lines from here on are a table: rows whose cells stand under each other. 0: none."""
    if not _is_row(block[place].line):
        return 0
    rows: list[Printed] = []
    end = last = place
    while end < len(block) and (end == place or block[end].gap < _WIDE_STEP):
        line = block[end].line
        if _is_row(line) and not begins_caption(line.text):
            if rows and (not any(_aligned(row.line, line) for row in rows[-2:]) or _is_below(rows, block[end])):
                break
            rows.append(block[end])
            last = end + 1
        elif end == place or end - last >= _MOST_SINGLE or not _fits(line, block[last - 1].line):
            break
        end += 1
    widest = max((len(row.line.cells) for row in rows), default=0)
    enough = len(rows) >= 2 and (widest > 2 or len(rows) > 2)
    above = block[place - 1] if place else None
    return last - place if enough and not _is_list(rows) and not _is_prose(rows, above) else 0


def _is_below(rows: Sequence[Printed], entry: Printed) -> bool:
    """Tell a stretched line of the text below a table: in letters that no row has, and farther from the rows than these are apart."""
    bottoms = [
        row.line.bottom for row in (*rows, entry)
    ]  # gaps are measured by the size of the letters, which differs here
    *steps, step = (lower - upper for upper, lower in pairwise(bottoms))
    other = all(abs(entry.line.size - row.line.size) > _SIZE for row in rows)
    return other and entry.full and bool(steps) and step > _FARTHER * max(steps)


def _is_row(line: TextLine) -> bool:
    return len(line.cells) > 1 and not is_equation(line)


def _is_list(rows: Sequence[Printed]) -> bool:
    marked = sum(MARKER.fullmatch(row.line.text[: row.line.cells[0].end].strip()) is not None for row in rows)
    return marked > 0.6 * len(rows) and max(len(row.line.cells) for row in rows) == 2


def _is_prose(rows: Sequence[Printed], above: Printed | None) -> bool:
    """Tell lines of text whose words were pushed apart to fill the column: a sentence goes through them."""
    lines = [row.line for row in rows]
    figures = sum(
        _FIGURE.fullmatch(line.text[cell.start : cell.end].strip()) is not None for line in lines for cell in line.cells
    )
    if figures >= len(rows) or not all(row.full and abs(row.indent) < 20 for row in rows):
        return False
    open_end = above is not None and above.full and not above.line.text.rstrip().endswith((".", ":", "。", "："))
    return len(rows) < 4 or (open_end and rows[0].gap < 1.15)


def _aligned(one: TextLine, other: TextLine) -> bool:
    """Tell whether some room between cells goes through both lines."""
    return any(
        min(right_a, right_b) - max(left_a, left_b) >= _NARROW
        for left_a, right_a in _rooms(one)
        for left_b, right_b in _rooms(other)
    )


def _rooms(line: TextLine) -> Iterator[tuple[float, float]]:
    for cell, following in zip(line.cells, line.cells[1:], strict=False):
        yield cell.right, following.left


def _fits(line: TextLine, row: TextLine) -> bool:
    """Tell whether a line with one cell is part of a cell, not a line of text below the table."""
    inside = row.left - 3 <= line.left and line.right <= row.right + 3
    return inside and line.right - line.left < 0.6 * (row.right - row.left) and not is_item(line.text)


def rows_of(lines: Sequence[Printed]) -> list[PrintedRow]:
    """Return the rows of a table as text: with the names of their columns where these are known."""
    columns = _columns(lines)
    grid: list[tuple[list[str], list[Printed]]] = []
    steps = [entry.gap for entry in lines[1:] if _is_row(entry.line)]
    usual = min(steps, default=1.0)
    for place, entry in enumerate(lines):
        cells = _placed(entry.line, columns)
        if grid and place and _continues(cells, entry, grid[-1][0], usual):
            grid[-1] = ([f"{a} {b}".strip() for a, b in zip(grid[-1][0], cells, strict=True)], [*grid[-1][1], entry])
        else:
            grid.append((cells, [entry]))
    head = _head_rows(grid)
    names = _names([cells for cells, _ in grid[:head]], len(columns))
    found = [PrintedRow(_plain(cells), entries) for cells, entries in grid[:head]]
    found += [PrintedRow(_named(cells, names) if head else _plain(cells), entries) for cells, entries in grid[head:]]
    return [row for row in found if row.text]


def rest_of(above: Sequence[Printed], below: Sequence[Printed]) -> Sequence[Printed] | None:
    """Return the rows with which a table goes on at the top of the next page, without a head that comes again. None: it is another."""
    if below[0].page != above[-1].page + 1:
        return None
    one, two = _columns(above), _columns(below)
    if len(one) != len(two) or len(one) < 2:
        return None
    if any(min(a[1], b[1]) <= max(a[0], b[0]) for a, b in zip(one, two, strict=True)):
        return None
    head = 0
    while head < _MOST_HEADS and head + 1 < min(len(above), len(below)) and _same(above[head].line, below[head].line):
        head += 1
    if not head and below[0].line.bold and above[0].line.bold:
        return None  # it has a head of its own
    return below[head:]


def _same(one: TextLine, other: TextLine) -> bool:
    return one.bold == other.bold and one.text.split() == other.text.split()


def _columns(lines: Sequence[Printed]) -> list[tuple[float, float]]:
    """Return where the columns stand: what the cells of the usual rows cover, one below the other."""
    rows = [_cells(entry.line) for entry in lines]
    counts = Counter(len(cells) for cells in rows if len(cells) > 1)
    usual = max(counts, key=lambda count: (counts[count] * count, count), default=1)
    columns: list[tuple[float, float]] = []
    for cell in sorted((cell for cells in rows if len(cells) >= usual for cell in cells), key=lambda cell: cell.left):
        if columns and cell.left < columns[-1][1] + _NARROW / 2:
            columns[-1] = (columns[-1][0], max(columns[-1][1], cell.right))
        else:
            columns.append((cell.left, cell.right))
    return columns or [(0.0, 1e9)]


def _cells(line: TextLine) -> list[Cell]:
    return line.cells or [Cell(start=0, end=len(line.text), left=line.left, right=line.right)]


def _placed(line: TextLine, columns: Sequence[tuple[float, float]]) -> list[str]:
    """Return the text of each column; a cell over several columns counts for the first of them."""
    found = [""] * len(columns)
    for cell in _cells(line):
        text = " ".join(clean(line.text[cell.start : cell.end]).split())
        column = max(range(len(columns)), key=lambda place: (_overlap(cell, columns[place]), -place))
        found[column] = f"{found[column]} {text}".strip()
    return found


def _overlap(cell: Cell, column: tuple[float, float]) -> float:
    common = min(cell.right, column[1]) - max(cell.left, column[0])
    return common if common <= 0 else min(common / max(min(cell.right - cell.left, column[1] - column[0]), 1.0), 0.5)


def _continues(cells: Sequence[str], entry: Printed, above: Sequence[str], usual: float) -> bool:
    """Tell whether this line goes on with the cells above it: it begins no row of its own, and stands as near as a next line."""
    filled = [text for text in cells if text]
    if cells[0] and not (len(filled) == 1 and cells[0][:1].islower()):
        return False
    words = all(not _FIGURE.fullmatch(text) for text in filled)
    under = all(over for text, over in zip(cells, above, strict=True) if text)
    return words and under and len(filled) < len(cells) and entry.gap < max(1.15 * usual, 1.05)


def _head_rows(grid: Sequence[tuple[list[str], list[Printed]]]) -> int:
    """Return how many rows at the top name the columns: bold over plain, or words over numbers."""
    if len(grid) < 2 or len(grid[0][0]) < 2:
        return 0
    bold = [all(entry.line.bold for entry in entries) for _, entries in grid]
    for head in (1, 2):
        rest = grid[head:]
        if not rest or not all(_wordy(cells) for cells, _ in grid[:head]):
            return 0
        if sum(1 for text in grid[head - 1][0] if text) < 2:
            continue
        if all(bold[:head]) and not any(bold[head:]):
            return head
        if not _wordy(rest[0][0]) and sum(_numeric(cells) for cells, _ in rest) >= 0.6 * len(rest):
            return head
    return 0


def _wordy(cells: Sequence[str]) -> bool:
    return not any(_FIGURE.fullmatch(text) and not _is_year(text) for text in cells if text)


def _is_year(text: str) -> bool:
    return text.isdecimal() and 1900 <= int(text) <= 2100


def _numeric(cells: Sequence[str]) -> bool:
    behind = [text for text in cells[1:] if text]
    return sum(_FIGURE.fullmatch(text) is not None for text in behind) >= 0.5 * max(len(behind), 1)


def _names(head: Sequence[Sequence[str]], columns: int) -> list[str]:
    """Return a name for each column; a name over several columns is put before the names under it."""
    names = [""] * columns
    for number, cells in enumerate(head):
        over = ""
        for place, text in enumerate(cells):
            over = text or (over if number + 1 < len(head) and place else "")
            names[place] = f"{names[place]} {text if number + 1 == len(head) else over}".strip()
    return names


def _named(cells: Sequence[str], names: Sequence[str]) -> str:
    return "; ".join(f"{name}: {text}" if name else text for name, text in zip(names, cells, strict=True) if text)


def _plain(cells: Sequence[str]) -> str:
    return " | ".join(text for text in cells if text)


# -- all other kinds of blocks

# -- where a block ends and another begins

Kind = Literal[
    "title", "heading", "text", "item", "code", "caption", "table", "figure", "footnote", "references", "contents"
]

_INDENT = 4.0
_BREAK = 1.3  # pitches between paragraphs
_ENDS = (".", "!", "?", ":", "。", "！", "？", "：", "”", "…", ")", "]", "）")
_LABEL = re.compile(r"[+\-−–]?\d{1,6}(?:[.,]\d{1,4})?[%kKM]?")  # at an axis
_UNITS = re.compile(r"[%kKM]$")
_FEWEST_LABELS = 3
_MOST_LABELS = 40
_STOPS = (".", "!", "?", "。", "！", "？", "…")
_SMALL = 0.94  # of the size of running text: footnotes
_SHORT_LINE = 0.85


@dataclass(slots=True)
class PageBlock:
    """Lines that belong together, and what they are."""

    kind: Kind
    lines: list[Printed] = field(default_factory=list[Printed])
    front: bool = False  # above the abstract of a first page


def is_scale(lines: Sequence[Printed], style: Style) -> bool:
    """Tell the numbers along an axis: small, and nothing but numbers."""
    return all(entry.line.size < 0.85 * style.size and not any(map(str.isalpha, entry.line.text)) for entry in lines)


def is_numbers(lines: Sequence[Printed]) -> bool:
    """Tell lines with nothing but numbers, two at least."""
    words = " ".join(entry.line.text for entry in lines[:_MOST_LABELS]).split()
    return len(words) > 1 and all(map(_LABEL.fullmatch, words))


def is_axis(lines: Sequence[Printed]) -> bool:
    """Tell numbers along an axis by their even steps, however large they are set."""
    words = " ".join(entry.line.text for entry in lines[:_MOST_LABELS]).split()
    if not _FEWEST_LABELS <= len(words) <= _MOST_LABELS or not all(map(_LABEL.fullmatch, words)):
        return False
    numbers = [float(_UNITS.sub("", word).replace("−", "-").replace("–", "-").replace(",", ".")) for word in words]
    steps = [two - one for one, two in pairwise(numbers)]
    even = all(abs(step - steps[0]) < 0.02 * abs(steps[0]) for step in steps)
    folded = all(one > 0 and abs(two / one - numbers[1] / numbers[0]) < 1e-6 for one, two in pairwise(numbers))
    return bool(steps[0]) and (even or folded)


def _breaks(last: PageBlock, entry: Printed, style: Style) -> bool:
    """Tell whether a paragraph begins here."""
    above = last.lines[-1]
    if entry.gap > _BREAK or abs(entry.line.size - above.line.size) > 0.12 * style.size + 0.3:
        return True
    begun = above.indent if len(last.lines) == 1 else 0.0
    indented = _INDENT < entry.indent < 60 and entry.indent > begun + _INDENT
    # a term with its explanation under it, indented from its second line on
    indented = indented and not (above.full and entry.line.text[:1].islower() and not above.line.text.endswith(_STOPS))
    if (
        indented
        and entry.line.right > entry.right - 0.5 * (entry.right - entry.left)
        and above.line.text.endswith(_ENDS)
    ):
        return True
    return _starts_after_end(above, entry)


def _starts_after_end(above: Printed, entry: Printed) -> bool:
    """Tell that the line above ends a paragraph: with its sentence, well before the edge of the column."""
    width = above.right - above.left
    short = above.line.right < above.left + _SHORT_LINE * width
    first = entry.line.text[:1]
    return short and above.line.text.rstrip().endswith(_ENDS) and not first.islower()


def _may_begin_item(last: PageBlock, entry: Printed) -> bool:
    """Tell an item from a line of a paragraph that happens to begin like one."""
    above = last.lines[-1]
    if last.kind == "item" or entry.gap > 1.15 or entry.indent > _INDENT:
        return True
    return not above.full or above.line.text.endswith(_ENDS)


def _in_item(piece: PageBlock, entry: Printed) -> bool:
    """Tell whether the line goes on with the item: near, and not left of what it hangs from."""
    first, above = piece.lines[0], piece.lines[-1]
    if entry.gap > _BREAK or abs(entry.line.size - above.line.size) > 1.2:
        return False
    if len(piece.lines) > 1:
        return entry.line.left > piece.lines[1].line.left - _INDENT and not _starts_after_end(above, entry)
    return entry.line.left > first.line.left - 2 and (entry.line.left > first.line.left + 2 or above.full)


def _in_caption(above: Printed, entry: Printed) -> bool:
    """Tell a line of a caption, even with its words pushed apart, from a row of the table below it."""
    stretched = entry.full and above.full and not above.line.text.endswith(_ENDS) and abs(entry.indent) < _INDENT
    return len(entry.line.cells) < 3 or stretched


def _foot(block: Sequence[Printed], style: Style, are_works: Callable[[int], bool]) -> int:
    """Return where the footnotes of a block begin: small letters at its end, low on the page, from a mark on."""
    start = len(block)
    while start and block[start - 1].line.size < _SMALL * style.size and not is_caption(block[start - 1], style):
        start -= 1
    small = block[start:]
    works = bool(small) and are_works(start)
    for place, entry in enumerate(small, start):
        low = entry.line.top > 0.5 * entry.height
        signed = is_signed(entry.line)
        begins = signed and entry.gap > 1.2
        if not works:
            begins = (is_note(entry.line) and (signed or entry.gap > 1.1)) or (
                entry.line.top > 0.8 * entry.height and entry.gap > 1.5 and entry.full
            )
        if low and begins and (len(entry.line.cells) < 3 or (signed and entry.full)):
            return place
    return len(block)


def _same_letters(one: Printed, other: Printed) -> bool:
    """Tell whether two lines are set alike."""
    return abs(one.line.size - other.line.size) < 0.6 and one.line.bold == other.line.bold


def _flows(above: Printed, entry: Printed) -> bool:
    """Tell running text from lines with names and addresses, which stand for themselves."""
    return above.full and len(above.line.text) > 40 and abs(above.line.left - entry.line.left) < 20


# -- the splitter

_FIRST_SECTIONS = frozenset({"introduction", "引言", "绪论", "前言"})
_FIRST_NUMBERS = frozenset({("1",), ("I",), ("一",)})
_FEW = 5  # lines of an address
_STRAY = 3  # lines that are no entries and still do not end a table of contents


_WORK = re.compile(r"\[?(\d{1,3})(?:\]|\.)\s*\D")


def _is_next_work(works: PageBlock, entry: Printed) -> bool:
    """Tell whether a line has the number that comes next in a list of works, and its type."""
    numbered = [(int(match[1]), line) for line in works.lines if (match := _WORK.match(line.line.text))]
    found = _WORK.match(entry.line.text)
    if not numbered or found is None:
        return False
    last, line = numbered[-1]
    return int(found[1]) == last + 1 and abs(line.line.size - entry.line.size) < 0.3


@dataclass(slots=True)
class Splitter:
    """Takes a document apart, page by page. It knows what part of the document it is in."""

    style: Style
    finder: Finder
    title: str = ""  # the letters of the paper's own title
    authors: frozenset[str] = frozenset()  # the letters of their names
    pieces: list[PageBlock] = field(default_factory=list[PageBlock])
    _part: Literal["body", "references", "contents"] = "body"
    _look: Look = (0.0, False, False, False)  # of the heading of the part
    _list: PageBlock | None = None  # that the lines of this part go to
    _works: PageBlock | None = None  # the list of works that a heading has ended
    _front: bool = False
    _text_top: float = 0.0  # of the first page: what ends above it and is short belongs to the front
    _stray: int = 0

    def split(self, pages: Iterable[TextPage]) -> list[PageBlock]:
        """Return the pieces of all pages in reading order."""
        for page in pages:
            blocks = printed(page, self.style)
            # whether this first page begins with title, authors and addresses: it comes to an abstract or an introduction
            self._front = page.number == 1 and any(self._ends_front(entry) for block in blocks for entry in block)
            for block in blocks:
                self._block(block)
        self._settle_front()
        return self.pieces

    def _settle_front(self) -> None:
        """Take loud lines below the title (subtitle, names, a date) for what they are: no later heading looks like them."""
        later = {look_of(piece.lines) for piece in self.pieces if piece.kind == "heading" and piece.lines[0].page > 1}
        titled = False
        for piece in takewhile(lambda piece: not piece.lines or piece.lines[0].page == 1, self.pieces):
            titled = titled or piece.kind == "title"
            if not titled or piece.kind != "heading":
                continue
            text = " ".join(entry.line.text for entry in piece.lines)
            if number_of(text) is not None or is_known(text):
                return
            if look_of(piece.lines) not in later:
                piece.kind, piece.front = "text", True

    def _ends_front(self, entry: Printed) -> bool:
        text = entry.line.text.strip()
        bare, number = bare_name(text), number_of(text)
        if ABSTRACT.fullmatch(bare) or CONTENTS.fullmatch(bare) or letters_of(bare) in _FIRST_SECTIONS:
            return True
        loud = entry.line.bold or entry.line.size > self.style.size + 0.5 or bare.isupper()
        return loud and number is not None and number.kind != "chapter" and number.parts in _FIRST_NUMBERS

    def _block(self, block: list[Printed]) -> None:
        if block[0].page == 1 and len(block) < _FEW and block[-1].line.bottom < self._text_top:
            for entry in block:  # beside the authors, and read later
                self._front_line(entry)
            return
        notes = _foot(block, self.style, lambda start: self._are_works(block, start))
        place = self._caption_rest(block)
        while place < notes:
            place += self._step(block[:notes], place)
        listed = (at for at in range(place, len(block)) if self._is_listed(block[at]))
        place, works = (
            max(place, notes),
            next(listed, len(block)),
        )  # what looks like notes may be the addresses above a list
        for entry in block[place:works]:
            start = is_note(entry.line) or entry is block[notes] or entry.gap > 1.6
            self._add("footnote", entry, new=start)
        place = max(place, works)
        while place < len(block):
            place += self._step(block, place)

    def _is_listed(self, entry: Printed) -> bool:
        """Tell that a list of works begins or goes on here."""
        goes_on = self._part == "body" and self._works is not None and _is_next_work(self._works, entry)
        return goes_on or REFERENCES.fullmatch(bare_name(entry.line.text)) is not None

    def _step(self, block: list[Printed], place: int) -> int:
        """Take the next lines of a block; return how many."""
        entry = block[place]
        if self._front and self._ends_front(entry):
            self._front = False
            self._text_top = entry.line.top
        if (self._front and not self._floats(block, place)) or self._is_title(entry) or self._is_author(entry):
            return self._front_line(entry)
        if self._part == "contents" and self._contents_line(block, place):
            return 1
        if self._part == "body" and self._works is not None and _is_next_work(self._works, entry):
            # a section stands at the head of the column in which the list goes on
            self._part, self._list, self._works = "references", PageBlock("references"), None
            self.pieces.append(self._list)
        return self._heading(block, place) or self._taken_whole(block, place) or self._flowing(block, place)

    def _taken_whole(self, block: list[Printed], place: int) -> int:
        for kind, length in self._whole(block, place):
            if length:
                self.pieces.append(PageBlock(kind, block[place : place + length]))
                if kind == "contents":
                    self._part, self._list, self._stray = "contents", self.pieces[-1], 0
                return length
        return 0

    def _flowing(self, block: list[Printed], place: int) -> int:
        entry = block[place]
        if self._part != "references" or self._list is None:
            self._text(block, place)
        elif is_scale([entry], self.style):
            self._add("figure", entry, new=False)
        else:
            self._list.lines.append(entry)
        return 1

    def _floats(self, block: list[Printed], place: int) -> bool:
        """Tell whether a figure or a table stands here among the authors."""
        behind = bool(self.pieces) and self.pieces[-1].kind == "caption"
        return is_caption(block[place], self.style) or (behind and table_lines(block, place) > 0)

    def _front_line(self, entry: Printed) -> int:
        kind: Kind = "title" if self._is_title(entry) else "text"
        last = self.pieces[-1] if self.pieces else None
        same = last is not None and last.kind == kind and last.front and _same_letters(last.lines[-1], entry)
        joined = same and entry.gap < _BREAK and (kind == "title" or _flows(last.lines[-1], entry) if last else False)
        self._add(kind, entry, new=not joined)
        self.pieces[-1].front = True
        return 1

    def _is_title(self, entry: Printed) -> bool:
        if entry.page > 1 or entry.line.size <= self.style.size + 1:
            return False
        letters = letters_of(entry.line.text)
        return len(letters) > 3 and letters in self.title

    def _is_author(self, entry: Printed) -> bool:
        return entry.page == 1 and bool(self.authors) and letters_of(entry.line.text) in self.authors

    def _heading(self, block: list[Printed], place: int) -> int:
        length = self.finder.length(block, place)
        lines = block[place : place + length]
        if not length or (self._part == "references" and not self._ends_references(lines)):
            return 0
        if lead := lines[-1].line.lead:  # its paragraph runs on behind it
            # the heading that a line begins with and the rest, as far as letters tell where that stands
            entry = lines[-1]
            line = entry.line
            rest = line.text[lead:].lstrip()
            start = len(line.text) - len(rest)
            border = line.left + (line.right - line.left) * start / len(line.text)
            head = replace(line, text=line.text[:lead].rstrip(), right=border, lead=0, cells=[], bold=True)
            tail = replace(line, text=rest, left=border, lead=0, cells=[], bold=False)
            tail.raised = [(first - start, end - start) for first, end in line.raised if first >= start]
            head.raised = [(first, end) for first, end in line.raised if end <= lead]
            heading, block[place] = replace(entry, line=head), replace(entry, line=tail)
            lines, length = [heading], 0
        self.pieces.append(PageBlock("heading", lines))
        # begin the part of the document that this heading opens
        self._works = self._list if self._part == "references" else self._works
        name = bare_name(" ".join(entry.line.text for entry in lines))
        self._part, self._list, self._stray = "body", None, 0
        self._look = look_of(lines)
        if REFERENCES.fullmatch(name):
            self._part, self._list = "references", PageBlock("references")
        elif CONTENTS.fullmatch(name):
            self._part, self._list = "contents", PageBlock("contents")
        if self._list is not None:
            self.pieces.append(self._list)
        if lead:
            self._add("text", block[place], new=True)
        return length or 1

    def _ends_references(self, lines: Sequence[Printed]) -> bool:
        """Tell a heading behind the list of works from a loud line within it."""
        text = " ".join(entry.line.text for entry in lines)
        if self.finder.level_of(lines[0].page, text) is not None or is_known(text):
            return True
        number, look = number_of(text), look_of(lines)
        if number is not None and number.kind == "decimal" and not look[1] and look[0] < self.style.size + 0.7:
            return False  # a label
        same = abs(look[0] - self._look[0]) < 0.6 and look[1:3] == self._look[1:3]
        return same or look[0] > self._look[0] or (number is not None and number.kind in {"appendix", "letter"})

    def _contents_line(self, block: Sequence[Printed], place: int) -> bool:
        """Add a line to the table of contents; one that is no entry may be the beginning of one, but not often."""
        listed = self._list.lines if self._list is not None else []
        entry = block[place]
        is_one = is_set_off if sum(is_set_off(line.line) for line in listed[:20]) > 1 else is_entry
        if is_one(entry.line):
            self._stray = 0
        elif self._is_stray(block, place, is_one):
            self._stray += 1
        else:
            self._part = "body" if listed or entry.full else "contents"
            return False
        listed.append(entry)
        return True

    def _is_stray(self, block: Sequence[Printed], place: int, is_one: Callable[[TextLine], bool]) -> bool:
        """Tell whether the line may belong to entries: they go on right below it, and it is no heading of another part."""
        entry = block[place]
        if self._stray >= _STRAY or CONTENTS.fullmatch(bare_name(entry.line.text)):
            return False
        return any(is_one(below.line) for below in block[place + 1 : place + _STRAY])

    def _whole(self, block: list[Printed], place: int) -> Iterator[tuple[Kind, int]]:
        """Yield what may begin here and is taken as a whole, with its lines."""
        yield "caption", self._caption(block, place)
        if self._part == "references":  # rows only below their caption: labels of works are cells, too
            last = self.pieces[-1]
            under = last.kind == "caption" and last.lines[-1].page == block[place].page
            yield "table", table_lines(block, place) if under else 0
            return
        if has_leader(block[place].line.text):
            leaders = sum(1 for _ in takewhile(lambda entry: has_leader(entry.line.text), block[place:]))
            yield "contents", leaders if leaders > 3 else 0
        yield "table", table_lines(block, place)
        yield "code", code_lines(block, place)

    def _caption(self, block: Sequence[Printed], place: int) -> int:
        """Return how many lines the caption has that begins here: to a gap, other letters, or the end of its block."""
        first = block[place]
        above = block[place - 1] if place else None
        if (
            above is not None
            and first.gap < 1.15
            and above.full
            and _same_letters(above, first)
            and not above.line.text.endswith(_ENDS)
        ):
            return 0
        if not is_caption(first, self.style):
            return 0
        end = place + 1
        while end < len(block) and block[end].gap < _BREAK and _in_caption(block[end - 1], block[end]):
            if abs(block[end].line.size - first.line.size) > 0.6 or is_caption(block[end], self.style):
                break
            if end > place + 1 and _starts_after_end(block[end - 1], block[end]):
                break
            end += 1
        return end - place

    def _caption_rest(self, block: Sequence[Printed]) -> int:
        """Add what a caption over all columns has left in this block: short last lines look like lines of its first column."""
        last = self.pieces[-1] if self.pieces else None
        if last is None or last.kind != "caption":
            return 0
        place = 0
        while place < len(block) and len(block[place].line.cells) < 3:
            above, entry = last.lines[-1], block[place]
            step = (entry.line.bottom - above.line.bottom) / (self.style.pitch * max(entry.line.size, 1.0))
            below = entry.page == above.page and 0.7 < step < _BREAK and abs(entry.line.left - above.line.left) < 3
            if not below or not _same_letters(above, entry) or is_caption(entry, self.style):
                break
            if abs(entry.line.size - self.style.size) < 0.4 and above.line.text.rstrip().endswith(_ENDS):
                break
            last.lines.append(entry)
            place += 1
        return place

    def _are_works(self, block: Sequence[Printed], start: int) -> bool:
        """Tell small letters from here on that are the list of works itself, which may be set smaller than the text."""
        if start and any(REFERENCES.fullmatch(bare_name(entry.line.text)) for entry in block[:start]):
            return True
        listed = self._list.lines if self._part == "references" and self._list is not None else []
        return bool(listed) and start < len(block) and abs(listed[-1].line.size - block[start].line.size) < 0.6

    def _text(self, block: Sequence[Printed], place: int) -> None:
        """Add a line of running text or of a list."""
        entry = block[place]
        above = block[place - 1] if place else None
        last = self.pieces[-1] if self.pieces else None
        within = above is not None and last is not None and bool(last.lines) and last.lines[-1] is above
        if is_item(entry.line.text) and (not within or last is None or _may_begin_item(last, entry)):
            self._add("item", entry, new=True)
        elif not within or last is None or last.kind not in {"text", "item"}:
            self._add("text", entry, new=True)
        elif last.kind == "item":
            self._add("item" if _in_item(last, entry) else "text", entry, new=not _in_item(last, entry))
        else:
            self._add("text", entry, new=_breaks(last, entry, self.style))

    def _add(self, kind: Kind, entry: Printed, *, new: bool) -> None:
        if new or not self.pieces or self.pieces[-1].kind != kind:
            self.pieces.append(PageBlock(kind))
        self.pieces[-1].lines.append(entry)
