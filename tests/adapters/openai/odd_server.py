"""A server on this machine that sends whatever bytes a test wants, and tells what became of its connections."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any

Act = Callable[[asyncio.StreamWriter], Awaitable[None]]


def http(body: bytes | str | Any, status: int = 200, kind: str = "application/json", **headers: str) -> bytes:
    """A whole reply; what is no text is sent as JSON."""
    content = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(content)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + content


def whole(text: str | None = "hello", finish: str | None = "stop", usage: Any = None, **message: Any) -> bytes:
    """A reply of a model that comes in one piece."""
    told = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}]
    }
    return http(told | ({"usage": usage} if usage else {}))


def refused(status: int, message: str, **fields: Any) -> bytes:
    """An error as OpenAI words it."""
    return http({"error": {"message": message, **fields}}, status)


def delta(text: str | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One event of a stream."""
    told = more if text is None else {"content": text, **more}
    return {"choices": [{"index": 0, "delta": told, "finish_reason": finish}]}


def stream(*events: Any, done: bool = True) -> bytes:
    """A stream that ends with its connection."""
    lines = [event if isinstance(event, str) else f"data: {json.dumps(event)}\n\n" for event in events]
    body = "".join(lines) + ("data: [DONE]\n\n" if done else "")
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + body.encode()


async def hang(writer: asyncio.StreamWriter) -> None:
    """Say nothing until the other side goes away."""
    await asyncio.Event().wait()


class OddServer:
    """Gives its replies in order, the last one again and again. Use it in an `async with` block."""

    def __init__(self, *replies: bytes | Act) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []  # the bodies
        self.heads: list[str] = []
        self.open = 0
        self.all_closed = asyncio.Event()
        self.asked = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "OddServer":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def base_url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        self.open += 1
        self.all_closed.clear()
        try:
            await self._one(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the other side went away, which tests do on purpose
        finally:
            writer.close()
            self._tasks.discard(task)
            self.open -= 1
            if not self.open:
                self.all_closed.set()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        body = await reader.readexactly(int(fields.get("content-length", 0)))
        self.heads.append(head)
        self.requests.append(json.loads(body) if body else {})
        self.asked.set()
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, bytes):
            writer.write(reply)
            await writer.drain()
            return
        acting = asyncio.ensure_future(reply(writer))
        gone = asyncio.ensure_future(reader.read())  # ends when the other side closes
        await asyncio.wait({acting, gone}, return_when=asyncio.FIRST_COMPLETED)
        for each in (acting, gone):
            each.cancel()
        await asyncio.gather(acting, gone, return_exceptions=True)


def sent(requests: list[Mapping[str, Any]], *names: str) -> list[list[str]]:
    """Which of these fields each request had."""
    return [[name for name in names if name in request] for request in requests]
