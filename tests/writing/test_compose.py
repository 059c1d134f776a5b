"""The answer that is written out of quotations."""

from collections.abc import Sequence

import pytest
from handmade import passage
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.answer import Draft, Finding
from scholarmind.model import Document, Evidence
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.writing.answer_markdown import harmless
from scholarmind.writing.compose import compose, evidence_of

TEXTS = st.text(st.sampled_from("Aa bB.,;:!?\n()[]|#<>&*_`\"'0123456789的是在国年，。\u202e\x00"), max_size=300)
BERT = "BERT-Large has 24 layers and 340 million parameters."
GPT = "The largest GPT-2 has 48 layers and 1,542 million parameters."
KEYS = {("default", "bert"): "Devlin et al., 2019", ("default", "gpt-2"): "Radford et al., 2019"}


def bert(*rows: str, text: str = BERT) -> Evidence:
    return passage(text, id="bert", title="BERT", found_by=rows)


def gpt(*rows: str, text: str = GPT) -> Evidence:
    return passage(text, id="gpt-2", title="GPT-2", found_by=rows)


def part(number: int, text: str, *, entity: str = "", aspect: str = "") -> SubQuestion:
    return SubQuestion(id=number, text=text, asks=(Ask(text=text, entity=entity, aspect=aspect),))


def written(question: str, parts: Sequence[SubQuestion], evidence: Sequence[Evidence], **failed: str) -> Draft:
    """Write with the same evidence for every part; `found_by` says whose it is."""
    plan = Plan(question=question, parts=tuple(parts), complexity="composite", reason="", decided_by="test")
    findings = [
        Finding(
            part=one,
            question=one.text,
            evidence=tuple(evidence) if one.role == "find" else (),
            error=failed.get(f"part{one.id}", ""),
        )
        for one in parts
    ]
    return compose(plan, findings, lambda _: KEYS)


LAYERS = (
    part(1, "How many parameters does BERT-Large have?", entity="BERT", aspect="parameters"),
    part(2, "How many parameters does GPT-2 have?", entity="GPT-2", aspect="parameters"),
)
COMPARE = SubQuestion(id=3, text="Compare BERT and GPT-2", role="compare", depends_on=(1, 2))


def test_number_of_the_clause_that_is_asked_about_is_in_bold() -> None:
    text = "Control groups of BERT have 24 layers on average, and groups of 5 heads 48."
    question = "How many layers do groups of 5 heads of BERT have?"
    assert "**48**" in written(question, [part(1, question)], [bert("1", text=text)]).text


def test_single_part_is_a_quote_with_its_key_and_no_heading() -> None:
    draft = written(
        "How many layers does BERT-Large have?", [part(1, "How many layers does BERT-Large have?")], [bert("1")]
    )
    assert draft.text.splitlines()[2:] == [
        "- BERT-Large has **24** layers and 340 million parameters. [Devlin et al., 2019]"
    ]


def test_what_is_only_near_one_question_is_said_again_where_it_answers_another() -> None:
    asked = "Who sold lanterns with layers of paint?", "How many layers does BERT-Large have?"
    near, answered = written(" ".join(asked), [part(1, asked[0]), part(2, asked[1])], [bert("1", "2")]).text.split(
        "### 2."
    )
    assert "Nearest to it, which may not answer it:\n\n- BERT-Large has 24 layers" in near
    assert "- BERT-Large has **24** layers" in answered


@pytest.mark.parametrize(
    ("question", "label"),
    [("How many layers has BERT?", "Quoted from your documents"), ("BERT有多少层？", "引自您的文档")],
)
def test_label_stands_first_in_the_language_of_the_question(question: str, label: str) -> None:
    assert label in written(question, [part(1, question)], [bert("1")]).text.splitlines()[0]


def test_claim_and_citation_point_to_the_words() -> None:
    draft = written(
        "How many layers does BERT-Large have?", [part(1, "How many layers does BERT-Large have?")], [bert("1")]
    )
    (claim,) = draft.claims
    (citation,) = draft.citations
    assert (claim.text, claim.status, claim.row, claim.citations) == (BERT, "verified", "1", (citation,))
    assert (citation.key, citation.document, citation.document_start, citation.document_end, citation.quote) == (
        "Devlin et al., 2019",
        "bert",
        0,
        len(BERT),
        BERT,
    )


def test_parts_have_headings_in_the_order_of_the_plan() -> None:
    draft = written("BERT and GPT-2?", LAYERS, [bert("1"), gpt("2")])
    assert [line for line in draft.text.splitlines() if line.startswith("#")] == [
        "### 1. How many parameters does BERT-Large have?",
        "### 2. How many parameters does GPT-2 have?",
    ]


def test_comparison_stands_in_the_place_of_its_parts() -> None:
    draft = written("Compare BERT and GPT-2", [*LAYERS, COMPARE], [bert("1"), gpt("2")])
    assert draft.text.splitlines()[2:] == [
        "- **BERT**: BERT-Large has 24 layers and **340 million** parameters. [Devlin et al., 2019]",
        "- **GPT-2**: The largest GPT-2 has 48 layers and **1,542 million** parameters. [Radford et al., 2019]",
    ]
    assert [claim.row for claim in draft.claims] == ["1", "2"]


def test_comparison_under_several_aspects_is_a_table_with_citations_in_its_cells() -> None:
    parts = [
        part(1, "How many layers does BERT-Large have?", entity="BERT", aspect="layers"),
        part(2, "How many layers does GPT-2 have?", entity="GPT-2", aspect="layers"),
        part(3, "How many heads does BERT-Large have?", entity="BERT", aspect="heads"),
        part(4, "How many heads does GPT-2 have?", entity="GPT-2", aspect="heads"),
        SubQuestion(id=5, text="Compare BERT and GPT-2", role="compare", depends_on=(1, 2, 3, 4)),
    ]
    given_ = [bert("1"), gpt("2"), bert("3", text="BERT-Large has 16 heads in each layer.")]
    assert [line for line in written("Compare BERT and GPT-2", parts, given_).text.splitlines() if line[:1] == "|"] == [
        "|  | BERT | GPT-2 |",
        "| --- | --- | --- |",
        (
            "| layers | BERT-Large has **24** layers and 340 million parameters. [Devlin et al., 2019] "
            "| The largest GPT-2 has **48** layers and 1,542 million parameters. [Radford et al., 2019] |"
        ),
        "| heads | BERT-Large has **16** heads in each layer. [Devlin et al., 2019] | – |",
    ]


def test_row_that_has_no_cell_in_a_comparison_is_written_by_itself() -> None:
    of_bert = (
        Ask(text="How many parameters does BERT-Large have?", entity="BERT"),
        Ask(text="Who proposed BERT?", entity="BERT"),
    )
    parts = [
        SubQuestion(id=1, text=" ".join(ask.text for ask in of_bert), asks=of_bert),
        part(2, "How many parameters does GPT-2 have?", entity="GPT-2"),
        COMPARE,
    ]
    proposed = "BERT was proposed by Jacob Devlin and three others at Google."
    draft = written(
        "Compare BERT and GPT-2; who proposed BERT?", parts, [bert("1.1"), bert("1.2", text=proposed), gpt("2")]
    )
    assert sorted(draft.answers) == ["1.1", "1.2", "2"]
    assert {claim.row for claim in draft.claims} == set(draft.answers)


def test_what_is_the_same_of_two_things_is_said_once() -> None:
    both = "BERT-Large and GPT-2 have 340 and 1,542 million parameters."
    draft = written("Compare BERT and GPT-2", [*LAYERS, COMPARE], [bert("1", "2", text=both)])
    assert draft.text.splitlines()[2:] == [f"- **BERT, GPT-2**: {both} [Devlin et al., 2019]"]
    assert [claim.row for claim in draft.claims] == ["2", "1"]


def test_what_only_contradicts_an_answer_is_cited_like_everything_else() -> None:
    question = "What is the mean foraging distance of Bombus terrestris workers?"
    one = "The mean foraging distance of Bombus terrestris workers was 758 m."
    other = "The mean foraging distance of Bombus terrestris workers was 267 m."

    def assign(documents: Sequence[Document]) -> dict[tuple[str, str], str]:
        return {(document.collection, document.id): f"key of {document.id}" for document in documents}

    plan = Plan(question=question, parts=(part(1, question),), complexity="simple", reason="", decided_by="test")
    evidence = (bert("1", text=one), gpt("1", text=other))
    draft = compose(plan, [Finding(part=plan.parts[0], question=question, evidence=evidence)], assign)
    assert draft.conflicts == {"1": "these state different numbers for the same thing: key of bert; key of gpt-2"}
    assert [citation.key for citation in draft.citations] == ["key of bert", "key of gpt-2"]


def test_the_row_of_a_number_is_the_one_that_begins_with_it_and_comes_with_its_head() -> None:
    table = (
        "| Dose | Mass (g) | Queens |\n| 0 ppb | 412 g | 13.81 |\n| 1 ppb | 405 g | 12.95 |\n| 5 ppb | 297 g | 4.04 |"
    )
    one = part(1, "What are mass and queens at dose 1 ppb?", entity="1", aspect="queens")
    other = part(2, "What are mass and queens of GPT-2?", entity="GPT-2", aspect="queens")
    evidence = [
        bert("1", text=f"Mass and queens at each dose:\n\n{table}"),
        gpt("2", text="GPT-2 has mass and no queens."),
    ]
    draft = written("Say of each its queens", [one, other, COMPARE], evidence)
    assert "- **1**: Dose: 1 ppb; Mass (g): 405 g; Queens: 12.95 [" in draft.text


def test_table_of_the_documents_that_has_all_things_is_shown_whole() -> None:
    table = "| | BERT | GPT-2 |\n|---|---|---|\n| layers | 24 | 48 |\n| parameters | 340 million | 1,542 million |"
    draft = written("Compare the parameters", [*LAYERS, COMPARE], [bert("1", "2", text=f"Sizes:\n\n{table}")])
    assert "| layers | 24 | 48 |\n| parameters | 340 million | 1,542 million |" in draft.text
    assert {claim.row for claim in draft.claims} == {"1", "2"}


def test_cell_without_evidence_is_a_dash() -> None:
    lines = written("Compare BERT and GPT-2", [*LAYERS, COMPARE], [bert("1")]).text.splitlines()
    assert "- **GPT-2**: –" in lines


def test_cell_is_never_about_the_other_thing() -> None:
    lines = written("Compare BERT and GPT-2", [*LAYERS, COMPARE], [bert("1", "2")]).text.splitlines()
    assert "- **GPT-2**: –" in lines


def test_long_quote_is_shortened_around_the_value_in_a_cell() -> None:
    long = (
        "BERT was trained in two sizes on sixteen chips for about four days in the autumn of that year, and with great success; "
        "what it was trained on were books and an encyclopedia; "
        "BERT-Large has 24 layers and 340 million parameters; later models have been a good deal larger than that, as is well known."
    )
    draft = written("Compare BERT and GPT-2", [*LAYERS, COMPARE], [bert("1", text=long), gpt("2")])
    (cell,) = [claim for claim in draft.claims if claim.row == "1"]
    assert cell.text == "BERT-Large has 24 layers and 340 million parameters"
    assert long[cell.citations[0].document_start : cell.citations[0].document_end] == cell.text


@pytest.mark.parametrize(
    ("question", "conclusion"),
    [
        ("Which has more parameters?", "By these figures, GPT-2 (1,542 million) is above BERT (340 million)"),
        ("哪个参数更多？", "从这些数字看，GPT-2（1,542 million）高于BERT（340 million）"),
    ],
)
def test_conclusion_from_numbers_names_both_and_cites_both(question: str, conclusion: str) -> None:
    draft = written(question, [*LAYERS, COMPARE], [bert("1"), gpt("2")])
    assert f"**{conclusion}** [Radford et al., 2019] [Devlin et al., 2019]" in draft.text.splitlines()
    assert [claim.status for claim in draft.claims if claim.text == conclusion] == ["paraphrase"]


def test_earlier_date() -> None:
    parts = [
        part(1, "When was BERT released?", entity="BERT", aspect="released"),
        part(2, "When was GPT-2 released?", entity="GPT-2", aspect="released"),
        COMPARE,
    ]
    given_ = [
        bert("1", text="BERT was released in October 2018."),
        gpt("2", text="GPT-2 was released in February 2019."),
    ]
    draft = written("Which was released earlier, BERT or GPT-2?", parts, given_)
    assert "BERT (October 2018) is earlier than GPT-2 (February 2019)" in draft.text


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Compare BERT and GPT-2", BERT),  # nobody asks for more or less
        ("Which has more parameters?", "BERT-Large has 24 layers and parameters that take 340 GB."),  # another unit
    ],
)
def test_no_conclusion_where_none_can_be_drawn(question: str, first: str) -> None:
    draft = written(question, [*LAYERS, COMPARE], [bert("1", text=first), gpt("2")])
    assert "By these figures" not in draft.text


def test_a_conclusion_does_not_say_its_parts_again() -> None:
    conclude = SubQuestion(id=3, text="Put it together", role="conclude", depends_on=(1, 2))
    with_it = written("BERT and GPT-2?", [*LAYERS, conclude], [bert("1")]).text
    assert with_it == written("BERT and GPT-2?", LAYERS, [bert("1")]).text


def test_sentence_that_answers_two_rows_is_written_once_and_counts_for_both() -> None:
    merged = SubQuestion(
        id=1,
        text="Layers and parameters of BERT-Large",
        asks=(Ask(text="How many layers does BERT-Large have?"), Ask(text="How many parameters does BERT-Large have?")),
    )
    draft = written("BERT-Large?", [merged], [bert("1.1", "1.2")])
    assert [claim.row for claim in draft.claims] == ["1.1", "1.2"]
    assert draft.text.count("340 million") == 1
    assert "- See above, under 1.1. [Devlin et al., 2019]" in draft.text


def test_nothing_found_and_failure_are_said_in_words() -> None:
    draft = written("BERT and GPT-2?", LAYERS, [], part2="timed out after 5 s")
    assert "Nothing found." in draft.text
    assert "This part failed: timed out after 5 s" in draft.text
    assert draft.claims == draft.citations == ()


def test_where_nothing_fits_nothing_is_quoted() -> None:
    question = "How many layers does Qwen2 have?"
    draft = written(question, [part(1, question)], [bert("1")])
    assert "24" not in draft.text
    assert draft.text.startswith("Nothing found: no passage speaks of Qwen2.")
    assert draft.missing == {"1": "no passage speaks of Qwen2"}


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Does BERT support Chinese?", "Whether BERT supports Chinese is disputed."),
        ("BERT是否支持中文？", "BERT是否支持中文仍有争议。"),
        ("Which layers does BERT use?", "It remains unknown which layers BERT uses."),
    ],
)
def test_an_open_question_answers_none(question: str, text: str) -> None:
    draft = written(question, [part(1, question)], [bert("1", text=text)])
    assert not draft.claims
    assert draft.missing or "Nothing found" in draft.text or "没有找到" in draft.text


def test_an_open_question_is_quoted_where_it_is_asked_for() -> None:
    question = "What remains unknown about BERT?"
    assert written(question, [part(1, question)], [bert("1", text="It is unknown which layers BERT uses.")]).claims


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("Does BERT support Chinese?", "BERT does not support Chinese at this time.", "**No.**"),
        ("Does BERT support Chinese?", "BERT supports Chinese and a hundred other languages.", "**Yes.**"),
        ("BERT支持中文吗？", "BERT支持中文和一百种其他语言。", "**是。**"),
        ("BERT是否支持中文？", "BERT目前不支持中文。", "**否。**"),
    ],
)
def test_yes_or_no_comes_first(question: str, text: str, said: str) -> None:
    draft = written(question, [part(1, question)], [bert("1", text=text)])
    assert f"- {said} {text} [Devlin et al., 2019]" in draft.text


@pytest.mark.parametrize("text", ["BERT may support Chinese in some cases.", "BERT supports Chinese only in part."])
def test_what_is_hedged_is_neither_yes_nor_no(text: str) -> None:
    draft = written("Does BERT support Chinese?", [part(1, "Does BERT support Chinese?")], [bert("1", text=text)])
    assert "**Yes" not in draft.text
    assert "**No" not in draft.text


def test_list_is_quoted_whole_with_the_sentence_that_introduces_it() -> None:
    text = "BERT-Large has the following parts:\n\n- 24 layers\n- 16 heads in each of them\n- a pooler\n\nIt is large."
    question = "What parts does BERT-Large have?"
    draft = written(question, [part(1, question)], [bert("1", text=text)])
    assert draft.text.splitlines()[2:6] == [
        "- BERT-Large has the following parts: [Devlin et al., 2019]",
        "  - 24 layers",
        "  - 16 heads in each of them",
        "  - a pooler",
    ]


def test_evidence_of_another_row_is_not_used_and_that_of_the_question_comes_last() -> None:
    own, other, general = bert("1"), gpt("2"), gpt("question")
    assert evidence_of("1", [general, other, own]) == (own, general)


def test_answers_of_earlier_parts_stand_in_headings() -> None:
    parts = (
        SubQuestion(id=1, text="What dataset did BERT use?"),
        SubQuestion(id=2, text="What is the size of #1?", depends_on=(1,)),
    )
    plan = Plan(question="What is the size of it?", parts=parts, complexity="composite", reason="", decided_by="test")
    findings = [
        Finding(part=parts[0], question=parts[0].text, answer="BooksCorpus"),
        Finding(part=parts[1], question=""),
    ]
    assert "### 2. What is the size of BooksCorpus?" in compose(plan, findings, lambda _: {}).text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a [link](http://x.y) <b>", r"a \[link\](http&#58;//x.y) &lt;b&gt;"),
        ("![i](u) | `c` *e* _f_ ~s~ # h", r"!\[i\](u) \| \`c\` \*e\* \_f\_ \~s\~ \# h"),
        ("two\nlines\x00 and\u202e signs", "two lines and signs"),
        ("www.x.org me@x.org R&D", "www&#46;x.org me&#64;x.org R&amp;D"),
        ("比例为1.5，见《论文》。", "比例为1.5，见《论文》。"),
    ],
)
def test_words_of_documents_are_harmless_in_markdown(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_key_made_of_a_title_is_harmless_too() -> None:
    odd = passage(BERT, id="x", title="BERT-Large | [a](http://x.y)\u202e", found_by=("1",))
    draft = written("How many layers does BERT-Large have?", [part(1, "How many layers does BERT-Large have?")], [odd])
    assert r"[BERT-Large \| (a)(http&#58;//x.y)]" in draft.text


def test_document_cannot_begin_a_heading_or_close_a_cell() -> None:
    bad = "# BERT-Large | has <img src=x> 340 million [parameters](http://x.y) *now*."
    draft = written("Compare", [*LAYERS, COMPARE], [bert("1", text=f"So says the paper: {bad}"), gpt("2")])
    assert "<img" not in draft.text
    assert "](" not in draft.text.replace("\\](", "")
    (line,) = [line for line in draft.text.splitlines() if line.startswith("- **BERT")]
    assert "|" not in line.replace(r"\|", "")


@settings(max_examples=100, deadline=None)
@given(question=TEXTS, texts=st.lists(TEXTS, max_size=3), role=st.sampled_from(["compare", "conclude"]))
def test_any_text_gives_an_answer_whose_claims_are_quotes(question: str, texts: list[str], role: str) -> None:
    evidence = [passage(text, id=str(number), title=text[:9], found_by=("1", "2")) for number, text in enumerate(texts)]
    last = SubQuestion(id=3, text=question.strip() or "?", role=role, depends_on=(1, 2))
    first = [part(number, f"{question} {number}", entity=f"E{number}") for number in (1, 2)]
    draft = written(question, [*first, last], evidence)
    documents = {str(number): text for number, text in enumerate(texts)}
    for claim in draft.claims:
        for citation in claim.citations:
            assert documents[citation.document][citation.document_start : citation.document_end] == citation.quote
            assert citation in draft.citations
        assert claim.text == claim.citations[0].quote or len(claim.citations) == 2
    assert not [line for line in draft.text.splitlines() if line.startswith("#") and not line.startswith("### ")]
