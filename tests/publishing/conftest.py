"""Answers that were made up, with pages, doubts, tables and words that would be markup."""

from collections.abc import Callable

import pytest

from scholarmind.answer import Answer, Citation, Claim, Finding, Review, Row
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import Plan, SubQuestion
from scholarmind.publishing.manuscript import Manuscript, manuscript_of

TIDES = Document(
    id="tides",
    title="Tides & Bays: 100% of {them}",
    authors=("Anna Berg", "Jo Łukasz Moor"),
    year=2021,
    kind="article",
    metadata={
        "journal": "Journal of Shores",
        "pages": "1–9",
        "doi": "10.1000/tides",
        "zotero": "zotero://select/library/items/TIDES001",
        "zotero_pdf": "zotero://open-pdf/library/items/TIDESPDF",
    },
)
HARBOURS = Document(
    id="harbours",
    title="港口简史",
    authors=("王伟",),
    year=1998,
    kind="book",
    metadata={"zotero": "javascript:alert(1)"},
)

Make = Callable[..., Answer]


def _citation(document: Document, key: str, quote: str, page: int | None = None) -> Citation:
    return Citation(key=key, document=document.id, collection="default", title=document.title, quote=quote, page=page)


def _evidence(document: Document) -> Evidence:
    passage = Passage(text="words", start=0, end=5, position=0)
    return Evidence(passage=passage, document=document, scores=Scores(fused=1.0))


HIGH = _citation(TIDES, "Berg & Moor, 2021", "The highest tide was 11.3 m <script>", 4)
LOW = _citation(TIDES, "Berg & Moor, 2021", "The lowest was 2 m", 7)
OLD = _citation(HARBOURS, "王, 1998", "港口很古老")
TEXT = """### 1. How high?

- **North**: 11.3 m, x_1 \\[12\\] and 5 % of A&amp;B [Berg & Moor, 2021]
- **South**: 2 m [Berg & Moor, 2021] [王, 1998]

### 2. Where?

| bay | tide |
| --- | --- |
| north | 11 [Berg & Moor, 2021] |

Harbours float. [王, 1998]"""


def _claim(text: str, *citations: Citation, status: str = "verified") -> Claim:
    start = TEXT.index(text)
    return Claim(text=text, status=status, citations=citations, start=start, end=start + len(text))  # pyright: ignore[reportArgumentType]


@pytest.fixture
def answer() -> Answer:
    """An answer of two works, with pages, a list, a table, and a sentence that is not confirmed."""
    part = SubQuestion(id=1, text="How high?", kind="factual")
    return Answer(
        question="How high are tides, & why?",
        text=TEXT,
        plan=Plan(
            question="How high are tides, & why?", parts=(part,), complexity="simple", reason="", decided_by="rules"
        ),
        review=Review(
            rows=(Row(id="1", part=1, text="How high?", status="partial", confidence=0.5, missing="why | how"),),
            verdict="with caveats",
            confidence=0.5,
        ),
        findings=(Finding(part=part, question="How high?", evidence=(_evidence(TIDES), _evidence(HARBOURS))),),
        claims=(
            _claim("11.3 m, x_1", HIGH),
            _claim("2 m [", LOW, OLD),
            _claim("north |", HIGH),
            _claim("Harbours float.", OLD, status="unsupported"),
        ),
        citations=(HIGH, OLD),
        fallbacks=("the search was loosened",),
        run="20260101-120000-abc",
    )


@pytest.fixture
def manuscript(answer: Answer) -> Manuscript:
    """The same, with one key of the user's own."""
    return manuscript_of(answer, "apa", {("default", "tides"): "bergTides2021"})
