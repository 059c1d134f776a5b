"""What those who watch are shown of the passages, as they come: those of each part, and all of them in one order."""

from collections.abc import Sequence

from scholarmind.answer import Finding
from scholarmind.events import OnEvent, PartEvidence, Ranked, Shown
from scholarmind.model import Evidence
from scholarmind.ranking import Key, key_of

_MOST = 5  # passages of a part
_MOST_RANKED = 10
_CHARACTERS = 200
_TITLES = 5


def shown(item: Evidence, characters: int = _CHARACTERS) -> Shown:
    """Return what is told of a passage: the beginning of its text, and where it is from."""
    passage, document = item.passage, item.document
    return Shown(
        document=document.id,
        collection=document.collection,
        position=passage.position,
        title=document.title,
        score=round(item.scores.fused, 4),
        page=passage.page,
        text=" ".join(passage.text[:characters].split()),
        found_by=tuple(sorted(item.found_by)),
    )


def titles(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """Return the titles of the first few documents."""
    return tuple(dict.fromkeys(item.document.title or item.document.id for item in evidence))[:_TITLES]


def told(finding: Finding, *, remembered: bool = False, seconds: float = 0.0) -> PartEvidence:
    """Return what was found for a part as an event."""
    return PartEvidence(
        part=finding.part.id,
        question=finding.question,
        passages=len(finding.evidence),
        documents=titles(finding.evidence),
        best=tuple(map(shown, finding.evidence[:_MOST])),
        remembered=remembered,
        seconds=seconds,
    )


class Standing:
    """The one order of all passages so far; whoever watches is told of every change, and whether one that was shown has moved."""

    def __init__(self, report: OnEvent) -> None:
        self._report = report
        self._order: list[Key] = []

    def take(self, evidence: Sequence[Evidence], reason: str) -> None:
        """Put this order in the place of the one before."""
        best = evidence[:_MOST_RANKED]
        order = [key_of(item) for item in best]
        if order == self._order:
            return
        before = [key for key in self._order if key in order]
        after = [key for key in order if key in self._order]
        moved = before != after or len(before) < len(self._order)
        self._order = order
        self._report(Ranked(best=tuple(shown(item, 0) for item in best), moved=moved, reason=reason))
