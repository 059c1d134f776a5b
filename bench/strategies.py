"""Every strategy on every set, as a Markdown table: keyless, and with a scripted model that `scripted_strategist.py` describes.

python bench/strategies.py FOLDER        a folder of sets, each a folder with corpus.jsonl and queries.jsonl
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scholarmind import Settings
from scholarmind.evaluation.dataset_evaluation import EvaluationPlan, evaluate
from scholarmind.llm.language_models import Models
from scholarmind.strategies import strategy_names
from scholarmind.testing import ScriptedModel

sys.path.append(str(Path(__file__).parent))
from scripted_strategist import Strategist

SETS = "dragonball_tune multihop_rag_tune musique_100 hotpotqa_100".split()
METRICS = ("recall@5", "all@5", "complete@5", "mrr@10")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--json", type=Path, help="also keep the figures here")
    arguments = parser.parse_args()
    figures: dict[str, dict[str, Any]] = {}
    for name in arguments.sets:
        folder = arguments.folder / name
        for way, settings, models in ways(folder):
            print(f"{name}, {way} ...", file=sys.stderr)
            plan = EvaluationPlan(decompose="on", limit=arguments.limit, strategies=strategy_names())
            figures.setdefault(name, {})[way] = evaluate(folder, settings, plan, models=models)
            if arguments.json:
                arguments.json.write_text(json.dumps(figures, indent=1))
    print("\n".join(table(figures)))


def ways(folder: Path) -> Iterator[tuple[str, Settings, Models | None]]:
    """Yield how the set is asked: by rules alone, and with the scripted model."""
    yield "keyless", Settings.load(effort="keyless"), None
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    strategist = Strategist(json.loads(line) for line in lines)
    yield "scripted", Settings.load(effort="standard", llm="none"), Models(model=ScriptedModel(strategist.reply))


def table(figures: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines: a row for each set and way, and strategy; in brackets the interval of the difference to `plan`."""
    yield f"| set | model | strategy | {' | '.join(METRICS)} | ms | calls a question |"
    yield f"|{'---|' * (len(METRICS) + 5)}"
    for name, told in figures.items():
        for way, one in told.items():
            best = {metric: best_of(one["strategies"].values(), metric) for metric in METRICS}
            for strategy, row in one["strategies"].items():
                cells = [cell(row, metric, best[metric]) for metric in METRICS]
                place = f"{name} ({row['n']})" if strategy == "plan" and way == "keyless" else ""
                calls = f"{row['models']['calls'] / row['n']:.1f}" if "models" in row else ""
                model = way if strategy == "plan" else ""
                yield f"| {place} | {model} | `{strategy}` | {' | '.join(cells)} | {row['latency']['p50_ms']:.0f} | {calls} |"


def best_of(rows: Sequence[Mapping[str, Any]], metric: str) -> float:
    return max((row["metrics"].get(metric, 0.0) for row in rows), default=0.0)


def cell(row: Mapping[str, Any], metric: str, best: float) -> str:
    if metric not in row["metrics"]:
        return ""
    value = row["metrics"][metric]
    told = f"{value:.3f}".removeprefix("0")
    told = f"**{told}**" if value == best else told
    if changed := row.get("difference", {}).get(metric):
        told += f" [{changed['low']:+.3f}, {changed['high']:+.3f}]"
    return told


if __name__ == "__main__":
    main()
