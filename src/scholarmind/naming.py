"""The names that a document goes by, and where such names may stand in a text. Pure: any store can use it.

A name is compared by its tokens: words without case and accents, each Chinese character by itself. It is filed under its first few
tokens (`key`), so that one look-up for each place and length finds every name in a text, and `is_at` confirms the rest.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from scholarmind.identity import keys_of
from scholarmind.model import Document
from scholarmind.text.analysis import STOP_WORDS, fold
from scholarmind.text.dates import dates
from scholarmind.text.language import lazy_regex

_LETTER = r"[^\W_\u3400-\u9fff\uf900-\ufaff]"
_TOKEN = lazy_regex(  # an accent may be a character of its own
    rf"[\u3400-\u9fff\uf900-\ufaff]|{_LETTER}+(?:[\u0300-\u036f]+{_LETTER}*)*(?:\+\+|#(?!\w))?"
)
_APOSTROPHE_S = lazy_regex(rf"(?<=[\w”»」』》)\"])['’]s(?!{_LETTER})", re.IGNORECASE)
KEY_TOKENS = 6
TITLES = ("title", "aliases", "alias")  # the fields in which a document says what it is called
IDENTIFIERS = ("arxiv", "doi")
_LONGEST = 120  # characters of a name
_LONGEST_VALUE = 60  # characters of a name from any other field
_NOT_NAMES = frozenset(
    "language lang kind type url doi arxiv isbn issn id date created published year pages page volume number month file path origin hash"
    " abstract keywords category domain note results".split()
)
_COMPANY = lazy_regex(
    r"(?<![\s,])[\s,]+(?:inc|ltd|llc|corp|corporation|co|company|limited|plc|gmbh|group)\.?$", re.IGNORECASE
)
_COMPANY_HAN = lazy_regex(r"(?:股份)?(?:有限)?(?:责任)?公司$|集团$")
_BRACKET = lazy_regex(r"[(（][^()（）]*[)）]\s*$")
_HEAD = lazy_regex(r"^([^:：|–—]{2,40}?)\s*(?:[:：|–—]|\s-\s)")
_PLAIN_WORD = lazy_regex(r"[a-z]+")


class TextToken(NamedTuple):  # long texts have many: a dataclass takes three times as long to make
    """A token of a text, and where it stands."""

    text: str
    start: int
    end: int
    capital: bool


@dataclass(frozen=True, slots=True)
class Filed:
    """A name as it is filed: the key it is looked up by, all of its tokens, its field, and the value that it is a form of."""

    key: str
    tokens: str
    field: str
    value: str


def tokens(text: str) -> list[TextToken]:
    """Return the tokens of a text; the `'s` of a possessive is not one."""
    plain = _APOSTROPHE_S.sub(lambda match: " " * len(match[0]), text)
    if plain.isascii():
        found = ((match[0], *match.span()) for match in _TOKEN.finditer(plain))
        return [TextToken(word.lower(), start, end, not word[0].islower()) for word, start, end in found]
    return [
        TextToken(word, match.start(), match.end(), not match[0][0].islower())
        for match in _TOKEN.finditer(plain)
        for word in _folded(match[0])
    ]


def names_of(document: Document) -> Iterator[Filed]:
    """Yield every name of a document: its title, authors, source, date, identifiers and name-like metadata, with their short forms."""
    yield from _date_of(document)
    yield from _identifiers_of(document)
    seen: set[tuple[str, str]] = set()
    for field, value in _values(document):
        for form in _forms(field, value):
            parts = [token.text for token in tokens(form)]
            spelled = " ".join(parts)
            if _is_name(parts, form) and (field, spelled) not in seen:
                seen.add((field, spelled))
                yield Filed(" ".join(parts[:KEY_TOKENS]), spelled, field, value)


def short_name(document: Document) -> str:
    """Return what a document is called for short: its first alias, the head of its title, or the title."""
    for field in ("aliases", "alias"):
        value = document.metadata.get(field)
        first = value[0] if isinstance(value, tuple) and value else value
        if isinstance(first, str) and first.strip():
            return first.strip()
    bare = _BRACKET.sub("", document.title).strip()
    head = _HEAD.match(bare)
    return (head[1] if head else bare).strip() or document.id


def keys_in(found: Sequence[TextToken], *, capitals: bool = False) -> dict[str, list[int]]:
    """Return every key that the text could hold, and at which tokens; with `capitals` only where a name would begin in English."""
    keys: dict[str, list[int]] = {}
    words = [token.text for token in found]
    for place, token in enumerate(found):
        if capitals and not token.capital:
            continue
        for length in range(1, KEY_TOKENS + 1):
            if place + length <= len(words):
                keys.setdefault(" ".join(words[place : place + length]), []).append(place)
    return keys


def end_of(found: Sequence[TextToken], place: int, name: str) -> int | None:
    """Return the token after the name, if the whole of it stands at this token."""
    parts = name.split(" ")
    here = [token.text for token in found[place : place + len(parts)]]
    return place + len(parts) if here == parts else None


def is_written_as_name(found: Sequence[TextToken], place: int, end: int) -> bool:
    """Tell whether these tokens look like a name here: a single plain English word does only with a capital."""
    if end - place > 1:
        return True
    token = found[place]
    return token.capital or not _PLAIN_WORD.fullmatch(token.text)


def _folded(word: str) -> Sequence[str]:
    """Folding may take a sign apart: ½ is 1 and 2."""
    return (word.lower(),) if word.isascii() else _TOKEN.findall(fold(word))


def _date_of(document: Document) -> Iterator[Filed]:
    """A day is asked for in full, by its month and year, or without the year."""
    value = document.metadata.get("date") or document.metadata.get("published")
    for date in islice(dates(str(value or "")), 1):
        for form in {date.spelled, date.spelled[:7], date.spelled[5:]}:
            if " " in form:
                yield Filed(form, form, "date", form)


def _identifiers_of(document: Document) -> Iterator[Filed]:
    """A paper is asked for by its arXiv id or its DOI, too."""
    for field, _, value in (key.partition(":") for key in keys_of(document)):
        if field in IDENTIFIERS and (parts := [token.text for token in tokens(value)]):
            yield Filed(" ".join(parts[:KEY_TOKENS]), " ".join(parts), field, value)


def _values(document: Document) -> Iterator[tuple[str, str]]:
    yield "title", document.title
    for author in document.authors:
        yield "author", author
    yield "source", document.source
    for field, value in document.metadata.items():
        if field.lower() in _NOT_NAMES:
            continue
        for single in value if isinstance(value, tuple) else (value,):
            if not isinstance(single, str) or len(single) > _LONGEST_VALUE:
                continue
            if field in TITLES or not single.islower():  # word2vec is an alias, machine learning a keyword
                yield field, single


def _forms(field: str, value: str) -> Iterator[str]:
    """Yield the name in full and in the shorter forms that people use."""
    yield value
    bare = _BRACKET.sub("", value).strip()
    yield bare
    if field == "author":
        return
    if head := _HEAD.match(bare):
        yield head[1]
    yield _COMPANY.sub("", bare)
    yield _COMPANY_HAN.sub("", bare)


@lru_cache(maxsize=4096)
def _common(word: str) -> bool:
    return word in STOP_WORDS or len(word) < 2


def _is_name(parts: Sequence[str], form: str) -> bool:
    """Leave out what is no name: nothing, a number, a stop word, a single Chinese character, a whole sentence."""
    if not parts or len(form) > _LONGEST or all(part.isdigit() for part in parts):
        return False
    if len(parts) == 1:
        return not _common(parts[0])
    return not all(part in STOP_WORDS for part in parts)
