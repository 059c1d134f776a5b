"""Examine the structures over the documents: do the graph and the trees hold together, and are they up to what the library holds."""

from collections.abc import Iterator, Mapping

from scholarmind.adapters.local.store import LocalStore
from scholarmind.model import NO_EMBEDDER, Check

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


def examine_structures(store: LocalStore) -> Iterator[Check]:
    """Yield what is found of the graph and of the trees. Nothing is changed."""
    for name, examined in (("graph", _examine_graph), ("tree", _examine_tree)):
        table = {"graph": "graph_versions", "tree": "trees"}[name]
        if store.database.value(_IS_THERE, (table,)):
            yield examined(store)
        else:
            yield Check(name=name, ok=True, seen="there is none; it is made when documents are added")


def _examine_graph(store: LocalStore) -> Check:
    if wrong := _wrong(store, _GRAPH):
        return Check(
            name="graph", ok=False, seen=wrong, mend=f"scholarmind graph build --again --library {store.folder}"
        )
    edges, documents = (store.database.value(f"SELECT count(*) FROM {of}") for of in ("graph_edges", "graph_documents"))  # noqa: S608
    seen = f"{edges:,} edges of {documents:,} documents"
    unread = store.database.value(_UNREAD)
    return _up_to_date("graph", seen, f"{unread:,} documents wait to be read" if unread else "", store)


def _examine_tree(store: LocalStore) -> Check:
    if wrong := _wrong(store, _TREE):
        return Check(name="tree", ok=False, seen=wrong, mend=f"scholarmind tree build --again --library {store.folder}")
    placed = store.database.value("SELECT coalesce(sum(passages), 0) FROM trees WHERE state = 'whole'")
    unplaced = store.database.value(_UNPLACED.format("" if store.fingerprint == NO_EMBEDDER else _EMBEDDED))
    due = store.database.value(_DUE)
    waiting = [
        *([f"{unplaced:,} passages wait for their place"] if unplaced else []),
        *([f"{due:,} summaries are to be made anew"] if due else []),
    ]
    return _up_to_date("tree", f"{placed:,} passages in place", ", ".join(waiting), store)


def _wrong(store: LocalStore, rules: Mapping[str, str]) -> str:
    """Return what must not be and is, or ''."""
    found = ((store.database.value(sql), what) for what, sql in rules.items())
    return ", ".join(f"{count:,} {what}" for count, what in found if count)


def _up_to_date(name: str, seen: str, waiting: str, store: LocalStore) -> Check:
    if not waiting:
        return Check(name=name, ok=True, seen=seen)
    return Check(
        name=name, ok=False, seen=f"{seen}; {waiting}", mend=f"scholarmind {name} build --library {store.folder}"
    )
