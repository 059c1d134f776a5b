"""The second vectors of passages, for what the library's own embedder cannot read: first of such passages, and of all once that is of use.

It is of use once the library holds a document in a language other than English, or was asked in one: then a question finds what answers
it in either language. The vectors are kept like the first ones: SQLite has them, a matrix is derived.
"""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store import records
from scholarmind.adapters.store.access import ReadAccess, Writing
from scholarmind.adapters.store.database import Database
from scholarmind.library_ports import Reach, Waiting

ASKED = "multilingual.asked"  # a file: this library was asked in a language that its embedder does not know
_COUNTS = "SELECT coalesce(sum(passages), 0), coalesce(sum(unsuited), 0) FROM collections"
_VECTORS = "SELECT count(*) FROM multilingual WHERE vector IS NOT NULL"
_WITHOUT = "SELECT count(*) FROM multilingual WHERE vector IS NULL"
_SPEAKS = (  # a document that is not in English
    "SELECT 1 FROM multilingual m JOIN passages p ON p.number = m.passage JOIN documents d ON d.number = p.document "
    "WHERE m.vector IS NOT NULL AND d.language NOT IN ('', 'en') LIMIT 1"
)
_WAITING = (
    f"SELECT {records.PASSAGE_COLUMNS}, p.number, d.title FROM vectors v "  # noqa: S608
    "JOIN passages p ON p.number = v.passage JOIN documents d ON d.number = p.document "
    "WHERE v.passage > ? AND {} ORDER BY v.passage LIMIT ?"
)
_LACKING = "NOT EXISTS (SELECT 1 FROM multilingual m WHERE m.passage = v.passage)"


class LocalMultilingual:
    """The second vectors of one library, made by the embedder with this fingerprint."""

    def __init__(self, folder: Path, database: Database, *, read: ReadAccess, write: Writing) -> None:
        """Read and write in the threads of the store; after what is written the indexes follow."""
        self._folder = folder
        self._database = database
        self._read = read
        self._write = write
        self._known: tuple[tuple[int, bool, str], Reach] | None = None

    async def reach(self, fingerprint: str) -> Reach:
        """Return how far the vectors of this embedder are; looked at anew only after a change."""
        return await self._read(lambda: self.reach_now(fingerprint))

    def reach_now(self, fingerprint: str) -> Reach:
        """Do the work of `reach` in this thread."""
        moment = (self._database.last_change(), (self._folder / ASKED).exists(), fingerprint)
        if self._known is None or self._known[0] != moment:
            self._known = (moment, self._reach(fingerprint, asked=moment[1]))
        return self._known[1]

    async def waiting(self, fingerprint: str, limit: int, after: int = 0) -> list[Waiting]:
        """Return passages beyond this number that are to have a vector and have none yet; their own embedder has seen them already."""

        def work() -> list[Waiting]:
            conditions = [] if self.reach_now(fingerprint).is_for_all else ["v.vector IS NULL"]
            conditions += [_LACKING] if self._is_of(fingerprint) else []
            sql = _WAITING.format(" AND ".join(conditions) or "1 = 1")
            rows = self._database.rows(sql, (after, limit))
            return [
                Waiting(number=row[-2], text=records.text_to_embed(row[-1], records.passage_of(row))) for row in rows
            ]

        return await self._read(work)

    async def fill(self, fingerprint: str, vectors: Mapping[int, npt.NDArray[np.float32] | None]) -> None:
        """Store vectors of passages that are still there, in place of those of another embedder."""

        def work(connection: DatabaseConnection) -> None:
            self._database.lay_out(connection, "multilingual.sql")
            if not self._is_of(fingerprint):
                records.forget_second_vectors(connection)
                connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (records.SECOND_EMBEDDER, fingerprint))
            change = records.log(connection, "fill", None)
            records.keep_second_vectors(
                connection, ((number, records.blob_of(vector)) for number, vector in vectors.items()), change
            )

        await self._write(work)

    def ask_for_all(self) -> None:
        """Keep in mind that English passages are to have these vectors too; where nothing can be written it is of no use."""
        with suppress(OSError):
            (self._folder / ASKED).touch()

    def _is_of(self, fingerprint: str) -> bool:
        return self._database.about(records.SECOND_EMBEDDER) == fingerprint

    def _reach(self, fingerprint: str, *, asked: bool) -> Reach:
        passages, unsuited = self._database.rows(_COUNTS)[0]
        made = self._is_of(fingerprint)
        vectors = self._database.value(_VECTORS) if made else 0
        without = self._database.value(_WITHOUT) if made else 0
        # once it was for all it stays so, whatever is removed
        for_all = asked or vectors + without > unsuited or bool(vectors and self._database.value(_SPEAKS))
        wanted = passages if for_all else unsuited
        return Reach(vectors=vectors, missing=max(0, wanted - vectors - without), is_for_all=for_all)
