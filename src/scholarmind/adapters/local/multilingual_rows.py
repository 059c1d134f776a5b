"""Rows of the second vectors, within a transaction. The table is made when the first of them is stored."""

import sqlite3
from collections.abc import Iterable

from scholarmind.adapters.local import sums

MADE_WITH = "multilingual"  # what the library says of itself: the fingerprint of the embedder
_INSERT = (  # a document may have been removed meanwhile
    "INSERT OR REPLACE INTO multilingual SELECT number, ?, ?, ? FROM passages WHERE number = ?"
)
_OF_DOCUMENT = (
    "SELECT p.hash, m.vector, m.sum FROM passages p JOIN multilingual m ON m.passage = p.number WHERE p.document = ?"
)


def kept_of(connection: sqlite3.Connection, document: int) -> dict[bytes, bytes | None]:
    """Return the vectors of a document that is to be replaced, by the hash of what they are of."""
    if not _is_made(connection):
        return {}
    rows = connection.execute(_OF_DOCUMENT, (document,)).fetchall()
    return {digest: vector for digest, vector, kept in rows if kept == sums.sum_of((vector,))}


def keep(connection: sqlite3.Connection, vectors: Iterable[tuple[int, bytes | None]], change: int) -> None:
    """Store vectors by the numbers of their passages."""
    rows = ((vector, sums.sum_of((vector,)), change, passage) for passage, vector in vectors)
    connection.executemany(_INSERT, rows)


def forget(connection: sqlite3.Connection) -> None:
    """Remove every vector."""
    if _is_made(connection):
        connection.execute("DELETE FROM multilingual")


def damaged(connection: sqlite3.Connection) -> list[int]:
    """Return the passages whose vector is not as it was written."""
    if not _is_made(connection):
        return []
    rows = connection.execute("SELECT passage, vector, sum FROM multilingual")
    return [passage for passage, vector, kept in rows if kept != sums.sum_of((vector,))]


def forget_damaged(connection: sqlite3.Connection) -> None:
    """Remove such vectors, so that they are made anew."""
    for passage in damaged(connection):
        connection.execute("DELETE FROM multilingual WHERE passage = ?", (passage,))


def _is_made(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM about WHERE key = ?", (MADE_WITH,)).fetchone() is not None
