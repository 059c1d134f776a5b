"""What speaks for a candidate: where it stands, what is near it, and what it is. Numbers between about -1 and 1, by name."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from scholarmind.writing.agreement import agreement
from scholarmind.writing.candidates import Candidate, candidates
from scholarmind.writing.scenes import Asked, Scene, terms_of

_BEFORE = re.compile(r"([\w'’]+)\W*$")
_PLACE_BEFORE = frozenset("in at from near to on into of".split())
_COPULAS = frozenset("is are was were called named as be titled".split())
_HAN_COPULA = re.compile(r"(?:是|为|叫|称为|名为|即)[“《]?$")
_HAN_BY = re.compile(r"(?:由|被|作者|导演|：|:)[“《]?$")
_HAN_IN = re.compile(r"(?:在|于|位于|来自)[“《]?$")
_BRACKETS = re.compile(r"\s*[（(][^()（）]*[)）]\s*$")
_STRONG, _WEAK = re.compile(r"[;；]"), re.compile(r"[,，、:：]")
_YEAR = re.compile(r"\d{4}")


def proposed(scene: Scene) -> list[Candidate]:
    """Return the candidates of a sentence; the first of a passage also speaks for its document's title."""
    found = list(candidates(scene.text))
    if scene.number == 0 and scene.evidence.passage.position == 0 and not scene.named:
        title = _BRACKETS.sub("", scene.evidence.document.title)
        if 0 < len(title) <= 80:
            found.append(Candidate(title, 0, 0, "title"))
    return found


def signals(asked: Asked, scene: Scene, candidate: Candidate) -> dict[str, float]:
    """Return every signal of one candidate."""
    own = frozenset(terms_of(candidate.text))
    fit = agreement(candidate, asked.wanted)
    around = _around(scene, candidate)
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


def _around(scene: Scene, candidate: Candidate) -> tuple[int, int]:
    """Return the numbers of the first token of a candidate, and of the first one behind it."""
    first = bisect_right(scene.tokens, candidate.start, key=lambda token: token[1])
    return first, bisect_left(scene.tokens, candidate.end, lo=first, key=lambda token: token[0])


def _nearness(asked: Asked, scene: Scene, candidate: Candidate, around: tuple[int, int]) -> float:
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


def _surroundings(asked: Asked, scene: Scene, candidate: Candidate, around: tuple[int, int]) -> dict[str, float]:
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


def _unit_follows(asked: Asked, after: str) -> bool:
    return bool(asked.wanted.unit) and after.lstrip().startswith(asked.wanted.unit)
