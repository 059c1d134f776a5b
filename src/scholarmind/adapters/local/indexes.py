"""Who brings the derived indexes up, when, and where: the writer after a commit, a reader after a writer that died, or nobody."""

import shutil
import tempfile
import threading
import time
from pathlib import Path

from scholarmind.adapters.local.database import Database, errors_of
from scholarmind.adapters.local.derived import Derived
from scholarmind.adapters.local.keyword import linked
from scholarmind.adapters.local.lock import WriterLock
from scholarmind.adapters.local.writer import Writer
from scholarmind.errors import LibraryLockedError, LibraryStorageError

_POLL_SECONDS = 0.05


class Indexes:
    """The derived indexes of one library, as this process sees them."""

    def __init__(self, folder: Path, database: Database, lock: WriterLock, lock_wait: float) -> None:
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

    def refresh(self, writer: Writer) -> None:
        """See the latest commit. Where a writer died before it was derived, do that, unless somebody else is at it."""
        if (
            self.derived.is_current() or writer.is_busy
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
            return Derived(self._folder, self._database)
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
