"""Scores from a server with `/rerank`, as Cohere, Jina, vLLM and llama.cpp have it (one shape) and text-embeddings-inference (another).

A request has one limit of time: it is tried again where that may help, and never sent on to where the server points.
"""

import asyncio
import functools
import ipaddress
import json
import math
import random
import ssl
from collections.abc import Mapping, Sequence
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import urlsplit

from scholarmind.adapters.rerankers import sigmoid
from scholarmind.errors import ModelError, ModelReplyError, ModelUnavailableError, SettingsError
from scholarmind.model import Evidence, text_to_embed
from scholarmind.ports import Rated

if TYPE_CHECKING:
    import httpx2


# -- requests

_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 3.0
_MOST_BYTES = 16_000_000
_TOLD = 200  # characters of a server's own words
_PASSING = {408, 425, 429}


class RerankRefusedError(ModelUnavailableError):
    """A server refused a request, or could not be reached (status 0)."""

    def __init__(self, message: str, status: int = 0, wait: float = 0.0) -> None:
        super().__init__(message)
        self.status = status
        self.wait = wait  # seconds that the server asked for

    @property
    def passing(self) -> bool:
        """Whether the same may go well at the next try."""
        return self.status in _PASSING or self.status >= 500 or self.status == 0


class _Posting:
    """A client that lives as long as its `async with` block, which nothing stays open after."""

    def __init__(self, url: str, key: str, seconds: float) -> None:
        self._url = url
        self._key = key
        self._server = urlsplit(url).hostname or ""
        self._seconds = seconds

    async def __aenter__(self) -> "_Posting":
        import httpx2  # noqa: PLC0415

        self._deadline = asyncio.get_running_loop().time() + self._seconds
        self._client = httpx2.AsyncClient(
            headers={"Content-Type": "application/json", "Accept-Encoding": "identity"}
            | ({"Authorization": f"Bearer {self._key}"} if self._key else {}),
            timeout=self._seconds,
            trust_env=not _is_here(self._server),  # a proxy leads to the world, not to this machine
            verify=await asyncio.to_thread(_trust),
            follow_redirects=False,  # the key is meant for this server
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def post(self, body: Mapping[str, Any]) -> bytes:
        """Return what the server answers; a RefusedError where it does not, or not in time."""
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        pause = _FIRST_PAUSE
        while True:
            try:
                async with asyncio.timeout_at(self._deadline):
                    return await self._once(content)
            except TimeoutError as late:
                raise RerankRefusedError(f"{self._server} took longer than {self._seconds:g} seconds") from late
            except RerankRefusedError as fault:
                wait = fault.wait or random.uniform(pause / 2, pause)  # noqa: S311  (no secret)
                if not fault.passing or asyncio.get_running_loop().time() + wait >= self._deadline:
                    raise
            await asyncio.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _once(self, content: bytes) -> bytes:
        import httpx2  # noqa: PLC0415

        try:
            async with self._client.stream("POST", self._url, content=content) as answer:
                if answer.is_success:
                    return await _whole(answer)
                told = (await _whole(answer)).decode("utf-8", "replace")
                raise self._refusal(answer.status_code, told, answer.headers)
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            told = self._redacted(f"{type(error).__name__}: {error}")
            raise RerankRefusedError(
                f"{self._server} could not be asked ({told})"
            ) from None  # its words may hold the key

    def _refusal(self, status: int, told: str, headers: Mapping[str, str]) -> RerankRefusedError:
        words = self._redacted(told)[:_TOLD] or "no words"
        advice = {401: "; check rerank_api_key", 403: "; check rerank_api_key"}.get(status, "")
        if 300 <= status < 400:
            advice = f"; it points to {self._redacted(headers.get('location', ''))[:_TOLD]!r}: check rerank_base_url"
        return RerankRefusedError(f"{self._server} answered {status}: {words}{advice}", status, _asked_wait(headers))

    def _redacted(self, words: str) -> str:
        return " ".join((words.replace(self._key, "***") if self._key else words).split())


def _asked_wait(headers: Mapping[str, str]) -> float:
    """Return for how many seconds a server asks to be left alone, in seconds or until a date; 0 if it does not say."""
    told = headers.get("retry-after", "").strip()
    with suppress(ValueError):
        return max(0.0, float(told)) if told[:1].isdigit() else _until(parsedate_to_datetime(told))
    return 0.0


def _until(date: datetime) -> float:
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())


async def _whole(answer: "httpx2.Response") -> bytes:
    """Return the body. A small one that is packed could fill the memory, and none was asked for."""
    if coding := answer.headers.get("content-encoding", "").strip().replace("identity", ""):
        raise ModelReplyError(f"{answer.url.host} sent a reply packed as {coding[:20]!r}, which was not asked for")
    content = bytearray()
    async with aclosing(answer.aiter_bytes()) as parts:
        async for part in parts:
            content += part
            if len(content) > _MOST_BYTES:
                raise ModelReplyError(f"{answer.url.host} sent more than {_MOST_BYTES:,} bytes")
    return bytes(content)


def _is_here(host: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


@functools.cache
def _trust() -> ssl.SSLContext:
    """What certificates are trusted. With the import of the client this takes 200 ms, once in a process."""
    import httpx2  # noqa: PLC0415

    return httpx2.create_ssl_context()


# -- replies: a score for each of the texts by its index

_SCORES = ("relevance_score", "score")
_SHOWN = 80


def _scores(content: bytes, count: int) -> dict[int, float]:
    """Return the scores by index. What has no index of a text, comes twice, or is no number is passed over."""
    try:
        reply: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        told = content[:_SHOWN].decode("utf-8", "replace")
        raise ModelReplyError(f"answered with something that is not JSON ({told!r})") from error
    rows = _rows(reply)
    if rows is None:
        told = json.dumps(reply)[:_SHOWN]
        raise ModelReplyError(f"answered without results ({told}); is it a rerank endpoint?")
    found: dict[int, float] = {}
    for row in rows:
        place, score = _read(row)
        if place is not None and 0 <= place < count and score is not None:
            found.setdefault(place, score)
    return found


def _rows(reply: Any) -> Sequence[Any] | None:
    """Find the rows in {"results": [...]}, {"data": [...]} or a plain list."""
    if isinstance(reply, dict):
        fields = cast("dict[str, Any]", reply)
        reply = fields.get("results", fields.get("data"))
    return cast("list[Any]", reply) if isinstance(reply, list) else None


def _read(row: Any) -> tuple[int | None, float | None]:
    if not isinstance(row, dict):
        return None, None
    fields = cast("dict[str, Any]", row)
    score = next((fields[name] for name in _SCORES if name in fields), None)
    return _whole_number(fields.get("index")), _number(score)


def _whole_number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    with suppress(OverflowError):  # a whole number with hundreds of digits
        return float(value) if math.isfinite(value) else None
    return None


# -- the reranker

_Shape = Literal["cohere", "tei"]
_UNKNOWN_FIELDS = {400, 404, 405, 415, 422}  # what servers say to a request in the other shape


class HttpReranker:
    """One model on one server. Which of the two shapes it speaks is found out by the first question."""

    name = "http"

    def __init__(self, *, base_url: str, model: str = "", api_key: str = "", seconds: float = 5.0) -> None:
        self._server = _server(base_url)
        self._url = f"{base_url.rstrip('/').removesuffix('/rerank')}/rerank"
        self._model = model
        self._key = api_key
        self._shape: _Shape | None = None
        self._seconds = seconds
        self._unbounded = False  # whether scores were seen that are no probabilities

    async def rate(self, question: str, evidence: Sequence[Evidence]) -> Rated:
        """Return the server's scores; a passage that it leaves out has none."""
        if not evidence:
            return Rated(scores=())
        texts = [text_to_embed(item.document.title, item.passage) for item in evidence]
        try:
            async with _Posting(self._url, self._key, self._seconds) as posting:
                found = await self._asked(posting, question, texts)
        except ModelError as error:
            return Rated(scores=(None,) * len(texts), notes=(f"not ordered by the rerank server: {error}",))
        # once seen it holds for all that come: scores of one question must not stand on two scales
        self._unbounded = self._unbounded or any(not 0 <= score <= 1 for score in found.values())
        if self._unbounded:
            found = {place: sigmoid(score) for place, score in found.items()}
        missing = len(texts) - len(found)
        notes = (f"{self._server} gave no score for {missing} of {len(texts)} passages; they keep their places",)
        return Rated(scores=tuple(found.get(place) for place in range(len(texts))), notes=notes if missing else ())

    async def _asked(self, posting: _Posting, question: str, texts: Sequence[str]) -> dict[int, float]:
        """Return the scores by place, in whichever shape the server understands; that one is used from then on."""
        if self._shape:
            return await self._said(posting, self._shape, question, texts)
        try:
            found = await self._said(posting, "cohere", question, texts)
        except RerankRefusedError as refused:
            if refused.status not in _UNKNOWN_FIELDS:
                raise
            found = await self._otherwise(posting, question, texts, refused)
            self._shape = "tei"
        else:
            self._shape = "cohere"
        return found

    async def _otherwise(
        self, posting: _Posting, question: str, texts: Sequence[str], refused: RerankRefusedError
    ) -> dict[int, float]:
        try:
            return await self._said(posting, "tei", question, texts)
        except RerankRefusedError as other:
            raise RerankRefusedError(
                f"{refused}, and in the other shape: {other}; check rerank_base_url and rerank_model", other.status
            ) from other

    async def _said(self, posting: _Posting, shape: _Shape, question: str, texts: Sequence[str]) -> dict[int, float]:
        content = await posting.post(self._body(shape, question, texts))
        try:
            return _scores(content, len(texts))
        except ModelReplyError as error:
            raise ModelReplyError(f"{self._server} {error}") from error

    def _body(self, shape: _Shape, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
        if shape == "tei":
            return {"query": question, "texts": texts, "raw_scores": False, "truncate": True}
        named = {"model": self._model} if self._model else {}
        return {**named, "query": question, "documents": texts, "top_n": len(texts)}


def _server(base_url: str) -> str:
    """Return the name of the server, or say what is wrong with its address."""
    with suppress(ValueError):
        parts = urlsplit(base_url)
        if parts.scheme in {"http", "https"} and parts.hostname:
            return parts.hostname
    raise SettingsError(
        f"rerank = 'http' needs rerank_base_url, which is {base_url!r}; it is the address of a server with /rerank, "
        "such as 'https://api.jina.ai/v1', 'https://api.cohere.com/v2' or 'http://localhost:8080'"
    )
