"""Put what documents state into the graph, within a transaction: each statement with the passage that proves it."""

import sqlite3
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scholarmind.adapters.local.graph_aliases import put_aliases
from scholarmind.adapters.local.graph_names import NamesOfGraph
from scholarmind.adapters.local.shelf import MEANT
from scholarmind.graph.name_matching import scope_of
from scholarmind.identity import keys, letters_of
from scholarmind.relations import Extracted, Statement, Thing
from scholarmind.text.names import storable

_HOME = "SELECT d.number, d.collection, c.name, d.id, d.title FROM documents d JOIN collections c ON c.number = d.collection "
_OVERLAPPING = 8  # passages of a document that may hold one place of its text
_SURE_OF_REFERENCE = 0.95
_INSERT = (
    'INSERT INTO graph_edges (document, relation, source, target, confidence, "by", passage, start, "end", '
    "metric, value, amount, setting) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_REFERENCES = (
    f'SELECT r.position, r.start, r."end", r.title, r.text, ({MEANT.format("number")}) '  # noqa: S608
    "FROM cited r JOIN documents d ON d.number = r.document WHERE d.number = ? ORDER BY r.position"
)
_POINTED = (
    'SELECT r.value, min(p.start), p."end" FROM pointers p CROSS JOIN json_each(p."references") r '
    "WHERE p.document = ? GROUP BY r.value"
)
_TITLED = """
    SELECT d.number FROM work_keys w CROSS JOIN documents d ON d.number = w.document
    WHERE w.key = ? AND d.collection = ? AND d.number <> ? ORDER BY d.number LIMIT 1
"""
# Documents that were read before this one came, and have it among their references; not those whose edges lead to it already.
_READ_EARLIER = """
    SELECT DISTINCT g.document FROM work_keys w CROSS JOIN cited_keys k ON k.key = w.key
    CROSS JOIN graph_documents g ON g.document = k.document CROSS JOIN documents d ON d.number = g.document
    WHERE w.document = :document AND g.newest < :document AND d.collection = :collection AND NOT EXISTS (
        SELECT 1 FROM graph_edges e JOIN graph_names n ON n.number = e.target
        WHERE e.document = g.document AND e.relation = 'CITES' AND n.node = :node
    )
"""


@dataclass(frozen=True, slots=True)
class Home:
    """The document that states something."""

    number: int
    collection: int
    library: str  # the name of the collection
    id: str
    title: str

    @property
    def scope(self) -> str:
        """Return what names are bound to that are known within this document only."""
        return scope_of(self.library, self.id)


class Putting:
    """Puts documents into the graph for as long as one transaction lasts."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.names = NamesOfGraph(connection)
        self._homes: dict[int, Home] = {}
        self._papers: dict[int, int] = {}  # the names of documents, by their numbers

    def put(self, extracted: Extracted) -> int | None:
        """Put what a document states in place of what it stated before; return its number, None if it is gone meanwhile."""
        sql = _HOME + "WHERE c.name = ? AND d.id = ?"
        row = self.connection.execute(sql, (storable(extracted.collection), storable(extracted.document))).fetchone()
        if row is None:
            return None
        home = Home(*row)
        sql = "DELETE FROM graph_edges WHERE document = ?"
        self.connection.execute(sql, (home.number,))
        own, places = self.paper(home), self._places(home)
        given = (each for each in extracted.statements if (each.relation, each.by) != ("CITES", "references"))
        self.connection.executemany(_INSERT, list(self._rows(given, home, places)))
        put_aliases(self.connection, home.number, extracted.aliases)
        self._cite(home, own, places)
        self._cite_anew(home, own)
        sql = (
            "INSERT INTO graph_documents SELECT ?, ?, max(number) FROM documents WHERE true "
            "ON CONFLICT (document) DO UPDATE SET version = excluded.version, newest = excluded.newest"
        )
        self.connection.execute(sql, (home.number, extracted.version))
        return home.number

    def paper(self, home: Home) -> int:
        """Return the name of a document of the library."""
        if home.number not in self._papers:
            own = self.names.file("paper", home.title or home.id, home.scope)
            self.connection.execute("INSERT OR REPLACE INTO graph_papers VALUES (?, ?)", (home.number, own))
            self._papers[home.number] = own
        return self._papers[home.number]

    def home(self, document: int) -> Home:
        """Return a document by its number."""
        if document not in self._homes:
            row = self.connection.execute(_HOME + "WHERE d.number = ?", (document,)).fetchone()
            self._homes[document] = Home(*row)
        return self._homes[document]

    def _rows(self, statements: Iterator[Statement], home: Home, places: "Places") -> Iterator[tuple[Any, ...]]:
        for each in statements:
            if not (each.source.name.strip() and each.target.name.strip()):
                continue
            source, target = self._name(each.source, home), self._name(each.target, home)
            if source == target:
                continue
            passage = places.passage(each.start, each.end)
            proof = (each.confidence, each.by, passage, each.start, each.end)
            said = (storable(each.metric), storable(each.value), each.number, storable(each.setting))
            yield home.number, each.relation, source, target, *proof, *said

    def _name(self, thing: Thing, home: Home) -> int:
        within = home.scope if thing.scope == home.id else thing.scope
        if thing.kind != "paper":
            return self.names.file(thing.kind, thing.name, within)
        if within == home.scope or (not within and _same_title(thing.name, home.title)):
            return self.paper(home)
        return self.names.file("paper", thing.name, within) if within else self._titled(thing.name, home)

    def _titled(self, title: str, home: Home) -> int:
        """Return the name of another work: that of a document of the collection if there is one with this title."""
        works = [storable(key) for key in keys(doi="", arxiv="", title=title)]
        for key in works:
            found = self.connection.execute(_TITLED, (key, home.collection, home.number)).fetchone()
            if found:
                return self._document_called(title, found[0])
        return self._work(title, works)

    def _document_called(self, title: str, document: int) -> int:
        """Return the name under which others speak of a document of the library."""
        home = self.home(document)
        node = self.names.node_of(self.paper(home))
        name = self.names.file("paper", title, home.scope)
        if self.names.node_of(name) != node:
            self.names.join(self.names.node_of(name), node)
        return name

    def _work(self, title: str, works: list[str]) -> int:
        """Return the name of a work that is not in the library; those that share a key are one node."""
        name = self.names.file("paper", title, "")
        for key in works:
            known = self.connection.execute("SELECT name FROM graph_works WHERE key = ? LIMIT 1", (key,)).fetchone()
            if known and self.names.node_of(known[0]) != self.names.node_of(name):
                self.names.join(self.names.node_of(name), self.names.node_of(known[0]))
            self.connection.execute("INSERT OR IGNORE INTO graph_works VALUES (?, ?)", (key, name))
        return name

    def _cite(self, home: Home, own: int, places: "Places") -> None:
        """Put the document's references in, each proven by the first place that points at it, or by its own entry in the list."""
        works: dict[int, list[str]] = {}
        sql = "SELECT position, key FROM cited_keys WHERE document = ? ORDER BY key"
        for position, key in self.connection.execute(sql, (home.number,)):
            works.setdefault(position, []).append(key)
        sql = "SELECT key FROM work_keys WHERE document = ?"
        its_own = {row[0] for row in self.connection.execute(sql, (home.number,))}
        pointed = {row[0]: row[1:] for row in self.connection.execute(_POINTED, (home.number,))}
        rows: dict[int, tuple[Any, ...]] = {}  # by the node that is cited
        for position, start, end, title, text, meant in self.connection.execute(_REFERENCES, (home.number,)).fetchall():
            known = works.get(position, [])
            if its_own.intersection(known) or not (title or meant):
                continue
            target = self._document_called(title or text, meant) if meant else self._work(title, known)
            span = pointed.get(position, (start, end))
            proof = (_SURE_OF_REFERENCE, "references", places.passage(*span), *span)
            rows.setdefault(self.names.node_of(target), (home.number, "CITES", own, target, *proof, "", "", None, ""))
        self.connection.executemany(_INSERT, list(rows.values()))

    def _cite_anew(self, home: Home, own: int) -> None:
        """Let the references of documents that were read before this one came lead to it, where they mean it."""
        asked = {"document": home.number, "collection": home.collection, "node": self.names.node_of(own)}
        for (document,) in self.connection.execute(_READ_EARLIER, asked).fetchall():
            citing = self.home(document)
            sql = "DELETE FROM graph_edges WHERE document = ? AND relation = 'CITES' AND \"by\" = 'references'"
            self.connection.execute(sql, (document,))
            self._cite(citing, self.paper(citing), self._places(citing))

    def _places(self, home: Home) -> "Places":
        sql = 'SELECT start, "end", number FROM passages WHERE document = ? ORDER BY start, number'
        return Places(self.connection.execute(sql, (home.number,)).fetchall())


class Places:
    """The passages of a document by what they hold of its text."""

    def __init__(self, passages: list[tuple[int, int, int]]) -> None:
        self._passages = passages
        self._starts = [start for start, _, _ in passages]

    def passage(self, start: int, end: int) -> int | None:
        """Return the number of the passage that holds these characters, or at least the first of them."""
        if not end:
            return None
        behind = bisect_right(self._starts, start)
        near = [each for each in self._passages[max(0, behind - _OVERLAPPING) : behind] if each[1] > start]
        whole = [each for each in near if each[1] >= end]
        return (whole or near)[-1][2] if near else None


def _same_title(name: str, title: str) -> bool:
    return name == title or (bool(letters_of(title)) and letters_of(name) == letters_of(title))
