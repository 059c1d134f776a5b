"""The list of works, one a line: where each begins, by its label, by its indent, by the room above it, or by its names."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from scholarmind.adapters.readers.pdf.style import Printed

_LABELS = (
    re.compile(r"\s*[\[［【](?P<n>\d{1,4})[\]］】]"),
    re.compile(r"\s*[\[［](?P<n>[^\W\d_][\w+*'’\- .,&]{0,40}?\d{2,4}[a-z]?)[\]］]"),
    re.compile(r"\s*\((?P<n>\d{1,3})\)\s"),
    re.compile(r"\s*(?P<n>\d{1,3})[.．、]\s*(?=\D)"),
    re.compile(r"\s*(?P<n>\d{1,3})\s+(?=[A-Z\"“\u3400-\u9fff])"),
)
_CAPITAL = r"[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-Я]"
_NAME = rf"{_CAPITAL}[\w'’\-]+"
_AUTHOR = re.compile(
    rf"(?:(?:(?:von|van|de|del|der|den|di|da|la|le|el|al)\s){{0,2}}{_NAME}(?:\s{_NAME})?,\s*(?:{_CAPITAL}[.\-]|{_NAME})|"
    rf"(?:{_CAPITAL}\.[\s\-]?){{1,3}}{_NAME}|{_NAME}(?:\s{_CAPITAL}\.?){{0,2}}\s{_NAME}(?:,|\sand\s|\.)|"
    rf"{_NAME}\s{_CAPITAL}{{1,3}}(?:,|\.)|[\u3400-\u9fff]{{2,4}}[,，.．、])"
)
_ENDED = re.compile(r"[.。)\]\d]\s*$|\S+/\S+\s*$")
_INDENT = 5.0
_ROOM = 1.18  # pitches


def items_of(lines: Sequence[Printed]) -> list[list[Printed]]:
    """Return the lines of each work."""
    begins = _rule(lines)
    items: list[list[Printed]] = []
    for place, entry in enumerate(lines):
        if place == 0 or begins(place):
            items.append([])
        items[-1].append(entry)
    return items


def _rule(lines: Sequence[Printed]) -> Callable[[int], bool]:
    """Return what tells a first line, by the surest sign that this list has."""
    labelled = _labelled(lines)
    if labelled:
        return labelled.__contains__
    hanging = _hanging(lines)
    if hanging is not None:
        return hanging.__contains__
    rooms = {place for place, entry in enumerate(lines) if _ROOM < entry.gap < 5}
    if len(rooms) > 1 and len(rooms) > 0.1 * len(lines):
        tops = {place for place, entry in enumerate(lines) if entry.gap >= 5 and _by_name(lines, place)}
        return (rooms | tops).__contains__
    return lambda place: _by_name(lines, place)


def _labelled(lines: Sequence[Printed]) -> set[int]:
    """Return the lines that begin with a label, if most of the list's numbers are there and in order."""
    for kind, label in enumerate(_LABELS):
        found = [(place, match["n"]) for place, entry in enumerate(lines) if (match := label.match(entry.line.text))]
        if not found or found[0][0] > 2:
            continue
        if kind == 1:
            return {place for place, _ in found}
        counted = _in_order([(place, int(number)) for place, number in found])
        if len(counted) > 0.6 * len(found) and (len(counted) > 1 or len(lines) < 6):
            return counted
    return set()


def _in_order(found: Sequence[tuple[int, int]]) -> set[int]:
    """Keep the numbers that count on: a year or a page at the beginning of a line does not."""
    kept: set[int] = set()
    last = None
    for place, number in found:
        if last is None or last < number <= last + 3:
            kept.add(place)
            last = number
    return kept


def _hanging(lines: Sequence[Printed]) -> set[int] | None:
    """Return the first lines of a list whose other lines are indented, or whose first lines are. None: it has no indents."""
    columns = _columns(lines)
    indents = [entry.line.left - min(left for left in columns if abs(left - entry.left) < 40) for entry in lines]
    deep = [indent > _INDENT for indent in indents]
    shares = sum(deep) / max(len(lines), 1)
    if not 0.1 < shares < 0.92 or len(lines) < 3:
        return None
    flush = {place for place, value in enumerate(deep) if not value}
    named = sum(_AUTHOR.match(lines[place].line.text) is not None for place in flush)
    indented = set(range(len(lines))) - flush
    other = sum(_AUTHOR.match(lines[place].line.text) is not None for place in indented)
    hanging = named / max(len(flush), 1) >= other / max(len(indented), 1)
    return flush if hanging else indented | {0}


def _columns(lines: Sequence[Printed]) -> list[float]:
    """Return the left edges of the columns: the leftmost line of all those that begin near it, on whatever page."""
    lefts = Counter(round(entry.line.left, 1) for entry in lines)
    edges: list[float] = []
    for left in sorted(lefts):
        if not edges or left - edges[-1] > 40:
            edges.append(left)
    return edges + [entry.left for entry in lines if all(abs(edge - entry.left) >= 40 for edge in edges)]


def _by_name(lines: Sequence[Printed], place: int) -> bool:
    above = lines[place - 1]
    ended = _ENDED.search(above.line.text) is not None
    return (
        ended
        and _AUTHOR.match(lines[place].line.text) is not None
        and (not above.full or above.line.text.rstrip().endswith("."))
    )
