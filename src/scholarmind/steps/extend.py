"""What an answer lacks becomes new parts: which, what they ask, and what they add to the parts that lacked it."""

from collections.abc import Sequence
from dataclasses import replace

from scholarmind.answer import Answer, Finding
from scholarmind.plan import Plan, SubQuestion
from scholarmind.ranking import key_of, merged
from scholarmind.text.analysis import terms
from scholarmind.text.language import lazy_regex

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
