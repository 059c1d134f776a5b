"""Which filters a question asks for by the names, dates and years in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.filters import AnyOf, Compare, Filter, both
from scholarmind.model import Name
from scholarmind.naming import IDENTIFIERS
from scholarmind.text.analysis import terms
from scholarmind.text.dates import Years, years

_MOST_ENTITIES = 6
_OWN = {"title", "alias", "aliases"}  # what a document itself is called
_ITS_OWN = _OWN | set(IDENTIFIERS)  # ... and what no other has
_SAID_OF_ALL = _ITS_OWN | {"author", "source", "date"}  # true of every passage of a document alike
_SIGNS = re.compile(r"[\s'\"‘’“”「」『』《》]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowed:
    """A filtered search: what to look for, and filters from the strictest to the loosest; the first that finds anything is taken."""

    text: str
    filters: tuple[Filter, ...]
    about: str  # the name that the filters are about, as the question has it


def narrowed(text: str, names: Sequence[Name], now: int) -> tuple[Narrowed, ...]:
    """Return one filtered search for each entity that the text names; names, dates and years are then known and left out of its words.

    Where the passages of one document are searched, its name tells nothing more (dragonball_tune: complete@5 .74 -> .84). What a document
    is only known to be about (a dataset, a method) stays in the words: some of its passages say it, and others do not.
    """
    spans = list(years(text, now))
    span = _all_or_any(spans)
    days = _any_of([name for name in names if name.field == "date"])
    entities, others = _entities([name for name in names if name.field != "date"])
    if not entities:
        every = (both(days, span), days, span, *map(_years, spans))
        loose = tuple(dict.fromkeys(filter for filter in every if filter is not None))
        return (Narrowed(text=text, filters=loose, about="the time asked for"),) if loose else ()
    bare = _without(text, [name for name in names if name.field in _SAID_OF_ALL])
    further = both(_any_of(others), days, span)
    return tuple(
        Narrowed(text=bare, filters=_loosening(called(entity), further, days, span), about=entity.text)
        for entity in entities
    )


def time_asked(text: str, now: int) -> Filter | None:
    """Return the filter on the years that a text asks for, if it asks for any."""
    return _all_or_any(list(years(text, now)))


def called(name: Name) -> Filter:
    """Return the filter on the documents that a name stands for."""
    return Compare("called" if name.field in _OWN else f"called.{name.field}", "=", name.value)


def _loosening(entity: Filter, further: Filter | None, days: Filter | None, span: Filter | None) -> tuple[Filter, ...]:
    """Years that are asked for bind more than a name, which may be the subject rather than the document."""
    every = both(entity, further), both(entity, days, span), span or both(entity, days), entity
    return tuple(dict.fromkeys(filter for filter in every if filter is not None))


def _entities(names: Sequence[Name]) -> tuple[list[Name], list[Name]]:
    """Return the names that are searched one by one, each once, and the others, which only narrow that down.

    Titles, aliases and identifiers come first; without them the field whose names the fewest documents have. The same words may be names
    in several fields.
    """
    own = [name for name in names if name.field in _ITS_OWN]
    rarest = min(names, key=lambda name: name.documents, default=None)
    chosen = own or [name for name in names if rarest and name.field == rarest.field]
    places = {(name.start, name.end) for name in chosen}
    others = [] if own else [name for name in names if (name.start, name.end) not in places]
    unique = {name.value: name for name in reversed(chosen)}
    return sorted(unique.values(), key=lambda name: name.start)[:_MOST_ENTITIES], others


def _any_of(names: Sequence[Name]) -> Filter | None:
    compares = tuple(dict.fromkeys(called(name) for name in names))
    return AnyOf(compares) if len(compares) > 1 else (compares[0] if compares else None)


def _all_or_any(spans: Sequence[Years]) -> Filter | None:
    """Return what several spans ask for: after 2015 and before 2020 is one, 2015-2017 and 2020-2022 are two."""
    filters = tuple(dict.fromkeys(filter for filter in map(_years, spans) if filter is not None))
    first = max((span.first for span in spans if span.first is not None), default=0)
    last = min((span.last for span in spans if span.last is not None), default=first)
    return both(*filters) if first <= last else AnyOf(filters)


def _years(span: Years) -> Filter | None:
    return both(
        None if span.first is None else Compare("year", ">=", span.first),
        None if span.last is None else Compare("year", "<=", span.last),
    )


def _without(text: str, names: Sequence[Name]) -> str:
    """Return the text without the names, unless nothing would be left to look for."""
    kept, end = "", 0
    for name in sorted(names, key=lambda name: name.start):
        kept += text[end : name.start]
        end = max(end, name.end)
    kept = _SIGNS.sub(" ", kept + text[end:]).strip()
    return kept if terms(kept) else text
