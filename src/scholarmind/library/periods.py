"""When a question is about time: whether it is, and the periods that what was found falls into."""

import re
from collections.abc import Mapping, Sequence

_MOST = 4
_OF_TIME = re.compile(
    r"\b(?:trends?|over (?:the years|time|the decades)|evol(?:ve[sd]?|ving|ution)|(?:history|development|timeline|chronology) of"
    r"|how (?:has|have) .{1,80} (?:changed|developed|progressed)|year by year|so far|since|decades?)\b"
    r"|趋势|演变|演进|演化|发展历程|发展脉络|历程|变迁|历年|逐年|以来|年来|近[\d一二两三四五六七八九十几]+年",
    re.IGNORECASE,
)


def is_of_time(question: str) -> bool:
    """Tell whether a question asks how something went over the years."""
    return bool(_OF_TIME.search(question))


def periods(years: Sequence[int | None]) -> Mapping[int | None, int]:
    """Return the period of each year, counted from the earliest; what has no year is in the last of all.

    There are at most four, of about as many years in which there is anything.
    """
    known = sorted({year for year in years if year is not None})
    count = min(_MOST, len(known))
    found: dict[int | None, int] = {year: place * count // len(known) for place, year in enumerate(known)}
    return found | {None: count}
