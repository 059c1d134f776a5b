"""What a route needs of its caller, and the shapes that all replies share."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, cast
from urllib.parse import quote

from fastapi import Depends, Path, Query, Request, Security
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from scholarmind.errors import QueryError
from scholarmind.filters import Filter, parse_filter
from scholarmind.service.gate import Refused
from scholarmind.service.keys import Caller, Scope
from scholarmind.service.state import Service

_BEARER = HTTPBearer(
    auto_error=False, description="A key, made with `scholarmind keys create`. From this very machine none is needed."
)


class Needs:
    """Refuses callers without a scope. The gate has found out before who calls."""

    def __init__(self, *scopes: Scope) -> None:
        self.scopes = scopes

    def __call__(self, request: Request, _: Annotated[Any, Security(_BEARER)]) -> Caller:
        """Return the caller."""
        caller = cast("Caller", request.state.caller)
        if not any(map(caller.may, self.scopes)):
            raise Refused(403, f"this needs the scope {' or '.join(map(repr, self.scopes))}")
        return caller


def _service(request: Request) -> Service:
    return request.app.state.service


Here = Annotated[Service, Depends(_service)]
Asks = Annotated[Caller, Depends(Needs("ask"))]
Searches = Annotated[Caller, Depends(Needs("search", "ask"))]
Ingests = Annotated[Caller, Depends(Needs("ingest"))]
Works = Annotated[Caller, Depends(Needs("ingest", "ask"))]
Administers = Annotated[Caller, Depends(Needs("admin"))]
Anybody = Annotated[Caller, Depends(Needs("ask", "search", "ingest", "admin"))]
CollectionName = Annotated[
    str, Path(min_length=1, max_length=100, description="The name of a collection.", examples=["default"])
]

DocumentId = Annotated[str, Path(min_length=1, max_length=300, examples=["attention-5f3a9c"])]
RunId = Annotated[str, Path(min_length=1, max_length=64, examples=["20260102-030405-abcdefgh"])]
Limit = Annotated[int, Query(ge=1, le=200, description="How many, at most.")]
Cursor = Annotated[str, Query(max_length=200, description="Where to go on: `next` of the page before.")]


class Strict(BaseModel):
    """A body in which an unknown name is an error."""

    model_config = ConfigDict(extra="forbid")


class Refusal(BaseModel):
    """Why not, as RFC 9457 has it."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [{"type": "about:blank", "title": "Not found", "status": 404, "detail": "there is no run 'x'"}]
        },
    )


class Within(Strict):
    """Where to look."""

    collections: list[Annotated[str, Field(min_length=1, max_length=100)]] = Field(
        default=[],
        max_length=100,
        description="Only in these; by default in all that the key has.",
        examples=[["default"]],
    )
    filter: str = Field(
        default="",
        max_length=10_000,
        description="Only in documents that pass.",
        examples=["year >= 2019 and author = Devlin"],
    )

    def narrowed(self, caller: Caller) -> Filter | None:
        """Return what the filter asks for, after seeing to it that the caller has these collections."""
        for name in self.collections:
            check_sees(caller, name)
        return parse_filter(self.filter) if self.filter.strip() else None


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Declare the errors of a route, with those that every route has."""
    known = {400, 401, 403, 404, 408, 413, 421, 422, 429, 500, 503, *statuses}
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}
    return {status: {"model": Refusal, "content": content} for status in sorted(known)}


def check_sees(caller: Caller, collection: str) -> None:
    """Refuse a collection that the caller does not have, as if it were not there."""
    if not caller.sees(collection):
        raise Refused(404, f"there is no collection {collection!r}")


def place_of(cursor: str) -> int:
    """Return the place that a cursor means."""
    if (cursor and not cursor.isascii()) or not (cursor or "0").isdecimal() or len(cursor) > 12:
        raise QueryError(f"{cursor!r} is no cursor; give `next` of the page before")
    return int(cursor or 0)


def page(items: Sequence[Any], limit: int, start: int) -> dict[str, Any]:
    """Return so many of one item more, with where to go on."""
    return {"items": list(items[:limit]), "next": str(start + limit) if len(items) > limit else None}


def described_files(kinds: Iterable[str]) -> dict[int | str, dict[str, Any]]:
    """Describe a reply that is a file of one of these kinds; JSON is a list of records."""
    records = {"type": "array", "items": {"type": "object"}}
    content = {kind: {"schema": records if kind.endswith("json") else {"type": "string"}} for kind in kinds}
    return {200: {"content": content}}


def attachment(content: bytes, name: str, kind: str) -> Response:
    """Return a file that a browser keeps and does not show."""
    headers = {
        "content-disposition": f"attachment; filename*=utf-8''{quote(name, safe='')}",
        "content-security-policy": "sandbox; default-src 'none'",
    }
    return Response(content, media_type=kind, headers=headers)
