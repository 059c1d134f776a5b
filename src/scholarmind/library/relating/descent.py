"""Follow what came of a method, step by step, as a tree: each method under the nearest of those that it builds on.

DeBERTa builds on BERT and on RoBERTa, which itself builds on BERT: it stands under RoBERTa, and BERT is told beside it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from scholarmind.graph.naming import letters
from scholarmind.library.relating.sighting import called
from scholarmind.relations import Edge, Node

_DEEPEST = 6  # steps
_MOST = 60  # methods
_LOW = 0.5  # an edge that is less sure than this is not followed
EdgesOf = Callable[[Sequence[Node]], Awaitable[Sequence[Edge]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A method of a tree: how many steps it is from the root, the one that it stands under with the edges that say so, and others."""

    node: Node
    parent: Node
    depth: int
    edges: tuple[Edge, ...]
    others: tuple[Node, ...] = ()


@dataclass(slots=True)
class _Known:
    """Who builds on whom, as far as it was followed, and whether that was all."""

    nodes: dict[int, Node]
    bases: dict[int, dict[int, list[Edge]]]  # of a method, by number: the edges to each of those that it builds on
    cut: bool = False


async def descent_from(roots: Sequence[Node], edges_of: EdgesOf, *, back: bool = False) -> tuple[list[Branch], bool]:
    """Return all that builds on these (or with `back` all that they build on), each below its parent, and whether there is more."""
    known = await _followed(roots, edges_of, back=back)
    first = {root.number for root in roots}
    reach = {number: _reached(number, known.bases) for number in known.nodes}
    below: dict[int, list[Branch]] = {}
    placed, waiting = (
        dict.fromkeys(first, 0),
        {number: known.bases[number] for number in known.nodes if number not in first},
    )
    while waiting:
        number, parent = _next(waiting, placed, reach, known.nodes)
        bases = waiting.pop(number)
        placed[number] = placed[parent] + 1
        branch = Branch(
            node=known.nodes[number],
            parent=known.nodes[parent],
            depth=placed[number],
            edges=tuple(bases[parent]),
            others=tuple(known.nodes[other] for other in bases if other != parent),
        )
        below.setdefault(parent, []).append(branch)
    return [branch for root in dict.fromkeys(first) for branch in _in_order(root, below)], known.cut


async def _followed(roots: Sequence[Node], edges_of: EdgesOf, *, back: bool) -> _Known:
    first = {root.number for root in roots}  # what these come from is not asked
    known = _Known({root.number: root for root in roots}, {})
    last = list(roots)
    for _ in range(_DEEPEST):
        found: dict[int, Node] = {}
        for edge in await edges_of(last):
            base, later = (edge.source, edge.target) if back else (edge.target, edge.source)
            if edge.confidence < _LOW or base.number == later.number or later.number in first:
                continue
            if later.number not in known.nodes and later.number not in found and len(known.nodes) + len(found) >= _MOST:
                known.cut = True
                continue
            known.bases.setdefault(later.number, {}).setdefault(base.number, []).append(edge)
            if later.number not in known.nodes:
                found[later.number] = later
        known.nodes |= found
        last = list(found.values())
        if not last:
            return known
    known.cut = True
    return known


def _reached(number: int, bases: Mapping[int, Mapping[int, Sequence[Edge]]]) -> set[int]:
    """Return all that a method goes back to."""
    found, last = set[int](), {number}
    while last:
        last = {base for one in last for base in bases.get(one, ())} - found
        found |= last
    return found


def _next(
    waiting: Mapping[int, Mapping[int, Sequence[Edge]]],
    placed: Mapping[int, int],
    reach: Mapping[int, set[int]],
    nodes: Mapping[int, Node],
) -> tuple[int, int]:
    """Return a method that can be placed, and the one that it stands under: its kin by name, else the nearest, else what most say.

    One that has a nearer base still waiting waits too; only in a circle somebody has to begin.
    """
    ready = {number: [base for base in bases if base in placed] for number, bases in waiting.items()}
    ready = {number: bases for number, bases in ready.items() if bases}
    for number, bases in ready.items():
        near = _nearest(waiting[number], reach)
        if all(base in placed for base in near):
            return number, _closest(nodes[number], [base for base in bases if base in near], waiting[number], nodes)
    number, bases = next(iter(ready.items()))
    return number, _closest(nodes[number], bases, waiting[number], nodes)


def _nearest(bases: Mapping[int, Sequence[Edge]], reach: Mapping[int, set[int]]) -> list[int]:
    """Return the bases of a method that none of its other bases goes back to."""
    return [
        base
        for base in bases
        if not any(base in reach[other] and other not in reach[base] for other in bases if other != base)
    ] or list(bases)


def _closest(node: Node, bases: Sequence[int], edges: Mapping[int, Sequence[Edge]], nodes: Mapping[int, Node]) -> int:
    kin = [base for base in bases if is_kin(called(node), called(nodes[base]))]
    return max(kin or bases, key=lambda base: len(edges[base]))


def _in_order(root: int, below: Mapping[int, Sequence[Branch]]) -> list[Branch]:
    """Return what stands under a method, the earliest first, each followed by what stands under it."""
    found: list[Branch] = []
    for branch in sorted(below.get(root, ()), key=_year):
        found += [branch, *_in_order(branch.node.number, below)]
    return found


def _year(branch: Branch) -> int:
    """Return when it was first said that a method builds on the one above."""
    return min((edge.year for edge in branch.edges if edge.year), default=9999)


def is_kin(one: str, other: str) -> bool:
    """Tell whether one name goes on from the other, as FlashAttention-2 does from FlashAttention."""
    first, second = sorted((letters(one).rstrip("0123456789"), letters(other).rstrip("0123456789")), key=len)
    return len(first) > 2 and second == first
