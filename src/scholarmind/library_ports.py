"""What a library needs from outside, one small protocol each: readers of files, and the parts of a store."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from scholarmind.events import OnEvent, ignore
from scholarmind.filters import Filter
from scholarmind.layout import Layout
from scholarmind.model import (
    BibEntry,
    Counts,
    Document,
    Entry,
    Evidence,
    Fact,
    Headway,
    Problem,
    Reading,
    Reference,
    Search,
    Value,
)
from scholarmind.ports import Languages, Lexicon, Names
from scholarmind.relations import (
    Edge,
    Extracted,
    GraphCounts,
    Mention,
    Merged,
    Neighbourhood,
    Node,
    NodeKind,
    Relation,
    Summary,
    SummaryTask,
    TreeCounts,
    TreeNode,
)
from scholarmind.tables import SavedTable, TableCell

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Reader(Protocol):
    """Reads one kind of file."""

    def read(self, path: Path) -> Iterator[Reading | Problem | Headway]: ...


class Searcher(Protocol):
    """Finds passages: by what they say, or among those one mention away from some that were found."""

    async def search(self, search: Search) -> list[Evidence]: ...
    async def linked(self, seeds: Sequence[Evidence], search: Search) -> list[Evidence]: ...


class BibliographyReader(Protocol):
    """Reads a file of references: BibTeX, RIS, CSL-JSON."""

    def entries(self, path: Path) -> Iterator[BibEntry | Problem]: ...


class Enricher(Protocol):
    """Asks on-line catalogues about a work. Facts come only where the titles agree; () where nothing was found.

    It never fails a document: `notices` tells what could not be asked.
    """

    notices: list[str]

    async def look_up(self, document: Document) -> tuple[Fact, ...]: ...


class DocumentStore(Protocol):
    """Takes documents in and out. Each document is stored or removed whole, and found from then on.

    Vectors may come along by the text that they are of (`text_to_embed`); passages without wait for theirs.
    """

    async def put(
        self, entries: Sequence[Entry], vectors: "Mapping[str, npt.NDArray[np.float32] | None] | None" = None
    ) -> None: ...
    async def remove(self, collection: str, ids: Sequence[str]) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A passage that has no vector yet: the store's number for it, and what to embed."""

    number: int
    text: str


class Backlog(Protocol):
    """Passages that wait for their vectors. A vector of None says that the embedder cannot make sense of the text."""

    async def waiting(self, limit: int) -> list[Waiting]: ...
    async def fill(self, vectors: "Mapping[int, npt.NDArray[np.float32] | None]") -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far the second vectors of a library are: so many are there and so many to come. `is_for_all`: not only of what is unsuited."""

    vectors: int = 0
    missing: int = 0
    is_for_all: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether every passage can be found by them."""
        return self.is_for_all and bool(self.vectors) and not self.missing


class Multilingual(Protocol):
    """Keeps second vectors of passages, from an embedder that knows more languages; always of the one with this fingerprint."""

    async def reach(self, fingerprint: str) -> Reach: ...
    async def waiting(self, fingerprint: str, limit: int, after: int = 0) -> list[Waiting]: ...
    async def fill(self, fingerprint: str, vectors: "Mapping[int, npt.NDArray[np.float32] | None]") -> None: ...
    def ask_for_all(self) -> None: ...  # the library is asked in a language that its own embedder does not know


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What became of a file: its hash (None: look at it again next time), how it was read, what was wrong."""

    path: str
    hash: str | None
    read: float = 0.0  # when, in seconds since 1970
    seconds: float = 0.0  # that reading took
    bytes: int = 0
    problems: tuple[Problem, ...] = ()


class Ledger(Protocol):
    """Remembers by their hashes which files were read whole, and which documents are stored."""

    async def known(self, collection: str) -> "Known": ...
    async def note(self, collection: str, sources: Sequence[Source]) -> None: ...
    async def forget(self, collection: str, paths: Sequence[str]) -> None: ...
    async def sources(self, collection: str | None = None) -> list[tuple[str, Source]]: ...  # collection and source
    async def mounts(self) -> frozenset[str]: ...  # folders where another disk was mounted when they were added
    async def note_mounts(self, folders: Collection[str]) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Hash by path of each file read whole, hash and origin by id of each document."""

    sources: Mapping[str, str]
    documents: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An entry of a bibliography as it is kept: the document that it was matched with ('' for none) and by what."""

    entry: BibEntry
    document: str = ""
    how: str = ""  # "file", "DOI", "arXiv", "title"; or why it has none and what to do, for people


class Bibliographies(Protocol):
    """Keeps the entries of each bibliography of a collection, with their matches. Keeping replaces what was there of that file."""

    async def listed(self, collection: str) -> dict[str, list[Listed]]: ...  # by the path of the bibliography
    async def keep(self, collection: str, bibliography: str, entries: Sequence[Listed]) -> None: ...


class CorrectionStore(Protocol):
    """Keeps what a person said of a document: field and value by document id. None as a value takes a correction back."""

    async def corrected(self, collection: str) -> dict[str, dict[str, Value]]: ...
    async def correct(self, collection: str, id: str, field: str, value: Value | None) -> None: ...


class Catalog(Protocol):
    """Tells what there is."""

    async def documents(
        self, filter: Filter | None = None, limit: int | None = None, *, start: int = 0
    ) -> list[Document]: ...
    async def counts(self) -> dict[str, Counts]: ...
    async def fields(self) -> frozenset[str]: ...  # that some document has, other than id and collection


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryChanges:
    """What changed since a change: the documents that came, or came anew; how many were taken away or replaced; whether vectors came."""

    documents: tuple[Document, ...] = ()
    removals: int = 0
    vectors: bool = False


class Changelog(Protocol):
    """Tells what changed after the change with this number, which is the version of the library then."""

    async def since(self, change: int) -> LibraryChanges: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A reference of a document, and the id of the document of the library that it is ('' for none)."""

    reference: Reference
    document: str = ""


class Shelf(Protocol):
    """Gives a stored document back whole, and tells how documents hang together."""

    async def entry(self, collection: str, id: str) -> Entry | None: ...
    async def layout(self, collection: str, id: str) -> Layout | None: ...
    async def facts(self, collection: str, *, by: str = "") -> dict[str, tuple[Fact, ...]]: ...  # by document id
    async def references(self, collection: str, id: str) -> list[Cited]: ...
    async def citing(self, collection: str, id: str) -> list[str]: ...  # ids of the documents that cite this one
    async def same(
        self, collection: str, keys: Sequence[str]
    ) -> list[tuple[str, str]]: ...  # key (identity.py) and document id


class Store(
    Searcher,
    DocumentStore,
    Backlog,
    Ledger,
    Bibliographies,
    CorrectionStore,
    Catalog,
    Changelog,
    Shelf,
    Lexicon,
    Languages,
    Names,
    Protocol,
):
    """All of these over one library. `writing` keeps other writers out for as long as it is open."""

    def writing(self) -> AbstractAsyncContextManager[None]: ...
    async def text(self, collection: str, id: str) -> str | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A summary, or a passage by itself (then `node` is None), and how near a question it is."""

    score: float
    node: TreeNode | None = None
    evidence: Evidence | None = None


class Follower(Protocol):
    """Keeps a structure over the documents in step with them. It can be stopped anywhere, and goes on there the next time."""

    async def follow(self, on_event: OnEvent = ignore) -> None: ...


class Graph(Protocol):
    """Keeps the graph of papers. What a document states goes with the document; merges by hand outlive it."""

    # built document by document
    # collection and id of what was read by another version; one that begins with "VERSION + " goes on from this one
    async def waiting(self, version: str, limit: int) -> list[tuple[str, str]]: ...
    # A scope that is the document's id is within this document. A paper of its own title or scope is the document itself, another
    # the document of that title in its collection, or a work elsewhere. The store itself adds CITES from the lists of references
    # and MENTIONS from the passages, to and from the documents that were read before; CITES by references need not be given.
    async def put(self, extracted: Sequence[Extracted]) -> None: ...
    async def settle(self, limit: int) -> int: ...  # compares the names of so many documents with those of all others
    async def forget(self) -> None: ...  # all but what was merged and split by hand

    # names
    async def find(
        self, name: str, kinds: Sequence[NodeKind] = (), *, filter: Filter | None = None
    ) -> list[Node]: ...  # the most edges first
    async def mentioned(self, text: str, filter: Filter | None = None) -> list[Mention]: ...
    async def merge(self, merged: Sequence[Merged]) -> None: ...
    async def split(self, node: int, name: str, scope: str = "") -> Node: ...  # stays apart from then on
    async def merges(self, node: int | None = None) -> list[Merged]: ...

    # reading, always within what a filter lets pass: names are one node only where what passes proves it, or a person said so. What
    # a node has come apart into has numbers below zero, which hold for as long as nothing is written, and for this filter
    async def nodes(self, kinds: Sequence[NodeKind] = (), limit: int = 1000) -> list[Node]: ...
    async def edges(
        self,
        nodes: Sequence[int] = (),
        *,
        relations: Sequence[Relation] = (),
        into: bool | None = None,  # True: only edges that end there, False: only those that begin there
        filter: Filter | None = None,
        limit: int = 2000,
    ) -> list[Edge]: ...
    async def neighbourhood(
        self, nodes: Sequence[int], *, hops: int = 2, most: int = 200, filter: Filter | None = None
    ) -> Neighbourhood: ...
    async def ranked(
        self, seeds: Mapping[int, float], *, k: int = 20, filter: Filter | None = None
    ) -> list[tuple[Edge, float]]: ...  # by personalised PageRank over the neighbourhood of the seeds
    async def proofs(
        self, edges: Sequence[Edge]
    ) -> list[Evidence]: ...  # the passage of each; its document's first, else
    async def counts(self) -> GraphCounts: ...


class Tables(Protocol):
    """Keeps literature tables. Cells are kept by what a document says and by the key of a column, corrections by document and column."""

    async def saved(self) -> list[SavedTable]: ...  # by name
    async def save(self, table: SavedTable) -> None: ...
    async def forget(self, name: str) -> bool: ...
    async def contents(self) -> dict[tuple[str, str], str]: ...  # what each document says, as a hash
    async def cells(self, columns: Collection[str]) -> dict[tuple[str, str], TableCell]: ...
    async def keep(self, content: str, cells: Mapping[str, TableCell]) -> None: ...
    async def clear(
        self, columns: Collection[str]
    ) -> int: ...  # cells of documents that are gone, and of all other columns
    async def corrected(self) -> dict[tuple[str, str, str], str]: ...  # '' is "not stated"
    async def correct(self, document: tuple[str, str], column: str, value: str | None) -> None: ...


class Tree(Protocol):
    """Keeps the trees of summaries. What it gives is always of whole trees: an old one serves until a new one is whole."""

    async def near(
        self,
        search: Search,
        k: int,
        *,
        levels: Sequence[int] = (),
        best_of_each: bool = False,
        filter: Filter | None = None,
    ) -> list[
        Standing
    ]: ...  # of these levels (0: passages), () for all in one pool; beyond `k` the best of each, if it is wanted
    async def under(self, node: int, search: Search, k: int, *, filter: Filter | None = None) -> list[Evidence]: ...
    async def evidence(self, passages: Sequence[int], filter: Filter | None = None) -> dict[int, Evidence]: ...
    async def homes(self, passages: Sequence[Evidence]) -> list[frozenset[int]]: ...  # nodes of level 1 that each is in
    async def roots(self, collection: str | None = None) -> list[TreeNode]: ...
    async def children(self, node: int) -> list[TreeNode]: ...
    async def node(self, number: int) -> TreeNode | None: ...
    async def counts(self) -> TreeCounts: ...


class Growing(Protocol):
    """Lets the trees grow. Each call is one transaction, so that it can be stopped anywhere and goes on there the next time."""

    async def behind(self) -> bool: ...  # whether there is anything to do; one cheap query
    async def grow(self) -> bool: ...  # one step: plant, place, mend, switch or clear away; False when nothing is left
    async def renew(self) -> None: ...  # every tree is planted anew, beside the one that serves
    async def unsummarised(self) -> int: ...
    async def tasks(self, limit: int) -> list[SummaryTask]: ...  # of nodes without a summary, the lowest first
    async def task(self, node: int) -> SummaryTask | None: ...  # of any node, to make its summary in another way
    async def summarise(self, summaries: Mapping[int, Summary]) -> None: ...  # by number of the node; all or none
