"""Questions over HTTP: searches, plans, runs, what comes of their answers, and sessions of the page."""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response, StreamingResponse

from scholarmind.calls import Effort
from scholarmind.citing.citation_styles import Style
from scholarmind.errors import PlanError
from scholarmind.model import Mode
from scholarmind.plan import Plan
from scholarmind.ports import Run
from scholarmind.record import filter_of, filter_record, plan_of, plan_record
from scholarmind.running import settings_of
from scholarmind.service.documents_api import Once
from scholarmind.service.gate import COOKIE, Refused
from scholarmind.service.jobs import RUNS, Job
from scholarmind.service.keys import LOCAL, Caller
from scholarmind.service.route_dependencies import (
    Anybody,
    Asks,
    Here,
    Limit,
    RunId,
    Searches,
    Strict,
    Within,
    attachment,
    described_files,
    errors,
)
from scholarmind.service.run_events import StoredEvent
from scholarmind.service.state import Service
from scholarmind.steps.execute import Steer
from scholarmind.steps.journal import decode
from scholarmind.steps.options import Language
from scholarmind.strategies import strategy_names

router = APIRouter(prefix="/api/v1", responses=errors(), tags=["questions"])
_STILL_HERE = ": still here\n\n"
_STILL_SECONDS = 15.0
_SESSION_SECONDS = 12 * 3600
Question = Annotated[
    str, Field(min_length=1, max_length=100_000, examples=["Who proposed BERT, and what score does it get on GLUE?"])
]

if TYPE_CHECKING:
    Strategy = str
else:
    Strategy = Literal[strategy_names()]  # the description of the service lists them


class Searched(Within):
    """A search for passages."""

    question: Question
    limit: int = Field(default=10, ge=1, le=100)
    mode: Mode = "hybrid"
    per_document: int | None = Field(default=None, ge=1, le=100)


class FoundPassage(BaseModel):
    """A passage that was found."""

    document: str
    collection: str
    title: str
    section: list[str]
    page: int | None
    position: int
    start: int
    end: int
    score: float
    text: str
    kind: str
    found_by: list[str]


class FoundPassages(BaseModel):
    """Passages, the best first."""

    passages: list[FoundPassage]
    notices: list[str]


class PlanRequest(Within):
    """A question to be taken apart."""

    question: Question
    strategy: Strategy | None = None
    effort: Effort | None = None
    language: Language | None = Field(
        default=None, description="What a language model writes in; without one, sentences are quoted as they stand."
    )


class NewRun(PlanRequest):
    """A question to be answered."""

    conversation: str = Field(
        default="",
        max_length=200,
        description="In one conversation a follow-up is understood from what was asked before.",
    )
    propose: bool = Field(default=False, description="Only plan, and wait until somebody approves of the plan.")
    plan: dict[str, Any] | None = Field(
        default=None, description="A plan to carry out, as `plan` gives it, changed or not."
    )


class Approval(Strict):
    """A plan that is to be carried out: the one that waits, or another one in its place."""

    plan: dict[str, Any] | None = None


class RatingOf(Strict):
    """What somebody thinks of an answer, or of one part of it (0: of the whole)."""

    good: bool
    part: int = Field(default=0, ge=0, le=1000)
    note: str = Field(default="", max_length=5000)


class Since(BaseModel):
    """What changed in the library since a run was begun: documents that came or were read anew, and how many went."""

    documents: list[dict[str, str]] = Field(
        examples=[[{"collection": "default", "document": "bert-1", "title": "BERT"}]]
    )
    removed: int


class RunRecord(BaseModel):
    """A question that was asked, how far it is, and its answer when it is done."""

    id: str
    question: str
    state: Literal["waiting", "running", "awaiting_plan", "done", "failed", "cancelled", "interrupted"]
    created: float
    finished: float | None
    attempts: int = Field(
        description="How often it was begun; more than once where a worker process ended in the middle."
    )
    error: str
    plan: dict[str, Any] | None
    answer: dict[str, Any] | None
    conversation: str
    changes: dict[str, Any] | None = None


class RunLine(BaseModel):
    """A run in a line."""

    id: str
    question: str
    state: str
    created: float
    finished: float | None
    conversation: str


class RunPage(BaseModel):
    """Some runs, the latest first, and where to go on."""

    items: list[RunLine]
    next: str | None


@router.post("/search", response_model=FoundPassages)
async def search(here: Here, caller: Searches, asked: Searched) -> Any:
    """Find passages, by words and by meaning."""
    within = caller.within(asked.collections, asked.narrowed(caller))
    return await here.pool.call(
        "search",
        question=asked.question,
        k=asked.limit,
        mode=asked.mode,
        per_document=asked.per_document,
        within=filter_record(within),
    )


@router.post("/plan", responses=errors(502))
async def plan(here: Here, caller: Asks, asked: PlanRequest) -> dict[str, Any]:
    """Tell how a question would be taken apart."""
    return await here.pool.call(
        "plan",
        question=asked.question,
        strategy=asked.strategy or "",
        effort=asked.effort or "",
        language=asked.language or "",
        within=filter_record(caller.within(asked.collections, asked.narrowed(caller))),
    )


@router.post("/runs", status_code=202, response_model=RunRecord)
async def ask(here: Here, caller: Asks, asked: NewRun, response: Response, request: Request, once: Once = "") -> Any:
    """Ask a question. The reply comes at once; follow its events, or get the run again."""
    if asked.plan is not None:
        plan_of(asked.plan)  # what cannot be meant is an error now
    task = {
        "question": asked.question,
        "strategy": asked.strategy or "",
        "effort": asked.effort or "",
        "language": asked.language or "",
        "conversation": asked.conversation,
        "plan": asked.plan,
        "collections": asked.collections,
        "filter": asked.narrowed(caller),
    }
    job = await here.ask(caller, task, kind="propose" if asked.propose else "ask", once=once)
    request.state.run = job.id
    response.headers["location"] = f"/api/v1/runs/{job.id}"
    return _record(job, await here.library.runs.find(job.id))


@router.get("/runs", response_model=RunPage)
async def runs(here: Here, caller: Asks, limit: Limit = 20, cursor: Annotated[str, Query(max_length=100)] = "") -> Any:
    """List runs, the latest first: one's own, with the scope `admin` all of the service."""
    owner = None if caller.may("admin") else caller.id
    found = await here.jobs.listed(RUNS, owner, limit + 1, _before(cursor))
    lines = [
        {
            "id": job.id,
            "question": job.task.get("question", ""),
            "state": job.state,
            "created": job.created,
            "finished": job.finished,
            "conversation": _conversation(job),
        }
        for job in found[:limit]
    ]
    last = found[limit - 1] if len(found) > limit else None
    return {"items": lines, "next": f"{last.created!r}:{last.id}" if last else None}


@router.get("/runs/{run}", response_model=RunRecord)
async def run(here: Here, caller: Asks, run: RunId) -> Any:
    """Get a run, with its answer when it is done."""
    return _record(*await here.run(caller, run))


@router.get(
    "/runs/{run}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def events(
    here: Here,
    caller: Asks,
    run: RunId,
    last: Annotated[str, Header(alias="Last-Event-ID", max_length=20)] = "",
    after: Annotated[int, Query(ge=0)] = 0,
) -> StreamingResponse:
    """Follow a run: all events after `Last-Event-ID`, then those to come, as server-sent events. The last one is `end`.

    Whoever stops listening stops nothing; that is what `cancel` is for.
    """
    await here.run(caller, run)
    first = int(last) if last.isascii() and last.isdecimal() else after
    return StreamingResponse(
        _told(here, run, first), media_type="text/event-stream", headers={"x-accel-buffering": "no"}
    )


@router.post("/runs/{run}/cancel", response_model=RunRecord)
async def cancel(here: Here, caller: Asks, run: RunId) -> Any:
    """Stop a run. What it found stays with it; `resume` goes on from there."""
    await here.run(caller, run)
    await here.jobs.cancel(run)
    here.pool.wake()
    return _record(*await here.run(caller, run))


@router.post("/runs/{run}/parts/{part}/{what}", status_code=204, responses=errors(409))
async def steer(here: Here, caller: Asks, run: RunId, part: Annotated[int, Path(ge=1, le=1000)], what: Steer) -> None:
    """Stop one part of a run that is going on, or ask it again: at once, or if it is done, wider, before the answer is written."""
    job, _ = await here.run(caller, run)
    if job is None or job.state != "running":
        raise Refused(409, f"the run is {job.state if job else 'over'}; only of one that runs can parts be stopped")
    try:
        taken = await here.pool.call_each("steer", run=run, part=part, what=what)
    except PlanError as error:
        raise Refused(409, str(error)) from None
    if not any(taken):
        raise Refused(409, "nothing of this run is being researched at this moment")


@router.get("/runs/{run}/since", response_model=Since)
async def since(here: Here, caller: Asks, run: RunId) -> Any:
    """Tell which documents came since a run was begun, of those that it looked in: `again` tells what they change."""
    job, known = await here.run(caller, run)
    if known is None or not known.library.isdecimal():
        return {"documents": [], "removed": 0}
    within = settings_of(known).get("within") or (job.task.get("within") if job else None)
    if within is None and caller.collections is not None:
        within = filter_record(caller.within())
    return await here.pool.call("since", library=int(known.library), within=within)


@router.post("/runs/{run}/resume", status_code=202, response_model=RunRecord, responses=errors(409))
async def resume(here: Here, caller: Asks, run: RunId) -> Any:
    """Go on with a run that failed or was cancelled, from where it ended."""
    return await _go_on(here, caller, run, {})


@router.post("/runs/{run}/approve", status_code=202, response_model=RunRecord, responses=errors(409))
async def approve(here: Here, caller: Asks, run: RunId, approval: Approval) -> Any:
    """Have the plan of a run carried out that waits for that, changed or as it is."""
    if approval.plan is not None:
        plan_of(approval.plan)
    return await _go_on(here, caller, run, {"plan": approval.plan})


@router.put("/runs/{run}/rating", status_code=204)
async def rate(here: Here, caller: Asks, run: RunId, rating: RatingOf) -> None:
    """Say whether an answer is any good."""
    await here.run(caller, run)
    await here.library.runs.rate(run, good=rating.good, part=rating.part, note=rating.note)


@router.get("/runs/{run}/ratings", response_model=list[RatingOf])
async def ratings(here: Here, caller: Asks, run: RunId) -> Any:
    """Tell what was thought of an answer and its parts."""
    await here.run(caller, run)
    kept = await here.library.runs.ratings(run)
    return [{"good": each.good, "part": each.part, "note": each.note} for each in kept]


@router.post("/runs/{run}/again", status_code=202, response_model=RunRecord, responses=errors(409))
async def again(here: Here, caller: Asks, run: RunId) -> Any:
    """Ask the same of the library as it is now, and tell what changed. The reply is a run of its own."""
    job, known = await here.run(caller, run)
    if known is None or not known.answer:
        raise Refused(409, "this run has no answer to compare with")
    question = job.task.get("question", "") if job else known.question
    kept = settings_of(known).get("within")
    if kept is None and caller.collections is not None:
        raise Refused(404, f"there is no run {run!r}")
    task = {"question": question, "run": run, "filter": filter_of(kept) if kept else None}
    return _record(await here.ask(caller, task, kind="again"), None)


@router.delete("/runs/{run}", status_code=204, responses=errors(409))
async def forget(here: Here, caller: Asks, run: RunId) -> None:
    """Forget a run with its answer and all that was noted of it."""
    job, _ = await here.run(caller, run)
    if job is not None and not await here.jobs.forget(run):
        raise Refused(409, "the run is not over; cancel it first")
    await here.library.runs.forget(run)


# -- sessions of the page


@router.post("/session", status_code=204, tags=["service"])
async def begin_session(here: Here, caller: Anybody, request: Request, response: Response) -> None:
    """Take a key for a cookie, which the page then sends by itself. Programs go on with their key."""
    if caller.id == LOCAL or caller.cookie:
        return
    response.set_cookie(
        COOKIE,
        await here.keys.begin_session(caller),
        max_age=_SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
        path="/",
    )


@router.delete("/session", status_code=204, tags=["service"])
async def end_session(here: Here, caller: Anybody, request: Request, response: Response) -> None:
    """Give the cookie back."""
    del caller
    if secret := request.cookies.get(COOKIE):
        await here.keys.end_session(secret)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")


# --


async def _go_on(here: Here, caller: Asks, run: str, more: dict[str, Any]) -> Any:
    job, known = await here.run(caller, run)
    if job is None:
        raise Refused(409, "this run was not begun by the service; go on with it where it was begun")
    if here.following.stopping:
        raise Refused(503, "the service is being stopped; try again soon", retry=5)
    task = {**job.task, **{name: value for name, value in more.items() if value is not None}}
    going = await here.jobs.again(run, "again" if job.kind == "again" else "ask", task)
    if going is None:
        raise Refused(409, f"the run is {job.state}; only one that failed, was cancelled or waits can go on")
    here.pool.wake()
    return _record(going, known)


async def _told(here: Here, run: str, after: int) -> AsyncGenerator[str]:
    """Yield a run's events as a stream carries them, and a sign of life where there are none for long."""
    yield "retry: 1000\n\n"
    last = after
    async with aclosing(here.following.follow(run, after)) as following:
        async for told in patiently(following):
            if isinstance(told, StoredEvent):
                last = told.number
                yield f"id: {told.number}\nevent: {told.type}\ndata: {told.text}\n\n"
            elif isinstance(told, Job):
                yield f"id: {last}\nevent: end\ndata: {json.dumps({'run': run, 'state': told.state, 'error': told.error})}\n\n"
            elif told == "still":
                yield _STILL_HERE
            else:
                yield f"event: ending\ndata: {json.dumps({'run': run, 'why': 'the service is being stopped'})}\n\n"


async def patiently(items: AsyncIterator[Any]) -> AsyncGenerator[Any]:
    """Yield what comes, and "still" where nothing has come for a while."""
    while True:
        coming = asyncio.ensure_future(anext(items))
        try:
            while not (await asyncio.wait([coming], timeout=_STILL_SECONDS))[0]:
                yield "still"
        finally:
            if not coming.done():
                coming.cancel()
                await asyncio.wait([coming])
        try:
            item = coming.result()
        except StopAsyncIteration:
            return
        yield item


def _record(job: Job | None, run: Run | None) -> dict[str, Any]:
    answer = json.loads(run.answer) if run and run.answer else None
    kept = decode(Plan, run.plan) if run and run.plan else None
    record: dict[str, Any] = {
        "id": job.id if job else run.id if run else "",
        "question": job.task.get("question", "") if job else run.question if run else "",
        "state": job.state if job else run.status if run else "",
        "created": job.created if job else run.started if run else 0.0,
        "finished": job.finished if job else run.finished if run else None,
        "attempts": job.attempts if job else 1,
        "error": job.error if job else "",
        "plan": plan_record(kept) if kept else answer.get("plan") if answer else None,
        "answer": answer if job is None or job.state == "done" else None,
        "conversation": _conversation(job) if job else "",
        "changes": None,
    }
    if job and job.kind == "again" and job.result:
        record |= {"answer": job.result["answer"], "changes": job.result["changes"]}
    return record


def _conversation(job: Job) -> str:
    return str(job.task.get("conversation") or "").partition("/")[2]


def _before(cursor: str) -> tuple[float, str] | None:
    when, _, id = cursor.partition(":")
    try:
        return (float(when), id) if cursor else None
    except ValueError:
        raise Refused(400, f"{cursor!r} is no cursor; give `next` of the page before") from None


# -- what comes of an answer: the works to read next, and the answer as a file

answer_routes = APIRouter(prefix="/api/v1", responses=errors(409), tags=["questions"])
_FILE_SECONDS = 120.0
AnswerForm = Literal["tex", "pandoc.md", "html", "docx", "pdf", "bib", "ris", "csl.json", "obsidian.zip"]
_FILE_KINDS: dict[AnswerForm, str] = {
    "tex": "application/x-tex",
    "pandoc.md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pdf": "application/pdf",
    "bib": "application/x-bibtex; charset=utf-8",
    "ris": "application/x-research-info-systems",
    "csl.json": "application/vnd.citationstyles.csl+json",
    "obsidian.zip": "application/zip",
}
_LISTS = {"bib": "application/x-bibtex; charset=utf-8", "txt": "text/plain; charset=utf-8"}


class NextWorkRecord(BaseModel):
    """A work that is cited by what answers: as its references print it, by whom, for what, and whether the library has it."""

    reference: dict[str, Any]
    nearness: Literal["quoted", "open row", "section", "elsewhere", "listed"]
    citing: list[dict[str, Any]]
    works: int
    relevance: float
    document: str
    collection: str
    only_entry: bool


class ReadingListRecord(BaseModel):
    """Which works to read next, the most helpful first: those that are missing, and those that are there and were not used."""

    question: str
    run: str
    missing: list[NextWorkRecord]
    unused: list[NextWorkRecord]
    answering: list[str] = Field(description="Keys of the works whose references were read.")
    without: list[str] = Field(description="Titles of those that have no list of references.")
    open_rows: list[str]


@answer_routes.get(
    "/runs/{run}/next",
    response_model=ReadingListRecord,
    responses=described_files(_LISTS.values()),
)
async def next_works(
    here: Here,
    caller: Asks,
    run: RunId,
    limit: Annotated[int, Query(ge=1, le=1000)] = 10,
    form: Annotated[Literal["json", "bib", "txt"], Query(alias="format")] = "json",
) -> Any:
    """Tell which works to read next: cited by what answers, and not in the library."""
    await _answered(here, caller, run)
    ending = "" if form == "json" else f".{form}"
    found = await here.pool.call("next_works", run=run, limit=limit, ending=ending)
    return attachment(found.encode("utf-8", "replace"), f"next-{run}.{form}", _LISTS[form]) if ending else found


@answer_routes.get("/runs/{run}/file", response_class=Response, responses=described_files(_FILE_KINDS.values()))
async def answer_file(
    here: Here,
    caller: Asks,
    run: RunId,
    form: Annotated[AnswerForm, Query(alias="format")] = "html",
    style: Annotated[Style, Query(description="How sources are listed.")] = "apa",
) -> Response:
    """Get an answer as a file, with the citation keys of your bibliographies: as it was given, whatever came since."""
    await _answered(here, caller, run)
    given = {"run": run, "ending": f".{form}", "style": style}
    seen = None if caller.collections is None else list(caller.collections)
    content = await here.pool.call("publish_answer", seconds=_FILE_SECONDS, collections=seen, **given)
    return attachment(base64.b64decode(content), f"answer-{run}.{form}", _FILE_KINDS[form])


async def _answered(here: Service, caller: Caller, run: str) -> Run:
    _, known = await here.run(caller, run)
    if known is None or not known.answer:
        raise Refused(409, "this run has no answer")
    return known
