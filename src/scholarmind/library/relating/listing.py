"""List what the graph of papers names: methods, data sets, authors, groups, venues and papers that have to do with something."""

from collections.abc import Iterable, Mapping, Sequence

from scholarmind.library.relating.counting import Line
from scholarmind.library.relating.paper_sets import JOINED, Paper, Papers, in_years, together
from scholarmind.library.relating.sighting import Key, Sight, Subject, called, own, paper_of
from scholarmind.relations import Edge, Node, NodeKind, Query, Relation

_LOW = 0.5  # an edge that is less sure than this is not counted
_TESTED: tuple[Relation, ...] = ("EVALUATED_ON", "REPORTS")
_ANY_USE: tuple[Relation, ...] = (*_TESTED, "USES")
_OF_PAPERS: Mapping[NodeKind, Relation] = {
    "author": "AUTHORED_BY",
    "institution": "AFFILIATED_WITH",
    "venue": "PUBLISHED_IN",
    "year": "PUBLISHED_IN",
}


class Listing:
    """Lists the nodes that a question wants."""

    def __init__(self, sight: Sight, papers: Papers) -> None:
        self._sight = sight
        self._papers = papers

    async def of(self, query: Query, subjects: Sequence[Subject]) -> list[Line]:
        """Return a line for each node that is wanted, in the order in which the documents state them."""
        if query.wanted == "paper" and query.relation == "CITES" and query.inverse:
            return await self._cited(query, subjects)
        if query.wanted == "paper":
            return of_papers(await self._papers.matching(subjects, query))
        if query.wanted in _OF_PAPERS:
            return await self._of_papers(query, subjects)
        if query.wanted == "method":
            return await self._methods(query, subjects)
        return await self._used(query, subjects)

    async def _cited(self, query: Query, subjects: Sequence[Subject]) -> list[Line]:
        """Return what the papers that are asked about cite; of one without a list of references, what it names that is not later."""
        things = [node for subject in subjects for node in subject.of("method", "dataset")]
        proposed = await self._sight.proposers(things)
        citing = [edge.source for edges in proposed.values() for edge in edges]
        citing += [node for subject in subjects for node in subject.of("paper")]
        stated = [edge for edge in await self._sight.edges(citing, "CITES", into=False) if own(edge)]
        listed = {paper_of(edge) for edge in stated}
        named = [edge for edge in await self._sight.edges(citing, "MENTIONS", into=False) if own(edge)]
        dated = await self._sight.edges([edge.target for edge in (*stated, *named)], "PUBLISHED_IN", into=False)
        years = {edge.source.number: edge.year for edge in dated if own(edge) and edge.year}
        earlier = [edge for edge in named if paper_of(edge) not in listed and _is_not_later(edge, years)]
        lines = _lines((edge.target, edge) for edge in (*stated, *earlier) if edge.target.kind == "paper")
        for line in lines:
            year = years.get(line.node.number) if line.node else None
            line.cells = (str(year or ""),)
        within = [line for line in lines if line.node and in_years(years.get(line.node.number), query)]
        return sorted(within, key=lambda line: (line.cells[0] or "9999", line.name))

    async def _of_papers(self, query: Query, subjects: Sequence[Subject]) -> list[Line]:
        """Return the authors, groups or venues of the papers that propose what is asked about, or that match otherwise."""
        things = [node for subject in subjects for node in subject.of("method", "dataset")]
        named = [node for subject in subjects for node in subject.of("paper") if node.document]
        if query.relation in {"PROPOSES", "AUTHORED_BY", "PUBLISHED_IN", "AFFILIATED_WITH"} and (things or named):
            proposed = await self._sight.proposers(things)
            nodes = [edge.source for edges in proposed.values() for edge in edges] or named
        else:
            nodes = await self._papers.of_nodes(await self._papers.matching(subjects, query))
        lines = await self.around(query.wanted, nodes)
        if query.wanted != "author":
            return lines
        asked = {node.number for subject in subjects for node in subject.of("author")}  # nobody is one's own co-author
        return [line for line in lines if line.node is None or line.node.number not in asked]

    async def around(self, wanted: NodeKind, papers: Sequence[Node]) -> list[Line]:
        """Return the authors, groups or venues of papers, with the edges that say so."""
        edges = await self._sight.edges(papers, _OF_PAPERS[wanted], into=False)
        if wanted == "institution":
            written = await self._sight.edges(papers, "AUTHORED_BY", into=False)
            stated = {paper_of(edge) for edge in written}
            theirs = await self._sight.edges([edge.target for edge in written], "AFFILIATED_WITH", into=False)
            edges = [*edges, *(edge for edge in theirs if paper_of(edge) in stated)]
        return _lines((edge.target, edge) for edge in edges if edge.target.kind == wanted)

    async def _methods(self, query: Query, subjects: Sequence[Subject]) -> list[Line]:
        things = [node for subject in subjects for node in subject.of("method", "dataset", "task")]
        if query.relation in {"IMPROVES_ON", "USES", "EVALUATED_ON", "REPORTS", "ADDRESSES"} and things:
            lines = await self._related_methods(query, things, subjects)
        else:
            papers = await self._papers.matching(subjects, query)
            edges = await self._sight.edges(await self._papers.of_nodes(papers), "PROPOSES", into=False)
            return _lines((edge.target, edge) for edge in edges if edge.target.kind == "method" and own(edge))
        if query.since is None and query.until is None:
            return lines
        years = await self.years([line.node for line in lines if line.node])
        return [line for line in lines if line.node and in_years(years.get(line.node.number), query)]

    async def _related_methods(self, query: Query, things: Sequence[Node], subjects: Sequence[Subject]) -> list[Line]:
        if query.relation == "IMPROVES_ON":
            methods = [node for node in things if node.kind == "method"]
            edges = await self._sight.edges(methods, "IMPROVES_ON", into=not query.inverse)
            asked = {node.number for node in methods}
            ends = ((edge.target if query.inverse else edge.source, edge) for edge in edges)
            lines = _lines((node, edge) for node, edge in ends if node.number not in asked)
            return _of_all(lines, subjects) if _are_joined(query) else lines
        relations = (
            ("ADDRESSES",) if query.relation == "ADDRESSES" else _ANY_USE if query.relation == "USES" else _TESTED
        )
        edges = await self._sight.edges(things, *relations, into=True)
        papers = [edge.source for edge in edges if edge.source.kind == "paper"]
        proposed = {
            edge.source.number: edge.target
            for edge in await self._sight.edges(papers, "PROPOSES", into=False)
            if edge.target.kind == "method"
        }
        asked = {node.number for node in things}
        ends = (
            (proposed.get(edge.source.number) if edge.source.kind == "paper" else edge.source, edge) for edge in edges
        )
        lines = _lines(
            (node, edge) for node, edge in ends if node and node.kind == "method" and node.number not in asked
        )
        return _of_all(lines, subjects) if _are_joined(query) else lines

    async def years(self, methods: Sequence[Node]) -> dict[int, int]:
        """Return the year of the paper that proposes each method, the first of several."""
        proposed = await self._sight.proposers(methods)
        return {
            number: min(years)
            for number, edges in proposed.items()
            if (years := [edge.year for edge in edges if edge.year])
        }

    async def _used(self, query: Query, subjects: Sequence[Subject]) -> list[Line]:
        """Return the data sets or tasks of methods and papers; those with results before those that are only used."""
        methods = [node for subject in subjects for node in subject.of("method")]
        named = [node for subject in subjects for node in subject.of("paper")]
        if not methods and not named:
            named = await self._papers.of_nodes(await self._papers.matching(subjects, query))
        proposed = await self._sight.proposers(methods)
        owners = [edge.source for edges in proposed.values() for edge in edges]
        relations: tuple[Relation, ...] = ("ADDRESSES",) if query.wanted == "task" else _ANY_USE
        edges = await self._sight.edges([*methods, *owners, *named], *relations, into=False)
        edges = [edge for edge in edges if edge.target.kind == query.wanted]
        tested = [edge for edge in edges if edge.relation in _TESTED]
        if (
            query.relation == "USES"
        ):  # what a work is made from, its own paper says; what it was only tested on is something else
            works = {paper_of(edge) for edges_of in proposed.values() for edge in edges_of}
            judged = {edge.target.number for edge in tested}
            own = [edge for edge in edges if edge.relation == "USES" and (not works or paper_of(edge) in works)]
            if fed := [edge for edge in own if edge.target.number not in judged]:
                return _lines((edge.target, edge) for edge in fed)
        return _lines((edge.target, edge) for edge in (tested if query.relation in _TESTED and tested else edges))


def of_papers(papers: Mapping[Key, Paper]) -> list[Line]:
    """Return a line for each paper, the oldest first."""
    ordered = sorted(papers.values(), key=lambda paper: (paper.year or 9999, paper.title))
    return [
        Line(name=paper.title, cells=(str(paper.year or ""),), papers=[paper], node=paper.node) for paper in ordered
    ]


def _is_not_later(edge: Edge, years: Mapping[int, int]) -> bool:
    return edge.year is None or years.get(edge.target.number, 0) <= edge.year


def _are_joined(query: Query) -> bool:
    """Tell whether all the names are meant, and not any of them."""
    return len(query.about) > 1 or any(JOINED.search(piece) for piece in query.about)


def _of_all(lines: list[Line], subjects: Sequence[Subject]) -> list[Line]:
    """Return the lines that have to do with each of the names."""
    wanted = [{node.number for node in one.nodes} for subject in subjects for one in together(subject)]
    reached = [{number for edge in line.edges for number in (edge.source.number, edge.target.number)} for line in lines]
    return [line for line, numbers in zip(lines, reached, strict=True) if all(numbers & each for each in wanted)]


def _lines(ends: Iterable[tuple[Node, Edge]]) -> list[Line]:
    found: dict[int, Line] = {}
    for node, edge in ends:
        if edge.confidence >= _LOW:
            found.setdefault(node.number, Line(name=called(node), node=node)).edges.append(edge)
    return list(found.values())
