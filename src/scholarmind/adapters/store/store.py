"""The store on one disk. Reads run in a few threads, writes in one; a commit is derived before it is reported."""

import os
import time
import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store import checksums, records
from scholarmind.adapters.store.access import LockedWriter, T, WriterLock
from scholarmind.adapters.store.database import Database, errors_of
from scholarmind.adapters.store.document_links import find_names
from scholarmind.adapters.store.graph_writing import LocalGraph
from scholarmind.adapters.store.hybrid_search import Searching
from scholarmind.adapters.store.indexes import Derived, Indexes, Keywords
from scholarmind.adapters.store.masks import Masks
from scholarmind.adapters.store.multilingual import LocalMultilingual
from scholarmind.adapters.store.saved_tables import LocalTables
from scholarmind.adapters.store.shelf import LocalLedger, LocalShelf
from scholarmind.adapters.store.tree_search import LocalTree
from scholarmind.adapters.store.watched_storage import LocalWatched
from scholarmind.errors import LibraryLockedError, LibraryMismatchError, LibraryStorageError
from scholarmind.filters import Filter
from scholarmind.library_ports import Waiting
from scholarmind.model import Counts, Document, Entry, Evidence, Name, Search
from scholarmind.setting_values import check_library
from scholarmind.text.untrusted import storable

_READERS = 4
LOCK_WAIT = 10.0
_POLL_SECONDS = 0.05
_open: "weakref.WeakSet[LocalStore]" = weakref.WeakSet()
_left_to_parent: list[Any] = []  # a forked child must not let go of its parent's writers


class LocalStore(LocalShelf, LocalLedger):
    """A library in one folder. Close it, or use it in a `with` block."""

    def __init__(self, folder: Path, *, fingerprint: str, lock_wait: float = LOCK_WAIT, create: bool = True) -> None:
        self.folder = folder
        self.fingerprint = fingerprint
        self._lock_wait = lock_wait
        self.database = self._open_database(create=create)
        self._start_threads()
        self._masks = Masks(self.database)
        self._languages: tuple[int, dict[str, int]] = (-1, {})  # as of that change
        _open.add(self)

    def _open_database(self, *, create: bool) -> Database:
        folder = self.folder
        if not (folder / "library.db").exists():
            _refuse_remains(folder, "is missing")
        if not create:
            check_library(folder)
        with errors_of(folder / "library.db"):
            folder.mkdir(parents=True, exist_ok=True)
        self.database = Database(folder / "library.db")
        self.lock = self.folder_lock = WriterLock(folder / "writer.lock")
        if not self.database.has_layout():
            self._create()
        self.database.check_layout()
        # whoever adds first writes the truth, and then the indexes: what is in them now was in the truth before
        if not self.database.last_change() and _remains(folder) and not self.database.last_change():
            _refuse_remains(folder, "holds nothing")
        return self.database

    @property
    def options(self) -> str:
        """The options by which commands find this library."""
        return f"--library {self.folder}"

    @property
    def place(self) -> str:
        """Where the library is, for people."""
        return str(self.folder)

    def __enter__(self) -> "LocalStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of every file and thread."""
        self._writer.close()
        self._readers.shutdown(wait=True)
        self._legs.shutdown(wait=True)
        self._indexes.close()
        self.database.close()

    # -- writing

    def writing(self) -> AbstractAsyncContextManager[None]:
        """Keep other writers out for as long as the block runs."""
        return self._writer.hold()

    async def put(
        self, entries: Sequence[Entry], vectors: "Mapping[str, npt.NDArray[np.float32] | None] | None" = None
    ) -> None:
        """Store these documents, each in place of the one with its id; all of them or none. Vectors come by the text they are of."""
        given = {records.hash_of(text): vector for text, vector in (vectors or {}).items()}

        def work() -> None:
            self._check_dimension(given.values())
            with self.database.transaction() as connection:
                if given:
                    self._claim(connection.execute)
                for entry in entries:
                    records.put(connection, entry, given)
            self._indexes.catch_up()

        await self._writer.run(work)

    async def remove(self, collection: str, ids: Sequence[str]) -> int:
        """Remove these documents and return how many there were."""

        def work() -> int:
            with self.database.transaction() as connection:
                removed = sum(records.remove(connection, storable(collection), storable(id)) for id in ids)
            self._indexes.catch_up()
            return removed

        return await self._writer.run(work)

    async def fill(self, vectors: "Mapping[int, npt.NDArray[np.float32] | None]") -> None:
        """Store vectors for waiting passages."""

        def work() -> None:
            self._check_dimension(vectors.values())
            with self.database.transaction() as connection:
                self._claim(connection.execute)
                records.fill(connection, vectors)
            self._indexes.catch_up()

        await self._writer.run(work)

    async def forget_vectors(self) -> None:
        """Make the library ready for the embedder that this store was opened with: every passage waits again."""

        def work() -> None:
            with self.database.transaction() as connection:
                records.forget_vectors(connection)
                connection.execute("DELETE FROM about WHERE key IN ('fingerprint', 'dimension')")
            self._indexes.catch_up()

        await self._writer.run(work)

    async def rebuild(self) -> None:
        """Throw the derived indexes away and make them anew."""
        await self._writer.run(self._indexes.rebuild)

    # -- reading

    async def search(self, search: Search) -> list[Evidence]:
        """Find passages."""
        return await self._read(lambda: self.search_now(search))

    def search_now(self, search: Search) -> list[Evidence]:
        """Do the work of `search` in this thread."""
        self.check_fingerprint()
        self._indexes.refresh(self._writer)
        try:
            return Searching(self.database, self.derived, self._masks, self._legs).search(search)
        except ValueError:  # its files went while they were opened: another process made the index anew
            self._indexes.reopen()
            self._indexes.refresh(self._writer)
            return Searching(self.database, self.derived, self._masks, self._legs).search(search)

    async def last_change(self) -> int:
        """Return the number of the library's latest change."""
        return await self._read(self.database.last_change)

    async def waiting(self, limit: int) -> list[Waiting]:
        """Return passages that have no vector yet, the oldest first."""
        sql = (
            f"SELECT {records.PASSAGE_COLUMNS}, p.number, d.title FROM backlog b "  # noqa: S608
            "JOIN passages p ON p.number = b.passage JOIN documents d ON d.number = p.document ORDER BY b.passage LIMIT ?"
        )
        rows = await self._read(lambda: self.database.rows(sql, (limit,)))
        return [Waiting(number=row[-2], text=records.text_to_embed(row[-1], records.passage_of(row))) for row in rows]

    async def documents(
        self, filter: Filter | None = None, limit: int | None = None, *, start: int = 0
    ) -> list[Document]:
        """Return the documents that pass, in the order in which they came."""

        def work() -> list[Document]:
            mask = None if filter is None else self._masks.mask(filter, self.database.last_text_change())
            sql = (
                f"SELECT {records.DOCUMENT_COLUMNS}, d.number FROM documents d "  # noqa: S608
                "JOIN collections c ON c.number = d.collection ORDER BY d.number"
            )
            rows = [row for row in self.database.rows(sql) if mask is None or (row[10] < len(mask) and mask[row[10]])]
            return [records.document_of(row) for row in rows[start : None if limit is None else start + limit]]

        return await self._read(work)

    async def fields(self) -> frozenset[str]:
        """Return the names of the fields that filters may look at; each is looked up by the one before it in the index."""
        sql = (
            "WITH RECURSIVE known(field) AS (SELECT min(field) FROM terms UNION ALL "
            "SELECT (SELECT min(field) FROM terms WHERE field > known.field) FROM known WHERE known.field IS NOT NULL) "
            "SELECT field FROM known WHERE field IS NOT NULL"
        )
        rows = await self._read(lambda: self.database.rows(sql))
        return frozenset(row[0] for row in rows)

    async def counts(self) -> dict[str, Counts]:
        """Return the counts of every collection that holds something."""
        sql = "SELECT name, documents, passages, vectors, unsuited FROM collections WHERE documents > 0 ORDER BY name"
        rows = await self._read(lambda: self.database.rows(sql))
        return {name: Counts(documents=d, passages=p, vectors=v, unsuited=u) for name, d, p, v, u in rows}

    async def names(self, texts: Sequence[str]) -> list[tuple[Name, ...]]:
        """Return the names in each of these texts that the library's metadata knows."""
        return await self._read(lambda: [find_names(self.database, text) for text in texts])

    async def linked(self, seeds: Sequence[Evidence], search: Search) -> list[Evidence]:
        """Return the passages that name a document of the seeds, or whose document the seeds name, ranked by this search."""

        def work() -> list[Evidence]:
            self._indexes.refresh(self._writer)
            return Searching(self.database, self.derived, self._masks, self._legs).linked(seeds, search)

        return await self._read(work)

    async def rarity(self, words: Sequence[str]) -> dict[str, float]:
        """Return how rare each term is."""

        return await self._read(lambda: self._current_keyword().rarity(words))

    async def languages(self) -> dict[str, int]:
        """Return how many passages the documents of each language have; counted anew only after a change."""

        def work() -> dict[str, int]:
            change = self.database.last_text_change()
            if self._languages[0] != change:
                self._languages = (change, self.database.languages())
            return dict(self._languages[1])

        return await self._read(work)

    # -- keeping things together

    @property
    def graph(self) -> LocalGraph:
        """The graph of papers over these documents."""
        return LocalGraph(self.database, self._masks, read=self._read, write=self._write, derived=lambda: self.derived)

    @property
    def tables(self) -> LocalTables:
        """The literature tables over these documents."""
        return LocalTables(self.database, read=self._read, write=self._write)

    @cached_property
    def multilingual(self) -> LocalMultilingual:
        """The second vectors of the passages, for what their own embedder cannot read."""
        return LocalMultilingual(self.folder, self.database, read=self._read, write=self._write_searched)

    @property
    def watched(self) -> LocalWatched:
        """The questions that are asked again after each change."""
        return LocalWatched(self.database, read=self._read, write=self._write)

    @cached_property
    def tree(self) -> LocalTree:
        """The trees of summaries over the passages."""
        return LocalTree(
            database=self.database,
            masks=self._masks,
            fingerprint=self.fingerprint,
            read=self._read,
            write=self._write,
            search=self.search_now,
            keyword=self._current_keyword,
        )

    @property
    def derived(self) -> Derived:
        """Both indexes, opened and verified on first use."""
        return self._indexes.derived

    async def _write_searched(self, work: Callable[[DatabaseConnection], T]) -> T:
        """Do this in one transaction, and let the indexes follow."""

        def locked() -> T:
            with self.database.transaction() as connection:
                done = work(connection)
            self._indexes.catch_up()
            return done

        return await self._writer.run(locked)

    def _current_keyword(self) -> Keywords:
        self._indexes.refresh(self._writer)
        return self.derived.keyword

    def check_fingerprint(self) -> None:
        """Refuse to mix the vectors of two embedders."""
        made_with = self.database.about("fingerprint")
        if made_with is not None and made_with != self.fingerprint:
            raise LibraryMismatchError(
                f"the library {str(self.folder)!r} was embedded with {made_with!r}, the settings say {self.fingerprint!r}; "
                f"set the embedder back, or embed everything again with: scholarmind doctor --reembed --library {self.folder}"
            )

    def _claim(self, execute: Callable[..., object]) -> None:
        execute("INSERT OR IGNORE INTO about VALUES ('fingerprint', ?)", (self.fingerprint,))
        self.check_fingerprint()

    def _check_dimension(self, vectors: "Collection[npt.NDArray[np.float32] | None]") -> None:
        sizes = {len(vector) for vector in vectors if vector is not None}
        sizes |= {
            row[0]
            for row in self.database.rows("SELECT length(vector) / 4 FROM vectors WHERE vector IS NOT NULL LIMIT 1")
        }
        if len(sizes) > 1:
            raise LibraryMismatchError(
                f"vectors of {' and '.join(map(str, sorted(sizes)))} numbers do not fit into one library; "
                f"embed everything again with: scholarmind doctor --reembed --library {self.folder}"
            )

    def _create(self) -> None:
        deadline = time.monotonic() + self._lock_wait
        while not self.lock.try_acquire():
            if self.database.has_layout():  # somebody else made it, and goes on writing
                return
            if time.monotonic() > deadline:
                raise LibraryLockedError(
                    f"the library {str(self.folder)!r} is being made by {self.lock.holder() or 'another process'}; "
                    "try again when it is done"
                )
            time.sleep(_POLL_SECONDS)
        try:
            if not self.database.has_layout():
                _refuse_remains(self.folder, "is empty")
            self.database.create()
        finally:
            self.lock.release()

    def _start_threads(self) -> None:
        self._readers = ThreadPoolExecutor(_READERS, "scholarmind-read")
        self._legs = ThreadPoolExecutor(_READERS, "scholarmind-leg")
        self._indexes = self._opened_indexes()
        self._writer = LockedWriter(self.lock, self._lock_wait, self._indexes.prepare, self._indexes.release)

    def _opened_indexes(self) -> Indexes:
        return Indexes(self.folder, self.database, self.folder_lock, self._lock_wait)

    def after_fork(self) -> None:
        """Start anew in a forked child, where no thread of the parent lives on."""
        _left_to_parent.extend((self._indexes, self._writer))
        self.__dict__.pop("tree", None)
        self.__dict__.pop("multilingual", None)
        self._start_threads()


def _remains(folder: Path) -> list[str]:
    """Return which derived indexes hold something, whatever it is."""
    found: list[str] = []
    with suppress(OSError, ValueError, TypeError, KeyError):
        if checksums.read_record(folder / "vectors" / "head.json")["change"] > 0:
            found.append("vectors")
    with suppress(OSError, ValueError, TypeError, KeyError):  # one document of each index is its own mark
        if (
            sum(segment["max_doc"] for segment in checksums.read_record(folder / "keyword" / "meta.json")["segments"])
            > 1
        ):
            found.append("keyword")
    return found


def _refuse_remains(folder: Path, state: str) -> None:
    """Refuse a folder whose documents are gone: with a new `library.db` what is left of them would be thrown away."""
    if remains := _remains(folder):
        raise LibraryStorageError(
            f"the library {str(folder)!r} has lost its documents: library.db {state}, and {' and '.join(remains)} beside it hold what "
            "was in it; restore library.db from a backup, or, to begin anew, move library.db, keyword and vectors away and add "
            "the documents again"
        )


def _after_fork() -> None:
    for store in list(_open):
        store.after_fork()


os.register_at_fork(after_in_child=_after_fork)
