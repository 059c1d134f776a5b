"""Which number of a text is the one that a question asks for, where several could be.

Numbers of the question itself are none. Where things are counted, it is a number of what the question counts; of several, the one whose
clause holds most of the question. A clause without words of its own ("and colonies at 5 parts per billion 4.0") goes on from those before
it. Where two fit equally well there is none: a wrong number in bold is worse than no bold.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from scholarmind import languages
from scholarmind.judge.amounts import Amount, amounts
from scholarmind.languages import Language
from scholarmind.text.analysis import sentences, terms

_LONGEST_TEXT = 2_000
_BESIDE = 24  # characters between a number and the word before it that says what it counts
_RANGE = re.compile(r"\s*(?:[-–—~～]|to|至|到)\s*")
_OF_STATISTICS = re.compile(r"(?:±|\+/-|\b[pP]\s*[=<>≤]|[<>]\s?|\bSE\b|\bSD\b)\s*$")
_WORDS = re.compile(r"[ -]?([^\W\d_]+(?:-[^\W\d_]+)*)")
_COUNTED_WORDS = 4
_HAN = re.compile(r"\s?((?:(?![的是在和与及由被把将为了并而但或从向对等于以中])[\u3400-\u9fff]){1,4})")


@dataclass(frozen=True, slots=True)
class _Fit:
    """A number that may be meant, and the words of the question in its clause, and in that and those before it."""

    amount: Amount
    own: int
    all: int


def counted_in(question: str) -> str:
    """Return what a question counts ("new queens"); '' where it asks for no such number."""
    found = languages.of(question).pattern("statement.counted").search(question)
    return found["counted"].strip() if found else ""


def counted_by(text: str, amount: Amount) -> str:
    """Return the words behind a number that say what it counts ("new queens"); '' where none do."""
    if han := _HAN.match(text, amount.end):
        return han[1]
    english = languages.language("en")  # these words are written with spaces
    small = english.words("words.auxiliary") | english.words("words.preposition")
    found: list[str] = []
    place = amount.end
    while len(found) < _COUNTED_WORDS and (word := _WORDS.match(text, place)) and word[1].lower() not in small:
        if not terms(word[1]):
            break
        found.append(word[1])
        place = word.end()
    return " ".join(found)


def asked_number(question: str, text: str, noun: str = "") -> Amount | None:
    """Return the number of a text that a question asks for; None where none is, or two could be. `noun` names what is measured."""
    text = text[:_LONGEST_TEXT]
    counted, given, units = counted_in(question), amounts(question), _units_in(question)
    fits: list[_Fit] = []
    for start, end in sentences(text):
        found = [one for one in _numbers(text, start, end) if not any(one.same(other) for other in given)]
        kept = [one for one in found if one.unit in units] or _of_kind(counted, noun, text, start, found)
        fits += _in_order(question, text, start, kept) or _rated(question, text, (start, end), kept)
    fits.sort(key=lambda fit: (fit.all, fit.own), reverse=True)
    if fits[1:] and (fits[0].all, fits[0].own) == (fits[1].all, fits[1].own):
        return None if any(fit.amount.value != fits[0].amount.value for fit in fits[:2]) else fits[0].amount
    return fits[0].amount if fits else None


def _units_in(question: str) -> frozenset[str]:
    """Return the units that could answer a question for a measure: "how long" asks for seconds, months or metres."""
    language = languages.of(question)
    asked = language.pattern("statement.measured").search(question)
    pairs = (entry.partition(":") for entry in language.words("statement.units"))
    return frozenset(unit for word, _, unit in pairs if asked and word == asked["by"].lower())


def _numbers(text: str, start: int, end: int) -> list[Amount]:
    """Return the numbers of a sentence: no years, no errors of other numbers; a range is one."""
    found: list[Amount] = []
    for one in amounts(text):
        if not start <= one.start < end or not one.exact or _OF_STATISTICS.search(text[start : one.start]):
            continue
        if found and _RANGE.fullmatch(text[found[-1].end : one.start]):
            found[-1] = replace(one, start=found[-1].start)
        elif one.unit not in {"year", "decade"}:
            found.append(one)
    return found


def _of_kind(counted: str, noun: str, text: str, start: int, found: Sequence[Amount]) -> list[Amount]:
    """Return the numbers that count or measure what is asked; a bare one goes on from one before it that does."""
    if not counted:
        kinds = {kind for one in found if (kind := one.unit or counted_by(text, one))}
        if len(kinds) == 1 and (len(found) > 1 or found[0].unit or not noun):
            return list(found)
        if len(found) == 1 and not noun:
            return list(found)
        wanted = frozenset(terms(noun))
        return [one for one in found if not wanted.isdisjoint(terms(_around(text, start, one)))]
    wanted, head = frozenset(terms(counted)), frozenset(terms(counted.rsplit(maxsplit=1)[-1]))
    measure = next((one.unit for one in amounts(f"2 {counted}") if one.unit), "")
    kept: list[tuple[bool, Amount]] = []
    for (said, unit), one in zip(_kinds(text, found), found, strict=True):
        own = frozenset(terms(said))
        if measure or unit:
            fits = unit == measure
        elif said and not said.isascii():
            fits = said[0] in counted or not wanted.isdisjoint(own)
        elif said:
            fits = not wanted.isdisjoint(own)
        else:
            fits = bool(kept) or not wanted.isdisjoint(terms(_around(text, start, one)))
        if fits:
            kept.append((not own or bool(measure) or not head.isdisjoint(own) or not said.isascii(), one))
    surest = [one for sure, one in kept if sure]
    return surest or [one for _, one in kept]


def _kinds(text: str, found: Sequence[Amount]) -> list[tuple[str, str]]:
    """Return of each number what it counts and its unit; of "0, 1 or 5 cups" all are of cups."""
    kinds: list[tuple[str, str]] = []
    joint = languages.of(text).pattern("statement.joint")
    for place, one in reversed(list(enumerate(found))):
        kind = counted_by(text, one), one.unit
        if kinds and not any(kind) and joint.fullmatch(text, one.end, found[place + 1].start):
            kind = kinds[-1]
        kinds.append(kind)
    return kinds[::-1]


def _around(text: str, start: int, one: Amount) -> str:
    return text[max(start, one.start - _BESIDE) : one.start] + " " + text[one.end : one.end + _BESIDE]


def _rated(question: str, text: str, sentence: tuple[int, int], found: Sequence[Amount]) -> list[_Fit]:
    """Return numbers with the words of the question, numbers too, that their clause holds, and the clauses before it."""
    asked = _held(question, "")
    start, end = sentence
    cuts = [start + match.start() for match in languages.of(text).pattern("statement.clause").finditer(text[start:end])]
    edges = [start, *cuts, end]
    fits: list[_Fit] = []
    before: frozenset[str] = frozenset()
    for first, last in pairwise(edges):
        inside = [one for one in found if first <= one.start < last]
        said = text[first:last]
        for one in reversed(inside):
            said = text[first : one.start] + " " * (one.end - one.start) + said[one.end - first :]
        own = _held(said, question) & asked
        fits += [_Fit(one, len(own), len(own | before)) for one in inside]
        before |= own
    return fits


def _held(text: str, question: str) -> frozenset[str]:
    """Return the terms of a text and its numbers; what a question counts in is its kind, and tells no clause from another."""
    kind = frozenset(terms(counted_in(question))) if question else frozenset[str]()
    return frozenset(terms(text)) - kind | {f"={one.value:g}{one.unit}" for one in amounts(text)}


def _in_order(question: str, text: str, start: int, found: Sequence[Amount]) -> list[_Fit]:
    """Return the number that stands in the place of the thing that is asked about: "A and B have 3 and 4, respectively"."""
    language = languages.of(text)
    if len(found) < 2 or not language.pattern("marks.in_order").search(text, start):
        return []
    names = _names_before(language, text[start : found[0].start], len(found))
    asked = frozenset(terms(question))
    held = [frozenset(terms(name)) & asked for name in names]
    own = [len(one.difference(*(other for other in held if other is not one))) for one in held]
    best = max(own, default=0)
    if own.count(best) != 1:
        return [_Fit(one, 0, 0) for one in found]
    return [_Fit(amount, number, len(asked)) for amount, number in zip(found, own, strict=True)]


def _names_before(language: Language, text: str, count: int) -> list[str]:
    """Return the last things that a text joins, so many of them; fewer where it has not so many."""
    return language.pattern("statement.joint").split(text)[-count:]
