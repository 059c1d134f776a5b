"""Small servers of models over HTTP: connections, vectors, reranking."""

import asyncio
import hashlib
import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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
