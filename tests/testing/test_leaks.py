"""Whatever clients do, a scripted server leaves no connection, task or thread behind."""

import asyncio
import json
import socket
import struct
import threading
from pathlib import Path

import httpx2
import pytest

from scholarmind.testing import Fault, ScriptedServer
from scholarmind.testing.scripted import KINDS

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]


def held() -> tuple[int, int]:
    """Return how many files and threads are open."""
    return sum(1 for _ in Path("/dev/fd").iterdir()), threading.active_count()


async def settled(expected: tuple[int, int]) -> tuple[int, int]:
    """Return what is held once the client's own loop has closed what it gave up."""
    for _ in range(200):
        if held() == expected:
            break
        await asyncio.sleep(0.01)
    return held()


async def impatient(client: httpx2.AsyncClient, url: str, number: int) -> str:
    wanted = {"type": "json_schema", "json_schema": {"name": "Any", "schema": {"type": "object"}}}
    asked = {"messages": [{"role": "user", "content": "xx" * 50}], "stream": number % 2 == 0, "response_format": wanted}
    try:
        async with asyncio.timeout(1):
            reply = await client.post(url, json=asked)
    except (httpx2.HTTPError, TimeoutError) as error:
        return type(error).__name__
    return str(reply.status_code)


async def test_every_fault_leaves_nothing() -> None:
    before = held()
    faults = [Fault(kind, times=2, tokens=20, seconds=0.5) for kind in KINDS]
    with ScriptedServer(faults=faults) as server:
        async with httpx2.AsyncClient(limits=httpx2.Limits(max_connections=16)) as client:
            url = f"{server.base_url}/chat/completions"
            for _ in range(20):  # a call may end before it is heard
                await asyncio.gather(*(impatient(client, url, number) for number in range(16)))
                if {call.fault for call in server.log} > set(KINDS):
                    break
        for _ in range(500):
            if all(call.end for call in server.log):
                break
            await asyncio.sleep(0.01)
        running = [call for call in server.log if call.end is None]
    assert running == []
    assert {call.fault for call in server.log} == {*KINDS, ""}
    assert await settled(before) == before


async def test_closing_under_load_leaves_nothing() -> None:
    before = held()
    for _ in range(5):
        async with httpx2.AsyncClient(limits=httpx2.Limits(max_connections=64)) as client:
            with ScriptedServer(latency=0.05) as server:
                url = f"{server.base_url}/chat/completions"
                tasks = [asyncio.create_task(impatient(client, url, number)) for number in range(64)]
                await asyncio.sleep(0.03)
            ends = await asyncio.gather(*tasks)
        assert len(ends) == 64
    assert await settled(before) == before


async def test_a_client_that_reads_nothing_is_let_go() -> None:
    before = held()
    content = json.dumps({"messages": [], "stream": True}).encode()
    request = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (len(content), content)
    with ScriptedServer(canned=[("", "x" * 8_000_000)]) as server:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1_000)
        writer.write(request * 2)
        await asyncio.sleep(0.3)
    assert [call.status for call in server.log] == [200]
    writer.transport.abort()
    assert await settled(before) == before


async def test_the_log_may_be_cleared_while_a_call_runs() -> None:
    with ScriptedServer(latency=0.2) as server:
        async with httpx2.AsyncClient() as client:
            task = asyncio.create_task(impatient(client, f"{server.base_url}/chat/completions", 1))
            while not server.log:  # noqa: ASYNC110  (another thread writes it)
                await asyncio.sleep(0.001)
            server.clear()
            await task
    assert (server.log, server.levels(), server.most_at_once) == ([], 0, 0)


async def test_a_client_that_resets_the_line_after_a_cut_does_no_harm() -> None:
    content = json.dumps({"messages": [], "stream": True}).encode()
    request = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (len(content), content)
    with ScriptedServer(faults=[Fault("cut_stream")], latency=0.05) as server:
        for _ in range(10):
            with socket.create_connection(("127.0.0.1", server.port)) as line:
                line.sendall(request)
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing resets
        async with httpx2.AsyncClient() as client:
            server.play()
            assert await impatient(client, f"{server.base_url}/chat/completions", 1) == "200"
