"""Embeddings and scores without a model: an embedder within the program, and servers that embed and rerank by shared words.

The servers are real HTTP servers on this machine, with replies of your own in place of theirs. Language models are in `scripted`.
"""

import hashlib
import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, TypeVar

import numpy as np

from scholarmind.ports import Embeddings
from scholarmind.text.analysis import terms

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
