"""Which words a number belongs to: whether a sentence in other words gives a source's numbers to what they stand for there.

Four tests. A pair of numbers is *crossed* if the words that lie nearer to the one in the source lie nearer to the other in the sentence. A
number is *taken from elsewhere* if what stands around it stands around another number there. It is *disowned* if its clause names what
the source names with other numbers, and not what it names with this one. It is *reversed* if two names and then two numbers come in
opposite orders. Where a source tells things apart that a sentence does not, the sentence is not confirmed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import combinations, islice

from scholarmind.text.analysis import spans, terms
from scholarmind.text.sentences import sentences
from scholarmind.writing.quantities import Quantity, numbers
from scholarmind.writing.senses import names

_REMEMBERED = 512
_MOST_NUMBERS = 12  # of a sentence
_MOST_PAIRS = 40
_MOST_PLACES = 200  # of numbers in the quotes
_REACH = 2  # words further away a word counts half
_BEYOND = 0.5  # what a word counts that stands in another clause
_CROSSED = -0.3
_ELSEWHERE = 0.75  # as much of the words around it as of those around another number: less is too little
_COMPARABLE = 30  # numbers further apart than this are of different kinds: layers and parameters
_CLAUSE = re.compile(
    r"[,，;；、:：](?!\d)|\b(?:and|while|whereas|but|against|versus|vs|compared)\b|而且?|相比|高于|低于|超过|多于|少于"
)
_BORDER = re.compile(r"[,，;；](?!\d)")
_POSSESSIVE = re.compile(r"['’]s$")
_VERSION = re.compile(r"(?<![\w-])([A-Z][\w-]{0,20}|[Vv]ersion)\s$")  # SQuAD 1.1: no measure
_HIGHEST_VERSION = 20


def misplaced(claim: str, quotes: Sequence[str], *, translated: bool = False) -> bool:
    """Tell whether a number of the claim stands for something else in the quotes. Of a translation only the names are compared."""
    given = [place for quote in quotes for place in _places(quote)][:_MOST_PLACES]
    stated = () if translated else _places(claim)
    if any(_is_from_elsewhere(place, given) for place in stated):
        return True
    every = [quote[start:end] for quote in quotes for start, end in sentences(quote)]
    return _is_disowned(claim, every) or any(
        _is_crossed(claim, sentence) or _is_reversed(claim, sentence) for sentence in every
    )


# -- what stands around a number


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    value: Decimal
    unit: str
    version: bool
    around: Mapping[str, float]  # words, each with how near it is


@lru_cache(maxsize=_REMEMBERED)
def _places(text: str) -> tuple[_Place, ...]:
    return tuple(
        _Place(
            value=number.value,
            unit=_amount(number)[1],
            version=_is_version(text[start:end], number),
            around=_around(text[start:end], number),
        )
        for start, end in sentences(text)
        for number in islice(numbers(text[start:end]), _MOST_NUMBERS)
    )


def _around(sentence: str, number: Quantity) -> Mapping[str, float]:
    tokens = list(_tokens(sentence))
    before = [token for token in reversed(tokens) if token[1] <= number.start]
    after = [token for token in tokens if token[0] >= number.end]
    near: dict[str, float] = {}
    for side in (before, after):
        for distance, (start, end, found) in enumerate(side):
            beyond = _BORDER.search(sentence, min(end, number.end), max(start, number.start)) is not None
            weight = _REACH / (_REACH + distance) * (_BEYOND if beyond else 1)
            for term in found:
                near[term] = max(near.get(term, 0.0), weight)
    return near


def _tokens(sentence: str) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Yield the words that are no part of a number."""
    taken = numbers(sentence)
    for start, end, found in spans(sentence):
        if found and not any(number.start < end and start < number.end for number in taken):
            yield start, end, found


def _is_from_elsewhere(stated: _Place, given: Sequence[_Place]) -> bool:
    same = other = 0.0
    for place in given:
        if place.unit == stated.unit and place.value == stated.value:
            same = max(same, _likeness(stated.around, place.around))
        elif place.unit == stated.unit and not place.version and _comparable(stated.value, place.value):
            other = max(other, _likeness(stated.around, place.around))
    return not stated.version and same < _ELSEWHERE * other


def _likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(min(near, other[term]) for term, near in one.items() if term in other)


def _comparable(one: Decimal, other: Decimal) -> bool:
    small, large = sorted((abs(one), abs(other)))
    return large <= _COMPARABLE * small


# -- two numbers of one sentence


def _is_crossed(claim: str, sentence: str) -> bool:
    mine, theirs = _once(claim), _once(sentence)
    shared = [amount for amount in mine if amount in theirs]
    for one, other in islice(combinations(shared, 2), _MOST_PAIRS):
        here = _leanings(claim, mine[one], mine[other])
        there = _leanings(sentence, theirs[one], theirs[other])
        owners = _owners(sentence, one, other)
        for known in (here.keys(), here.keys() & owners):
            if _agreement([(here[term], there[term]) for term in known if term in there]) < _CROSSED:
                return True
    return False


def _owners(sentence: str, *amounts: tuple[Decimal, str]) -> frozenset[str]:
    """Return the words of the names that only one of these numbers of a sentence comes with."""
    own = [one.names for one in _owned(sentence) if _amount(one.number) in amounts]
    named = frozenset[str]().union(*own) - frozenset[str].intersection(*own) if own else frozenset[str]()
    return frozenset(term for name in named for term in terms(name))


@lru_cache(maxsize=_REMEMBERED)
def _once(text: str) -> Mapping[tuple[Decimal, str], Quantity]:
    """Return the numbers that a text has only once, by what they amount to."""
    every = [number for number in numbers(text) if not _is_version(text, number)]
    amounts = list(map(_amount, every))
    return {_amount(number): number for number in every[:_MOST_NUMBERS] if amounts.count(_amount(number)) == 1}


def _leanings(text: str, one: Quantity, other: Quantity) -> Mapping[str, float]:
    """Return for each word how much nearer it is to the one number (up to 1) than to the other (down to -1), if it is by one of them."""
    apart = max(1, abs(one.start - other.start))
    found: dict[str, list[float]] = {}
    for start, end, said in _tokens(text):
        nearer = _distance(other, start, end) - _distance(one, start, end)
        for term in said:
            found.setdefault(term, []).append(max(-1.0, min(1.0, nearer / apart)))
    return {term: values[0] for term, values in found.items() if max(values) - min(values) < 1}


def _distance(number: Quantity, start: int, end: int) -> int:
    return max(number.start - end, start - number.end, 0)


def _agreement(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the correlation, or 1 where there is none to be had."""
    if len(pairs) < 2:
        return 1.0
    middle = [sum(values) / len(pairs) for values in zip(*pairs, strict=True)]
    offsets = [(one - middle[0], other - middle[1]) for one, other in pairs]
    spread = sum(one * one for one, _ in offsets) * sum(other * other for _, other in offsets)
    return sum(one * other for one, other in offsets) / spread**0.5 if spread > 1e-9 else 1.0


# -- whose a number is


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owned:
    """A number of a sentence, with the names that stand in its clause, or in the last clause that has any."""

    number: Quantity
    names: frozenset[str]
    shared: bool  # with other numbers: then how near each is decides, which is another test


def _is_disowned(claim: str, every: Sequence[str]) -> bool:
    named = frozenset(map(_plain, names(claim)))
    return any(not any(found) for stated in _owned(claim) if (found := list(_kept(stated, named, every))))


def _kept(stated: _Owned, named: frozenset[str], every: Sequence[str]) -> Iterator[bool]:
    """Yield for each place that has the number whether it names there what it names here."""
    for sentence in every:
        given = _owned(sentence)
        common = frozenset[str].intersection(*(one.names for one in given)) if given else frozenset[str]()
        for one in given:
            if _amount(one.number) == _amount(stated.number):
                own = one.names - common
                others = frozenset[str]().union(*(other.names for other in given)) - own - common
                strange = not stated.shared and bool(stated.names & others) and bool(own - stated.names)
                yield not (own and others) or (not strange and not own.isdisjoint(named))


@lru_cache(maxsize=_REMEMBERED)
def _owned(sentence: str) -> tuple[_Owned, ...]:
    found: list[_Owned] = []
    stated = [number for number in numbers(sentence) if not _is_version(sentence, number)][:_MOST_NUMBERS]
    for begin, end, named in clauses(sentence):
        inside = [number for number in stated if begin <= number.start < end]
        found += [_Owned(number=number, names=named, shared=len(inside) > 1) for number in inside]
    return tuple(found)


def clauses(sentence: str) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Yield where the clauses are, each with its names, or those of the last clause that has any."""
    begin, named = 0, frozenset[str]()
    for end, following in (*((match.start(), match.end()) for match in _CLAUSE.finditer(sentence)), (len(sentence), 0)):
        named = frozenset(map(_plain, names(f"x {sentence[begin:end]}"))) or named
        yield begin, end, named
        begin = following


def _plain(name: str) -> str:
    return _POSSESSIVE.sub("", name).casefold()


def _amount(number: Quantity) -> tuple[Decimal, str]:
    return number.value, "" if number.unit == "year" else number.unit


def _is_version(text: str, number: Quantity) -> bool:
    found = _VERSION.search(text[max(0, number.start - 24) : number.start])
    return found is not None and bool(terms(found[1])) and (number.unit == "year" or number.value < _HIGHEST_VERSION)


def _is_reversed(claim: str, sentence: str) -> bool:
    """Tell whether `A and B: a, b` has the numbers of A and B the wrong way round."""
    folded, given = claim.casefold(), {_amount(one.number): one for one in _owned(sentence)}
    mine = [number for amount, number in _once(claim).items() if amount in given]
    for one, other in islice(combinations(sorted(mine, key=lambda number: number.start), 2), _MOST_PAIRS):
        first, second = given[_amount(one)].names, given[_amount(other)].names
        places = [[folded.find(name) for name in names_of] for names_of in (first - second, second - first)]
        before = [[place for place in some if 0 <= place < one.start] for some in places]
        if all(before) and min(before[0]) > max(before[1]):
            return True
    return False
