"""`scholarmind evaluate` and `scholarmind tune`: retrieval measured on a folder of questions, and one setting tried on half of them.

How it is measured is in `scholarmind.evaluation`; here are the options and what is printed.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.command_options import model_options
from scholarmind.cli.main import check_suffix, echo, json_option, library_option
from scholarmind.errors import QueryError
from scholarmind.strategies import strategy_names

if TYPE_CHECKING:
    from scholarmind.evaluation.experiments import DatasetQuery
    from scholarmind.events import OnEvent


# -- tables of figures, and lines for what changed

_FEW = 5  # questions that are named in the terminal; a report has them all
_SHORT = 100


def _print_table(title: str, runs: Mapping[str, Mapping[str, Any]]) -> None:
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


def _print_models(models: Mapping[str, Any]) -> None:
    """Print what models were asked, and what that took."""
    from scholarmind.cli.output import safe  # noqa: PLC0415
    from scholarmind.cli.run_progress import counted, money  # noqa: PLC0415

    names = ", ".join(dict.fromkeys(models["names"].values()))
    told = f"{counted(models['calls'], 'call')} to {names}, {models['tokens']:,} tokens, {money(models['cost'], models['currency'])}"
    echo(safe(f"{told}; {models['remembered']:,} replies remembered, {models['failed']:,} calls failed"))


# -- evaluate

_MODES = ["vector", "keyword", "hybrid"]
_report_option = click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.html",
    help="Also write a page with tables and plots, which needs nothing beside it.",
)

_seed_option = click.option(
    "--seed", default=7, show_default=True, type=click.IntRange(0), help="For what is drawn at random."
)

_COMPARING = (
    click.option(
        "--answerable", is_flag=True, help="Ask each question twice, the second time with its evidence hidden."
    ),
    click.option("--compare", is_flag=True, help="Compare the ways of asking that FILES of settings describe."),
    click.argument("files", nargs=-1, type=click.Path(path_type=Path)),
    click.option("--metric", default="", help="With --compare: what helps or hurts a question.  [default: the first]"),
    _seed_option,
    _report_option,
    click.option(
        "--strategies",
        multiple=True,
        type=click.Choice([*strategy_names(), "all"]),
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
@click.option("--mode", type=click.Choice(_MODES), help="How to search.  [default: hybrid]")
@click.option(
    "--decompose",
    type=click.Choice(["on", "off", "both"]),
    help="The whole reading path, or one plain search; `both` compares. What the parts alone are worth is in --ablate.  "
    "[default: on with a strategy, else off]",
)
@click.option("--ablate", is_flag=True, help="Switch off one thing after another, and show what each is worth.")
@model_options
@json_option
def evaluate_command(dataset: Path, at: str | None, chosen: dict[str, Any], as_json: bool, **given: Any) -> None:
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
    text = "5,10" if at is None else at
    try:
        depths = tuple(int(part) for part in text.split(","))
    except ValueError:
        depths = ()
    if not depths or not all(1 <= depth <= 1000 for depth in depths):
        raise QueryError(f"--at {text!r} is not a list of depths between 1 and 1000, such as 5,10")
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
    from scholarmind.evaluation.dataset_evaluation import ComparisonPlan, compare  # noqa: PLC0415
    from scholarmind.evaluation.html_reports import check_place, comparison_page, write  # noqa: PLC0415

    if other := [name for name in ("decompose", "ablate", "mode", "strategies") if given[name]]:
        raise click.UsageError(f"--{other[0]} does not go with --compare: say it in the files")
    report: Path | None = given["report"]
    if report:
        check_suffix(report, ".html", ".htm")
        check_place(report)
    wanted = ComparisonPlan(
        files=given["files"], base=chosen, at=at, limit=given["limit"], metric=given["metric"], seed=given["seed"]
    )
    with progress(quiet=as_json) as on_event:
        told = compare(dataset, wanted, on_event)
    if report:
        write(report, comparison_page(told))
    if as_json:
        print_json(told)
    else:
        # print the figures of each file of settings, what can be said of them, and whom it helped and hurt
        from scholarmind.cli.output import safe  # noqa: PLC0415

        ways = {name: dict(way) for name, way in told["ways"].items()}
        for one in told["comparisons"]:
            ways[one["to"]]["difference"] = one["difference"]
        _print_table(f"{told['dataset']}, {told['questions']} questions, by turns", ways)
        for name, values in told["settings"].items():
            echo(safe(f"{name}: {', '.join(f'{value} ({way})' for way, value in values.items())}".replace("\n", " ")))
        if not told["settings"]:
            echo("these files ask for the same; only times can differ")
        for name, way in told["ways"].items():
            echo(safe(f"{name}: a question takes {way['latency']['p50_ms']} ms (p95 {way['latency']['p95_ms']} ms)"))
            if models := way.get("models"):
                _print_models(models)
        for one in told["comparisons"]:
            _print_changes(one, told["metric"])


def _answerable(dataset: Path, chosen: dict[str, Any], as_json: bool, given: dict[str, Any]) -> None:
    from scholarmind.cli.output import print_json, progress  # noqa: PLC0415
    from scholarmind.evaluation.dataset_evaluation import evaluate_answerable  # noqa: PLC0415
    from scholarmind.evaluation.experiments import loaded  # noqa: PLC0415

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
            _print_models(models)


def _evaluate(dataset: Path, at: tuple[int, ...], chosen: dict[str, Any], as_json: bool, given: dict[str, Any]) -> None:
    from scholarmind.cli.output import print_json, progress  # noqa: PLC0415
    from scholarmind.evaluation.dataset_evaluation import EvaluationPlan, evaluate  # noqa: PLC0415
    from scholarmind.evaluation.experiments import loaded  # noqa: PLC0415

    # the strategies that are compared: `plan` comes first, the others are seen beside it
    wanted = given["strategies"]
    if not wanted:
        strategies = ()
    else:
        if chosen.get("strategy"):
            raise click.UsageError("--strategy is one strategy, --strategies are several: give one of the two")
        strategies = tuple(name for name in strategy_names() if name == "plan" or "all" in wanted or name in wanted)
    decompose = _decompose(given["decompose"], chosen, strategies, ablate=given["ablate"])
    settings = loaded(chosen)
    plan = EvaluationPlan(
        mode=given["mode"] or "hybrid",
        at=at,
        limit=given["limit"],
        decompose=decompose,  # type: ignore[arg-type]
        ablate=given["ablate"],
        strategies=strategies,
    )
    with progress(quiet=as_json) as on_event:
        figures = evaluate(dataset, settings, plan, on_event)
    if as_json:
        print_json(figures)
        return
    if "ablation" in figures:
        _print_runs(figures, {"off": figures["off"], **figures["ablation"]})
    elif "strategies" in figures:
        _print_runs(figures, figures["strategies"])
    elif "difference" in figures:
        _print_runs(figures, {"off": figures["off"], "on": {**figures["on"], "difference": figures["difference"]}})
    else:
        _print_evaluation(figures)
    if models := figures.get("models"):
        _print_models(models)


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


def _print_runs(figures: dict[str, Any], runs: dict[str, Any]) -> None:
    n = next(iter(runs.values()))["n"]
    _print_table(f"{figures['dataset']}, {figures['mode']}, {n} questions", runs)


def _print_evaluation(figures: dict[str, Any]) -> None:
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


# -- tune

_OPTIONS = (
    click.option("--setting", required=True, metavar="NAME", help="Such as dense_weight or scored.top_n."),
    click.option("--values", required=True, metavar="V1,V2,...", help="What is tried, beside what is set now."),
    click.option(
        "--metric", default="", help="What counts, such as all@5.  [default: recall@5; f1@kept for how many are kept]"
    ),
    click.option(
        "--share",
        default=0.5,
        show_default=True,
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        help="Of the questions that the values are tried on; the others judge the best of them.",
    ),
    _seed_option,
    click.option("--limit", type=click.IntRange(1), help="Only the first so many questions."),
    click.option("--mode", default="hybrid", show_default=True, type=click.Choice(_MODES)),
    click.option("--runs", is_flag=True, help="Ask what was asked of your library in runs that you rated good."),
    library_option,
    _report_option,
)


def _tuning(function: Any) -> Any:
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@click.command("tune")
@click.argument("dataset", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@_tuning
@model_options
@json_option
def tune_command(dataset: Path | None, chosen: dict[str, Any], as_json: bool, **given: Any) -> None:
    """Try values of one setting on half of the questions, and check the best of them on the other half.

    DATASET is a folder as for `evaluate`. With --runs the questions are those of your own runs that you rated (`runs rate`): what
    is needed for each are the passages that the answer, or the part, which you found good cites.

    Recommends a value only if it is better than what is set also on questions that it was not chosen by, by more than noise.
    Nothing is changed: write it into scholarmind.toml yourself. No language model is asked unless --llm or --effort is given.
    """
    from scholarmind.cli.output import print_json, progress  # noqa: PLC0415
    from scholarmind.evaluation.dataset_evaluation import tune  # noqa: PLC0415
    from scholarmind.evaluation.html_reports import check_place, tuning_page, write  # noqa: PLC0415

    if bool(dataset) == given["runs"]:
        raise click.UsageError("give a folder with questions, or --runs for those of your own rated runs")
    if given["library"] and dataset:
        raise click.UsageError("--library goes with --runs; questions of a folder are asked of a library of its own")
    report: Path | None = given["report"]
    if report:
        check_place(report)
    sweep = _sweep(chosen | ({"library": given["library"]} if given["library"] else {}), given)
    with progress(quiet=as_json) as on_event:
        name, queries, opened = _asked(dataset, sweep.base, on_event)
        told = tune(name, queries[: given["limit"]], sweep, opened, on_event)
    if report:
        write(report, tuning_page(told))
    if as_json:
        print_json(told)
    else:
        _print_tuning(told)


def _sweep(base: dict[str, Any], given: dict[str, Any]) -> Any:
    from scholarmind.evaluation.dataset_evaluation import Sweep  # noqa: PLC0415

    values = tuple(value.strip() for value in given["values"].split(",") if value.strip())
    names = ("mode", "metric", "share", "seed")
    return Sweep(setting=given["setting"].strip(), values=values, base=base, **{name: given[name] for name in names})


def _asked(
    dataset: Path | None, base: Any, on_event: "OnEvent"
) -> "tuple[str, list[DatasetQuery], Callable[..., AbstractContextManager[Any]]]":
    """Return the questions, where they are from, and what opens the library that they are put to."""
    import asyncio  # noqa: PLC0415
    from functools import partial  # noqa: PLC0415

    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.evaluation.experiments import load_queries, loaded, opened, opened_as_it_is, rated_queries  # noqa: PLC0415

    if dataset:
        queries = load_queries(dataset)
        return dataset.resolve().name, queries, partial(opened, dataset / "corpus.jsonl", on_event=on_event)
    # the questions of rated runs; tell how many runs gave none
    with Library(loaded(base), create=False) as library:
        rated = asyncio.run(rated_queries(library))
    for reason, count in rated.left_out.items():
        echo(f"{count} rated runs left out: {reason}", err=True)
    if len(rated.queries) < 2:
        raise QueryError(
            f"{len(rated.queries)} of the rated runs can be used, and two are the least; rate answers with: "
            "scholarmind runs rate ID good"
        )
    return "rated runs", list(rated.queries), opened_as_it_is


def _print_tuning(told: dict[str, Any]) -> None:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.output import console, safe  # noqa: PLC0415

    metric, tuning, others = told["metric"], told["tuning"], told["others"]
    title = Text(safe(f"{told['setting']} on {told['dataset']}: {metric} on {tuning['n']} questions for tuning"))
    table = Table("value", metric, "beside what is set", title=title, title_justify="left")
    for row in tuning["values"]:
        marks = [mark for mark, name in (("set", "default"), ("best", "best")) if told[name] == row["value"]]
        value = f"{row['value']} ({', '.join(marks)})" if marks else row["value"]
        table.add_row(Text(safe(value)), f"{row['mean']:.3f}", _beside(row["difference"]))
    console().print(table)
    told_others = ", ".join(
        f"{others[name]:.3f} with {name}" for name in dict.fromkeys((told["default"], told["best"]))
    )
    echo(safe(f"on the {others['n']} other questions: {told_others}"))
    echo(safe(f"{told['why']}\nrecommended: {told['setting']} = {told['recommended']}"))
    if models := told.get("models"):
        _print_models(models)


def _beside(changed: dict[str, Any]) -> str:
    if not changed:
        return ""
    return (
        f"{changed['mean']:+.3f} [{changed['low']:+.3f} {changed['high']:+.3f}] +{changed['helped']} -{changed['hurt']}"
    )
