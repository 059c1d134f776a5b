"""The trees of summaries as questions read them: what is near, what is below, and nothing of what a filter does not let pass.

Nodes of a tree of vectors are compared by their vectors, those of a tree of words by the passages that the words of a question find.
"""

import json
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from scholarmind.adapters.store import records
from scholarmind.adapters.store.access import look_up
from scholarmind.adapters.store.database import Database
from scholarmind.adapters.store.indexes import Keywords
from scholarmind.adapters.store.masks import Integers, Mask, passing
from scholarmind.adapters.store.tree_growing import TreeGrowing
from scholarmind.adapters.store.tree_storage import ONE_NODE, Image, embedder_of, image_of, node_of
from scholarmind.filters import Filter, both
from scholarmind.library_ports import Standing
from scholarmind.model import Evidence, Scores, Search
from scholarmind.ranking import fuse, key_of
from scholarmind.relations import TreeCounts, TreeNode
from scholarmind.text.analysis import terms
from scholarmind.tree.growing import Vectors, cosine, likeness

# -- trees of words

_FOUND = 300  # passages; what the others have in common with a question is next to nothing
_COMPARED = 8  # of them, to tell what a score of the index means
_TEXTS = "SELECT number, text FROM passages WHERE number IN ({})"


@dataclass(frozen=True, slots=True, kw_only=True)
class _WordLikeness:
    """Compares one question by its words."""

    database: Database
    keyword: Keywords
    search: Search

    def of_nodes(self, image: Image, mask: Mask | None) -> Vectors:
        """Return the likeness of each node: the cosine with its sum is the sum of those with its passages, by its length."""
        hits = self.keyword.search(terms(self.search.text), _FOUND, mask, self.search.translations).ranked()
        known = [(passage, score) for passage, score in hits if passage in image.home_of]
        found = np.zeros(len(image.numbers) + 1, np.float64)
        for passage, score in known:
            found[image.home_of[passage] + 1] += score
        sums = np.cumsum(found)
        below = sums[image.ends] - sums[:-1]
        return likeness((self._worth(known[:_COMPARED]) * below / image.lengths).astype(np.float32))

    def of_texts(self, texts: Sequence[str]) -> list[float]:
        """Return the likeness of texts."""
        return likeness(np.array(self._cosines(texts), np.float32)).tolist()

    def _worth(self, known: Sequence[tuple[int, float]]) -> float:
        """Return what a score of the index is as a cosine."""
        texts = dict(look_up(self.database, _TEXTS, [passage for passage, _ in known]))
        present = [(texts[passage], score) for passage, score in known if passage in texts]
        total = sum(score for _, score in present)
        return sum(self._cosines([text for text, _ in present])) / total if total else 0.0

    def _cosines(self, texts: Sequence[str]) -> list[float]:
        asked, others = terms(self.search.text), [terms(text) for text in texts]
        rarity = self.keyword.rarity(list(dict.fromkeys(term for words in (asked, *others) for term in words)))
        return [cosine(asked, words, rarity) for words in others]


# -- the trees of one library

_WHOLE = "SELECT number, space, version, fingerprint FROM trees WHERE state = 'whole' ORDER BY number"
_ROOTS = (
    ONE_NODE
    + "WHERE n.parent IS NULL AND t.state = 'whole' AND (CAST(? AS TEXT) IS NULL OR c.name = ?) ORDER BY n.number"
)
_CHILDREN = ONE_NODE + "WHERE n.parent = ? AND t.state = 'whole' ORDER BY n.number"
_NODES = ONE_NODE + "WHERE n.number IN ({}) AND t.state = 'whole'"
_LEVELS = (
    "SELECT n.level, count(*), sum(CASE n.\"by\" WHEN 'model' THEN 1 ELSE 0 END) FROM tree_nodes n JOIN trees t ON t.number = n.tree "
    "WHERE t.state = 'whole' GROUP BY n.level ORDER BY n.level"
)

_EVIDENCE = (
    f"SELECT {records.FOUND_COLUMNS}, p.number, d.number "  # noqa: S608
    "FROM passages p JOIN documents d ON d.number = p.document JOIN collections c ON c.number = d.collection "
    "WHERE p.number IN ({})"
)

_HOMES = (
    "SELECT j.key, m.node, m.second FROM json_each(?) j JOIN collections c ON c.name = j.value ->> 0 "
    "JOIN documents d ON d.collection = c.number AND d.id = j.value ->> 1 "
    "JOIN passages p ON p.document = d.number AND p.position = CAST(j.value ->> 2 AS INTEGER) "
    "JOIN tree_members m ON m.passage = p.number JOIN trees t ON t.number = m.tree AND t.state = 'whole'"
)

_VECTORS = "SELECT passage, vector FROM vectors WHERE vector IS NOT NULL AND passage IN ({})"
_BY_WORDS = 200  # passages that the words of a question find below a node
_SPARE = 3  # times as many summaries are looked at where a filter may leave nothing of some


@dataclass(kw_only=True)
class LocalTree(TreeGrowing):
    """Reads whole trees, and lets them grow."""

    _images: tuple[object, list[Image]] = field(default=(None, []), init=False)  # of these versions
    _loading: threading.Lock = field(default_factory=threading.Lock, init=False)

    async def near(
        self,
        search: Search,
        k: int,
        *,
        levels: Sequence[int] = (),
        best_of_each: bool = False,
        filter: Filter | None = None,
    ) -> list[Standing]:
        """Return the summaries and passages nearest to a question, and beyond these the best of each level, if it is wanted.

        All scores are likenesses from 0 to 1.
        """

        def work() -> list[Standing]:
            return _enough(self._near(search, k, levels, both(search.filter, filter)), k, best_of_each=best_of_each)

        return await self.read(work)

    async def under(self, node: int, search: Search, k: int, *, filter: Filter | None = None) -> list[Evidence]:
        """Return the best passages below a node for a question."""
        return await self.read(lambda: self._under(node, search, k, both(search.filter, filter)))

    async def evidence(self, passages: Sequence[int], filter: Filter | None = None) -> dict[int, Evidence]:
        """Return these passages as far as the filter lets them pass, without a score."""
        return await self.read(lambda: self._evidence(passages, self._mask(filter)))

    async def homes(self, passages: Sequence[Evidence]) -> list[frozenset[int]]:
        """Return the nodes of level 1 that each of these passages is in."""
        keys = json.dumps([key_of(item) for item in passages])

        def work() -> list[frozenset[int]]:
            found: list[set[int]] = [set() for _ in passages]
            for place, node, second in self.database.rows(_HOMES, (keys,)) if self.has_trees() else ():
                found[place] |= {node, second} - {None}
            return [frozenset(nodes) for nodes in found]

        return await self.read(work)

    async def roots(self, collection: str | None = None) -> list[TreeNode]:
        """Return the nodes that have nothing above them."""
        return await self.read(lambda: self._nodes(_ROOTS, (collection, collection)))

    async def children(self, node: int) -> list[TreeNode]:
        """Return the nodes right below one; at level 1 there are none."""
        return await self.read(lambda: self._nodes(_CHILDREN, (node,)))

    async def node(self, number: int) -> TreeNode | None:
        """Return a node, or None if there is none of this number."""
        found = await self.read(lambda: self._nodes(_NODES.format("?"), (number,)))
        return found[0] if found else None

    async def counts(self) -> TreeCounts:
        """Return how much the trees hold, and how much waits for its place."""

        def work() -> TreeCounts:
            state = self.state()
            rows = self.database.rows(_LEVELS) if self.has_trees() else []
            return TreeCounts(
                levels={level: count for level, count, _ in rows},
                passages=sum(tree.passages for tree in state.whole.values()),
                waiting=state.waiting,
                by_model=sum(made for _, _, made in rows),
            )

        return await self.read(work)

    def version(self) -> str:
        """Return what is different after every change of what questions are answered from; one cheap query."""
        trees = self.database.rows(_WHOLE) if self.has_trees() else []
        return " ".join(f"{number}.{version}" for number, _, version, _ in trees)

    def _whole(self) -> list[Image]:
        """Return the trees as they are now, read again only after a change."""
        if not self.has_trees():
            return []
        with self._loading:
            versions = self.database.rows(_WHOLE)
            if self._images[0] != versions:
                asked = [row for row in versions if row[1] == "words" or embedder_of(row[3]) == self.fingerprint]
                self._images = (versions, [image_of(self.database, number, space) for number, space, _, _ in asked])
            return self._images[1]

    def _mask(self, filter: Filter | None) -> Mask | None:
        return None if filter is None else self.masks.mask(filter, self.database.last_text_change())

    def _near(self, search: Search, k: int, levels: Sequence[int], filter: Filter | None) -> list[Standing]:
        """Return more than enough of all levels in one order."""
        images, mask = self._whole(), self._mask(filter)
        found: list[tuple[float, int, Image | Evidence]] = []
        for image in images:
            asked = image.told & np.isin(image.levels, levels) if levels else image.told
            rows = np.flatnonzero(asked if mask is None else asked & image.open_to(mask))
            scores = self._scores(image, rows, search, mask)
            best = _best(scores, image.levels[rows], k if mask is None else _SPARE * k)
            found += ((float(scores[place]), int(image.numbers[rows[place]]), image) for place in best)
        if images and (not levels or 0 in levels):
            passages = self.search(replace(search, k=k, filter=filter, every_score=True, multilingual=None))
            found += zip(self._likeness(passages, search), range(len(passages)), passages, strict=True)
        found.sort(key=lambda item: -item[0])
        return self._standings(found, mask)

    def _standings(self, found: Sequence[tuple[float, int, Image | Evidence]], mask: Mask | None) -> list[Standing]:
        images = {number: image for _, number, image in found if isinstance(image, Image)}
        rows = {row[0]: row for row in look_up(self.database, _NODES, list(images))}
        standings: list[Standing] = []
        for score, number, item in found:
            if isinstance(item, Evidence):
                standings.append(Standing(score=score, evidence=item))
            elif number in rows:
                node = node_of(rows[number], item.extent(item.row_of[number], mask))
                standings += [Standing(score=score, node=node)] if node.summary else []
        return standings

    def _scores(self, image: Image, rows: Integers, search: Search, mask: Mask | None) -> Vectors:
        """Return how near the nodes of these rows are to a question."""
        if not len(rows) or (image.space == "vector" and search.vector is None):
            return np.zeros(len(rows), np.float32)
        if image.space == "words":
            return self._words(search).of_nodes(image, mask)[rows]
        centres = image.centres if len(rows) == len(image.centres) else image.centres[rows]
        return np.clip(centres @ np.asarray(search.vector, np.float32), 0, 1)

    def _likeness(self, passages: Sequence[Evidence], search: Search) -> list[float]:
        """Return how near passages are to a question, on the scale of the nodes."""
        lacking = [item.passage.text for item in passages if item.scores.vector is None]
        words = iter(self._words(search).of_texts(lacking) if lacking else ())
        return [
            next(words) if item.scores.vector is None else min(1.0, max(0.0, item.scores.vector)) for item in passages
        ]

    def _words(self, search: Search) -> _WordLikeness:
        return _WordLikeness(database=self.database, keyword=self.keyword(), search=search)

    def _under(self, node: int, search: Search, k: int, filter: Filter | None) -> list[Evidence]:
        mask = self._mask(filter)
        image = next((image for image in self._whole() if node in image.row_of), None)
        if image is None:
            return []
        passages, documents = image.passages(image.row_of[node], mask)
        below: list[int] = passages.tolist()
        vector = None if search.vector is None or search.mode == "keyword" else self._cosines(below, search)
        keyword = None if search.mode == "vector" and vector else self._by_words(below, documents, search)
        known = dict(vector or ())
        without = [passage for passage in below if passage not in known]
        fused = fuse(vector, keyword, search.dense_weight, without if known else ())
        rated = {number for number, _ in fused}
        rest = [(number, Scores(fused=0.0)) for number in without if number not in rated]
        evidence = self._evidence([number for number, _ in (*fused, *rest)][:k], mask)
        return [
            replace(evidence[number], scores=scores, found_by=frozenset((search.text,)))
            for number, scores in (*fused, *rest)
            if number in evidence
        ]

    def _cosines(self, below: Sequence[int], search: Search) -> list[tuple[int, float]]:
        question = np.asarray(search.vector, np.float32)
        rows = look_up(self.database, _VECTORS, below)
        found = [(passage, float(np.frombuffer(vector, np.float32) @ question)) for passage, vector in rows]
        return sorted(found, key=lambda item: (-item[1], item[0]))

    def _by_words(self, below: Sequence[int], documents: Integers, search: Search) -> list[tuple[int, float]]:
        mask = np.zeros(1 + int(documents.max(initial=0)), np.bool_)
        mask[documents] = True
        hits = self.keyword().search(terms(search.text), _BY_WORDS, mask, search.translations)
        passages = set(below)
        return [(passage, score) for passage, score in hits.ranked() if passage in passages]

    def _evidence(self, passages: Sequence[int], mask: Mask | None) -> dict[int, Evidence]:
        rows = {row[-2]: row for row in look_up(self.database, _EVIDENCE, list(passages))}
        documents = np.array([rows[number][-1] for number in passages if number in rows], np.int64)
        found = [number for number in passages if number in rows]
        allowed: Iterable[Any] = [True] * len(found) if mask is None else passing(mask, documents)
        evidence: dict[int, Evidence] = {}
        for number, passes in zip(found, allowed, strict=True):
            if passes:
                passage, document = records.found(rows[number])
                evidence[number] = Evidence(passage=passage, document=document, scores=Scores(fused=0.0))
        return evidence

    def _nodes(self, sql: str, parameters: Sequence[Any]) -> list[TreeNode]:
        """Return the nodes of a query, as their owner sees them."""
        images = [image for image in self._whole() if len(image.numbers)]
        rows = self.database.rows(sql, parameters) if images else []
        homes = {row[0]: image for row in rows for image in images if row[0] in image.row_of}
        return [
            node_of(row, homes[row[0]].extent(homes[row[0]].row_of[row[0]], None)) for row in rows if row[0] in homes
        ]


def _best(scores: Vectors, levels: Integers, count: int) -> list[int]:
    """Return the places of the highest scores, and of the few that are highest at each level."""
    order = [place for place in np.argsort(-scores, kind="stable").tolist() if scores[place] > 0]
    of_level, chosen = Counter[int](), list[int]()
    for rank, place in enumerate(order):
        level = int(levels[place])
        of_level[level] += 1
        if rank < count or of_level[level] <= _SPARE:
            chosen.append(place)
    return chosen


def _enough(standings: Sequence[Standing], k: int, *, best_of_each: bool) -> list[Standing]:
    """Return the first `k`, and beyond these the first of each level, if it is wanted."""
    levels = [standing.node.level if standing.node else 0 for standing in standings]
    return [
        standing
        for place, standing in enumerate(standings)
        if place < k or (best_of_each and levels.index(levels[place]) == place)
    ]
