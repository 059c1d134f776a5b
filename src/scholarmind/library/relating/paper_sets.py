"""Sets of papers: which nodes of the graph a question names or describes, and the papers it is about, by author, venue, topic and year."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scholarmind import languages
from scholarmind.citing.citation_styles import person
from scholarmind.filters import Filter
from scholarmind.graph.name_matching import family
from scholarmind.library_ports import Graph
from scholarmind.model import Evidence
from scholarmind.planning.question_words import content
from scholarmind.planning.structured.recognition import CITATION, described
from scholarmind.ports import Retriever
from scholarmind.relations import Edge, Node, NodeKind, Proof, Query, Relation
from scholarmind.text.analysis import fold, terms
from scholarmind.text.glossary import translations
from scholarmind.text.language import HAN

# -- what may be seen of the graph

Key = tuple[str, str]  # collection and id of a document
_MOST = 200_000  # edges that are looked at in one step
_EXCEPT = re.compile(
    r"\b(?:except|excluding|other than|besides|apart from|aside from|leaving out)\b|除|以外|之外", re.IGNORECASE
)

_OTHERS = re.compile(r"[,，]?\s*(?:\bet\s+al\b\.?|\band others\b|等人?)\s*[,，]?\s*$", re.IGNORECASE)
_AND = re.compile(r"\s*(?:[,，、;；&]|\band\b|[与和及])\s*", re.IGNORECASE)
_MOST_CITED = 6  # names
_PEOPLE: tuple[NodeKind, ...] = ("author", "institution", "venue")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a question is about: the nodes that are called so, or the words of a topic that is none."""

    text: str
    nodes: tuple[Node, ...] = ()
    topic: str = ""

    def of(self, *kinds: NodeKind) -> list[Node]:
        """Return the nodes of these kinds."""
        return [node for node in self.nodes if node.kind in kinds]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What may be seen of a graph."""

    graph: Graph
    within: Filter | None = None
    cut: list[int] = field(default_factory=list[int])  # after how many edges it was not looked any further

    async def edges(
        self, nodes: Sequence[Node], *relations: Relation, into: bool | None = None, most: int = _MOST
    ) -> list[Edge]:
        """Return the edges of these nodes; of none, none."""
        if not nodes:
            return []
        numbers = list(dict.fromkeys(node.number for node in nodes))
        found = await self.graph.edges(numbers, relations=relations, into=into, filter=self.within, limit=most)
        return self._told(found, most)

    async def every(self, *relations: Relation) -> list[Edge]:
        """Return all edges of these relations."""
        return self._told(await self.graph.edges((), relations=relations, filter=self.within, limit=_MOST), _MOST)

    def _told(self, edges: list[Edge], most: int) -> list[Edge]:
        if len(edges) >= most:
            self.cut.append(most)
        return edges

    async def subject(self, text: str) -> Subject:
        """Return what is called so. Words around a name in small letters make a topic of it: sparse attention is not attention."""
        if cited := await self.cited(text):
            return Subject(text=text, nodes=tuple(cited))
        mentions = await self.graph.mentioned(text, self.within)
        rest = text
        for mention in sorted(mentions, key=lambda mention: -mention.start):
            rest = f"{rest[: mention.start]} {rest[mention.end :]}"
        named = [mention for mention in mentions if not content(rest) or mention.text != mention.text.lower()]
        nodes = [mention.node for mention in named] or await self.graph.find(text, filter=self.within)
        found = tuple({node.number: node for node in nodes}.values())
        return Subject(text=text, nodes=found, topic="" if any(node.kind in _PEOPLE for node in found) else text)

    async def cited(self, text: str) -> list[Node]:
        """Return the papers that a citation by authors and year means: Okafor et al. 2018, Okafor and Lind (2018), 王与赵（2011）."""
        said = CITATION.fullmatch(text)
        others = _OTHERS.search(said["names"]) if said else None
        names = _AND.split(_OTHERS.sub("", said["names"])) if said else []
        families = [fold(name).strip(" .") for name in names if name.strip(" .")]
        if said is None or not families or len(families) > _MOST_CITED:
            return []
        authors: dict[int, list[str]] = {}
        papers: dict[int, Node] = {}
        for edge in await self.every("AUTHORED_BY"):
            if own(edge) and edge.year == int(said["year"]) and edge.source.kind == "paper":
                papers[edge.source.number] = edge.source
                authors.setdefault(edge.source.number, []).append(edge.target.name)
        found = [
            (number, len(theirs) == len(families) if others is None else len(theirs) > len(families))
            for number, theirs in authors.items()
            if len(theirs) >= len(families) and all(map(_is_author, families, theirs))
        ]
        exact = [number for number, whole in found if whole]
        return [papers[number] for number in exact or (number for number, _ in found)]

    async def parts(self, institutions: Sequence[Node]) -> list[Node]:
        """Return the institutions whose names begin with that of one of these: Google Research is a part of Google."""
        begins = tuple(f"{node.name} " for node in institutions)
        if not begins:
            return []
        targets = {edge.target.number: edge.target for edge in await self.every("AFFILIATED_WITH")}
        return [node for node in targets.values() if node.name.startswith(begins)]

    async def proposers(self, methods: Sequence[Node]) -> dict[int, list[Edge]]:
        """Return, by the number of a method or data set, the edges from the papers of the library that propose it.

        What a paper's own metadata say of it outweighs what a sentence somewhere may have been misread for.
        """
        found: dict[int, list[Edge]] = {}
        for edge in await self.edges(methods, "PROPOSES", into=True):
            if edge.source.document and own(edge):
                found.setdefault(edge.target.number, []).append(edge)
        return {number: [edge for edge in edges if edge.by == "metadata"] or edges for number, edges in found.items()}

    async def proofs(self, edges: Iterable[Edge]) -> "Proofs":
        """Return what these edges rest on."""
        wanted = list({(edge.collection, edge.document, edge.position): edge for edge in edges}.values())
        found = await self.graph.proofs(wanted)
        exact = {(item.document.collection, item.document.id, item.passage.position): item for item in found}
        whole: dict[Key, Evidence] = {}
        for item in sorted(found, key=lambda item: item.passage.position):
            whole.setdefault((item.document.collection, item.document.id), item)
        return Proofs(exact=exact, whole=whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proofs:
    """Passages by their place, and the first known of each document."""

    exact: Mapping[tuple[str, str, int], Evidence]
    whole: Mapping[Key, Evidence]

    def of(self, edge: Edge) -> Proof | None:
        """Return the passage that proves an edge; a document that is gone proves nothing."""
        if edge.position is not None:
            item = self.exact.get((edge.collection, edge.document, edge.position))
        else:
            item = self.whole.get((edge.collection, edge.document))
        return Proof(evidence=item, start=edge.start, end=edge.end) if item else None


def _is_author(said: str, name: str) -> bool:
    """Tell whether an author is called so: by the family name, or in full."""
    return said in {fold(person(name).family), fold(name)}


def called(node: Node) -> str:
    """Return the name of a node without a size, if it is known by that too: Mamba, not Mamba-2.8B."""
    plain = family(node.kind, node.name)
    return plain if plain in node.names else node.name


def own(edge: Edge) -> bool:
    """Tell whether a paper itself states what the edge says of it."""
    return (edge.source.collection, edge.source.document) == (edge.collection, edge.document)


def paper_of(edge: Edge) -> Key:
    """Return the document that states an edge."""
    return edge.collection, edge.document


def nested(piece: str, query: Query, now: int) -> Query | None:
    """Return the question that a piece of another one holds, if it describes what it is about."""
    inner = described(piece, now)
    return inner if inner is not None and inner.text != query.text else None


def excepts(query: Query) -> bool:
    """Tell whether a question leaves something out by its name, rather than all of which something is not true."""
    return bool(query.without and _EXCEPT.search(query.text))


# -- papers by author, venue, method, topic and year

JOINED = re.compile(r" and |和|与|以及|跟")  # names that are meant together; a mere list of names is any of them
_ONE_OF_EACH: tuple[NodeKind, ...] = ("venue", "year")  # that a paper has
_ON_TOPIC = 60  # passages that are looked at for a topic
_PLAINLY = 2  # times that a text has to speak of a topic, if its title does not
_TESTED: tuple[Relation, ...] = ("EVALUATED_ON", "REPORTS")
_OF_THINGS: tuple[Relation, ...] = ("PROPOSES", "USES", "ADDRESSES", "EVALUATED_ON", "REPORTS", "IMPROVES_ON")
_OF_METHODS: frozenset[Relation | None] = frozenset(("USES", "IMPROVES_ON", "EVALUATED_ON"))
_OF_PERSONS: frozenset[Relation | None] = frozenset((None, "AUTHORED_BY", "PUBLISHED_IN", "AFFILIATED_WITH"))
_SAID_BY: Mapping[Relation, tuple[Relation, ...]] = {
    "USES": ("USES", "EVALUATED_ON", "REPORTS"),
    "EVALUATED_ON": ("EVALUATED_ON", "REPORTS"),
    "REPORTS": ("REPORTS", "EVALUATED_ON"),
    "IMPROVES_ON": ("IMPROVES_ON",),
    "PROPOSES": ("PROPOSES",),
    "ADDRESSES": ("ADDRESSES",),
}


@dataclass(slots=True, kw_only=True)
class Paper:
    """A paper of the library that was counted, and why."""

    key: Key
    title: str
    year: int | None
    edges: list[Edge] = field(default_factory=list[Edge])
    node: Node | None = None
    evidence: Evidence | None = None  # that it is on the topic by its words

    @property
    def sure(self) -> float:
        """How sure it is that it counts."""
        return max((edge.confidence for edge in self.edges), default=0.7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Papers:
    """Finds papers in a graph, and topics by their words in the library."""

    sight: Sight
    retriever: Retriever

    async def matching(self, subjects: Sequence[Subject], query: Query) -> dict[Key, Paper]:
        """Return the papers that all of these subjects are true of, within the years of the question."""
        found: dict[Key, Paper] | None = None
        each = [one for subject in subjects for one in together(subject)]
        for one in each:
            these = await self._of(one, query, alone=len(each) == 1)
            found = these if found is None else _both(found, these)
        papers = await self.all() if found is None else found
        # find the titles of papers that are known by what they say of others
        untitled = [paper.edges[0] for paper in papers.values() if not paper.title]
        proofs = await self.sight.proofs(untitled)
        for edge in untitled:
            if proof := proofs.of(edge):
                papers[paper_of(edge)].title = proof.evidence.document.title
        excepted = await self._excepted(query)
        return {key: paper for key, paper in papers.items() if in_years(paper.year, query) and key not in excepted}

    async def _excepted(self, query: Query) -> set[Key]:
        """Return the papers that a question leaves out: those of some people, those of which the same is true, or one by its name."""
        found = set[Key]()
        for piece in query.without:
            subject = await self.sight.subject(piece)
            parts = await self.sight.parts(subject.of("institution"))
            subject = replace(subject, nodes=(*subject.nodes, *parts))  # Google Research is not outside of Google
            if query.wanted != "paper" and subject.of(query.wanted):
                continue  # that is no paper, but a line of its own
            things = subject.of("method", "dataset", "paper")
            by_whom = subject.of("author", "institution", "venue", "year")
            if things and not by_whom and (excepts(query) or query.relation in _OF_PERSONS):
                proposed = await self.sight.proposers([node for node in things if node.kind != "paper"])
                found |= {paper_of(edge) for edges in proposed.values() for edge in edges}
                found |= {(node.collection, node.document) for node in things if node.document}
            else:
                found |= (await self._of(subject, query, alone=not query.about)).keys()
        return found

    async def of_nodes(self, papers: Mapping[Key, Paper]) -> list[Node]:
        """Return the nodes of these papers; of one that is known by its words alone, by its metadata."""
        without = {key for key, paper in papers.items() if paper.node is None}
        if without:
            for edge in await self.sight.every("PUBLISHED_IN", "AUTHORED_BY"):
                if own(edge) and paper_of(edge) in without:
                    papers[paper_of(edge)].node = edge.source
        return [paper.node for paper in papers.values() if paper.node]

    async def all(self) -> dict[Key, Paper]:
        """Return all papers that state who wrote them, or when."""
        return _gathered(edge for edge in await self.sight.every("PUBLISHED_IN", "AUTHORED_BY") if own(edge))

    async def _of(self, subject: Subject, query: Query, *, alone: bool) -> dict[Key, Paper]:
        """Return the papers that a subject is true of. People restrict by whose papers they are, unless theirs alone are cited."""
        people = subject.of("author", "institution", "venue", "year")
        things = subject.of("method", "dataset", "task", "paper")
        theirs = await self._by_people(people) if people else []
        if people and alone and query.relation == "CITES":
            things += [edge.source for edge in theirs]
        elif people and not (alone and query.relation in _OF_METHODS):
            return _gathered(theirs)
        if query.relation == "CITES":
            return _gathered(await self._citing(things))
        relations = _SAID_BY.get(query.relation or "MENTIONS", _OF_THINGS)
        found = _gathered(await self._with(things, relations))
        if subject.topic and (query.relation in {None, "AUTHORED_BY", "PUBLISHED_IN", "ADDRESSES"} or not found):
            more = await self._on_topic(subject.topic)
            for key, paper in more.items():
                if key in found:
                    found[key].evidence = paper.evidence
                else:
                    found[key] = paper
        return found

    async def _by_people(self, nodes: Sequence[Node]) -> list[Edge]:
        edges = await self.sight.edges(nodes, "AUTHORED_BY", "PUBLISHED_IN", "AFFILIATED_WITH", into=True)
        authors = [edge for edge in edges if edge.source.kind == "author"]
        places = {(edge.source.number, paper_of(edge)) for edge in authors}
        written = await self.sight.edges([edge.source for edge in authors], "AUTHORED_BY", into=True)
        theirs = [edge for edge in written if (edge.target.number, paper_of(edge)) in places]
        return [edge for edge in (*edges, *theirs) if edge.source.kind == "paper" and own(edge)]

    async def _citing(self, things: Sequence[Node]) -> list[Edge]:
        proposed = await self.sight.proposers([node for node in things if node.kind != "paper"])
        papers = [edge.source for edges in proposed.values() for edge in edges]
        papers += [node for node in things if node.kind == "paper"]
        cites = [edge for edge in await self.sight.edges(papers, "CITES", into=True) if own(edge)]
        names = [edge for edge in await self.sight.edges(papers, "MENTIONS", into=True) if own(edge)]
        listing = await self.sight.edges([edge.source for edge in names], "CITES", into=False)
        listed = {paper_of(edge) for edge in listing}  # what such a paper cites, its list of references says
        dated = await self.sight.edges(papers, "PUBLISHED_IN", into=False)
        began = min(
            (edge.year for edge in dated if edge.year and own(edge)), default=0
        )  # nobody cites what is still to come
        return [*cites, *(edge for edge in names if paper_of(edge) not in listed and (edge.year or began) >= began)]

    async def _with(self, things: Sequence[Node], relations: Sequence[Relation]) -> list[Edge]:
        """Return the edges by which papers, or the methods that they propose, have to do with these things."""
        edges = await self.sight.edges([node for node in things if node.kind != "paper"], *relations, into=True)
        tested = await self._own([edge for edge in edges if edge.relation in _TESTED])
        others = [edge for edge in edges if edge.source.kind == "method" and edge.relation not in _TESTED]
        proposed = await self.sight.proposers([edge.source for edge in others])
        said = {(edge.source.number, paper_of(edge)) for edge in others if edge.relation == "USES"}
        owners = [
            owner
            for edge in others
            for owner in proposed.get(edge.source.number, ())
            if edge.relation != "USES" or (edge.source.number, paper_of(owner)) in said
        ]  # what a method uses, its own paper says
        theirs = {paper_of(owner) for owner in owners}
        through = [edge for edge in others if paper_of(edge) in theirs]
        return [edge for edge in edges if edge.source.kind == "paper" and own(edge)] + tested + owners + through

    async def _own(self, tested: Sequence[Edge]) -> list[Edge]:
        """Return results that papers state of what they themselves propose, or nobody else in the library does: others are quoted."""
        proposed = await self.sight.proposers([edge.source for edge in tested if edge.source.kind == "method"])
        return [
            edge
            for edge in tested
            if not (owners := proposed.get(edge.source.number))
            or paper_of(edge) in {paper_of(owner) for owner in owners}
        ]

    async def _on_topic(self, topic: str) -> dict[Key, Paper]:
        """Return the papers whose title has the topic, or whose text plainly speaks of it."""
        # what finds a topic in a text made of stems: its own words one after another, or what they are called in the
        # other language
        other = [name for word, names in translations(topic) if _plain(word) == _plain(topic) for name in names]
        spoken = [
            re.compile(rf"(?<!\S){re.escape(_plain(way).strip())}(?!\S)")
            for way in (topic, *other)
            if _plain(way).strip()
        ]
        found = await self.retriever.search(topic, _ON_TOPIC)
        papers: dict[Key, Paper] = {}
        times: dict[Key, int] = {}
        for item in found.evidence:
            key = (item.document.collection, item.document.id)
            said = sum(len(way.findall(_plain(item.passage.text))) for way in spoken)
            titled = any(way.search(_plain(item.document.title)) for way in spoken)
            if not said and not titled:
                continue
            times[key] = times.get(key, 0) + said + (_PLAINLY if titled else 0)
            papers.setdefault(key, Paper(key=key, title=item.document.title, year=item.document.year, evidence=item))
        return {key: paper for key, paper in papers.items() if times[key] >= _PLAINLY}


def together(subject: Subject) -> list[Subject]:
    """Return each of the names that are all meant, as in "both Tri Dao and Albert Gu" or "Tri Dao at ICLR"; else the subject as it is.

    A paper has one venue and one year, so several of these are any of them; so are the several nodes of one name.
    """
    asked = re.split(r" \(|（", subject.text)[0].casefold()  # what follows in brackets was found, not asked
    names: dict[str, list[Node]] = {}
    group: dict[str, str] = {}  # one name may be that of a venue and a data set
    for node in sorted(subject.nodes, key=lambda node: node.kind not in _ONE_OF_EACH):
        name = next((name.casefold() for name in (node.name, *node.names) if name.casefold() in asked), "")
        key = group.setdefault(name, node.kind if name and node.kind in _ONE_OF_EACH else name)
        names.setdefault(key, []).append(node)
    kinds = {frozenset(node.kind for node in nodes) for nodes in names.values()}
    if "" in names or len(names) < 2 or not (JOINED.search(asked) or len(kinds) > 1):
        return [subject]
    return [
        replace(subject, text=name, nodes=tuple(nodes), topic=subject.topic and name) for name, nodes in names.items()
    ]


def in_years(year: int | None, query: Query) -> bool:
    """Tell whether a year is within those of the question; an unknown one is not, where any are asked for."""
    if query.since is None and query.until is None:
        return True
    return year is not None and (query.since or 0) <= year <= (query.until or 9999)


def _plain(text: str) -> str:
    return " ".join(terms(text))


def _gathered(edges: Iterable[Edge]) -> dict[Key, Paper]:
    """Return the papers that state these edges."""
    found: dict[Key, Paper] = {}
    for edge in edges:
        key = paper_of(edge)
        node = edge.source if edge.source.kind == "paper" and own(edge) else None
        paper = found.setdefault(key, Paper(key=key, title=node.name if node else "", year=edge.year))
        paper.node = paper.node or node
        paper.title = paper.title or (node.name if node else "")
        paper.edges.append(edge)
    return found


def _both(one: dict[Key, Paper], other: dict[Key, Paper]) -> dict[Key, Paper]:
    for key, paper in one.items():
        if key in other:
            paper.edges += other[key].edges
            paper.evidence = paper.evidence or other[key].evidence
    return {key: paper for key, paper in one.items() if key in other}


# -- the one document that a question describes without naming it

_LOOKED_AT = 40  # passages
_LONGEST = 500
_MOST_DESCRIBED = 0.5


def description_in(question: str) -> str:
    """Return how a question for the authors of a work describes that; '' for any other question."""
    found = languages.of(question).pattern("statement.authors_of").search(question[:_LONGEST].strip())
    return next((text.strip() for text in found.groups() if text), "") if found else ""


async def authors_query(question: str, retriever: Retriever) -> Query | None:
    """Return the query for the authors of the document that a question describes; None where it is not sure which that is."""
    description = description_in(question)
    if not terms(description):
        return None
    found = (await retriever.search(description, _LOOKED_AT)).evidence
    titled = {
        (item.document.collection, item.document.id): item.document.title
        for item in found
        if _holds(item.document.title, description)
    }
    if len(titled) != 1:
        return None
    return Query(form="list", wanted="author", text=question, relation="AUTHORED_BY", about=tuple(titled.values()))


def _holds(text: str, description: str) -> bool:
    """Tell whether a text has all words of a description; of Chinese, where words are not parted, all its signs and most pairs of them."""
    wanted, own = frozenset(terms(description)), frozenset(terms(text))
    if not HAN.search(description):
        return wanted <= own
    return set(HAN.findall(description)) <= set(text) and len(wanted & own) >= _MOST_DESCRIBED * len(wanted)
