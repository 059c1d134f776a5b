"""The scripted server as a client sees it: what it says, how fast, and what it notes."""

import asyncio
import base64
import json
import threading
from collections.abc import Callable
from typing import Any

import httpx2
import numpy as np
import pytest

from scholarmind.testing import Call, HashEmbedder, ScriptedServer

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]

ROME = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}


def body(text: str = "Where is the Colosseum?", **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}], **more}


def schema(*, strict: bool = True) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "Short", "strict": strict, "schema": ROME}}


def tools() -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": "Short", "parameters": ROME}}]


async def chat(server: ScriptedServer, **asked: Any) -> httpx2.Response:
    async with httpx2.AsyncClient() as client:
        return await client.post(f"{server.base_url}/chat/completions", json=asked)


async def said(server: ScriptedServer, **asked: Any) -> str:
    return (await chat(server, **asked)).json()["choices"][0]["message"]["content"]


def events(reply: httpx2.Response) -> list[Any]:
    told = [line.removeprefix("data: ") for line in reply.text.split("\n") if line]
    assert told.pop() == "[DONE]"
    return [json.loads(event) for event in told]


async def until(true: Callable[[], bool]) -> None:
    """Wait for what the thread of the server does."""
    for _ in range(1_000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came true")


async def test_without_rules_it_says_what_it_was_told() -> None:
    with ScriptedServer() as server:
        reply = await chat(server, **body("Where is\nthe Colosseum?"))
    assert reply.headers["content-type"] == "application/json"
    assert reply.json() == {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Where is the Colosseum?"},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 6, "completion_tokens": 6, "total_tokens": 12},
    }


async def test_a_stream_comes_in_tokens_with_the_usage_in_its_last_piece() -> None:
    with ScriptedServer(canned=[("", "罗马在 Italy.")]) as server:
        asked = body(stream=True, stream_options={"include_usage": True})
        reply = await chat(server, **asked)
    assert reply.headers["content-type"] == "text/event-stream"
    told = events(reply)
    deltas = [piece["choices"][0]["delta"] for piece in told[:-1]]
    assert deltas == [
        {"role": "assistant", "content": ""},
        {"content": "罗马在 "},
        {"content": "Ital"},
        {"content": "y."},
        {},
    ]
    assert [piece["choices"][0]["finish_reason"] for piece in told[:-1]] == [None] * 4 + ["stop"]
    assert told[-1]["choices"] == []
    assert told[-1]["usage"] == {"prompt_tokens": 6, "completion_tokens": 4, "total_tokens": 10}


async def test_no_usage_is_streamed_where_none_is_asked_for() -> None:
    with ScriptedServer() as server:
        told = events(await chat(server, **body(stream=True)))
    assert [piece for piece in told if "usage" in piece] == []


@pytest.mark.parametrize(
    ("asked", "rung"),
    [
        ({"response_format": schema()}, "json_schema strict"),
        ({"response_format": schema(strict=False)}, "json_schema"),
        ({"response_format": {"type": "json_object"}, "text": f"Keep to {json.dumps(ROME)}"}, "json_object"),
        ({"response_format": {"type": "json_object", "schema": ROME}}, "json_object"),
        ({"text": f'An example is {{"answer": "x"}}. Keep to {json.dumps(ROME, indent=1)} please'}, "prompt"),
    ],
)
async def test_a_schema_is_kept_by_whatever_means_it_is_asked_for(asked: dict[str, Any], rung: str) -> None:
    with ScriptedServer() as server:
        assert json.loads(await said(server, **body(**asked))) == {"answer": "ok"}
    assert [call.rung for call in server.log] == [rung]


async def test_an_object_of_no_schema_is_empty() -> None:
    with ScriptedServer() as server:
        assert await said(server, **body(response_format={"type": "json_object"})) == "{}"


@pytest.mark.parametrize("stream", [False, True])
async def test_with_tools_the_answer_is_the_arguments_of_a_call(stream: bool) -> None:
    with ScriptedServer() as server:
        reply = await chat(server, **body(tools=tools(), stream=stream))
    if stream:
        choices = [piece["choices"][0] for piece in events(reply)]
        called = [call["function"] for choice in choices for call in choice["delta"].get("tool_calls", [])]
        finish, content = choices[-1]["finish_reason"], choices[0]["delta"]["content"]
    else:
        (choice,) = reply.json()["choices"]
        called = [call["function"] for call in choice["message"]["tool_calls"]]
        finish, content = choice["finish_reason"], choice["message"]["content"]
    assert called[0]["name"] == "Short"
    assert json.loads("".join(call["arguments"] for call in called)) == {"answer": "ok"}
    assert (finish, content) == ("tool_calls", None)
    assert server.log[0].rung == "tools"


async def test_a_rule_sees_the_call_and_what_it_leaves_open_is_canned() -> None:
    def answer(call: Call) -> dict[str, Any] | None:
        return {"asked": call.schema_name, "of": call.model} if call.number == 1 else None

    with ScriptedServer(answer=answer, canned=[("Colosseum", "In Rome."), ("Louvre", ["Paris"])]) as server:
        assert json.loads(await said(server, **body(response_format=schema()))) == {"asked": "Short", "of": "m"}
        assert await said(server, **body()) == "In Rome."
        assert await said(server, **body("And the Louvre?")) == '["Paris"]'
        assert await said(server, **body("And the Prado?")) == "And the Prado?"
    assert [call.messages[0]["content"] for call in server.requests[2:]] == ["And the Louvre?", "And the Prado?"]


async def test_a_rule_that_fails_is_told_to_both_sides() -> None:
    def answer(call: Call) -> str:
        raise KeyError(call.model)

    async def ask() -> None:
        with server:
            replies.append(await chat(server, **body()))

    server, replies = ScriptedServer(answer=answer), list[httpx2.Response]()
    with pytest.raises(KeyError, match="'m'"):
        await ask()
    assert (replies[0].status_code, replies[0].text) == (500, "KeyError: 'm'")
    assert server.log[0].end is not None


async def test_a_reply_keeps_to_the_tokens_that_it_may_have() -> None:
    with ScriptedServer(canned=[("", "x" * 400)]) as server:
        (choice,) = (await chat(server, **body(max_tokens=10))).json()["choices"]
    assert (len(choice["message"]["content"]), choice["finish_reason"]) == (40, "length")


@pytest.mark.parametrize("packed", [False, True])
async def test_vectors_are_those_of_the_hash_embedder(packed: bool) -> None:
    asked = {"model": "e", "input": ["a text", "another"], "encoding_format": "base64" if packed else "float"}
    with ScriptedServer() as server:
        async with httpx2.AsyncClient() as client:
            told = (await client.post(f"{server.base_url}/embeddings", json=asked)).json()["data"]
    got = [
        np.frombuffer(base64.b64decode(one["embedding"]), np.float32) if packed else one["embedding"] for one in told
    ]
    assert np.array(got) == pytest.approx((await HashEmbedder().embed(asked["input"])).vectors)


async def test_models_are_listed() -> None:
    with ScriptedServer(models=["small", "large"]) as server:
        async with httpx2.AsyncClient() as client:
            told = (await client.get(f"{server.base_url}/models")).json()
    assert [model["id"] for model in told["data"]] == ["small", "large"]


async def test_the_key_is_looked_at_where_there_is_one() -> None:
    with ScriptedServer(key="secret") as server:
        async with httpx2.AsyncClient() as client:
            statuses = [
                (await client.get(f"{server.base_url}/models", headers=headers)).status_code
                for headers in (
                    {},
                    {"Authorization": "Bearer wrong"},
                    {"Authorization": "Bearer secret"},
                    {"api-key": "secret"},
                )
            ]
    assert statuses == [401, 401, 200, 200]


async def test_what_it_cannot_read_is_refused() -> None:
    with ScriptedServer() as server:
        async with httpx2.AsyncClient() as client:
            url = f"{server.base_url}/chat/completions"
            statuses = [(await client.post(url, content=content)).status_code for content in (b"{", b"[]")]
            statuses.append((await client.get(f"{server.base_url}/elsewhere")).status_code)

            async def pieces() -> Any:
                yield b"{}"

            statuses.append((await client.post(url, content=pieces())).status_code)
    assert statuses == [400, 400, 404, 411]
    assert server.log == []


async def test_the_log_tells_calls_levels_and_how_many_ran_at_once() -> None:
    with ScriptedServer(latency=0.4, purposes={"Colosseum": "part"}) as server:
        async with httpx2.AsyncClient() as client:
            url = f"{server.base_url}/chat/completions"
            await client.post(url, json=body())
            await asyncio.gather(*(client.post(url, json=body(response_format=schema())) for _ in range(3)))
            await client.post(url, json=body("The end", response_format=schema()))
            await client.post(f"{server.base_url}/embeddings", json={"model": "e", "input": "x"})
            told = (await client.get(f"{server.base_url[:-3]}/log")).json()
            cleared = (await client.delete(f"{server.base_url[:-3]}/log")).json()
    assert (told["levels"], told["most_at_once"]) == (3, 3)
    assert [call["purpose"] for call in told["calls"]] == ["part"] * 4 + ["Short", ""]
    assert {(call["status"], call["fault"], call["gone"]) for call in told["calls"]} == {(200, "", False)}
    assert cleared == {"calls": [], "levels": 0, "most_at_once": 0}
    assert (server.log, server.requests) == ([], [])


async def test_a_client_that_goes_away_is_noted_and_its_call_ended() -> None:
    with ScriptedServer(latency=30) as server:
        task = asyncio.create_task(chat(server, **body()))
        await until(lambda: bool(server.log))
        task.cancel()
        await until(lambda: server.log[0].gone)
    (call,) = server.log
    assert (call.gone, call.status) == (True, None)
    assert call.end is not None


async def test_closing_ends_what_is_being_answered() -> None:
    with ScriptedServer(latency=30) as server:
        task = asyncio.create_task(chat(server, **body()))
        await until(lambda: bool(server.log))
    with pytest.raises(httpx2.TransportError):
        await task
    (call,) = server.log
    assert (call.gone, call.end is None) == (False, False)
    assert [thread.name for thread in threading.enumerate() if not thread.daemon] == ["MainThread"]


async def test_a_stream_at_a_rate_begins_before_it_ends_and_is_left_by_a_client_that_has_enough() -> None:
    with ScriptedServer(canned=[("", "x" * 40)], token_rate=1) as server:
        async with (
            httpx2.AsyncClient() as client,
            client.stream("POST", f"{server.base_url}/chat/completions", json=body(stream=True)) as reply,
        ):
            first = await anext(reply.aiter_raw())
        await until(lambda: server.log[0].end is not None)
    assert first.count(b"data: ") == 1
    assert (server.log[0].status, server.log[0].gone) == (200, True)


async def test_sixty_four_connections_are_answered_at_once_each_with_its_own() -> None:
    with ScriptedServer(latency=1, answer=lambda call: call.text[::-1]) as server:
        limits = httpx2.Limits(max_connections=64)
        async with httpx2.AsyncClient(limits=limits, timeout=60) as client:

            async def one(number: int) -> str:
                url = f"{server.base_url}/chat/completions"
                return (await client.post(url, json=body(f"n{number}"))).json()["choices"][0]["message"]["content"]

            told = await asyncio.gather(*map(one, range(64)))
    assert told == [f"n{number}"[::-1] for number in range(64)]
    assert server.most_at_once > 32
