"""A server of embeddings, with replies of your own in place of its vectors."""

import json
from collections.abc import Sequence
from typing import Any

from scholarmind.testing.embedders import HashEmbedder
from scholarmind.testing.local_server import LocalServer, Reply


class EmbeddingServer(LocalServer):
    """Speaks OpenAI's `/embeddings`, with faults on request."""

    def __init__(self, embedder: HashEmbedder | None = None, *, replies: Sequence[Reply] = (), key: str = "") -> None:
        super().__init__(replies)
        self.embedder = embedder or HashEmbedder()
        self._key = key

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
