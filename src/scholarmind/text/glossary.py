"""What a word of one language is called in the other, from a plain list that a user can extend. Chinese and English.

Chinese is cut by the longest term that begins at each place, English by the longest run of stems; names and acronyms need no entry.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeVar

from scholarmind.errors import SettingsError
from scholarmind.text.analysis import terms
from scholarmind.text.language import HAN

_OWN = Path(__file__).with_name("glossary.tsv")
_WORD = re.compile(
    r"[^\W_\u3400-\u4dbf\u4e00-\u9fff]+"
)  # parts of compounds too: pre-training is found as pre training
_LONGEST = 2_000  # characters of a text that are looked at

Translation = tuple[str, tuple[str, ...]]
_Notion = tuple[tuple[str, ...], tuple[str, ...]]
_Key = TypeVar("_Key", str, tuple[str, ...])


class Glossary:
    """Terms in both directions, each with everything that it may be called on the other side."""

    def __init__(self, notions: Iterable[_Notion]) -> None:
        """Take in pairs of (Chinese terms, English terms)."""
        self._english_of: dict[str, tuple[str, ...]] = {}
        self._chinese_of: dict[tuple[str, ...], tuple[str, ...]] = {}
        stems_of: dict[str, list[str]] = {}
        for chinese, english in notions:
            for term in chinese:
                _join(self._english_of, term, english)
            for term in english:
                stems: list[str] = []
                for word in _WORD.findall(term):
                    if word not in stems_of:
                        stems_of[word] = terms(word)
                    stems += stems_of[word]
                if stems:
                    _join(self._chinese_of, tuple(stems), chinese)
        self._longest_from = _longest_from(self._english_of)
        self._most_from = _longest_from(self._chinese_of)

    def translations(self, text: str) -> list[Translation]:
        """Return the words of the text that are in the glossary, in order and each once, with their translations."""
        begun = text[:_LONGEST]
        found = [*self._chinese_words(begun), *self._english_words(begun)]
        return list({word: (word, other) for _, word, other in sorted(found)}.values())

    def _chinese_words(self, text: str) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        place = 0
        while place < len(text):
            for length in range(self._longest_from.get(text[place], 0), 0, -1):
                word = text[place : place + length]
                if word in self._english_of:
                    yield place, word, self._english_of[word]
                    place += length
                    break
            else:
                place += 1

    def _english_words(self, text: str) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        words = list(_stemmed(text))
        place = 0
        while place < len(words):
            for count in range(self._most_from.get(words[place][2], 0), 0, -1):
                run = words[place : place + count]
                if other := self._chinese_of.get(tuple(stem for _, _, stem in run)):
                    yield run[0][0], text[run[0][0] : run[-1][1]], other
                    place += len(run)
                    break
            else:
                place += 1


@cache
def glossary(extra: Path | None = None) -> Glossary:
    """Return our terms, and those of a file of the user's own."""
    return Glossary(notion for path in (_OWN, extra) if path is not None for notion in _read(path))


def translations(text: str, extra: Path | None = None) -> list[Translation]:
    """Return the words of the text that are in the glossary, in order and each once, with their translations."""
    return glossary(extra).translations(text)


def translated_share(text: str, found: Iterable[Translation]) -> float:
    """Return how much of a text has a translation, by its letters; names in Latin letters within Chinese need none."""
    letters = sum(map(str.isalnum, text))
    names = sum(map(len, _WORD.findall(text))) if HAN.search(text) else 0
    return min(1.0, (names + sum(sum(map(str.isalnum, word)) for word, _ in found)) / letters) if letters else 0.0


def _read(path: Path) -> Iterator[_Notion]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        raise SettingsError(f"the glossary {str(path)!r} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            sides = [_variants(side) for side in line.split("\t")]
            if len(sides) != 2 or not all(sides):
                raise SettingsError(
                    f"line {number} of the glossary {str(path)!r} is {line!r}; expected Chinese terms, a tab, English terms, "
                    "with | between variants"
                )
            yield sides[0], sides[1]


def _variants(side: str) -> tuple[str, ...]:
    return tuple([term for variant in side.split("|") if (term := variant.strip())])


def _stemmed(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where the words of other scripts than Chinese are, and what is left of each without its ending."""
    for match in _WORD.finditer(text):
        for stem in _stems(match[0]):
            yield match.start(), match.end(), stem


@lru_cache(maxsize=10_000)
def _stems(word: str) -> tuple[str, ...]:
    return tuple(terms(word))


def _join(known: dict[_Key, tuple[str, ...]], term: _Key, other: tuple[str, ...]) -> None:
    known[term] = tuple(dict.fromkeys((*known[term], *other))) if term in known else other


def _longest_from(known: Iterable[Sequence[str]]) -> dict[str, int]:
    """Return how long the longest of them is that begins with each character or stem."""
    longest: dict[str, int] = {}
    for term in known:
        longest[term[0]] = max(len(term), longest.get(term[0], 0))
    return longest
