"""A server that reranks by shared words, in either shape that such servers have, with replies of your own in place of its scores."""

import json
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

from scholarmind.testing.local_server import LocalServer, Reply
from scholarmind.text.analysis import terms


def shared_words(query: str, text: str) -> float:
    """Return the share of the query's words that the text has."""
    asked = frozenset(terms(query))
    return len(asked.intersection(terms(text))) / max(1, len(asked))


class RerankServer(LocalServer):
    """Scores each text; `keys` are what stood in the Authorization of each request."""

    def __init__(
        self,
        shape: Literal["cohere", "tei"] = "cohere",
        *,
        score: Callable[[str, str], float] = shared_words,
        replies: Sequence[Reply] = (),
        key: str = "",
        latency: float = 0.0,
    ) -> None:
        super().__init__(replies)
        self.keys: list[str] = []
        self._shape = shape
        self._score = score
        self._key = key
        self._latency = latency

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
