"""What in a sentence could be a short answer: names, quotations, numbers, dates, and other runs of words.

Generous on purpose; `spans` chooses. Everything is linear in the sentence, which is cut at a length that no sentence has.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from scholarmind.text.analysis import STOP_WORDS
from scholarmind.text.language import HAN
from scholarmind.text.patterns import lazy_regex
from scholarmind.writing.words import COUNTRIES, COUNTRY_OF, STATES, SURNAMES

CandidateKind = Literal["name", "number", "date", "quoted", "phrase", "clause", "han", "title", "list", "people"]
_LONGEST = 1_500
_LATIN = r"A-Za-z\u00c0-\u024f\u0370-\u052f"
_WORD = lazy_regex(rf"[{_LATIN}0-9]+(?:[-'’./&][{_LATIN}0-9]+)*")
_CONNECTORS = frozenset("of the and de la le du des van von der den di da del al el e y & for in at bin ibn zu".split())
_LEADING = STOP_WORDS | frozenset(
    "after all although also among another any at because before both by despite during each earlier early few first following for from "
    "given however i in its later many most once one other others over several since some two under until upon when whereas while within "
    "without you your".split()
)
_PHRASE_ENDS = STOP_WORDS | frozenset(
    "about after against all also although among any became because become been before being between called can could during each every "
    "include includes including known made make makes may might must named near other over should since some than those though through "
    "under until used while would".split()
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = lazy_regex(
    rf"\b(?:{_MONTHS}|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?)(?: \d{{1,2}}(?:st|nd|rd|th)?)?(?:,? \d{{4}})?\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)? (?:{_MONTHS})(?:,? \d{{4}})?\b"
    r"|\b(?:1[0-9]|20)\d\ds?(?: ?[-–] ?(?:(?:1[0-9]|20)\d\d|\d\d)\b)?|\b\d{1,2}(?:st|nd|rd|th) century\b|\b\d{1,4} (?:BC|AD|BCE|CE)\b"
    r"|(?:\d{4}年)(?:\d{1,2}月)?(?:\d{1,2}[日号])?|\d{1,2}月(?:\d{1,2}[日号])?|\d{1,2}世纪(?:\d{1,2}年代)?|\d{4}[-–—至到]\d{4}年?"
)
_NUMBER = lazy_regex(
    r"(?:US)?[$€£¥]? ?(?<![A-Za-z0-9_.])(?:\d{1,3}(?:[,，]\d{3})+|\d+)(?:\.\d+)?(?:th|st|nd|rd|[KMBT])?(?![\d])"
    r"(?: ?(?:%|percent|per cent|million|billion|trillion|thousand|hundred))?(?:万亿|亿|万|千|百)?"
)
_NUMBER_WORD = lazy_regex(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|hundred|half|one third|a dozen)\b",
    re.IGNORECASE,
)
_UNIT = lazy_regex(r" ?(?P<unit>[a-zA-Z°²³][a-zA-Z°²³/]{0,20}|[\u3400-\u9fff]{1,2})")
_QUOTED = lazy_regex(r"[\"“]([^\"“”\n]{2,80})[\"”]|``([^`'\n]{2,80})''|《([^《》\n]{1,60})》|「([^「」\n]{1,60})」")
_CLAUSE = lazy_regex(
    r"\b(?:because(?: of)?|due to|in order to|so that|owing to|thanks to|caused by|as a result of|in response to|to)\s+([^.;。；]{3,160})",
)
_HAN_PIECE = lazy_regex(
    r"[^，、。；：！？（）()《》“”\"…\s,;:!?的是在和与及由被把将为了并而但或从向对等于以叫称至有着]{2,20}"
)
_HAN_CUE = lazy_regex(r"(?:因为|由于|叫做|称为|名为|位于|来自|在于|是|为|由|在|于|叫|以|因)([^，。；！？\n]{2,40})")
_HAN_FRAME = lazy_regex(
    r"(?:[一两三][个名种位家所座条部本支场届次]|来自|出自|约|即|又名|原名|别名|当时|当地)?(?P<body>.{1,20}?)(?:等人|位|等)?$"
)
_HAN_PERSON = lazy_regex(
    rf"[{''.join(sorted(SURNAMES))}][\u3400-\u9fff]{{1,2}}(?=[建创提发著写执导担任饰等、，（和与及于的是为在所。])"
    r"|[\u3400-\u9fff]{1,8}(?:[·・][\u3400-\u9fff]{1,8}){1,3}"
)
_HAN_CLAUSE = lazy_regex(r"[^，。；！？\n]{2,40}")
_LIST_GAP = lazy_regex(r"^\s*(?:\([^()]{0,60}\)\s*)?(?:,|、|和|与|及|以及|,?\s*(?:and|&))\s*(?:[a-z]+ ){0,4}$")
_PLAIN = lazy_regex(r"I|A|\d[\d.,]*[A-Z]?")  # capitalised, and yet no name
_NAME_GAP = lazy_regex(r"^(?: |\. | ?- ?| & |’s |'s )$")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A run of a sentence; `start` and `end` count from the beginning of the sentence. `text` is how it would be said."""

    text: str
    start: int
    end: int
    kind: CandidateKind
    part: bool = False  # a piece of a longer candidate


@lru_cache(maxsize=2048)
def candidates(sentence: str) -> tuple[Candidate, ...]:
    """Return what could be an answer, each once."""
    text = sentence[:_LONGEST]
    names = list(_names(text))
    found = [*names, *_lists(text, names), *_numbers(text), *_quoted(text)]
    if HAN.search(text):
        found += _han(text)
    else:
        found += _phrases(text)
        found += _clauses(text)
    found += _peoples(text)
    unique: dict[tuple[str, int], Candidate] = {}
    for candidate in found:
        unique.setdefault((candidate.text.lower(), candidate.start), candidate)
    return tuple(unique.values())


def _names(text: str) -> Iterator[Candidate]:
    """Yield runs of capitalised words with small words between them, and their pieces."""
    words = list(_WORD.finditer(text))
    number = 0
    while number < len(words):
        if not _is_capitalised(words[number][0]):
            number += 1
            continue
        last = _end_of_run(text, words, number)
        yield from _of_run(text, words[number : last + 1])
        number = last + 1


def _is_capitalised(word: str) -> bool:
    return any(character.isupper() for character in word[:8]) and not _PLAIN.fullmatch(word)


def _end_of_run(text: str, words: Sequence[re.Match[str]], first: int) -> int:
    last = number = first
    while number + 1 < len(words) and number - last < 3 and number - first < 14:
        gap = text[words[number].end() : words[number + 1].start()]
        if not _joins(words[number][0], gap):
            break
        number += 1
        word = words[number][0]
        if _is_capitalised(word) or (word.isdigit() and number - last == 1 and len(word) < 4):
            last = number
        elif word not in _CONNECTORS:
            break
    return last


def _joins(word: str, gap: str) -> bool:
    if gap == ". ":
        return len(word) == 1 or word in ("St", "Dr", "Mr", "Mrs", "Jr", "Mt", "Gen", "Sgt", "Ft", "Lt", "Col")
    return _NAME_GAP.match(gap) is not None


def _of_run(text: str, run: Sequence[re.Match[str]]) -> Iterator[Candidate]:
    while len(run) > 1 and (run[0][0].lower() in _LEADING) and run[0][0] != "The":
        run = run[1:]
    if run[0][0] == "The" and len(run) > 1:
        yield _from(text, run, part=True)
        run = run[1:]
    if len(run) == 1 and run[0][0].lower() in _LEADING:
        return
    yield _from(text, run)
    for piece in _pieces(run):
        yield _from(text, piece, part=True)


def _pieces(run: Sequence[re.Match[str]]) -> Iterator[Sequence[re.Match[str]]]:
    """Yield what stands between the small words of a run, and what stands before and after each of them."""
    cuts = [n for n, word in enumerate(run) if word[0] in _CONNECTORS or word[0].endswith(("'s", "’s"))]
    begin = 0
    for cut in (*cuts, len(run)):
        piece = run[begin:cut]
        if cut < len(run) and run[cut][0] not in _CONNECTORS:
            piece = run[begin : cut + 1]
        if piece and len(piece) < len(run):
            yield piece
        begin = cut + 1
    for cut in cuts[:3]:
        if cut and run[cut][0] in ("and", "of", "in", "at", "for"):
            yield run[:cut]
            after = next((n for n in range(cut, len(run)) if run[n][0] not in _CONNECTORS), None)
            if after:
                yield run[after:]


def _from(text: str, run: Sequence[re.Match[str]], *, part: bool = False) -> Candidate:
    start, end = run[0].start(), run[-1].end()
    if text[start:end].endswith(("'s", "’s")):
        end -= 2
    return Candidate(text[start:end], start, end, "name", part)


def _lists(text: str, names: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield coordinated names as one, and places with the place that they are in ("Teaneck, New Jersey")."""
    whole = [name for name in names if not name.part]
    group: list[Candidate] = []
    for name in whole:
        if group and _LIST_GAP.match(text[group[-1].end : name.start][:120]):
            group.append(name)
            continue
        yield from _joined(text, group)
        group = [name]
    yield from _joined(text, group)


def _joined(text: str, group: Sequence[Candidate]) -> Iterator[Candidate]:
    for first, second in pairwise(group):
        if text[first.end : second.start] == ", " and second.text.lower() in COUNTRIES | STATES:
            yield Candidate(text[first.start : second.end], first.start, second.end, "name")
    gaps = [text[a.end : b.start] for a, b in pairwise(group)]
    if 2 <= len(group) <= 8 and any(re.search(r"\band\b|&|和|与|及", gap) for gap in gaps):
        yield Candidate(_enumeration([name.text for name in group]), group[0].start, group[-1].end, "list")


def _enumeration(names: Sequence[str]) -> str:
    if any(map(HAN.search, names)):
        return "和".join(("、".join(names[:-1]), names[-1]))
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _numbers(text: str) -> Iterator[Candidate]:
    dates = list(_DATE.finditer(text))
    for match in dates:
        yield Candidate(match[0], match.start(), match.end(), "date")
        if year := re.search(r"\d{4}年?", match[0]):
            yield Candidate(year[0], match.start() + year.start(), match.start() + year.end(), "date", part=True)
    taken = {place for match in dates for place in range(match.start(), match.end())}
    for match in (*_NUMBER.finditer(text), *_NUMBER_WORD.finditer(text)):
        number = match[0].strip()
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        if start in taken or not number:
            continue
        yield Candidate(number, start, start + len(number), "number")
        unit = _UNIT.match(text, start + len(number))
        if unit and unit["unit"].lower() not in STOP_WORDS:
            yield Candidate(text[start : unit.end()], start, unit.end(), "number", part=True)


def _quoted(text: str) -> Iterator[Candidate]:
    for match in _QUOTED.finditer(text):
        group = match.lastindex or 0
        yield Candidate(match[group].strip(" ,."), match.start(group), match.end(group), "quoted")


def _phrases(text: str) -> Iterator[Candidate]:
    """Yield runs of words without small words and punctuation between them ("land-grant university")."""
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        gap = text[run[-1].end() : word.start()] if run else " "
        ends = word[0].lower() in _PHRASE_ENDS
        if run and (ends or gap.strip()):
            yield from _of_phrase(text, run)
            run = []
        if not ends:
            run.append(word)
    if run:
        yield from _of_phrase(text, run)


def _of_phrase(text: str, run: Sequence[re.Match[str]]) -> Iterator[Candidate]:
    if all(_is_capitalised(word[0]) or word[0].isdigit() for word in run):
        return
    longest = run[:6]
    for first in range(min(2, len(longest))):
        piece = longest[first:]
        start, end = piece[0].start(), piece[-1].end()
        yield Candidate(text[start:end], start, end, "phrase", part=first > 0)


def _clauses(text: str) -> Iterator[Candidate]:
    for match in _CLAUSE.finditer(text):
        yield Candidate(match[1].strip(), match.start(1), match.end(1), "clause")


def _peoples(text: str) -> Iterator[Candidate]:
    """Yield the country of a people: "a Swedish politician" says Sweden."""
    for match in _WORD.finditer(text):
        if country := COUNTRY_OF.get(match[0]):
            yield Candidate(country, match.start(), match.end(), "people")


def _han(text: str) -> Iterator[Candidate]:
    for match in _HAN_PIECE.finditer(text):
        inner = _HAN_FRAME.match(match[0])
        start, end = inner.span("body") if inner and len(inner["body"]) > 1 else (0, len(match[0]))
        yield Candidate(match[0][start:end], match.start() + start, match.start() + end, "han")
    for match in _HAN_PERSON.finditer(text):
        yield Candidate(match[0], match.start(), match.end(), "name", part=True)
    for match in _HAN_CUE.finditer(text):
        yield Candidate(match[1], match.start(1), match.end(1), "han", part=True)
    for match in _HAN_CLAUSE.finditer(text):
        yield Candidate(match[0], match.start(), match.end(), "clause")
