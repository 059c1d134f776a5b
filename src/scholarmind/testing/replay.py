"""What a real server said, recorded once and said again without it: two transports for the HTTP client.

httpx2.AsyncClient(transport=Recording("plan.jsonl"))   # asks the server, and notes what it said
httpx2.AsyncClient(transport=Replaying("plan.jsonl"))   # asks nobody
"""

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

import httpx2

from scholarmind.testing.cassette import Asked, Cassette, Told, line_of, without

_KEPT = ("content-type", "retry-after")
_KEYS = ("authorization", "proxy-authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie")
_DONE = b"data: [DONE]"
_SHORTEST_KEY = 8  # local servers are given words such as "none", which other texts hold too
_EVENT = re.compile(r".*?\r?\n\r?\n|.+\Z", re.DOTALL)


class Recording(httpx2.AsyncBaseTransport):
    """Passes requests on and writes each with its reply to a file, which begins anew with the first reply. Keys are not written."""

    def __init__(self, path: str | Path, inner: httpx2.AsyncBaseTransport | None = None) -> None:
        self._path = Path(path)
        self._inner = inner
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx2.AsyncBaseTransport] = WeakKeyDictionary()
        self._writing = threading.Lock()
        self._begun = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Ask the server."""
        secrets = _secrets(request)
        asked = await _asked(request, secrets)
        reply = await self._line().handle_async_request(request)
        headers = {name: reply.headers[name] for name in _KEPT if name in reply.headers}

        def note(body: str, whole: bool) -> None:
            self._write(asked, _told(reply.status_code, headers, body, whole=whole, secrets=secrets))

        return httpx2.Response(reply.status_code, headers=headers, stream=_Noted(reply, note))

    async def aclose(self) -> None:
        """Close the line to the server. A client that asks again gets a new one."""
        line = self._inner or self._lines.pop(asyncio.get_running_loop(), None)
        if line is not None:
            await line.aclose()

    def _line(self) -> httpx2.AsyncBaseTransport:
        """Return the way to the server: one for each loop, since none can serve two."""
        if self._inner is not None:
            return self._inner
        loop = asyncio.get_running_loop()
        if loop not in self._lines:
            self._lines[loop] = httpx2.AsyncHTTPTransport()
        return self._lines[loop]

    def _write(self, asked: Asked, told: Told) -> None:
        with self._writing, self._path.open("ab" if self._begun else "wb") as file:
            file.write(line_of(asked, told))
            self._begun = True


class Replaying(httpx2.AsyncBaseTransport):
    """Replies from such a file. What was not recorded is a ModelUnavailableError that shows the request."""

    def __init__(self, path: str | Path) -> None:
        self._cassette = Cassette(Path(path))

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Look the reply up."""
        told = self._cassette.next(await _asked(request, _secrets(request)))
        return httpx2.Response(told.status, headers=dict(told.headers), stream=_Replayed(told))


class _Noted(httpx2.AsyncByteStream):
    """The body of a reply, unpacked, that tells `note` what was read of it: once, at its end or when it is left."""

    def __init__(self, reply: httpx2.Response, note: Callable[[str, bool], None]) -> None:
        self._reply = reply
        self._note: Callable[[str, bool], None] | None = note
        self._body = bytearray()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._reply.aiter_bytes():
            self._body += piece
            yield piece
        self._end(whole=True)

    async def aclose(self) -> None:
        self._end(whole=self._body.rstrip().endswith(_DONE))  # after it nobody reads on
        await self._reply.aclose()

    def _end(self, *, whole: bool) -> None:
        if self._note is not None:
            self._note(self._body.decode("utf-8", "replace"), whole)
            self._note = None


class _Replayed(httpx2.AsyncByteStream):
    """A recorded body, event by event."""

    def __init__(self, told: Told) -> None:
        self._told = told

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for event in _EVENT.findall(self._told.body):
            yield event.encode("utf-8", "replace")
            await asyncio.sleep(0)  # others run between two events, as they do with a server
        if not self._told.whole:
            raise httpx2.RemoteProtocolError("the recorded reply ends here, before its end")


def _told(status: int, headers: Mapping[str, str], body: str, *, whole: bool, secrets: Sequence[str]) -> Told:
    return Told(status=status, headers=headers, body=without(body, secrets), whole=whole)


async def _asked(request: httpx2.Request, secrets: Sequence[str]) -> Asked:
    content = (await request.aread()).decode("utf-8", "replace")
    return Asked.of(request.method, request.url.raw_path.decode("ascii"), content, secrets)


def _secrets(request: httpx2.Request) -> list[str]:
    """Return the keys of a request, the longest first; a server may repeat them in its reply."""
    told = [request.headers[name] for name in _KEYS if name in request.headers]
    parts = {part for value in told for part in (value, value.split(" ")[-1]) if len(part) >= _SHORTEST_KEY}
    return sorted(parts, key=len, reverse=True)
