"""Rounds of repair: which weak parts are taken up again, what an answer lacks as new parts, and what the rounds come to together."""

from collections.abc import Sequence
from dataclasses import replace
from graphlib import TopologicalSorter

from scholarmind.answer import Answer, Finding
from scholarmind.plan import Plan, SubQuestion
from scholarmind.ranking import key_of, merged
from scholarmind.text.analysis import terms
from scholarmind.text.language import lazy_regex

# -- weak parts once more

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


# -- new parts for what is missing

_ASKS = lazy_regex(r"\S[?？]\s*$")
_TRIED = 10  # of the passages that a part is judged by; if all of them are known, nothing new was found
_FIRST = 5  # passages of the new part that come before those that its row had


def extended(answer: Answer, most: int) -> tuple[Plan, tuple[int, ...]]:
    """Return the plan with a part for what is missing in each row, and the numbers of these parts; at most so many."""
    plan = answer.plan
    asked = {frozenset(terms(part.text)) for part in plan.parts}
    number = max(part.id for part in plan.parts)
    added: list[SubQuestion] = []
    for row in answer.review.rows:
        part = plan.part(row.part)
        if row.id not in answer.missing or part.role != "find" or part.extends or len(added) >= most:
            continue
        text = _question(row.text, answer.missing[row.id])
        if frozenset(terms(text)) in asked:
            continue
        asked.add(frozenset(terms(text)))
        number += 1
        added.append(SubQuestion(id=number, text=text, kind=part.kind, extends=part.id))
    return replace(plan, parts=(*plan.parts, *added)), tuple(part.id for part in added)


def put_together(findings: Sequence[Finding], added: Sequence[int]) -> tuple[list[Finding], bool]:
    """Give each part what the part that extends it found, and tell whether any of that is new to it."""
    extensions = [finding for finding in findings if finding.part.id in added and not finding.error]
    news = False
    together: list[Finding] = []
    for finding in findings:
        known = {key_of(item) for item in finding.evidence[:_TRIED]}
        more = [
            item.rated(item.scores.fused, item.found_by | {_row_of(finding, extension)})
            for extension in extensions
            if extension.part.extends == finding.part.id
            for item in extension.evidence[:_FIRST]
        ]
        news = news or any(key_of(item) not in known for item in more)
        evidence = tuple(merged((more, finding.evidence)).values())
        together.append(replace(finding, evidence=evidence) if more else finding)
    return together, news


def _row_of(finding: Finding, extension: Finding) -> str:
    """Return the row of a finding that an extension was made for: it has the words of that row, or of what was missing in it."""
    asked = set(terms(extension.question))
    texts = finding.rows or tuple(ask.text for ask in finding.part.rows)
    shared = [len(asked & set(terms(text))) for text in texts]
    return finding.part.row_ids[shared.index(max(shared))]


def says_more(new: Answer, old: Answer) -> bool:
    """Tell whether an answer that was written anew says as much for sure as the one before: nothing must be lost."""
    return bool(new.written_by) and _confirmed(new) >= _confirmed(old)


def _confirmed(answer: Answer) -> int:
    return len({claim.row for claim in answer.claims if claim.status != "unsupported"})


def _question(row: str, missing: str) -> str:
    """Return what to look for: the question that the model says would find it, else what it misses with the row that it belongs to."""
    return missing if _ASKS.search(missing) else f"{row.rstrip(' ?？')} ({missing})"
