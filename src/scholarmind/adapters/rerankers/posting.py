"""POST requests to one server within one limit of time: tried again where that may help, never sent on to where the server points."""

import asyncio
import functools
import ipaddress
import json
import random
import ssl
from collections.abc import Mapping
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scholarmind.errors import ModelReplyError, ModelUnavailableError

if TYPE_CHECKING:
    import httpx2

_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 3.0
_MOST_BYTES = 16_000_000
_TOLD = 200  # characters of a server's own words
_PASSING = {408, 425, 429}


class RefusedError(ModelUnavailableError):
    """A server refused a request, or could not be reached (status 0)."""

    def __init__(self, message: str, status: int = 0, wait: float = 0.0) -> None:
        super().__init__(message)
        self.status = status
        self.wait = wait  # seconds that the server asked for

    @property
    def passing(self) -> bool:
        """Whether the same may go well at the next try."""
        return self.status in _PASSING or self.status >= 500 or self.status == 0


class Posting:
    """A client that lives as long as its `async with` block, which nothing stays open after."""

    def __init__(self, url: str, key: str, seconds: float) -> None:
        self._url = url
        self._key = key
        self._server = urlsplit(url).hostname or ""
        self._seconds = seconds

    async def __aenter__(self) -> "Posting":
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
                raise RefusedError(f"{self._server} took longer than {self._seconds:g} seconds") from late
            except RefusedError as fault:
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
            raise RefusedError(f"{self._server} could not be asked ({told})") from None  # its words may hold the key

    def _refusal(self, status: int, told: str, headers: Mapping[str, str]) -> RefusedError:
        words = self._redacted(told)[:_TOLD] or "no words"
        advice = {401: "; check rerank_api_key", 403: "; check rerank_api_key"}.get(status, "")
        if 300 <= status < 400:
            advice = f"; it points to {self._redacted(headers.get('location', ''))[:_TOLD]!r}: check rerank_base_url"
        return RefusedError(f"{self._server} answered {status}: {words}{advice}", status, asked_wait(headers))

    def _redacted(self, words: str) -> str:
        return " ".join((words.replace(self._key, "***") if self._key else words).split())


def asked_wait(headers: Mapping[str, str]) -> float:
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
