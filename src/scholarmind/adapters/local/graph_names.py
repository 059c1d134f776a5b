"""Names of the graph and the nodes that they make up: filed in a transaction, taken for one, told apart again."""

import sqlite3
from collections.abc import Iterable, Sequence

from scholarmind.errors import LibraryError
from scholarmind.graph.name_matching import key_of
from scholarmind.naming import KEY_TOKENS, tokens
from scholarmind.relations import By, Merged, NodeKind
from scholarmind.text.names import storable

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

    def __init__(self, connection: sqlite3.Connection) -> None:
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
