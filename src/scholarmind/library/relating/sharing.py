"""What several methods, papers or authors have in common: what each of them leads to, or what they all go back to."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scholarmind.library.relating import noting
from scholarmind.library.relating.counting import Counted, Line, best_first
from scholarmind.library.relating.descent import Branch, descent_from
from scholarmind.library.relating.sighting import Sight, Subject, called, own
from scholarmind.planning.words import is_chinese
from scholarmind.relations import Edge, Node, NodeKind, Query, Relation

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
    lines: list[Line] = []
    for number in ends[0]:
        node = ends[0][number][0].target
        if all(number in other for other in ends[1:]) and (whole or node.kind == query.wanted):
            edges = [edge for each in ends for edge in best_first(each[number])[:_PROOFS]]
            lines.append(Line(name=called(node), cells=(node.kind,), edges=edges, node=node))
    if not lines and query.relation == "IMPROVES_ON":
        return await _ancestors(sight, replace(query, inverse=True), subjects)  # what they build on in turn
    named = all(edge.relation == "MENTIONS" for line in lines for edge in line.edges)
    notes = [noting.by_names(chinese=is_chinese(query.text))] if lines and named else []
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

    found: list[dict[int, Branch]] = []
    for subject in subjects:
        branches, _ = await descent_from(subject.of("method"), edges_of, back=True)
        found.append({branch.node.number: branch for branch in branches})
    shared = [number for number in found[0] if all(number in other for other in found[1:])]
    shared.sort(key=lambda number: sum(each[number].depth for each in found))
    lines = [_line(number, found) for number in shared]
    return Counted(lines=lines, items=tuple(line.name for line in lines), heads=("shared by", "steps"), meant=query)


def _line(number: int, found: Sequence[Mapping[int, Branch]]) -> Line:
    """Return an ancestor with the steps to it from each, and what proves these."""
    node = found[0][number].node
    edges: list[Edge] = []
    for branches in found:
        branch = branches.get(number)
        while branch is not None:
            edges += branch.edges[:1]
            branch = branches.get(branch.parent.number)
    steps = ", ".join(str(branches[number].depth) for branches in found)
    return Line(name=called(node), cells=(steps,), edges=edges, node=node)
