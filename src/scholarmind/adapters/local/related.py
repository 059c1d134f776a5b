"""Rows of what hangs on a document: its layout, facts, references, pointers, and the keys that tell which works are the same."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from scholarmind.adapters.local.values import to_json, value_of
from scholarmind.identity import keys_of, keys_of_reference
from scholarmind.layout import Layout
from scholarmind.model import Entry, Fact, Pointer, Reference
from scholarmind.text.names import storable

FACT_COLUMNS = 'f.field, f.value, f.source, f.sure, f."by"'
REFERENCE_COLUMNS = 'r.text, r.start, r."end", r.label, r.authors, r.year, r.title, r.doi, r.arxiv'
POINTER_COLUMNS = 'p.start, p."end", p."references"'


def put(connection: sqlite3.Connection, entry: Entry, number: int) -> None:
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
