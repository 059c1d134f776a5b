"""Another round for weak parts: which parts it takes, and what the two rounds come to together."""

from collections.abc import Sequence
from dataclasses import replace
from graphlib import TopologicalSorter

from scholarmind.answer import Finding
from scholarmind.plan import Plan
from scholarmind.ranking import merged

_KEPT_FIRST = 5  # passages of the first round that stay before those of the next
_CANDIDATES = 3


def taken_up_again(plan: Plan, findings: Sequence[Finding], weak: Sequence[int]) -> frozenset[int]:
    """Return the weak parts, those that went on without a failed one of them, and what puts any of these together."""
    again = set(weak)
    renewed = {finding.part.id for finding in findings if finding.error} & again
    for number in TopologicalSorter({part.id: part.depends_on for part in plan.parts}).static_order():
        part = plan.part(number)
        if renewed & set(part.depends_on):
            renewed.add(number)
            again.add(number)
        elif part.role != "find" and again & set(part.depends_on):
            again.add(number)
    return frozenset(again)


def together(first: Sequence[Finding], second: Sequence[Finding]) -> list[Finding]:
    """Return one finding for each part: what the first round found, and what the second found beyond it."""
    failed = {finding.part.id for finding in second if finding.error}
    return [_better(old, new, failed) for old, new in zip(first, second, strict=True)]


def _better(old: Finding, new: Finding, failed: set[int]) -> Finding:
    if new is old:
        return old
    if new.part.role != "find":
        return new
    if not new.error and new.part.row_ids != old.part.row_ids:  # what it is for each of is known only now
        return new
    notes = (*(note for note in old.notes if not _is_out_of_date(note, new, failed)), *new.notes)
    if new.error:
        told = () if old.error else (f"searching further for part {old.part.id} failed: {new.error}",)
        return replace(old, notes=tuple(dict.fromkeys((*notes, *told))))
    counted = bool(new.tallies) and not old.tallies
    # what was made up gives way to what was read, and that to what was counted
    surer = (new, old) if counted or (old.lacks and not new.lacks) else (old, new)
    candidates = tuple(dict.fromkeys(answer for one in surer for answer in one.candidates))[:_CANDIDATES]
    return replace(
        new,
        evidence=tuple(merged((old.evidence[:_KEPT_FIRST], new.evidence, old.evidence)).values()),
        candidates=candidates,
        answer=candidates[0] if candidates else "",
        items=surer[0].items or surer[1].items,
        lacks=surer[0].lacks,
        tallies=new.tallies or old.tallies,
        notes=tuple(dict.fromkeys(notes)),
    )


def _is_out_of_date(note: str, new: Finding, failed: set[int]) -> bool:
    """Tell whether a note says that a part failed which has succeeded since."""
    return any(note.startswith(f"part {number} failed (") for number in new.part.depends_on if number not in failed)
