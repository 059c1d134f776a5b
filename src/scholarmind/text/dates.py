"""Calendar dates and spans of years in questions and in metadata, English and Chinese, each in one form."""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

_MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|november nov|"
        "december dec".split("|"),
        1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR = r"(?:1[5-9]|20)\d\d"
_FROM, _TO = r"(?<![^\W\u3400-\u9fff])", r"(?![^\W\u3400-\u9fff])"  # edges of a word, also within Chinese
_GAP = r"\s{0,9}"
_DATE = (
    rf"(?<!\d)(?P<y1>{_YEAR})[-/.](?P<m1>\d{{1,2}})(?:[-/.](?P<d1>\d{{1,2}}))?(?!\d)"
    rf"|{_FROM}(?P<m2>{_MONTH})\.?\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<y2>{_YEAR}))?{_TO}"
    rf"|{_FROM}(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m3>{_MONTH})(?:\.?,?\s+(?P<y3>{_YEAR}))?{_TO}"
    rf"|{_FROM}(?P<m4>{_MONTH})\.?,?\s+(?:of\s+)?(?P<y4>{_YEAR}){_TO}"
    rf"|(?P<y5>{_YEAR})\s*年\s*(?P<m5>\d{{1,2}})\s*月(?:\s*(?P<d5>\d{{1,2}})\s*[日号])?"
)
_WRITTEN = "two|three|four|five|six|seven|eight|nine|ten"
_SPAN = (
    rf"(?:{_FROM}(?:between|from)\s+|从)?(?<!\d)(?P<from>{_YEAR}){_GAP}年?{_GAP}(?:-|–|—|~|～|to|and|until|到|至){_GAP}(?P<to>{_YEAR})(?!\d)"
    rf"|(?:{_FROM}(?:since|from|starting in)|自|从)\s*(?P<since>{_YEAR})(?!\d)"
    rf"|{_FROM}after\s+(?P<after>{_YEAR})(?!\d)|(?<!\d)(?P<after_zh>{_YEAR}){_GAP}年?{_GAP}(?:以后|之后)"
    rf"|(?<!\d)(?P<since_zh>{_YEAR}){_GAP}年?{_GAP}(?:以来|起)"
    rf"|{_FROM}(?:before|prior to)\s+(?P<before>{_YEAR})(?!\d)|(?<!\d)(?P<before_zh>{_YEAR}){_GAP}年?{_GAP}(?:以前|之前)"
    rf"|{_FROM}(?:until|up to|by)\s+(?P<until>{_YEAR})(?!\d)"
    rf"|{_FROM}(?:in|over|during|within) the (?:last|past|recent) (?P<last>\d{{1,2}}|{_WRITTEN}) years{_TO}"
    rf"|(?:近|最近|过去)的?{_GAP}(?P<last_zh>\d{{1,2}}|[一二两三四五六七八九十]){_GAP}年"
)
_DIGIT = re.compile(r"\d")
_TIMED = re.compile(r"\d|years|年")
_LEAP_YEAR = 2024  # any: a day without a year may be the 29th of February
_NUMBERS = {
    "两": 2,
    **{word: number for number, word in enumerate(_WRITTEN.split("|"), 2)},
    **{han: number for number, han in enumerate("一二三四五六七八九十", 1)},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Date:
    """A day or a month of the calendar, where it stands in a text; without a year it is that day of any year."""

    start: int
    end: int
    year: int | None
    month: int
    day: int | None

    @property
    def spelled(self) -> str:
        """The date in the form under which metadata is filed: 2023 11 24, or 2023 11, or 11 24."""
        return " ".join(f"{part:02d}" for part in (self.year, self.month, self.day) if part is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Years:
    """A span of years that a question asks for; an open end is None."""

    start: int
    end: int
    first: int | None
    last: int | None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first wanted: it takes 20 ms, and most texts hold no date."""
    return re.compile(pattern, re.IGNORECASE)


def dates(text: str) -> Iterator[Date]:
    """Yield every date that names at least a month and a day, or a month and a year."""
    if not _DIGIT.search(text):
        return
    for match in _compiled(_DATE).finditer(text):
        found = {name[0]: value for name, value in match.groupdict().items() if value is not None}
        month = int(found["m"]) if found["m"].isdigit() else _MONTHS[found["m"].lower()]
        day = int(found["d"]) if "d" in found else None
        year = int(found["y"]) if "y" in found else None
        if 1 <= month <= 12 and (day is None or 1 <= day <= monthrange(year or _LEAP_YEAR, month)[1]):
            yield Date(start=match.start(), end=match.end(), year=year, month=month, day=day)


def years(text: str, now: int) -> Iterator[Years]:
    """Yield every span of years: 2019-2022, since 2022, before 2018, in the last three years, 近3年. `now` is the current year."""
    if not _TIMED.search(text):
        return
    for match in _compiled(_SPAN).finditer(text):
        found = {name.removesuffix("_zh"): value for name, value in match.groupdict().items() if value}
        ((name, value), *more) = found.items()
        if name == "last":
            first, last = now - (int(value) if value.isdigit() else _NUMBERS[value.lower()]), None
        elif name == "from":
            first, last = sorted((int(value), int(more[0][1])))
        else:
            number = int(value)
            first = {"since": number, "after": number + 1}.get(name)
            last = {"before": number - 1, "until": number}.get(name)
        yield Years(start=match.start(), end=match.end(), first=first, last=last)
