"""Time the store at a given size: building, opening, searching with and without filters, replacing a document.

python bench/search.py --passages 100000 --per-document 20
"""

import argparse
import asyncio
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.minilm import MiniLM
from scholarmind.adapters.store import LocalStore
from scholarmind.filters import Filter, parse_filter
from scholarmind.model import Search
from synthetic import Synthetic

FILTERS = {"all": None, "1 %": "percent = 7", "30 %": "percent < 30"}
BATCH = 4_000  # passages stored in one transaction


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--per-document", type=int, default=20)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--folder", type=Path, help="keep the library here, and use it if it is there already")
    parser.add_argument("--output", type=Path, help="append the figures to this file, as a line of JSON")
    arguments = parser.parse_args()
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="scholarmind-bench-"))
    try:
        figures = measure_in_a_process_of_its_own(arguments, folder)
    finally:
        if arguments.folder is None:
            shutil.rmtree(folder)
    print(json.dumps(figures, indent=1))
    if arguments.output:
        with arguments.output.open("a", encoding="utf-8") as file:
            file.write(json.dumps(figures) + "\n")


def measure_in_a_process_of_its_own(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Build here, measure there: what building took of memory must not count."""
    figures: dict[str, Any] = {"passages": arguments.passages, "per_document": arguments.per_document}
    if not (folder / "library.db").exists():
        source = Synthetic(per_document=arguments.per_document)
        figures["build_seconds"] = round(asyncio.run(build(folder, source, arguments.passages)), 1)
    sizes = {path.name: path for path in (folder / "library.db", folder / "keyword", folder / "vectors")}
    figures["megabytes"] = {name: round(megabytes(path)) for name, path in sizes.items()}
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return figures | pool.submit(measure, folder, arguments.per_document, arguments.queries).result()


def megabytes(path: Path) -> float:
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def measure(folder: Path, per_document: int, count: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    queries = list(Synthetic(per_document=per_document).queries(count))
    start = time.perf_counter()
    with LocalStore(folder, fingerprint="synthetic") as store:
        asyncio.run(store.search(Search(text="first", vector=queries[0][1], k=1)))
        figures["open_and_first_search_ms"] = round((time.perf_counter() - start) * 1e3, 1)
        figures["search_ms"] = {name: search_times(store, queries, text) for name, text in FILTERS.items()}
        figures["legs_ms"] = leg_times(store, queries)
        figures["links_ms"] = link_times(store, queries)
        model = MiniLM()
        figures["with_embedding_ms"] = times(lambda query: embed_and_search(model, store, query), queries)
        figures["rss_mb"] = peak_memory()
        figures["recall_at_50"] = recall(store, queries)
        figures["replace_ms"] = asyncio.run(replace_times(store, per_document))
    return figures


def peak_memory() -> int:
    """Return the most memory that this process has had, in megabytes."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def embed_and_search(model: MiniLM, store: LocalStore, query: Any) -> None:
    model.encode([query[0]])  # the library's vectors are made up, so the embedding is only timed
    store.search_now(search_for(query, None))


async def build(folder: Path, source: Synthetic, passages: int) -> float:
    """Fill a library and return the seconds that the store took (making up the texts apart)."""
    spent = 0.0
    with LocalStore(folder, fingerprint="synthetic") as store:
        async with store.writing():
            batch: list[Any] = []
            for entry, vectors in source.documents(passages):
                batch.append((entry, vectors))
                if len(batch) * source.per_document >= BATCH:
                    spent += await put(store, batch)
                    batch = []
            spent += await put(store, batch) if batch else 0.0
    return spent


async def put(store: LocalStore, batch: list[Any]) -> float:
    start = time.perf_counter()
    await store.put([entry for entry, _ in batch])
    vectors = np.concatenate([vectors for _, vectors in batch])
    waiting = await store.waiting(len(vectors))
    await store.fill({item.number: vector for item, vector in zip(waiting, vectors, strict=True)})
    return time.perf_counter() - start


def search_times(store: LocalStore, queries: list[Any], text: str | None) -> dict[str, float]:
    filter_ = parse_filter(text) if text else None
    return times(lambda query: store.search_now(search_for(query, filter_)), queries)


def link_times(store: LocalStore, queries: list[Any]) -> dict[str, float]:
    """From three passages to all that is one mention away, both ways, ranked; and the names in a question."""
    searches = [search_for(query, None) for query in queries]
    seeds = cycle([(store.search_now(search)[:3], search) for search in searches])
    linked = times(lambda _: asyncio.run(store.linked(*next(seeds))), queries)
    names = times(lambda query: asyncio.run(store.names([query[0]])), queries)
    return {**linked, **{f"names_{name}": value for name, value in names.items()}}


def search_for(query: Any, filter_: Filter | None, **options: Any) -> Search:
    return Search(text=query[0], vector=query[1], k=10, filter=filter_, **options)


def leg_times(store: LocalStore, queries: list[Any]) -> dict[str, Any]:
    return {
        "vector": times(lambda query: store.search_now(search_for(query, None, mode="vector")), queries),
        "keyword": times(lambda query: store.search_now(search_for(query, None, mode="keyword")), queries),
    }


def times(work: Callable[[Any], Any], queries: list[Any]) -> dict[str, float]:
    """Return p50 and p95 in milliseconds, warm."""
    for query in queries[:10]:
        work(query)
    spent: list[float] = []
    for query in queries:
        start = time.perf_counter()
        work(query)
        spent.append((time.perf_counter() - start) * 1e3)
    return {"p50": round(float(np.median(spent)), 2), "p95": round(float(np.percentile(spent, 95)), 2)}


def recall(store: LocalStore, queries: list[Any]) -> dict[str, float]:
    """Compare the vector leg with a plain product over everything, straight from the truth."""
    asked = np.array([vector for _, vector in queries]).T
    best: list[tuple[Any, Any]] = [(np.empty(0), np.empty(0, np.int64))] * len(queries)
    cursor = store.database.connection().execute("SELECT passage, vector FROM vectors WHERE vector IS NOT NULL")
    while rows := cursor.fetchmany(50_000):
        passages = np.array([row[0] for row in rows])
        scores = np.frombuffer(b"".join(row[1] for row in rows), np.float32).reshape(len(rows), -1) @ asked
        for number, (old_scores, old_passages) in enumerate(best):
            merged = np.concatenate([old_scores, scores[:, number]])
            order = np.argsort(-merged, kind="stable")[:50]
            best[number] = merged[order], np.concatenate([old_passages, passages])[order]
    shares = [
        len(np.intersect1d(exact, store.derived.matrix.search(vector, 50).passages)) / len(exact)
        for (_, exact), (_, vector) in zip(best, queries, strict=True)
    ]
    return {"mean": round(float(np.mean(shares)), 4), "worst": round(min(shares), 4)}


async def replace_times(store: LocalStore, per_document: int) -> dict[str, float]:
    """Replace a document and wait until the new text is found."""
    spent: list[float] = []
    for number, (entry, _) in enumerate(Synthetic(per_document=per_document, seed=8).documents(110 * per_document)):
        start = time.perf_counter()
        await store.put([entry])
        await store.search(Search(text=entry.passages[0].text[:60], k=1))
        if number >= 10:
            spent.append((time.perf_counter() - start) * 1e3)
    return {
        "p50": round(float(np.median(spent)), 1),
        "p95": round(float(np.percentile(spent, 95)), 1),
        "max": round(max(spent), 1),
    }


if __name__ == "__main__":
    main()
