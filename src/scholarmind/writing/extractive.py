"""The writer and the reviewer that need no model: quotations, and a judgement of every row by its words."""

import asyncio
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace

from scholarmind.answer import Draft, Finding, Review
from scholarmind.citing.keys import assign
from scholarmind.model import Document, Evidence
from scholarmind.naming import short_name
from scholarmind.plan import Plan, SubQuestion
from scholarmind.ports import Lexicon, Material, Short
from scholarmind.relations import Tally
from scholarmind.steps.review import review
from scholarmind.text.analysis import terms
from scholarmind.text.language import language_of
from scholarmind.text.overviews import is_of_gaps, subject_of
from scholarmind.writing.compose import compose
from scholarmind.writing.listing import listed
from scholarmind.writing.overview import READ, overview
from scholarmind.writing.spans import short_answers
from scholarmind.writing.support import Coverage, support
from scholarmind.writing.tallied import tallies_of
from scholarmind.writing.wording import words_for

_UNCONFIRMED = "most of what the model wrote could not be confirmed; quotations stand below it"
_CANDIDATES = 3
_READ = 8  # passages that a short answer is looked for in
_JUDGED = 10  # passages of a row
_REMEMBERED = 64  # judgements of rows
_SUBJECTS = 4
_LITTLE = 0.1  # sure of a row at most so much, when nothing in its evidence is worth a quotation
_PARTLY = 0.4  # sure of an overview at least so much, if several documents tell of its subject
_TOLD = Coverage(confidence=0.75, status="answered")  # an overview of all there is
_PARTLY_TOLD = Coverage(confidence=0.6, status="partial")  # what is missing, as far as documents tell of it
_HALF = 0.69  # sure of a row at most so much, when its reader misses something: under `ANSWERED`


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
            return Short(candidates=tuple(answers)[:_CANDIDATES], items=items)
        best: list[str] = []
        for label, row in zip(part.row_ids, rows, strict=True):
            own = [item for item in evidence if label in item.found_by]
            best += (await asyncio.to_thread(short_answers, row, own[:_READ], await self._rarity(row)))[:1]
        together = tuple(dict.fromkeys(best))
        return Short(candidates=(", ".join(together),) if together else (), items=together)

    async def _rarity(self, row: str) -> Mapping[str, float]:
        return await self._lexicon.rarity(list(dict.fromkeys(terms(row)))) if self._lexicon else {}


class ExtractiveWriter:
    """Quotes, and writes nothing itself but headings and what code can work out from numbers."""

    async def write(self, material: Material, on_piece: Callable[[str, int], None]) -> Draft:
        """Return the answer."""
        del on_piece  # it is there at once
        return await asyncio.to_thread(compose, material.plan, material.findings, assign, material.rarity)


def most_is_unconfirmed(draft: Draft, plan: Plan) -> bool:
    """Tell whether more than half of what a model wrote is not confirmed, or nothing although it does not call all of it missing."""
    written = [claim for claim in draft.claims if not claim.counted]
    if written:
        return 2 * sum(claim.status == "unsupported" for claim in written) > len(written)
    rows = {row for part in plan.parts if part.role == "find" and not part.extends for row in part.row_ids}
    return not rows <= {*draft.missing, *(claim.row for claim in draft.claims)}


def with_quotations(draft: Draft, material: Material) -> tuple[Draft, str]:
    """Return a draft of a model with quotations below its text, and these. What was counted is there already."""
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
    below = f"{words['below label']}\n\n{quoted.text.removeprefix(words['label']).lstrip()}"
    return replace(
        draft,
        text=f"{draft.text}\n\n{below}",
        claims=(*draft.claims, *quoted.claims),
        citations=tuple(dict.fromkeys((*draft.citations, *quoted.citations))),
        answers={**quoted.answers, **draft.answers},
        conflicts={**quoted.conflicts, **draft.conflicts},
        notes=(*draft.notes, _UNCONFIRMED),
    ), below


class KeylessReviewer:
    """Judges each row by how well its evidence covers what it asks; what a model says is missing can only lower that."""

    def __init__(self) -> None:
        self._judged: dict[
            Hashable, Coverage
        ] = {}  # the last rows: what is found is judged before and after it is written from

    def review(
        self, plan: Plan, findings: Sequence[Finding], draft: Draft | None, rarity: Mapping[str, float]
    ) -> Review:
        """Return how complete the answer is, or would be."""
        covered: dict[str, Coverage] = {}
        told = _Told(draft) if draft and draft.by_model else None
        counted = {row: _counted(tally) for row, tally in tallies_of(findings).items()}
        for finding, label, question in _looked_up(findings):
            if label not in counted:
                own = [item for item in finding.evidence if label in item.found_by]
                untold = told.lacking(label, question, own) if told else ""
                judge = self._judged_whole if finding.part.kind == "global" else self._judge
                covered[label] = _lowered(judge(question, own, rarity), finding.lacks or untold)
        if draft is None:
            return review(plan, findings, covered | counted)
        if (
            not draft.by_model and not draft.claims
        ):  # no sentence was worth a quotation, whatever the words of the passages
            covered = {label: _unsaid(coverage, plan.question) for label, coverage in covered.items()}
        for label, missing in draft.missing.items():
            if label in covered:
                covered[label] = _lowered(covered[label], missing)
        unconfirmed = draft.unconfirmed or any(claim.status == "unsupported" for claim in draft.claims)
        return review(plan, findings, covered | counted, draft.conflicts, unconfirmed=unconfirmed)

    def _judged_whole(self, question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float]) -> Coverage:
        """Return the judgement of an overview: no passage has to say "trend", and what several documents tell is something."""
        subject = subject_of(question)
        judged = self._judge(subject or question, evidence, rarity)
        if not subject and overview(question, evidence[:READ], rarity):  # of all there is, which no passage has to name
            return _PARTLY_TOLD if is_of_gaps(question) else _TOLD
        if judged.status != "not in the library" or not overview(question, evidence[:READ], rarity):
            return judged
        return replace(judged, status="partial", confidence=max(judged.confidence, _PARTLY))

    def _judge(self, question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float]) -> Coverage:
        evidence = evidence[:_JUDGED]
        read = tuple((item.document.title, item.passage.text) for item in evidence)
        key = (question, read, tuple(sorted(rarity.items())))
        if (known := self._judged.pop(key, None)) is None:
            known = support(question, evidence, rarity)
        self._judged[key] = known
        for old in [*self._judged][:-_REMEMBERED]:
            self._judged.pop(old, None)
        return known


class _Told:
    """What a model's answer says that was confirmed: by row, and by document."""

    def __init__(self, draft: Draft) -> None:
        confirmed = [claim for claim in draft.claims if claim.status != "unsupported"]
        self._rows = {claim.row for claim in confirmed}
        self._documents = {(one.collection, one.document) for claim in confirmed for one in claim.citations}

    def lacking(self, row: str, question: str, evidence: Sequence[Evidence]) -> str:
        """Return that nothing in the answer speaks of a row, if that is so; one sentence may speak of several."""
        if row in self._rows or any((one.document.collection, one.document.id) in self._documents for one in evidence):
            return ""
        return (
            "答案里没有得到证实的相关句子"
            if language_of(question) == "zh"
            else "no confirmed sentence of the answer is about it"
        )


def _looked_up(findings: Sequence[Finding]) -> Iterator[tuple[Finding, str, str]]:
    """Yield each row that something was found for, with its finding and its question."""
    for finding in findings:
        if finding.part.role == "find" and not finding.error:
            for label, question in zip(finding.part.row_ids, finding.rows, strict=True):
                yield finding, label, question


def _counted(tally: Tally) -> Coverage:
    """Return the judgement of a row that the graph of papers answers: whatever its passages say, it is as sure as the counting."""
    return Coverage(confidence=tally.confidence, status="answered")


def _lowered(coverage: Coverage, missing: str) -> Coverage:
    """Return the judgement of a row of which somebody who read its evidence says that something is missing."""
    if not missing or coverage.status == "not in the library":
        return coverage
    told = "; ".join(dict.fromkeys(filter(None, (coverage.missing, missing))))
    return replace(coverage, status="partial", missing=told, confidence=min(coverage.confidence, _HALF))


def _unsaid(coverage: Coverage, question: str) -> Coverage:
    """Return the judgement of a row of which nothing could be quoted."""
    said = "没有一句话与此有关" if language_of(question) == "zh" else "no sentence is about it"
    told = coverage.missing or said
    return replace(coverage, status="not in the library", missing=told, confidence=min(coverage.confidence, _LITTLE))


def _subjects(evidence: Sequence[Evidence]) -> list[str]:
    """Return the short names of the documents that come first."""
    return list(dict.fromkeys(short_name(item.document) for item in evidence))[:_SUBJECTS]
