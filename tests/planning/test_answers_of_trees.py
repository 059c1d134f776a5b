"""A nested question asked of a library: its tree in the plan, in the text, and in the completeness table."""

from pathlib import Path

import pytest

from scholarmind import Answer, Library

QUESTION = "Compare BERT and GPT-2 in depth and data, and who proposed RoBERTa?"
LISTED = "What are the causes and the remedies of hallucination? Who proposed RoBERTa?"
NOTES = {
    "BERT": "BERT in depth has 24 layers. BERT in data like BooksCorpus has 800 million words.",
    "GPT-2": "GPT-2 in depth has 48 layers. GPT-2 in data like WebText has 40 gigabytes.",
    "RoBERTa": "RoBERTa was proposed by Yinhan Liu at Facebook.",
    "Hallucination": "The causes of hallucination are noisy data. The remedies of hallucination are retrieval and checking.",
}


@pytest.fixture
def filled(library: Library, tmp_path: Path) -> Library:
    for title, text in NOTES.items():
        (tmp_path / f"{title}.md").write_text(f"---\ntitle: {title}\n---\n{text}\n")
        library.add(tmp_path / f"{title}.md")
    return library


def headings(answer: Answer) -> list[str]:
    return [line for line in answer.text.splitlines() if line.startswith("###")]


def test_a_comparison_among_other_things(filled: Library) -> None:
    answer = filled.ask(QUESTION)

    assert [row.id for row in answer.review.rows] == ["1", "2", "3", "4", "5", "6"]
    assert [(row.status, row.evidence > 0) for row in answer.review.rows] == [("answered", True)] * 6
    assert [heading.split(".")[0] for heading in headings(answer)] == ["### 1", "### 6"]  # its cells are its parts
    assert "| BERT |" in answer.text
    assert answer.review.verdict == "complete"


def test_what_only_lists_is_not_told_twice(filled: Library) -> None:
    answer = filled.ask(LISTED)

    assert [line.split(".")[0] for line in headings(answer)] == ["#### 2", "#### 3", "### 4"]
    assert answer.text.count("noisy data") == 1
    assert [row.status for row in answer.review.rows] == ["answered"] * 4


def test_a_part_is_as_good_as_its_own_parts(filled: Library) -> None:
    answer = filled.ask("What are the causes and the zyzzyvas of hallucination? Who proposed RoBERTa?")

    rows = {row.id: row for row in answer.review.rows}
    assert (rows["2"].status, rows["4"].status) == ("answered", "answered")
    assert rows["1"].confidence == rows["3"].confidence < rows["2"].confidence
