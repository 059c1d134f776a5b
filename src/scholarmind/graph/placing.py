"""Where the nodes of a picture stand: near what they are tied to, and no label over another. Always the same for the same graph."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
_ROUNDS = 250
_GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))
_GRAVITY = 0.6
_PUSHES = 900
_PATIENCE = 40  # pushes, after which everything gets more room
_DENSE, _LOOSE = 2.2, 9.0  # so much room beside what the boxes take
_GAP = 6.0  # between two boxes
_NEAR = 1e-6


def placed(sizes: Sequence[tuple[float, float]], ties: Sequence[tuple[int, int]], *, loose: bool = False) -> Points:
    """Return the middle of each box of these sizes; the first is in the middle. `loose` leaves room for words at the ties."""
    if not sizes:
        return np.zeros((0, 2))
    boxes = np.asarray(sizes, dtype=np.float64)
    spots = _sprung(len(sizes), sorted({(min(tie), max(tie)) for tie in ties if tie[0] != tie[1]}))
    room = float(np.sqrt((boxes[:, 0] * boxes[:, 1]).sum() * (_LOOSE if loose else _DENSE)))
    spread = max(float(np.ptp(spots, axis=0).max()), _NEAR)
    spots *= np.array([1.25, 0.8]) * room / spread  # labels are wide, and so are screens
    return _apart(spots, boxes)


def _sprung(count: int, ties: Sequence[tuple[int, int]]) -> Points:
    """Let ties pull and nodes push each other (Fruchterman and Reingold), from a spiral on, until little moves."""
    order = np.arange(count)
    radius = np.sqrt(order / max(count, 1))
    spots = np.stack((radius * np.cos(order * _GOLDEN_ANGLE), radius * np.sin(order * _GOLDEN_ANGLE)), axis=1)
    ends = np.asarray(ties, dtype=np.intp).reshape(-1, 2)
    ideal = 1 / np.sqrt(max(count, 1))
    for heat in np.linspace(0.15, 0.002, _ROUNDS):
        away = spots[:, None, :] - spots[None, :, :]
        nearness = ideal**2 / np.maximum(np.einsum("ijk,ijk->ij", away, away), _NEAR)
        force = np.einsum("ijk,ij->ik", away, nearness)
        pull = spots[ends[:, 0]] - spots[ends[:, 1]]
        pull *= np.linalg.norm(pull, axis=1, keepdims=True) / ideal
        np.add.at(force, ends[:, 0], -pull)
        np.add.at(force, ends[:, 1], pull)
        force -= _GRAVITY * spots * ideal * np.sqrt(count)  # what hangs on nothing must not fly off
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), _NEAR)
        spots = spots + force / length * np.minimum(length, heat)
    return spots - spots[0]


def _apart(spots: Points, boxes: Points) -> Points:
    """Push boxes that overlap apart, each time along the shorter way, until none do."""
    least = (boxes[:, None, :] + boxes[None, :, :]) / 2 + _GAP
    rising = np.sign(np.arange(len(boxes))[:, None] - np.arange(len(boxes))[None, :]).astype(np.float64)
    spots = spots.copy()
    for turn in range(1, _PUSHES):
        away = spots[:, None, :] - spots[None, :, :]
        overlap = least - np.abs(away)
        np.fill_diagonal(overlap[:, :, 0], 0)
        if turn % _PATIENCE == 0:
            spots *= 1.06
            continue
        touching = (overlap > _NEAR).all(axis=2)
        if not touching.any():
            break
        side = np.where(away == 0, rising[:, :, None], np.sign(away))
        across = overlap[:, :, 0] < overlap[:, :, 1]
        push = np.where(touching, 0.5, 0.0)[:, :, None] * side * overlap
        push[:, :, 0] *= across
        push[:, :, 1] *= ~across
        crowd = np.maximum(touching.sum(axis=1, keepdims=True), 1) ** 0.5  # many pushes at once must not overshoot
        spots += push.sum(axis=1) / crowd
    return spots
