"""A question and the sentences of its evidence, read once for everything that is to be found out about them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from scholarmind.judge.answers import names_in
from scholarmind.model import Evidence
from scholarmind.text.analysis import spans, terms
from scholarmind.text.glossary import translations
from scholarmind.text.language import HAN
from scholarmind.text.sentences import sentences
from scholarmind.writing.prose import leans
from scholarmind.writing.wanted import Wanted, relation_as_words, wanted
from scholarmind.writing.words import CHINESE_RELATIONS, RELATIONS

_MOST_PASSAGES = 10
MOST_SENTENCES = 14  # of all passages together; the rest hold too little of the question
_LONGEST_PASSAGE = 8_000
_LONGEST_QUESTION = 2_000
_NOUN_SHARE = 0.4  # "which country": an answer rarely stands beside the word country
_VERB_SHARE = 0.4
_VERBS = "use have do make get contain include take become call name 使用 采用"
_ASKING_SHARE = 0.1  # no source has to say "explain" or "compare"
# words that ask or compare: no source has to say them
_ASKING = """
much many compare compared comparison summarize summarise summary describe explain explained list tell give name based according
following respectively between difference versus vs outline please define discuss identify state mention mentioned some any one
same either whether higher lower earlier later greater larger smaller more fewer less longer better worse first many kind type
number amount name names person people often usually called considered known does through along also around during per end all
each both own within among while about most
"""
_FRAMING = frozenset(terms("perform performance fare"))
_NUMBERED = re.compile(r"^[\d.]+\s*")
_GENERAL_ASKING = frozenset("many much name type kind term".split())


Tokens = tuple[tuple[int, int, frozenset[str]], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the scoring needs it."""

    wanted: Wanted
    weights: Mapping[str, float]  # by term: what the evidence should hold
    related: frozenset[str]  # other words for the relation that is asked about
    han: tuple[str, ...]  # the same in Chinese, as pieces of text
    noun: frozenset[str]
    unit: frozenset[str]
    text: str
    names: frozenset[str]  # the terms of the names in it


@dataclass(frozen=True, slots=True)
class Scene:
    """A sentence with what is around it."""

    text: str
    evidence: Evidence
    rank: int
    number: int  # of the sentence within its passage
    start: int  # in the passage
    tokens: Tokens
    hits: tuple[int, ...]  # which tokens are of the question
    title: frozenset[str]
    named: bool  # the question names the document
    heading: frozenset[str]  # the terms of the headings above it
    own_heading: frozenset[str]  # those of the last of them
    before: frozenset[str]  # the terms of the sentence before
    before_text: str  # that sentence, where this one leans on it
    coverage: float


def asked(question: str, rarity: Mapping[str, float], evidence: Sequence[Evidence] = ()) -> Asked:
    """Read a question once for all candidates. Words that the evidence has only in translation are looked for in that."""
    question = question[:_LONGEST_QUESTION]
    want = wanted(question)
    text = relation_as_words(question)
    noun = frozenset(terms(want.noun))
    unit = frozenset(terms(want.unit))
    words = [term for term in terms(text) if term not in _GENERAL_ASKING]
    unknown = max(rarity.values(), default=1.0)
    weights = {word: max(0.05, rarity.get(word, unknown)) * _share(word, noun) for word in words}
    _translate(question, weights, evidence[:_MOST_PASSAGES])
    total = sum(weights.values()) or 1.0
    related = frozenset[str]().union(*(group for group in _relations() if not group.isdisjoint(words)))
    groups = [line.split() for line in CHINESE_RELATIONS.splitlines()]
    han = tuple(cue for group in groups if any(word in text for word in group) for cue in group)
    shares = {word: weight / total for word, weight in weights.items()}
    related |= {word for word in words if word in related}
    names = frozenset(term for name in names_in(question) for term in terms(name))
    return Asked(want, shares, related, han, noun, unit, text.lower(), names)


def _translate(question: str, weights: dict[str, float], evidence: Sequence[Evidence]) -> None:
    """Hand the weight of a word on to its translation where the evidence has that and not the word."""
    language = "zh" if HAN.search(question) else "en"
    if all(item.passage.language in ("", language) for item in evidence):
        return
    held = frozenset(term for item in evidence for term in terms(item.passage.text[:_LONGEST_PASSAGE]))
    for word, others in translations(question):
        own = [term for term in terms(word) if term in weights and term not in held]
        other = next((found for text in others if (found := terms(text)) and held.issuperset(found)), None)
        if own and other:
            weight = sum(weights.pop(term) for term in set(own))
            for term in set(other):
                weights[term] = max(weights.get(term, 0.0), weight / len(set(other)))


@cache
def _relations() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(terms(line)) for line in RELATIONS.strip().splitlines())


@cache
def _asking() -> frozenset[str]:
    return frozenset(terms(_ASKING))


@cache
def _verbs() -> frozenset[str]:
    return frozenset(terms(_VERBS))


def _share(word: str, noun: frozenset[str]) -> float:
    if word in _asking():
        return _ASKING_SHARE
    return _NOUN_SHARE if word in noun else _VERB_SHARE if word in _verbs() or word in _FRAMING else 1.0


def scenes(asked: Asked, evidence: Sequence[Evidence], most: int = MOST_SENTENCES) -> list[Scene]:
    """Return the sentences that hold most of the question, best first."""
    found = [scene for rank, item in enumerate(evidence[:_MOST_PASSAGES]) for scene in _scenes(asked, item, rank)]
    found.sort(key=lambda scene: scene.coverage - 0.03 * scene.rank, reverse=True)
    return found[:most]


def _scenes(asked: Asked, item: Evidence, rank: int) -> Iterator[Scene]:
    text = item.passage.text[:_LONGEST_PASSAGE]
    title = frozenset(terms_of(" ".join(titles(item))))
    known = named(asked, item)
    heading = frozenset(terms_of(" ".join(item.passage.section[1:]))) - title
    own = item.passage.section[-1] if item.passage.section[1:] else ""
    own_heading = frozenset(terms_of(_NUMBERED.sub("", own)))
    before: frozenset[str] = frozenset()
    last = ""
    for number, (start, end) in enumerate(sentences(text)):
        sentence = text[start:end]
        tokens = _tokens(sentence)
        hits = tuple(place for place, token in enumerate(tokens) if not token[2].isdisjoint(asked.weights))
        inside = frozenset[str]().union(*(token[2] for token in tokens))
        held = inside | title
        around = before | heading
        coverage = sum(w * (1.0 if t in held else 0.4 if t in around else 0) for t, w in asked.weights.items())
        coverage += 0.15 * bool(asked.related & inside) + 0.15 * bool((asked.related | asked.noun) & heading)
        leant_on = last if leans(sentence) else ""
        yield Scene(
            sentence,
            item,
            rank,
            number,
            start,
            tokens,
            hits,
            title,
            known,
            heading,
            own_heading,
            before,
            leant_on,
            coverage,
        )
        before, last = inside, f"{leant_on} {sentence}"


@lru_cache(maxsize=4096)
def _tokens(sentence: str) -> Tokens:
    return tuple(spans(sentence))


@lru_cache(maxsize=8192)
def terms_of(text: str) -> tuple[str, ...]:
    """Return the terms of a short text that comes again."""
    return tuple(terms(text))


def titles(item: Evidence) -> tuple[str, ...]:
    """Return the names of the evidence's document."""
    aliases = item.document.metadata.get("aliases", ())
    names = aliases if isinstance(aliases, tuple) else (aliases,)
    return (item.document.title, *map(str, names[:20]))


def named(asked: Asked, item: Evidence) -> bool:
    """Tell whether the question names the document, so that its title cannot be the answer."""
    return any(own and own <= asked.weights.keys() for own in (set(terms_of(name)) for name in titles(item)))
