"""What tests of ScholarMind, and of programs built on it, use in place of models: real code, small and predictable."""

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import numpy as np

from scholarmind.ports import Embeddings
from scholarmind.text.analysis import terms

__all__ = ["EmbeddingServer", "HashEmbedder", "MemoryJournal", "Reply"]


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


class MemoryJournal:
    """A journal that ends with its program. `steps` lists what was put, in order."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str]] = []  # run and step
        self._values: dict[tuple[str, str], str] = {}

    async def get(self, run: str, address: str) -> str | None:
        """Return what this run noted under the address."""
        return self._values.get((run, address))

    async def put(self, run: str, address: str, step: str, value: str) -> None:
        """Note it."""
        self.steps.append((run, step))
        self._values[run, address] = value


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer that a server gives once, in place of its own."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class EmbeddingServer:
    """A real HTTP server on this machine that speaks OpenAI's `/embeddings`, with faults on request. Use it in a `with` block."""

    def __init__(self, embedder: HashEmbedder | None = None, *, replies: Sequence[Reply] = (), key: str = "") -> None:
        self.embedder = embedder or HashEmbedder()
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self._key = key
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def base_url(self) -> str:
        """What SCHOLARMIND_EMBEDDING_BASE_URL would be."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "EmbeddingServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, path: str, key: str, content: bytes) -> Reply:
        """Return the reply to one request."""
        if self.replies:
            return self.replies.pop(0)
        if path != "/v1/embeddings":
            return Reply(status=404, body=b'{"error": "no such path"}')
        if self._key and key != f"Bearer {self._key}":
            return Reply(status=401, body=b'{"error": "wrong key"}')
        request: dict[str, Any] = json.loads(content)
        self.requests.append(request)
        data = [
            {"index": n, "embedding": self.embedder.vector(text).tolist()} for n, text in enumerate(request["input"])
        ]
        return Reply(body=json.dumps({"object": "list", "data": data, "model": request["model"]}).encode())

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers.get("content-length", 0)))
                reply = server.answer(self.path, self.headers.get("authorization", ""), content)
                self.send_response(reply.status)
                for name, value in {
                    "content-type": "application/json",
                    "content-length": str(len(reply.body)),
                    **reply.headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Keep quiet."""

        return Handler
