"""Whether a claim is a quote: most of it in one piece, letter by letter, and nothing beside that piece that matters."""

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from scholarmind.text.patterns import lazy_regex
from scholarmind.text.sentences import sentences
from scholarmind.writing.quantities import numbers
from scholarmind.writing.senses import denied, turns

_REMEMBERED = 256  # quotes: the same ones are cited by many claims
_SHORTEST_RUN = 12
_RUN_SHARE = 0.85
_MOST_PLACES = 16  # where a piece is looked at that a quote repeats
_DIGITS = lazy_regex(r"\d+(?:[.,:/．，-]\d+)*")
_THOUSANDS = lazy_regex(r"\d{1,3}(?:,\d\d\d)+(?:\.\d+)?")
_SPACED = lazy_regex(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]")


def is_quoted(claim: str, quote: str) -> bool:
    """A run of 85 % must hold the middle 70 %: look for that, and see how far it goes on both sides."""
    wanted, given = _letters(claim), _letters(quote)
    length = len(wanted.folded)
    if length < _SHORTEST_RUN:
        return False
    spare = length - int(-(-length * _RUN_SHARE // 1))
    core = wanted.folded[spare : length - spare]
    place = given.folded.find(core)
    for _ in range(_MOST_PLACES):
        if place < 0:
            return False
        if _holds(claim, quote, _widened(wanted.folded, given.folded, (spare, length - spare), place)):
            return True
        place = given.folded.find(core, place + 1)
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Letters:
    """The letters and digits of a text, folded, and where each stands in it."""

    folded: str
    places: Sequence[int]


@lru_cache(maxsize=_REMEMBERED)
def _letters(text: str) -> _Letters:
    if text.isascii():
        places = [place for place, character in enumerate(text) if character.isalnum()]
        return _Letters(folded="".join(filter(str.isalnum, text.lower())), places=places)
    pieces = [(folded, place) for place, character in enumerate(text) if (folded := _folded(character))]
    return _Letters(
        folded="".join(folded for folded, _ in pieces),
        places=[place for folded, place in pieces for _ in folded],
    )


@lru_cache(maxsize=1 << 16)
def _folded(character: str) -> str:
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(filter(str.isalnum, decomposed))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Letters that a claim and a quote have in common, by their numbers in each."""

    start: int
    end: int
    shift: int  # to the numbers in the quote


def _widened(claim: str, quote: str, core: tuple[int, int], place: int) -> _Run:
    start, end = core
    shift = place - start
    while start > 0 and start + shift > 0 and claim[start - 1] == quote[start - 1 + shift]:
        start -= 1
    while end < len(claim) and end + shift < len(quote) and claim[end] == quote[end + shift]:
        end += 1
    return _Run(start=start, end=end, shift=shift)


def _holds(claim: str, quote: str, run: _Run) -> bool:
    """Tell whether the run, cut to whole words, is long enough, has the same numbers, and leaves nothing that matters."""
    wanted, given = _letters(claim).places, _letters(quote).places
    start, end = run.start, run.end
    while start < end and _cuts(claim, wanted, start) | _cuts(quote, given, start + run.shift):
        start += 1
    while end > start and _cuts(claim, wanted, end) | _cuts(quote, given, end + run.shift):
        end -= 1
    if end - start < max(_SHORTEST_RUN, _RUN_SHARE * len(wanted)):
        return False
    in_claim = wanted[start], wanted[end - 1] + 1
    in_quote = given[start + run.shift], given[end - 1 + run.shift] + 1
    if _figures(claim, *in_claim) != _figures(quote, *in_quote):
        return False
    if denied(claim[slice(*in_claim)]) != denied(quote[slice(*in_quote)]):
        return False
    return not (
        _turns(claim[: in_claim[0]], quote, (_edge(quote, in_quote[0], -1), in_quote[0]), start + run.shift)
        or _turns(claim[in_claim[1] :], quote, (in_quote[1], _edge(quote, in_quote[1], 1)), end + run.shift)
    )


def _turns(rest: str, quote: str, place: tuple[int, int], number: int) -> bool:
    """Tell whether the rest of a claim, on one side of the run, matters: by itself, or for a negation of the quote that it leaves out."""
    if not any(map(str.isalnum, rest)):
        return False
    inside = _is_inside(quote, number)
    return turns(rest, replaces=inside) or (inside and denied(quote[slice(*place)]) > 0)


def _edge(text: str, place: int, step: int) -> int:
    """Return the nearest border of a sentence before or after this place."""
    edges = _edges(text)
    found = bisect_right(edges, place) - (step < 0)
    return edges[found] if 0 <= found < len(edges) else (0 if step < 0 else len(text))


def _cuts(text: str, places: Sequence[int], number: int) -> bool:
    """Tell whether a word is cut in two in front of this letter."""
    if not 0 < number < len(places):
        return False
    before, after = places[number - 1], places[number]
    if after == before:
        return True
    return after == before + 1 and not (_SPACED.match(text[before]) or _SPACED.match(text[after]))


def _is_inside(text: str, number: int) -> bool:
    """Tell whether the border in front of this letter is neither where a sentence of the text begins nor where one ends."""
    places = _letters(text).places
    if not 0 < number < len(places):
        return False
    edges = _edges(text)
    found = bisect_right(edges, places[number - 1])
    return found == len(edges) or edges[found] > places[number]


@lru_cache(maxsize=_REMEMBERED)
def _edges(text: str) -> Sequence[int]:
    return sorted({edge for span in sentences(text) for edge in span})


def _figures(text: str, start: int, end: int) -> tuple[object, ...]:
    """Return the numbers that lie in, or reach into, this stretch: as quantities, and digit by digit."""
    amounts = [number.amount for number in numbers(text) if number.start < end and number.end > start]
    digits = [
        found.replace(",", "") if _THOUSANDS.fullmatch(found := unicodedata.normalize("NFKC", match[0])) else found
        for match in _DIGITS.finditer(text)
        if match.start() < end and match.end() > start
    ]
    return tuple(amounts), tuple(digits)
