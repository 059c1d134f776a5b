"""The tree of summaries and the graph of papers switched on and off in one run, as a Markdown table with paired intervals.

python bench/structures.py DATA...                 folders with corpus.jsonl and queries.jsonl
python bench/structures.py DATA --one-by-one       also with a tree that grew by adding one record after the other
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from scholarmind import Library, Settings, wiring
from scholarmind.evaluation.experiments import (
    Choice,
    DatasetQuery,
    Way,
    WayResult,
    ask_by_turns,
    difference,
    load_queries,
    means,
    opened,
)
from scholarmind.events import ignore

SWITCHES = {"neither": (False, False), "tree": (True, False), "graph": (False, True), "both": (True, True)}
ONE_BY_ONE = "tree, one by one"
METRICS = ("complete@10", "complete@5", "recall@5", "mrr@10")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--together", nargs="+", default=[], help="also all types with one of these words, as one")
    parser.add_argument("--one-by-one", action="store_true", help="also with a tree that grew record by record")
    parser.add_argument("--json", type=Path, help="also keep the figures here")
    arguments = parser.parse_args()
    settings = Settings.load(effort="keyless")
    figures: dict[str, Any] = {}
    for folder in arguments.data:
        print(f"{folder.name} ...", file=sys.stderr)
        queries = load_queries(folder)[: arguments.limit]
        found = asked(folder, queries, settings, one_by_one=arguments.one_by_one)
        figures[folder.name] = compared(queries, found, arguments.together)
        if arguments.json:
            arguments.json.write_text(json.dumps(figures, indent=1))
    print("\n".join(table(figures)))


def asked(
    folder: Path, queries: Sequence[DatasetQuery], settings: Settings, *, one_by_one: bool
) -> dict[str, WayResult]:
    """Ask every question in all four ways, by turns, of one library that has both structures."""
    options, corpus = wiring.options(settings), folder / "corpus.jsonl"
    with opened(corpus, [Choice(name="both", settings=settings)], ignore) as ((way,), _):
        ways = [
            Way(name=name, library=way.library, options=replace(options, tree=tree, graph=graph))
            for name, (tree, graph) in SWITCHES.items()
        ]
        if not one_by_one:
            return answers(ways, queries)
        with grown(corpus, settings) as library:
            own = Way(name=ONE_BY_ONE, library=library, options=replace(options, tree=True, graph=False))
            return answers([*ways, own], queries)


def answers(ways: Sequence[Way], queries: Sequence[DatasetQuery]) -> dict[str, WayResult]:
    return dict(zip((way.name for way in ways), ask_by_turns(ways, queries, (5, 10), ignore), strict=True))


@contextmanager
def grown(corpus: Path, settings: Settings) -> Generator[Library]:
    """Open a library to which the records were added one by one, in an order by chance, and its tree brought up to date each time."""
    records = [line for line in corpus.read_text(encoding="utf-8").splitlines() if line.strip()]
    random.Random(1).shuffle(records)  # noqa: S311
    with tempfile.TemporaryDirectory(prefix="scholarmind-bench-") as temporary:
        own = replace(settings, library=Path(temporary) / "library", graph=False)
        with Library(own, embedder=wiring.embedder(own)) as library:
            for number, record in enumerate(records):
                one = Path(temporary) / f"{number}.jsonl"
                one.write_text(record, encoding="utf-8")
                library.add(one)
            print(f"one by one: {len(records)} adds, {library.counts()}", file=sys.stderr)
            yield library


def compared(
    queries: Sequence[DatasetQuery], found: Mapping[str, WayResult], together: Sequence[str]
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return means, and differences to neither, by type of question and by way."""
    types = list(dict.fromkeys(query.type for query in queries))
    groups = {"all": types} | ({name: [name] for name in types} if len(types) > 1 else {})
    if several := [name for name in types if any(word in name for word in together)]:
        groups[" + ".join(together)] = several
    told: dict[str, dict[str, dict[str, Any]]] = {}
    for group, members in groups.items():
        places = [n for n, query in enumerate(queries) if query.type in members and found["neither"].rows[n]]
        rows = {name: [one.rows[place] for place in places] for name, one in found.items()}
        if places:
            told[group] = {
                name: {"n": len(places), "metrics": means(own), "difference": difference(rows["neither"], own)}
                for name, own in rows.items()
            }
    return told


def table(figures: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[str]:
    """Yield the lines; in brackets the 95 % interval of the difference to neither, then how many were helped and hurt."""
    yield f"| set, type (questions) | structures | {' | '.join(METRICS)} |"
    yield f"|{'---|' * (len(METRICS) + 2)}"
    for dataset, groups in figures.items():
        for group, ways in groups.items():
            for name, row in ways.items():
                place = f"{dataset}, {group} ({row['n']})" if name == "neither" else ""
                yield f"| {place} | {name} | {' | '.join(cell(row, metric, name) for metric in METRICS)} |"


def cell(row: Mapping[str, Any], metric: str, name: str) -> str:
    if metric not in row["metrics"]:
        return ""
    told = f"{row['metrics'][metric]:.3f}".removeprefix("0")
    if name == "neither" or metric not in row["difference"]:
        return told
    changed = row["difference"][metric]
    return f"{told} [{changed['low']:+.3f}, {changed['high']:+.3f}] +{changed['helped']} -{changed['hurt']}"


if __name__ == "__main__":
    main()
