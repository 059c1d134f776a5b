"""Each fault of the scripted server as a client meets it, alone and mixed."""

import asyncio
import json
from typing import Any

import httpx2
import pytest

from scholarmind.testing import Call, Fault, ScriptedServer

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]

SHAPE = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
STRICT = {"response_format": {"type": "json_schema", "json_schema": {"name": "Short", "strict": True, "schema": SHAPE}}}
OBJECT = {"response_format": {"type": "json_object"}}
TOOLS = {"tools": [{"type": "function", "function": {"name": "Short", "parameters": SHAPE}}]}


async def chat(server: ScriptedServer, text: str = "Where?", **more: Any) -> httpx2.Response:
    asked = {"model": "m", "messages": [{"role": "user", "content": text}], **more}
    async with httpx2.AsyncClient(timeout=20) as client:
        headers = {"Authorization": "Bearer the-key"}
        return await client.post(f"{server.base_url}/chat/completions", json=asked, headers=headers)


def content(reply: httpx2.Response) -> str:
    return reply.json()["choices"][0]["message"]["content"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("fault", "status", "told"),
    [
        (Fault("rate_limit", seconds=0.2), 429, "Rate limit reached"),
        (Fault("server_error"), 500, "The server had an error"),
        (Fault("server_error", status=503), 503, "The server had an error"),
        (Fault("html_error"), 502, "<h1>502 Bad Gateway</h1>"),
        (Fault("wrong_key"), 401, "Incorrect API key provided: the-key."),
        (
            Fault("small_context", tokens=1),
            400,
            "maximum context length is 1 tokens. However, your messages resulted in 2",
        ),
    ],
)
async def test_refusals_have_their_status_and_words(fault: Fault, status: int, told: str, stream: bool) -> None:
    with ScriptedServer(faults=[fault]) as server:
        reply = await chat(server, stream=stream)
    assert (reply.status_code, told in reply.text) == (status, True)
    assert [(call.fault, call.status) for call in server.log] == [(fault.kind, status)]


async def test_a_rate_limit_says_when_to_come_again() -> None:
    with ScriptedServer(faults=[Fault("rate_limit", seconds=2)]) as server:
        assert (await chat(server)).headers["retry-after"] == "2"


async def test_a_prompt_that_fits_a_small_context_is_answered() -> None:
    with ScriptedServer(faults=[Fault("small_context")]) as server:
        replies = [await chat(server, "x" * length) for length in (32_768, 32_769)]
    assert [reply.status_code for reply in replies] == [200, 400]
    assert replies[1].json()["error"]["code"] == "context_length_exceeded"


@pytest.mark.parametrize(
    ("fault", "statuses"),
    [
        (Fault("refuse_json_schema"), [400, 200, 200, 200]),
        (Fault("refuse_json_schema", status=500), [500, 200, 200, 200]),
        (Fault("refuse_all_formats"), [400, 400, 400, 200]),
    ],
)
async def test_ways_to_ask_for_json_are_refused(fault: Fault, statuses: list[int]) -> None:
    with ScriptedServer(faults=[fault]) as server:
        replies = [await chat(server, **asked) for asked in (STRICT, TOOLS, OBJECT, {})]
    assert [reply.status_code for reply in replies] == statuses
    assert [
        reply.json()["error"]["message"] for reply in replies if "not support" not in reply.text and reply.is_error
    ] == []


async def test_json_comes_within_thoughts_prose_and_fences() -> None:
    with ScriptedServer(faults=[Fault("fenced")]) as server:
        replies = [content(await chat(server, **asked)) for asked in (STRICT, {})]
    assert replies[0].startswith("<think>\n")
    assert '</think>\n\nSure, here it is:\n\n```json\n{"answer": "ok"}\n```\n' in replies[0]
    assert replies[1].endswith("</think>\n\nWhere?")


async def test_json_of_another_shape_is_still_json() -> None:
    with ScriptedServer(faults=[Fault("wrong_schema")]) as server:
        replies = [content(await chat(server, **asked)) for asked in (STRICT, {})]
    assert "answer" not in json.loads(replies[0])
    assert replies[1] == "Where?"


async def test_a_reply_may_be_empty_or_endless() -> None:
    with ScriptedServer(faults=[Fault("empty")]) as server:
        empty = await chat(server)
        server.play(Fault("endless"))
        endless = await chat(server, max_tokens=10)
        streamed = await chat(server, max_tokens=10, stream=True)
        server.play()
        healed = await chat(server)
    assert (content(empty), len(content(endless)), content(healed)) == ("", 200_000, "Where?")
    assert endless.json()["choices"][0]["finish_reason"] == "length"
    assert streamed.text.count("and so on") == 20_000


@pytest.mark.parametrize("stream", [False, True])
async def test_garbage_is_no_json(stream: bool) -> None:
    with ScriptedServer(faults=[Fault("garbage")]) as server:
        reply = await chat(server, stream=stream)
    assert reply.status_code == 200
    with pytest.raises(ValueError, match=r"codec can't decode|Expecting"):
        json.loads(reply.content.removeprefix(b"data: "))


async def receive(server: ScriptedServer, seen: list[bytes], most: int | None = None, **more: Any) -> None:
    """Add to what was seen until the reply ends or breaks, or until there are enough pieces."""
    asked = {"messages": [{"role": "user", "content": "x"}], **more}
    async with (
        httpx2.AsyncClient(timeout=20) as client,
        client.stream("POST", f"{server.base_url}/chat/completions", json=asked) as reply,
    ):
        async for piece in reply.aiter_raw():
            seen.append(piece)
            if len(seen) == most:
                break


@pytest.mark.parametrize("stream", [False, True])
async def test_a_cut_reply_ends_in_its_middle_with_the_connection(stream: bool) -> None:
    seen: list[bytes] = []
    server = ScriptedServer(canned=[("", "x" * 400)], faults=[Fault("cut_stream")])
    with server, pytest.raises(httpx2.RemoteProtocolError):
        await receive(server, seen, stream=stream)
    assert 20 < b"".join(seen).count(b"xxxx") < 80
    assert b"[DONE]" not in b"".join(seen)
    assert [(call.fault, call.gone) for call in server.log] == [("cut_stream", False)]


@pytest.mark.parametrize(("stream", "first"), [(False, b"{"), (True, b"data: ")])
async def test_a_slow_drip_begins_and_then_takes_its_time(stream: bool, first: bytes) -> None:
    seen: list[bytes] = []
    with ScriptedServer(faults=[Fault("slow_drip", seconds=60)]) as server:
        await receive(server, seen, most=1, stream=stream)
    assert (seen[0][: len(first)], seen[0].count(b"\n\n"), len(seen[0]) > 1) == (first, stream, stream)
    assert [(call.fault, call.status) for call in server.log] == [("slow_drip", 200)]


async def test_a_fast_drip_brings_all() -> None:
    with ScriptedServer(faults=[Fault("slow_drip", seconds=0.0001)]) as server:
        assert content(await chat(server)) == "Where?"


async def test_who_hangs_never_answers() -> None:
    with ScriptedServer(faults=[Fault("hang")]) as server:
        task = asyncio.create_task(chat(server))
        done, _ = await asyncio.wait([task], timeout=0.5)
        while not server.log:  # noqa: ASYNC110  (another thread writes it)
            await asyncio.sleep(0.01)
    with pytest.raises(httpx2.TransportError):
        await task
    assert done == set()
    (call,) = server.log
    assert (call.fault, call.status) == ("hang", None)


async def test_faults_with_their_times_come_first_and_in_order() -> None:
    faults = [Fault("server_error", times=2), Fault("rate_limit", times=1), Fault("empty")]
    with ScriptedServer(faults=faults, fault_rate=0.0) as server:
        statuses = [(await chat(server)).status_code for _ in range(5)]
    assert statuses == [500, 500, 429, 200, 200]
    assert [call.fault for call in server.log] == ["server_error", "server_error", "rate_limit", "", ""]


async def test_a_fault_may_be_kept_to_some_calls() -> None:
    with ScriptedServer(faults=[Fault("server_error", matching="^plan$|Louvre")], purposes={"Prado": "plan"}) as server:
        statuses = [(await chat(server, text)).status_code for text in ("The Louvre?", "The Prado?", "The plan?")]
    assert statuses == [500, 500, 200]


async def test_a_rule_may_play_a_fault() -> None:
    def answer(call: Call) -> Fault | None:
        return Fault("wrong_schema") if call.schema_name == "Short" else None

    with ScriptedServer(answer=answer) as server:
        replies = [content(await chat(server, **asked)) for asked in (STRICT, OBJECT)]
    assert ("status" in json.loads(replies[0]), replies[1]) == (True, "{}")


async def test_mixed_faults_come_at_their_rate_and_again_for_the_same_seed() -> None:
    async def played(seed: int) -> list[str]:
        faults = [Fault("rate_limit"), Fault("empty"), Fault("small_context")]
        with ScriptedServer(faults=faults, fault_rate=0.3, seed=seed) as server:
            async with httpx2.AsyncClient() as client:
                for _ in range(200):
                    await client.post(f"{server.base_url}/chat/completions", json={"messages": []})
        return [call.fault for call in server.log]

    first = await played(1)
    assert set(first) == {"", "rate_limit", "empty"}
    assert 140 - 25 < first.count("") < 140 + 25
    assert await played(1) == first
    assert await played(2) != first


@pytest.mark.parametrize(
    "kind", ["rate_limit", "server_error", "html_error", "wrong_key", "garbage", "empty", "endless"]
)
async def test_faults_of_the_line_reach_vectors_and_models_and_those_of_the_model_do_not(kind: Any) -> None:
    with ScriptedServer(faults=[Fault(kind)]) as server:
        async with httpx2.AsyncClient() as client:
            await client.post(f"{server.base_url}/embeddings", json={"model": "e", "input": "x"})
            await client.get(f"{server.base_url}/models")
    assert [call.fault for call in server.log] == (["", ""] if kind in {"empty", "endless"} else [kind, kind])


async def test_a_kind_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no fault 'slow'; one of: rate_limit"):
        Fault("slow")  # type: ignore[arg-type]
