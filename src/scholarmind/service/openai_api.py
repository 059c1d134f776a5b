"""The service as clients of OpenAI know one: each collection is a model, which answers with citations.

A text is sent when it is final: a draft may be taken back after the check, and what was streamed cannot be. Until then the plan and the
progress come as reasoning. Who goes away in the middle wants no answer: the run is cancelled.
"""

import asyncio
import base64
import json
import struct
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from http import HTTPStatus
from typing import Annotated, Any, Literal, cast, get_args

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response, StreamingResponse

from scholarmind.calls import Effort
from scholarmind.service.gate import Refused
from scholarmind.service.jobs import Job
from scholarmind.service.keys import Caller
from scholarmind.service.route_dependencies import Anybody, Asks, Here, Searches
from scholarmind.service.run_events import StoredEvent, cited_places, line_of, sources_of, tokens_of
from scholarmind.service.state import Service
from scholarmind.strategies import strategy_names

_DECLARED = {
    status: {"description": HTTPStatus(status).phrase, "content": {"application/json": {"schema": {"type": "object"}}}}
    for status in (400, 401, 403, 404, 408, 413, 421, 422, 429, 500, 502, 503)
}
router = APIRouter(prefix="/v1", tags=["openai"], responses=cast("dict[int | str, dict[str, Any]]", _DECLARED))
_STRATEGIES, _EFFORTS = strategy_names(), get_args(Effort)
_PIECE = 200  # characters of the answer at a time
_MOST_TEXTS = 256
_LONGEST = 100_000


class Lenient(BaseModel):
    """A body of which only some things mean anything here; the rest is passed over, as clients send much."""

    model_config = ConfigDict(extra="allow")


class Message(Lenient):
    """A turn of a chat."""

    role: str = Field(max_length=40)
    content: str | list[dict[str, Any]] | None = None


class Chat(Lenient):
    """A chat; its last message is the question, what came before helps to understand it."""

    model: str = Field(max_length=300, examples=["default"])
    messages: list[Message] = Field(
        min_length=1, max_length=500, examples=[[{"role": "user", "content": "Who proposed BERT?"}]]
    )
    stream: bool | None = False
    stream_options: dict[str, Any] | None = None
    n: int | None = 1


class Asked(Lenient):
    """A question in the newer protocol."""

    model: str = Field(max_length=300, examples=["default"])
    input: str | list[dict[str, Any]] = Field(examples=["Who proposed BERT?"])
    previous_response_id: str | None = Field(default=None, max_length=100)
    stream: bool | None = False


class Texts(Lenient):
    """Texts to turn into vectors."""

    model: str = Field(max_length=300, examples=["minilm"])
    input: (
        Annotated[str, Field(min_length=1, max_length=_LONGEST)]
        | Annotated[
            list[Annotated[str, Field(min_length=1, max_length=_LONGEST)]], Field(min_length=1, max_length=_MOST_TEXTS)
        ]
    ) = Field(examples=["sparse attention"])
    encoding_format: Literal["float", "base64"] | None = "float"


@router.get("/models")
async def models(here: Here, caller: Anybody) -> dict[str, Any]:
    """List the models: one for each collection, with each strategy and effort."""
    ids = [
        ":".join(filter(None, (name, strategy, effort)))
        for name in await here.collections(caller)
        for strategy in ("", *_STRATEGIES)
        for effort in ("", *_EFFORTS)
    ]
    if here.settings.embedder != "none":
        ids.append(here.settings.embedder)
    return {"object": "list", "data": [_model(id) for id in ids]}


@router.get("/models/{model}")
async def model(here: Here, caller: Anybody, model: str) -> dict[str, Any]:
    """Tell of one of them."""
    if model != here.settings.embedder:
        await _chosen(here, caller, model)
    return _model(model)


@router.post("/chat/completions", responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}})
async def chat(here: Here, caller: Asks, asked: Chat, request: Request) -> Response:
    """Answer the last message of a chat."""
    if (asked.n or 1) != 1:
        raise Refused(400, "there is one answer to a question: n must be 1")
    said = [(message.role, _text(message.content)) for message in asked.messages]
    task = await _chosen(here, caller, asked.model) | _question(said)
    job = await here.ask(caller, task)
    request.state.run = job.id
    if asked.stream:
        usage = bool((asked.stream_options or {}).get("include_usage"))
        return _stream(_chunks(here, request, job, asked.model, usage=usage))
    answer = await _answer(here, request, job)
    message = {"role": "assistant", "content": answer["answer"], "annotations": _url_citations(answer, request)}
    return JSONResponse(
        {
            "id": f"chatcmpl-{job.id}",
            "object": "chat.completion",
            "created": int(job.created),
            "model": asked.model,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
            "usage": _usage(answer),
            "sources": sources_of(answer, _base(request)),
        }
    )


@router.post("/responses", responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}})
async def responses(here: Here, caller: Asks, asked: Asked, request: Request) -> Response:
    """Answer a question, in the newer protocol."""
    said = (
        [("user", asked.input)]
        if isinstance(asked.input, str)
        else [(str(item.get("role") or ""), _text(item.get("content"))) for item in asked.input if item.get("role")]
    )
    task = await _chosen(here, caller, asked.model) | _question(said)
    if asked.previous_response_id:
        task["turns"] = [*await _turns_before(here, caller, asked.previous_response_id), *task["turns"]]
    job = await here.ask(caller, task)
    request.state.run = job.id
    if asked.stream:
        return _stream(_response_events(here, request, job, asked))
    return JSONResponse(_response(job, asked, await _answer(here, request, job)))


@router.post("/embeddings")
async def embeddings(here: Here, caller: Searches, texts: Texts) -> dict[str, Any]:
    """Turn texts into vectors, with the model that the library is searched by."""
    del caller
    if here.settings.embedder == "none" or texts.model != here.settings.embedder:
        raise Refused(404, f"there is no model {texts.model!r} that makes vectors")
    given = [texts.input] if isinstance(texts.input, str) else texts.input
    found = await here.pool.call("embed", texts=given)
    vectors: list[Any] = found["vectors"]
    if texts.encoding_format == "base64":
        vectors = [base64.b64encode(struct.pack(f"<{len(each)}f", *each)).decode("ascii") for each in vectors]
    data = [{"object": "embedding", "index": place, "embedding": each} for place, each in enumerate(vectors)]
    words = sum(len(text.split()) for text in given)
    return {
        "object": "list",
        "model": texts.model,
        "data": data,
        "usage": {"prompt_tokens": words, "total_tokens": words},
    }


# -- what is asked


async def _chosen(here: Service, caller: Caller, model: str) -> dict[str, Any]:
    """Return the collection, strategy and effort that a model means: `name`, `name:strategy`, `name:effort`, `name:strategy:effort`."""
    name, strategy, effort = model, "", ""
    known = await here.collections(caller)
    if name not in known and name.rpartition(":")[2] in _EFFORTS:
        name, _, effort = name.rpartition(":")
    if name not in known and name.rpartition(":")[2] in _STRATEGIES:
        name, _, strategy = name.rpartition(":")
    if name not in known:
        raise Refused(404, f"there is no model {model[:200]!r}; each collection is one")
    return {"collections": [name], "strategy": strategy, "effort": effort}


def _question(said: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the question of a chat and the turns before it; what a program told its model to be is no question."""
    spoken = [(role, text) for role, text in said if role in {"user", "assistant"} and text.strip()]
    if not spoken or spoken[-1][0] != "user":
        raise Refused(400, "the last message must be a question of the user")
    turns: list[list[str]] = []
    for role, text in spoken[:-1]:
        if role == "user":
            turns.append([text, ""])
        elif turns:
            turns[-1][1] = text
    return {"question": spoken[-1][1], "turns": turns}


def _text(content: Any) -> str:
    """Return the text of a message, which may come in parts."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = cast("list[dict[str, Any]]", content)
    if any(part.get("type") not in {"text", "input_text", "output_text"} for part in parts):
        raise Refused(400, "only text can be asked")
    return "\n".join(str(part.get("text") or "") for part in parts)


async def _turns_before(here: Service, caller: Caller, response: str) -> list[list[str]]:
    job, run = await here.run(caller, response.removeprefix("resp_"))
    if job is None or run is None or not run.answer:
        raise Refused(404, f"there is no response {response!r} that was answered")
    return [*job.task.get("turns", []), [job.task["question"], str(json.loads(run.answer)["answer"])]]


# -- what is answered


async def _until_over(here: Service, request: Request, job: Job) -> AsyncGenerator[StoredEvent | Job]:
    """Yield what happens, and the job when it is over; where the client has gone, the run is cancelled."""
    over = False
    try:
        async with aclosing(here.following.follow(job.id)) as following:
            async for told in _while_there(request, following):
                if told is None:
                    raise Refused(503, "the service is being stopped; try again soon", retry=5)
                over = isinstance(told, Job)
                yield told
    finally:
        if not over:
            await asyncio.shield(here.jobs.cancel(job.id))
            here.pool.wake()


async def _while_there(request: Request, items: AsyncIterator[Any]) -> AsyncGenerator[Any]:
    """Yield what comes for as long as the client is there."""
    gone = asyncio.ensure_future(_gone(request))
    coming: asyncio.Future[Any] | None = None
    try:
        while True:
            coming = asyncio.ensure_future(anext(items))
            await asyncio.wait([coming, gone], return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                return
            try:
                item = coming.result()
            except StopAsyncIteration:
                return
            yield item
    finally:
        for task in (gone, coming):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.wait([task])


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _answer(here: Service, request: Request, job: Job) -> dict[str, Any]:
    """Wait for the answer."""
    async for told in _until_over(here, request, job):
        if isinstance(told, Job):
            return await _answer_of(here, told)
    raise Refused(408, "the client has gone")


async def _answer_of(here: Service, job: Job) -> dict[str, Any]:
    run = await here.library.runs.find(job.id)
    if job.state != "done" or run is None or not run.answer:
        raise Refused(500 if job.state == "failed" else 409, f"the run {job.id} is {job.state}")
    return json.loads(run.answer)


def _stream(pieces: AsyncIterator[str]) -> StreamingResponse:
    return StreamingResponse(pieces, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


async def _chunks(here: Service, request: Request, job: Job, model: str, *, usage: bool) -> AsyncGenerator[str]:
    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        record = {
            "id": f"chatcmpl-{job.id}",
            "object": "chat.completion.chunk",
            "created": int(job.created),
            "model": model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
            **more,
        }
        return f"data: {json.dumps(record, ensure_ascii=False)}\n\n"

    try:
        yield chunk({"role": "assistant", "content": ""})
        async for told in _until_over(here, request, job):
            if isinstance(told, StoredEvent):
                if line := line_of(told.record):
                    yield chunk({"reasoning_content": line + "\n"})
                continue
            answer = await _answer_of(here, told)
            for piece in _pieces(answer["answer"]):
                yield chunk({"content": piece})
            more: dict[str, Any] = {"sources": sources_of(answer, _base(request))}
            yield chunk({"annotations": _url_citations(answer, request)}, "stop", **more)
            if usage:
                yield chunk({}, usage=_usage(answer)).replace(
                    '"choices": [{"index": 0, "delta": {}, "finish_reason": null}]', '"choices": []'
                )
        yield "data: [DONE]\n\n"
    except Refused as refused:
        yield f"data: {json.dumps(refused.record('/v1/'))}\n\n"


async def _response_events(here: Service, request: Request, job: Job, asked: Asked) -> AsyncGenerator[str]:
    number = 0

    def event(kind: str, **more: Any) -> str:
        nonlocal number
        record = {"type": kind, "sequence_number": number, **more}
        number += 1
        return f"event: {kind}\ndata: {json.dumps(record, ensure_ascii=False)}\n\n"

    thinking, item = f"rs_{job.id}", f"msg_{job.id}"
    place = {"item_id": item, "output_index": 1, "content_index": 0}
    thought = {"item_id": thinking, "output_index": 0, "summary_index": 0}
    lines: list[str] = []
    try:
        yield event("response.created", response=_response(job, asked, None))
        yield event("response.in_progress", response=_response(job, asked, None))
        yield event("response.output_item.added", output_index=0, item=_reasoning(job, [], "in_progress"))
        yield event("response.reasoning_summary_part.added", **thought, part={"type": "summary_text", "text": ""})
        async for told in _until_over(here, request, job):
            if isinstance(told, StoredEvent):
                if line := line_of(told.record):
                    lines.append(line + "\n")
                    yield event("response.reasoning_summary_text.delta", **thought, delta=lines[-1])
                continue
            answer = await _answer_of(here, told)
            yield event("response.reasoning_summary_text.done", **thought, text="".join(lines))
            part = {"type": "summary_text", "text": "".join(lines)}
            yield event("response.reasoning_summary_part.done", **thought, part=part)
            yield event("response.output_item.done", output_index=0, item=_reasoning(job, lines, "completed"))
            message = _message(job, answer)
            begun: dict[str, Any] = {**message, "status": "in_progress", "content": []}
            yield event("response.output_item.added", output_index=1, item=begun)
            empty: dict[str, Any] = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
            yield event("response.content_part.added", **place, part=empty)
            for piece in _pieces(answer["answer"]):
                yield event("response.output_text.delta", **place, delta=piece, logprobs=[])
            content = message["content"][0]
            for index, each in enumerate(content["annotations"]):
                yield event("response.output_text.annotation.added", **place, annotation_index=index, annotation=each)
            yield event("response.output_text.done", **place, text=answer["answer"], logprobs=[])
            yield event("response.content_part.done", **place, part=content)
            yield event("response.output_item.done", output_index=1, item=message)
            yield event("response.completed", response=_response(told, asked, answer, lines))
    except Refused as refused:
        error = {"code": "server_error", "message": refused.detail}
        yield event("response.failed", response=_response(job, asked, None) | {"status": "failed", "error": error})


def _response(job: Job, asked: Asked, answer: dict[str, Any] | None, lines: list[str] | None = None) -> dict[str, Any]:
    usage = _usage(answer) if answer else None
    output = [*([_reasoning(job, lines, "completed")] if lines else []), *([_message(job, answer)] if answer else [])]
    return {
        "id": f"resp_{job.id}",
        "object": "response",
        "created_at": int(job.created),
        "status": "completed" if answer else "in_progress",
        "model": asked.model,
        "output": output,
        "previous_response_id": asked.previous_response_id,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": False,
        "temperature": None,
        "tool_choice": "none",
        "tools": [],
        "top_p": None,
        "usage": {
            "input_tokens": usage["prompt_tokens"],
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": usage["completion_tokens"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage["total_tokens"],
        }
        if usage
        else None,
    }


def _reasoning(job: Job, lines: list[str], status: str) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": "".join(lines)}] if lines else []
    return {"id": f"rs_{job.id}", "type": "reasoning", "status": status, "summary": summary}


def _message(job: Job, answer: dict[str, Any]) -> dict[str, Any]:
    annotations = [
        {
            "type": "file_citation",
            "file_id": f"{each['collection']}/{each['document']}",
            "filename": each["title"],
            "index": each["end"],
        }
        for each in cited_places(answer)
    ]
    content = {"type": "output_text", "text": answer["answer"], "annotations": annotations, "logprobs": []}
    return {"id": f"msg_{job.id}", "type": "message", "role": "assistant", "status": "completed", "content": [content]}


def _url_citations(answer: dict[str, Any], request: Request) -> list[dict[str, Any]]:
    urls = {(each["collection"], each["document"]): each["url"] for each in sources_of(answer, _base(request))}
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": each["start"],
                "end_index": each["end"],
                "title": each["title"],
                "url": urls[each["collection"], each["document"]],
            },
        }
        for each in cited_places(answer)
    ]


def _usage(answer: dict[str, Any]) -> dict[str, int]:
    given, came = tokens_of(answer)
    return {"prompt_tokens": given, "completion_tokens": came, "total_tokens": given + came}


def _pieces(text: str) -> list[str]:
    return [text[place : place + _PIECE] for place in range(0, len(text), _PIECE)]


def _base(request: Request) -> str:
    return str(request.base_url).rstrip("/")


def _model(id: str) -> dict[str, Any]:
    return {"id": id, "object": "model", "created": int(time.time()), "owned_by": "scholarmind"}
