"""Checksums of what is stored: of each document's rows, its passages and vectors in SQLite, and of the files of the derived indexes.

They are for flipped and missing bytes, not for malice, and fast enough to be asked at every opening. SQLite notices pages that cannot
be, and no byte that changed within a text.
"""

import json
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.errors import LibraryStorageError

# -- rows: a document, all that hangs on it, each passage, each vector

HEAD = "d.id, d.title, c.name, d.authors, d.year, d.source, d.language, d.kind, d.metadata, d.origin"
PASSAGE = 'p.text, p.start, p."end", p.position, p.section, p.language, p.kind, p.page'
_HEAD = f"SELECT {HEAD} FROM documents d JOIN collections c ON c.number = d.collection WHERE d.number = ?"  # noqa: S608
_BODY = (  # the parts of one document, each in an order of its own
    "SELECT text FROM texts WHERE document = ?",
    "SELECT packed FROM layouts WHERE document = ?",
    "SELECT number, hash FROM passages WHERE document = ? ORDER BY number",
    'SELECT position, field, value, source, sure, "by" FROM facts WHERE document = ? ORDER BY position',
    'SELECT position, label, text, start, "end", authors, year, title, doi, arxiv FROM cited WHERE document = ? ORDER BY position',
    "SELECT position, key FROM cited_keys WHERE document = ? ORDER BY position, key",
    "SELECT key FROM work_keys WHERE document = ? ORDER BY key",
    'SELECT start, position, "end", "references" FROM pointers WHERE document = ? ORDER BY start, position',
    "SELECT field, value, number FROM terms WHERE document = ? ORDER BY field, value",
    "SELECT key, name, field, value FROM names WHERE document = ? ORDER BY key, name, field",
)

_PASSAGES = (
    f"SELECT p.number, v.passage, v.vector, s.passage, s.sum, s.vector, {PASSAGE} FROM passages p "  # noqa: S608
    "LEFT JOIN vectors v ON v.passage = p.number LEFT JOIN passage_sums s ON s.passage = p.number "
    "WHERE p.document = ? AND p.number > ? ORDER BY p.number LIMIT 1000"
)

_UNSUMMED = "SELECT d.number FROM documents d LEFT JOIN sums s ON s.document = d.number WHERE s.document IS NULL"


def sum_of_row(values: Iterable[Any], before: int = 0) -> int:
    """Return the checksum of the values of a row, going on from that of the rows before; text counts as its bytes."""
    for value in values:
        raw = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        raw = raw if isinstance(raw, bytes) else repr(raw).encode()
        before = zlib.crc32(raw, zlib.crc32(b"%d:" % len(raw), before))
    return before


def write(connection: DatabaseConnection, document: int) -> None:
    """Sum up a document as it is now."""
    head, body = _sums_of(connection, document)
    connection.execute("INSERT OR REPLACE INTO sums VALUES (?, ?, ?)", (document, head, body))
    for rows in _passages(connection, document):
        summed = ((row[0], sum_of_row(row[6:]), None if row[1] is None else sum_of_row(row[2:3])) for row in rows)
        connection.executemany("INSERT OR REPLACE INTO passage_sums VALUES (?, ?, ?)", summed)


def _passages(connection: DatabaseConnection, document: int) -> Iterator[list[Any]]:
    """Yield the rows of a document's passages in pieces: a book has more of them than should be held at once."""
    after = -1
    while True:
        with _as_bytes(connection):
            rows = connection.execute(_PASSAGES, (document, after)).fetchall()
        if not rows:
            return
        yield rows
        after = rows[-1][0]


def write_vector(connection: DatabaseConnection, passage: int, vector: bytes | None) -> None:
    """Sum up the vector that a passage was given."""
    connection.execute("UPDATE passage_sums SET vector = ? WHERE passage = ?", (sum_of_row((vector,)), passage))


def write_missing(connection: DatabaseConnection) -> None:
    """Sum up what was stored by a version that did not."""
    for (document,) in connection.execute(_UNSUMMED).fetchall():
        write(connection, document)


def damage(connection: DatabaseConnection, document: int) -> str:
    """Return what of a document is not as it was written, or ''. What was never summed up passes."""
    kept = connection.execute("SELECT head, body FROM sums WHERE document = ?", (document,)).fetchone()
    if kept is None:
        return ""
    found = _sums_of(connection, document)
    wrong = [what for what, old, new in zip(("description", "text"), kept, found, strict=True) if old != new]
    passages = vectors = 0
    for rows in _passages(connection, document):
        passages += sum(row[3] is None or row[4] != sum_of_row(row[6:]) for row in rows)
        vectors += sum(
            row[3] is not None and row[5] != (None if row[1] is None else sum_of_row(row[2:3])) for row in rows
        )
    wrong += [f"{count} {what}" for count, what in ((passages, "passages"), (vectors, "vectors")) if count]
    return ", ".join(wrong)


def check(connection: DatabaseConnection, document: int) -> None:
    """Refuse a document that is not as it was written."""
    if wrong := damage(connection, document):
        with _as_bytes(connection):
            row = connection.execute(_HEAD, (document,)).fetchone()
        raise damaged(row, wrong)


def damaged(head: Sequence[Any], wrong: str) -> LibraryStorageError:
    """Return the error for a document whose row this is."""
    id, collection, origin = (
        value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in (head[0], head[2], head[9])
    )
    return LibraryStorageError(
        f"the document {id!r} of collection {collection!r} is not as it was written ({wrong}): bytes of library.db changed on the disk; "
        f"read its file again with 'scholarmind doctor --mend' and then 'scholarmind add {origin}', or restore library.db from a backup"
    )


def damages(connection: DatabaseConnection) -> Iterator[tuple[int, str, str, str, str]]:
    """Yield number, collection, id and origin of every damaged document, and what of it is."""
    for (document,) in connection.execute("SELECT number FROM documents ORDER BY number").fetchall():
        if wrong := damage(connection, document):
            with _as_bytes(connection):
                row = connection.execute(_HEAD, (document,)).fetchone() or (b"?",) * 10
            collection, id, origin = ((row[place] or b"").decode("utf-8", "replace") for place in (2, 0, 9))
            yield document, collection, id, origin, wrong


def _sums_of(connection: DatabaseConnection, document: int) -> tuple[int, int]:
    with _as_bytes(connection):
        head = sum_of_row(connection.execute(_HEAD, (document,)).fetchone() or ())
        body = 0
        for place, sql in enumerate(_BODY):
            body = sum_of_row((place,), body)
            for row in connection.execute(sql, (document,)):
                body = sum_of_row(row, body)
    return head, body


@contextmanager
def _as_bytes(connection: DatabaseConnection) -> Generator[None]:
    """Read text as its bytes: damaged ones are often no text any more."""
    before = connection.text_factory
    connection.text_factory = bytes
    try:
        yield
    finally:
        connection.text_factory = before


# -- arrays and files

_MASK = (1 << 64) - 1


def sum_of_array(array: npt.NDArray[Any]) -> int:
    """Return the sum of the array's bytes, taken as 64-bit numbers. Sums of two arrays add up to that of both in a row."""
    raw = np.ascontiguousarray(array).view(np.uint8).reshape(-1)
    whole = len(raw) - len(raw) % 8
    total = int(raw[:whole].view(np.uint64).sum(dtype=np.uint64))
    return (total + int.from_bytes(raw[whole:].tobytes(), "little")) & _MASK


def add_sums(first: int, second: int) -> int:
    """Return the sum of two sums."""
    return (first + second) & _MASK


def sum_of_file(path: Path) -> int:
    """Return the checksum of a whole file."""
    return zlib.crc32(path.read_bytes())


def read_record(path: Path) -> dict[str, Any]:
    """Return the JSON object in a small file of ours; whatever else is there is a ValueError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path.name} cannot be read") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path.name} cannot be read")  # noqa: TRY004  (damage, whatever its type)
    return cast("dict[str, Any]", found)
