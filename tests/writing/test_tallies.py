"""What was counted in the graph of papers, in an answer: its sentence, its table or chain, and what each line rests on."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from scholarmind.answer import Draft, Finding, Review
from scholarmind.citing.citation_styles import assign
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.relations import Proof, Tally, TallyRow
from scholarmind.writing.compose import compose
from scholarmind.writing.text_review import TextReviewer

START = 40  # where the passages begin in their documents
ROBERTA = "RoBERTa improves on BERT by training longer and on more text. It is tested on GLUE."
ALBERT = "ALBERT is an improvement on BERT that shares its parameters across layers."
BERT = "BERT builds on the Transformer and reads text in both directions."


def paper(id: str, text: str, author: str, year: int) -> Evidence:
    passage = Passage(text=text, start=START, end=START + len(text), position=0)
    document = Document(id=id, title=id.upper(), authors=(f"Jane {author}",), year=year)
    return Evidence(passage=passage, document=document, scores=Scores(fused=1.0), found_by=frozenset({"1"}))


LIU, LAN, DEVLIN = (
    paper("roberta", ROBERTA, "Liu", 2019),
    paper("albert", ALBERT, "Lan", 2020),
    paper("bert", BERT, "Devlin", 2018),
)


def by(item: Evidence, words: str = "") -> Proof:
    """Return these words of a paper as a proof; without any, its metadata."""
    start = START + item.passage.text.index(words)
    return Proof(evidence=item, start=start, end=start + len(words)) if words else Proof(evidence=item)


def row(*cells: str, proofs: Sequence[Proof]) -> TallyRow:
    return TallyRow(cells=cells, proofs=tuple(proofs))


LISTED = Tally(
    row="1",
    form="list",
    said="Two methods improve on BERT: RoBERTa and ALBERT.",
    columns=("method", "year"),
    rows=(
        row("RoBERTa", "2019", proofs=[by(LIU, "RoBERTa improves on BERT")]),
        row("ALBERT", "2020", proofs=[by(LAN, "ALBERT is an improvement on BERT")]),
    ),
    items=("RoBERTa", "ALBERT"),
)
QUESTION = "Which methods improve on BERT?"


def finding(tally: Tally | None, part: SubQuestion | None = None, **more: Any) -> Finding:
    part = part or SubQuestion(id=1, text=QUESTION)
    tallies = (tally,) if tally else ()
    return Finding(part=part, question=part.text, rows=(part.text,), evidence=(LIU, LAN), tallies=tallies, **more)


def plan_of(question: str, *parts: SubQuestion) -> Plan:
    return Plan(question=question, parts=parts, complexity="simple", reason="", decided_by="test")


def written(tally: Tally, question: str = QUESTION) -> Draft:
    part = SubQuestion(id=1, text=question)
    return compose(plan_of(question, part), [finding(tally, part)], assign)


def reviewed(tally: Tally, question: str = QUESTION) -> Review:
    """Return the review of an answer with evidence that answers nothing by itself."""
    part = SubQuestion(id=1, text=question)
    findings = [finding(tally, part, lacks="everything")]
    plan = plan_of(question, part)
    return TextReviewer().review(plan, findings, compose(plan, findings, assign), {})


def test_a_list_is_a_sentence_and_a_table_whose_lines_are_cited() -> None:
    assert written(LISTED).text.split("\n\n") == [
        "*Counted in your documents by code; no model wrote any of it.*",
        "Two methods improve on BERT: RoBERTa and ALBERT.",
        "| method | year | Sources |\n| --- | --- | --- |\n| RoBERTa | 2019 | [Liu, 2019] |\n| ALBERT | 2020 | [Lan, 2020] |",
    ]


def test_the_sentence_and_every_line_are_claims_that_point_at_the_words() -> None:
    draft = written(LISTED)
    assert [(claim.text, claim.status, claim.row) for claim in draft.claims] == [
        (LISTED.said, "verified", "1"),
        ("method: RoBERTa; year: 2019", "verified", "1"),
        ("method: ALBERT; year: 2020", "verified", "1"),
    ]
    assert [citation.quote for citation in draft.citations] == [
        "RoBERTa improves on BERT",
        "ALBERT is an improvement on BERT",
    ]
    assert draft.claims[0].citations == draft.citations
    assert (draft.citations[0].document_start, draft.citations[0].document_end) == (START, START + 24)
    assert draft.answers == {"1": LISTED.said}


def test_in_chinese() -> None:
    tally = replace(
        LISTED,
        said="改进了BERT的方法：RoBERTa、ALBERT。",
        columns=("方法", "年份"),
        notes=("RoBERTa-Large 视为同一方法",),
    )
    blocks = written(tally, "哪些方法改进了BERT？").text.split("\n\n")
    assert blocks[0] == "*以下结果由程序统计自您的文档，没有一句由模型撰写。*"
    assert blocks[2].startswith("| 方法 | 年份 | 来源 |")
    assert blocks[3] == "注：RoBERTa-Large 视为同一方法"


def test_a_single_line_needs_no_table() -> None:
    single = replace(LISTED, said="One method improves on BERT: ALBERT.", rows=LISTED.rows[1:], items=("ALBERT",))
    draft = written(single)
    assert draft.text.split("\n\n")[1:] == ["One method improves on BERT: ALBERT. [Lan, 2020]"]
    assert [claim.text for claim in draft.claims] == [single.said]


def test_what_metadata_prove_is_cited_at_its_document() -> None:
    tally = replace(LISTED, rows=(row("Jane Liu", "1", proofs=[by(LIU)]), row("Jane Lan", "1", proofs=[by(LAN)])))
    draft = written(replace(tally, form="ranking", said="Jane Liu and Jane Lan have the most papers: 1."))
    assert [(one.document, one.document_start, one.document_end, one.quote) for one in draft.citations] == [
        ("roberta", START, START, ""),
        ("albert", START, START, ""),
    ]
    assert {claim.status for claim in draft.claims} == {"verified"}


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        (("RoBERTa", "2019"), "verified"),
        (("Robustly optimised BERT", "2019"), "paraphrase"),  # another name, taken for the same
        (("RoBERTa", "2021"), "paraphrase"),  # stands nowhere
        (("RoBERTa", "1"), "verified"),  # one paper is cited
        (("RoBERTa", "7"), "paraphrase"),
        (("RoBERTa", ""), "verified"),
    ],
)
def test_a_line_is_verified_where_all_of_it_stands_in_what_it_cites(cells: tuple[str, str], status: str) -> None:
    draft = written(replace(LISTED, rows=(row(*cells, proofs=LISTED.rows[0].proofs), LISTED.rows[1])))
    assert draft.claims[1].status == status
    assert draft.claims[0].status == status


@pytest.mark.parametrize(
    ("items", "notes", "status"),
    [(("2",), (), "verified"), (("3",), (), "unsupported"), (("3",), ("1 more is not shown",), "paraphrase")],
)
def test_a_count_is_counted_again(items: tuple[str, ...], notes: tuple[str, ...], status: str) -> None:
    tally = replace(LISTED, form="count", said=f"The library has {items[0]} papers.", items=items, notes=notes)
    assert written(tally).claims[0].status == status


def test_a_count_of_none_is_an_answer_that_cites_nothing() -> None:
    tally = replace(LISTED, form="count", said="The library has 0 papers on soup.", rows=(), items=("0",))
    draft = written(tally)
    assert draft.text.split("\n\n")[1:] == ["The library has 0 papers on soup."]
    assert (draft.claims, draft.citations) == ((), ())
    assert [one.status for one in reviewed(tally).rows] == ["answered"]


def test_a_long_table_is_cut_and_all_of_it_is_cited() -> None:
    papers = [
        paper(f"p{number}", f"Method M{number} is new.", f"Author{number}", 2000 + number) for number in range(23)
    ]
    rows = tuple(row(f"M{number}", proofs=[by(item, f"M{number}")]) for number, item in enumerate(papers))
    draft = written(replace(LISTED, form="count", said="23 methods.", columns=("method",), rows=rows, items=("23",)))
    assert draft.text.count("\n| M") == 20
    assert draft.text.endswith("\n\nand 3 more")
    assert len({one.document for one in draft.citations}) == 23
    assert len(draft.claims) == 24


def test_many_keys_of_a_line_are_cut_and_cited_all_the_same() -> None:
    papers = [paper(letter, "Jane wrote it.", f"{letter}son", 2010) for letter in "ABCDEFGHIJK"]
    tally = replace(LISTED, rows=(row("Jane", "11", proofs=[by(item) for item in papers]), LISTED.rows[0]))
    draft = written(tally)
    assert "[Hson, 2010] and 3 more |" in draft.text
    assert len(draft.claims[1].citations) == 11


def lineage(*names: str, proofs: Sequence[Sequence[Proof]], years: Sequence[str]) -> Tally:
    rows = tuple(row(name, year, "", proofs=some) for name, year, some in zip(names, years, proofs, strict=True))
    columns = ("method", "year", "also")
    return Tally(row="1", form="lineage", said="A line.", columns=columns, rows=rows, items=names)


@pytest.mark.parametrize("back", [True, False])
def test_a_lineage_is_a_chain_with_a_citation_behind_every_step(*, back: bool) -> None:
    steps = [[by(LIU, "RoBERTa improves on BERT")], [by(DEVLIN, "BERT builds on the Transformer")]]
    names, years = ["RoBERTa", "BERT", "Transformer"], ["2019", "2018", "2017"]
    if not back:
        names, years, steps = names[::-1], years[::-1], steps[::-1]
    draft = written(lineage(*names, years=years, proofs=[*steps, steps[-1]]))
    blocks = draft.text.split("\n\n")
    assert blocks[2] == "Transformer (2017) → BERT (2018) [Devlin, 2018] → RoBERTa (2019) [Liu, 2019]"
    quotes = [f"- {BERT} [Devlin, 2018]", "- RoBERTa improves on BERT by training longer and on more text. [Liu, 2019]"]
    assert sorted(blocks[3].split("\n")) == sorted(quotes), "how they improve on it stands in the words"
    assert [(claim.text, claim.status) for claim in draft.claims[1:3]] == [
        ("Transformer → BERT", "verified"),
        ("BERT → RoBERTa", "verified"),
    ]


def test_a_chain_whose_years_are_not_known_is_a_table() -> None:
    proofs = [[by(LIU, "RoBERTa improves on BERT")]] * 2
    assert "| RoBERTa |" in written(lineage("RoBERTa", "BERT", years=["2019", ""], proofs=proofs)).text


def test_what_came_of_a_method_is_a_list_in_which_each_stands_below_what_it_builds_on() -> None:
    proofs = [[by(DEVLIN, "BERT builds on the Transformer")], [by(LIU, "RoBERTa improves on BERT")]]
    rows = (
        row("BERT", "2018", "Transformer", "", proofs=proofs[0]),
        replace(row("RoBERTa", "2019", "BERT", "GPT", proofs=proofs[1]), depth=2),
    )
    rows = (replace(rows[0], depth=1), rows[1])
    columns = ("method", "year", "builds on", "also")
    tree = Tally(row="1", form="lineage", said="Two.", columns=columns, rows=rows, items=("BERT", "RoBERTa"))

    draft = written(tree)

    assert "- BERT (2018) [Devlin, 2018]\n  - RoBERTa (2019; also: GPT) [Liu, 2019]" in draft.text
    assert draft.claims[2].text == "method: RoBERTa; year: 2019; builds on: BERT; also: GPT"


def test_nothing_of_a_document_is_markup() -> None:
    tally = replace(LISTED, said="<b>Two</b> | methods", rows=(row("a|b", "[x](y)", proofs=[by(LIU)]), LISTED.rows[1]))
    text = written(tally).text
    assert r"&lt;b&gt;Two&lt;/b&gt; \| methods" in text
    assert r"| a\|b | \[x\](y) | [Liu, 2019] |" in text


# -- parts that put others together


def counts(number: int, entity: str, count: str, *proofs: Proof) -> Finding:
    text = f"How many papers are on {entity}?"
    part = SubQuestion(id=number, text=text, asks=(Ask(text=text, entity=entity, aspect="papers"),))
    rows = tuple(row(one.evidence.document.title, proofs=[one]) for one in proofs)
    said = f"The library has {count} papers on {entity}."
    tally = Tally(row=str(number), form="count", said=said, columns=("paper",), rows=rows, items=(count,))
    return finding(tally, part)


def test_a_comparison_uses_the_sentences_and_compares_the_counts() -> None:
    findings = [counts(1, "BERT", "2", by(LIU), by(LAN)), counts(2, "soup", "1", by(DEVLIN))]
    compare = SubQuestion(id=3, text="Which has more papers?", role="compare", depends_on=(1, 2))
    plan = plan_of("Are there more papers on BERT or on soup?", *(one.part for one in findings), compare)
    draft = compose(plan, [*findings, Finding(part=compare, question=compare.text)], assign)
    assert draft.text.splitlines()[2:] == [
        "**By these figures, BERT (2) is above soup (1)** [Liu, 2019] [Lan, 2020] [Devlin, 2018]",
        "",
        "- **BERT**: The library has 2 papers on BERT. [Liu, 2019] [Lan, 2020]",
        "- **soup**: The library has 1 papers on soup. [Devlin, 2018]",
    ]
    assert draft.claims[0].status == "paraphrase"


# -- the review


def test_a_row_that_was_counted_is_answered_as_surely_as_it_was_counted() -> None:
    (one,) = reviewed(replace(LISTED, confidence=0.9, notes=("2 are tied with 3 each",))).rows
    assert (one.status, one.confidence, one.missing) == ("answered", 0.9, "")


def test_what_was_counted_and_nothing_counted_are_judged_apart() -> None:
    empty = replace(LISTED, rows=(), items=())
    (one,) = reviewed(empty).rows
    assert one.status != "answered"


def results(*values: str) -> Tally:
    rows = tuple(
        row("BERT-Large", "accuracy", value, "", proofs=[by(item)])
        for value, item in zip(values, (LIU, LAN), strict=True)
    )
    columns = ("method", "metric", "value", "setting")
    return Tally(row="1", form="results", said="Results.", columns=columns, rows=rows, items=values)


@pytest.mark.parametrize(
    ("question", "values", "status"),
    [
        ("What accuracy does BERT-Large reach on MNLI?", ("86.7", "86.3"), "conflicting"),
        ("BERT-Large 在 MNLI 上的准确率是多少？", ("86.7", "86.3"), "conflicting"),
        ("What accuracy does BERT-Large reach on MNLI?", ("86.7", "86.7"), "answered"),
        ("Which results are reported for BERT-Large on MNLI?", ("86.7", "86.3"), "answered"),
    ],
)
def test_values_conflict_only_where_one_was_asked_for(question: str, values: tuple[str, str], status: str) -> None:
    (one,) = reviewed(results(*values), question).rows
    assert one.status == status
    assert one.missing == ("" if status == "answered" else one.missing)


def test_contradictions_that_were_asked_for_are_the_answer() -> None:
    tally = replace(results("86.7", "86.3"), form="contradictions")
    (one,) = reviewed(tally, "Which papers contradict each other on MNLI?").rows
    assert one.status == "answered"


# -- a sentence that says it all


ONE_COLUMN = replace(
    LISTED,
    columns=("method",),
    rows=tuple(replace(one, cells=one.cells[:1]) for one in LISTED.rows),
)


def test_a_short_list_is_a_sentence_with_a_citation_behind_each_name() -> None:
    draft = written(ONE_COLUMN)
    assert draft.text.split("\n\n")[1:] == ["Two methods improve on BERT: RoBERTa [Liu, 2019] and ALBERT [Lan, 2020]."]
    assert [claim.text for claim in draft.claims] == [LISTED.said, "method: RoBERTa", "method: ALBERT"]


def test_a_longer_list_is_a_table() -> None:
    papers = [paper(f"p{number}", f"M{number} is new.", f"Author{number}", 2000 + number) for number in range(9)]
    names = [f"M{number}" for number in range(9)]
    rows = tuple(row(name, proofs=[by(item, name)]) for name, item in zip(names, papers, strict=True))
    text = written(replace(ONE_COLUMN, said=f"New: {', '.join(names)}.", rows=rows, items=tuple(names))).text
    assert text.count("\n| M") == 9


def test_a_list_of_one_document_is_one_sentence() -> None:
    rows = tuple(row(name, proofs=[by(LIU)]) for name in ("Jane Liu", "Bo Ott"))
    tally = replace(LISTED, said="RoBERTa was proposed by Jane Liu and Bo Ott.", columns=("author",), rows=rows)
    assert written(tally).text.split("\n\n")[1:] == ["RoBERTa was proposed by Jane Liu and Bo Ott. [Liu, 2019]"]


def test_a_lineage_is_told_once() -> None:
    proofs = [[by(LIU, "RoBERTa improves on BERT")], [by(LIU, "RoBERTa improves on BERT")]]
    tally = replace(lineage("RoBERTa", "BERT", years=["2019", "2018"], proofs=proofs), said="The line: BERT → RoBERTa.")
    assert written(tally).text.split("\n\n")[1] == "The line: BERT (2018) → RoBERTa (2019) [Liu, 2019]."


# -- who else is named for it


PROPOSED = replace(
    LISTED,
    said="BERT was proposed by Jane Devlin.",
    columns=("author",),
    rows=(row("Jane Devlin", proofs=[by(DEVLIN)]),),
    items=("Jane Devlin",),
)


def asked_who(text: str, question: str = "Who proposed BERT?") -> tuple[Draft, Review]:
    part = SubQuestion(id=1, text=question)
    other = paper("other", text, "Quux", 2024)
    plan, found = plan_of(question, part), [replace(finding(PROPOSED, part), evidence=(DEVLIN, other))]
    draft = compose(plan, found, assign)
    return draft, TextReviewer().review(plan, found, draft, {})


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("BERT was proposed by Zebulon Quux, says this note of 2024.", "Who proposed BERT?"),
        ("It is told that Zebulon Quux first proposed BERT in 2018, long before others.", "Who proposed BERT?"),
        ("据这篇笔记的说法，BERT是由王大明等人提出的，时间是2018年。", "BERT是谁提出的？"),
    ],
)
def test_who_else_is_named_is_quoted_and_told_to_the_review(text: str, question: str) -> None:
    draft, review = asked_who(text, question)
    assert f"- {text} [Quux, 2024]" in draft.text
    assert draft.claims[-1].status == "verified"
    assert [(one.status, "[" in one.missing, "Quux, 2024" in one.missing) for one in review.rows] == [
        ("conflicting", False, True)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "BERT was proposed by Jane Devlin and colleagues in 2018.",  # the same
        "BERT was introduced by Stanford University in a report.",  # a group
        "BERT-wwm was proposed by Zebulon Quux in 2021.",  # another thing
        "Chinese BERT was proposed by Zebulon Quux in 2021.",
        "Zebulon Quux proposed BERT variants for small machines.",
        "BERT was compared with GPT by Zebulon Quux in this note.",
    ],
)
def test_what_plainly_names_nobody_else_is_not_quoted(text: str) -> None:
    draft, review = asked_who(text)
    assert text not in draft.text
    assert [one.status for one in review.rows] == ["answered"]


def test_a_heading_names_the_first_few_of_many_items() -> None:
    items = tuple("ABCDEF")
    listed = SubQuestion(id=1, text=QUESTION)
    each = SubQuestion(id=2, text="Where was #1 tried?", depends_on=(1,))
    first = replace(finding(LISTED, listed), answer=", ".join(items), items=items)
    text = compose(plan_of(QUESTION, listed, each), [first, finding(None, each)], assign).text
    assert "### 2. Where was A, B, C and 3 more tried?" in text
