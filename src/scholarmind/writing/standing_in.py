"""Whether a word or number of a table stands in the passages that it was taken from, or in what their documents say of themselves."""

import re
from collections.abc import Iterable
from functools import cached_property

from scholarmind.model import Evidence, Value
from scholarmind.text.analysis import fold, terms
from scholarmind.text.language import HAN


class Source:
    """All that some passages and the metadata of their documents say; `documents` counts the latter."""

    def __init__(self, evidence: Iterable[Evidence]) -> None:
        given = list(evidence)
        works = {(item.document.collection, item.document.id): item.document for item in given}
        self.documents = len(works)
        told = [item.passage.text for item in given]
        for work in works.values():
            told += [work.title, *work.authors, str(work.year or ""), work.source]
            told += [text for value in work.metadata.values() for text in _texts(value)]
        self._text = " ".join(fold("\n".join(told)).split())

    def has(self, cell: str) -> bool:
        """Tell whether a cell stands there: as it is, or word by word in any order; a number only as it is."""
        wanted = " ".join(fold(cell).split())
        if not any(map(str.isalnum, wanted)):
            return True  # it says nothing
        if HAN.search(wanted):
            return wanted in self._text or set(terms(wanted)) <= self._terms
        if re.search(rf"(?<![\w.]){re.escape(wanted)}(?!\w|\.\d)", self._text):
            return True
        words = set(terms(cell))
        return any(map(str.isalpha, wanted)) and bool(words) and words <= self._terms

    @cached_property
    def _terms(self) -> frozenset[str]:
        return frozenset(terms(self._text))


def _texts(value: Value) -> list[str]:
    return [str(one) for one in value] if isinstance(value, tuple) else [str(value)]
