"""Options that several commands share: which model may be asked and how much of it, which strategy, and what is searched within.

What a command is given are settings and filters, ready to be used. The options of one command stand with it.
"""

import functools
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

import click

from scholarmind.errors import QueryError
from scholarmind.filters import AnyOf, Compare, Filter, both
from scholarmind.strategies import strategy_names

# -- filters: collections, and fields of documents

_FIELDS = ("author", "title", "source", "language", "kind")


def within_collections(collections: Sequence[str]) -> Filter | None:
    """Return what lets only these collections pass; None if none is named."""
    wanted = tuple(Compare("collection", "=", name) for name in collections)
    return AnyOf(wanted) if len(wanted) > 1 else both(*wanted)


def with_fields(fields: Mapping[str, str | None]) -> Filter | None:
    """Return what lets only documents with these fields pass; None if none is given."""
    compares = [
        Compare(name, "~" if name == "title" else "=", value)
        for name in _FIELDS
        if (value := fields.get(name)) is not None
    ]
    return both(*compares, _years(fields.get("year")))


def _years(text: str | None) -> Filter | None:
    if text is None:
        return None
    match = re.fullmatch(r"(\d{1,4})?(?:(\.\.)(\d{1,4})?)?", text.strip())
    if match is None or not (match[1] or match[3]):
        raise QueryError(f"--year {text!r} is not understood; write 2019, 2019..2023, 2019.. or ..2023")
    if not match[2]:
        return Compare("year", "=", int(match[1]))
    ends = (
        Compare("year", ">=", int(match[1])) if match[1] else None,
        Compare("year", "<=", int(match[3])) if match[3] else None,
    )
    return both(*ends)


# -- language models, strategies and settings

_F = TypeVar("_F", bound=Callable[..., Any])
_EFFORTS = ["keyless", "fast", "standard", "deep"]
_SETTINGS = {  # by option
    "--strategy": "strategy",
    "--llm": "llm",
    "--effort": "effort",
    "--max-calls": "max_calls",
    "--max-tokens": "max_tokens",
    "--max-cost": "max_cost",
    "--max-seconds": "run_seconds",
    "--form": "form",
    "--length": "length",
}

_BY_NAME = {**_SETTINGS, "--no-cache": "cache", "--library-only": "library_only"}
_STRATEGY_OPTIONS = (
    click.option(
        "--strategy",
        type=click.Choice(strategy_names()),
        help="How a question is worked on.  [default: plan]",
    ),
    click.option(
        "--set",
        "also_set",
        multiple=True,
        metavar="NAME=VALUE",
        help="Any other setting, such as places=8 or scored.top_n=5; can be repeated.",
    ),
)

_OPTIONS = (
    *_STRATEGY_OPTIONS,
    click.option(
        "--llm",
        metavar="MODEL",
        help="A language model, such as ollama/qwen3, openai/gpt-5-mini or http://localhost:8000/v1#name; `none` asks nobody.",
    ),
    click.option(
        "--effort",
        type=click.Choice(_EFFORTS),
        help="What may be spent.  [default: standard with a model, else keyless]",
    ),
    click.option("--max-calls", type=click.IntRange(1), help="Calls to models, for one question."),
    click.option("--max-tokens", type=click.IntRange(1), help="Tokens, in and out, for one question."),
    click.option(
        "--max-cost", type=click.FloatRange(0, min_open=True), help="Money for one question, by the prices known."
    ),
    click.option("--max-seconds", type=click.FloatRange(0.01), help="Seconds for one question.  [default: 120]"),
    click.option("--no-cache", is_flag=True, help="Search, plan and ask anew also what was asked before."),
)


def model_options(function: _F) -> _F:
    """Add the options; the command is given them as `chosen`, the settings that they stand for."""

    @functools.wraps(function)
    def packed(**given: Any) -> Any:
        chosen = _strategy_of(given)
        own = {name: given.pop(name) for name in ("llm", "effort", "max_calls", "max_tokens", "max_cost")}
        own |= {"run_seconds": given.pop("max_seconds"), "cache": "none" if given.pop("no_cache") else None}
        chosen = with_options(chosen, own)
        if chosen["llm"] == "none" and chosen["effort"] is None:
            chosen["effort"] = "keyless"  # whatever effort is set elsewhere: there is nobody to spend it on
        return function(chosen=chosen, **given)

    command: Any = packed
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _strategy_of(given: dict[str, Any]) -> dict[str, Any]:
    """Take the strategy, and whatever else was set by name, out of what a command was given."""
    from scholarmind.setting_values import joined  # noqa: PLC0415
    from scholarmind.settings import named  # noqa: PLC0415

    chosen: dict[str, Any] = {}
    for text in given.pop("also_set"):
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter(f"{text!r} is not NAME=VALUE, such as scored.top_n=5", param_hint="--set")
        if name.strip() == "library":
            raise click.BadParameter("which library it is says --library", param_hint="--set")
        chosen = joined(chosen, named(name.strip(), value.strip()))
    strategy = given.pop("strategy")
    return chosen if strategy is None else with_options(chosen, {"strategy": strategy})


def with_options(chosen: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was set by name with what options of their own say; None stands for an option that was not given."""
    for name, value in own.items():
        if value is not None and str(chosen.get(name, value)) != str(value):
            option = next((option for option, known in _BY_NAME.items() if known == name), "an option")
            raise click.BadParameter(f"{name}={chosen[name]} says other than {option}", param_hint="--set")
    return {**chosen, **{name: value for name, value in own.items() if value is not None or name not in chosen}}


def resume_command(run: str, chosen: Mapping[str, Any], library: str | None) -> str:
    """Return the command that goes on with a run in the same library, with the same model and limits."""
    words = ["scholarmind", "ask", "--run", run]
    for option, name in _SETTINGS.items():
        if chosen.get(name) is not None:
            words += [option, str(chosen[name])]
    words += [word for name, value in _set_by_name(chosen) for word in ("--set", f"{name}={value}")]
    if chosen.get("cache") == "none":
        words.append("--no-cache")
    if chosen.get("library_only"):
        words.append("--library-only")
    return shlex.join([*words, "--library", library] if library else words)


def _set_by_name(chosen: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what was set by name."""
    named = {*_SETTINGS.values(), "library_only"}
    for name, value in chosen.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", one) for inner, one in cast("dict[str, Any]", value).items())
        elif name not in named and value is not None and (name, value) != ("cache", "none"):
            yield name, value
