"""The application: its routes behind the gate, its errors as replies, its beginning and its end; and keys, for administrators."""

import asyncio
import importlib
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from importlib.metadata import version
from types import FrameType
from typing import Annotated, Any

import uvicorn
from fastapi import APIRouter, FastAPI, Path, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from scholarmind.errors import MissingExtraError, ScholarMindError
from scholarmind.service import (
    documents_api,
    openai_api,
    questions_api,
    research_api,
)
from scholarmind.service.gate import Gate, Refused, refusal
from scholarmind.service.keys import Caller
from scholarmind.service.page_api import files as page_files
from scholarmind.service.page_api import router as page_routes
from scholarmind.service.route_dependencies import Administers, Here, Strict, errors
from scholarmind.service.state import Service, Serving
from scholarmind.settings import Settings

log = logging.getLogger("scholarmind.service")
_HEADER_BYTES = 64 * 1024
_HEADER_SECONDS = 20.0
_USES_SECONDS = 5.0
_MOST_CONNECTIONS = 2_000


def application(service: Service) -> Gate:
    """Return everything that answers, behind the gate."""

    tools = _Tools(service)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        del app
        await service.pool.start()
        noting = asyncio.create_task(_note_uses(service))
        try:
            yield
        finally:
            noting.cancel()
            service.following.stop()
            await tools.end()
            await service.pool.drain(service.limits.grace)
            await _note_once(service)

    app = FastAPI(
        title="ScholarMind",
        summary="Complete, cited answers to composite questions over your own documents.",
        version=version("scholarmind"),
        lifespan=lifespan,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        separate_input_output_schemas=False,
    )
    app.state.service = service
    _add_plain(app, service)
    app.include_router(documents_api.router)
    app.include_router(questions_api.router)
    app.include_router(questions_api.answer_routes)
    app.include_router(research_api.table_routes)
    app.include_router(research_api.draft_routes)
    app.include_router(research_api.watched_routes)
    app.include_router(administration)
    app.include_router(page_routes)
    app.include_router(page_files)
    app.include_router(openai_api.router)
    app.router.routes.append(Route("/mcp", tools, include_in_schema=False))
    _add_errors(app)
    return Gate(app, service)


class _Tools:
    """What answers at /mcp, loaded with the first request for it: the official SDK takes a second and 20 MB that others need not have."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._ending = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._app: asyncio.Future[ASGIApp] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if self._app is None:
            self._app = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(self._app))
        app = await asyncio.shield(self._app)
        await app(scope, receive, send)

    async def _run(self, app: "asyncio.Future[ASGIApp]") -> None:
        try:
            module = await asyncio.to_thread(importlib.import_module, "scholarmind.service.mcp_server")
            server = module.offered(self._service)
            answers = module.over_http(server)
            async with server.session_manager.run():
                app.set_result(answers)
                await self._ending.wait()
        except ImportError as error:
            app.set_exception(MissingExtraError("serve", error))

    async def end(self) -> None:
        """Let go of it."""
        self._ending.set()
        if self._running is not None:
            await asyncio.wait([self._running])


def _add_plain(app: FastAPI, service: Service) -> None:
    @app.get("/healthz", include_in_schema=False)
    async def healthz() -> Response:
        return PlainTextResponse("well")

    @app.get("/readyz", include_in_schema=False)
    async def readyz() -> Response:
        if service.following.stopping:
            return PlainTextResponse("ending", 503)
        return PlainTextResponse("ready") if service.pool.warm else PlainTextResponse("warming up", 503)

    @app.get("/metrics", include_in_schema=False)
    async def metrics(request: Request) -> Response:
        if not request.state.caller.may("admin"):
            raise Refused(403, "this needs the scope 'admin'")
        numbers = {"workers": float(service.pool.alive), "followers": float(service.following.followers)}
        return PlainTextResponse(service.metrics.text(await service.jobs.counts(), numbers))


def _add_errors(app: FastAPI) -> None:
    async def refused(request: Request, error: Exception) -> Response:
        return _reply(request, error if isinstance(error, Refused) else Refused(500, ""))

    async def http(request: Request, error: Exception) -> Response:
        known = error if isinstance(error, HTTPException) else HTTPException(500)
        return _reply(request, Refused(known.status_code, str(known.detail)), dict(known.headers or {}))

    async def invalid(request: Request, error: Exception) -> Response:
        found: Sequence[Any] = error.errors() if isinstance(error, RequestValidationError) else ()
        places = [{"where": ".".join(map(str, each["loc"])), "why": str(each["msg"])} for each in found[:20]]
        told = "; ".join(f"{place['where']}: {place['why']}" for place in places)
        return _reply(request, Refused(422, told[:2000], errors=places))

    async def ours(request: Request, error: Exception) -> Response:
        return _reply(request, refusal(error) if isinstance(error, ScholarMindError) else Refused(500, ""))

    async def unforeseen(request: Request, error: Exception) -> Response:
        log.error("an error of ours", exc_info=error, extra={"about": {"route": request.url.path[:200]}})
        if isinstance(error, OSError) and error.errno == 28:
            return _reply(request, Refused(507, "the disk of the service is full"))
        return _reply(request, Refused(500, "an error of ours; the log of the service has more"))

    app.add_exception_handler(Refused, refused)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(ScholarMindError, ours)
    app.add_exception_handler(OSError, unforeseen)
    app.add_exception_handler(Exception, unforeseen)


def _reply(request: Request, refused: Refused, more: dict[str, str] | None = None) -> Response:
    path = request.url.path
    headers = {**(more or {}), **refused.told(path)}
    return JSONResponse(refused.record(path), refused.status, headers=headers, media_type=headers["content-type"])


async def _note_uses(service: Service) -> None:
    while True:
        await asyncio.sleep(_USES_SECONDS)
        await _note_once(service)


async def _note_once(service: Service) -> None:
    if uses := dict(service.metrics.uses):
        service.metrics.uses.clear()
        await service.keys.note(uses)


# -- keys over HTTP, and the test of the language model: what only an administrator does

administration = APIRouter(prefix="/api/v1", responses=errors(), tags=["service"])
_EXAMINED_SECONDS = 300.0
KeyId = Annotated[str, Path(min_length=1, max_length=64, examples=["0a1b2c3d"])]


class KeyRecord(BaseModel):
    """A key as its owner may look at it: what it may do, and what it has used."""

    id: str
    name: str
    scopes: list[str]
    collections: list[str] | None
    rate: str
    budget: str
    created: float
    revoked: float | None
    requests: int
    questions: int
    tokens: int
    cost: float


class NewKey(Strict):
    """A key that is to be made."""

    scopes: list[str] = Field(min_length=1, max_length=10, examples=[["ask", "search"]])
    collections: list[str] | None = Field(
        default=None, max_length=100, description="The only collections that are there for it; null for all."
    )
    name: str = Field(default="", max_length=200, description="Whose it is.", examples=["Ada"])
    rate: str = Field(default="", max_length=50, examples=["60/min"])
    budget: str = Field(default="", max_length=50, examples=["5.00/month"])


class MadeKey(BaseModel):
    """A key that was made. It is shown this once: only a hash of it is kept."""

    id: str
    key: str


class Examined(BaseModel):
    """One thing that was examined: whether it is well, what was seen, and how to mend it if it is not."""

    name: str
    ok: bool
    seen: str
    mend: str


@administration.get("/keys", response_model=list[KeyRecord])
async def keys(here: Here, caller: Administers) -> Any:
    """List the keys, with what each has used."""
    _check_unlimited(caller)
    return [asdict(key) for key in await asyncio.to_thread(here.keys.listed)]


@administration.post("/keys", status_code=201, response_model=MadeKey)
async def create_key(here: Here, caller: Administers, wanted: NewKey) -> Any:
    """Make a key. This reply is the only one that has it."""
    _check_unlimited(caller)
    key = await asyncio.to_thread(
        here.keys.create,
        wanted.scopes,
        wanted.collections,
        name=wanted.name,
        rate=wanted.rate.strip(),
        budget=wanted.budget.strip(),
    )
    return {"id": key.split("_")[1], "key": key}


@administration.delete("/keys/{key}", status_code=204)
async def revoke_key(here: Here, caller: Administers, key: KeyId) -> None:
    """Make a key worthless from this moment, with the sessions that were begun with it."""
    _check_unlimited(caller)
    if not await asyncio.to_thread(here.keys.revoke, key):
        raise Refused(404, f"there is no key {key!r} that opens anything")


@administration.post("/model/test", response_model=list[Examined])
async def test_model(here: Here, caller: Administers) -> Any:
    """Try the language model of the settings as a question would use it, and tell what works."""
    _check_unlimited(caller)
    return await here.pool.call("examine", seconds=_EXAMINED_SECONDS)


def _check_unlimited(caller: Caller) -> None:
    """Refuse an administrator of some collections: keys and models are of the whole library."""
    if caller.collections is not None:
        raise Refused(403, "this key is for some collections; keys and models are of the whole library")


# -- the process


class _Patient(H11Protocol):
    """A connection that must say what it wants within some seconds: one that never does would be kept for nothing."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._asked = False
        self._give_up = self.loop.call_later(_HEADER_SECONDS, self._end)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._give_up.cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Take note of a request."""
        super().handle_events()
        self._asked = self._asked or bool(self.scope)

    def _end(self) -> None:
        if not self._asked and not self.transport.is_closing():
            self.transport.abort()


class _Server(uvicorn.Server):
    """Sends those away who only watch as soon as it is told to end; they would keep it from ending."""

    service: Service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End."""
        self.service.following.stop()
        super().handle_exit(sig, frame)


def serve(settings: Settings, serving: Serving, on_ready: Callable[[str], None]) -> None:
    """Serve until a signal comes. `on_ready` is called with the address once connections are taken."""
    service = Service(settings, serving)
    try:
        config = uvicorn.Config(
            application(service),
            host=serving.host,
            port=serving.port,
            http=_Patient,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=True,
            h11_max_incomplete_event_size=_HEADER_BYTES,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=10,
        )
        server = _Server(config)
        server.service = service
        asyncio.run(_serve(server, on_ready))
    finally:
        service.close()


async def _serve(server: _Server, on_ready: Callable[[str], None]) -> None:
    telling = asyncio.create_task(_tell(server, on_ready))
    try:
        await server.serve()
    finally:
        telling.cancel()


async def _tell(server: _Server, on_ready: Callable[[str], None]) -> None:
    while not server.started:  # noqa: ASYNC110  (uvicorn has no event for it)
        await asyncio.sleep(0.01)
    sockets = [socket for one in server.servers for socket in one.sockets]
    host, port = sockets[0].getsockname()[:2] if sockets else (server.config.host, server.config.port)
    on_ready(f"http://{f'[{host}]' if ':' in host else host}:{port}")
