"""A server that reranks by shared words, in either shape that such servers have, with replies of your own in place of its scores."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

from scholarmind.testing.embedding_server import Reply
from scholarmind.text.analysis import terms


def shared_words(query: str, text: str) -> float:
    """Return the share of the query's words that the text has."""
    asked = frozenset(terms(query))
    return len(asked.intersection(terms(text))) / max(1, len(asked))


class RerankServer:
    """A real HTTP server on this machine. Use it in a `with` block; `replies` are given first, each once."""

    def __init__(
        self,
        shape: Literal["cohere", "tei"] = "cohere",
        *,
        score: Callable[[str, str], float] = shared_words,
        replies: Sequence[Reply] = (),
        key: str = "",
        latency: float = 0.0,
    ) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []  # every body that came
        self.keys: list[str] = []  # and what stood in its Authorization
        self._shape = shape
        self._score = score
        self._key = key
        self._latency = latency
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def base_url(self) -> str:
        """What SCHOLARMIND_RERANK_BASE_URL would be."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "RerankServer":
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
        request: dict[str, Any] = json.loads(content)
        self.requests.append(request)
        self.keys.append(key)
        time.sleep(self._latency)
        if self.replies:
            return self.replies.pop(0)
        if path != "/v1/rerank":
            return Reply(status=404, body=b'{"error": "no such path"}')
        if self._key and key != f"Bearer {self._key}":
            return Reply(status=401, body=b'{"error": "wrong key"}')
        field, name = ("texts", "score") if self._shape == "tei" else ("documents", "relevance_score")
        if field not in request:
            return Reply(status=422, body=f'{{"error": "missing field `{field}`"}}'.encode())
        rows = [{"index": n, name: self._score(request["query"], text)} for n, text in enumerate(request[field])]
        rows.sort(key=lambda row: -row[name])
        return Reply(body=json.dumps(rows if self._shape == "tei" else {"results": rows}).encode())

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
