"""Where a paper states a column that has a name of its own: which of its sentences does, and the shortest words of it that say so.

What is asked is asked of one paper, so that a sentence need not name it. It has to say the thing in one of the ways in which papers do
(`columns.toml`), in a part of the paper where such a thing is told, and of this paper, not of one that it cites.
"""

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from scholarmind.judge.amounts import Amount, amounts
from scholarmind.text.language import HAN, lazy_regex
from scholarmind.text.paper_parts import PaperSentence, without_citations
from scholarmind.writing.answer_type import counted_by

_READINGS = Path(__file__).with_name("readings.toml")
_LEAST, _NEAR_IT = 2.05, 1.0  # what a sentence must be worth to state something, and to come near
# what speaks for a sentence, beside the part that it stands in: that it says the thing in a way that papers have, or does not
_SURE, _UNSURE, _LIKELY, _HEADED, _OWN, _OF_OTHERS, _DENIED = 2.0, -1.0, 0.7, 0.8, 0.4, -2.5, -2.0
_LATE = 0.4  # share of an abstract behind which stands what was found
_LONGEST = 140
_TRIED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """How papers state a column; patterns are by language."""

    form: str = "clause"
    sure: Mapping[str, re.Pattern[str]] = field(default_factory=dict[str, re.Pattern[str]])
    likely: Mapping[str, re.Pattern[str]] = field(default_factory=dict[str, re.Pattern[str]])
    denied: Mapping[str, re.Pattern[str]] = field(default_factory=dict[str, re.Pattern[str]])
    headings: Mapping[str, re.Pattern[str]] = field(default_factory=dict[str, re.Pattern[str]])
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    within: Mapping[str, float] = field(default_factory=dict[str, float])
    late: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A sentence that states a column: the words that do, by their places in it, and what speaks for it."""

    sentence: PaperSentence
    start: int
    end: int
    worth: float

    @property
    def is_sure(self) -> bool:
        """Whether it states the column, and does not only come near to it."""
        return self.worth >= _LEAST

    @property
    def text(self) -> str:
        """The words."""
        return self.sentence.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class _StatedCandidate:
    """A sentence that may state a column, and what is needed to read it off."""

    said: PaperSentence
    worth: float
    title: str
    language: str
    signs: Signs

    @property
    def text(self) -> str:
        return self.said.text

    def stated(self, start: int, end: int, more: float = 0.0) -> Stated:
        return Stated(sentence=self.said, start=start, end=end, worth=self.worth + more)


def stated_in(paper: Sequence[PaperSentence], title: str, signs: Signs, language: str) -> list[Stated]:
    """Return what states a column, best first, or only comes near to it; nothing if no sentence does."""
    language = "zh" if language == "zh" else "en"
    candidates = (
        _StatedCandidate(one, _worth(one, signs, language), title, language, signs)
        for one in paper
        if one.part != "references" and "|" not in one.text and not one.text.endswith(("?", "？"))
    )
    found = [one for candidate in candidates for one in _READ[signs.form](candidate) if one.worth >= _NEAR_IT]
    found.sort(key=lambda one: (-one.worth, one.sentence.start))
    return found[:_TRIED]


def _worth(one: PaperSentence, signs: Signs, language: str) -> float:
    """Return what speaks for a sentence: how it says it, where it stands, and whose work it tells of."""

    def has(patterns: Mapping[str, re.Pattern[str]], text: str = one.text) -> bool:
        return language in patterns and patterns[language].search(text) is not None

    worth = 0.0 if not signs.sure else _SURE if has(signs.sure) else _UNSURE
    worth += _LIKELY * has(signs.likely) + _DENIED * has(signs.denied) + _OWN * one.own
    worth += signs.parts.get(one.part, 0.0)
    worth += signs.within.get(one.within, 0.0) if one.within != one.part else 0.0
    worth += signs.late if one.part == one.within == "abstract" and one.share > _LATE else 0.0
    worth += _HEADED * (bool(one.heading) and has(signs.headings, one.heading))
    return worth + (_OF_OTHERS if one.cites or one.part == "related" else 0.0)


@cache
def _pattern(form: str, name: str) -> re.Pattern[str]:
    told = tomllib.loads(_READINGS.read_text(encoding="utf-8"))
    words = {**told["years"], **told[form]}
    text = words[name]
    while (named := re.search(r"\{([a-z_]+)\}", text)) is not None:
        text = text.replace(named[0], words[named[1]])
    return re.compile(text)


# -- clauses

_STRONG = lazy_regex(r"[;；:：](?=\s|[\u3400-\u9fff])|\s[—–]\s")
_WEAK = lazy_regex(r"[,，、](?!\d)|\s(?=(?:and|but|while|whereas|which|who|where)\s)")
_EDGES = " \t\n\r,，、;；:：。.*—–-"


def _clause(one: _StatedCandidate) -> Iterator[Stated]:
    sign = one.signs.sure[one.language].search(one.text) if one.language in one.signs.sure else None
    yield one.stated(*_clause_around(one.text, *(sign.span() if sign else (0, 0))))


def _clause_around(text: str, at: int, stop: int) -> tuple[int, int]:
    """Return the clauses around a stretch of a sentence, as many as a cell has room for, without what stands at their edges."""
    start, end = 0, len(text)
    if len(text) > _LONGEST:
        strong = [match.end() for match in _STRONG.finditer(text)]
        start = max((place for place in strong if place <= at), default=0)
        end = min((place for place in strong if place >= stop and place > start), default=len(text))
        if end - start < _LONGEST // 4:
            start, end = 0, len(text)
    if end - start > _LONGEST:
        first, last = start, end
        cuts = [match.start() for match in _WEAK.finditer(text, start, end)]
        start = max((cut for cut in cuts if cut <= at), default=first)
        end = min((cut for cut in cuts if cut >= stop and cut > start + 12), default=last)
        for cut in [cut for cut in (*cuts, last) if cut > end]:
            end = cut if cut - start <= _LONGEST else end
        for cut in reversed([cut for cut in (first, *cuts) if cut < start]):
            start = cut if end - cut <= _LONGEST else start
        if end - start > _LONGEST:
            space = text.rfind(" ", start + 20, start + _LONGEST)
            end = space if space > 0 else start + _LONGEST
    while start < end and text[start] in _EDGES:
        start += 1
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    return start, end


# -- amounts: how many there were

_NEAR = 60  # characters between a number and what says that so many were looked at
_LONGEST_HAN = 8
_TOLD_FIRST = frozenset(("abstract", "methods"))


def _amount(one: _StatedCandidate) -> Iterator[Stated]:
    plain = without_citations(one.text)
    cues = [match.span() for match in one.signs.sure[one.language].finditer(plain)]
    for amount in amounts(plain):
        before, thing = plain[: amount.start], _thing_behind(one.text, amount)
        named = _pattern("amount", "n").search(before) is not None
        is_count = not amount.unit and amount.exact and amount.value >= 2 and amount.value == int(amount.value)
        if not is_count or not (thing or named):
            continue
        # "Sixty-four adults read stories": what is counted first is who it is about
        is_first = not cues and one.said.part in _TOLD_FIRST and _pattern("amount", "first").match(before) is not None
        near = is_first or any(start - amount.end <= _NEAR and amount.start - end <= _NEAR for start, end in cues)
        more = (_SURE - _UNSURE) * is_first
        more += 0.15 * math.log10(amount.value) + 0.3 * named + (0.5 if near else -0.6)
        behind = one.text[amount.end + len(thing) :]
        if _pattern("amount", "part_of").search(before) or _pattern("amount", "of_each").match(behind):
            more -= 1.2
        if not _pattern("amount", "named_so").search(before):  # few things are more often a part of the whole
            more -= 2.0 if amount.value < 5 else 0.7 if amount.value < 10 else 0
        start = amount.start + len(one.text[amount.start :]) - len(one.text[amount.start :].lstrip(" -"))
        yield one.stated(start, amount.end + len(thing), more)


def _thing_behind(text: str, amount: Amount) -> str:
    """Return what stands behind an amount and says what it counts, up to its noun; '' if it counts nothing."""
    behind = text[amount.end :]
    if han := re.match(r"\s?[余多]?([\u3400-\u9fff]+)", behind):
        if not _pattern("amount", "han_thing").match(han[1]):
            return ""
        stop = _pattern("amount", "han_stop").search(han[1], 1)
        return behind[: han.start(1)] + han[1][: min(stop.start() if stop else _LONGEST_HAN, _LONGEST_HAN)]
    words = counted_by(text, amount).split()
    last = next((word for word in words if _pattern("amount", "plural").fullmatch(word)), "")
    return (
        behind[: behind.find(last) + len(last)] if last and not _pattern("amount", "no_thing").fullmatch(last) else ""
    )


# -- years


def _years(one: _StatedCandidate) -> Iterator[Stated]:
    plain = without_citations(one.text)
    is_han = HAN.search(plain) is not None
    year, before = _pattern("years", "year"), _pattern("years", "before")
    for match in _pattern("years", "han_dates" if is_han else "dates").finditer(plain):
        lead = plain[: match.start()]
        alone = year.fullmatch(match[0]) is not None and (is_han or before.search(lead) is None)
        if alone or _pattern("years", "unit").match(plain, match.end()):
            continue
        more = 0.6 * (len(year.findall(match[0])) > 1)
        more += 0.3 * (_pattern("years", "to_the_month").search(match[0]) is not None)
        more += _DENIED * (_pattern("years", "of_something_else").search(lead) is not None)
        yield one.stated(match.start(), match.end(), more)


# -- places


def _place(one: _StatedCandidate) -> Iterator[Stated]:
    plain = without_citations(one.text)
    if HAN.search(plain):
        for match in _pattern("place", "han_named").finditer(plain):
            if not _pattern("place", "han_no_name").search(match["name"]):
                yield one.stated(*match.span("name"), 1.2 + 0.8 * (match["name"][:2] in one.title))
        return
    for match in _pattern("place", "named").finditer(plain):
        name, lead = match["name"], plain[: match.start("name")]
        if name.isupper() or _pattern("place", "no_name").match(name):
            continue
        is_land = bool(match["land"] or _pattern("place", "land_of").search(lead))
        first = re.escape(re.split(r"[ ,]", name)[0])
        in_title = re.search(_pattern("place", "in_title").pattern + first, one.title) is not None
        is_house = _pattern("place", "house_in").search(lead) is not None
        more = 1.0 if is_land else 0.9 * is_house
        more += 0.8 * in_title + (0.3 if is_land or is_house or not lead.endswith(("of ", "of the ")) else -0.8)
        more += 0.2 * (re.search(r",| of | in |[(]", name) is not None)
        yield one.stated(*match.span("name"), more)


# -- who paid


def _funder(one: _StatedCandidate) -> Iterator[Stated]:
    text, begin = one.text, 0
    sign = one.signs.sure[one.language].search(text)
    if _pattern("funder", "name").search(text) is None:
        return
    if one.language == "zh":
        begin = match.end() if (match := _pattern("funder", "han_by").search(text)) else 0
    elif sign and not _pattern("funder", "none").search(text):
        match = _pattern("funder", "by").search(text, sign.start())
        is_grant = re.match(_pattern("funder", "grant").pattern, sign[0], re.IGNORECASE)
        begin = sign.start() if is_grant else match.end() if match else 0
    start, end = _clause_around(text[begin:], 0, 0)
    # below a heading that asks just this, a name is enough
    is_headed = not sign and one.said.part == "thanks" and one.signs.headings[one.language].search(one.said.heading)
    yield one.stated(begin + start, begin + end, -_UNSURE if is_headed else 0.0)


_READ: Mapping[str, Callable[[_StatedCandidate], Iterator[Stated]]] = {
    "clause": _clause,
    "amount": _amount,
    "years": _years,
    "place": _place,
    "funder": _funder,
}
