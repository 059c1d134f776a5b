"""Text from a model: whole and streamed."""

import asyncio
import json

import pytest
from asking import complete, gathered, streamed
from odd_server import OddServer, delta, http, refused, stream, whole

from scholarmind.adapters.openai.client import OpenAIModel
from scholarmind.adapters.openai.connection import Patience
from scholarmind.calls import Usage
from scholarmind.errors import ContextOverflowError, ModelReplyError, ModelUnavailableError
from scholarmind.testing.scripted import ScriptedServer

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
TOLD = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}


async def test_a_whole_reply(endpoint, request_of) -> None:
    events = [delta("Fi"), delta("ne.", "stop"), {"choices": [], "usage": TOLD}]
    async with OddServer(stream(*events)) as server:
        reply = await complete(endpoint(server.base_url, temperature=0.3, api_key="k"), request_of(max_tokens=50))
    assert (reply.text, reply.model, reply.usage, reply.finish, reply.calls) == ("Fine.", "m", Usage(7, 2), "stop", 1)
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "How are you?"}]
    fields = {
        "stream": True,
        "stream_options": {"include_usage": True},
    }  # servers notice then that nobody waits any more
    assert server.requests == [{"model": "m", "messages": messages, "max_tokens": 50, "temperature": 0.3, **fields}]
    assert "authorization: bearer k" in server.heads[0].lower()


async def test_a_stream_gives_pieces_and_then_the_reply(endpoint, request_of) -> None:
    events = [
        delta("", role="assistant"),
        delta("Fi"),
        delta("ne."),
        delta(finish="stop"),
        {"choices": [], "usage": TOLD},
    ]
    async with OddServer(stream(*events)) as server:
        pieces, reply = await streamed(endpoint(server.base_url), request_of())
    assert pieces == ["Fi", "ne."]
    assert (reply.text, reply.usage, reply.finish, reply.calls) == ("Fine.", Usage(7, 2), "stop", 1)
    assert server.requests[0]["stream_options"] == {"include_usage": True}


async def test_the_scripted_server_is_understood_both_ways(endpoint, request_of) -> None:
    with ScriptedServer(canned=[("", "你好 world")], token_rate=500) as server:
        reply = await complete(endpoint(server.base_url), request_of())
        pieces, last = await streamed(endpoint(server.base_url), request_of())
    assert reply.text == last.text == "".join(pieces) == "你好 world"
    assert reply.usage == last.usage
    assert not reply.usage.estimated
    assert len(pieces) > 1


async def test_tokens_are_estimated_where_the_server_does_not_tell(endpoint, request_of) -> None:
    async with OddServer(whole("注意力机制是什么"), stream(delta("four" * 10, "stop"))) as server:
        reply = await complete(endpoint(server.base_url), request_of("x" * 32))
        _, last = await streamed(endpoint(server.base_url), request_of("x" * 32))
    assert reply.usage == Usage(2 + 8, 5, estimated=True)
    assert last.usage == Usage(2 + 8, 10, estimated=True)


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", "stop"),
        ("tool_calls", "stop"),
        ("eos", "stop"),
        ("length", "length"),
        ("max_tokens", "length"),
        ("content_filter", "filter"),
        ("SAFETY", "filter"),
    ],
)
async def test_why_a_reply_ended(reason: str, finish: str, endpoint, request_of) -> None:
    async with OddServer(whole("a", reason), stream(delta("a"), delta(finish=reason))) as server:
        reply = await complete(endpoint(server.base_url), request_of())
        _, last = await streamed(endpoint(server.base_url), request_of())
    assert [reply.finish, last.finish] == [finish, finish]


@pytest.mark.parametrize(
    "message",
    [
        {"text": "<think>hm</think>\n\nFine."},
        {"text": "Fine.", "reasoning_content": "hm"},
        {"text": "Fine.", "reasoning": "hm"},
        {"text": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Fine."}]},
        {"text": "hm</think>Fine."},
    ],
)
async def test_thoughts_are_no_part_of_the_text(message, endpoint, request_of) -> None:
    async with OddServer(whole(**message)) as server:
        reply = await complete(endpoint(server.base_url), request_of())
    assert reply.text == "Fine."


async def test_streamed_thoughts_are_no_part_of_the_text(endpoint, request_of) -> None:
    events = [delta(reasoning_content="hm"), *map(delta, ("<th", "ink>hm", "</think", ">\n\n", "Fi", "ne."))]
    async with OddServer(stream(*events, delta(finish="stop"))) as server:
        pieces, reply = await streamed(endpoint(server.base_url), request_of())
    assert (pieces, reply.text) == (["Fi", "ne."], "Fine.")


async def test_a_model_that_begins_to_think_without_a_tag_is_remembered(endpoint, request_of) -> None:
    async with (
        OddServer(stream(delta("hm"), delta("</think>"), delta("Fine.", "stop"))) as server,
        OpenAIModel({"generation": endpoint(server.base_url)}) as model,
    ):
        first = await gathered(model.stream(request_of()))
        second = await gathered(model.stream(request_of()))
    assert [first[1].text, second[1].text] == ["Fine.", "Fine."]
    assert [first[0], second[0]] == [["hm", "Fine."], ["Fine."]]


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_model_that_thought_until_nothing_was_left_gets_more_room(streaming, endpoint, request_of) -> None:
    if streaming:
        replies = [stream(delta("<think>hm", "length")), stream(delta("Fine.", "stop"))]
    else:
        replies = [whole("", "length", usage=TOLD), whole("Fine.", usage=TOLD)]
    async with OddServer(*replies) as server:
        url = endpoint(server.base_url)
        reply = (await streamed(url, request_of()))[1] if streaming else await complete(url, request_of())
    assert (reply.text, reply.calls) == ("Fine.", 2)
    assert streaming or reply.usage == Usage(14, 4)
    assert [request["max_tokens"] for request in server.requests] == [1_000, 5_000]


async def test_a_reply_that_thoughts_cut_short_is_asked_for_again(endpoint, request_of) -> None:
    async with OddServer(whole("Fi", "length", reasoning="hm"), whole("Fine.")) as server:
        assert (await complete(endpoint(server.base_url), request_of())).text == "Fine."


async def test_a_model_that_thinks_for_ever_is_not_asked_for_ever(endpoint, request_of) -> None:
    async with OddServer(whole("", "length")) as server:
        reply = await complete(endpoint(server.base_url), request_of())
    assert (reply.text, reply.finish, reply.calls, len(server.requests)) == ("", "length", 2, 2)


async def test_a_reply_that_was_only_long_is_not_asked_for_again(endpoint, request_of) -> None:
    async with OddServer(whole("Fi", "length")) as server:
        reply = await complete(endpoint(server.base_url), request_of())
    assert (reply.text, reply.finish, len(server.requests)) == ("Fi", "length", 1)


async def test_who_gets_more_room_gets_the_time_for_it_too(endpoint, request_of) -> None:
    async def later(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2)
        writer.write(stream(delta("Fine.", "stop")))

    async with OddServer(stream(delta("<think>hm", "length")), later) as server:
        _, reply = await streamed(endpoint(server.base_url, patience=Patience(grace=0.05)), request_of())
    assert reply.text == "Fine."


async def test_too_many_tokens_are_an_error_and_not_another_name(endpoint, request_of) -> None:
    async with OddServer(refused(400, "Invalid max_tokens value, the valid range is [1, 100]")) as server:
        with pytest.raises(ModelUnavailableError, match="valid range"):
            await complete(endpoint(server.base_url), request_of())
    assert len(server.requests) == 1


async def test_an_empty_reply_is_a_reply(endpoint, request_of) -> None:
    async with OddServer(whole(None)) as server:
        assert (await complete(endpoint(server.base_url), request_of())).text == ""


async def test_what_a_model_refuses_to_say_is_told_as_filtered(endpoint, request_of) -> None:
    async with OddServer(whole(None, refusal="I cannot help with that.")) as server:
        reply = await complete(endpoint(server.base_url), request_of())
    assert (reply.text, reply.finish) == ("", "filter")


async def test_a_reply_that_is_too_long_is_cut(endpoint, request_of) -> None:
    async with OddServer(whole("a" * 200_000)) as server:
        reply = await complete(endpoint(server.base_url), request_of())
    assert (reply.text, reply.finish) == ("a" * 60_000, "cut")


async def test_a_stream_that_does_not_end_is_cut_and_its_connection_closed(endpoint, request_of) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        while True:
            writer.write(f"data: {json.dumps(delta('0123456789'))}\n\n".encode())
            await writer.drain()

    async with OddServer(endless) as server:
        pieces, reply = await streamed(endpoint(server.base_url, limit_characters=95), request_of())
        await server.all_closed.wait()
    assert "".join(pieces) == reply.text == "0123456789" * 9 + "01234"
    assert reply.finish == "cut"
    assert reply.usage.estimated


@pytest.mark.parametrize("body", [{"streaming": "ignored"}, {"streaming": "ignored", "pretty": True}])
async def test_a_server_that_ignores_the_wish_for_a_stream_is_read_too(body, endpoint, request_of) -> None:
    told = {"choices": [{"message": {"content": "Fine."}, "finish_reason": "stop"}], "usage": TOLD}
    async with OddServer(http(json.dumps(told, indent=2 if "pretty" in body else None))) as server:
        pieces, reply = await streamed(endpoint(server.base_url), request_of())
    assert (pieces, reply.text, reply.usage) == (["Fine."], "Fine.", Usage(7, 2))


async def test_a_stream_without_done_or_without_a_reason_is_whole(endpoint, request_of) -> None:
    async with OddServer(stream(delta("a", "stop"), done=False), stream(delta("b"))) as server:
        replies = [(await streamed(endpoint(server.base_url), request_of()))[1] for _ in range(2)]
    assert [(reply.text, reply.finish) for reply in replies] == [("a", "stop"), ("b", "stop")]
    assert len(server.requests) == 2


@pytest.mark.parametrize("done", [False, True])
async def test_a_stream_that_stays_open_after_its_end_is_left(done: bool, endpoint, request_of) -> None:
    async def lingering(writer: asyncio.StreamWriter) -> None:
        writer.write(stream(delta("Fine.", None if done else "stop"), done=done))
        await asyncio.Event().wait()

    async with OddServer(lingering) as server:
        _, reply = await streamed(endpoint(server.base_url, patience=Patience(grace=0.05)), request_of())
        await server.all_closed.wait()
    assert (reply.text, reply.finish, len(server.requests)) == ("Fine.", "stop", 1)


@pytest.mark.parametrize(
    "first",
    [
        stream(done=False),
        stream(delta("", role="assistant"), done=False),
        stream(delta(reasoning_content="hm"), done=False),
        stream(delta("<think>hm"), done=False),
        stream({"error": {"message": "Overloaded"}}),
        stream('{"error": {"message": "Overloaded"}}\n\n'),
        stream("data: {garbage\n\n"),
        stream("data: [1]\n\n"),
    ],
)
async def test_a_stream_that_breaks_before_its_first_word_is_asked_for_again(first, endpoint, request_of) -> None:
    async with OddServer(first, stream(delta("Fine.", "stop"))) as server:
        pieces, reply = await streamed(endpoint(server.base_url), request_of())
    assert (pieces, reply.text, len(server.requests)) == (["Fine."], "Fine.", 2)


@pytest.mark.parametrize("end", [[], [{"error": {"message": "Overloaded"}}], ["data: {garbage\n\n"]])
async def test_a_stream_that_breaks_later_is_an_error(end, endpoint, request_of) -> None:
    async with OddServer(stream(delta("Fi"), *end, done=False)) as server:
        model = OpenAIModel({"generation": endpoint(server.base_url)})
        pieces = model.stream(request_of())
        assert await anext(pieces) == "Fi"
        with pytest.raises(ModelUnavailableError, match="broke off in the middle"):
            await anext(pieces)
        await model.aclose()
    assert len(server.requests) == 1


async def test_a_reply_that_was_paid_for_before_an_error_is_told_with_it(endpoint, request_of) -> None:
    async with OddServer(whole("", "length", usage=TOLD), refused(400, "maximum context length is 10")) as server:
        with pytest.raises(ContextOverflowError) as caught:
            await complete(endpoint(server.base_url), request_of())
    assert (caught.value.usage, caught.value.calls) == (Usage(7, 2), 1)


async def test_an_error_before_any_reply_tells_of_none(endpoint, request_of) -> None:
    async with OddServer(refused(401, "no")) as server:
        with pytest.raises(ModelUnavailableError) as caught:
            await complete(endpoint(server.base_url), request_of())
    assert (caught.value.usage, caught.value.calls) == (None, 0)


STRAYED = "The model produced output that does not match the expected peg-native format"


async def test_a_reply_that_its_own_server_cannot_read_is_no_passing_fault(endpoint, request_of) -> None:
    async with OddServer(refused(500, STRAYED)) as server:
        with pytest.raises(ModelReplyError, match="could not read what model 'm' said"):
            await complete(endpoint(server.base_url), request_of())
    assert len(server.requests) == 1


async def test_what_was_streamed_until_its_server_could_not_read_on_is_a_reply(endpoint, request_of) -> None:
    async with OddServer(stream(delta("Fi"), delta("ne."), {"error": {"code": 500, "message": STRAYED}})) as server:
        pieces, reply = await streamed(endpoint(server.base_url), request_of())
    assert (pieces, reply.text, reply.finish, len(server.requests)) == (["Fi", "ne."], "Fine.", "stop", 1)


async def test_text_that_cannot_be_encoded_is_sent_all_the_same(endpoint, request_of) -> None:
    async with OddServer(whole("ok")) as server:
        reply = await complete(endpoint(server.base_url), request_of("half a pair \ud83d, 注意"))
    assert reply.text == "ok"
    assert server.requests[0]["messages"][1]["content"] == "half a pair ?, 注意"
