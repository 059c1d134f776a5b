"""Time `add` of PDFs on a Ray cluster with one and with two nodes of one core, on this machine: documents a second, and their ratio.

python bench/ray_ingest.py --papers 60 --rounds 3     with Ray installed: pip install 'scholarmind[ray]'
The two clusters take turns, since other programs may keep the machine busy: a ratio is that of two runs one after the other. What is
timed is the whole `add` into a fresh library, embedding included and the graph of papers left out, once the nodes are warm. Beside it: the
load of the machine, and the processor seconds of this process and of all processes of the nodes, which depend less on it.
"""

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from papers import make
from scholarmind import Library, Settings

PAGES, KIND = 10, "two-column"
RAY = Path(sys.executable).with_name("ray")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--embedder", default="minilm", choices=("minilm", "none"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ray-") as folder:
        papers = Path(folder, "papers")
        for seed in range(arguments.papers):
            make(papers, KIND, PAGES, seed)
        warm = Path(folder, "warm")
        for seed in range(4):
            make(warm, KIND, PAGES, 100_000 + seed)
        rounds: list[dict[str, Any]] = []
        for number in range(arguments.rounds):
            timed = {"ordinary_of_one_process": ordinary(Path(folder), papers, arguments.embedder)}
            for nodes in (1, 2) if number % 2 == 0 else (2, 1):
                with cluster(Path(folder), nodes) as (address, mark):
                    add(Path(folder), warm, arguments.embedder, reading_on=address)
                    before = processor_seconds(mark)
                    timed[f"nodes_{nodes}"] = add(Path(folder), papers, arguments.embedder, reading_on=address)
                    timed[f"nodes_{nodes}"]["their_processor"] = round(processor_seconds(mark) - before, 1)
            timed["ratio"] = round(timed["nodes_2"]["a_second"] / timed["nodes_1"]["a_second"], 2)
            rounds.append(timed)
            print(json.dumps(timed), flush=True)
        ratios = sorted(timed["ratio"] for timed in rounds)
        print(
            json.dumps({"papers": arguments.papers, "cores": os.cpu_count(), "median_ratio": statistics.median(ratios)})
        )


def ordinary(folder: Path, papers: Path, embedder: str) -> dict[str, Any]:
    return add(folder, papers, embedder, reading_processes=1)


def add(folder: Path, papers: Path, embedder: str, **settings: Any) -> dict[str, Any]:
    """Add the papers to a fresh library."""
    home = folder / "library"
    shutil.rmtree(home, ignore_errors=True)
    with Library(Settings(library=home, embedder=embedder, graph=False, **settings)) as library:  # pyright: ignore[reportArgumentType]
        start, own = time.perf_counter(), time.process_time()
        report = library.add(papers)
        seconds, own = time.perf_counter() - start, time.process_time() - own
    assert not report.problems, report.problems
    return {
        "documents": report.added,
        "passages": report.passages,
        "embedded": report.embedded,
        "seconds": round(seconds, 1),
        "a_second": round(report.added / seconds, 3),
        "our_processor": round(own, 1),
        "load": round(os.getloadavg()[0], 1),
    }


@contextmanager
def cluster(folder: Path, nodes: int) -> Iterator[tuple[str, str]]:
    """Start a head without cores and so many nodes of one core on loopback, and end all of their processes; give address and mark."""
    port, client_port = free_port(), free_port()
    mark = f"{os.getpid()}.{port}"
    home = folder / "ray"
    try:
        ports = (f"--port={port}", f"--ray-client-server-port={client_port}", f"--temp-dir={home}")
        start(2, mark, "--head", "--num-cpus=0", "--include-dashboard=false", *ports)
        for number in range(nodes):
            start(3 + number, mark, f"--address=127.0.0.2:{port}", "--num-cpus=1")
        yield f"ray://127.0.0.2:{client_port}", mark
    finally:
        end(mark)
        shutil.rmtree(home, ignore_errors=True)


def start(number: int, mark: str, *options: str) -> None:
    environment = {**os.environ, "RAY_BENCH": mark, "RAY_USAGE_STATS_ENABLED": "0"}
    common = (f"--node-ip-address=127.0.0.{number}", "--object-store-memory=200000000", "--disable-usage-stats")
    subprocess.run([RAY, "start", *common, *options], env=environment, check=True, stdout=subprocess.DEVNULL)


def end(mark: str) -> None:
    for process in marked(mark):
        with suppress(ProcessLookupError):
            os.kill(process, 9)


def marked(mark: str) -> list[int]:
    """Return the processes that inherited our mark: Ray lets them go, each in a session of its own."""
    found: list[int] = []
    for process in Path("/proc").iterdir():
        with suppress(OSError):  # gone by now
            if process.name.isdigit() and f"RAY_BENCH={mark}".encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
    return found


def processor_seconds(mark: str) -> float:
    """Return what the nodes' processes have used by now."""
    ticks = 0
    for process in marked(mark):
        with suppress(OSError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    """Return a port above those that Ray's workers use."""
    while True:
        with socket.socket() as listening:
            listening.bind(("127.0.0.2", 0))
            if (port := listening.getsockname()[1]) > 20_000:
                return port


if __name__ == "__main__":
    main()
