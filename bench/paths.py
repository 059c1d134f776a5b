"""The reading path against one search, question by question: with parts, without them, and by plans given by hand.

python bench/paths.py DATA...                       folders with corpus.jsonl and queries.jsonl
python bench/paths.py DATA --off hops graph         also with each of these switched off
python bench/paths.py DATA --without steps "several clauses"   also with plans without each of these ideas (named as in a plan's reason)
python bench/paths.py DATA --plans plans.jsonl      {"id": question, "parts": [text, ...]} a line: these questions alone, by these plans too
python bench/paths.py DATA --keep now.json          every question's figures; --before then.json tells who was helped and hurt since then

Where the evidence of a question says which `part` of it a record answers, one record of each part is all that is needed.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from scholarmind import Library, Settings
from scholarmind.engine import Engine
from scholarmind.evaluation.experiments import Choice, opened, present
from scholarmind.events import ignore
from scholarmind.model import Evidence
from scholarmind.plan import Plan, SubQuestion
from scholarmind.planning.question_gate import kind_of
from scholarmind.planning.rule_planner import KeylessPlanner
from scholarmind.ports import Look, Planner
from scholarmind.steps.run_caches import Recent

PLACES = 5
DEPTH = 10
Row = dict[str, float]


@dataclass(frozen=True)
class Given:
    """A planner that has parts for each question."""

    parts: Mapping[str, Sequence[str]]

    def talk(self, question: str) -> str:  # noqa: ARG002
        return ""

    async def plan(self, question: str, look: Look) -> Plan:  # noqa: ARG002
        parts = tuple(
            SubQuestion(id=id, text=text, kind=kind_of(text)) for id, text in enumerate(self.parts[question], 1)
        )
        complexity = "composite" if len(parts) > 1 else "simple"
        return Plan(question=question, parts=parts, complexity=complexity, reason="given", decided_by="user")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--off", nargs="*", default=[], help="hops, graph, tree, filters, quotas, injection")
    parser.add_argument("--without", nargs="*", default=[], help="ideas of the rule planner")
    parser.add_argument("--plans", type=Path, help="parts by hand, for one folder")
    parser.add_argument("--keep", type=Path, help="write the figures of every question here")
    parser.add_argument("--before", type=Path, help="figures kept earlier")
    arguments = parser.parse_args()
    before = json.loads(arguments.before.read_text()) if arguments.before else {}
    kept: dict[str, dict[str, list[Row]]] = {}
    print("| set | way | n | recall@5 | all@5 | mrr@10 | first, helped / hurt | all@5, helped / hurt | since then |")
    print("|---|---|---|---|---|---|---|---|---|")
    for folder in arguments.data:
        name = folder.resolve().name
        print(f"{name} ...", file=sys.stderr)
        kept[name] = measured(folder, arguments.off, arguments.without, arguments.plans)
        for way, rows in kept[name].items():
            print(line(name, way, rows, kept[name]["search"], before.get(name, {}).get(way)), flush=True)
    if arguments.keep:
        arguments.keep.write_text(json.dumps(kept))


def measured(folder: Path, off: Sequence[str], without: Sequence[str], plans: Path | None) -> dict[str, list[Row]]:
    """Return the figures of every question in each way; those without evidence are left out."""
    queries = [json.loads(one) for one in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines() if one]
    needed = "references" if any(query.get("references") for query in queries) else "evidence"
    queries = [query for query in queries if query.get(needed)]
    given: dict[str, list[str]] = {}
    if plans:
        parts = {plan["id"]: plan["parts"] for plan in map(json.loads, plans.read_text(encoding="utf-8").splitlines())}
        queries = [query for query in queries if query["id"] in parts]
        given = {query["question"]: parts[query["id"]] for query in queries}
    settings = Settings.load(effort="keyless", cache="none")
    with opened(folder / "corpus.jsonl", [Choice(name="all", settings=settings)], ignore) as ((way,), _):
        return asyncio.run(asked(way.library, queries, off, without, given))


async def asked(
    library: Library,
    queries: Sequence[Mapping[str, Any]],
    off: Sequence[str],
    without: Sequence[str],
    given: Mapping[str, Sequence[str]],
) -> dict[str, list[Row]]:
    """Ask all questions in all ways."""
    engine = replace(library.engine(), plans=Recent(), journal=None)
    ways = {
        "path": engine,
        "no parts": replace(engine, planner=KeylessPlanner(decompose=False)),
        **{f"no {one}": replace(engine, options=replace(engine.options, **{one: False})) for one in off},
        **{f"plans without {one}": replace(engine, planner=_planner_without(engine.planner, one)) for one in without},
        **({"given parts": replace(engine, planner=Given(given))} if given else {}),
    }
    ways = {name: replace(one, plans=Recent()) for name, one in ways.items()}
    rows: dict[str, list[Row]] = {"search": [], **{name: [] for name in ways}}
    for query in queries:
        found = (await library.search.aio(query["question"], DEPTH)).evidence
        rows["search"].append(figures(query, found, found))
        for name, one in ways.items():
            rows[name].append(await figures_of(one, query))
    return rows


def _planner_without(planner: Planner, idea: str) -> KeylessPlanner:
    assert isinstance(planner, KeylessPlanner)
    return replace(planner, rules=replace(planner.rules, without=frozenset([idea])))


async def figures_of(engine: Engine, query: Mapping[str, Any]) -> Row:
    found = await engine.retrieve(query["question"], (PLACES, DEPTH))
    return figures(query, found[PLACES], found[DEPTH])


def figures(query: Mapping[str, Any], few: Sequence[Evidence], many: Sequence[Evidence]) -> Row:
    """Return what five places hold, and where in ten the first of what is needed stands."""
    if references := query.get("references"):
        complete = float(len(present(references, [item.passage.text for item in few[:PLACES]])) == len(references))
        return {"all": complete}
    needed: dict[Any, set[str]] = {}
    for one in query["evidence"]:
        needed.setdefault(one.get("part", one["id"]), set()).add(one["id"])
    first = {item.document.id for item in few[:PLACES]}
    held = [not ids.isdisjoint(first) for ids in needed.values()]
    every = set[str]().union(*needed.values())
    rank = next((place for place, item in enumerate(many[:DEPTH], 1) if item.document.id in every), 0)
    return {"recall": fmean(held), "all": float(all(held)), "mrr": 1 / rank if rank else 0.0, "first": float(rank == 1)}


def line(name: str, way: str, rows: Sequence[Row], search: Sequence[Row], before: Sequence[Row] | None) -> str:
    """Return a row of the table."""
    means = [f"{fmean(row[one] for row in rows):.3f}" if one in rows[0] else "" for one in ("recall", "all", "mrr")]
    since = "; ".join(f"{one} {changed(before, rows, one)}" for one in ("all", "first")) if before else ""
    cells = [name, way, str(len(rows)), *means, changed(search, rows, "first"), changed(search, rows, "all"), since]
    return f"| {' | '.join(cells)} |"


def changed(off: Sequence[Row], on: Sequence[Row], one: str) -> str:
    """Return how many questions gained and how many lost by this figure."""
    if one not in off[0]:
        return ""
    changes = [after[one] - before[one] for before, after in zip(off, on, strict=True)]
    return f"{sum(change > 0 for change in changes)} / {sum(change < 0 for change in changes)}"


if __name__ == "__main__":
    main()
