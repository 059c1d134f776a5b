"""Search inside PostgreSQL against the local indexes: what is found on evaluation sets, and how long each leg takes.

DATA="folder folder" python bench/database_search.py           folders with corpus.jsonl and queries.jsonl: recall@10 and nDCG@10
python bench/database_search.py --passages 10000 50000         times on made-up passages, beside what EXPLAIN ANALYZE says of the statements

`exact` compares vectors one by one where there are few of them, as the adapter does; `hnsw` looks for them in the index all the same, as
in a library of millions.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from postgres_server import Connection, postgres
from scholarmind.adapters.minilm import MiniLM
from scholarmind.adapters.store import LocalStore
from scholarmind.adapters.store.hybrid_search import Searching
from scholarmind.adapters.store.keyword import Indexed, KeywordIndex
from scholarmind.adapters.store.masks import Hits, Mask, Masks
from scholarmind.adapters.store.matrix import Matrix
from scholarmind.adapters.store.postgres_search import PostgresKeywords, PostgresVectors, create
from scholarmind.model import Document, Entry, Passage, Search, text_to_embed
from scholarmind.text.analysis import terms
from synthetic import DIMENSION, Synthetic

PER_DOCUMENT = 20
CANDIDATES = 100  # what a search wants of each leg
REPEATS = 3  # of which the best counts, on a machine that others use too
SHARES = {"all": None, "30 %": 30, "1 %": 1}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, nargs="*", default=[])
    parser.add_argument("--queries", type=int, default=100)
    arguments = parser.parse_args()
    print("load", os.getloadavg())
    for folder in map(Path, os.environ.get("DATA", "").split()):
        with postgres() as address:
            print(folder.name, json.dumps(compare_found(folder, address)), flush=True)
    for passages in arguments.passages:
        with postgres() as address:
            for name, figures in compare_times(passages, arguments.queries, address):
                print(f"{passages:,}", name, json.dumps(figures), flush=True)
    print("load", os.getloadavg())


# -- what is found


@dataclass
class InDatabase:
    """In place of the local indexes."""

    keyword: PostgresKeywords
    matrix: PostgresVectors

    def has_second(self) -> bool:
        return False


def compare_found(folder: Path, address: str) -> dict[str, Any]:
    """Ask every question of a set with the local indexes, and with those in the database."""
    corpus, queries = (read(folder / name) for name in ("corpus.jsonl", "queries.jsonl"))
    queries = [query for query in queries if query.get("evidence")]
    model = MiniLM()
    figures: dict[str, Any] = {"passages": len(corpus), "questions": len(queries)}
    with tempfile.TemporaryDirectory() as library, LocalStore(Path(library), fingerprint="bench") as store:
        entries = [entry_of(record) for record in corpus]
        texts = [text_to_embed(entry.document.title, entry.passages[0]) for entry in entries]
        vectors = model.encode(texts).vectors
        asyncio.run(store.put(entries, dict(zip(texts, vectors, strict=True))))
        connection = connect(address)
        rows = store.database.rows(
            "SELECT p.number, p.document, d.title || char(10) || p.section || char(10) || p.text, v.vector "
            "FROM passages p JOIN documents d ON d.number = p.document JOIN vectors v ON v.passage = p.number"
        )
        keyword = PostgresKeywords(lambda: connect(address))
        keyword.rebuild((Indexed(*row[:3]) for row in rows), len(rows), 1)
        keyword = PostgresKeywords(connection_of_thread(address))
        with_vectors = [(row[0], row[1], row[3]) for row in rows if row[3] is not None]
        fill_vectors(connection, with_vectors)
        PostgresVectors(lambda: connection).rebuild(with_vectors, vectors.shape[1], 1)
        engines: dict[str, Any] = {
            "local": store.derived,
            "exact": InDatabase(keyword, PostgresVectors(connection_of_thread(address))),
            "hnsw": InDatabase(keyword, PostgresVectors(connection_of_thread(address, unsorted=True), exact=0)),
        }
        asked = model.encode([query["question"] for query in queries]).vectors
        found = {
            name: [ids(store, derived, query["question"], vector) for query, vector in zip(queries, asked, strict=True)]
            for name, derived in engines.items()
        }
    for name, lists in found.items():
        needed = [{part["id"] for part in query["evidence"]} for query in queries]
        scores = [(recall(*pair), ndcg(*pair)) for pair in zip(lists, needed, strict=True)]
        figures[name] = dict(zip(("recall@10", "ndcg@10"), np.mean(scores, axis=0).round(4).tolist(), strict=True))
        same = [set(one) == set(other) for one, other in zip(lists, found["local"], strict=True)]
        figures[name]["same ten"] = round(float(np.mean(same)), 4)
    return figures


def ids(store: LocalStore, derived: Any, question: str, vector: Any) -> list[str]:
    with ThreadPoolExecutor(1) as legs:
        searching = Searching(store.database, derived, Masks(store.database), legs)
        return [hit.document.id for hit in searching.search(Search(text=question, vector=vector, k=10))]


def recall(found: Sequence[str], needed: set[str]) -> float:
    return len(needed & set(found)) / len(needed)


def ndcg(found: Sequence[str], needed: set[str]) -> float:
    gains = 1 / np.log2(np.arange(2, 12))
    return float(sum(gains[place] for place, id in enumerate(found) if id in needed) / gains[: len(needed)].sum())


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def entry_of(record: dict[str, Any]) -> Entry:
    text = record["text"] or "-"
    passage = Passage(text=text, start=0, end=len(text), position=0, language="")
    return Entry(document=Document(id=record["id"], title=record["title"]), text=text, passages=(passage,), hash="")


# -- how long it takes


def compare_times(passages: int, count: int, address: str) -> Iterator[tuple[str, Any]]:
    """Time both legs over the same made-up passages."""
    connection = connect(address)
    source = Synthetic(per_document=PER_DOCUMENT)
    rows = [
        (Indexed(number, document, f"{entry.document.title}\n{passage.text}"), vector)
        for document, (entry, vectors) in enumerate(source.documents(passages), 1)
        for number, (passage, vector) in enumerate(zip(entry.passages, vectors, strict=True), document * 100)
    ]
    words = [item for item, _ in rows]
    vectors = [(item.passage, item.document, vector.tobytes()) for item, vector in rows]
    queries = [(terms(text), vector) for text, vector in Synthetic(per_document=PER_DOCUMENT).queries(count)]
    keyword, matrix = PostgresKeywords(lambda: connection), PostgresVectors(lambda: connection)
    hnsw = PostgresVectors(lambda: connection, exact=0)
    fill_vectors(connection, vectors)
    with tempfile.TemporaryDirectory() as folder:
        local = KeywordIndex(Path(folder) / "keyword"), Matrix(Path(folder) / "vectors")
        for name, (by_words, by_vectors) in {"local": local, "database": (keyword, matrix)}.items():
            start = time.perf_counter()
            by_words.rebuild(words, len(words), 1)
            middle = time.perf_counter()
            by_vectors.rebuild(vectors, DIMENSION, 1)
            seconds = {"words": middle - start, "vectors": time.perf_counter() - middle}
            yield f"seconds to build, {name}", {what: round(spent, 1) for what, spent in seconds.items()}
        yield "megabytes of tables and of their indexes", sizes(connection)
        for name, mask in masks(passages):
            yield f"words, {name}", compare_words(local[0], keyword, queries, mask)
            yield f"vectors, {name}", compare_vectors(local[1], matrix, queries, mask)
        for name, mask in list(masks(passages))[:2]:
            yield f"vectors by the index, {name}", compare_vectors(local[1], hnsw, queries, mask)
    yield "replacing 20 passages, ms", replace_times(connection, keyword, hnsw, rows)


def masks(passages: int) -> Iterator[tuple[str, Mask | None]]:
    documents = np.arange(passages // PER_DOCUMENT + 1)
    for name, share in SHARES.items():
        yield name, None if share is None else documents % 100 < share


def compare_words(local: KeywordIndex, keyword: PostgresKeywords, queries: Sequence[Any], mask: Any) -> dict[str, Any]:
    pairs = [(local.search(words, CANDIDATES, mask), keyword.search(words, CANDIDATES, mask)) for words, _ in queries]
    for one, other in pairs:
        np.testing.assert_allclose(one.scores, other.scores, rtol=1e-4)
    return {
        "local": times(lambda query: local.search(query[0], CANDIDATES, mask), queries),
        **times_of_engine(keyword, lambda query: keyword.search(query[0], CANDIDATES, mask), queries),
    }


def compare_vectors(local: Matrix, matrix: PostgresVectors, queries: Sequence[Any], mask: Any) -> dict[str, Any]:
    pairs = [(local.search(query, CANDIDATES, mask), matrix.search(query, CANDIDATES, mask)) for _, query in queries]
    return {
        **{f"recall@{k}": round(float(np.mean([overlap(*pair, k) for pair in pairs])), 4) for k in (10, CANDIDATES)},
        "local": times(lambda query: local.search(query[1], CANDIDATES, mask), queries),
        **times_of_engine(matrix, lambda query: matrix.search(query[1], CANDIDATES, mask), queries),
    }


def overlap(expected: Hits, found: Hits, k: int) -> float:
    return len(np.intersect1d(expected.passages[:k], found.passages[:k])) / max(1, len(expected.passages[:k]))


def times_of_engine(index: Any, work: Any, queries: Sequence[Any]) -> dict[str, Any]:
    """Time the adapter, and what PostgreSQL itself says that its statements take: turn by turn, since the machine may be busy."""
    connection = index._connection()  # noqa: SLF001
    found: list[float] = []
    own: list[float] = []  # processor time of the adapter: the wait for a turn on a busy machine is in none of it
    engine: list[float] = []
    for query in [*queries[:10], *queries]:
        found.append(min(timed(work, query) for _ in range(REPEATS)))
        connection.heard, start = [], time.process_time()
        work(query)
        own.append((time.process_time() - start) * 1e3)
        statements, connection.heard = connection.heard, None
        engine.append(min(sum(explained(connection, *each) for each in statements) for _ in range(REPEATS)))
    figures = {name: percentiles(spent[10:]) for name, spent in (("database", found), ("own", own), ("engine", engine))}
    waited, worked, inside = (figures[name]["p50"] for name in ("database", "own", "engine"))
    return {**figures, "ratio": round(waited / inside, 2), "ratio of work": round((worked + inside) / inside, 2)}


def explained(connection: Connection, sql: str, parameters: Any) -> float:
    (((plan,),),) = connection.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}", parameters).fetchall()
    return plan["Planning Time"] + plan["Execution Time"]


def times(work: Any, queries: Sequence[Any], repeats: int = REPEATS) -> dict[str, float]:
    return percentiles([min(timed(work, query) for _ in range(repeats)) for query in [*queries[:10], *queries]][10:])


def timed(work: Any, query: Any) -> float:
    start = time.perf_counter()
    work(query)
    return (time.perf_counter() - start) * 1e3


def percentiles(spent: Sequence[float]) -> dict[str, float]:
    return {"p50": round(float(np.median(spent)), 2), "p95": round(float(np.percentile(spent, 95)), 2)}


def replace_times(
    connection: Connection, keyword: PostgresKeywords, matrix: PostgresVectors, rows: Sequence[Any]
) -> dict[str, float]:
    """Replace documents one by one, in one transaction each."""
    passages = len(rows)

    def work(number: int) -> None:
        own = [(item, vector) for item, vector in rows[number * PER_DOCUMENT : (number + 1) * PER_DOCUMENT]]
        connection.execute("BEGIN")
        documents = [own[0][0].document]
        keyword.apply(documents, [item for item, _ in own], passages, number + 2)
        matrix.apply(documents, [(item.passage, item.document, vector.tobytes()) for item, vector in own], number + 2)
        connection.execute("COMMIT")

    return times(work, range(60), 1)


def sizes(connection: Connection) -> dict[str, float]:
    names = ("search_postings", "search_terms", "search_vectors")
    sql = "SELECT pg_table_size(?::regclass), pg_indexes_size(?::regclass)"
    return {name: [round(size / 1e6, 1) for size in connection.execute(sql, (name, name)).fetchone()] for name in names}


# -- the database


class Heard(Connection):
    """A connection that keeps what it executed, while `heard` is a list."""

    heard: list[tuple[str, Any]] | None = None

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        if self.heard is not None:
            self.heard.append((sql, parameters))
        return super().execute(sql, parameters)


def connect(address: str) -> Heard:
    connection = Heard(address)
    create(connection)
    connection.execute("CREATE TABLE IF NOT EXISTS vectors (passage BIGINT PRIMARY KEY, vector BYTEA)")
    return connection


def connection_of_thread(address: str, *, unsorted: bool = False) -> Any:
    """Return one connection for whoever calls; the legs of a search never share one."""
    connection = connect(address)
    if unsorted:  # so that even a small table is searched by its index
        connection.execute("SET enable_sort = off")
    return lambda: connection


def fill_vectors(connection: Connection, rows: Sequence[tuple[int, int, bytes]]) -> None:
    for start in range(0, len(rows), 1_000):
        block = rows[start : start + 1_000]
        sql = "INSERT INTO vectors SELECT * FROM unnest(?::bigint[], ?::bytea[])"
        connection.execute(sql, ([row[0] for row in block], [row[2] for row in block]))


if __name__ == "__main__":
    main()
