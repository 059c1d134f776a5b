"""A text as the judge reads it: its tokens in order, which of them are grammar, negate, qualify or compare, and its amounts."""

import json
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import groupby
from typing import NamedTuple

from scholarmind.judge.amounts import Amount, amounts
from scholarmind.text.analysis import sentences, terms

_LONGEST_TEXT = 20_000
_LONGEST_SENTENCE = 400  # tokens
_NEAR = 5  # tokens around an amount
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:['’](?:s|t|re|ve|ll|d)\b)?|[,，;；:：、。.!?！？()（）]")
_STOPS = frozenset(",，;；:：、。.!?！？()（）")
_HAN = re.compile(r"[\u3400-\u9fff]")


class Token(NamedTuple):
    """A word, a Chinese character or an amount; clauses and sentences are counted through the text."""

    form: str  # what is compared: the stem, the character, the amount
    start: int
    end: int
    content: bool  # no word of grammar
    name: bool  # written with a capital inside a sentence, or with letters and digits
    clause: int
    sentence: int


@dataclass(frozen=True, kw_only=True)
class Wording:
    """The tokens of a text and what stands in it of each class of words."""

    text: str
    tokens: tuple[Token, ...]
    amounts: tuple[Amount, ...]
    chinese: bool
    classes: Mapping[int, frozenset[str]]  # by the place of a token

    @cached_property
    def forms(self) -> frozenset[str]:
        """Return what is compared of each token."""
        return frozenset(token.form for token in self.tokens)

    @cached_property
    def sentences(self) -> tuple["Sentence", ...]:
        """Return the sentences, those without words left out."""
        return tuple(
            Sentence(
                tuple(token for _, token in some), tuple(self.classes.get(index, frozenset()) for index, _ in some)
            )
            for _, group in groupby(enumerate(self.tokens), key=lambda each: each[1].sentence)
            if (some := list(group)[:_LONGEST_SENTENCE])
        )

    @cached_property
    def surroundings(self) -> tuple[frozenset[str], ...]:
        """Return for each amount the words around it."""
        ends = [token.end for token in self.tokens]
        found: list[frozenset[str]] = []
        for amount in self.amounts:
            place = bisect_left(ends, amount.end)
            near = self.tokens[max(0, place - _NEAR) : place + _NEAR + 1]
            found.append(frozenset(token.form for token in near if token.content and token.start != amount.start))
        return tuple(found)


@dataclass(frozen=True)
class Sentence:
    """The tokens of one sentence, each with its classes of grammar."""

    tokens: tuple[Token, ...]
    classes: tuple[frozenset[str], ...]

    @cached_property
    def forms(self) -> frozenset[str]:
        """Return what is compared of each token."""
        return frozenset(token.form for token in self.tokens)


@dataclass(frozen=True, slots=True)
class _Grammar:
    english: dict[str, frozenset[str]]  # a word -> its classes
    chinese: re.Pattern[str]
    chinese_classes: dict[str, frozenset[str]]


@cache
def _grammar() -> _Grammar:
    read = json.loads(files("scholarmind.judge").joinpath("grammar.json").read_text(encoding="utf-8"))
    found: list[dict[str, frozenset[str]]] = []
    for language in ("en", "zh"):
        classes: dict[str, set[str]] = {}
        for name, words in read[language].items():
            for word in words if name == "function" and language == "zh" else words.split():
                classes.setdefault(word, set()).add(name)
        found.append({word: frozenset(names) for word, names in classes.items()})
    longest = sorted(found[1], key=len, reverse=True)
    return _Grammar(found[0], re.compile("|".join(map(re.escape, longest))), found[1])


@cache
def _simplified() -> dict[int, str]:
    traditional, simplified = files("scholarmind.judge").joinpath("simplified.txt").read_text(encoding="utf-8").split()
    return dict(zip(map(ord, traditional), simplified, strict=True))


@lru_cache(maxsize=512)
def read(text: str) -> Wording:
    """Read a text once, however often it is compared. What is very long is cut."""
    plain = unicodedata.normalize("NFKC", text[:_LONGEST_TEXT]).replace("’", "'")[:_LONGEST_TEXT]
    if not plain.isascii():
        plain = plain.translate(_simplified())
    found = amounts(plain)
    chinese = 5 * len(_HAN.findall(plain)) > sum(map(str.isalpha, plain))
    tokens: list[Token] = []
    classes: dict[int, frozenset[str]] = {}
    native = _native_classes(plain) if chinese else {}
    clause = number = 0
    for count, (begin, end) in enumerate(sentences(plain)):
        first = True
        for match in _TOKEN.finditer(plain, begin, end):
            while number < len(found) and found[number].end <= match.start():
                number += 1
            amount = found[number] if number < len(found) and found[number].start < match.end() else None
            if match[0] in _STOPS:
                clause += amount is None
                continue
            if amount and amount.start < match.start() and tokens and tokens[-1].start == amount.start:
                continue
            tokens.append(_token(match, amount, clause, count, first))
            own = native.get(match.start()) or _grammar().english.get(match[0].lower())
            if own:
                classes[len(tokens) - 1] = own
            first = False
        clause += 1
    return Wording(text=plain, tokens=tuple(tokens), amounts=found, chinese=chinese, classes=classes)


def _native_classes(text: str) -> dict[int, frozenset[str]]:
    grammar = _grammar()
    return {match.start(): grammar.chinese_classes[match[0]] for match in grammar.chinese.finditer(text)}


def _token(match: re.Match[str], amount: Amount | None, clause: int, sentence: int, first: bool) -> Token:
    word = match[0]
    if amount and amount.exact:
        return Token(
            form=f"{amount.value:g}{amount.unit if amount.unit != 'year' else ''}",
            start=amount.start,
            end=amount.end,
            content=True,
            name=False,
            clause=clause,
            sentence=sentence,
        )
    form, content = _form(word)
    return Token(
        form=form,
        start=match.start(),
        end=match.end(),
        content=content,
        name=content
        and (any(map(str.isupper, word[0 if not first else 1 :])) or (word.isalnum() and not word.isalpha())),
        clause=clause,
        sentence=sentence,
    )


@lru_cache(maxsize=50_000)
def _form(word: str) -> tuple[str, bool]:
    """Return what is compared of a word, and whether it is no word of grammar."""
    lower = word.lower()
    if _HAN.match(word):
        return word, "function" not in _grammar().chinese_classes.get(word, ())
    stems = terms(lower)
    content = bool(stems) and "function" not in _grammar().english.get(lower, ())
    return (stems[0] if stems else lower), content
