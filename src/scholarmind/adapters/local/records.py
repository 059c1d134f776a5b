"""Rows of the truth: how documents, passages and vectors are written and read back."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from scholarmind.adapters.local import related
from scholarmind.adapters.local.masks import fold_value
from scholarmind.adapters.local.values import metadata_of, to_json
from scholarmind.model import Document, Entry, Passage, text_to_embed
from scholarmind.naming import names_of
from scholarmind.text.names import storable

DOCUMENT_COLUMNS = "d.id, d.title, c.name, d.authors, d.year, d.source, d.language, d.kind, d.metadata, d.origin"
PASSAGE_COLUMNS = 'p.text, p.start, p."end", p.position, p.section, p.language, p.kind, p.page'
PASSAGE_WIDTH = 8
_AT_ONCE = 2_000  # passages
_TALLIES = ("documents", "passages", "vectors", "unsuited")


def put(connection: sqlite3.Connection, entry: Entry) -> None:
    """Store a document in place of the one with its id, keeping the vectors of passages that did not change."""
    document = entry.document
    collection = _collection(connection, document.collection)
    kept: dict[bytes, bytes | None] = {}
    sql = "SELECT number, origin FROM documents WHERE collection = ? AND id = ?"
    if known := connection.execute(sql, (collection, document.id)).fetchone():
        kept = _vectors_of(connection, known[0])
        same = "SELECT 1 FROM texts WHERE document = ? AND text = ?"
        is_same = known[1] == document.origin and connection.execute(same, (known[0], entry.text)).fetchone()
        _delete(connection, collection, known[0])
        if not is_same:  # otherwise it is described anew, and its file is as it was
            _forget_source(connection, document.collection, known[1])
    number = _insert_document(connection, collection, entry)
    change = _log(connection, "put", number)
    connection.executemany("INSERT OR IGNORE INTO terms VALUES (?, ?, ?, ?)", _terms(document, number))
    put_names(connection, document, number)
    related.put(connection, entry, number)
    vectors, unsuited = _insert_passages(connection, number, entry, kept, change)
    _tally(connection, collection, (1, len(entry.passages), vectors, unsuited))


def put_names(connection: sqlite3.Connection, document: Document, number: int) -> None:
    """File what the document is called."""
    filed = ((name.key, name.tokens, storable(name.field), number, storable(name.value)) for name in names_of(document))
    connection.executemany("INSERT OR IGNORE INTO names VALUES (?, ?, ?, ?, ?)", filed)


def remove(connection: sqlite3.Connection, collection: str, identifier: str) -> bool:
    """Remove a document with all that hangs on it; tell whether there was one."""
    sql = (
        "SELECT d.number, d.collection, d.origin FROM documents d "
        "JOIN collections c ON c.number = d.collection WHERE c.name = ? AND d.id = ?"
    )
    row = connection.execute(sql, (collection, identifier)).fetchone()
    if row is None:
        return False
    number, of_collection, origin = row
    _delete(connection, of_collection, number)
    _forget_source(connection, collection, origin)
    return True


def _delete(connection: sqlite3.Connection, collection: int, number: int) -> None:
    sql = (
        "SELECT count(*), count(v.vector), count(v.passage) FROM passages p "
        "LEFT JOIN vectors v ON v.passage = p.number WHERE p.document = ?"
    )
    passages, vectors, answered = connection.execute(sql, (number,)).fetchone()
    _tally(connection, collection, (-1, -passages, -vectors, vectors - answered))
    connection.execute("DELETE FROM documents WHERE number = ?", (number,))
    _log(connection, "remove", number)


def _forget_source(connection: sqlite3.Connection, collection: str, path: str) -> None:
    connection.execute("DELETE FROM sources WHERE collection = ? AND path = ?", (collection, path))


def fill(connection: sqlite3.Connection, vectors: Mapping[int, npt.NDArray[np.float32] | None]) -> None:
    """Store the vectors of passages that still wait for one."""
    change = _log(connection, "fill", None)
    for passage, vector in vectors.items():
        if connection.execute("DELETE FROM backlog WHERE passage = ?", (passage,)).rowcount:
            blob = None if vector is None else np.asarray(vector, np.float32).tobytes()
            connection.execute("INSERT INTO vectors VALUES (?, ?, ?)", (passage, blob, change))
            sql = "SELECT d.collection FROM passages p JOIN documents d ON d.number = p.document WHERE p.number = ?"
            (collection,) = connection.execute(sql, (passage,)).fetchone()
            _tally(connection, collection, (0, 0, 0, 1) if blob is None else (0, 0, 1, 0))


def forget_vectors(connection: sqlite3.Connection) -> None:
    """Put every passage back into the backlog: another embedder takes over."""
    connection.execute("DELETE FROM vectors")
    connection.execute("INSERT OR IGNORE INTO backlog SELECT number FROM passages")
    connection.execute("UPDATE collections SET vectors = 0, unsuited = 0")
    _log(connection, "fill", None)


def document_of(row: Sequence[Any]) -> Document:
    """Read back a document from `DOCUMENT_COLUMNS`; the passages of one share it."""
    return _document(tuple(row[:10]))


@lru_cache(maxsize=4096)
def _document(row: tuple[Any, ...]) -> Document:
    return Document(
        id=row[0],
        title=row[1],
        collection=row[2],
        authors=tuple(json.loads(row[3])),
        year=row[4],
        source=row[5],
        language=row[6],
        kind=row[7],
        metadata=metadata_of(json.loads(row[8])),
        origin=row[9],
    )


def passage_of(row: Sequence[Any]) -> Passage:
    """Read back a passage from `PASSAGE_COLUMNS`."""
    return Passage(
        text=row[0],
        start=row[1],
        end=row[2],
        position=row[3],
        section=_section(row[4]),
        language=row[5],
        kind=row[6],
        page=row[7],
    )


@lru_cache(maxsize=4096)
def _section(stored: str) -> tuple[str, ...]:
    return tuple(json.loads(stored))


def _collection(connection: sqlite3.Connection, name: str) -> int:
    row = connection.execute("SELECT number FROM collections WHERE name = ?", (name,)).fetchone()
    if row is None:
        connection.execute("INSERT INTO collections (name) VALUES (?)", (name,))
        return _collection(connection, name)
    return row[0]


def _insert_document(connection: sqlite3.Connection, collection: int, entry: Entry) -> int:
    document = entry.document
    values = (
        collection,
        document.id,
        document.title,
        to_json(document.authors),
        document.year,
        document.source,
        document.origin,
        document.language,
        document.kind,
        to_json(dict(document.metadata)),
        entry.hash,
    )
    sql = (
        "INSERT INTO documents (collection, id, title, authors, year, source, origin, language, kind, metadata, hash) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    )
    number = connection.execute(sql, values).lastrowid
    if number is None:
        raise sqlite3.DatabaseError("the document got no number")
    connection.execute("INSERT INTO texts VALUES (?, ?)", (number, entry.text))
    return number


def _insert_passages(
    connection: sqlite3.Connection, document: int, entry: Entry, kept: Mapping[bytes, bytes | None], change: int
) -> tuple[int, int]:
    """Insert the passages, some at a time; return how many of them kept a vector, and how many the answer that they have none."""
    vectors = unsuited = 0
    first = 1 + (connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'passages'").fetchone() or (0,))[0]
    passages = enumerate(entry.passages, first)
    while some := list(islice(passages, _AT_ONCE)):
        numbered = [(number, p, hash_of(text_to_embed(entry.document.title, p))) for number, p in some]
        rows = (
            (
                number,
                document,
                p.position,
                p.start,
                p.end,
                to_json(p.section),
                p.language,
                p.text,
                digest,
                p.page,
                p.kind,
            )
            for number, p, digest in numbered
        )
        connection.executemany("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        filled = [(number, kept[digest], change) for number, _, digest in numbered if digest in kept]
        connection.executemany("INSERT INTO vectors VALUES (?, ?, ?)", filled)
        waiting = [(number,) for number, _, digest in numbered if digest not in kept]
        connection.executemany("INSERT INTO backlog VALUES (?)", waiting)
        without = sum(vector is None for _, vector, _ in filled)
        vectors, unsuited = vectors + len(filled) - without, unsuited + without
    return vectors, unsuited


def _vectors_of(connection: sqlite3.Connection, document: int) -> dict[bytes, bytes | None]:
    sql = "SELECT p.hash, v.vector FROM passages p JOIN vectors v ON v.passage = p.number WHERE p.document = ?"
    return dict(connection.execute(sql, (document,)).fetchall())


def hash_of(text: str) -> bytes:
    """Return what a passage's vector is remembered by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def _terms(document: Document, number: int) -> Iterator[tuple[str, str, int, float | None]]:
    fields: dict[str, Any] = {**document.metadata, "title": document.title, "source": document.source}
    fields |= {"language": document.language, "kind": document.kind, "year": document.year}
    # an author is found by the full name and by the family name
    fields["author"] = (*document.authors, *(author.split()[-1] for author in document.authors if author.strip()))
    for field, value in fields.items():
        for single in cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,):
            if single not in {None, ""}:
                yield storable(field), fold_value(single), number, _number(single)


def _number(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, (int, float, str)) else None
    except ValueError:
        return None


def _log(connection: sqlite3.Connection, kind: str, document: int | None) -> int:
    return connection.execute("INSERT INTO changes (kind, document) VALUES (?, ?)", (kind, document)).lastrowid or 0


def _tally(connection: sqlite3.Connection, collection: int, differences: Iterable[int]) -> None:
    sums = ", ".join(f"{name} = {name} + ?" for name in _TALLIES)
    connection.execute(f"UPDATE collections SET {sums} WHERE number = ?", (*differences, collection))  # noqa: S608
