"""What an amount or a comparison is said of: `30% of women and 12% of men` binds each number to its group, and "longer than" has two sides.

A sentence that gives the number of one group to the other one, or turns the sides of a comparison around, has all the words of its source.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from scholarmind.judge.amounts import Amount
from scholarmind.judge.wording import Token, Wording

_JOINS = frozenset({"and", "but", "while", "whereas", "和", "与", "而", "及"})
_RESPECTIVELY = ("respectively", "分别")
_GROUP = 0.5  # of the words that only another group has: so many, and it is meant
_TOPIC = 0.6  # of the words of a comparison in numbers that must stand beside them
_UP, _DOWN = 1, -1


@dataclass(frozen=True, slots=True)
class Bound:
    """The amounts that are said of one group, and the words that they stand among."""

    amounts: tuple[Amount, ...]
    forms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Compared:
    """The two sides of a comparison, each without the words of the other, and whether the first has more (1) or less (-1)."""

    first: frozenset[str]
    second: frozenset[str]
    direction: int
    word: str
    is_multiple: bool = False  # "three times as much as"


def given_to_another(wanted: Wording, said: Wording) -> Iterator[tuple[str, str]]:
    """Yield each amount that the other sentence has for another group, with the one that it has for this group."""
    if any(word in said.text for word in _RESPECTIVELY):
        return
    for mine in bound(wanted):
        for amount in mine.amounts:
            if not _is_dated_or_named(wanted, amount) and (other := _of_another(mine, amount, bound(said))):
                yield _written(wanted, amount), _written(said, other)


def _of_another(mine: Bound, amount: Amount, groups: list[Bound]) -> Amount | None:
    own = [group for group in groups if any(map(amount.same, group.amounts))]
    others = [group for group in groups if group not in own]
    if len(own) != 1:
        return None
    for other in others:
        theirs = [each for each in other.amounts if each.unit == amount.unit]
        only, rest = other.forms - own[0].forms, own[0].forms - other.forms
        # what only the first of two groups has may be left out of the second, and be meant there too
        named = bool(rest & mine.forms) if groups.index(own[0]) > groups.index(other) else rest <= mine.forms
        meant = len(only & mine.forms) >= _GROUP * max(1, len(only))
        if theirs and meant and not named and not any(map(theirs[-1].same, mine.amounts)):
            return theirs[-1]
    return None


def _is_dated_or_named(text: Wording, amount: Amount) -> bool:
    """Tell whether an amount is a year, or belongs to the name before it: SQuAD 2.0."""
    before = [token for token in text.tokens if token.end <= amount.start]
    return amount.unit in {"year", "decade"} or (
        not amount.unit and bool(before) and before[-1].name and before[-1].end >= amount.start - 1
    )


def bound(text: Wording) -> list[Bound]:
    """Return the amounts of a sentence, each with the words of its group; a change from one to another is of one group."""
    exact = [amount for amount in text.amounts if amount.exact]
    if not exact:
        return []
    borders = [_border(text, one, other) for one, other in pairwise(exact)]
    groups: list[Bound] = []
    start, held = 0, list[Amount]()
    for amount, border in zip(exact, [*borders, len(text.tokens)], strict=True):
        held.append(amount)
        if border is not None:
            groups.append(Bound(tuple(held), _forms(text, start, border)))
            start, held = border, []
    return groups


def _border(text: Wording, one: Amount, other: Amount) -> int | None:
    """Return the token that begins what the second amount is said of: behind a comma, or else the last "and" between both."""
    between = [
        number for number, token in enumerate(text.tokens) if one.end <= token.start and token.end <= other.start + 1
    ]
    for number in between:
        if number and text.tokens[number].clause != text.tokens[number - 1].clause:
            return number
    joined = [number for number in between if text.text[slice(*_span(text.tokens[number]))].casefold() in _JOINS]
    return joined[-1] if joined else None


def _forms(text: Wording, start: int, end: int) -> frozenset[str]:
    spans = [(amount.start, amount.end) for amount in text.amounts]
    return frozenset(
        token.form
        for number, token in enumerate(text.tokens[start:end], start)
        if (token.content or text.classes.get(number, frozenset()) - {"function"})
        and not any(first <= token.start < last for first, last in spans)
    )


# -- comparisons


def is_turned(wanted: Wording, said: Wording) -> tuple[str, str] | None:
    """Return the words of two comparisons of the same things that cannot both hold; None where they can."""
    mine = compared(wanted)
    if mine is None:
        return None
    theirs = compared(said)
    if theirs is None:
        return _against_numbers(wanted, mine, said)
    crossed = mine.first & theirs.second and mine.second & theirs.first and not mine.second & theirs.second
    straight = mine.second & theirs.second and not mine.second & theirs.first
    # of two things that are compared by different words, one may be longer and the other one dearer
    turned = (crossed and mine.word == theirs.word) or (
        straight and theirs.is_multiple and mine.direction != theirs.direction
    )
    return (mine.word, theirs.word) if turned else None


def is_reversed(wanted: Wording, said: Wording) -> tuple[str, str] | None:
    """Return how a sentence rises and falls where the other one falls and rises, with all else in the same order."""
    mine, theirs = _course(wanted), _course(said)
    if len(mine) != 2 or len(theirs) != 2 or [sign for sign, _ in mine] != [sign for sign, _ in reversed(theirs)]:
        return None
    if mine[0][0] == mine[1][0]:
        return None
    own = [token.form for number, token in enumerate(wanted.tokens) if token.content and not _is_course(wanted, number)]
    other = [token.form for number, token in enumerate(said.tokens) if token.content and not _is_course(said, number)]
    shared = [form for form in own if form in other]
    if len(shared) < _TOPIC * len(own) or shared != sorted(shared, key=other.index):
        return None
    return ", ".join(word for _, word in mine), ", ".join(word for _, word in theirs)


def _course(text: Wording) -> list[tuple[int, str]]:
    """Return the words of a sentence that go up or down, in order."""
    return [
        (_UP if "up" in text.classes[number] else _DOWN, text.text[token.start : token.end])
        for number, token in enumerate(text.tokens)
        if _is_course(text, number)
    ]


def _is_course(text: Wording, number: int) -> bool:
    return bool({"up", "down"} & text.classes.get(number, frozenset()))


def compared(text: Wording) -> Compared | None:
    """Return what a sentence compares: "A is longer than B", A比B长, A高于B, "A has three times as much as B", A是B的三倍."""
    for number, token in enumerate(text.tokens):
        before, after = _side(text, number, -1), _side(text, number, 1)
        word = text.text[token.start : token.end].casefold()
        times = any(amount.unit == "times" and amount.value > 1 for amount in text.amounts)
        if word == "than":
            direction, said = _direction(text, before[::-1])
        elif word == "比" and not text.text.startswith(("比例", "比率", "比较", "比如", "比重"), token.start):
            direction, said = _direction(text, after)
        elif word == "于" and number and (found := _direction(text, [number - 1]))[0]:
            direction, said = found
        elif times and (word == "是" or (word == "as" and "as" in _words(text, before))):
            direction, said = _UP, word
        else:
            continue
        is_multiple = direction != 0 and word in {"as", "是"}
        if not direction:
            continue
        first, second = _side_forms(text, before), _side_forms(text, after)
        return Compared(first - second, second - first, direction, said, is_multiple)
    return None


def _side(text: Wording, number: int, step: int) -> list[int]:
    """Return the tokens before or after a place, of the same sentence; after it only those of its clause."""
    own = text.tokens[number]
    places = range(number) if step < 0 else range(number + 1, len(text.tokens))
    return [
        each
        for each in places
        if text.tokens[each].sentence == own.sentence and (step < 0 or text.tokens[each].clause == own.clause)
    ]


def _words(text: Wording, places: list[int]) -> set[str]:
    return {text.text[slice(*_span(text.tokens[each]))].casefold() for each in places}


def _direction(text: Wording, places: list[int]) -> tuple[int, str]:
    for place in places:
        own = text.classes.get(place, frozenset())
        if {"up", "down"} & own:
            return (_UP if "up" in own else _DOWN), text.text[slice(*_span(text.tokens[place]))]
    return 0, ""


def _side_forms(text: Wording, places: list[int]) -> frozenset[str]:
    return frozenset(
        text.tokens[each].form
        for each in places
        if text.tokens[each].content and not {"up", "down"} & text.classes.get(each, frozenset())
    )


def _against_numbers(wanted: Wording, mine: Compared, said: Wording) -> tuple[str, str] | None:
    """Return a comparison, and the numbers of its two sides that speak against it."""
    content = [token.form for token in wanted.tokens if token.content]
    if sum(form in said.forms for form in content) < _TOPIC * len(content):
        return None
    groups = bound(said)
    for one in groups:
        for other in groups:
            first, second = one.amounts[-1], other.amounts[-1]
            only, rest = one.forms - other.forms, other.forms - one.forms
            if one is other or first.unit != second.unit or not (mine.first & only and mine.second & rest):
                continue
            if mine.second & only or (first.value - second.value) * mine.direction >= 0:
                continue
            return mine.word, f"{_written(said, first)} : {_written(said, second)}"
    return None


def _written(text: Wording, amount: Amount) -> str:
    return text.text[amount.start : amount.end].strip(" -")


def _span(token: Token) -> tuple[int, int]:
    return token.start, token.end
