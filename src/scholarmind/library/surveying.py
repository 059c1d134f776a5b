"""Find passages for a question about the whole: read the tree of summaries near it, and return what these summaries stand on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scholarmind.filters import Filter, both
from scholarmind.library.retrieval import Retrieval
from scholarmind.library.siblings import Placed, branches, by_document, document_of, lifted, subjects
from scholarmind.library.spreading import Candidate, spread
from scholarmind.library.tree_reading import POOL, Read, collapsed, evenly, level_by_level
from scholarmind.library_ports import Tree
from scholarmind.model import Evidence, Mode, Search
from scholarmind.ranking import Key, key_of
from scholarmind.relations import Surveyed, TreeNode
from scholarmind.steps.gather import NARROWED, UNNARROWED
from scholarmind.steps.narrow import time_asked
from scholarmind.text.language import language_of
from scholarmind.text.overviews import is_of_gaps, is_of_time, subject_of

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
    reading: Literal["collapsed", "levels"] = "collapsed"
    tokens: int = 2000  # of summaries and passages that are read for one question
    within: Filter | None = None
    mode: Mode = "hybrid"
    now: int = 9999  # the current year

    async def survey(self, question: str, k: int, found: Sequence[Evidence] = ()) -> Surveyed:
        """Return `k` passages at most that the summaries near a question stand on, and those beside what was found that gain by it."""
        of_all, gaps = not subject_of(question), is_of_gaps(question)
        whole = of_all and not gaps
        search, _ = await self.retrieval.prepared(_ANYTHING if whole else question, POOL, self.mode, None, own=True)
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
        first = spread(limits or await self._candidates(read, found, narrow), k, highest, by_period=by_period)
        seen = {key_of(item) for item in first}
        further = await self._candidates(beyond, found, self.within)
        others = [one for one in further if key_of(one.item) not in seen]
        last = spread(others, k - len(first), UNNARROWED / 2, by_period=by_period)
        levels = {node.level for node, _ in nodes} | ({0} if read.passages or beyond.passages else set[int]())
        return Surveyed(
            evidence=(*await self._beside(search, found), *first, *last),
            levels=tuple(sorted(levels)),
            nodes=tuple(dict.fromkeys(node.title for node, _ in sorted(nodes, key=_highest_first) if node.title)),
        )

    async def _limits(self, question: str, filter: Filter | None) -> list[Candidate]:
        """Return what stands under a heading that speaks of limits, the nearest to the question first."""
        words = _LIMITS["zh" if language_of(question) == "zh" else "en"]
        found = await self.retrieval.search(
            f"{subject_of(question)} {words}".strip(), POOL, mode="keyword", filter=filter
        )
        told = [item for item in found.evidence if item.passage.section and is_of_gaps(item.passage.section[-1])]
        return [Candidate(item=item, worth=1 / place) for place, item in enumerate(told, 1)]

    async def _read(self, search: Search, filter: Filter | None, tokens: int, *, whole: bool) -> Read:
        reading = evenly if whole else level_by_level if self.reading == "levels" else collapsed
        return await reading(self.tree, search, filter, tokens)

    async def _candidates(self, read: Read, found: Sequence[Evidence], filter: Filter | None) -> list[Candidate]:
        """Return the passages that were read and those that the summaries stand on, each once, with what each is worth.

        A passage that a summary stands on is worth half what that is, and half what it is by itself; where that is not known it is
        less than all that were found: the centre of a branch is nearer to most questions than any of its passages.
        """
        stands_on = [(number, node, score) for node, score in read.nodes for number in _passages_of(node)[:_OF_NODE]]
        items = await self.tree.evidence([number for number, _, _ in stands_on], filter) if stands_on else {}
        own = {key_of(item): item.scores.vector for item in found if item.scores.vector is not None}
        own |= {key_of(one.item): one.score for one in read.passages}
        least = _UNKNOWN * min(own.values(), default=0.0)
        candidates = [Candidate(item=one.item, worth=one.score, node=one.node) for one in read.passages]
        candidates += [
            Candidate(item=item, worth=(score + own.get(key_of(item), least)) / 2, node=node.number)
            for number, node, score in stands_on
            if (item := items.get(number)) is not None
        ]
        best: dict[Key, Candidate] = {}
        for one in sorted(candidates, key=lambda one: -one.worth):
            best.setdefault(key_of(one.item), one)
        return list(best.values())

    async def _beside(self, search: Search, found: Sequence[Evidence]) -> list[Evidence]:
        """Return passages of the documents that the question is about which those around them make worth more."""
        about = subjects(found)
        of_these = [item for item in found if document_of(item) in about]
        if not of_these:
            return []
        placed = by_document(of_these, await self.tree.homes(of_these))
        below = {key_of(item): item for item in await self._below(branches(placed), search)}
        known = set(map(key_of, of_these))
        unseen = [item for key, item in below.items() if key not in known and document_of(item) in about]
        for item, nodes in zip(unseen, await self.tree.homes(unseen), strict=True):
            placed[document_of(item)].append(Placed(item=item, nodes=nodes))
        return [item for some in placed.values() for item in lifted(some)]

    async def _below(self, nodes: Sequence[int], search: Search) -> list[Evidence]:
        found = [await self.tree.under(node, search, POOL, filter=self.within) for node in nodes[:_LOOKED_INTO]]
        return [item for items in found for item in items]


def _passages_of(node: TreeNode) -> list[int]:
    return list(dict.fromkeys(number for sentence in node.summary for number in sentence.passages))


def _highest_first(one: tuple[TreeNode, float]) -> tuple[int, float]:
    return -one[0].level, -one[1]
