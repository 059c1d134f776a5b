"""Well-known methods, data sets, metrics and tasks of machine learning, in English and Chinese, as they stand in `lexicon.txt`."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

from scholarmind.graph.known import Known, key_of
from scholarmind.graph.things import thing
from scholarmind.relations import NodeKind, Thing

_TECHNIQUE = "technique"  # a method that models use, and that has no results of its own as a rule
_GENERIC = "generic"  # one that everybody uses: it is compared with, and nothing is said by its use


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The names, what each is another name of, and which of them are techniques."""

    known: Known
    first_names: dict[str, Thing]  # by the key of another name
    techniques: frozenset[str]  # keys
    generic: frozenset[str]


@cache
def lexicon() -> Lexicon:
    """Return the names, read when they are first asked for."""
    things: list[Thing] = []
    firsts: dict[str, Thing] = {}
    keys: dict[str, set[str]] = {_TECHNIQUE: set(), _GENERIC: set()}
    for section, names in lines():
        kind = cast("NodeKind", "method" if section in keys else section)
        first, *others = (thing(kind, name) for name in names)
        things += (first, *others)
        for other in others:
            firsts.setdefault(key_of(other.name), first)
        keys.get(section, set[str]()).update(key_of(name) for name in names)
    return Lexicon(Known.of(things), firsts, frozenset(keys[_TECHNIQUE]), frozenset(keys[_GENERIC]))


def lines() -> Iterator[tuple[str, list[str]]]:
    """Yield the lines of `lexicon.txt`: the section, and the names of one thing."""
    section = ""
    text = files("scholarmind.graph").joinpath("lexicon.txt").read_text(encoding="utf-8")
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("["):
            section = line.strip("[]")
        elif not line.startswith("#"):
            yield section, [name.strip() for name in line.split("=")]
