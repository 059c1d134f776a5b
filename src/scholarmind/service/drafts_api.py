"""Drafts over HTTP: sent with their bibliographies, checked by a job, read with a remark at each sentence, given out with remarks in them.

A draft is its sender's own: nobody else has it, and it is no document of the library. It is kept until it is forgotten.
"""

import json
import shutil
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal, cast, get_args

from fastapi import APIRouter, Path, Query, UploadFile
from pydantic import BaseModel, Field
from starlette.responses import Response

from scholarmind.filters import parse_filter
from scholarmind.record import filter_record
from scholarmind.service import uploads
from scholarmind.service.gate import Refused
from scholarmind.service.jobs import Job
from scholarmind.service.keys import Caller
from scholarmind.service.route_dependencies import (
    Asks,
    Cursor,
    Here,
    Limit,
    attachment,
    check_sees,
    errors,
    page,
    place_of,
)
from scholarmind.service.state import Service

router = APIRouter(prefix="/api/v1", responses=errors(), tags=["drafts"])
DraftId = Annotated[str, Path(min_length=1, max_length=64, examples=["draft-0123456789abcdef"])]
Form = Literal["html", "md", "json", "tex", "docx", "fixed"]
_KINDS: dict[str, str] = {
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


@router.get("/drafts", response_model=DraftPage)
async def drafts(here: Here, caller: Asks, limit: Limit = 20, cursor: Cursor = "") -> Any:
    """List one's drafts, the latest first; with the scope `admin` all of the service."""
    start, owner = place_of(cursor), None if caller.may("admin") else caller.id
    found = await here.jobs.listed(("check",), owner, start + limit + 1)
    return page([_line(here, job) for job in found[start:]], limit, start)


@router.post("/drafts", status_code=202, response_model=DraftLine, responses=errors(415, 507))
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


@router.get("/drafts/{draft}", response_model=DraftRecord)
async def draft(here: Here, caller: Asks, draft: DraftId) -> Any:
    """Get a draft, with what was found when it is checked."""
    job = await _job(here, caller, draft)
    report = None
    if job.state == "done":
        text = _file(here, job, job.result["record"]).read_text(encoding="utf-8")
        report = uploads.without_places(json.loads(text), here.settings.library)
    return _line(here, job) | {"report": report}


@router.get("/drafts/{draft}/file", response_class=Response, responses=errors(409))
async def file(
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
    kind = _KINDS.get(form, "text/plain; charset=utf-8")
    shown = f"{name.stem}.{'fixed' if form == 'fixed' else 'checked'}{ending}"
    return attachment(_file(here, job, f"checked.{form}").read_bytes(), shown, kind)


@router.post("/drafts/{draft}/cancel", response_model=DraftLine)
async def cancel(here: Here, caller: Asks, draft: DraftId) -> Any:
    """Stop checking a draft."""
    await here.jobs.cancel((await _job(here, caller, draft)).id)
    return _line(here, await _job(here, caller, draft))


@router.delete("/drafts/{draft}", status_code=204, responses=errors(409))
async def forget(here: Here, caller: Asks, draft: DraftId) -> None:
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
