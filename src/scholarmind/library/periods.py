"""The periods that what was found falls into."""

from collections.abc import Mapping, Sequence

_MOST = 4


def periods(years: Sequence[int | None]) -> Mapping[int | None, int]:
    """Return the period of each year, counted from the earliest; what has no year is in the last of all.

    There are at most four, of about as many years in which there is anything.
    """
    known = sorted({year for year in years if year is not None})
    count = min(_MOST, len(known))
    found: dict[int | None, int] = {year: place * count // len(known) for place, year in enumerate(known)}
    return found | {None: count}
