"""Choose the passages that the answer is written from: every row keeps reserved places, the best of all take the rest.

Rank fusion over sub-questions rewards what all lists share and so undoes the decomposition (recall@5 .62 against .84 with reserved places,
with the same gold sub-questions); it is here for comparison.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from scholarmind.answer import Finding
from scholarmind.model import Evidence
from scholarmind.plan import Plan
from scholarmind.ports import Chosen, Look
from scholarmind.ranking import Key, key_of, merged
from scholarmind.steps.gather import is_translated
from scholarmind.text.analysis import terms

# -- places that fill up: each passage once, and none that nearly repeats another

_SAME = 0.9  # share of terms in common that makes two passages near-duplicates


class Choosing:
    """The places of one answer, which the passages of a pool compete for."""

    def __init__(self, pool: Mapping[Key, Evidence], places: int) -> None:
        self._pool = pool
        self._places = places
        self._taken: dict[Key, frozenset[str]] = {}

    @property
    def full(self) -> bool:
        """Whether no place is left."""
        return len(self._taken) >= self._places

    def take(self, key: Key) -> bool:
        """Give the passage a place, if there is one left and it says something new."""
        if self.full or key in self._taken:
            return False
        words = _words(self._pool[key].passage.text)
        if any(_alike(words, other) for other in self._taken.values()):
            return False
        self._taken[key] = words
        return True

    def take_one(self, keys: Iterable[Key]) -> Key | None:
        """Give a place to the first of these that gets one, and return it."""
        return next((key for key in keys if self.take(key)), None)

    def chosen(self) -> list[Evidence]:
        """Return the passages that have a place, in the order in which they got it."""
        return [self._pool[key] for key in self._taken]


@lru_cache(maxsize=1_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and len(one & other) >= _SAME * len(one | other)


# -- reserved places, ranks, and the rule that chooses

Selection = Literal["coverage", "rrf", "original-only"]
QUESTION = "question"  # the label of what the original question found
_RESERVED_SHARE = 0.8
_RRF_K = 60


class RuleSelector:
    """Chooses by the scores and ranks that there are."""

    def __init__(self, how: Selection = "coverage", *, reserve: bool = True) -> None:
        self._how: Selection = how
        self._reserve = reserve

    async def select(self, plan: Plan, look: Look, findings: Sequence[Finding], places: int) -> Chosen:
        """Return the passages that count."""
        lists = lists_of(look.evidence, findings)
        evidence = select(lists, places, self._how, reserve=self._reserve and len(plan.parts) > 1)
        return Chosen(evidence=evidence, considered=len(merged(lists.values())))


def select(
    lists: Mapping[str, Sequence[Evidence]], places: int, how: Selection = "coverage", *, reserve: bool = True
) -> tuple[Evidence, ...]:
    """Return the best passages of all lists, each with everything that found it, those first that answer the original question too.

    `lists` are by label: the original question's and one for each row. There are never fewer places than rows.
    """
    rows = [label for label in lists if label != QUESTION]
    places = max(places, len(rows))
    pool = merged(lists.values())
    if how == "original-only":
        return tuple(pool[key] for key in list(dict.fromkeys(map(key_of, lists.get(QUESTION, ()))))[:places])
    if how == "rrf":
        return tuple(_by_rank(lists, pool)[:places])
    choosing = Choosing(pool, places)
    if reserve and rows:
        turns = max(1, int(places * _RESERVED_SHARE) // len(rows))
        for _ in range(turns):
            for label in rows:
                choosing.take_one(key_of(item) for item in lists[label])
    for key in sorted(pool, key=lambda key: (-pool[key].scores.fused, key)):
        choosing.take(key)
    return _best_first(choosing.chosen(), lists.get(QUESTION, ()))


def lists_of(question: Sequence[Evidence], findings: Sequence[Finding]) -> dict[str, Sequence[Evidence]]:
    """Return what there is to choose from, by label: what the original question found, and what was found for each row."""
    lists: dict[str, Sequence[Evidence]] = {QUESTION: question}
    looked_up = [finding for finding in findings if finding.part.role == "find"]
    for finding in looked_up:
        for label in finding.part.row_ids:
            own = [item for item in finding.evidence if label in item.found_by]
            independent = not finding.part.depends_on and len(looked_up) > 1
            lists[label] = _with_the_whole(own, question) if independent else own
    return lists


def _with_the_whole(row: Sequence[Evidence], question: Sequence[Evidence]) -> list[Evidence]:
    """Return a row's evidence judged half by the row and half by the original question, best first.

    For rows that wait for nothing: their words are the question's own, and each sees a little that the other misses (dragonball_tune:
    complete@5 .78 -> .805). What stands at the end of a chain has nothing to do with the question's words.
    """
    whole = {key_of(item): item.scores.fused for item in question}
    judged = [
        item
        if is_translated(item)  # the original question was not asked in its language
        else item.rated((item.scores.fused + whole.get(key_of(item), 0.0)) / 2)
        for item in row
    ]
    return sorted(judged, key=lambda item: (-item.scores.fused, key_of(item)))


def _best_first(chosen: Sequence[Evidence], question: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return what was chosen by its own score and that for the original question: the best of every list has much the same score."""
    whole = {key: item.scores.fused for key, item in merged([question]).items()}

    def worth(item: Evidence) -> float:  # the original question was not asked in the language of what is translated
        own = item.scores.fused
        return own + (own if is_translated(item) else whole.get(key_of(item), 0.0))

    return tuple(sorted(chosen, key=lambda item: (-worth(item), key_of(item))))


def _by_rank(lists: Mapping[str, Sequence[Evidence]], pool: Mapping[Key, Evidence]) -> list[Evidence]:
    scores = rank_scores(lists.values())
    return [pool[key] for key in sorted(pool, key=lambda key: (-scores[key], key))]


def rank_scores(lists: Iterable[Sequence[Evidence]], k: int = _RRF_K) -> dict[Key, float]:
    """Return the sum of 1 / (k + rank) of each passage over all lists that hold it."""
    scores: defaultdict[Key, float] = defaultdict(float)
    for items in lists:
        for rank, key in enumerate(dict.fromkeys(map(key_of, items)), 1):
            scores[key] += 1 / (k + rank)
    return dict(scores)
