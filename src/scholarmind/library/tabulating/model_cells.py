"""Have a language model fill the rows of a table: a call for each paper, and each cell proved by code before it is kept.

A model's cell stands where the sentence that it quotes is in the passage that it names and holds the answer; else the cell that rules
found stays. What a model does not find takes away only what rules were not quite sure of.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from scholarmind.calls import Budget
from scholarmind.errors import BudgetError, ContextOverflowError, ModelError
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.library.model_work import ModelWork, Outlook, Worked, outlook, why
from scholarmind.library.tabulating.cell_answers import CellFinder, source_of
from scholarmind.library.tabulating.cell_values import amount_in, normalised, year_in
from scholarmind.llm.language_models import EstimatedCalls, Models
from scholarmind.llm.prompts import fenced, within
from scholarmind.model import Document, Evidence
from scholarmind.ranking import key_of
from scholarmind.tables import TableCell, TableColumn
from scholarmind.text.analysis import sentences
from scholarmind.text.untrusted import is_order
from scholarmind.writing.attribution import stands_in

_PURPOSE = "cells"
_OF_A_COLUMN = 3  # passages that are shown for each column
_MOST_PASSAGES = 16
_LONGEST = 2_000  # characters of a passage
_PASSAGE_TOKENS, _PROMPT_TOKENS = 260, 500
_CELL_TOKENS, _LEAST_TOKENS = 120, 300  # of a reply
_LONGEST_VALUE = 200
_SURE = 0.9  # of a cell by rules that a model does not find, and that stays all the same
_SURE_OF_MODEL = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSaid:
    """One cell as a model says it; nothing of it is believed before it is checked."""

    column: str
    answer: str = ""
    passage: str = ""
    quote: str = ""
    not_stated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CellsReply:
    """What a model is asked for."""

    cells: tuple[CellSaid, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadPaper:
    """A paper that a model has still to read, and the cells that rules found for these columns."""

    document: Document
    content: str
    columns: Mapping[TableColumn, TableCell | None]


Keep = Callable[[str, Mapping[str, TableCell]], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCells:
    """Fills rows with a model."""

    finder: CellFinder
    models: Models
    concurrency: int = 8

    async def version(self) -> str:
        """Return what cells are filled with: this model with these prompts."""
        await self.models.named()
        versions = self.models.prompts.versions()
        prompts = sha256("".join(versions[f"{_PURPOSE}.{code}.md"] for code in ("en", "zh")).encode())
        return f"{self.models.names.get('extraction', '')} {prompts.hexdigest()[:12]}"

    async def outlook(self, work: Sequence[UnreadPaper]) -> Outlook:
        """Return what reading these papers would come to."""
        columns = max((len(each.columns) for each in work), default=0)
        shown = min(_MOST_PASSAGES, _OF_A_COLUMN * columns) * _PASSAGE_TOKENS
        reply = _LEAST_TOKENS + _CELL_TOKENS * columns
        calls = EstimatedCalls(prompt="cells", calls=len(work), told=shown + _PROMPT_TOKENS, reply=reply)
        return outlook(len(work), [calls], self.models, self.concurrency)

    async def run(
        self, work: Sequence[UnreadPaper], keep: Keep, *, budget: Budget, on_event: OnEvent = ignore
    ) -> Worked:
        """Read these papers until all are read or a limit is reached; each is kept when it is read."""
        asking = ModelWork(self.models, budget=budget, concurrency=self.concurrency, on_event=on_event)
        version = await self.version()
        done = failed = 0

        async def fill(paper: UnreadPaper) -> None:
            nonlocal done, failed
            try:
                cells = await self._read(paper, list(paper.columns), asking)
            except BudgetError:
                return
            except ModelError as error:
                failed += 1
                asking.notes.append(
                    f"{paper.document.id}: the model could not fill its row, what rules found stays: {why(error)}"
                )
            else:
                done += 1
                told = {
                    column.key: replace(cell, version=f"{self.finder.version_of(column)} + {version}")
                    for column, cell in cells.items()
                }
                await keep(paper.content, told)
            on_event(Progress(stage="cells", done=done + failed, total=len(work), unit="papers"))

        await asking.each(work, fill)
        return asking.worked(done=done, kept=failed, left=len(work) - done - failed)

    async def _read(
        self, paper: UnreadPaper, columns: Sequence[TableColumn], asking: ModelWork
    ) -> dict[TableColumn, TableCell]:
        """Return the cells of these columns; those that are too much for one call in two halves."""
        language = paper.document.language
        passages = await self._shown(paper.document, columns)
        if not passages:  # a work that only a bibliography tells of
            return {column: paper.columns[column] or TableCell() for column in columns}
        shown = fenced(passages, asking.assistant.marker, longest=_LONGEST)
        asked = {f"C{place}": column for place, column in enumerate(columns, 1)}
        lines = "\n".join(
            f"{key} ({column.kind}) {column.name}: {column.asked(language)[0]}" for key, column in asked.items()
        )
        request = asking.assistant.request(
            ("cells", language),
            purpose=_PURPOSE,
            max_tokens=_LEAST_TOKENS + _CELL_TOKENS * len(columns),
            shape=CellsReply,
            values={"passages": shown.text, "columns": within(lines, asking.assistant.marker, "columns")},
        )
        try:
            reply: CellsReply = (await asking.reply(request)).value
        except ContextOverflowError:
            if len(columns) == 1:
                raise
            half = len(columns) // 2
            return {
                **await self._read(paper, columns[:half], asking),
                **await self._read(paper, columns[half:], asking),
            }
        said = {each.column.strip(" []"): each for each in reply.cells}
        return {
            column: _checked(said.get(key), column, shown.passages, paper.columns[column])
            for key, column in asked.items()
        }

    async def _shown(self, document: Document, columns: Sequence[TableColumn]) -> list[Evidence]:
        """Return the passages that are nearest to the columns, the best of each first taken, in the order of the paper."""
        found = [
            (await self.finder.passages(document, column.asked(document.language)[0]))[:_OF_A_COLUMN]
            for column in columns
        ]
        ranked = [each[place] for place in range(_OF_A_COLUMN) for each in found if place < len(each)]
        ranked += await self.finder.opening(document) if len(ranked) < _OF_A_COLUMN else ()
        chosen = list({key_of(item): item for item in ranked}.values())[:_MOST_PASSAGES]
        return sorted(chosen, key=lambda item: item.passage.position)


def _checked(
    said: CellSaid | None, column: TableColumn, passages: Mapping[str, Evidence], before: TableCell | None
) -> TableCell:
    """Return the cell that a model's words prove, or what there was before."""
    kept = before or TableCell()
    if said is None:
        return kept
    answer = " ".join(said.answer.split())
    if said.not_stated or not answer:
        if kept.value and kept.sure < _SURE:
            return replace(kept, value="", items=(), number=None, unit="", nearest=kept.source, source=None, by="model")
        return kept
    item = passages.get(said.passage.strip(" []"))
    if item is None or len(answer) > _LONGEST_VALUE or is_order(answer):
        return kept
    place = _place_of(answer, said.quote, item.passage.text)
    wrong_kind = (column.kind == "number" and not amount_in(answer)) or (column.kind == "year" and not year_in(answer))
    if place is None or wrong_kind:
        return kept
    start = item.passage.start
    source = source_of(item, start + place[0], start + place[1])
    return normalised(TableCell(value=answer, source=source, sure=_SURE_OF_MODEL, by="model"), column)


def _place_of(answer: str, quote: str, text: str) -> tuple[int, int] | None:
    """Return which sentence of a passage says an answer: the one that is quoted, or another one that has it; None if none does."""
    spans = list(sentences(text))
    quoted = " ".join(quote.split())
    spans.sort(
        key=lambda span: not (quoted and quoted in " ".join(text[slice(*span)].split()))
    )  # stable: then in order
    return next((span for span in spans if stands_in(answer, [text[slice(*span)]])), None)
