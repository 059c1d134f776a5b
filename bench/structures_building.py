"""Time the graph of papers and the tree of summaries as `Library.add` keeps them: building both, then a paper more, one less, nothing new.

python bench/structures_building.py --passages 10000
No model is asked for anything: vectors are those of words, and reading, cutting and embedding the papers are not counted. CPU seconds
are those of all threads; on a machine that does other work they tell more than the clock.
"""

import argparse
import asyncio
import json
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from made_papers import MadePapers
from scholarmind import Library, Settings, wiring_structures
from scholarmind.library_ports import Follower
from scholarmind.testing import HashEmbedder
from search import peak_memory

DIMENSION = 384
COLLECTION = "default"
AGAIN = 10  # times that one paper comes and goes
PASSAGES_OF_A_PAPER = 6
SINGLES = "one more paper", "one paper less", "nothing new"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument(
        "--folder", type=Path, help="keep the papers and the library here, and use them if they are there already"
    )
    arguments = parser.parse_args()
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="scholarmind-bench-"))
    try:
        with ProcessPoolExecutor(
            1, mp_context=get_context("spawn")
        ) as pool:  # what filling took of memory does not count
            pool.submit(fill, folder, arguments.passages).result()
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            figures = pool.submit(measure, folder).result()
    finally:
        if arguments.folder is None:
            shutil.rmtree(folder)
    print(json.dumps(figures, indent=1))


def fill(folder: Path, passages: int) -> None:
    """Make a library of so many passages that has neither structure yet."""
    if (folder / "library" / "library.db").exists():
        return
    made = MadePapers()
    with without_structures(folder) as library:
        begin = 0
        while (lacking := passages - held(library)) > 0:
            end = begin + max(1, lacking // PASSAGES_OF_A_PAPER)
            add(library, made, folder / "papers", range(begin, end))
            begin = end


def add(library: Library, made: MadePapers, folder: Path, numbers: range) -> None:
    """Add papers, and give them their references, which are not read from Markdown."""
    paths = {str(path): number for path, number in zip(made.write(folder, numbers), numbers, strict=True)}
    library.add(paths)
    found = [(each.id, paths[each.origin]) for each in library.documents() if each.origin in paths]
    entries = [(library.entry(id), made.references(number)) for id, number in found]
    asyncio.run(library.store.put([replace(entry, references=references) for entry, references in entries if entry]))
    library.add()  # the vectors of what was stored anew


def without_structures(folder: Path) -> Library:
    settings = Settings(library=folder / "library", graph=False, tree=False)
    return Library(settings, embedder=HashEmbedder(DIMENSION))


def held(library: Library) -> int:
    return sum(counts.passages for counts in library.counts().values())


def measure(folder: Path) -> dict[str, Any]:
    with without_structures(folder) as library:
        store = library.store
        following = {type(each).__name__: each for each in wiring_structures.followers(Settings(), store)}
        figures: dict[str, Any] = {"passages": held(library), "memory_before_mb": peak_memory()}
        figures["building"] = asyncio.run(built(following))
        figures["peak_memory_mb"] = peak_memory()
        graph, tree = asyncio.run(store.graph.counts()), asyncio.run(store.tree.counts())
        figures |= {
            "nodes": sum(graph.nodes.values()),
            "edges": graph.edges,
            "merged": graph.merged,
            "levels": tree.levels,
        }
        figures["library_mb"] = round((folder / "library" / "library.db").stat().st_size / 1e6)
        figures["one_by_one_ms"] = one_by_one(folder, library, following)
    return figures


async def built(following: dict[str, Follower]) -> dict[str, Any]:
    found = {name: await timed(each.follow) for name, each in following.items()}
    return {
        name: {"seconds": round(seconds, 1), "cpu_seconds": round(cpu, 1)}
        for name, (seconds, cpu) in {**found, "both": added(found.values())}.items()
    }


def added(spent: Any) -> tuple[float, float]:
    seconds, cpu = zip(*spent, strict=True)
    return sum(seconds), sum(cpu)


async def timed(work: Callable[[], Awaitable[Any]]) -> tuple[float, float]:
    """Return the seconds and the CPU seconds of some work."""
    start, cpu = time.perf_counter(), time.process_time()
    await work()
    return time.perf_counter() - start, time.process_time() - cpu


def one_by_one(folder: Path, library: Library, following: dict[str, Follower]) -> dict[str, Any]:
    """Let papers come and go one by one, and time what follows: medians, and the longest."""
    spent: dict[str, dict[str, list[tuple[float, float]]]] = {
        what: {name: [] for name in following} for what in SINGLES
    }
    for number in range(AGAIN):
        numbers = range(number, number + 1)
        changes = (
            lambda numbers=numbers: add(library, MadePapers(seed=8), folder / "newer", numbers),
            lambda: remove(library, folder / "newer"),
            lambda: None,
        )
        for what, change in zip(SINGLES, changes, strict=True):
            change()
            for name, each in following.items():
                spent[what][name].append(asyncio.run(timed(each.follow)))
    return {what: {name: told(times) for name, times in found.items()} for what, found in spent.items()}


def remove(library: Library, folder: Path) -> None:
    library.remove([each.id for each in library.documents() if Path(each.origin).parent == folder])


def told(times: list[tuple[float, float]]) -> dict[str, float]:
    wall, cpu = ([1e3 * each for each in column] for column in zip(*times, strict=True))
    return {"median": round(median(wall), 1), "longest": round(max(wall), 1), "median_cpu": round(median(cpu), 1)}


if __name__ == "__main__":
    main()
