"""The collections that a question is about."""

from collections.abc import Sequence

from scholarmind.filters import AnyOf, Compare, Filter, both


def in_one_of(collections: Sequence[str]) -> Filter | None:
    """Return what lets only these collections pass; None if none is named."""
    wanted = tuple(Compare("collection", "=", name) for name in collections)
    return AnyOf(wanted) if len(wanted) > 1 else both(*wanted)
