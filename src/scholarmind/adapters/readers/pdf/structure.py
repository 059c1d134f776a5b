"""From the lines of all pages to one text: the steps in their order.

Lines that were torn apart are stitched, and paragraphs that a float, a footnote or the end of a page cut in two are made whole.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import copy

from scholarmind.adapters.readers.pdf.assemble import Text, Words, assembled, flat
from scholarmind.adapters.readers.pdf.blocks import PageBlock, Splitter, is_axis, is_numbers, is_scale
from scholarmind.adapters.readers.pdf.furniture import without_furniture
from scholarmind.adapters.readers.pdf.headings import Finder, Outline, is_known
from scholarmind.adapters.readers.pdf.line_features import FIGURE, Printed, Style, printed, style_of
from scholarmind.adapters.readers.pdf.page import Cell, TextLine, TextPage
from scholarmind.adapters.readers.pdf.printed_tables import rest_of
from scholarmind.identity import letters_of

# -- numbers in a column of their own, and headings of two columns at one height

_NUMBER = re.compile(r"[\[(]?(?:\d{1,4}|[ivxlc]{1,6})[\])]?[.:]?|\[[^\[\]]{1,16}\]", re.IGNORECASE)
_MANY = 3
_SHARE = 0.7  # of the numbers have a line beside them
_LONGEST_HEADINGS = 90  # characters of two
_FARTHEST = 40.0  # points between a label and its line


def _stitch(page: TextPage) -> None:
    """Put such numbers back into their lines, as cells of their own."""
    gone: set[int] = set()
    for run in _runs(page.lines):
        others = [line for line in page.lines if not _NUMBER.fullmatch(line.text.strip())]
        pairs = [(number, beside) for number in run if (beside := _beside(number, others)) is not None]
        if len(pairs) < max(_MANY, _SHARE * len(run)):
            continue
        for number, beside in pairs:
            _join(number, beside)
            gone.add(id(number))
    if gone:
        page.lines = [line for line in page.lines if id(line) not in gone]


def _part_headings(page: TextPage) -> None:
    """Give the second of two headings at one height back to its column: it is one that sections have, and text stands below it alone."""
    place = 0
    while place < len(page.lines):
        line = page.lines[place]
        place += 1
        if len(line.cells) != 2 or len(line.text) > _LONGEST_HEADINGS or not is_known(line.text[line.cells[1].start :]):
            continue
        if sum(map(str.isalpha, line.text[: line.cells[0].end])) < _MANY:  # its number
            continue
        first, second = line.cells
        below = (
            at for at in range(place, len(page.lines)) if _is_under(page.lines[at], second, first.right, line.bottom)
        )
        if (at := next(below, None)) is None:
            continue
        other = copy(line)
        other.text, other.left, other.block = line.text[second.start :], second.left, page.lines[at].block
        other.cells = [Cell(start=0, end=len(other.text), left=second.left, right=second.right)]
        other.raised = []
        line.text, line.right, line.cells = line.text[: first.end], first.right, [first]
        page.lines.insert(at, other)


def _is_under(line: TextLine, cell: Cell, left: float, bottom: float) -> bool:
    return left < line.left <= cell.left + 2 and cell.right <= line.right + 2 and line.top >= bottom - 2


def _runs(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """Yield numbers that follow each other in reading order, down the page."""
    run: list[TextLine] = []
    for line in lines:
        if _NUMBER.fullmatch(line.text.strip()) and not line.turned and (not run or line.top > run[-1].top):
            run.append(line)
            continue
        if len(run) >= _MANY:
            yield run
        run = []
    if len(run) >= _MANY:
        yield run


def _beside(number: TextLine, lines: Sequence[TextLine]) -> TextLine | None:
    """Return the line at the same height: right behind a label, or somewhere in front of a page number."""
    middle = (number.top + number.bottom) / 2
    level = [line for line in lines if line.top < middle < line.bottom and abs(line.bottom - number.bottom) < 4]
    right = [line for line in level if -2 < line.left - number.right < _FARTHEST]
    left = [line for line in level if line.right <= number.left + 2 and line.block < number.block]
    return min(right, key=lambda line: line.left, default=None) or max(left, key=lambda line: line.right, default=None)


def _join(number: TextLine, line: TextLine) -> None:
    cells = line.cells or [Cell(start=0, end=len(line.text), left=line.left, right=line.right)]
    text = number.text.strip()
    if number.left < line.left:
        moved = len(text) + 1
        own = Cell(start=0, end=len(text), left=number.left, right=number.right)
        shifted = [Cell(start=c.start + moved, end=c.end + moved, left=c.left, right=c.right) for c in cells]
        line.text, line.cells, line.left = f"{text} {line.text}", [own, *shifted], number.left
        line.raised = [(start + moved, end + moved) for start, end in line.raised]
    else:
        start = len(line.text) + 1
        line.cells = [*cells, Cell(start=start, end=start + len(text), left=number.left, right=number.right)]
        line.text, line.right = f"{line.text} {text}", number.right


# -- pieces in the order in which they are read

_FLOATS = frozenset({"caption", "table", "figure", "footnote"})
_MOST_FLOATS = 24  # pieces that may stand between the two halves of a paragraph
_ENDS = (".", "!", "?", "。", "！", "？", "…", "”", '"', ".)", "’", "：", ":")
_OPEN = re.compile(  # no sentence ends so
    r"(?<![^\W\d_])(?:(?:i\. ?e|e\. ?g|cf|vs|et al|resp|approx|figs?|eqs?|sec|dr|prof|z\. ?b|d\. ?h|bzw|vgl)\.|"
    r"a|an|the|of|and|or|to|in|on|at|by|for|from|with|as|is|are|was|were|be|that|this|which|we|not|than|der|die|das|und|von|mit)$",
    re.IGNORECASE,
)

_CONTINUED = re.compile(r"\bcont(?:inued|'?d|\.)|\bfortsetzung\b|续表|續表|（续）|\(续\)", re.IGNORECASE)
_LABEL = 40  # characters of a word in a figure
_NEXT = 1.2  # pitches to the next line of the same
_SMALL = 0.94


def _in_order(pieces: Sequence[PageBlock], style: Style) -> list[PageBlock]:
    """Return the pieces with whole paragraphs, each followed by the floats that stood in it."""
    marked = _with_figures(_with_whole_tables([piece for piece in pieces if piece.lines]), style)
    found: list[PageBlock] = []
    waiting: list[PageBlock] = []
    for place, piece in enumerate(marked):
        if piece.kind in _FLOATS or _is_stray(piece, found):
            waiting.append(piece)
            continue
        last = found[-1] if found else None
        if waiting and last is not None and not _may_join(last, piece, style, len(waiting)):
            found += _with_captions(waiting)
            waiting = []
            last = None if found[-1].kind in _FLOATS else found[-1]
        near = last is not None and _may_join(last, piece, style, len(waiting))
        if last is not None and near and (waiting or _apart(last.lines[-1], piece.lines[0])):
            last.lines += piece.lines
        else:
            found += _with_captions(waiting)
            waiting = []
            found.append(piece)
        if place + 1 < len(marked) and len(waiting) > _MOST_FLOATS:
            found += _with_captions(waiting)
            waiting = []
    return found + list(_with_captions(waiting))


def _is_stray(piece: PageBlock, found: Sequence[PageBlock]) -> bool:
    """Tell a line of the front matter that comes after text has begun: an author above the second column."""
    return piece.front and bool(found) and found[-1].kind == "text" and not found[-1].front


def _with_captions(floats: Sequence[PageBlock]) -> Iterator[PageBlock]:
    """Yield floats, the words inside a figure behind its caption."""
    figures: list[PageBlock] = []
    for piece in floats:
        if piece.kind == "figure":
            figures.append(piece)
            continue
        yield piece
        yield from figures
        figures = []
    yield from figures


def _apart(above: Printed, below: Printed) -> bool:
    """Tell whether a column or a page ends between the two."""
    return above.page != below.page or below.gap >= 9.0


def _may_join(last: PageBlock, piece: PageBlock, style: Style, floats: int) -> bool:
    """Tell whether the piece goes on with the paragraph before it."""
    if piece.kind != "text" or last.kind not in {"text", "item"} or last.front or piece.front or floats > _MOST_FLOATS:
        return False
    above, below = last.lines[-1], piece.lines[0]
    if abs(above.line.size - below.line.size) > 0.8 or above.line.bold != below.line.bold:
        return False
    if below.page - above.page > 3 or not (floats or _apart(above, below)):
        return False
    end, start = above.line.text.rstrip(), below.line.text.lstrip()
    if start[:1].islower() and not end.endswith((":", "：")):
        # what stands right below the float goes on with that
        return not (floats and below.gap < _NEXT and end.endswith(_ENDS))
    starts_flush = -4 < below.indent < 4
    if not end.endswith(_ENDS) or _OPEN.search(end):
        full = above.full or _OPEN.search(end) is not None  # lines that are not filled may go on, too
        return full and (starts_flush or not style.indents)
    return style.indents and last.kind == "text" and above.full and starts_flush and below.full


def _with_whole_tables(pieces: Sequence[PageBlock]) -> list[PageBlock]:
    """Return the pieces, with the rows of a table that goes on on the next page in one of them."""
    found: list[PageBlock] = []
    table: PageBlock | None = None
    for piece in pieces:
        if piece.kind == "table" and table is not None:
            rows = rest_of(table.lines, piece.lines)
            # what seems to be a footnote may be rows, too: then only a head that comes again is proof
            if rows is not None and (found[-1].kind != "footnote" or len(rows) < len(piece.lines)):
                table.lines += rows
                continue
        if piece.kind == "table":
            table = piece
        elif piece.kind != "footnote" and not _CONTINUED.search(piece.lines[0].line.text):
            table = None
        found.append(piece)
    return found


def _with_figures(pieces: list[PageBlock], style: Style) -> list[PageBlock]:
    """Mark the words inside figures: short lines in small letters right above (or, where none are, right below) a figure's caption."""
    for place, piece in enumerate(pieces):
        scale = piece.kind in {"text", "table"} and not piece.front and is_scale(piece.lines, style)
        if scale or (piece.kind == "text" and is_axis(piece.lines)):
            piece.kind = "figure"
        if piece.kind == "caption" and FIGURE.match(piece.lines[0].line.text):
            _mark(pieces, place, style)
    return pieces


def _mark(pieces: Sequence[PageBlock], place: int, style: Style) -> None:
    page = pieces[place].lines[0].page
    for step in (-1, 1):
        other = place + step
        marked = False
        while 0 <= other < len(pieces) and _is_label(pieces[other], page, style):
            pieces[other].kind = "figure"
            other += step
            marked = True
        if marked:
            return


def _is_label(piece: PageBlock, page: int, style: Style) -> bool:
    if piece.kind not in {"text", "item", "table", "code"} or piece.front or piece.lines[0].page != page:
        return False
    if piece.kind == "table" and any(character.isalpha() for entry in piece.lines for character in entry.line.text):
        return False
    if piece.kind == "text" and is_numbers(piece.lines):
        return True
    short = all(len(entry.line.text) < _LABEL for entry in piece.lines)
    small = all(entry.line.size < _SMALL * style.size for entry in piece.lines)
    closed = piece.lines[-1].line.text.rstrip().endswith((".", "。", ",", ";"))
    loose = all(not entry.full or entry.right - entry.left < 60 for entry in piece.lines) and len(piece.lines) < 4
    return short and not closed and (small or (loose and piece.kind == "text" and len(piece.lines[0].line.text) < 25))


# -- the steps


def structured(
    pages: Sequence[TextPage], outline: Outline | None = None, title: str = "", authors: Iterable[str] = ()
) -> Text:
    """Return the text of these pages; their lines are used up. Title and authors are those that the first page shows."""
    sizes = [(page.width, page.height) for page in pages]
    for page in pages:
        page.lines = [line for line in page.lines if line.text.replace("\0", " ").strip()]
    without_furniture(pages, style_of(pages, indents=False))
    for page in pages:
        _stitch(page)
        _part_headings(page)
    style = style_of(pages)
    finder = Finder(style, outline or {})
    pieces = _in_order(
        Splitter(style, finder, letters_of(title), frozenset(map(letters_of, authors)) - {""}).split(pages), style
    )
    given = {
        place: level
        for place, piece in enumerate(pieces)
        if piece.kind == "heading"
        and (level := finder.level_of(piece.lines[0].page, " ".join(flat(line.line.text) for line in piece.lines)))
    }
    words = Words(line for page in pages for line in page.lines)
    for (
        page
    ) in pages:  # the pieces have the lines now, and let go of them one by one: half of the memory of a long document
        page.lines = []
    return assembled(pieces, words, sizes, given)


def plain_text(pages: Sequence[TextPage]) -> Text:
    """Return the text of these pages block by block, without telling what is what: for a document on which that failed."""
    style = style_of(pages, indents=False)
    words = Words(line for page in pages for line in page.lines)
    pieces = [PageBlock("text", block) for page in pages for block in printed(page, style)]
    return assembled(pieces, words, [(page.width, page.height) for page in pages], {})
