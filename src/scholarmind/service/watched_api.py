"""Watched questions over HTTP: asked again when documents came, and the news on them, as data, text, a feed or a mail.

They belong to the library, as they do on the command line. A key of some collections has those that keep to them.
"""

import uuid
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from scholarmind.filters import Filter
from scholarmind.record import filter_of, filter_record
from scholarmind.remarks import WatchedQuestion
from scholarmind.running import settings_of
from scholarmind.service.documents_api import JobRecord, job_record
from scholarmind.service.gate import Refused
from scholarmind.service.keys import Caller
from scholarmind.service.route_dependencies import (
    Asks,
    Cursor,
    Here,
    Limit,
    Within,
    described_files,
    errors,
    page,
    place_of,
)
from scholarmind.service.state import Service
from scholarmind.text.untrusted import storable
from scholarmind.watching import NewsForm, news_file, watched_record

router = APIRouter(prefix="/api/v1", responses=errors(), tags=["watched questions"])
_ANSWER_SECONDS = 300.0
_KINDS: dict[NewsForm, str] = {
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


@router.get("/watched", response_model=WatchedPage)
async def watched(here: Here, caller: Asks, limit: Limit = 50, cursor: Cursor = "") -> Any:
    """List the questions that are watched."""
    start, found = place_of(cursor), await _seen(here, caller)
    waiting = {one.id for one in await here.library.watched.waiting.aio()}
    told = [watched_record(one) | {"waits": one.id in waiting} for one in found[start : start + limit + 1]]
    return page(told, limit, start)


@router.post(
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


@router.get("/watched/{watched}", response_model=WatchedRecord)
async def one_watched(here: Here, caller: Asks, watched: WatchedId) -> Any:
    """Get a watched question, with its latest answer and what was remarked on it."""
    known = await _found(here, caller, watched)
    waits = any(one.id == known.id for one in await here.library.watched.waiting.aio())
    return (await here.pool.call("watched_question", name=known.name)) | {"waits": waits}


@router.delete("/watched/{watched}", status_code=204)
async def unwatch(here: Here, caller: Asks, watched: WatchedId) -> None:
    """Watch a question no longer, and forget what was remarked on it."""
    await here.pool.call("unwatch_question", name=(await _found(here, caller, watched)).name)


@router.post("/watched/{watched}/renew", status_code=202, response_model=JobRecord)
async def renew(here: Here, caller: Asks, watched: WatchedId) -> Any:
    """Ask a watched question again now. The job says how many remarks that brought."""
    known = await _found(here, caller, watched)
    return job_record(here, await here.research(caller, "renew", {"name": known.name}))


@router.get("/news", response_class=Response, responses=described_files(_KINDS.values()))
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
    return Response(content, media_type=_KINDS[form], headers=headers)


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
