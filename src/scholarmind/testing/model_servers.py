"""Small servers of models over HTTP: connections, vectors, reranking, and what servers that speak OpenAI's chat protocol say."""

import asyncio
import base64
import hashlib
import json
import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import inf
from types import TracebackType
from typing import Any, Literal, TypeVar, cast

import numpy as np

from scholarmind.ports import Embeddings
from scholarmind.text.analysis import terms

# -- HTTP/1.1 by hand, as far as a test server needs it: kept connections, bodies of known length, replies whole or in pieces

_LARGEST_HEAD = 64_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A request as it came; the names of headers are in small letters."""

    method: str
    path: str  # without what follows a question mark
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A reply: its pieces with a pause between them. Told to be cut, it ends in its middle and the connection with it."""

    pieces: Sequence[bytes]
    status: int = 200
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    chunked: bool = False
    pause: float = 0.0
    cut: bool = False

    @property
    def head(self) -> bytes:
        """The status line and the headers."""
        length = "Transfer-Encoding: chunked" if self.chunked else f"Content-Length: {sum(map(len, self.pieces))}"
        lines = [f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}", f"Content-Type: {self.kind}", length]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return "\r\n".join([*lines, "\r\n"]).encode("latin-1", "replace")

    def on_the_wire(self) -> list[bytes]:
        """Return all pieces as they are sent, the last of them with the end of the reply."""
        sent = [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in self.pieces] if self.chunked else list(self.pieces)
        if self.cut:
            whole = sent if len(sent) > 1 else [sent[0][: len(sent[0]) // 2], b""]
            return whole[: (len(whole) + 1) // 2]
        return [*sent, b"0\r\n\r\n"] if self.chunked else sent


Answer = Callable[["ClientConnection", Incoming], Awaitable[None]]


class ClientConnection(asyncio.Protocol):
    """One client's connection. A request that its client no longer waits for is cancelled."""

    def __init__(
        self, answer: Answer, connections: set["ClientConnection"], failed: Callable[[BaseException], None]
    ) -> None:
        self.task: asyncio.Task[None] | None = None
        self.closing = False  # by us: a task that is cancelled now says nothing about its client
        self._answer = answer
        self._connections = connections
        self._failed = failed
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        connections.add(self)  # from now on it can be closed, also before there is a way to write

    @property
    def is_open(self) -> bool:
        """Whether there is a client."""
        return self._transport is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to write."""
        self._transport = cast("asyncio.Transport", transport)  # the loop gives no other to a Protocol
        if self.closing:
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """End what was being answered."""
        self._connections.discard(self)
        self._transport = None
        if self.task is not None:
            self.task.cancel()

    def pause_writing(self) -> None:
        """Wait: the client reads more slowly than we write."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Go on."""
        self._writable.set()

    def data_received(self, data: bytes) -> None:
        """Answer when a request is whole."""
        if not self.closing:
            self._received += data
            if self.task is None:
                self._next()

    def close(self) -> None:
        """End the connection at once."""
        self.closing = True
        if self._transport is not None:
            self._transport.abort()

    async def send(self, reply: Outgoing) -> None:
        """Write a reply, with its pauses."""
        pieces = reply.on_the_wire()
        if not reply.pause:
            await self._write(reply.head + b"".join(pieces))
        else:
            await self._write(reply.head)
            loop = asyncio.get_running_loop()
            begun = loop.time()
            for place, piece in enumerate(pieces):
                await asyncio.sleep(begun + place * reply.pause - loop.time())  # from the start: pauses must not add up
                await self._write(piece)
        if reply.cut:
            self.end()

    def end(self) -> None:
        """Say no more when what was written is sent. What the client still sends is passed over, so that it reads our last words."""
        self.closing = True
        if self._transport is not None:
            with suppress(OSError):  # the client has gone before us
                self._transport.write_eof()

    async def _write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)
            await self._writable.wait()

    def _next(self) -> None:
        request = self._parsed()
        if request is not None:
            self.task = asyncio.create_task(self._handled(request))
            self.task.add_done_callback(self._done)

    async def _handled(self, request: Incoming) -> None:
        await self._answer(self, request)
        if request.headers.get("connection", "").lower() == "close":
            self.end()

    def _done(self, task: asyncio.Task[None]) -> None:
        self.task = None
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:  # a rule of the test itself is wrong: say so to both sides
            self._failed(error)
            self._refuse(500, f"{type(error).__name__}: {error}")
        elif not self.closing:
            self._next()

    def _parsed(self) -> Incoming | None:
        """Return the next request, None while it is not whole. One that we cannot read ends the connection."""
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            if len(self._received) > _LARGEST_HEAD:
                self._refuse(431)
            return None
        first, *lines = self._received[:end].decode("latin-1").split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = headers.get("content-length", "0")
        if first.count(" ") != 2 or not length.isdecimal() or "transfer-encoding" in headers:
            self._refuse(411 if "transfer-encoding" in headers else 400)
            return None
        whole = end + 4 + int(length)
        if len(self._received) < whole:
            if headers.get("expect", "").lower() == "100-continue" and self._transport is not None:
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            return None
        body = bytes(self._received[end + 4 : whole])
        del self._received[:whole]
        method, target, _ = first.split(" ")
        return Incoming(method=method, path=target.partition("?")[0], headers=headers, body=body)

    def _refuse(self, status: int, told: str = "") -> None:
        if self._transport is None:
            return
        self._received.clear()
        reply = Outgoing(status=status, pieces=(told.encode("utf-8", "replace"),), kind="text/plain; charset=utf-8")
        self._transport.write(reply.head + reply.pieces[0])
        self.end()


# -- an embedder that needs no model


class HashEmbedder:
    """Vectors from the terms of a text: texts that share terms are near to each other. No model, no state."""

    def __init__(self, dimension: int = 64, unknown: Callable[[str], float] = lambda text: 0.0 * len(text)) -> None:
        self.dimension = dimension
        self.fingerprint = f"hash/{dimension}"
        self._unknown = unknown

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a unit vector for each text."""
        vectors = (
            np.stack([self.vector(text) for text in texts]) if texts else np.empty((0, self.dimension), np.float32)
        )
        return Embeddings(vectors=vectors, unknown=[self._unknown(text) for text in texts])

    def vector(self, text: str) -> Any:
        """Return the vector of one text."""
        vector = np.full(self.dimension, 1e-3, np.float32)
        for term in terms(text):
            digest = hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8).digest()
            vector[int.from_bytes(digest) % self.dimension] += 1
        return vector / np.linalg.norm(vector)


# -- a server that answers posts

S = TypeVar("S", bound="LocalServer")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerReply:
    """An answer that a server gives once, in place of its own."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class LocalServer(ABC):
    """Use it in a `with` block; `replies` are given first, each once."""

    def __init__(self, replies: Sequence[ServerReply] = ()) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []  # the bodies that came
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def base_url(self) -> str:
        """Where it is, as settings have it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self: S) -> S:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @abstractmethod
    def answer(self, path: str, key: str, content: bytes) -> ServerReply:
        """Return the reply to one request."""

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers.get("content-length", 0)))
                reply = server.answer(self.path, self.headers.get("authorization", ""), content)
                self.send_response(reply.status)
                known = {"content-type": "application/json", "content-length": str(len(reply.body))}
                for name, value in {**known, **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Keep quiet."""

        return Handler


# -- a server of embeddings


class EmbeddingServer(LocalServer):
    """Speaks OpenAI's `/embeddings`, with faults on request."""

    def __init__(
        self, embedder: HashEmbedder | None = None, *, replies: Sequence[ServerReply] = (), key: str = ""
    ) -> None:
        super().__init__(replies)
        self.embedder = embedder or HashEmbedder()
        self._key = key

    def answer(self, path: str, key: str, content: bytes) -> ServerReply:
        """Return the reply to one request."""
        if self.replies:
            return self.replies.pop(0)
        if path != "/v1/embeddings":
            return ServerReply(status=404, body=b'{"error": "no such path"}')
        if self._key and key != f"Bearer {self._key}":
            return ServerReply(status=401, body=b'{"error": "wrong key"}')
        request: dict[str, Any] = json.loads(content)
        self.requests.append(request)
        data = [
            {"index": n, "embedding": self.embedder.vector(text).tolist()} for n, text in enumerate(request["input"])
        ]
        return ServerReply(body=json.dumps({"object": "list", "data": data, "model": request["model"]}).encode())


# -- a server that reranks, in either shape that such servers have


def _shared_words(query: str, text: str) -> float:
    """Return the share of the query's words that the text has."""
    asked = frozenset(terms(query))
    return len(asked.intersection(terms(text))) / max(1, len(asked))


class RerankServer(LocalServer):
    """Scores each text; `keys` are what stood in the Authorization of each request."""

    def __init__(
        self,
        shape: Literal["cohere", "tei"] = "cohere",
        *,
        score: Callable[[str, str], float] = _shared_words,
        replies: Sequence[ServerReply] = (),
        key: str = "",
        latency: float = 0.0,
    ) -> None:
        super().__init__(replies)
        self.keys: list[str] = []
        self._shape = shape
        self._score = score
        self._key = key
        self._latency = latency

    def answer(self, path: str, key: str, content: bytes) -> ServerReply:
        """Return the reply to one request."""
        request: dict[str, Any] = json.loads(content)
        self.requests.append(request)
        self.keys.append(key)
        time.sleep(self._latency)
        if self.replies:
            return self.replies.pop(0)
        if path != "/v1/rerank":
            return ServerReply(status=404, body=b'{"error": "no such path"}')
        if self._key and key != f"Bearer {self._key}":
            return ServerReply(status=401, body=b'{"error": "wrong key"}')
        field, name = ("texts", "score") if self._shape == "tei" else ("documents", "relevance_score")
        if field not in request:
            return ServerReply(status=422, body=f'{{"error": "missing field `{field}`"}}'.encode())
        rows = [{"index": n, name: self._score(request["query"], text)} for n, text in enumerate(request[field])]
        rows.sort(key=lambda row: -row[name])
        return ServerReply(body=json.dumps(rows if self._shape == "tei" else {"results": rows}).encode())


# -- the protocol of an OpenAI-compatible server of language models: what a call asks, how replies are worded, and a log of the calls

# -- the smallest value that a JSON schema allows

Schema = Mapping[str, Any]
_DEEPEST = 40  # a schema that requires itself has no value at all
_PLAIN: Mapping[str, Any] = {"boolean": False, "null": None}


def minimal(schema: Schema, root: Schema | None = None, depth: int = 0) -> Any:
    """Return a minimal valid instance of a schema."""
    root = schema if root is None else root
    if depth > _DEEPEST:
        return None
    sure = [schema["enum"][0]] if schema.get("enum") else []
    sure += [schema[name] for name in ("const", "default") if name in schema]
    if sure:
        return sure[0]
    chosen = _chosen(schema, root)
    return _of_type(schema, root, depth) if chosen is None else minimal(chosen, root, depth + 1)


def _chosen(schema: Schema, root: Schema) -> Schema | None:
    """Return the schema that stands in place of this one, if another does."""
    if "$ref" in schema:
        return _named(str(schema["$ref"]), root)
    for choice in ("anyOf", "oneOf"):
        if schema.get(choice):
            return schema[choice][0]
    return _together(schema, root) if schema.get("allOf") else None


def _of_type(schema: Schema, root: Schema, depth: int) -> Any:
    kind: Any = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind if isinstance(kind, str) else kind[0]
    if kind == "object":
        properties = _properties(schema)
        return {name: minimal(properties.get(name, {}), root, depth + 1) for name in schema.get("required", ())}
    if kind == "array":
        return [minimal(schema.get("items") or {}, root, depth + 1) for _ in range(schema.get("minItems", 0))]
    if kind in {"integer", "number"}:
        return _number(schema)
    if kind == "string":
        return "ok".ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength", 1_000)]
    return _PLAIN.get(kind)


def _number(schema: Schema) -> Any:
    value: Any = 0
    value = max(value, schema.get("minimum", value), schema.get("exclusiveMinimum", -1) + 1)
    return min(value, schema.get("maximum", value), schema.get("exclusiveMaximum", value + 1) - 1)


def _named(reference: str, root: Schema) -> Schema:
    """Return the schema that `#/$defs/Name` points to."""
    found: Any = root
    for name in reference.removeprefix("#").strip("/").split("/"):
        found = found[name] if name else found
    return found


def _together(schema: Schema, root: Schema) -> Schema:
    every = [_named(str(part["$ref"]), root) if "$ref" in part else part for part in schema["allOf"]]
    parts = [{name: value for name, value in schema.items() if name != "allOf"}, *every]
    merged: dict[str, Any] = {}
    for part in parts:
        merged |= part
    merged["properties"] = dict(pair for part in parts for pair in _properties(part).items())
    merged["required"] = [name for part in parts for name in part.get("required", ())]
    return merged


def _properties(schema: Schema) -> Schema:
    return schema.get("properties") or {}


# -- what a call asks

Rung = Literal["", "prompt", "json_object", "tools", "json_schema", "json_schema strict"]  # "": no JSON was asked for
JSON = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request to the server. `rung` says by which means JSON was asked for, `schema` of which kind."""

    number: int  # from 1, in the order of arrival
    path: str
    body: JSON
    key: str = ""  # as the client sent it
    rung: Rung = ""
    schema: JSON | None = None
    schema_name: str = ""
    purposes: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def model(self) -> str:
        """The model that was asked."""
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> list[JSON]:
        """The messages as they came."""
        return self.body.get("messages") or []

    @property
    def stream(self) -> bool:
        """Whether the reply is wanted in pieces."""
        return bool(self.body.get("stream"))

    @property
    def chat(self) -> bool:
        """Whether it is a call to a language model."""
        return self.path.endswith("/chat/completions")

    @property
    def most_tokens(self) -> int | None:
        """How long the reply may be."""
        return self.body.get("max_completion_tokens") or self.body.get("max_tokens")

    @cached_property
    def text(self) -> str:
        """All that the messages say."""
        return "\n".join(said(message) for message in self.messages)

    @cached_property
    def purpose(self) -> str:
        """What it is for: by the first of the server's `purposes` that the text matches, else the name of the schema."""
        named = (name for pattern, name in self.purposes.items() if re.search(pattern, self.text))
        return next(named, self.schema_name)


def said(message: JSON) -> str:
    """Return the text of a message, which may come in parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def tokens(text: str) -> int:
    """Estimate the tokens of a text: four bytes make one, which Chinese pays three of a character."""
    return (len(text.encode("utf-8", "replace")) + 3) // 4


def asked_for(body: JSON) -> tuple[Rung, JSON | None, str]:
    """Return by which means a body asks for JSON, of which schema, and the schema's name."""
    wanted: JSON = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        told: JSON = wanted.get("json_schema") or {}
        return "json_schema strict" if told.get("strict") else "json_schema", told.get("schema"), told.get("name", "")
    if body.get("tools") and body.get("tool_choice") != "none":
        function: JSON = body["tools"][0].get("function") or {}
        return "tools", function.get("parameters"), function.get("name", "")
    schema = wanted.get("schema") or _schema_within(body)
    name = str(schema.get("title", "")) if schema else ""
    if wanted.get("type") == "json_object":
        return "json_object", schema, name
    return ("prompt" if schema else ""), schema, name


def _schema_within(body: JSON) -> JSON | None:
    """Return the JSON schema that the messages show, if they do."""
    messages: list[JSON] = body.get("messages") or []
    for text in map(said, messages):
        known = text.find('"properties"')
        start = text.find("{")
        while 0 <= start < known:
            found = _object_at(text, start)
            if found is not None and found.get("type") == "object" and "properties" in found:
                return found
            start = text.find("{", start + 1)
    return None


def _object_at(text: str, start: int) -> JSON | None:
    try:
        found, _ = json.JSONDecoder().raw_decode(text, start)
    except json.JSONDecodeError:
        return None
    return cast("JSON", found) if isinstance(found, dict) else None


# -- how replies are worded: completions whole and in pieces, vectors, models, errors

_PIECE = 4  # characters in a streamed token; more where there would be too many
_MOST_PIECES = 4_000
_AT_ONCE = 16  # pieces of a text that comes all at once, as servers send what has piled up
_EVENTS = "text/event-stream"


def completion(call: Call, text: str, *, pause: float = 0.0, endless: bool = False) -> Outgoing:
    """Return the reply that says the text, cut to the tokens that the call allows unless it is to be endless."""
    text, finish = (text, "length") if endless else _allowed(call, text)
    return _pieces(call, text, finish, pause) if call.stream else _whole(call, text, finish)


def error(status: int, message: str, **more: Any) -> Outgoing:
    """Return a refusal; `more` are its headers, and the fields `type`, `code` and `param` of the error."""
    fields = {name: more.pop(name, None) for name in ("type", "param", "code")}
    body = json.dumps({"error": {"message": message, **fields}}, ensure_ascii=False).encode()
    return Outgoing(
        status=status, pieces=(body,), headers={name.replace("_", "-"): told for name, told in more.items()}
    )


def as_json(value: Any, status: int = 200) -> Outgoing:
    """Return a reply of plain JSON."""
    return Outgoing(status=status, pieces=(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"),))


def vectors(call: Call, embedder: HashEmbedder) -> Outgoing:
    """Return a vector for each text of an embeddings call."""
    given: Any = call.body.get("input", [])
    texts: list[str] = [given] if isinstance(given, str) else list(given)
    packed = call.body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": place, "embedding": _vector(embedder, text, packed)}
        for place, text in enumerate(texts)
    ]
    count = sum(map(tokens, texts))
    return as_json(
        {
            "object": "list",
            "data": data,
            "model": call.model,
            "usage": {"prompt_tokens": count, "total_tokens": count},
        }
    )


def models(names: Sequence[str]) -> Outgoing:
    """Return the list of models."""
    data = [{"id": name, "object": "model", "created": 0, "owned_by": "scholarmind"} for name in names]
    return as_json({"object": "list", "data": data})


def _vector(embedder: HashEmbedder, text: str, packed: bool) -> Any:
    vector = embedder.vector(text)
    return base64.b64encode(vector.tobytes()).decode() if packed else vector.tolist()


def _allowed(call: Call, text: str) -> tuple[str, str]:
    count, most = tokens(text), call.most_tokens
    if most is not None and count > most:
        return text[: len(text) * most // count], "length"
    return text, "tool_calls" if call.rung == "tools" else "stop"


def _usage(call: Call, text: str) -> dict[str, int]:
    prompt, reply = tokens(call.text), tokens(text)
    return {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}


def _tool(call: Call, text: str, **more: Any) -> list[dict[str, Any]]:
    return [{"id": f"call_{call.number}", "type": "function", **more} | _arguments(call, text)]


def _arguments(call: Call, text: str) -> dict[str, Any]:
    return {"function": {"name": call.schema_name, "arguments": text}}


def _whole(call: Call, text: str, finish: str) -> Outgoing:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if call.rung == "tools":
        message |= {"content": None, "tool_calls": _tool(call, text)}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return as_json(_about(call, "chat.completion") | {"choices": [choice], "usage": _usage(call, text)})


def _about(call: Call, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{call.number}", "object": kind, "created": 0, "model": call.model}


def _pieces(call: Call, text: str, finish: str, pause: float) -> Outgoing:
    about = _about(call, "chat.completion.chunk")
    first: dict[str, Any] = {"role": "assistant", "content": ""}
    if call.rung == "tools":
        first |= {"content": None, "tool_calls": _tool(call, "", index=0)}
    sent = [
        _event(about, first),
        *_said(call, about, text, _MOST_PIECES if pause else _AT_ONCE),
        _event(about, {}, finish),
    ]
    options: dict[str, Any] = call.body.get("stream_options") or {}
    if options.get("include_usage"):
        sent.append(_data(about | {"choices": [], "usage": _usage(call, text)}))
    return Outgoing(pieces=[*sent, b"data: [DONE]\n\n"], kind=_EVENTS, chunked=True, pause=pause)


def _said(call: Call, about: dict[str, Any], text: str, most: int) -> list[bytes]:
    """Return an event for each token, or for several of them. Only the token differs, so the rest of the event is made once."""
    delta = (
        {"tool_calls": [{"index": 0, "function": {"arguments": "\0"}}]} if call.rung == "tools" else {"content": "\0"}
    )
    before, _, after = _event(about, delta).partition(b'"\\u0000"')
    size = max(_PIECE, -(-len(text) // most))
    tokens_of_text = (text[start : start + size] for start in range(0, len(text), size))
    return [before + json.dumps(token).encode() + after for token in tokens_of_text]


def _event(about: dict[str, Any], delta: dict[str, Any], finish: str | None = None) -> bytes:
    return _data(about | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _data(value: Any) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


# -- the log: how many calls waited for one another, and how many ran at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """One call. `end` is None while it is answered; times are those of `time.monotonic`."""

    number: int
    path: str
    model: str
    purpose: str
    stream: bool
    rung: Rung
    start: float
    end: float | None = None
    status: int | None = None  # None: no reply was ready before it ended
    fault: str = ""
    gone: bool = False  # the client went away before the end


class CallLog:
    """The calls of a server, in the order in which they came."""

    def __init__(self) -> None:
        self._calls: dict[int, Logged] = {}

    @property
    def calls(self) -> list[Logged]:
        """All calls until now."""
        return list(self._calls.values())

    def start(self, call: Call) -> None:
        """Note that a call came."""
        self._calls[call.number] = Logged(
            number=call.number,
            path=call.path,
            model=call.model,
            purpose=call.purpose,
            stream=call.stream,
            rung=call.rung,
            start=time.monotonic(),
        )

    def note(self, number: int, *, fault: str = "", status: int | None = None) -> None:
        """Note what it is answered with."""
        if number in self._calls:  # the log may have been cleared meanwhile
            self._calls[number] = replace(self._calls[number], fault=fault, status=status)

    def end(self, number: int, *, gone: bool) -> None:
        """Note that it is over."""
        if number in self._calls:
            self._calls[number] = replace(self._calls[number], end=time.monotonic(), gone=gone)

    def clear(self) -> None:
        """Forget all calls."""
        self._calls = {}


def levels(calls: Sequence[Logged]) -> int:
    """Return how many calls ran one after another: the longest chain of which each started after the one before had ended."""
    count, over = 0, -inf
    for call in sorted(calls, key=_end):  # who ends first leaves most room to those after
        if call.start > over:
            count, over = count + 1, _end(call)
    return count


def most_at_once(calls: Sequence[Logged]) -> int:
    """Return how many calls ran at the same time at most."""
    changes = sorted([(call.start, 1) for call in calls] + [(_end(call), -1) for call in calls])
    now = most = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def _end(call: Logged) -> float:
    return inf if call.end is None else call.end
