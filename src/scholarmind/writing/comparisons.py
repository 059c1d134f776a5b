"""Comparisons and rankings in words, held against the numbers of what they compare. What cannot be read is not called wrong."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from scholarmind.text.patterns import lazy_regex
from scholarmind.text.sentences import sentences
from scholarmind.writing.quantities import Quantity
from scholarmind.writing.senses import denied

_LONGEST = 2_000
_MOST_NAMES = 50
_MORE = lazy_regex(
    r"\b(?:higher|more|greater|larger|bigger|later|newer|younger|above|exceeds?|exceeded|surpass(?:es|ed)?|ahead of)\b"
    r"|高于|大于|多于|超过|超越|晚于|领先于?|更高|更大|更多|更晚|[>＞]",
    re.IGNORECASE,
)
_LESS = lazy_regex(
    r"\b(?:lower|less|fewer|smaller|earlier|older|before|below|behind|predates?|predated|precedes?|preceded)\b"
    r"|低于|小于|少于|早于|先于|落后于?|不及|更低|更小|更少|更早|[<＜]",
    re.IGNORECASE,
)
_LATER = lazy_regex(r"\b(?:after|followed)\b", re.IGNORECASE)
_BETTER = lazy_regex(r"\b(?:better|outperform(?:s|ed)?|superior|beats?)\b|优于|胜过|更好|好于", re.IGNORECASE)
_WORSE = lazy_regex(r"\b(?:worse|underperform(?:s|ed)?|inferior)\b|劣于|不如|更差|差于", re.IGNORECASE)
_EQUAL = lazy_regex(
    r"\b(?:equals?|the same|identical|as (?:high|large|many|much) as)\b|等于|相同|一样|相等|持平", re.IGNORECASE
)
_LESS_IS_BETTER = lazy_regex(
    r"\b(?:perplexity|errors?|loss|latency|time|cost|costs|FLOPs|WER|distance|memory|energy|emissions?)\b|困惑度|误差|错误率|损失|延迟|耗时|成本|开销|内存",
    re.IGNORECASE,
)
_OF_ALL_MOST = lazy_regex(
    r"\b(?:highest|most|greatest|largest|biggest|latest|newest|maximum)\b|最高|最大|最多|最晚|最新", re.IGNORECASE
)
_OF_ALL_LEAST = lazy_regex(
    r"\b(?:lowest|least|fewest|smallest|earliest|oldest|minimum)\b|最低|最小|最少|最早", re.IGNORECASE
)
_CLAUSE = lazy_regex(r"[,，;；。](?!\d)|\b(?:but|while|whereas|although)\b|而(?!且)|但是?")
_NATIVE_THAN = lazy_regex(r"比(?!较)")
_NATIVE_MORE, _NATIVE_LESS = lazy_regex(r"[高大多晚]"), lazy_regex(r"[低小少早]")
_BETWEEN_TWO = lazy_regex(r"[\s,、/&]*(?:and|or|和|与|及|或)?[\s,]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mention:
    name: str
    start: int
    end: int


def contradicts(conclusion: str, values: Mapping[str, Quantity]) -> bool:
    """Tell whether a comparison or a ranking in the conclusion is the reverse of what the values (by name) say."""
    text = conclusion[:_LONGEST]
    for start, end in sentences(text):
        for clause in _CLAUSE.split(text[start:end]):
            mentions = list(_mentions(clause, values))
            if len(mentions) == 1 and _is_wrong_extreme(clause, mentions[0].name, values):
                return True
            if any(_is_wrong(clause, *pair, values) for pair in _pairs(clause, mentions)):
                return True
    return False


def _mentions(text: str, values: Mapping[str, Quantity]) -> Iterator[_Mention]:
    """Yield where the names stand; a longer name hides a shorter one within it."""
    longest_first = sorted(filter(None, values), key=len, reverse=True)[:_MOST_NAMES]
    if not longest_first:
        return
    names = {name.casefold(): name for name in reversed(longest_first)}
    pattern = "|".join(map(re.escape, longest_first))
    for match in re.finditer(
        rf"(?<![A-Za-z0-9])(?<![A-Za-z0-9]-)(?:{pattern})(?![A-Za-z0-9]|-[A-Za-z0-9])", text, re.IGNORECASE
    ):
        if name := names.get(match[0].casefold()):
            yield _Mention(name=name, start=match.start(), end=match.end())


def _pairs(text: str, mentions: list[_Mention]) -> Iterator[tuple[_Mention, _Mention, str]]:
    """Yield who is compared with whom, and the words that say how: between them, and in Chinese behind them too."""
    for place, (one, other) in enumerate(pairwise(mentions)):
        following = mentions[place + 2 : place + 3]
        between = text[one.end : other.start]
        if _NATIVE_THAN.search(between):
            between += text[other.end : following[0].start if following else len(text)]
        if _BETWEEN_TWO.fullmatch(between):
            behind = text[other.end :]
            if _EQUAL.search(behind):
                yield one, other, behind
            continue
        yield one, other, between
        for more, further in zip(mentions[place + 1 :], mentions[place + 2 :], strict=False):
            if not _BETWEEN_TWO.fullmatch(text[more.end : further.start]):
                break
            yield one, further, between


def _is_wrong(text: str, one: _Mention, other: _Mention, how: str, values: Mapping[str, Quantity]) -> bool:
    first, second = values[one.name], values[other.name]
    way = _way(text, how, dates=first.unit == "year")
    if way is None or one.name == other.name or first.unit != second.unit:
        return False
    if denied(how):
        return bool(way) and (first.value - second.value) * way > 0
    if way == 0:
        return first.value != second.value
    return (first.value - second.value) * way <= 0


def _way(text: str, how: str, *, dates: bool) -> int | None:
    """Return 1 for more or later, -1 for less or earlier, 0 for the same, None for what is not said or not clear."""
    ways = {way for way, pattern in ((1, _MORE), (-1, _LESS), (0, _EQUAL)) if pattern.search(how)}
    if dates and _LATER.search(how):
        ways.add(1)
    if not ways and _NATIVE_THAN.search(how):
        ways = {way for way, pattern in ((1, _NATIVE_MORE), (-1, _NATIVE_LESS)) if pattern.search(how)}
    if not dates:
        reverse = -1 if _LESS_IS_BETTER.search(text) else 1
        ways |= {way * reverse for way, pattern in ((1, _BETTER), (-1, _WORSE)) if pattern.search(how)}
    return ways.pop() if len(ways) == 1 else None


def _is_wrong_extreme(text: str, name: str, values: Mapping[str, Quantity]) -> bool:
    mine = values[name]
    all_values = [quantity.value for quantity in values.values() if quantity.unit == mine.unit]
    if len(all_values) < 2 or denied(text):
        return False
    most, least = _OF_ALL_MOST.search(text), _OF_ALL_LEAST.search(text)
    if (most is None) == (least is None) or re.search(r"second|third|第[二三四]|one of|之一", text):
        return False
    return mine.value != (max(all_values) if most else min(all_values))
