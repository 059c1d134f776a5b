"""`scholarmind evaluate`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from scholarmind.cli.comparing import print_comparison, print_models, print_runs
from scholarmind.cli.main import check_suffix, json_option
from scholarmind.cli.model_options import STRATEGIES, model_options
from scholarmind.errors import QueryError

MODES = ["vector", "keyword", "hybrid"]
report_option = click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.html",
    help="Also write a page with tables and plots, which needs nothing beside it.",
)
seed_option = click.option(
    "--seed", default=7, show_default=True, type=click.IntRange(0), help="For what is drawn at random."
)
_COMPARING = (
    click.option(
        "--answerable", is_flag=True, help="Ask each question twice, the second time with its evidence hidden."
    ),
    click.option("--compare", is_flag=True, help="Compare the ways of asking that FILES of settings describe."),
    click.argument("files", nargs=-1, type=click.Path(path_type=Path)),
    click.option("--metric", default="", help="With --compare: what helps or hurts a question.  [default: the first]"),
    seed_option,
    report_option,
    click.option(
        "--strategies",
        multiple=True,
        type=click.Choice([*STRATEGIES, "all"]),
        help="Several strategies in one table, each beside `plan`; can be repeated.",
    ),
)


def _comparing(function: Any) -> Any:
    for option in reversed(_COMPARING):
        function = option(function)
    return function


@click.command("evaluate")
@click.argument("dataset", type=click.Path(exists=True, file_okay=False, path_type=Path))
@_comparing
@click.option("--at", metavar="DEPTHS", help="Depths at which to measure.  [default: 5,10]")
@click.option("--limit", type=click.IntRange(1), help="Only the first so many questions.")
@click.option("--mode", type=click.Choice(MODES), help="How to search.  [default: hybrid]")
@click.option(
    "--decompose",
    type=click.Choice(["on", "off", "both"]),
    help="The whole reading path, or one plain search; `both` compares. What the parts alone are worth is in --ablate.  "
    "[default: on with a strategy, else off]",
)
@click.option("--ablate", is_flag=True, help="Switch off one thing after another, and show what each is worth.")
@model_options
@json_option
def command(dataset: Path, at: str | None, chosen: dict[str, Any], as_json: bool, **given: Any) -> None:
    """Measure retrieval on the questions in a folder.

    \b
    DATASET holds, one JSON object a line:
      corpus.jsonl   {"id": ..., "title": ..., "text": ..., "meta": {...}}
      queries.jsonl  {"question": ..., "type": ..., "evidence": [{"id": record}, ...], "references": [sentence, ...]}
    or BEIR's layout, with `_id` and `text`, and qrels/test.tsv (else dev.tsv, train.tsv) for what is relevant.

    The library made from the records is kept in your cache folder and used again while they and the settings stay the same.
    Prints recall@k, all@k, complete@k (where there are references), hits@4, mrr@10, map@10, and how long a search takes;
    for two ways of asking, also how many questions were helped and hurt, and the 95 % interval of the mean difference.

    --compare a.toml b.toml asks every question in the way of each file, by turns. A file is a scholarmind.toml; what it says comes
    before everything else. It may also have a table [options] with filters, hops, quotas, injection, decompose, plain, mode.

    --answerable asks for whole answers: each question that names evidence twice, as it is and with that evidence hidden by a filter.
    Prints how well confidence tells the two apart (AUC, expected calibration error), how often a hidden one comes out answered, which
    is complete or with caveats, and how often a shown one does not. Skipped are questions without evidence, with an "answer" of
    {"is_impossible": true}, or of a type that is called unsolvable or null.

    No language model is asked unless --llm or --effort is given (or stands in a file), whatever the settings say; then one plans.
    """
    depths = depths_of("5,10" if at is None else at)
    if given["answerable"]:
        _answerable(dataset, chosen, as_json, {**given, "at": at is not None})
        return
    if given["compare"]:
        _compare(dataset, depths, chosen, as_json, given)
        return
    if given["files"]:
        raise click.UsageError(f"unexpected {str(given['files'][0])!r}; files of settings come after --compare")
    if given["report"] or given["metric"]:
        raise click.UsageError("--report and --metric need --compare, with two files of settings or more")
    _evaluate(dataset, depths, chosen, as_json, given)


def _compare(dataset: Path, at: tuple[int, ...], chosen: dict[str, Any], as_json: bool, given: dict[str, Any]) -> None:
    from scholarmind.cli.output import print_json, progress  # noqa: PLC0415
    from scholarmind.evaluation.comparing import Comparison, compare  # noqa: PLC0415
    from scholarmind.evaluation.comparison_page import comparison_page  # noqa: PLC0415
    from scholarmind.evaluation.page import check_place, write  # noqa: PLC0415

    if other := [name for name in ("decompose", "ablate", "mode", "strategies") if given[name]]:
        raise click.UsageError(f"--{other[0]} does not go with --compare: say it in the files")
    report: Path | None = given["report"]
    if report:
        check_suffix(report, ".html", ".htm")
        check_place(report)
    wanted = Comparison(
        files=given["files"], base=chosen, at=at, limit=given["limit"], metric=given["metric"], seed=given["seed"]
    )
    with progress(quiet=as_json) as on_event:
        told = compare(dataset, wanted, on_event)
    if report:
        write(report, comparison_page(told))
    if as_json:
        print_json(told)
    else:
        print_comparison(told)


def _answerable(dataset: Path, chosen: dict[str, Any], as_json: bool, given: dict[str, Any]) -> None:
    from scholarmind.cli.output import print_json, progress  # noqa: PLC0415
    from scholarmind.evaluation.answerable import evaluate_answerable  # noqa: PLC0415
    from scholarmind.evaluation.ways import loaded  # noqa: PLC0415

    others = ("compare", "files", "metric", "report", "strategies", "ablate", "decompose", "at")
    if other := [name for name in others if given[name]]:
        name = repr(str(given["files"][0])) if other[0] == "files" else f"--{other[0]}"
        raise click.UsageError(f"{name} does not go with --answerable, which asks every question in one way")
    with progress(quiet=as_json) as on_event:
        found = evaluate_answerable(
            dataset, loaded(chosen), on_event, mode=given["mode"] or "hybrid", limit=given["limit"]
        )
    if as_json:
        print_json(found)
    else:
        _print_answerable(found)


def _evaluate(dataset: Path, at: tuple[int, ...], chosen: dict[str, Any], as_json: bool, given: dict[str, Any]) -> None:
    from scholarmind.cli.output import print_json, progress  # noqa: PLC0415
    from scholarmind.evaluation.run import Plan, evaluate  # noqa: PLC0415
    from scholarmind.evaluation.ways import loaded  # noqa: PLC0415

    strategies = _strategies(given["strategies"], chosen)
    decompose = _decompose(given["decompose"], chosen, strategies, ablate=given["ablate"])
    settings = loaded(chosen)
    plan = Plan(
        mode=given["mode"] or "hybrid",
        at=at,
        limit=given["limit"],
        decompose=decompose,  # type: ignore[arg-type]
        ablate=given["ablate"],
        strategies=strategies,  # type: ignore[arg-type]
    )
    with progress(quiet=as_json) as on_event:
        figures = evaluate(dataset, settings, plan, on_event)
    if as_json:
        print_json(figures)
        return
    _print_figures(figures)


def _strategies(wanted: Sequence[str], chosen: dict[str, Any]) -> tuple[str, ...]:
    """Return the strategies that are compared: `plan` comes first, the others are seen beside it."""
    if not wanted:
        return ()
    if chosen.get("strategy"):
        raise click.UsageError("--strategy is one strategy, --strategies are several: give one of the two")
    return tuple(name for name in STRATEGIES if name == "plan" or "all" in wanted or name in wanted)


def _decompose(wanted: str | None, chosen: dict[str, Any], strategies: Sequence[str], *, ablate: bool) -> str:
    """Return whether questions go through the reading path, which all that is about strategies and models is about."""
    strategy = bool(strategies or chosen.get("strategy"))
    if strategy and wanted == "off":
        raise click.UsageError("--decompose off is one plain search, which no strategy has a part in")
    if strategies and ablate:
        raise click.UsageError("--ablate does not go with --strategies: ablate one --strategy after another")
    by_model = chosen["llm"] is not None or chosen["effort"] is not None
    decompose = wanted or ("on" if strategy else "off")
    if by_model and chosen["effort"] != "keyless" and decompose == "off" and not ablate:
        raise click.UsageError(
            "a language model takes questions apart: give --decompose on or both, or --ablate as well"
        )
    return decompose


def depths_of(text: str) -> tuple[int, ...]:
    try:
        depths = tuple(int(part) for part in text.split(","))
    except ValueError:
        depths = ()
    if not depths or not all(1 <= depth <= 1000 for depth in depths):
        raise QueryError(f"--at {text!r} is not a list of depths between 1 and 1000, such as 5,10")
    return depths


def _print_figures(figures: dict[str, Any]) -> None:
    if "ablation" in figures:
        _print_runs(figures, {"off": figures["off"], **figures["ablation"]})
    elif "strategies" in figures:
        _print_runs(figures, figures["strategies"])
    elif "difference" in figures:
        _print_runs(figures, {"off": figures["off"], "on": {**figures["on"], "difference": figures["difference"]}})
    else:
        _print(figures)
    if models := figures.get("models"):
        print_models(models)


def _print_runs(figures: dict[str, Any], runs: dict[str, Any]) -> None:
    n = next(iter(runs.values()))["n"]
    print_runs(f"{figures['dataset']}, {figures['mode']}, {n} questions", runs)


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


def _print_answerable(found: dict[str, Any]) -> None:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.output import console, safe  # noqa: PLC0415

    title = Text(safe(f"{found['dataset']}, {found['n']} questions, each with its evidence shown and hidden"))
    table = Table("evidence", *found["by"]["shown"], title=title, title_justify="left")
    for side, verdicts in found["by"].items():
        table.add_row(side, *map(str, verdicts.values()))
    terminal = console()
    terminal.print(table)
    terminal.print(
        f"answered although hidden {found['false_answered']:.1%}, not answered although shown {found['false_missing']:.1%}"
    )
    terminal.print(f"confidence: AUC {found['auc']:.3f}, expected calibration error {found['ece']:.3f}")
    if found["skipped"]:
        terminal.print(f"{found['skipped']} questions were skipped: no evidence in the corpus, or unanswerable")
    if models := found.get("models"):
        print_models(models)
