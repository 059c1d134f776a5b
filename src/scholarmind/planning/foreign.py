"""Whether a text is written in another language than the question. Only what is sure counts: names are at home in every language."""

import re

from scholarmind.planning.words import FUNCTION
from scholarmind.text.language import HAN, language_of

_SCRIPTS = frozenset("zh ja ko ru ar el th".split())
_WORD = re.compile(r"[^\W\d_]+")
_FEW = 3  # words that are left when those of the question are taken out: with fewer there is nothing to go by
_SURE = 2  # English function words that make English sure


def other_language(text: str, question: str) -> bool:
    """Tell whether the text is in another language than the question."""
    asked = language_of(question)
    if asked == "zh":
        return bool(_WORD.search(text)) and not HAN.search(text)
    told = language_of(text)
    if told in _SCRIPTS or asked in _SCRIPTS:
        return told != asked and bool(told)
    return _other_latin(text, question, asked)


def _other_latin(text: str, question: str, asked: str) -> bool:
    """Judge by the words that the question does not have; a text of names alone tells nothing."""
    if not asked or (asked == "en" and _english(_WORD.findall(question.lower())) < _SURE):
        return False
    known = set(_WORD.findall(question.lower()))
    rest = [word for word in _WORD.findall(text) if word.lower() not in known and not word[0].isupper()]
    first = _WORD.findall(text.lower())[:1]
    rest += [word for word in first if word not in known and word not in rest]
    if len(rest) < _FEW:
        return False
    told = language_of(" ".join(rest))
    if told == asked:
        return False
    return told != "en" and _english(rest) < _SURE if asked == "en" else told == "en" and _english(rest) >= _SURE


def _english(words: list[str]) -> int:
    return sum(word in FUNCTION for word in words)
