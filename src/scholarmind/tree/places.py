"""Where a passage belongs: the centres of all nodes of level 1 in one matrix, and which of them is nearest."""

from collections.abc import Mapping

import numpy as np

from scholarmind.tree.clustering import Vectors, units

NEARLY = 0.9  # of the likeness to the nearest node: from here on a passage belongs to a second one too
_BLOCK = 512  # passages that are compared with all centres at once


class Places:
    """The centres by the numbers of their nodes."""

    def __init__(self, sums: Mapping[int, Vectors]) -> None:
        self._numbers: list[int] = []
        self._rows: dict[int, int] = {}
        self._centres: Vectors = np.empty((0, 0), np.float32)
        self.learn(sums)

    def __len__(self) -> int:
        return len(self._rows)

    def learn(self, sums: Mapping[int, Vectors]) -> None:
        """Take in the centres of these nodes, new ones and those that moved."""
        new = [number for number in sums if number not in self._rows]
        for number in new:
            self._rows[number] = len(self._numbers)
            self._numbers.append(number)
        if len(self._numbers) > len(self._centres):
            self._make_room(len(next(iter(sums.values()))))
        rows = [self._rows[number] for number in sums]
        if rows:
            self._centres[rows] = units(np.stack(list(sums.values())))

    def forget(self, node: int) -> None:
        """Let a node go: the last one takes its row."""
        row, last = self._rows.pop(node), self._numbers.pop()
        if last != node:
            self._numbers[row], self._rows[last] = last, row
            self._centres[row] = self._centres[len(self._numbers)]

    def nearest(self, vector: Vectors) -> int | None:
        """Return the nearest node; of several the one that came first."""
        if not self._numbers:
            return None
        return self._numbers[int(np.argmax(self._centres[: len(self._numbers)] @ vector))]

    def seconds(self, passages: Mapping[int, Vectors], homes: Mapping[int, int]) -> dict[int, int | None]:
        """Return for each passage the node besides its home that it is nearly as near to, or None."""
        found: dict[int, int | None] = {}
        numbers = list(passages)
        for start in range(0, len(numbers), _BLOCK):
            some = numbers[start : start + _BLOCK]
            likeness = np.stack([passages[number] for number in some]) @ self._centres[: len(self._numbers)].T
            rows, own = np.arange(len(some)), [self._rows[homes[number]] for number in some]
            least = NEARLY * likeness[rows, own]
            likeness[rows, own] = -1
            best = np.argmax(likeness, axis=1)
            near = likeness[rows, best] >= np.maximum(least, 1e-6)
            found |= {
                number: self._numbers[place] if is_near else None
                for number, place, is_near in zip(some, best.tolist(), near.tolist(), strict=True)
            }
        return found

    def _make_room(self, dimension: int) -> None:
        larger = np.zeros((max(64, 2 * len(self._numbers)), dimension), np.float32)
        larger[: len(self._centres), : self._centres.shape[1]] = self._centres
        self._centres = larger
