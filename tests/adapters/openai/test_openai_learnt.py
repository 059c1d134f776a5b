"""What a server turned out not to know is asked for in another way, and not again."""

import pytest
from asking import complete, gathered, streamed
from odd_server import OddServer, delta, refused, sent, stream, whole

from scholarmind.adapters.openai.client import OpenAIModel
from scholarmind.calls import PromptMessage, Usage

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
TOLD = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}


@pytest.mark.parametrize("status", [400, 422, 500])
async def test_another_name_for_the_tokens_is_learnt_once(status: int, endpoint, request_of) -> None:
    told = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    async with (
        OddServer(refused(status, told), whole()) as server,
        OpenAIModel({"generation": endpoint(server.base_url)}) as model,
    ):
        replies = [await model.complete(request_of()), (await gathered(model.stream(request_of("again"))))[1]]
    assert [reply.text for reply in replies] == ["hello", "hello"]
    fields = sent(server.requests, "max_tokens", "max_completion_tokens")
    assert fields == [["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"]]


async def test_a_model_that_knows_neither_name_nor_temperature(endpoint, request_of) -> None:
    refusals = [
        refused(400, "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1)"),
        refused(400, "Extra inputs are not permitted: max_tokens"),
        refused(400, "Extra inputs are not permitted: max_completion_tokens"),
    ]
    async with OddServer(*refusals, whole()) as server:
        reply = await complete(endpoint(server.base_url, temperature=0.2), request_of())
    assert reply.text == "hello"
    assert sent(server.requests, "temperature", "max_tokens", "max_completion_tokens") == [
        ["temperature", "max_tokens"],
        ["max_tokens"],
        ["max_completion_tokens"],
        [],
    ]


async def test_what_is_learnt_of_one_model_says_nothing_of_another(endpoint, request_of) -> None:
    told = refused(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    async with OddServer(told, whole()) as server:
        endpoints = {"generation": endpoint(server.base_url), "routing": endpoint(server.base_url, model="other")}
        async with OpenAIModel(endpoints) as model:
            await model.complete(request_of())
            await model.complete(request_of(task="routing"))
    assert sent(server.requests, "max_tokens")[1:] == [[], ["max_tokens"]]


async def test_a_server_that_knows_no_stream_options_is_not_asked_for_them_again(endpoint, request_of) -> None:
    async with OddServer(refused(422, "extra fields: stream_options"), stream(delta("a", "stop"))) as server:
        _, reply = await streamed(endpoint(server.base_url), request_of())
    assert reply.usage.estimated
    assert sent(server.requests, "stream", "stream_options") == [["stream", "stream_options"], ["stream"]]


async def test_a_model_that_may_not_stream_is_read_whole_and_this_is_remembered(endpoint, request_of) -> None:
    told = refused(400, "Your organization must be verified to stream this model.", param="stream")
    async with (
        OddServer(told, whole("Fine.", usage=TOLD)) as server,
        OpenAIModel({"generation": endpoint(server.base_url)}) as model,
    ):
        first = await model.complete(request_of())
        pieces, reply = await gathered(model.stream(request_of()))
    assert (first.text, first.usage, first.calls) == ("Fine.", Usage(7, 2), 1)
    assert (pieces, reply.text, sent(server.requests, "stream")) == (["Fine."], "Fine.", [["stream"], [], []])


async def test_what_a_stream_cannot_is_learnt_of_one_model_only(endpoint, request_of) -> None:
    async with OddServer(refused(400, "stream is not supported"), whole("Fine.")) as server:
        endpoints = {"generation": endpoint(server.base_url), "routing": endpoint(server.base_url, model="other")}
        async with OpenAIModel(endpoints) as model:
            await model.complete(request_of())
            await model.complete(request_of(task="routing"))
    assert sent(server.requests, "stream") == [["stream"], [], ["stream"]]


BROKEN = [stream(delta("Fi"), done=False), stream("data: {garbage\n\n"), stream("data: [1]\n\n")]


@pytest.mark.parametrize("broken", BROKEN)
async def test_who_cannot_end_a_stream_is_asked_for_whole_replies_after_two(
    broken: bytes, endpoint, request_of
) -> None:
    async with (
        OddServer(broken, broken, whole("Fine.")) as server,
        OpenAIModel({"generation": endpoint(server.base_url)}) as model,
    ):
        replies = [await model.complete(request_of()), (await gathered(model.stream(request_of())))[1]]
    assert [reply.text for reply in replies] == ["Fine.", "Fine."]
    assert sent(server.requests, "stream") == [["stream"], ["stream"], [], []]


async def test_a_stream_that_breaks_now_and_then_says_nothing_of_the_server(endpoint, request_of) -> None:
    fine = stream(delta("Fine.", "stop"))
    async with (
        OddServer(BROKEN[0], fine, BROKEN[0], fine) as server,
        OpenAIModel({"generation": endpoint(server.base_url)}) as model,
    ):
        assert [(await model.complete(request_of())).text for _ in range(2)] == ["Fine.", "Fine."]
    assert sent(server.requests, "stream") == [["stream"]] * 4


async def test_a_model_without_a_system_is_told_by_the_user(endpoint, request_of) -> None:
    async with OddServer(refused(400, "System role not supported"), whole()) as server:
        await complete(endpoint(server.base_url), request_of())
    assert server.requests[1]["messages"] == [{"role": "user", "content": "Be kind.\n\nHow are you?"}]


async def test_messages_of_the_system_alone_reach_a_model_without_one(endpoint, request_of) -> None:
    async with OddServer(refused(400, "system role is unsupported"), whole()) as server:
        await complete(endpoint(server.base_url), request_of(messages=(PromptMessage("system", "Be kind."),)))
    assert server.requests[1]["messages"] == [{"role": "user", "content": "Be kind."}]
