"""Search inside PostgreSQL finds what the local indexes find, for the same questions, whatever was put, replaced and removed before."""

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scholarmind.adapters.store.keyword import Indexed, KeywordIndex
from scholarmind.adapters.store.masks import Hits, Mask
from scholarmind.adapters.store.matrix import Matrix
from scholarmind.adapters.store.postgres_search import PostgresKeywords, PostgresVectors, create
from scholarmind.errors import LibraryMismatchError
from scholarmind.text.analysis import terms

DOCUMENTS, PER_DOCUMENT, DIMENSION = 60, 5, 32
WORDS = [f"word{n}" for n in range(300)]
_schemas = count()


@pytest.fixture
def connection(postgres_address: str) -> Iterator[Any]:
    """A connection to a schema of its own, with a table of vectors as the store has one."""
    from postgres_server import Connection

    opened = Connection(postgres_address)
    schema = f"library_{next(_schemas)}"
    opened.execute("CREATE EXTENSION IF NOT EXISTS vector")
    opened.execute(f"CREATE SCHEMA {schema}")
    opened.execute(f"SET search_path = {schema}, public")
    create(opened)
    opened.execute("CREATE TABLE vectors (passage BIGINT PRIMARY KEY, vector BYTEA)")
    yield opened
    opened.execute(f"DROP SCHEMA {schema} CASCADE")
    opened.close()


# -- words


def made(documents: Sequence[int], seed: int = 1) -> list[Indexed]:
    """Passages of any length, common words and rare ones, some without any term."""
    rng = np.random.default_rng([seed, len(documents)])
    passages: list[Indexed] = []
    for document in documents:
        for place in range(PER_DOCUMENT):
            length = int(rng.choice([0, 3, 20, 60, 250]))
            text = " ".join(WORDS[min(299, int(n))] for n in rng.zipf(1.3, length))
            passages.append(Indexed(document * 10 + place, document, f"{text} 数据挖掘" if place == 1 else text))
    return passages


QUESTIONS = [
    terms(text)
    for text in (
        "word0",
        "word3 word17",
        "word5 word5 word40 word120 word250",
        "no such words",
        "word2 nowhere",
        "数据 word9",
        " ".join(WORDS[:120]),
    )
]
TRANSLATIONS = [
    (),
    (("word3", ("word11 word12", "word200")), ("absent", ("word30",))),
    (("word5", ("word299 word298", "nothing")),),
]


def masks() -> list[Mask | None]:
    third, few = np.zeros(DOCUMENTS + 500, np.bool_), np.zeros(12, np.bool_)
    third[::3], few[5] = True, True
    return [None, third, few, np.zeros(3, np.bool_)]


@pytest.fixture
def local(tmp_path: Path) -> KeywordIndex:
    return KeywordIndex(tmp_path / "keyword")


@pytest.fixture
def keywords(connection: Any) -> PostgresKeywords:
    return PostgresKeywords(lambda: connection)


def check_same(found: Hits, expected: Hits) -> None:
    """The same passages with the same scores in the same order, except among equals."""
    np.testing.assert_allclose(found.scores, expected.scores, rtol=2e-5)
    last = expected.scores[-1] * 1.0001 if len(expected.scores) else 0.0
    of = dict(zip(expected.passages.tolist(), expected.scores.tolist(), strict=True))
    for passage, score in found.ranked():
        assert of.get(passage, score) == pytest.approx(score, rel=2e-5)
        assert passage in of or score <= last
    assert (found.documents == found.passages // 10).all()


def check_all_questions(keywords: PostgresKeywords, local: KeywordIndex) -> None:
    for words in QUESTIONS:
        for mask in masks():
            for translations in TRANSLATIONS:
                for k in (5, 1_000):
                    found = keywords.search(words, k, mask, translations)
                    check_same(found, local.search(words, k, mask, translations))
        check_same(keywords.all_of(words, 20), local.all_of(words, 20))
        assert keywords.rarity(words) == pytest.approx(local.rarity(words))


def test_words_are_scored_as_tantivy_scores_them(keywords: PostgresKeywords, local: KeywordIndex) -> None:
    passages = made(range(DOCUMENTS))
    for index in (keywords, local):
        index.rebuild(passages, len(passages), 7)
    assert keywords.change == local.change == 7
    assert len(keywords.search(QUESTIONS[2], 1_000).scores) > 100
    check_all_questions(keywords, local)


def test_filters_that_list_nothing_but_mark_each_document_find_the_same(
    keywords: PostgresKeywords, local: KeywordIndex
) -> None:
    passages = [Indexed(n * 10, n, f"{WORDS[n % 7]} {WORDS[n % 11]} {WORDS[n % 300]}") for n in range(3_000)]
    mask = np.arange(2_500) % 2 == 0
    for index in (keywords, local):
        index.rebuild(passages, len(passages), 1)
    for words in QUESTIONS:
        found = keywords.search(words, 5_000, mask)
        check_same(found, local.search(words, 5_000, mask))
        assert (found.documents % 2 == 0).all()


def test_common_terms_are_left_out_only_where_they_change_nothing(connection: Any, local: KeywordIndex) -> None:
    passages = made(range(400))
    every, without = PostgresKeywords(lambda: connection), PostgresKeywords(lambda: connection, many=0)
    for index in (every, local):
        index.rebuild(passages, len(passages), 1)
    executed: list[str] = []
    direct = connection.execute
    connection.execute = lambda sql, parameters=(): (executed.append(sql), direct(sql, parameters))[1]
    statements: set[int] = set()
    for words in ([f"word{n}", f"word{n * 3}", "word0", "word1"] for n in range(5, 60)):
        for k in (5, 40):
            executed.clear()
            found = without.search(words, k)
            statements.add(len(executed))
            check_same(found, local.search(words, k))
            mask = np.arange(410) % 3 == 0
            check_same(without.search(words, k, mask), local.search(words, k, mask))
    assert statements == {2, 3}  # some at the first attempt, some after all with every posting


def test_lengths_are_the_bytes_of_tantivy(keywords: PostgresKeywords, local: KeywordIndex) -> None:
    lengths = [*range(1, 130), 200, 255, 256, 1_000, 4_097, 70_000]
    passages = [Indexed(n * 10, n, " ".join(["word1"] * n)) for n in lengths]
    for index in (keywords, local):
        index.rebuild(passages, len(passages), 1)
    # beyond 32,767 repetitions are not counted, so that the mean length differs by a trifle
    found, expected = keywords.search(["word1"], 200), local.search(["word1"], 200)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=0.01)
    without = [item for item in passages if item.document < 30_000]
    for index in (keywords, local):
        index.rebuild(without, len(without), 2)
    check_same(keywords.search(["word1"], 200), local.search(["word1"], 200))


def test_what_was_put_replaced_and_removed_is_as_if_built_anew(
    keywords: PostgresKeywords, local: KeywordIndex, connection: Any
) -> None:
    first = made(range(DOCUMENTS))
    keywords.rebuild(first, len(first), 1)
    replaced = made(range(DOCUMENTS, DOCUMENTS + 5), seed=2)
    now = [item for item in first if item.document >= 8] + replaced
    for _ in range(2):  # another process may do it, too
        keywords.apply(range(8), replaced, len(now), 9)
    assert keywords.change == 9
    local.rebuild(now, len(now), 9)
    check_all_questions(keywords, local)
    rows = connection.execute("SELECT count(DISTINCT document) FROM search_postings WHERE document < 8").fetchone()
    assert rows == (0,)


def test_an_index_is_begun_by_changes_too(keywords: PostgresKeywords, local: KeywordIndex) -> None:
    assert keywords.change == 0
    assert len(keywords.search(["word1"], 5).scores) == 0
    assert keywords.rarity(["word1"]) == {"word1": 0.0}
    for index in (keywords, local):
        index.rebuild([], 0, 1)
    for start in range(0, 30, 10):
        keywords.apply([], made(range(start, start + 10)), start * 5 + 50, start + 2)
    passages = [item for start in range(0, 30, 10) for item in made(range(start, start + 10))]
    local.rebuild(passages, len(passages), 22)
    check_all_questions(keywords, local)


def test_within_the_transaction_of_the_passages_all_or_nothing_is_written(
    keywords: PostgresKeywords, connection: Any, postgres_address: str
) -> None:
    from postgres_server import Connection

    passages = made(range(5))
    keywords.rebuild(passages, len(passages), 1)
    before = keywords.search(["word0"], 50).ranked()
    other = Connection(postgres_address)
    other.execute(f"SET search_path = {connection.execute('SELECT current_schema').fetchone()[0]}, public")
    connection.execute("BEGIN")
    keywords.apply([0, 1], [], 15, 2)
    assert PostgresKeywords(lambda: other).search(["word0"], 50).ranked() == before
    connection.execute("ROLLBACK")
    assert keywords.change == 1
    assert keywords.search(["word0"], 50).ranked() == before
    other.close()


def test_another_version_of_the_analysis_makes_the_index_unusable(keywords: PostgresKeywords, connection: Any) -> None:
    passages = made(range(3))
    keywords.rebuild(passages, len(passages), 4)
    connection.execute("UPDATE search_states SET version = version - 1")
    assert keywords.change == 0
    assert len(keywords.search(["word0"], 5).scores) == 0


# -- vectors


def vectors_of(passages: int, seed: int = 3) -> list[tuple[int, int, bytes]]:
    rng = np.random.default_rng(seed)
    topics = rng.normal(size=(20, DIMENSION))
    rows = topics[rng.integers(0, 20, passages)] + rng.normal(size=(passages, DIMENSION))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return [(n, n // PER_DOCUMENT, row.tobytes()) for n, row in enumerate(rows)]


def store(connection: Any, rows: list[tuple[int, int, bytes]]) -> list[tuple[int, int, bytes]]:
    for passage, _, vector in rows:
        connection.execute("INSERT INTO vectors VALUES (?, ?)", (passage, vector))
    return rows


def asked(seed: int = 4) -> list[Any]:
    return [np.frombuffer(row[2], np.float32) for row in vectors_of(20, seed)]


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    return Matrix(tmp_path / "vectors")


def shares(vectors: PostgresVectors, matrix: Matrix, mask: Mask | None, k: int) -> list[float]:
    """Return how many of the best each question finds; what is found has its exact score."""
    found = [vectors.search(query, k, mask) for query in asked()]
    expected = [matrix.search(query, k, mask) for query in asked()]
    for query, hits in zip(asked(), found, strict=True):
        every = dict(matrix.search(query, 10_000, mask).ranked())
        assert [score for _, score in hits.ranked()] == pytest.approx(
            [every[number] for number, _ in hits.ranked()], abs=1e-6
        )
        assert (np.diff(hits.scores) <= 0).all()
        assert (hits.documents == hits.passages // PER_DOCUMENT).all()
    assert [len(hits.scores) for hits in found] == [len(hits.scores) for hits in expected]
    return [
        len(set(a.passages.tolist()) & set(b.passages.tolist())) / max(1, len(b.passages))
        for a, b in zip(found, expected, strict=True)
    ]


@pytest.mark.parametrize("step", [1, 2, 40])
def test_few_vectors_are_compared_exactly(connection: Any, matrix: Matrix, step: int) -> None:
    vectors = PostgresVectors(lambda: connection)
    rows = store(connection, vectors_of(2_000))
    for index in (vectors, matrix):
        index.rebuild(rows, DIMENSION, 5)
    assert (vectors.change, vectors.alive) == (5, 2_000)
    assert set(shares(vectors, matrix, None if step == 1 else np.arange(400) % step == 0, 50)) == {1.0}


@pytest.mark.parametrize(("step", "k"), [(1, 50), (2, 50), (2, 900), (5, 50)])
def test_of_many_the_index_finds_nearly_all_of_the_best(connection: Any, matrix: Matrix, step: int, k: int) -> None:
    connection.execute("SET enable_sort = off")  # so that these few are looked for in the index
    vectors = PostgresVectors(lambda: connection, exact=100)
    rows = store(connection, vectors_of(3_000))
    for index in (vectors, matrix):
        index.rebuild(rows, DIMENSION, 5)
    mask = None if step == 1 else np.arange(600) % step == 0
    assert np.mean(shares(vectors, matrix, mask, k)) >= 0.99
    used = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname LIKE ? AND schemaname = current_schema"
    connection.execute("SELECT pg_stat_force_next_flush()")
    assert connection.execute(used, ("new_search_vectors_half_idx",)).fetchone()[0] >= 20


def test_vectors_come_and_go_with_their_documents(connection: Any, matrix: Matrix) -> None:
    vectors = PostgresVectors(lambda: connection)
    rows = store(connection, vectors_of(1_000))
    assert not vectors.apply([], rows[:600], 1)  # it does not know yet how long they are
    for index in (vectors, matrix):
        index.rebuild(rows[:600], DIMENSION, 1)
        for _ in range(2 if index is vectors else 1):
            assert index.apply([0, 3, 50], rows[600:], 2)
    assert (vectors.change, vectors.alive) == (matrix.change, matrix.alive) == (2, 985)
    assert set(shares(vectors, matrix, None, 50)) == {1.0}
    connection.execute(
        "DELETE FROM vectors WHERE passage < 500"
    )  # gone from the truth: not found, even before it is derived
    assert all((vectors.search(query, 50).passages >= 500).all() for query in asked())


def test_a_vector_of_another_length_is_refused(connection: Any) -> None:
    vectors = PostgresVectors(lambda: connection)
    assert len(vectors.search(np.ones(7, np.float32), 5).scores) == 0
    vectors.rebuild(store(connection, vectors_of(10)), DIMENSION, 1)
    with pytest.raises(LibraryMismatchError, match="a vector of 7 numbers, the library's have 32"):
        vectors.search(np.ones(7, np.float32), 5)
