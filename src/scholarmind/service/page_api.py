"""The page: its files, and the few routes that only it needs.

Its files lie in `page/`, as they are written: no step builds them. They are read once, kept in memory, and given out under an address that
has the hash of all of them in it, so that a browser never mixes two versions and asks for none of them twice.
"""

import gzip
import hashlib
import re
from collections import Counter
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from scholarmind import wiring, wiring_models
from scholarmind.calls import Effort
from scholarmind.filters import Compare, both, parse_filter
from scholarmind.library.descriptions import explained
from scholarmind.record import filter_record, plan_of
from scholarmind.service.documents_api import entry_of
from scholarmind.service.gate import CSP, PAGE, Refused
from scholarmind.service.keys import LOCAL
from scholarmind.service.questions_api import PlanRequest
from scholarmind.service.route_dependencies import (
    Anybody,
    Asks,
    CollectionName,
    DocumentId,
    Here,
    Searches,
    check_sees,
    errors,
)
from scholarmind.strategies.estimates import Ahead, estimate_of

router = APIRouter(prefix="/api/v1", responses=errors(), tags=["page"])
files = APIRouter(include_in_schema=False)
_MOST_VALUES = 60
_EFFORTS: tuple[Literal["fast", "standard", "deep"], ...] = ("fast", "standard", "deep")
_FOLDER = Path(__file__).with_name("page")
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_READER_KINDS = {
    ".bcmap": "application/octet-stream",
    ".mjs": "text/javascript; charset=utf-8",
}
_IMPORT = re.compile(r'(?:^|;)(?:import|export)\b[^;]*?from ?"(\.[^"]+)"', re.MULTILINE)
_STRICTER = (
    # no text becomes HTML, not even by mistake; and one script is begun by its address, which `trust.js` sees to: PDF.js's worker
    f"{CSP}; require-trusted-types-for 'script'; trusted-types scholarmind-worker"
)


@cache
def page_files() -> dict[str, bytes]:
    """Return the files of the page by name. The first of them, `index.html`, names all that it needs to begin."""
    found = {
        path.relative_to(_FOLDER).as_posix(): path.read_bytes()
        for path in sorted(_FOLDER.rglob("*"))
        if path.suffix in _KINDS
    }
    others = (_FOLDER / "vendor/HASHES").read_bytes()  # what is read from the disk when it is asked for
    all_of_it = b"".join(name.encode() + content for name, content in found.items()) + others
    version = hashlib.sha256(all_of_it).hexdigest()[:12]
    home = f"{PAGE}{version}"
    needed = "\n".join(f'<link rel="modulepreload" href="{home}/{name}">' for name in first_modules(found))
    index = found["index.html"].decode().replace("{{home}}", home).replace("<!-- modules -->", needed)
    return {**found, "index.html": index.encode(), "": version.encode()}


@cache
def _reader_files() -> frozenset[str]:
    """Return the names of PDF.js's files, which are large, and wanted by few."""
    found = (_FOLDER / "vendor/pdfjs").rglob("*")
    return frozenset(path.relative_to(_FOLDER).as_posix() for path in found if path.suffix in _READER_KINDS)


def first_modules(found: dict[str, bytes], name: str = "main.js") -> list[str]:
    """Return a module and all that it imports at once: a browser is told of them together, and need not find them one by one."""
    known = [name]
    for each in known:
        for told in _IMPORT.findall(found[each].decode()):
            other = (Path(each).parent / told).as_posix()
            while "/../" in f"/{other}":
                other = re.sub(r"(?:^|(?<=/))[^/]+/\.\./", "", other, count=1)
            if other not in known:
                known.append(other)
    return known


@files.get("/")
async def index(request: Request) -> Response:
    """Give the page."""
    return _given(request, "index.html", "no-store")


@files.get(PAGE + "{version}/{name:path}")
async def page_file(request: Request, version: str, name: str) -> Response:
    """Give one of its files."""
    if version != page_files()[""].decode() or not name or (name not in page_files() and name not in _reader_files()):
        raise Refused(404, "the page has no such file; load it again")
    return _given(request, name, "public, max-age=31536000, immutable")


def _given(request: Request, name: str, kept: str) -> Response:
    packed = "gzip" in request.headers.get("accept-encoding", "")
    headers = {"cache-control": kept, "vary": "accept-encoding", "content-security-policy": _STRICTER}
    if packed:
        headers["content-encoding"] = "gzip"
    kind = _KINDS.get(Path(name).suffix) or _READER_KINDS[Path(name).suffix]
    return Response(_packed(name) if packed else _content(name), media_type=kind, headers=headers)


def _content(name: str) -> bytes:
    return page_files().get(name) or (_FOLDER / name).read_bytes()


@cache
def _packed(name: str) -> bytes:
    return gzip.compress(_content(name), 9, mtime=0)


# -- what only the page asks for


class Session(BaseModel):
    """Who is calling, and what they may do."""

    name: str = Field(examples=["Ada"])
    scopes: list[str] = Field(examples=[["ask", "search"]])
    local: bool = Field(description="Whether it is somebody on the machine of the service, who needs no key.")
    model: bool = Field(description="Whether a language model is set, so that an effort can be chosen.")
    effort: Effort = Field(description="What is done where none is chosen.")


class PageSize(BaseModel):
    """A page of a document, in points."""

    number: int
    width: float
    height: float


class Referred(BaseModel):
    """A work that a document cites, or that cites it; `document` is its id where the library has it."""

    title: str
    year: int | None
    document: str


class References(BaseModel):
    """What a document cites, and what of the library cites it."""

    cites: list[Referred]
    cited_by: list[Referred]


class DocumentStatement(BaseModel):
    """What somebody says of a field: its file, a bibliography, a catalogue or a person."""

    value: str | int | list[str] | None
    source: str = Field(examples=["refs.bib, line 12"])
    sure: float


class FieldRecord(DocumentStatement):
    """A field as it was settled, and what else was said of it."""

    field: str = Field(examples=["year"])
    others: list[DocumentStatement]


class Expected(BaseModel):
    """About what a question will come to."""

    calls: int
    tokens: int
    cost: float | None = Field(description="None where the price of a model is not known.")
    currency: str


class FacetValue(BaseModel):
    """How many documents have a value."""

    value: str
    documents: int


class Facets(BaseModel):
    """How many documents there are, and of which years, languages, kinds, authors and venues: the most frequent first."""

    documents: int
    year: list[FacetValue]
    language: list[FacetValue]
    kind: list[FacetValue]
    author: list[FacetValue]
    venue: list[FacetValue]


@router.get("/session", response_model=Session)
async def session(here: Here, caller: Anybody) -> Any:
    """Tell who is calling."""
    return {
        "name": caller.name,
        "scopes": sorted(caller.scopes),
        "local": caller.id == LOCAL,
        "model": bool(here.settings.llm or here.settings.llm_base_url),
        "effort": "standard" if here.settings.effort == "auto" else here.settings.effort,
    }


@router.get("/collections/{collection}/documents/{document}/pages", response_model=list[PageSize])
async def pages(here: Here, caller: Searches, collection: CollectionName, document: DocumentId) -> Any:
    """Tell the sizes of a document's pages; of one without pages, nothing."""
    entry = await entry_of(here, caller, collection, document)
    found = entry.layout.pages if entry.layout else ()
    return [{"number": each.number, "width": each.width, "height": each.height} for each in found]


@router.get("/collections/{collection}/documents/{document}/references", response_model=References)
async def references(here: Here, caller: Searches, collection: CollectionName, document: DocumentId) -> Any:
    """Tell what a document cites, and which documents of the collection cite it."""
    await entry_of(here, caller, collection, document)
    cites = await here.library.references.aio(document, collection=collection)
    citing = [
        await here.library.entry.aio(each, collection=collection)
        for each in await here.library.citing.aio(document, collection=collection)
    ]
    return {
        "cites": [
            {
                "title": each.reference.title or each.reference.text,
                "year": each.reference.year,
                "document": each.document,
            }
            for each in cites
        ],
        "cited_by": [
            {"title": each.document.title, "year": each.document.year, "document": each.document.id}
            for each in citing
            if each is not None
        ],
    }


@router.get("/collections/{collection}/documents/{document}/fields", response_model=list[FieldRecord])
async def fields(here: Here, caller: Searches, collection: CollectionName, document: DocumentId) -> Any:
    """Tell what is known of a document, field by field: who said so, and what others say."""
    entry = await entry_of(here, caller, collection, document)
    return [asdict(each) for each in explained(entry.document, entry.facts)]


@router.post("/estimate", response_model=dict[Literal["fast", "standard", "deep"], Expected], responses=errors(502))
async def estimate(here: Here, caller: Asks, wanted: PlanRequest) -> Any:
    """Tell about what a question would cost at each effort, by the plan that rules make of it; without a model, nothing."""
    models = wiring_models.models(replace(here.settings, effort="auto"))
    if models is None:
        return {}
    within = filter_record(caller.within(wanted.collections, wanted.narrowed(caller)))
    try:
        made = await here.pool.call("plan", question=wanted.question, effort="keyless", within=within)
    finally:
        await models.close()  # nothing was asked of them: their names and prices are all that counts here
    plan, options = plan_of(made), wiring.options(here.settings)
    expected = {
        effort: estimate_of(Ahead(plan=plan, options=replace(options, effort=effort), effort=effort), models)
        for effort in _EFFORTS
    }
    return {
        effort: {
            "calls": each.calls,
            "tokens": each.prompt_tokens + each.completion_tokens,
            "cost": each.cost,
            "currency": each.currency,
        }
        for effort, each in expected.items()
    }


@router.get("/collections/{collection}/facets", response_model=Facets)
async def facets(
    here: Here,
    caller: Searches,
    collection: CollectionName,
    filter: Annotated[str, Query(max_length=10_000)] = "",
) -> Any:
    """Count the documents that pass a filter by what one may narrow them to."""
    check_sees(caller, collection)
    wanted = both(Compare("collection", "=", collection), parse_filter(filter) if filter.strip() else None)
    found = await here.library.documents.aio(wanted)
    told: dict[str, Counter[str]] = {name: Counter() for name in ("year", "language", "kind", "author", "venue")}
    for each in found:
        told["year"].update([str(each.year)] if each.year else [])
        told["language"].update([each.language] if each.language else [])
        told["kind"].update([each.kind] if each.kind else [])
        told["author"].update({author.strip("{}") for author in each.authors})
        told["venue"].update([str(each.metadata["venue"])] if each.metadata.get("venue") else [])
    counted = {
        name: [{"value": value, "documents": count} for value, count in counts.most_common(_MOST_VALUES)]
        for name, counts in told.items()
    }
    return {"documents": len(found), **counted}
