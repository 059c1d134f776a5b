"""What the keyword index is asked: the words of a question, and beside them what they are called in another language.

A word and its translations are one notion: a passage is scored by the best of them, not by their sum. A translation never counts
for more than the words that it stands for, so that what is rare only because few documents are in its language does not come first.
Translations that no passage has are left out: in a library of one language everything is as if there were none.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import tantivy

from scholarmind.model import Translation
from scholarmind.text import analysis

_MOST_TERMS = 64  # of a long question the rarest ones are asked for
_MOST_TRANSLATED = 256


class Query:
    """Made for one state of the index."""

    def __init__(self, schema: Any, searcher: Any) -> None:
        self._schema = schema
        self._searcher = searcher

    def of(self, words: Sequence[str], translations: Iterable[Translation] = ()) -> Any:
        """Return a query for any of these terms, or None if there are none."""
        own = dict.fromkeys(words)
        if len(own) > _MOST_TERMS:
            present = sorted(filter(self._count, own), key=self._count)
            own = dict.fromkeys(present[:_MOST_TERMS])
        asked, clauses = set(own), list[Any]()
        for word, others in translations:
            named = dict.fromkeys(analysis.terms(word))
            variants = self._variants(others, asked)
            weight = sum(map(self._rarity, named))
            if variants and weight and len(asked) < _MOST_TRANSLATED:
                clauses.append(self._notion([term for term in named if term in own], variants, weight))
                asked.update(*variants)
                own = {term: None for term in own if term not in named}
        clauses += map(self._term, own)
        return _any_of(clauses) if clauses else None

    def _variants(self, others: Iterable[str], asked: set[str]) -> list[tuple[str, ...]]:
        """Return the terms of each translation that some passage has and that are not asked for already."""
        found = (
            tuple(term for term in dict.fromkeys(analysis.terms(other)) if term not in asked and self._count(term))
            for other in others
        )
        return list(dict.fromkeys(filter(None, found)))

    def _notion(self, own: Sequence[str], variants: Sequence[Sequence[str]], weight: float) -> Any:
        queries = [_any_of(map(self._term, own))] if own else []
        for variant in variants:
            excess = sum(map(self._rarity, variant)) / weight
            query = _any_of(map(self._term, variant))
            queries.append(query if excess <= 1 else tantivy.Query.boost_query(query, 1 / excess))
        return tantivy.Query.disjunction_max_query(queries)

    def _term(self, term: str) -> Any:
        return tantivy.Query.term_query(self._schema, "text", term, "freq")

    def _count(self, term: str) -> int:
        return self._searcher.doc_freq("text", term)

    def _rarity(self, term: str) -> float:
        """Return what the term weighs in BM25."""
        count = self._count(term)
        return math.log(1 + (self._total - count + 0.5) / (count + 0.5))

    @cached_property
    def _total(self) -> int:
        return max(1, self._searcher.num_docs)


def _any_of(queries: Iterable[Any]) -> Any:
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])
