"""The examples of the designs that this program goes back to, as answers: what is printed, and that the rows say the same."""

from collections.abc import Iterator
from importlib.resources import as_file, files

import pytest

from scholarmind import Library

SIZES = ("BooksCorpus (800 million words)", "English Wikipedia (2,500 million words)")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A library of the demo notes."""
    with (
        Library.open(tmp_path_factory.mktemp("demo") / "library", effort="keyless") as library,
        as_file(files("scholarmind.demo") / "notes") as notes,
    ):
        library.add(notes)
        yield library


@pytest.mark.parametrize(
    "question",
    ["What dataset did BERT use, and what is its size?", "BERT使用了什么数据集？它的规模有多大？"],
)
def test_what_bert_was_trained_on_and_its_size(demo: Library, question: str) -> None:
    answer = demo.ask(question)
    assert "BooksCorpus" in answer.answers["1"]
    assert "English Wikipedia" in answer.answers["1"]
    assert "SQuAD" not in answer.answers["1"]  # what it was tested on is something else
    assert all(size in answer.text.replace("**", "") for size in SIZES)


@pytest.mark.parametrize(
    ("question", "gain"),
    [
        ("FlashAttention-2 的性能提升是多少？", "FlashAttention-2的速度约为FlashAttention的2倍"),
        ("How much faster is FlashAttention-2?", "FlashAttention-2的速度约为FlashAttention的2倍"),
    ],
)
def test_a_gain_is_told_with_what_it_is_over(demo: Library, question: str, gain: str) -> None:
    answer = demo.ask(question)
    assert gain in answer.text.replace("**", "")
    assert answer.review.verdict in {"complete", "with caveats"}


def test_a_result_is_no_gain(demo: Library) -> None:
    answer = demo.ask("NSA 的性能提升是多少？")
    assert "的结果：" not in answer.text
    assert "AIME" not in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "Compare BERT and GPT-2 on GLUE, explain their attention mechanisms, and who proposed each?",
        "Transformer架构近3年有哪些主要改进, 各自的性能提升是多少, 以及哪个研究组最活跃?",
        "What is the context length of Qwen2, and what is that of Longformer?",
        "How do chunking strategies affect reranking in RAG?",
        "Longformer和BigBird有什么区别？",
    ],
)
def test_the_rows_say_what_the_text_says(demo: Library, question: str) -> None:
    answer = demo.ask(question)
    looked_up = [row for row in answer.review.rows if answer.plan.part(row.part).role == "find"]
    for row in looked_up:
        said = row.id in answer.answers
        assert said is (row.status != "not in the library"), (row, answer.text)


def test_a_comparison_has_a_line_for_each_and_no_line_twice(demo: Library) -> None:
    text = demo.ask("Who proposed BERT, and who proposed GPT-2?").text
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) == len(set(lines))
    assert "Jacob Devlin" in text
    assert "Alec Radford" in text
