"""Citation keys: what stands in brackets behind a sentence. The same works always get the same keys, in whatever order they come."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from scholarmind.citing.names import Person, people, plain
from scholarmind.model import Document
from scholarmind.text.patterns import lazy_regex
from scholarmind.text.quoted import NO_BRACKETS, disarmed

_LONGEST_TITLE = 60
_LONGEST_NATIVE = 24  # a Chinese character says as much as a few letters
_NOT_IN_BRACKETS = NO_BRACKETS | str.maketrans(";；", ",，")
_TRAILING = " ,.:-–—，。：、("
_NATIVE = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff]")

Place = tuple[str, str]


def assign(documents: Sequence[Document], known: Mapping[Place, str] = MappingProxyType({})) -> dict[Place, str]:
    """Return the key of each work by (collection, id), without brackets; no two works share one. Some are `known` already."""
    works = {(document.collection, document.id): document for document in documents}
    groups: defaultdict[str, list[Document]] = defaultdict(list)
    for document in sorted(works.values(), key=lambda work: (work.title, work.id, work.collection)):
        groups[_base(document).casefold()].append(document)
    keys: dict[Place, str] = {}
    taken = {key.casefold() for key in known.values()}
    for group in sorted(groups.values(), key=len):  # who is alone keeps its plain key
        for document, key in zip(group, _told_apart(group), strict=True):
            place = document.collection, document.id
            keys[place] = known[place] if place in known else _free(key, taken)
    return {place: keys[place] for place in works}


def suffix(document: Document, keys: Mapping[Place, str]) -> str:
    """Return the letter that the key of this work has behind the year, or ''."""
    if document.year is None or not people(document.authors)[0]:
        return ""
    found = re.search(rf", {document.dated}([a-z]+)$", keys[document.collection, document.id])
    return found[1] if found else ""


def _base(document: Document) -> str:
    named, others = people(document.authors)
    if not named:
        return _title(document)
    year = document.dated or "n.d."
    return disarmed(f"{_authors(named, others=others)}, {year}".translate(_NOT_IN_BRACKETS))


def _authors(named: Sequence[Person], *, others: bool) -> str:
    first, native = named[0].family, named[0].native
    if others or len(named) > 2:
        return f"{first}等" if native else f"{first} et al."
    if len(named) == 2:
        return f"{first}与{named[1].family}" if native else f"{first} & {named[1].family}"
    return first


def _title(document: Document) -> str:
    """Return the title, cut at a word border if it is long."""
    title = disarmed((plain(document.title) or plain(document.id) or "untitled").translate(_NOT_IN_BRACKETS))
    longest = _LONGEST_NATIVE if _NATIVE.search(title) else _LONGEST_TITLE
    if len(title) <= longest:
        return title
    cut = title[: longest + 1]
    if " " in cut[longest // 2 :]:
        cut = cut.rpartition(" ")[0]
    return cut[:longest].rstrip(_TRAILING) + "…"


def _told_apart(group: Sequence[Document]) -> Iterator[str]:
    """Yield keys that differ: by letters behind the year; titles by their years first, and else by a number."""
    base = _base(group[0])
    if len(group) == 1:
        yield base
    elif people(group[0].authors)[0]:
        joint = "-" if base.endswith(".") else ""
        yield from (f"{base}{joint}{_letters(place)}" for place in range(len(group)))
    else:
        yield from (f"{base}, {document.dated}" if document.dated else base for document in group)


def _letters(place: int) -> str:
    """Return a, b, ... z, aa, ab, ..."""
    more, last = divmod(place, 26)
    return (_letters(more - 1) if more else "") + chr(ord("a") + last)


def _free(key: str, taken: set[str]) -> str:
    free, number = key, 1
    while free.casefold() in taken:
        number += 1
        free = f"{key} ({number})"
    taken.add(free.casefold())
    return free
