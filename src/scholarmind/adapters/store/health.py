"""Examine a library: is the truth sound, do the derived indexes agree with it, is there room, who is writing.

The graph, the trees and watched questions are examined too: do they hold together, and are they up to what the library holds.
"""

import shutil
from collections.abc import Iterator, Mapping

from scholarmind.adapters.store import checksums, records
from scholarmind.adapters.store.store import LocalStore
from scholarmind.adapters.store.watched_storage import damaged_records
from scholarmind.errors import LibraryError, LibraryMismatchError, LibraryStorageError
from scholarmind.model import NO_EMBEDDER, Check

# -- the graph and the trees

# each counts what must not be, by what it is called
_GRAPH = {
    "edges that lead nowhere": (
        "SELECT count(*) FROM graph_edges e WHERE NOT EXISTS (SELECT 1 FROM graph_names n WHERE n.number = e.source) "
        "OR NOT EXISTS (SELECT 1 FROM graph_names n WHERE n.number = e.target)"
    ),
    "edges of passages that are gone": (
        "SELECT count(*) FROM graph_edges e WHERE e.passage IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.number = e.passage)"
    ),
    "names of nodes that are gone": (
        "SELECT count(*) FROM graph_names n WHERE NOT EXISTS (SELECT 1 FROM graph_names o WHERE o.number = n.node)"
    ),
    "names with a wrong count of edges": (
        "SELECT count(*) FROM graph_names n WHERE n.edges <> (SELECT count(*) FROM graph_edges e WHERE e.source = n.number) "
        "+ (SELECT count(*) FROM graph_edges e WHERE e.target = n.number AND e.source <> n.number)"
    ),
    "wrong counts of documents": (
        "SELECT count(*) FROM graph_versions v "
        "WHERE v.documents <> (SELECT count(*) FROM graph_documents g WHERE g.version = v.version)"
    ),
}

_UNREAD = (
    "SELECT count(*) FROM documents d WHERE NOT EXISTS (SELECT 1 FROM graph_documents g WHERE g.document = d.number)"
)

_TREE = {
    "summaries below one that is gone": (
        "SELECT count(*) FROM tree_nodes n WHERE n.parent IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM tree_nodes o WHERE o.number = n.parent AND o.tree = n.tree)"
    ),
    "passages in summaries that are gone": (
        "SELECT count(*) FROM tree_members m WHERE NOT EXISTS (SELECT 1 FROM tree_nodes n WHERE n.number = m.node)"
    ),
    "trees with a wrong count of passages": (
        "SELECT count(*) FROM trees t WHERE t.state = 'whole' "
        "AND t.passages <> (SELECT count(*) FROM tree_members m WHERE m.tree = t.number)"
    ),
}

_UNPLACED = (
    "SELECT count(*) FROM passages p {} WHERE NOT EXISTS (SELECT 1 FROM tree_members m JOIN trees t ON t.number = m.tree "
    "WHERE m.passage = p.number AND t.state = 'whole')"
)

_EMBEDDED = "JOIN vectors v ON v.passage = p.number"  # others are placed when they have their vectors
_DUE = "SELECT count(*) FROM tree_nodes n JOIN trees t ON t.number = n.tree WHERE n.due > 0 AND t.state = 'whole'"
_IS_THERE = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"


def _examine_structures(store: LocalStore) -> Iterator[Check]:
    """Yield what is found of the graph and of the trees. Nothing is changed."""
    for name, examined in (("graph", _examine_graph), ("tree", _examine_tree)):
        table = {"graph": "graph_versions", "tree": "trees"}[name]
        if store.database.value(_IS_THERE, (table,)):
            yield examined(store)
        else:
            yield Check(name=name, ok=True, seen="there is none; it is made when documents are added")


def _examine_graph(store: LocalStore) -> Check:
    if wrong := _wrong(store, _GRAPH):
        return Check(name="graph", ok=False, seen=wrong, mend=f"scholarmind graph build --again {store.options}")
    edges, documents = (store.database.value(f"SELECT count(*) FROM {of}") for of in ("graph_edges", "graph_documents"))  # noqa: S608
    seen = f"{edges:,} edges of {documents:,} documents"
    unread = store.database.value(_UNREAD)
    return _up_to_date("graph", seen, f"{unread:,} documents wait to be read" if unread else "", store)


def _examine_tree(store: LocalStore) -> Check:
    if wrong := _wrong(store, _TREE):
        return Check(name="tree", ok=False, seen=wrong, mend=f"scholarmind tree build --again {store.options}")
    placed = store.database.value("SELECT coalesce(sum(passages), 0) FROM trees WHERE state = 'whole'")
    unplaced = store.database.value(_UNPLACED.format("" if store.fingerprint == NO_EMBEDDER else _EMBEDDED))
    due = store.database.value(_DUE)
    waiting = [
        *([f"{unplaced:,} passages wait for their place"] if unplaced else []),
        *([f"{due:,} summaries are to be made anew"] if due else []),
    ]
    return _up_to_date("tree", f"{placed:,} passages in place", ", ".join(waiting), store)


def _examine_tables(store: LocalStore) -> Check:
    """Hold the rows of literature tables against their checksums."""
    wrong = ", ".join(f"{count:,} damaged {what}" for what, count in store.tables.damages().items())
    counts = store.tables.counts()
    seen = (
        ", ".join(f"{count:,} {what}" for what, count in counts.items()) if any(counts.values()) else "there are none"
    )
    mend = "damaged cells are asked anew by 'scholarmind table NAME'; for all else restore library.db from a backup"
    return Check(name="tables", ok=not wrong, seen=wrong or seen, mend=mend if wrong else "")


def _wrong(store: LocalStore, rules: Mapping[str, str]) -> str:
    """Return what must not be and is, or ''."""
    found = ((store.database.value(sql), what) for what, sql in rules.items())
    return ", ".join(f"{count:,} {what}" for count, what in found if count)


def _up_to_date(name: str, seen: str, waiting: str, store: LocalStore) -> Check:
    if not waiting:
        return Check(name=name, ok=True, seen=seen)
    return Check(name=name, ok=False, seen=f"{seen}; {waiting}", mend=f"scholarmind {name} build {store.options}")


# -- watched questions

_WAITING_QUESTIONS = (
    "SELECT count(*) FROM watched_questions w WHERE EXISTS (SELECT 1 FROM changes c WHERE c.number > w.change)"
)


def _examine_watched(store: LocalStore) -> Iterator[Check]:
    """Yield what is found of the questions that are watched, where there are any."""
    if not store.database.value(_IS_THERE, ("watched_questions",)):
        return
    names, remarks = damaged_records(store.database)
    if names or remarks:
        wrong = [
            *([f"questions {', '.join(map(repr, names))}"] if names else []),
            *([f"{remarks:,} remarks"] if remarks else []),
        ]
        mend = "restore library.db from a backup, or remove these questions with 'scholarmind watch-question remove' and watch them anew"
        yield Check(name="watched", ok=False, seen=f"bytes changed on the disk: {', '.join(wrong)}", mend=mend)
        return
    count, told = (store.database.value(f"SELECT count(*) FROM {table}") for table in ("watched_questions", "remarks"))  # noqa: S608
    waiting = store.database.value(_WAITING_QUESTIONS)
    later = f"; {waiting:,} are asked again by the next add, or watch-question run" if waiting else ""
    yield Check(name="watched", ok=True, seen=f"{count:,} questions, {told:,} remarks{later}")


# -- the truth, the indexes, and the disk

_LITTLE_ROOM = 500_000_000
_MOST_TOLD = 5
_RECOUNT = """
    SELECT c.name, count(DISTINCT d.number), count(p.number), count(v.vector), count(v.passage) - count(v.vector)
    FROM collections c LEFT JOIN documents d ON d.collection = c.number LEFT JOIN passages p ON p.document = d.number
    LEFT JOIN vectors v ON v.passage = p.number GROUP BY c.number ORDER BY c.name
"""


def examine(store: LocalStore) -> Iterator[Check]:
    """Yield what is found, the truth first. Nothing is changed."""
    mend = f"scholarmind doctor --mend {store.options}"
    yield from store.database.examine()
    yield _documents(store)
    yield _counts(store, mend)
    yield _fingerprint(store)
    yield from _derived(store, mend)
    yield _backlog(store)
    yield from _multilingual(store, mend)
    yield from _examine_structures(store)
    yield from _examine_watched(store)
    yield _examine_tables(store)
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


def _documents(store: LocalStore) -> Check:
    """Compare every document with the checksums that were written with it."""
    summed, stored = (store.database.value(f"SELECT count(*) FROM {table}") for table in ("sums", "documents"))  # noqa: S608
    with store.database.snapshot() as connection:
        found = list(checksums.damages(connection))
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
        mend=f"scholarmind doctor --mend {store.options}, then scholarmind add {origins} {store.options}; "
        "or restore library.db from a backup",
    )


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "'\\''") + "'" if any(mark in path for mark in " '\"$&;()") else path


def let_damaged_be_read_again(store: LocalStore) -> None:
    """Forget of damaged documents that their files were read, so that the next `add` reads them again; sum up what never was."""
    with store.database.transaction() as connection:
        for number, collection, _, origin, _ in checksums.damages(connection):
            connection.execute("UPDATE documents SET hash = '' WHERE number = ?", (number,))
            connection.execute("UPDATE sources SET hash = NULL WHERE collection = ? AND path = ?", (collection, origin))
        checksums.write_missing(connection)
        records.forget_damaged_second_vectors(connection)


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
        return Check(name="embedder", ok=False, seen=str(error), mend=f"scholarmind doctor --reembed {store.options}")
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
    return Check(name="vectors", ok=not waiting, seen=seen, mend=f"scholarmind add {store.options}")


def _multilingual(store: LocalStore, mend: str) -> Iterator[Check]:
    """Compare the second vectors with their checksums, where there are any."""
    if (made_by := store.database.about(records.SECOND_EMBEDDER)) is None:
        return
    with store.database.snapshot() as connection:
        damaged = len(records.damaged_second_vectors(connection))
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
        mend=f"{mend}, then scholarmind add {store.options}" if damaged else f"scholarmind add {store.options}",
    )


def recount(store: LocalStore) -> None:
    """Set the kept counts to what is really there."""
    with store.database.transaction() as connection:
        for name, *counts in store.database.rows(_RECOUNT):
            sql = "UPDATE collections SET documents = ?, passages = ?, vectors = ?, unsuited = ? WHERE name = ?"
            connection.execute(sql, (*counts, name))
