"""The derived indexes kept up with the truth: they catch up by the log of changes, or are built anew.

Who does it, when, and where: the writer after a commit, a reader after a writer that died, or nobody. The indexes themselves are
`keyword` and `matrix`.
"""

import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from scholarmind.adapters.store.access import LockedWriter, WriterLock
from scholarmind.adapters.store.database import Database, errors_of
from scholarmind.adapters.store.keyword import Indexed, KeywordIndex, linked
from scholarmind.adapters.store.masks import Hits, Mask
from scholarmind.adapters.store.matrix import Matrix, Vectors
from scholarmind.adapters.store.records import SECOND_EMBEDDER
from scholarmind.errors import LibraryLockedError, LibraryStorageError
from scholarmind.model import Translation

# -- catching up

_PAGE = 2_000
_REPLAYED_SHARE = 0.5  # more changes than this share of all documents, and building anew is cheaper


class Keywords(Protocol):
    """An index of words. What each does is said where the local one is, `KeywordIndex`."""

    @property
    def change(self) -> int: ...
    @property
    def damage(self) -> str: ...
    def reload(self) -> None: ...
    def close(self) -> None: ...
    def rebuild(self, passages: Iterable[Indexed], count: int, change: int) -> None: ...
    def apply(self, removed: Iterable[int], added: Iterable[Indexed], count: int, change: int) -> None: ...
    def search(
        self, words: Sequence[str], k: int, mask: Mask | None = None, translations: Sequence[Translation] = ()
    ) -> Hits: ...
    def all_of(self, words: Sequence[str], k: int) -> Hits: ...
    def rarity(self, words: Sequence[str]) -> dict[str, float]: ...


class VectorIndex(Protocol):
    """An index of vectors. What each does is said where the local one is, `Matrix`."""

    @property
    def change(self) -> int: ...
    @property
    def alive(self) -> int: ...
    @property
    def damage(self) -> str: ...
    def reload(self) -> None: ...
    def rebuild(self, rows: Iterable[tuple[int, int, bytes]], dimension: int, change: int) -> None: ...
    def apply(self, removed: Sequence[int], rows: Iterable[tuple[int, int, bytes]], change: int) -> bool: ...
    def search(self, query: Vectors, k: int, mask: Mask | None = None) -> Hits: ...


class Derived:
    """The indexes of words, of vectors, and of second vectors, opened on first use."""

    keyword: Keywords
    matrix: VectorIndex
    multilingual: VectorIndex

    def __init__(self, folder: Path, database: Database, *, keyword: Path | None = None) -> None:
        """Open them in the library's folder; the index of words may be somewhere else."""
        self._database = database
        with errors_of(database.path):
            self.keyword = KeywordIndex(keyword or folder / "keyword")
            self.matrix = Matrix(folder / "vectors")
            self.multilingual = Matrix(folder / "multilingual")

    def may_be_written(self) -> bool:
        """Tell whether whoever finds them behind can bring them up."""
        return True

    def is_current(self) -> bool:
        """Tell whether all hold everything that was committed."""
        last = self._database.last_change()
        return (
            self.matrix.change == last
            and self.keyword.change == self._database.last_text_change()
            and (self.multilingual.change == last or not self.has_second())
        )

    def behind(self) -> int:
        """Return how many changes are not in all of them yet."""
        since = [self.matrix.change]
        if self.has_second():
            since.append(self.multilingual.change)
        if (change := self.keyword.change) < self._database.last_text_change():
            since.append(change)
        return self._database.value("SELECT count(*) FROM changes WHERE number > ?", (min(since),))

    def has_second(self) -> bool:
        """Tell whether any second vector was ever stored."""
        return self._database.about(SECOND_EMBEDDER) is not None

    def is_usable(self) -> bool:
        """Tell whether there is anything in the first two where there should be."""
        texts = self.keyword.change or not self._database.last_text_change()
        return bool(texts and (self.matrix.change or not self._database.last_change()))

    def reload(self) -> None:
        """See what another process derived."""
        self.keyword.reload()
        self.matrix.reload()
        self.multilingual.reload()

    def catch_up(self) -> None:
        """Bring all up to the last change. The caller holds the writer's lock."""
        text, last = self._database.last_text_change(), self._database.last_change()
        with errors_of(self._database.path), self._database.in_use():
            if self.keyword.change != text:
                self._catch_up_keyword(text)
            if self.matrix.change != last:
                self._catch_up_matrix(self.matrix, "vectors", last)
            if self.has_second() and self.multilingual.change != last:
                self._catch_up_matrix(self.multilingual, "multilingual", last)

    def rebuild(self) -> None:
        """Throw all away and build them anew. The caller holds the writer's lock."""
        with errors_of(self._database.path), self._database.in_use():
            self._rebuild_keyword(self._database.last_text_change())
            self._rebuild_matrix(self.matrix, "vectors", self._database.last_change())
            if self.has_second():
                self._rebuild_matrix(self.multilingual, "multilingual", self._database.last_change())

    def _catch_up_keyword(self, last: int) -> None:
        since, documents = self.keyword.change, self._total("documents")
        if not 0 < since <= last or last - since > max(100, _REPLAYED_SHARE * documents):
            self._rebuild_keyword(last)
            return
        removed = self._database.rows("SELECT document FROM changes WHERE number > ? AND kind = 'remove'", (since,))
        added = self._passages("JOIN changes h ON h.document = d.number AND h.kind = 'put' AND h.number > ?", since)
        self.keyword.apply((row[0] for row in removed), added, self._total("passages"), last)

    def _rebuild_keyword(self, last: int) -> None:
        self.keyword.rebuild(self._passages("WHERE ? = 0", 0), self._total("passages"), last)

    def _catch_up_matrix(self, matrix: VectorIndex, table: str, last: int) -> None:
        since = matrix.change
        removed = self._database.rows("SELECT document FROM changes WHERE number > ? AND kind = 'remove'", (since,))
        known = 0 < since <= last
        if not (known and matrix.apply([row[0] for row in removed], self._vectors(table, since), last)):
            self._rebuild_matrix(matrix, table, last)
        if matrix.alive != self._count(table):
            self._rebuild_matrix(matrix, table, last)

    def _rebuild_matrix(self, matrix: VectorIndex, table: str, last: int) -> None:
        sql = f"SELECT length(vector) / 4 FROM {table} WHERE vector IS NOT NULL LIMIT 1"  # noqa: S608
        matrix.rebuild(self._vectors(table, 0), self._database.value(sql) or 1, last)

    def _count(self, table: str) -> int:
        if table == "vectors":  # counted when they were written
            return self._total("vectors")
        return self._database.value("SELECT count(*) FROM multilingual WHERE vector IS NOT NULL")

    def _total(self, column: str) -> int:
        return self._database.value(f"SELECT sum({column}) FROM collections") or 0  # noqa: S608

    def _passages(self, condition: str, parameter: int) -> Iterator[Indexed]:
        sql = (
            "SELECT p.number, d.number, CAST(d.title || char(10) || p.section || char(10) || p.text AS BLOB) "  # noqa: S608
            f"FROM documents d JOIN passages p ON p.document = d.number {condition}"
        )
        for rows in self._database.stream(sql, (parameter,), _PAGE):
            for number, document, text in rows:
                yield Indexed(number, document, text.decode("utf-8", "replace"))  # damaged bytes stop nothing

    def _vectors(self, table: str, since: int) -> Iterator[tuple[int, int, bytes]]:
        sql = (
            f"SELECT v.passage, p.document, v.vector FROM {table} v JOIN passages p ON p.number = v.passage "  # noqa: S608
            "WHERE v.change > ? AND v.vector IS NOT NULL ORDER BY v.change, v.passage"
        )
        for rows in self._database.stream(sql, (since,), _PAGE):
            yield from rows


# -- who brings them up

_POLL_SECONDS = 0.05


class Indexes:
    """The derived indexes of one library, as this process sees them."""

    def __init__(
        self, folder: Path, database: Database, lock: WriterLock, lock_wait: float, kind: type[Derived] = Derived
    ) -> None:
        self._kind = kind
        self._folder = folder
        self._database = database
        self._lock = lock
        self._lock_wait = lock_wait
        self._derived: Derived | None = None
        self._temporary: Path | None = None
        self._opening = threading.RLock()
        self._deriving = threading.RLock()

    @property
    def derived(self) -> Derived:
        """Both indexes, opened and verified on first use."""
        with self._opening:
            if self._derived is None:
                self._derived = self._look()
            return self._derived

    def refresh(self, writer: LockedWriter) -> None:
        """See the latest commit. Where a writer died before it was derived, do that, unless somebody else is at it."""
        if (
            self.derived.is_current() or writer.is_busy or not self.derived.may_be_written()
        ):  # our own writer brings them up itself, and nobody has to wait for it
            return
        with self._deriving:
            if self.derived.is_current() or self._is_current_on_disk():
                return
            if not self._database.writable:
                self._derive_elsewhere()
            elif writer.holds_lock:
                self.catch_up()
            elif self._take_lock():
                try:
                    self.catch_up()
                    self.release()
                finally:
                    self._lock.release()

    def prepare(self) -> None:
        """Go on from what others derived. The caller holds the writer's lock."""
        self._database.check_writable()
        self._database.grow()
        with self._deriving:
            if not self.derived.is_current() and not self._is_current_on_disk():
                self.catch_up()

    def catch_up(self) -> None:
        """Bring the indexes up; if that fails, make them anew; what fails then is mended when the library is next opened."""
        with self._deriving:
            try:
                if not self.derived.is_current():
                    self.derived.catch_up()
            except LibraryStorageError:
                self._derived = None
                self.derived.rebuild()

    def rebuild(self) -> None:
        """Throw the indexes away and make them anew. The caller holds the writer's lock."""
        with self._deriving:
            self.derived.rebuild()

    def release(self) -> None:
        """Let tantivy's own lock go."""
        with self._deriving, errors_of(self._database.path):
            if self._derived is not None:
                self._derived.keyword.close()

    def reopen(self) -> None:
        """Forget the indexes as they were opened, so that they are opened and verified when they are next used."""
        with self._opening:
            self._derived = None

    def close(self) -> None:
        """Forget everything, and what was made elsewhere."""
        self._derived = None
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _take_lock(self) -> bool:
        """Take the lock if it is free. While somebody else makes the indexes, wait for that: nothing could be found before."""
        deadline = time.monotonic() + self._lock_wait
        while not self._lock.try_acquire():
            if self._is_current_on_disk() or self.derived.is_usable():
                return False
            if time.monotonic() > deadline:
                raise LibraryLockedError(
                    f"the indexes of the library {str(self._folder)!r} are being made by "
                    f"{self._lock.holder() or 'another process'}; try again when it is done"
                )
            time.sleep(_POLL_SECONDS)
        return True

    def _is_current_on_disk(self) -> bool:
        """Look at what others derived, from the beginning where that cannot be followed."""
        try:
            self.derived.reload()
        except (ValueError, KeyError, TypeError, OSError):
            self._derived = None
        if not self._database.writable:  # links made earlier do not lead to what is new
            self._derived = None
        return self.derived.is_current()

    def _look(self) -> Derived:
        if self._database.writable or self._database.is_full:
            return self._kind(self._folder, self._database)
        with errors_of(self._database.path):
            linked(self._folder / "keyword", self._elsewhere / "keyword")
        return Derived(self._folder, self._database, keyword=self._elsewhere / "keyword")

    def _derive_elsewhere(self) -> None:
        """A read-only library whose indexes are behind gets its own, for as long as it is open."""
        self._derived = Derived(self._elsewhere, self._database)
        self._derived.catch_up()

    @property
    def _elsewhere(self) -> Path:
        self._temporary = self._temporary or Path(tempfile.mkdtemp(prefix="scholarmind-"))
        return self._temporary
