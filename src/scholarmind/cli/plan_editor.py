"""Change a plan at the prompt before it is carried out."""

import re
from collections.abc import Callable
from dataclasses import replace

import click

from scholarmind.cli.main import echo
from scholarmind.cli.plan_command import print_plan
from scholarmind.errors import PlanError
from scholarmind.plan import Plan, SubQuestion

HINT = "Enter carries the plan out; `help` lists how it can be changed; `q` stops."
HELP = """Enter carries it out. Or:
  + QUESTION        add a part
  N QUESTION        ask something else in part N
  - N               cut part N
  N after N,N       let part N wait for others; write #N in its text for the answer of part N
  N after nothing   let it wait for nobody
  help              show this again
  q                 stop"""

_ASKS_FOR_HELP = frozenset(("help", "h", "?", "？", "帮助"))


def edit_plan(plan: Plan, tell: Callable[[Plan], None]) -> Plan:
    """Show the plan and carry out what is typed until it is accepted; `tell` adds what there is to say of each version."""
    shown: Plan | None = None
    while True:
        if plan is not shown:
            print_plan(plan, err=True)  # the answer goes to where programs read
            tell(plan)
            echo(HINT, err=True)
            shown = plan
        line: str = click.prompt("plan", default="", show_default=False, prompt_suffix="> ", err=True).strip()
        if not line:
            return plan
        if line == "q":
            raise click.Abort
        if line.lower() in _ASKS_FOR_HELP:
            echo(HELP, err=True)
            continue
        try:
            plan = change_plan(plan, line)
        except PlanError as error:
            echo(f"not done: {error}", err=True)


def change_plan(plan: Plan, line: str) -> Plan:
    """Return the plan after one line of the notation above."""
    if match := re.fullmatch(r"\+\s*(?P<text>\S.*)", line):
        number = max(part.id for part in plan.parts) + 1
        return _with(plan, (*plan.parts, SubQuestion(id=number, text=match["text"])))
    if match := re.fullmatch(r"-\s*(?P<number>\d{1,4})", line):
        return _cut(plan, _number(plan, match["number"]))
    if match := re.fullmatch(r"(?P<number>\d{1,4})\s+after\s+(?P<others>nothing|\d{1,4}(?:\s*,\s*\d{1,4})*)", line):
        others = tuple(sorted(set(map(int, re.findall(r"\d+", match["others"])))))
        number = _number(plan, match["number"])
        return _with(plan, [replace(part, depends_on=others) if part.id == number else part for part in plan.parts])
    if match := re.fullmatch(r"(?P<number>\d{1,4})\s+(?P<text>\S.*)", line):
        number = _number(plan, match["number"])
        return _with(
            plan, [replace(part, text=match["text"], asks=()) if part.id == number else part for part in plan.parts]
        )
    raise PlanError(f"{line!r} is not understood; `help` lists what is")


def _number(plan: Plan, text: str) -> int:
    if int(text) not in {part.id for part in plan.parts}:
        raise PlanError(f"there is no part {text}")
    return int(text)


def _cut(plan: Plan, number: int) -> Plan:
    """Take a part out; who waited for it waits no more, and asks with its question in place of its answer."""
    gone = plan.part(number)
    own = tuple(part.id for part in plan.parts if part.parent == number)
    told = f"({gone.text.rstrip(' ?？')})"

    def freed(part: SubQuestion) -> SubQuestion:
        if part.id in own:
            part = replace(part, parent=gone.parent)
        if part.id == gone.parent:
            part = replace(part, depends_on=(*part.depends_on, *own))
        if number not in part.depends_on:
            return part
        text = part.resolve({number: told})
        asks = tuple(replace(ask, text=part.resolve({number: told}, ask.text)) for ask in part.asks)
        inherited = (
            gone.bridges if any(told in asked for asked in (text, *(ask.text for ask in asks))) else ()
        )  # its question may name the answers of others
        others = tuple(sorted({*part.depends_on, *inherited} - {number}))
        return replace(part, text=text, asks=asks, depends_on=others)

    return _with(plan, [freed(part) for part in plan.parts if part.id != number])


def _with(plan: Plan, parts: "tuple[SubQuestion, ...] | list[SubQuestion]") -> Plan:
    complexity = "composite" if len(parts) > 1 else "simple"
    return replace(plan, parts=tuple(map(_with_work, parts)), complexity=complexity, decided_by="user")


def _with_work(part: SubQuestion) -> SubQuestion:
    """Return the part; one that put others together and has none left looks for itself."""
    return part if part.depends_on else replace(part, role="find")
