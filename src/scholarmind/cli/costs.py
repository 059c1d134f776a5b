"""What calls to language models cost, before and after, in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scholarmind.cli.main import echo

if TYPE_CHECKING:
    from scholarmind.answer import Answer
    from scholarmind.api import Library
    from scholarmind.calls import Estimate
    from scholarmind.events import Event
    from scholarmind.plan import Plan

Record = Mapping[str, Any]


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


def call_lines(calls: Sequence[Record], currency: str) -> Iterator[str]:
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


def call_tokens(call: Record) -> str:
    """Return the tokens of a call, in and out, or where its reply was remembered."""
    if call["remembered"]:
        return f"from the {call['remembered']}"
    usage = call["usage"]
    return f"{'about ' * usage['estimated']}{usage['prompt']:,} + {usage['completion']:,} tokens"
