"""What is shown of comparisons: one table for ways of asking beside each other, and lines for what changed."""

from collections.abc import Mapping, Sequence
from typing import Any

from scholarmind.cli.main import echo

_FEW = 5  # questions that are named in the terminal; a report has them all
_SHORT = 100


def print_runs(title: str, runs: Mapping[str, Mapping[str, Any]]) -> None:
    """Print a line for each way of asking; in brackets the interval of its difference to the first, and helped / hurt."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.output import console, safe  # noqa: PLC0415

    names = [name for name in next(iter(runs.values()))["metrics"] if not name.startswith("hits")]
    table = Table("", *names, title=Text(safe(title)), title_justify="left")
    for name, run in runs.items():
        cells: list[str] = []
        for metric in names:
            told = f"{run['metrics'][metric]:.3f}"
            if changed := run.get("difference", {}).get(metric):
                told += f"\n{changed['low']:+.3f} {changed['high']:+.3f}\n+{changed['helped']} -{changed['hurt']}"
            cells.append(told)
        table.add_row(Text(safe(name)), *cells)
    console().print(table)


def print_comparison(told: Mapping[str, Any]) -> None:
    """Print the figures of each file of settings, what can be said of them, and whom it helped and hurt."""
    from scholarmind.cli.output import safe  # noqa: PLC0415

    ways = {name: dict(way) for name, way in told["ways"].items()}
    for one in told["comparisons"]:
        ways[one["to"]]["difference"] = one["difference"]
    print_runs(f"{told['dataset']}, {told['questions']} questions, by turns", ways)
    for name, values in told["settings"].items():
        echo(safe(f"{name}: {', '.join(f'{value} ({way})' for way, value in values.items())}".replace("\n", " ")))
    if not told["settings"]:
        echo("these files ask for the same; only times can differ")
    for name, way in told["ways"].items():
        echo(safe(f"{name}: a question takes {way['latency']['p50_ms']} ms (p95 {way['latency']['p95_ms']} ms)"))
        if models := way.get("models"):
            print_models(models)
    for one in told["comparisons"]:
        _print_changes(one, told["metric"])


def _print_changes(one: Mapping[str, Any], metric: str) -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415

    echo()
    echo(safe(one["summary"]))
    for kind in ("helped", "hurt"):
        rows: Sequence[Mapping[str, Any]] = one[kind]
        for row in rows[:_FEW]:
            question = " ".join(row["question"].split())[:_SHORT]
            echo(safe(f"  {kind} {row['change']:+.2f} {metric}: {question} ({row['id']})"))
        if len(rows) > _FEW:
            echo(f"  ... and {len(rows) - _FEW} more {kind}; --report and --json have them all")


def print_models(models: Mapping[str, Any]) -> None:
    """Print what models were asked, and what that took."""
    from scholarmind.cli.costs import counted, money  # noqa: PLC0415
    from scholarmind.cli.output import safe  # noqa: PLC0415

    names = ", ".join(dict.fromkeys(models["names"].values()))
    told = f"{counted(models['calls'], 'call')} to {names}, {models['tokens']:,} tokens, {money(models['cost'], models['currency'])}"
    echo(safe(f"{told}; {models['remembered']:,} replies remembered, {models['failed']:,} calls failed"))
