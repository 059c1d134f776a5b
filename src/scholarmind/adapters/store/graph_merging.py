"""Names of the graph and the nodes that they make up: filed in a transaction, taken for one, told apart again.

Rules decide whose names are one (those that texts define, authors of different documents, variants of a method); here they get what
they need. Documents wait for it one by one. Where a proof went away with its document, the names concerned are told apart and proven
anew.
"""

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.errors import LibraryError
from scholarmind.graph.name_matching import AuthorName, Byline, family, key_of, proven, variants
from scholarmind.identity import KEY_TOKENS, TITLES, tokens
from scholarmind.relations import By, Merged, NodeKind, Thing
from scholarmind.text.untrusted import storable

# -- names and their nodes

Called = tuple[str, str]  # a key and a scope: what names of a kind are one by
_LONGEST = 400  # characters of a name
_MERGED_WITH = """
    SELECT into_key, into_scope, into_name FROM graph_merges WHERE kind = ? AND key = ? AND scope = ?
    UNION ALL SELECT key, scope, name FROM graph_merges INDEXED BY graph_merges_into WHERE kind = ? AND into_key = ? AND into_scope = ?
"""

_APART = """
    SELECT 1 FROM graph_names n
    CROSS JOIN graph_apart a ON a.kind = n.kind AND a.key = n.key AND a.scope = n.scope
    CROSS JOIN graph_names o ON o.kind = a.kind AND o.key = a.other_key AND o.scope = a.other_scope
    WHERE EXISTS (SELECT 1 FROM graph_apart) AND n.node IN (:one, :other) AND o.node IN (:one, :other) AND n.node <> o.node
    LIMIT 1
"""

_TOGETHER_AGAIN = """
    DELETE FROM graph_apart WHERE (kind, key, scope) IN (SELECT kind, key, scope FROM graph_names WHERE node IN (:one, :other))
    AND (kind, other_key, other_scope) IN (SELECT kind, key, scope FROM graph_names WHERE node IN (:one, :other))
"""

_BY_HAND = """
    SELECT into_key, into_scope FROM graph_merges WHERE kind = ? AND key = ? AND scope = ? AND "by" = 'hand'
    UNION ALL SELECT key, scope FROM graph_merges INDEXED BY graph_merges_into
    WHERE kind = ? AND into_key = ? AND into_scope = ? AND "by" = 'hand'
"""

_DELETE_MERGES = (
    "DELETE FROM graph_merges WHERE kind = ? AND ((key, scope) = (?, ?) OR (into_key, into_scope) = (?, ?))"
)

_NODES_CALLED = "SELECT DISTINCT node FROM graph_names WHERE kind = ? AND key = ? AND scope = ?"
_TAKE_BACK = "DELETE FROM graph_merges WHERE kind = ? AND key = ? AND scope = ? AND into_key = ? AND into_scope = ?"
_NOBODY: Called = ("", "\n")


class NamesOfGraph:
    """Files names for as long as one transaction lasts."""

    def __init__(self, connection: DatabaseConnection) -> None:
        self._connection = connection
        self._filed: dict[tuple[str, str, str], int] = {}
        self._nodes: dict[int, int] = {}  # by name, until nodes change

    def file(self, kind: NodeKind, name: str, scope: str) -> int:
        """Return the number of this name; a new one joins the node of the names that it is one with."""
        asked = (kind, name, scope)
        if asked not in self._filed:
            written = (kind, " ".join(storable(name).split())[:_LONGEST], storable(scope))
            sql = "SELECT number, node FROM graph_names WHERE kind = ? AND name = ? AND scope = ?"
            found = self._connection.execute(sql, written).fetchone()
            if found:
                self._nodes[found[0]] = found[1]
            self._filed[asked] = found[0] if found else self._insert(*written)
        return self._filed[asked]

    def node_of(self, number: int) -> int:
        """Return the node that a name belongs to."""
        if number not in self._nodes:
            sql = "SELECT node FROM graph_names WHERE number = ?"
            self._nodes[number] = self._connection.execute(sql, (number,)).fetchone()[0]
        return self._nodes[number]

    def join(self, node: int, into: int, by: By = "rules") -> bool:
        """Make two nodes one, and tell whether that is so now: what a person told apart only a person makes one again."""
        nodes = {"one": node, "other": into}
        if by == "hand":
            self._connection.execute(_TOGETHER_AGAIN, nodes)
        elif node != into and self._connection.execute(_APART, nodes).fetchone():
            return False
        self._connection.execute("UPDATE graph_names SET node = ? WHERE node = ?", (into, node))
        self._nodes.clear()
        return True

    def merge(self, merged: Merged) -> bool:
        """Take two names for one thing from now on, unless they were told apart by hand, and tell whether they are one."""
        numbers = [
            self._known(merged.kind, name, storable(scope))
            for name, scope in ((merged.name, merged.scope), (merged.into, merged.into_scope))
        ]
        node, into = map(self.node_of, numbers)
        if not self.join(node, into, merged.by):
            return False
        called, other = (self._called(number) for number in numbers)
        if called != other:
            sql = "INSERT OR REPLACE INTO graph_merges VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            told = (storable(merged.name), storable(merged.into), merged.by, storable(merged.reason))
            self._connection.execute(sql, (merged.kind, *called, *other, *told))
        return True

    def split(self, node: int, name: str, scope: str) -> tuple[int, list[int]]:
        """Tell a name apart for good; return its number, and the nodes that are left, some of which may be proven one anew.

        If somebody merged it by hand that is undone, and all is as it was before. Otherwise it is taken out by itself.
        """
        kind, called = self._in_node(node, name, storable(scope))
        others = self._others(node, called)
        if not others:
            raise LibraryError(f"{name!r} is the only name of this node; there is nothing to split it from")
        sql = "SELECT min(number) FROM graph_names WHERE kind = ? AND key = ? AND scope = ?"
        number: int = self._connection.execute(sql, (kind, *called)).fetchone()[0]
        by_hand = set(self._connection.execute(_BY_HAND, (kind, *called, kind, *called)).fetchall()) & set(others)
        pieces: list[int] = []
        if by_hand:
            self._connection.execute(_DELETE_MERGES + " AND \"by\" = 'hand'", (kind, *called, *called))
            pieces = [piece for piece, _ in self._regroup(node, _NOBODY)]
            node = self.node_of(number)
            others = self._others(node, called)
        if not by_hand or by_hand & set(others):  # rules hold it there
            self._connection.execute(_DELETE_MERGES, (kind, *called, *called))
            pieces += [piece for piece, _ in self._regroup(node, called)]
            by_hand |= set(others)
        rows = ((kind, *called, *other) for other in sorted(by_hand))
        self._connection.executemany("INSERT OR IGNORE INTO graph_apart VALUES (?, ?, ?, ?, ?)", rows)
        return number, pieces

    def _others(self, node: int, called: Called) -> list[Called]:
        sql = "SELECT DISTINCT key, scope FROM graph_names WHERE node = ? AND (key, scope) <> (?, ?)"
        return self._connection.execute(sql, (node, *called)).fetchall()

    def take_back(self, kind: NodeKind, merges: Iterable[tuple[str, str, str, str]]) -> list[int]:
        """Undo merges (key and scope of both names), and return the nodes that nodes fell apart into, but the largest of each."""
        nodes: dict[int, None] = {}
        for key, scope, into_key, into_scope in merges:
            self._connection.execute(_TAKE_BACK, (kind, key, scope, into_key, into_scope))
            for called in ((key, scope), (into_key, into_scope)):
                nodes |= dict.fromkeys(row[0] for row in self._connection.execute(_NODES_CALLED, (kind, *called)))
        apart: list[int] = []
        for node in nodes:
            pieces = sorted(self._regroup(node, _NOBODY), key=lambda piece: -piece[1])
            apart += [number for number, _ in pieces[1:]]
        return apart

    def _insert(self, kind: NodeKind, name: str, scope: str) -> int:
        spelled = [token.text for token in tokens(name)[:KEY_TOKENS]]
        called = (key_of(kind, name) or name, scope)
        sql = "SELECT node FROM graph_names WHERE kind = ? AND key = ? AND scope = ? LIMIT 1"
        same = self._connection.execute(sql, (kind, *called)).fetchone()
        sql = "INSERT INTO graph_names (kind, name, scope, key, first, node) VALUES (?, ?, ?, ?, ?, ?)"
        row = (kind, name, scope, called[0], " ".join(spelled), same[0] if same else 0)
        number = self._connection.execute(sql, row).lastrowid or 0
        if not same:
            self._connection.execute("UPDATE graph_names SET node = number WHERE number = ?", (number,))
            self._join_merged(number, kind, called)
        return number

    def _join_merged(self, number: int, kind: NodeKind, called: Called) -> None:
        """Bring a new name together with what it was merged with before it was here."""
        for _, scope, name in self._connection.execute(_MERGED_WITH, (kind, *called, kind, *called)).fetchall():
            self.join(self.node_of(number), self.node_of(self.file(kind, name, scope)))

    def _known(self, kind: NodeKind, name: str, scope: str) -> int:
        """Return a name with this key; where no scope is told and there is one node of it, in any scope."""
        key = key_of(kind, name) or name
        sql = "SELECT number, node, scope FROM graph_names WHERE kind = ? AND key = ? ORDER BY number"
        rows = self._connection.execute(sql, (kind, key)).fetchall()
        within = next((number for number, _, of in rows if of == scope), None)
        if within is None and not scope and len({node for _, node, _ in rows}) == 1:
            within = rows[0][0]
        return self.file(kind, name, scope) if within is None else within

    def _called(self, number: int) -> Called:
        return self._connection.execute("SELECT key, scope FROM graph_names WHERE number = ?", (number,)).fetchone()

    def _in_node(self, node: int, name: str, scope: str) -> tuple[NodeKind, Called]:
        """Return what a name of a node is called by; without a scope, where only one name of the node is written so."""
        rows = self._connection.execute("SELECT kind, key, scope FROM graph_names WHERE node = ?", (node,)).fetchall()
        alike = {row for row in rows if row[1] == (key_of(row[0], name) or name)}
        exact = [row for row in alike if row[2] == scope] or (list(alike) if not scope else [])
        if len(exact) != 1:
            scopes = ", ".join(sorted(repr(row[2]) for row in alike))
            told = f"it has {name!r} of {scopes}: say of which paper" if alike else f"it has no name {name!r}"
            raise LibraryError(f"node {node} cannot be split: {told}")
        kind, *called = exact[0]
        return kind, (called[0], called[1])

    def _regroup(self, node: int, out: Called) -> list[tuple[int, int]]:
        """Give a node that lost a name the names that still belong together; each other group becomes a node of its own.

        Returns these nodes, each with how many names it has.
        """
        sql = "SELECT number, kind, key, scope FROM graph_names WHERE node = ? ORDER BY number"
        rows = self._connection.execute(sql, (node,)).fetchall()
        kind: NodeKind = rows[0][1]
        numbers: dict[Called, list[int]] = {}
        for number, _, key, scope in rows:
            numbers.setdefault((key, scope), []).append(number)
        found: list[tuple[int, int]] = []
        self._nodes.clear()
        for group in self._groups(kind, set(numbers), out):
            members = [number for called in group for number in numbers[called]]
            own = node if node in members else min(members)
            self._connection.executemany(
                "UPDATE graph_names SET node = ? WHERE number = ?", ((own, number) for number in members)
            )
            found.append((own, len(members)))
        return found

    def _groups(self, kind: NodeKind, names: set[Called], out: Called) -> Iterable[set[Called]]:
        """Yield what hangs together by merges; cited titles of one document, and works that share a key, do by themselves."""
        left = set(names)
        while left:
            reached, group = [left.pop()], set[Called]()
            while reached:
                called = reached.pop()
                group.add(called)
                near = {other for other in self._near(kind, called, left) if out not in {called, other}}
                left -= near
                reached += near
            yield group

    def _near(self, kind: NodeKind, called: Called, others: set[Called]) -> set[Called]:
        rows = self._connection.execute(_MERGED_WITH, (kind, *called, kind, *called)).fetchall()
        near = {(key, scope) for key, scope, _ in rows} & others
        if kind == "paper" and called[1]:
            near |= {other for other in others if other[1] == called[1]}
        if kind == "paper" and not called[1]:
            near |= {other for other in others if not other[1] and self._share_a_work(called, other)}
        return near

    def _share_a_work(self, called: Called, other: Called) -> bool:
        keys = [self._works_of(each) for each in (called, other)]
        return bool(keys[0] & keys[1])

    def _works_of(self, called: Called) -> set[str]:
        sql = (
            "SELECT w.key FROM graph_names n JOIN graph_works w ON w.name = n.number "
            "WHERE n.kind = 'paper' AND n.key = ? AND n.scope = ?"
        )
        return {row[0] for row in self._connection.execute(sql, called)}


def merges_of(rows: Sequence[Sequence[str]]) -> list[Merged]:
    """Read merges back."""
    return [
        Merged(kind=kind, name=name, scope=scope, into=into, into_scope=into_scope, by=by, reason=reason)  # pyright: ignore[reportArgumentType]
        for kind, name, scope, into, into_scope, by, reason in rows
    ]


# -- aliases: names that texts define as one, "masked language modelling (MLM)". One that stands for two things is taken for neither

DEFINED_AS_ONE = "a text defines both names as one"
_PUT = "INSERT OR IGNORE INTO graph_aliases VALUES (?, ?, ?, ?, ?, ?)"
_OF_DOCUMENTS = (
    "SELECT DISTINCT kind, key FROM graph_aliases WHERE document IN (SELECT value FROM json_each(?)) ORDER BY kind, key"
)

_OTHERS = (
    "SELECT max(name), max(other) FROM graph_aliases WHERE kind = ? AND key = ? "
    "GROUP BY other_key ORDER BY count(*) DESC, other_key"
)

_MERGED = "SELECT key, scope, into_key, into_scope FROM graph_merges WHERE kind = ? AND key = ? AND \"by\" = 'rules' AND reason = ?"
_UNDEFINED = """
    SELECT m.kind, m.key, m.scope, m.into_key, m.into_scope FROM graph_merges m WHERE m.kind <> 'author' AND m.reason = ?
    AND NOT EXISTS (SELECT 1 FROM graph_aliases a WHERE a.kind = m.kind AND a.key = m.key AND a.other_key = m.into_key)
"""


def put_aliases(connection: DatabaseConnection, document: int, aliases: Iterable[tuple[Thing, Thing]]) -> None:
    """Put in what a document defines, in place of what it defined before."""
    connection.execute("DELETE FROM graph_aliases WHERE document = ?", (document,))
    for one, other in aliases:
        keys = (key_of(one.kind, one.name), key_of(other.kind, other.name))
        if one.kind == other.kind and all(keys) and keys[0] != keys[1] and not (one.scope or other.scope):
            connection.execute(_PUT, (document, one.kind, *keys, storable(one.name), storable(other.name)))


class _Aliases:
    """Takes names for one by what texts define, for as long as one transaction lasts."""

    def __init__(self, connection: DatabaseConnection, names: NamesOfGraph) -> None:
        self._connection = connection
        self._names = names

    def compare(self, documents: Sequence[int], *, went: bool) -> None:
        """Merge what these documents define; where documents went, undo what no text defines any more."""
        if went:
            for kind, *merge in self._connection.execute(_UNDEFINED, (DEFINED_AS_ONE,)).fetchall():
                self._names.take_back(kind, [tuple(merge)])
        several: list[tuple[NodeKind, str]] = []
        for kind, key in self._connection.execute(_OF_DOCUMENTS, (json.dumps(documents),)).fetchall():
            others = self._others(kind, key)
            if len(others) == 1:
                self._merge(kind, *others[0])
            else:
                several.append((kind, key))
        for kind, key in several:  # by now it is known which of the others are one themselves
            self._merge_if_one(kind, key)

    def _merge_if_one(self, kind: NodeKind, key: str) -> None:
        """Merge a name with all that it stands for, if that is one thing."""
        merges = self._connection.execute(_MERGED, (kind, key, DEFINED_AS_ONE)).fetchall()
        self._names.take_back(kind, merges)
        others = self._others(kind, key)
        nodes = {self._names.node_of(self._names.file(kind, other, "")) for _, other in others}
        if len(nodes) == 1:
            self._merge(kind, *others[0])

    def _others(self, kind: NodeKind, key: str) -> list[tuple[str, str]]:
        """Return what a name stands for, that of most documents first, each beside the name as it is written."""
        return self._connection.execute(_OTHERS, (kind, key)).fetchall()

    def _merge(self, kind: NodeKind, name: str, other: str) -> None:
        self._names.merge(
            Merged(kind=kind, name=name, scope="", into=other, into_scope="", by="rules", reason=DEFINED_AS_ONE)
        )


# -- bylines: who wrote documents, with what can prove who they are

_SIZES = """
    SELECT document, count(*) FROM graph_edges
    WHERE document IN (SELECT value FROM json_each(?)) AND relation = 'AUTHORED_BY' GROUP BY document
"""

_INSTITUTIONS = """
    SELECT e.document, n.key, n.name FROM graph_edges e CROSS JOIN graph_names n ON n.number = e.target
    WHERE e.document IN (SELECT value FROM json_each(?)) AND e.relation = 'AFFILIATED_WITH'
"""

_CITED = """
    SELECT e.document, p.document FROM graph_edges e CROSS JOIN graph_names n ON n.number = e.target
    CROSS JOIN graph_names m ON m.node = n.node CROSS JOIN graph_papers p ON p.name = m.number
    WHERE e.document IN (SELECT value FROM json_each(?)) AND e.relation = 'CITES'
    UNION SELECT e.document, o.document FROM graph_edges e CROSS JOIN graph_names n ON n.number = e.target
    CROSS JOIN graph_names m ON m.node = n.node CROSS JOIN graph_edges o ON o.target = m.number AND o.relation = 'PROPOSES'
    WHERE e.document IN (SELECT value FROM json_each(?)) AND e.relation = 'IMPROVES_ON'
"""


def bylines_of(connection: DatabaseConnection, rows: Iterable[Sequence[Any]]) -> dict[int, Byline]:
    """Return the bylines of documents by their numbers. A row is a document, a writer's scope, key and name, and his node."""
    writers: dict[int, list[AuthorName]] = {}
    scopes: dict[int, str] = {}
    for document, scope, key, name, node in rows:
        writers.setdefault(document, []).append(AuthorName(key=key, name=name, node=node))
        scopes[document] = scope
    asked = json.dumps(list(writers))
    sizes: Mapping[int, int] = dict(connection.execute(_SIZES, (asked,)))
    institutions: dict[int, dict[str, str]] = {}
    for document, key, name in connection.execute(_INSTITUTIONS, (asked,)):
        institutions.setdefault(document, {})[key] = name
    cites: dict[int, set[int]] = {}
    for document, other in connection.execute(_CITED, (asked, asked)):
        cites.setdefault(document, set()).add(other)
    return {
        document: Byline(
            document=document,
            scope=scopes[document],
            writers=found,
            size=sizes[document],
            institutions=institutions.get(document, {}),
            cites=cites.get(document, frozenset()),
        )
        for document, found in writers.items()
    }


# -- settling: whose names are one

_SETTLED = "graph_settled"  # in `about`: the last change after which every name was compared
_WAITING = "SELECT document FROM graph_unsettled ORDER BY document LIMIT ?"
_WENT = "SELECT 1 FROM changes WHERE kind = 'remove' AND number > ? LIMIT 1"
_MERGE = "m.key, m.scope, m.into_key, m.into_scope"
_UNPROVEN = f"""
    SELECT {_MERGE} FROM graph_merges m WHERE m.kind = 'author' AND m."by" = 'rules' AND (
        NOT EXISTS (SELECT 1 FROM graph_names n WHERE n.kind = m.kind AND n.key = m.key AND n.scope = m.scope AND n.edges > 0)
        OR NOT EXISTS (
            SELECT 1 FROM graph_names n WHERE n.kind = m.kind AND n.key = m.into_key AND n.scope = m.into_scope AND n.edges > 0
        )
    )
"""  # noqa: S608

# A document that came anew has the scope of the one before, and perhaps nothing any more that proved who its authors are.
_WRITERS_OF = """
    SELECT n.key, n.scope FROM graph_edges e CROSS JOIN graph_names n ON n.number = e.target
    WHERE e.document IN (SELECT value FROM json_each(?)) AND e.relation = 'AUTHORED_BY'
"""

_OF_THE_ONE_BEFORE = f"""
    WITH writers AS MATERIALIZED ({_WRITERS_OF})
    SELECT {_MERGE} FROM writers w
    CROSS JOIN graph_merges m ON m.kind = 'author' AND m.key = w.key AND m.scope = w.scope WHERE m."by" = 'rules'
    UNION SELECT {_MERGE} FROM writers w CROSS JOIN graph_merges m INDEXED BY graph_merges_into
    ON m.kind = 'author' AND m.into_key = w.key AND m.into_scope = w.scope WHERE m."by" = 'rules'
"""  # noqa: S608

_OF_METHODS = f"""
    SELECT {_MERGE} FROM json_each(?) k CROSS JOIN graph_merges m ON m.kind = 'method' AND m.key = CAST(k.value AS TEXT)
    WHERE m."by" = 'rules'
"""  # noqa: S608

_WRITTEN_BY = """
    SELECT DISTINCT e.document FROM json_each(?) k CROSS JOIN graph_names n ON n.node = k.value
    CROSS JOIN graph_edges e ON e.target = n.number WHERE e.relation = 'AUTHORED_BY'
"""

_KEYS = """
    SELECT DISTINCT n.key FROM graph_edges e CROSS JOIN graph_names n ON n.number = e.target
    WHERE e.document IN (SELECT value FROM json_each(?)) AND e.relation = 'AUTHORED_BY'
"""

_WRITERS = """
    SELECT e.document, n.scope, n.key, max(n.name), n.node FROM graph_names n CROSS JOIN graph_edges e ON e.target = n.number
    WHERE n.kind = 'author' AND n.key IN (SELECT CAST(value AS TEXT) FROM json_each(?)) AND e.relation = 'AUTHORED_BY'
    GROUP BY e.document, n.scope, n.key, n.node
"""

_METHODS = """
    SELECT DISTINCT n.name FROM graph_edges e CROSS JOIN graph_names n ON n.number IN (e.source, e.target)
    WHERE e.document IN (SELECT value FROM json_each(?)) AND n.kind = 'method'
"""

_IS_TITLE = f"field IN ({', '.join(map(repr, TITLES))})"
_CALLED = f"SELECT DISTINCT value FROM names WHERE document IN (SELECT value FROM json_each(?)) AND {_IS_TITLE}"  # noqa: S608
_PROPOSED = """
    SELECT DISTINCT n.name FROM graph_edges e CROSS JOIN graph_names n ON n.number = e.target
    WHERE e.document IN (SELECT value FROM json_each(?)) AND e.relation = 'PROPOSES' AND n.kind = 'method'
"""

_PROPOSED_KEYS = """
    SELECT DISTINCT n.name FROM json_each(?) k CROSS JOIN graph_names n ON n.kind = 'method' AND n.key = CAST(k.value AS TEXT)
    CROSS JOIN graph_edges e ON e.target = n.number WHERE e.relation = 'PROPOSES'
"""

_CALLED_SO = (
    f"SELECT DISTINCT value FROM names WHERE key IN (SELECT CAST(value AS TEXT) FROM json_each(?)) AND {_IS_TITLE}"  # noqa: S608
)


def is_settled(connection: DatabaseConnection) -> bool:
    """Tell whether nothing came or went since every name was compared."""
    return not (
        connection.execute(_WAITING, (1,)).fetchone() or connection.execute(_WENT, (_until(connection),)).fetchone()
    )


class Settling:
    """Compares names for as long as one transaction lasts."""

    def __init__(self, connection: DatabaseConnection) -> None:
        self._connection = connection
        self._names = NamesOfGraph(connection)

    def settle(self, limit: int) -> int:
        """Compare the names of so many documents with those of all others, and return how many there were."""
        waiting = self._column(_WAITING, limit)
        apart = self._names.take_back("author", self._doubtful(waiting))
        again = self._column(_WRITTEN_BY, json.dumps(apart)) if apart else []
        self._compare_people(sorted({*waiting, *again}))
        self._compare_methods(waiting)
        _Aliases(self._connection, self._names).compare(waiting, went=self._went())
        sql = "DELETE FROM graph_unsettled WHERE document = ?"
        self._connection.executemany(sql, ((document,) for document in waiting))
        if len(waiting) < limit:
            sql = "INSERT OR REPLACE INTO about SELECT ?, coalesce(max(number), 0) FROM changes"
            self._connection.execute(sql, (_SETTLED,))
        return len(waiting)

    def prove(self, nodes: Sequence[int]) -> None:
        """Find out which of these authors are one with each other or with anybody, whom nothing ties together any more."""
        self._compare_people(sorted(self._column(_WRITTEN_BY, json.dumps(list(nodes)))))

    def _doubtful(self, waiting: Sequence[int]) -> list[tuple[str, str, str, str]]:
        """Return the merges of authors that rest on a document that is gone, or came anew."""
        found = self._connection.execute(_OF_THE_ONE_BEFORE, (json.dumps(waiting),)).fetchall()
        if self._went():
            found += self._connection.execute(_UNPROVEN).fetchall()
        return sorted(set(found))

    def _went(self) -> bool:
        return bool(self._column(_WENT, _until(self._connection)))

    def _compare_people(self, documents: Sequence[int]) -> None:
        keys = self._column(_KEYS, json.dumps(documents))
        rows = self._connection.execute(_WRITERS, (json.dumps(keys),)).fetchall()
        bylines = bylines_of(self._connection, rows)
        new = [bylines[document] for document in documents if document in bylines]
        chosen = set(documents)
        known = [byline for number, byline in bylines.items() if number not in chosen]
        deque(proven(new, known, self._names.merge), maxlen=0)

    def _compare_methods(self, documents: Sequence[int]) -> None:
        """Take variants for what they are variants of, and no longer what turned out to stand for itself."""
        asked = json.dumps(documents)
        own = [*self._column(_CALLED, asked), *self._column(_PROPOSED, asked)]
        standing = [key_of("method", name) for name in own if family("method", name)]
        self._names.take_back("method", self._connection.execute(_OF_METHODS, (json.dumps(standing),)).fetchall())
        names = [name for name in self._column(_METHODS, asked) if family("method", name)]
        for merged in variants(names, [*own, *self._own(names)]):
            self._names.merge(merged)

    def _own(self, names: Sequence[str]) -> list[str]:
        """Return which of these names are known, from any document, to stand for themselves."""
        keys = [key_of("method", name) for name in names]
        filed = [" ".join(token.text for token in tokens(name)[:KEY_TOKENS]) for name in names]
        return [*self._column(_PROPOSED_KEYS, json.dumps(keys)), *self._column(_CALLED_SO, json.dumps(filed))]

    def _column(self, sql: str, *parameters: Any) -> list[Any]:
        return [row[0] for row in self._connection.execute(sql, parameters)]


def _until(connection: DatabaseConnection) -> int:
    """Return the last change after which every name was compared."""
    row = connection.execute("SELECT value FROM about WHERE key = ?", (_SETTLED,)).fetchone()
    return int(row[0]) if row else 0
