"""Add 1,000 ten-page papers to a fresh library: how long until they are found by keywords, and how much memory that takes.

python bench/add_papers.py --papers 1000 --folder /tmp/papers
Making the papers is not timed; they stay in the folder for the next time. Memory is what the adding process and its children have
together (PSS: what several share counts once), looked at five times a second.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from papers import make
from scholarmind import Library, Report, Settings

PAGES = 11  # the maker gives about one less than it is asked for
KIND = "two-column"
EVERY_SECONDS = 0.2
MEGABYTE = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=1000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "scholarmind-papers")
    parser.add_argument("--processes", type=int, default=0, help="that read; 0: as many as there are cores")
    parser.add_argument("--child", nargs=2, type=Path, metavar=("LIBRARY", "LIST"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        add(*arguments.child, arguments.processes)
        return
    made = papers(arguments.folder, arguments.papers)
    with tempfile.TemporaryDirectory(prefix="scholarmind-bench-") as folder:
        chosen = Path(folder) / "chosen.json"
        chosen.write_text(json.dumps(made))
        command = [sys.executable, __file__, "--processes", str(arguments.processes)]
        print(json.dumps(watched([*command, "--child", str(Path(folder) / "library"), str(chosen)]), indent=1))


def papers(folder: Path, number: int) -> list[dict[str, Any]]:
    """Return so many papers, all of them different: file, number of pages, and a word that stands on the last half of it."""
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor() as pool:
        return list(pool.map(partial(paper, folder), range(1, number + 1), chunksize=10))


def paper(folder: Path, seed: int) -> dict[str, Any]:
    told = folder / f"{seed}.json"
    if not told.exists():
        made = make(folder, KIND, PAGES, seed)
        assert made
        tag = next(word for word in made.sentences[len(made.sentences) // 2].split() if word.startswith("tag"))
        told.write_text(json.dumps({"path": str(made.path), "pages": made.pages, "tag": tag.strip(".,;:()[]")}))
    return json.loads(told.read_text())


# --- in a process of its own ---


def add(library: Path, chosen: Path, processes: int) -> None:
    """Add the papers twice, and tell."""
    made = json.loads(chosen.read_text())
    files = [paper["path"] for paper in made]
    with Library(Settings(library=library, embedder="none", reading_processes=processes)) as opened:
        first, seconds, cpu = timed(opened, files)
        again, seconds_again, _ = timed(opened, files)
        found = [
            opened.search(paper["tag"], k=1, mode="keyword").evidence for paper in made[:: max(1, len(made) // 20)]
        ]
    pages = sum(paper["pages"] for paper in made)
    told = {
        "papers": first.added,
        "pages": pages,
        "passages": first.passages,
        "problems": [f"{Path(told.where).name}: {told.reason}" for told in first.problems[:5]],
        "tags_found": f"{sum(map(bool, found))} of {len(found)}",
        "seconds": round(seconds, 1),
        "pages_per_second": round(pages / seconds),
        "passages_per_second": round(first.passages / seconds),
        "cpu_seconds_of_parent": round(cpu[0], 1),
        "cpu_seconds_of_children": round(cpu[1], 1),
        "cpu_milliseconds_of_a_page": round(1000 * sum(cpu) / pages, 1),
        "again_unchanged": again.unchanged,
        "again_seconds": round(seconds_again, 1),
    }
    print(json.dumps(told), flush=True)


def timed(library: Library, files: list[str]) -> tuple[Report, float, tuple[float, float]]:
    """Return the report, the seconds by the clock, and those that this process and its children worked."""
    start, before = time.perf_counter(), worked()
    report = library.add(files)
    seconds, after = time.perf_counter() - start, worked()
    return report, seconds, (after[0] - before[0], after[1] - before[1])


def worked() -> tuple[float, float]:
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime


# --- watching it ---


def watched(command: list[str]) -> dict[str, Any]:
    """Run it, and return what it tells with the most memory that it and its children had."""
    most = {"peak_megabytes_together": 0.0, "peak_megabytes_of_parent": 0.0, "peak_megabytes_of_one_child": 0.0}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            own, *children = [memory(number) for number in tree(process.pid)] or [0.0]
            seen = (own + sum(children), own, max(children, default=0.0))
            most = {name: max(before, now) for (name, before), now in zip(most.items(), seen, strict=True)}
            time.sleep(EVERY_SECONDS)
        assert process.stdout
        told = process.stdout.read()
    if process.returncode:
        sys.exit(process.returncode)
    return json.loads(told) | {name: round(value / MEGABYTE) for name, value in most.items()}


def tree(root: int) -> Iterator[int]:
    """Yield a process and all that came of it."""
    yield root
    try:
        tasks = list(Path(f"/proc/{root}/task").iterdir())
        children = [int(number) for task in tasks for number in (task / "children").read_text().split()]
    except OSError:
        return
    for child in children:
        yield from tree(child)


def memory(process: int) -> float:
    """Return the bytes that are a process's own, with its part of those that it shares."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024.0
    except OSError:  # it has just ended
        pass
    return 0.0


if __name__ == "__main__":
    main()
