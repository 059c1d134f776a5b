"""Quotations: what of the evidence answers a question best, each with its place in its document.

No model writes; a reader of answers may say what is likely. Sentences are rated one by one: by the words of the question that they hold,
by what the reader makes of them, and by their form (a definition answers "what is", a pronoun needs the sentence before it). What is
quoted is the unit that a sentence belongs to, or the piece of it that fits into the cell of a table.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import zip_longest
from statistics import fmean
from types import MappingProxyType

from scholarmind.judge.amounts import Amount, amounts
from scholarmind.judge.answers import (
    AnswerReader,
    Likeness,
    as_read,
    asks_for_a_gain,
    begins_with,
    defined_thing,
    in_context,
    named,
    names_in,
    reading_of,
    states_a_gain,
)
from scholarmind.judge.open_questions import asks_what_is_open, leaves_open
from scholarmind.model import Evidence
from scholarmind.text.analysis import fold, sentences, terms
from scholarmind.text.language import HAN, lazy_regex
from scholarmind.text.section_names import names_thanks
from scholarmind.text.untrusted import is_order
from scholarmind.writing import evidence_sentences
from scholarmind.writing.evidence_sentences import (
    MOST_SENTENCES,
    QuestionTerms,
    QuotedUnit,
    Scene,
    Shape,
    blocks_of,
    head_of_table,
    is_short,
    listed_first,
    read_question,
    scenes,
    titles,
    unit_at,
)
from scholarmind.writing.short_answers import best_answers, scored

# -- the best sentences

_NO_RARITY: Mapping[str, float] = MappingProxyType({})
_ALL, _MOST = 300, 60  # sentences; those of them that are looked at closely
_READ_PASSAGES, _READ_BEST = 4, 1  # that a reader is shown: the first, and of those that hold the best sentences
_LEAST = 0.1  # of the question's words, by weight: less, where nobody has read it, answers nothing
_UNREAD = 0.05  # how sure it is taken to be of what it was not shown
_LEAST_ODDS = 0.007  # five, as a logarithm
# How much each sign of a sentence counts, as a logarithm, where a reader has read it and where none has (docs/decisions/0070)
_WITH_READER = {"odds": 0.58, "words": 4.0, "first": 1.5, "named": 1.0, "names": 1.5, "vector": 5.0}
_BY_WORDS = {"odds": 0.0, "words": 7.5, "first": 2.4, "named": 1.5, "names": 0.9, "vector": 0.0}
# the same for how alike question and quotation are in meaning, and of how many of the best that is asked
_ALIKE, _COMPARED = 4.0, 8

_LONGEST_COMPARED = 300  # characters
# where a definition is asked for: it is one, it begins with the thing, it stands early in its document, it tells whose the thing is
_DEFINES, _BEGINS_WITH, _EARLY, _PERSONS = 1.5, 1.5, 3.0, -1.0
_ENOUGH = 0.4  # so likely the quotations hold the answer: a further one is needed no more
_NEXT = 0.3  # of the best score: what a further sentence must have
_DEFINING = 2  # passages that define
_RIVALS, _RIVAL = 12, 0.03  # sentences that may contradict the best; of its score
_MORE, _GOES_ON = (
    0.4,
    0.12,
)  # a reader has to be so sure of a sentence on another thing, and of one that follows directly
_LONGEST_RUN, _FOLLOWING = 450, 3
_SAME = 0.8  # share of words from which two sentences are one
_LONGEST_QUOTE = 700
_SAYS_OPEN = 0.6  # of the question's words, by weight: what holds so much of them and leaves that open is about just this question
# what is left of the score of an order to the reader, of what is cut, of code, of what stands below a figure or a page
_ORDER, _CUT, _IS_CODE, _BELOW = 0.01, 0.1, 0.4, 0.15
_STANDS_BELOW = frozenset(("caption", "footnote"))
_IS_CAPTION = lazy_regex(r"(?:fig(?:ure|\.)|table|box|plate|[图表])\s*s?\d", re.IGNORECASE)
_CODE = lazy_regex(r"(?:^|\s)--[a-z][\w-]*|\$\(|\w\(\)|[;{}]\s*$|<[a-z_]+>", re.MULTILINE)
_CODE_ASKED = lazy_regex(
    r"\b(?:how|command|option|flag|syntax|call|function|code)s?\b|如何|怎么|怎样|命令|选项|参数|函数|语法",
    re.IGNORECASE,
)

_EDGE_DIGIT = re.compile(r"^\s*\d|\d\s*$")
_FEWEST_ROWS = 3
_UNQUOTED = frozenset(("references", "contents", "front"))
_ASKS_FOR_THANKS = lazy_regex(
    r"\b(?:acknowledg|thank|fund(?:ed|ing|er)|grants?\b|sponsor|support(?:ed)? by|conflicts? of interest|contribut|paid|pays|who help)|"
    r"致谢|感谢|资助|基金|利益冲突|贡献",
    re.IGNORECASE,
)
_IS = (
    r"(?: ?[(（][^()（）]{0,60}[)）])?(?:,[^,.]{1,60},)? (?:(?:is|are|was|were) (?!not\b)(?:an?|the|one|any|short|what|those|our|your)\b"
    r"|means\b|refers? to\b|stands? for\b|denotes?\b|describes?\b)"
)

_ANNOUNCES = lazy_regex(
    r"\b(?:there (?:are|were)|has|have|offers?|comes? in|distinguish\w*|knows?)\b[^.]{0,30}"
    r"\b(?:two|three|four|five|six|seven|several)\b[^.]*\.$"
    r"|[两二三四五六七几][种个类项][^。]{0,30}。$",
    re.IGNORECASE,
)

_IS_IN_CHINESE = (
    r"\s*(?:[(（][^()（）]{0,60}[)）])?(?:，[^，。]{1,30}，)?\s*(?:是(?!否|不)|即|指|为(?!了)|意为|又称|属于)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words of a document as they stand there; `start` and `end` count in the document's text."""

    evidence: Evidence
    start: int
    end: int
    text: str
    score: float
    shape: Shape = "prose"
    head: str = ""  # the row above these rows that names their columns
    lead: "Quote | None" = None  # what introduces them in the passage before
    likely: float | None = None  # how sure a reader is that it answers; None where none has read it


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceReading:
    """What questions are read with: how rare their words are, who reads answers and tells likeness, and the context of a question."""

    rarity: Mapping[str, float] = field(default_factory=dict[str, float])
    reader: AnswerReader | None = None
    likeness: Likeness | None = None
    context: str = ""  # what was told beside what is asked

    @property
    def in_context(self) -> AnswerReader | None:
        """The reader, which is shown the context too."""
        return in_context(self.reader, self.context) if self.reader else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rated:
    quote: Quote
    words: frozenset[str]  # all terms
    covered: frozenset[str]  # those of the question, in the title of its document as well


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What the evidence says to a question: what is quoted, and short answers as `short_answers` gives them."""

    quotes: tuple[Quote, ...]
    answers: tuple[str, ...]
    rivals: tuple[Quote, ...] = ()  # the next best, alike or not: contradictions are among them


def best_sentences(
    question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float] = _NO_RARITY, limit: int = 3
) -> tuple[Quote, ...]:
    """Return up to `limit` quotes, best first: each about the question, whole, and adding to those before it."""
    return read(question, evidence, SentenceReading(rarity=rarity), limit).quotes


def read(
    question: str,
    evidence: Sequence[Evidence],
    reading: SentenceReading,
    limit: int = 3,
    about: str = "",
) -> Extraction:
    """Return both, in the time of one. What is quoted is `about` a thing, if one is named, and not about another."""
    ask, reader = read_question(question, reading.rarity, evidence, reading.context), reading.in_context
    every = [scene for scene in scenes(ask, evidence, most=_ALL) if _may_be_quoted(question, scene.evidence)]
    given = every[:_MOST]
    defined = defined_thing(question)
    subject = about or defined
    # to a reader, all that is about a thing looks like an answer to what it is: where it stands tells more
    likely = likely_in(question, evidence, given, reader) if reader and not defined else _unread
    if asks_for_a_gain(question):
        given = [scene for scene in given if states_a_gain(scene.text)]
    if not asks_what_is_open(question):
        # sentences without those that leave the question open; where one does so in its words, without those that
        # hold fewer of them. A reader takes much for an answer that is only near to one; that nobody knows is the
        # better news then.
        is_open = [leaves_open(scene.text, question) for scene in given]
        known = [scene for scene, one in zip(given, is_open, strict=True) if not one]
        most = max((_weight(ask, scene) for scene, one in zip(given, is_open, strict=True) if one), default=0.0)
        given = known if most < _SAYS_OPEN else [scene for scene in known if _weight(ask, scene) >= most]
    fit = [scene for scene in given if _can_be_quoted(scene, likely(scene)) and _is_of(subject, scene)]
    answers = [scored(ask, scene) for scene in fit[:MOST_SENTENCES]] if ask.wanted.is_short else []
    behind = {(*_place_of(item), item.passage.position - 1): item for item in evidence}
    read_so = [likely(scene) for scene in fit]
    weights = _BY_WORDS if all(one is None for one in read_so) else _WITH_READER
    rated = [_rated(ask, scene, one, weights, defined, behind) for scene, one in zip(fit, read_so, strict=True)]
    rated = [one for one in rated if one.quote.end > one.quote.start]
    rated.sort(key=lambda one: one.quote.score, reverse=True)
    if reading.likeness and rated[1:] and not defined:
        rated = _compared(f"{reading.context} {question}".lstrip(), rated, reading.likeness)
    chosen = _chosen(ask, rated, limit)
    quotes = [one.quote for one in chosen]
    if quotes and not (ask.wanted.is_short and not ask.wanted.many):
        by_place = {(_at(scene.evidence), scene.start): scene for scene in every}
        quotes[0] = _going_on(ask, quotes[0], likely, by_place)
    quotes = _joined(quotes)
    rivals = tuple(one.quote for one in rated[:_RIVALS] if one.quote.score >= _RIVAL * rated[0].quote.score)
    return Extraction(
        quotes=quotes, answers=best_answers([pair for found in answers for pair in found], 3), rivals=rivals
    )


def _compared(question: str, rated: Sequence[_Rated], likeness: Likeness) -> list[_Rated]:
    """Return what was rated, the best in the order that they have if it counts how alike to the question they are in meaning."""
    best = rated[:_COMPARED]
    told = likeness(question, [one.quote.text[:_LONGEST_COMPARED] for one in best])
    known = [one for one in told if one is not None]
    # as compared with their mean, which what cannot be told stands at, so that scores stay comparable with those of the others
    again = [
        replace(one, quote=replace(one.quote, score=one.quote.score * math.exp(_ALIKE * (much - fmean(known)))))
        if much is not None
        else one
        for one, much in zip(best, told, strict=True)
    ]
    return [*sorted(again, key=lambda one: one.quote.score, reverse=True), *rated[_COMPARED:]]


def _weight(ask: QuestionTerms, scene: Scene) -> float:
    """Return how much of a question stands in a sentence itself."""
    inside = frozenset[str]().union(*(token[2] for token in scene.tokens))
    return sum(weight for term, weight in ask.weights.items() if term in inside)


# -- what a reader makes of sentences

Likely = Callable[[Scene], float | None]


def _unread(_: Scene) -> float | None:
    return None


def likely_in(question: str, evidence: Sequence[Evidence], given: Sequence[Scene], reader: AnswerReader) -> Likely:
    """Return how likely each sentence answers, by a reader that is shown the first passages and those with the best sentences."""
    ordered = sorted(given, key=lambda scene: scene.coverage, reverse=True)
    best = dict.fromkeys(_at(scene.evidence) for scene in ordered)
    first = dict.fromkeys(map(_at, evidence[:_READ_PASSAGES]))
    shown = [*first, *[at for at in best if at not in first][:_READ_BEST]]
    items = {_at(item): item for item in evidence}
    spans = {at: list(sentences(items[at].passage.text)) for at in shown}
    texts = [
        (
            named(items[at].document.title, heading_of(items[at])),
            tuple(items[at].passage.text[start:end] for start, end in spans[at]),
        )
        for at in shown
    ]
    told_of = reader(as_read(question), texts)
    told = {
        (at, start): one
        for at, read, (_, said) in zip(shown, told_of, texts, strict=True)
        for one, (start, _) in zip(reading_of(question, said, read, _headings(items[at])), spans[at], strict=False)
    }
    unread = {at for at, read in zip(shown, told_of, strict=True) if not read}

    def likely(scene: Scene) -> float | None:
        at = _at(scene.evidence)
        known = told.get((at, scene.start))
        return None if at in unread else reading_of(question, [scene.text], [_UNREAD])[0] if known is None else known

    return likely


def _headings(item: Evidence) -> str:
    return f"{item.document.title}\n{heading_of(item)}"


def _at(item: Evidence) -> tuple[str, str, int]:
    return item.document.collection, item.document.id, item.passage.start


# -- what fits


@lru_cache(maxsize=4096)
def _squeezed(text: str) -> str:
    return re.sub(r"[\s_-]+", "", fold(text))


def is_named(thing: str, text: str) -> bool:
    """Tell whether a thing stands in a text, whatever its spaces and its case; of several words, all in any order.

    A number within another number is none: 1 does not stand in 412 and not in 1.5.
    """
    if _squeezed(thing) in _squeezed(text) and (not _EDGE_DIGIT.search(thing) or _whole(thing).search(fold(text))):
        return True
    wanted = frozenset(terms(thing))
    return not HAN.search(thing) and len(wanted) > 1 and wanted <= frozenset(terms(text))


@lru_cache(maxsize=512)
def _whole(thing: str) -> re.Pattern[str]:
    """Return what finds a thing that begins or ends with a digit, where no number goes on at its edges."""
    said = r"[\s_-]*".join(map(re.escape, re.sub(r"[\s_-]+", "", fold(thing))))
    return re.compile(
        rf"(?<!\d)(?<!\d[.,]){said}(?!\d)(?![.,]\d)" if thing.strip()[-1:].isdigit() else rf"(?<!\d)(?<!\d[.,]){said}"
    )


def _is_of(subject: str, scene: Scene) -> bool:
    """Tell whether a sentence is of a thing: it names it, or its heading, its title, or the sentence that it leans on does."""
    if not subject:
        return True
    titles_of = " ".join((*titles(scene.evidence), *scene.evidence.passage.section))
    around = f"{scene.text} {titles_of} {scene.before_text}"
    return is_named(subject, f"{around} {_head(scene)}")


def _head(scene: Scene) -> str:
    """Return the row that names the columns, of a sentence that stands in a table."""
    passage = scene.evidence.passage
    return head_of_table(passage, scene.start) if "|" in scene.text else ""


def found_elsewhere(
    question: str, pool: Sequence[Evidence], before: Sequence[Evidence], given: Sequence[Evidence]
) -> list[Evidence]:
    """Return passages found for other rows that may answer: those which say what a thing is, where a question asks just that.

    Of what was found for the parts `before`, whose answers stand in the question, those which name all that it names.
    """
    subject, known = defined_thing(question), {_at(item) for item in given}
    names = list(names_in(question))
    found = [item for item in pool if subject and _defines(subject, item.passage.text)]
    found += [item for item in before if names and all(is_named(name, item.passage.text) for name in names)]
    return [item for at, item in {_at(item): item for item in found}.items() if at not in known][:_DEFINING]


def naming_all(things: Sequence[str], item: Evidence) -> Iterator[Quote]:
    """Yield the sentences of a passage that can be quoted and name all of these things."""
    passage = item.passage
    for start, end in sentences(passage.text):
        text = passage.text[start:end]
        if (
            _is_quotable(text)
            and evidence_sentences.ends(text)
            and not text.endswith((":", "："))
            and all(is_named(thing, text) for thing in things)
        ):
            first = passage.start + start
            yield Quote(evidence=item, start=first, end=first + len(text), text=text, score=1.0)


def tables_in(item: Evidence) -> Iterator[Quote]:
    """Yield the tables of a passage that are small enough to be quoted whole."""
    passage = item.passage
    end = 0
    for block in blocks_of(passage.text, passage.kind):
        if block.kind != "row" or block.start < end:
            continue
        unit = unit_at(passage, block.start, block.end)
        end = unit.end
        text = passage.text[unit.start : unit.end]
        if "\n" in text:
            first = passage.start + unit.start
            yield Quote(evidence=item, start=first, end=first + len(text), text=text, score=1.0, shape="table")


def _may_be_quoted(question: str, item: Evidence) -> bool:
    """Tell whether a passage is part of what its document says: no list of works, and no thanks unless they are asked for."""
    passage = item.passage
    thanks = bool(passage.section) and names_thanks(passage.section[-1]) and not _ASKS_FOR_THANKS.search(question)
    return passage.kind not in _UNQUOTED and not thanks


def _can_be_quoted(scene: Scene, likely: float | None) -> bool:
    """Tell whether a sentence is whole, or an entry of a list or table, and holds words of the question where nobody has read it."""
    return (likely is not None or scene.coverage >= _LEAST) and (
        evidence_sentences.is_prose(scene.text) or _is_entry(scene)
    )


def _is_entry(scene: Scene) -> bool:
    """Tell whether this is an item of a list or a row of a table, which need be no sentence."""
    passage = scene.evidence.passage
    here = [block for block in blocks_of(passage.text, passage.kind) if block.start <= scene.start < block.end]
    if not here or evidence_sentences.is_work(scene.text) or "?" in scene.text or "？" in scene.text:
        return False
    text = passage.text[here[0].start : here[0].end]
    if here[0].kind == "row" and ": " not in text and len(blocks_of(passage.text, passage.kind)) < _FEWEST_ROWS:
        return False  # a row of links to other pages
    return here[0].kind in {"item", "row"} and not evidence_sentences.is_short(text)


# -- rating


_Behind = Mapping[tuple[str, str, int], Evidence]  # passages by their document and the position before theirs


def signs_of(ask: QuestionTerms, scene: Scene, likely: float | None) -> dict[str, float]:
    """Return what tells how well a sentence answers, beside its form."""
    inside = frozenset[str]().union(*(token[2] for token in scene.tokens))
    sure = _UNREAD if likely is None else likely
    return {
        "odds": math.log((sure + _LEAST_ODDS) / (1 - sure + _LEAST_ODDS)),
        "words": scene.coverage,
        "first": 1 / (1 + scene.rank),
        "named": float(scene.named),
        "vector": scene.evidence.scores.vector or 0.0,
        "names": len(ask.names & (inside | scene.title)) / len(ask.names) if ask.names else 0.0,
    }


def _rated(
    ask: QuestionTerms,
    scene: Scene,
    likely: float | None,
    weights: Mapping[str, float],
    subject: str,
    behind: _Behind,
) -> _Rated:
    """Return the sentence with its score: the odds that it answers, up to a factor that is the same for all."""
    inside = frozenset[str]().union(*(token[2] for token in scene.tokens))
    signs = signs_of(ask, scene, likely)
    worth = sum(weight * signs[sign] for sign, weight in weights.items())
    if subject:
        worth += _DEFINES * _defines(subject, scene.text) + _BEGINS_WITH * begins_with(subject, scene.text)
        worth += _EARLY / (1 + scene.evidence.passage.position)
        worth += _PERSONS * evidence_sentences.tells_of_persons(scene.text)
    # what is left of a sentence's score: cut, or an order to the reader
    factor = _ORDER if is_order(scene.text) else 1.0
    if evidence_sentences.is_prose(scene.text) and not (
        evidence_sentences.begins(scene.text) and evidence_sentences.ends(scene.text)
    ):
        factor *= _CUT
    if scene.evidence.passage.kind in _STANDS_BELOW or _IS_CAPTION.match(scene.text):
        factor *= _BELOW
    quote = _quote(scene, math.exp(worth) * factor, behind)
    if _CODE.search(quote.text) and not _CODE_ASKED.search(ask.text):
        quote = replace(quote, score=quote.score * _IS_CODE)
    said = (inside | scene.title) & ask.weights.keys()
    return _Rated(quote=replace(quote, likely=likely), words=inside, covered=said)


def _defines(subject: str, text: str) -> bool:
    """Tell whether a sentence says what a thing is."""
    name = r"\s*".join(map(re.escape, subject.split())) if HAN.search(subject) else re.escape(subject)
    english = re.search(rf"(?:^|[.:;] |\b[Tt]he |\b[Aa]n? )(?:{name}){_IS}", text, re.IGNORECASE)
    return bool(english or re.search(rf"(?:^|[。；：，\s])(?:{name}){_IS_IN_CHINESE}", text, re.IGNORECASE))


# -- the unit


def _quote(scene: Scene, worth: float, behind: _Behind) -> Quote:
    """Return the unit that a sentence belongs to; nothing, as an empty quote, where a list does not follow its introduction."""
    item, lead = scene.evidence, None
    passage = item.passage
    start, end = scene.start, scene.start + len(scene.text)
    unit = unit_at(passage, start, end)
    if unit.shape == "prose":
        start, end = _sentences(scene)
        unit = QuotedUnit(start, end, "prose")
    elif unit.dangles and (following := behind.get((*_place_of(item), passage.position))):
        first, last = passage.start + unit.start, passage.start + unit.end
        lead = Quote(evidence=item, start=first, end=last, text=passage.text[unit.start : unit.end], score=worth)
        item, passage = following, following.passage
        unit = listed_first(passage)
    text = passage.text[unit.start : unit.end]
    return Quote(
        evidence=item,
        start=passage.start + unit.start,
        end=passage.start + (unit.start if unit.dangles else unit.end),
        text=text,
        score=worth,
        shape=unit.shape,
        head=head_of_table(passage, unit.start) if unit.shape == "table" else "",
        lead=lead,
    )


def _sentences(scene: Scene) -> tuple[int, int]:
    """Return a sentence; with the one before it where it begins with a pronoun, or with a neighbour where it is too short to check."""
    passage = scene.evidence.passage
    start, end = scene.start, scene.start + len(scene.text)
    if evidence_sentences.leans(scene.text) or evidence_sentences.is_short(scene.text):
        before, after = _neighbours(passage.text, start, end)
        longer = after if evidence_sentences.is_short(passage.text[before:end]) else end
        if longer - before <= _LONGEST_QUOTE:
            start, end = before, longer
    return start, end


def _neighbours(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the sentence before begins and where the one behind ends, if they are such as can be quoted."""
    around = [span for span in sentences(text) if _is_quotable(text[slice(*span)])]
    before = [span[0] for span in around if span[1] <= start and not text[span[1] : start].strip()]
    after = [span[1] for span in around if span[0] >= end and not text[end : span[0]].strip()]
    return (before or [start])[-1], (after or [end])[0]


def _is_quotable(sentence: str) -> bool:
    return evidence_sentences.is_prose(sentence) and evidence_sentences.begins(sentence) and not is_order(sentence)


# -- the choice


def _chosen(ask: QuestionTerms, found: Sequence[_Rated], limit: int) -> list[_Rated]:
    """Take the best, and further ones until the answer is likely among them, or where one speaks of a name that nothing was said of."""
    chosen: list[_Rated] = []
    enough = _ENOUGH * sum(one.quote.score for one in found)
    for one in found:
        if len(chosen) >= limit or any(_overlaps(one, other) for other in chosen):
            continue
        said = frozenset[str]().union(*(other.covered for other in chosen))
        is_new = ask.names & one.covered - said and (one.quote.likely is None or one.quote.likely >= _MORE)
        held = sum(other.quote.score for other in chosen)
        if not chosen or is_new or (held < enough and one.quote.score >= _NEXT * chosen[0].quote.score):
            chosen.append(one)
    return chosen


def _overlaps(rated: _Rated, other: _Rated) -> bool:
    """Tell whether two quotes share characters of a document, or say the same in the same words."""
    if overlap(rated.quote, other.quote):
        return True
    return len(rated.words & other.words) >= _SAME * max(1, len(rated.words | other.words))


def _going_on(
    ask: QuestionTerms, quote: Quote, likely: Likely, scenes_of: Mapping[tuple[tuple[str, str, int], int], Scene]
) -> Quote:
    """Return a quote with the sentences behind it that a reader takes for a part of the answer, too."""
    if quote.shape != "prose":
        return quote
    passage = quote.evidence.passage
    if ask.wanted.many and _ANNOUNCES.search(quote.text):  # "there are two zones", and then one after the other
        ends = [end for _, end in sentences(passage.text) if 0 < passage.start + end - quote.start <= _LONGEST_QUOTE]
        longest = max(ends, default=quote.end - passage.start)
        if passage.start + longest > quote.end and "\n#" not in passage.text[quote.end - passage.start : longest]:
            return replace(quote, end=passage.start + longest, text=passage.text[quote.start - passage.start : longest])
    if quote.likely is None:
        return quote
    spans = [span for span in sentences(passage.text) if passage.start + span[0] >= quote.end]
    for start, end in spans[:_FOLLOWING]:
        scene = scenes_of.get((_at(quote.evidence), start))
        if scene is None or (likely(scene) or 0.0) < _GOES_ON or not _is_quotable(scene.text):
            break
        longer = replace(quote, end=passage.start + end, text=passage.text[quote.start - passage.start : end])
        if len(longer.text) > _LONGEST_RUN or not _follow(quote, replace(longer, start=passage.start + start)):
            break
        quote = longer
    return quote


def _joined(quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    """Return quotes of which those that follow each other in a passage are one."""
    found: list[Quote] = []
    for quote in quotes:
        before = next((n for n, other in enumerate(found) if _follow(other, quote) or _follow(quote, other)), None)
        if before is None:
            if not any(overlap(quote, other) for other in found):
                found.append(quote)
            continue
        first, last = sorted((found[before], quote), key=lambda one: one.start)
        passage = first.evidence.passage
        text = passage.text[first.start - passage.start : last.end - passage.start]
        found[before] = replace(first, end=last.end, text=text, likely=found[before].likely, score=found[before].score)
    return tuple(found)


def _follow(one: Quote, other: Quote) -> bool:
    """Tell whether one sentence follows directly on another."""
    if one.shape != "prose" or other.shape != "prose" or _at(one.evidence) != _at(other.evidence):
        return False
    passage = one.evidence.passage
    between = passage.text[one.end - passage.start : other.start - passage.start] if one.end <= other.start else "-"
    return not between.strip() and "\n\n" not in between and other.end - one.start <= _LONGEST_QUOTE


def overlap(one: Quote, other: Quote) -> bool:
    """Tell whether two quotes share characters of a document."""
    return place(one) == place(other) and one.start < other.end and other.start < one.end


def heading_of(item: Evidence) -> str:
    """Return the heading of the section that a passage stands in, beside the one of the whole document."""
    return item.passage.section[-1] if len(item.passage.section) > 1 else ""


def _place_of(item: Evidence) -> tuple[str, str]:
    """Return which document a passage is from."""
    return item.document.collection, item.document.id


def place(quote: Quote) -> tuple[str, str]:
    """Return which document a quote is from."""
    return _place_of(quote.evidence)


def is_of_row(thing: str, head: Sequence[str], cells: Sequence[str]) -> bool:
    """Tell whether a row of a table is that of a thing: its number, if any, stands with its unit in the cells that the row begins with."""
    wanted = [one for one in amounts(thing) if one.exact]
    if not wanted:
        return is_named(thing, " ".join(cells))
    first = next((place for place, cell in enumerate(cells) if not any(map(str.isalpha, cell))), len(cells))
    own = list(zip_longest(cells[: max(1, first)], head[: max(1, first)], fillvalue=""))
    return all(any(_is_amount(thing, one, cell, name) for cell, name in own) for one in wanted)


def _is_amount(thing: str, wanted: Amount, cell: str, name: str) -> bool:
    """Tell whether a cell, below the name of its column, has this amount; its unit may be written short ("ppb")."""
    for one in amounts(cell):
        if one.value != wanted.value:
            continue
        asked = _UNIT_WORDS.findall(thing[wanted.end :])
        there = _UNIT_WORDS.findall(cell[one.end :]) or _UNIT_WORDS.findall(" ".join(_IN_BRACKETS.findall(name)))
        if one.unit and wanted.unit:
            return one.unit == wanted.unit
        short = fold("".join(word[0] for word in asked))
        if (
            not asked
            or not there
            or short.startswith(fold(there[0]))
            or not {*terms(" ".join(asked))}.isdisjoint(terms(" ".join(there)))
        ):
            return True
    return False


def shortened(quote: Quote, start: int, end: int) -> Quote:
    """Return a piece of a quote, by places in its text."""
    return replace(quote, start=quote.start + start, end=quote.start + end, text=quote.text[start:end])


# -- tables, and pieces of quotations that fit into their cells

_LONGEST_CELL = 140
_STRONG = re.compile(r"[;；。]|[.!](?=\s)")
_UNIT_WORDS = re.compile(r"[^\W\d_]+")
_IN_BRACKETS = re.compile(r"[(（]([^()（）]*)[)）]")
_WEAK = re.compile(r"[,，、:：](?!\d)|(?<=\s)(?:and|but|while|whereas)(?=\s)")


def piece(quote: Quote, value: str) -> Quote:
    """Return the part of a quote that stands around a value: whole clauses, as many as fit into a cell."""
    text = quote.text
    at = max(0, text.find(value)) if value else 0
    stop = at + len(value)
    start, end = _between(_STRONG, text, (0, len(text)), (at, stop))
    if is_short(text[start:end]):
        start, end = 0, len(text)
    if end - start > _LONGEST_CELL:
        clauses = _clauses(text, (start, end), (at, stop))
        start, end = (start, end) if is_short(text[slice(*clauses)]) else clauses
    if end - start > _LONGEST_CELL:
        # keep what is around the value, cut between words
        first = start if stop - start <= _LONGEST_CELL else max(start, at - 40)
        last = min(end, max(stop, first + _LONGEST_CELL))
        while (
            first > start
            and first < at
            and text[first - 1].isalnum()
            and text[first].isascii()
            and text[first].isalnum()
        ):
            first += 1
        while last < end and last > stop and text[last - 1].isalnum() and text[last].isascii() and text[last].isalnum():
            last -= 1
        start, end = first, last
    edges = " \t\n\r,，、;；"
    while start < end and quote.text[start] in edges:
        start += 1
    while end > start and quote.text[end - 1] in edges:
        end -= 1
    return shortened(quote, start, end)


def _between(border: re.Pattern[str], text: str, within: tuple[int, int], core: tuple[int, int]) -> tuple[int, int]:
    """Return what stands between the borders around a stretch of text."""
    places = [match.end() for match in border.finditer(text, *within)]
    start = max((place for place in places if place <= core[0]), default=within[0])
    return start, min((place for place in places if place >= core[1] and place > start), default=within[1])


def _clauses(text: str, within: tuple[int, int], core: tuple[int, int]) -> tuple[int, int]:
    """Return the clause around a stretch, and of its neighbours, first behind and then before it, what fits into a cell."""
    start, end = _between(_WEAK, text, within, core)
    places = [match.end() for match in _WEAK.finditer(text, *within)]
    for place in [place for place in (*places, within[1]) if place > end]:
        end = place if place - start <= _LONGEST_CELL else end
    for place in reversed([place for place in (within[0], *places) if place < start]):
        start = place if end - place <= _LONGEST_CELL else start
    return start, end


def markdown_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table; the texts of its cells are Markdown already."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
