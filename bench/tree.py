"""Time the tree of summaries, and compare one that grew document by document with one that was built at once.

python bench/tree.py --passages 10000 --per-document 20          # building, one more paper, memory
python bench/tree.py --passages 100000 --near-only               # how long `near` takes
python bench/tree.py --singles 1000                              # so many documents one by one, against all at once
python bench/tree.py --grown ~/.local/share/scholarmind/library  # the same with the vectors of a library
"""

import argparse
import asyncio
import json
import shutil
import sqlite3
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.store import LocalStore
from scholarmind.filters import parse_filter
from scholarmind.library.followers import TreeFollowing
from scholarmind.model import Search
from scholarmind.tree.growing import Growth
from search import build, peak_memory, put, times
from synthetic import Synthetic

OF_A_SINGLE = 4  # passages of each document that is added by itself
SEED = 8  # of the papers that come later


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--per-document", type=int, default=20)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--near-only", action="store_true", help="plant the tree, but make no summaries")
    parser.add_argument("--singles", type=int, help="compare so many single adds with one at once")
    parser.add_argument("--grown", type=Path, help="compare with the vectors of this library")
    parser.add_argument("--folder", type=Path, help="keep the library here, and use it if it is there already")
    arguments = parser.parse_args()
    if arguments.grown:
        print(json.dumps(asyncio.run(compare(*vectors_of(arguments.grown))), indent=1))
        return
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="scholarmind-bench-"))
    try:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            if arguments.singles:
                figures = pool.submit(single_adds, folder, arguments.singles).result()
            else:
                if not (folder / "library.db").exists():
                    asyncio.run(build(folder, Synthetic(per_document=arguments.per_document), arguments.passages))
                figures = pool.submit(measure, folder, arguments).result()
    finally:
        if arguments.folder is None:
            shutil.rmtree(folder)
    print(json.dumps(figures, indent=1))


def measure(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    figures: dict[str, Any] = {"passages": arguments.passages}
    queries = list(Synthetic(per_document=arguments.per_document).queries(arguments.queries))
    with LocalStore(folder, fingerprint="synthetic") as store:
        if arguments.near_only:
            figures["plant_seconds"] = asyncio.run(planted(store))
        else:
            following = TreeFollowing(store=store, tree=store.tree)
            figures["build_seconds"] = timed(following)
            figures["rss_mb"] = peak_memory()
            figures["nothing_to_do_ms"] = round(timed(following) * 1e3, 2)
            paper = next(Synthetic(per_document=arguments.per_document, seed=SEED).documents(arguments.per_document))
            renamed = replace(paper[0], document=replace(paper[0].document, id="one more"))
            asyncio.run(put(store, [(renamed, paper[1])]))
            figures["one_more_paper_seconds"] = timed(following)
        figures["tree"] = quality(store)
        figures["near_ms"] = near_times(store, queries)
        figures["rss_with_questions_mb"] = peak_memory()
    return figures


async def planted(store: LocalStore) -> float:
    """Build the nodes and say that each was summarised."""
    start = time.perf_counter()
    await store.tree.grow()
    spent = time.perf_counter() - start
    with store.database.transaction() as connection:
        connection.execute("UPDATE tree_nodes SET due = 0, summary = '[[\"Said.\", []]]'")
    await store.tree.grow()
    return round(spent, 2)


def timed(following: TreeFollowing) -> float:
    start = time.perf_counter()
    asyncio.run(following.follow())
    return round(time.perf_counter() - start, 5)


def near_times(store: LocalStore, queries: list[Any]) -> dict[str, Any]:
    def asked(levels: tuple[int, ...], text: str = "") -> dict[str, float]:
        filter_ = parse_filter(text) if text else None
        return times(
            lambda query: asyncio.run(store.tree.near(search_for(query), 20, levels=levels, filter=filter_)), queries
        )

    def search_for(query: Any) -> Search:
        return Search(text=query[0], vector=query[1])

    return {"all levels": asked(()), "level 2": asked((2,)), "summaries, 1 % filter": asked((1, 2, 3), "percent = 7")}


def single_adds(folder: Path, count: int) -> dict[str, Any]:
    """Add documents one by one, following each; and the same documents at once."""
    source = list(Synthetic(per_document=OF_A_SINGLE).documents(count * OF_A_SINGLE))
    figures: dict[str, Any] = {"documents": count}
    for name, batch in (("one by one", 1), ("at once", count)):
        with LocalStore(folder / name.replace(" ", "-"), fingerprint="synthetic") as store:
            following, spent = TreeFollowing(store=store, tree=store.tree), list[float]()
            for start in range(0, count, batch):
                asyncio.run(put(store, source[start : start + batch]))
                spent.append(timed(following))
            figures[name] = {"seconds": round(sum(spent), 1), "last": round(spent[-1], 3), **quality(store)}
    return figures


def quality(store: LocalStore) -> dict[str, Any]:
    """Tell how alike what is together is, how deep the trees are, and how even."""
    connection = sqlite3.connect(store.folder / "library.db")
    sql = "SELECT m.node, v.vector, m.second IS NOT NULL FROM tree_members m JOIN vectors v ON v.passage = m.passage"
    rows = connection.execute(sql).fetchall()
    vectors = np.frombuffer(b"".join(row[1] for row in rows), np.float32).reshape(len(rows), -1)
    levels = dict(connection.execute("SELECT level, count(*) FROM tree_nodes GROUP BY level").fetchall())
    connection.close()
    return {
        **likeness(np.array([row[0] for row in rows]), vectors),
        "levels": levels,
        "second_share": round(float(np.mean([row[2] for row in rows])), 3),
    }


def likeness(nodes: Any, vectors: Any) -> dict[str, Any]:
    """Return the mean likeness of passages with the centre of their node, and how many a node has."""
    _, own = np.unique(nodes, return_inverse=True)
    sums = np.zeros((int(own.max()) + 1, vectors.shape[1]), np.float32)
    np.add.at(sums, own, vectors)
    centres = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    sizes = np.bincount(own)
    return {
        "likeness": round(float(np.mean(np.sum(vectors * centres[own], axis=1))), 4),
        "sizes": {name: float(np.percentile(sizes, share)) for name, share in (("p5", 5), ("p50", 50), ("p95", 95))},
        "mean_size": round(float(sizes.mean()), 2),
    }


def vectors_of(folder: Path) -> tuple[Any, Any]:
    connection = sqlite3.connect(f"{folder.absolute().as_uri()}/library.db?mode=ro", uri=True)
    rows = connection.execute(
        "SELECT passage, vector FROM vectors WHERE vector IS NOT NULL ORDER BY passage"
    ).fetchall()
    connection.close()
    return np.array([row[0] for row in rows]), np.frombuffer(b"".join(row[1] for row in rows), np.float32).reshape(
        len(rows), -1
    )


async def compare(passages: Any, vectors: Any) -> dict[str, Any]:
    """Plant a tree of all, and let another grow passage by passage in a random order and in theirs."""
    figures: dict[str, Any] = {"passages": len(passages)}
    at_once = Growth({}, lambda _: {}, 1)
    start = time.perf_counter()
    at_once.plant(passages, vectors)
    figures["at once"] = grown(at_once, passages, vectors, start)
    for name, order in (
        ("as they came", np.arange(len(passages))),
        ("shuffled", np.random.default_rng(1).permutation(len(passages))),
    ):
        one_by_one = Growth({}, lambda _: {}, 1)
        start = time.perf_counter()
        for row in order:
            one_by_one.add(int(passages[row]), vectors[row])
        figures[name] = grown(one_by_one, passages, vectors, start)
    return figures


def grown(growth: Growth, passages: Any, vectors: Any, start: float) -> dict[str, Any]:
    seconds = round(time.perf_counter() - start, 2)
    levels = np.unique([branch.level for branch in growth.branches.values()], return_counts=True)
    upper = {number: branch.parent for number, branch in growth.branches.items() if branch.level == 1}
    homes = np.array([growth.placed[passage] for passage in passages.tolist()])
    above = np.array([upper[node] or 0 for node in homes.tolist()])
    seconds_ = growth.seconds({int(passage): vector for passage, vector in zip(passages, vectors, strict=True)})
    return {
        "seconds": seconds,
        **likeness(homes, vectors),
        "level 2": likeness(above, vectors),
        "levels": dict(zip(levels[0].tolist(), levels[1].tolist(), strict=True)),
        "second_share": round(float(np.mean([second is not None for second in seconds_.values()])), 3),
    }


if __name__ == "__main__":
    main()
