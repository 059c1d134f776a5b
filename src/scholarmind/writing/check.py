"""Whether a sentence of an answer is supported by the quotes that it cites; decided by code, in English and Chinese.

* verified: at least 85 % of the claim stands in one quote in one piece, with the same numbers, units, signs and negations, and what
  is not in that piece changes nothing: no number, no negation, no word that turns the sense, no name in another's place.
* paraphrase: its words, all its numbers and all its names are in the quotes, and it denies what they deny.
* unsupported: everything else.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice

from scholarmind.answer import Support
from scholarmind.text.analysis import terms
from scholarmind.text.sentences import sentences
from scholarmind.writing.quantities import Quantity, numbers
from scholarmind.writing.quoting import is_quoted
from scholarmind.writing.senses import TOUCHED, SignedWords, covered, missing, names, words_of

__all__ = ["Quantity", "contradicted", "numbers", "support"]

_LONGEST_CLAIM = 20_000
_LONGEST_PARAPHRASE = 4_000  # what is longer is no sentence
_LONGEST_QUOTE = 40_000
_MOST_NAMES = 60
_MOST_PLACES = 16
_REMEMBERED = 256  # quotes: the same ones are cited by many claims
_COVERED_SHARE = 0.8
_WARY = 0.4  # in place of `TOUCHED`, where other words may be all different
_SHARED_WITH_NUMBER = 0.3  # of the words of a claim, in the sentence (or the one before it) that has its number
_CITATION = re.compile(r"[ ]?\[[^\[\]\n]{1,200}, (?:\d{4}|n\.d\.)[-a-z]{0,4}(?:;[^\[\]\n]{1,400})?\]")
_STRONG = re.compile(r"[;；]")
_COMMA = re.compile(r"[,，;；、](?!\d)|\band\b")
_NUMBER_WORDS = frozenset(
    terms(
        "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety "
        "half third quarter double triple twice"
    )
)
_HAN_COUNTED = re.compile(
    r"第[一二三四五六七八九十]{1,4}|[一二两三四五六七八九十百千半]{1,8}(?=[个种项层类次步倍篇位名组块条年月天路段])"
)


def support(claim: str, quotes: Sequence[str]) -> Support:
    """Return how far the quotes support the claim. Citation keys in brackets are no part of it."""
    if len(claim) > _LONGEST_CLAIM:
        return "unsupported"
    text = _CITATION.sub("", claim)
    kept = [quote[:_LONGEST_QUOTE] for quote in quotes if quote.strip()]
    if any(is_quoted(words, quote) for words in dict.fromkeys((text, claim)) for quote in kept):
        return "verified"
    if kept and len(text) <= _LONGEST_PARAPHRASE and _is_paraphrase(text, kept):
        return "paraphrase"
    return "unsupported"


def contradicted(claim: str, quotes: Sequence[str]) -> bool:
    """Tell whether a number, a name, a negation or a direction speaks against a claim, whatever its other words are."""
    text = _CITATION.sub("", claim)
    kept = [quote[:_LONGEST_QUOTE] for quote in quotes if quote.strip()]
    return len(text) > _LONGEST_PARAPHRASE or not _is_consistent(text, kept, _WARY)


def _is_paraphrase(claim: str, quotes: Sequence[str]) -> bool:
    wanted, given = words_of(claim), words_of("\n\n".join(quotes))
    if not wanted.terms and not numbers(claim):
        return False
    return (not wanted.terms or covered(wanted, given) >= _COVERED_SHARE) and _is_consistent(claim, quotes)


def _is_consistent(claim: str, quotes: Sequence[str], touched: float = TOUCHED) -> bool:
    """Tell whether the quotes have all numbers and names of the claim, each in its place, and deny what it denies."""
    wanted, given = words_of(claim), words_of("\n\n".join(quotes))
    every = [found for quote in quotes for found in _sentences(quote)]
    if not wanted.terms:
        return all(any(_amount(number) in found.amounts for found in every) for number in numbers(claim))
    return (
        not missing(names(claim), given)
        and _NUMBER_WORDS.isdisjoint(wanted.terms - given.terms)
        and all(_is_stated(clause, wanted, every) for clause in _clauses(claim))
        and all(counted in "".join(quotes) for counted in _HAN_COUNTED.findall(claim))
        and not any(_is_crossed(claim, piece.text) for piece in every if len(piece.amounts) > 1)
        and _agrees(claim, wanted, every, touched)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A sentence, or what semicolons make of it: its numbers, and the same words with those of the piece before."""

    text: str
    wider: str
    amounts: frozenset[tuple[object, str]]
    partial: bool


@lru_cache(maxsize=_REMEMBERED)
def _sentences(text: str) -> tuple[_Piece, ...]:
    found: list[_Piece] = []
    before = 0
    for start, end in sentences(text):
        pieces, wider = _STRONG.split(text[start:end]), text[before:end]
        for piece in pieces:
            amounts = frozenset(map(_amount, numbers(piece)))
            found.append(_Piece(text=piece, wider=wider, amounts=amounts, partial=len(pieces) > 1))
        before = start
    return tuple(found)


def _clauses(claim: str) -> Iterator[str]:
    """Yield the parts of a claim that state numbers, at its commas; a part without a number belongs to the next."""
    starts = [number.start for number in numbers(claim)]
    begin = first = 0
    for stop, following in (*((match.start(), match.end()) for match in _COMMA.finditer(claim)), (len(claim), 0)):
        last = bisect_right(starts, stop)
        if last > first:
            yield claim[begin:stop]
            begin, first = following, last


def _amount(number: Quantity) -> tuple[object, str]:
    return number.value, "" if number.unit == "year" else number.unit


def _is_stated(clause: str, wanted: SignedWords, every: Sequence[_Piece]) -> bool:
    """Tell whether each number of the clause stands in a sentence that is about the same thing."""
    return all(
        any(amount in piece.amounts and _is_about(clause, wanted, piece) for piece in every)
        for amount in map(_amount, numbers(clause))
    )


def _is_about(clause: str, wanted: SignedWords, piece: _Piece) -> bool:
    """Tell whether a sentence says this of the same thing: it may leave out a name, but not have another in its place."""
    wider, named = words_of(piece.wider), names(clause)
    absent = missing(named, wider)
    replaced = missing(named, words_of(piece.text)) > 0 and missing(names(piece.text), wanted) > 0
    if 2 * absent > len(named) or (replaced and (absent or piece.partial)):
        return False
    return covered(wanted, wider) >= _SHARED_WITH_NUMBER


def _is_crossed(claim: str, piece: str) -> bool:
    """Tell whether a claim has two numbers of a sentence the wrong way round: each behind the words, or by the name, of the other."""
    for near in (_words_before, _nearest_name):
        mine, theirs = near(claim), near(piece)
        both = [amount for amount in mine if amount in theirs and mine[amount] != theirs[amount]][:_MOST_PLACES]
        for one, other in combinations(both, 2):
            if mine[one] == theirs[other] and mine[other] == theirs[one]:
                return True
    return False


@lru_cache(maxsize=_REMEMBERED)
def _words_before(text: str) -> dict[tuple[object, str], str]:
    return {
        _amount(number): "".join(filter(str.isalpha, text[max(0, number.start - 24) : number.start])).casefold()[-12:]
        for number in numbers(text)
    }


@lru_cache(maxsize=_REMEMBERED)
def _nearest_name(text: str) -> dict[tuple[object, str], str]:
    places = [
        (match.start(), match.end(), name)
        for name in set(names(text))
        for match in islice(re.finditer(re.escape(name), text), _MOST_PLACES)
    ]
    return {
        _amount(number): min(
            places[:_MOST_NAMES],
            key=lambda place: max(number.start - place[1], place[0] - number.end),
            default=(0, 0, ""),
        )[2]
        for number in numbers(text)
    }


def _agrees(claim: str, wanted: SignedWords, every: Sequence[_Piece], touched: float) -> bool:
    """Tell whether the claim names whom the closest sentences name, denies what they deny, and points where they point."""
    shares = [(covered(wanted, words_of(piece.text)), piece) for piece in every]
    best = max((share for share, _ in shares), default=0.0)
    near = [piece for share, piece in shares if share >= best - 0.1]
    if best >= _COVERED_SHARE and all(_has_others(claim, wanted, piece) for piece in near):
        return False
    return wanted.agrees_with([words_of(piece.text) for piece in near], touched)


def _has_others(claim: str, wanted: SignedWords, piece: _Piece) -> bool:
    """Tell whether a sentence has other names in place of names of the claim."""
    return missing(names(claim), words_of(piece.text)) > 0 and missing(names(piece.text), wanted) > 0
