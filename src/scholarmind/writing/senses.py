"""What a sentence is about: its words, its names, and how often it denies. English and Chinese."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scholarmind.text.analysis import terms
from scholarmind.text.language import HAN
from scholarmind.text.patterns import lazy_regex
from scholarmind.text.sentences import sentences
from scholarmind.writing.quantities import numbers

_NEGATION = lazy_regex(
    r"\b(?:not|no|never|neither|nor|none|nothing|without|cannot|hardly|barely|unable|fail(?:s|ed)?|lacks?|lacked)\b|n['’]t\b"
    r"|不(?![仅但同断久管少论只妨])|没|未(?!来)|无(?![论疑监])|(?<!除)非(?![常洲])",
    re.IGNORECASE,
)
_LETTER = r"[^\W_\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_NAME = lazy_regex(rf"{_LETTER}(?:{_LETTER}|[-‐‑.@+/'’](?={_LETTER}))*")
_HAS_BOTH = lazy_regex(r"[A-Za-z].*\d|\d.*[A-Za-z]")  # top-1, float32
_COMMON = lazy_regex(r"(?:s|ing|ly|ed|ion|ance|ence|acy|ity|ement|ness|ism|ship|ive|al|ic|ous|ful)$")
_LIGHT_HAN = lazy_regex(r"[的了在是为和与及其该它这那此就也都而且并则将把被由从对于中上下]")
_LIGHT = frozenset(
    terms(
        "paper papers author authors report reports show shows find finds found according study studies work using used use also well"
    )
)
_LIGHT_WEIGHT = 0.3
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentWords:
    """The terms of a text, and the single Chinese characters."""

    terms: frozenset[str]
    characters: frozenset[str]


@lru_cache(maxsize=2048)
def words_of(text: str) -> ContentWords:
    """Read a text once, however often it is compared."""
    return ContentWords(
        terms=frozenset(content(without_numbers(text))),
        characters=frozenset(HAN.findall(text)),
    )


def without_numbers(text: str) -> str:
    """Return the text with its numbers and their units taken out."""
    pieces: list[str] = []
    begin = 0
    for number in numbers(text):
        pieces.append(text[begin : number.start])
        begin = number.end
    return " ".join((*pieces, text[begin:]))


def content(text: str) -> Iterator[str]:
    """Yield the terms of what is no number (those are compared by their values) and no Chinese word for the grammar alone."""
    return (term for term in terms(_LIGHT_HAN.sub(" ", text)) if not term.replace(".", "").isdecimal())


def covered(wanted: ContentWords, given: ContentWords) -> float:
    """Return which share of the wanted words is given. A Chinese pair counts half if only its characters are there."""
    total = found = 0.0
    for term in wanted.terms:
        weight = _LIGHT_WEIGHT if term in _LIGHT else 1.0
        total += weight
        if term in given.terms:
            found += weight
        elif HAN.match(term) and given.characters.issuperset(term):
            found += weight / 2
    return found / total if total else 0.0


def denied(text: str) -> int:
    """Return how many negations there are."""
    return sum(1 for _ in _NEGATION.finditer(text))


def missing(found: Sequence[str], given: ContentWords) -> int:
    """Return how many of these names are not given."""
    return sum(not _is_given(name, given) for name in found)


@lru_cache(maxsize=2048)
def names(text: str) -> tuple[str, ...]:
    """Return the words with capitals or digits, but for the first of a sentence if it has the ending of a common word."""
    return tuple(_names(text))


def _names(text: str) -> Iterator[str]:
    bare = without_numbers(text)
    for start, end in sentences(bare):
        first = True
        for match in _NAME.finditer(bare, start, end):
            word = match[0]
            ordinary = first and word[:1].isupper() and word[1:].islower() and _COMMON.search(word) is not None
            first = False
            if not ordinary and (any(map(str.isupper, word)) or _HAS_BOTH.search(word)):
                yield word[:_LONGEST_NAME]


def _is_given(name: str, given: ContentWords) -> bool:
    found = list(content(name))
    if not found or found[0] in given.terms:
        return True
    return len(found) == len(terms(name)) and given.terms.issuperset(found[1:] or found)  # GPT-2 is not GPT
