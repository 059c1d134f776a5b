"""What a plan will come to, told before it is carried out: calls, levels, tokens and money, at most."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from scholarmind.calls import Effort, Estimate, Task, Usage
from scholarmind.llm.models import Models
from scholarmind.llm.prices import cost
from scholarmind.plan import Plan, SubQuestion

_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_OTHER = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How many passages a prompt shows, and how long prompts and replies are, in tokens; replies at most."""

    places: int = 5  # passages that the answer is written from, unless there are more rows
    plan_shown: int = 6
    part_shown: int = 8
    passage: int = 400
    prompt: int = 500  # without its passages
    plan: int = 2_000
    short: int = 300
    part: int = 700
    answer: int = 2_000
    opinion: int = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """Calls of one kind."""

    task: Task
    reply: int
    shown: int
    calls: int = 1
    told: int = 0  # tokens of other replies that the prompt holds


def tokens_of(text: str) -> int:
    """Return about how many tokens a text has, rather too many: four letters of English, one sign of Chinese, two of other scripts."""
    wide = len(_WIDE.findall(text))
    other = len(_OTHER.findall(text)) - wide
    return math.ceil((len(text) - wide - other) / 4 + wide + other / 2)


def estimate(
    plan: Plan,
    effort: Effort,
    models: Models,
    *,
    planned: bool = False,
    sizes: Sizes | None = None,
) -> Estimate:
    """Return what a plan comes to, without rounds of repair; what is `planned` needs no call for the plan any more."""
    sizes = sizes or Sizes()
    waited_for, chain = bridges(plan)
    steps = [step for step in _steps(plan, effort, len(waited_for), sizes) if step.calls]
    levels = {"keyless": 0, "fast": 1, "standard": 2 + chain, "deep": 4 + chain}[effort]
    if planned and effort in {"standard", "deep"}:
        steps, levels = steps[1:], levels - 1
    usages = [_usage(step, sizes) for step in steps]
    total = sum(usages, Usage())
    costs = [
        cost(usage, models.names.get(step.task, ""), models.prices.prices)
        for step, usage in zip(steps, usages, strict=True)
    ]
    known = [one for one in costs if one is not None]
    return Estimate(
        calls=sum(step.calls for step in steps),
        levels=levels,
        prompt_tokens=total.prompt,
        completion_tokens=total.completion,
        cost=math.fsum(known) if len(known) == len(costs) else None,
        currency=models.prices.currency,
    )


def bridges(plan: Plan) -> tuple[frozenset[int], int]:
    """Return the parts whose answers others still have to wait for as `#N`, and how many of them the longest chain holds."""
    parts = {part.id: part for part in plan.parts}
    waited_for = frozenset(number for part in plan.parts for number in part.bridges if _is_asked(parts[number]))

    @cache
    def chain(number: int) -> int:
        before = max(map(chain, parts[number].depends_on), default=0)
        return before + (number in waited_for)

    return waited_for, max(map(chain, parts))


def _is_asked(part: SubQuestion) -> bool:
    return part.role == "find" and not part.known


def _rows(plan: Plan) -> int:
    return sum(len(part.rows) for part in plan.parts if part.role == "find")


def _steps(plan: Plan, effort: Effort, waited_for: int, sizes: Sizes) -> Sequence[_Step]:
    """Return the calls of DESIGN.md's table, the one for the plan first."""
    shown = max(sizes.places, _rows(plan))
    ask = _Step(task="extraction", shown=sizes.plan_shown, reply=sizes.plan)
    short = _Step(task="extraction", shown=sizes.part_shown, reply=sizes.short, calls=waited_for)
    answer = _Step(task="generation", shown=shown, reply=sizes.answer)
    parts = sum(part.role == "find" for part in plan.parts)
    part = _Step(task="generation", shown=sizes.part_shown, reply=sizes.part, calls=parts)
    told = _Step(task="generation", shown=shown, reply=sizes.answer, told=parts * sizes.part)
    opinion = _Step(task="routing", shown=shown, reply=sizes.opinion, told=sizes.answer)
    return {
        "keyless": (),
        "fast": (answer,),
        "standard": (ask, short, answer),
        "deep": (ask, part, told, opinion),
    }[effort]


def _usage(step: _Step, sizes: Sizes) -> Usage:
    prompt = sizes.prompt + step.told + step.shown * sizes.passage
    return Usage(step.calls * prompt, step.calls * step.reply, estimated=True)
