"""What puts parts side by side: the table of a comparison, the lines of a conclusion, and what plain numbers say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import takewhile

from scholarmind.text.analysis import STOP_WORDS, terms
from scholarmind.writing.extract import Quote, shortened
from scholarmind.writing.prose import is_short
from scholarmind.writing.quantities import numbers
from scholarmind.writing.scenes import titles
from scholarmind.writing.wanted import wanted

_LONGEST_CELL = 140
_UNIT_WITHIN = 40  # characters behind a number
_STRONG = re.compile(r"[;；。]|[.!](?=\s)")
_WEAK = re.compile(r"[,，、:：](?!\d)|(?<=\s)(?:and|but|while|whereas)(?=\s)")
_YEAR = re.compile(r"(?<!\d)(?:1[0-9]|20)\d\d(?!\d)")
_LATER = re.compile(
    r"\b(?:earl(?:y|ier|iest)|lat(?:er|est)|older|newer|oldest|newest|first|before|after|recent)\b|更?[早晚新旧]|[先后]",
    re.IGNORECASE,
)
_HIGHER = re.compile(
    r"\b(?:high(?:er|est)|low(?:er|est)|larger|largest|small(?:er|est)|big(?:ger|gest)|more|most|fewer|less|least|long(?:er|est)|short(?:er|est)|"
    r"greater|bett?er|worse|outperforms?|tall(?:er|est)|old(?:er|est)|fast(?:er|est)|slow(?:er|est))\b|更[高低大小多少长短快慢好差]|最[高低大小多少长短快慢]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What the documents say of one entity under one aspect: a quote, what was counted, or nothing. `value` is its short answer."""

    row: str
    entity: str
    aspect: str
    quote: Quote | None = None
    value: str = ""
    comparable: bool = False  # the value certainly is what was asked for
    counted: bool = False  # in the graph of papers; there is no quote then


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two cells whose plain numbers can be compared; `high` is the one with the larger (or later) value, `word` says which kind."""

    high: Cell
    low: Cell
    word: str
    equal: bool = False


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


def is_measured(question: str, entity: str, quote: Quote, value: str) -> bool:
    """Tell whether a value is surely the number or date asked for: the quote names the entity, and the unit or noun beside it."""
    want = wanted(question)
    held = set(terms(quote.text)).union(*map(terms, titles(quote.evidence)))
    if not value or want.kind not in ("number", "date") or not held.issuperset(terms(entity)):
        return False
    if want.kind == "date":
        return True
    if want.unit:
        return {*terms(want.unit)} <= {*terms(value), *_right_behind(quote.text.partition(value)[2])}
    return bool(want.noun) and held.issuperset(terms(want.noun))


def _right_behind(text: str) -> list[str]:
    """Return the terms of the next two words, of the same phrase."""
    phrase = takewhile(lambda word: word.lower() not in STOP_WORDS, text[:_UNIT_WITHIN].split()[:2])
    return terms(" ".join(phrase))


def grid(cells: Sequence[Cell]) -> tuple[list[str], list[str], dict[tuple[str, str], Cell]]:
    """Return entities, aspects, and the cell of each pair that there is."""
    entities = list(dict.fromkeys(cell.entity for cell in cells))
    aspects = list(dict.fromkeys(cell.aspect for cell in cells))
    return entities, aspects, {(cell.entity, cell.aspect): cell for cell in reversed(cells)}


def markdown_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table; the texts of its cells are Markdown already."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def compared(question: str, cells: Sequence[Cell]) -> list[Comparison]:
    """Return what the numbers of cells under one aspect say, if the question asks which is more, or which is earlier."""
    later, higher = _LATER.search(question) is not None, _HIGHER.search(question) is not None
    by_aspect: dict[str, list[Cell]] = {}
    for cell in cells:
        by_aspect.setdefault(cell.aspect, []).append(cell)
    found: list[Comparison] = []
    for group in by_aspect.values():
        if (
            len(group) == 2
            and all((cell.quote or cell.counted) and cell.comparable for cell in group)
            and (later or higher)
        ):
            found += _of_pair(group[0], group[1], dates=later and not higher)
    return found


def _of_pair(one: Cell, two: Cell, *, dates: bool) -> list[Comparison]:
    first, second = (_year(cell.value) if dates else _amount(cell.value) for cell in (one, two))
    if first is None or second is None or first[1] != second[1]:
        return []
    high, low = (one, two) if first[0] >= second[0] else (two, one)
    return [Comparison(high=high, low=low, word="later" if dates else "higher", equal=first[0] == second[0])]


def _year(text: str) -> tuple[Decimal, str] | None:
    years = set(_YEAR.findall(text))
    return (Decimal(years.pop()), "year") if len(years) == 1 else None


def _amount(text: str) -> tuple[Decimal, str] | None:
    found = {number.amount for number in numbers(text)}
    return found.pop() if len(found) == 1 else None
