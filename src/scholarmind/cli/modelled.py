"""Having a language model work on a whole library: its options, what it would come to, the question whether to, and what it came to.

A model is asked only where `--llm` is given: adding documents and building without it cost nothing.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from scholarmind.cli.main import echo

if TYPE_CHECKING:
    from scholarmind.calls import Budget
    from scholarmind.events import OnEvent
    from scholarmind.library.model_work import Outlook, Worked

F = TypeVar("F", bound=Callable[..., Any])
_CONFIGURED = "as configured"
_OPTIONS = (
    click.option(
        "--llm",
        is_flag=False,
        flag_value=_CONFIGURED,
        metavar="[MODEL]",
        help="Have a language model make it better: that of the settings, or this one. Tells before what it would cost.",
    ),
    click.option(
        "--max-calls", type=click.IntRange(1), help="Calls to the model; the same command goes on after them."
    ),
    click.option("--max-tokens", type=click.IntRange(1), help="Tokens, in and out."),
    click.option("--max-cost", type=click.FloatRange(0, min_open=True), help="Money, by the prices known."),
    click.option("--yes", is_flag=True, help="Do not ask back before the model is asked."),
)


def modelled_options(function: F) -> F:
    """Add the options; the command is given them as `modelled`: what `settings_of`, `budget_of` and `carried_out` take."""

    @functools.wraps(function)
    def packed(**given: Any) -> Any:
        modelled = {name: given.pop(name) for name in ("llm", "max_calls", "max_tokens", "max_cost", "yes")}
        if modelled["llm"] in {None, "none"} and any(modelled[name] for name in modelled if name != "llm"):
            raise click.UsageError("--max-calls, --max-tokens, --max-cost and --yes are for --llm")
        return function(modelled=modelled, **given)

    command: Any = packed
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def is_wanted(modelled: dict[str, Any]) -> bool:
    """Tell whether a model is to be asked at all."""
    return modelled["llm"] not in {None, "none"}


def settings_of(modelled: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that a library is opened with."""
    llm = modelled["llm"]
    return {"llm": None if llm == _CONFIGURED else llm, "effort": "auto"} if is_wanted(modelled) else {}


def budget_of(modelled: dict[str, Any]) -> "Budget":
    """Return how much may be spent on all of the work."""
    from scholarmind.calls import Budget  # noqa: PLC0415

    return Budget(calls=modelled["max_calls"], tokens=modelled["max_tokens"], cost=modelled["max_cost"])


def carried_out(
    outlook: "Outlook", work: "Callable[[OnEvent], Worked]", modelled: dict[str, Any], things: str, *, as_json: bool
) -> "Worked | None":
    """Tell what the work would come to, and do it if that is wanted; with --json only --yes says so."""
    from scholarmind.cli.output import progress  # noqa: PLC0415

    if not outlook.things:
        if not as_json:
            echo(f"the model has done all of its work: no {things} are left for it")
        return None
    if not as_json:
        echo(f"{several(outlook.things, things)} for the model; {foreseen(outlook)}", err=True)
    if not modelled["yes"]:
        if as_json:
            return None
        click.confirm("ask the model?", abort=True, err=True)
    with progress(quiet=as_json) as on_event:
        worked = work(on_event)
    if not as_json:
        print_worked(worked, things)
    return worked


def foreseen(outlook: "Outlook") -> str:
    """Return in words what work would come to."""
    from scholarmind.cli.costs import counted, money  # noqa: PLC0415

    estimate = outlook.estimate
    tokens = estimate.prompt_tokens + estimate.completion_tokens
    cost = money(estimate.cost, estimate.currency)
    return f"at most about {counted(estimate.calls, 'call')}, {tokens:,} tokens, {cost}, {_time(outlook.seconds)}"


def print_worked(worked: "Worked", things: str) -> None:
    """Print what work came to."""
    from scholarmind.cli.costs import counted, money  # noqa: PLC0415
    from scholarmind.cli.output import safe  # noqa: PLC0415

    spent = worked.spent
    told = [
        f"{several(worked.done, things)} by the model",
        *([f"{worked.kept:,} {'stays as it was' if worked.kept == 1 else 'stay as they were'}"] if worked.kept else []),
        counted(spent.get("llm_calls", 0), "call"),
        counted(spent.get("tokens", 0), "token"),
        money(spent.get("cost"), worked.currency),
        *([f"{worked.remembered:,} remembered"] if worked.remembered else []),
    ]
    echo(", ".join(told))
    for note in worked.notes:
        echo(safe(f"note: {note}"))
    if worked.left:
        why = f"stopped: {worked.stopped}; " if worked.stopped else ""
        echo(safe(f"{why}{several(worked.left, things)} left; the same command goes on"))


def modelled_record(outlook: "Outlook | None", worked: "Worked | None") -> dict[str, Any]:
    """Return both as JSON."""
    from dataclasses import asdict  # noqa: PLC0415

    return {"outlook": outlook and asdict(outlook), "worked": worked and asdict(worked)}


def several(number: int, things: str) -> str:
    """Return a number of things, whose word is given in the plural."""
    one = f"{things.removesuffix('ies')}y" if things.endswith("ies") else things.removesuffix("s")
    return f"{number:,} {one if number == 1 else things}"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
