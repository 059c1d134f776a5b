"""The short answer to a question: the name, number, date or run of words in the evidence that fits best. No model."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from scholarmind.model import Evidence
from scholarmind.text.analysis import fold
from scholarmind.writing.candidates import Candidate
from scholarmind.writing.scenes import Asked, Scene, asked, scenes, terms_of
from scholarmind.writing.signals import proposed, signals

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
    ask = asked(question, rarity, evidence)
    found = [pair for scene in scenes(ask, evidence) for pair in scored(ask, scene)]
    return best_answers(found, limit)


def scored(ask: Asked, scene: Scene) -> list[tuple[float, Candidate]]:
    """Return the candidates of a sentence that say something new, each with its score."""
    points = [(score(ask, scene, found), found) for found in proposed(scene) if is_new(ask, found)]
    return _with_lists(points) if ask.wanted.many or ask.wanted.kind == "thing" else points


def best_answers(found: Sequence[tuple[float, Candidate]], limit: int) -> tuple[str, ...]:
    """Return the texts of the best candidates, of which none contains another."""
    ordered = sorted(found, key=lambda pair: pair[0], reverse=True)
    return _different([candidate.text for _, candidate in ordered], limit)


def _with_lists(points: Sequence[tuple[float, Candidate]]) -> list[tuple[float, Candidate]]:
    """Put each list just above the best of its members: "BooksCorpus and English Wikipedia" answers as one."""
    lists = [found for _, found in points if found.kind == "list"]
    raised = [
        (max(number for number, other in points if found.start <= other.start and other.end <= found.end) + 0.01, found)
        for found in lists
    ]
    return [pair for pair in points if pair[1].kind != "list"] + raised


def is_new(ask: Asked, candidate: Candidate) -> bool:
    """Tell whether a candidate says anything that the question does not."""
    own = set(terms_of(candidate.text))
    if not own:
        return candidate.kind in ("number", "date")
    if candidate.kind == "phrase" and own <= ask.weights.keys() | ask.related:
        return False
    return not own <= ask.weights.keys()


def score(ask: Asked, scene: Scene, candidate: Candidate) -> float:
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
