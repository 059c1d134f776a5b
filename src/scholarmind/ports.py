"""What the product needs from outside, one small protocol each."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from scholarmind.filters import Filter
from scholarmind.model import Counts, Document, Entry, Evidence, Problem, Reading, Search

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

    def read(self, path: Path) -> Iterator[Reading | Problem]: ...


class Searcher(Protocol):
    """Finds passages."""

    async def search(self, search: Search) -> list[Evidence]: ...


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


class Ledger(Protocol):
    """Remembers by their hashes which files were read whole, and which documents are stored."""

    async def known(self, collection: str) -> "Known": ...
    async def note(self, collection: str, sources: Mapping[str, str | None]) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Hash by path of each file read whole, hash and source by id of each document."""

    sources: Mapping[str, str]
    documents: Mapping[str, tuple[str, str]]


class Catalog(Protocol):
    """Tells what there is."""

    async def documents(self, filter: Filter | None = None, limit: int | None = None) -> list[Document]: ...
    async def counts(self) -> dict[str, Counts]: ...


class Store(Searcher, Archive, Backlog, Ledger, Catalog, Protocol):
    """All of these over one library. `writing` keeps other writers out for as long as it is open."""

    def writing(self) -> AbstractAsyncContextManager[None]: ...
    async def text(self, collection: str, id: str) -> str | None: ...
