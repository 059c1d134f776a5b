"""Collections and documents over HTTP: listed, added, described, read, taken away; and what is kept over them."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request, Response, UploadFile
from pydantic import BaseModel, Field
from starlette.responses import FileResponse, JSONResponse

from scholarmind.filters import Compare, both, parse_filter
from scholarmind.model import Document, Entry, Passage
from scholarmind.relations import NodeKind
from scholarmind.service import page_pictures, uploads
from scholarmind.service.gate import Refused
from scholarmind.service.jobs import Job
from scholarmind.service.keys import LOCAL, Caller
from scholarmind.service.route_dependencies import (
    Administers,
    Anybody,
    CollectionName,
    Cursor,
    DocumentId,
    Here,
    Ingests,
    Limit,
    Searches,
    Strict,
    Works,
    check_sees,
    errors,
    page,
    place_of,
)
from scholarmind.service.state import Service

router = APIRouter(prefix="/api/v1", responses=errors(), tags=["documents"])
Once = Annotated[
    str,
    Header(
        alias="Idempotency-Key", max_length=200, description="The same request with the same key is carried out once."
    ),
]
Known = Annotated[str, Header(alias="If-None-Match", max_length=2000)]
_NEW = r"^\w[\w .-]{0,98}\w$|^\w$"


class Collection(BaseModel):
    """A named part of the library."""

    name: str = Field(examples=["default"])
    documents: int = Field(examples=[12])
    passages: int = Field(examples=[480])
    waiting: int = Field(description="Passages whose vector is still to come.", examples=[0])


class DocumentRecord(BaseModel):
    """What a document says of itself."""

    id: str = Field(examples=["attention-5f3a9c"])
    collection: str = Field(examples=["default"])
    title: str = Field(examples=["Attention Is All You Need"])
    authors: list[str] = Field(examples=[["Ashish Vaswani", "Noam Shazeer"]])
    year: int | None = Field(examples=[2017])
    source: str
    language: str = Field(examples=["en"])
    kind: str
    metadata: dict[str, Any]
    file: str | None = Field(description="The name of its file, if that can be had.", examples=["attention.pdf"])


class DocumentPage(BaseModel):
    """Some documents, and where to go on."""

    items: list[DocumentRecord]
    next: str | None


class PassageRecord(BaseModel):
    """A stored piece of a document; `start` and `end` count characters of its text."""

    position: int
    text: str
    start: int
    end: int
    section: list[str]
    page: int | None
    kind: str


class PassagePage(BaseModel):
    """Some passages, and where to go on."""

    items: list[PassageRecord]
    next: str | None


class JobRecord(BaseModel):
    """Documents being added, a table being filled, a draft being checked, or watched questions being asked again."""

    id: str = Field(examples=["job-0123456789abcdef"])
    state: Literal["waiting", "running", "done", "failed", "cancelled", "awaiting_plan"]
    created: float
    finished: float | None
    files: list[str] = Field(description="The names of files that are added.", examples=[["bert.pdf", "refs.bib"]])
    progress: dict[str, Any] = Field(examples=[{"files": 3, "read": 1}])
    report: dict[str, Any] | None
    error: str


class JobPage(BaseModel):
    """Some jobs, the latest first, and where to go on."""

    items: list[JobRecord]
    next: str | None


class Corrections(Strict):
    """What is right. Null takes a correction back."""

    fields: dict[str, str | int | list[str] | None] = Field(
        min_length=1, max_length=50, examples=[{"year": 2017, "authors": ["Ada Lovelace", "Alan Turing"]}]
    )


Named = Annotated[str, Field(min_length=1, max_length=300)]


class Merging(Strict):
    """Names of one thing, each as it stands in the graph, or as the number of its node."""

    names: list[Named] = Field(min_length=1, max_length=50, examples=[["BERT base"]])
    into: Named = Field(examples=["BERT"])
    kind: NodeKind | None = None


class Splitting(Strict):
    """A name that is to be a thing of its own."""

    name: Named = Field(examples=["BERT base"])
    kind: NodeKind | None = None


class Folder(Strict):
    """A folder on the machine of the service, within one of those that it was started with (`--folder`)."""

    path: str = Field(min_length=1, max_length=4000, examples=["/srv/papers/2026"])
    prune: bool = Field(default=False, description="Also remove documents whose file is gone from there.")


# -- collections


@router.get("/collections", response_model=list[Collection])
async def collections(here: Here, caller: Anybody) -> Any:
    """List the collections."""
    return [_counted(name, counts) for name, counts in (await here.collections(caller)).items()]


@router.get("/collections/{collection}", response_model=Collection)
async def collection(here: Here, caller: Anybody, collection: CollectionName) -> Any:
    """Tell how much a collection holds."""
    counts = (await here.collections(caller)).get(collection)
    if counts is None:
        raise Refused(404, f"there is no collection {collection!r}")
    return _counted(collection, counts)


@router.get("/collections/{collection}/documents", response_model=DocumentPage)
async def documents(
    here: Here,
    caller: Anybody,
    collection: CollectionName,
    limit: Limit = 50,
    cursor: Cursor = "",
    filter: Annotated[str, Query(max_length=10_000)] = "",
) -> Any:
    """List documents, in the order in which they came."""
    check_sees(caller, collection)
    start = place_of(cursor)
    wanted = both(Compare("collection", "=", collection), parse_filter(filter) if filter.strip() else None)
    found = await here.library.documents.aio(wanted, limit + 1, start=start)
    return page([_record(here, caller, each) for each in found], limit, start)


@router.post(
    "/collections/{collection}/documents", status_code=202, response_model=JobRecord, responses=errors(415, 507)
)
async def upload(
    here: Here,
    caller: Ingests,
    collection: CollectionName,
    files: list[UploadFile],
    response: Response,
    once: Once = "",
) -> Any:
    """Add files. The reply comes at once; the job that it names tells how far they are."""
    check_sees(caller, collection)
    uploads.check_collection(collection)
    kept = await uploads.keep(here.settings.library, collection, files)
    job = await here.add(caller, {"collection": collection, "paths": [str(path) for path in kept]}, once=once)
    response.headers["location"] = f"/api/v1/jobs/{job.id}"
    return job_record(here, job)


@router.post("/collections/{collection}/folders", status_code=202, response_model=JobRecord)
async def add_folder(
    here: Here, caller: Administers, collection: CollectionName, folder: Folder, response: Response, once: Once = ""
) -> Any:
    """Add a folder of the machine that the service runs on, if that was allowed when it was started."""
    check_sees(caller, collection)
    uploads.check_collection(collection)
    path = uploads.allowed(folder.path, here.limits.folders)
    task = {"collection": collection, "paths": [str(path)], "prune": folder.prune}
    job = await here.add(caller, task, once=once)
    response.headers["location"] = f"/api/v1/jobs/{job.id}"
    return job_record(here, job)


# -- one document


@router.get("/collections/{collection}/documents/{document}", response_model=DocumentRecord, responses={304: {}})
async def document(
    here: Here, caller: Anybody, collection: CollectionName, document: DocumentId, response: Response, known: Known = ""
) -> Any:
    """Tell what a document is."""
    entry = await _entry(here, caller, collection, document)
    tag = _tag(entry)
    if tag in known:
        return Response(status_code=304, headers={"etag": tag})
    response.headers["etag"] = tag
    return _record(here, caller, entry.document)


@router.patch("/collections/{collection}/documents/{document}", response_model=DocumentRecord, responses=errors(412))
async def correct(
    here: Here,
    caller: Ingests,
    collection: CollectionName,
    document: DocumentId,
    corrections: Corrections,
    response: Response,
    match: Annotated[str, Header(alias="If-Match", max_length=2000)] = "",
) -> Any:
    """Correct what a document says of itself. That survives reading it again."""
    before = await _entry(here, caller, collection, document)
    if match and match.strip() != "*" and _tag(before) not in match:
        raise Refused(412, "the document is not as it was; get it again")
    told = [f"{name}={_said(value)}" for name, value in corrections.fields.items()]
    await here.pool.call("correct", id=document, corrections=told, collection=collection)
    entry = await _entry(here, caller, collection, document)
    response.headers["etag"] = _tag(entry)
    return _record(here, caller, entry.document)


@router.delete("/collections/{collection}/documents/{document}", status_code=204)
async def remove(here: Here, caller: Ingests, collection: CollectionName, document: DocumentId) -> None:
    """Take a document out of the library; a file that was uploaded goes with it."""
    entry = await _entry(here, caller, collection, document)
    await here.pool.call("remove", ids=[document], collection=collection, seconds=300.0)
    uploads.forget(here.settings.library, entry.document.origin)


@router.get("/collections/{collection}/documents/{document}/passages", response_model=PassagePage)
async def passages(
    here: Here,
    caller: Searches,
    collection: CollectionName,
    document: DocumentId,
    limit: Limit = 50,
    cursor: Cursor = "",
    containing: Annotated[str, Query(max_length=500, description="Only those with these words.")] = "",
) -> Any:
    """Read a document passage by passage."""
    entry = await _entry(here, caller, collection, document)
    start, words = place_of(cursor), containing.casefold().split()
    found = [each for each in entry.passages if not words or " ".join(words) in " ".join(each.text.casefold().split())]
    return page([passage_record(each) for each in found[start : start + limit + 1]], limit, start)


@router.get("/collections/{collection}/documents/{document}/file", response_class=FileResponse)
async def file(here: Here, caller: Searches, collection: CollectionName, document: DocumentId) -> Response:
    """Get the file of a document, as it was added."""
    entry = await _entry(here, caller, collection, document)
    path = _original(here, caller, entry.document)
    if path is None:
        raise Refused(404, "the file of this document is not kept here")
    headers = {"content-security-policy": "sandbox; default-src 'none'"}
    return FileResponse(path, filename=path.name, media_type="application/octet-stream", headers=headers)


@router.get("/collections/{collection}/documents/{document}/boxes")
async def boxes(
    here: Here,
    caller: Searches,
    collection: CollectionName,
    document: DocumentId,
    start: Annotated[int, Query(ge=0)] = 0,
    end: Annotated[int, Query(ge=0)] = 0,
    quote: Annotated[str, Query(max_length=5000, description="Words of the document, in place of numbers.")] = "",
) -> list[dict[str, float]]:
    """Tell where on its pages characters of a document stand, in points from the upper left corner."""
    entry = await _entry(here, caller, collection, document)
    first, last = _stretch(entry, start, end, quote)
    return [asdict(box) for box in (entry.layout.boxes(first, last) if entry.layout else [])]


@router.get(
    "/collections/{collection}/documents/{document}/pages/{number}",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
)
async def page_picture(
    here: Here,
    caller: Searches,
    collection: CollectionName,
    document: DocumentId,
    number: int,
    start: Annotated[int, Query(ge=0)] = 0,
    end: Annotated[int, Query(ge=0)] = 0,
    quote: Annotated[str, Query(max_length=5000)] = "",
    width: Annotated[int, Query(ge=100, le=2000)] = 900,
) -> Response:
    """Get a page of a PDF as a picture, with characters of the text or quoted words marked."""
    entry = await _entry(here, caller, collection, document)
    path = _original(here, caller, entry.document)
    if path is None or path.suffix.lower() != ".pdf" or entry.layout is None:
        raise Refused(404, "this document has no pages that could be shown")
    if number not in {each.number for each in entry.layout.pages}:
        raise Refused(404, f"there is no page {number}")
    first, last = _stretch(entry, start, end, quote) if end or quote else (0, 0)
    marked = [box for box in entry.layout.boxes(first, last) if box.page == number] if last else []
    picture = await page_pictures.page_picture(path, number, marked, width)
    return Response(picture, media_type="image/png", headers={"cache-control": "private, max-age=3600"})


# -- what is kept over the documents


@router.get("/collections/{collection}/graph")
async def graph(
    here: Here,
    caller: Searches,
    collection: CollectionName,
    name: Annotated[str, Query(min_length=1, max_length=300, examples=["BERT"])],
    hops: Annotated[int, Query(ge=1, le=3)] = 1,
    most: Annotated[int, Query(ge=1, le=500)] = 100,
) -> dict[str, Any]:
    """Tell what is around a method, data set, author or paper in the graph of papers."""
    check_sees(caller, collection)
    found = await here.pool.call(
        "graph", name=name, hops=hops, most=most, within={"field": "collection", "operator": "=", "value": collection}
    )
    if found is None:
        raise Refused(404, f"the graph of {collection!r} has nothing called {name!r}")
    return found


@router.get("/graph/merges")
async def merges(
    here: Here, caller: Searches, name: Annotated[str, Query(max_length=300, examples=["BERT"])] = ""
) -> list[dict[str, Any]]:
    """List which names are taken for one thing, by whom and why: of the nodes of a name, or of all."""
    _check_whole(caller)
    return await here.pool.call("merges", name=name)


@router.post("/graph/merge")
async def merge(here: Here, caller: Ingests, wanted: Merging) -> dict[str, Any]:
    """Take names for one thing from now on, all of them for the last; `split` takes them apart again."""
    _check_whole(caller)
    return await here.pool.call("merge", names=wanted.names, into=wanted.into, kind=wanted.kind)


@router.post("/graph/split")
async def split(here: Here, caller: Ingests, wanted: Splitting) -> dict[str, Any]:
    """Take a name out of what it was merged with. It stays apart, whatever is added, until it is merged again."""
    _check_whole(caller)
    return await here.pool.call("split", name=wanted.name, kind=wanted.kind)


@router.get("/collections/{collection}/tree")
async def tree(
    here: Here, caller: Searches, collection: CollectionName, node: Annotated[int | None, Query(ge=1)] = None
) -> dict[str, Any]:
    """Read the tree of summaries: what is at its top, or what is below a summary."""
    check_sees(caller, collection)
    found = await here.pool.call("tree", collection=collection, node=node)
    if found is None:
        raise Refused(404, f"the tree of {collection!r} has no summary {node}")
    return found


# -- jobs


@router.get("/jobs", response_model=JobPage, tags=["jobs"])
async def jobs(here: Here, caller: Ingests, limit: Limit = 50) -> Any:
    """List what was added, the latest first."""
    owner = None if caller.may("admin") else caller.id
    found = await here.jobs.listed(("add",), owner, limit)
    return {"items": [job_record(here, each) for each in found], "next": None}


@router.get("/jobs/{job}", response_model=JobRecord, tags=["jobs"])
async def job(here: Here, caller: Works, job: str) -> Any:
    """Tell how far documents, a table or a draft are."""
    return job_record(here, await here.job(caller, job))


@router.post("/jobs/{job}/cancel", response_model=JobRecord, tags=["jobs"])
async def cancel_job(here: Here, caller: Works, job: str) -> Any:
    """Stop it; what was added or filled stays."""
    await here.job(caller, job)
    await here.jobs.cancel(job)
    return job_record(here, await here.job(caller, job))


@router.get("/settings", tags=["service"])
async def settings(request: Request, here: Here, caller: Administers) -> Any:
    """Tell the settings, without anything secret."""
    del request, caller
    hidden = {
        name for name in asdict(here.settings) if name.endswith(("api_key", "openalex_key")) or name == "database"
    }
    told = {name: value for name, value in asdict(here.settings).items() if name not in hidden}
    told |= {name: bool(getattr(here.settings, name)) for name in hidden}
    return JSONResponse(json.loads(json.dumps(told, default=str)))


# --


def passage_record(passage: Passage) -> dict[str, Any]:
    """Return a passage as JSON."""
    return {
        "position": passage.position,
        "text": passage.text,
        "start": passage.start,
        "end": passage.end,
        "section": list(passage.section),
        "page": passage.page,
        "kind": passage.kind,
    }


async def entry_of(here: Service, caller: Caller, collection: str, document: str) -> Entry:
    """Return a document that the caller may see."""
    check_sees(caller, collection)
    entry = await here.library.entry.aio(document, collection=collection)
    if entry is None:
        raise Refused(404, f"there is no document {document!r} in {collection!r}")
    return entry


_entry = entry_of


def _check_whole(caller: Caller) -> None:
    """Refuse who has some collections only: one name is one thing in all of them."""
    if caller.collections is not None:
        raise Refused(403, "this key is for some collections; the names of things are of the whole library")


def _counted(name: str, counts: Any) -> dict[str, Any]:
    return {"name": name, "documents": counts.documents, "passages": counts.passages, "waiting": counts.waiting}


def _record(here: Service, caller: Caller, document: Document) -> dict[str, Any]:
    path = _original(here, caller, document)
    return {
        "id": document.id,
        "collection": document.collection,
        "title": document.title,
        "authors": [author.strip("{}") for author in document.authors],  # braces: a body, which has no family name
        "year": document.year,
        "source": document.source,
        "language": document.language,
        "kind": document.kind,
        "metadata": dict(document.metadata),
        "file": path.name if path else None,
    }


def _original(here: Service, caller: Caller, document: Document) -> Path | None:
    """Return the file of a document that may be given out: whoever needs no key on this machine has all that was added."""
    folders = (Path("/"),) if caller.id == LOCAL else here.limits.folders
    return uploads.original(here.settings.library, document.origin, folders)


def job_record(here: Service, job: Job) -> dict[str, Any]:
    return {
        "id": job.id,
        "state": job.state,
        "created": job.created,
        "finished": job.finished,
        "files": [Path(path).name for path in job.task.get("paths", ())],
        "progress": job.progress,
        "report": uploads.without_places(job.result, here.settings.library) if job.result else None,
        "error": uploads.without_places(job.error, here.settings.library),
    }


def _tag(entry: Entry) -> str:
    """Return what changes with a document and what is said of it."""
    told = f"{entry.hash} {entry.document!r}"
    return f'"{hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:32]}"'


def _said(value: str | int | list[str] | None) -> str:
    if isinstance(value, list):
        return "; ".join(value)
    return "" if value is None else str(value)


def _stretch(entry: Entry, start: int, end: int, quote: str) -> tuple[int, int]:
    """Return which characters are meant, by numbers or by the words that stand there."""
    if not quote.strip():
        return start, min(end, len(entry.text))
    place = uploads.find_words(entry.text, quote)
    if place is None:
        raise Refused(404, "these words do not stand in the document")
    return place
