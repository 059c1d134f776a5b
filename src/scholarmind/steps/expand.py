"""Carry a part out for every item of a list: `What is the size of #1?` gets a row for each dataset that part 1 found.

A part that says so (`each`) always is. A plain `#N` is too where the answer of part N turns out to be a list: with one row for all of
them nobody could see which item nothing was found for. It is not where the part asks about the list as a whole ("which of #1", "in
total"), and not where others wait for it, whose searches would change with it.
"""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from scholarmind.answer import Finding
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.steps.journal import Investigate
from scholarmind.text.analysis import each_once, items_of, normal

_NAMED_IN_NOTE = 20
_LONGEST_ITEM = 200  # characters; what is longer is a sentence
_NUMBERED = re.compile(r"#(?=\d)")  # in an item it must not be taken for the answer of a part
_OF_THE_WHOLE = re.compile(
    r"\b(?:which|who|one|any|none|some|most|many|all|both|number) of\b|\b(?:among|amongst|between|together|total|combined|altogether"
    r"|overall|average|common|compare\w*|differ\w*|most|least|first|last|\w{2,}est)\b"
    r"|其中|之[中间]|当中|哪[一个些种]|[总一]共|合计|共同|平均|区别|差异|不同|比较|最",
    re.IGNORECASE,
)


def for_each(investigate: Investigate, plan: Plan, most: int) -> Investigate:
    """Return `investigate` so that it is given a part with a row for each item, at most so many."""
    waited_for = frozenset(number for part in plan.parts for number in part.bridges)

    async def each(part: SubQuestion, given: Mapping[int, Finding]) -> Finding:
        return await investigate(fanned_out(part, given, most, waited_for), given)

    return each


def fanned_out(
    part: SubQuestion, given: Mapping[int, Finding], most: int, waited_for: Set[int] = frozenset()
) -> SubQuestion:
    """Return the part with a row for each item of the list that it is for; without such a list, or once it has its rows, as it is."""
    if part.role != "find":
        return part
    number = part.each or (0 if part.id in waited_for else _list_meant(part, given))
    source = given.get(number)
    items = () if source is None or not _is_open(part, number) else _items(source)
    if not items:
        return part
    rows = [row for ask in part.rows for row in _rows(part, ask, number, items[:most])]
    return replace(part, each=number, asks=tuple(rows))


def expanded(plan: Plan, findings: Sequence[Finding], most: int) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan with the rows that its parts were carried out for, and what to say of items that have none."""
    found = {finding.part.id: finding for finding in findings}
    parts = tuple(_as_carried_out(part, found, most) for part in plan.parts)
    notes = tuple(note for part in parts if (note := _left_out(part, found)))
    return (plan if parts == plan.parts else replace(plan, parts=parts)), notes


def _as_carried_out(part: SubQuestion, found: Mapping[int, Finding], most: int) -> SubQuestion:
    own = found.get(part.id)
    if own is None:
        return part
    if own.error and part.each:  # it failed for each of the items
        return fanned_out(part, found, most)
    return replace(part, each=own.part.each, asks=own.part.asks) if own.part.each else part


def _left_out(part: SubQuestion, found: Mapping[int, Finding]) -> str:
    source = found.get(part.each)
    if not part.each or part.role != "find" or source is None or source.error:
        return ""
    if _is_open(part, part.each):
        return f"part {part.each} gave no list: part {part.id} was carried out once, for its answer"
    rows = {normal(ask.entity) for ask in part.asks}
    items = _items(source)
    left = [item for item in items if normal(item) not in rows]
    if not left:
        return ""
    named = ", ".join(left[:_NAMED_IN_NOTE]) + (f" and {more} more" if (more := len(left) - _NAMED_IN_NOTE) > 0 else "")
    return f"part {part.id} was carried out for {len(items) - len(left)} of {len(items)} items of part {part.each}, not for {named}"


def _items(source: Finding) -> tuple[str, ...]:
    """Return the items that a part found, or that its answer consists of."""
    if source.items:
        return tuple(item for item in each_once(source.items) if len(item) <= _LONGEST_ITEM)
    items = items_of(source.answer)
    return items if len(items) > 1 and max(map(len, items)) <= _LONGEST_ITEM else ()


def _rows(part: SubQuestion, ask: Ask, number: int, items: Sequence[str]) -> list[Ask]:
    if not _names(part, ask.text, number):
        return [ask]
    return [
        replace(ask, text=part.resolve({number: _NUMBERED.sub("# ", item)}, ask.text), entity=item) for item in items
    ]


def _is_open(part: SubQuestion, number: int) -> bool:
    """Tell whether a part still waits for its items: one of its rows names the list as a whole."""
    return any(_names(part, ask.text, number) for ask in part.rows)


def _names(part: SubQuestion, text: str, number: int) -> bool:
    return number in part.depends_on and part.resolve({number: ""}, text) != text


def _list_meant(part: SubQuestion, given: Mapping[int, Finding]) -> int:
    """Return the number of the one part whose answer a plain part names, if that answer is a list and each item can be meant; else 0."""
    if len(part.bridges) != 1 or len(part.rows) > 1 or _OF_THE_WHOLE.search(part.text):
        return 0
    source = given.get(part.bridges[0])
    if source is None or len(source.items) < 2:
        return 0
    answer = normal(source.answer)
    return part.bridges[0] if all(normal(item) in answer for item in source.items) else 0
