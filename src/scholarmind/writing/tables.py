"""Tables in Markdown, and the piece of a quotation that fits into a cell of one."""

import re
from collections.abc import Sequence

from scholarmind.writing.extract import Quote, shortened
from scholarmind.writing.prose import is_short

_LONGEST_CELL = 140
_STRONG = re.compile(r"[;；。]|[.!](?=\s)")
_WEAK = re.compile(r"[,，、:：](?!\d)|(?<=\s)(?:and|but|while|whereas)(?=\s)")


def piece(quote: Quote, value: str) -> Quote:
    """Return the part of a quote that stands around a value: whole clauses, as many as fit into a cell."""
    text = quote.text
    at = max(0, text.find(value)) if value else 0
    stop = at + len(value)
    start, end = _between(_STRONG, text, (0, len(text)), (at, stop))
    if is_short(text[start:end]):
        start, end = 0, len(text)
    if end - start > _LONGEST_CELL:
        clauses = _clauses(text, (start, end), (at, stop))
        start, end = (start, end) if is_short(text[slice(*clauses)]) else clauses
    if end - start > _LONGEST_CELL:
        start, end = _cut(text, start, end, at, stop)
    return _without_edges(quote, start, end)


def _between(border: re.Pattern[str], text: str, within: tuple[int, int], core: tuple[int, int]) -> tuple[int, int]:
    """Return what stands between the borders around a stretch of text."""
    places = [match.end() for match in border.finditer(text, *within)]
    start = max((place for place in places if place <= core[0]), default=within[0])
    return start, min((place for place in places if place >= core[1] and place > start), default=within[1])


def _clauses(text: str, within: tuple[int, int], core: tuple[int, int]) -> tuple[int, int]:
    """Return the clause around a stretch, and of its neighbours, first behind and then before it, what fits into a cell."""
    start, end = _between(_WEAK, text, within, core)
    places = [match.end() for match in _WEAK.finditer(text, *within)]
    for place in [place for place in (*places, within[1]) if place > end]:
        end = place if place - start <= _LONGEST_CELL else end
    for place in reversed([place for place in (within[0], *places) if place < start]):
        start = place if end - place <= _LONGEST_CELL else start
    return start, end


def _cut(text: str, start: int, end: int, at: int, stop: int) -> tuple[int, int]:
    """Keep what is around the value, cut between words."""
    first = start if stop - start <= _LONGEST_CELL else max(start, at - 40)
    last = min(end, max(stop, first + _LONGEST_CELL))
    while (
        first > start and first < at and text[first - 1].isalnum() and text[first].isascii() and text[first].isalnum()
    ):
        first += 1
    while last < end and last > stop and text[last - 1].isalnum() and text[last].isascii() and text[last].isalnum():
        last -= 1
    return first, last


def _without_edges(quote: Quote, start: int, end: int) -> Quote:
    edges = " \t\n\r,，、;；"
    while start < end and quote.text[start] in edges:
        start += 1
    while end > start and quote.text[end - 1] in edges:
        end -= 1
    return shortened(quote, start, end)


def markdown_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table; the texts of its cells are Markdown already."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
