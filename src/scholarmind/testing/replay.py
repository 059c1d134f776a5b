"""What a real server said, recorded once and said again without it: two transports for the HTTP client.

httpx2.AsyncClient(transport=Recording("plan.jsonl"))   # asks the server, and notes what it said
httpx2.AsyncClient(transport=Replaying("plan.jsonl"))   # asks nobody

The file holds one exchange a line, as JSON, without headers and without keys.
"""

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, urlencode
from weakref import WeakKeyDictionary

import httpx2

from scholarmind.errors import ModelUnavailableError

# -- the file of exchanges

_MARKER = re.compile(r"</?\w+ ([0-9a-f]{12})\b")  # of the fences around documents: another one in every run
_ANY_MARKER = "MARKER"
_SECRET = re.compile(r"key|token|secret|signature", re.IGNORECASE)
_SHOWN = 60  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class _RecordedRequest:
    """A request by what its reply depends on. Two that are alike are the same."""

    method: str
    path: str  # with what follows a question mark
    body: str  # JSON in one spelling, or any other text

    @classmethod
    def of(cls, method: str, target: str, content: str, secrets: Sequence[str] = ()) -> "_RecordedRequest":
        """Return a request without its secrets and without the marker of its run."""
        path, _, query = target.partition("?")
        named = [(name, value) for name, value in parse_qsl(query) if not _SECRET.search(name)]
        body = _without(_one_spelling(content), secrets)
        for marker in set(_MARKER.findall(body)):
            body = body.replace(marker, _ANY_MARKER)
        return cls(method=method, path=f"{path}?{urlencode(named)}" if named else path, body=body)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RecordedReply:
    """A reply. One that is not whole ended before its end: it broke, or who had asked read no further."""

    status: int
    headers: Mapping[str, str]
    body: str
    whole: bool = True


class _Cassette:
    """The exchanges of one file. A request that was made several times gets its replies in order, the last of them ever after."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._exchanges: dict[_RecordedRequest, list[_RecordedReply]] = {}
        for number, line in enumerate(_lines(path), 1):
            try:
                asked, told = _exchange(json.loads(line))
            except (ValueError, TypeError, KeyError) as error:
                raise ModelUnavailableError(
                    f"line {number} of {str(path)!r} is no recorded exchange ({error!r}); record it anew"
                ) from error
            self._exchanges.setdefault(asked, []).append(told)

    def next(self, asked: _RecordedRequest) -> _RecordedReply:
        """Return the reply to a request. One that was not recorded is an error that shows the nearest that was."""
        told = self._exchanges.get(asked)
        if told is None:
            raise ModelUnavailableError(
                f"{str(self._path)!r} has no reply to {asked.method} {asked.path} ({self._nearest(asked)}); record it with "
                f"scholarmind.testing.replay.Recording({str(self._path)!r}) as the transport"
            )
        return told.pop(0) if len(told) > 1 else told[0]

    def _nearest(self, asked: _RecordedRequest) -> str:
        bodies = [other.body for other in self._exchanges if (other.method, other.path) == (asked.method, asked.path)]
        if not bodies:
            return "nothing was asked there"
        same, nearest = max((_same(body, asked.body), body) for body in bodies)
        start = max(0, same - _SHOWN // 3)
        shown = [body[start : start + _SHOWN] for body in (nearest, asked.body)]
        return f"the nearest differs at character {same}: recorded {shown[0]!r}, asked {shown[1]!r}"


def _without(text: str, secrets: Sequence[str]) -> str:
    """Return a text in which each secret is blotted out."""
    for secret in secrets:
        text = text.replace(secret, "[key]")
    return text


def _same(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().splitlines()
    except OSError as error:
        raise ModelUnavailableError(
            f"there is no recording {str(path)!r} ({error.strerror}); make it with scholarmind.testing.replay.Recording"
        ) from error


def _exchange(line: Any) -> tuple[_RecordedRequest, _RecordedReply]:
    request, reply = line["request"], line["reply"]
    body = request["body"]
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return _RecordedRequest.of(request["method"], request["path"], text), _RecordedReply(
        **cast("dict[str, Any]", reply)
    )


def _one_spelling(text: str) -> str:
    value = _as_value(text)
    return text if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _as_value(text: str) -> Any:
    """Return what a text is as JSON; text that is none stays what it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


# -- the two transports

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

    def _write(self, asked: _RecordedRequest, told: _RecordedReply) -> None:
        with self._writing, self._path.open("ab" if self._begun else "wb") as file:
            # an exchange as a line of the file
            exchange: dict[str, Any] = {
                "request": {"method": asked.method, "path": asked.path, "body": _as_value(asked.body)},
                "reply": {"status": told.status, "headers": dict(told.headers), "body": told.body},
            }
            if not told.whole:
                exchange["reply"]["whole"] = False
            file.write(json.dumps(exchange, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
            self._begun = True


class Replaying(httpx2.AsyncBaseTransport):
    """Replies from such a file. What was not recorded is a ModelUnavailableError that shows the request."""

    def __init__(self, path: str | Path) -> None:
        self._cassette = _Cassette(Path(path))

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

    def __init__(self, told: _RecordedReply) -> None:
        self._told = told

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for event in _EVENT.findall(self._told.body):
            yield event.encode("utf-8", "replace")
            await asyncio.sleep(0)  # others run between two events, as they do with a server
        if not self._told.whole:
            raise httpx2.RemoteProtocolError("the recorded reply ends here, before its end")


def _told(status: int, headers: Mapping[str, str], body: str, *, whole: bool, secrets: Sequence[str]) -> _RecordedReply:
    return _RecordedReply(status=status, headers=headers, body=_without(body, secrets), whole=whole)


async def _asked(request: httpx2.Request, secrets: Sequence[str]) -> _RecordedRequest:
    content = (await request.aread()).decode("utf-8", "replace")
    return _RecordedRequest.of(request.method, request.url.raw_path.decode("ascii"), content, secrets)


def _secrets(request: httpx2.Request) -> list[str]:
    """Return the keys of a request, the longest first; a server may repeat them in its reply."""
    told = [request.headers[name] for name in _KEYS if name in request.headers]
    parts = {part for value in told for part in (value, value.split(" ")[-1]) if len(part) >= _SHORTEST_KEY}
    return sorted(parts, key=len, reverse=True)
