"""Typed replies: down the ladder, and mended."""

import json
from dataclasses import dataclass

import pytest
from odd_server import OddServer, delta, http, refused, sent, stream, whole

from scholarmind.adapters.openai.client import OpenAIModel
from scholarmind.adapters.openai.connection import Endpoint
from scholarmind.adapters.openai.structured import UnusableReplyError
from scholarmind.calls import Reply, Request, Usage
from scholarmind.errors import ContextOverflowError, ModelReplyError, ModelUnavailableError
from scholarmind.llm.typed_replies import schema_of
from scholarmind.testing.scripted import Fault, ScriptedServer

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
TOLD = {"prompt_tokens": 7, "completion_tokens": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Capital:
    """A shape."""

    city: str
    people: int


PARIS = Capital(city="Paris", people=2)
GOOD = json.dumps({"city": "Paris", "people": 2})
BAD = json.dumps({"town": ["x"]})


async def complete(endpoint: Endpoint, *requests: Request) -> list[Reply]:
    async with OpenAIModel({"generation": endpoint}) as model:
        return [await model.complete(request) for request in requests]


@pytest.fixture
def typed(request_of):
    return request_of("The capital of France?", shape=Capital, purpose="short answer")


def rungs(server: OddServer) -> list[str]:
    return [rung(request) for request in server.requests]


def rung(request: dict) -> str:
    if wanted := request.get("response_format"):
        strict = ", strict" if wanted.get("json_schema", {}).get("strict") else ""
        return wanted["type"] + strict
    return "tools" if "tools" in request else "prompt"


async def test_the_best_rung_asks_for_a_strict_schema(endpoint, typed) -> None:
    async with OddServer(whole(GOOD, usage=TOLD)) as server:
        (reply,) = await complete(endpoint(server.base_url), typed)
    assert (reply.value, reply.text, reply.calls, reply.usage) == (PARIS, GOOD, 1, Usage(7, 2))
    assert server.requests[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "Capital", "schema": schema_of(Capital), "strict": True},
    }
    assert [message["content"] for message in server.requests[0]["messages"]] == ["Be kind.", "The capital of France?"]


@pytest.mark.parametrize("status", [400, 405, 422, 500])
async def test_what_a_server_does_not_know_is_learnt_from_its_words(status: int, endpoint, typed) -> None:
    refusals = [
        refused(status, "Invalid schema for response_format 'Capital': 'strict' is not supported"),
        refused(status, "This response_format type is unavailable now"),
        refused(status, "This model does not support this tool_choice"),
        refused(status, "Json mode is not supported for this model."),
    ]
    async with OddServer(*refusals, whole(GOOD)) as server:
        first, second = await complete(endpoint(server.base_url), typed, typed)
    assert [first.value, second.value] == [PARIS, PARIS]
    assert [first.calls, second.calls] == [1, 1]
    assert rungs(server) == ["json_schema, strict", "json_schema", "tools", "json_object", "prompt", "prompt"]
    told = server.requests[-1]["messages"][0]["content"]
    assert told.startswith("Be kind.\n\nAnswer with one JSON object only")
    assert json.dumps(schema_of(Capital)) in told


async def test_a_bad_request_without_a_reason_goes_down_too(endpoint, typed) -> None:
    async with OddServer(http("", 400), http("", 422), whole(GOOD)) as server:
        (reply,) = await complete(endpoint(server.base_url), typed)
    assert (reply.value, rungs(server)) == (PARIS, ["json_schema, strict", "json_schema", "tools"])


async def test_what_is_refused_on_every_rung_was_not_the_rungs_fault(endpoint, typed) -> None:
    no = refused(400, "no")
    async with (
        OddServer(no, no, no, no, no, whole(GOOD)) as server,
        OpenAIModel({"generation": endpoint(server.base_url)}) as model,
    ):
        with pytest.raises(ModelUnavailableError, match="400: no"):
            await model.complete(typed)
        assert (await model.complete(typed)).value == PARIS
    assert rungs(server)[-1] == "json_schema, strict"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (refused(401, "wrong key"), ModelUnavailableError),
        (refused(404, "the model `m` does not exist"), ModelUnavailableError),
        (refused(400, "maximum context length is 10"), ContextOverflowError),
    ],
)
async def test_other_refusals_do_not_lead_down(reply: bytes, kind: type[Exception], endpoint, typed) -> None:
    async with OddServer(reply) as server:
        with pytest.raises(kind):
            await complete(endpoint(server.base_url), typed)
    assert rungs(server) == ["json_schema, strict"]


@pytest.mark.parametrize("arguments", [GOOD, json.loads(GOOD)])
async def test_a_function_takes_the_reply(arguments, endpoint, typed) -> None:
    no = refused(400, "response_format is not supported")
    call = whole(None, "tool_calls", tool_calls=[{"id": "1", "function": {"name": "Capital", "arguments": arguments}}])
    async with OddServer(no, no, call) as server:
        (reply,) = await complete(endpoint(server.base_url), typed)
    assert reply.value == PARIS
    assert server.requests[2]["tool_choice"] == {"type": "function", "function": {"name": "Capital"}}
    assert server.requests[2]["tools"][0]["function"]["parameters"] == schema_of(Capital)


async def test_a_function_that_is_streamed_is_put_together(endpoint, typed) -> None:
    no = refused(400, "response_format is not supported")
    pieces = [
        delta(tool_calls=[{"index": 0, "function": {"arguments": GOOD[at : at + 5]}}]) for at in range(0, len(GOOD), 5)
    ]
    async with OddServer(no, no, stream(*pieces, delta(finish="tool_calls"))) as server:
        (reply,) = await complete(endpoint(server.base_url), typed)
    assert (reply.value, len(server.requests)) == (PARIS, 3)


async def test_a_refusal_that_repeats_the_request_says_nothing_of_streams(endpoint, typed) -> None:
    echo = "[{'type': 'extra_forbidden', 'input': {'response_format': {}, 'stream': True, \"stream\": true}}]"
    async with OddServer(refused(400, echo), whole(GOOD)) as server:
        (reply,) = await complete(endpoint(server.base_url), typed)
    assert (reply.value, rungs(server)) == (PARIS, ["json_schema, strict", "json_schema"])
    assert sent(server.requests, "stream") == [["stream"], ["stream"]]


async def test_functions_that_cannot_be_streamed_are_called_whole(endpoint, typed) -> None:
    no = refused(400, "response_format is not supported")
    whole_only = refused(500, "Cannot use tools with stream")
    call = whole(None, "tool_calls", tool_calls=[{"id": "1", "function": {"name": "Capital", "arguments": GOOD}}])
    async with OddServer(no, no, whole_only, call) as server:
        (reply,) = await complete(endpoint(server.base_url), typed)
    assert (reply.value, rungs(server)[2:], sent(server.requests, "stream")[2:]) == (
        PARIS,
        ["tools", "tools"],
        [["stream"], []],
    )


@pytest.mark.parametrize("bad", [BAD, "Paris, I think.", "", '{"city": "Paris"', "[1, 2"])
async def test_a_bad_reply_is_shown_to_the_model_with_its_error(bad: str, endpoint, typed) -> None:
    async with OddServer(whole(bad, usage=TOLD), whole(GOOD, usage=TOLD)) as server:
        (reply,) = await complete(endpoint(server.base_url), typed)
    assert (reply.value, reply.calls, reply.usage) == (PARIS, 2, Usage(14, 4))
    *before, said, told = server.requests[1]["messages"]
    assert before == server.requests[0]["messages"]
    assert said == {"role": "assistant", "content": bad or "."}
    assert told["role"] == "user"
    assert json.dumps(schema_of(Capital)) in told["content"]


async def test_after_two_repairs_it_is_an_error_that_tells_what_was_paid(endpoint, typed) -> None:
    async with OddServer(whole(BAD, usage=TOLD)) as server:
        with pytest.raises(UnusableReplyError, match=r"replied 3 times.*'short answer'") as caught:
            await complete(endpoint(server.base_url), typed)
    assert isinstance(caught.value, ModelReplyError)
    assert "\n" not in str(caught.value)
    assert (caught.value.calls, caught.value.usage) == (3, Usage(21, 6))
    assert [len(request["messages"]) for request in server.requests] == [2, 4, 4]


async def test_a_reply_that_was_cut_off_is_asked_to_be_shorter(endpoint, typed) -> None:
    async with OddServer(whole('{"city": "Par', "length"), whole(GOOD)) as server:
        (reply,) = await complete(endpoint(server.base_url), typed)
    assert reply.value == PARIS
    assert "be shorter" in server.requests[1]["messages"][-1]["content"]


STRAYED = "The model produced output that does not match the expected peg-native format"


async def test_a_reply_that_its_own_server_cannot_read_is_repaired(endpoint, typed) -> None:
    async with OddServer(refused(500, STRAYED), whole(GOOD, usage=TOLD)) as server:
        (reply,) = await complete(endpoint(server.base_url), typed)
    assert (reply.value, reply.calls, len(server.requests)) == (PARIS, 2, 2)
    assert reply.usage == Usage(7 + 2 + 6, 2, estimated=True)  # nobody tells what the first one took


async def test_a_rung_on_which_no_reply_can_be_read_is_given_up(endpoint, typed) -> None:
    async with (
        OddServer(*[refused(500, STRAYED)] * 3, whole(GOOD)) as server,
        OpenAIModel({"generation": endpoint(server.base_url)}) as model,
    ):
        with pytest.raises(UnusableReplyError) as caught:
            await model.complete(typed)
        assert (await model.complete(typed)).value == PARIS
    assert caught.value.calls == 3
    assert rungs(server) == ["json_schema, strict"] * 3 + ["json_schema"]


async def test_what_was_streamed_before_its_server_could_not_read_on_is_used(endpoint, typed) -> None:
    async with OddServer(stream(delta(GOOD), {"error": {"code": 500, "message": STRAYED}})) as server:
        (reply,) = await complete(endpoint(server.base_url), typed)
    assert (reply.value, len(server.requests)) == (PARIS, 1)


@pytest.mark.parametrize(
    ("reply", "kind", "asked"),
    [
        (refused(401, "wrong key"), ModelUnavailableError, 2),
        (refused(503, "no"), ModelUnavailableError, 5),
        (refused(400, "maximum context length is 10"), ContextOverflowError, 2),
    ],
)
async def test_what_was_paid_before_a_repair_failed_is_told(reply: bytes, kind, asked: int, endpoint, typed) -> None:
    async with OddServer(whole(BAD, usage=TOLD), reply) as server:
        with pytest.raises(kind) as caught:
            await complete(endpoint(server.base_url), typed)
    assert (type(caught.value.usage), caught.value.usage, caught.value.calls) == (Usage, Usage(7, 2), 1)
    assert len(server.requests) == asked


async def test_what_is_filtered_is_not_repaired(endpoint, typed) -> None:
    async with OddServer(whole("", "content_filter", usage=TOLD)) as server:
        with pytest.raises(UnusableReplyError, match="declined") as caught:
            await complete(endpoint(server.base_url), typed)
    assert (len(server.requests), caught.value.calls) == (1, 1)


async def test_a_rung_that_does_not_hold_is_given_up_after_three_bad_replies(endpoint, typed) -> None:
    replies = [whole("Paris, I think."), whole(GOOD)] * 3
    async with OddServer(*replies, whole(GOOD)) as server:
        found = await complete(endpoint(server.base_url), typed, typed, typed, typed)
    assert [reply.value for reply in found] == [PARIS] * 4
    assert [reply.calls for reply in found] == [2, 2, 2, 1]
    assert rungs(server) == ["json_schema, strict"] * 5 + ["json_schema"] * 2


async def test_a_good_first_reply_speaks_for_the_rung(endpoint, typed) -> None:
    replies = [whole(BAD), whole(GOOD), whole(GOOD)] * 4
    async with OddServer(*replies) as server:
        await complete(endpoint(server.base_url), *[typed] * 8)
    assert set(rungs(server)) == {"json_schema, strict"}


async def test_replies_that_were_cut_off_say_nothing_of_the_rung(endpoint, typed) -> None:
    replies = [whole('{"city": "Par', "length"), whole(GOOD)] * 4
    async with OddServer(*replies) as server:
        await complete(endpoint(server.base_url), *[typed] * 4)
    assert set(rungs(server)) == {"json_schema, strict"}


async def test_the_prompt_alone_is_the_last_rung(endpoint, typed) -> None:
    async with OddServer(whole("")) as server, OpenAIModel({"generation": endpoint(server.base_url)}) as model:
        for _ in range(7):
            with pytest.raises(ModelReplyError):
                await model.complete(typed)
    assert rungs(server)[-6:] == ["prompt"] * 6


async def test_a_typed_reply_is_streamed_in_one_piece(endpoint, typed) -> None:
    async with OddServer(whole(GOOD)) as server, OpenAIModel({"generation": endpoint(server.base_url)}) as model:
        text, reply = [item async for item in model.stream(typed)]
    assert text == GOOD
    assert isinstance(reply, Reply)
    assert reply.value == PARIS


@pytest.mark.parametrize(
    ("fault", "rung"),
    [
        (Fault("refuse_json_schema"), "tools"),
        (Fault("refuse_json_schema", status=500), "tools"),
        (Fault("refuse_all_formats"), "prompt"),
        (Fault("refuse_all_formats", status=500), "prompt"),
        (Fault("fenced"), "json_schema strict"),
    ],
)
async def test_the_scripted_server_may_refuse_and_wrap_what_it_likes(fault: Fault, rung: str, endpoint, typed) -> None:
    with ScriptedServer(canned=[("France", json.loads(GOOD))], faults=[fault]) as server:
        (reply,) = await complete(endpoint(server.base_url), typed)
        assert (reply.value, reply.calls, server.requests[-1].rung) == (PARIS, 1, rung)


@pytest.mark.parametrize(
    "kind", ["wrong_schema", "empty", "rate_limit", "server_error", "garbage", "cut_stream", "html_error"]
)
async def test_other_faults_are_got_over(kind, endpoint, typed) -> None:
    with ScriptedServer(canned=[("France", json.loads(GOOD))], faults=[Fault(kind, times=2)]) as server:
        (reply,) = await complete(endpoint(server.base_url), typed)
    assert reply.value == PARIS
