"""The items of a list that stands in one line: "A, B and C", "A、B和C"."""

import re
from collections.abc import Iterable, Sequence

from scholarmind.text.analysis import fold
from scholarmind.text.language import HAN

_MOST = 200
_BRACKETED = re.compile(r"[(（\[【][^()（）\[\]【】]*[)）\]】]")
_COMMA = re.compile(r"\s*(?:[,，](?!\d{3}(?!\d))|[、;；\n])\s*")
_LAST = re.compile(r"\s+(?:and|or|as well as|&)\s+|\s*(?:以及|[和与及或])\s*", re.IGNORECASE)
_OPENING = re.compile(r"^(?:and|or|both|as well as|also|以及|[和与及或])\s+", re.IGNORECASE)
_EDGES = " \t\r\"'“”‘’.。;；"


def items_of(text: str) -> tuple[str, ...]:
    """Return the items of a list, each once and without what stands in brackets behind it; a single thing is a list of one.

    Where commas divide the list, only the last two items may be joined by "and": "Bosnia and Herzegovina, Serbia" are two.
    """
    masked = _BRACKETED.sub(lambda match: "\ue000" * len(match[0]), text)
    cuts = [match.span() for match in _COMMA.finditer(masked)][:_MOST]
    begin = cuts[-1][1] if cuts else 0
    last = list(_LAST.finditer(masked, begin))
    if last and masked[begin : last[-1].start()].strip() and (not cuts or len(last) == 1):
        cuts += [match.span() for match in last]
    ends = [start for start, _ in cuts] + [len(text)]
    found = [text[start:end] for start, end in zip([0, *(end for _, end in cuts)], ends, strict=True)]
    return each_once(map(_tidy, found))


def each_once(items: Iterable[str]) -> tuple[str, ...]:
    """Return the items in order without those that only write an earlier one in another way."""
    unique: dict[str, str] = {}
    for item in items:
        unique.setdefault(normal(item), item)
    return tuple(item for key, item in unique.items() if key)


def normal(item: str) -> str:
    """Return an item as it is compared with others: case, spaces and the article do not count."""
    return " ".join(fold(item).split()).removeprefix("the ")


def enumerated(items: Sequence[str]) -> str:
    """Return items as a list in a sentence."""
    if len(items) < 2:
        return "".join(items)
    chinese = any(HAN.search(item) for item in items)
    return ("、" if chinese else ", ").join(items[:-1]) + ("和" if chinese else " and ") + items[-1]


def _tidy(item: str) -> str:
    return _OPENING.sub("", _BRACKETED.sub(" ", item).strip(_EDGES)).strip(_EDGES)
