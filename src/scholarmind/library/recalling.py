"""Searches that were made before: what they found is given back for as long as a new search would find the same.

A change of the library costs only the searches that rest on it: those that had found a document which was changed or removed, and
those among whose passages one that is new would come. How rare words are may shift a little meanwhile; that alone renews nothing.
"""

import base64
import hashlib
import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from scholarmind.calls import ResponseCache
from scholarmind.filters import Filter
from scholarmind.library.retrieval import UNREACHED, Retrieval
from scholarmind.library_ports import Recall
from scholarmind.model import Evidence, Found, Mode, Scores, Search
from scholarmind.ranking import key_of, on_scale_of

_NEWCOMERS = 5  # of the passages that are new, those that are looked at
_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What a search had found, and where the library stood then."""

    then: tuple[int, int]
    places: list[tuple[str, str, int]]
    scores: list[Scores]
    notices: tuple[str, ...]
    vector: Sequence[float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalling:
    """A search with a memory. `basis` is all else that a result rests on: the settings of the search, and the rights of who asks."""

    retrieval: Retrieval
    store: Recall
    cache: ResponseCache
    basis: str

    async def search(
        self,
        question: str,
        k: int,
        *,
        mode: Mode = "hybrid",
        filter: Filter | None = None,
        every_score: bool = False,
    ) -> Found:
        """Return what was found before, if it still stands, or search and remember."""
        address = self._address("search", question, k, mode, repr(filter), every_score)
        then = await self.store.moment()
        kept = _read(await self.cache.get(address))
        if kept is not None and (found := await self._recalled(kept, then, question, k, mode=mode, filter=filter)):
            if kept.then != then:
                await self._keep(address, question, found, then)
            return found
        found = await self.retrieval.search(question, k, mode=mode, filter=filter, every_score=every_score)
        await self._keep(address, question, found, then)
        return found

    async def linked(
        self,
        question: str,
        seeds: Sequence[Evidence],
        k: int,
        *,
        mode: Mode = "hybrid",
        filter: Filter | None = None,
    ) -> Found:
        """Do the same for what is one mention away from the seeds; whatever changes may mention them, so that any change renews it."""
        address = self._address("linked", question, k, mode, repr(filter), [key_of(seed) for seed in seeds])
        then = await self.store.moment()
        kept = _read(await self.cache.get(address))
        if kept is not None and kept.then == then and (found := await self._given_back(kept, question)):
            return found
        found = await self.retrieval.linked(question, seeds, k, mode=mode, filter=filter)
        await self._keep(address, question, found, then)
        return found

    def _address(self, *asked: Any) -> str:
        told = json.dumps([_FORMAT, self.basis, *asked], ensure_ascii=False)
        return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()

    async def _keep(self, address: str, question: str, found: Found, then: tuple[int, int]) -> None:
        if not any(notice.startswith(UNREACHED) for notice in found.notices):
            await self.cache.put(address, _written(found, then, self.retrieval.vector_of(question)))

    async def _recalled(
        self, kept: _Kept, now: tuple[int, int], question: str, k: int, *, mode: Mode, filter: Filter | None
    ) -> Found | None:
        found = await self._given_back(kept, question)
        if found is None or now == kept.then:
            return found
        search, _ = await self.retrieval.prepared(question, k, mode, filter)
        newer = await self.store.newer(replace(search, k=_NEWCOMERS), kept.then)
        return None if _comes_among(newer, found.evidence, search) else found

    async def _given_back(self, kept: _Kept, question: str) -> Found | None:
        """Return what was found, as it is in the library now; None if some of it is no more what it was."""
        rows = await self.store.recall(kept.places, kept.then)
        if rows is None:
            return None
        self.retrieval.know(question, kept.vector, kept.notices)
        evidence = tuple(
            Evidence(passage=passage, document=document, scores=scores, found_by=frozenset((question,)))
            for (passage, document), scores in zip(rows, kept.scores, strict=True)
        )
        return Found(evidence=evidence, notices=kept.notices)


def _comes_among(newer: Sequence[Evidence], evidence: Sequence[Evidence], search: Search) -> bool:
    """Tell whether one of the new passages would be found beside, or in place of, those that were."""
    if not newer or len(evidence) < search.k:
        return bool(newer)
    known = {key_of(item) for item in evidence}
    worst = min(item.scores.fused for item in evidence)
    scaled = on_scale_of(evidence, newer, search.weight_of_vectors)
    return any(key_of(item) in known or item.scores.fused >= worst for item in scaled)


def _written(found: Found, then: tuple[int, int], vector: Sequence[float] | None) -> str:
    record = {
        "moment": then,
        "notices": found.notices,
        "vector": None if vector is None else base64.b64encode(array("f", vector).tobytes()).decode("ascii"),
        "found": [(*key_of(item), *_numbers(item.scores)) for item in found.evidence],
    }
    return json.dumps(record, ensure_ascii=False)


def _numbers(scores: Scores) -> tuple[Any, ...]:
    return scores.fused, scores.vector, scores.keyword, scores.vector_rank, scores.keyword_rank


def _read(text: str | None) -> _Kept | None:
    """Return what was written; what cannot be read is nothing."""
    if text is None:
        return None
    try:
        record: dict[str, Any] = json.loads(text)
        rows: list[list[Any]] = record["found"]
        vector = record["vector"]
        return _Kept(
            then=(int(record["moment"][0]), int(record["moment"][1])),
            places=[(str(row[0]), str(row[1]), int(row[2])) for row in rows],
            scores=[
                Scores(fused=row[3], vector=row[4], keyword=row[5], vector_rank=row[6], keyword_rank=row[7])
                for row in rows
            ],
            notices=tuple(record["notices"]),
            vector=None if vector is None else array("f", base64.b64decode(vector)),
        )
    except (ValueError, TypeError, KeyError, IndexError):
        return None
