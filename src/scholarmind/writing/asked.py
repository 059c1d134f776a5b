"""The words of a question that a source would have to say, and what else would say the same.

A word is covered where it stands itself or a translation of it, and for less by another form or a word that says the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scholarmind.text.analysis import spans, terms
from scholarmind.text.glossary import translations
from scholarmind.writing.kindred import CHINESE_ASKING, asking, chinese_kindred, kindred, light, months

_PREFIX = 5  # two forms of a word share at least so many letters
_LIGHTLY = 0.3  # what a light word weighs
_FORM, _KINDRED = 0.9, 0.7  # what another form of a word counts, and a word that says the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of the question: where it stands, its terms, how rare it is, and what else would say it, with what that counts."""

    start: int
    end: int
    terms: frozenset[str]
    weight: float
    others: tuple[tuple[frozenset[str], float], ...] = ()

    @property
    def figure(self) -> bool:
        """Whether it is a number or a month."""
        return any(term[0].isdigit() or term in months() for term in self.terms)

    @property
    def light(self) -> bool:
        """Whether it frames the question more than it tells what it is about."""
        return self.terms <= light()

    def overlaps(self, other: "Word") -> bool:
        """Return whether both stand on some of the same characters."""
        return self.start < other.end and other.start < self.end

    def degree(self, said: frozenset[str]) -> float:
        """Return how far these terms cover the word. Of a compound, the whole is enough, or all its parts, which count by their letters."""
        here = 0.0
        if not self.terms.isdisjoint(said):
            whole = max(self.terms, key=len)
            here = 1.0 if whole in said else _letters(self.terms & said) / _letters(self.terms - {whole})
        if here < 1 and self.others:
            return max(here, max((counts for other, counts in self.others if other <= said), default=0.0))
        return here


def _letters(parts: frozenset[str]) -> int:
    return sum(map(len, parts))


def words_of(question: str, rarity: Mapping[str, float], vocabulary: frozenset[str]) -> tuple[Word, ...]:
    """Return the words in order, each once, with what else of the vocabulary would say them."""
    return _with_others(question, _plain(question, rarity), vocabulary)


def _plain(question: str, rarity: Mapping[str, float]) -> list[Word]:
    """Return the words that a source would have to say; all of them where none is left."""
    blank = CHINESE_ASKING.sub(lambda match: " " * len(match[0]), question)
    most = max(rarity.values(), default=1.0)
    every = [
        _word(start, end, found, max(rarity.get(term, most) for term in found))
        for start, end, found in spans(blank)
        if found
    ]
    kept = [word for word in every if not word.terms <= asking() and (word.end - word.start > 1 or word.figure)]
    unique = {word.terms: word for word in reversed(kept or every)}
    return sorted(unique.values(), key=lambda word: word.start)


def _word(start: int, end: int, found: frozenset[str], rarity: float) -> Word:
    return Word(start=start, end=end, terms=found, weight=max(rarity, 0.0) * (_LIGHTLY if found <= light() else 1))


def _with_others(question: str, words: Sequence[Word], vocabulary: frozenset[str]) -> tuple[Word, ...]:
    """Add to each word what else would say it, as far as the evidence has it."""
    by_prefix: dict[str, list[str]] = {}
    for term in vocabulary:
        by_prefix.setdefault(term[:_PREFIX], []).append(term)
    phrases = _phrases(question, vocabulary)
    found: list[Word] = []
    for word in words:
        others: dict[frozenset[str], float] = {}
        for term in word.terms:
            others |= {other: _KINDRED for other in kindred(term) if other <= vocabulary}
            others |= {
                frozenset((other,)): _FORM for other in by_prefix.get(term[:_PREFIX], ()) if _related(term, other)
            }
        others |= {other: counts for start, end, other, counts in phrases if start <= word.start and word.end <= end}
        found.append(replace(word, others=tuple(others.items())) if others else word)
    return tuple(found)


def _phrases(question: str, vocabulary: frozenset[str]) -> list[tuple[int, int, frozenset[str], float]]:
    """Return where words stand that the evidence has in other words: kindred Chinese words, and translations."""
    alike = [
        (start, end, said, _KINDRED)
        for start, end, others in chinese_kindred(question)
        for said in others
        if said <= vocabulary
    ]
    translated = [
        (place, place + len(word), said, 1.0)
        for word, others in translations(question)
        if (place := question.find(word)) >= 0
        for other in others
        if (said := frozenset(terms(other))) and said <= vocabulary
    ]
    return [*alike, *translated]


def _related(one: str, other: str) -> bool:
    if one == other or not (one.isascii() and other.isascii() and one.isalpha() and other.isalpha()):
        return False
    short, long = sorted((one, other), key=len)
    if len(short) >= _PREFIX and long.startswith(short):
        return True
    common = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return common > _PREFIX and len(long) - common < _PREFIX
