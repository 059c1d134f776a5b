"""A server of embeddings, with replies of your own in place of its vectors."""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from scholarmind.testing.embedders import HashEmbedder


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
