"""The graph of papers as it changes: built document by document, names merged and split, links between passages and documents as edges.

It stands beside the documents, in tables of its own. As long as there are none, every read returns nothing at once.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store.database import Database
from scholarmind.adapters.store.document_links import MENTIONS, MOST_DOCUMENTS, passages_naming
from scholarmind.adapters.store.graph_merging import NamesOfGraph, Settling, is_settled, put_aliases
from scholarmind.adapters.store.graph_nodes import nodes_of
from scholarmind.adapters.store.graph_reader import COUNT_CHANGE, GraphReader
from scholarmind.adapters.store.indexes import Derived
from scholarmind.adapters.store.shelf import MEANT
from scholarmind.graph.name_matching import scope_of
from scholarmind.identity import TITLES, TextToken, end_of, is_written_as_name, keys, letters_of, tokens
from scholarmind.model import Evidence
from scholarmind.relations import Extracted, Merged, Node, Statement, Thing
from scholarmind.text.untrusted import storable

# -- what documents state, each statement with the passage that proves it

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
    'SELECT r.value, p.start, p."end" FROM pointers p CROSS JOIN json_each(p."references") r '
    "WHERE p.document = ? ORDER BY p.start DESC"  # the first place of each comes last
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
class _Home:
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


class _Putting:
    """Puts documents into the graph for as long as one transaction lasts."""

    def __init__(self, connection: DatabaseConnection) -> None:
        self.connection = connection
        self.names = NamesOfGraph(connection)
        self._homes: dict[int, _Home] = {}
        self._papers: dict[int, int] = {}  # the names of documents, by their numbers

    def put(self, extracted: Extracted) -> int | None:
        """Put what a document states in place of what it stated before; return its number, None if it is gone meanwhile."""
        sql = _HOME + "WHERE c.name = ? AND d.id = ?"
        row = self.connection.execute(sql, (storable(extracted.collection), storable(extracted.document))).fetchone()
        if row is None:
            return None
        home = _Home(*row)
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

    def paper(self, home: _Home) -> int:
        """Return the name of a document of the library."""
        if home.number not in self._papers:
            own = self.names.file("paper", home.title or home.id, home.scope)
            self.connection.execute("INSERT OR REPLACE INTO graph_papers VALUES (?, ?)", (home.number, own))
            self._papers[home.number] = own
        return self._papers[home.number]

    def home(self, document: int) -> _Home:
        """Return a document by its number."""
        if document not in self._homes:
            row = self.connection.execute(_HOME + "WHERE d.number = ?", (document,)).fetchone()
            self._homes[document] = _Home(*row)
        return self._homes[document]

    def _rows(self, statements: Iterator[Statement], home: _Home, places: "_PassageIndex") -> Iterator[tuple[Any, ...]]:
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

    def _name(self, thing: Thing, home: _Home) -> int:
        within = home.scope if thing.scope == home.id else thing.scope
        if thing.kind != "paper":
            return self.names.file(thing.kind, thing.name, within)
        if within == home.scope or (not within and _same_title(thing.name, home.title)):
            return self.paper(home)
        return self.names.file("paper", thing.name, within) if within else self._titled(thing.name, home)

    def _titled(self, title: str, home: _Home) -> int:
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

    def _cite(self, home: _Home, own: int, places: "_PassageIndex") -> None:
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

    def _cite_anew(self, home: _Home, own: int) -> None:
        """Let the references of documents that were read before this one came lead to it, where they mean it."""
        asked = {"document": home.number, "collection": home.collection, "node": self.names.node_of(own)}
        for (document,) in self.connection.execute(_READ_EARLIER, asked).fetchall():
            citing = self.home(document)
            sql = "DELETE FROM graph_edges WHERE document = ? AND relation = 'CITES' AND \"by\" = 'references'"
            self.connection.execute(sql, (document,))
            self._cite(citing, self.paper(citing), self._places(citing))

    def _places(self, home: _Home) -> "_PassageIndex":
        sql = 'SELECT start, "end", number FROM passages WHERE document = ? ORDER BY start, number'
        return _PassageIndex(self.connection.execute(sql, (home.number,)).fetchall())


class _PassageIndex:
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


# -- links: which passages name which documents; written when a document is put into the graph

# A name is surest where it begins with a capital. Without one it counts only for those who ask where a document is named.
_WITH_CAPITAL = 0.9

_WITHOUT = 0.6
_AT_ONCE = 250  # passages
_LOOKED_AT = 2000  # passages read earlier that a name of a new document may stand in: its own ones are among the best
_INSERT_LINK = (
    'INSERT INTO graph_edges (document, relation, source, target, confidence, "by", passage, start, "end", '
    "metric, value, setting, about) VALUES (?, 'MENTIONS', ?, ?, ?, 'rules', ?, ?, ?, '', '', '', ?)"
)

# All names that begin with one of these words: ! is the sign after the space in which a first word ends.
_BEGINNING_WITH = (
    "SELECT DISTINCT n.key, n.name, n.document FROM json_each(?) v "  # noqa: S608
    f"CROSS JOIN names n ON n.key >= CAST(v.value AS TEXT) AND n.key < CAST(v.value AS TEXT) || '!' WHERE n.field IN {TITLES}"
)

_OF_DOCUMENT = f"SELECT DISTINCT key, name, document FROM names WHERE document = ? AND field IN {TITLES}"  # noqa: S608
_LINKED_EARLIER = """
    SELECT p.number, p.document, p.start, p.text FROM json_each(?) v CROSS JOIN passages p ON p.number = v.value
    CROSS JOIN graph_documents g ON g.document = p.document WHERE g.newest < ?
    AND NOT EXISTS (SELECT 1 FROM graph_edges e WHERE e.passage = p.number AND e.about = ?)
"""

_PASSAGES = "SELECT number, document, start, text FROM passages WHERE document = ? ORDER BY number"
_IS_WHOLE = "SELECT (SELECT sum(documents) FROM collections) = (SELECT sum(documents) FROM graph_versions)"
_NAMED_IN = """
    SELECT DISTINCT e.about FROM json_each(?) s
    CROSS JOIN passages p ON p.document = CAST(s.value ->> 0 AS INTEGER) AND p.position = CAST(s.value ->> 1 AS INTEGER)
    CROSS JOIN graph_edges e ON e.passage = p.number AND e.about IS NOT NULL WHERE e.confidence >= ?
"""

_NAMING = "SELECT passage, document FROM graph_edges WHERE about = ? AND document <> about LIMIT ?"
_Passage = tuple[int, int, int, str]  # its number, its document, where it begins in that, and its text


@dataclass(frozen=True, slots=True)
class _Standing:
    """A document that is named in a text: where, and how surely."""

    document: int
    start: int
    end: int
    confidence: float


class _Titles:
    """Names of documents, to be found in many texts at the price of one look at each of their words."""

    def __init__(self, rows: Iterable[tuple[str, str, int]]) -> None:
        self._named: dict[str, dict[str, set[int]]] = {}
        self._lengths: dict[str, set[int]] = {}
        for key, name, document in rows:
            self._named.setdefault(key, {}).setdefault(name, set()).add(document)
            first = key.partition(" ")[0]
            self._lengths.setdefault(first, set()).add(key.count(" ") + 1)

    def standing_in(self, found: Sequence[TextToken]) -> Iterator[_Standing]:
        """Yield each place where one of the names stands; a name that too many documents share is none."""
        words = [token.text for token in found]
        for place, word in enumerate(words):
            for length in self._lengths.get(word, ()):
                for name, documents in self._named.get(" ".join(words[place : place + length]), {}).items():
                    end = end_of(found, place, name)
                    if end is None or len(documents) > MOST_DOCUMENTS or not is_written_as_name(found, place, end):
                        continue
                    sure = _WITH_CAPITAL if found[place].capital else _WITHOUT
                    yield from (_Standing(each, found[place].start, found[end - 1].end, sure) for each in documents)


def _put_mentions(database: Database, derived: Derived, putting: _Putting, documents: Sequence[int]) -> None:
    """Put in what the passages of these documents name, and which passages read before they came name them."""
    connection = database.connection()
    passages = (passage for each in documents for passage in connection.execute(_PASSAGES, (each,)))
    while some := list(islice(passages, _AT_ONCE)):  # the words of a large document take far more room than its text
        read = [(passage, tokens(passage[3])) for passage in some]
        words = {token.text for _, found in read for token in found}
        titles = _Titles(connection.execute(_BEGINNING_WITH, (json.dumps(sorted(words)),)))
        _insert(putting, ((passage, titles.standing_in(found)) for passage, found in read))
    for document in documents:
        _insert(putting, _naming_it(database, derived, document))


def _naming_it(database: Database, derived: Derived, document: int) -> Iterator[tuple[_Passage, Iterator[_Standing]]]:
    """Yield the passages that name a document and were read before it came."""
    connection = database.connection()
    if connection.execute("SELECT 1 FROM graph_documents WHERE newest < ? LIMIT 1", (document,)).fetchone():
        titles = _Titles(connection.execute(_OF_DOCUMENT, (document,)))
        passages = json.dumps(sorted(passages_naming(database, derived, document, _LOOKED_AT)))
        for passage in connection.execute(_LINKED_EARLIER, (passages, document, document)).fetchall():
            yield passage, titles.standing_in(tokens(passage[3]))


def _insert(putting: _Putting, found: Iterable[tuple[_Passage, Iterator[_Standing]]]) -> None:
    """Write an edge for every document that a passage names, at the surest place in it."""
    own: dict[int, int] = {}

    def name_of(document: int) -> int:
        if document not in own:
            own[document] = putting.paper(putting.home(document))
        return own[document]

    rows: list[tuple[Any, ...]] = []
    for (passage, document, start, _), standing in found:
        surest: dict[int, _Standing] = {}
        for each in sorted(standing, key=lambda each: (-each.confidence, each.start)):
            if each.document != document:
                surest.setdefault(each.document, each)
        for each in surest.values():
            edge = (document, name_of(document), name_of(each.document), each.confidence)
            rows.append((*edge, passage, start + each.start, start + each.end, each.document))
    putting.connection.executemany(_INSERT_LINK, rows)


class StoredLinks:
    """Reads the links of passages back, once every document of the library is in the graph."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def are_whole(self) -> bool:
        """Tell whether every document was read: before, links have to be looked for in the texts."""
        sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'graph_versions'"
        return bool(self._database.value(sql)) and bool(self._database.value(_IS_WHOLE))

    def documents_named_in(self, own: Mapping[tuple[str, str], int], seeds: Sequence[Evidence]) -> set[int]:
        """Return the documents that these passages name; `own` are the numbers of their documents by collection and id."""
        places = [
            (number, seed.passage.position)
            for seed in seeds
            if (number := own.get((seed.document.collection, seed.document.id))) is not None
        ]
        rows = self._database.rows(_NAMED_IN, (json.dumps(places), _WITH_CAPITAL))
        return {row[0] for row in rows}

    def passages_naming(self, document: int) -> Mapping[int, int] | None:
        """Return the passages of other documents that name this one, each with its document; None where they are too many to take all."""
        rows = self._database.rows(_NAMING, (document, MENTIONS + 1))
        return dict(rows) if len(rows) <= MENTIONS else None


# -- the graph of one library

_T = TypeVar("_T")
_WAITING = """
    SELECT c.name, d.id FROM documents d JOIN collections c ON c.number = d.collection
    {} ORDER BY d.number LIMIT ?
"""

_NOT_READ = (  # neither by this version, nor by one that goes on from it: "VERSION + ..."
    "LEFT JOIN graph_documents g ON g.document = d.number "
    "WHERE instr(coalesce(g.version, '') || ' + ', ? || ' + ') <> 1"
)

_ALL_READ = """
    SELECT (SELECT coalesce(sum(documents), 0) FROM collections)
    = (SELECT coalesce(sum(documents), 0) FROM graph_versions WHERE instr(version || ' + ', ? || ' + ') = 1)
"""

_UNUSED = """
    DELETE FROM graph_names WHERE edges = 0
    AND NOT EXISTS (SELECT 1 FROM graph_names o WHERE o.node = graph_names.number AND o.number <> graph_names.number)
    AND NOT EXISTS (SELECT 1 FROM graph_papers p WHERE p.name = graph_names.number)
    AND NOT EXISTS (SELECT 1 FROM graph_merges m WHERE m.kind = graph_names.kind AND m.into_key = graph_names.key)
    AND (kind = 'author' OR NOT EXISTS (
        SELECT 1 FROM graph_merges m WHERE m.kind = graph_names.kind AND m.key = graph_names.key AND m.scope = graph_names.scope
    ))
"""


class LocalGraph(GraphReader):
    """The graph of one library: what is read of it, and how it changes."""

    # -- built document by document

    async def waiting(self, version: str, limit: int) -> list[tuple[str, str]]:
        """Return the documents that this version has not read yet, the oldest first, by collection and id."""

        def work() -> list[tuple[str, str]]:
            if not self._is_there():
                return self.database.rows(_WAITING.format(""), (limit,))
            if self.database.value(_ALL_READ, (version,)):
                return []
            return self.database.rows(_WAITING.format(_NOT_READ), (version, limit))

        return await self._read(work)

    async def put(self, extracted: Sequence[Extracted]) -> None:
        """Put what these documents state in place of what they stated before; all of them or none."""

        def work(connection: DatabaseConnection) -> None:
            putting = _Putting(connection)
            documents = [number for each in extracted if (number := putting.put(each)) is not None]
            _put_mentions(self.database, self._derived(), putting, documents)
            connection.execute(_UNUSED)

        await self._change(work)

    async def settle(self, limit: int) -> int:
        """Compare the names of so many documents with those of all others, and return how many documents there were."""

        def work(connection: DatabaseConnection) -> int:
            settled = Settling(connection).settle(limit)
            connection.execute(_UNUSED)  # what documents that went have left behind
            return settled

        def is_all_compared() -> bool:
            with self.database.snapshot() as connection:
                return not self._is_there() or is_settled(connection)

        return 0 if await self._read(is_all_compared) else await self._change(work)

    async def forget(self) -> None:
        """Forget all but what was merged and split by hand."""

        def work(connection: DatabaseConnection) -> None:
            for table in ("unsettled", "documents", "papers", "works", "edges", "names"):
                connection.execute(f"DELETE FROM graph_{table}")  # noqa: S608
            connection.execute("DELETE FROM graph_merges WHERE \"by\" <> 'hand'")

        await self._change(work)

    # -- names

    async def merge(self, merged: Sequence[Merged]) -> None:
        """Take names for one thing from now on. What was told apart by hand is made one by hand only."""

        def work(connection: DatabaseConnection) -> None:
            names = NamesOfGraph(connection)
            for each in merged:
                names.merge(each)

        await self._change(work)

    async def split(self, node: int, name: str, scope: str = "") -> Node:
        """Take a name out of a node, to stay apart from then on, and return the node that it is now."""

        def work(connection: DatabaseConnection) -> Node:
            number, pieces = NamesOfGraph(connection).split(node, name, scope)
            Settling(connection).prove(pieces)
            own = NamesOfGraph(connection).node_of(number)
            found = nodes_of(connection, (own,))
            return found.get(own) or _without_edges(connection, own)

        return await self._change(work)

    async def _change(self, work: Callable[[DatabaseConnection], _T]) -> _T:
        def changing(connection: DatabaseConnection) -> _T:
            if not self._is_there():
                self.database.lay_out(connection, "graph.sql")
            connection.execute(COUNT_CHANGE)
            return work(connection)

        return await self._write(changing)


def _without_edges(connection: DatabaseConnection, number: int) -> Node:
    """Return a node that only its names are known of."""
    rows = connection.execute("SELECT kind, name FROM graph_names WHERE node = ? ORDER BY number", (number,)).fetchall()
    names = tuple(dict.fromkeys(name for _, name in rows))
    return Node(number=number, kind=rows[0][0], name=names[0], names=names)
