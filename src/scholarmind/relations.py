"""The words of the two structures over a library: the graph of papers, and the tree of summaries. Plain frozen data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from scholarmind.model import Evidence

NodeKind = Literal["paper", "author", "institution", "method", "dataset", "metric", "task", "venue", "year"]
Relation = Literal[
    "AUTHORED_BY",  # paper -> author
    "AFFILIATED_WITH",  # paper or author -> institution
    "CITES",  # paper -> paper
    "PROPOSES",  # paper -> method (or dataset)
    "IMPROVES_ON",  # method -> method
    "EVALUATED_ON",  # method -> dataset
    "REPORTS",  # method -> dataset, with metric and value
    "USES",  # method or paper -> method or dataset
    "ADDRESSES",  # method or paper -> task
    "PUBLISHED_IN",  # paper -> venue or year
    "MENTIONS",  # paper -> paper: a passage of the one names the other
]
By = Literal["metadata", "references", "rules", "model", "hand"]  # who found an edge, or merged two names
Form = Literal["count", "ranking", "list", "first", "latest", "results", "lineage", "common", "contradictions"]

# -- what is read out of documents


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """Something that is named. Things of one kind and name are one node, but of those with a scope only within that.

    The scope of an author is the document, until two of a name are proven to be one person. The scope of a paper is the id of
    its document; a paper that is only cited has none.
    """

    kind: NodeKind
    name: str
    scope: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """An edge as one document states it, with the characters of its text that prove it (0, 0: its metadata do)."""

    relation: Relation
    source: Thing
    target: Thing
    confidence: float
    by: By = "rules"
    start: int = 0
    end: int = 0
    metric: str = ""  # of REPORTS
    value: str = ""  # as it is written: "80.5", "86.7%"
    number: float | None = None  # the same as a number
    setting: str = ""  # what else the value holds for: "BERT-Large", "test set", "single model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """All that one document states. `version` is that of the extraction: what an older one made is made again."""

    collection: str
    document: str  # its id
    statements: tuple[Statement, ...]
    version: str = ""
    aliases: tuple[
        tuple[Thing, Thing], ...
    ] = ()  # two names of one thing, as the text itself defines them: "X Y Z (XYZ)"


# -- what is read out of the graph


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node of the graph, with every name that was taken for it; a paper of the library has its collection and id."""

    number: int
    kind: NodeKind
    name: str  # the most usual of its names
    names: tuple[str, ...] = ()
    edges: int = 0
    collection: str = ""
    document: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """An edge of the graph: the document that states it, and the passage (by its position) that proves it, if one does."""

    relation: Relation
    source: Node
    target: Node
    collection: str
    document: str
    confidence: float
    by: By
    year: int | None = None  # of the document
    position: int | None = None
    start: int = 0
    end: int = 0
    metric: str = ""
    value: str = ""
    number: float | None = None
    setting: str = ""
    said_as: tuple[str, str] = ("", "")  # the names that the document itself uses for source and target


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A node whose name stands in a text."""

    node: Node
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """Two names that are taken for one thing, by whom and why; it can be undone."""

    kind: NodeKind
    name: str
    scope: str
    into: str
    into_scope: str
    by: By
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """What is within some steps of some nodes; `cut` tells that there is more."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphCounts:
    """How much the graph holds, and how many documents it has still to read."""

    nodes: dict[str, int] = field(default_factory=dict[str, int])  # by kind
    edges: dict[str, int] = field(default_factory=dict[str, int])  # by relation
    documents: int = 0
    waiting: int = 0
    merged: int = 0


# -- questions that are answered by counting, sorting and following edges


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question that the graph can answer by itself, as the planner recognised it. Texts are as they stand in the question."""

    form: Form
    wanted: NodeKind  # what is counted, ranked or listed
    text: str
    relation: Relation | None = None
    about: tuple[str, ...] = ()  # the names or topics that it is about
    metric: str = ""
    since: int | None = None
    until: int | None = None
    most: int | None = None  # "the top three"
    least: int | None = None  # "more than two papers" are at least three
    inverse: bool = False  # what comes before: "what does BERT improve on", not "what improves on BERT"
    without: tuple[str, ...] = ()  # the names that are excepted: "papers from 2020 that are not from Google"
    best: Literal["", "highest", "lowest"] = ""  # of results, the one that is asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A passage that something rests on, and the characters of its document's text that say it; none: its metadata do."""

    evidence: Evidence
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyRow:
    """A line of a table that was counted: its cells, and what each counted paper is cited by."""

    cells: tuple[str, ...]
    proofs: tuple[Proof, ...]
    depth: int = 0  # of a tree, in steps from its root; 0: it is none


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What counting, sorting or following edges came to for one row of the review. No model, nothing guessed."""

    row: str  # the row of the review: 3, or 3.1
    form: Form
    said: str  # the result as one sentence in the language of the question, without citations
    columns: tuple[str, ...]
    rows: tuple[TallyRow, ...]
    items: tuple[str, ...] = ()  # what was asked for, in order; a number for a count
    confidence: float = 1.0
    notes: tuple[str, ...] = ()  # what was left out, or taken for the same, and why


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """What the graph knows for a question: passages that prove edges about it, best first, and what was counted."""

    evidence: tuple[Evidence, ...] = ()
    tally: Tally | None = None
    relations: tuple[Relation, ...] = ()  # that were followed
    nodes: tuple[str, ...] = ()  # from where, by name
    notices: tuple[str, ...] = ()


# -- the tree of summaries

Space = Literal[
    "vector", "words"
]  # what likeness is measured by: an embedder's vectors, or words where it makes no sense
SummaryBy = Literal["extractive", "model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarySentence:
    """A sentence of a summary, and the passages that it stands on (the store's numbers for them)."""

    text: str
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeNode:
    """A summary of similar passages (level 1) or of similar summaries (above). Collections have trees of their own."""

    number: int
    collection: str
    space: Space
    level: int
    parent: int | None
    title: str  # a few words that tell it from its neighbours
    summary: tuple[SummarySentence, ...]
    by: SummaryBy = "extractive"
    passages: int = 0  # that it stands on, all told
    documents: int = 0
    first: int | None = None  # the years of these documents
    last: int | None = None
    notes: tuple[str, ...] = ()  # why a model's summary was not taken

    @property
    def text(self) -> str:
        """The summary as running text."""
        return " ".join(sentence.text for sentence in self.summary)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a node of the tree is told by: a few telling words, and sentences with the passages that each stands on."""

    title: str
    sentences: tuple[SummarySentence, ...]
    by: SummaryBy = "extractive"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryText:
    """A text that a summary is made from: a passage, or above level 1 a sentence of the summary of a `child`."""

    text: str
    passages: tuple[int, ...]
    document: str  # the title of the one it is from
    child: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarySources:
    """What is known of the documents that a node stands on, for its title."""

    names: Mapping[str, int] = field(
        default_factory=dict[str, int]
    )  # of the documents, the first with the most passages
    headings: Mapping[str, int] = field(default_factory=dict[str, int])  # over so many passages
    subjects: Mapping[str, frozenset[int]] = field(
        default_factory=dict[str, frozenset[int]]
    )  # key words and the like, with the documents that give them
    aside: frozenset[str] = frozenset()  # terms of authors, institutions and venues


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryTask:
    """A node that needs a summary, and in their order the texts that it stands on, with how rare their terms are."""

    node: TreeNode
    texts: tuple[SummaryText, ...]
    rarity: Mapping[str, float] = field(default_factory=dict[str, float])
    sources: SummarySources = field(default_factory=SummarySources)


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeCounts:
    """How much the trees hold, and how many passages have still to find their place."""

    levels: dict[int, int] = field(default_factory=dict[int, int])  # summaries by level
    passages: int = 0
    waiting: int = 0
    by_model: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    """What the tree knows for a question: passages that the summaries near it stand on, spread over documents and years."""

    evidence: tuple[Evidence, ...] = ()
    levels: tuple[int, ...] = ()  # that were read; 0 are passages themselves
    nodes: tuple[str, ...] = ()  # titles of the summaries
    notices: tuple[str, ...] = ()
