"""Short answers without a model, and what lowers a row."""

from collections.abc import Sequence

import pytest

from scholarmind.answer import Citation, Claim, Draft, Finding, Support
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.writing.extractive import KeylessAnswerer, KeylessReviewer

pytestmark = pytest.mark.anyio


def evidence(text: str, *, title: str = "", row: str = "1") -> Evidence:
    """A passage of a document of its own."""
    return Evidence(
        passage=Passage(text=text, start=0, end=len(text), position=0),
        document=Document(id=text, title=title or text),
        scores=Scores(fused=0.5),
        found_by=frozenset({row}),
    )


class Noting:
    """A lexicon that notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[Sequence[str]] = []

    async def rarity(self, words: Sequence[str]) -> dict[str, float]:
        self.asked.append(words)
        return dict.fromkeys(words, 1.0)


BERT = "BERT was pre-trained on BooksCorpus and English Wikipedia."
TOLD = "The dataset that BERT did use is BooksCorpus."
QUESTION = "What dataset did BERT use?"


async def test_the_words_of_the_passages_answer() -> None:
    lexicon = Noting()
    short = await KeylessAnswerer(lexicon).short(SubQuestion(id=1, text=QUESTION), QUESTION, [evidence(BERT)])
    assert short.candidates[0] == "BooksCorpus and English Wikipedia"
    assert [sorted(words) for words in lexicon.asked] == [["bert", "dataset", "use"]]


async def test_an_overview_is_answered_by_what_it_is_about() -> None:
    overview = SubQuestion(id=1, text="Which models are there?", kind="global")
    found = [evidence("a", title="BERT: Masks"), evidence("b", title="GPT-2"), evidence("c", title="BERT: Masks")]
    assert (await KeylessAnswerer().short(overview, overview.text, found)).candidates == ("BERT, GPT-2",)
    assert (await KeylessAnswerer().short(overview, overview.text, [])).candidates == ()


async def test_the_answers_of_several_rows_are_told_together() -> None:
    asks = (Ask(text=QUESTION), Ask(text="How many parameters does GPT-2 have?"))
    part = SubQuestion(id=1, text="both", asks=asks)
    found = [evidence(BERT, row="1.1"), evidence("GPT-2 has 1.5 billion parameters.", row="1.2")]
    short = await KeylessAnswerer().short(part, "\n".join(ask.text for ask in asks), found)
    assert short.candidates == ("BooksCorpus and English Wikipedia, 1.5 billion",)


def reviewed(finding: Finding, **fields: dict[str, str]) -> tuple[str, str]:
    """Return the status of the only row, and what is missing in it."""
    plan = Plan(question=QUESTION, parts=(finding.part,), complexity="simple", reason="", decided_by="test")
    claim = Claim(text=TOLD, status="verified", citations=(), row="1")
    draft = Draft(text=TOLD, claims=(claim,), citations=(), **fields)
    (row,) = KeylessReviewer().review(plan, [finding], draft, {}).rows
    return row.status, row.missing


def test_what_a_reader_misses_lowers_a_row_and_never_raises_one() -> None:
    part = SubQuestion(id=1, text=QUESTION)
    found = Finding(part=part, question=QUESTION, rows=(QUESTION,), evidence=(evidence(TOLD),))
    assert reviewed(found) == ("answered", "")
    assert reviewed(found, missing={"1": "the years"}) == ("partial", "the years")
    assert reviewed(found, missing={"1": ""}) == ("answered", "")
    nothing = Finding(part=part, question=QUESTION, rows=(QUESTION,))
    assert reviewed(nothing, missing={"1": ""}) == ("not in the library", "no passage was found")


def test_a_row_that_nothing_could_be_quoted_of_is_not_answered() -> None:
    part = SubQuestion(id=1, text=QUESTION)
    found = Finding(part=part, question=QUESTION, rows=(QUESTION,), evidence=(evidence(TOLD),))
    plan = Plan(question=QUESTION, parts=(part,), complexity="simple", reason="", decided_by="test")
    draft = Draft(text="Nothing about this was found in the library.", claims=(), citations=())
    (row,) = KeylessReviewer().review(plan, [found], draft, {}).rows
    assert (row.status, row.missing, row.confidence) == ("not in the library", "no sentence is about it", 0.1)


def test_a_row_that_a_model_s_answer_does_not_speak_of_is_not_answered() -> None:
    part = SubQuestion(id=1, text=QUESTION)
    told, other = evidence(TOLD), evidence("GPT-2 has 1.5 billion parameters.", row="2")
    found = Finding(part=part, question=QUESTION, rows=(QUESTION,), evidence=(told,))
    plan = Plan(question=QUESTION, parts=(part,), complexity="simple", reason="", decided_by="test")

    def status(cited: Evidence, row: str, support: Support) -> str:
        citation = Citation(key="k", document=cited.document.id, collection="default", title="")
        claim = Claim(text="x", status=support, citations=(citation,), row=row)
        draft = Draft(text="x", claims=(claim,), citations=(citation,), by_model=True)
        return KeylessReviewer().review(plan, [found], draft, {}).rows[0].status

    assert status(told, "1", "verified") == "answered"
    assert status(told, "2", "paraphrase") == "answered"  # one sentence may speak of several rows
    assert status(other, "2", "verified") == "partial"
    assert status(told, "1", "unsupported") == "partial"
