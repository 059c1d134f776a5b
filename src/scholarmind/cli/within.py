"""What a search or a question is to look within: collections, and documents by their fields."""

import re
from collections.abc import Mapping, Sequence

from scholarmind.errors import QueryError
from scholarmind.filters import AnyOf, Compare, Filter, both

_FIELDS = ("author", "title", "source", "language", "kind")


def in_one_of(collections: Sequence[str]) -> Filter | None:
    """Return what lets only these collections pass; None if none is named."""
    wanted = tuple(Compare("collection", "=", name) for name in collections)
    return AnyOf(wanted) if len(wanted) > 1 else both(*wanted)


def of_fields(fields: Mapping[str, str | None]) -> Filter | None:
    """Return what lets only documents with these fields pass; None if none is given."""
    compares = [
        Compare(name, "~" if name == "title" else "=", value)
        for name in _FIELDS
        if (value := fields.get(name)) is not None
    ]
    return both(*compares, _years(fields.get("year")))


def _years(text: str | None) -> Filter | None:
    if text is None:
        return None
    match = re.fullmatch(r"(\d{1,4})?(?:(\.\.)(\d{1,4})?)?", text.strip())
    if match is None or not (match[1] or match[3]):
        raise QueryError(f"--year {text!r} is not understood; write 2019, 2019..2023, 2019.. or ..2023")
    if not match[2]:
        return Compare("year", "=", int(match[1]))
    ends = (
        Compare("year", ">=", int(match[1])) if match[1] else None,
        Compare("year", "<=", int(match[3])) if match[3] else None,
    )
    return both(*ends)
