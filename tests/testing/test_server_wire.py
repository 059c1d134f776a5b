"""The scripted server's HTTP, with raw sockets."""

import asyncio
import json

import pytest

from scholarmind.testing import ScriptedServer

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]


async def raw(server: ScriptedServer, *sent: bytes) -> bytes:
    """Return all that comes back until the server closes; the parts are sent one by one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    for part in sent:
        writer.write(part)
        await writer.drain()
        await asyncio.sleep(0.02)
    told = await reader.read()
    writer.close()
    await writer.wait_closed()
    return told


async def test_requests_may_come_in_bits_or_several_at_once() -> None:
    get = b"GET /v1/models HTTP/1.1\r\nHost: x\r\n"
    with ScriptedServer() as server:
        bits = await raw(server, get[:9], get[9:], b"Connection: close\r\n", b"\r\n")
        both = await raw(server, get + b"\r\n" + get + b"Connection: close\r\n\r\n")
    assert bits.startswith(b"HTTP/1.1 200 OK\r\n")
    assert both == bits * 2


async def test_a_client_may_ask_before_it_sends_its_body() -> None:
    content = json.dumps({"messages": []}).encode()
    head = (
        b"POST /v1/chat/completions HTTP/1.1\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
    )
    with ScriptedServer() as server:
        told = await raw(server, head % len(content), content)
    assert told.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(("sent", "status"), [(b"nonsense\r\n\r\n", b"400"), (b"x" * 70_000, b"431")])
async def test_what_is_no_http_ends_the_connection(sent: bytes, status: bytes) -> None:
    with ScriptedServer() as server:
        assert (await raw(server, sent))[:12] == b"HTTP/1.1 " + status
