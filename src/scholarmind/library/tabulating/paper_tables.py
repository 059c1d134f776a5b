"""The literature tables of a library as programs use them: saved, filled paper by paper, corrected by hand, and bettered by a model.

Only what was not asked yet is asked: new papers, changed ones, new columns. Each paper is stored when it is done, so that a table can be
stopped anywhere and goes on there. What a person said outweighs a model, and a model what rules found.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

from scholarmind.blocking import both
from scholarmind.calls import Budget
from scholarmind.citing.citation_styles import assign
from scholarmind.errors import QueryError, SettingsError
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.filters import parse_filter
from scholarmind.library.bibliographies import citation_keys
from scholarmind.library.filtering import Documents, check_fields, resolve
from scholarmind.library.model_work import Outlook, Worked
from scholarmind.library.tabulating.cell_answers import CellFinder
from scholarmind.library.tabulating.cell_values import check_fits, normalised, with_one_spelling
from scholarmind.library.tabulating.columns import MOST_COLUMNS, check_once, column_named, parse_columns
from scholarmind.library.tabulating.model_cells import ModelCells, UnreadPaper
from scholarmind.library_ports import Tables
from scholarmind.llm.language_models import Models
from scholarmind.model import Document
from scholarmind.tables import LiteratureTable, SavedTable, TableCell, TableColumn, TableRow
from scholarmind.text.analysis import fold
from scholarmind.text.untrusted import storable, uncontrolled

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
