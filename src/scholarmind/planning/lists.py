"""Find things that stand beside each other: `A, B and C`, each with its own date if it has one."""

from dataclasses import dataclass

from scholarmind.planning.protected import Line, Token
from scholarmind.planning.words import MONTHS

JOINTS = frozenset({"and", "or", "vs", "vs.", "versus", "&"})
_INNER = frozenset({"of", "the", "de", "von", "van", "der", "den", "la", "le", "du", "da", "al", "el", "&"})
_DATED = frozenset({"in", "on", "during", "since", "at", "from", "of", "by", "published", "for"})
_LEADS = frozenset(
    {
        "both",
        "either",
        "the",
        "a",
        "an",
        "in",
        "by",
        "for",
        "of",
        "on",
        "at",
        "from",
        "with",
        "that",
        "to",
        "does",
        "did",
        "is",
        "was",
    }
)
_MOST_WORDS = 14


@dataclass(frozen=True, slots=True)
class Listing:
    """Several things of one rank in a line: where the list begins and ends, and where each item is."""

    start: int
    end: int
    items: tuple[tuple[int, int], ...]
    joint: str = "and"

    def texts(self, line: Line) -> list[str]:
        """Return the words of the items."""
        return [line.piece(start, end) for start, end in self.items]


def name_lists(line: Line) -> list[Listing]:
    """Return the lists of names in a line, from left to right, without overlaps."""
    found: list[Listing] = []
    tokens = line.tokens
    for place, token in enumerate(tokens):
        if token.word not in JOINTS or (found and token.start < found[-1].end):
            continue
        if listing := _around(tokens, place):
            found.append(listing)
    return found


def _around(tokens: tuple[Token, ...], joint: int) -> Listing | None:
    right = _right(tokens, joint + 1)
    left = _left(tokens, joint - 1)
    if right is None or left is None:
        return None
    items = [left]
    while items[0][0] > 1 and tokens[items[0][0] - 1].word in {",", "、"} and (more := _left(tokens, items[0][0] - 2)):
        items.insert(0, more)
    last = right[1]
    dated = [_dated(tokens, item) for item in items]
    if not all(dated):  # a date behind the last name alone belongs to all of them
        last = right[2]
    first = items[0][0]
    spans = [(tokens[begin].start, tokens[end - 1].end) for begin, end in items]
    spans.append((tokens[right[0]].start, tokens[last - 1].end))
    return Listing(tokens[first].start, tokens[last - 1].end, tuple(spans), tokens[joint].word)


def _right(tokens: tuple[Token, ...], place: int) -> tuple[int, int, int] | None:
    """Return where an item to the right begins, where it ends with its date, and where without."""
    begin = place
    while begin < len(tokens) and tokens[begin].word in _LEADS and not tokens[begin].name:
        begin += 1
    if begin >= len(tokens) or not tokens[begin].name or begin - place > 2:
        return None
    end = _name_end(tokens, begin)
    if begin > place and tokens[begin - 1].word in {"the", "a", "an"}:
        begin -= 1
    return begin, _date_end(tokens, end), end


def _name_end(tokens: tuple[Token, ...], begin: int) -> int:
    end = begin + 1
    while end < len(tokens) and end - begin < _MOST_WORDS:
        if tokens[end].name or tokens[end].capital or (tokens[end].word.isdigit() and len(tokens[end].word) < 4):
            end += 1
        elif tokens[end].word in _INNER and end + 1 < len(tokens) and tokens[end + 1].name:
            end += 2
        else:
            break
    return end


def _date_end(tokens: tuple[Token, ...], end: int) -> int:
    if end >= len(tokens) or tokens[end].word not in _DATED:
        return end
    stop = end + 1
    while stop < len(tokens) and (
        _is_date(tokens[stop])
        or (tokens[stop].word == "," and stop + 1 < len(tokens) and tokens[stop + 1].word.isdigit())
    ):
        stop += 1
    return stop if stop > end + 1 and any(any(map(str.isdigit, token.word)) for token in tokens[end:stop]) else end


def _is_date(token: Token) -> bool:
    bare = token.word.strip(".'’")
    return bare in MONTHS or (bare[:1].isdigit() and not token.name) or bare in {"the", "year"}


def _left(tokens: tuple[Token, ...], place: int) -> tuple[int, int] | None:
    """Return where an item that ends before a joint begins and ends, its date with it."""
    if place >= 0 and tokens[place].word == ",":
        place -= 1
    end = place + 1
    while place >= 0 and (_is_date(tokens[place]) or tokens[place].word == ",") and not tokens[place].name:
        place -= 1
    if place + 1 < end:
        if place < 0 or tokens[place].word not in _DATED:
            place = end - 1  # not a date after all; perhaps a name that ends in a number
        else:
            place -= 1
    begin = _name_begin(tokens, place)
    return (begin, end) if begin <= place else None


def _name_begin(tokens: tuple[Token, ...], place: int) -> int:
    if place >= 1 and tokens[place].word.isdigit() and len(tokens[place].word) < 4 and tokens[place - 1].name:
        place -= 1
    if place < 0 or not tokens[place].name:
        return place + 1 if place < 0 or not tokens[place].name else place
    begin = place
    while begin > 0 and place - begin < _MOST_WORDS:
        if tokens[begin - 1].name or (tokens[begin - 1].capital and begin > 1):
            begin -= 1
        elif tokens[begin - 1].word in _INNER - {"the"} and begin > 1 and tokens[begin - 2].name:
            begin -= 2
        else:
            break
    if begin > 0 and tokens[begin - 1].word in {"the", "a", "an"}:
        begin -= 1
    return begin


def _dated(tokens: tuple[Token, ...], item: tuple[int, int]) -> bool:
    last = tokens[item[1] - 1]
    return _is_date(last) and not last.name
