"""The lineage of a method: what it goes back to as a line, what came of it as a tree, and what several methods have in common.

DeBERTa builds on BERT and on RoBERTa, which itself builds on BERT: it stands under RoBERTa, and BERT is named beside it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from scholarmind.graph.name_matching import letters
from scholarmind.library.relating import answer_tables
from scholarmind.library.relating.answer_tables import Counted, CountedLine, best_first
from scholarmind.library.relating.paper_sets import Sight, Subject, called, own
from scholarmind.planning.question_words import is_chinese
from scholarmind.relations import Edge, Node, NodeKind, Query, Relation

# -- the tree: each method under the nearest of those that it builds on

_DEEPEST = 6  # steps
_MOST = 60  # methods
_LOW = 0.5  # an edge that is less sure than this is not followed
EdgesOf = Callable[[Sequence[Node]], Awaitable[Sequence[Edge]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageMethod:
    """A method of a tree: how many steps it is from the root, the one that it stands under with the edges that say so, and others."""

    node: Node
    parent: Node
    depth: int
    edges: tuple[Edge, ...]
    others: tuple[Node, ...] = ()


@dataclass(slots=True)
class _FollowedLineage:
    """Who builds on whom, as far as it was followed, and whether that was all."""

    nodes: dict[int, Node]
    bases: dict[int, dict[int, list[Edge]]]  # of a method, by number: the edges to each of those that it builds on
    cut: bool = False


async def _descent_from(
    roots: Sequence[Node], edges_of: EdgesOf, *, back: bool = False
) -> tuple[list[LineageMethod], bool]:
    """Return all that builds on these (or with `back` all that they build on), each below its parent, and whether there is more."""
    known = await _followed(roots, edges_of, back=back)
    first = {root.number for root in roots}
    reach = {number: _reached(number, known.bases) for number in known.nodes}
    below: dict[int, list[LineageMethod]] = {}
    placed, waiting = (
        dict.fromkeys(first, 0),
        {number: known.bases[number] for number in known.nodes if number not in first},
    )
    while waiting:
        number, parent = _next_to_place(waiting, placed, reach, known.nodes)
        bases = waiting.pop(number)
        placed[number] = placed[parent] + 1
        branch = LineageMethod(
            node=known.nodes[number],
            parent=known.nodes[parent],
            depth=placed[number],
            edges=tuple(bases[parent]),
            others=tuple(known.nodes[other] for other in bases if other != parent),
        )
        below.setdefault(parent, []).append(branch)
    return [branch for root in dict.fromkeys(first) for branch in _in_order(root, below)], known.cut


async def _followed(roots: Sequence[Node], edges_of: EdgesOf, *, back: bool) -> _FollowedLineage:
    first = {root.number for root in roots}  # what these come from is not asked
    known = _FollowedLineage({root.number: root for root in roots}, {})
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


def _next_to_place(
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
        near = _nearest_bases(waiting[number], reach)
        if all(base in placed for base in near):
            return number, _closest(nodes[number], [base for base in bases if base in near], waiting[number], nodes)
    number, bases = next(iter(ready.items()))
    return number, _closest(nodes[number], bases, waiting[number], nodes)


def _nearest_bases(bases: Mapping[int, Sequence[Edge]], reach: Mapping[int, set[int]]) -> list[int]:
    """Return the bases of a method that none of its other bases goes back to."""
    return [
        base
        for base in bases
        if not any(base in reach[other] and other not in reach[base] for other in bases if other != base)
    ] or list(bases)


def _closest(node: Node, bases: Sequence[int], edges: Mapping[int, Sequence[Edge]], nodes: Mapping[int, Node]) -> int:
    kin = [base for base in bases if _is_kin(called(node), called(nodes[base]))]
    return max(kin or bases, key=lambda base: len(edges[base]))


def _in_order(root: int, below: Mapping[int, Sequence[LineageMethod]]) -> list[LineageMethod]:
    """Return what stands under a method, the earliest first, each followed by what stands under it."""
    found: list[LineageMethod] = []
    for branch in sorted(below.get(root, ()), key=_year):
        found += [branch, *_in_order(branch.node.number, below)]
    return found


def _year(branch: LineageMethod) -> int:
    """Return when it was first said that a method builds on the one above."""
    return min((edge.year for edge in branch.edges if edge.year), default=9999)


def _is_kin(one: str, other: str) -> bool:
    """Tell whether one name goes on from the other, as FlashAttention-2 does from FlashAttention."""
    first, second = sorted((letters(one).rstrip("0123456789"), letters(other).rstrip("0123456789")), key=len)
    return len(first) > 2 and second == first


# -- the line and the tree as tables

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
        steps = await chain_of(start, edges_of, back=True)
        if len(steps) < 2:
            return None
        years = await years_of([step.node for step in steps])
        lines = [
            CountedLine(
                name=called(step.node),
                cells=(str(years.get(step.node.number, "")), ", ".join(step.others)),
                edges=list(step.edges),
                node=step.node,
            )
            for step in steps
        ]
        lines[-1].edges = list(steps[-2].edges)  # the end of the line is proven by the step to it
        return Counted(lines=lines, items=tuple(line.name for line in lines), heads=("method", "year", "also"))
    return await _on(start, edges_of, years_of, chinese=is_chinese(query.text))


async def _on(start: Node, edges_of: EdgesOf, years_of: YearsOf, *, chinese: bool) -> Counted | None:
    branches, cut = await _descent_from([start], edges_of)
    if not branches:
        return None
    years = await years_of([branch.node for branch in branches])
    lines = [
        CountedLine(
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
        notes=[answer_tables.not_followed(chinese=chinese)] if cut else [],
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
    kin = [end for end in (*near, *ends) if _is_kin(called(node), called(end))]
    leading = [leads[end.number] for end in near if leads[end.number]]
    shared = [end for end in ends if end.number in farther and all(end.number in reached for reached in leading)]
    choice = kin[:1] or (shared if len(leading) > 1 and shared else near)
    return max(choice, key=lambda end: len(found.edges[end.number]))


# -- what several have in common

SHARED: Mapping[NodeKind, tuple[Relation, ...]] = {
    "dataset": ("EVALUATED_ON", "REPORTS", "USES"),
    "method": ("IMPROVES_ON", "USES"),
    "author": ("AUTHORED_BY",),
    "institution": ("AFFILIATED_WITH",),
    "venue": ("PUBLISHED_IN",),
    "task": ("ADDRESSES",),
    "paper": ("CITES",),
}

_OF_PAPERS: tuple[Relation, ...] = ("CITES", "MENTIONS")  # that a paper itself states, or not at all
_PROOFS = 2  # of each of the things that share one
_ANYTHING: tuple[Relation, ...] = tuple(dict.fromkeys(relation for some in SHARED.values() for relation in some))


async def common(sight: Sight, query: Query, subjects: Sequence[Subject]) -> Counted | None:
    """Return what all of these have in common; their ancestors, where these are asked for."""
    if len(subjects) < 2:
        return None
    if query.inverse:
        return await _ancestors(sight, query, subjects)
    whole = query.relation is None and query.wanted == "paper"
    relations = _ANYTHING if whole else SHARED.get(query.wanted, _ANYTHING)
    if query.relation in {"IMPROVES_ON", "CITES"}:
        relations = ("IMPROVES_ON",) if query.relation == "IMPROVES_ON" else _OF_PAPERS
    ends = [await _ends(sight, subject, relations) for subject in subjects]
    lines: list[CountedLine] = []
    for number in ends[0]:
        node = ends[0][number][0].target
        if all(number in other for other in ends[1:]) and (whole or node.kind == query.wanted):
            edges = [edge for each in ends for edge in best_first(each[number])[:_PROOFS]]
            lines.append(CountedLine(name=called(node), cells=(node.kind,), edges=edges, node=node))
    if not lines and query.relation == "IMPROVES_ON":
        return await _ancestors(sight, replace(query, inverse=True), subjects)  # what they build on in turn
    named = all(edge.relation == "MENTIONS" for line in lines for edge in line.edges)
    notes = [answer_tables.by_names(chinese=is_chinese(query.text))] if lines and named else []
    return Counted(lines=lines, items=tuple(line.name for line in lines), heads=("shared by", "which"), notes=notes)


async def _ends(sight: Sight, subject: Subject, relations: Sequence[Relation]) -> dict[int, list[Edge]]:
    """Return what a method, with its paper, or a paper, with its method, leads to."""
    nodes = subject.of("method", "paper", "author", "dataset")
    proposed = await sight.proposers([node for node in nodes if node.kind != "paper"])
    nodes += [edge.source for edges in proposed.values() for edge in edges]
    papers = [node for node in nodes if node.kind == "paper"]
    nodes += [edge.target for edge in await sight.edges(papers, "PROPOSES", into=False)]
    found: dict[int, list[Edge]] = {}
    for edge in await sight.edges(nodes, *relations, into=False):
        if edge.relation not in _OF_PAPERS or own(edge):
            found.setdefault(edge.target.number, []).append(edge)
    return found


async def _ancestors(sight: Sight, query: Query, subjects: Sequence[Subject]) -> Counted | None:
    """Return what all of these methods go back to, directly or through others, the nearest first."""

    async def edges_of(nodes: Sequence[Node]) -> Sequence[Edge]:
        return await sight.edges(nodes, "IMPROVES_ON", into=False)

    found: list[dict[int, LineageMethod]] = []
    for subject in subjects:
        branches, _ = await _descent_from(subject.of("method"), edges_of, back=True)
        found.append({branch.node.number: branch for branch in branches})
    shared = [number for number in found[0] if all(number in other for other in found[1:])]
    shared.sort(key=lambda number: sum(each[number].depth for each in found))
    lines = [_line(number, found) for number in shared]
    return Counted(lines=lines, items=tuple(line.name for line in lines), heads=("shared by", "steps"), meant=query)


def _line(number: int, found: Sequence[Mapping[int, LineageMethod]]) -> CountedLine:
    """Return an ancestor with the steps to it from each, and what proves these."""
    node = found[0][number].node
    edges: list[Edge] = []
    for branches in found:
        branch = branches.get(number)
        while branch is not None:
            edges += branch.edges[:1]
            branch = branches.get(branch.parent.number)
    steps = ", ".join(str(branches[number].depth) for branches in found)
    return CountedLine(name=called(node), cells=(steps,), edges=edges, node=node)
