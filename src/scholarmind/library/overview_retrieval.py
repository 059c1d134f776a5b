"""Find passages for a question about the whole: read the tree of summaries near it, and return what these summaries stand on.

The tree is read within a budget of tokens, all levels in one pool. Passages are put into an order that is spread
over documents, over branches of the tree, and over periods; in a document that the question is about, a passage counts for no less than
those around it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import exp
from typing import TypeVar

from scholarmind.filters import Filter, both
from scholarmind.library.retrieval import Retrieval
from scholarmind.library_ports import Standing, Tree
from scholarmind.llm.language_models import tokens_of
from scholarmind.model import Evidence, Mode, Search
from scholarmind.ranking import Key, key_of
from scholarmind.relations import Surveyed, TreeNode
from scholarmind.steps.gather import NARROWED, UNNARROWED, time_asked
from scholarmind.text.language import language_of
from scholarmind.text.overviews import is_of_gaps, is_of_time, subject_of

# -- periods

_MOST = 4


def periods(years: Sequence[int | None]) -> Mapping[int | None, int]:
    """Return the period of each year, counted from the earliest; what has no year is in the last of all.

    There are at most four, of about as many years in which there is anything.
    """
    known = sorted({year for year in years if year is not None})
    count = min(_MOST, len(known))
    found: dict[int | None, int] = {year: place * count // len(known) for place, year in enumerate(known)}
    return found | {None: count}


# -- spreading over documents, branches and periods

_SAME_DOCUMENT = 0.6  # a factor for each passage that there is already from the same document,
_SAME_NODE = 0.9  # and from the same summary
_LEAST = 0.3  # what the last of all is worth beside the first
_OF_PERIOD = 2  # passages of each period that come first,
_SEEN = 0.6  # the least that they are worth,
_AFTER = 0.5  # and a factor for all others then


@dataclass(frozen=True, slots=True, kw_only=True)
class _OverviewCandidate:
    """A passage with what it is worth by itself, and the summary that brought it (0: none)."""

    item: Evidence
    worth: float
    node: int = 0


def _spread(candidates: Sequence[_OverviewCandidate], k: int, highest: float, *, by_period: bool) -> list[Evidence]:
    """Return the `k` best, each time what is worth most beside those taken before; the highest score is that of the very best.

    For a question about time the first few of each period come before all others.
    """
    # best first, with their worth spread up to 1: cosines with one question are all much the same
    ordered = sorted(candidates, key=lambda one: (-one.worth, key_of(one.item)))
    low, width = (ordered[-1].worth, ordered[0].worth - ordered[-1].worth) if ordered else (0.0, 0.0)
    left = [
        replace(one, worth=_LEAST + (1 - _LEAST) * ((one.worth - low) / width if width else 1.0)) for one in ordered
    ]
    period_of = periods([one.item.document.year for one in left] if by_period else [])
    documents, nodes, taken = Counter[object](), Counter[int](), Counter[int]()
    chosen: list[Evidence] = []
    while left and len(chosen) < k:
        lacking = [one for one in left if by_period and taken[period_of[one.item.document.year]] < _OF_PERIOD]
        best = max(lacking or left, key=lambda one: _beside(one, documents, nodes))
        value = _beside(best, documents, nodes)
        if by_period:
            value = max(value, _SEEN) if lacking else value * _AFTER
        chosen.append(best.item.rated(highest * value))
        left.remove(best)
        documents[key_of(best.item)[:2]] += 1
        nodes[best.node] += 1 if best.node else 0
        taken[period_of.get(best.item.document.year, 0)] += 1
    return sorted(chosen, key=lambda item: (-item.scores.fused, key_of(item)))


def _beside(one: _OverviewCandidate, documents: Counter[object], nodes: Counter[int]) -> float:
    return one.worth * _SAME_DOCUMENT ** documents[key_of(one.item)[:2]] * _SAME_NODE ** nodes[one.node]


# -- passages of one document, and those around them

_BEST = 10  # passages that tell what a question is about:
_EACH = 3  # so many of them are from each document that it is about,
_ALL = 0.8  # and this share from all these documents; else it is about something that many documents tell of
_OTHER_BRANCH = 0.3  # what a passage of another branch counts for, beside one of the same
_REACH = 2.0  # passages further on in the text, one counts for about a third
DocumentKey = tuple[str, str]  # collection and id


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A passage with the nodes of level 1 that it is in; one without a score was not found by itself."""

    item: Evidence
    nodes: frozenset[int]
    score: float | None = None


def _document_of(item: Evidence) -> DocumentKey:
    """Return what tells documents apart."""
    return item.document.collection, item.document.id


def _lifted(placed: Sequence[_Placed]) -> list[Evidence]:
    """Return passages of one document with the score that those around them have, where that is higher than their own."""
    known = [one for one in placed if one.score is not None]
    return [one.item.rated(score) for one in placed if (score := _around(one, known)) > (one.score or 0.0)]


def _branches(placed: Mapping[DocumentKey, Sequence[_Placed]]) -> list[int]:
    """Return the nodes that these passages are in, the one first whose passages are worth most on average."""
    worth: dict[int, list[float]] = {}
    for one in chain.from_iterable(placed.values()):
        for node in one.nodes:
            worth.setdefault(node, []).append(one.score or 0.0)
    return sorted(worth, key=lambda node: (-sum(worth[node]) / len(worth[node]), node))


def _by_document(found: Sequence[Evidence], homes: Sequence[frozenset[int]]) -> dict[DocumentKey, list[_Placed]]:
    """Return passages with their nodes and scores, document by document."""
    placed: dict[DocumentKey, list[_Placed]] = {}
    for item, nodes in zip(found, homes, strict=True):
        placed.setdefault(_document_of(item), []).append(_Placed(item=item, nodes=nodes, score=item.scores.fused))
    return placed


def _around(one: _Placed, known: Sequence[_Placed]) -> float:
    """Return the mean score of the others, weighted by how near they are in the tree and in the text."""
    others = [other for other in known if key_of(other.item) != key_of(one.item)]
    weights = [_nearness(one, other) for other in others]
    scores = [other.score or 0.0 for other in others]
    return sum(map(float.__mul__, weights, scores)) / sum(weights) if weights else 0.0


def _nearness(one: _Placed, other: _Placed) -> float:
    shared = len(one.nodes & other.nodes) / max(1, len(one.nodes), len(other.nodes))
    apart = abs(one.item.passage.position - other.item.passage.position)
    return (_OTHER_BRANCH + shared) * exp(-apart / _REACH)


# -- reading the tree

_POOL = 40  # summaries and passages that are looked at
_BRANCHES = 3  # fewer do not stand for the whole
_FIRST = (3, 2, 1)
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPassage:
    """A passage that was read by itself: how near it is, and under which summary it was found (0: none)."""

    item: Evidence
    score: float
    node: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What fitted into the budget: summaries with how near they are, and passages by themselves."""

    nodes: tuple[tuple[TreeNode, float], ...] = ()
    passages: tuple[ReadPassage, ...] = ()
    tokens: int = 0


async def collapsed(tree: Tree, search: Search, filter: Filter | None, tokens: int) -> Read:
    """Read what is nearest among passages and summaries alike, and before that the nearest summary of levels 3, 2 and 1.

    The higher a summary is, the more it says of the whole and the less near it can be.
    """
    standings = await tree.near(search, _POOL, best_of_each=True, filter=filter)
    best: dict[int, Standing] = {}
    for standing in standings:
        if standing.node is not None and standing.node.level in _FIRST:
            best.setdefault(standing.node.level, standing)
    first = [best[level] for level in _FIRST if level in best]
    return _within(first + [standing for standing in standings if standing not in first], tokens)


async def _evenly(tree: Tree, search: Search, filter: Filter | None, tokens: int) -> Read:
    """Read the summaries of one level, all branches alike, then passages: where all there is is asked for, no branch is nearer."""
    standings = await tree.near(search, _POOL, levels=(2,), filter=filter)
    if len(standings) < _BRANCHES:
        standings = await tree.near(search, _POOL, levels=(1,), filter=filter)
    passages = await tree.near(search, _POOL, levels=(0,), filter=filter)
    return _within([*(replace(standing, score=1.0) for standing in standings), *passages], tokens)


def _nodes(standings: Iterable[Standing]) -> list[tuple[TreeNode, float]]:
    return [(standing.node, standing.score) for standing in standings if standing.node is not None]


def _within(standings: Sequence[Standing], tokens: int) -> Read:
    kept, spent = _fitting(((standing, _text(standing)) for standing in standings), tokens)
    passages = [
        ReadPassage(item=standing.evidence, score=standing.score) for standing in kept if standing.evidence is not None
    ]
    return Read(nodes=tuple(_nodes(kept)), passages=tuple(passages), tokens=spent)


def _text(standing: Standing) -> str:
    return standing.node.text if standing.node else standing.evidence.passage.text if standing.evidence else ""


def _fitting(items: Iterable[tuple[Item, str]], tokens: int) -> tuple[list[Item], int]:
    """Return what fits, in this order, and how many tokens that takes; what is too long by itself is left out."""
    kept: list[Item] = []
    spent = 0
    for item, text in items:
        if spent + (cost := tokens_of(text)) <= tokens:
            kept.append(item)
            spent += cost
    return kept, spent


# -- finding passages

_OF_NODE = 4  # passages that a summary brings
_UNKNOWN = 0.8  # of the least that any passage is worth by itself
_LOOKED_INTO = 3  # branches of a document, for what the search did not find there
_LIMITS = {"en": "limits limitations weaknesses weak points", "zh": "局限 不足"}  # as headings say it
_ANYTHING = "methods, models and results"  # what to search by where all there is is asked for, for trees of vectors
_IN_WORDS = "methods models results systems 方法 模型 结果 研究 系统"  # ... and of words
_NOT_BUILT = "the tree of summaries is not built yet; 'scholarmind add' without paths goes on with it"


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryOverview:
    """Reads the tree of a library, and only what passes `within`."""

    tree: Tree
    retrieval: Retrieval
    tokens: int = 2000  # of summaries and passages that are read for one question
    within: Filter | None = None
    mode: Mode = "hybrid"
    now: int = 9999  # the current year

    async def survey(self, question: str, k: int, found: Sequence[Evidence] = ()) -> Surveyed:
        """Return `k` passages at most that the summaries near a question stand on, and those beside what was found that gain by it."""
        of_all, gaps = not subject_of(question), is_of_gaps(question)
        whole = of_all and not gaps
        search, _ = await self.retrieval.prepared(_ANYTHING if whole else question, _POOL, self.mode, None, own=True)
        search = replace(search, text=_IN_WORDS) if whole else search
        asked = time_asked(question, self.now)
        narrow = both(self.within, asked)
        read = await self._read(search, narrow, self.tokens, whole=whole)
        # what is not from the years that are asked for comes last, and is not lost
        left = self.tokens - read.tokens
        beyond = await self._read(search, self.within, left, whole=whole) if asked else Read()
        nodes = (*read.nodes, *beyond.nodes)
        if not nodes:
            waiting = (await self.tree.counts()).waiting
            return Surveyed(notices=(_NOT_BUILT,) if waiting else ())
        by_period = is_of_time(question)
        # where nothing is named, what a search by words finds is by chance
        highest = NARROWED if asked or of_all or gaps else UNNARROWED
        limits = await self._limits(question, narrow) if gaps else []
        first = _spread(limits or await self._candidates(read, found, narrow), k, highest, by_period=by_period)
        seen = {key_of(item) for item in first}
        further = await self._candidates(beyond, found, self.within)
        others = [one for one in further if key_of(one.item) not in seen]
        last = _spread(others, k - len(first), UNNARROWED / 2, by_period=by_period)
        levels = {node.level for node, _ in nodes} | ({0} if read.passages or beyond.passages else set[int]())
        return Surveyed(
            evidence=(*await self._beside(search, found), *first, *last),
            levels=tuple(sorted(levels)),
            nodes=tuple(dict.fromkeys(node.title for node, _ in sorted(nodes, key=_highest_first) if node.title)),
        )

    async def _limits(self, question: str, filter: Filter | None) -> list[_OverviewCandidate]:
        """Return what stands under a heading that speaks of limits, the nearest to the question first."""
        words = _LIMITS["zh" if language_of(question) == "zh" else "en"]
        found = await self.retrieval.search(
            f"{subject_of(question)} {words}".strip(), _POOL, mode="keyword", filter=filter
        )
        told = [item for item in found.evidence if item.passage.section and is_of_gaps(item.passage.section[-1])]
        return [_OverviewCandidate(item=item, worth=1 / place) for place, item in enumerate(told, 1)]

    async def _read(self, search: Search, filter: Filter | None, tokens: int, *, whole: bool) -> Read:
        return await (_evenly if whole else collapsed)(self.tree, search, filter, tokens)

    async def _candidates(
        self, read: Read, found: Sequence[Evidence], filter: Filter | None
    ) -> list[_OverviewCandidate]:
        """Return the passages that were read and those that the summaries stand on, each once, with what each is worth.

        A passage that a summary stands on is worth half what that is, and half what it is by itself; where that is not known it is
        less than all that were found: the centre of a branch is nearer to most questions than any of its passages.
        """
        stands_on = [(number, node, score) for node, score in read.nodes for number in _passages_of(node)[:_OF_NODE]]
        items = await self.tree.evidence([number for number, _, _ in stands_on], filter) if stands_on else {}
        own = {key_of(item): item.scores.vector for item in found if item.scores.vector is not None}
        own |= {key_of(one.item): one.score for one in read.passages}
        least = _UNKNOWN * min(own.values(), default=0.0)
        candidates = [_OverviewCandidate(item=one.item, worth=one.score, node=one.node) for one in read.passages]
        candidates += [
            _OverviewCandidate(item=item, worth=(score + own.get(key_of(item), least)) / 2, node=node.number)
            for number, node, score in stands_on
            if (item := items.get(number)) is not None
        ]
        best: dict[Key, _OverviewCandidate] = {}
        for one in sorted(candidates, key=lambda one: -one.worth):
            best.setdefault(key_of(one.item), one)
        return list(best.values())

    async def _beside(self, search: Search, found: Sequence[Evidence]) -> list[Evidence]:
        """Return passages of the documents that the question is about which those around them make worth more."""
        # the few documents that a question is about, if it is: nearly all of the best passages are from these
        best = found[:_BEST]
        counts = {document: count for document, count in Counter(map(_document_of, best)).items() if count >= _EACH}
        about = frozenset(counts) if sum(counts.values()) >= _ALL * len(best) else frozenset[DocumentKey]()
        of_these = [item for item in found if _document_of(item) in about]
        if not of_these:
            return []
        placed = _by_document(of_these, await self.tree.homes(of_these))
        below = {key_of(item): item for item in await self._below(_branches(placed), search)}
        known = set(map(key_of, of_these))
        unseen = [item for key, item in below.items() if key not in known and _document_of(item) in about]
        for item, nodes in zip(unseen, await self.tree.homes(unseen), strict=True):
            placed[_document_of(item)].append(_Placed(item=item, nodes=nodes))
        return [item for some in placed.values() for item in _lifted(some)]

    async def _below(self, nodes: Sequence[int], search: Search) -> list[Evidence]:
        found = [await self.tree.under(node, search, _POOL, filter=self.within) for node in nodes[:_LOOKED_INTO]]
        return [item for items in found for item in items]


def _passages_of(node: TreeNode) -> list[int]:
    return list(dict.fromkeys(number for sentence in node.summary for number in sentence.passages))


def _highest_first(one: tuple[TreeNode, float]) -> tuple[int, float]:
    return -one[0].level, -one[1]
