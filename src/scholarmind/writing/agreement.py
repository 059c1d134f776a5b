"""How well a candidate fits the type of answer that is wanted: from -1 (another type) to 1."""

from scholarmind.text.language import HAN
from scholarmind.writing.candidates import Candidate
from scholarmind.writing.wanted import Wanted
from scholarmind.writing.words import (
    CHINESE_ENDINGS,
    CONTINENTS,
    COUNTRIES,
    GIVEN_NAMES,
    NAMED_NOUNS,
    ORGANISATION_WORDS,
    PLACE_WORDS,
    STATES,
    SURNAMES,
    TITLE_OF_PERSON,
)

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


def agreement(candidate: Candidate, wanted: Wanted) -> float:
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
        return _chinese(candidate, wanted.kind)
    return _english(candidate, wanted)


def _english(candidate: Candidate, wanted: Wanted) -> float:
    if candidate.kind == "people":
        return 0.9 if wanted.noun in _COUNTRY_NOUNS else -0.6
    if candidate.kind == "phrase":
        return -0.5
    words = [word.strip(".,").lower() for word in candidate.text.split()]
    match wanted.kind:
        case "person":
            return _as_person(candidate.text.lower(), words)
        case "place":
            return _as_place(candidate.text.lower(), words, wanted.noun)
        case _:
            return _as_organisation(candidate.text, words)


def _as_person(text: str, words: list[str]) -> float:
    if _is_known_place(text) or not ORGANISATION_WORDS.isdisjoint(words[-1:]):
        return -0.7
    if words[0] in GIVEN_NAMES or words[0] in TITLE_OF_PERSON:
        return 1.0 if len(words) > 1 else 0.5
    if not (ORGANISATION_WORDS | PLACE_WORDS).isdisjoint(words) or any(map(str.isdigit, words)):
        return -0.4
    return 0.6 if 2 <= len(words) <= 4 and "of" not in words and "the" not in words else 0.0


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


def _chinese(candidate: Candidate, kind: str) -> float:
    text = candidate.text
    if kind == "person":
        return 1.0 if text[0] in SURNAMES and 2 <= len(text) <= 4 else 0.2 if "·" in text else -0.3
    if candidate.kind == "quoted":
        return -0.3
    return 1.0 if text[-1] in CHINESE_ENDINGS.get(kind, "") and len(text) <= 16 else 0.0
