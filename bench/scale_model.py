"""What it takes at 100 million and at 10 billion passages, computed from what was measured here, and how slow the slowest of many parts is.

python bench/scale_model.py          prints the tables of docs/SCALE.md from docs/scale.jsonl

Nothing beyond the first two tables was tried. Every assumption stands in ASSUMED, and the rest follows from these and what was measured.
"""

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

KEPT = Path(__file__).parents[1] / "docs/scale.jsonl"
QUIET = Path(__file__).parents[1] / "docs/growth.jsonl"  # of bench/growth.py, to a million, when nothing else ran
ASSUMED: dict[str, Any] = {
    "node": "16 cores, 128 GB, 3.5 TB of NVMe",
    "node_cores": 16,
    "node_gigabytes": 128,
    "node_disk_gigabytes": 3_500,
    "node_a_month": 600.0,  # dollars, rented by the month
    "object_storage_a_terabyte_month": 23.0,
    "memory_share": 0.7,  # of a node's, that indexes may fill
    "disk_share": 0.6,  # that may be full: a new index is built beside the old one
    "busy": 0.4,  # of the processors at the planned load
    "searches_a_second": 20.0,
    "copies": 3,  # a primary and two standbys of each shard
    "process_gigabytes": 64,  # of memory at most for one that has its indexes itself
    "search_ms": 150.0,  # of processor at most, in one place
    "postings_bytes": 1_500,  # of a passage of 200 tokens, as rows with their index
    "words_ms_a_million": 400.0,  # issue 26: 20 ms at 50,000 passages; without pruning it grows with the postings
    "quantised_bytes": 96,  # of a vector in an index on object storage
    "cached_share": 0.05,  # of what is stored there, on the disks of those who search
    "fetch_ms": 50.0,
}
SIZES = (1_000_000, 10_000_000, 100_000_000, 10_000_000_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=Path, default=KEPT)
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.figures.read_text(encoding="utf-8").splitlines()]
    rows += [{"home": "quiet", **json.loads(line)} for line in QUIET.read_text(encoding="utf-8").splitlines()]
    rows.sort(key=lambda row: (row["home"], row["passages"]))
    print(measured(rows))
    print(model(rows))
    print(fan_out())


# -- what was measured


def measured(rows: list[dict[str, Any]]) -> str:
    """Return what a million passages cost, by the figures at each size."""
    head = "| home | passages | GB on disk | of it derived | processor to store, minutes | a process | search: clock, processor |"
    lines = [f"{head} searches a second of 1, 2, 3 processes (cores they had) | load |", "|" + "---|" * 9]
    for row in (row for row in rows if row["home"] in {"folder", "postgresql"}):
        million, stored, served = 1e6 / row["passages"], row["stored"], row["served"]
        parts = stored["megabytes"]
        derived = sum(size for name, size in parts.items() if name in {"keyword", "vectors"})
        processor = stored["processor_seconds"] + stored.get("database_processor_seconds", 0.0)
        at_once = ", ".join(f"{one['searches_a_second']:,.0f} ({one['cores_had']})" for one in row["at_once"].values())
        cells = (
            row["home"],
            f"{row['passages']:,}",
            f"{sum(parts.values()) * million / 1e3:.1f}",
            f"{derived * million / 1e3:.1f}",
            f"{processor * million / 60:.1f}",
            f"{served['megabytes']:,} MB as it was",
            f"{served['search_ms']['p50']}, {served['search_processor_ms']} ms",
            at_once,
            str(row["load"]),
        )
        lines.append(f"| {' | '.join(cells)} |")
    head = "| HNSW of pgvector over | bytes a passage: row, index | processor to build a million, minutes |"
    lines += ["", f"{head} `ef_search`: recall@50, clock and processor | load |", "|" + "---|" * 5]
    for row in (row for row in rows if row["home"] == "vectors"):
        sizes = row["bytes_a_passage"]
        effort = "; ".join(
            f"{ef}: {one['recall_at_50']:.2f}, {one['p50_ms']} and {one['processor_ms']} ms"
            for ef, one in row["search"].items()
        )
        minutes = row["building"]["processor_seconds"] * 1e6 / row["passages"] / 60
        lines.append(
            f"| {row['passages']:,} | {sizes['table_bytes']:,}, {sizes['index_bytes']:,} | {minutes:.1f} | {effort} | {row['load']} |"
        )
    return "\n".join(lines) + "\n"


# -- what follows from it

Row = dict[str, Any]


def model(rows: list[Row]) -> str:
    """Return memory, nodes, cost and latency at each size, of each kind of index."""
    lines = [
        "| passages | index | memory | nodes, with copies | a month | a search | what breaks first |",
        "|" + "---|" * 7,
    ]
    for size in SIZES:
        lines += [
            f"| {size:,} | {' | '.join(row)} |"
            for row in (in_each_process(rows, size), in_database(rows, size), on_objects(rows, size))
        ]
    return "\n".join(lines) + "\n"


def grown(rows: list[Row], home: str, size: int, value: Callable[[Row], float]) -> float:
    """Return what a value is at a size, on the line through the two largest sizes that were measured."""
    points = [(row["passages"], value(row)) for row in rows if row["home"] == home][-2:]
    (low, at_low), (high, at_high) = points[0], points[-1]
    slope = (at_high - at_low) / (high - low) if high > low else at_high / high
    return at_high + slope * (size - high)


def in_each_process(rows: list[Row], size: int) -> tuple[str, ...]:
    """Each process has the words and the vectors of all passages: memory and processor grow with every passage."""
    gigabytes = grown(rows, "quiet", size, lambda row: row["rss_mb"]) / 1e3
    milliseconds = grown(rows, "quiet", size, lambda row: 2 * row["search_ms"]["all"]["p50"])  # on both cores at most
    kind, search = "in each process (way 1)", f"{milliseconds:,.0f} ms of processor"
    if gigabytes > ASSUMED["process_gigabytes"] or milliseconds > ASSUMED["search_ms"]:
        breaks = "time of a search" if milliseconds > ASSUMED["search_ms"] else "memory of a process"
        return kind, f"{gigabytes:,.0f} GB each", "-", "-", search, f"it does: {breaks}"
    cores = ASSUMED["searches_a_second"] * milliseconds / 1e3 / ASSUMED["busy"]
    usable = ASSUMED["node_gigabytes"] * ASSUMED["memory_share"]
    nodes = max(3, math.ceil(cores / ASSUMED["node_cores"]), math.ceil(cores * gigabytes / usable))
    return (
        kind,
        f"{gigabytes:,.1f} GB each",
        f"{nodes}, and 3 of PostgreSQL",
        dollars((nodes + 3) * ASSUMED["node_a_month"]),
        search,
        "a new process reads everything first",
    )


def in_database(rows: list[Row], size: int) -> tuple[str, ...]:
    """An index of vectors and tables of postings within PostgreSQL, in shards of whole collections, each with its standbys."""
    index = grown(rows, "vectors", size, lambda row: row["passages"] * row["bytes_a_passage"]["index_bytes"])
    postings = ASSUMED["postings_bytes"] * size
    truth = grown(rows, "folder", size, lambda row: row["stored"]["megabytes"]["library.db"] * 1e6)
    shards = max(
        math.ceil((index + postings) / 1e9 / (ASSUMED["node_gigabytes"] * ASSUMED["memory_share"])),
        math.ceil((index + postings + truth) / 1e9 / (ASSUMED["node_disk_gigabytes"] * ASSUMED["disk_share"])),
    )
    last = [row for row in rows if row["home"] == "vectors"][-1]
    # a graph is deeper by the logarithm of what is in it; the words of a question have postings in proportion to it
    steps = math.log(max(size / shards, 10)) / math.log(last["passages"])
    milliseconds = last["search"]["400"]["processor_ms"] * steps + ASSUMED["words_ms_a_million"] * size / shards / 1e6
    by_time = math.ceil(ASSUMED["words_ms_a_million"] * size / 1e6 / ASSUMED["search_ms"])
    busy = ASSUMED["searches_a_second"] * milliseconds / 1e3 / (ASSUMED["node_cores"] * ASSUMED["copies"])
    search = f"{milliseconds:,.0f} ms of processor in each shard"
    if busy < 1 and milliseconds <= ASSUMED["search_ms"]:
        tail = slowest(shards, milliseconds, busy)
        search += f"; of all p50 {tail['p50']:,.0f}, p99 {tail['p99']:,.0f} ms"
    return (
        "in PostgreSQL (way 2)",
        f"{(index + postings) / 1e9:,.0f} GB",
        f"{shards * ASSUMED['copies']:,} in {shards:,} {'shard' if shards == 1 else 'shards'}, by memory",
        dollars(shards * ASSUMED["copies"] * ASSUMED["node_a_month"]),
        search,
        "the hand that splits and mends shards"
        if milliseconds <= ASSUMED["search_ms"]
        else f"postings of common words: {by_time:,} shards for {ASSUMED['search_ms']:.0f} ms",
    )


def on_objects(rows: list[Row], size: int) -> tuple[str, ...]:
    """Lance on object storage: quantised vectors in memory, the rest fetched; PostgreSQL keeps what must be true."""
    truth = grown(rows, "folder", size, lambda row: row["stored"]["megabytes"]["library.db"] * 1e6)
    memory = size * ASSUMED["quantised_bytes"] / 1e9
    nodes = max(
        2,
        math.ceil(memory / (ASSUMED["node_gigabytes"] * ASSUMED["memory_share"])),
        math.ceil(truth / 1e9 * ASSUMED["cached_share"] / (ASSUMED["node_disk_gigabytes"] * ASSUMED["disk_share"])),
    )
    cost = (nodes + 3) * ASSUMED["node_a_month"] + truth / 1e12 * ASSUMED["object_storage_a_terabyte_month"]
    return (
        "Lance on object storage (not built)",
        f"{memory:,.0f} GB",
        f"{nodes:,}, and 3 of PostgreSQL",
        dollars(cost),
        f"about {2 * ASSUMED['fetch_ms']:.0f} ms and more: two fetches in a row",
        "one PostgreSQL for all that is written" if size > 1e9 else "minutes until what is new is found",
    )


def dollars(amount: float) -> str:
    return f"${amount:,.0f}"


# -- the slowest of many


def slowest(shards: int, milliseconds: float, busy: float, *, hedged: bool = False, seed: int = 7) -> dict[str, float]:
    """Simulate searches that ask every shard, and are over with the slowest of them.

    Each shard has two copies that take turns, with a queue of its own each, busy to this share. Searches come by chance (Poisson), times of
    service are lognormal around the measured processor time, and one in a thousand meets a pause of 200 ms (a checkpoint, a neighbour).
    `hedged`: what has no answer after the 95th of a hundred of late is asked of the other copy too; what has not begun
    when the other is done does not begin.
    """
    chance = np.random.default_rng(seed)
    count, spread = (6_000 if shards <= 100 else 2_000), 0.4
    between = chance.exponential(milliseconds / max(2 * busy, 1e-6), count)
    waiting, times, alone = np.zeros((2, shards)), np.empty((count, shards)), np.empty((100, shards))
    late = np.inf
    for number in range(count):
        waiting = np.maximum(waiting - between[number], 0.0)
        service = milliseconds * np.exp(chance.normal(-(spread**2) / 2, spread, (2, shards)))
        service += 200.0 * (chance.random((2, shards)) < 0.001)
        mine, other = number % 2, 1 - number % 2
        first = alone[number % 100] = waiting[mine] + service[mine]
        slow, begun = hedged & (first > late), np.maximum(late, waiting[other])
        second = begun + service[other]
        times[number] = np.where(slow, np.minimum(first, second), first)
        waiting[other] += np.where(slow & (begun < first), service[other], 0.0)
        waiting[mine] += np.where(slow & (waiting[mine] > second), 0.0, service[mine])
        if number % 100 == 99:
            late = float(np.quantile(alone, 0.95))
    worst = times[count // 5 :].max(axis=1)  # the queues have filled by then
    return {"p50": float(np.median(worst)), "p99": float(np.quantile(worst, 0.99))}


def fan_out() -> str:
    """Return how long a search takes that asks so many shards, of 10 ms each, plainly and hedged."""
    lines = [
        "| shards asked | half busy: p50, p99 | hedged after the p95 | a fifth busy: p50, p99 | hedged |",
        "|" + "---|" * 5,
    ]
    for shards in (1, 3, 10, 30, 100, 300, 1000):
        cells = []
        for busy in (0.5, 0.2):
            for hedged in (False, True):
                found = slowest(shards, 10.0, busy, hedged=hedged)
                cells.append(f"{found['p50']:.0f}, {found['p99']:.0f} ms")
        lines.append(f"| {shards:,} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
