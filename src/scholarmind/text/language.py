"""Which language a text is in, told from its letters and its commonest words, and patterns that are compiled when they are first used.

Good enough to filter by; never fails. There are many hundreds of patterns, and a question or a search needs few of them.
"""

import re
from functools import cached_property
from typing import Any, cast

# -- patterns


class _LazyRegex:
    """Stands in for a compiled pattern until something of it is needed, and keeps whatever was."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern, self._flags = source, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:  # only asked for what is not here yet: `search`, `sub` ...
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found


def lazy_regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return what can be used as `re.compile(source, flags)`, except in the functions of `re` itself."""
    return cast("re.Pattern[str]", _LazyRegex(source, flags))


# -- languages

HAN = lazy_regex(r"[\u3400-\u9fff]")  # a Chinese character; not the rarest ones
_SAMPLE = 400
_MARKUP = lazy_regex(r"\]?\(?\b[a-z]+://[^\s\"'<>]+|<[^<>]*>")
_CLEARLY_ENGLISH = 0.2  # this share of common words is not reached by accident
_SCRIPTS = (
    ("ja", lazy_regex(r"[\u3040-\u30ff]")),
    ("ko", lazy_regex(r"[\uac00-\ud7af]")),
    ("zh", lazy_regex(r"[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("ru", lazy_regex(r"[\u0400-\u04ff]")),
    ("ar", lazy_regex(r"[\u0600-\u06ff]")),
    ("el", lazy_regex(r"[\u0370-\u03ff]")),
    ("th", lazy_regex(r"[\u0e00-\u0e7f]")),
)

_VOWEL = lazy_regex(r"[aeiouyà-æè-ïò-öø-ýÿāăąēĕėęěĩīĭįıōŏőœũūŭůűų]")
_LAST_LATIN = "\u036f"
_LONGEST_WORD = 24
_BY_ITSELF = lazy_regex(r"(?<![^\s(\[\"'“‘«/—–\-\u3000-\uffef])[^\W\d_]+(?![^\s.,;:!?)\]\"'”’»/—–\-\d\u3000-\uffef])")
_LATIN = lazy_regex(r"[^\W\d_]+")
_COMMON = {
    "en": "the of and to in is that for with are this which from by was as we it on",
    "de": "der die und das ist von mit den dem nicht ein eine für auf im werden wird sich zu auch",
    "fr": "le la les des et est une dans pour que par sur avec au du nous sont qui pas ce",
    "es": "el la los las de que en una por con para es del se como más este son lo y",
    "it": "il di che la per una con del sono della nel gli le non è si dei come anche e",
    "pt": "o os as de que em uma por com para é do da se como mais são não um e",
    "nl": "de het een van en is dat op te voor met zijn niet aan wordt door ook bij uit om",
}

_COMMON_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_SHARE_OF_SCRIPT = (
    0.2  # Chinese text on machine learning is a third Latin names; a few characters in English are a name
)


def language_of(text: str) -> str:
    """Return an ISO 639-1 code, or '' where there is nothing to go by. Plain Latin text without a hint is taken for English."""
    sample = text[:_SAMPLE]
    if "://" in sample:  # letters of addresses, tags and marks are those of no language
        sample = _MARKUP.sub(" ", text[: 4 * _SAMPLE])[:_SAMPLE]
    if sample.isascii():
        return _latin(sample)
    letters = sum(map(str.isalpha, sample)) or 1
    for language, script in _SCRIPTS:
        count = len(script.findall(sample))
        if count / letters >= (_SHARE_OF_SCRIPT if language != "ja" else _SHARE_OF_SCRIPT / 4):
            return language
    return _latin(sample)


def share_of_words(text: str, *, foreign: bool = True) -> float:
    """Return which share of a text's signs stands in what can be words: letters of one case with a vowel, or of a script that is
    not Latin, by themselves, unless `foreign` is False. Digits, points and hyphens do not count. Running text has over .7, a page of
    formulas or of a program .15 to .7, characters of a font whose meaning nobody knows less than .1.
    """
    signs = sum(not (sign.isspace() or sign.isdigit() or sign in ".·…_-") for sign in text)
    good = 0
    for word in _BY_ITSELF.findall(text):
        if max(word) > _LAST_LATIN and not ("\ufb00" <= max(word) <= "\ufb04"):
            good += len(word) if foreign else 0
        elif word.islower() or word.isupper() or word.istitle():
            good += len(word) if len(word) <= _LONGEST_WORD and _VOWEL.search(word.lower()) else 0
    return good / signs if signs else 1.0


def _latin(sample: str) -> str:
    words = _LATIN.findall(sample.lower())
    if not words:
        return ""
    hits = _hits(words, "en")
    if hits > _CLEARLY_ENGLISH * len(words):
        return "en"
    best = max(_COMMON_WORDS, key=lambda language: _hits(words, language))
    return best if _hits(words, best) > hits else "en"


def _hits(words: list[str], language: str) -> int:
    return sum(map(_COMMON_WORDS[language].__contains__, words))
