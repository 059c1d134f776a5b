"""Where the words of a sentence stand in its sources: the sentences that hold most of them, and the stretches that are the same."""

import heapq
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from scholarmind.judge.wording import Sentence, Token, Wording

_MOST_TOKENS = 400  # of the sentence
_TOGETHER = 4  # source sentences that a sentence may be drawn from


@dataclass(frozen=True, slots=True)
class Place:
    """One sentence of one source."""

    source: int
    sentence: Sentence

    @property
    def tokens(self) -> tuple[Token, ...]:
        return self.sentence.tokens

    @property
    def classes(self) -> tuple[frozenset[str], ...]:
        return self.sentence.classes

    @property
    def forms(self) -> frozenset[str]:
        return self.sentence.forms


@dataclass(frozen=True, slots=True)
class Stretch:
    """Tokens that stand in the same order in the sentence, from `start` on, and in a place, from `at` on."""

    start: int
    at: int
    length: int
    place: int

    @property
    def end(self) -> int:
        return self.start + self.length

    @property
    def until(self) -> int:
        return self.at + self.length


def closest(wanted: Wording, every: Sequence[Place]) -> list[Place]:
    """Return the few sentences that together hold most of the wanted words, the one that holds most first."""
    left = {token.form for token in wanted.tokens if token.content}
    light = {token.form for token in wanted.tokens} - left
    held: list[tuple[Set[str], float, Place]] = [
        (place.forms & left, 0.1 * len(place.forms & light), place) for place in every
    ]
    chosen: list[Place] = []
    while held and len(chosen) < _TOGETHER:
        best = max(range(len(held)), key=lambda index: len(held[index][0]) + (0 if chosen else held[index][1]))
        if not held[best][0]:
            break
        forms, _, place = held.pop(best)
        chosen.append(place)
        held = [(rest - forms, share, other) for rest, share, other in held]
    return chosen


def stretches(wanted: Wording, given: Sequence[Place]) -> list[Stretch]:
    """Return what is the same, the longest stretches first come, in the order of the sentence; no token is taken twice."""
    tokens = wanted.tokens[:_MOST_TOKENS]
    ids: dict[str, int] = {}
    mine = [ids.setdefault(token.form, len(ids)) for token in tokens]
    theirs: list[int] = []
    starts: list[int] = []
    for place in given:
        starts.append(len(theirs))
        theirs += [ids.get(token.form, -1) for token in place.tokens] + [-2]
    taken, used = bytearray(len(mine)), bytearray(len(theirs))
    heap = [(-length, start, at) for start, at, length in _runs(mine, theirs)]
    heapq.heapify(heap)
    found: list[Stretch] = []
    while heap:
        length, start, at = heapq.heappop(heap)
        free = [not (taken[start + n] or used[at + n]) for n in range(-length)]
        if all(free):
            content = sum(tokens[start + n].content for n in range(-length))
            if content or -length > 1:
                place = sum(begin <= at for begin in starts) - 1
                found.append(Stretch(start, at - starts[place], -length, place))
                taken[start : start - length] = used[at : at - length] = b"\1" * -length
            continue
        place = 0
        for is_free, group in groupby(free):
            size = len(list(group))
            if is_free:
                heapq.heappush(heap, (-size, start + place, at + place))
            place += size
    return sorted(found, key=lambda each: each.start)


def _runs(mine: Sequence[int], theirs: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the longest runs on each diagonal: where they start in the one and in the other, and their length."""
    if not mine or not theirs:
        return
    same = np.array(mine)[:, None] == np.array(theirs)[None, :]
    length = np.zeros((len(mine) + 1, len(theirs) + 1), np.int32)
    for row, equal in enumerate(same):
        length[row + 1, 1:] = (length[row, :-1] + 1) * equal
    ends = length[1:, 1:] > 0
    ends[:-1, :-1] &= ~same[1:, 1:]
    for row, column in np.argwhere(ends).tolist():
        size = int(length[row + 1, column + 1])
        yield row - size + 1, column - size + 1, size
