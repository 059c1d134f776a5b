"""Put passages into an order that is spread over documents, over branches of the tree, and over periods."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholarmind.library.periods import periods
from scholarmind.model import Evidence
from scholarmind.ranking import key_of

_SAME_DOCUMENT = 0.6  # a factor for each passage that there is already from the same document,
_SAME_NODE = 0.9  # and from the same summary
_LEAST = 0.3  # what the last of all is worth beside the first
_OF_PERIOD = 2  # passages of each period that come first,
_SEEN = 0.6  # the least that they are worth,
_AFTER = 0.5  # and a factor for all others then


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage with what it is worth by itself, and the summary that brought it (0: none)."""

    item: Evidence
    worth: float
    node: int = 0


def spread(candidates: Sequence[Candidate], k: int, highest: float, *, by_period: bool) -> list[Evidence]:
    """Return the `k` best, each time what is worth most beside those taken before; the highest score is that of the very best.

    For a question about time the first few of each period come before all others.
    """
    left = _apart(candidates)
    period_of = periods([one.item.document.year for one in left] if by_period else [])
    documents, nodes, taken = Counter[object](), Counter[int](), Counter[int]()
    chosen: list[Evidence] = []
    while left and len(chosen) < k:
        lacking = [one for one in left if by_period and taken[period_of[one.item.document.year]] < _OF_PERIOD]
        best = max(lacking or left, key=lambda one: _beside(one, documents, nodes))
        value = _beside(best, documents, nodes)
        if by_period:
            value = max(value, _SEEN) if lacking else value * _AFTER
        chosen.append(best.item.rated(highest * value))
        left.remove(best)
        documents[key_of(best.item)[:2]] += 1
        nodes[best.node] += 1 if best.node else 0
        taken[period_of.get(best.item.document.year, 0)] += 1
    return sorted(chosen, key=lambda item: (-item.scores.fused, key_of(item)))


def _apart(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return them, best first, with their worth spread up to 1: cosines with one question are all much the same."""
    ordered = sorted(candidates, key=lambda one: (-one.worth, key_of(one.item)))
    low, width = (ordered[-1].worth, ordered[0].worth - ordered[-1].worth) if ordered else (0.0, 0.0)
    return [
        replace(one, worth=_LEAST + (1 - _LEAST) * ((one.worth - low) / width if width else 1.0)) for one in ordered
    ]


def _beside(one: Candidate, documents: Counter[object], nodes: Counter[int]) -> float:
    return one.worth * _SAME_DOCUMENT ** documents[key_of(one.item)[:2]] * _SAME_NODE ** nodes[one.node]
