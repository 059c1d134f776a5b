"""Research over HTTP, which jobs carry out: literature tables, drafts that are checked, and watched questions.

Tables and watched questions belong to the library, as they do on the command line. A key of some collections has those whose filter keeps
to them: what it saves is confined so. A draft is its sender's own: nobody else has it, and it is no document of the library. It is kept
until it is forgotten.
"""

import base64
import json
import shutil
import uuid
from dataclasses import asdict
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal, cast, get_args
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, UploadFile
from pydantic import BaseModel, Field
from starlette.responses import Response

from scholarmind.filters import Filter, parse_filter, written
from scholarmind.library.tabulating.columns import parse_columns
from scholarmind.record import filter_of, filter_record
from scholarmind.remarks import WatchedQuestion
from scholarmind.running import settings_of
from scholarmind.service import uploads
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
    check_sees,
    described_files,
    errors,
    page,
    place_of,
)
from scholarmind.service.state import Service
from scholarmind.tables import CellBy, CellKind, SavedTable
from scholarmind.text.analysis import fold
from scholarmind.text.untrusted import storable
from scholarmind.watching import NewsForm, news_file, watched_record

table_routes = APIRouter(prefix="/api/v1", responses=errors(), tags=["tables"])
_FILE_SECONDS = 300.0
_TABLE_KINDS = {
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


@table_routes.get("/tables", response_model=TablePage)
async def tables(here: Here, caller: Searches, limit: Limit = 50, cursor: Cursor = "") -> Any:
    """List the saved tables, by name."""
    start, found = place_of(cursor), await seen_tables(here, caller)
    return page([asdict(table) for table in found[start : start + limit + 1]], limit, start)


@table_routes.post("/tables", status_code=202, response_model=TableRecord, responses=errors(409))
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


@table_routes.get("/tables/{table}", response_model=TableRecord)
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


@table_routes.delete("/tables/{table}", status_code=204)
async def forget(here: Here, caller: Asks, table: TableName) -> None:
    """Forget a table. What was corrected by hand stays, for others that ask the same."""
    known = await found_table(here, caller, table)
    if (job := await _job_of(here, known.name)) and not job.is_over:
        await here.jobs.cancel(job.id)
    await here.pool.call("forget_table", table=known.name)


@table_routes.post("/tables/{table}/fill", status_code=202, response_model=JobRecord)
async def fill(here: Here, caller: Asks, table: TableName) -> Any:
    """Ask what was not asked yet: new papers, changed ones, new columns."""
    known = await found_table(here, caller, table)
    return job_record(here, await _begin(here, caller, known.name))


@table_routes.post("/tables/{table}/columns", status_code=202, response_model=TableRecord)
async def widen(here: Here, caller: Asks, table: TableName, more: MoreColumns) -> Any:
    """Give a table more columns, and begin to fill them."""
    known = await found_table(here, caller, table)
    await here.pool.call("widen_table", table=known.name, columns=more.columns)
    await _begin(here, caller, known.name, anew=True)
    return await _record(here, known.name)


@table_routes.put("/tables/{table}/cells", response_model=PaperRow)
async def correct(here: Here, caller: Ingests, table: TableName, cell: CellValue) -> Any:
    """Correct a cell by hand. That outlives reading the paper again, and holds in every table that asks the same."""
    known = await found_table(here, caller, table)
    return await here.pool.call("correct_cell", table=known.name, **cell.model_dump())


@table_routes.get("/tables/{table}/file", response_class=Response)
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
    return attachment(base64.b64decode(content), f"{known.name}.{form}", _TABLE_KINDS[form])


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


# -- drafts: sent with their bibliographies, checked by a job, read with a remark at each sentence, given out with remarks in them

draft_routes = APIRouter(prefix="/api/v1", responses=errors(), tags=["drafts"])
DraftId = Annotated[str, Path(min_length=1, max_length=64, examples=["draft-0123456789abcdef"])]
Form = Literal["html", "md", "json", "tex", "docx", "fixed"]
_DRAFT_KINDS: dict[str, str] = {
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
    "tex": "application/x-tex",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


class DraftLine(BaseModel):
    """A draft that was sent, and how far it is."""

    id: str
    name: str = Field(description="Of its file.", examples=["paper.tex"])
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    created: float
    finished: float | None
    progress: dict[str, Any] = Field(examples=[{"stage": "check", "done": 12, "total": 80}])
    error: str
    claims: int | None
    flagged: int | None = Field(description="Sentences that somebody has to look at.")
    forms: list[Form] = Field(
        description="The files that there are of it; `fixed` is the draft with its keys put right."
    )


class DraftPage(BaseModel):
    """Some drafts, the latest first, and where to go on."""

    items: list[DraftLine]
    next: str | None


class DraftRecord(DraftLine):
    """A draft with its text and a remark on each of its sentences, when it is checked."""

    report: dict[str, Any] | None = Field(
        description="`paragraphs` of the draft, and `claims`: each with its place, verdict and what its sources say."
    )


@draft_routes.get("/drafts", response_model=DraftPage)
async def drafts(here: Here, caller: Asks, limit: Limit = 20, cursor: Cursor = "") -> Any:
    """List one's drafts, the latest first; with the scope `admin` all of the service."""
    start, owner = place_of(cursor), None if caller.may("admin") else caller.id
    found = await here.jobs.listed(("check",), owner, start + limit + 1)
    return page([_line(here, job) for job in found[start:]], limit, start)


@draft_routes.post("/drafts", status_code=202, response_model=DraftLine, responses=errors(415, 507))
async def check(
    here: Here,
    caller: Asks,
    files: list[UploadFile],
    response: Response,
    collections: Annotated[list[str] | None, Query(description="Only against documents of these collections.")] = None,
    filter: Annotated[str, Query(max_length=10_000, description="Only against documents that pass.")] = "",
) -> Any:
    """Send a draft, with its bibliographies, and have every sentence held against what it cites."""
    for name in collections or ():
        check_sees(caller, name)
    within = caller.within(collections or (), parse_filter(filter) if filter.strip() else None)
    id = uploads.new_draft()
    draft, lists = await uploads.keep_draft(here.settings.library, id, files)
    folder = uploads.draft_folder(here.settings.library, id)
    task = {"folder": str(folder), "draft": draft, "bibliographies": lists, "within": filter_record(within)}
    try:
        job = await here.research(caller, "check", task, id=id)
    except Refused:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    response.headers["location"] = f"/api/v1/drafts/{job.id}"
    return _line(here, job)


@draft_routes.get("/drafts/{draft}", response_model=DraftRecord)
async def draft(here: Here, caller: Asks, draft: DraftId) -> Any:
    """Get a draft, with what was found when it is checked."""
    job = await _job(here, caller, draft)
    report = None
    if job.state == "done":
        text = _file(here, job, job.result["record"]).read_text(encoding="utf-8")
        report = uploads.without_places(json.loads(text), here.settings.library)
    return _line(here, job) | {"report": report}


@draft_routes.get("/drafts/{draft}/file", response_class=Response, responses=errors(409))
async def draft_file(
    here: Here, caller: Asks, draft: DraftId, form: Annotated[Form, Query(alias="format")] = "html"
) -> Response:
    """Get what was found as a file: a page, a table, a record, a copy of the draft with remarks, or with its keys put right."""
    job = await _job(here, caller, draft)
    forms = cast("dict[str, Any]", job.result or {}).get("forms", ())
    if form not in forms:
        told = f"this draft has {', '.join(forms)}" if forms else f"the draft is {job.state}"
        raise Refused(409, f"there is no {form!r} of it; {told}")
    name = FilePath(str(job.task["draft"]))
    ending = name.suffix if form == "fixed" else f".{form}"
    kind = _DRAFT_KINDS.get(form, "text/plain; charset=utf-8")
    shown = f"{name.stem}.{'fixed' if form == 'fixed' else 'checked'}{ending}"
    return attachment(_file(here, job, f"checked.{form}").read_bytes(), shown, kind)


@draft_routes.post("/drafts/{draft}/cancel", response_model=DraftLine)
async def cancel(here: Here, caller: Asks, draft: DraftId) -> Any:
    """Stop checking a draft."""
    await here.jobs.cancel((await _job(here, caller, draft)).id)
    return _line(here, await _job(here, caller, draft))


@draft_routes.delete("/drafts/{draft}", status_code=204, responses=errors(409))
async def forget_draft(here: Here, caller: Asks, draft: DraftId) -> None:
    """Forget a draft: its file, and what was found in it."""
    job = await _job(here, caller, draft)
    if not await here.jobs.forget(job.id):
        raise Refused(409, "the draft is being checked; cancel that first")
    shutil.rmtree(uploads.draft_folder(here.settings.library, job.id), ignore_errors=True)


# --


async def _job(here: Service, caller: Caller, id: str) -> Job:
    job = await here.jobs.find(id)
    if job is None or job.kind != "check" or (job.owner != caller.id and not caller.may("admin")):
        raise Refused(404, f"there is no draft {id[:100]!r}")
    return job


def _file(here: Service, job: Job, name: str) -> FilePath:
    path = uploads.draft_folder(here.settings.library, job.id) / name
    if not path.is_file():
        raise Refused(404, "the files of this draft are not kept here any more; send it again")
    return path


def _line(here: Service, job: Job) -> dict[str, Any]:
    found = cast("dict[str, Any]", job.result or {})
    return {
        "id": job.id,
        "name": job.task["draft"],
        "state": job.state,
        "created": job.created,
        "finished": job.finished,
        "progress": job.progress,
        "error": uploads.without_places(job.error, here.settings.library),
        "claims": found.get("claims"),
        "flagged": found.get("flagged"),
        "forms": [form for form in get_args(Form) if form in found.get("forms", ())],
    }


# -- watched questions: asked again when documents came, and the news on them, as data, text, a feed or a mail

watched_routes = APIRouter(prefix="/api/v1", responses=errors(), tags=["watched questions"])
_ANSWER_SECONDS = 300.0
_NEWS_KINDS: dict[NewsForm, str] = {
    "json": "application/json",
    "text": "text/plain; charset=utf-8",
    "atom": "application/atom+xml",
    "mail": "message/rfc822",
}
WatchedId = Annotated[
    str, Path(min_length=1, max_length=100, examples=["gpt3"], description="The id of a watched question, or its name.")
]


class NewWatched(Within):
    """A question to be watched, or that of a run. It is asked without a language model, which nobody would see the cost of."""

    question: str = Field(default="", max_length=100_000, examples=["How many parameters does GPT-3 have?"])
    run: str = Field(default="", max_length=64, description="Watch what was asked in this run, of the same documents.")
    name: str = Field(default="", max_length=60, description="By default its first words.", examples=["gpt3"])


class WatchedPart(BaseModel):
    """A part of a watched question, and how it stands."""

    text: str
    status: str


class WatchedLine(BaseModel):
    """A watched question, and how its latest answer stands."""

    name: str
    id: str
    question: str
    settings: dict[str, Any]
    within: dict[str, Any] | None
    added: str
    asked: str
    verdict: str
    run: str
    parts: list[WatchedPart]
    waits: bool = Field(description="Whether documents came that its answer does not know yet.")


class WatchedPage(BaseModel):
    """Some watched questions, the oldest first, and where to go on."""

    items: list[WatchedLine]
    next: str | None


class WatchedRecord(WatchedLine):
    """A watched question with its latest answer and all remarks on it, the latest first."""

    answer: str
    remarks: list[dict[str, Any]]


@watched_routes.get("/watched", response_model=WatchedPage)
async def watched(here: Here, caller: Asks, limit: Limit = 50, cursor: Cursor = "") -> Any:
    """List the questions that are watched."""
    start, found = place_of(cursor), await _seen(here, caller)
    waiting = {one.id for one in await here.library.watched.waiting.aio()}
    told = [watched_record(one) | {"waits": one.id in waiting} for one in found[start : start + limit + 1]]
    return page(told, limit, start)


@watched_routes.post(
    "/watched", status_code=201, response_model=WatchedRecord, responses={200: {"model": WatchedRecord}, **errors(409)}
)
async def watch(here: Here, caller: Asks, asked: NewWatched, response: Response) -> Any:
    """Answer a question, and watch it from now on: it is asked again whenever documents were added. The same is watched once."""
    question, within = asked.question.strip(), caller.within(asked.collections, asked.narrowed(caller))
    if bool(question) == bool(asked.run):
        raise Refused(422, "give a question, or the run of one")
    if asked.run:
        question, within = await _of_run(here, caller, asked.run)
    name = storable(" ".join(asked.name.split()))
    if name and any(one.name == name for one in await here.library.watched.all.aio()):
        raise Refused(409, f"a question {name!r} is watched already; choose another name")
    told, record = storable(" ".join(question.split())), filter_record(within)
    same = [one for one in await _seen(here, caller) if one.question == told and one.within == record and not name]
    if same:
        response.status_code, id, kept = 200, same[0].id, same[0].name
    else:
        made = await here.pool.call(
            "watch_question", seconds=_ANSWER_SECONDS, question=question, name=name, within=record
        )
        id, kept = made["id"], made["name"]
    response.headers["location"] = f"/api/v1/watched/{id}"
    return (await here.pool.call("watched_question", name=kept)) | {"waits": False}


@watched_routes.get("/watched/{watched}", response_model=WatchedRecord)
async def one_watched(here: Here, caller: Asks, watched: WatchedId) -> Any:
    """Get a watched question, with its latest answer and what was remarked on it."""
    known = await _found(here, caller, watched)
    waits = any(one.id == known.id for one in await here.library.watched.waiting.aio())
    return (await here.pool.call("watched_question", name=known.name)) | {"waits": waits}


@watched_routes.delete("/watched/{watched}", status_code=204)
async def unwatch(here: Here, caller: Asks, watched: WatchedId) -> None:
    """Watch a question no longer, and forget what was remarked on it."""
    await here.pool.call("unwatch_question", name=(await _found(here, caller, watched)).name)


@watched_routes.post("/watched/{watched}/renew", status_code=202, response_model=JobRecord)
async def renew(here: Here, caller: Asks, watched: WatchedId) -> Any:
    """Ask a watched question again now. The job says how many remarks that brought."""
    known = await _found(here, caller, watched)
    return job_record(here, await here.research(caller, "renew", {"name": known.name}))


@watched_routes.get("/news", response_class=Response, responses=described_files(_NEWS_KINDS.values()))
async def news(
    here: Here,
    caller: Asks,
    watched: Annotated[str, Query(max_length=100, description="Only on this question.")] = "",
    since: Annotated[float, Query(ge=0, description="Only from this moment on, in seconds since 1970.")] = 0.0,
    limit: Limit = 100,
    form: Annotated[NewsForm, Query(alias="format")] = "json",
) -> Response:
    """Tell what changed in the answers to watched questions, the latest first; as data, text, an Atom feed or a mail."""
    chosen = [await _found(here, caller, watched)] if watched else await _seen(here, caller)
    each = [await here.library.watched.news.aio(one.name, since=since, limit=limit) for one in chosen]
    remarks = sorted((remark for some in each for remark in some), key=lambda remark: -remark.at)[:limit]
    feed = await here.library.watched.feed.aio(chosen[0].name if watched else "")
    if not watched and caller.collections is not None:
        feed = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{feed} {caller.id}"))  # it holds other news than that of all
    updated = max((one.added for one in chosen), default=0.0)
    content = news_file(remarks, form, feed=feed, updated=updated, question=chosen[0].question if watched else "")
    ending = {"json": "json", "text": "txt", "atom": "atom", "mail": "eml"}[form]
    headers = {"content-disposition": f"inline; filename*=utf-8''news.{ending}"}  # readers of feeds take it as it is
    return Response(content, media_type=_NEWS_KINDS[form], headers=headers)


# --


def _within(watched: WatchedQuestion) -> Filter | None:
    return filter_of(watched.within) if watched.within else None


async def _seen(here: Service, caller: Caller) -> list[WatchedQuestion]:
    return [one for one in await here.library.watched.all.aio() if caller.sees_all_of(_within(one))]


async def _found(here: Service, caller: Caller, named: str) -> WatchedQuestion:
    """Return a watched question that the caller has; any other is not there."""
    seen = await _seen(here, caller)
    for one in (*(each for each in seen if each.id == named), *(each for each in seen if each.name == named)):
        return one
    raise Refused(404, f"no question {named!r} is watched")


async def _of_run(here: Service, caller: Caller, run: str) -> tuple[str, Filter | None]:
    """Return what was asked in a run, and of which documents."""
    _, known = await here.run(caller, run)
    if known is None or not known.answer:
        raise Refused(409, "this run has no answer")
    kept = settings_of(known).get("within")
    within = filter_of(kept) if kept else None
    if not caller.sees_all_of(within):
        raise Refused(404, f"there is no run {run[:100]!r}")
    return known.question, within
