"""The answerer and the writer that need no model: short answers in the words of the passages, and quotations."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from scholarmind.answer import Draft
from scholarmind.citing.keys import assign
from scholarmind.model import Evidence
from scholarmind.naming import short_name
from scholarmind.plan import SubQuestion
from scholarmind.ports import Lexicon, Material, Short
from scholarmind.text.analysis import terms
from scholarmind.writing.compose import compose
from scholarmind.writing.listing import listed
from scholarmind.writing.spans import short_answers

_CANDIDATES = 3
_READ = 8  # passages that a short answer is looked for in
_SUBJECTS = 4


class KeylessAnswerer:
    """Finds short answers in the words of the passages; an overview is answered by what it is about."""

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self._lexicon = lexicon

    async def short(self, part: SubQuestion, question: str, evidence: Sequence[Evidence]) -> Short:
        """Return the short answers of all rows; those of several rows are told together."""
        if part.kind == "global":
            return Short(candidates=(", ".join(_subjects(evidence)),) if evidence else ())
        rows = question.split("\n") if len(part.rows) > 1 else [question]
        if len(rows) == 1:
            rarity = await self._rarity(question)
            answers = await asyncio.to_thread(short_answers, question, evidence[:_READ], rarity)
            items = await asyncio.to_thread(listed, question, evidence[:_READ], rarity)
            return Short(candidates=tuple(answers)[:_CANDIDATES], items=items)
        best: list[str] = []
        for label, row in zip(part.row_ids, rows, strict=True):
            own = [item for item in evidence if label in item.found_by]
            best += (await asyncio.to_thread(short_answers, row, own[:_READ], await self._rarity(row)))[:1]
        together = tuple(dict.fromkeys(best))
        return Short(candidates=(", ".join(together),) if together else (), items=together)

    async def _rarity(self, row: str) -> Mapping[str, float]:
        return await self._lexicon.rarity(list(dict.fromkeys(terms(row)))) if self._lexicon else {}


class ExtractiveWriter:
    """Quotes, and writes nothing itself but headings and what code can work out from numbers."""

    async def write(self, material: Material, on_piece: Callable[[str, int], None]) -> Draft:
        """Return the answer."""
        del on_piece  # it is there at once
        return await asyncio.to_thread(compose, material.plan, material.findings, assign, material.rarity)


def _subjects(evidence: Sequence[Evidence]) -> list[str]:
    """Return the short names of the documents that come first."""
    return list(dict.fromkeys(short_name(item.document) for item in evidence))[:_SUBJECTS]
