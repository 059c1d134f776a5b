"""Time the graph of papers at a given size: building it, walking it, and what a library without one pays for it.

python bench/graph.py --passages 100000 --edges 1000000
"""

import argparse
import asyncio
import random
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.store import LocalStore
from scholarmind.filters import parse_filter
from scholarmind.graph.document_statements import author_of, paper_of, thing
from scholarmind.model import Document, Entry, Reference, Search
from scholarmind.relations import Extracted, NodeKind, Statement, Thing
from synthetic import Synthetic

PER_DOCUMENT = 20  # passages
REFERENCES = 40
BATCH = 200  # documents put in one transaction
SHARED = {"method": 20_000, "dataset": 2_000, "metric": 60, "task": 400, "venue": 100, "institution": 3_000}
HALF = parse_filter("percent < 50")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="keep the library here, and use it if it is there already")
    arguments = parser.parse_args()
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="scholarmind-bench-"))
    try:
        for name, value in asyncio.run(measured(arguments, folder)):
            print(f"{name:<44} {value}", flush=True)
    finally:
        if arguments.folder is None:
            shutil.rmtree(folder)


async def measured(arguments: argparse.Namespace, folder: Path) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    with LocalStore(folder, fingerprint="synthetic") as store:
        if not await store.counts():
            await fill(store, arguments.passages)
        if not (await store.graph.counts()).documents:
            lines += [(f"without a graph: {name}", value) for name, value in await without(store, arguments.queries)]
            start = time.perf_counter()
            await build(store, arguments.edges * PER_DOCUMENT // arguments.passages)
            lines.append(("building, seconds", f"{time.perf_counter() - start:.1f}"))
        counts = await store.graph.counts()
        lines.append(("nodes, edges", f"{sum(counts.nodes.values()):,}, {sum(counts.edges.values()):,}"))
        lines.append(("library.db, MB", f"{(folder / 'library.db').stat().st_size / 1e6:.0f}"))
        return lines + await walked(store, arguments.queries) + await changed(store)


async def fill(store: LocalStore, passages: int) -> None:
    """Store the documents, each with a list of references of which about half are documents of the library."""
    entries = [entry for entry, _ in Synthetic(per_document=PER_DOCUMENT).documents(passages)]
    rng = random.Random(5)  # noqa: S311
    titles = [entry.document.title for entry in entries]
    for begin in range(0, len(entries), BATCH):
        await store.put([replace(each, references=references(rng, titles)) for each in entries[begin : begin + BATCH]])


def references(rng: random.Random, titles: Sequence[str]) -> tuple[Reference, ...]:
    cited = [rng.choice(titles) for _ in range(REFERENCES // 2)]
    cited += [f"A work from elsewhere, number {rng.randrange(50_000)}" for _ in range(REFERENCES // 2)]
    return tuple(Reference(text=title, start=0, end=0, title=title) for title in cited)


async def build(store: LocalStore, per_document: int) -> None:
    rng = random.Random(6)  # noqa: S311
    every = {document.id: document for document in await store.documents()}
    while waiting := await store.graph.waiting("bench", BATCH):
        await store.graph.put([extracted(rng, every[id], per_document) for _, id in waiting])


def extracted(rng: random.Random, document: Document, count: int) -> Extracted:
    statements = tuple(stated(rng, document, count))
    return Extracted(collection=document.collection, document=document.id, statements=statements, version="bench")


def stated(rng: random.Random, document: Document, count: int) -> Iterator[Statement]:
    """Yield what a document may state, without the references and the names that the store finds by itself."""
    paper = paper_of(document)
    yield said("PUBLISHED_IN", paper, thing("year", str(document.year)))
    yield said("PUBLISHED_IN", paper, named(rng, "venue"))
    for _ in range(6):
        yield said("AUTHORED_BY", paper, replace(author_of(document, f"Given{zipf(rng, 30_000)} Family"), scope=""))
    for _ in range(count - 8 - REFERENCES - 2 * PER_DOCUMENT):
        yield relation(rng, paper)


def relation(rng: random.Random, paper: Thing) -> Statement:
    method, dataset, place = named(rng, "method"), named(rng, "dataset"), rng.randrange(10_000)
    match rng.randrange(6):
        case 0:
            return said("IMPROVES_ON", method, named(rng, "method"), place)
        case 1:
            return said("EVALUATED_ON", method, dataset, place)
        case 2:
            return said("USES", paper, dataset, place)
        case 3:
            return said("PROPOSES", paper, method, place)
        case 4:
            return said("ADDRESSES", method, named(rng, "task"), place)
        case _:
            value = rng.randrange(1000) / 10
            metric = f"metric{rng.randrange(SHARED['metric'])}"
            return replace(said("REPORTS", method, dataset, place), metric=metric, value=str(value), number=value)


def said(relation: Any, source: Thing, target: Thing, place: int = 0) -> Statement:
    start, end = (place, place + 40) if place else (0, 0)
    return Statement(relation=relation, source=source, target=target, confidence=0.9, start=start, end=end)


def named(rng: random.Random, kind: NodeKind) -> Thing:
    return thing(kind, f"{kind.title()}X{zipf(rng, SHARED[kind])}")


def zipf(rng: random.Random, most: int) -> int:
    """Return a number below `most`, the small ones far more often."""
    return int(most ** rng.random()) - 1


async def walked(store: LocalStore, count: int) -> list[tuple[str, str]]:
    rng = random.Random(9)  # noqa: S311
    graph = store.graph
    kinds: list[NodeKind] = ["method", "author", "paper", "dataset"]
    known = {kind: [node.number for node in await graph.nodes((kind,), 20_000)] for kind in kinds}
    seeds = [tuple(rng.choice(known[rng.choice(kinds)]) for _ in range(rng.randint(1, 3))) for _ in range(count)]
    popular = [(rng.choice(known[rng.choice(kinds)][:100]),) for _ in range(count)]
    texts = [
        f"Which methods improve on MethodX{zipf(rng, 20_000)} on DatasetX{zipf(rng, 2_000)}?" for _ in range(count)
    ]
    timed: list[tuple[str, Callable[[Any], Awaitable[Any]], Sequence[Any]]] = [
        ("mentioned, ms", graph.mentioned, texts),
        ("edges, ms", graph.edges, seeds),
        ("edges of a hub, ms", graph.edges, popular),
        ("neighbourhood of 2 hops, ms", graph.neighbourhood, seeds),
        ("neighbourhood of 2 hops, of a hub, ms", graph.neighbourhood, popular),
        ("ranked, ms", lambda nodes: graph.ranked(dict.fromkeys(nodes, 1.0)), seeds),
        ("ranked, of a hub, ms", lambda nodes: graph.ranked(dict.fromkeys(nodes, 1.0)), popular),
        ("ranked, half filtered, ms", lambda nodes: graph.ranked(dict.fromkeys(nodes, 1.0), filter=HALF), seeds),
    ]
    lines = [(name, await times(work, asked)) for name, work, asked in timed]
    return [*lines, ("one hop over links, ms", await linked(store, count))]


async def without(store: LocalStore, count: int) -> list[tuple[str, str]]:
    """Time what a library without a graph does with one question less and with it: the difference is what it pays."""
    asked = list(range(count))
    query = next(Synthetic(per_document=PER_DOCUMENT).queries(1))[0]
    return [
        ("one hop over links, ms", await linked(store, count)),
        ("search, ms", await times(lambda _: store.search(Search(text=query, k=10)), asked)),
        ("mentioned, ms", await times(lambda _: store.graph.mentioned(query), asked)),
        ("ranked, ms", await times(lambda _: store.graph.ranked({1: 1.0}), asked)),
    ]


async def linked(store: LocalStore, count: int) -> str:
    """Time the link hop: from three passages to all that is one mention or reference away, ranked by a question."""
    asked = [Search(text=text, k=10) for text, _ in Synthetic(per_document=PER_DOCUMENT).queries(count)]
    hops = [((await store.search(search))[:3], search) for search in asked]
    return await times(lambda hop: store.linked(*hop), hops)


async def changed(store: LocalStore) -> list[tuple[str, str]]:
    """Time what one more document takes, from its file to its edges, and the same without the graph."""
    graph, documents = store.graph, Synthetic(per_document=PER_DOCUMENT, seed=8).documents(40 * PER_DOCUMENT)
    rng = random.Random(7)  # noqa: S311

    async def add(entry: Entry) -> None:
        await graph.put([extracted(rng, entry.document, 200)])

    entries = [
        replace(entry, document=replace(entry.document, id=f"new{number}"))
        for number, (entry, _) in enumerate(documents)
    ]
    stored = await times(lambda entry: store.put([entry]), entries)
    return [
        ("one more document, stored, ms", stored),
        ("one more document, into the graph, ms", await times(add, entries)),
    ]


async def times(work: Callable[[Any], Awaitable[Any]], asked: Sequence[Any]) -> str:
    """Return p50 and p95 in milliseconds, warm."""
    for each in asked[:10]:
        await work(each)
    spent: list[float] = []
    for each in asked:
        start = time.perf_counter()
        await work(each)
        spent.append((time.perf_counter() - start) * 1e3)
    return f"p50 {np.median(spent):8.2f}   p95 {np.percentile(spent, 95):8.2f}"


if __name__ == "__main__":
    main()
