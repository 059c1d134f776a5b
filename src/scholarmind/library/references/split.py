"""Where the items of a list of references begin: at its labels, at its lines, or where authors and a year follow a full stop."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from scholarmind.library.references.names import HAN, LETTER, UPPER, YEAR, head_of

_HEADING = re.compile(
    r"[\s\d.]*(?:references?(?: and notes| cited)?|bibliography|works cited|literature(?: cited)?|参考文献|引用文献)\s*[:：]?\s*",
    re.IGNORECASE,
)
_LINE = re.compile(r"[^\n]+")
_NUMBERED = (
    re.compile(r"(?:(?<=\s)|(?<=^)|(?<![^\W\d_])(?<=\.))[\[［【]\s?(\d{1,4})\s?[\]］】]\s*"),
    re.compile(r"(?:(?<=\s)|^)(\d{1,4})\.(?!\d)\s*(?=[^\s\d])"),
    re.compile(r"(?:(?<=\s)|^)\((\d{1,3})\)\s*"),
    re.compile(r"(?:(?<=\s)|^)(\d{1,3})\)\s*"),
    re.compile(rf"(?:(?<=\n)|^)\s*(\d{{1,3}})\s+(?=[{UPPER}{HAN}])"),
)
_LETTERED = re.compile(
    rf"\[((?:{LETTER}|[+&*’'-]){{1,24}}\s?'?\d{{2,4}}[a-z]?|{LETTER}[^\[\]\n]{{1,60}}?[,\s(]{{1,2}}{YEAR}[a-z]?\)?[^\[\]\n]{{0,40}})\]\s*"
)
_ENDED = re.compile(r"(?:[.。．\]）)’”\"\d]|(?:https?:|www\.|doi)\S*)$")
_AGAIN = re.compile(r"\s*[—–_-]{2,}|\s*―")
_HAS_YEAR = re.compile(rf"(?<!\d){YEAR}(?!\d)|in press|n\.d\.|forthcoming|to appear", re.IGNORECASE)
_START_INLINE = re.compile(rf"(?:\bhttps?:\S+|(?<=[.)\]\d/”]))(\s+)(?=(?:[a-z]{{2,3}}\s){{0,3}}[{UPPER}])")
_WINDOW = 700  # characters that are looked at for authors and a year
_MOST_MISSING = 3
_LONG = 350  # a line longer than this may hold several items
_LINE_SHARE = 0.6
_MOST_STARTS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One work of the list: from its label to its end, and where its own words begin."""

    start: int
    body: int
    end: int
    label: str = ""


def items(text: str, start: int, end: int) -> list[Item]:
    """Return the items of the stretch in order."""
    lines = [(m.start(), m.end()) for m in _LINE.finditer(text, start, end) if m[0].strip()]
    if lines and _HEADING.fullmatch(text, *lines[0]):
        lines = lines[1:]
    if not lines:
        return []
    marks = _labels(text, lines)
    if marks:
        found = list(_between(marks, end))
        before = [line for line in lines if line[1] <= marks[0][0] and _HAS_YEAR.search(text, *line)]
        found = [*(Item(start=a, body=a, end=b) for a, b in before), *found]
    else:
        found = [Item(start=a, body=a, end=b) for a, b in _unlabelled(text, lines)]
    return [item for item in (_trimmed(text, item) for item in found) if item.body < item.end]


Mark = tuple[int, int, str]


def _labels(text: str, lines: Sequence[tuple[int, int]]) -> list[Mark]:
    """Return the labels of a labelled list, as (start, end, label); [] for a list without."""
    starts = {begin + len(text[begin:end]) - len(text[begin:end].lstrip()) for begin, end in lines}
    first, last = lines[0][0], lines[-1][1]
    for pattern in _NUMBERED:
        chain = _chain(list(pattern.finditer(text, first, last)), starts)
        if (
            chain
            and chain[0][0] in starts
            and (len(chain) > 1 or len(lines) == 1)
            and 2 * len(chain) >= _own(text, lines, chain)
        ):
            return chain
    lettered = [
        match
        for match in _LETTERED.finditer(text, first, last)
        if match.start() in starts or _after_stop(text, match.start())
    ]
    enough = (
        lettered
        and lettered[0].start() in starts
        and 2 * sum(match.start() in starts for match in lettered) >= min(len(lettered), len(lines))
    )
    return [(match.start(), match.end(), match[1].strip()) for match in lettered] if enough else []


def _own(text: str, lines: Sequence[tuple[int, int]], chain: Sequence[Mark]) -> int:
    """Count the lines that would be items by themselves if the list had no labels."""
    marked = {mark[0] for mark in chain}
    return sum(
        1 for begin, end in lines[:400] if begin not in marked and _is_whole(text[begin : min(end, begin + _WINDOW)])
    )


def _chain(matches: Sequence[re.Match[str]], starts: set[int]) -> list[Mark]:
    """Follow the numbers up. A number within a line counts only where no line begins with it; a list may begin again at 1."""
    at_starts = {int(match[1]) for match in matches if match.start() in starts or match.start(1) in starts}
    chain: list[Mark] = []
    expected: int | None = None
    for match in matches:
        number = int(match[1])
        leads = match.start() in starts or match.start(1) in starts
        if expected is None:
            fits = leads and number <= 1_000
        elif leads:
            fits = expected <= number <= expected + _MOST_MISSING or (number == 1 and expected > 3)
        else:
            fits = number == expected and number not in at_starts
        if fits:
            chain.append((match.start(), match.end(), match[1]))
            expected = number + 1
    return chain


def _after_stop(text: str, position: int) -> bool:
    before = text[max(0, position - 3) : position].rstrip()
    return before.endswith((".", "。", "．", ")", "]")) or before[-1:].isdigit()


def _between(marks: Sequence[Mark], end: int) -> Iterator[Item]:
    for (start, body, label), following in zip(marks, [*(mark[0] for mark in marks[1:]), end], strict=True):
        yield Item(start=start, body=body, end=following, label=label)


def _trimmed(text: str, item: Item) -> Item:
    words = text[item.body : item.end]
    body = item.body + len(words) - len(words.lstrip())
    end = item.body + len(words.rstrip())
    return Item(start=item.start if item.label else body, body=body, end=max(end, body), label=item.label)


def _unlabelled(text: str, lines: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of items: each line, lines put together again, or lines cut where another item begins within."""
    whole = [_is_whole(text[begin : min(end, begin + _WINDOW)]) for begin, end in lines]
    one_each = sum(whole) >= _LINE_SHARE * len(lines)
    current: tuple[int, int] | None = None
    previous = 0
    for (begin, end), is_whole in zip(lines, whole, strict=True):
        blank = text.count("\n", previous, begin) > 1
        fresh = is_whole or (
            _may_begin(text[begin : begin + _WINDOW].replace("-\n", "-"))
            if not one_each
            else _has_own_year(text, begin, end)
        )
        ended = current is None or blank or _ends(text, *current, one_each=one_each)
        if current is not None and not (fresh and ended):
            current = (current[0], end)
        else:
            if current is not None:
                yield from _run_on(text, *current)
            current = (begin, end)
        previous = end
    if current is not None:
        yield from _run_on(text, *current)


def _ends(text: str, start: int, end: int, *, one_each: bool) -> bool:
    """Tell whether an item can be over: it has a year, or is at least no name cut off behind an initial."""
    last = text[max(start, end - 300) : end].rstrip()
    if last.endswith(("-", ",", "&", " and")):
        return False
    stopped = _ENDED.search(last) is not None
    has_year = _HAS_YEAR.search(text, start, end) is not None
    return (has_year and (stopped or one_each)) or (one_each and stopped and not re.search(rf"\b[{UPPER}]\.$", last))


def _has_own_year(text: str, begin: int, end: int) -> bool:
    return (
        end - begin > 40
        and _HAS_YEAR.search(text, begin, end) is not None
        and text[begin].isalnum()
        and not text[begin].islower()
    )


def _is_whole(line: str) -> bool:
    """Tell whether a line begins with authors (or their dash) and has a year."""
    return (_AGAIN.match(line) is not None or head_of(line) is not None) and _HAS_YEAR.search(line) is not None


def _may_begin(line: str) -> bool:
    if _AGAIN.match(line):
        return True
    head = head_of(line)
    return head is not None and head.kind != "comma"


def _run_on(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a long stretch where a full stop is followed by authors and their year."""
    if end - start > _LONG:
        dated, seen = False, start
        for match in islice(_START_INLINE.finditer(text, start + 40, end), _MOST_STARTS):
            stop, place = match.span(1)
            dated, seen = dated or _HAS_YEAR.search(text, seen, stop) is not None, stop
            if dated and place - start > 40 and _begins_inside(text[place : min(end, place + _WINDOW)]):
                yield start, stop
                dated, start, seen = False, place, place
    yield start, end


def _begins_inside(text: str) -> bool:
    head = head_of(text)
    return head is not None and head.kind == "year"
