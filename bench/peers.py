"""Hybrid search, ours and LanceDB's, over the same passages and vectors, question by question in turns. Run by bench/peers.sh."""

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import lancedb
import numpy as np

from scholarmind.adapters.store import LocalStore
from search import build, search_for
from synthetic import Synthetic

PER_DOCUMENT = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scholarmind-peers-") as folder:
        print(json.dumps(measure(Path(folder), arguments.passages, arguments.queries), indent=1))


def measure(folder: Path, passages: int, count: int) -> dict[str, Any]:
    ours_seconds = asyncio.run(build(folder / "ours", Synthetic(per_document=PER_DOCUMENT), passages))
    start = time.perf_counter()
    table = build_lance(folder / "lance", passages)
    lance_seconds = time.perf_counter() - start
    queries = list(Synthetic(per_document=PER_DOCUMENT).queries(count + 10))
    spent: dict[str, list[float]] = {"scholarmind": [], "lancedb": []}
    with LocalStore(folder / "ours", fingerprint="synthetic") as store:
        for number, query in enumerate(queries):
            for name, work in (
                ("scholarmind", lambda q=query: store.search_now(search_for(q, None))),
                ("lancedb", lambda q=query: ask_lance(table, q)),
            ):
                begun = time.perf_counter()
                work()
                if number >= 10:  # both are warm by then
                    spent[name].append((time.perf_counter() - begun) * 1e3)
    return {
        "passages": passages,
        "build_seconds": {"scholarmind": round(ours_seconds, 1), "lancedb": round(lance_seconds, 1)},
        "hybrid_ms": {
            name: {"p50": round(float(np.median(t)), 1), "p95": round(float(np.percentile(t, 95)), 1)}
            for name, t in spent.items()
        },
    }


def build_lance(folder: Path, passages: int) -> Any:
    database = lancedb.connect(str(folder))
    table: Any = None
    batch: list[dict[str, Any]] = []
    for entry, vectors in Synthetic(per_document=PER_DOCUMENT).documents(passages):
        batch += [
            {"text": p.text, "document": entry.document.id, "vector": v}
            for p, v in zip(entry.passages, vectors, strict=True)
        ]
        if len(batch) >= 10_000:
            table = write(database, table, batch)
            batch = []
    if batch:
        table = write(database, table, batch)
    table.create_fts_index("text")
    return table


def write(database: Any, table: Any, batch: list[dict[str, Any]]) -> Any:
    if table is None:
        return database.create_table("passages", batch)
    table.add(batch)
    return table


def ask_lance(table: Any, query: Any) -> Any:
    return table.search(query_type="hybrid").vector(query[1]).text(query[0]).limit(10).to_list()


if __name__ == "__main__":
    main()
