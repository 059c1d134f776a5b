"""Whether each row is answered: judged by what the answer says about it and confirms, not by what was found near it.

Before anything is written, a row is judged by the passages that were found for it. What was counted in the graph of papers is as sure as
the counting. What a model says is missing can only lower a row. What it answers of its own knowledge is not in the library.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scholarmind.answer import Claim, Draft, Finding, Review, Row
from scholarmind.judge.answers import ANSWERED, PARTIAL, AnswerReader, Ground, Judgement, judge
from scholarmind.model import Document, Evidence
from scholarmind.plan import Plan
from scholarmind.steps.review import review
from scholarmind.text.analysis import terms
from scholarmind.text.language import language_of
from scholarmind.text.overviews import is_of_gaps, subject_of
from scholarmind.writing.answer_markdown import harmless
from scholarmind.writing.quotations import heading_of
from scholarmind.writing.tallies import tallies_of

# -- rows and their grounds

_JUDGED = 10  # passages of a row
_ITS_OWN = 0.5  # of the words that only this row asks for, in a sentence that was written for another
_DOCUMENTS = 3  # that an overview tells of at least, to be one
_OVERVIEW = 0.75  # how sure we are of an overview of all there is


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGrounds:
    """A row that is looked up: what it asks, what was found for it, and what of that was said and confirmed."""

    finding: Finding
    label: str
    question: str
    said: Sequence[Ground]
    found: Sequence[Ground]


class TextReviewer:
    """Judges the rows of an answer by its text, with a reader of answers if there is one."""

    def __init__(self, reader: AnswerReader | None = None) -> None:
        self._reader = reader

    def review(
        self, plan: Plan, findings: Sequence[Finding], draft: Draft | None, rarity: Mapping[str, float]
    ) -> Review:
        """Return how complete the answer is, or would be."""
        reader = self._reader if draft else None
        judged = {row.label: _judged(row, draft, rarity, reader) for row in grounds_of_rows(findings, draft)}
        for label, tally in tallies_of(findings).items():
            judged[label] = Judgement(confidence=tally.confidence, status="answered")
        if draft is None:
            return review(plan, findings, judged)
        unconfirmed = draft.unconfirmed or any(claim.status == "unsupported" for claim in draft.claims)
        return review(plan, findings, judged, draft.conflicts, unconfirmed=unconfirmed)


def grounds_of_rows(findings: Sequence[Finding], draft: Draft | None) -> Iterator[RowGrounds]:
    """Yield each row that was looked up and not counted. Without a draft all that was found may be said."""
    counted = tallies_of(findings)
    rows = [
        (finding, label, question)
        for finding in findings
        if finding.part.role == "find" and not finding.error
        for label, question in zip(finding.part.row_ids, finding.rows, strict=True)
        if label not in counted
    ]
    questions = [question for _, _, question in rows]
    for finding, label, question in rows:
        evidence = [item for item in finding.evidence if label in item.found_by][:_JUDGED]
        found = [ground_of(item) for item in evidence]
        said = found if draft is None else _said_for(label, question, questions, draft, finding.evidence)
        yield RowGrounds(finding=finding, label=label, question=question, said=said, found=found)


def _judged(
    row: RowGrounds, draft: Draft | None, rarity: Mapping[str, float], reader: AnswerReader | None
) -> Judgement:
    whole = row.finding.part.kind == "global"
    subject = subject_of(row.question) if whole else ""
    said = row.said
    if not said and reader and draft and draft.by_model:
        said = _of_other_rows(row, draft)
    by_model = draft is not None and draft.by_model
    judged = judge(subject or row.question, said, row.found, rarity, reader, by_model=by_model)
    if whole:
        judged = _as_overview(judged, row.question, subject, row.said)
    if (
        draft and row.label in draft.conflicts and judged.confidence < PARTIAL
    ):  # sources that contradict each other speak of it
        judged = replace(judged, status="partial", confidence=PARTIAL)
    if draft and not draft.by_model and not draft.unconfirmed and draft.missing.get(row.label):
        sure = min(judged.confidence, PARTIAL - 0.01)  # the text says that nothing was found
        return Judgement(confidence=sure, status="not in the library", missing=draft.missing[row.label])
    missing = "; ".join(filter(None, (row.finding.lacks, draft.missing.get(row.label, "") if draft else "")))
    return _lowered(judged, missing) if missing else judged


def ground_of(item: Evidence, text: str | None = None) -> Ground:
    """Return a passage, or something that was said from it, as the judge takes it."""
    document = item.document
    return Ground(
        text=item.passage.text if text is None else text,
        passage="" if text is None else item.passage.text,
        title=document.title,
        about=" ".join((*_known_by(document), *item.passage.section)),
        heading=heading_of(item),
    )


def _said_for(
    label: str, question: str, questions: Sequence[str], draft: Draft, found: Sequence[Evidence]
) -> list[Ground]:
    """Return the confirmed sentences that speak for a row: its own, with their quotes, and those of others that say what only it asks."""
    only = frozenset(terms(question)).difference(*(terms(other) for other in questions if other != question))
    grounds: list[Ground] = []
    for claim in draft.claims:
        if claim.status == "unsupported":
            continue
        if claim.row == label:
            grounds += _grounds(claim, found)
        elif only and len(only.intersection(terms(claim.text))) >= _ITS_OWN * len(only):
            grounds += [replace(ground, text=claim.text, passage="") for ground in _grounds(claim, found)[:1]]
    return grounds


def _of_other_rows(row: RowGrounds, draft: Draft) -> list[Ground]:
    """Return the confirmed sentences that share a word with a row: a model may answer several rows in one."""
    words = frozenset(terms(row.question))
    others = [claim for claim in draft.claims if claim.status != "unsupported" and words & frozenset(terms(claim.text))]
    found = row.finding.evidence
    return [replace(ground, text=claim.text, passage="") for claim in others for ground in _grounds(claim, found)[:1]]


def _grounds(claim: Claim, found: Sequence[Evidence]) -> list[Ground]:
    grounds: list[Ground] = []
    for citation in claim.citations:
        text = claim.text if citation.quote in claim.text else f"{claim.text}\n\n{citation.quote}"
        item = next(
            (one for one in found if _is_from(one, citation.collection, citation.document, citation.document_start)),
            None,
        )
        about = " ".join((*citation.authors, str(citation.year or ""), *citation.section))
        grounds.append(ground_of(item, text) if item else Ground(text=text, title=citation.title, about=about))
    return grounds


def _is_from(item: Evidence, collection: str, document: str, start: int) -> bool:
    same = (item.document.collection, item.document.id) == (collection, document)
    return same and item.passage.start <= start < item.passage.end


def _known_by(document: Document) -> Iterator[str]:
    yield from document.authors
    yield document.source
    yield str(document.metadata.get("date") or document.year or "")


def _as_overview(judged: Judgement, question: str, subject: str, said: Sequence[Ground]) -> Judgement:
    """Judge an overview: no sentence has to say "trend", and what several documents tell of a subject is something."""
    several = len({(ground.title, ground.about) for ground in said}) >= _DOCUMENTS
    if not several or judged.status == "answered":
        return judged
    if subject or is_of_gaps(question):
        return replace(judged, status="partial", confidence=max(judged.confidence, PARTIAL))
    return Judgement(confidence=max(judged.confidence, _OVERVIEW), status="answered")


def _lowered(judged: Judgement, missing: str) -> Judgement:
    """Return the judgement of a row of which somebody who read its evidence says that something is missing."""
    if judged.status == "not in the library":
        return replace(judged, missing=missing)
    return replace(judged, status="partial", missing=missing, confidence=min(judged.confidence, ANSWERED - 0.01))


# -- answers without any document: marked as that

_WORDS = {
    "en": {
        "mark": "*From the model's own knowledge, not your library:*",
        "refused": "*This needs no documents, so it would be answered from the model's own knowledge, and only your library may be used.*",
        "missing": "answered from the model's own knowledge, not from the library",
        "left": "not looked up: it needs no documents",
    },
    "zh": {
        "mark": "*以下来自模型自身的知识，不是您的资料库：*",
        "refused": "*这个问题不需要文档，只能由模型凭自身知识回答，而现在只允许使用您的资料库。*",
        "missing": "由模型自身的知识回答，不是来自资料库",
        "left": "没有检索：这个问题不需要文档",
    },
}


def own_knowledge(plan: Plan, *, allowed: bool) -> tuple[str, Review]:
    """Return the text and the review of an answer that rests on no document."""
    words = _WORDS["zh" if language_of(plan.question) == "zh" else "en"]
    paragraphs = [harmless(line) for line in plan.own_answer.split("\n") if line.strip()]
    text = "\n\n".join((words["mark"], *paragraphs)) if allowed else words["refused"]
    rows = tuple(
        Row(
            id=part.row_ids[0],
            part=part.id,
            text=part.text,
            status="not in the library",
            confidence=0.0,
            missing=words["missing" if allowed else "left"],
        )
        for part in plan.parts
    )
    return text, Review(rows=rows, verdict="not in the library", confidence=0.0)
