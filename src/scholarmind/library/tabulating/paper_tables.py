"""The literature tables of a library as programs use them: saved, filled paper by paper, corrected by hand, and bettered by a model."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from hashlib import sha256

from scholarmind.blocking import both
from scholarmind.calls import Budget
from scholarmind.citing.citation_styles import assign
from scholarmind.errors import BudgetError, ContextOverflowError, ModelError, QueryError, SettingsError
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.filters import parse_filter
from scholarmind.library.bibliographies import citation_keys
from scholarmind.library.filtering import Documents, check_fields, resolve
from scholarmind.library.model_work import ModelWork, Outlook, Worked, outlook, why
from scholarmind.library.tabulating.cell_answers import CellFinder, source_of
from scholarmind.library.tabulating.columns import (
    MOST_COLUMNS,
    amount_in,
    check_fits,
    check_once,
    column_named,
    normalised,
    parse_columns,
    with_one_spelling,
    year_in,
)
from scholarmind.library_ports import Tables
from scholarmind.llm.language_models import EstimatedCalls, Models
from scholarmind.llm.prompts import fenced, within
from scholarmind.model import Document, Evidence
from scholarmind.ranking import key_of
from scholarmind.tables import LiteratureTable, SavedTable, TableCell, TableColumn, TableRow
from scholarmind.text.analysis import fold, sentences
from scholarmind.text.untrusted import is_order, storable, uncontrolled
from scholarmind.writing.attribution import stands_in

# -- cells that a language model fills: a call for each paper, each cell proved by code

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
        # the passages that are nearest to the columns, the best of each first taken, in the order of the paper
        found = [
            (await self.finder.passages(paper.document, column.asked(paper.document.language)[0]))[:_OF_A_COLUMN]
            for column in columns
        ]
        ranked = [each[place] for place in range(_OF_A_COLUMN) for each in found if place < len(each)]
        ranked += await self.finder.opening(paper.document) if len(ranked) < _OF_A_COLUMN else ()
        chosen = list({key_of(item): item for item in ranked}.values())[:_MOST_PASSAGES]
        passages = sorted(chosen, key=lambda item: item.passage.position)
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
    # which sentence of a passage says an answer: the one that is quoted, or another one that has it; None if none
    # does
    spans = list(sentences(item.passage.text))
    quoted = " ".join(said.quote.split())
    spans.sort(
        key=lambda span: not (quoted and quoted in " ".join(item.passage.text[slice(*span)].split()))
    )  # stable: then in order
    place = next((span for span in spans if stands_in(answer, [item.passage.text[slice(*span)]])), None)
    wrong_kind = (column.kind == "number" and not amount_in(answer)) or (column.kind == "year" and not year_in(answer))
    if place is None or wrong_kind:
        return kept
    start = item.passage.start
    source = source_of(item, start + place[0], start + place[1])
    return normalised(TableCell(value=answer, source=source, sure=_SURE_OF_MODEL, by="model"), column)


# -- the tables

NOT_STATED = frozenset(("not stated", "未提及", "未说明"))
_NAME = re.compile(r"[^;；=?？/\n]{1,60}")
_NO_LIMIT = Budget()


class LibraryTables:
    """Every method can be called or, as `library.tables.fill.aio(...)`, awaited."""

    def __init__(
        self,
        documents: Documents,
        tables: Tables,
        finder: Callable[[], CellFinder],
        models: Callable[[], Models | None],
        concurrency: int = 8,
    ) -> None:
        self._documents = documents
        self._tables = tables
        self._finder = finder
        self._models = models
        self._concurrency = concurrency

    @both
    async def saved(self) -> list[SavedTable]:
        """Return the saved tables, by name."""
        return await self._tables.saved()

    @both
    async def save(self, columns: str, *, where: str = "", name: str = "") -> SavedTable:
        """Save a table; one of these columns and this filter that is there already is returned as it is, unless another name is given."""
        made = SavedTable(name=_checked_name(name), columns=parse_columns(columns), where=where)
        if where:
            await check_fields(self._documents, parse_filter(where))
        saved = await self._tables.saved()
        for table in saved:
            if (table.columns, table.where) == (made.columns, made.where) and made.name in {"", table.name}:
                return table
            if made.name and fold(table.name) == fold(made.name):
                raise QueryError(
                    f"there is a table {table.name!r} with other columns or another filter; choose another --name, add columns to it "
                    "with --add, or forget it with --remove"
                )
        if not made.name:
            taken = {table.name for table in saved}
            made = replace(made, name=next(f"table-{n}" for n in range(1, len(saved) + 2) if f"table-{n}" not in taken))
        await self._tables.save(made)
        return made

    @both
    async def find(self, name: str) -> SavedTable | None:
        """Return the table of this name, if there is one."""
        return next((table for table in await self._tables.saved() if fold(table.name) == fold(name.strip())), None)

    @both
    async def named(self, name: str) -> SavedTable:
        """Return the table of this name; there being none is an error that names those there are."""
        return await self._named(name)

    @both
    async def add_columns(self, name: str, columns: str) -> SavedTable:
        """Give a saved table more columns."""
        table = await self._named(name)
        wider = replace(table, columns=(*table.columns, *parse_columns(columns)))
        check_once(wider.columns)
        if len(wider.columns) > MOST_COLUMNS:
            raise QueryError(
                f"{len(wider.columns)} columns are too many for one table; at most {MOST_COLUMNS} make sense"
            )
        await self._tables.save(wider)
        return wider

    @both
    async def remove(self, name: str) -> bool:
        """Forget a table, and say whether there was one. What was corrected by hand stays, for other tables that ask the same."""
        if await self._tables.forget(name):  # also one that is damaged, and cannot be found
            return True
        table = await self.find.aio(name)
        return table is not None and await self._tables.forget(table.name)

    @both
    async def read(self, name: str) -> LiteratureTable:
        """Return a table as it is stored: a cell that was not asked yet is None."""
        table = await self._named(name)
        documents = await self._documents_of(table)
        contents, columns = await self._tables.contents(), table.columns
        stored = await self._tables.cells([column.key for column in columns])
        corrected = await self._tables.corrected()
        keys = await citation_keys(self._documents, documents)
        finder = self._finder()
        rows = tuple(
            TableRow(
                document=document,
                key=keys.get(_place(document), ""),
                cells=tuple(
                    _by_hand(corrected, document, column)
                    or _current(stored.get((contents.get(_place(document), ""), column.key)), finder.version_of(column))
                    for column in columns
                ),
            )
            for document in documents
        )
        return with_one_spelling(LiteratureTable(table=table, rows=rows))

    @both
    async def fill(self, name: str, *, on_event: OnEvent = ignore) -> LiteratureTable:
        """Ask what was not asked yet, paper by paper, and return the table."""
        table = await self.read.aio(name)
        waiting = [row for row in table.rows if None in row.cells]
        contents = await self._tables.contents()
        finder = self._finder()
        for done, row in enumerate(waiting, 1):
            lacking = [column for column, cell in zip(table.table.columns, row.cells, strict=True) if cell is None]
            found = await asyncio.gather(*(finder.find(row.document, column) for column in lacking))
            if content := contents.get(_place(row.document)):
                await self._tables.keep(
                    content, {column.key: cell for column, cell in zip(lacking, found, strict=True)}
                )
            on_event(Progress(stage="table", done=done, total=len(waiting), unit="papers"))
        if waiting:
            every = {column.key for each in await self._tables.saved() for column in each.columns}
            await self._tables.clear(every)
        return await self.read.aio(name)

    @both
    async def correct(self, name: str, place: str, value: str, *, collection: str = "") -> tuple[Document, TableColumn]:
        """Correct a cell, named "PAPER/COLUMN", by hand; '' takes that back, and "not stated" says so. Return what was corrected.

        Of papers of one name in several collections, `collection` says which is meant.
        """
        table = await self._named(name)
        documents = await self._documents_of(table)
        papers = [document for document in documents if not collection or document.collection == collection]
        document, column = await self._cell_at(table, papers, place)
        said = storable(uncontrolled(" ".join(value.split())))
        kept = None if not said else "" if fold(said) in NOT_STATED else said
        if kept:
            check_fits(kept, column)
        await self._tables.correct(_place(document), column.key, kept)
        return document, column

    @both
    async def outlook(self, name: str) -> Outlook:
        """Return what it would come to if a language model read the papers that it has not read yet for this table."""
        return await self._modelling().outlook(await self._work(name))

    @both
    async def ask(self, name: str, *, budget: Budget = _NO_LIMIT, on_event: OnEvent = ignore) -> Worked:
        """Have a language model read the papers, a call for each; what it says stands only as far as their words prove it."""
        return await self._modelling().run(await self._work(name), self._tables.keep, budget=budget, on_event=on_event)

    async def _work(self, name: str) -> list[UnreadPaper]:
        """Return what a model has still to read: each paper with the columns that neither it nor a person has filled."""
        table, contents = await self.read.aio(name), await self._tables.contents()
        version = await self._modelling().version()
        work: list[UnreadPaper] = []
        for row in table.rows:
            lacking = {
                column: cell
                for column, cell in zip(table.table.columns, row.cells, strict=True)
                if not column.field and (cell is None or (cell.by != "hand" and not cell.version.endswith(version)))
            }
            if lacking and (content := contents.get(_place(row.document))):
                work.append(UnreadPaper(document=row.document, content=content, columns=lacking))
        return work

    def _modelling(self) -> ModelCells:
        models = self._models()
        if models is None:
            raise SettingsError("no language model is set; give one, such as ollama/qwen3 or openai/gpt-5-mini")
        return ModelCells(finder=self._finder(), models=models, concurrency=self._concurrency)

    async def _documents_of(self, table: SavedTable) -> list[Document]:
        return await self._documents.documents(parse_filter(table.where) if table.where else None)

    async def _named(self, name: str) -> SavedTable:
        if (table := await self.find.aio(name)) is not None:
            return table
        names = [each.name for each in await self._tables.saved()]
        near = get_close_matches(name, names, 1, 0.5)
        told = (
            f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}" if names else "none is saved yet"
        )
        raise QueryError(f"there is no table {name!r}; {told}")

    async def _cell_at(
        self, table: SavedTable, documents: Sequence[Document], place: str
    ) -> tuple[Document, TableColumn]:
        """Return the paper and the column of "PAPER/COLUMN"; either may have slashes of its own."""
        pieces = place.split("/")
        if len(pieces) < 2:
            raise QueryError(f"{place!r} names no cell; write PAPER/COLUMN, such as 'bert/limitation'")
        refused: QueryError | None = None
        for cut in range(len(pieces) - 1, 0, -1):
            try:
                column = column_named(table.columns, "/".join(pieces[cut:]))
            except QueryError as error:
                refused = refused or error
                continue
            return await self._paper(documents, "/".join(pieces[:cut]).strip()), column
        raise refused or QueryError(f"{place!r} names no column of the table")

    async def _paper(self, documents: Sequence[Document], named: str) -> Document:
        """Return the paper that is meant: by its citation in the table, or as every other command takes it."""
        keys = assign(documents)
        cited = [each for each in documents if fold(keys[_place(each)]) == fold(named.strip("[]"))]
        if len(cited) == 1:
            return cited[0]
        refused: QueryError | None = None
        for collection in dict.fromkeys(document.collection for document in documents):
            try:
                id = await resolve(self._documents, named, collection)
            except QueryError as error:
                refused = refused or error
                continue
            for document in documents:
                if _place(document) == (collection, id):
                    return document
            refused = refused or QueryError(f"the document {id!r} does not pass the filter of the table")
        raise refused or QueryError("the table has no papers; its filter lets none pass, or the library is empty")


def _checked_name(name: str) -> str:
    name = " ".join(name.split())
    if name and not _NAME.fullmatch(name):
        raise QueryError(f"{name!r} cannot be the name of a table; take up to 60 characters without ; = ? and /")
    return name


def _place(document: Document) -> tuple[str, str]:
    return document.collection, document.id


def _by_hand(
    corrected: Mapping[tuple[str, str, str], str], document: Document, column: TableColumn
) -> TableCell | None:
    value = corrected.get((*_place(document), column.key))
    if value is None:
        return None
    return normalised(TableCell(value=value, sure=1.0, by="hand"), column)


def _current(cell: TableCell | None, version: str) -> TableCell | None:
    """Return a cell unless it was found in another way than it would be now; what a model said stays."""
    return cell if cell and (cell.by == "model" or cell.version.partition(" + ")[0] == version) else None
