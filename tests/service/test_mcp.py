"""The Model Context Protocol, as its official client speaks it with a service over HTTP and with a process of its own."""

import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from tests.service.conftest import QUESTION, Served, until

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket, pytest.mark.anyio]


@pytest.fixture(scope="module")
def alone(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that no service has."""
    return Path(shutil.copytree(template, tmp_path_factory.mktemp("alone") / "library"))


@asynccontextmanager
async def connected(transport: str, served: Served, alone: Path) -> AsyncIterator[Client]:
    """Connect the official client."""
    if transport == "http":
        async with Client(f"{served.address}/mcp") as client:
            yield client
        return
    arguments = ["mcp", "--stdio", "--library", str(alone)]
    known = {"PATH": os.environ["PATH"], "HOME": str(alone.parent), "SCHOLARMIND_EMBEDDER": "none"}
    program = str(Path(sys.executable).parent / "scholarmind")
    async with Client(StdioServerParameters(command=program, args=arguments, env=known)) as client:
        yield client


def text_of(result: Any) -> str:
    """Return what a model reads."""
    assert not result.is_error, result.content
    return "\n".join(part.text for part in result.content)


@pytest.mark.parametrize("transport", ["http", "stdio"])
async def test_everything_is_done_over_both_transports(transport: str, served: Served, alone: Path) -> None:
    told: list[str] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async with connected(transport, served, alone) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        documents = {"search", "find", "open", "list_documents", "add_document"}
        assert set(tools) == {"ask", "plan", "reading_list", "read_table"} | documents
        assert all(tool.description and tool.title for tool in tools.values())
        asked = await client.call_tool("ask", {"question": QUESTION}, progress_callback=progress)
        assert "Jacob Devlin" in text_of(asked)
        assert asked.structured_content["verdict"] == "complete"
        assert any("1. Who proposed BERT?" in line for line in told)
        planned = await client.call_tool("plan", {"question": QUESTION})
        assert len(planned.structured_content["parts"]) == 2
        found = await client.call_tool("search", {"query": "masked language modelling", "limit": 2})
        first = found.structured_content["passages"][0]
        place = {"collection": first["collection"], "document": first["document"]}
        opened = await client.call_tool("open", {**place, "position": first["position"], "neighbours": 0})
        assert text_of(opened).split()[:8] == first["text"].split()[:8]
        words = " ".join(first["text"].split()[:4])
        hits = await client.call_tool("find", {**place, "words": words})
        assert first["position"] in {each["position"] for each in hits.structured_content["passages"]}
        listed = await client.call_tool("list_documents", {"collections": ["default"]})
        assert first["document"] in text_of(listed)
        added = await client.call_tool(
            "add_document", {"title": "On weasels", "text": "Weasels dance before they hunt.", "collection": "animals"}
        )
        assert added.structured_content["added"] + added.structured_content["unchanged"] == 1
        danced = await client.call_tool("search", {"query": "weasels dance", "collections": ["animals"]})
        assert "On weasels" in text_of(danced)
        run = asked.structured_content["run"]
        lacking = await client.call_tool("reading_list", {"run": run})
        assert lacking.structured_content["missing"] == []  # notes have no lists of references
        assert "list of references" in text_of(lacking)
        assert "there are none" in text_of(await client.call_tool("read_table", {}))
        resources = await client.read_resource(f"document://{first['collection']}/{first['document']}")
        assert resources.contents[0].text


async def test_a_long_text_is_read_to_its_end_with_the_cursor(served: Served) -> None:
    text = "\n\n".join(
        f"Paragraph {number} tells of stoats, and of nothing else that matters." for number in range(600)
    )
    async with Client(f"{served.address}/mcp") as client:
        await client.call_tool("add_document", {"title": "On stoats", "text": text, "collection": "long"})
        listed = await client.call_tool("list_documents", {"collections": ["long"]})
        place = {"collection": "long", "document": listed.structured_content["documents"][0]["document"]}
        read, cursor = "", ""
        for _ in range(9):
            opened = await client.call_tool("open", {**place, "cursor": cursor})
            cursor = opened.structured_content["cursor"] or ""
            assert len(text_of(opened)) < 13_000
            read += text_of(opened).partition("\n\n(there is more")[0]
            if not cursor:
                break
        assert all(f"Paragraph {number} tells" in read for number in range(600))


async def test_what_is_refused_is_told_to_the_model(served: Served) -> None:
    async with Client(f"{served.address}/mcp") as client:
        for tool, arguments, why in (
            ("open", {"collection": "default", "document": "nothing"}, "no document"),
            ("search", {"query": "x", "filter": "year >>"}, "filter"),
            ("ask", {"question": "  "}, "empty"),
        ):
            result = await client.call_tool(tool, arguments)
            assert result.is_error
            assert why in result.content[0].text


async def test_a_table_is_read_row_by_row(served: Served) -> None:
    with served.client() as client:
        client.post(
            "/api/v1/tables", json={"columns": "heads (number) = How many heads does BERT-Large have?", "name": "heads"}
        )
        until(lambda: client.get("/api/v1/tables/heads").json()["job"]["state"] == "done")
    async with Client(f"{served.address}/mcp") as client:
        assert "heads: heads" in text_of(await client.call_tool("read_table", {}))
        table = await client.call_tool("read_table", {"table": "heads"})
    assert "heads: 16" in text_of(table)
    cells = [row["cells"]["heads"] for row in table.structured_content["rows"]]
    assert any("16 heads" in cell["words"] for cell in cells)
