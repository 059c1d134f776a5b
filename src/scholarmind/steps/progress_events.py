"""What those who watch a run are told while it goes on: passages as they come, the text as it is written, and notes, each once."""

import re
import time
from collections.abc import Callable, Iterable, Sequence

from scholarmind.answer import Finding
from scholarmind.events import AnswerPiece, OnEvent, PartEvidence, Ranked, Shown
from scholarmind.model import Evidence
from scholarmind.ranking import Key, key_of

# -- notes: what was done in another way than asked

_SHARE = re.compile(r"\d+(?=%)")


class Notes:
    """Remembers notes in their order; two that differ in a share only tell the same."""

    def __init__(self) -> None:
        self._notes: dict[str, str] = {}

    def take(self, notes: Iterable[str]) -> None:
        """Remember what is new among these."""
        for note in notes:
            self._notes.setdefault(_SHARE.sub("", note), note)

    @property
    def all(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(self._notes.values())


# -- the text, a few words at a time

_CHARACTERS = 40
_SECONDS = 0.05  # between two reports, at least: twenty a second are as smooth as anybody reads


class DraftPieces:
    """Puts pieces together. The first of a draft is reported at once, what comes last by `flush`.

    A text that is written `anew` begins with a draft of the next number: no draft of a run has that of another.
    """

    def __init__(self, report: OnEvent, clock: Callable[[], float] = time.monotonic) -> None:
        self._report = report
        self._clock = clock
        self._reported = 0.0
        self._before = 0  # drafts of the texts before this one
        self._draft = 0
        self._waiting = ""

    def anew(self) -> None:
        """Go on to another text."""
        self._before = self._draft

    def take(self, text: str, draft: int) -> None:
        """Take the next piece of a draft."""
        draft += self._before
        first = draft != self._draft
        if first:
            self.flush()
            self._draft = draft
        self._waiting += text
        if first or (len(self._waiting) >= _CHARACTERS and self._clock() >= self._reported + _SECONDS):
            self.flush()

    def append(self, text: str) -> None:
        """Go on with the draft that was written last, and report it."""
        self._waiting += text
        self.flush()

    def flush(self) -> None:
        """Report what is waiting."""
        if self._waiting:
            self._report(AnswerPiece(text=self._waiting, draft=self._draft))
            self._reported = self._clock()
        self._waiting = ""


# -- passages: those of each part, and all of them in one order

_MOST = 5  # passages of a part
_MOST_RANKED = 10
_SHOWN_CHARACTERS = 200
_TITLES = 5


def shown(item: Evidence, characters: int = _SHOWN_CHARACTERS) -> Shown:
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


def passages_found_event(finding: Finding, *, remembered: bool = False, seconds: float = 0.0) -> PartEvidence:
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


class PassageRanking:
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
