"""The link hop as edges: which passages name which documents of the library. Written when a document is put into the graph."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from scholarmind.adapters.local.database import Database
from scholarmind.adapters.local.derived import Derived
from scholarmind.adapters.local.graph_writing import Putting
from scholarmind.adapters.local.mentions import MENTIONS, MOST_DOCUMENTS, passages_naming
from scholarmind.model import Evidence
from scholarmind.naming import TITLES, Token, end_of, is_written_as_name, tokens

# A name is surest where it begins with a capital. Without one it counts only for those who ask where a document is named.
WITH_CAPITAL = 0.9
_WITHOUT = 0.6
_AT_ONCE = 250  # passages
_LOOKED_AT = 2000  # passages read earlier that a name of a new document may stand in: its own ones are among the best
_INSERT = (
    'INSERT INTO graph_edges (document, relation, source, target, confidence, "by", passage, start, "end", '
    "metric, value, setting, about) VALUES (?, 'MENTIONS', ?, ?, ?, 'rules', ?, ?, ?, '', '', '', ?)"
)
# All names that begin with one of these words: ! is the sign after the space in which a first word ends.
_BEGINNING_WITH = (
    "SELECT DISTINCT n.key, n.name, n.document FROM json_each(?) v "  # noqa: S608
    f"CROSS JOIN names n ON n.key >= v.value AND n.key < v.value || '!' WHERE n.field IN {TITLES}"
)
_OF_DOCUMENT = f"SELECT DISTINCT key, name, document FROM names WHERE document = ? AND field IN {TITLES}"  # noqa: S608
_READ_EARLIER = """
    SELECT p.number, p.document, p.start, p.text FROM json_each(?) v CROSS JOIN passages p ON p.number = v.value
    CROSS JOIN graph_documents g ON g.document = p.document WHERE g.newest < ?
    AND NOT EXISTS (SELECT 1 FROM graph_edges e WHERE e.passage = p.number AND e.about = ?)
"""
_PASSAGES = "SELECT number, document, start, text FROM passages WHERE document = ? ORDER BY number"
_IS_WHOLE = "SELECT (SELECT sum(documents) FROM collections) = (SELECT sum(documents) FROM graph_versions)"
_NAMED_IN = """
    SELECT DISTINCT e.about FROM json_each(?) s
    CROSS JOIN passages p ON p.document = json_extract(s.value, '$[0]') AND p.position = json_extract(s.value, '$[1]')
    CROSS JOIN graph_edges e ON e.passage = p.number AND e.about IS NOT NULL WHERE e.confidence >= ?
"""
_NAMING = "SELECT passage, document FROM graph_edges WHERE about = ? AND document <> about LIMIT ?"
_Passage = tuple[int, int, int, str]  # its number, its document, where it begins in that, and its text


@dataclass(frozen=True, slots=True)
class Standing:
    """A document that is named in a text: where, and how surely."""

    document: int
    start: int
    end: int
    confidence: float


class Titles:
    """Names of documents, to be found in many texts at the price of one look at each of their words."""

    def __init__(self, rows: Iterable[tuple[str, str, int]]) -> None:
        self._named: dict[str, dict[str, set[int]]] = {}
        self._lengths: dict[str, set[int]] = {}
        for key, name, document in rows:
            self._named.setdefault(key, {}).setdefault(name, set()).add(document)
            first = key.partition(" ")[0]
            self._lengths.setdefault(first, set()).add(key.count(" ") + 1)

    def standing_in(self, found: Sequence[Token]) -> Iterator[Standing]:
        """Yield each place where one of the names stands; a name that too many documents share is none."""
        words = [token.text for token in found]
        for place, word in enumerate(words):
            for length in self._lengths.get(word, ()):
                for name, documents in self._named.get(" ".join(words[place : place + length]), {}).items():
                    end = end_of(found, place, name)
                    if end is None or len(documents) > MOST_DOCUMENTS or not is_written_as_name(found, place, end):
                        continue
                    sure = WITH_CAPITAL if found[place].capital else _WITHOUT
                    yield from (Standing(each, found[place].start, found[end - 1].end, sure) for each in documents)


def put_mentions(database: Database, derived: Derived, putting: Putting, documents: Sequence[int]) -> None:
    """Put in what the passages of these documents name, and which passages read before they came name them."""
    connection = database.connection()
    passages = (passage for each in documents for passage in connection.execute(_PASSAGES, (each,)))
    while some := list(islice(passages, _AT_ONCE)):  # the words of a large document take far more room than its text
        read = [(passage, tokens(passage[3])) for passage in some]
        words = {token.text for _, found in read for token in found}
        titles = Titles(connection.execute(_BEGINNING_WITH, (json.dumps(sorted(words)),)))
        _insert(putting, ((passage, titles.standing_in(found)) for passage, found in read))
    for document in documents:
        _insert(putting, _naming_it(database, derived, document))


def _naming_it(database: Database, derived: Derived, document: int) -> Iterator[tuple[_Passage, Iterator[Standing]]]:
    """Yield the passages that name a document and were read before it came."""
    connection = database.connection()
    if connection.execute("SELECT 1 FROM graph_documents WHERE newest < ? LIMIT 1", (document,)).fetchone():
        titles = Titles(connection.execute(_OF_DOCUMENT, (document,)))
        passages = json.dumps(sorted(passages_naming(database, derived, document, _LOOKED_AT)))
        for passage in connection.execute(_READ_EARLIER, (passages, document, document)).fetchall():
            yield passage, titles.standing_in(tokens(passage[3]))


def _insert(putting: Putting, found: Iterable[tuple[_Passage, Iterator[Standing]]]) -> None:
    """Write an edge for every document that a passage names, at the surest place in it."""
    own: dict[int, int] = {}

    def name_of(document: int) -> int:
        if document not in own:
            own[document] = putting.paper(putting.home(document))
        return own[document]

    rows: list[tuple[Any, ...]] = []
    for (passage, document, start, _), standing in found:
        surest: dict[int, Standing] = {}
        for each in sorted(standing, key=lambda each: (-each.confidence, each.start)):
            if each.document != document:
                surest.setdefault(each.document, each)
        for each in surest.values():
            edge = (document, name_of(document), name_of(each.document), each.confidence)
            rows.append((*edge, passage, start + each.start, start + each.end, each.document))
    putting.connection.executemany(_INSERT, rows)


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
        rows = self._database.rows(_NAMED_IN, (json.dumps(places), WITH_CAPITAL))
        return {row[0] for row in rows}

    def passages_naming(self, document: int) -> Mapping[int, int] | None:
        """Return the passages of other documents that name this one, each with its document; None where they are too many to take all."""
        rows = self._database.rows(_NAMING, (document, MENTIONS + 1))
        return dict(rows) if len(rows) <= MENTIONS else None
