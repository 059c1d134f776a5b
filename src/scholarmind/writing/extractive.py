"""The answerer and the writer that need no model: short answers in the words of the passages, and quotations.

A question for several things is answered by the items of a list: a line of names, or points under one another. How an answer is composed
of quotations is in `compose`.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from types import MappingProxyType

from scholarmind import languages
from scholarmind.answer import Draft
from scholarmind.citing.citation_styles import assign
from scholarmind.identity import short_name
from scholarmind.judge.answers import AnswerReader, Likeness
from scholarmind.model import Document, Evidence
from scholarmind.plan import SubQuestion
from scholarmind.ports import Lexicon, Material, Short
from scholarmind.text.analysis import each_once, enumerated, items_of, sentences, terms
from scholarmind.text.language import HAN, lazy_regex
from scholarmind.writing.answer_markdown import moved, words_for
from scholarmind.writing.answer_type import answer_type_of
from scholarmind.writing.compose import compose
from scholarmind.writing.evidence_sentences import (
    QuestionTerms,
    Scene,
    items_of_list,
    leans,
    read_question,
    rows_of_table,
    scenes,
    terms_of,
    titles,
)
from scholarmind.writing.quotations import best_sentences
from scholarmind.writing.short_answers import candidates, short_answers

# -- the items of a list that answers a question for several things

_NO_RARITY: Mapping[str, float] = MappingProxyType({})
_NOT_LISTED = frozenset(("number", "reason", "yes or no", "description"))
_LEAST = 0.35  # of the question's words that the sentence of a list must hold
_BESIDE_BEST = 0.75  # and of what the best sentence holds
_LONGEST_ITEM = 80
_LONGEST_HEAD = 40  # of an item that is asked about further
_LONGEST_SENTENCE = 1_500
_LONGEST_PASSAGE = 8_000
_POINT = lazy_regex(r"^[ \t]*(?:[-*•·]|\(?\d{1,2}[.)、）])[ \t]*(?P<text>\S.*)$", re.MULTILINE)
_BOLD = lazy_regex(r"^(?:\*\*|__)(.+?)(?:\*\*|__)")
_END_OF_HEAD = lazy_regex(r"[:：;；。]|\.(?:\s|$)|\s[-–—]\s|——|\s*[(（]|,\s|，")
_NAME = r"[A-Z0-9][\w.+\-/]*"
_NAMES = rf"(?:the )?{_NAME}(?: (?:{_NAME}|v\d[\w.]*|(?:of|for|the|in) {_NAME})){{0,6}}"
_NAME_LIST = lazy_regex(rf"(?<![\w.]){_NAMES}(?:, {_NAMES}){{0,30}},? (?:and|or|as well as) {_NAMES}")
_HAN_LIST = lazy_regex(
    r"[^，。；：！？、\s,;:]{1,30}(?:、[^，。；：！？、,;:]{1,30})*(?:、|以及|[和与及])[^，。；：！？、,;:]{1,30}"
)

_JOINT = lazy_regex(r",?\s+(?:and|or|as well as|&)\s+|,\s+|;\s+")
_JOINED = lazy_regex(r"\s(?:and|or|as well as|&)\s|;")
_NO_ITEM = lazy_regex(r"[:：()（）–—]|\s-\s")
_HAN_BEFORE = lazy_regex(r"^.*(?:包括|包含|分别[是为]|使用了?|采用了?|提出了?|发布了?|如下|[有是为在由了])(?=\S)")
_HAN_AFTER = lazy_regex(r"(?:等.*|[两二三四五六七八九十]个.*|这.*|上进行.*|的.*)$")


def listed(question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float] = _NO_RARITY) -> tuple[str, ...]:
    """Return the items of the list in the evidence that fits a question best, if the question is one for several things."""
    want = answer_type_of(question)
    if not want.many or want.kind in _NOT_LISTED:
        return ()
    if items := _quoted(question, evidence, rarity):
        return items
    ask = read_question(question, rarity, evidence)
    read = scenes(ask, evidence)
    best = max((scene.coverage for scene in read), default=0.0)
    found = [(scene.coverage - 0.03 * scene.rank, items) for scene in read for items in _in_line(ask, scene)]
    found += _points(ask, evidence)
    good = [pair for pair in found if pair[0] >= max(_LEAST, _BESIDE_BEST * best)]
    return max(good, key=lambda pair: (round(pair[0], 6), len(pair[1])))[1] if good else ()


def _quoted(question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float]) -> tuple[str, ...]:
    """Return what each item of a list, or each row of a table, is about, where such a one would be quoted for the question."""
    quote = next(iter(best_sentences(question, evidence, rarity, 1)), None)
    if quote is None or quote.shape == "prose":
        return ()
    if quote.shape == "table":
        _, rows = rows_of_table(quote.text)
        heads = [row[0] for row in rows[1:] if row]
    else:
        lead, items = items_of_list(quote.text)
        heads = [_head(item) for item in items] if lead or quote.lead else []
    heads = [head for head in each_once(heads) if head]
    return tuple(heads) if len(heads) > 1 and max(map(len, heads)) <= _LONGEST_HEAD else ()


def _in_line(ask: QuestionTerms, scene: Scene) -> Iterator[tuple[str, ...]]:
    """Yield the lists of names in a sentence."""
    lists = [candidate.text for candidate in candidates(scene.text) if candidate.kind == "list"]
    lists += [match[0] for match in _NAME_LIST.finditer(scene.text[:_LONGEST_SENTENCE])]
    for text in lists:
        if items := _new(ask, items_of(text)):
            yield items
    if HAN.search(scene.text):
        for match in _HAN_LIST.finditer(scene.text):
            if items := _new(ask, _han_items(match[0])):
                yield items


def enumerated_in(text: str) -> tuple[str, ...]:
    """Return the items of the longest enumeration in a sentence, of whatever: "we saw ants, wasps and red bees in May" has three."""
    found = [_han_items(match[0]) for match in _HAN_LIST.finditer(text[:_LONGEST_SENTENCE])] if HAN.search(text) else []
    found += _english_runs(text[:_LONGEST_SENTENCE])
    named = [tuple(item for item in items if not leans(item)) for items in found]  # "However, ..." is no item
    kept = [items for items in named if len(items) > 1 and all(any(map(str.isalpha, item)) for item in items)]
    return max(kept, key=len, default=())


def _english_runs(text: str) -> Iterator[tuple[str, ...]]:
    """Yield runs of pieces between joints: the middle ones are items, the last ends where a verb or a preposition stands.

    The first begins where the others are as long as it: "we measured clothianidin, thiamethoxam and imidacloprid".
    """
    words = languages.language("en").words
    verbs = words("words.auxiliary")
    ends = (verbs | words("words.preposition")) - {"of"}
    for start, end in sentences(text):
        for stretch in _NO_ITEM.split(text[start:end]):
            if not _JOINED.search(stretch):
                continue
            pieces = [piece.strip(" .\"“”'").split() for piece in _JOINT.split(stretch)]
            first, items = pieces[0], list[list[str]]()
            for piece in pieces[1:]:
                stop = next((n for n, word in enumerate(piece) if word.lower() in ends), len(piece))
                if stop:
                    items.append(piece[:stop])
                if stop == len(piece) and piece is not pieces[-1]:
                    continue
                is_subject = 0 < stop < len(piece) and piece[stop].lower() in verbs
                if items and (head := _first_item(first, max(map(len, items)), ends, whole=is_subject)):
                    yield each_once(" ".join(item) for item in (head, *items))
                first, items = piece, []


def _first_item(piece: Sequence[str], longest: int, ends: AbstractSet[str], *, whole: bool) -> Sequence[str]:
    """Return the first item at the end of a piece; of a subject the whole piece, and nothing where it is longer: a clause of its own."""
    if whole:
        return piece if len(piece) <= longest + 1 else ()
    begin = max((n for n, word in enumerate(piece, 1) if word.lower() in ends), default=0)
    return piece[begin:][-longest:]


def _han_items(text: str) -> tuple[str, ...]:
    first, *rest = items_of(text) or ("",)
    if not rest:
        return ()
    return each_once((_HAN_BEFORE.sub("", first), *rest[:-1], _HAN_AFTER.sub("", rest[-1])))


def _points(ask: QuestionTerms, evidence: Sequence[Evidence]) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Yield lists of points, each with what the line before it, the headings and the title hold of the question."""
    for rank, item in enumerate(evidence):
        text = item.passage.text[:_LONGEST_PASSAGE]
        for group in _groups(list(_POINT.finditer(text)), text):
            before = text[: group[0].start()].rstrip().rpartition("\n")[2]
            around = frozenset(terms_of(" ".join((before, *item.passage.section, *titles(item)))))
            coverage = sum(weight for term, weight in ask.weights.items() if term in around)
            if items := _new(ask, each_once(_head(match["text"]) for match in group)):
                yield coverage - 0.03 * rank, items


def _groups(points: Sequence[re.Match[str]], text: str) -> Iterator[list[re.Match[str]]]:
    """Yield runs of points that stand directly under one another."""
    group: list[re.Match[str]] = []
    for point in points:
        if group and text[group[-1].end() : point.start()].strip():
            yield group
            group = []
        group.append(point)
    if group:
        yield group


def _head(point: str) -> str:
    """Return what a point is about: its bold words, or those before its first stop."""
    if bold := _BOLD.match(point):
        return bold[1].strip(" :：.")
    return _END_OF_HEAD.split(point.replace("**", "").replace("`", ""), maxsplit=1)[0].strip()


def _new(ask: QuestionTerms, items: Sequence[str]) -> tuple[str, ...]:
    """Return the items if they are several that say something which the question does not, else nothing."""
    kept = tuple(item for item in items if set(terms_of(item)) - ask.weights.keys())
    return kept if len(kept) > 1 and max(map(len, kept)) <= _LONGEST_ITEM else ()


# -- answerer and writer

_UNCONFIRMED = "most of what the model wrote could not be confirmed; quotations stand below it"
_CANDIDATES = 3
_READ = 8  # passages that a short answer is looked for in
_SUBJECTS = 4
_NAMED = 4  # items of a list in one short answer


class KeylessAnswerer:
    """Finds short answers in the words of the passages; an overview is answered by what it is about."""

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self._lexicon = lexicon

    async def short(self, part: SubQuestion, question: str, evidence: Sequence[Evidence]) -> Short:
        """Return the short answers of all rows; those of several rows are told together."""
        if part.kind == "global":
            return Short(candidates=(", ".join(_subjects(evidence)),) if evidence else ())
        rows = question.split("\n") if len(part.rows) > 1 else [question]
        if len(rows) == 1:
            rarity = await self._rarity(question)
            answers = await asyncio.to_thread(short_answers, question, evidence[:_READ], rarity)
            items = await asyncio.to_thread(listed, question, evidence[:_READ], rarity)
            told = (enumerated(items[:_NAMED]),) if len(items) > 1 else ()
            return Short(candidates=(*told, *filter(None, map(_tidy, answers)))[:_CANDIDATES], items=items)
        best: list[str] = []
        for label, row in zip(part.row_ids, rows, strict=True):
            own = [item for item in evidence if label in item.found_by]
            best += (await asyncio.to_thread(short_answers, row, own[:_READ], await self._rarity(row)))[:1]
        together = tuple(dict.fromkeys(best))
        return Short(candidates=(", ".join(together),) if together else (), items=together)

    async def _rarity(self, row: str) -> Mapping[str, float]:
        return await self._lexicon.rarity(list(dict.fromkeys(terms(row)))) if self._lexicon else {}


def _tidy(answer: str) -> str:
    return answer.strip(" :：,，;；")


class ExtractiveWriter:
    """Quotes, and writes nothing itself but headings and what code can work out from numbers."""

    def __init__(self, reader: AnswerReader | None = None, likeness: Likeness | None = None) -> None:
        self._reader = reader
        self._likeness = likeness

    async def write(self, material: Material, on_piece: Callable[[str, int], None]) -> Draft:
        """Return the answer."""
        del on_piece  # it is there at once
        given = (material.plan, material.findings, assign, material.rarity, self._reader, self._likeness)
        return await asyncio.to_thread(compose, *given)


def quoted_below(draft: Draft, material: Material) -> tuple[Draft, str]:
    """Return a draft of a model with quotations below its text, and these, where most of it is unconfirmed, or nothing and not all missing.

    What was counted is there already.
    """
    written = [claim for claim in draft.claims if not claim.counted]
    if written:
        if 2 * sum(claim.status == "unsupported" for claim in written) <= len(written):
            return draft, ""
    else:
        found = [part for part in material.plan.parts if part.role == "find" and not part.extends]
        if {row for part in found for row in part.row_ids} <= {*draft.missing, *(claim.row for claim in draft.claims)}:
            return draft, ""
    draft = replace(draft, unconfirmed=True)
    uncounted = [replace(finding, tallies=()) for finding in material.findings]
    known = {(one.collection, one.document): one.key for one in draft.citations}

    def keys(documents: Sequence[Document]) -> Mapping[tuple[str, str], str]:
        """Give each work the key that it has in the text above, and none that another has there."""
        return assign(documents, known)

    quoted = compose(material.plan, uncounted, keys, material.rarity)
    if not quoted.claims:
        return draft, ""
    words = words_for(material.plan.question)
    lead = f"{words['below label']}\n\n"
    body = quoted.text.removeprefix(words["label"]).lstrip()
    quoted = moved(quoted, len(draft.text) + 2 + len(lead) + len(body) - len(quoted.text))
    below = lead + body
    return replace(
        draft,
        text=f"{draft.text}\n\n{below}",
        claims=(*draft.claims, *quoted.claims),
        citations=tuple(dict.fromkeys((*draft.citations, *quoted.citations))),
        answers={**quoted.answers, **draft.answers},
        conflicts={**quoted.conflicts, **draft.conflicts},
        notes=(*draft.notes, _UNCONFIRMED),
    ), below


def _subjects(evidence: Sequence[Evidence]) -> list[str]:
    """Return the short names of the documents that come first."""
    return list(dict.fromkeys(short_name(item.document) for item in evidence))[:_SUBJECTS]
