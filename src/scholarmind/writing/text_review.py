"""Whether each row is answered, and how complete the whole is: judged by what the answer says about a row and confirms.

Before anything is written, a row is judged by the passages that were found for it. What was counted in the graph of papers is as sure as
the counting. What a model says is missing can only lower a row. What it answers of its own knowledge is not in the library.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from statistics import fmean
from typing import Literal, Protocol

from scholarmind.answer import Claim, Draft, Finding, Review, Row, Status, Verdict
from scholarmind.judge.answers import ANSWERED, PARTIAL, AnswerReader, Ground, Judgement, in_context, judge
from scholarmind.model import Document, Evidence
from scholarmind.plan import Plan, SubQuestion, described
from scholarmind.text.analysis import terms
from scholarmind.text.language import language_of
from scholarmind.text.overviews import is_of_gaps, subject_of
from scholarmind.writing.answer_markdown import harmless
from scholarmind.writing.quotations import heading_of
from scholarmind.writing.tallies import tallies_of

# -- the rows of a plan, and how complete the whole is

_HAN = range(0x3400, 0xA000)
_NOT_FOUND: frozenset[Status] = frozenset(("not in the library", "failed"))
_CHINESE: dict[Status, str] = {
    "partial": "只有部分答案",
    "conflicting": "来源互相矛盾",
    "not in the library": "资料库中没有",
    "failed": "失败",
}


class RowConfidence(Protocol):
    """How sure we are that the evidence of a row answers it, what that means, and what is missing, in words."""

    @property
    def confidence(self) -> float: ...
    @property
    def status(self) -> Literal["answered", "partial", "not in the library"]: ...
    @property
    def missing(self) -> str: ...


def review(
    plan: Plan,
    findings: Sequence[Finding],
    support: Mapping[str, RowConfidence],
    conflicts: Mapping[str, str] | None = None,
    *,
    unconfirmed: bool = False,
) -> Review:
    """Judge every row. `support` and `conflicts` are by row id, the latter saying what contradicts what; a row without support has none.

    With `unconfirmed`, some sentence of the answer could not be confirmed.
    """
    reviewing = _Reviewing(plan, findings, support, conflicts or {})
    rows = tuple(row for part in plan.parts for row in reviewing.rows[part.id])
    asked = [row for row in rows if not plan.part(row.part).extends]  # what was added counts where it was lacking
    looked_up = [row for row in asked if plan.part(row.part).role == "find"] or asked
    confidence = fmean(row.confidence for row in looked_up)
    return Review(rows=rows, verdict=_verdict(asked, looked_up, unconfirmed), confidence=round(confidence, 4))


def _verdict(rows: Sequence[Row], looked_up: Sequence[Row], unconfirmed: bool) -> Verdict:
    statuses = {row.status for row in looked_up}
    if statuses <= _NOT_FOUND:
        return "not in the library" if "not in the library" in statuses else "incomplete"
    if statuses & _NOT_FOUND or any(row.status == "failed" for row in rows):
        return "incomplete"
    if any(row.status == "conflicting" for row in rows):
        return "conflicting"
    return "with caveats" if unconfirmed or any(row.status == "partial" for row in rows) else "complete"


class _Reviewing:
    """The rows of each part, made in an order in which every part comes after those that it depends on."""

    def __init__(
        self,
        plan: Plan,
        findings: Sequence[Finding],
        support: Mapping[str, RowConfidence],
        conflicts: Mapping[str, str],
    ) -> None:
        self._findings = {finding.part.id: finding for finding in findings}
        self._support = support
        self._conflicts = conflicts
        self._chinese = any(ord(character) in _HAN for character in plan.question)
        self.rows: dict[int, tuple[Row, ...]] = {}
        order = TopologicalSorter({part.id: part.depends_on for part in plan.parts}).static_order()
        for part in map(plan.part, order):
            make = self._looked_up if part.role == "find" else self._put_together
            self.rows[part.id] = tuple(self._in_full(make(part, place), place) for place in range(len(part.rows)))

    def _in_full(self, row: Row, place: int) -> Row:
        """Say what was really asked: with the answers of earlier parts filled in."""
        finding = self._findings.get(row.part)
        return replace(row, text=finding.rows[place]) if finding and place < len(finding.rows) else row

    def _looked_up(self, part: SubQuestion, place: int) -> Row:
        finding, label = self._findings.get(part.id), part.row_ids[place]
        judged = self._support.get(label)
        if finding is None or finding.error or judged is None:
            return self._without(part, place)
        status, missing, confidence = _status(judged, self._conflicts.get(label, "")), judged.missing, judged.confidence
        missing = self._conflicts[label] if status == "conflicting" else missing
        asked = " ".join(finding.rows[place : place + 1])
        waited_for = [number for number in part.bridges if self._rests_on(asked, number)]
        if waited := [row for number in waited_for for row in self.rows[number] if row.status != "answered"]:
            status = "partial" if status == "answered" else status
            missing = "; ".join(filter(None, (missing, self._told(waited))))
            confidence = min(confidence, *(row.confidence for row in waited))
        return _row(part, place, status, confidence=confidence, missing=missing, evidence=_count(finding, label))

    def _rests_on(self, asked: str, number: int) -> bool:
        """Tell whether the answer of a part stands in what was asked, and not the words that describe it."""
        finding = self._findings.get(number)
        return finding is None or not (name := described(finding.question)) or name not in asked

    def _without(self, part: SubQuestion, place: int) -> Row:
        """Return the row of a part that failed, or that nothing is known of."""
        finding = self._findings.get(part.id)
        if finding is None or finding.error:
            said = finding.error if finding else ("没有结果" if self._chinese else "nothing came back")
            return _row(part, place, "failed", missing=said)
        said = "没有找到任何段落" if self._chinese else "no passage was found"
        return _row(part, place, "not in the library", missing=said, evidence=_count(finding, part.row_ids[place]))

    def _put_together(self, part: SubQuestion, place: int) -> Row:
        """Return the row of a comparison or conclusion: it is as good as what it is made of."""
        finding, label = self._findings.get(part.id), part.row_ids[place]
        made_of = [row for number in part.depends_on for row in self.rows[number]]
        if finding is None or finding.error or not made_of:
            return self._without(part, place) if label not in self._support else self._looked_up(part, place)
        statuses = [row.status for row in made_of]
        if set(statuses) <= _NOT_FOUND:
            status = "not in the library" if "not in the library" in statuses else "failed"
        elif "conflicting" in statuses:
            status = "conflicting"
        else:
            status = "answered" if set(statuses) == {"answered"} else "partial"
        missing = self._told([row for row in made_of if row.status != "answered"])
        if label in self._conflicts and status not in _NOT_FOUND:
            status, missing = "conflicting", "; ".join(filter(None, (self._conflicts[label], missing)))
        confidence = 0.0 if status == "failed" else min(row.confidence for row in made_of)
        evidence = sum(row.evidence for row in made_of)
        return _row(part, place, status, confidence=confidence, missing=missing, evidence=evidence)

    def _told(self, rows: Iterable[Row]) -> str:
        """Name the rows that something is wrong with: "2: not in the library"."""
        return "; ".join(f"{row.id}: {_CHINESE[row.status] if self._chinese else row.status}" for row in rows)


def _status(judged: RowConfidence, conflict: str) -> Status:
    return "conflicting" if conflict and judged.status != "not in the library" else judged.status


def _count(finding: Finding, label: str) -> int:
    """Return how many passages were found for this row; without labels, for its part."""
    if len(finding.part.rows) == 1:
        return len(finding.evidence)
    return sum(label in item.found_by for item in finding.evidence)


def _row(
    part: SubQuestion, place: int, status: Status, *, confidence: float = 0.0, missing: str = "", evidence: int = 0
) -> Row:
    return Row(
        id=part.row_ids[place],
        part=part.id,
        text=part.rows[place].text,
        status=status,
        confidence=round(confidence, 4),
        missing="" if status == "answered" else missing,
        evidence=evidence,
    )


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
        reader = in_context(self._reader, plan.context) if draft and self._reader else None
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
        # the confirmed sentences that share a word with a row: a model may answer several rows in one
        words = frozenset(terms(row.question))
        others = [
            claim for claim in draft.claims if claim.status != "unsupported" and words & frozenset(terms(claim.text))
        ]
        found = row.finding.evidence
        said = [
            replace(ground, text=claim.text, passage="") for claim in others for ground in _grounds(claim, found)[:1]
        ]
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
