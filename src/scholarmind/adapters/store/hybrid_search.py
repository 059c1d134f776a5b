"""One search over both legs, side by side: candidates, fusion, a limit for each document, and the rows themselves."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from scholarmind.adapters.store import records
from scholarmind.adapters.store.database import Database
from scholarmind.adapters.store.document_links import (
    documents_citing,
    documents_named_in,
    documents_pointed_at,
    numbers_of,
    passages_naming,
    passages_pointing,
)
from scholarmind.adapters.store.graph_writing import StoredLinks
from scholarmind.adapters.store.indexes import Derived
from scholarmind.adapters.store.masks import Hits, Mask, Masks
from scholarmind.errors import LibraryStorageError
from scholarmind.model import Evidence, Scores, Search
from scholarmind.ranking import NATIVE, Foreign, fuse
from scholarmind.text.analysis import terms
from scholarmind.text.glossary import translated_share
from scholarmind.text.language import language_of

# -- the search

_CANDIDATES = 100  # of each leg at least; fusion needs more than it shows
_LINKED = 120  # linked passages that are ranked
_CANDIDATES_PER_PLACE = 2
_TRANSLATED = 0.4  # of a question's letters; with less, words find little of what is in another language
_LONGEST = 20_000  # characters of a question that are looked at


class Searching:
    """The parts that one search needs."""

    def __init__(self, database: Database, derived: Derived, masks: Masks, legs: Executor) -> None:
        self._database = database
        self._derived = derived
        self._masks = masks
        self._legs = legs

    def search(self, search: Search) -> list[Evidence]:
        """Return the best passages."""
        search = self._usable(search)
        mask = None if search.filter is None else self._masks.mask(search.filter, self._database.last_text_change())
        candidates = max(_CANDIDATES, _CANDIDATES_PER_PLACE * search.k)
        while True:
            vector, keyword = self._ask(search, candidates, mask)
            fused = self._fuse(search, vector, keyword)
            exhausted = all(leg is None or len(leg.scores) < candidates for leg in (vector, keyword))
            chosen = fused[: search.k] if search.per_document is None else _limited(fused, (vector, keyword), search)
            if len(chosen) >= search.k or exhausted:
                return self._evidence(self._with_every_score(chosen, search), search)
            candidates *= 4

    def linked(self, seeds: Sequence[Evidence], search: Search) -> list[Evidence]:
        """Return the passages that are one mention or one reference away from the seeds, ranked by the search."""
        search = self._usable(search)
        own = numbers_of(self._database, seeds)
        stored = StoredLinks(self._database)
        links = stored if stored.are_whole() else None
        documents = self._documents_told_in(seeds, own, links)
        naming = self._naming(own.values(), links)
        passages = set(naming)
        citing = documents_citing(self._database, own.values())
        homes = set(naming.values())
        vector, keyword = self._ask(search, _LINKED, self._mask(documents | homes | citing, search))
        found = _documents((vector, keyword))
        if citing:  # which of their passages do is asked of the best only
            near = [passage for passage, document in found.items() if document in citing]
            passages |= passages_pointing(self._database, near, set(own.values()))
        fused = self._fuse(search, vector, keyword)
        linked = [item for item in fused if item[0] in passages or found[item[0]] in documents]
        return self._evidence(linked[: search.k], search)

    def _usable(self, search: Search) -> Search:
        """Return the search without a vector that there is nothing to compare with yet."""
        return (
            search if search.multilingual is None or self._derived.has_second() else replace(search, multilingual=None)
        )

    def _naming(self, documents: Iterable[int], links: StoredLinks | None) -> dict[int, int]:
        """Return the passages that name one of these documents, each with its own document."""
        stored = {each: links.passages_naming(each) if links else None for each in documents}
        looked_for = [
            passages_naming(self._database, self._derived, each) for each, known in stored.items() if known is None
        ]
        found = dict(self._documents_of(set[int]().union(*looked_for)))
        return found | {passage: home for known in stored.values() if known for passage, home in known.items()}

    def _documents_told_in(
        self, seeds: Sequence[Evidence], own: Mapping[tuple[str, str], int], links: StoredLinks | None
    ) -> set[int]:
        """Return the other documents that the seeds name or point at."""
        spans = [
            (own[key], seed.passage.start, seed.passage.end)
            for seed in seeds
            if (key := (seed.document.collection, seed.document.id)) in own
        ]
        if links is not None:
            named = links.documents_named_in(own, seeds)
        else:
            named = documents_named_in(self._database, (seed.passage.text for seed in seeds))
        return (named | documents_pointed_at(self._database, spans)) - set(own.values())

    def _mask(self, documents: Collection[int], search: Search) -> Mask:
        """Return these documents, without those that the filter does not let pass."""
        mask = np.zeros(1 + (self._database.value("SELECT max(number) FROM documents") or 0), np.bool_)
        mask[[document for document in documents if document < len(mask)]] = True
        if search.filter is not None:
            allowed = self._masks.mask(search.filter, self._database.last_text_change())
            mask &= (
                allowed[: len(mask)] if len(allowed) >= len(mask) else np.pad(allowed, (0, len(mask) - len(allowed)))
            )
        return mask

    def _documents_of(self, passages: Iterable[int]) -> list[tuple[int, int]]:
        numbers = list(passages)
        sql = f"SELECT number, document FROM passages WHERE number IN ({','.join('?' * len(numbers))})"  # noqa: S608
        return self._database.rows(sql, numbers)

    def _ask(self, search: Search, candidates: int, mask: Mask | None) -> tuple[Hits | None, Hits | None]:
        by_vector = _space(search)[1] is not None and search.mode != "keyword"
        if search.mode == "vector" and by_vector:
            return self._vector_leg(search, candidates, mask), None
        words = terms(search.text[:_LONGEST])
        if not by_vector:
            return None, self._derived.keyword.search(words, candidates, mask, search.translations)
        keyword = self._legs.submit(self._derived.keyword.search, words, candidates, mask, search.translations)
        return self._vector_leg(search, candidates, mask), keyword.result()

    def _fuse(self, search: Search, vector: Hits | None, keyword: Hits | None) -> list[tuple[int, Scores]]:
        without, foreign = frozenset[int](), NATIVE
        if vector is not None and keyword is not None:
            without = self._without_vector(keyword, search)
            foreign = self._foreign((vector, keyword), search) if search.multilingual is not None else NATIVE
        legs = vector and vector.ranked(), keyword and keyword.ranked()
        return fuse(*legs, search.weight_of_vectors, without, foreign)

    def _without_vector(self, hits: Hits, search: Search) -> frozenset[int]:
        table, _ = _space(search)
        if table == "vectors" and not self._database.value("SELECT sum(passages - vectors) FROM collections"):
            return frozenset()
        passages = hits.passages.tolist()
        sql = f"SELECT passage FROM {table} WHERE vector IS NOT NULL AND passage IN ({','.join('?' * len(passages))})"  # noqa: S608
        return frozenset(passages) - {row[0] for row in self._database.rows(sql, passages)}

    def _foreign(self, legs: tuple[Hits, Hits], search: Search) -> Foreign:
        """Return which of the passages that the legs found are in another language than the question."""
        passages, language = list(_documents(legs)), language_of(search.text)
        if not language:
            return NATIVE
        sql = (
            f"SELECT number FROM passages WHERE language NOT IN ('', ?) AND number IN ({','.join('?' * len(passages))})"  # noqa: S608
        )
        share = translated_share(search.text, search.translations)
        return Foreign(
            passages=frozenset(row[0] for row in self._database.rows(sql, (language, *passages))),
            is_translated=share >= _TRANSLATED,
        )

    def _with_every_score(self, chosen: list[tuple[int, Scores]], search: Search) -> list[tuple[int, Scores]]:
        """Return them with the cosine also of those that only their words found, if that is wanted."""
        table, asked = _space(search)
        if not search.every_score or asked is None:
            return chosen
        lacking = [passage for passage, scores in chosen if scores.vector is None]
        sql = f"SELECT passage, vector FROM {table} WHERE vector IS NOT NULL AND passage IN ({','.join('?' * len(lacking))})"  # noqa: S608
        question = np.asarray(asked, np.float32)
        cosines = {
            passage: float(np.frombuffer(vector, np.float32) @ question)
            for passage, vector in self._database.rows(sql, lacking)
        }
        return [
            (passage, replace(scores, vector=cosines[passage]) if passage in cosines else scores)
            for passage, scores in chosen
        ]

    def _vector_leg(self, search: Search, candidates: int, mask: Mask | None) -> Hits:
        table, asked = _space(search)
        matrix = self._derived.matrix if table == "vectors" else self._derived.multilingual
        return matrix.search(np.asarray(asked, np.float32), candidates, mask)

    def _evidence(self, chosen: list[tuple[int, Scores]], search: Search) -> list[Evidence]:
        marks = ",".join("?" * len(chosen))
        sql = (
            f"SELECT {records.FOUND_COLUMNS}, p.number "  # noqa: S608
            "FROM passages p JOIN documents d ON d.number = p.document JOIN collections c ON c.number = d.collection "
            f"WHERE p.number IN ({marks})"
        )
        found = {row[-1]: records.found(row) for row in self._database.rows(sql, [passage for passage, _ in chosen])}
        self._check_removed([passage for passage, _ in chosen if passage not in found])
        return [
            Evidence(
                passage=found[number][0], document=found[number][1], scores=scores, found_by=frozenset((search.text,))
            )
            for number, scores in chosen
            if number in found  # else removed a moment ago
        ]

    def _check_removed(self, passages: Sequence[int]) -> None:
        """Refuse a library whose file has lost one of these passages: what is removed goes with its checksum."""
        sql = f"SELECT passage FROM passage_sums WHERE passage IN ({','.join('?' * len(passages))})"  # noqa: S608
        if passages and (lost := self._database.rows(sql, passages)):
            raise LibraryStorageError(
                f"the file of the library {str(self._database.path.parent)!r} is damaged (passage {lost[0][0]} cannot be read any more); "
                "restore it from a backup, or add the documents again"
            )


def _space(search: Search) -> tuple[str, Sequence[float] | None]:
    """Return the table of the vectors that a search compares with its own, and that."""
    return ("vectors", search.vector) if search.multilingual is None else ("multilingual", search.multilingual)


def _limited(
    fused: list[tuple[int, Scores]], legs: tuple[Hits | None, Hits | None], search: Search
) -> list[tuple[int, Scores]]:
    """Keep the best few of each document."""
    documents = _documents(legs)
    taken: Counter[int] = Counter()
    kept: list[tuple[int, Scores]] = []
    for passage, scores in fused:
        taken[documents[passage]] += 1
        if taken[documents[passage]] <= (search.per_document or 0):
            kept.append((passage, scores))
    return kept[: search.k]


def _documents(legs: tuple[Hits | None, Hits | None]) -> dict[int, int]:
    """Return the document of each passage that a leg found."""
    documents: dict[int, int] = {}
    for leg in legs:
        if leg is not None:
            documents.update(zip(leg.passages.tolist(), leg.documents.tolist(), strict=True))
    return documents
