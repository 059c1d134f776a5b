"""Literature tables over HTTP: saved, filled by a job, read page by page, corrected by hand, and given out as files.

A table belongs to the library, as it does on the command line. A key of some collections has those whose filter keeps to them: what it
saves is confined so.
"""

import base64
from dataclasses import asdict
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from scholarmind.filters import parse_filter, written
from scholarmind.library.tabulating.columns import parse_columns
from scholarmind.service.documents_api import JobRecord, job_record
from scholarmind.service.gate import Refused
from scholarmind.service.jobs import Job
from scholarmind.service.keys import Caller
from scholarmind.service.route_dependencies import (
    Asks,
    Cursor,
    Here,
    Ingests,
    Limit,
    Searches,
    Strict,
    Within,
    attachment,
    errors,
    page,
    place_of,
)
from scholarmind.service.state import Service
from scholarmind.tables import CellBy, CellKind, SavedTable
from scholarmind.text.analysis import fold

router = APIRouter(prefix="/api/v1", responses=errors(), tags=["tables"])
_FILE_SECONDS = 300.0
_KINDS = {
    "md": "text/markdown; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "tex": "application/x-tex",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
}
TableName = Annotated[str, Path(min_length=1, max_length=100, description="The name of a table.", examples=["survey"])]
Columns = Annotated[
    str,
    Field(
        min_length=1,
        max_length=10_000,
        description="Presets, questions, or NAME (text|list|number|year) = QUESTION, with semicolons between.",
        examples=["task; data sets; best result; layers (number) = How many layers does it have?"],
    ),
]
Sort = Annotated[
    str, Query(max_length=300, description="A column, or year, title or paper; `-COLUMN`: falling.", examples=["-year"])
]
Shown = Annotated[
    str, Query(max_length=10_000, alias="columns", description="These columns only, in this order.", examples=["task"])
]


class NewTable(Within):
    """A table to be saved and filled."""

    columns: Columns
    name: str = Field(default="", max_length=60, description="By default table-1, table-2 ...", examples=["survey"])


class MoreColumns(Strict):
    """Columns that a table gets beside those that it has."""

    columns: Columns


class CellValue(Strict):
    """What is right in a cell. An empty value takes that back; "not stated" says so."""

    collection: str = Field(min_length=1, max_length=100, examples=["default"])
    document: str = Field(min_length=1, max_length=300, examples=["bert"])
    column: str = Field(min_length=1, max_length=300, examples=["task"])
    value: str = Field(max_length=10_000, examples=["language understanding"])


class Column(BaseModel):
    """A column, and what it asks of each paper."""

    name: str
    key: str
    kind: CellKind
    questions: list[str]
    chinese: list[str]
    field: str


class TableLine(BaseModel):
    """A saved table in a line."""

    name: str
    where: str = Field(description="The filter that its papers pass.")
    columns: list[Column]


class TablePage(BaseModel):
    """Some tables, and where to go on."""

    items: list[TableLine]
    next: str | None


class SourceWords(BaseModel):
    """Words of a document: `start` and `end` count characters of its text."""

    text: str
    start: int
    end: int
    page: int | None
    section: list[str]


class CellRecord(BaseModel):
    """An answer with the words that it is from; where nothing is stated, `nearest` has what came nearest."""

    stated: bool
    value: str
    items: list[str]
    number: float | None
    unit: str
    source: SourceWords | None
    nearest: SourceWords | None
    sure: float
    by: CellBy
    version: str


class PaperRow(BaseModel):
    """A paper with its cells by the names of the columns; null is not asked yet."""

    paper: str = Field(description="How it is cited.", examples=["Devlin et al., 2019"])
    document: str
    collection: str
    title: str
    year: int | None
    cells: dict[str, CellRecord | None]


class TableRecord(TableLine):
    """A table with some of its rows."""

    papers: int
    waiting: int = Field(description="Papers that have cells which were not asked yet.")
    rows: list[PaperRow]
    next: str | None
    job: JobRecord | None = Field(description="What fills it, or filled it last.")


@router.get("/tables", response_model=TablePage)
async def tables(here: Here, caller: Searches, limit: Limit = 50, cursor: Cursor = "") -> Any:
    """List the saved tables, by name."""
    start, found = place_of(cursor), await seen_tables(here, caller)
    return page([asdict(table) for table in found[start : start + limit + 1]], limit, start)


@router.post("/tables", status_code=202, response_model=TableRecord, responses=errors(409))
async def save(here: Here, caller: Asks, asked: NewTable, response: Response) -> Any:
    """Save a table and begin to fill it; one that asks the same of the same papers is returned as it is."""
    narrowed, name = caller.within(asked.collections, asked.narrowed(caller)), fold(" ".join(asked.name.split()))
    where = written(narrowed) if narrowed else ""
    same = [table for table in await here.library.tables.saved.aio() if name and fold(table.name) == name]
    if same and (same[0].columns, same[0].where) != (parse_columns(asked.columns), where):
        raise Refused(409, f"there is a table {asked.name!r} already; choose another name")
    saved = await here.pool.call("save_table", columns=asked.columns, where=where, name=asked.name)
    await _begin(here, caller, saved["name"])
    response.headers["location"] = f"/api/v1/tables/{quote(saved['name'], safe='')}"
    return await _record(here, saved["name"])


@router.get("/tables/{table}", response_model=TableRecord)
async def table(
    here: Here,
    caller: Searches,
    table: TableName,
    limit: Limit = 100,
    cursor: Cursor = "",
    sort: Sort = "",
    shown: Shown = "",
) -> Any:
    """Read a table as far as it is filled."""
    known = await found_table(here, caller, table)
    return await _record(here, known.name, sort=sort, columns=shown, limit=limit, start=place_of(cursor))


@router.delete("/tables/{table}", status_code=204)
async def forget(here: Here, caller: Asks, table: TableName) -> None:
    """Forget a table. What was corrected by hand stays, for others that ask the same."""
    known = await found_table(here, caller, table)
    if (job := await _job_of(here, known.name)) and not job.is_over:
        await here.jobs.cancel(job.id)
    await here.pool.call("forget_table", table=known.name)


@router.post("/tables/{table}/fill", status_code=202, response_model=JobRecord)
async def fill(here: Here, caller: Asks, table: TableName) -> Any:
    """Ask what was not asked yet: new papers, changed ones, new columns."""
    known = await found_table(here, caller, table)
    return job_record(here, await _begin(here, caller, known.name))


@router.post("/tables/{table}/columns", status_code=202, response_model=TableRecord)
async def widen(here: Here, caller: Asks, table: TableName, more: MoreColumns) -> Any:
    """Give a table more columns, and begin to fill them."""
    known = await found_table(here, caller, table)
    await here.pool.call("widen_table", table=known.name, columns=more.columns)
    await _begin(here, caller, known.name, anew=True)
    return await _record(here, known.name)


@router.put("/tables/{table}/cells", response_model=PaperRow)
async def correct(here: Here, caller: Ingests, table: TableName, cell: CellValue) -> Any:
    """Correct a cell by hand. That outlives reading the paper again, and holds in every table that asks the same."""
    known = await found_table(here, caller, table)
    return await here.pool.call("correct_cell", table=known.name, **cell.model_dump())


@router.get("/tables/{table}/file", response_class=Response)
async def file(
    here: Here,
    caller: Searches,
    table: TableName,
    form: Annotated[Literal["md", "csv", "xlsx", "tex", "html", "json"], Query(alias="format")] = "csv",
    sort: Sort = "",
    shown: Shown = "",
) -> Response:
    """Get a table as a file, in which each cell says where it is from."""
    known = await found_table(here, caller, table)
    content = await here.pool.call(
        "table_file", seconds=_FILE_SECONDS, table=known.name, ending=f".{form}", sort=sort, columns=shown
    )
    return attachment(base64.b64decode(content), f"{known.name}.{form}", _KINDS[form])


# --


async def seen_tables(here: Service, caller: Caller) -> list[SavedTable]:
    """Return the tables that a caller has: of a key of some collections, those that keep to them."""
    saved = await here.library.tables.saved.aio()
    return [table for table in saved if caller.sees_all_of(parse_filter(table.where) if table.where else None)]


async def found_table(here: Service, caller: Caller, name: str) -> SavedTable:
    """Return a table that the caller has; any other is not there."""
    for table in await seen_tables(here, caller):
        if fold(table.name) == fold(name.strip()):
            return table
    raise Refused(404, f"there is no table {name!r}")


async def _begin(here: Service, caller: Caller, name: str, *, anew: bool = False) -> Job:
    """Have a table filled, unless that is being done."""
    job = None if anew else await _job_of(here, name)
    if job is not None and not job.is_over:
        return job
    return await here.research(caller, "fill", {"table": name})


async def _job_of(here: Service, name: str) -> Job | None:
    """Return the job that fills a table, or filled it last."""
    found = await here.jobs.listed(("fill",), None, 200)
    return next((job for job in found if job.task["table"] == name), None)


async def _record(
    here: Service, name: str, *, sort: str = "", columns: str = "", limit: int = 100, start: int = 0
) -> dict[str, Any]:
    record = await here.pool.call(
        "read_table", table=name, sort=sort, columns=columns, limit=limit, start=start, seconds=_FILE_SECONDS
    )
    job = await _job_of(here, name)
    return record | {
        "next": str(start + limit) if record["papers"] > start + limit else None,
        "job": job_record(here, job) if job else None,
    }
