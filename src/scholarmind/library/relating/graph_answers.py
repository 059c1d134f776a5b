"""Answers from the graph of papers: a count, list, ranking or table where a question asks for one, and passages that prove its relations.

`LibraryRelations` is the way in; `Tallying` answers structured questions. Nothing is guessed: about somebody whom the library
does not know nothing is counted. Lineages and benchmark results have modules of their own.
"""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from scholarmind.filters import Filter
from scholarmind.library.relating import answer_tables
from scholarmind.library.relating.answer_tables import (
    Counted,
    CountedLine,
    contradicting,
    evidence_of,
    results,
    tallied,
)
from scholarmind.library.relating.lineage import SHARED, common, lineage
from scholarmind.library.relating.paper_sets import (
    JOINED,
    Key,
    Paper,
    Papers,
    Sight,
    Subject,
    authors_query,
    called,
    excepts,
    in_years,
    nested,
    own,
    paper_of,
    together,
)
from scholarmind.library.relating.sentence_parts import listing
from scholarmind.library_ports import Graph
from scholarmind.model import Evidence
from scholarmind.plan import Kind
from scholarmind.planning.question_words import is_chinese
from scholarmind.planning.structured.recognition import recognise
from scholarmind.ports import Retriever
from scholarmind.ranking import key_of
from scholarmind.relations import Edge, Form, Mention, Node, NodeKind, Query, Related, Relation, Tally
from scholarmind.text.analysis import STOP_WORDS, fold

# -- lists of nodes: methods, data sets, authors, groups, venues, papers

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

    async def of(self, query: Query, subjects: Sequence[Subject]) -> list[CountedLine]:
        """Return a line for each node that is wanted, in the order in which the documents state them."""
        if query.wanted == "paper" and query.relation == "CITES" and query.inverse:
            return await self._cited(query, subjects)
        if query.wanted == "paper":
            return _of_papers(await self._papers.matching(subjects, query))
        if query.wanted in _OF_PAPERS:
            return await self._of_papers(query, subjects)
        if query.wanted == "method":
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
        return await self._used(query, subjects)

    async def _cited(self, query: Query, subjects: Sequence[Subject]) -> list[CountedLine]:
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

    async def _of_papers(self, query: Query, subjects: Sequence[Subject]) -> list[CountedLine]:
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

    async def around(self, wanted: NodeKind, papers: Sequence[Node]) -> list[CountedLine]:
        """Return the authors, groups or venues of papers, with the edges that say so."""
        edges = await self._sight.edges(papers, _OF_PAPERS[wanted], into=False)
        if wanted == "institution":
            written = await self._sight.edges(papers, "AUTHORED_BY", into=False)
            stated = {paper_of(edge) for edge in written}
            theirs = await self._sight.edges([edge.target for edge in written], "AFFILIATED_WITH", into=False)
            edges = [*edges, *(edge for edge in theirs if paper_of(edge) in stated)]
        return _lines((edge.target, edge) for edge in edges if edge.target.kind == wanted)

    async def _related_methods(
        self, query: Query, things: Sequence[Node], subjects: Sequence[Subject]
    ) -> list[CountedLine]:
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

    async def _used(self, query: Query, subjects: Sequence[Subject]) -> list[CountedLine]:
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


def _of_papers(papers: Mapping[Key, Paper]) -> list[CountedLine]:
    """Return a line for each paper, the oldest first."""
    ordered = sorted(papers.values(), key=lambda paper: (paper.year or 9999, paper.title))
    return [
        CountedLine(name=paper.title, cells=(str(paper.year or ""),), papers=[paper], node=paper.node)
        for paper in ordered
    ]


def _is_not_later(edge: Edge, years: Mapping[int, int]) -> bool:
    return edge.year is None or years.get(edge.target.number, 0) <= edge.year


def _are_joined(query: Query) -> bool:
    """Tell whether all the names are meant, and not any of them."""
    return len(query.about) > 1 or any(JOINED.search(piece) for piece in query.about)


def _of_all(lines: list[CountedLine], subjects: Sequence[Subject]) -> list[CountedLine]:
    """Return the lines that have to do with each of the names."""
    wanted = [{node.number for node in one.nodes} for subject in subjects for one in together(subject)]
    reached = [{number for edge in line.edges for number in (edge.source.number, edge.target.number)} for line in lines]
    return [line for line, numbers in zip(lines, reached, strict=True) if all(numbers & each for each in wanted)]


def _lines(ends: Iterable[tuple[Node, Edge]]) -> list[CountedLine]:
    found: dict[int, CountedLine] = {}
    for node, edge in ends:
        if edge.confidence >= _LOW:
            found.setdefault(node.number, CountedLine(name=called(node), node=node)).edges.append(edge)
    return list(found.values())


# -- structured questions: count, rank, list, follow, compare

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
        # that institutions whose names begin alike were not counted with the one that was asked about
        named = [node for subject in subjects for node in subject.of("institution")]
        parts = [called(node) for node in await self._sight.parts(named) if node not in named]
        counted.notes += [answer_tables.apart(parts, chinese=is_chinese(query.text))] if parts else []
        if (
            query.wanted == "paper"
            and any(subject.of("method", "dataset", "task") for subject in left_out)
            and not excepts(query)
        ):
            counted.notes.append(answer_tables.silent(chinese=is_chinese(query.text)))
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
        notes = [answer_tables.named_only(named, chinese=chinese)] if named else []
        if query.relation == "CITES" and query.inverse and all(_is_named_only(line.edges) for line in lines):
            notes = [answer_tables.by_names(chinese=chinese)]
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
        notes = [*counted.notes, *([answer_tables.by_words(by_words, chinese=chinese)] if by_words else [])]
        same = [(one.text, len(one.of("author"))) for subject in subjects for one in together(subject)]
        persons = Counter(line.name for line in counted.lines if query.wanted == "author")
        same += [(name, several) for name, several in persons.most_common(_TOLD) if several > 1]
        notes += [answer_tables.same_name(authors, name, chinese=chinese) for name, authors in same if authors > 1]
        return replace(counted, items=(str(len(counted.lines)),), notes=notes)

    async def _whole(self, counted: Counted, *, chinese: bool, some: bool) -> Counted | None:
        """Return how many documents the library has: some state neither authors nor year, and are no papers of the graph.

        Where some are left out, nobody knows whether those would be.
        """
        counts = await self._sight.graph.counts()
        total, known = counts.documents + counts.waiting, len(counted.lines)
        if some:
            unknown = total - len(await self._papers.all()) if self._sight.within is None else 0
            notes = [answer_tables.unknown(unknown, chinese=chinese)] if unknown > 0 else []
            return replace(counted, items=(str(known),), notes=[*counted.notes, *notes])
        if total == known or self._sight.within is None:
            notes = [answer_tables.unstated(total - known, chinese=chinese)] if total > known else []
            return replace(counted, items=(str(total),), notes=notes)
        return None  # how many of the others the filter lets pass is not known here

    async def _ranking(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        ranked = _ranked(await self._but_for(query, await self._with_papers(query, subjects)), query)
        if (
            ranked is not None
            and query.relation == "CITES"
            and all(_is_named_only(line.edges) for line in ranked.lines)
        ):
            ranked.notes.append(answer_tables.by_names(chinese=is_chinese(query.text)))
        return ranked

    async def _but_for(self, query: Query, lines: list[CountedLine]) -> list[CountedLine]:
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

    async def _with_papers(self, query: Query, subjects: Sequence[Subject]) -> list[CountedLine]:
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

    async def _most_used(self, query: Query, subjects: Sequence[Subject]) -> list[CountedLine]:
        """Return methods, data sets or papers with the papers that use, improve or cite them."""
        relations = SHARED[query.wanted] if query.relation is None else (query.relation,)
        papers = await self._papers.matching(subjects, replace(query, relation=None))
        found: dict[int, CountedLine] = {}
        edges = await self._sight.every(*relations)
        if query.relation == "CITES" and not edges:
            edges = await self._sight.every("MENTIONS")
        for edge in edges:
            if edge.target.kind != query.wanted or paper_of(edge) not in papers:
                continue
            line = found.setdefault(edge.target.number, CountedLine(name=called(edge.target), node=edge.target))
            if papers[paper_of(edge)] not in line.papers:
                line.papers.append(papers[paper_of(edge)])
            line.edges.append(edge)
        return list(found.values())

    async def _order(self, query: Query, subjects: Sequence[Subject]) -> Counted | None:
        lines = _of_papers(await self._papers.matching(subjects, query))
        lines = [line for line in lines if line.cells[0]]
        if not lines:
            return None
        year = lines[0 if query.form == "first" else -1].cells[0]
        best = [line for line in lines if line.cells[0] == year]
        notes = [answer_tables.same_year(len(best), chinese=is_chinese(query.text))] if len(best) > 1 else []
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


def _ranked(lines: list[CountedLine], query: Query) -> Counted | None:
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
    notes = [answer_tables.tied(tied, least, chinese=chinese)] if len(top) > wanted else []
    persons = Counter(line.name for line in lines if query.wanted == "author")
    notes += [
        answer_tables.same_name(persons[line.name], line.name, chinese=chinese)
        for line in top
        if persons[line.name] > 1
    ]
    shown = ordered[: max(_SHOWN, len(top))]
    heads = (_HEADS.get(query.wanted, query.wanted), "papers")
    told = ()
    if query.wanted == "year" and query.least is not None:  # the papers of each year, in their order
        top = shown = sorted(ordered, key=lambda line: line.name)
        told = tuple(f"{line.name} ({len(line.papers)})" for line in top)
    return Counted(lines=shown, items=tuple(line.name for line in top), heads=heads, notes=notes, best=best, told=told)


# -- which relations the words of a question ask for

_SAID: tuple[tuple[str, tuple[Relation, ...]], ...] = (
    (
        (
            r"\bimprov(?:e[sd]?|ing|ements?)\b(?! (?:the )?performance)|\b(?:successors?|variants?|build(?:s"
            r"|ing)? (?:up)?on|built (?:up)?on|based on|extend(?:s|ed)?)\b"
            r"|改进|后继|变体|基于|建立在|扩展"
        ),
        ("IMPROVES_ON",),
    ),
    (
        (
            r"\b(?:performance|performs?|results?|scores?|accurac(?:y|ies)|f1|bleu|rouge|perplexity|benchmarks?"
            r"|faster|speed-?up|gains?)\b"
            r"|性能|结果|得分|准确率|效果|表现|提升|指标|成绩"
        ),
        ("REPORTS", "EVALUATED_ON"),
    ),
    (
        r"\bdata ?sets?\b|\bcorpus\b|\bcorpora\b|\btrained on\b|\bevaluated\b|数据集|语料|评测|训练数据",
        ("EVALUATED_ON", "USES"),
    ),
    (
        (
            r"\bwho\b.{0,40}\b(?:propos|introduc|develop|invent|creat|wr[io]t|design|publish)\w*|\bauthors?\b"
            r"|\bproposed by\b|谁.{0,6}(?:提出|写|发明|开发)|作者|提出者"
        ),
        ("PROPOSES", "AUTHORED_BY"),
    ),
    (
        (
            r"\b(?:research )?(?:groups?|labs?|institutions?|universit(?:y|ies)|affiliat\w+|teams?"
            r"|organi[sz]ations?)\b|机构|研究组|团队|实验室|单位"
        ),
        ("AFFILIATED_WITH",),
    ),
    (r"\bcit(?:e[sd]?|ing|ations?)\b|引用", ("CITES", "MENTIONS")),
    (r"\b(?:use[sd]?|using|rel(?:y|ies) on|adopt\w*)\b|使用|采用|依赖", ("USES",)),
    (r"\b(?:published|venue|conference|journal|appeared)\b|发表|会议|期刊", ("PUBLISHED_IN",)),
)

_CUES: tuple[tuple[re.Pattern[str], tuple[Relation, ...]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), relations) for pattern, relations in _SAID
)


def _relations_in(question: str) -> tuple[Relation, ...]:
    """Return the relations that a question asks for, each once."""
    found: dict[Relation, None] = {}
    for pattern, relations in _CUES:
        if pattern.search(question):
            found |= dict.fromkeys(relations)
    return tuple(found)


# -- names that the library does not know

_NAME = re.compile(
    r"[A-Z]{2,}[\w-]*|[A-Z][\w.'’-]*[a-z][\w.'’-]*(?: (?:[A-Z][\w.'’-]*|de|la|van|der|von|of|the|for))*|[\u3400-\u9fff]{2,4}"
)

_BY: frozenset[Relation | None] = frozenset((None, "AUTHORED_BY", "PUBLISHED_IN", "AFFILIATED_WITH"))
_LOOKED_AT = 40  # passages


async def _absent(query: Query, sight: Sight, retriever: Retriever) -> Tally | None:
    """Return that there is no such paper, if a question counts or lists those of a person, group or venue that is named nowhere."""
    if query.form not in {"count", "list"} or query.wanted != "paper" or query.relation not in _BY:
        return None
    for piece in query.about:
        if _NAME.fullmatch(piece) and not (await sight.subject(piece)).nodes and not await _is_named(piece, retriever):
            return Tally(
                row="",
                form="count",
                said=_said(piece, chinese=is_chinese(query.text)),
                columns=(),
                rows=(),
                items=("0",),
            )
    return None


async def _is_named(name: str, retriever: Retriever) -> bool:
    """Tell whether any passage, or what is known of its document, has the last word of a name."""
    last = fold(name).split()[-1]
    found = await retriever.search(name, _LOOKED_AT)
    texts = (
        " ".join((item.passage.text, item.document.title, *item.document.authors, item.document.source))
        for item in found.evidence
    )
    return any(last in fold(text) for text in texts)


def _said(name: str, *, chinese: bool) -> str:
    if chinese:
        return f"库中没有这样的论文：没有任何文献提到{name}。"
    return f"The library has no such papers: nothing in it names {name}."


# -- one graph, and any question

_EDGES = 200  # of the nodes of a question that are looked at
_REMEMBERED = 200  # answers
_TALLIED = 0.9  # the score of the first passage that a count rests on
_PROVES = 0.5  # ... that proves an edge that the question asks for
_NEAR = 0.3  # ... that is near by walking the graph
_FADES = 0.02
_NAMED: tuple[NodeKind, ...] = ("paper", "author", "institution", "method", "dataset", "venue")


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryRelations:
    """Asks one graph, and only for what passes `within`. Topics are found by the retriever; years are counted from `now`.

    What is asked again, as a second round of a question does, has the answer that it had: questions read one state of the library.
    """

    graph: Graph
    retriever: Retriever
    now: int
    within: Filter | None = None
    _known: dict[tuple[str, Kind, int], Related] = field(
        default_factory=dict[tuple[str, Kind, int], Related], init=False
    )

    async def related(self, question: str, kind: Kind, k: int) -> Related:
        """Return what the graph knows for a question."""
        asked = (question, kind, k)
        if asked not in self._known:
            found = await self._related(question, kind, k)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[asked] = found
        return self._known[asked]

    async def _related(self, question: str, kind: Kind, k: int) -> Related:
        query = recognise(question, self.now)
        if query is not None and (counted := await self._counted(query, k)) is not None:
            return counted
        described = await authors_query(question, self.retriever)
        if described is not None and (counted := await self._counted(described, k)) is not None:
            return counted
        mentions = await self.graph.mentioned(question, self.within)
        named = list({mention.node.number: mention.node for mention in mentions if _is_specific(mention)}.values())
        if not named:
            return Related()
        edges = await self._asked_for(question, named)
        near = await self._near(named) if kind == "reasoning" else []
        proving = _scored(await self.graph.proofs(edges[:k]), _PROVES)
        around = _scored(await self.graph.proofs(near[:k]), _NEAR)
        found: dict[tuple[str, str, int], Evidence] = {}
        for item in (*proving, *around):
            found.setdefault(key_of(item), item)
        if not found:
            return Related()
        return Related(
            evidence=tuple(found.values())[:k],
            relations=tuple(dict.fromkeys(edge.relation for edge in (*edges[:k], *near[:k]))),
            nodes=tuple(dict.fromkeys(called(node) for node in named)),
        )

    async def _counted(self, query: Query, k: int) -> Related | None:
        """Return a table with its passages, or nothing where the graph does not know what is asked about."""
        sight = Sight(graph=self.graph, within=self.within)
        counted = await Tallying(sight, self.retriever, self.now).count(query)
        tally = await tallied(query, counted, sight) if counted else None
        if counted is None or tally is None:
            nothing = await _absent(query, sight, self.retriever)
            return Related(tally=nothing) if nothing else None
        evidence = list({key_of(item): item for item in evidence_of(tally)}.values())
        relations: dict[Relation, None] = {edge.relation: None for edge in counted.edges}
        names = (called(node) for subject in counted.subjects for node in subject.nodes)
        return Related(
            evidence=tuple(_scored(evidence[:k], _TALLIED)),
            tally=tally,
            relations=tuple(relations) or ("MENTIONS",),
            nodes=tuple(dict.fromkeys(names)),
        )

    async def _asked_for(self, question: str, named: Sequence[Node]) -> list[Edge]:
        """Return the edges of the nodes that the words of a question ask for; those between two of its nodes first."""
        relations = _relations_in(question)
        if not relations:
            return []
        numbers = {node.number for node in named}
        edges = await self.graph.edges(sorted(numbers), relations=relations, filter=self.within, limit=_EDGES)
        proven = [edge for edge in edges if edge.position is not None]
        return sorted(
            proven, key=lambda edge: (-len(numbers & {edge.source.number, edge.target.number}), -edge.confidence)
        )

    async def _near(self, named: Sequence[Node]) -> list[Edge]:
        """Return the edges around the nodes by personalised PageRank."""
        seeds = {node.number: 1.0 for node in named}
        return [edge for edge, _ in await self.graph.ranked(seeds, filter=self.within) if edge.position is not None]


def _is_specific(mention: Mention) -> bool:
    """Tell whether a question names one thing here: not where its words are those of the language, or those of a kind of things."""
    names = {mention.text.casefold(), mention.node.name.casefold()}
    return mention.node.kind in _NAMED and names.isdisjoint(STOP_WORDS) and names.isdisjoint(get_args(NodeKind))


def _scored(evidence: Iterable[Evidence], best: float) -> list[Evidence]:
    """Return passages, each once, with scores that fall from the best one's."""
    once = list({key_of(item): item for item in evidence}.values())
    return [item.rated(max(best - place * _FADES, 0.0)) for place, item in enumerate(once)]
