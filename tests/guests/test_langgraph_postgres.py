"""The graph with its checkpoints in PostgreSQL: Debian's own server, started for the test and reached by a socket file."""

import asyncio
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from founders import CHAIN, TWO, Opened

from scholarmind.testing import ScriptedServer

pytest.importorskip(
    "langgraph.checkpoint.postgres", reason="langgraph-checkpoint-postgres is not installed; `make guests` has it"
)

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.types import Command

from scholarmind.langgraph import build_decomposition_graph

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]


def _program(name: str) -> str:
    """Return the newest of Debian's, which keeps them off the path, or any."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3]))
    return str(found[-1]) if found else shutil.which(name) or ""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server of our own; it does not run as root, so that root becomes the user that Debian made for it."""
    if not (_program("initdb") and _program("postgres")):
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    own: dict[str, Any] = {"user": "postgres"} if os.geteuid() == 0 else {}
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # a short path: that of a socket has 107 characters at most
    try:
        if own:
            shutil.chown(folder, "postgres")
        made = [_program("initdb"), "-D", folder / "data", "-U", "reader", "-A", "trust", "--no-sync", "-E", "UTF8"]
        subprocess.run(made, check=True, capture_output=True, cwd=folder, **own)
        command = [_program("postgres"), "-D", folder / "data", "-k", folder, "-h", "", "-F"]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **own)
        try:
            deadline = time.monotonic() + 60
            while b"ready to accept" not in (told := (folder / "log").read_bytes()):
                assert server.poll() is None, told
                assert time.monotonic() < deadline, told
                time.sleep(0.05)
            yield f"host={folder} user=reader dbname=postgres"
        finally:
            server.terminate()
            server.wait()
    finally:
        shutil.rmtree(folder)


def deep(server: ScriptedServer) -> dict[str, Any]:
    return {"llm_base_url": server.base_url, "llm_model": "m", "effort": "deep", "cache": "none"}


def test_gone_on_with_in_postgresql(opened: Opened, server: ScriptedServer, address: str) -> None:
    settings = deep(server)
    thread: Any = {"configurable": {"thread_id": "a"}}
    with PostgresSaver.from_conn_string(address) as saver:
        saver.setup()
        graph = build_decomposition_graph(opened(**settings), checkpointer=saver)
        graph.invoke({"original_query": CHAIN}, thread, interrupt_before=["handle_sequential"])
    with PostgresSaver.from_conn_string(address) as saver:
        graph = build_decomposition_graph(opened(**settings), checkpointer=saver)
        state = graph.invoke(None, thread)
    assert [result["question"] for result in state["sub_results"]][2] == "Who founded Google?"
    paid = [call.purpose for call in server.log]
    assert sorted(paid) == sorted(set(paid))


def test_reviewed_in_postgresql(opened: Opened, address: str) -> None:
    library = opened()
    thread: Any = {"configurable": {"thread_id": "b"}}
    with PostgresSaver.from_conn_string(address) as saver:
        saver.setup()
        graph = build_decomposition_graph(library, checkpointer=saver, review_plan=True)
        assert graph.invoke({"original_query": TWO}, thread)["__interrupt__"]
        assert graph.invoke(Command(resume="approve"), thread)["final_answer"] == library.ask(TWO).text


@pytest.mark.anyio
async def test_awaited_in_postgresql(opened: Opened, server: ScriptedServer, address: str) -> None:
    """The asynchronous checkpointer: several threads at a time are stopped, and gone on with by another library object."""
    settings = deep(server)
    threads: list[Any] = [{"configurable": {"thread_id": f"awaited {number}"}} for number in range(4)]
    async with AsyncPostgresSaver.from_conn_string(address) as saver:
        await saver.setup()
        graph = build_decomposition_graph(await asyncio.to_thread(opened, **settings), checkpointer=saver)
        begun = [graph.ainvoke({"original_query": CHAIN}, each, interrupt_before=["aggregate"]) for each in threads]
        await asyncio.gather(*begun)
    before = len(server.log)
    async with AsyncPostgresSaver.from_conn_string(address) as saver:
        graph = build_decomposition_graph(await asyncio.to_thread(opened, **settings), checkpointer=saver)
        states = await asyncio.gather(*(graph.ainvoke(None, each) for each in threads))
    assert [state["sub_results"][2]["question"] for state in states] == ["Who founded Google?"] * len(threads)
    assert {call.purpose for call in server.log[before:]} == {"answer"}
