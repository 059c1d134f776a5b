"""Say for every row of the plan whether it was answered, and of the whole how complete it is.

A row that is looked up is judged by its evidence; one that compares or concludes by the parts that it is made of. Of the whole answer:

not in the library   nothing of what was asked was found
incomplete           something of it was not found, or a part failed
conflicting          all of it was found, and sources contradict each other
with caveats         all of it was found, some of it only in part; or a sentence could not be confirmed
complete             every row was answered
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from graphlib import TopologicalSorter
from statistics import fmean
from typing import Literal, Protocol

from scholarmind.answer import Finding, Review, Row, Status, Verdict
from scholarmind.plan import Plan, SubQuestion

_HAN = range(0x3400, 0xA000)
_NOT_FOUND: frozenset[Status] = frozenset(("not in the library", "failed"))
_CHINESE: dict[Status, str] = {
    "partial": "只有部分答案",
    "conflicting": "来源互相矛盾",
    "not in the library": "资料库中没有",
    "failed": "失败",
}


class RowConfidence(Protocol):
    """How sure we are that the evidence of a row answers it, what that means, and what is missing, in words."""

    @property
    def confidence(self) -> float: ...
    @property
    def status(self) -> Literal["answered", "partial", "not in the library"]: ...
    @property
    def missing(self) -> str: ...


def review(
    plan: Plan,
    findings: Sequence[Finding],
    support: Mapping[str, RowConfidence],
    conflicts: Mapping[str, str] | None = None,
    *,
    unconfirmed: bool = False,
) -> Review:
    """Judge every row. `support` and `conflicts` are by row id, the latter saying what contradicts what; a row without support has none.

    With `unconfirmed`, some sentence of the answer could not be confirmed.
    """
    reviewing = _Reviewing(plan, findings, support, conflicts or {})
    rows = tuple(row for part in plan.parts for row in reviewing.rows[part.id])
    asked = [row for row in rows if not plan.part(row.part).extends]  # what was added counts where it was lacking
    looked_up = [row for row in asked if plan.part(row.part).role == "find"] or asked
    confidence = fmean(row.confidence for row in looked_up)
    return Review(rows=rows, verdict=_verdict(asked, looked_up, unconfirmed), confidence=round(confidence, 4))


def _verdict(rows: Sequence[Row], looked_up: Sequence[Row], unconfirmed: bool) -> Verdict:
    statuses = {row.status for row in looked_up}
    if statuses <= _NOT_FOUND:
        return "not in the library" if "not in the library" in statuses else "incomplete"
    if statuses & _NOT_FOUND or any(row.status == "failed" for row in rows):
        return "incomplete"
    if any(row.status == "conflicting" for row in rows):
        return "conflicting"
    return "with caveats" if unconfirmed or any(row.status == "partial" for row in rows) else "complete"


class _Reviewing:
    """The rows of each part, made in an order in which every part comes after those that it depends on."""

    def __init__(
        self,
        plan: Plan,
        findings: Sequence[Finding],
        support: Mapping[str, RowConfidence],
        conflicts: Mapping[str, str],
    ) -> None:
        self._findings = {finding.part.id: finding for finding in findings}
        self._support = support
        self._conflicts = conflicts
        self._chinese = any(ord(character) in _HAN for character in plan.question)
        self.rows: dict[int, tuple[Row, ...]] = {}
        order = TopologicalSorter({part.id: part.depends_on for part in plan.parts}).static_order()
        for part in map(plan.part, order):
            make = self._looked_up if part.role == "find" else self._put_together
            self.rows[part.id] = tuple(self._in_full(make(part, place), place) for place in range(len(part.rows)))

    def _in_full(self, row: Row, place: int) -> Row:
        """Say what was really asked: with the answers of earlier parts filled in."""
        finding = self._findings.get(row.part)
        return replace(row, text=finding.rows[place]) if finding and place < len(finding.rows) else row

    def _looked_up(self, part: SubQuestion, place: int) -> Row:
        finding, label = self._findings.get(part.id), part.row_ids[place]
        judged = self._support.get(label)
        if finding is None or finding.error or judged is None:
            return self._without(part, place)
        status, missing, confidence = _status(judged, self._conflicts.get(label, "")), judged.missing, judged.confidence
        missing = self._conflicts[label] if status == "conflicting" else missing
        if waited := [row for number in part.bridges for row in self.rows[number] if row.status != "answered"]:
            status = "partial" if status == "answered" else status
            missing = "; ".join(filter(None, (missing, self._told(waited))))
            confidence = min(confidence, *(row.confidence for row in waited))
        return _row(part, place, status, confidence=confidence, missing=missing, evidence=_count(finding, label))

    def _without(self, part: SubQuestion, place: int) -> Row:
        """Return the row of a part that failed, or that nothing is known of."""
        finding = self._findings.get(part.id)
        if finding is None or finding.error:
            said = finding.error if finding else ("没有结果" if self._chinese else "nothing came back")
            return _row(part, place, "failed", missing=said)
        said = "没有找到任何段落" if self._chinese else "no passage was found"
        return _row(part, place, "not in the library", missing=said, evidence=_count(finding, part.row_ids[place]))

    def _put_together(self, part: SubQuestion, place: int) -> Row:
        """Return the row of a comparison or conclusion: it is as good as what it is made of."""
        finding, label = self._findings.get(part.id), part.row_ids[place]
        made_of = [row for number in part.depends_on for row in self.rows[number]]
        if finding is None or finding.error or not made_of:
            return self._without(part, place) if label not in self._support else self._looked_up(part, place)
        status = _together([row.status for row in made_of])
        missing = self._told([row for row in made_of if row.status != "answered"])
        if label in self._conflicts and status not in _NOT_FOUND:
            status, missing = "conflicting", "; ".join(filter(None, (self._conflicts[label], missing)))
        confidence = 0.0 if status == "failed" else min(row.confidence for row in made_of)
        evidence = sum(row.evidence for row in made_of)
        return _row(part, place, status, confidence=confidence, missing=missing, evidence=evidence)

    def _told(self, rows: Iterable[Row]) -> str:
        """Name the rows that something is wrong with: "2: not in the library"."""
        return "; ".join(f"{row.id}: {_CHINESE[row.status] if self._chinese else row.status}" for row in rows)


def _status(judged: RowConfidence, conflict: str) -> Status:
    return "conflicting" if conflict and judged.status != "not in the library" else judged.status


def _together(statuses: Sequence[Status]) -> Status:
    if set(statuses) <= _NOT_FOUND:
        return "not in the library" if "not in the library" in statuses else "failed"
    if "conflicting" in statuses:
        return "conflicting"
    return "answered" if set(statuses) == {"answered"} else "partial"


def _count(finding: Finding, label: str) -> int:
    """Return how many passages were found for this row; without labels, for its part."""
    if len(finding.part.rows) == 1:
        return len(finding.evidence)
    return sum(label in item.found_by for item in finding.evidence)


def _row(
    part: SubQuestion, place: int, status: Status, *, confidence: float = 0.0, missing: str = "", evidence: int = 0
) -> Row:
    return Row(
        id=part.row_ids[place],
        part=part.id,
        text=part.rows[place].text,
        status=status,
        confidence=round(confidence, 4),
        missing="" if status == "answered" else missing,
        evidence=evidence,
    )
