"""The writer that asks a language model: one streamed call, of which only what passages confirm counts. Behind it stands the keyless one.

Nothing that a model does is an error here: where it fails, the answer is quoted, and says why. What it wrote stays as it is, however
little of it is confirmed.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace

from scholarmind.answer import Draft
from scholarmind.calls import Reply, Request
from scholarmind.citing.citation_styles import assign
from scholarmind.errors import ContextOverflowError, ModelError, ModelReplyError
from scholarmind.llm.prompts import Assistant
from scholarmind.model import Evidence
from scholarmind.ports import Material, Writer
from scholarmind.writing.anchors import placed, unanchored
from scholarmind.writing.assembling import Given, assembled
from scholarmind.writing.attaching import Attacher
from scholarmind.writing.briefing import (
    Form,
    Language,
    Length,
    Manner,
    answer_request,
    language_for,
    rows_of,
)
from scholarmind.writing.citing_stream import MARK
from scholarmind.writing.incoming import Incoming, OnPiece
from scholarmind.writing.recounting import block, with_counted
from scholarmind.writing.reporting import reported
from scholarmind.writing.showing import fewer
from scholarmind.writing.tallied import conflict, counted, proving, tallies_of
from scholarmind.writing.wording import words_for

_LATE = "the model took too long"
_NO_REPORT = "the model gave no account of the parts; they are judged by code alone"
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One call and what came of it."""

    given: Given
    attacher: Attacher
    text: Incoming


class ModelWriter:
    """Writes with a language model, and quotes where that fails."""

    def __init__(
        self,
        assistant: Assistant,
        keyless: Writer,
        *,
        form: Form = "prose",
        length: Length = "medium",
        language: Language = "question",
        longest: int = 60_000,
    ) -> None:
        """Take who is asked and who writes otherwise; `longest` counts the characters that are read of a text."""
        self._assistant = assistant
        self._keyless = keyless
        self._form: Form = form
        self._length: Length = length
        self._language: Language = language
        self._longest = longest

    async def write(self, material: Material, on_piece: OnPiece) -> Draft:
        """Return the answer."""
        try:
            if not material.evidence:
                raise ModelReplyError("there is no passage to write from, so no model was asked")
            return await self._written(material, on_piece)
        except (ModelError, TimeoutError) as error:
            why = " ".join(str(error).split())[:_LONGEST_REASON] or _LATE
            draft = await self._keyless.write(material, on_piece)
            return replace(draft, notes=(*draft.notes, f"the answer is quoted, not written: {why}"))

    async def _written(self, material: Material, on_piece: OnPiece) -> Draft:
        """Ask; again with half of the passages while they are too many, and once more for the right language."""
        evidence, notes, again, draft = material.evidence, tuple[str, ...](), False, 1
        while True:
            try:
                asked = await self._asked(material, evidence, on_piece, draft=draft, again=again)
            except ContextOverflowError:
                half = fewer(material.plan, material.findings, evidence)
                if len(half) == len(evidence):
                    raise
                notes = (f"the model cannot read {len(material.evidence)} passages at once; it was shown {len(half)}",)
                evidence, draft = half, draft + 1
                continue
            if not asked.text.is_foreign():
                return await self._finished(asked, notes, on_piece)
            if again:
                raise ModelReplyError("the model wrote in another language than it was asked for, twice")
            again, draft = True, asked.text.draft + 1

    async def _asked(
        self, material: Material, evidence: Sequence[Evidence], on_piece: OnPiece, *, draft: int, again: bool
    ) -> _Asked:
        """Return what one call brought."""
        language = language_for(material.plan.question, self._language)
        manner = Manner(form=self._form, length=self._length, language=language)
        request, passages = answer_request(
            self._assistant, material.plan, material.findings, evidence, manner, again=again
        )
        proofs = [item for tally in tallies_of(material.findings).values() for item in proving(tally)]
        keys = assign([item.document for item in (*evidence, *proofs)])
        given = _given(material, passages, keys)
        attacher = Attacher(passages, keys)
        text = Incoming(attacher, given.keys, language, draft=draft, on_piece=on_piece, longest=self._longest)
        reading = asyncio.create_task(asyncio.to_thread(attacher.read))  # while the model thinks
        try:
            await self._stream(request, text)
        except (ModelError, TimeoutError) as error:
            if not text.marked.strip():
                raise
            text.cut(f"the model broke off ({str(error) or _LATE})")
        finally:
            await asyncio.wait([reading])
        return _Asked(given=given, attacher=attacher, text=text)

    async def _stream(self, request: Request, text: Incoming) -> None:
        """Take what the model says until there is enough of it; then the connection is closed."""
        stream, reply = self._assistant.model.stream(request), None
        try:
            async for piece in stream:
                if isinstance(piece, Reply):
                    reply = piece
                    continue
                await text.take(piece)
                if text.broken or text.is_foreign(so_far=True):
                    break
            await text.end(reply)
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()

    async def _finished(self, asked: _Asked, notes: tuple[str, ...], on_piece: OnPiece) -> Draft:
        """Return the draft with what was counted below it, or raise if there is too little of it."""
        text, rows = asked.text, asked.given.rows
        report = reported(text.report, [row.id for row in rows])
        draft = await asyncio.to_thread(assembled, text.marked, asked.given, asked.attacher, report)
        if problem := _problem(draft, asked.given, text):
            raise ModelReplyError(problem)
        draft = placed(_with_counted(draft, asked, on_piece))
        told = (f"{text.broken}; what came whole is kept",) if text.broken else (_NO_REPORT,) if not report else ()
        return replace(draft, notes=(*notes, *told, *text.notes, *draft.notes))


def _with_counted(draft: Draft, asked: _Asked, on_piece: OnPiece) -> Draft:
    """Put the tables that code made below the text, and show them as the last piece of it."""
    given = asked.given
    if not given.counted:
        return draft
    questions = {row.id: row.question for row in given.rows if row.role == "find"}
    words = words_for(given.question)
    found = {row: conflict(one, questions.get(row, ""), words) for row, one in given.counted.items()}
    conflicts = {row: told for row, told in found.items() if told}
    below = block(given.question, given.counted, questions, len(draft.claims))
    gap = "\n" * max(0, 2 - _line_breaks(asked.text.marked))
    on_piece(f"{gap}{unanchored(below)}", asked.text.draft)
    return with_counted(draft, below, given.counted, conflicts)


def _line_breaks(text: str) -> int:
    """Return how many line breaks a text ends with."""
    return len(text) - len(text.rstrip("\n"))


def _given(material: Material, passages: Mapping[str, Evidence], keys: Mapping[tuple[str, str], str]) -> Given:
    words = words_for(material.plan.question)
    tallies = tallies_of(material.findings)
    return Given(
        counted={row: counted(tally, keys, words) for row, tally in tallies.items()},
        question=material.plan.question,
        rows=rows_of(material.plan, material.findings),
        passages=passages,
        keys={key: keys[item.document.collection, item.document.id] for key, item in passages.items()},
        values={one.part.row_ids[0]: one.answer for one in material.findings if len(one.part.rows) == 1},
    )


def _problem(draft: Draft, given: Given, text: Incoming) -> str:
    """Return why a draft cannot be used: nothing is in it, or it broke off too early."""
    looked_up = {row.id for row in given.rows if row.role == "find"}
    if not any(map(str.isalnum, MARK.sub("", text.marked))):
        return text.broken or "the model wrote nothing"
    spoken_of = {claim.row for claim in draft.claims if claim.status != "unsupported" or claim.doubt}
    if text.broken and 2 * len(looked_up & (spoken_of | given.counted.keys())) < len(looked_up):
        return text.broken
    return ""
