"""`scholarmind evaluate`."""

from pathlib import Path
from typing import Any

import click

from scholarmind.cli.main import json_option
from scholarmind.cli.model_options import model_options
from scholarmind.errors import QueryError


@click.command("evaluate")
@click.argument("dataset", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--at", default="5,10", show_default=True, help="Depths at which to measure.")
@click.option("--limit", type=click.IntRange(1), help="Only the first so many questions.")
@click.option("--mode", default="hybrid", show_default=True, type=click.Choice(["vector", "keyword", "hybrid"]))
@click.option(
    "--decompose",
    default="off",
    show_default=True,
    type=click.Choice(["on", "off", "both"]),
    help="Take the questions apart; `both` compares.",
)
@click.option("--ablate", is_flag=True, help="Switch off one thing after another, and show what each is worth.")
@model_options
@json_option
def command(
    dataset: Path,
    at: str,
    limit: int | None,
    mode: str,
    decompose: str,
    ablate: bool,
    chosen: dict[str, Any],
    as_json: bool,
) -> None:
    """Measure retrieval on the questions in a folder.

    \b
    DATASET holds, one JSON object a line:
      corpus.jsonl   {"id": ..., "title": ..., "text": ..., "meta": {...}}
      queries.jsonl  {"question": ..., "type": ..., "evidence": [{"id": record}, ...], "references": [sentence, ...]}

    The library made from the records is kept in your cache folder and used again while they and the settings stay the same.
    Prints recall@k, all@k, complete@k (where there are references), hits@4, mrr@10, map@10, and how long a search takes;
    for two ways of asking, also how many questions were helped and hurt, and the 95 % interval of the mean difference.

    No language model is asked unless --llm or --effort is given, whatever the settings say; then one plans and answers bridges.
    """
    from scholarmind.cli.output import print_json, progress  # noqa: PLC0415
    from scholarmind.evaluation.run import Plan, evaluate  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    by_model = chosen["llm"] is not None or chosen["effort"] is not None
    if by_model and chosen["effort"] != "keyless" and decompose == "off" and not ablate:
        raise click.UsageError(
            "a language model takes questions apart: give --decompose on or both, or --ablate as well"
        )
    settings = Settings.load(**chosen) if by_model else Settings.load(effort="keyless")
    with progress(quiet=as_json) as on_event:
        plan = Plan(mode=mode, at=_depths(at), limit=limit, decompose=decompose, ablate=ablate)  # type: ignore[arg-type]
        figures = evaluate(dataset, settings, plan, on_event)
    if as_json:
        print_json(figures)
        return
    if "ablation" in figures:
        _print_runs(figures, {"off": figures["off"], **figures["ablation"]})
    elif "difference" in figures:
        runs = {"off": figures["off"], "on": {**figures["on"], "difference": figures["difference"]}}
        _print_runs(figures, runs)
    else:
        _print(figures)
    if models := figures.get("models"):
        _print_models(models)


def _print_models(models: dict[str, Any]) -> None:
    from scholarmind.cli.costs import counted, money  # noqa: PLC0415
    from scholarmind.cli.output import safe  # noqa: PLC0415

    names = ", ".join(dict.fromkeys(models["names"].values()))
    told = f"{counted(models['calls'], 'call')} to {names}, {models['tokens']:,} tokens, {money(models['cost'], models['currency'])}"
    click.echo(safe(f"{told}; {models['remembered']:,} replies remembered, {models['failed']:,} calls failed"))


def _depths(text: str) -> tuple[int, ...]:
    try:
        depths = tuple(int(part) for part in text.split(","))
    except ValueError:
        depths = ()
    if not depths or not all(1 <= depth <= 1000 for depth in depths):
        raise QueryError(f"--at {text!r} is not a list of depths between 1 and 1000, such as 5,10")
    return depths


def _print_runs(figures: dict[str, Any], runs: dict[str, Any]) -> None:
    """Print a line for each way of asking; in brackets the interval of its difference to `off`, and helped / hurt."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.output import console, safe  # noqa: PLC0415

    names = [name for name in figures["off"]["metrics"] if not name.startswith("hits")]
    title = Text(safe(f"{figures['dataset']}, {figures['mode']}, {figures['off']['n']} questions"))
    table = Table("", *names, title=title, title_justify="left")
    for name, run in runs.items():
        cells: list[str] = []
        for metric in names:
            told = f"{run['metrics'][metric]:.3f}"
            if changed := run.get("difference", {}).get(metric):
                told += f"\n{changed['low']:+.3f} {changed['high']:+.3f}\n+{changed['helped']} -{changed['hurt']}"
            cells.append(told)
        table.add_row(name, *cells)
    console().print(table)


def _print(figures: dict[str, Any]) -> None:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.output import console, safe  # noqa: PLC0415

    names = list(figures["metrics"])
    title = Text(safe(f"{figures['dataset']}, {figures['mode']}"))
    table = Table("type", "n", *names, title=title, title_justify="left")
    rows = {**figures["by_type"], "all": {"n": figures["n"], "metrics": figures["metrics"]}}
    for name, row in rows.items():
        table.add_row(
            Text(safe(name)), str(row["n"]), *(f"{row['metrics'][m]:.3f}" if m in row["metrics"] else "" for m in names)
        )
    terminal = console()
    terminal.print(table)
    latency = figures["latency"]
    terminal.print(
        f"{figures['documents']:,} records, {figures['passages']:,} passages; "
        f"a search takes {latency['p50_ms']} ms (p95 {latency['p95_ms']} ms)"
    )
    if figures["without_evidence"]:
        terminal.print(f"{figures['without_evidence']} questions name no evidence and were asked but not measured")
    for notice, count in figures["notices"].items():
        terminal.print(Text(f"note: {safe(notice)} for {count} of the questions"))
