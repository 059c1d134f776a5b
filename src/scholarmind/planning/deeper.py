"""Take parts of a plan apart again: which of them, in how many, and how what they become is put in their place."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from scholarmind.plan import Plan, SubQuestion
from scholarmind.planning.gate import judge
from scholarmind.planning.planner import RulePlanner
from scholarmind.planning.tree import WHOLE_TREE

_FEWEST = 2  # parts of a part
_REFERENCE = re.compile(r"#(\d{1,4})(?![0-9A-Za-z_])")


def composite_parts(plan: Plan, cap: int) -> dict[int, int]:
    """Return the parts that ask several things by themselves, and how many parts each may have of its own.

    What waits for others, or is waited for as `#N`, stays whole, and so does what was put together to keep the cap.
    """
    waited_for = {number for part in plan.parts for number in part.bridges}
    room = WHOLE_TREE * cap - len(plan.parts)
    parents = {part.parent for part in plan.parts}
    found = [
        part.id
        for part in plan.parts
        if part.role == "find"
        and part.id not in waited_for | parents
        and not (part.depends_on or part.known or len(part.asks) > 1)
        and _is_composite(part.text)
    ]
    found = found[: max(0, room // _FEWEST)]
    return dict.fromkeys(found, min(cap, room // len(found))) if found else {}


def _is_composite(text: str) -> bool:
    """Tell whether rules are sure of several things; what is found step by step is one thing."""
    parts = finds(RulePlanner(depth=1).plan(text))
    steps = {number for part in parts for number in part.depends_on}
    return judge(text).complexity == "composite" and len({part.id for part in parts} - steps) > 1


def finds(plan: Plan) -> list[SubQuestion]:
    """Return the parts of a plan that look something up."""
    return [part for part in plan.parts if part.role == "find"]


def grafted(plan: Plan, own: Mapping[int, Plan]) -> Plan:
    """Return the plan with these plans below the parts of those numbers, each of which puts its own parts together from then on."""
    highest = max(part.id for each in (plan, *own.values()) for part in each.parts)
    parts: list[SubQuestion] = []
    for part in plan.parts:
        parts += _branch(part, own[part.id], part.id * (highest + 1)) if part.id in own else [part]
    return replace(plan, parts=_numbered(parts))


def _branch(part: SubQuestion, own: Plan, before: int) -> list[SubQuestion]:
    """Return a part with its own parts below it; their numbers come after one that no other part reaches."""
    above = _whole(own)
    numbers = {each.id: before + each.id for each in own.parts}
    inside = [
        replace(
            _moved(each, numbers),
            depends_on=tuple(numbers[other] for other in each.depends_on),
            parent=part.id,
        )
        for each in own.parts
        if each is not above
    ]
    head = replace(
        part,
        role=above.role if above else "conclude",
        kind="reasoning",
        depends_on=tuple(each.id for each in inside),
        asks=(),
    )
    return [head, *inside]


def _whole(plan: Plan) -> SubQuestion | None:
    """Return the part of a plan that puts all others together, and that none of them waits for: the taken part is that itself."""
    waited_for = {number for part in plan.parts for number in (*part.depends_on, part.parent)}
    above = [part for part in plan.parts if part.role != "find" and part.id not in waited_for]
    return above[0] if len(above) == 1 else None


def _numbered(parts: Sequence[SubQuestion]) -> tuple[SubQuestion, ...]:
    numbers = {part.id: number for number, part in enumerate(parts, 1)}
    return tuple(
        replace(
            _moved(part, numbers),
            depends_on=tuple(sorted(numbers[other] for other in part.depends_on)),
            parent=numbers.get(part.parent, 0),
        )
        for part in parts
    )


def _moved(part: SubQuestion, numbers: Mapping[int, int]) -> SubQuestion:
    """Return a part whose texts, and whose number, follow the new numbers."""

    def reference(match: re.Match[str]) -> str:
        number = int(match[1])
        return f"#{numbers[number]}" if number in part.depends_on and number in numbers else match[0]

    asks = tuple(replace(ask, text=_REFERENCE.sub(reference, ask.text)) for ask in part.asks)
    text = _REFERENCE.sub(reference, part.text)
    return replace(part, id=numbers[part.id], text=text, asks=asks, each=numbers.get(part.each, 0))
