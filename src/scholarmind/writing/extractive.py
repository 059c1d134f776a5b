"""The answerer and the writer that need no model: short answers in the words of the passages, and quotations."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from scholarmind.answer import Draft
from scholarmind.citing.citation_styles import assign
from scholarmind.judge.answers import AnswerReader
from scholarmind.model import Document, Evidence
from scholarmind.naming import short_name
from scholarmind.plan import Plan, SubQuestion
from scholarmind.ports import Lexicon, Material, Short
from scholarmind.text.analysis import terms
from scholarmind.text.enumerations import enumerated
from scholarmind.writing.anchors import moved
from scholarmind.writing.compose import compose
from scholarmind.writing.listing import listed
from scholarmind.writing.spans import short_answers
from scholarmind.writing.wording import words_for

_UNCONFIRMED = "most of what the model wrote could not be confirmed; quotations stand below it"
_CANDIDATES = 3
_READ = 8  # passages that a short answer is looked for in
_SUBJECTS = 4
_NAMED = 4  # items of a list in one short answer


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
            told = (enumerated(items[:_NAMED]),) if len(items) > 1 else ()
            return Short(candidates=(*told, *filter(None, map(_tidy, answers)))[:_CANDIDATES], items=items)
        best: list[str] = []
        for label, row in zip(part.row_ids, rows, strict=True):
            own = [item for item in evidence if label in item.found_by]
            best += (await asyncio.to_thread(short_answers, row, own[:_READ], await self._rarity(row)))[:1]
        together = tuple(dict.fromkeys(best))
        return Short(candidates=(", ".join(together),) if together else (), items=together)

    async def _rarity(self, row: str) -> Mapping[str, float]:
        return await self._lexicon.rarity(list(dict.fromkeys(terms(row)))) if self._lexicon else {}


def _tidy(answer: str) -> str:
    return answer.strip(" :：,，;；")


class ExtractiveWriter:
    """Quotes, and writes nothing itself but headings and what code can work out from numbers."""

    def __init__(self, reader: AnswerReader | None = None) -> None:
        self._reader = reader

    async def write(self, material: Material, on_piece: Callable[[str, int], None]) -> Draft:
        """Return the answer."""
        del on_piece  # it is there at once
        return await asyncio.to_thread(compose, material.plan, material.findings, assign, material.rarity, self._reader)


def most_is_unconfirmed(draft: Draft, plan: Plan) -> bool:
    """Tell whether more than half of what a model wrote is not confirmed, or nothing although it does not call all of it missing."""
    written = [claim for claim in draft.claims if not claim.counted]
    if written:
        return 2 * sum(claim.status == "unsupported" for claim in written) > len(written)
    rows = {row for part in plan.parts if part.role == "find" and not part.extends for row in part.row_ids}
    return not rows <= {*draft.missing, *(claim.row for claim in draft.claims)}


def with_quotations(draft: Draft, material: Material) -> tuple[Draft, str]:
    """Return a draft of a model with quotations below its text, and these. What was counted is there already."""
    draft = replace(draft, unconfirmed=True)
    uncounted = [replace(finding, tallies=()) for finding in material.findings]
    known = {(one.collection, one.document): one.key for one in draft.citations}

    def keys(documents: Sequence[Document]) -> Mapping[tuple[str, str], str]:
        """Give each work the key that it has in the text above, and none that another has there."""
        return assign(documents, known)

    quoted = compose(material.plan, uncounted, keys, material.rarity)
    if not quoted.claims:
        return draft, ""
    words = words_for(material.plan.question)
    lead = f"{words['below label']}\n\n"
    body = quoted.text.removeprefix(words["label"]).lstrip()
    quoted = moved(quoted, len(draft.text) + 2 + len(lead) + len(body) - len(quoted.text))
    below = lead + body
    return replace(
        draft,
        text=f"{draft.text}\n\n{below}",
        claims=(*draft.claims, *quoted.claims),
        citations=tuple(dict.fromkeys((*draft.citations, *quoted.citations))),
        answers={**quoted.answers, **draft.answers},
        conflicts={**quoted.conflicts, **draft.conflicts},
        notes=(*draft.notes, _UNCONFIRMED),
    ), below


def _subjects(evidence: Sequence[Evidence]) -> list[str]:
    """Return the short names of the documents that come first."""
    return list(dict.fromkeys(short_name(item.document) for item in evidence))[:_SUBJECTS]
