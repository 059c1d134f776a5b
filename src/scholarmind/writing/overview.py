"""What an overview quotes: a sentence for each of several documents, so that it tells of more than one direction. No model."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from scholarmind.identity import short_name
from scholarmind.judge.answers import judge
from scholarmind.model import Evidence
from scholarmind.text.analysis import sentences, terms
from scholarmind.text.dates import Years, years
from scholarmind.text.language import HAN, lazy_regex
from scholarmind.text.overviews import is_of_gaps, is_of_time, subject_of
from scholarmind.text.untrusted import is_order
from scholarmind.writing import evidence_sentences
from scholarmind.writing.evidence_sentences import QuestionTerms, read_question, titles
from scholarmind.writing.quotations import Quote, best_sentences, place
from scholarmind.writing.sentence_content import numbers
from scholarmind.writing.text_review import ground_of

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
_GAP = 1.0  # what a sentence counts that tells of a limit, where that is asked for
_IDEA = 0.4  # what one counts that tells an idea, where the overview is of all there is,
_PERSONS = 0.4  # and what it loses if it tells of persons
_LEAST_OF_ALL = 0.3  # what one has to count then
_TELLS_AN_IDEA = lazy_regex(
    r"\b(?:replaces?|introduces?|idea|instead of|combines?|shows? that|allows?|makes?|learns?|rather than|trains?|splits?|keeps?|lets)\b"
    r"|提出|引入|替换|代替|而不是|结合|表明|使得|想法",
    re.IGNORECASE,
)
_TELLS_A_GAP = lazy_regex(
    r"\b(?:limit(?:s|ed|ation|ations)|remains?|future|open (?:questions?|problems?)|left (?:open|for|to)|unclear|untested"
    r"|unknown|unsolved|lacks?"
    r"|(?:not|never|no) (?:\w+ )?(?:tested|shown|evaluated|clear|known|compared|studied|reported|measured|tried)"
    r"|only (?:tested|evaluated|shown|measured)"
    r"|at the (?:cost|price)|does not|do not|cannot)\b"
    r"|局限|不足|尚未|有待|仍(?:然|需|未)|未(?:测试|报告|比较|评测|来)|没有(?:测试|报告|比较|评测)|代价|无法",
    re.IGNORECASE,
)


def overview(question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float]) -> tuple[Quote, ...]:
    """Return a sentence of each document that is about as near to the question as the first, those that say the same left out.

    Where the question is about time they are in the order of years. Nothing is returned where there are too few such documents.
    """
    documents = _documents(question, evidence)
    if len(documents) < _FEWEST:
        return ()
    subject, gaps = subject_of(question), is_of_gaps(question)
    chosen: list[Quote] = []
    for items in _about(subject, documents, rarity) if subject else documents:
        quote = _quote(subject, items, rarity, gaps=gaps)
        if quote and not any(_are_alike(quote, other) for other in chosen):
            chosen.append(quote)
    chosen = chosen[:MOST]
    if len(chosen) < _FEWEST:
        return ()
    return tuple(sorted(chosen, key=_year)) if is_of_time(question) else tuple(chosen)


def _documents(question: str, evidence: Sequence[Evidence]) -> list[list[Evidence]]:
    """Return the passages of each document that is near enough, of those from the years that are asked for if there are such."""
    best = max((item.scores.fused for item in evidence), default=0.0)
    least = _NEAR * best if subject_of(question) else 0.0
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
        grounds = [ground_of(item) for item in every]
        return () if judge(subject, grounds, grounds, rarity).status == "not in the library" else documents
    ask = read_question(subject, rarity, every)
    said = [_said_of(ask, items) for items in documents]
    if _weight(ask, frozenset[str]().union(*said)) < _ALL_SPEAK_OF:
        return ()
    return [items for items, own in zip(documents, said, strict=True) if _weight(ask, own) >= _EACH_SPEAKS_OF]


def _said_of(ask: QuestionTerms, items: Sequence[Evidence]) -> frozenset[str]:
    """Return the words of the subject that stand in the passages of a document or its titles."""
    said = (term for item in items for text in (item.passage.text, *titles(item)) for term in terms(text))
    return frozenset(said) & ask.weights.keys()


def _weight(ask: QuestionTerms, said: frozenset[str]) -> float:
    return sum(ask.weights[word] for word in said)


def _is_within(year: int | None, spans: Sequence[Years]) -> bool:
    return year is not None and any((span.first or 0) <= year <= (span.last or year) for span in spans)


def _quote(subject: str, items: Sequence[Evidence], rarity: Mapping[str, float], *, gaps: bool) -> Quote | None:
    """Return the sentence of a document that best tells what it has to do with the subject, at best with its own name in front.

    None if none says a word of either, or of a limit, where these are asked for.
    """
    best: Sequence[Quote] = best_sentences(subject, items, rarity, limit=_TRIED) if subject else ()
    about = [quote for quote in best if not is_order(quote.text)]
    wanted, names = set(terms(subject)), _names(items[0])

    def worth(quote: Quote) -> float:
        shared = len(wanted & set(terms(quote.text))) / max(1, len(wanted))
        is_of_it = quote.text.casefold().startswith(names)
        limit = _GAP * _tells_a_gap(quote) if gaps else 0.0
        if not subject:
            limit += _IDEA * bool(_TELLS_AN_IDEA.search(quote.text)) - _PERSONS * evidence_sentences.tells_of_persons(
                quote.text
            )
        return shared + limit + _ITS_OWN * is_of_it - _FIGURE * min(3, len(numbers(quote.text)))

    least = 0.0 if subject else _LEAST_OF_ALL
    every = (*about, *(whole for item in items for whole in _whole(item)))
    candidates = [quote for quote in every if worth(quote) > least]
    told = [quote for quote in candidates if not gaps or _tells_a_gap(quote)]
    return max(told, key=worth, default=None)


def _tells_a_gap(quote: Quote) -> bool:
    """Tell whether a sentence, or the heading that it stands under, speaks of a limit."""
    section = quote.evidence.passage.section
    return bool(_TELLS_A_GAP.search(quote.text)) or bool(section and is_of_gaps(section[-1]))


def _names(item: Evidence) -> tuple[str, ...]:
    """Return what a document calls what it is about, as a sentence may begin with it."""
    named = (short_name(item.document), *titles(item))
    return tuple(name.casefold() for name in named if len(name) > 1)


def _whole(item: Evidence) -> Iterator[Quote]:
    """Yield the sentences of a passage that stand by themselves."""
    passage = item.passage
    for start, end in sentences(passage.text):
        text = passage.text[start:end]
        stands = evidence_sentences.is_prose(text) and evidence_sentences.begins(text) and evidence_sentences.ends(text)
        if (
            stands
            and not evidence_sentences.leans(text)
            and not is_order(text)
            and not evidence_sentences.is_short(text)
        ):
            yield Quote(evidence=item, start=passage.start + start, end=passage.start + end, text=text, score=0.0)


def _are_alike(one: Quote, other: Quote) -> bool:
    mine, theirs = set(terms(one.text)), set(terms(other.text))
    return place(one) == place(other) or len(mine & theirs) > _ALIKE * min(len(mine), len(theirs))


def _year(quote: Quote) -> tuple[bool, int]:
    year = quote.evidence.document.year
    return year is None, year or 0
