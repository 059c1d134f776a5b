"""What stands on pages and is no part of the text: running heads and feet, page numbers, line numbers, stamps in the margin.

The edge of a page is told from its text by repetition: a line at the same height whose words come back, or whose number
counts the pages. Lines are looked at from the edge inwards, and the first that is text ends the edge.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scholarmind.adapters.readers.pdf.line_features import Style
from scholarmind.adapters.readers.pdf.page import TextLine, TextPage

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
        page.lines = _without_stamps(page)
    _drop_line_numbers(pages)
    outer = [[edge for page in pages for edge in _edges(page, lower=lower)] for lower in (False, True)]
    counting = _counting(outer[0] + outer[1], len(pages), style.size + 0.6)
    named = _named(outer[0], pages, style)
    for edges in outer:
        _drop(pages, _furniture(edges, counting, style, len(pages)) | named, edges)
    if pages:
        _drop_notices(pages[0], style)


def _without_stamps(page: TextPage) -> list[TextLine]:
    """Turned lines are stamps and side heads, unless there are so many that they are a turned table."""
    turned = [line for line in page.lines if _is_turned(line)]
    if not turned or len(turned) > max(6, 0.3 * len(page.lines)):
        return page.lines
    gone = {id(line) for line in turned}
    return [line for line in page.lines if id(line) not in gone]


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
    if _is_most(gone, pages):
        return
    for page in pages:
        page.lines = [line for line in page.lines if id(line) not in gone]


def _is_most(gone: set[int], pages: Sequence[TextPage]) -> bool:
    """Tell that little would be left: then these are forms, slides or verses that repeat themselves, not furniture."""
    sizes = [(len(line.text), id(line) in gone) for page in pages for line in page.lines]
    return sum(size for size, out in sizes if out) > 0.5 * sum(size for size, _ in sizes)


def _drop_notices(page: TextPage, style: Style) -> None:
    """Take the notices of a publisher off the edges of the first page: they stand there once, and are no part of the text."""
    gone: set[int] = set()
    for lower in (False, True):
        for edge in _edges(page, lower=lower):
            if edge.line.size <= style.size and edge.room > 0.5 * style.size and _FIRST_PAGE.search(edge.line.text):
                gone.add(id(edge.line))
    page.lines = [line for line in page.lines if id(line) not in gone]


def _drop_line_numbers(pages: Sequence[TextPage]) -> None:
    """Take out the numbers in the margin of a manuscript, as lines of their own or as first cells of lines."""
    numbered = {page.number: found for page in pages if (found := _margin(page))}
    if len(numbered) < 0.5 * sum(len(page.lines) > 8 for page in pages):
        return
    for page in pages:
        found = numbered.get(page.number, set[int]())
        page.lines = [line for line in page.lines if not (id(line) in found and len(line.cells) < 2)]
        for line in page.lines:
            if id(line) in found:
                _cut_first_cell(line)


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


def _cut_first_cell(line: TextLine) -> None:
    cut = line.cells[1].start
    line.left = line.cells[1].left
    line.text = line.text[cut:]
    line.cells = line.cells[1:]
    for cell in line.cells:
        cell.start, cell.end = cell.start - cut, cell.end - cut
    line.raised = [(start - cut, end - cut) for start, end in line.raised if start >= cut]
