"""What stands beside what was found: in a document that a question is about, a passage counts for no less than those around it.

Around a passage are those of its branch of the tree, and those near it in the text. A summary is asked for in words that few of the
passages have which it must draw on; that those around one answer the question is the better sign, and where ten of fifteen passages are
shown it decides about the last few. Scores only rise: what answers by its own words keeps its place.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import exp

from scholarmind.model import Evidence
from scholarmind.ranking import key_of

_BEST = 10  # passages that tell what a question is about:
_EACH = 3  # so many of them are from each document that it is about,
_ALL = 0.8  # and this share from all these documents; else it is about something that many documents tell of
_OTHER_BRANCH = 0.3  # what a passage of another branch counts for, beside one of the same
_REACH = 2.0  # passages further on in the text, one counts for about a third

DocumentKey = tuple[str, str]  # collection and id


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A passage with the nodes of level 1 that it is in; one without a score was not found by itself."""

    item: Evidence
    nodes: frozenset[int]
    score: float | None = None


def subjects(found: Sequence[Evidence]) -> frozenset[DocumentKey]:
    """Return the few documents that a question is about, if it is: nearly all of the best passages are from these."""
    best = found[:_BEST]
    counts = {document: count for document, count in Counter(map(document_of, best)).items() if count >= _EACH}
    return frozenset(counts) if sum(counts.values()) >= _ALL * len(best) else frozenset()


def document_of(item: Evidence) -> DocumentKey:
    """Return what tells documents apart."""
    return item.document.collection, item.document.id


def lifted(placed: Sequence[Placed]) -> list[Evidence]:
    """Return passages of one document with the score that those around them have, where that is higher than their own."""
    known = [one for one in placed if one.score is not None]
    return [one.item.rated(score) for one in placed if (score := _around(one, known)) > (one.score or 0.0)]


def branches(placed: Mapping[DocumentKey, Sequence[Placed]]) -> list[int]:
    """Return the nodes that these passages are in, the one first whose passages are worth most on average."""
    worth: dict[int, list[float]] = {}
    for one in chain.from_iterable(placed.values()):
        for node in one.nodes:
            worth.setdefault(node, []).append(one.score or 0.0)
    return sorted(worth, key=lambda node: (-sum(worth[node]) / len(worth[node]), node))


def by_document(found: Sequence[Evidence], homes: Sequence[frozenset[int]]) -> dict[DocumentKey, list[Placed]]:
    """Return passages with their nodes and scores, document by document."""
    placed: dict[DocumentKey, list[Placed]] = {}
    for item, nodes in zip(found, homes, strict=True):
        placed.setdefault(document_of(item), []).append(Placed(item=item, nodes=nodes, score=item.scores.fused))
    return placed


def _around(one: Placed, known: Sequence[Placed]) -> float:
    """Return the mean score of the others, weighted by how near they are in the tree and in the text."""
    others = [other for other in known if key_of(other.item) != key_of(one.item)]
    weights = [_nearness(one, other) for other in others]
    scores = [other.score or 0.0 for other in others]
    return sum(map(float.__mul__, weights, scores)) / sum(weights) if weights else 0.0


def _nearness(one: Placed, other: Placed) -> float:
    shared = len(one.nodes & other.nodes) / max(1, len(one.nodes), len(other.nodes))
    apart = abs(one.item.passage.position - other.item.passage.position)
    return (_OTHER_BRANCH + shared) * exp(-apart / _REACH)
