"""What a million passages cost in bytes, memory and processor, in a folder and in PostgreSQL, and what several processes find in a second.

python bench/scale_figures.py --sizes 10000 100000          (`make scale-figures` to a million: hours on two busy cores)

stored     passages put in, with their vectors: bytes of each part, seconds of processor of the process and of the database
served     a process over them: memory, milliseconds of processor and of the clock for a search, whether all is found
at once    one, two and three processes that search as fast as they can: searches a second, and the cores that they had for it
vectors    an index of pgvector on its own: bytes, seconds to build, and milliseconds for as many of the right ones

Time on the clock depends on what else the machine does; processor time hardly does. Each figure says how busy the machine was.
"""

import argparse
import asyncio
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.store import LocalStore
from search import BATCH, megabytes, put, search_for, times
from synthetic import Synthetic

sys.path.append(str(Path(__file__).parents[1]))
PER_DOCUMENT = 20
KEPT = Path(__file__).parents[1] / "docs/scale.jsonl"
SECONDS = 15.0  # of searching at once


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--homes", nargs="+", choices=["folder", "postgresql", "vectors"], default=["folder"])
    parser.add_argument("--output", type=Path, default=KEPT, help="lines of JSON are appended here")
    arguments = parser.parse_args()
    for size in arguments.sizes:
        for home in arguments.homes:
            place = Path(tempfile.mkdtemp(prefix="scholarmind-scale-"))
            try:
                with cluster() if home != "folder" else nullcontext() as servers:
                    measured = (
                        vectors(servers, size) if home == "vectors" else measure(home, place / "library", servers, size)
                    )
            finally:
                shutil.rmtree(place)
            row = {"home": home, "passages": size, "load": round(os.getloadavg()[0], 1), **measured}
            print(json.dumps(row), flush=True)
            with arguments.output.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


@contextmanager
def cluster() -> Iterator[Any]:
    """Have a PostgreSQL server of its own, which keeps a quarter of a gigabyte in its hands."""
    from tests.scale.clusters import Cluster  # noqa: PLC0415

    with Cluster() as made:
        node = made.nodes[0]
        for setting in ("shared_buffers = '256MB'", "maintenance_work_mem = '1GB'", "max_wal_size = '4GB'"):
            node.sql(f"ALTER SYSTEM SET {setting}", database="postgres")
        node.end()
        node.start()
        yield made


def opened(home: str, folder: Path, url: str) -> Any:
    """Open the store of a home."""
    if home == "folder":
        return LocalStore(folder, fingerprint="synthetic")
    from scholarmind.adapters.store.postgres_store import PostgresStore  # noqa: PLC0415

    return PostgresStore(url, folder, fingerprint="synthetic")


def measure(home: str, folder: Path, servers: Any, size: int) -> dict[str, Any]:
    """Store so many passages in one process, search them in others."""
    url = servers.url if servers else ""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        stored = pool.submit(store, home, folder, url, size).result()
    if servers:
        stored["database_processor_seconds"] = round(processor_seconds(servers.nodes[0].process.pid), 1)
        stored["megabytes"]["database"] = round(
            servers.nodes[0].sql("SELECT pg_database_size(current_database())")[0][0] / 1e6
        )
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        served = pool.submit(serve, home, folder, url).result()
    at_once = {}
    for count in (1, 2, 3):
        with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
            before = processor_seconds(servers.nodes[0].process.pid) if servers else 0.0
            done = list(pool.map(search_on, [home] * count, [copied(folder, n) for n in range(count)], [url] * count))
            spent = (processor_seconds(servers.nodes[0].process.pid) if servers else 0.0) - before
        at_once[str(count)] = {
            "searches_a_second": round(sum(one["searches"] for one in done) / SECONDS, 1),
            "cores_had": round((sum(one["processor"] for one in done) + spent) / SECONDS, 2),
        }
    return {"stored": stored, "served": served, "at_once": at_once}


def copied(folder: Path, number: int) -> Path:
    """Return a copy of what is derived, as each machine has its own."""
    return (
        folder if not number else Path(shutil.copytree(folder, folder.with_name(f"copy {number}"), dirs_exist_ok=True))
    )


def store(home: str, folder: Path, url: str, size: int) -> dict[str, Any]:
    """Store passages with their vectors; making them up does not count."""
    source, spent, processor = Synthetic(per_document=PER_DOCUMENT), 0.0, 0.0

    async def work(made: Any) -> None:
        nonlocal spent, processor
        async with made.writing():
            batch: list[Any] = []
            for entry, vectors in source.documents(size):
                batch.append((entry, vectors))
                if len(batch) * PER_DOCUMENT >= BATCH or len(batch) * PER_DOCUMENT >= size:
                    began = time.process_time()
                    spent += await put(made, batch)
                    processor += time.process_time() - began
                    batch = []
            spent += await put(made, batch) if batch else 0.0

    with opened(home, folder, url) as made:
        asyncio.run(work(made))
    sizes = {path.name: round(megabytes(path)) for path in sorted(folder.iterdir())}
    return {"seconds": round(spent, 1), "processor_seconds": round(processor, 1), "megabytes": sizes}


def serve(home: str, folder: Path, url: str) -> dict[str, Any]:
    """Search in a process that has just begun."""
    queries, began = list(Synthetic(per_document=PER_DOCUMENT).queries(100)), time.perf_counter()
    with opened(home, folder, url) as made:
        made.search_now(search_for(queries[0], None))
        first = time.perf_counter() - began
        clock = times(lambda query: made.search_now(search_for(query, None)), queries)
        processor = time.process_time()
        for query in queries:
            made.search_now(search_for(query, None))
        processor = time.process_time() - processor
    return {
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "first_search_seconds": round(first, 2),
        "search_ms": clock,
        "search_processor_ms": round(processor * 10, 2),
    }


def search_on(home: str, folder: Path, url: str) -> dict[str, float]:
    """Search for some seconds."""
    queries, done = list(Synthetic(per_document=PER_DOCUMENT).queries(100)), 0
    with opened(home, folder, url) as made:
        made.search_now(search_for(queries[0], None))
        began, processor = time.perf_counter(), time.process_time()
        while time.perf_counter() - began < SECONDS:
            made.search_now(search_for(queries[done % 100], None))
            done += 1
        return {"searches": done, "processor": time.process_time() - processor}


def processor_seconds(server: int) -> float:
    """Return the processor time of a server, of those that serve for it, and of those that did."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    spent = 0
    for process in (server, *map(int, children)):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        spent += sum(map(int, fields[11:15] if process == server else fields[11:13]))
    return spent / os.sysconf("SC_CLK_TCK")


# -- an index of pgvector


def vectors(servers: Any, size: int) -> dict[str, Any]:
    """Build an index of half-precision vectors, and look for fifty neighbours with more and more effort."""
    import psycopg  # noqa: PLC0415

    source = Synthetic(per_document=PER_DOCUMENT)
    made = np.concatenate([found for _, found in source.documents(size)])
    asked = [vector for _, vector in source.queries(50)]
    exact = [set(np.argsort(-(made @ vector))[:50].tolist()) for vector in asked]
    with psycopg.connect(servers.url, autocommit=True) as connection:
        connection.execute("CREATE TABLE v (id bigint, vector halfvec(384))")
        with connection.cursor() as cursor, cursor.copy("COPY v FROM STDIN") as copy:
            for number, vector in enumerate(made):
                copy.write_row((number, json.dumps(vector.round(5).tolist())))
        sizes = {"table_bytes": int(servers.nodes[0].sql("SELECT pg_table_size('v') / (SELECT count(*) FROM v)")[0][0])}
        before, began = processor_seconds(servers.nodes[0].process.pid), time.perf_counter()
        connection.execute("SET maintenance_work_mem = '1GB'")
        connection.execute("CREATE INDEX i ON v USING hnsw (vector halfvec_ip_ops)")
        spent = processor_seconds(servers.nodes[0].process.pid) - before
        building = {"seconds": round(time.perf_counter() - began, 1), "processor_seconds": round(spent, 1)}
        sizes["index_bytes"] = int(
            servers.nodes[0].sql("SELECT pg_relation_size('i') / (SELECT count(*) FROM v)")[0][0]
        )
        effort = {}
        connection.execute("SET hnsw.iterative_scan = relaxed_order")
        for ef in (40, 100, 400, 1000):
            connection.execute(f"SET hnsw.ef_search = {ef}")
            right, spans = 0, []
            before = processor_seconds(servers.nodes[0].process.pid)
            for vector, best in zip(asked, exact, strict=True):
                began = time.perf_counter()
                sql = "SELECT id FROM v ORDER BY vector <#> %s::halfvec LIMIT 50"
                found = connection.execute(sql, (json.dumps(vector.tolist()),)).fetchall()
                spans.append((time.perf_counter() - began) * 1e3)
                right += len(best & {row[0] for row in found})
            spent = processor_seconds(servers.nodes[0].process.pid) - before
            effort[str(ef)] = {
                "recall_at_50": round(right / 2500, 3),
                "p50_ms": round(float(np.median(spans)), 1),
                "processor_ms": round(spent * 1e3 / len(asked), 1),
            }
    return {"bytes_a_passage": sizes, "building": building, "search": effort}


if __name__ == "__main__":
    main()
