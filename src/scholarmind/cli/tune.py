"""`scholarmind tune`."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.evaluate import MODES, report_option, seed_option
from scholarmind.cli.main import echo, json_option, library_option
from scholarmind.cli.model_options import model_options

if TYPE_CHECKING:
    from scholarmind.evaluation.datasets import Query
    from scholarmind.events import OnEvent

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
    seed_option,
    click.option("--limit", type=click.IntRange(1), help="Only the first so many questions."),
    click.option("--mode", default="hybrid", show_default=True, type=click.Choice(MODES)),
    click.option("--runs", is_flag=True, help="Ask what was asked of your library in runs that you rated good."),
    library_option,
    report_option,
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
def command(dataset: Path | None, chosen: dict[str, Any], as_json: bool, **given: Any) -> None:
    """Try values of one setting on half of the questions, and check the best of them on the other half.

    DATASET is a folder as for `evaluate`. With --runs the questions are those of your own runs that you rated (`runs rate`): what
    is needed for each are the passages that the answer, or the part, which you found good cites.

    Recommends a value only if it is better than what is set also on questions that it was not chosen by, by more than noise.
    Nothing is changed: write it into scholarmind.toml yourself. No language model is asked unless --llm or --effort is given.
    """
    from scholarmind.cli.output import print_json, progress  # noqa: PLC0415
    from scholarmind.evaluation.page import check_place, write  # noqa: PLC0415
    from scholarmind.evaluation.tuning import tune  # noqa: PLC0415
    from scholarmind.evaluation.tuning_page import tuning_page  # noqa: PLC0415

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
        _print(told)


def _sweep(base: dict[str, Any], given: dict[str, Any]) -> Any:
    from scholarmind.evaluation.tuning import Sweep  # noqa: PLC0415

    values = tuple(value.strip() for value in given["values"].split(",") if value.strip())
    names = ("mode", "metric", "share", "seed")
    return Sweep(setting=given["setting"].strip(), values=values, base=base, **{name: given[name] for name in names})


def _asked(
    dataset: Path | None, base: Any, on_event: "OnEvent"
) -> "tuple[str, list[Query], Callable[..., AbstractContextManager[Any]]]":
    """Return the questions, where they are from, and what opens the library that they are put to."""
    from functools import partial  # noqa: PLC0415

    from scholarmind.evaluation.datasets import load_queries  # noqa: PLC0415
    from scholarmind.evaluation.ways import opened, opened_as_it_is  # noqa: PLC0415

    if dataset:
        queries = load_queries(dataset)
        return dataset.resolve().name, queries, partial(opened, dataset / "corpus.jsonl", on_event=on_event)
    return "rated runs", _rated(base), opened_as_it_is


def _rated(base: Any) -> "list[Query]":
    """Return the questions of rated runs; tell how many runs gave none."""
    import asyncio  # noqa: PLC0415

    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.errors import QueryError  # noqa: PLC0415
    from scholarmind.evaluation.rated import rated_queries  # noqa: PLC0415
    from scholarmind.evaluation.ways import loaded  # noqa: PLC0415

    with Library(loaded(base), create=False) as library:
        rated = asyncio.run(rated_queries(library))
    for reason, count in rated.left_out.items():
        echo(f"{count} rated runs left out: {reason}", err=True)
    if len(rated.queries) < 2:
        raise QueryError(
            f"{len(rated.queries)} of the rated runs can be used, and two are the least; rate answers with: "
            "scholarmind runs rate ID good"
        )
    return list(rated.queries)


def _print(told: dict[str, Any]) -> None:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.comparing import print_models  # noqa: PLC0415
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
        print_models(models)


def _beside(changed: dict[str, Any]) -> str:
    if not changed:
        return ""
    return (
        f"{changed['mean']:+.3f} [{changed['low']:+.3f} {changed['high']:+.3f}] +{changed['helped']} -{changed['hurt']}"
    )
