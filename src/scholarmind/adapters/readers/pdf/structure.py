"""From the lines of all pages to one text: what is no part of the text is left out, and the rest put together, step by step.

Lines that were torn apart are stitched, and paragraphs that a float, a footnote or the end of a page cut in two are made whole."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import pairwise

from scholarmind.adapters.readers.pdf.assemble import Text, Words, assembled, flat
from scholarmind.adapters.readers.pdf.blocks import PageBlock, Splitter, is_axis, is_numbers, is_scale, rest_of
from scholarmind.adapters.readers.pdf.headings import Finder, Outline, is_known
from scholarmind.adapters.readers.pdf.page import FIGURE, Cell, Printed, Style, TextLine, TextPage, printed, style_of
from scholarmind.identity import letters_of

# -- running heads and feet, page numbers, line numbers, stamps in the margin

# The edge of a page is told from its text by repetition: a line at the same height whose words come back, or whose number
# counts the pages. Lines are looked at from the edge inwards, and the first that is text ends the edge.

_DEEPEST = 5  # lines from the edge
_EDGE = 0.16  # of the page's height
_SLACK = 4.0  # points by which a repeated line may move
_SHARE = 0.6
_NEAR = 4  # pages from a running head to the next of its kind
_NUMBER = re.compile(r"\d+")
_FIRST_NUMBER = re.compile(r"^(?:page\s*|seite\s*|p\. ?|第\s*)?(\d{1,5})(?!\d)", re.IGNORECASE)
_NUMBER_OF = re.compile(r"(?<!\d)(\d{1,5}) ?(?:of|von|/|共) ?\d{1,5}$", re.IGNORECASE)
_LAST_NUMBER = re.compile(r"(?<!\d)(\d{1,5})$")
_BARE = re.compile(
    r"[\s\-–—|·.\[\]()]*(?:(?:page|seite|p\.?|第)\s*)?(?:\d{1,4}|[ivxlc]{1,8})(?:\s*(?:of|/|von|页|頁|共|第)*\s*\d{0,5})\s*[页頁]?[\s\-–—|·.\[\]()]*",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\d{1,3}[A-Z][a-z]")  # a footnote with its mark
_LINE_NUMBER = re.compile(r"\d{1,4}(?= \S)")
_FEWEST_COUNTED = 30
_AROUND = "#.:·|–—-()"  # what a head has beside the words of the heading
_WORD = re.compile(r"[^\W\d_]{2,}|[\u3400-\u9fff]")
_FIRST_PAGE = re.compile(
    r"arXiv:\d|^\W*preprint\b|under review|permission to make|copyright|©|\(c\) ?\d{4}|all rights reserved|proceedings of|"
    r"^\d+(?:st|nd|rd|th) (?:conference|international|annual)|\bISSN\b|\bISBN\b|https?://doi\.org|^doi:|licen[sc]e[ds]? under|"
    r"published by|personal use|downloaded from|\bpp?\. ?\d+[-–]\d+",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Edge:
    """A line near the upper or lower edge of its page: how deep it stands, and the room between it and the text."""

    page: int
    line: TextLine
    depth: float  # points from the edge
    room: float  # to the next line inwards, in points
    words: str


def without_furniture(pages: Sequence[TextPage], style: Style) -> None:
    """Take out of the pages what is no part of the text."""
    for page in pages:
        # turned lines are stamps and side heads, unless there are so many that they are a turned table
        turned = [line for line in page.lines if _is_turned(line)]
        if turned and len(turned) <= max(6, 0.3 * len(page.lines)):
            gone = {id(line) for line in turned}
            page.lines = [line for line in page.lines if id(line) not in gone]
    drop_line_numbers(pages)
    outer = [[edge for page in pages for edge in _edges(page, lower=lower)] for lower in (False, True)]
    counting = _counting(outer[0] + outer[1], len(pages), style.size + 0.6)
    named = _named(outer[0], pages, style)
    for edges in outer:
        _drop(pages, _furniture(edges, counting, style, len(pages)) | named, edges)
    if pages:
        # take the notices of a publisher off the edges of the first page: they stand there once, and are no part of the text
        page = pages[0]
        gone: set[int] = set()
        for lower in (False, True):
            for edge in _edges(page, lower=lower):
                if edge.line.size <= style.size and edge.room > 0.5 * style.size and _FIRST_PAGE.search(edge.line.text):
                    gone.add(id(edge.line))
        page.lines = [line for line in page.lines if id(line) not in gone]


def _is_turned(line: TextLine) -> bool:
    tall = line.bottom - line.top > 3 * max(line.right - line.left, 1.0)
    return line.turned or (tall and len(line.text) > 3)


def _edges(page: TextPage, *, lower: bool) -> Iterator[_Edge]:
    """Yield the outermost lines, each with the room between it and what follows inwards in the same columns."""
    inwards = sorted(page.lines, key=(lambda line: -line.bottom) if lower else (lambda line: line.top))
    limit = _EDGE * page.height
    for place, line in enumerate(inwards[: 4 * _DEEPEST]):
        depth = page.height - line.bottom if lower else line.top
        if depth > limit:
            break
        rest = (other for other in inwards[place + 1 : place + 40] if _meet(line, other))
        next_one = next((other for other in rest if _room(line, other, lower=lower) > -2), None)
        room = 99.0 if next_one is None else _room(line, next_one, lower=lower)
        yield _Edge(page.number, line, depth, room, _words(line.text))


def _room(line: TextLine, other: TextLine, *, lower: bool) -> float:
    return line.top - other.bottom if lower else other.top - line.bottom


def _meet(one: TextLine, other: TextLine) -> bool:
    return one.left < other.right + 40 and other.left < one.right + 40


def _words(text: str) -> str:
    """Return the line as it comes back on other pages: without its numbers."""
    folded = "".join(_NUMBER.sub("#", text.casefold()).split())
    return "#" if _BARE.fullmatch(text) else folded


def _furniture(edges: Sequence[_Edge], by_number: set[int], style: Style, pages: int) -> set[int]:
    """Return the lines (by id) of those heights at which most lines come back or count."""
    found: set[int] = set()
    for slot in _slots(edges):
        seen = {edge.page for edge in slot}
        again = _repeated(slot) | {id(edge.line) for edge in slot if id(edge.line) in by_number}
        told = {edge.page for edge in slot if id(edge.line) in again}
        apart = [edge for edge in slot if _is_apart(edge, style)]
        changing = (
            len(seen) > 3 and len(seen) > 0.4 * pages and len(apart) > 0.85 * len(slot) and _is_plain(slot, style)
        )
        if len(told) >= _SHARE * len(seen) or changing:
            found |= {id(edge.line) for edge in slot if id(edge.line) in again or _is_apart(edge, style)}
        else:  # the height is that of text; a line that counts the pages, apart from the text, is none
            found |= {id(edge.line) for edge in slot if id(edge.line) in by_number and edge.room > style.size}
            found |= _often(slot, again, pages)
    return found


def _slots(edges: Iterable[_Edge]) -> Iterator[list[_Edge]]:
    slot: list[_Edge] = []
    for edge in sorted(edges, key=lambda edge: edge.depth):
        if slot and edge.depth - slot[-1].depth > 1.0 and edge.depth - slot[0].depth > _SLACK:
            yield slot
            slot = []
        slot.append(edge)
    if slot:
        yield slot


def _repeated(slot: Sequence[_Edge]) -> set[int]:
    """Return the lines whose words come back at this height, on pages near each other: what comes back far off is text said twice."""
    pages: dict[str, set[int]] = defaultdict(set)
    for edge in slot:
        if _WORD.search(edge.words):
            pages[edge.words].add(edge.page)
    running = {words for words, on in pages.items() if _is_near(sorted(on))}
    return {id(edge.line) for edge in slot if edge.words in running}


def _is_near(pages: Sequence[int]) -> bool:
    near = sum(two - one <= _NEAR for one, two in pairwise(pages))
    return near > 0 and near >= 0.4 * (len(pages) - 1)


def _often(slot: Sequence[_Edge], again: set[int], pages: int) -> set[int]:
    """Return what comes back on a third of all pages, wherever the text begins: a head above text that starts anywhere."""
    count = Counter(edge.words for edge in slot if id(edge.line) in again)
    return {id(edge.line) for edge in slot if pages > 3 and count[edge.words] > pages / 3}


def _named(edges: Sequence[_Edge], pages: Sequence[TextPage], style: Style) -> set[int]:
    """Return the heads that say, in plain letters and apart from the text, what a heading on this page or one before it says."""
    heads = [
        edge for edge in edges if edge.line.size <= style.size + 0.3 and not edge.line.bold and _is_apart(edge, style)
    ]
    wanted = {words: edge.page for edge in reversed(heads) if len(words := edge.words.strip(_AROUND)) > 3}
    first: dict[str, int] = {}
    for page in pages if wanted else ():
        for line in page.lines:
            if line.bold or line.size > style.size + 0.6:
                first.setdefault(_words(line.text).strip(_AROUND), page.number)
    return {id(edge.line) for edge in heads if first.get(edge.words.strip(_AROUND), len(pages) + 1) <= edge.page}


def _counting(edges: Sequence[_Edge], pages: int, largest: float) -> set[int]:
    """Return the lines whose first or last number counts the pages, or the halves of sheets: always as far from their number."""
    pages_at: dict[tuple[int, int], set[int]] = defaultdict(set)
    numbers: list[tuple[_Edge, set[tuple[int, int]]]] = []
    for edge in edges:
        if any(start == 0 for start, _ in edge.line.raised) or _NOTE.match(edge.line.text):
            continue
        found = {(step, number - step * edge.page) for number in _ends(edge.line.text) for step in (1, 2)}
        numbers.append((edge, found))
        for key in found:
            pages_at[key].add(edge.page)
    least = min(pages, 2)
    usual = {key for key, on in pages_at.items() if len(on) >= max(least * key[0], 0.3 * pages)}
    counted = [edge for edge, found in numbers if found & usual and (edge.room > 0 or edge.words == "#")]
    bare = {
        edge.page for edge in counted if edge.words == "#"
    }  # there a heading that begins with the same number is none
    counted = [edge for edge in counted if edge.words == "#" or (edge.page not in bare and edge.line.size <= largest)]
    roman = [edge for edge in edges if edge.words == "#" and not _NUMBER.search(edge.line.text) and edge.room > 2]
    return {id(edge.line) for edge in (*counted, *roman)}


def _ends(text: str) -> set[int]:
    """Return the numbers that the line begins or ends with."""
    bare = text.strip(" -–—|·.[]()页頁")
    found = (pattern.search(bare) for pattern in (_FIRST_NUMBER, _NUMBER_OF, _LAST_NUMBER))
    return {int(match[1]) for match in found if match}


def _is_apart(edge: _Edge, style: Style) -> bool:
    return edge.room > 0.55 * style.size * style.pitch and edge.line.size < style.size + 1.5


def _is_plain(slot: Sequence[_Edge], style: Style) -> bool:
    """Tell that the lines may be heads that change with the section: short, small, no more than one at this height on most pages."""
    short = sum(len(edge.line.text) < 90 and edge.line.size <= style.size + 0.6 for edge in slot)
    bold = sum(edge.line.bold and not style.bold for edge in slot)
    return short > 0.9 * len(slot) and bold < 0.5 * len(slot) and all(edge.room > 0.8 * style.size for edge in slot)


def _drop(pages: Sequence[TextPage], furniture: set[int], edges: Sequence[_Edge]) -> None:
    """Take the furniture out that has no text between it and the edge."""
    blocked: dict[int, list[_Edge]] = defaultdict(list)
    gone: set[int] = set()
    for edge in sorted(edges, key=lambda edge: edge.depth):
        outside = any(
            other.depth < edge.depth - _SLACK and _meet(other.line, edge.line) for other in blocked[edge.page]
        )
        if id(edge.line) in furniture and not outside:
            gone.add(id(edge.line))
        else:
            blocked[edge.page].append(edge)
    # little would be left: then these are forms, slides or verses that repeat themselves, not furniture
    sizes = [(len(line.text), id(line) in gone) for page in pages for line in page.lines]
    if sum(size for size, out in sizes if out) > 0.5 * sum(size for size, _ in sizes):
        return
    for page in pages:
        page.lines = [line for line in page.lines if id(line) not in gone]


def drop_line_numbers(pages: Sequence[TextPage]) -> None:
    """Take out the numbers in the margin of a manuscript, as lines of their own or as first cells of lines."""
    counted = _counted_through(pages)
    for line, number in counted:
        _cut_front(line, len(number))
    if counted:
        return
    numbered = {page.number: found for page in pages if (found := _margin(page))}
    if len(numbered) < 0.5 * sum(len(page.lines) > 8 for page in pages):
        return
    for page in pages:
        found = numbered.get(page.number, set[int]())
        page.lines = [line for line in page.lines if not (id(line) in found and len(line.cells) < 2)]
        for line in page.lines:
            if id(line) in found:
                _cut_front(line, line.cells[1].start)


def _counted_through(pages: Sequence[TextPage]) -> list[tuple[TextLine, str]]:
    """Return the lines that begin with numbers that count from 1 through the whole document, whatever stands between them."""
    found: list[tuple[TextLine, str]] = []
    on: set[int] = set()
    for page in pages:
        for line in page.lines:
            number = _LINE_NUMBER.match(line.text)
            if number and int(number[0]) == len(found) + 1:
                found.append((line, number[0]))
                on.add(page.number)
    return found if len(found) >= _FEWEST_COUNTED and len(on) > len(pages) / 2 else []


def _cut_front(line: TextLine, cut: int) -> None:
    """Take the first characters of a line away, and the cells that end with them."""
    while cut < len(line.text) and line.text[cut] == " ":
        cut += 1
    line.cells = [cell for cell in line.cells if cell.end > cut]
    line.left = line.cells[0].left if line.cells and line.cells[0].start >= cut else line.left
    line.text = line.text[cut:]
    for cell in line.cells:
        cell.start, cell.end = max(0, cell.start - cut), cell.end - cut
    line.raised = [(start - cut, end - cut) for start, end in line.raised if start >= cut]


def _margin(page: TextPage) -> set[int]:
    """Return the lines that are, or begin with, a number left or right of all text, if these count down the page."""
    own = [line for line in page.lines if line.text.strip().isdecimal() and len(line.text.strip()) < 5]
    led = [line for line in page.lines if len(line.cells) > 1 and line.text[: line.cells[0].end].strip().isdecimal()]
    for lines in (own, led):
        ordered = sorted(lines, key=lambda line: line.top)
        numbers = [int(_NUMBER.findall(line.text)[0]) for line in ordered]
        rising = sum(a < b for a, b in pairwise(numbers))
        if len(lines) < 5 or rising < 0.9 * (len(numbers) - 1):
            continue
        edge = max(line.cells[0].right if line.cells else line.right for line in lines)
        rest = [line for line in page.lines if len(line.text) > 20]
        begins = sorted(line.cells[1].left if len(line.cells) > 1 and line in led else line.left for line in rest)
        ends = sorted(line.right for line in rest)
        if (
            not rest
            or edge <= begins[len(begins) // 10]
            or min(line.left for line in lines) >= ends[-1 - len(ends) // 10]
        ):
            return {id(line) for line in lines}
    return set()


# -- the steps in their order

# -- numbers in a column of their own, and headings of two columns at one height

_ENTRY_NUMBER = re.compile(r"[\[(]?(?:\d{1,4}|[ivxlc]{1,6})[\])]?[.:]?|\[[^\[\]]{1,16}\]", re.IGNORECASE)
_MANY = 3
_NUMBERED_SHARE = 0.7  # of the numbers have a line beside them
_LONGEST_HEADINGS = 90  # characters of two
_FARTHEST = 40.0  # points between a label and its line


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
        if _ENTRY_NUMBER.fullmatch(line.text.strip()) and not line.turned and (not run or line.top > run[-1].top):
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
        # a line of the front matter that comes after text has begun: an author above the second column
        if piece.kind in _FLOATS or (piece.front and bool(found) and found[-1].kind == "text" and not found[-1].front):
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
        # put such numbers back into their lines, as cells of their own
        gone: set[int] = set()
        for run in _runs(page.lines):
            others = [line for line in page.lines if not _ENTRY_NUMBER.fullmatch(line.text.strip())]
            pairs = [(number, beside) for number in run if (beside := _beside(number, others)) is not None]
            if len(pairs) < max(_MANY, _NUMBERED_SHARE * len(run)):
                continue
            for number, beside in pairs:
                _join(number, beside)
                gone.add(id(number))
        if gone:
            page.lines = [line for line in page.lines if id(line) not in gone]
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
