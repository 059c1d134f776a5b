"""Answer a structured question from the graph of papers: count, rank, list, follow and compare. Nothing is guessed."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from scholarmind.library.relating import noting
from scholarmind.library.relating.counting import Counted, Line
from scholarmind.library.relating.lineage import lineage
from scholarmind.library.relating.listing import Listing, of_papers
from scholarmind.library.relating.paper_sets import Papers, together
from scholarmind.library.relating.reported import contradicting, results
from scholarmind.library.relating.sharing import SHARED, common
from scholarmind.library.relating.sighting import Sight, Subject, called, excepts, nested, paper_of
from scholarmind.library.relating.words import listing
from scholarmind.planning.words import is_chinese
from scholarmind.ports import Retriever
from scholarmind.relations import Edge, Form, NodeKind, Query

_TOLD = 3  # names of what a description stands for
_SHOWN = 10  # lines of a ranking
_TIED = 8  # nodes with the same count, above which there is no first among them
_LEAVES_OUT: frozenset[Form] = frozenset(("count", "list", "ranking", "first", "latest"))
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
        left_out = [await self._sight.subject(piece) for piece in query.without]
        if left_out and not (_may_leave_out(query) and all(subject.nodes for subject in left_out)):
            return None  # what is left out must be known
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
        counted.left_out = left_out
        counted.notes += await self._apart(query, subjects)
        if (
            query.wanted == "paper"
            and any(subject.of("method", "dataset", "task") for subject in left_out)
            and not excepts(query)
        ):
            counted.notes.append(noting.silent(chinese=is_chinese(query.text)))
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
        lines = await self._but_for(query, await self._listing.of(query, subjects))
        heads = (_HEADS.get(query.wanted, query.wanted), *(("year",) if query.wanted == "paper" else ()))
        named = sum(_is_named_only(paper.edges) for line in lines for paper in line.papers)
        chinese = is_chinese(query.text)
        notes = [noting.named_only(named, chinese=chinese)] if named else []
        if query.relation == "CITES" and query.inverse and all(_is_named_only(line.edges) for line in lines):
            notes = [noting.by_names(chinese=chinese)]
        return Counted(lines=lines, items=tuple(line.name for line in lines), heads=heads, notes=notes)

    async def _count(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        if query.least is not None:
            often = _ranked(await self._with_papers(query, subjects), query)
            return replace(often, items=(str(len(often.items)),)) if often else None
        counted = await self._list(query, subjects)
        if counted is None or (query.wanted == "author" and any(subject.of("method", "paper") for subject in subjects)):
            return None  # how many authors a paper has is for its text to say: metadata often name only the first
        chinese = is_chinese(query.text)
        if query.wanted == "paper" and not subjects and query.since is None and query.until is None:
            return await self._whole(counted, chinese=chinese, some=bool(query.without))
        by_words = sum(not paper.edges for line in counted.lines for paper in line.papers)
        notes = [*counted.notes, *([noting.by_words(by_words, chinese=chinese)] if by_words else [])]
        same = [(one.text, len(one.of("author"))) for subject in subjects for one in together(subject)]
        persons = Counter(line.name for line in counted.lines if query.wanted == "author")
        same += [(name, several) for name, several in persons.most_common(_TOLD) if several > 1]
        notes += [noting.same_name(authors, name, chinese=chinese) for name, authors in same if authors > 1]
        return replace(counted, items=(str(len(counted.lines)),), notes=notes)

    async def _whole(self, counted: Counted, *, chinese: bool, some: bool) -> Counted | None:
        """Return how many documents the library has: some state neither authors nor year, and are no papers of the graph.

        Where some are left out, nobody knows whether those would be.
        """
        counts = await self._sight.graph.counts()
        total, known = counts.documents + counts.waiting, len(counted.lines)
        if some:
            unknown = total - len(await self._papers.all()) if self._sight.within is None else 0
            notes = [noting.unknown(unknown, chinese=chinese)] if unknown > 0 else []
            return replace(counted, items=(str(known),), notes=[*counted.notes, *notes])
        if total == known or self._sight.within is None:
            notes = [noting.unstated(total - known, chinese=chinese)] if total > known else []
            return replace(counted, items=(str(total),), notes=notes)
        return None  # how many of the others the filter lets pass is not known here

    async def _ranking(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        ranked = _ranked(await self._but_for(query, await self._with_papers(query, subjects)), query)
        if (
            ranked is not None
            and query.relation == "CITES"
            and all(_is_named_only(line.edges) for line in ranked.lines)
        ):
            ranked.notes.append(noting.by_names(chinese=is_chinese(query.text)))
        return ranked

    async def _apart(self, query: Query, subjects: Sequence[Subject]) -> list[str]:
        """Return that institutions whose names begin alike were not counted with the one that was asked about."""
        named = [node for subject in subjects for node in subject.of("institution")]
        parts = [called(node) for node in await self._sight.parts(named) if node not in named]
        return [noting.apart(parts, chinese=is_chinese(query.text))] if parts else []

    async def _but_for(self, query: Query, lines: list[Line]) -> list[Line]:
        """Return the lines without what a question leaves out; papers were left out before."""
        if query.wanted == "paper" or not query.without:
            return lines
        dropped = set[int]()
        for piece in query.without:
            dropped |= {node.number for node in (await self._sight.subject(piece)).of(query.wanted)}
        if not dropped or not excepts(query):
            same = await self._listing.of(*await self._of_left_out(query)) if query.about else lines
            dropped |= (
                {line.node.number for line in same if line.node} if query.wanted in {"method", "dataset"} else set()
            )
        return [line for line in lines if not line.node or line.node.number not in dropped]

    async def _of_left_out(self, query: Query) -> tuple[Query, list[Subject]]:
        """Return the question for what is left out."""
        subjects = [await self._sight.subject(piece) for piece in query.without]
        return replace(query, about=query.without, without=()), subjects

    async def _with_papers(self, query: Query, subjects: Sequence[Subject]) -> list[Line]:
        """Return what is ranked, each with its papers."""
        if query.wanted in {"author", "institution", "venue", "year"} and query.relation != "CITES":
            papers = await self._papers.matching(subjects, query)
            lines = await self._listing.around(query.wanted, await self._papers.of_nodes(papers))
            for line in lines:
                keys = dict.fromkeys(paper_of(edge) for edge in line.edges)
                line.papers = [papers[key] for key in keys if key in papers]
                line.edges = [edge for edge in line.edges if paper_of(edge) in papers]
            return [line for line in lines if line.papers]
        return await self._most_used(query, subjects)

    async def _most_used(self, query: Query, subjects: Sequence[Subject]) -> list[Line]:
        """Return methods, data sets or papers with the papers that use, improve or cite them."""
        relations = SHARED[query.wanted] if query.relation is None else (query.relation,)
        papers = await self._papers.matching(subjects, replace(query, relation=None))
        found: dict[int, Line] = {}
        edges = await self._sight.every(*relations)
        if query.relation == "CITES" and not edges:
            edges = await self._sight.every("MENTIONS")
        for edge in edges:
            if edge.target.kind != query.wanted or paper_of(edge) not in papers:
                continue
            line = found.setdefault(edge.target.number, Line(name=called(edge.target), node=edge.target))
            if papers[paper_of(edge)] not in line.papers:
                line.papers.append(papers[paper_of(edge)])
            line.edges.append(edge)
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

    async def _common(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        if query.relation == "CITES" and all(subject.of("author", "institution", "venue") for subject in subjects):
            return await self._list(replace(query, relation="AUTHORED_BY"), subjects)
        return await common(self._sight, query, subjects)

    async def _lineage(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        return await lineage(self._sight, query, subjects, self._listing.years)


def _may_leave_out(query: Query) -> bool:
    """Tell whether something can be left out of an answer: of all papers, or of what is asked about."""
    return query.form in _LEAVES_OUT and (query.wanted not in {"method", "dataset", "task"} or bool(query.about))


def _is_named_only(edges: Sequence[Edge]) -> bool:
    """Tell whether papers only name something in their text, where it was asked who cites it."""
    relations = {edge.relation for edge in edges}
    return "MENTIONS" in relations and "CITES" not in relations


def _ranked(lines: list[Line], query: Query) -> Counted | None:
    """Return the lines with the most papers, all of those that are tied with the last; or those with enough of them."""
    ordered = sorted(lines, key=lambda line: -len(line.papers))
    if query.least is not None:
        ordered = [line for line in ordered if len(line.papers) >= query.least]
    if not ordered:
        return None
    wanted = min(query.most or (1 if query.least is None else len(ordered)), len(ordered))
    least, best = len(ordered[wanted - 1].papers), len(ordered[0].papers)
    top = [line for line in ordered if len(line.papers) >= least]
    if len(top) > wanted + _TIED or (best == 1 and len(top) > wanted):
        return None  # nothing comes first
    for line in ordered:
        line.cells = (str(len(line.papers)),)
    chinese = is_chinese(query.text)
    tied = sum(len(line.papers) == least for line in top)
    notes = [noting.tied(tied, least, chinese=chinese)] if len(top) > wanted else []
    persons = Counter(line.name for line in lines if query.wanted == "author")
    notes += [
        noting.same_name(persons[line.name], line.name, chinese=chinese) for line in top if persons[line.name] > 1
    ]
    shown = ordered[: max(_SHOWN, len(top))]
    heads = (_HEADS.get(query.wanted, query.wanted), "papers")
    told = ()
    if query.wanted == "year" and query.least is not None:  # the papers of each year, in their order
        top = shown = sorted(ordered, key=lambda line: line.name)
        told = tuple(f"{line.name} ({len(line.papers)})" for line in top)
    return Counted(lines=shown, items=tuple(line.name for line in top), heads=heads, notes=notes, best=best, told=told)
