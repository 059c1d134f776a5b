"""Where the claims and citations of an answer stand in its text."""

from collections.abc import Iterator, Sequence
from importlib.resources import as_file, files

import pytest
from handmade import passage
from hypothesis import given, settings
from hypothesis import strategies as st
from in_place import assert_in_place, shown, words

from scholarmind import Library, Settings
from scholarmind.answer import Draft, Finding
from scholarmind.citing.citation_styles import assign
from scholarmind.llm.prompts import Assistant
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.ports import Material
from scholarmind.relations import Proof, Tally, TallyRow
from scholarmind.testing import HashEmbedder, ScriptedModel
from scholarmind.writing.compose import compose
from scholarmind.writing.extractive import ExtractiveWriter
from scholarmind.writing.model_writer import ModelWriter

BERT = "BERT-Large has 24 layers and 340 million parameters. BERT was trained on BooksCorpus and English Wikipedia."
GPT = "GPT is a decoder with causal attention. The GPT model has 12 layers and 117 million parameters."


def paper(text: str, id: str, author: str, year: int, *rows: str) -> Evidence:
    return Evidence(
        passage=Passage(text=text, start=100, end=100 + len(text), position=0),
        document=Document(id=id, title=id.upper(), authors=(f"Jane {author}",), year=year),
        scores=Scores(fused=1.0),
        found_by=frozenset(rows),
    )


P1, P2 = paper(BERT, "bert", "Devlin", 2019, "1"), paper(GPT, "gpt", "Radford", 2018, "2")
PARTS = (
    SubQuestion(
        id=1, text="How many layers does BERT have?", asks=(Ask(text="How many layers does BERT have?", entity="BERT"),)
    ),
    SubQuestion(
        id=2, text="How many layers does GPT have?", asks=(Ask(text="How many layers does GPT have?", entity="GPT"),)
    ),
    SubQuestion(id=3, text="Which has more layers, BERT or GPT?", role="compare", depends_on=(1, 2)),
)
ROWS = tuple(
    TallyRow(cells=(name, year), proofs=(Proof(evidence=item, start=100, end=104),))
    for name, year, item in (("BERT", "2019", P1), ("GPT", "2018", P2))
)
TABLE = (
    "| model | layers | parameters |\n|---|---|---|\n| BERT-Large | 24 layers [P1] | 340 million parameters [P1] |\n"
    "| GPT | 12 layers [P2] | 117 million parameters [P2] |"
)
REPORT = "\n\n=== PARTS ===\n1: answered\n2: answered\n3: answered\n"


def tally(said: str, columns: Sequence[str] = ("model", "year"), **more: object) -> Tally:
    known = {"row": "1", "form": "list", "items": ("BERT", "GPT"), "rows": ROWS}
    return Tally(**(known | {"said": said, "columns": tuple(columns)} | more))  # type: ignore[arg-type]


def material(*tallies: Tally) -> Material:
    findings = [
        Finding(part=part, question=part.text, evidence=(P1, P2), tallies=tallies if part.id == 1 else ())
        for part in PARTS
    ]
    plan = Plan(question="Which has more layers?", parts=PARTS, complexity="composite", reason="", decided_by="test")
    return Material(plan=plan, findings=findings, evidence=(P1, P2), rarity={})


async def by_model(text: str, *tallies: Tally) -> tuple[Draft, str]:
    """Write with a model that says this; return the draft, and what was shown of it."""
    pieces: list[str] = []
    writer = ModelWriter(Assistant(model=ScriptedModel(lambda _: text + REPORT), marker="0badc0de"), ExtractiveWriter())
    draft = await writer.write(material(*tallies), lambda piece, _: pieces.append(piece))
    assert draft.by_model
    return draft, "".join(pieces)


def keyless(*tallies: Tally) -> Draft:
    given = material(*tallies)
    return compose(given.plan, given.findings, assign)


# -- quoted


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A library of the demo notes."""
    folder = tmp_path_factory.mktemp("demo") / "library"
    with (
        Library(Settings(library=folder), embedder=HashEmbedder()) as library,
        as_file(files("scholarmind.demo") / "notes") as notes,
    ):
        library.add(notes)
        yield library


@pytest.mark.parametrize(
    "question",
    [
        "Who proposed BERT, and what GLUE score does BERT-Large obtain?",
        "Compare BERT and GPT-2 on layers and training data.",
        "BERT 和 GPT-2 各有多少层？哪个更多？",
        "谁提出了 BERT，它是用什么数据训练的？",
        "How many papers are there by Jacob Devlin?",
        "Which methods are built on BERT, and when did each appear?",
    ],
)
def test_every_sentence_of_the_demo_stands_at_its_place(demo: Library, question: str) -> None:
    answer = demo.ask(question)
    assert assert_in_place(answer, all_shown=False)
    shown = [claim for claim in answer.claims if claim.start is not None]
    assert {claim.text for claim in answer.claims} == {
        claim.text for claim in shown
    }  # what answers two parts is shown once
    places = [(claim.start, claim.end) for claim in shown]
    assert len(set(places)) == len(places)


def test_a_citation_stands_where_it_is_shown_first() -> None:
    draft = keyless()
    for citation in draft.citations:
        resting = [claim for claim in draft.claims if citation in claim.citations]
        assert citation.start is not None
        assert citation.start >= min(claim.start or 0 for claim in resting)


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.text(max_size=20))
@settings(deadline=None)
def test_odd_characters(odd: str, other: str) -> None:
    text = f"BERT {odd} has 24 layers {other}. {odd} BERT-Base {other} has 12 layers."
    part = SubQuestion(id=1, text=f"How many layers {odd} does BERT have?")
    found = Finding(part=part, question=part.text, evidence=(passage(text, title="bert", found_by=("1",)),))
    plan = Plan(question=part.text, parts=(part,), complexity="simple", reason="", decided_by="test")
    draft = compose(plan, [found], assign)
    assert not any(0xE000 <= ord(character) <= 0xF8FF for character in draft.text)
    for claim in draft.claims:
        at_place = draft.text[claim.start : claim.end]
        assert set(words("24 layers" if "24" in at_place else "12 layers")) <= set(words(at_place)) or odd or other
        assert draft.text[claim.end :].startswith(" [bert]")
    for citation in draft.citations:
        assert draft.text[citation.start : citation.end] == "[bert]"


# -- counted


@pytest.mark.parametrize(
    "counted",
    [
        tally("There are two models: BERT and GPT.", ["model"], rows=ROWS),
        tally("There are two models."),
        tally("BERT was built on GPT: GPT → BERT.", form="lineage", rows=ROWS[::-1]),
        tally("BERT was built on GPT.", form="lineage"),
        tally(
            "What was built on GPT.",
            ["model", "year", "on"],
            form="lineage",
            rows=tuple(TallyRow(cells=(*row.cells, ""), proofs=row.proofs, depth=n + 1) for n, row in enumerate(ROWS)),
        ),
    ],
)
@pytest.mark.anyio
async def test_what_was_counted(counted: Tally) -> None:
    claims = assert_in_place(keyless(counted), all_shown=False)
    assert sum(claim.counted and claim.start is not None for claim in claims) >= 1
    draft, shown = await by_model("The GPT model has 12 layers and 117 million parameters [P2].", counted)
    claims = assert_in_place(draft, all_shown=False)
    assert sum(claim.counted and claim.start is not None for claim in claims) >= 2
    assert shown == draft.text


def test_lines_that_are_not_shown_have_no_place() -> None:
    many = tuple(TallyRow(cells=(f"model {number}", "2019"), proofs=ROWS[0].proofs) for number in range(30))
    draft = keyless(tally("There are 30 models.", rows=many))
    assert_in_place(draft, all_shown=False)
    assert [claim.text for claim in draft.claims if claim.start is None] == [
        f"model: model {number}; year: 2019" for number in range(20, 30)
    ]


# -- by a model


@pytest.mark.parametrize(
    "text",
    [
        "BERT-Large has 24 layers [P1]. GPT has 12 layers [P2].\n\nBERT-Large has 24 layers [P1].",
        "- **BERT-Large** has 24 layers [P1]\n- GPT has *12 layers* [P2].\n  - The GPT model has 117 million parameters. [P2]",
        TABLE,
        "According to [P1], BERT was trained on BooksCorpus and English Wikipedia. **GPT has 12 layers [P2].**",
        "## Layers\n\nBERT-Large has 24 layers & 340 million parameters [P1][P2]. GPT (a decoder) has 12 layers_ [P2]!",
        "BERT-Large\ue002\ue010 has \ue00424\ue005 layers [P1].\ue003\ue010 GPT has 12 layers [P2].",
    ],
)
@pytest.mark.anyio
async def test_a_text_of_a_model(text: str) -> None:
    draft, shown = await by_model(text)
    claims = assert_in_place(draft)
    assert len(claims) >= 2
    places = [(claim.start, claim.end) for claim in claims]
    assert places == sorted(set(places))
    assert not any(0xE000 <= ord(character) <= 0xF8FF for character in shown)
    assert words(shown) == words(draft.text)  # a citation behind a full stop moves before it


@given(
    st.lists(st.text(st.sampled_from("ab 1.,;:!?[]()*_`~#|<>&\\\"'。，👍\ue002\ue010\u200d"), max_size=12), max_size=4)
)
@settings(deadline=None, max_examples=60)
@pytest.mark.anyio
async def test_odd_texts_of_a_model(odd: list[str]) -> None:
    draft, _ = await by_model("BERT-Large has 24 layers [P1].\n" + "BERT-Large has 24 layers [P1]. ".join(odd))
    assert not any(0xE000 <= ord(character) <= 0xF8FF for character in draft.text)
    for claim in draft.claims:
        assert claim.start is not None
        at_place = shown(draft.text, claim)
        # what is emphasised may begin or end within a word
        assert "".join(words(claim.text)) in "".join(words(at_place)) or ": " in claim.text
