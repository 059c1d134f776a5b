"""How many papers a question wants at least: more than three papers, 5 or more papers, 超过两篇, 三篇以上."""

import re
from dataclasses import dataclass

from scholarmind.text.language import lazy_regex

_PAPERS = r"(?=(?:different |of (?:the|these) )?(?:papers?|articles?|publications?|preprints?|studies|works)\b)"
_WORDS = dict[str, int](zip("one two three four five six seven eight nine ten".split(), range(1, 11), strict=True))
_DIGITS = dict[str, int](zip("一二两三四五六七八九十", (1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10), strict=True))
_NUMBER = rf"\d{{1,4}}|{'|'.join(_WORDS)}"
_HAN = rf"[0-9]{{1,4}}|[{''.join(_DIGITS)}]"
_ANY = lazy_regex(rf"\d+|[{''.join(_DIGITS)}]|\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_ENGLISH = lazy_regex(
    rf"\b(?:more than|over) (?P<over>{_NUMBER}) {_PAPERS}|\b(?:at least|no fewer than|no less than) (?P<least>{_NUMBER}) {_PAPERS}"
    rf"|\b(?P<least2>{_NUMBER}) or more {_PAPERS}",
    re.IGNORECASE,
)
_CHINESE = lazy_regex(
    rf"(?:超过|多于|不止)\s*(?P<over>{_HAN})\s*篇|(?:至少|不少于|不低于)\s*(?P<least>{_HAN})\s*篇|(?P<least2>{_HAN})\s*篇(?:及|或)?以上的?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """How many papers there must be at least, and the text without saying so."""

    text: str
    least: int | None = None


def threshold_of(text: str, *, chinese: bool) -> Threshold:
    """Return how many papers a text wants at least, if it says so."""
    match = (_CHINESE if chinese else _ENGLISH).search(text)
    if match is None:
        return Threshold(text=text)
    said = {
        name: _WORDS.get(word.lower()) or _DIGITS.get(word) or int(word)
        for name, word in match.groupdict().items()
        if word
    }
    least = said["over"] + 1 if "over" in said else next(iter(said.values()))
    return Threshold(text=f"{text[: match.start()]}{text[match.end() :]}", least=least)


def number_in(text: str) -> int | None:
    """Return the first number of a text, in figures or a word up to ten."""
    match = _ANY.search(text)
    if match is None:
        return None
    said = match[0].lower()
    return int(said) if said.isdigit() else _WORDS.get(said) or _DIGITS[said]
