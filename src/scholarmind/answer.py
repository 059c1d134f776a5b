"""What comes back: findings, claims with their citations, and a review that says for every part whether it was answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from scholarmind.calls import CallCost, Estimate
from scholarmind.model import Document, Evidence, Judged
from scholarmind.plan import Plan, SubQuestion
from scholarmind.relations import Tally

Status = Literal["answered", "partial", "conflicting", "not in the library", "failed"]
Verdict = Literal["complete", "with caveats", "incomplete", "conflicting", "not in the library"]
Support = Literal["verified", "paraphrase", "conclusion", "unsupported"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one part brought back. A failed part is a finding with its error."""

    part: SubQuestion
    question: str  # the part's text with the answers it waited for filled in
    rows: tuple[str, ...] = ()  # the same of each of its rows
    evidence: tuple[Evidence, ...] = ()
    answer: str = ""  # the short answer that dependent parts are given
    candidates: tuple[str, ...] = ()  # up to three short answers, the best first
    items: tuple[str, ...] = ()  # the items of an answer that is a list
    rests_on: tuple[str, ...] = ()  # the passages that the short answer is from, where that is known
    lacks: str = ""  # what a model looked for in the evidence and did not find
    error: str = ""
    notes: tuple[str, ...] = ()  # what was left out or done in another way, and why
    seconds: float = 0.0
    tallies: tuple[
        Tally, ...
    ] = ()  # what was counted or followed in the graph, for those of its rows that ask for that


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Where a sentence is from: document, section, page if known, and characters of the document's text.

    `start` and `end` are the place of its first brackets in the text of the answer; None where it is not shown.
    """

    key: str  # as it stands in the answer, without brackets: Devlin et al., 2019
    document: str
    collection: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    section: tuple[str, ...] = ()
    page: int | None = None
    document_start: int = 0
    document_end: int = 0
    quote: str = ""
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """What a sentence cites that code could neither confirm nor refuse: all that each passage says, and who wrote it when."""

    sources: tuple[str, ...]
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence of the answer, the citations that it rests on, and whether they confirm it.

    `start` and `end` are its place in the text of the answer, Markdown and all, without the citations at its end; None where it is
    not shown.
    """

    text: str
    status: Support
    citations: tuple[Citation, ...]
    row: str = ""  # the row of the review that it answers
    counted: bool = False  # in the graph of papers, by code
    doubt: Doubt | None = None  # until it is settled: no answer that is done has any
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a writer wrote: Markdown, the claims it is made of, and every citation in it."""

    text: str
    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    answers: Mapping[str, str] = field(
        default_factory=dict[str, str]
    )  # by row: its answer in a few words or one sentence
    conflicts: Mapping[str, str] = field(default_factory=dict[str, str])  # by row: which numbers contradict each other
    missing: Mapping[str, str] = field(default_factory=dict[str, str])  # by row: what its writer says is missing
    notes: tuple[str, ...] = ()  # what was left out or done in another way, and why
    by_model: bool = False
    unconfirmed: bool = False  # most of what the model wrote; then quotations stand below it


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the completeness table. `id` is the part's number, or 3.1, 3.2 where several questions were merged into it."""

    id: str
    part: int
    text: str
    status: Status
    confidence: float
    missing: str = ""
    evidence: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """How complete the answer is."""

    rows: tuple[Row, ...]
    verdict: Verdict
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The reply, what it rests on, and what is missing."""

    question: str
    text: str  # Markdown
    plan: Plan
    review: Review
    findings: tuple[Finding, ...] = ()
    evidence: tuple[Evidence, ...] = ()  # the selection that counts
    judged: tuple[Judged, ...] = ()  # where passages were scored one against another: all that were, best first
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict[str, str])  # by row
    conflicts: Mapping[str, str] = field(default_factory=dict[str, str])  # by row
    missing: Mapping[str, str] = field(default_factory=dict[str, str])  # by row: what its writer says is missing
    asked: str = ""  # what was typed, where a follow-up had to be made to stand alone
    source: Literal["library", "model", "talk"] = "library"  # model: its own knowledge, not the library
    written_by: str = ""  # the model that wrote the text; '' if it is quoted
    calls: tuple[CallCost, ...] = ()
    estimate: Estimate | None = None  # of the calls, made before
    fallbacks: tuple[str, ...] = ()  # what was done in another way than asked, and why
    spent: Mapping[str, float] = field(default_factory=dict[str, float])
    run: str = ""

    @property
    def draft(self) -> Draft:
        """What was written, apart from the judgement of it."""
        return Draft(
            text=self.text,
            claims=self.claims,
            citations=self.citations,
            answers=self.answers,
            conflicts=self.conflicts,
            missing=self.missing,
            notes=self.fallbacks,
            by_model=bool(self.written_by),
        )

    @property
    def sources(self) -> tuple[Document, ...]:
        """The documents that are cited, each once, in the order in which they are cited."""
        known = {
            (item.document.collection, item.document.id): item.document
            for finding in self.findings
            for item in finding.evidence
        }
        cited = dict.fromkeys((citation.collection, citation.document) for citation in self.citations)
        return tuple(known[place] for place in cited if place in known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """The passages that an answer would be written from, best first, and how they came to be these."""

    question: str
    plan: Plan
    evidence: tuple[Evidence, ...]
    judged: tuple[Judged, ...] = ()  # where passages were scored one against another: all that were, best first
    notes: tuple[str, ...] = ()  # what was done in another way than asked, and why
    spent: Mapping[str, float] = field(default_factory=dict[str, float])
