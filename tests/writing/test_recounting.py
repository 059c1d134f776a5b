"""A model that writes beside what was counted: what it is told, what of it counts, and what code puts below it."""

from dataclasses import replace

import pytest

from scholarmind.answer import Draft, Finding
from scholarmind.llm.prompts import Assistant
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import Plan, SubQuestion
from scholarmind.ports import Material
from scholarmind.relations import Proof, Tally, TallyRow
from scholarmind.testing import ScriptedModel
from scholarmind.writing.extractive import ExtractiveWriter
from scholarmind.writing.model_writer import ModelWriter, within_tokens
from scholarmind.writing.tallies import TallyWriter

pytestmark = pytest.mark.anyio

LISTED = SubQuestion(id=1, text="Which methods improve on BERT?", form="list")
WHY = SubQuestion(id=2, text="How does RoBERTa differ from BERT?")
CONCLUDE = SubQuestion(id=3, text="What follows?", role="conclude", depends_on=(1,))
REPORT = "\n\n=== PARTS ===\n1: missing: it is not said how many\n2: answered\n"


def paper(id: str, text: str, author: str, year: int, *rows: str) -> Evidence:
    passage = Passage(text=text, start=0, end=len(text), position=0)
    document = Document(id=id, title=id, authors=(f"Jane {author}",), year=year)
    return Evidence(passage=passage, document=document, scores=Scores(fused=1.0), found_by=frozenset(rows))


LIU = paper("RoBERTa", "RoBERTa improves on BERT. It is trained for 500,000 steps on 160 GB of text.", "Liu", 2019, "2")
LAN = paper("ALBERT", "ALBERT improves on BERT and has 12 layers.", "Lan", 2020)
ROWS = tuple(
    TallyRow(cells=(item.document.title,), proofs=(Proof(evidence=item, start=0, end=20),)) for item in (LIU, LAN)
)
SAID = "The library has 2 methods that improve on BERT: RoBERTa and ALBERT."
TALLY = Tally(
    row="1", form="list", said=SAID, columns=("method",), rows=ROWS, items=("RoBERTa", "ALBERT"), confidence=0.9
)
SHOWN = "The library has 2 methods that improve on BERT: RoBERTa [Liu, 2019] and ALBERT [Lan, 2020]."
BELOW = "**Counted in your documents** (by code, not by the model)\n\n"


def material(*parts: SubQuestion) -> Material:
    findings = [
        Finding(
            part=part, question=part.text, rows=(part.text,), evidence=(LIU,), tallies=(TALLY,) if part.id == 1 else ()
        )
        for part in parts
    ]
    question = "Which methods improve on BERT, and how does RoBERTa differ?"
    plan = Plan(question=question, parts=parts, complexity="composite", reason="", decided_by="test")
    shown = within_tokens(plan, findings, (LIU,), 4_000)
    return Material(plan=plan, findings=findings, evidence=shown, rarity={})


async def written(answer: str, *parts: SubQuestion) -> tuple[Draft, str, ScriptedModel]:
    """Write with a model that says this; return the draft, what was shown of it, and the model."""
    model, pieces = ScriptedModel(lambda _: answer), list[str]()
    writer = ModelWriter(Assistant(model=model, marker="0badc0de"), ExtractiveWriter())
    draft = await writer.write(material(*(parts or (LISTED, WHY))), lambda text, _: pieces.append(text))
    return draft, "".join(pieces), model


async def test_the_model_is_told_what_was_counted_with_the_keys_of_what_proves_it() -> None:
    _, _, model = await written("RoBERTa is trained for 500,000 steps [P1]." + REPORT)
    system, user = (message.text for message in model.requests[0].messages)
    assert f"<counted 0badc0de>\n1: {SAID} [P1][P2]\n</counted 0badc0de>" in user
    assert "never count yourself" in user
    assert "<passage 0badc0de P2> ALBERT; Jane Lan; 2020; for part 1" in user
    assert "counted" not in system


async def test_what_was_counted_is_put_below_what_the_model_wrote_and_shown_with_it() -> None:
    draft, shown, _ = await written("RoBERTa is trained for 500,000 steps [P1]." + REPORT)
    expected = f"RoBERTa is trained for 500,000 steps [Liu, 2019].\n\n{BELOW}**{LISTED.text}**\n\n{SHOWN}"
    assert (draft.text, shown) == (expected, expected)
    assert [(claim.text, claim.row, claim.counted) for claim in draft.claims] == [
        ("RoBERTa is trained for 500,000 steps.", "2", False),
        (SAID, "1", True),
        ("method: RoBERTa", "1", True),
        ("method: ALBERT", "1", True),
    ]
    assert {citation.key for citation in draft.citations} == {"Liu, 2019", "Lan, 2020"}
    assert (draft.answers["1"], draft.missing, draft.by_model) == (SAID, {}, True), "code knows what it counted"


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("The library has two methods: RoBERTa and ALBERT [P1][P2].", "paraphrase"),
        ("The library has 2 methods that improve on BERT: RoBERTa and ALBERT.", "verified"),
        ("Seven methods improve on BERT [P1][P2].", None),
        ("Seven methods improve on BERT.", None),
        ("There are 12 methods in the library that improve on BERT [P2].", None),  # 12 stands in P2: layers
        ("Two methods improve on BERT, RoBERTa and ELECTRA [P1][P2].", None),  # it is no question of numbers alone
        ("文献库中有7种方法改进了BERT [P1]。", None),
    ],
)
async def test_what_the_model_says_of_it_is_held_against_what_was_counted(sentence: str, status: str | None) -> None:
    draft, _, _ = await written(f"RoBERTa is trained for 500,000 steps [P1]. {sentence}{REPORT}")
    told = [claim.status for claim in draft.claims if not claim.counted and claim.text[:12] == sentence[:12]]
    assert [one for one in told if one != "unsupported"] == ([status] if status else [])


async def test_what_counts_otherwise_stays_unconfirmed() -> None:
    draft, _, _ = await written(
        "RoBERTa is trained for 500,000 steps [P1]. Seven methods improve on BERT [P1]." + REPORT
    )
    assert "Seven methods improve on BERT [Liu, 2019]." in draft.text
    (told,) = [claim for claim in draft.claims if claim.text.startswith("Seven")]
    assert (told.status, told.doubt, draft.answers["1"]) == ("unsupported", None, SAID), "no call is asked about it"


async def test_a_model_that_fails_leaves_what_was_counted() -> None:
    draft, _, _ = await written("")
    assert SHOWN in draft.text
    assert not draft.by_model


def nobody(text: str, draft: int) -> None:
    del text, draft


@pytest.mark.parametrize(
    ("parts", "calls"),
    [((LISTED,), 0), ((LISTED, WHY), 1), ((LISTED, CONCLUDE), 1), ((LISTED, replace(CONCLUDE, role="compare")), 0)],
)
async def test_where_all_was_counted_nobody_is_asked_to_write(parts: tuple[SubQuestion, ...], calls: int) -> None:
    model, keyless = ScriptedModel(lambda _: "RoBERTa improves on BERT [P1]." + REPORT), ExtractiveWriter()
    writer = TallyWriter(ModelWriter(Assistant(model=model, marker="0badc0de"), keyless), keyless)
    draft = await writer.write(material(*parts), nobody)
    assert len(model.requests) == calls
    assert draft.by_model == bool(calls)
    assert ("all that was asked was counted in the graph of papers, so no model was asked to write" in draft.notes) == (
        not calls
    )
