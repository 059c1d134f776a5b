"""The lineage of a method as a table: back to the oldest as one line, on to all that came of it as a tree."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from scholarmind.library.relating import noting
from scholarmind.library.relating.counting import Counted, Line
from scholarmind.library.relating.descent import EdgesOf, descent_from, is_kin
from scholarmind.library.relating.sighting import Sight, Subject, called
from scholarmind.planning.words import is_chinese
from scholarmind.relations import Edge, Node, Query

_LONGEST = 12  # steps of a line
YearsOf = Callable[[Sequence[Node]], Awaitable[Mapping[int, int]]]


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


async def lineage(sight: Sight, query: Query, subjects: Sequence[Subject], years_of: YearsOf) -> Counted | None:
    """Return what a method goes back to, or what came of it."""
    start = next((node for subject in subjects for node in subject.of("method")), None)
    if start is None:
        return None

    async def edges_of(nodes: Sequence[Node]) -> Sequence[Edge]:
        return await sight.edges(nodes, "IMPROVES_ON", into=not query.inverse)

    if query.inverse:
        return await _back(start, edges_of, years_of)
    return await _on(start, edges_of, years_of, chinese=is_chinese(query.text))


async def _back(start: Node, edges_of: EdgesOf, years_of: YearsOf) -> Counted | None:
    steps = await chain_of(start, edges_of, back=True)
    if len(steps) < 2:
        return None
    years = await years_of([step.node for step in steps])
    lines = [
        Line(
            name=called(step.node),
            cells=(str(years.get(step.node.number, "")), ", ".join(step.others)),
            edges=list(step.edges),
            node=step.node,
        )
        for step in steps
    ]
    lines[-1].edges = list(steps[-2].edges)  # the end of the line is proven by the step to it
    return Counted(lines=lines, items=tuple(line.name for line in lines), heads=("method", "year", "also"))


async def _on(start: Node, edges_of: EdgesOf, years_of: YearsOf, *, chinese: bool) -> Counted | None:
    branches, cut = await descent_from([start], edges_of)
    if not branches:
        return None
    years = await years_of([branch.node for branch in branches])
    lines = [
        Line(
            name=called(branch.node),
            cells=(
                str(years.get(branch.node.number, "")),
                called(branch.parent),
                ", ".join(map(called, branch.others)),
            ),
            edges=list(branch.edges),
            node=branch.node,
            depth=branch.depth,
        )
        for branch in branches
    ]
    return Counted(
        lines=lines,
        items=tuple(line.name for line in lines),
        heads=("method", "year", "builds on", "also"),
        notes=[noting.not_followed(chinese=chinese)] if cut else [],
        best=sum(branch.depth == 1 for branch in branches),
    )


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
    kin = [end for end in (*near, *ends) if is_kin(called(node), called(end))]
    leading = [leads[end.number] for end in near if leads[end.number]]
    shared = [end for end in ends if end.number in farther and all(end.number in reached for reached in leading)]
    choice = kin[:1] or (shared if len(leading) > 1 and shared else near)
    return max(choice, key=lambda end: len(found.edges[end.number]))
