"""Watched questions and remarks as they are stored: beside the documents, so that one file holds all that a library is."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store.access import ReadAccess, Writing
from scholarmind.adapters.store.checksums import sum_of_row
from scholarmind.adapters.store.database import Database
from scholarmind.errors import LibraryStorageError, QueryError
from scholarmind.remarks import Remark, WatchedQuestion, remark_of, remark_record
from scholarmind.text.untrusted import storable

FEED = "news.feed"  # in the table `about`: the UUID of the feed of all remarks
_T = TypeVar("_T")
_QUESTIONS = "SELECT id, name, turn, change, record, sum FROM watched_questions {} ORDER BY number"
_REMARKS = """
    SELECT r.record, r.sum, q.name FROM remarks r JOIN watched_questions q ON q.number = r.question
    WHERE r.at >= ? AND ? IN ('', q.name) ORDER BY r.at DESC, r.number DESC LIMIT ?
"""
_HAS_TABLES = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'watched_questions'"


class LocalWatched:
    """The watched questions of one library."""

    def __init__(self, database: Database, *, read: ReadAccess, write: Writing) -> None:
        """Read and write in the threads of the store."""
        self._database = database
        self._read = read
        self._write = write

    async def questions(self, name: str = "") -> list[WatchedQuestion]:
        """Return the questions that are watched, the oldest first, or the one of this name."""
        where, values = ("WHERE name = ?", (storable(name),)) if name else ("", ())
        return await self._read(lambda: [_question(row) for row in self._rows(_QUESTIONS.format(where), values)])

    async def watch(self, question: WatchedQuestion) -> None:
        """Keep a question from now on; a name that is taken is an error."""

        def work(connection: DatabaseConnection) -> None:
            self._database.lay_out(connection, "watched.sql")
            connection.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", (FEED, str(uuid.uuid4())))
            if connection.execute("SELECT 1 FROM watched_questions WHERE name = ?", (question.name,)).fetchone():
                raise QueryError(
                    f"a question {question.name!r} is watched already; give another --name, or remove that one first"
                )
            sql = "INSERT INTO watched_questions (id, name, turn, change, record, sum) VALUES (?, ?, ?, ?, ?, ?)"
            connection.execute(sql, _row(question))

        await self._write(work)

    async def unwatch(self, name: str) -> bool:
        """Forget a question with all remarks on it; tell whether it was there."""
        if not await self.questions_exist():
            return False
        sql = "DELETE FROM watched_questions WHERE name = ?"
        return bool(await self._write(lambda connection: connection.execute(sql, (storable(name),)).rowcount))

    async def renew(self, question: WatchedQuestion, remarks: Sequence[Remark]) -> bool:
        """Put an answer in the place of the one before, with its remarks, unless somebody else was faster; tell whether it counted."""

        def work(connection: DatabaseConnection) -> bool:
            id, name, turn, change, record, checksum = _row(question)
            sql = "UPDATE watched_questions SET turn = ?, change = ?, record = ?, sum = ? WHERE id = ? AND name = ? AND turn = ?"
            if not connection.execute(sql, (turn, change, record, checksum, id, name, turn - 1)).rowcount:
                return False
            number = connection.execute("SELECT number FROM watched_questions WHERE id = ?", (id,)).fetchone()[0]
            for remark in remarks:
                told = _json(remark_record(remark))
                sql = "INSERT OR IGNORE INTO remarks (id, question, at, record, sum) VALUES (?, ?, ?, ?, ?)"
                connection.execute(sql, (remark.id, number, remark.at, told, sum_of_row((told,))))
            return True

        return await self._write(work)

    async def remarks(self, name: str = "", since: float = 0.0, limit: int = 1_000_000) -> list[Remark]:
        """Return the remarks on a question, or on all, from a moment on; the latest first."""
        return await self._read(lambda: [_remark(*row) for row in self._rows(_REMARKS, (since, storable(name), limit))])

    async def feed(self) -> str:
        """Return the UUID of the feed of all remarks; '' where nothing was ever watched."""
        return await self._read(lambda: self._database.about(FEED) or "")

    async def questions_exist(self) -> bool:
        """Tell whether any question was ever watched."""
        return await self._read(lambda: bool(self._database.value(_HAS_TABLES)))

    def _rows(self, sql: str, values: tuple[Any, ...]) -> list[Any]:
        return self._database.rows(sql, values) if self._database.value(_HAS_TABLES) else []


def damaged_records(database: Database) -> tuple[list[str], int]:
    """Return the names of questions whose bytes changed on the disk, and how many remarks did."""
    names = [
        str(name)
        for name, record, checksum in database.rows("SELECT name, record, sum FROM watched_questions ORDER BY number")
        if sum_of_row((record,)) != checksum
    ]
    return names, sum(sum_of_row((told,)) != kept for told, kept in database.rows("SELECT record, sum FROM remarks"))


def _row(question: WatchedQuestion) -> tuple[str, str, int, int, str, int]:
    rest = asdict(question) | {"seen": sorted(question.seen)}
    record = _json({name: value for name, value in rest.items() if name not in {"id", "name", "turn", "change"}})
    return question.id, question.name, question.turn, question.change, record, sum_of_row((record,))


def _question(row: tuple[Any, ...]) -> WatchedQuestion:
    id, name, turn, change, record, checksum = row
    kept = _loaded(f"the watched question {name!r}", record, checksum)
    known = {item: kept[item] for item in ("question", "settings", "within", "added", "asked", "first", "answer")}
    seen = frozenset((one, other, mark) for one, other, mark in kept["seen"])
    return WatchedQuestion(id=id, name=name, turn=turn, change=change, seen=seen, **known)


def _remark(record: str, checksum: int, name: str) -> Remark:
    return remark_of(_loaded(f"a remark on {name!r}", record, checksum))


def _loaded(what: str, record: str, checksum: int) -> dict[str, Any]:
    if sum_of_row((record,)) != checksum:
        raise LibraryStorageError(
            f"{what} is not as it was written: bytes of library.db changed on the disk; restore it from a backup, or remove the "
            "question with 'scholarmind watch-question remove' and watch it anew"
        )
    return json.loads(record)


def _json(record: Any) -> str:
    return storable(json.dumps(record, ensure_ascii=False, default=str))
