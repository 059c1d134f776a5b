"""The sentences of the evidence that answer a question best, each with its place in its document. No model."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from scholarmind.judge.answers import AnswerReader, names_in
from scholarmind.model import Evidence
from scholarmind.text.analysis import fold, terms
from scholarmind.text.language import language_of
from scholarmind.text.orders import is_order
from scholarmind.text.sentences import sentences
from scholarmind.writing import prose
from scholarmind.writing.scenes import MOST_SENTENCES, Asked, Scene, asked, scenes
from scholarmind.writing.spans import best_answers, scored

_NO_RARITY: Mapping[str, float] = MappingProxyType({})
_LEAST = 0.2  # of the question's words, by weight: less answers nothing
_LEAST_HAN = 0.1  # the same in Chinese, where many pairs of characters are no words
_ANSWER = 0.5  # what holding the likeliest answer counts, beside all words of the question
_GUESS = 0.15  # the same where the type of the answer is vague
_NO_ANSWER = -100.0
_MOST = 40  # sentences that are looked at closely
_NEXT = 0.6  # of the best score: a further sentence must be about as good
_RIVALS = 12
_A_QUESTION = 2  # words: one alone asks nothing that could be read
_READ_PASSAGES = 4  # that a reader is shown, beside those that are quoted
_LIKELY, _CLEARLY = 0.5, 0.1  # a reader has to be so sure, and so much surer than of the other quotes
_SURE = 0.7  # covering this much of a question, the best sentence is taken to answer it
_ASPECT = 0.45  # of what the best says beside the names of its document
_SAME = 0.8  # share of words from which two sentences are one
_LONGEST_QUOTE = 700
_RELATED, _NAMED, _HEADING = 0.1, 0.25, 0.2
_FIRST = 0.3  # what being in the first passage counts
_FOREIGN = 0.7  # who asks in English reads English first
_ORDER, _CUT, _LEANING, _TITLE_ALONE = 0.15, 0.5, 0.8, 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words of a document as they stand there; `start` and `end` count in the document's text."""

    evidence: Evidence
    start: int
    end: int
    text: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rated:
    quote: Quote
    words: frozenset[str]  # all terms
    covered: frozenset[str]  # those of the question
    aspect: float  # the share of the question that the sentence itself holds, beside the names of its document
    share: float  # of the question that is covered


def best_sentences(
    question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float] = _NO_RARITY, limit: int = 3
) -> tuple[Quote, ...]:
    """Return up to `limit` sentences, best first: each about the question, whole, and adding to those before it."""
    return read(question, evidence, rarity, limit).quotes


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What the evidence says to a question: sentences, and short answers as `short_answers` gives them."""

    quotes: tuple[Quote, ...]
    answers: tuple[str, ...]
    rivals: tuple[Quote, ...] = ()  # all that is about as good as the best, alike or not: contradictions are among them


def read(question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float] = _NO_RARITY, limit: int = 3) -> Read:
    """Return both, in the time of one."""
    ask = asked(question, rarity, evidence)
    given = scenes(ask, evidence, most=_MOST)
    answers = [scored(ask, scene) for scene in given[:MOST_SENTENCES]] if ask.wanted.is_short else []
    likely = [max((points for points, one in found if one.kind != "title"), default=_NO_ANSWER) for found in answers]
    likely += [_NO_ANSWER] * (len(given) - len(likely))
    best = max((points for points, scene in zip(likely, given, strict=True) if _is_about(ask, scene)), default=0.0)
    rated = [
        _rated(ask, scene, math.exp((points - best) / 2))
        for points, scene in zip(likely, given, strict=True)
        if _is_about(ask, scene)
    ]
    rated.sort(key=lambda one: one.quote.score, reverse=True)
    quotes = tuple(one.quote for one in _chosen(ask, rated, limit))
    rivals = tuple(one.quote for one in rated[:_RIVALS] if one.quote.score >= _NEXT * rated[0].quote.score)
    return Read(quotes=quotes, answers=best_answers([pair for found in answers for pair in found], 3), rivals=rivals)


def most_likely(
    question: str, evidence: Sequence[Evidence], quotes: Sequence[Quote], reader: AnswerReader
) -> tuple[Quote, ...]:
    """Return the quotes behind the sentence that a reader takes for the answer, if that is clearly a better one than they are.

    A reader mixes up names that are alike: a name of the question that the quotes have must stand in that sentence, too.
    """
    if len(terms(question)) < _A_QUESTION:
        return tuple(quotes)
    shown = (*evidence[:_READ_PASSAGES], *(quote.evidence for quote in quotes))
    items = list({(item.document.collection, item.document.id, item.passage.start): item for item in shown}.values())
    spans = [list(sentences(item.passage.text)) for item in items]
    texts = [
        (item.document.title, tuple(item.passage.text[start:end] for start, end in some))
        for item, some in zip(items, spans, strict=True)
    ]
    likely = [
        (one, _sentence(item, start, end))
        for item, some, read in zip(items, spans, reader(question, texts), strict=True)
        for one, (start, end) in zip(read, some, strict=False)
    ]
    rivals = [one for one, sentence in likely if any(_overlap(sentence, quote) for quote in quotes)]
    names = [name for name in map(fold, names_in(question)) if any(name in _known_by(quote) for quote in quotes)]
    fit = [
        (one, quote)
        for one, quote in likely
        if prose.is_prose(quote.text) and not is_order(quote.text) and all(name in _known_by(quote) for name in names)
    ]
    most, best = max(fit, key=lambda pair: pair[0], default=(0.0, None))
    if best is None or most < max(_LIKELY, *(one + _CLEARLY for one in rivals), 0.0):
        return tuple(quotes)
    return (best, *(quote for quote in quotes if not _overlap(best, quote)))


def _sentence(item: Evidence, start: int, end: int) -> Quote:
    """Return a sentence of a passage; with the one before it where it begins with a pronoun."""
    if prose.leans(item.passage.text[start:end]):
        before, _ = _neighbours(item.passage.text, start, end)
        start = before if end - before <= _LONGEST_QUOTE else start
    first = item.passage.start + start
    return Quote(evidence=item, start=first, end=first + end - start, text=item.passage.text[start:end], score=1.0)


def _known_by(quote: Quote) -> str:
    return fold(f"{quote.evidence.document.title} {quote.text}")


def _overlap(one: Quote, other: Quote) -> bool:
    """Tell whether two quotes share characters of a document."""
    return place(one) == place(other) and one.start < other.end and other.start < one.end


def _is_about(ask: Asked, scene: Scene) -> bool:
    """Tell whether a sentence can be quoted and has to do with the question."""
    least = _LEAST if ask.text.isascii() else _LEAST_HAN
    return scene.coverage >= least and prose.is_prose(scene.text)


def _rated(ask: Asked, scene: Scene, answer: float) -> _Rated:
    """Return the sentence with its score; `answer` is how likely it holds the answer, beside the likeliest one."""
    inside = frozenset[str]().union(*(token[2] for token in scene.tokens))
    covered = inside & ask.weights.keys()
    said = covered | (scene.title & ask.weights.keys())
    aspect = _weight(ask, covered - scene.title) + _HEADING * _weight(ask, scene.heading - inside)
    aspect += _RELATED * (not ask.related.isdisjoint(inside))
    worth = scene.coverage + (_ANSWER if ask.wanted.is_short else _GUESS) * answer
    worth += _FIRST / (1 + scene.rank) + _NAMED * scene.named
    if not aspect:
        worth *= _TITLE_ALONE
    worth *= _soundness(scene) * (_FOREIGN if _is_foreign(ask, scene) else 1.0)
    return _Rated(quote=_quote(scene, worth), words=inside, covered=said, aspect=aspect, share=scene.coverage)


def _is_foreign(ask: Asked, scene: Scene) -> bool:
    language = scene.evidence.passage.language
    return bool(language) and (language == "zh") != (language_of(ask.text) == "zh")


def _weight(ask: Asked, words: frozenset[str]) -> float:
    return sum(weight for word, weight in ask.weights.items() if word in words)


def _soundness(scene: Scene) -> float:
    """Return what is left of a sentence's worth: cut, leaning on the one before, or an order to the reader."""
    factor = _ORDER if is_order(scene.text) else 1.0
    if not prose.begins(scene.text) or not prose.ends(scene.text):
        factor *= _CUT
    return factor * (_LEANING if prose.leans(scene.text) and scene.number == 0 else 1.0)


def _quote(scene: Scene, worth: float) -> Quote:
    """Return the sentence; with the one before it where it begins with a pronoun, or with a neighbour where it is too short to check."""
    passage = scene.evidence.passage
    start, end = scene.start, scene.start + len(scene.text)
    if prose.leans(scene.text) or prose.is_short(scene.text):
        before, after = _neighbours(passage.text, start, end)
        start = before
        if prose.is_short(passage.text[start:end]):
            end = after
        if end - start > _LONGEST_QUOTE:
            start, end = scene.start, scene.start + len(scene.text)
            worth *= _LEANING
    place = passage.start + start, passage.start + end
    return Quote(evidence=scene.evidence, start=place[0], end=place[1], text=passage.text[start:end], score=worth)


def _neighbours(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the sentence before begins and where the one behind ends, if they are such as can be quoted."""
    around = [span for span in sentences(text) if _is_quotable(text[slice(*span)])]
    before = [span[0] for span in around if span[1] <= start and not text[span[1] : start].strip()]
    after = [span[1] for span in around if span[0] >= end and not text[end : span[0]].strip()]
    return (before or [start])[-1], (after or [end])[0]


def _is_quotable(sentence: str) -> bool:
    return prose.is_prose(sentence) and prose.begins(sentence) and not is_order(sentence)


def _chosen(ask: Asked, found: Sequence[_Rated], limit: int) -> list[_Rated]:
    """Take the best, then those that are about as good and bring words of the question, or facts, that are not there yet."""
    chosen: list[_Rated] = []
    for _ in range(limit):
        worth = [(_gain(ask, rated, chosen), number) for number, rated in enumerate(found)]
        gain, number = max(worth, key=lambda pair: (pair[0], -pair[1]), default=(0.0, 0))
        if gain <= 0 or (chosen and gain < _NEXT * chosen[0].quote.score):
            break
        chosen.append(found[number])
    return chosen


def _gain(ask: Asked, rated: _Rated, chosen: Sequence[_Rated]) -> float:
    if not chosen:
        return rated.quote.score
    if any(_overlaps(rated, other) for other in chosen):
        return 0.0
    if chosen[0].share > _SURE and rated.aspect < _ASPECT * chosen[0].aspect:
        return 0.0
    said = frozenset[str]().union(*(other.covered for other in chosen))
    fresh = sum(ask.weights[word] for word in rated.covered - said)
    known = frozenset[str]().union(*(other.words for other in chosen))
    repeats = len(rated.words & known) / max(1, len(rated.words))
    return rated.quote.score * (1 - 0.5 * repeats) + fresh


def _overlaps(rated: _Rated, other: _Rated) -> bool:
    """Tell whether two quotes share characters of a document, or say the same in the same words."""
    if _overlap(rated.quote, other.quote):
        return True
    return len(rated.words & other.words) >= _SAME * max(1, len(rated.words | other.words))


def place(quote: Quote) -> tuple[str, str]:
    """Return which document a quote is from."""
    return quote.evidence.document.collection, quote.evidence.document.id


def shortened(quote: Quote, start: int, end: int) -> Quote:
    """Return a piece of a quote, by places in its text."""
    return replace(quote, start=quote.start + start, end=quote.start + end, text=quote.text[start:end])
