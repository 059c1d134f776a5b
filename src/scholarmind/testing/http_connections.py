"""HTTP/1.1 by hand, as far as a test server needs it: kept connections, bodies of known length, replies whole or in pieces."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import cast

_LARGEST_HEAD = 64_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A request as it came; the names of headers are in small letters."""

    method: str
    path: str  # without what follows a question mark
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A reply: its pieces with a pause between them. Told to be cut, it ends in its middle and the connection with it."""

    pieces: Sequence[bytes]
    status: int = 200
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    chunked: bool = False
    pause: float = 0.0
    cut: bool = False

    @property
    def head(self) -> bytes:
        """The status line and the headers."""
        length = "Transfer-Encoding: chunked" if self.chunked else f"Content-Length: {sum(map(len, self.pieces))}"
        lines = [f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}", f"Content-Type: {self.kind}", length]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return "\r\n".join([*lines, "\r\n"]).encode("latin-1", "replace")

    def on_the_wire(self) -> list[bytes]:
        """Return all pieces as they are sent, the last of them with the end of the reply."""
        sent = [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in self.pieces] if self.chunked else list(self.pieces)
        if self.cut:
            whole = sent if len(sent) > 1 else [sent[0][: len(sent[0]) // 2], b""]
            return whole[: (len(whole) + 1) // 2]
        return [*sent, b"0\r\n\r\n"] if self.chunked else sent


Answer = Callable[["ClientConnection", Incoming], Awaitable[None]]


class ClientConnection(asyncio.Protocol):
    """One client's connection. A request that its client no longer waits for is cancelled."""

    def __init__(
        self, answer: Answer, connections: set["ClientConnection"], failed: Callable[[BaseException], None]
    ) -> None:
        self.task: asyncio.Task[None] | None = None
        self.closing = False  # by us: a task that is cancelled now says nothing about its client
        self._answer = answer
        self._connections = connections
        self._failed = failed
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        connections.add(self)  # from now on it can be closed, also before there is a way to write

    @property
    def is_open(self) -> bool:
        """Whether there is a client."""
        return self._transport is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to write."""
        self._transport = cast("asyncio.Transport", transport)  # the loop gives no other to a Protocol
        if self.closing:
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """End what was being answered."""
        self._connections.discard(self)
        self._transport = None
        if self.task is not None:
            self.task.cancel()

    def pause_writing(self) -> None:
        """Wait: the client reads more slowly than we write."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Go on."""
        self._writable.set()

    def data_received(self, data: bytes) -> None:
        """Answer when a request is whole."""
        if not self.closing:
            self._received += data
            if self.task is None:
                self._next()

    def close(self) -> None:
        """End the connection at once."""
        self.closing = True
        if self._transport is not None:
            self._transport.abort()

    async def send(self, reply: Outgoing) -> None:
        """Write a reply, with its pauses."""
        pieces = reply.on_the_wire()
        if not reply.pause:
            await self._write(reply.head + b"".join(pieces))
        else:
            await self._write(reply.head)
            loop = asyncio.get_running_loop()
            begun = loop.time()
            for place, piece in enumerate(pieces):
                await asyncio.sleep(begun + place * reply.pause - loop.time())  # from the start: pauses must not add up
                await self._write(piece)
        if reply.cut:
            self.end()

    def end(self) -> None:
        """Say no more when what was written is sent. What the client still sends is passed over, so that it reads our last words."""
        self.closing = True
        if self._transport is not None:
            with suppress(OSError):  # the client has gone before us
                self._transport.write_eof()

    async def _write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)
            await self._writable.wait()

    def _next(self) -> None:
        request = self._parsed()
        if request is not None:
            self.task = asyncio.create_task(self._handled(request))
            self.task.add_done_callback(self._done)

    async def _handled(self, request: Incoming) -> None:
        await self._answer(self, request)
        if request.headers.get("connection", "").lower() == "close":
            self.end()

    def _done(self, task: asyncio.Task[None]) -> None:
        self.task = None
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:  # a rule of the test itself is wrong: say so to both sides
            self._failed(error)
            self._refuse(500, f"{type(error).__name__}: {error}")
        elif not self.closing:
            self._next()

    def _parsed(self) -> Incoming | None:
        """Return the next request, None while it is not whole. One that we cannot read ends the connection."""
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            if len(self._received) > _LARGEST_HEAD:
                self._refuse(431)
            return None
        first, *lines = self._received[:end].decode("latin-1").split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = headers.get("content-length", "0")
        if first.count(" ") != 2 or not length.isdecimal() or "transfer-encoding" in headers:
            self._refuse(411 if "transfer-encoding" in headers else 400)
            return None
        whole = end + 4 + int(length)
        if len(self._received) < whole:
            if headers.get("expect", "").lower() == "100-continue" and self._transport is not None:
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            return None
        body = bytes(self._received[end + 4 : whole])
        del self._received[:whole]
        method, target, _ = first.split(" ")
        return Incoming(method=method, path=target.partition("?")[0], headers=headers, body=body)

    def _refuse(self, status: int, told: str = "") -> None:
        if self._transport is None:
            return
        self._received.clear()
        reply = Outgoing(status=status, pieces=(told.encode("utf-8", "replace"),), kind="text/plain; charset=utf-8")
        self._transport.write(reply.head + reply.pieces[0])
        self.end()
