"""What a PDF says of itself where nobody catalogued it: on its first page, in its properties, in its name, each with how sure that is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from pathlib import Path
from statistics import median

from scholarmind.adapters.readers.front_authors import authors_below, ends_head
from scholarmind.adapters.readers.front_cover import cover_facts
from scholarmind.adapters.readers.front_names import file_facts, property_facts
from scholarmind.adapters.readers.front_stamps import PAGE, stamp_facts
from scholarmind.adapters.readers.front_title import joined, title_lines
from scholarmind.adapters.readers.pdf.page import TextLine
from scholarmind.identity import letters_of
from scholarmind.model import Fact

_MOST_LINES = 300
_AGREED = 0.95  # two sources that do not know of each other say the same
_LESS = 0.4
_FOOT = 0.93  # of the lowest line
_SMALL = 0.95  # times the size of most lines
_FEW_WORDS = 6
_MOST_BESIDE = 12


def front_facts(lines: Sequence[TextLine], properties: Mapping[str, str], path: Path) -> list[Fact]:
    """Return what is said of title, authors, year, doi and arxiv: of each field the surest first."""
    outside = [*property_facts(properties, path), *file_facts(path)]
    told = [str(fact.value) for fact in outside if fact.field == "title"]
    head = list(takewhile(lambda line: not ends_head(line), lines[:_MOST_LINES]))
    facts = [*cover_facts(head), *_page_facts(lines[:_MOST_LINES], told), *outside]
    order = {field: place for place, field in enumerate(dict.fromkeys(fact.field for fact in facts))}
    return sorted(_agreed(facts), key=lambda fact: (order[fact.field], -fact.sure))


def _page_facts(lines: Sequence[TextLine], told: Sequence[str]) -> Iterator[Fact]:
    places, clear = title_lines(lines, told)
    title = joined([lines[place] for place in places], _rest(lines, places))
    if title:
        yield Fact(field="title", value=title, source=PAGE, sure=0.8 if clear else _LESS)
        authors, plain = authors_below(_head(lines, places[-1]))
        if authors:
            yield Fact(field="authors", value=authors, source=PAGE, sure=(0.8 if plain else 0.6) if clear else _LESS)
    head = [line.text for line in takewhile(lambda line: not ends_head(line), lines)]
    yield from stamp_facts([line.text for line in lines], _edges(lines, places), head)


def _head(lines: Sequence[TextLine], last: int) -> list[TextLine]:
    """Return the lines below the title. An author in a column of his own may come after the text of the column before his."""
    below = list(lines[last + 1 :])
    stop = next((place for place, line in enumerate(below) if ends_head(line)), len(below))
    beside = (
        line
        for line in below[stop + 1 :]
        if line.top >= lines[last].bottom and line.bottom <= below[stop].top and not ends_head(line)
    )
    return [*below[:stop], *islice(beside, _MOST_BESIDE), *below[stop:]]


def _edges(lines: Sequence[TextLine], places: Sequence[int]) -> list[str]:
    """Return what stands above the title, and at the foot of the page: in small letters or few words, or it is prose."""
    foot = max((line.bottom for line in lines), default=0.0) * _FOOT
    above = lines[places[0]].top if places else 0.0
    usual = median(line.size for line in lines) if lines else 0.0
    small = [line for line in lines if line.size < _SMALL * usual or len(line.text.split()) <= _FEW_WORDS]
    return [line.text for line in small if line.bottom <= above or line.top >= foot]


def _rest(lines: Sequence[TextLine], places: Sequence[int]) -> str:
    return "\n".join(line.text for place, line in enumerate(lines) if place not in places)


def _agreed(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Yield the facts, the surest of those that agree surer for it: how it spaces and capitalises a word, or leaves out a colon
    as the name of a file must, is no disagreement, and the others bear it out without taking its place."""
    for fact in facts:
        same = [other for other in facts if other.field == fact.field and _key(other) == _key(fact)]
        agreed = len({other.source for other in same}) > 1 and max(same, key=lambda other: other.sure) is fact
        more = min(_AGREED, round(fact.sure + 0.1, 2)) if fact.field == "year" else _AGREED
        yield replace(fact, sure=max(fact.sure, more)) if agreed else fact


def _key(fact: Fact) -> str:
    value = fact.value if isinstance(fact.value, tuple) else (fact.value,)
    return " ".join(
        "".join(sorted(letters_of(str(part)))) if fact.field == "authors" else letters_of(str(part)) for part in value
    )
