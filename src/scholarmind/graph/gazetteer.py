"""The gazetteer: names that are known before a document is read, filed so that one look-up for each place of a text finds them.

They come from the documents of the library, and from `lexicon.txt`: well-known methods, data sets, metrics and tasks, in English and
Chinese. Names that nobody knows yet are found by `entity_recognition`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple, cast

from scholarmind.graph.document_statements import LONGEST_NAME, own_name, thing
from scholarmind.model import Document
from scholarmind.relations import NodeKind, Thing
from scholarmind.text.analysis import fold

# -- known names

HAN = "\u3400-\u9fff\uf900-\ufaff"
_LETTER = rf"[^\W_{HAN}]"
# a word is a Chinese character, or letters and digits with what joins them: BERT-Large, CNN/DailyMail, 3.5, C++
_WORD = re.compile(rf"[{HAN}]|{_LETTER}+(?:[-‐‑./@+&×]{_LETTER}+)*\+{{0,2}}")

_LOWER_COMPOUND = re.compile(r"[a-z]+(?:[-‐‑][a-z]+)+$")
_SPELLING = re.compile(r"is(?=(?:e|ed|es|ing|ation|ations|er|ers)$)")
_LONGEST_KEY = 12  # words of a name
_FIELDS: tuple[tuple[str, NodeKind], ...] = (
    ("aliases", "method"),
    ("alias", "method"),
    ("methods", "method"),
    ("builds_on", "method"),
    ("datasets", "dataset"),
    ("metrics", "metric"),
    ("tasks", "task"),
)


class Word(NamedTuple):
    """A word of a text: as it is compared, and where it stands."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownNames:
    """Names that are known, by `key_of`; what a name is called stands in its thing. Make one with `KnownNames.of`."""

    things: Mapping[str, Thing] = field(default_factory=dict[str, Thing])
    lengths: Mapping[str, set[int]] = field(
        default_factory=dict[str, set[int]]
    )  # first word: how many words names have

    @staticmethod
    def of(things: Iterable[Thing]) -> "KnownNames":
        """File things by their names; the first of two of one name stays."""
        growing = DocumentNames()
        for each in things:
            growing.add(each)
        return growing.known


NOTHING = KnownNames()


class DocumentNames:
    """Names that become known while a document is read."""

    def __init__(self) -> None:
        self._things: dict[str, Thing] = {}
        self._lengths: dict[str, set[int]] = {}
        self.known = KnownNames(things=self._things, lengths=self._lengths)

    def add(self, each: Thing) -> None:
        """File a thing by its name, unless another goes by it."""
        words = _key_words(each.name)
        if words and len(words) <= _LONGEST_KEY and len(each.name) <= LONGEST_NAME and is_telling(each.name):
            self._things.setdefault(" ".join(words), each)
            self._lengths.setdefault(words[0], set()).add(len(words))


def named_in(*documents: Document) -> Iterator[Thing]:
    """Yield the methods, data sets, metrics and tasks that metadata name, each once: what other documents may speak of."""
    named = dict.fromkeys(pair for document in documents for pair in _names_in(document))
    return (thing(kind, name) for kind, name in named)


def _names_in(document: Document) -> Iterator[tuple[NodeKind, str]]:
    if name := own_name(document):
        yield "method", name
    for field_name, kind in _FIELDS:
        value = document.metadata.get(field_name)
        for each in value if isinstance(value, tuple) else () if value is None else (value,):
            if isinstance(each, str):
                yield kind, each


def words_of(text: str, start: int = 0, end: int | None = None) -> Iterator[Word]:
    """Yield the words of a stretch of text as they are compared, the parts of "next-sentence" each by itself."""
    for match in _WORD.finditer(text, start, len(text) if end is None else end):
        word = match[0]
        if "-" in word and _LOWER_COMPOUND.match(word):
            place = match.start()
            for part in word.split("-"):
                yield Word(_compared(part), place, place + len(part))
                place += len(part) + 1
        else:
            yield Word(_compared(word), match.start(), match.end())


def _key_words(name: str) -> list[str]:
    """Return the words of a name as they are compared."""
    return [word.text for word in words_of(name)]


def key_of(name: str) -> str:
    """Return what a name is filed under."""
    return " ".join(_key_words(name))


def is_telling(name: str) -> bool:
    """Tell a name from what is none: a number, a single letter, a single Chinese character."""
    return len(name) > 1 and any(map(str.isalpha, name))


@lru_cache(maxsize=65_536)
def _compared(word: str) -> str:
    """Fold a word, with one spelling for British and American English and for one and many."""
    plain = fold(word)
    if not (plain.isascii() and plain.isalpha() and len(plain) > 3):
        return plain
    plain = "modeling" if plain == "modelling" else _SPELLING.sub("iz", plain)
    return plain[:-1] if plain.endswith("s") and not plain.endswith(("ss", "us", "is")) else plain


# -- the lexicon

_TECHNIQUE = "technique"  # a method that models use, and that has no results of its own as a rule
_GENERIC = "generic"  # one that everybody uses: it is compared with, and nothing is said by its use


@dataclass(frozen=True, slots=True)
class NameLexicon:
    """The names, what each is another name of, and which of them are techniques."""

    known: KnownNames
    first_names: dict[str, Thing]  # by the key of another name
    techniques: frozenset[str]  # keys
    generic: frozenset[str]


@cache
def lexicon() -> NameLexicon:
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
    return NameLexicon(KnownNames.of(things), firsts, frozenset(keys[_TECHNIQUE]), frozenset(keys[_GENERIC]))


def lines() -> Iterator[tuple[str, list[str]]]:
    """Yield the lines of `lexicon.txt`: the section, and the names of one thing."""
    section = ""
    text = files("scholarmind.graph").joinpath("lexicon.txt").read_text(encoding="utf-8")
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("["):
            section = line.strip("[]")
        elif not line.startswith("#"):
            yield section, [name.strip() for name in line.split("=")]
