"""What a server was asked, and when: from it, how many calls waited for one another and how many ran at once."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from scholarmind.testing.chat import Call, Rung


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """One call. `end` is None while it is answered; times are those of `time.monotonic`."""

    number: int
    path: str
    model: str
    purpose: str
    stream: bool
    rung: Rung
    start: float
    end: float | None = None
    status: int | None = None  # None: no reply was ready before it ended
    fault: str = ""
    gone: bool = False  # the client went away before the end


class CallLog:
    """The calls of a server, in the order in which they came."""

    def __init__(self) -> None:
        self._calls: dict[int, Logged] = {}

    @property
    def calls(self) -> list[Logged]:
        """All calls until now."""
        return list(self._calls.values())

    def start(self, call: Call) -> None:
        """Note that a call came."""
        self._calls[call.number] = Logged(
            number=call.number,
            path=call.path,
            model=call.model,
            purpose=call.purpose,
            stream=call.stream,
            rung=call.rung,
            start=time.monotonic(),
        )

    def note(self, number: int, *, fault: str = "", status: int | None = None) -> None:
        """Note what it is answered with."""
        if number in self._calls:  # the log may have been cleared meanwhile
            self._calls[number] = replace(self._calls[number], fault=fault, status=status)

    def end(self, number: int, *, gone: bool) -> None:
        """Note that it is over."""
        if number in self._calls:
            self._calls[number] = replace(self._calls[number], end=time.monotonic(), gone=gone)

    def clear(self) -> None:
        """Forget all calls."""
        self._calls = {}


def levels(calls: Sequence[Logged]) -> int:
    """Return how many calls ran one after another: the longest chain of which each started after the one before had ended."""
    count, over = 0, -inf
    for call in sorted(calls, key=_end):  # who ends first leaves most room to those after
        if call.start > over:
            count, over = count + 1, _end(call)
    return count


def most_at_once(calls: Sequence[Logged]) -> int:
    """Return how many calls ran at the same time at most."""
    changes = sorted([(call.start, 1) for call in calls] + [(_end(call), -1) for call in calls])
    now = most = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def _end(call: Logged) -> float:
    return inf if call.end is None else call.end
