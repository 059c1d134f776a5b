"""Answer a structured question from the graph of papers: count, rank, list, follow and compare. Nothing is guessed."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from scholarmind.library.relating import noting
from scholarmind.library.relating.counting import Counted, Line
from scholarmind.library.relating.lineage import chain_of
from scholarmind.library.relating.listing import Listing, of_papers
from scholarmind.library.relating.paper_sets import Papers
from scholarmind.library.relating.reported import contradicting, results
from scholarmind.library.relating.sighting import Sight, Subject, called, nested, paper_of
from scholarmind.library.relating.words import listing
from scholarmind.planning.words import is_chinese
from scholarmind.ports import Retriever
from scholarmind.relations import Edge, Form, Node, NodeKind, Query, Relation

_TOLD = 3  # names of what a description stands for
_SHOWN = 10  # lines of a ranking
_TIED = 8  # nodes with the same count, above which there is no first among them
_SHARED: Mapping[NodeKind, tuple[Relation, ...]] = {
    "dataset": ("EVALUATED_ON", "REPORTS", "USES"),
    "method": ("IMPROVES_ON", "USES"),
    "author": ("AUTHORED_BY",),
    "institution": ("AFFILIATED_WITH",),
    "venue": ("PUBLISHED_IN",),
    "task": ("ADDRESSES",),
    "paper": ("CITES",),
}
_ANYTHING: tuple[Relation, ...] = tuple(dict.fromkeys(relation for some in _SHARED.values() for relation in some))
_HEADS: Mapping[NodeKind, str] = {"dataset": "data set"}


class Tallying:
    """Counts in one graph, within one filter."""

    def __init__(self, sight: Sight, retriever: Retriever, now: int) -> None:
        self._sight = sight
        self._now = now
        self._papers = Papers(sight=sight, retriever=retriever)
        self._listing = Listing(sight, self._papers)

    async def count(self, query: Query) -> Counted | None:
        """Return what a question came to, or None where the graph does not know what it is about."""
        subjects = [await self._subject(piece, query) for piece in query.about]
        forms: Mapping[Form, Callable[[Query, Sequence[Subject]], Awaitable[Counted | None]]] = {
            "count": self._count,
            "list": self._list,
            "ranking": self._ranking,
            "first": self._order,
            "latest": self._order,
            "results": self._results,
            "contradictions": self._contradictions,
            "lineage": self._lineage,
            "common": self._common,
        }
        counted = await forms[query.form](query, subjects)
        if counted is None or not counted.lines:
            return None
        # what was found by its words alone is on a topic, whatever relation was asked for
        counted.subjects = subjects if counted.edges else [replace(subject, nodes=()) for subject in subjects]
        return counted

    async def _subject(self, piece: str, query: Query) -> Subject:
        inner = nested(piece, query, self._now)
        if inner is None:
            return await self._sight.subject(piece)
        counted = await self.count(inner)
        nodes = tuple(counted.nodes) if counted else ()
        chinese = is_chinese(query.text)
        names = listing([called(node) for node in nodes], chinese=chinese, most=_TOLD)
        brackets = "（{}）" if chinese else " ({})"
        return Subject(text=piece + brackets.format(names) if names else piece, nodes=nodes)

    async def _list(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        lines = await self._listing.of(query, subjects)
        heads = (_HEADS.get(query.wanted, query.wanted), *(("year",) if query.wanted == "paper" else ()))
        return Counted(lines=lines, items=tuple(line.name for line in lines), heads=heads)

    async def _count(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        counted = await self._list(query, subjects)
        if counted is None or (query.wanted == "author" and any(subject.of("method", "paper") for subject in subjects)):
            return None  # how many authors a paper has is for its text to say: metadata often name only the first
        if query.wanted == "paper" and not subjects and query.since is None and query.until is None:
            return await self._whole(counted, chinese=is_chinese(query.text))
        chinese = is_chinese(query.text)
        by_words = sum(not paper.edges for line in counted.lines for paper in line.papers)
        notes = [noting.by_words(by_words, chinese=chinese)] if by_words else []
        same = [(subject.text, len(subject.of("author"))) for subject in subjects]
        notes += [noting.same_name(authors, name, chinese=chinese) for name, authors in same if authors > 1]
        return replace(counted, items=(str(len(counted.lines)),), notes=notes)

    async def _whole(self, counted: Counted, *, chinese: bool) -> Counted | None:
        """Return how many documents the library has: some state neither authors nor year, and are no papers of the graph."""
        counts = await self._sight.graph.counts()
        total, known = counts.documents + counts.waiting, len(counted.lines)
        if total == known or self._sight.within is None:
            notes = [noting.unstated(total - known, chinese=chinese)] if total > known else []
            return replace(counted, items=(str(total),), notes=notes)
        return None  # how many of the others the filter lets pass is not known here

    async def _ranking(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        if query.wanted in {"author", "institution", "venue"} and query.relation != "CITES":
            papers = await self._papers.matching(subjects, query)
            lines = await self._listing.around(query.wanted, await self._papers.of_nodes(papers))
            for line in lines:
                keys = dict.fromkeys(paper_of(edge) for edge in line.edges)
                line.papers = [papers[key] for key in keys if key in papers]
                line.edges = [edge for edge in line.edges if paper_of(edge) in papers]
            lines = [line for line in lines if line.papers]
        else:
            lines = await self._most_used(query, subjects)
        return _ranked(lines, query)

    async def _most_used(self, query: Query, subjects: Sequence[Subject]) -> list[Line]:
        """Return methods, data sets or papers with the papers that use, improve or cite them."""
        relations = _SHARED[query.wanted] if query.relation is None else (query.relation,)
        papers = await self._papers.matching(subjects, replace(query, relation=None))
        found: dict[int, Line] = {}
        for edge in await self._sight.every(*relations):
            if edge.target.kind != query.wanted or paper_of(edge) not in papers:
                continue
            line = found.setdefault(edge.target.number, Line(name=called(edge.target), node=edge.target))
            if papers[paper_of(edge)] not in line.papers:
                line.papers.append(papers[paper_of(edge)])
        return list(found.values())

    async def _order(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        lines = of_papers(await self._papers.matching(subjects, query))
        lines = [line for line in lines if line.cells[0]]
        if not lines:
            return None
        year = lines[0 if query.form == "first" else -1].cells[0]
        best = [line for line in lines if line.cells[0] == year]
        notes = [noting.same_year(len(best), chinese=is_chinese(query.text))] if len(best) > 1 else []
        names = tuple(line.name for line in best)
        return Counted(lines=best, items=names, heads=("paper", "year"), notes=notes, best=int(year))

    async def _results(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        return await results(self._sight, query, subjects)

    async def _contradictions(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        return await contradicting(self._sight, query, subjects)

    async def _lineage(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        start = next((node for subject in subjects for node in subject.of("method")), None)
        if start is None:
            return None

        async def edges_of(nodes: Sequence[Node]) -> Sequence[Edge]:
            return await self._sight.edges(nodes, "IMPROVES_ON", into=not query.inverse)

        steps = await chain_of(start, edges_of, back=query.inverse)
        years = await self._listing.years([step.node for step in steps])
        lines = [
            Line(
                name=called(step.node),
                cells=(str(years.get(step.node.number, "")), ", ".join(step.others)),
                edges=list(step.edges),
                node=step.node,
            )
            for step in steps
        ]
        if len(steps) < 2:
            return None
        lines[-1].edges = list(steps[-2].edges)  # the end of the line is proven by the step to it
        return Counted(lines=lines, items=tuple(line.name for line in lines), heads=("method", "year", "also"))

    async def _common(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        whole = query.relation is None and query.wanted == "paper"
        relations = _ANYTHING if whole else _SHARED.get(query.wanted, _ANYTHING)
        ends = [await self._ends(subject, relations) for subject in subjects]
        if len(ends) < 2:
            return None
        shared = [number for number in ends[0] if all(number in other for other in ends[1:])]
        lines: list[Line] = []
        for number in shared:
            node = ends[0][number][0].target
            if whole or node.kind == query.wanted:
                edges = [edge for each in ends for edge in each[number]]
                lines.append(Line(name=called(node), cells=(node.kind,), edges=edges, node=node))
        return Counted(lines=lines, items=tuple(line.name for line in lines), heads=("shared by", "which"))

    async def _ends(self, subject: Subject, relations: Sequence[Relation]) -> dict[int, list[Edge]]:
        """Return what a method, with its paper, or a paper, with its method, leads to."""
        nodes = subject.of("method", "paper", "author", "dataset")
        proposed = await self._sight.proposers([node for node in nodes if node.kind != "paper"])
        nodes += [edge.source for edges in proposed.values() for edge in edges]
        papers = [node for node in nodes if node.kind == "paper"]
        nodes += [edge.target for edge in await self._sight.edges(papers, "PROPOSES", into=False)]
        found: dict[int, list[Edge]] = {}
        for edge in await self._sight.edges(nodes, *relations, into=False):
            found.setdefault(edge.target.number, []).append(edge)
        return found


def _ranked(lines: list[Line], query: Query) -> Counted | None:
    """Return the lines with the most papers, all of those that are tied with the last."""
    ordered = sorted(lines, key=lambda line: -len(line.papers))
    if not ordered:
        return None
    wanted = min(query.most or 1, len(ordered))
    least, best = len(ordered[wanted - 1].papers), len(ordered[0].papers)
    top = [line for line in ordered if len(line.papers) >= least]
    if len(top) > wanted + _TIED or (best == 1 and len(top) > wanted):
        return None  # nothing comes first
    for line in ordered:
        line.cells = (str(len(line.papers)),)
    notes = [noting.tied(len(top), least, chinese=is_chinese(query.text))] if len(top) > wanted else []
    shown = ordered[: max(_SHOWN, len(top))]
    heads = (_HEADS.get(query.wanted, query.wanted), "papers")
    return Counted(lines=shown, items=tuple(line.name for line in top), heads=heads, notes=notes, best=best)
