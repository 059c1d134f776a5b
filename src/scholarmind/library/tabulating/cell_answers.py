"""Answer a column for one paper without a model: one that has a name is read off the sentences of the paper, part by part; the questions of
any other are put to its passages alone, as `ask` would put them.

What is found is a sentence that the judge holds for an answer, cut down to the words that matter; else the cell is "not stated", and keeps
what comes nearest.
"""

import asyncio
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from scholarmind.filters import AllOf, Compare
from scholarmind.identity import headings_below
from scholarmind.judge.amounts import Amount
from scholarmind.judge.answers import AnswerReader, judge
from scholarmind.library.tabulating.columns import began_in, normalised, signs_of, with_unit, year_in
from scholarmind.library.tabulating.stated import Signs, stated_in
from scholarmind.library_ports import Shelf
from scholarmind.model import Document, Evidence, Scores, Value
from scholarmind.ports import Lexicon, Retriever
from scholarmind.tables import CellSource, TableCell, TableColumn
from scholarmind.text.analysis import terms
from scholarmind.text.paper_parts import paper_sentences
from scholarmind.text.untrusted import is_order
from scholarmind.writing.answer_type import answer_type_of, asked_number
from scholarmind.writing.extractive import enumerated_in, listed
from scholarmind.writing.quotations import Quote, SentenceReading, piece, read
from scholarmind.writing.text_review import ground_of
from scholarmind.writing.verdicts import value_of

VERSION = "5"  # raise it when cells would come out otherwise: they are asked anew then
PASSAGES = 5  # that are read for a question
_UNTOLD = frozenset(("references", "contents", "table"))  # kinds of passages that no sentence of a paper stands in
_SENTENCES = 3  # in which a number is looked for
_LONGEST_VALUE, _LONGEST_ITEM = 140, 32
_COUNTS = re.compile(r"\bhow (?:many|large)\b|\bsize\b|多少|多大|几", re.IGNORECASE)
_ENDS = re.compile(
    r"\b(?:end|ends|ended|finish\w*|completed?|completion|until|last|stop\w*)\b|结束|完成|竣工|截至|到哪", re.IGNORECASE
)
_LEFT_OPEN = re.compile(r"[\s,，;；]+(?:and|but|or|while|whereas)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """The best sentence for one question, and whether it answers."""

    question: str
    quote: Quote
    answers: tuple[str, ...]
    sure: float
    answered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CellFinder:
    """Finds the cells of a library's papers."""

    retriever: Retriever
    lexicon: Lexicon
    shelf: Shelf
    reader: AnswerReader | None = None
    known: dict[str, Mapping[str, float]] = field(
        default_factory=dict[str, Mapping[str, float]]
    )  # rarities by question

    def version_of(self, column: TableColumn) -> str:
        """Return what a cell of a column is found with: the way, and the questions of a preset, which may become others."""
        asked = repr((column.kind, column.questions, column.chinese, column.field))
        return f"{VERSION} {'read' if self.reader else 'words'} {zlib.crc32(asked.encode()):08x}"

    async def passages(self, document: Document, question: str) -> tuple[Evidence, ...]:
        """Return the passages of a document that are nearest to a question."""
        own = AllOf((Compare("collection", "=", document.collection), Compare("id", "=", document.id)))
        return (await self.retriever.search(question, PASSAGES, own)).evidence

    async def opening(self, document: Document) -> tuple[Evidence, ...]:
        """Return the first passages of a document, for want of any that are near to a question."""
        entry = await self.shelf.entry(document.collection, document.id)
        first = entry.passages[:PASSAGES] if entry else ()
        return tuple(Evidence(passage=passage, document=document, scores=Scores(fused=0.0)) for passage in first)

    async def find(self, document: Document, column: TableColumn) -> TableCell:
        """Return what a document states for a column."""
        version = self.version_of(column)
        if column.field:
            return _of_metadata(document, column, version)
        if signs := signs_of(column.key):
            return replace(await self._stated(document, column, signs), version=version)
        nearest: CellSource | None = None
        best = 0.0
        for question in column.asked(document.language):
            evidence = await self.passages(document, question)
            if question not in self.known:
                self.known[question] = await self.lexicon.rarity(list(dict.fromkeys(terms(question))))
            rarity = self.known[question]
            attempts = await asyncio.to_thread(self._attempts, question, evidence, rarity, column)
            for attempt in attempts:
                if attempt.answered and (cell := _cell(attempt, column, rarity)) is not None:
                    return replace(cell, version=version)
            if not attempts:
                continue
            attempt = attempts[0]
            if nearest is None or attempt.sure > best:
                nearest, best = source_of(attempt.quote.evidence, attempt.quote.start, attempt.quote.end), attempt.sure
        return TableCell(nearest=nearest, sure=best, version=version)

    async def _stated(self, document: Document, column: TableColumn, signs: Signs) -> TableCell:
        """Return what a paper states for a column that has a name, read off its sentences one by one."""
        entry = await self.shelf.entry(document.collection, document.id)
        told = [passage for passage in entry.passages if passage.kind not in _UNTOLD] if entry else []
        paper = _read(entry.text if entry else "", tuple((each.start, each.end) for each in told), document.title)
        for one in stated_in(paper, document.title, signs, document.language):
            if is_order(one.sentence.text):
                continue
            passage = next(each for each in told if each.start <= one.sentence.start < each.end)
            item = Evidence(passage=passage, document=document, scores=Scores(fused=one.worth))
            source = source_of(item, one.sentence.start, one.sentence.end)
            sure = round(1 - 1 / one.worth, 4)
            if not one.is_sure:
                return TableCell(nearest=source, sure=sure)
            items = enumerated_in(one.sentence.text) if column.kind == "list" else ()
            items = items if all(len(item) <= _LONGEST_ITEM for item in items) else ()
            value = " ".join((", ".join(items) or one.text).split())
            return normalised(TableCell(value=value, items=items, source=source, sure=sure), column)
        return TableCell()

    def _attempts(
        self, question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float], column: TableColumn
    ) -> list[_Attempt]:
        """Return the best sentence, before anything that follows it is quoted with it: a cell has room for one.

        Of a number the next best, too: the best sentence may have one of something else.
        """
        found = read(question, evidence, SentenceReading(rarity=rarity, reader=self.reader), 1)
        quotes = [
            one for one in found.rivals if one.shape != "table" and "|" not in one.text and not is_order(one.text)
        ]
        attempts: list[_Attempt] = []
        for quote in quotes[: _SENTENCES if column.kind == "number" else 1]:
            said = [ground_of(one.evidence, one.text) for one in (quote.lead, quote) if one]
            judged = judge(question, said, [ground_of(item) for item in evidence], rarity, self.reader)
            attempts.append(_Attempt(question, quote, found.answers, judged.confidence, judged.status == "answered"))
        return attempts


_read = lru_cache(maxsize=4)(paper_sentences)  # the columns of a paper are asked together


def source_of(item: Evidence, start: int, end: int) -> CellSource:
    """Return the place of words in a document's text, as far as they are in this passage."""
    passage = item.passage
    text = passage.text[max(0, start - passage.start) : end - passage.start]
    return CellSource(
        text=text,
        start=start,
        end=end,
        page=passage.page_at(start),
        section=headings_below(item.document.title, passage.section),
    )


def _cell(attempt: _Attempt, column: TableColumn, rarity: Mapping[str, float]) -> TableCell | None:
    """Return the shortest form of an answer that its column takes; None where it has none of that type."""
    quote = attempt.quote
    value, items = value_of(attempt.question, quote, attempt.answers), ()
    if column.kind == "number":
        # the number in a sentence that is asked for, with what it counts. How many there are is never a share or a
        # multiple.
        text = attempt.quote.text
        amount = asked_number(attempt.question, text, answer_type_of(attempt.question).noun)
        value = with_unit(text, amount) if amount and not _is_share(amount, attempt.question) else ""
    elif column.kind == "year":  # a span of years is asked for by its first one, unless by its end
        year = year_in(value) or year_in(quote.text)
        if not _ENDS.search(attempt.question):
            year = began_in(quote.text, year)
        value = "" if year is None else str(year)
    elif column.kind == "list":
        # a quote as a passage of its own: what is listed elsewhere is not said by it
        passage = replace(quote.evidence.passage, text=quote.text, start=quote.start, end=quote.end)
        found = (
            listed(attempt.question, [replace(quote.evidence, passage=passage)], rarity),
            enumerated_in(quote.text),
        )
        items = next((some for some in found if some and all(len(item) <= _LONGEST_ITEM for item in some)), ())
        value = ", ".join(items) or value or _short(quote, value)
    else:
        value = value or _short(quote, value)
    if not value:
        return None
    cell = TableCell(
        value=" ".join(value.split()),
        items=items,
        source=source_of(quote.evidence, quote.start, quote.end),
        sure=attempt.sure,
    )
    return normalised(cell, column)


def _is_share(amount: Amount, question: str) -> bool:
    return amount.unit in {"%", "times", "points"} and _COUNTS.search(question) is not None


def _short(quote: Quote, value: str) -> str:
    """Return the clauses of a quote around a value, as many as a cell has room for, and no "and" at their end."""
    text = quote.text if len(quote.text) <= _LONGEST_VALUE else piece(quote, value).text
    return _LEFT_OPEN.sub("", text)


def _of_metadata(document: Document, column: TableColumn, version: str) -> TableCell:
    """Return what is known of a document itself; its own fields come before what else is told of it."""
    value: Value | None = getattr(document, column.field, None) or document.metadata.get(column.field)
    items = tuple(map(str, value)) if isinstance(value, tuple) else ()
    told = ", ".join(items) if items else "" if value is None else str(value)
    listed_so = items if column.kind == "list" else ()
    cell = TableCell(value=told, items=listed_so, sure=float(bool(told)), by="metadata", version=version)
    return normalised(cell, column)
