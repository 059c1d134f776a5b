"""What language models cost, in words, and having one work on a whole library: what that would come to, the question back, the outcome.

A model works on a library only where `--llm` is given: adding documents and building graph and tree without it cost nothing.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from scholarmind.cli.main import echo

if TYPE_CHECKING:
    from scholarmind.answer import Answer
    from scholarmind.api import Library
    from scholarmind.calls import Budget, Estimate
    from scholarmind.events import Event, OnEvent
    from scholarmind.library.model_work import Outlook, Worked
    from scholarmind.plan import Plan


# -- estimates, and what calls came to

_Record = Mapping[str, Any]


class Costs:
    """Takes note of what a plan will cost."""

    def __init__(self) -> None:
        self.estimate: Estimate | None = None

    def __call__(self, event: "Event") -> None:
        """Look for the plan among the events."""
        self.estimate = getattr(event, "estimate", None) or self.estimate


def estimate_of(library: "Library", plan: "Plan") -> "Estimate | None":
    """Return what carrying out a plan will cost with the model of this library, if it has one."""
    from scholarmind import wiring  # noqa: PLC0415
    from scholarmind.strategies import estimates  # noqa: PLC0415

    if library.models is None:
        return None
    options = wiring.options(library.settings)
    ahead = estimates.Ahead(plan=plan, options=options, effort=options.effort, planned=True)
    return estimates.estimate_of(ahead, library.models)


def print_estimate(estimate: "Estimate | None", *, err: bool = False) -> None:
    """Print about what a plan will cost; nothing where no model is asked."""
    if estimate is not None and estimate.calls:
        echo(f"estimated: {estimated(estimate)}", err=err)


def estimated(estimate: "Estimate") -> str:
    """Return an estimate in words."""
    tokens = estimate.prompt_tokens + estimate.completion_tokens
    some = f"{estimate.levels} of them " if estimate.levels < estimate.calls else ""
    waiting = f", {some}one after another" if estimate.calls > 1 else ""
    return f"{counted(estimate.calls, 'call')}{waiting}, about {tokens:,} tokens, {money(estimate.cost, estimate.currency)}"


def money(cost: float | None, currency: str) -> str:
    """Return an amount of money; None is unknown."""
    if cost is None:
        return "price unknown"
    return f"{cost:.4f} {currency}" if 0 < cost < 1 else f"{cost:.2f} {currency}"


def counted(number: float, what: str) -> str:
    """Return a number of things."""
    return f"{number:,.0f} {what}" + "s" * (number != 1)


def paid(answer: "Answer") -> str:
    """Return what the calls of an answer came to: how many to whom, tokens, money, and how many replies were there already."""
    spent = answer.spent
    names = ", ".join(dict.fromkeys(call.model for call in answer.calls if call.model)) or "a language model"
    remembered = sum(bool(call.remembered) for call in answer.calls)
    failed = sum(bool(call.error) for call in answer.calls)
    told = [
        f"{counted(spent.get('llm_calls', 0), 'call')} to {names}",
        f"{spent.get('tokens', 0):,.0f} tokens",
        money(spent.get("cost"), answer.estimate.currency if answer.estimate else "USD"),
        *([f"{remembered} remembered"] if remembered else []),
        *([f"{failed} failed"] if failed else []),
    ]
    return ", ".join(told)


def call_lines(calls: Sequence[_Record], currency: str) -> Iterator[str]:
    """Yield a line for each call of a run: purpose, model, tokens in and out, seconds, money, and what was special about it."""
    purposes = max((len(call["purpose"]) for call in calls), default=0)
    models = max((len(call["model"]) for call in calls), default=0)
    for call in calls:
        tokens = call_tokens(call)
        cost = "" if call["remembered"] else money(call["cost"], currency)
        error = f"failed: {' '.join(call['error'].split())}" if call["error"] else ""
        seconds = f"{call['seconds']:,.2f} s"
        line = (
            f"{call['purpose']:<{purposes}}  {call['model']:<{models}}  {tokens:>22}  {seconds:>8}  {cost:<13}  {error}"
        )
        yield line.rstrip()


def call_tokens(call: _Record) -> str:
    """Return the tokens of a call, in and out, or where its reply was remembered."""
    if call["remembered"]:
        return f"from the {call['remembered']}"
    usage = call["usage"]
    return f"{'about ' * usage['estimated']}{usage['prompt']:,} + {usage['completion']:,} tokens"


# -- work on a whole library

_F = TypeVar("_F", bound=Callable[..., Any])
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


def modelled_options(function: _F) -> _F:
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
        echo(f"{several(outlook.things, things)} for the model; {_foreseen(outlook)}", err=True)
    if not modelled["yes"]:
        if as_json:
            return None
        click.confirm("ask the model?", abort=True, err=True)
    with progress(quiet=as_json) as on_event:
        worked = work(on_event)
    if not as_json:
        _print_worked(worked, things)
    return worked


def _foreseen(outlook: "Outlook") -> str:
    """Return in words what work would come to."""

    estimate = outlook.estimate
    tokens = estimate.prompt_tokens + estimate.completion_tokens
    cost = money(estimate.cost, estimate.currency)
    return f"at most about {counted(estimate.calls, 'call')}, {tokens:,} tokens, {cost}, {_duration_words(outlook.seconds)}"


def _print_worked(worked: "Worked", things: str) -> None:
    """Print what work came to."""
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


def _duration_words(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
