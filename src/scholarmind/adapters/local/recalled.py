"""Passages that were found before: given back while they are as they were, and what came or changed since then."""

from collections.abc import Sequence

from scholarmind.adapters.local import records
from scholarmind.adapters.local.database import Database
from scholarmind.adapters.local.multilingual_rows import MADE_WITH
from scholarmind.model import Document, Passage
from scholarmind.ranking import Key

_NEWEST = "SELECT coalesce(max(number), 0) FROM documents"
_AS_THEY_WERE = (
    f"SELECT {records.FOUND_COLUMNS} FROM collections c "  # noqa: S608
    "JOIN documents d ON d.collection = c.number JOIN passages p ON p.document = d.number "
    "WHERE c.name = ? AND d.id = ? AND p.position = ? AND d.number <= ?"
)
_CAME = "SELECT number FROM documents WHERE number > ?"
_GIVEN = "SELECT p.document FROM {} v JOIN passages p ON p.number = v.passage WHERE v.change > ?"

Moment = tuple[int, int]  # the latest change, and the newest document


def moment(database: Database) -> Moment:
    """Return where the library stands. Numbers are never used twice, so that a replaced document is a newer one."""
    return database.last_change(), database.value(_NEWEST)


def recall(database: Database, keys: Sequence[Key], then: Moment) -> list[tuple[Passage, Document]] | None:
    """Return these passages, or None if one of them is gone or of a document that was replaced since then."""
    found: list[tuple[Passage, Document]] = []
    with database.snapshot() as connection:
        for collection, document, position in keys:
            row = connection.execute(_AS_THEY_WERE, (collection, document, position, then[1])).fetchone()
            if row is None:
                return None
            found.append(records.found(row))
    return found


def newer_documents(database: Database, then: Moment) -> list[int]:
    """Return the numbers of the documents that came, were replaced, or were given vectors since then."""
    tables = ["vectors", *(["multilingual"] if database.about(MADE_WITH) else [])]
    sql = " UNION ".join([_CAME, *(_GIVEN.format(table) for table in tables)])
    return [row[0] for row in database.rows(sql, (then[1], *([then[0]] * len(tables))))]
