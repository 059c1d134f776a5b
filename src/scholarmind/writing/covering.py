"""How much of a question its evidence covers: shares of the question's words from 0 to 1, the rare ones counting more.

Title, aliases, authors, source and headings of a passage count as standing in each of its sentences. What is asked of a thing that the
question names is looked for in the passages that speak of that thing only.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from scholarmind.model import Document, Evidence
from scholarmind.text.analysis import fold, terms
from scholarmind.text.sentences import sentences
from scholarmind.writing.asked import Word, words_of
from scholarmind.writing.category import SHOWN, category, may_be_shown, names_something
from scholarmind.writing.wanted import wanted

_LONGEST = 2_000  # characters of a question that are read
_PASSAGES = 30  # that are read, the best first
_REMEMBERED = 2_048
_PARTS, _MOST_PARTS = 3, 0.75  # of a longer name, so much is enough
_THERE = 0.5  # a word that is covered less is missing
_WORDS_A_PASSAGE = 8  # a question of so many words more may need one passage more
_NAME = 2.0  # what finding the named thing counts beside the words that are asked about it, in the unit of rarity
_BESIDE = 0.65  # so much of what else is asked about a thing stands in the sentence that names it; another word for it is enough
_COMPOUNDS = re.compile(
    r"(?<=\b(?:data|file|test|code)) (?=(?:set|base|name|bed)s?\b)|(?<=\bweb) (?=(?:site|page)s?\b)", re.IGNORECASE
)
_ANSWERS = frozenset(("place", "organisation", "date"))  # "in which city": the answer is one, and need not say so


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """How well the evidence covers what is asked of one named thing (or, without a name, the whole question).

    focus   of the words that remain beside the name, the share in the best passage that speaks of the thing
    near    the share of neighbouring words that stand in one sentence
    whole   the share of all the question's words in all the evidence
    named   1 if the question names a document of the evidence
    """

    name: str
    focus: float
    near: float
    whole: float
    missing: tuple[Word, ...]  # in none of those passages; or if there is no such word, not in the best of them

    @property
    def named(self) -> float:
        """Whether the question names a document of the evidence."""
        return float(bool(self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    sentences: tuple[frozenset[str], ...]
    head: frozenset[str]
    all: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Topic:
    name: str
    words: tuple[Word, ...]
    passages: tuple[int, ...]
    beyond: tuple[int, ...] = ()  # of documents that those passages name


def covered(question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float]) -> list[Covered]:
    """Measure the evidence against each thing that the question names and the evidence knows, or against the whole question."""
    question, evidence = _together(question[:_LONGEST]), evidence[:_PASSAGES]
    read = [_read(item) for item in evidence]
    vocabulary = frozenset[str]().union(*(one.all for one in read))
    words = words_of(question, rarity, vocabulary)
    if kind := category(question, words):
        names = [word for name in _named(fold(question), words, evidence) for word in name]
        read = [_showing(question, words, [*names, *kind], item, one) for item, one in zip(evidence, read, strict=True)]
        words = tuple(may_be_shown(word) if word in kind and word not in names else word for word in words)
    whole = _share(words, frozenset[str]().union(*(one.all for one in read)))
    topics = _topics(question, words, evidence, read)
    return [
        _cover(topic, [read[n] for n in topic.passages], [read[n] for n in topic.beyond], whole) for topic in topics
    ]


# -- what is asked of which thing


def _topics(question: str, words: Sequence[Word], evidence: Sequence[Evidence], read: Sequence[_Read]) -> list[_Topic]:
    named = _named(fold(question), words, evidence)
    want = wanted(question)
    noun = frozenset(terms(want.noun)) if want.kind in _ANSWERS else frozenset[str]()
    answers = [word for word in words if noun and word.terms <= noun]
    asked = [word for word in words if not any(word.overlaps(other) for other in answers)] or list(words)
    if not named:
        return [_Topic(name="", words=tuple(asked), passages=tuple(range(len(evidence))))]
    rest = [word for word in asked if not any(word in name for name in named)]
    low = [_folded(item.passage.text) for item in evidence]
    topics: list[_Topic] = []
    for name, documents in named.items():
        written = question[name[0].start : name[-1].end]
        said = fold(written)
        passages = tuple(n for n, item in enumerate(evidence) if item.document.id in documents or said in low[n])
        own = _own(rest, [read[n] for n in passages]) if len(named) > 1 else tuple(rest)
        beyond = _beyond(passages, low, evidence)
        topics.append(_Topic(name=written, words=own or name, passages=passages, beyond=beyond))
    return topics


def _beyond(passages: Sequence[int], low: Sequence[str], evidence: Sequence[Evidence]) -> tuple[int, ...]:
    """Return the passages of the documents that these passages name: where a chain of questions leads to."""
    said = "\n".join(low[n] for n in passages)
    others = (n for n in range(len(evidence)) if n not in passages)
    return tuple(n for n in others if any(_whole(said, name) for name in _names_of(evidence[n].document)))


def _own(rest: Sequence[Word], read: Sequence[_Read]) -> tuple[Word, ...]:
    """Leave out the figures that must belong to the other things that are named: "X in 2018 and Y in 2020"."""
    said = frozenset[str]().union(*(one.all for one in read))
    figures = [word for word in rest if word.figure]
    theirs = [word for word in figures if not word.degree(said)]
    return tuple(word for word in rest if word not in theirs or len(theirs) == len(figures))


def _named(folded: str, words: Sequence[Word], evidence: Sequence[Evidence]) -> dict[tuple[Word, ...], set[str]]:
    """Return the words that name a document of the evidence by title or alias, but for those within a longer name."""
    found: dict[tuple[Word, ...], set[str]] = {}
    for item in {item.document.id: item for item in evidence}.values():
        mentions = [_mention(folded, words, name) for name in _names_of(item.document)]
        if best := max(mentions, key=len, default=()):
            found.setdefault(best, set()).add(item.document.id)
    return {name: ids for name, ids in found.items() if not any(set(name) < set(other) for other in found)}


def _mention(folded: str, words: Sequence[Word], name: str) -> tuple[Word, ...]:
    """Return the words of the question that stand for this name: it, or a piece of it, is there as it is; or most of its words are."""
    spans = [span for piece in name.split("_") if (span := _whole(folded, piece.strip()))]
    if spans:
        return tuple(word for word in words if any(word.start < end and start < word.end for start, end in spans))
    said = _terms(name)
    named = tuple(word for word in words if not word.terms.isdisjoint(said))
    if len(said) < _PARTS or not named:
        return ()
    between = sum(named[0].start <= word.start <= named[-1].start for word in words) - len(named)
    both = said & frozenset[str]().union(*(word.terms for word in named))
    return named if between <= 1 and len(both) >= max(_PARTS, _MOST_PARTS * len(said)) else ()


def _whole(folded: str, piece: str) -> tuple[int, int] | None:
    start = folded.find(piece) if len(piece) > 1 else -1
    end = start + len(piece)
    if start < 0 or _joins(folded[:start][-1:]) or _joins(folded[end:][:1]):
        return None
    return start, end


def _joins(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character in "-_") and bool(character)


# -- the evidence


@lru_cache(maxsize=_REMEMBERED)
def _folded(text: str) -> str:
    return fold(text).strip()


@lru_cache(maxsize=_REMEMBERED)
def _sentences(text: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(terms(_together(text[start:end]))) for start, end in sentences(text))


def _together(text: str) -> str:
    """Return the text with a hyphen in compounds that are written as one word or as two, so that both are alike."""
    return _COMPOUNDS.sub("-", text)


@lru_cache(maxsize=_REMEMBERED)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _names_of(document: Document) -> list[str]:
    aliases = document.metadata.get("aliases", ())
    listed = aliases if isinstance(aliases, tuple) else (aliases,)
    return [name for name in (_folded(document.title), *(_folded(str(alias)) for alias in listed)) if len(name) > 1]


def _read(item: Evidence) -> _Read:
    document = item.document
    said = (*_names_of(document), document.source, *document.authors, str(document.year or ""), *item.passage.section)
    head = _terms("\n".join(said))
    within = _sentences(item.passage.text)
    return _Read(sentences=within, head=head, all=head.union(*within))


def _showing(question: str, words: Sequence[Word], known: Sequence[Word], item: Evidence, read: _Read) -> _Read:
    """Mark the sentences that name something beside the words which are not known: what is asked by its kind stands there."""
    beside = [word for word in words if not any(word.overlaps(other) for other in known)]
    text, told = item.passage.text, frozenset(terms(question))
    if all(word.light for word in beside):  # which datasets does BERT use: every sentence about it would do
        return read
    shown = tuple(
        said | {SHOWN}
        if _share(beside, read.head | said) >= _BESIDE and names_something(text[start:end], told)
        else said
        for (start, end), said in zip(sentences(text), read.sentences, strict=True)
    )
    return replace(read, sentences=shown, all=read.all.union(*shown))


# -- one against the other


def _degrees(words: Sequence[Word], said: frozenset[str]) -> list[float]:
    """Return how far each word is covered. Of a pair of Chinese characters, the end of one word and the beginning of the next, the
    neighbours tell: it is there where both of them are, and by half where there is only one."""
    plain = [word.degree(said) for word in words]
    degrees = list(plain)
    for n, word in enumerate(words):
        if not plain[n] and word.end - word.start == 2:
            beside = [
                plain[other] for other in (n - 1, n + 1) if 0 <= other < len(words) and word.overlaps(words[other])
            ]
            degrees[n] = min(beside, default=0.0) * len(beside) / 2
    return degrees


def _weighed(words: Sequence[Word], degrees: Sequence[float]) -> float:
    whole = sum(word.weight for word in words)
    return sum(word.weight * degree for word, degree in zip(words, degrees, strict=True)) / whole if whole else 0.0


def _share(words: Sequence[Word], said: frozenset[str]) -> float:
    return _weighed(words, _degrees(words, said))


def _cover(topic: _Topic, read: Sequence[_Read], beyond: Sequence[_Read], whole: float) -> Covered:
    words = topic.words
    anywhere = _degrees(words, frozenset[str]().union(*(one.all for one in read)))
    best = _best(words, read, beyond)
    weight = sum(word.weight for word in words)
    name = min(_NAME, weight) if topic.name else 0.0
    focus = (_weighed(words, best) * weight + name) / (weight + name) if weight else 0.0
    missing = _missing(words, anywhere) or _missing(words, best)
    return Covered(name=topic.name, focus=focus, near=_near(words, read), whole=whole, missing=missing)


def _best(words: Sequence[Word], read: Sequence[_Read], beyond: Sequence[_Read]) -> list[float]:
    """Return how far the best passage covers each word; of a long question, the few that together cover the most."""
    best = [0.0] * len(words)
    choice = [_degrees(words, one.all) for one in read]
    for turn in range(1 + sum(not word.light for word in words) // _WORDS_A_PASSAGE):
        if turn == 1:
            choice += [_degrees(words, one.all) for one in beyond]
        together = [[max(pair) for pair in zip(best, degrees, strict=True)] for degrees in choice]
        best = max(together, key=lambda degrees: _weighed(words, degrees), default=best)
    return best


def _missing(words: Sequence[Word], degrees: Sequence[float]) -> tuple[Word, ...]:
    """Return the words that are missing; of Chinese characters not those that only join a missing word to one that is there."""
    missing = tuple(word for word, degree in zip(words, degrees, strict=True) if degree < _THERE and not word.light)
    there = [word for word, degree in zip(words, degrees, strict=True) if degree >= _THERE]
    return tuple(word for word in missing if not any(word.overlaps(other) for other in there)) or missing


def _near(words: Sequence[Word], read: Sequence[_Read]) -> float:
    """Return the share of neighbouring words that stand together in a sentence; of a single word, how far it is there at all."""
    words = [word for word in words if not word.light] or words
    together = [0.0] * (len(words) - 1)
    for one in read:
        headed = _degrees(words, one.head)
        for said in one.sentences:
            degrees = [max(pair) for pair in zip(headed, _degrees(words, said), strict=True)]
            together = [max(known, min(pair)) for known, pair in zip(together, pairwise(degrees), strict=True)]
    if not together:
        return max((_share(words, one.all) for one in read), default=0.0)
    weights = [one.weight + other.weight for one, other in pairwise(words)]
    return sum(weight * degree for weight, degree in zip(weights, together, strict=True)) / (sum(weights) or 1.0)
