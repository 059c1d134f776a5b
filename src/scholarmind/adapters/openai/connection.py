"""The connection to one server: its turns, tries and time-outs, and that nothing of it outlives the loop it was opened on.

Server-sent events are read out of its bytes here. What a server's refusal means is in `refusals`, what a reply says in `chat_completions`.
"""

import asyncio
import codecs
import functools
import json
import random
import ssl
import weakref
from collections.abc import AsyncGenerator, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

from scholarmind.adapters.openai.endpoint import Endpoint
from scholarmind.adapters.openai.refusals import (
    BrokenReplyError,
    NobodyThereError,
    PassingError,
    RefusedError,
    redacted,
    refusal,
    words_of,
)
from scholarmind.errors import ModelReplyError, ModelUnavailableError

if TYPE_CHECKING:
    import httpx2

    Transport = httpx2.AsyncBaseTransport


# -- server-sent events, also from servers that send plain JSON where a stream was asked for

DONE = "[DONE]"
_LONGEST_LINE = 16_000_000


class Events:
    """Takes bytes in and gives the data of each event. A body that is no stream at all is given as one event, at its end."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._rest = ""
        self._data: list[str] = []
        self._plain: list[str] | None = None  # the lines of a body that is no stream
        self._begun = False

    def take(self, content: bytes) -> Iterator[str]:
        """Give the events that these bytes complete."""
        return self._lines(self._decode(content), last=False)

    def end(self) -> Iterator[str]:
        """Give what is left; some servers leave out the empty line after the last event."""
        yield from self._lines(self._decode(b"", True), last=True)
        if self._plain:
            yield "\n".join(self._plain)
        elif self._data:
            yield self._event()

    def _lines(self, text: str, *, last: bool) -> Iterator[str]:
        self._rest += text
        if len(self._rest) > _LONGEST_LINE:
            raise ValueError(f"a line of more than {_LONGEST_LINE:,} characters")
        lines = self._rest.replace("\r\n", "\n").split("\n") if not self._rest.endswith("\r") or last else None
        if lines is None:  # whether "\n" follows is known with the next bytes
            return
        self._rest = "" if last else lines.pop()
        for line in lines:
            for part in line.split("\r"):
                yield from self._line(part)

    def _line(self, line: str) -> Iterator[str]:
        if self._plain is not None:
            self._plain.append(line)
        elif not line.strip():
            if self._data:
                yield self._event()
        elif line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        elif line.lstrip()[0] in "{[<":
            if self._begun:
                yield line  # an error that was put into the stream without a word
            else:
                self._plain = [line]
        # comments (":"), "event:", "id:", "retry:" and whatever else say nothing that is needed

    def _event(self) -> str:
        self._begun = True
        data = "\n".join(self._data)
        self._data = []
        return data


# -- the connection

_decoded = json.JSONDecoder(strict=False).decode
_MOST_BYTES = 32_000_000  # of an answer; an endless one must not fill the memory, nor a small one that is packed
_TOLD_BYTES = 100_000  # of an error that are read


class Tries:
    """How often, and for how long, one call may still be tried."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint  # the one that is asked; others may share its connection
        self._made = 0
        self._deadline: float | None = None

    def limited(self) -> "_Limited":
        """Keep what is done inside within the time that is left. The clock starts at the first time."""
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().time() + self.endpoint.patience.total
        return _Limited(self.endpoint, asyncio.timeout_at(self._deadline))

    async def pause(self, fault: PassingError) -> None:
        """Wait before the next try, or raise where there is none."""
        self._made += 1
        patience, now = self.endpoint.patience, asyncio.get_running_loop().time()
        longest = min(patience.longest_pause, patience.first_pause * 2 ** (self._made - 1))
        jitter = random.uniform(0, longest)  # noqa: S311  (no secret)
        wait = max(min(fault.wait, patience.longest_pause), jitter)
        late = self._deadline is not None and now + wait >= self._deadline
        # where nobody was there for a call before, nobody has to be waited for again
        gone = isinstance(fault, NobodyThereError) and fault.refused > patience.tries
        if late or gone or self._made >= patience.tries:
            raise ModelUnavailableError(
                f"{self.endpoint.server} did not answer after {self._made} {'try' if self._made == 1 else 'tries'} ({fault}); "
                f"check {self.endpoint.setting('BASE_URL')} and that the server runs"
            ) from fault
        await asyncio.sleep(wait)

    def hurry(self, seconds: float) -> None:
        """Allow no more than this from now on."""
        soon = asyncio.get_running_loop().time() + seconds
        self._deadline = min(soon, self._deadline or soon)


@dataclass(frozen=True, slots=True)
class _Limited:
    """A time limit whose end is an error that tells what to do. No generator, as each piece of a stream has one."""

    endpoint: Endpoint
    timeout: asyncio.Timeout

    async def __aenter__(self) -> None:
        await self.timeout.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.timeout.__aexit__(kind, error, trace)
        except TimeoutError as late:
            patience = self.endpoint.patience
            raise ModelUnavailableError(
                f"{self.endpoint.server} took longer than {patience.total:g} seconds for one call; "
                f"a smaller model, or a higher {patience.setting}, may help"
            ) from late


@dataclass(frozen=True, slots=True)
class _Opened:
    """What belongs to one loop."""

    client: "httpx2.AsyncClient"
    turns: asyncio.Semaphore
    asking: asyncio.Lock


_ByLoop = dict[asyncio.AbstractEventLoop, tuple[_Opened, AsyncGenerator[_Opened]]]


class Connection:
    """One server under one key, from any number of loops; on each of them `concurrency` calls run at a time."""

    def __init__(self, endpoint: Endpoint, transport: "Transport | None" = None) -> None:
        self.endpoint = endpoint
        self._transport = transport
        self._opened: _ByLoop = {}
        self._refused = 0  # in a row, so many connections did not come about
        # One that is forgotten without being closed leaves no socket behind either
        weakref.finalize(self, _forget, self._opened).atexit = False

    async def __aenter__(self) -> "Connection":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def ask(self, path: str, body: dict[str, Any] | None = None, *, most: int = _MOST_BYTES) -> Any:
        """Return the JSON that the server answers; without a body it is a GET."""
        tries = Tries(self.endpoint)
        while True:
            try:
                return await self.ask_once(path, body, tries, most=most)
            except PassingError as fault:
                await tries.pause(fault)

    async def ask_once(self, path: str, body: dict[str, Any] | None, tries: Tries, *, most: int = _MOST_BYTES) -> Any:
        """Ask a single time; a PassingError may be gone at the next."""
        opened = await self._here()
        async with opened.turns, tries.limited(), self._answer(opened, path, body, tries.endpoint) as answer:
            text = (await _whole(answer, most)).decode("utf-8", "replace")
        return self.read(text)

    async def events(self, path: str, body: dict[str, Any], tries: Tries) -> AsyncGenerator[str]:
        """Give the data of each event of a stream, asked for a single time. Closing it closes the connection."""
        opened, events = await self._here(), Events()
        async with opened.turns, AsyncExitStack() as open_things:
            async with tries.limited():
                answer = await open_things.enter_async_context(self._answer(opened, path, body, tries.endpoint))
            parts = await open_things.enter_async_context(aclosing(answer.aiter_bytes()))
            size = 0
            while True:
                async with tries.limited():
                    part = await anext(parts, None)
                size += len(part or b"")
                if size > _MOST_BYTES:
                    raise ModelReplyError(f"{self.endpoint.server} sent more than {_MOST_BYTES:,} bytes")
                try:
                    found = list(events.take(part) if part is not None else events.end())
                except ValueError as error:
                    raise ModelReplyError(f"{self.endpoint.server} sent {error}") from error
                for data in found:
                    yield data
                if part is None:
                    return

    def read(self, text: str) -> Any:
        """Return the JSON in a text. A web page is a wrong address; other nonsense may be gone at the next try."""
        try:
            return _decoded(text)
        except (ValueError, RecursionError) as error:
            told = redacted(words_of(text), self.endpoint.api_key)
            if told.startswith("a web page"):
                raise RefusedError(
                    f"{self.endpoint.server} answered with {told}; "
                    f"check {self.endpoint.setting('BASE_URL')} (it usually ends in /v1)",
                    200,
                    told,
                ) from error
            raise BrokenReplyError(f"something that is not JSON: {told[:80]!r}") from error

    async def asking(self) -> asyncio.Lock:
        """Return a lock of this loop, for what is asked only once."""
        return (await self._here()).asking

    async def aclose(self) -> None:
        """Close all connections; those of other loops as soon as they get to it. The next call opens new ones."""
        _, lifetime = self._opened.get(asyncio.get_running_loop(), (None, None))
        if lifetime is not None:
            await lifetime.aclose()
        _forget(self._opened)  # to wait for another loop could be for ever: it may be waiting for us

    async def _here(self) -> _Opened:
        loop = asyncio.get_running_loop()
        if loop not in self._opened and not _trust.cache_info().currsize:
            await asyncio.to_thread(_trust)  # the first time in a process takes longer than a loop may stand still
        if loop not in self._opened:
            lifetime = _lifetime(_client(self.endpoint, self._transport), self.endpoint, self._opened, loop)
            self._opened[loop] = (await anext(lifetime), lifetime)
        return self._opened[loop][0]

    @asynccontextmanager
    async def _answer(
        self, opened: _Opened, path: str, body: dict[str, Any] | None, asked: Endpoint
    ) -> AsyncGenerator["httpx2.Response"]:
        """Hand over an answer whose body is still to come. Whatever fails before its end is a ModelError."""
        import httpx2  # noqa: PLC0415

        if opened.client.is_closed:
            raise ModelUnavailableError(f"{self.endpoint.server} was not asked: its connections were closed meanwhile")
        method = "GET" if body is None else "POST"
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            async with opened.client.stream(method, self.endpoint.url(path), content=content) as answer:
                self._refused = 0
                if coding := answer.headers.get("content-encoding", "").strip().replace("identity", ""):
                    raise PassingError(f"a reply packed as {coding[:20]!r}, which was not asked for")
                if not answer.is_success:
                    told = (await _whole(answer, _TOLD_BYTES, cut=True)).decode("utf-8", "replace")
                    raise refusal(asked, answer.status_code, told, answer.headers)
                yield answer
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            told = " ".join(f"{type(error).__name__}: {error}".split())
            safe = redacted(told, self.endpoint.api_key)
            self._refused += isinstance(error, httpx2.ConnectError)
            fault = (
                NobodyThereError(safe, self._refused) if isinstance(error, httpx2.ConnectError) else PassingError(safe)
            )
            raise fault from (error if safe == told else None)  # its words show in a traceback


async def _whole(answer: "httpx2.Response", most: int, *, cut: bool = False) -> bytes:
    content = bytearray()
    async with aclosing(answer.aiter_bytes()) as parts:
        async for part in parts:
            content += part
            if len(content) > most:
                if cut:
                    break
                raise ModelReplyError(f"{answer.url.host} sent more than {most:,} bytes")
    return bytes(content)


async def _lifetime(
    client: "httpx2.AsyncClient", endpoint: Endpoint, opened: _ByLoop, loop: asyncio.AbstractEventLoop
) -> AsyncGenerator[_Opened]:
    """A loop that ends closes its generators: with this one it closes the connections that were opened on it."""
    here = _Opened(client, asyncio.Semaphore(endpoint.concurrency), asyncio.Lock())
    try:
        yield here
    finally:
        if loop in opened and opened[loop][0] is here:  # after it others may have been opened
            del opened[loop]
        await here.client.aclose()


async def _closed(lifetime: AsyncGenerator[_Opened]) -> None:
    await lifetime.aclose()


def _forget(opened: _ByLoop) -> None:
    """Have each loop close what was opened on it."""
    while opened:
        loop, (_, lifetime) = opened.popitem()
        if not loop.is_closed():
            loop.call_soon_threadsafe(lambda lifetime=lifetime, loop=loop: loop.create_task(_closed(lifetime)))


def _client(endpoint: Endpoint, transport: "Transport | None") -> "httpx2.AsyncClient":
    """Return a client; one with a transport of its own takes no notice of the limits, proxies and certificates here."""
    import httpx2  # noqa: PLC0415

    patience = endpoint.patience
    return httpx2.AsyncClient(
        headers={"Content-Type": "application/json", **endpoint.headers, "Accept-Encoding": "identity"},
        timeout=httpx2.Timeout(patience.read, connect=patience.connect, pool=None),
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=endpoint.concurrency),
        trust_env=not endpoint.local,  # a proxy leads to the world, not to this machine
        verify=_trust(),
        transport=transport,
    )


@functools.cache
def _trust() -> ssl.SSLContext:
    """What certificates are trusted. With the import of the client this takes 200 ms, once in a process."""
    import httpx2  # noqa: PLC0415

    return httpx2.create_ssl_context()
