"""The years that restrict a question: since 2020, between 2019 and 2021, in the last three years, 近3年, 2020年以来."""

import re
from dataclasses import dataclass

from scholarmind.text.language import lazy_regex

_YEAR = r"(?:19|20)\d\d"
_WORDS: dict[str, int] = dict(
    zip("one two three four five six seven eight nine ten".split(), range(1, 11), strict=True)
)
_DIGITS: dict[str, int] = dict(zip("一二两三四五六七八九十", (1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10), strict=True))
_FEW = 3  # years: recently, 近年来
_ENGLISH = lazy_regex(
    rf",?\s*(?:\b(?:published |written )?(?:between|from) (?P<from>{_YEAR}) (?:and|to|until) (?P<to>{_YEAR})\b"
    rf"|\b(?:in |during )?(?P<from2>{_YEAR}) ?[-–] ?(?P<to2>{_YEAR})\b"
    rf"|\b(?:ever )?(?:since|starting in)(?: the (?:year|beginning of))? (?P<since>{_YEAR})\b"
    rf"|\bfrom(?: the (?:year|beginning of))? (?P<on>{_YEAR}) (?:on|onwards?)\b"
    rf"|\bafter (?P<after>{_YEAR})\b|\bbefore (?P<before>{_YEAR})\b|\b(?:until|by|up to|till) (?P<until>{_YEAR})\b"
    rf"|\b(?:in|during|from|of)(?: the year)? (?P<year>{_YEAR})\b"
    rf"|\b(?P<year2>{_YEAR}) (?=(?:papers?|articles?|publications?|preprints?|works?)\b)"
    rf"|\b(?:in|over|during|within|for|from) (?:the |these )?(?:last|past|previous|recent) "
    rf"(?:(?P<count>\d{{1,2}}|{'|'.join(_WORDS)}) )?years?\b"
    r"|\b(?P<few>(?:in|over|during) (?:recent|the last few|the past few) years|recently)\b),?",
    re.IGNORECASE,
)
_CHINESE = lazy_regex(
    rf"[，,]?(?:(?:在|从|自)?(?P<from>{_YEAR})\s*年?\s*(?:-|–|—|~|至|到)\s*(?P<to>{_YEAR})年?(?:之间|期间|间)?"
    rf"|(?:在|从|自)?(?P<since>{_YEAR})年?(?:以来|至今|开始|起|来)|(?:在|从|自)?(?P<after>{_YEAR})年?(?:之后|以后|后)"
    rf"|(?:在|从|自)?(?P<before>{_YEAR})年?(?:之前|以前|前)|(?:在|于)?(?P<year>{_YEAR})年(?:里|间|期间)?"
    r"|(?:在|从|自)?(?:最近|过去|近|这)(?:的)?(?P<count>[0-9]{1,2}|[一二两三四五六七八九十])(?:个)?年(?:以来|之?内|来|间|里|中)?"
    r"|(?P<few>近年来?|近几年来?|最近几年(?:来)?))[，,的]?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Years:
    """From which year to which, and the text without saying so."""

    text: str
    since: int | None = None
    until: int | None = None

    @property
    def is_span(self) -> bool:
        """Whether there is such a restriction."""
        return self.since is not None or self.until is not None


def years_of(text: str, now: int, *, chinese: bool) -> Years:
    """Return the first restriction to years in a text, counted from the year that it is now."""
    match = (_CHINESE if chinese else _ENGLISH).search(text)
    if match is None:
        return Years(text=text)
    since, until = _span({name: value for name, value in match.groupdict().items() if value}, now)
    gap = "" if chinese else " "
    return Years(text=f"{text[: match.start()]}{gap}{text[match.end() :]}".strip(), since=since, until=until)


def _span(said: dict[str, str], now: int) -> tuple[int | None, int | None]:
    if "from" in said or "from2" in said:
        return int(said.get("from") or said["from2"]), int(said.get("to") or said["to2"])
    if year := said.get("year") or said.get("year2"):
        return int(year), int(year)
    if "since" in said or "on" in said or "after" in said:
        return int(said.get("since") or said["on"]) if "after" not in said else int(said["after"]) + 1, None
    if "before" in said or "until" in said:
        return None, int(said["until"]) if "until" in said else int(said["before"]) - 1
    count = said.get("count", "").lower()
    return now - (int(count) if count.isdigit() else _WORDS.get(count) or _DIGITS.get(count, _FEW)), None
