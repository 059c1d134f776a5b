"""What is being written, a few words at a time: each report of it is written down, and nobody reads by the token."""

import time
from collections.abc import Callable

from scholarmind.events import AnswerPiece, OnEvent

_CHARACTERS = 40
_SECONDS = 0.05  # between two reports, at least: twenty a second are as smooth as anybody reads


class Pieces:
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
