"""Short answers without a model: the name, number, date or run of words in the evidence that fits a question best.

Candidates are generous on purpose: all that could be an answer. Signals say for each how well it fits the type of answer, where it
stands and what is near it; their weighted sum chooses. Everything is linear in the sentence.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

from scholarmind.model import Evidence
from scholarmind.text.analysis import STOP_WORDS, fold
from scholarmind.text.language import HAN, lazy_regex
from scholarmind.writing.answer_type import (
    CHINESE_ENDINGS,
    CONTINENTS,
    COUNTRIES,
    COUNTRY_OF,
    GIVEN_NAMES,
    NAMED_NOUNS,
    ORGANISATION_WORDS,
    PLACE_WORDS,
    STATES,
    SURNAMES,
    TITLE_OF_PERSON,
    AnswerType,
    asked_number,
)
from scholarmind.writing.evidence_sentences import QuestionTerms, Scene, read_question, scenes, terms_of

# -- candidates: names, quotations, numbers, dates, and other runs of words

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
class AnswerCandidate:
    """A run of a sentence; `start` and `end` count from the beginning of the sentence. `text` is how it would be said."""

    text: str
    start: int
    end: int
    kind: CandidateKind
    part: bool = False  # a piece of a longer candidate


@lru_cache(maxsize=2048)
def candidates(sentence: str) -> tuple[AnswerCandidate, ...]:
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
    unique: dict[tuple[str, int], AnswerCandidate] = {}
    for candidate in found:
        unique.setdefault((candidate.text.lower(), candidate.start), candidate)
    return tuple(unique.values())


def _names(text: str) -> Iterator[AnswerCandidate]:
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


def _of_run(text: str, run: Sequence[re.Match[str]]) -> Iterator[AnswerCandidate]:
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


def _from(text: str, run: Sequence[re.Match[str]], *, part: bool = False) -> AnswerCandidate:
    start, end = run[0].start(), run[-1].end()
    if text[start:end].endswith(("'s", "’s")):
        end -= 2
    return AnswerCandidate(text[start:end], start, end, "name", part)


def _lists(text: str, names: Sequence[AnswerCandidate]) -> Iterator[AnswerCandidate]:
    """Yield coordinated names as one, and places with the place that they are in ("Teaneck, New Jersey")."""
    whole = [name for name in names if not name.part]
    group: list[AnswerCandidate] = []
    for name in whole:
        if group and _LIST_GAP.match(text[group[-1].end : name.start][:120]):
            group.append(name)
            continue
        yield from _joined(text, group)
        group = [name]
    yield from _joined(text, group)


def _joined(text: str, group: Sequence[AnswerCandidate]) -> Iterator[AnswerCandidate]:
    for first, second in pairwise(group):
        if text[first.end : second.start] == ", " and second.text.lower() in COUNTRIES | STATES:
            yield AnswerCandidate(text[first.start : second.end], first.start, second.end, "name")
    gaps = [text[a.end : b.start] for a, b in pairwise(group)]
    if 2 <= len(group) <= 8 and any(re.search(r"\band\b|&|和|与|及", gap) for gap in gaps):
        yield AnswerCandidate(_enumeration([name.text for name in group]), group[0].start, group[-1].end, "list")


def _enumeration(names: Sequence[str]) -> str:
    if any(map(HAN.search, names)):
        return "和".join(("、".join(names[:-1]), names[-1]))
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _numbers(text: str) -> Iterator[AnswerCandidate]:
    dates = list(_DATE.finditer(text))
    for match in dates:
        yield AnswerCandidate(match[0], match.start(), match.end(), "date")
        if year := re.search(r"\d{4}年?", match[0]):
            yield AnswerCandidate(year[0], match.start() + year.start(), match.start() + year.end(), "date", part=True)
    taken = {place for match in dates for place in range(match.start(), match.end())}
    for match in (*_NUMBER.finditer(text), *_NUMBER_WORD.finditer(text)):
        number = match[0].strip()
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        if start in taken or not number:
            continue
        yield AnswerCandidate(number, start, start + len(number), "number")
        unit = _UNIT.match(text, start + len(number))
        if unit and unit["unit"].lower() not in STOP_WORDS:
            yield AnswerCandidate(text[start : unit.end()], start, unit.end(), "number", part=True)


def _quoted(text: str) -> Iterator[AnswerCandidate]:
    for match in _QUOTED.finditer(text):
        group = match.lastindex or 0
        yield AnswerCandidate(match[group].strip(" ,."), match.start(group), match.end(group), "quoted")


def _phrases(text: str) -> Iterator[AnswerCandidate]:
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


def _of_phrase(text: str, run: Sequence[re.Match[str]]) -> Iterator[AnswerCandidate]:
    if all(_is_capitalised(word[0]) or word[0].isdigit() for word in run):
        return
    longest = run[:6]
    for first in range(min(2, len(longest))):
        piece = longest[first:]
        start, end = piece[0].start(), piece[-1].end()
        yield AnswerCandidate(text[start:end], start, end, "phrase", part=first > 0)


def _clauses(text: str) -> Iterator[AnswerCandidate]:
    for match in _CLAUSE.finditer(text):
        yield AnswerCandidate(match[1].strip(), match.start(1), match.end(1), "clause")


def _peoples(text: str) -> Iterator[AnswerCandidate]:
    """Yield the country of a people: "a Swedish politician" says Sweden."""
    for match in _WORD.finditer(text):
        if country := COUNTRY_OF.get(match[0]):
            yield AnswerCandidate(country, match.start(), match.end(), "people")


def _han(text: str) -> Iterator[AnswerCandidate]:
    for match in _HAN_PIECE.finditer(text):
        inner = _HAN_FRAME.match(match[0])
        start, end = inner.span("body") if inner and len(inner["body"]) > 1 else (0, len(match[0]))
        yield AnswerCandidate(match[0][start:end], match.start() + start, match.start() + end, "han")
    for match in _HAN_PERSON.finditer(text):
        yield AnswerCandidate(match[0], match.start(), match.end(), "name", part=True)
    for match in _HAN_CUE.finditer(text):
        yield AnswerCandidate(match[1], match.start(1), match.end(1), "han", part=True)
    for match in _HAN_CLAUSE.finditer(text):
        yield AnswerCandidate(match[0], match.start(), match.end(), "clause")


# -- how well a candidate fits the type of answer: from -1 (another type) to 1

_COUNTRY_NOUNS = frozenset("country nation nationality citizenship 国家 国".split())
_STATE_NOUNS = frozenset("state province county 省 省份 州".split())
_BY_KIND = {  # what the form of a candidate alone says; a wanted kind that is not here is judged by its words
    "date": {"date": 1.0, "number": -0.4},
    "number": {"number": 1.0, "date": -0.5},
    "title": {"quoted": 1.0, "title": 0.7, "name": 0.4, "han": -0.2, "list": 0.0},
    "thing": {
        "name": 0.3,
        "quoted": 0.4,
        "phrase": 0.1,
        "title": 0.3,
        "list": 0.3,
        "han": 0.3,
        "number": -0.4,
        "date": -0.6,
    },
    "reason": {"clause": 1.0, "phrase": 0.1, "name": -0.4, "han": 0.2},
    "description": {"clause": 0.8, "phrase": 0.4, "name": -0.1, "han": 0.2},
    "yes or no": {},
}


def _agreement(candidate: AnswerCandidate, wanted: AnswerType) -> float:
    """Return how well the candidate's form and words fit."""
    if wanted.noun in NAMED_NOUNS and candidate.kind in ("name", "list", "phrase", "clause"):
        return 0.6 if candidate.kind in ("name", "list") else -0.6
    if wanted.kind in _BY_KIND:
        other = -1.0 if wanted.kind in ("date", "number") else -0.3
        return _BY_KIND[wanted.kind].get(candidate.kind, other)
    if candidate.kind in ("number", "date"):
        return -1.0
    if candidate.kind == "clause":
        return -0.6
    if HAN.search(candidate.text):
        text = candidate.text
        if wanted.kind == "person":
            return 1.0 if text[0] in SURNAMES and 2 <= len(text) <= 4 else 0.2 if "·" in text else -0.3
        if candidate.kind == "quoted":
            return -0.3
        return 1.0 if text[-1] in CHINESE_ENDINGS.get(wanted.kind, "") and len(text) <= 16 else 0.0
    return _english(candidate, wanted)


def _english(candidate: AnswerCandidate, wanted: AnswerType) -> float:
    if candidate.kind == "people":
        return 0.9 if wanted.noun in _COUNTRY_NOUNS else -0.6
    if candidate.kind == "phrase":
        return -0.5
    words = [word.strip(".,").lower() for word in candidate.text.split()]
    match wanted.kind:
        case "person":
            if _is_known_place(candidate.text.lower()) or not ORGANISATION_WORDS.isdisjoint(words[-1:]):
                return -0.7
            if words[0] in GIVEN_NAMES or words[0] in TITLE_OF_PERSON:
                return 1.0 if len(words) > 1 else 0.5
            if not (ORGANISATION_WORDS | PLACE_WORDS).isdisjoint(words) or any(map(str.isdigit, words)):
                return -0.4
            return 0.6 if 2 <= len(words) <= 4 and "of" not in words and "the" not in words else 0.0
        case "place":
            return _as_place(candidate.text.lower(), words, wanted.noun)
        case _:
            return _as_organisation(candidate.text, words)


def _as_place(text: str, words: list[str], noun: str) -> float:
    if noun in _COUNTRY_NOUNS:
        return 1.0 if text in COUNTRIES else -0.4
    if text in COUNTRIES | CONTINENTS:
        return 0.2 if noun else 0.7
    if text in STATES:
        return 1.0 if noun in _STATE_NOUNS or not noun else 0.3
    if (noun and noun in words) or not PLACE_WORDS.isdisjoint((words[0], words[-1])):
        return 1.0 if noun in words else 0.7
    if words[0] in GIVEN_NAMES or not ORGANISATION_WORDS.isdisjoint(words):
        return -0.4 if len(words) > 1 else -0.1
    return 0.3


def _as_organisation(text: str, words: list[str]) -> float:
    if not ORGANISATION_WORDS.isdisjoint(words):
        return 1.0
    if _is_known_place(text.lower()):
        return -0.6
    if any(map(str.isdigit, text)):
        return -0.2
    if text.isupper() and len(text) > 1:
        return 0.5
    return -0.4 if words[0] in GIVEN_NAMES and len(words) > 1 else 0.3


def _is_known_place(text: str) -> bool:
    return text in COUNTRIES or text in STATES or text in CONTINENTS


# -- signals: numbers between about -1 and 1, by name

_BEFORE = re.compile(r"([\w'’]+)\W*$")
_PLACE_BEFORE = frozenset("in at from near to on into of".split())
_COPULAS = frozenset("is are was were called named as be titled".split())
_HAN_COPULA = re.compile(r"(?:是|为|叫|称为|名为|即)[“《]?$")
_HAN_BY = re.compile(r"(?:由|被|作者|导演|：|:)[“《]?$")
_HAN_IN = re.compile(r"(?:在|于|位于|来自)[“《]?$")
_BRACKETS = re.compile(r"\s*[（(][^()（）]*[)）]\s*$")
_STRONG, _WEAK = re.compile(r"[;；]"), re.compile(r"[,，、:：]")
_YEAR = re.compile(r"\d{4}")


_LONGEST_NAME = 8  # words: what is longer is the title of a work, which stands for nothing else


def proposed(scene: Scene) -> list[AnswerCandidate]:
    """Return the candidates of a sentence; the first of a passage also speaks for its document's title."""
    found = [one for one in candidates(scene.text) if one.kind != "name" or len(one.text.split()) <= _LONGEST_NAME]
    if scene.number == 0 and scene.evidence.passage.position == 0 and not scene.named:
        title = _BRACKETS.sub("", scene.evidence.document.title)
        if 0 < len(title) <= 80 and len(title.split()) <= _LONGEST_NAME:
            found.append(AnswerCandidate(title, 0, 0, "title"))
    return found


def signals(asked: QuestionTerms, scene: Scene, candidate: AnswerCandidate) -> dict[str, float]:
    """Return every signal of one candidate."""
    own = frozenset(terms_of(candidate.text))
    fit = _agreement(candidate, asked.wanted)
    # the numbers of the first token of a candidate, and of the first one behind it
    first = bisect_right(scene.tokens, candidate.start, key=lambda token: token[1])
    around = first, bisect_left(scene.tokens, candidate.end, lo=first, key=lambda token: token[0])
    near = 0.3 if candidate.kind == "title" else _nearness(asked, scene, candidate, around)
    overlap = sum(asked.weights.get(term, 0.0) for term in own)
    repeated = len(own & asked.weights.keys()) / max(1, len(own))
    return {
        "coverage": scene.coverage,
        "fit": fit,
        "misfit": min(0.0, fit),
        "fit and coverage": fit * scene.coverage,
        "near": near,
        "fit and near": max(0.0, fit) * near,
        "overlap": overlap,
        "repeated": repeated,
        "title": float(candidate.kind == "title"),
        "in title": len(own & scene.title) / max(1, len(own)),
        "first sentence": float(scene.number == 0),
        "later": -math.log1p(scene.number),
        "named": float(scene.named),
        "rank": 1 / (1 + scene.rank),
        "heading": float(not (asked.related | asked.noun).isdisjoint(scene.heading)),
        "place": -candidate.start / (1 + len(scene.text)),
        "length": -math.log1p(len(candidate.text)),
        "part": float(candidate.part),
        "year": float(candidate.kind == "date" and _YEAR.search(candidate.text) is not None),
        "full date": float(candidate.kind == "date" and asked.wanted.noun != "year" and " " in candidate.text),
        "first word": float(
            candidate.start == 0
            and candidate.kind == "name"
            and candidate.text[1:].isalpha()
            and candidate.text[1:].islower()
        ),
        "starts": float(candidate.start == 0 and candidate.kind != "title"),
        **{
            kind: float(candidate.kind == kind)
            for kind in ("name", "phrase", "clause", "han", "list", "people", "quoted", "number")
        },
        **_surroundings(asked, scene, candidate, around),
    }


def _nearness(asked: QuestionTerms, scene: Scene, candidate: AnswerCandidate, around: tuple[int, int]) -> float:
    """Return how much of the question stands close by: each of its words counts less the more tokens lie between."""
    first, behind = around
    best: dict[str, float] = {}
    for number in scene.hits:
        if first <= number < behind:
            continue
        start, end, held = scene.tokens[number]
        distance = first - number if number < first else number - behind + 1
        between = scene.text[end : candidate.start] if number < first else scene.text[candidate.end : start]
        distance += 16 * len(_STRONG.findall(between)) + len(_WEAK.findall(between))
        value = 1 / (1 + distance / 4)
        for term in held & asked.weights.keys():
            best[term] = max(best.get(term, 0.0), value)
    return sum(asked.weights[term] * value for term, value in best.items())


def _nearby(scene: Scene, first: int, behind: int) -> tuple[list[str], list[str]]:
    """Return the terms of the few tokens before and behind a candidate."""
    before = [term for token in scene.tokens[max(0, first - 6) : first] for term in token[2]]
    after = [term for token in scene.tokens[behind : behind + 6] for term in token[2]]
    return before[-3:], after[:2]


def _surroundings(
    asked: QuestionTerms, scene: Scene, candidate: AnswerCandidate, around: tuple[int, int]
) -> dict[str, float]:
    if candidate.kind == "title":
        return {}
    own = terms_of(candidate.text)
    before = scene.text[max(0, candidate.start - 40) : candidate.start]
    after = scene.text[candidate.end : candidate.end + 40]
    words_before, words_after = _nearby(scene, *around)
    word = match[1].lower() if (match := _BEFORE.search(before)) else ""
    place = asked.wanted.kind == "place"
    maker = asked.wanted.kind in ("person", "organisation")
    return {
        "relation before": float(not asked.related.isdisjoint(words_before) or _has(asked.han, before[-8:])),
        "noun near": float(not asked.noun.isdisjoint((*words_before[-2:], *words_after))),
        "noun inside": float(not asked.noun.isdisjoint(own) or _ends_with(candidate.text, asked.wanted.noun)),
        "unit": float(not asked.unit.isdisjoint((*words_after, *own)) or _unit_follows(asked, after)),
        "by": float(maker and (word == "by" or _HAN_BY.search(before) is not None)),
        "in": float(place and (word in _PLACE_BEFORE or _HAN_IN.search(before) is not None)),
        "is": float(word in _COPULAS or _HAN_COPULA.search(before) is not None),
        "the": float(word in ("the", "a", "an")),
        "brackets": float(before.endswith(("(", "（"))),
        "of": float(word == "of"),
    }


def _has(cues: Sequence[str], text: str) -> bool:
    return any(cue in text for cue in cues)


def _ends_with(text: str, noun: str) -> bool:
    return bool(noun) and not noun.isascii() and text.endswith(noun)


def _unit_follows(asked: QuestionTerms, after: str) -> bool:
    return bool(asked.wanted.unit) and after.lstrip().startswith(asked.wanted.unit)


# -- the best candidates

_NO_RARITY: Mapping[str, float] = MappingProxyType({})
_LONGEST_ANSWER = 160
_NOT_WORDS = re.compile(r"[\W_]+")
# What each signal of `signals` counts: a linear ranking, fitted with `bench/spans.py --fit` and rounded; "heading" by hand, since the
# datasets have no headings, and "rank" is held down, since their first passage is right more often than elsewhere.
# fmt: off
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "coverage": 6.0, "fit": 1.0, "misfit": 1.9, "fit and coverage": 0.7, "near": 3.6, "fit and near": 1.9,
        "overlap": -0.1, "repeated": 0.3, "title": -1.1, "in title": 0.6, "first sentence": 0.3, "later": 0.7,
        "named": 1.9, "rank": 2.5, "place": -0.2, "length": -0.5, "part": -0.4, "year": 0.9, "full date": 0.5,
        "first word": -0.3, "starts": 0.3, "name": 1.1, "clause": 0.8, "han": 0.8, "list": -1.2, "people": 0.3,
        "quoted": 1.1, "number": 0.1, "relation before": 0.8, "noun near": 1.6, "noun inside": 1.6, "unit": 3.0,
        "by": 1.7, "in": 1.9, "is": 0.2, "the": 0.2, "brackets": -1.3, "of": -0.4, "heading": 1.5,
    }
)

# fmt: on


def short_answers(
    question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float] = _NO_RARITY, limit: int = 3
) -> tuple[str, ...]:
    """Return up to `limit` short answers from the evidence, best first, none of which only repeats the question.

    `rarity` says by term how rare it is in the library (`Lexicon.rarity`); without it all words count alike.
    """
    ask = read_question(question, rarity, evidence)
    found = [pair for scene in scenes(ask, evidence) for pair in scored(ask, scene)]
    return best_answers(found, limit)


def scored(ask: QuestionTerms, scene: Scene) -> list[tuple[float, AnswerCandidate]]:
    """Return the candidates of a sentence that say something new, each with its score."""
    points = [(_score(ask, scene, found), found) for found in proposed(scene) if is_new(ask, found)]
    if ask.wanted.kind == "number":
        points = _with_the_number(ask, scene, points)
    return _with_lists(points) if ask.wanted.many or ask.wanted.kind == "thing" else points


def best_answers(found: Sequence[tuple[float, AnswerCandidate]], limit: int) -> tuple[str, ...]:
    """Return the texts of the best candidates, of which none contains another."""
    ordered = sorted(found, key=lambda pair: pair[0], reverse=True)
    return _different([candidate.text for _, candidate in ordered], limit)


def _with_the_number(
    ask: QuestionTerms, scene: Scene, points: Sequence[tuple[float, AnswerCandidate]]
) -> list[tuple[float, AnswerCandidate]]:
    """Put the number whose clause holds most of the question in front of the others of its sentence."""
    number = asked_number(ask.text, scene.text, ask.wanted.noun)
    numbers = [(score, found) for score, found in points if found.kind == "number"]
    best, first = max(((score, found.start) for score, found in numbers), default=(0.0, -1))
    if number is None or first == number.start:
        return list(points)
    # of "40" and "40 gigabytes" the likelier stays in front
    own = max((score for score, found in numbers if found.start == number.start), default=0.0)
    return [(score + best - own + 0.01 if found.start == number.start else score, found) for score, found in points]


def _with_lists(points: Sequence[tuple[float, AnswerCandidate]]) -> list[tuple[float, AnswerCandidate]]:
    """Put each list just above the best of its members: "BooksCorpus and English Wikipedia" answers as one."""
    lists = [found for _, found in points if found.kind == "list"]
    raised = [
        (max(number for number, other in points if found.start <= other.start and other.end <= found.end) + 0.01, found)
        for found in lists
    ]
    return [pair for pair in points if pair[1].kind != "list"] + raised


def is_new(ask: QuestionTerms, candidate: AnswerCandidate) -> bool:
    """Tell whether a candidate says anything that the question does not."""
    own = set(terms_of(candidate.text))
    if not own:
        return candidate.kind in ("number", "date")
    if candidate.kind == "phrase" and own <= ask.weights.keys() | ask.related:
        return False
    return not own <= ask.weights.keys()


def _score(ask: QuestionTerms, scene: Scene, candidate: AnswerCandidate) -> float:
    """Return how likely a candidate is the answer, to be compared within one question only."""
    return sum(WEIGHTS.get(name, 0.0) * value for name, value in signals(ask, scene, candidate).items() if value)


def _different(texts: Sequence[str], limit: int) -> tuple[str, ...]:
    """Return the first texts of which none is contained in another."""
    chosen: list[tuple[str, str]] = []
    for text in texts:
        if len(chosen) >= limit:
            break
        plain = f" {_NOT_WORDS.sub(' ', fold(text)).strip()} "
        if plain.strip() and not any(plain in other or other in plain for other, _ in chosen):
            chosen.append((plain, text[:_LONGEST_ANSWER].strip()))
    return tuple(text for _, text in chosen)
