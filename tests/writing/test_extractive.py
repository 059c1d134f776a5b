"""Short answers without a model, and what a row follows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from scholarmind.answer import Citation, Claim, Draft, Finding, Row, Support
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.writing.extractive import KeylessAnswerer, enumerated_in
from scholarmind.writing.text_review import TextReviewer

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


def reviewed(finding: Finding, claims: tuple[Claim, ...], **fields: Any) -> Row:
    """Return the only row of a review."""
    plan = Plan(question=QUESTION, parts=(finding.part,), complexity="simple", reason="", decided_by="test")
    (row,) = TextReviewer().review(plan, [finding], Draft(text="", claims=claims, citations=(), **fields), {}).rows
    return row


def claim_of(text: str, *, row: str = "1", status: Support = "verified") -> Claim:
    told = evidence(text).document
    citation = Citation(key="k", document=told.id, collection=told.collection, title=told.title, quote=text)
    return Claim(text=text, status=status, citations=(citation,), row=row)


FOUND = Finding(part=SubQuestion(id=1, text=QUESTION), question=QUESTION, rows=(QUESTION,), evidence=(evidence(TOLD),))


def test_what_a_reader_misses_lowers_a_row_and_never_raises_one() -> None:
    told = (claim_of(TOLD),)
    assert reviewed(FOUND, told).status == "answered"
    lowered = reviewed(FOUND, told, missing={"1": "the years"}, by_model=True)
    assert (lowered.status, lowered.missing) == ("partial", "the years")
    quoted = reviewed(FOUND, told, missing={"1": "the years"})  # whose text says that nothing was found
    assert (quoted.status, quoted.missing) == ("not in the library", "the years")
    assert reviewed(FOUND, told, missing={"1": ""}).status == "answered"
    nothing = Finding(part=FOUND.part, question=QUESTION, rows=(QUESTION,))
    row = reviewed(nothing, (), missing={"1": ""})
    assert (row.status, row.missing) == ("not in the library", "no passage was found")


def test_a_row_that_nothing_was_said_of_is_not_answered_whatever_was_found() -> None:
    row = reviewed(FOUND, ())
    assert (row.status, row.missing) == ("not in the library", "no confirmed sentence of the answer is about this")
    assert row.confidence < 0.31


def test_a_row_follows_what_is_confirmed_of_it() -> None:
    assert reviewed(FOUND, (claim_of(TOLD),)).status == "answered"
    assert reviewed(FOUND, (claim_of(TOLD, status="unsupported"),)).status == "not in the library"
    elsewhere = claim_of("GPT-2 has 1.5 billion parameters.", row="2")
    assert reviewed(FOUND, (elsewhere,)).status == "not in the library"


def test_a_sentence_may_speak_of_two_rows_if_it_says_what_only_the_other_asks() -> None:
    asks = tuple(Ask(text=f"How many {thing} does BERT have?") for thing in ("layers", "heads"))
    part = SubQuestion(id=1, text="layers and heads", asks=asks)
    source = "BERT has 24 layers and 16 attention heads."
    found = Finding(
        part=part,
        question=part.text,
        rows=tuple(ask.text for ask in asks),
        evidence=(replace(evidence(source), found_by=frozenset(part.row_ids)),),
    )
    plan = Plan(question=part.text, parts=(part,), complexity="composite", reason="", decided_by="test")

    def statuses(text: str) -> list[str]:
        draft = Draft(text=text, claims=(claim_of(text, row="1.1"),), citations=(), by_model=True)
        return [row.status for row in TextReviewer().review(plan, [found], draft, {}).rows]

    assert statuses(source)[1] != "not in the library"
    assert statuses("BERT has 24 layers.")[1] == "not in the library"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We tried tea, coffee and cocoa in the mornings of May.", ("tea", "coffee", "cocoa")),
        ("Width, height, and the number of rings were noted.", ("Width", "height", "the number of rings")),
        ("We used honey bees and mason bees in 2014.", ("honey bees", "mason bees")),
        ("Ants; red wasps; flies were seen.", ("Ants", "red wasps", "flies")),
        ("However, bees and wasps were seen.", ("bees", "wasps")),
        ("我们研究了壁蜂、蜜蜂和熊蜂的授粉效率。", ("壁蜂", "蜜蜂", "熊蜂")),
        ("和" * 40, ()),
        ("Yield fell early and nectar was robbed.", ()),
        ("The mite is the main cause of losses in the north.", ()),
    ],
)
def test_items_of_an_enumeration(text: str, expected: tuple[str, ...]) -> None:
    assert enumerated_in(text) == expected
