"""Search inside PostgreSQL: BM25 over a table of postings of our own terms, and HNSW of pgvector over vectors of half precision.

The second way, for more passages than each process wants indexes of its own for. Both classes do what `KeywordIndex` and `Matrix` do, so
that a store can be given either: the same terms, the same scores up to rounding, and vectors that are compared exactly wherever few are to
be compared. What is written here is seen by every process with the commit; inside the caller's transaction it is one with the passages.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, islice
from typing import Any, Protocol, TypeVar

import numpy as np

from scholarmind.adapters.store.database import script, statements_of
from scholarmind.adapters.store.keyword import Indexed
from scholarmind.adapters.store.masks import NOTHING, Hits, Mask
from scholarmind.adapters.store.matrix import Vectors
from scholarmind.adapters.store.notions import Notions, Variant
from scholarmind.errors import LibraryMismatchError
from scholarmind.model import Translation
from scholarmind.text import analysis

# -- the connection


class SearchConnection(Protocol):
    """What is needed of a connection: `?` for parameters, each statement for itself unless `BEGIN` was executed."""

    @property
    def in_transaction(self) -> bool:
        """Whether `BEGIN` was executed."""
        ...

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        """Execute a statement; return its cursor."""
        ...


def create(connection: SearchConnection) -> None:
    """Lay out what both indexes need, where it is not there yet."""
    for statement in statements_of(script("postgres_search.sql")):
        connection.execute(statement)


@contextmanager
def _transaction(connection: SearchConnection) -> Generator[None]:
    """All of the block or nothing of it; a part of the caller's transaction, if there is one."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _lock_state(connection: SearchConnection, name: str) -> tuple[int, int, int]:
    """Keep others from writing this index; return how many passages and tokens it has, and numbers a vector."""
    connection.execute("INSERT INTO search_states (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
    sql = "SELECT passages, tokens, dimension FROM search_states WHERE name = ? FOR UPDATE"
    return connection.execute(sql, (name,)).fetchone()


def _array(numbers: Iterable[Any]) -> str:
    """Return numbers as PostgreSQL reads an array: one text is sent faster than a list."""
    return "{" + ",".join(map(str, numbers)) + "}"


T = TypeVar("T")


def _blocks(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(rows)
    while block := list(islice(iterator, size)):
        yield block


# -- scores, as tantivy reckons them

_FORMAT = 1
_K1, _B = 1.2, 0.75
_LENGTHS = np.array(
    [n if n < 24 else 24 + (n - 24 if n < 40 else (8 | (n - 24) & 7) << ((n - 24) // 8 - 1)) for n in range(256)]
)
_MOST_FREQUENT = 32_767  # a repetition beyond changes no score
_MANY = 20_000  # postings: with more, it is tried to do without those of the commonest terms
_MANY_SHARE = 0.75  # of the postings, that have to be theirs
_MOST_LISTED = 1_000  # documents that a filter lists; more of them are a bit for each document
_AT_ONCE = 1_000  # passages

_SUM = "sum(weight * frequency / (frequency + (?::float8[])[length + 1]))"
_SCORED = f"min(document) AS document, {_SUM} AS score FROM postings GROUP BY passage"
_PLAIN = f"SELECT passage, {_SCORED}"
_OF_NOTIONS = (  # of each notion the best variant
    "SELECT passage, min(document) AS document, sum(score) AS score FROM ("  # noqa: S608
    "SELECT passage, min(document) AS document, max(score) AS score FROM ("
    f"SELECT passage, notion, {_SCORED}, notion, variant) v GROUP BY passage, notion) n GROUP BY passage"
)
_OF_ALL = f"{_PLAIN} HAVING count(*) = ?"
_BEST = "SELECT passage, document, score::real FROM ({}) scored ORDER BY 3 DESC, 1 LIMIT {}"

_POSTINGS = (
    "WITH postings AS (SELECT p.*, a.notion, a.variant, a.weight "
    "FROM unnest(?::int[], ?::int[], ?::int[], ?::float8[]) AS a (term, notion, variant, weight) "
    "JOIN search_postings p ON p.term = a.term{}) "
)
_POSTINGS_BESIDE = (  # those of the passages that have the rarest term
    "WITH postings AS (SELECT p.*, a.weight FROM search_postings r "
    "CROSS JOIN unnest(?::int[], ?::float8[]) AS a (term, weight) "
    "JOIN search_postings p ON p.term = a.term AND p.document = r.document AND p.passage = r.passage WHERE r.term = ?) "
)
# Without reading the commonest terms: whoever has none of the rarer ones cannot reach `most`, what the common ones bring together. The best
# by the rarer ones, scored in full, say what has to be reached; where that is not more than `most`, nothing is returned
_WHOLE = (
    f"(SELECT f.passage, f.document, f.score + coalesce((SELECT {_SUM} FROM common c JOIN search_postings p "  # noqa: S608
    "ON p.term = c.term AND p.document = f.document AND p.passage = f.passage), 0) AS score FROM {} f)"
)
_WITHOUT_COMMON = (
    f"{_POSTINGS.rstrip()}, found AS MATERIALIZED ({_PLAIN}), "  # noqa: S608
    "common AS MATERIALIZED (SELECT * FROM unnest(?::int[], ?::float8[]) AS c (term, weight)), "
    "most AS MATERIALIZED (SELECT sum(weight) AS score FROM common), "
    "seeds AS (SELECT * FROM found ORDER BY score DESC LIMIT {}), "
    f"least AS MATERIALIZED (SELECT min(score) AS score FROM {_WHOLE.format('seeds')} s), "
    "likely AS (SELECT f.* FROM found f, least, most WHERE f.score + most.score >= least.score) "
    "SELECT w.passage, w.document, w.score::real "
    f"FROM least JOIN most ON least.score > most.score CROSS JOIN {_WHOLE.format('likely')} w "
    "ORDER BY 3 DESC, 1 LIMIT {}"
)
_LISTED = " AND p.document = ANY(?::bigint[])"
_MARKED = " AND CASE WHEN p.document < ? THEN get_bit(?::bytea, p.document) = 1 ELSE false END"

_TERMS = (
    "SELECT s.version, s.passages, s.tokens, t.term, t.number, t.passages FROM search_states s "
    "LEFT JOIN search_terms t ON t.term = ANY(?::text[]) AND t.passages > 0 WHERE s.name = 'words'"
)


_COUNT_ANEW = (  # a term keeps its number: somebody may be asking for it
    "UPDATE search_terms t SET passages = coalesce(n.passages, 0) FROM search_terms o LEFT JOIN "
    "(SELECT term, count(*) AS passages FROM new_search_postings GROUP BY term) n ON n.term = o.number "
    "WHERE t.number = o.number AND t.passages <> coalesce(n.passages, 0)"
)


@dataclass(frozen=True)
class _Terms:
    """The terms of a question that the index has."""

    numbers: dict[str, int]
    counts: dict[str, int]
    documents: int  # as tantivy counts them: its mark of the last change is one
    tokens: int

    def count(self, term: str) -> int:
        """Return how many passages have it."""
        return self.counts.get(term, 0)

    @cached_property
    def weight(self) -> Callable[[str], float]:
        """What a term counts in BM25."""
        notions = Notions(self.count, self.documents)
        return lambda term: (1 + _K1) * notions.weight(term)

    @property
    def norms(self) -> str:
        """What is added to a frequency for each byte of length."""
        return _norms(self.documents / max(1, self.tokens))


def _columns(rows: Sequence[tuple[Any, ...]]) -> tuple[str, ...]:
    return tuple(map(_array, zip(*rows, strict=True)))


@lru_cache(maxsize=8)
def _norms(density: float) -> str:
    return _array((_K1 * (1 - _B + _B * density * _LENGTHS)).tolist())


class PostgresKeywords:
    """The index of words, of which every search sees the last commit."""

    damage = ""  # PostgreSQL looks after its own files

    def __init__(self, connection: Callable[[], SearchConnection], *, many: int = _MANY) -> None:
        """Work over the connection that this returns for the calling thread; of more postings than `many` common ones are left out."""
        self._connection = connection
        self._many = many

    @property
    def change(self) -> int:
        """The last change that it holds; 0 means that it is empty, or made by another version of the text analysis."""
        sql = "SELECT change FROM search_states WHERE name = 'words' AND version = ?"
        row = self._connection().execute(sql, (_version(),)).fetchone()
        return row[0] if row else 0

    def reload(self) -> None:
        """See what others committed: that is always so."""

    def close(self) -> None:
        """Let go of nothing: the connection is the caller's."""

    def rebuild(self, passages: Iterable[Indexed], count: int, change: int) -> None:
        """Index everything anew; until the commit others search what there was."""
        connection = self._connection()
        with _transaction(connection):
            _lock_state(connection, "words")
            for statement in statements_of(script("postgres_search.sql")):
                if "search_postings" in statement:
                    connection.execute(statement.replace("search_postings", "new_search_postings"))
            tokens = sum(_add(connection, block, "new_search_postings") for block in _blocks(passages, _AT_ONCE))
            connection.execute(
                "ALTER TABLE new_search_postings ADD PRIMARY KEY (term, document, passage) INCLUDE (frequency, length)"
            )
            connection.execute("CREATE INDEX ON new_search_postings (document)")
            connection.execute(_COUNT_ANEW)
            connection.execute("DROP TABLE search_postings")
            connection.execute("ALTER TABLE new_search_postings RENAME TO search_postings")
            self._write_state(connection, count, tokens, change)
        _vacuum(connection, "search_postings", "search_terms")

    def apply(self, removed: Iterable[int], added: Iterable[Indexed], count: int, change: int) -> None:
        """Bring the index to this change, after which there are `count` passages. Doing it twice changes nothing."""
        connection = self._connection()
        with _transaction(connection):
            _, tokens, _ = _lock_state(connection, "words")
            gone = set(removed)
            tokens -= _remove(connection, gone)
            for block in _blocks(added, _AT_ONCE):
                tokens -= _remove(connection, {item.document for item in block} - gone)
                gone.update(item.document for item in block)
                tokens += _add(connection, block, "search_postings", counting=True)
            self._write_state(connection, count, tokens, change)

    def search(
        self, words: Sequence[str], k: int, mask: Mask | None = None, translations: Sequence[Translation] = ()
    ) -> Hits:
        """Return the best `k` passages for these terms or translations, among the documents that the mask lets pass."""
        if k <= 0 or (mask is not None and not mask.any()):
            return NOTHING
        others = (term for word, names in translations for text in (word, *names) for term in analysis.terms(text))
        terms = self._terms([*words, *others])
        if terms is None:
            return NOTHING
        notions = Notions(terms.count, terms.documents).of(words, translations)
        rows = [
            (terms.numbers[term], number, place, variant.boost * terms.weight(term))
            for number, notion in enumerate(notions)
            for place, variant in enumerate(notion)
            for term in variant.terms
            if term in terms.numbers
        ]
        if not rows:
            return NOTHING
        filter_, parameters = _filter(mask)
        is_plain = all(notion == (Variant(notion[0].terms[:1]),) for notion in notions)
        if is_plain and (hits := self._without_common(terms, rows, k, (filter_, parameters))) is not None:
            return hits
        sql = _POSTINGS.format(filter_) + _BEST.format(_PLAIN if is_plain else _OF_NOTIONS, int(k))
        return _hits(self._connection().execute(sql, (*_columns(rows), *parameters, terms.norms)).fetchall())

    def _without_common(
        self, terms: _Terms, rows: Sequence[tuple[Any, ...]], k: int, filter_: tuple[str, tuple[Any, ...]]
    ) -> Hits | None:
        """Return the best `k` passages if they can be found without reading all postings of the commonest terms, else None."""
        counts = {terms.numbers[term]: count for term, count in terms.counts.items()}
        ordered = sorted(rows, key=lambda row: counts[row[0]])
        read = list(accumulate(counts[row[0]] for row in ordered))
        rare = bisect_right(read, (1 - _MANY_SHARE) * read[-1])
        if read[-1] <= self._many or not rare or read[rare - 1] < k:
            return None
        condition, parameters = filter_
        numbers, _, _, weights = _columns(ordered[rare:])
        values = (*_columns(ordered[:rare]), *parameters, terms.norms, numbers, weights, terms.norms, terms.norms)
        found = self._connection().execute(_WITHOUT_COMMON.format(condition, int(k), int(k)), values).fetchall()
        return _hits(found) if len(found) == k else None

    def all_of(self, words: Sequence[str], k: int) -> Hits:
        """Return the best `k` passages that hold every one of these terms."""
        unique = list(dict.fromkeys(words))
        terms = self._terms(unique)
        if terms is None or not unique or k <= 0 or len(terms.numbers) < len(unique):
            return NOTHING
        rarest = terms.numbers[min(unique, key=terms.count)]
        numbers, weights = _array(map(terms.numbers.__getitem__, unique)), _array(map(terms.weight, unique))
        sql = _POSTINGS_BESIDE + _BEST.format(_OF_ALL, int(k))
        return _hits(self._connection().execute(sql, (numbers, weights, rarest, terms.norms, len(unique))).fetchall())

    def rarity(self, words: Sequence[str]) -> dict[str, float]:
        """Return how rare each term is."""
        terms = self._terms(words)
        if terms is None:
            return dict.fromkeys(words, 0.0)
        return {word: max(0.0, float(np.log(terms.documents / (1 + terms.count(word))))) for word in words}

    def _terms(self, words: Iterable[str]) -> _Terms | None:
        """Look these up; None if the index is empty or cannot be used."""
        rows = self._connection().execute(_TERMS, (list(dict.fromkeys(words)),)).fetchall()
        if not rows or rows[0][0] != _version():
            return None
        present = [row[3:] for row in rows if row[3] is not None]
        return _Terms(
            numbers={term: number for term, number, _ in present},
            counts={term: count for term, _, count in present},
            documents=rows[0][1] + 1,
            tokens=rows[0][2],
        )

    def _write_state(self, connection: SearchConnection, passages: int, tokens: int, change: int) -> None:
        sql = "UPDATE search_states SET version = ?, passages = ?, tokens = ?, change = ? WHERE name = 'words'"
        connection.execute(sql, (_version(), passages, tokens, change))


def _version() -> int:
    return _FORMAT * 1000 + analysis.VERSION


def _remove(connection: SearchConnection, documents: set[int]) -> int:
    """Remove the postings of these documents; return how many tokens they had."""
    if not documents:
        return 0
    sql = (
        "WITH gone AS (DELETE FROM search_postings WHERE document = ANY(?::bigint[]) RETURNING term, frequency), "
        "fewer AS (UPDATE search_terms t SET passages = t.passages - g.passages FROM "
        "(SELECT term, count(*) AS passages FROM gone GROUP BY term) g WHERE t.number = g.term) "
        "SELECT coalesce(sum(frequency), 0)::bigint FROM gone"
    )
    return connection.execute(sql, (_array(documents),)).fetchone()[0]


def _add(connection: SearchConnection, block: Sequence[Indexed], postings: str, *, counting: bool = False) -> int:
    """Insert the postings of these passages, and count them if they are not to be counted later; return how many tokens they have."""
    counted = [Counter(analysis.terms(item.text)) for item in block]
    passages = Counter(term for frequencies in counted for term in frequencies)
    if not passages:
        return 0
    names = sorted(passages)
    sql = (
        "INSERT INTO search_terms (term, passages) SELECT n.term, 0 FROM unnest(?::text[]) AS n (term) "
        "WHERE NOT EXISTS (SELECT 1 FROM search_terms t WHERE t.term = n.term)"
    )
    connection.execute(sql, (names,))
    if counting:
        sql = (
            "UPDATE search_terms t SET passages = t.passages + n.passages "
            "FROM unnest(?::text[], ?::int[]) AS n (term, passages) WHERE t.term = n.term"
        )
        connection.execute(sql, (names, _array(passages[name] for name in names)))
    sql = "SELECT term, number FROM search_terms WHERE term = ANY(?::text[])"
    numbers = dict(connection.execute(sql, (names,)).fetchall())
    rows = [
        (item.document, item.passage, numbers[term], min(frequency, _MOST_FREQUENT), length)
        for item, frequencies in zip(block, counted, strict=True)
        for length in (int(np.searchsorted(_LENGTHS, frequencies.total(), "right")) - 1,)
        for term, frequency in frequencies.items()
    ]
    sql = (
        f"INSERT INTO {postings} (document, passage, term, frequency, length) "  # noqa: S608
        "SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::int[], ?::smallint[], ?::smallint[])"
    )
    connection.execute(sql, _columns(rows))
    return sum(row[3] for row in rows)


def _filter(mask: Mask | None, most: int = _MOST_LISTED) -> tuple[str, tuple[Any, ...]]:
    """Return a condition on the document, and its parameters."""
    if mask is None:
        return "", ()
    allowed = np.flatnonzero(mask)
    if len(allowed) <= most:
        return _LISTED, (_array(allowed.tolist()),)
    return _MARKED, (len(mask), np.packbits(mask, bitorder="little").tobytes())


def _hits(rows: Sequence[tuple[int, int, float]]) -> Hits:
    passages, documents, scores = zip(*rows, strict=True) if rows else ((), (), ())
    return Hits(
        passages=np.array(passages, np.int64),
        documents=np.array(documents, np.int64),
        scores=np.array(scores, np.float32),
    )


def _vacuum(connection: SearchConnection, *tables: str) -> None:
    """Let the planner know what was written, and searches read the indexes alone; within a transaction this is left to autovacuum."""
    for table in () if connection.in_transaction else tables:
        connection.execute(f"VACUUM (ANALYZE) {table}")


# -- vectors

_REACH = 400  # vectors that the index looks around at; pgvector's own 40 finds too few
_MOST_SCANNED = 200_000  # vectors that it goes on to under a filter
_EXACT = 20_000  # so many are compared one by one
_BLOCK = 500
_MOST_NUMBERS = 4_000  # in a vector that pgvector can index

_STATE = (  # and how the index is to be searched from now on: what the connection was before does not matter
    "SELECT change, passages, dimension, set_config('hnsw.ef_search', ?, false), "
    "set_config('hnsw.iterative_scan', 'relaxed_order', false), set_config('hnsw.max_scan_tuples', ?, false), "
    "set_config('hnsw.scan_mem_multiplier', '8', false) FROM search_states WHERE name = ?"
)


class PostgresVectors:
    """The index of the vectors in one table of the truth, of which every search sees the last commit."""

    damage = ""

    def __init__(
        self,
        connection: Callable[[], SearchConnection],
        source: str = "vectors",
        *,
        reach: int = _REACH,
        exact: int = _EXACT,
    ) -> None:
        """Work over the connection of the calling thread. `source` has passages and their vectors, as bytes of float32."""
        self._connection = connection
        self._source = source
        self._table = f"search_{source}"
        self._reach, self._exact = reach, exact

    @property
    def change(self) -> int:
        """The last change that it holds; 0 means that it is empty."""
        return self._state()[0]

    @property
    def alive(self) -> int:
        """How many vectors can be found."""
        return self._state()[1]

    def reload(self) -> None:
        """See what others committed: that is always so."""

    def rebuild(self, rows: Iterable[tuple[int, int, bytes]], dimension: int, change: int) -> None:
        """Write everything anew from (passage, document, vector); until the commit others search what there was."""
        connection = self._connection()
        with _transaction(connection):
            _lock_state(connection, self._source)
            new = f"new_{self._table}"
            connection.execute(
                f"CREATE TABLE {new} (passage BIGINT NOT NULL, document BIGINT NOT NULL, half HALFVEC({int(dimension)}) NOT NULL)"
            )
            count = sum(self._insert(connection, new, block) for block in _blocks(rows, _BLOCK))
            connection.execute(f"ALTER TABLE {new} ADD PRIMARY KEY (passage)")
            connection.execute(f"CREATE INDEX ON {new} (document)")
            if dimension <= _MOST_NUMBERS:
                connection.execute(f"CREATE INDEX ON {new} USING hnsw (half halfvec_ip_ops)")
            connection.execute(f"DROP TABLE IF EXISTS {self._table}")
            connection.execute(f"ALTER TABLE {new} RENAME TO {self._table}")
            self._write_state(connection, count, dimension, change)
        _vacuum(connection, self._table)

    def apply(self, removed: Sequence[int], rows: Iterable[tuple[int, int, bytes]], change: int) -> bool:
        """Forget these documents, take in these vectors. False: there were none yet, so rebuild. Doing it twice changes nothing."""
        connection = self._connection()
        with _transaction(connection):
            count, _, dimension = _lock_state(connection, self._source)
            if not count:  # an empty index does not know its dimension yet
                if next(iter(rows), None) is not None or not dimension:
                    return False
                self._write_state(connection, 0, dimension, change)
                return True
            sql = f"DELETE FROM {self._table} WHERE document = ANY(?::bigint[])"  # noqa: S608
            count -= connection.execute(sql, (_array(removed),)).rowcount
            for block in _blocks(rows, _BLOCK):
                sql = f"DELETE FROM {self._table} WHERE passage = ANY(?::bigint[])"  # noqa: S608
                count -= connection.execute(sql, (_array(passage for passage, _, _ in block),)).rowcount
                count += self._insert(connection, self._table, block)
            self._write_state(connection, count, dimension, change)
        return True

    def search(self, query: Vectors, k: int, mask: Mask | None = None) -> Hits:
        """Return the best `k` passages by dot product, among the documents that the mask lets pass."""
        _, count, dimension = self._state()
        if not count or k <= 0 or (mask is not None and not mask.any()):
            return NOTHING
        if len(query) != dimension:
            raise LibraryMismatchError(
                f"the question has a vector of {len(query)} numbers, the library's have {dimension}; "
                "set the embedder back, or embed everything again with: scholarmind doctor --reembed"
            )
        wanted = k + k // 4 + 10  # half precision may change the order of neighbours
        if dimension <= _MOST_NUMBERS and not self._are_few(count, mask):
            rows = self._nearest("half <#> ?::halfvec", query, wanted, _filter(mask))
            if len(rows) >= k:
                return _rescored(rows, query, k)
        one_by_one = "(half <#> ?::halfvec) + 0"  # no index holds a sum
        return _rescored(self._nearest(one_by_one, query, wanted, _filter(mask, self._exact)), query, k)

    def _are_few(self, count: int, mask: Mask | None) -> bool:
        """Tell whether no more vectors pass than are compared one by one."""
        if count <= self._exact or mask is None:
            return count <= self._exact
        allowed = np.flatnonzero(mask)
        if len(allowed) > self._exact:
            return False
        sql = (
            f"SELECT count(*) FROM (SELECT 1 FROM {self._table} WHERE document = ANY(?::bigint[]) "  # noqa: S608
            f"LIMIT {self._exact + 1}) passing"
        )
        return self._connection().execute(sql, (_array(allowed.tolist()),)).fetchone()[0] <= self._exact

    def _nearest(
        self, distance: str, query: Vectors, wanted: int, filter_: tuple[str, tuple[Any, ...]]
    ) -> list[tuple[int, int, bytes]]:
        condition, parameters = filter_
        sql = (
            f"SELECT n.passage, n.document, s.vector FROM (SELECT passage, document FROM {self._table} p "  # noqa: S608
            f"WHERE true{condition} ORDER BY {distance} LIMIT {int(wanted)}) n JOIN {self._source} s ON s.passage = n.passage"
        )
        return self._connection().execute(sql, (*parameters, _vector(query))).fetchall()

    def _insert(self, connection: SearchConnection, table: str, block: Sequence[tuple[int, int, bytes]]) -> int:
        passages, documents, vectors = zip(*block, strict=True)
        sql = f"INSERT INTO {table} SELECT p, d, h::halfvec FROM unnest(?::bigint[], ?::bigint[], ?::text[]) AS n (p, d, h)"  # noqa: S608
        texts = [_vector(np.frombuffer(vector, np.float32)) for vector in vectors]
        connection.execute(sql, (_array(passages), _array(documents), texts))
        return len(block)

    def _state(self) -> tuple[int, int, int]:
        """Return the last change, how many vectors there are, and how many numbers each has."""
        parameters = (str(self._reach), str(_MOST_SCANNED), self._source)
        row = self._connection().execute(_STATE, parameters).fetchone()
        return (0, 0, 0) if row is None else row[:3]

    def _write_state(self, connection: SearchConnection, passages: int, dimension: int, change: int) -> None:
        sql = "UPDATE search_states SET passages = ?, dimension = ?, change = ? WHERE name = ?"
        connection.execute(sql, (passages, dimension, change, self._source))


def _vector(numbers: Vectors) -> str:
    """Return a vector as pgvector reads it."""
    return "[" + ",".join(map(str, numbers.tolist())) + "]"


def _rescored(rows: Sequence[tuple[int, int, bytes]], query: Vectors, k: int) -> Hits:
    """Compare these exactly."""
    if not rows:
        return NOTHING
    passages, documents, vectors = zip(*rows, strict=True)
    scores = np.frombuffer(b"".join(vectors), np.float32).reshape(len(rows), -1) @ query
    best = np.lexsort((passages, -scores))[:k]
    return Hits(
        passages=np.array(passages, np.int64)[best], documents=np.array(documents, np.int64)[best], scores=scores[best]
    )
