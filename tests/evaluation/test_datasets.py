"""Datasets in our layout and in BEIR's."""

import json
from pathlib import Path

import pytest

from scholarmind import Library
from scholarmind.errors import QueryError
from scholarmind.evaluation.experiments import load_queries

CORPUS = (
    {
        "_id": "d1",
        "title": "Rope",
        "text": "Rotary embeddings turn queries and keys by an angle.",
        "metadata": {"year": 2021},
    },
    {
        "_id": "d2",
        "title": "Alibi",
        "text": "A linear bias grows with the distance between two tokens.",
        "metadata": {},
    },
    {"_id": "d3", "title": "Bees", "text": "Honey bees dance to tell where flowers are."},
)
QUERIES = (
    {"_id": "q1", "text": "What turns keys by an angle?"},
    {"_id": "q2", "text": "Which bias grows?"},
    {"_id": "q3", "text": "Unjudged?"},
)


def write_lines(path: Path, records: tuple[dict, ...]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    """A dataset as BEIR's archives hold them."""
    write_lines(tmp_path / "corpus.jsonl", CORPUS)
    write_lines(tmp_path / "queries.jsonl", QUERIES)
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td3\t0\nq2\td2\t1\nq2\td1\t1\n"
    )
    return tmp_path


def test_records_above_zero_are_evidence_and_unjudged_questions_are_left_out(beir: Path) -> None:
    found = {query.id: (query.question, sorted(query.evidence)) for query in load_queries(beir)}
    assert found == {"q1": ("What turns keys by an angle?", ["d1"]), "q2": ("Which bias grows?", ["d1", "d2"])}


def test_the_table_of_trec_has_a_column_more_and_no_heading(beir: Path) -> None:
    (beir / "qrels" / "test.tsv").write_text("q1 0 d1 1\nq2 0 d2 -1\n")
    assert [(query.id, sorted(query.evidence)) for query in load_queries(beir)] == [("q1", ["d1"])]


def test_another_part_is_read_where_there_is_no_test(beir: Path) -> None:
    (beir / "qrels" / "test.tsv").rename(beir / "qrels" / "dev.tsv")
    assert len(load_queries(beir)) == 2


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("q1\td1\n", "line 1: .* is not a question's id"),
        ("q1\td1\tmuch\n", "line 1: .* is not a question's id"),
        ("", "holds no question that"),
    ],
)
def test_a_table_that_cannot_be_read_is_told(beir: Path, table: str, said: str) -> None:
    (beir / "qrels" / "test.tsv").write_text(table)
    with pytest.raises(QueryError, match=said):
        load_queries(beir)


def test_no_table_at_all(beir: Path) -> None:
    (beir / "qrels" / "test.tsv").unlink()
    with pytest.raises(QueryError, match=r"holds none of test\.tsv"):
        load_queries(beir)


def test_records_keep_their_ids_and_metadata(beir: Path, tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", embedder="none") as library:
        library.add(beir / "corpus.jsonl")
        assert {document.id: document.year for document in library.documents()} == {
            "d1": 2021,
            "d2": None,
            "d3": None,
        }


def test_an_empty_question_is_told_with_its_line(tmp_path: Path) -> None:
    write_lines(tmp_path / "corpus.jsonl", CORPUS)
    write_lines(tmp_path / "queries.jsonl", ({"question": "What?"}, {"question": " "}))
    with pytest.raises(QueryError, match="line 2: not a question"):
        load_queries(tmp_path)
