"""Examine a library: is the truth sound, do the derived indexes agree with it, is there room, who is writing."""

import shutil
from collections.abc import Iterator

from scholarmind.adapters.local import multilingual_rows, sums
from scholarmind.adapters.local.store import LocalStore
from scholarmind.adapters.local.structure_health import examine_structures
from scholarmind.errors import LibraryError, LibraryMismatchError, LibraryStorageError
from scholarmind.model import NO_EMBEDDER, Check

_LITTLE_ROOM = 500_000_000
_MOST_TOLD = 5
_RECOUNT = """
    SELECT c.name, count(DISTINCT d.number), count(p.number), count(v.vector), count(v.passage) - count(v.vector)
    FROM collections c LEFT JOIN documents d ON d.collection = c.number LEFT JOIN passages p ON p.document = d.number
    LEFT JOIN vectors v ON v.passage = p.number GROUP BY c.number ORDER BY c.name
"""


def examine(store: LocalStore) -> Iterator[Check]:
    """Yield what is found, the truth first. Nothing is changed."""
    mend = f"scholarmind doctor --mend --library {store.folder}"
    yield _truth(store)
    yield _documents(store)
    yield _counts(store, mend)
    yield _fingerprint(store)
    yield from _derived(store, mend)
    yield _backlog(store)
    yield from _multilingual(store, mend)
    yield from examine_structures(store)
    free = shutil.disk_usage(store.folder).free
    yield Check(
        name="disk",
        ok=free > _LITTLE_ROOM,
        seen=f"{free / 1e9:.1f} GB free",
        mend="make room: adding documents needs some",
    )
    yield _writer(store)


def _writer(store: LocalStore) -> Check:
    try:
        holder = "" if store.lock.is_free() else store.lock.holder()
    except LibraryStorageError as error:
        return Check(name="writer", ok=False, seen=str(error), mend="move the library to a local disk")
    return Check(name="writer", ok=True, seen=f"being written by {holder}" if holder else "nobody is writing")


def _truth(store: LocalStore) -> Check:
    restore = "restore library.db from a backup, or move it away and add the documents again"
    try:
        found = [row[0] for row in store.database.rows("PRAGMA quick_check(3)")]
    except LibraryStorageError as error:
        return Check(name="library file", ok=False, seen=str(error), mend=restore)
    return Check(name="library file", ok=found == ["ok"], seen="; ".join(found), mend=restore)


def _documents(store: LocalStore) -> Check:
    """Compare every document with the checksums that were written with it."""
    summed, stored = (store.database.value(f"SELECT count(*) FROM {table}") for table in ("sums", "documents"))  # noqa: S608
    with store.database.snapshot() as connection:
        found = list(sums.damages(connection))
    if not found:
        rest = f", {stored - summed:,} have no checksums yet; the next 'scholarmind add' writes them"
        seen = f"{summed:,} are as they were written{rest if stored > summed else ''}"
        return Check(name="documents", ok=True, seen=seen)
    told = [f"{id!r} of {collection!r} ({wrong})" for _, collection, id, _, wrong in found[:_MOST_TOLD]]
    more = [f"and {len(found) - _MOST_TOLD:,} more"] if len(found) > _MOST_TOLD else []
    origins = " ".join(dict.fromkeys(_quoted(origin) for _, _, _, origin, _ in found[:_MOST_TOLD]))
    return Check(
        name="documents",
        ok=False,
        seen=f"bytes changed on the disk: {', '.join([*told, *more])}",
        mend=f"scholarmind doctor --mend --library {store.folder}, then scholarmind add {origins} --library {store.folder}; "
        "or restore library.db from a backup",
    )


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "'\\''") + "'" if any(mark in path for mark in " '\"$&;()") else path


def let_damaged_be_read_again(store: LocalStore) -> None:
    """Forget of damaged documents that their files were read, so that the next `add` reads them again; sum up what never was."""
    with store.database.transaction() as connection:
        for number, collection, _, origin, _ in sums.damages(connection):
            connection.execute("UPDATE documents SET hash = '' WHERE number = ?", (number,))
            connection.execute("UPDATE sources SET hash = NULL WHERE collection = ? AND path = ?", (collection, origin))
        sums.write_missing(connection)
        multilingual_rows.forget_damaged(connection)


def _counts(store: LocalStore, mend: str) -> Check:
    kept = store.database.rows("SELECT name, documents, passages, vectors, unsuited FROM collections ORDER BY name")
    counted = store.database.rows(_RECOUNT)
    total = f"{sum(row[1] for row in counted):,} documents, {sum(row[2] for row in counted):,} passages"
    return Check(
        name="counts",
        ok=kept == counted,
        seen=total if kept == counted else f"kept {kept}, counted {counted}",
        mend=mend,
    )


def _fingerprint(store: LocalStore) -> Check:
    try:
        store.check_fingerprint()
    except LibraryMismatchError as error:
        return Check(
            name="embedder", ok=False, seen=str(error), mend=f"scholarmind doctor --reembed --library {store.folder}"
        )
    return Check(name="embedder", ok=True, seen=store.fingerprint)


def _derived(store: LocalStore, mend: str) -> Iterator[Check]:
    try:
        derived, database = store.derived, store.database
    except LibraryError as error:
        yield Check(name="indexes", ok=False, seen=str(error), mend=mend)
        return
    for name, index, last in (
        ("keyword index", derived.keyword, database.last_text_change()),
        ("vector index", derived.matrix, database.last_change()),
        *([("second index", derived.multilingual, database.last_change())] if derived.has_second() else []),
    ):
        behind = index.change != last
        seen = index.damage or (
            f"at change {index.change:,} of {last:,}" if behind else f"holds everything up to change {last:,}"
        )
        yield Check(name=name, ok=not index.damage and not behind, seen=seen, mend=mend)


def _backlog(store: LocalStore) -> Check:
    waiting = store.database.value("SELECT count(*) FROM backlog")
    if store.fingerprint == NO_EMBEDDER:
        return Check(name="vectors", ok=True, seen="no embedder is set: keywords only")
    seen = f"{waiting:,} passages wait for their vectors" if waiting else "every passage was embedded"
    return Check(name="vectors", ok=not waiting, seen=seen, mend=f"scholarmind add --library {store.folder}")


def _multilingual(store: LocalStore, mend: str) -> Iterator[Check]:
    """Compare the second vectors with their checksums, where there are any."""
    if (made_by := store.database.about(multilingual_rows.MADE_WITH)) is None:
        return
    with store.database.snapshot() as connection:
        damaged = len(multilingual_rows.damaged(connection))
    reach = store.multilingual.reach_now(made_by)
    seen = f"{reach.vectors:,} passages can be asked in another language" + (
        f", {reach.missing:,} still to come" if reach.missing else ""
    )
    if damaged:
        seen = f"bytes of {damaged:,} vectors changed on the disk"
    yield Check(
        name="second vectors",
        ok=not (damaged or reach.missing),
        seen=seen,
        mend=f"{mend}, then scholarmind add --library {store.folder}"
        if damaged
        else f"scholarmind add --library {store.folder}",
    )


def recount(store: LocalStore) -> None:
    """Set the kept counts to what is really there."""
    with store.database.transaction() as connection:
        for name, *counts in store.database.rows(_RECOUNT):
            sql = "UPDATE collections SET documents = ?, passages = ?, vectors = ?, unsuited = ? WHERE name = ?"
            connection.execute(sql, (*counts, name))
