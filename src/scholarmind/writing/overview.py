"""What an overview quotes: a sentence for each of several documents, so that it tells of more than one direction. No model."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from scholarmind.model import Evidence
from scholarmind.naming import short_name
from scholarmind.text.analysis import terms
from scholarmind.text.dates import Years, years
from scholarmind.text.language import HAN
from scholarmind.text.sentences import sentences
from scholarmind.writing import prose
from scholarmind.writing.extract import Quote, best_sentences, place
from scholarmind.writing.quantities import numbers
from scholarmind.writing.scenes import Asked, asked, titles
from scholarmind.writing.support import support

MOST = 6  # sentences
READ = 24  # passages
_FEWEST = 3  # documents: what is told of fewer is no overview of many things
_DOCUMENTS = 10
_OF_DOCUMENT = 3  # passages
_NEAR = 0.4  # of the score of the best passage
_ALL_SPEAK_OF, _EACH_SPEAKS_OF = 0.7, 0.25  # of the words of the subject, by weight
_TRIED = 4  # sentences of a document
_ITS_OWN = 0.5  # what a sentence counts that begins with the name of what its document is about, beside all words of the subject
_FIGURE = 0.1  # what it loses by each number: an overview is no list of settings
_ALIKE = 0.5  # of the words of a sentence stand in one that is there already
_OF_TIME = re.compile(
    r"\b(?:trends?|evol(?:ve[sd]?|ving|ution)|history|timeline|chronolog\w+|over (?:the years|time)|develop(?:ed|ment|ments)|changed"
    r"|progress\w*|since|recent(?:ly)?|decades?|years?)\b|趋势|演变|演进|演化|历程|脉络|变迁|历年|逐年|以来|年来|近[\d一二两三四五六七八九十几]+年|发展",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"\b(?:what|which|how|is|are|were|was|has|have|do|does|can|you|please|give|me|write|provide|show|tell|us|an?|the|of|short|brief|overall|general|main|major|key"
    r"|important|recent|latest|notable|current|overviews?|surveys?|summary|summaries|summari[sz]e|trends?|directions?|developments?|advances?"
    r"|landscape|state[- ]of[- ]the[- ]art|sota|literature|history|evolution|evolved?|themes?|topics?|research|there)\b"
    r"|请|给出|写|一下|对于|而言|来说|有哪些|有什么|哪些|是什么|是怎样的|怎么样|怎样|如何|主要|重要|关键|最新|近期|目前|当前|综述|总结|概述|概括|概览|整体|趋势|研究方向|发展方向|方向|研究现状|现状"
    r"|发展历程|发展|近年来?|近[\d一二两三四五六七八九十几]+年来?|以来|演变|演进|历程|进展|研究|领域|方面|相关",
    re.IGNORECASE,
)


def subject_of(question: str) -> str:
    """Return what an overview is of: the question without the words that only ask for one; the question if nothing else is in it."""
    subject = " ".join(_FRAME.sub(" ", question).split())
    return subject if terms(subject) else question


def overview(question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float]) -> tuple[Quote, ...]:
    """Return a sentence of each document that is about as near to the question as the first, those that say the same left out.

    Where the question is about time they are in the order of years. Nothing is returned where there are too few such documents.
    """
    documents = _documents(question, evidence)
    if len(documents) < _FEWEST:
        return ()
    subject = _without_years(subject_of(question))
    chosen: list[Quote] = []
    for items in _about(subject, documents, rarity):
        quote = _quote(subject, items, rarity)
        if quote and not any(_are_alike(quote, other) for other in chosen):
            chosen.append(quote)
    chosen = chosen[:MOST]
    if len(chosen) < _FEWEST:
        return ()
    return tuple(sorted(chosen, key=_year)) if _OF_TIME.search(question) else tuple(chosen)


def _documents(question: str, evidence: Sequence[Evidence]) -> list[list[Evidence]]:
    """Return the passages of each document that is near enough, of those from the years that are asked for if there are such."""
    least = _NEAR * max((item.scores.fused for item in evidence), default=0.0)
    found: dict[tuple[str, str], list[Evidence]] = {}
    for item in evidence:
        if item.scores.fused >= least:
            found.setdefault((item.document.collection, item.document.id), []).append(item)
    spans = list(years(question, datetime.now(UTC).year))
    of_then = [items for items in found.values() if _is_within(items[0].document.year, spans)]
    documents = of_then if len(of_then) >= _FEWEST else [*found.values()]
    return [items[:_OF_DOCUMENT] for items in documents[:_DOCUMENTS]]


def _about(
    subject: str, documents: Sequence[Sequence[Evidence]], rarity: Mapping[str, float]
) -> Sequence[Sequence[Evidence]]:
    """Return the documents that speak of the subject: likeness alone is not enough.

    In Chinese, where many pairs of characters are no words, all of them do if together they are judged to.
    """
    every = [item for items in documents for item in items]
    if HAN.search(subject):
        return () if support(subject, every, rarity).status == "not in the library" else documents
    ask = asked(subject, rarity, every)
    said = [_said_of(ask, items) for items in documents]
    if _weight(ask, frozenset[str]().union(*said)) < _ALL_SPEAK_OF:
        return ()
    return [items for items, own in zip(documents, said, strict=True) if _weight(ask, own) >= _EACH_SPEAKS_OF]


def _said_of(ask: Asked, items: Sequence[Evidence]) -> frozenset[str]:
    """Return the words of the subject that stand in the passages of a document or its titles."""
    said = (term for item in items for text in (item.passage.text, *titles(item)) for term in terms(text))
    return frozenset(said) & ask.weights.keys()


def _weight(ask: Asked, said: frozenset[str]) -> float:
    return sum(ask.weights[word] for word in said)


def _is_within(year: int | None, spans: Sequence[Years]) -> bool:
    return year is not None and any((span.first or 0) <= year <= (span.last or year) for span in spans)


def _without_years(text: str) -> str:
    """Return the text without the years that it asks for: a sentence that has such a number is no better for it."""
    for span in reversed(list(years(text, datetime.now(UTC).year))):
        text = f"{text[: span.start]} {text[span.end :]}"
    return " ".join(text.split()) or text


def _quote(subject: str, items: Sequence[Evidence], rarity: Mapping[str, float]) -> Quote | None:
    """Return the sentence of a document that best tells what it has to do with the subject, at best with its own name in front.

    None if none says a word of either.
    """
    best = best_sentences(subject, items, rarity, limit=_TRIED)
    about = [quote for quote in best if not prose.is_order(quote.text)]
    wanted, names = set(terms(subject)), _names(items[0])

    def worth(quote: Quote) -> float:
        shared = len(wanted & set(terms(quote.text))) / max(1, len(wanted))
        is_of_it = quote.text.casefold().startswith(names)
        return shared + _ITS_OWN * is_of_it - _FIGURE * min(3, len(numbers(quote.text)))

    candidates = [quote for quote in (*about, *(whole for item in items for whole in _whole(item))) if worth(quote) > 0]
    return max(candidates, key=worth, default=None)


def _names(item: Evidence) -> tuple[str, ...]:
    """Return what a document calls what it is about, as a sentence may begin with it."""
    named = (short_name(item.document), *titles(item))
    return tuple(name.casefold() for name in named if len(name) > 1)


def _whole(item: Evidence) -> Iterator[Quote]:
    """Yield the sentences of a passage that stand by themselves."""
    passage = item.passage
    for start, end in sentences(passage.text):
        text = passage.text[start:end]
        stands = prose.is_prose(text) and prose.begins(text) and prose.ends(text)
        if stands and not prose.leans(text) and not prose.is_order(text) and not prose.is_short(text):
            yield Quote(evidence=item, start=passage.start + start, end=passage.start + end, text=text, score=0.0)


def _are_alike(one: Quote, other: Quote) -> bool:
    mine, theirs = set(terms(one.text)), set(terms(other.text))
    return place(one) == place(other) or len(mine & theirs) > _ALIKE * min(len(mine), len(theirs))


def _year(quote: Quote) -> tuple[bool, int]:
    year = quote.evidence.document.year
    return year is None, year or 0
