"""Pieces of a document, and where one ends and another begins: paragraphs, items of lists, footnotes."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from scholarmind.adapters.readers.pdf.marks import is_caption, is_note, is_signed
from scholarmind.adapters.readers.pdf.style import Printed, Style

Kind = Literal[
    "title", "heading", "text", "item", "code", "caption", "table", "figure", "footnote", "references", "contents"
]

INDENT = 4.0
BREAK = 1.3  # pitches between paragraphs
ENDS = (".", "!", "?", ":", "。", "！", "？", "：", "”", "…", ")", "]", "）")
_LABEL = re.compile(r"[+\-−–]?\d{1,6}(?:[.,]\d{1,4})?[%kKM]?")  # at an axis
_UNITS = re.compile(r"[%kKM]$")
_FEWEST_LABELS = 3
_MOST_LABELS = 40
_STOPS = (".", "!", "?", "。", "！", "？", "…")
_SMALL = 0.94  # of the size of running text: footnotes
_SHORT_LINE = 0.85


@dataclass(slots=True)
class Piece:
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


def breaks(last: Piece, entry: Printed, style: Style) -> bool:
    """Tell whether a paragraph begins here."""
    above = last.lines[-1]
    if entry.gap > BREAK or abs(entry.line.size - above.line.size) > 0.12 * style.size + 0.3:
        return True
    begun = above.indent if len(last.lines) == 1 else 0.0
    indented = INDENT < entry.indent < 60 and entry.indent > begun + INDENT
    # a term with its explanation under it, indented from its second line on
    indented = indented and not (above.full and entry.line.text[:1].islower() and not above.line.text.endswith(_STOPS))
    if (
        indented
        and entry.line.right > entry.right - 0.5 * (entry.right - entry.left)
        and above.line.text.endswith(ENDS)
    ):
        return True
    return starts_after_end(above, entry)


def starts_after_end(above: Printed, entry: Printed) -> bool:
    """Tell that the line above ends a paragraph: with its sentence, well before the edge of the column."""
    width = above.right - above.left
    short = above.line.right < above.left + _SHORT_LINE * width
    first = entry.line.text[:1]
    return short and above.line.text.rstrip().endswith(ENDS) and not first.islower()


def may_begin_item(last: Piece, entry: Printed) -> bool:
    """Tell an item from a line of a paragraph that happens to begin like one."""
    above = last.lines[-1]
    if last.kind == "item" or entry.gap > 1.15 or entry.indent > INDENT:
        return True
    return not above.full or above.line.text.endswith(ENDS)


def in_item(piece: Piece, entry: Printed) -> bool:
    """Tell whether the line goes on with the item: near, and not left of what it hangs from."""
    first, above = piece.lines[0], piece.lines[-1]
    if entry.gap > BREAK or abs(entry.line.size - above.line.size) > 1.2:
        return False
    if len(piece.lines) > 1:
        return entry.line.left > piece.lines[1].line.left - INDENT and not starts_after_end(above, entry)
    return entry.line.left > first.line.left - 2 and (entry.line.left > first.line.left + 2 or above.full)


def in_caption(above: Printed, entry: Printed) -> bool:
    """Tell a line of a caption, even with its words pushed apart, from a row of the table below it."""
    stretched = entry.full and above.full and not above.line.text.endswith(ENDS) and abs(entry.indent) < INDENT
    return len(entry.line.cells) < 3 or stretched


def foot(block: Sequence[Printed], style: Style, are_works: Callable[[int], bool]) -> int:
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
            begins = (is_note(entry.line) and (signed or entry.gap > 1.1)) or _stands_low(entry)
        if low and begins and (len(entry.line.cells) < 3 or (signed and entry.full)):
            return place
    return len(block)


def _stands_low(entry: Printed) -> bool:
    return entry.line.top > 0.8 * entry.height and entry.gap > 1.5 and entry.full


def same_letters(one: Printed, other: Printed) -> bool:
    """Tell whether two lines are set alike."""
    return abs(one.line.size - other.line.size) < 0.6 and one.line.bold == other.line.bold


def flows(above: Printed, entry: Printed) -> bool:
    """Tell running text from lines with names and addresses, which stand for themselves."""
    return above.full and len(above.line.text) > 40 and abs(above.line.left - entry.line.left) < 20
