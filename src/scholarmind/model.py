"""The words of the domain, as plain frozen data: no I/O, nothing that can be slow."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, get_args

from scholarmind.errors import MISTAKES, QueryError
from scholarmind.filters import Filter
from scholarmind.layout import Layout

Value = str | int | float | bool | tuple[str | int | float | bool, ...]
Mode = Literal["hybrid", "vector", "keyword"]
Translation = tuple[str, tuple[str, ...]]  # words of a text, and everything that they may be called in another language

RegionKind = Literal[
    "table", "caption", "footnote", "abstract", "references", "contents", "front"
]  # front: title, names, dates

NO_EVIDENCE = frozenset({"references", "contents", "front"})  # regions that are kept in the text and never quoted
NO_EMBEDDER = "none"  # the fingerprint of a library without vectors
_TITLE_SHARE = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a source says of itself. `id` is unique within its collection; `origin` is the file that it was read from."""

    id: str
    title: str
    collection: str = "default"
    authors: tuple[str, ...] = ()
    year: int | None = None
    source: str = ""
    origin: str = ""
    language: str = ""
    kind: str = ""
    metadata: Mapping[str, Value] = field(default_factory=dict[str, Value])

    @property
    def dated(self) -> str:
        """The year as it is shown: "c. 2009" where only a title, the name or the date of the file suggests it, "" where nothing does."""
        return "" if self.year is None else f"c. {self.year}" if YEAR_FROM in self.metadata else str(self.year)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading of a text: where its line begins, where its body begins, and the headings down to it."""

    heading: int
    start: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A stretch of a text that is no running prose. It is cut apart from the rest; what is in `NO_EVIDENCE` is not cut at all."""

    start: int
    end: int
    kind: RegionKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What some source says of one field of a document, and how sure that is (0 to 1). By hand is surest: 1."""

    field: str  # title, authors, year, kind, source, language, or a key of the metadata
    value: Value | None  # None: the field is known to be empty
    source: str  # "first page", "document properties", "file name", "library.bib, line 12", "OpenAlex", "by hand"
    sure: float
    by: Literal["file", "bibliography", "catalogue", "hand"] = "file"  # who brought it


YEAR_FROM = "year_from"  # in the metadata of a document whose year is a guess: what from
CREATION = "creation date"
_BROUGHT = ("file", "bibliography", "catalogue", "hand")


def by_field(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    """Return the facts of each field, the one that counts first: the surest; of two that are as sure what came to the file
    from outside, and else what was said first."""
    fields: dict[str, list[Fact]] = {}
    for fact in facts:
        fields.setdefault(fact.field, []).append(fact)
    return {
        field: sorted(said, key=lambda fact: (-fact.sure, -_BROUGHT.index(fact.by))) for field, said in fields.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A work that a document cites, as its list of references has it between `start` and `end` of the text."""

    text: str
    start: int
    end: int
    label: str = ""  # how the text points at it: "12", "DCLT19"; '' where it points by author and year
    authors: tuple[str, ...] = ()  # "Family, Given" or as it stands there
    year: int | None = None
    title: str = ""
    doi: str = ""
    arxiv: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """A place in the running text that points at references: "[12, 14]", "(Devlin et al., 2019)". Positions count from 0."""

    start: int
    end: int
    references: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCitation:
    """A place of a draft that cites works by their keys; positions count in its paragraph, `place` is behind it in the source."""

    start: int
    end: int
    keys: tuple[str, ...]
    locator: str = ""  # "p. 4"
    textual: bool = False  # a part of the sentence: \\citet, "Devlin et al. (2019) show"
    place: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph of a draft, and what it cites."""

    text: str
    mentions: tuple[DraftCitation, ...] = ()
    section: tuple[str, ...] = ()
    page: int | None = None
    places: tuple[
        int, ...
    ] = ()  # by letter: where the source goes on behind it; () where there is nothing to write into
    inline: bool = False  # what is written into it must stay in the line


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A document as a reader gives it: what it is, its whole text, its headings and regions in order, where its text stands."""

    document: Document
    text: str
    sections: tuple[Section, ...] = ()
    whole: bool = False  # a ready passage: stays in one piece if it is short enough
    regions: tuple[Region, ...] = ()
    layout: Layout | None = None
    facts: tuple[Fact, ...] = ()  # what the document's fields rest on, and what else was said of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something in a file that could not be used: where it is, why, and what to do."""

    where: str
    reason: str
    advice: str
    lasting: bool = False  # the rest of the file is used, and reading it again would not change that


@dataclass(frozen=True, slots=True)
class Costing:
    """Lets a mistake of ours cost one step of many, and not the whole document: it becomes a problem that names the step."""

    step: str
    where: str
    problems: list[Problem]

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, MISTAKES):
            return False
        reason = (
            f"its {self.step} could not be told apart, and its text is used without ({type(error).__name__}: {error})"
        )
        self.problems.append(Problem(where=self.where, reason=reason, advice="please report the file", lasting=True))
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Headway:
    """A reader tells that it is not stuck: so many pages of so many are read."""

    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BibEntry:
    """An entry of a bibliography: a work, cited under a key, perhaps with files. `document.origin` is the bibliography."""

    key: str
    line: int
    document: Document  # its metadata holds the entry's other fields, by their BibTeX names in lower case
    abstract: str = ""
    files: tuple[str, ...] = ()  # as the entry names them, without types and mount points; relative ones as they are


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stored piece of a document; `start` and `end` count code points of the document's text."""

    text: str
    start: int
    end: int
    position: int
    section: tuple[str, ...] = ()
    language: str = ""
    kind: str = "text"  # or that of the region that it is from
    page: int | None = None  # that it begins on, from 1
    turns: tuple[int, ...] = ()  # where in the document's text the pages after that begin

    def page_at(self, offset: int) -> int | None:
        """Return the page that a character of the document's text is on, if it is one of this passage."""
        return None if self.page is None else self.page + bisect_right(self.turns, offset)


def text_to_embed(title: str, passage: Passage) -> str:
    """Return what an embedder is shown of a passage: with the title of its document, if that is short beside it.

    A name in front helps (musique_100, vector recall@5 .569 -> .615); a headline drowns a short text (multihop_rag_tune,
    hybrid recall@5 .799 -> .752 with every title).
    """
    return f"{title}\n{passage.text}" if 0 < len(title) <= _TITLE_SHARE * len(passage.text) else passage.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A document ready to be stored: read and cut into passages. `hash` covers text, metadata and cutting."""

    document: Document
    text: str
    passages: Sequence[Passage]
    hash: str
    layout: Layout | None = None
    facts: tuple[Fact, ...] = ()
    references: tuple[Reference, ...] = ()
    pointers: tuple[Pointer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Why a passage was found: each leg's own score and rank (None where the leg did not find it)."""

    fused: float
    vector: float | None = None
    keyword: float | None = None
    vector_rank: int | None = None
    keyword_rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A passage, the document that it is from, how well it matched, and which searches found it."""

    passage: Passage
    document: Document
    scores: Scores
    found_by: frozenset[str] = frozenset()

    def rated(self, fused: float, found_by: frozenset[str] | None = None) -> "Evidence":
        """Return this with another score. A question makes a thousand of these, and `replace` would take four times as long."""
        scores = self.scores
        return Evidence(
            passage=self.passage,
            document=self.document,
            scores=Scores(
                fused=fused,
                vector=scores.vector,
                keyword=scores.keyword,
                vector_rank=scores.vector_rank,
                keyword_rank=scores.keyword_rank,
            ),
            found_by=self.found_by if found_by is None else found_by,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """How a passage did among others: what each score was, and what each search that found it had asked."""

    evidence: Evidence  # its fused score is the final one
    best: float  # the best similarity that any of its searches gave it
    similarity: float  # the mean of these
    relevance: float | None = None  # 0 to 1, by who scored it; None: it could not be scored
    reason: str = ""
    asked: tuple[str, ...] = ()


_WEIGHT_OF_SECOND_VECTORS = 0.4  # those by which texts of several languages are compared; the rest is that of words


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One search as a store carries it out. Without a vector only the keyword leg runs.

    With a multilingual vector passages are compared by their second vectors, which have a weight of their own.
    """

    text: str
    vector: Sequence[float] | None = None
    multilingual: Sequence[float] | None = None
    k: int = 10
    mode: Mode = "hybrid"
    filter: Filter | None = None
    per_document: int | None = None
    dense_weight: float = 0.6
    translations: tuple[Translation, ...] = ()  # searched for by words, beside the text itself
    every_score: bool = False  # tell the cosine also of what only its words found; it has no rank then

    @property
    def weight_of_vectors(self) -> float:
        """The share of the vectors that this search is carried out by."""
        return self.dense_weight if self.multilingual is None else _WEIGHT_OF_SECOND_VECTORS

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise QueryError(f"mode = {self.mode!r} is not one of {', '.join(map(repr, get_args(Mode)))}")
        for name, number in (("k", self.k), ("per_document", self.per_document)):
            if number is not None and number < 1:
                raise QueryError(f"{name} = {number!r} is not at least 1")
        if not 0 <= self.dense_weight <= 1:
            raise QueryError(f"dense_weight = {self.dense_weight!r} is not between 0 and 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search brought back, and what the user should know about how it was done."""

    evidence: tuple[Evidence, ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """Words of a text that the library's metadata knows: a title, alias, author, source ... `value` is what a filter compares."""

    text: str  # as it stands in the text, between `start` and `end`
    start: int
    end: int
    field: str
    value: str
    documents: int  # how many have it


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much a library holds. A passage without a vector is either waiting or unsuited to the embedder."""

    documents: int = 0
    passages: int = 0
    vectors: int = 0
    unsuited: int = 0

    @property
    def waiting(self) -> int:
        """Passages whose vector is still to come."""
        return self.passages - self.vectors - self.unsuited


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was examined: whether it is well, what was seen, and how to mend it if it is not."""

    name: str
    ok: bool
    seen: str
    mend: str = ""
