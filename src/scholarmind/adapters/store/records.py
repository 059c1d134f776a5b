"""Rows of the truth: how documents, what hangs on them, passages and vectors are written in a transaction and read back.

What is asked of documents as a whole is in `shelf`, what is found in `hybrid_search`.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store import checksums
from scholarmind.adapters.store.masks import fold_value
from scholarmind.identity import keys_of, keys_of_reference, names_of
from scholarmind.layout import Layout
from scholarmind.model import Document, Entry, Fact, Passage, Pointer, Reference, Value, text_to_embed
from scholarmind.text.untrusted import storable

# -- values as JSON in a column

_ENCODER = json.JSONEncoder(ensure_ascii=False)


def to_json(value: object) -> str:
    """Return a value as text that SQLite takes."""
    return storable(_ENCODER.encode(value))


def value_of(stored: str) -> Any:
    """Return the value that `to_json` was given: a single one, a tuple of single ones, or None."""
    return _frozen(json.loads(stored))


def metadata_of(stored: Mapping[str, Any]) -> dict[str, Value]:
    """Return metadata as a document has it."""
    return {key: _frozen(value) for key, value in stored.items()}


def _frozen(value: Any) -> Any:
    return tuple(cast("list[Any]", value)) if isinstance(value, list) else value


# -- what hangs on a document: layout, facts, references, pointers, keys of works

FACT_COLUMNS = 'f.field, f.value, f.source, f.sure, f."by"'
REFERENCE_COLUMNS = 'r.text, r.start, r."end", r.label, r.authors, r.year, r.title, r.doi, r.arxiv'
POINTER_COLUMNS = 'p.start, p."end", p."references"'


def _put_related(connection: DatabaseConnection, entry: Entry, number: int) -> None:
    """Store all that hangs on this document."""
    keys = ((storable(key), number) for key in keys_of(entry.document))
    connection.executemany("INSERT OR IGNORE INTO work_keys VALUES (?, ?)", keys)
    if entry.layout is not None:
        connection.execute("INSERT INTO layouts VALUES (?, ?)", (number, entry.layout.pack()))
    if entry.facts:
        connection.executemany("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?)", _fact_rows(entry, number))
    if entry.references:
        sql = "INSERT INTO cited VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        connection.executemany(sql, _reference_rows(entry, number))
        connection.executemany("INSERT OR IGNORE INTO cited_keys VALUES (?, ?, ?)", _reference_keys(entry, number))
    if entry.pointers:
        connection.executemany("INSERT INTO pointers VALUES (?, ?, ?, ?, ?)", _pointer_rows(entry, number))


def layout_of(packed: bytes | None) -> Layout | None:
    """Read back a layout."""
    return None if packed is None else Layout.unpack(packed)


def fact_of(row: Sequence[Any]) -> Fact:
    """Read back a fact from `FACT_COLUMNS`."""
    return Fact(field=row[0], value=value_of(row[1]), source=row[2], sure=row[3], by=row[4])


def reference_of(row: Sequence[Any]) -> Reference:
    """Read back a reference from `REFERENCE_COLUMNS`."""
    return Reference(
        text=row[0],
        start=row[1],
        end=row[2],
        label=row[3],
        authors=_authors(row[4]),
        year=row[5],
        title=row[6],
        doi=row[7],
        arxiv=row[8],
    )


def pointer_of(row: Sequence[Any]) -> Pointer:
    """Read back a pointer from `POINTER_COLUMNS`."""
    return Pointer(start=row[0], end=row[1], references=value_of(row[2]))


@lru_cache(maxsize=4096)
def _authors(stored: str) -> tuple[str, ...]:
    return tuple(json.loads(stored))


def _fact_rows(entry: Entry, number: int) -> Iterator[tuple[Any, ...]]:
    for position, fact in enumerate(entry.facts):
        yield number, position, storable(fact.field), to_json(fact.value), storable(fact.source), fact.sure, fact.by


def _reference_rows(entry: Entry, number: int) -> Iterator[tuple[Any, ...]]:
    for position, reference in enumerate(entry.references):
        yield (
            number,
            position,
            storable(reference.label),
            storable(reference.text),
            reference.start,
            reference.end,
            to_json(reference.authors),
            reference.year,
            storable(reference.title),
            storable(reference.doi),
            storable(reference.arxiv),
        )


def _reference_keys(entry: Entry, number: int) -> Iterator[tuple[str, int, int]]:
    for position, reference in enumerate(entry.references):
        for key in keys_of_reference(reference):
            yield storable(key), number, position


def _pointer_rows(entry: Entry, number: int) -> Iterator[tuple[Any, ...]]:
    for position, pointer in enumerate(entry.pointers):
        yield number, pointer.start, position, pointer.end, to_json(pointer.references)


# -- second vectors; their table is made when the first of them is stored

SECOND_EMBEDDER = "multilingual"  # what the library says of itself: the fingerprint of the embedder
_INSERT_SECOND = (  # a document may have been removed meanwhile
    "INSERT OR REPLACE INTO multilingual SELECT number, CAST(? AS BLOB), ?, ? FROM passages WHERE number = ?"
)

_SECOND_OF_DOCUMENT = (
    "SELECT p.hash, m.vector, m.sum FROM passages p JOIN multilingual m ON m.passage = p.number WHERE p.document = ?"
)


def _second_vectors_of(connection: DatabaseConnection, document: int) -> dict[bytes, bytes | None]:
    """Return the vectors of a document that is to be replaced, by the hash of what they are of."""
    if not _has_second_vectors(connection):
        return {}
    rows = connection.execute(_SECOND_OF_DOCUMENT, (document,)).fetchall()
    return {digest: vector for digest, vector, kept in rows if kept == checksums.sum_of_row((vector,))}


def keep_second_vectors(
    connection: DatabaseConnection, vectors: Iterable[tuple[int, bytes | None]], change: int
) -> None:
    """Store vectors by the numbers of their passages."""
    rows = ((vector, checksums.sum_of_row((vector,)), change, passage) for passage, vector in vectors)
    connection.executemany(_INSERT_SECOND, rows)


def forget_second_vectors(connection: DatabaseConnection) -> None:
    """Remove every vector."""
    if _has_second_vectors(connection):
        connection.execute("DELETE FROM multilingual")


def damaged_second_vectors(connection: DatabaseConnection) -> list[int]:
    """Return the passages whose vector is not as it was written."""
    if not _has_second_vectors(connection):
        return []
    rows = connection.execute("SELECT passage, vector, sum FROM multilingual")
    return [passage for passage, vector, kept in rows if kept != checksums.sum_of_row((vector,))]


def forget_damaged_second_vectors(connection: DatabaseConnection) -> None:
    """Remove such vectors, so that they are made anew."""
    for passage in damaged_second_vectors(connection):
        connection.execute("DELETE FROM multilingual WHERE passage = ?", (passage,))


def _has_second_vectors(connection: DatabaseConnection) -> bool:
    return connection.execute("SELECT 1 FROM about WHERE key = ?", (SECOND_EMBEDDER,)).fetchone() is not None


# -- documents, passages and vectors

DOCUMENT_COLUMNS = checksums.HEAD
PASSAGE_COLUMNS = checksums.PASSAGE
_DOCUMENT_WIDTH, _PASSAGE_WIDTH = 10, 8
FOUND_COLUMNS = (  # a passage with its document, and what they were when they were written
    f"{PASSAGE_COLUMNS}, {DOCUMENT_COLUMNS}, (SELECT s.sum FROM passage_sums s WHERE s.passage = p.number), "  # noqa: S608
    "(SELECT s.head FROM sums s WHERE s.document = d.number)"
)

_NO_VECTORS: Mapping[bytes, Any] = {}
_AT_ONCE = 2_000  # passages
_TALLIES = ("documents", "passages", "vectors", "unsuited")


def put(
    connection: DatabaseConnection, entry: Entry, vectors: Mapping[bytes, npt.NDArray[np.float32] | None] = _NO_VECTORS
) -> None:
    """Store a document in place of the one with its id, with these vectors, and those that it had of passages that did not change."""
    document = entry.document
    collection = _collection(connection, document.collection)
    given = {digest: blob_of(vector) for digest, vector in vectors.items()}
    kept: dict[bytes, bytes | None] = {}
    second: dict[bytes, bytes | None] = {}
    sql = (  # compared by the database: what is damaged may be no text any more
        "SELECT number, origin = ? AND text = ?, CAST(origin AS BLOB) "
        "FROM documents JOIN texts ON document = number WHERE collection = ? AND id = ?"
    )
    if known := connection.execute(sql, (document.origin, entry.text, collection, document.id)).fetchone():
        kept = _vectors_of(connection, known[0])
        second = _second_vectors_of(connection, known[0])
        _delete(connection, collection, known[0])
        if not known[1]:  # otherwise it is described anew, and its file is as it was
            _forget_source(connection, document.collection, known[2].decode("utf-8", "replace"))
    number = _insert_document(connection, collection, entry)
    change = log(connection, "put", number)
    connection.executemany("INSERT OR IGNORE INTO terms VALUES (?, ?, ?, ?)", _terms(document, number))
    _put_names(connection, document, number)
    _put_related(connection, entry, number)
    filled, unsuited = _insert_passages(connection, number, entry, kept | given, change)
    if second:
        rows = connection.execute("SELECT number, hash FROM passages WHERE document = ?", (number,)).fetchall()
        keep_second_vectors(connection, ((row[0], second[row[1]]) for row in rows if row[1] in second), change)
    checksums.write(connection, number)
    _tally(connection, collection, (1, len(entry.passages), filled, unsuited))


def _put_names(connection: DatabaseConnection, document: Document, number: int) -> None:
    """File what the document is called."""
    filed = ((name.key, name.tokens, storable(name.field), number, storable(name.value)) for name in names_of(document))
    connection.executemany("INSERT OR IGNORE INTO names VALUES (?, ?, ?, ?, ?)", filed)


def remove(connection: DatabaseConnection, collection: str, identifier: str) -> bool:
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


def _delete(connection: DatabaseConnection, collection: int, number: int) -> None:
    sql = (
        "SELECT count(*), count(v.vector), count(v.passage) FROM passages p "
        "LEFT JOIN vectors v ON v.passage = p.number WHERE p.document = ?"
    )
    passages, vectors, answered = connection.execute(sql, (number,)).fetchone()
    _tally(connection, collection, (-1, -passages, -vectors, vectors - answered))
    connection.execute("DELETE FROM documents WHERE number = ?", (number,))
    log(connection, "remove", number)


def _forget_source(connection: DatabaseConnection, collection: str, path: str) -> None:
    connection.execute("DELETE FROM sources WHERE collection = ? AND path = ?", (collection, path))


def fill(connection: DatabaseConnection, vectors: Mapping[int, npt.NDArray[np.float32] | None]) -> None:
    """Store the vectors of passages that still wait for one."""
    change = log(connection, "fill", None)
    for passage, vector in vectors.items():
        if connection.execute("DELETE FROM backlog WHERE passage = ?", (passage,)).rowcount:
            blob = blob_of(vector)
            connection.execute("INSERT INTO vectors VALUES (?, ?, ?)", (passage, blob, change))
            checksums.write_vector(connection, passage, blob)
            sql = "SELECT d.collection FROM passages p JOIN documents d ON d.number = p.document WHERE p.number = ?"
            (collection,) = connection.execute(sql, (passage,)).fetchone()
            _tally(connection, collection, (0, 0, 0, 1) if blob is None else (0, 0, 1, 0))


def blob_of(vector: npt.NDArray[np.float32] | None) -> bytes | None:
    """Return a vector as it is stored."""
    return None if vector is None else np.asarray(vector, np.float32).tobytes()


def forget_vectors(connection: DatabaseConnection) -> None:
    """Put every passage back into the backlog: another embedder takes over."""
    connection.execute("DELETE FROM vectors")
    forget_second_vectors(connection)
    connection.execute("UPDATE passage_sums SET vector = NULL")
    connection.execute("INSERT OR IGNORE INTO backlog SELECT number FROM passages")
    connection.execute("UPDATE collections SET vectors = 0, unsuited = 0")
    log(connection, "fill", None)


def found(row: Sequence[Any]) -> tuple[Passage, Document]:
    """Read back a passage and its document from `FOUND_COLUMNS`, if they are as they were written."""
    end = _PASSAGE_WIDTH + _DOCUMENT_WIDTH
    passage, head, (sum_of_passage, sum_of_head) = row[:_PASSAGE_WIDTH], row[_PASSAGE_WIDTH:end], row[end : end + 2]
    if sum_of_head is not None and checksums.sum_of_row(head) != sum_of_head:
        raise checksums.damaged(head, "description")
    if sum_of_passage is not None and checksums.sum_of_row(passage) != sum_of_passage:
        raise checksums.damaged(head, f"passage {passage[3]}")
    return passage_of(passage), document_of(head)


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


def _collection(connection: DatabaseConnection, name: str) -> int:
    row = connection.execute("SELECT number FROM collections WHERE name = ?", (name,)).fetchone()
    if row is None:
        connection.execute("INSERT INTO collections (name) VALUES (?)", (name,))
        return _collection(connection, name)
    return row[0]


def _insert_document(connection: DatabaseConnection, collection: int, entry: Entry) -> int:
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
    connection: DatabaseConnection, document: int, entry: Entry, kept: Mapping[bytes, bytes | None], change: int
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


def _vectors_of(connection: DatabaseConnection, document: int) -> dict[bytes, bytes | None]:
    sql = (
        "SELECT p.hash, v.vector, s.vector FROM passages p JOIN vectors v ON v.passage = p.number "
        "LEFT JOIN passage_sums s ON s.passage = p.number WHERE p.document = ?"
    )
    rows = connection.execute(sql, (document,)).fetchall()
    return {digest: vector for digest, vector, kept in rows if kept in {None, checksums.sum_of_row((vector,))}}


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


def log(connection: DatabaseConnection, kind: str, document: int | None) -> int:
    """Write down a change, and return its number."""
    return connection.execute("INSERT INTO changes (kind, document) VALUES (?, ?)", (kind, document)).lastrowid or 0


def _tally(connection: DatabaseConnection, collection: int, differences: Iterable[int]) -> None:
    sums = ", ".join(f"{name} = {name} + ?" for name in _TALLIES)
    connection.execute(f"UPDATE collections SET {sums} WHERE number = ?", (*differences, collection))  # noqa: S608
