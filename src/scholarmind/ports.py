"""What the product needs from outside, one small protocol each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from scholarmind.answer import Draft, Finding, Review
from scholarmind.filters import Filter
from scholarmind.layout import Layout
from scholarmind.model import (
    BibEntry,
    Counts,
    Document,
    Entry,
    Evidence,
    Fact,
    Found,
    Headway,
    Judged,
    Name,
    Problem,
    Reading,
    Reference,
    Search,
    Value,
)
from scholarmind.plan import Plan, SubQuestion

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True, kw_only=True)
class Embeddings:
    """A vector of length one for each text, and the share of each text that the model does not know."""

    vectors: "npt.NDArray[np.float32]"
    unknown: Sequence[float]


class Embedder(Protocol):
    """Turns texts into vectors. Two embedders with one fingerprint give the same vectors."""

    fingerprint: str

    async def embed(self, texts: Sequence[str]) -> Embeddings: ...


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


class Archive(Protocol):
    """Takes documents in and out. Each document is stored or removed whole, and found from then on."""

    async def put(self, entries: Sequence[Entry]) -> None: ...
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


class Corrections(Protocol):
    """Keeps what a person said of a document: field and value by document id. None as a value takes a correction back."""

    async def corrected(self, collection: str) -> dict[str, dict[str, Value]]: ...
    async def correct(self, collection: str, id: str, field: str, value: Value | None) -> None: ...


class Catalog(Protocol):
    """Tells what there is."""

    async def documents(self, filter: Filter | None = None, limit: int | None = None) -> list[Document]: ...
    async def counts(self) -> dict[str, Counts]: ...


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


class Lexicon(Protocol):
    """Tells how rare words are: the natural logarithm of (passages + 1) / (passages with the word + 1), by term of the text analysis."""

    async def rarity(self, words: Sequence[str]) -> Mapping[str, float]: ...


class Names(Protocol):
    """Finds in texts the names that the library's metadata knows; the list of each text is ordered by place, without overlaps."""

    async def names(self, texts: Sequence[str]) -> list[tuple[Name, ...]]: ...


class Store(Searcher, Archive, Backlog, Ledger, Bibliographies, Corrections, Catalog, Shelf, Lexicon, Names, Protocol):
    """All of these over one library. `writing` keeps other writers out for as long as it is open."""

    def writing(self) -> AbstractAsyncContextManager[None]: ...
    async def text(self, collection: str, id: str) -> str | None: ...


class Journal(Protocol):
    """Keeps what the steps of a run brought, each under its content address. Where it fails it raises a ScholarMindError."""

    async def get(self, run: str, address: str) -> str | None: ...
    async def put(self, run: str, address: str, step: str, value: str) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A question that was asked, and all that it takes to go on with it. Plan, settings and answer are JSON."""

    id: str
    question: str
    plan: str
    settings: str
    library: str  # its version
    status: str  # running, done, failed, cancelled; interrupted: its process is no more
    started: float  # seconds since 1970
    finished: float | None = None
    answer: str = ""


class RunLog(Protocol):
    """Writes down the runs. It never fails a run: `problem` tells why one leaves no trace, or ''."""

    async def begin(self, run: str, question: str, *, plan: str = "", settings: str = "", library: str = "") -> int: ...
    def append_event(self, run: str, number: int, record: str) -> None: ...
    async def finish(self, run: str, status: str, answer: str = "") -> None: ...
    def problem(self, run: str) -> str: ...


class Retriever(Protocol):
    """Finds passages for a question, the best first: a library's own search, or anybody else's."""

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found: ...


class Links(Protocol):
    """Finds passages that are one mention away from others, ranked by a question."""

    async def linked(self, question: str, seeds: Sequence[Evidence], k: int) -> Found: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is known when a plan is made: the names in the question, and what it found by itself."""

    names: tuple[Name, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    rarity: Mapping[str, float] = field(default_factory=dict[str, float])


class Planner(Protocol):
    """Takes a question apart. `talk` answers what is no question at all, or returns ''."""

    def talk(self, question: str) -> str: ...
    async def plan(self, question: str, look: Look) -> Plan: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Short:
    """Up to three short answers to one question, the best first; `lacks` says what was looked for and not found."""

    candidates: tuple[str, ...] = ()
    items: tuple[str, ...] = ()  # of an answer that is a list
    lacks: str = ""
    notes: tuple[str, ...] = ()


class Answerer(Protocol):
    """Answers a part in a few words or sentences. Its question has a line for each of its rows."""

    async def short(self, part: SubQuestion, question: str, evidence: Sequence[Evidence]) -> Short: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What an answer is written from. `evidence` are the passages that a model may be shown, best first."""

    plan: Plan
    findings: Sequence[Finding]
    evidence: Sequence[Evidence]
    rarity: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The passages that count, best first, out of so many; `judged` are all that were scored one against another."""

    evidence: tuple[Evidence, ...]
    considered: int
    judged: tuple[Judged, ...] = ()
    notes: tuple[str, ...] = ()


class Selector(Protocol):
    """Chooses the passages that an answer is written from. Asked twice with other places, it does its work once."""

    async def select(self, plan: Plan, look: Look, findings: Sequence[Finding], places: int) -> Chosen: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """A score between 0 and 1 for each passage in its order; None where it could not be scored, and why in the notes."""

    scores: tuple[float | None, ...]
    reasons: tuple[str, ...] = ()  # in the same order, or none at all
    notes: tuple[str, ...] = ()


class Reranker(Protocol):
    """Says how well each passage answers a question. It never fails: what it cannot score keeps the place that it has."""

    name: str

    async def rate(self, question: str, evidence: Sequence[Evidence]) -> Rated: ...


class Writer(Protocol):
    """Writes the whole text. `on_piece` is told each piece as it comes, with the number of the draft that it belongs to."""

    async def write(self, material: Material, on_piece: Callable[[str, int], None]) -> Draft: ...


class Examiner(Protocol):
    """Gives a second opinion on whether each sentence is supported by what it cites."""

    async def examine(self, plan: Plan, draft: Draft) -> Draft: ...


class Reviewer(Protocol):
    """Tells how complete an answer is, row by row; before it is written, by what was found alone."""

    def review(
        self, plan: Plan, findings: Sequence[Finding], draft: Draft | None, rarity: Mapping[str, float]
    ) -> Review: ...
