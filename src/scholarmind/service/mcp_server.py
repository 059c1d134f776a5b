"""The library as a server of the Model Context Protocol: tools and resources that models use, bounded in size, with a cursor to read on.

Over HTTP the gate stands before it, as before everything; each tool says which scope it needs. Over standard input and output it is
one person's own library, and everything may be done.
"""

import asyncio
import functools
import json
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Annotated, Any, ParamSpec, cast

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import CallToolResult, TextContent
from pydantic import Field
from starlette.types import ASGIApp

from scholarmind.errors import QueryError, ScholarMindError
from scholarmind.filters import parse_filter
from scholarmind.record import filter_record
from scholarmind.service import uploads
from scholarmind.service.documents_api import entry_of, passage_record
from scholarmind.service.gate import Refused, refusal
from scholarmind.service.jobs import Job
from scholarmind.service.keys import THIS_MACHINE, Caller, Scope
from scholarmind.service.research_api import found_table, seen_tables
from scholarmind.service.route_dependencies import check_sees, place_of
from scholarmind.service.run_events import StoredEvent, line_of, sources_of
from scholarmind.service.state import Service

P = ParamSpec("P")
_CHARACTERS = 12_000  # of a result; more is read on with its cursor
_PASSAGE = 1_500  # of a passage in a list
_PAGE = 50
_ROWS = 20  # of a table
_INSTRUCTIONS = (
    "A library of the user's own documents. `ask` answers questions that have several parts, each sentence cited and checked; "
    "`search` finds passages, `find` words within one document, `open` shows a passage with what stands around it. "
    "Where a result has a `cursor`, the same tool reads on with it."
)
Collections = Annotated[
    list[str] | None, Field(description="Only in these collections; by default in all that there are.", max_length=100)
]
FilterText = Annotated[
    str, Field(description='Only in documents that pass, such as: year >= 2019 and author = "Devlin".')
]
Cursor = Annotated[str, Field(description="To read on: the `cursor` of the result before.", max_length=200)]
Collection = Annotated[str, Field(description="The collection that the document is in.", max_length=100)]
DocumentId = Annotated[
    str, Field(description="The id of a document, as search and list_documents give it.", max_length=300)
]


# the scope that each tool needs, and its title
TOOLS: dict[str, tuple[Scope, str]] = {
    "ask": ("ask", "Ask a question"),
    "plan": ("ask", "Plan a question"),
    "search": ("search", "Search for passages"),
    "find": ("search", "Find words in a document"),
    "open": ("search", "Open a document"),
    "list_documents": ("search", "List documents"),
    "reading_list": ("ask", "List the works to read next"),
    "read_table": ("search", "Read a table"),
    "add_document": ("ingest", "Add a document"),
}


class Tools:
    """What models may do with a library: each method is a tool, but for the last two, which are resources."""

    def __init__(self, service: Service, base: str = "") -> None:
        """Work on a library, whose documents can be had over HTTP at `base`, if they can."""
        self._service = service
        self._base = base

    async def ask(
        self,
        ctx: Context[Any, Any],
        question: Annotated[
            str, Field(description="The question; it may have several parts.", max_length=100_000)
        ] = "",
        collections: Collections = None,
        filter: FilterText = "",
        conversation: Annotated[
            str, Field(description="A name; in one conversation follow-ups are understood.", max_length=200)
        ] = "",
        cursor: Cursor = "",
    ) -> CallToolResult:
        """Answer a question from the documents: every sentence cited and checked, every part accounted for."""
        caller = caller_of(ctx, "ask")
        run, _, offset = cursor.partition("@")
        if cursor:
            job, _ = await self._service.run(caller, run)
        else:
            wanted = _narrowed(caller, collections, filter)
            job = await self._service.ask(caller, {"question": question, "conversation": conversation, **wanted})
            job = await _followed(self._service, ctx, job)
        kept = await self._service.library.runs.find(job.id) if job else None
        if job is None or kept is None or job.state != "done":
            raise Refused(
                409, f"the question was not answered: {job.state if job else 'unknown'} {job.error if job else ''}"
            )
        answer = json.loads(kept.answer)
        sources = sources_of(answer, self._base)
        listed = "\n".join(
            f"[{each['key']}] {each['title']} ({each['collection']}/{each['document']})" for each in sources
        )
        text, more = _bounded(f"{answer['answer']}\n\nSources:\n{listed}", place_of(offset))
        parts = [
            {name: part[name] for name in ("id", "text", "status", "missing", "answer")} for part in answer["parts"]
        ]
        told = {
            "run": job.id,
            "verdict": answer["verdict"],
            "confidence": answer["confidence"],
            "parts": parts,
            "sources": sources,
        }
        return _result(text, told, f"{job.id}@{more}" if more else "")

    async def plan(
        self,
        ctx: Context[Any, Any],
        question: Annotated[str, Field(description="The question.", max_length=100_000)],
        collections: Collections = None,
        filter: FilterText = "",
    ) -> CallToolResult:
        """Tell into which parts a question would be taken, without answering it."""
        caller = caller_of(ctx, "ask")
        found = await self._service.pool.call("plan", question=question, within=_within(caller, collections, filter))
        parts = [{name: part[name] for name in ("id", "text", "depends_on")} for part in found["parts"]]
        text = "\n".join(f"{part['id']}. {part['text']}" for part in parts)
        return _result(text, {"shape": found["shape"], "parts": parts})

    async def search(
        self,
        ctx: Context[Any, Any],
        query: Annotated[str, Field(description="What to look for, in words or as a question.", max_length=10_000)],
        collections: Collections = None,
        filter: FilterText = "",
        limit: Annotated[int, Field(ge=1, le=20)] = 8,
        cursor: Cursor = "",
    ) -> CallToolResult:
        """Find passages, by words and by meaning, the best first."""
        caller = caller_of(ctx, "search")
        start = place_of(cursor)
        if start > 200:
            raise Refused(400, "there is no reading on after 200 passages; ask more precisely")
        found = await self._service.pool.call(
            "search", question=query, k=start + limit + 1, within=_within(caller, collections, filter)
        )
        names = ("document", "collection", "title", "section", "page", "position", "score")
        passages = [
            {**{name: each[name] for name in names}, "text": each["text"][:_PASSAGE]}
            for each in found["passages"][start : start + limit]
        ]
        text = "\n\n".join(_shown(each) for each in passages) or "nothing was found"
        more = str(start + limit) if len(found["passages"]) > start + limit else ""
        return _result(text, {"passages": passages, "notices": found["notices"]}, more)

    async def find(
        self,
        ctx: Context[Any, Any],
        collection: Collection,
        document: DocumentId,
        words: Annotated[
            str, Field(description="Words that stand there one after the other.", min_length=1, max_length=500)
        ],
        cursor: Cursor = "",
    ) -> CallToolResult:
        """Find the passages of one document in which words stand."""
        entry = await entry_of(self._service, caller_of(ctx, "search"), collection, document)
        wanted, start = " ".join(words.casefold().split()), place_of(cursor)
        hits = [each for each in entry.passages if wanted in " ".join(each.text.casefold().split())]
        shown = [passage_record(each) | {"text": each.text[:_PASSAGE]} for each in hits[start : start + 8]]
        text = (
            "\n\n".join(_shown({"title": entry.document.title, **each}) for each in shown)
            or "these words do not stand there"
        )
        more = str(start + 8) if len(hits) > start + 8 else ""
        return _result(text, {"passages": shown, "found": len(hits)}, more)

    async def open(
        self,
        ctx: Context[Any, Any],
        collection: Collection,
        document: DocumentId,
        position: Annotated[int | None, Field(ge=0, description="Of a passage, as search gives it.")] = None,
        page: Annotated[int | None, Field(ge=1, description="A page, where the document has pages.")] = None,
        neighbours: Annotated[int, Field(ge=0, le=10, description="Passages before and after.")] = 2,
        cursor: Cursor = "",
    ) -> CallToolResult:
        """Read a passage with its neighbours, a page, or a document from its beginning."""
        entry = await entry_of(self._service, caller_of(ctx, "search"), collection, document)
        if page is not None:
            whole = entry.layout.text_of(page, entry.text) if entry.layout else ""
            if not whole:
                raise Refused(404, f"the document has no page {page} with text")
        elif position is not None:
            near = [each for each in entry.passages if abs(each.position - position) <= neighbours]
            if not near:
                raise Refused(
                    404, f"the document has {len(entry.passages)} passages, from 0 on; there is no {position}"
                )
            whole = entry.text[near[0].start : near[-1].end]
        else:
            whole = entry.text
        text, more = _bounded(whole, place_of(cursor))
        told = {
            "title": entry.document.title,
            "collection": collection,
            "document": document,
            "passages": len(entry.passages),
        }
        return _result(text, told, str(more) if more else "")

    async def list_documents(
        self, ctx: Context[Any, Any], collections: Collections = None, filter: FilterText = "", cursor: Cursor = ""
    ) -> CallToolResult:
        """List the documents, fifty at a time, with what they say of themselves."""
        caller, start = caller_of(ctx, "search"), place_of(cursor)
        wanted = _narrowed(caller, collections, filter)
        within = caller.within(wanted["collections"], wanted["filter"])
        found = await self._service.library.documents.aio(within, _PAGE + 1, start=start)
        lines = [
            {
                "document": each.id,
                "collection": each.collection,
                "title": each.title,
                "year": each.year,
                "authors": [author.strip("{}") for author in each.authors],  # braces: a body, which has no family name
            }
            for each in found[:_PAGE]
        ]
        text = "\n".join(
            f"{each['collection']}/{each['document']}: {each['title']} ({each['year'] or 'no year'})" for each in lines
        )
        return _result(text or "there are none", {"documents": lines}, str(start + _PAGE) if len(found) > _PAGE else "")

    async def reading_list(
        self,
        ctx: Context[Any, Any],
        question: Annotated[str, Field(description="A question; it is answered first.", max_length=100_000)] = "",
        run: Annotated[str, Field(description="Or the run of an answer, as `ask` gives it.", max_length=64)] = "",
        collections: Collections = None,
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> CallToolResult:
        """Tell which works to read next: cited by what answers, for what, and not in the library."""
        caller = caller_of(ctx, "ask")
        if bool(question.strip()) == bool(run):
            raise Refused(400, "give a question, or the run of an answer")
        if not run:
            job = await self._service.ask(caller, {"question": question, **_narrowed(caller, collections, "")})
            run = (await _followed(self._service, ctx, job)).id
        _, known = await self._service.run(caller, run)
        if known is None or not known.answer:
            raise Refused(409, "the question was not answered")
        found = await self._service.pool.call("next_works", run=run, limit=limit)
        text = await self._service.pool.call("next_works", run=run, limit=limit, ending=".txt")
        names = ("title", "authors", "year", "doi", "arxiv")
        works = [
            {**{name: work["reference"][name] for name in names}, "nearness": work["nearness"], "works": work["works"]}
            for work in found["missing"]
        ]
        return _result(_bounded(text, 0)[0] or "nothing is missing", {"run": run, "missing": works})

    async def read_table(
        self,
        ctx: Context[Any, Any],
        table: Annotated[str, Field(description="Its name; without one, all are listed.", max_length=100)] = "",
        cursor: Cursor = "",
    ) -> CallToolResult:
        """Read a literature table, a row a paper and a column a question, or list those that there are."""
        caller, start = caller_of(ctx, "search"), place_of(cursor)
        if not table.strip():
            lines = [
                {"name": each.name, "columns": [column.name for column in each.columns], "where": each.where}
                for each in await seen_tables(self._service, caller)
            ]
            text = "\n".join(f"{each['name']}: {'; '.join(each['columns'])}" for each in lines)
            return _result(text or "there are none", {"tables": lines})
        name = (await found_table(self._service, caller, table)).name
        record = await self._service.pool.call(
            "read_table", table=name, sort="", columns="", limit=_ROWS, start=start, seconds=300.0
        )
        rows = [
            {
                **{name: row[name] for name in ("paper", "document", "collection", "title", "year")},
                "cells": {column: _said(cell) for column, cell in row["cells"].items()},
            }
            for row in record["rows"]
        ]
        text = "\n\n".join(
            f"{row['paper']}: {row['title']}\n"
            + "\n".join(f"  {column}: {cell['value'] or 'not stated'}" for column, cell in row["cells"].items())
            for row in rows
        )
        more = str(start + _ROWS) if record["papers"] > start + _ROWS else ""
        told = {"name": name, "papers": record["papers"], "waiting": record["waiting"], "rows": rows}
        return _result(text or "it has no papers", told, more)

    async def add_document(
        self,
        ctx: Context[Any, Any],
        title: Annotated[str, Field(min_length=1, max_length=300)],
        text: Annotated[
            str, Field(description="Its text; Markdown is understood.", min_length=1, max_length=1_000_000)
        ],
        collection: Collection = "default",
    ) -> CallToolResult:
        """Add a text to the library as a document, and wait until it can be found."""
        caller = caller_of(ctx, "ingest")
        check_sees(caller, collection)
        uploads.check_collection(collection)
        path = await asyncio.to_thread(uploads.keep_text, self._service.settings.library, collection, title, text)
        job = await self._service.add(caller, {"collection": collection, "paths": [str(path)]})
        done = await _followed(self._service, ctx, job)
        if done.state != "done":
            raise Refused(
                409,
                f"it was not added: {done.state} {uploads.without_places(done.error, self._service.settings.library)}",
            )
        report = cast("dict[str, Any]", done.result)
        counts = {name: report[name] for name in ("added", "replaced", "unchanged", "passages")}
        return _result(f"{title!r} is in {collection!r}", {"collection": collection, **counts})

    async def collection(self, collection: str, ctx: Context[Any, Any]) -> str:
        """How much a collection holds."""
        known = (await self._service.collections(_reader(ctx))).get(collection)
        if known is None:
            raise ResourceNotFoundError(f"there is no collection {collection!r}")
        return json.dumps({"collection": collection, "documents": known.documents, "passages": known.passages})

    async def document(self, collection: str, document: str, ctx: Context[Any, Any]) -> str:
        """The text of a document, as far as it is bounded."""
        try:
            entry = await entry_of(self._service, _reader(ctx), collection, document)
        except Refused as refused:
            raise ResourceNotFoundError(refused.detail) from None
        return _bounded(entry.text, 0)[0]


def offered(service: Service) -> MCPServer[Any]:
    """Return the server over a library."""
    server: MCPServer[Any] = MCPServer(
        "scholarmind", title="ScholarMind", instructions=_INSTRUCTIONS, log_level="ERROR"
    )
    tools = Tools(service)
    for name, (scope, title) in TOOLS.items():
        server.tool(title=title, structured_output=False)(_guarded(getattr(tools, name), scope))
    server.resource("collection://{collection}", title="A collection", mime_type="application/json")(tools.collection)
    server.resource("document://{collection}/{document}", title="A document", mime_type="text/plain")(tools.document)
    return server


def _guarded(tool: Callable[P, Awaitable[CallToolResult]], scope: Scope) -> Callable[P, Awaitable[CallToolResult]]:
    """Return a tool for those who have a scope; what it refuses is an error that a model can read."""

    @functools.wraps(tool)
    async def guarded(*args: P.args, **kwargs: P.kwargs) -> CallToolResult:
        caller_of(cast("Context[Any, Any]", kwargs["ctx"]), scope)
        try:
            return await tool(*args, **kwargs)
        except Refused as refused:
            raise ToolError(refused.detail) from None
        except ScholarMindError as error:
            raise ToolError(refusal(error).detail) from None

    return guarded


def over_http(server: MCPServer[Any]) -> ASGIApp:
    """Return what answers at /mcp. Hosts, keys and sizes are the gate's business; no session outlives its request."""
    return server.streamable_http_app(
        streamable_http_path="/mcp",
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


def caller_of(ctx: "Context[Any, Any]", scope: Scope) -> Caller:
    """Return who uses a tool, if that is allowed: over HTTP whom the gate let in, else the owner of this process."""
    request: Any = ctx.request_context.request
    caller = THIS_MACHINE if request is None else cast("Caller", request.scope["state"]["caller"])
    if not (caller.may(scope) or (scope == "search" and caller.may("ask"))):
        raise ToolError(f"this needs the scope {scope!r}")
    return caller


def _reader(ctx: "Context[Any, Any]") -> Caller:
    """Return who reads a resource, if that is allowed."""
    try:
        return caller_of(ctx, "search")
    except ToolError as error:
        raise ResourceError(str(error)) from None


async def _followed(service: Service, ctx: "Context[Any, Any]", job: Job) -> Job:
    """Wait until a job is over and tell how far it is; who goes away wants it no more."""
    over = False
    try:
        async with aclosing(service.following.follow(job.id)) as following:
            async for told in following:
                if isinstance(told, Job):
                    over = True
                    return told
                if isinstance(told, StoredEvent) and (line := line_of(told.record)):
                    await ctx.report_progress(told.number, message=line)
        raise Refused(503, "the service is being stopped; try again soon")
    finally:
        if not over:
            await asyncio.shield(service.jobs.cancel(job.id))


def _narrowed(caller: Caller, collections: list[str] | None, filter: str) -> dict[str, Any]:
    for name in collections or ():
        check_sees(caller, name)
    if len(filter) > 10_000:
        raise QueryError("the filter is too long")
    return {"collections": collections or [], "filter": parse_filter(filter) if filter.strip() else None}


def _within(caller: Caller, collections: list[str] | None, filter: str) -> dict[str, Any] | None:
    wanted = _narrowed(caller, collections, filter)
    return filter_record(caller.within(wanted["collections"], wanted["filter"]))


def _bounded(text: str, start: int) -> tuple[str, int]:
    """Return so much of a text from there on, and where it goes on (0: nowhere)."""
    end = start + _CHARACTERS
    if end >= len(text):
        return text[start:], 0
    end = text.rfind("\n", start + _CHARACTERS // 2, end) + 1 or end
    return text[start:end], end


def _said(cell: dict[str, Any] | None) -> dict[str, Any]:
    """Return what a cell says, with its page and words."""
    source: dict[str, Any] = (cell["source"] if cell else None) or {}
    return {
        "value": cell["value"] if cell else "",
        "page": source.get("page"),
        "words": str(source.get("text", ""))[:_PASSAGE],
    }


def _shown(passage: dict[str, Any]) -> str:
    where = f"{passage['collection']}/{passage['document']}, " if "document" in passage else ""
    page = f", page {passage['page']}" if passage["page"] else ""
    return f"{passage['title']} ({where}passage {passage['position']}{page})\n{passage['text']}"


def _result(text: str, told: dict[str, Any], cursor: str = "") -> CallToolResult:
    """Return a text for people and models, with the same as data for programs."""
    if cursor:
        text += f"\n\n(there is more: cursor {cursor!r})"
    content = [TextContent(type="text", text=text)]
    return CallToolResult(content=list(content), structured_content={**told, "cursor": cursor or None})


async def over_stdio(service: Service) -> None:
    """Serve whoever holds the other end of standard input and output, until they let go."""
    await service.pool.start()
    try:
        await offered(service).run_stdio_async()
    finally:
        service.following.stop()
        await service.pool.drain(service.limits.grace)
