"""Follow what methods build on, back to the oldest or on to the newest, as one line. Pure but for the edges that it asks for."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from scholarmind.graph.naming import letters
from scholarmind.library.relating.sighting import called
from scholarmind.relations import Edge, Node

_LONGEST = 12  # steps of a line
EdgesOf = Callable[[Sequence[Node]], Awaitable[Sequence[Edge]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A method of a line, the edges to the next one, and what else it builds on."""

    node: Node
    edges: tuple[Edge, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Next:
    """What a method builds on directly (or what builds on it), with the edges that say so."""

    nodes: Mapping[int, Node]
    edges: Mapping[int, Sequence[Edge]]


async def chain_of(start: Node, edges_of: EdgesOf, *, back: bool) -> list[Step]:
    """Return the main line from a method, each time to the nearest; never in a circle."""
    steps: list[Step] = []
    seen, node = {start.number}, start
    while len(steps) < _LONGEST:
        found = _next(await edges_of([node]), back=back)
        new = [number for number in found.nodes if number not in seen]
        if not new:
            break
        best = await _nearest(node, [found.nodes[number] for number in new], found, edges_of, back=back)
        others = tuple(called(other) for number, other in found.nodes.items() if number != best.number)
        steps.append(Step(node=node, edges=tuple(found.edges[best.number]), others=others))
        seen.add(best.number)
        node = best
    return [*steps, Step(node=node)]


def _next(edges: Sequence[Edge], *, back: bool) -> _Next:
    nodes: dict[int, Node] = {}
    known: dict[int, list[Edge]] = {}
    for edge in edges:
        end = edge.target if back else edge.source
        nodes[end.number] = end
        known.setdefault(end.number, []).append(edge)
    return _Next(nodes, known)


async def _nearest(node: Node, ends: Sequence[Node], found: _Next, edges_of: EdgesOf, *, back: bool) -> Node:
    """Return its kin by name; else what no other of its ends leads to, or what all of those that lead anywhere lead to.

    DeBERTa builds on BERT, RoBERTa and the Transformer, of which RoBERTa is the nearest; ALBERT on RoBERTa and XLNet, but these
    side by side, and both on BERT, which it names too.
    """
    leads: dict[int, set[int]] = {}
    for end in ends:
        leads[end.number] = set(_next(await edges_of([end]), back=back).nodes)
    farther = {
        number
        for number, reached in leads.items()
        if any(number in leads[other] for other in leads if other not in reached)
    }
    near = [end for end in ends if end.number not in farther] or list(ends)
    kin = [end for end in (*near, *ends) if _is_kin(called(node), called(end))]
    leading = [leads[end.number] for end in near if leads[end.number]]
    shared = [end for end in ends if end.number in farther and all(end.number in reached for reached in leading)]
    choice = kin[:1] or (shared if len(leading) > 1 and shared else near)
    return max(choice, key=lambda end: len(found.edges[end.number]))


def _is_kin(one: str, other: str) -> bool:
    """Tell whether one name goes on from the other, as FlashAttention-2 does from FlashAttention."""
    first, second = sorted((letters(one).rstrip("0123456789"), letters(other).rstrip("0123456789")), key=len)
    return len(first) > 2 and second == first
