"""Bad lines, bad servers, and that nothing is left behind: no task, no socket, no key."""

import asyncio
import gc
import gzip
import logging
import threading
import traceback

import pytest
from odd_server import OddServer, delta, hang, http, refused, stream, whole

from scholarmind.adapters.openai.client import OpenAIModel
from scholarmind.adapters.openai.connection import Connection, Endpoint, Patience
from scholarmind.calls import Reply, Request
from scholarmind.errors import ContextOverflowError, ModelError, ModelReplyError, ModelUnavailableError
from scholarmind.testing.scripted import Fault, ScriptedServer

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"


async def complete(endpoint: Endpoint, request: Request) -> Reply:
    async with OpenAIModel({"generation": endpoint}) as model:
        return await model.complete(request)


async def streamed(endpoint: Endpoint, request: Request) -> list[str | Reply]:
    async with OpenAIModel({"generation": endpoint}) as model:
        return [item async for item in model.stream(request)]


async def broken(writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b'{"choices"')
    await writer.drain()


async def test_where_nobody_was_there_nobody_is_waited_for_again_until_somebody_is(endpoint, request_of) -> None:
    async with OddServer(whole("Fine."), whole("Fine.")) as server:
        address = server.base_url
    port = int(address.rpartition(":")[2].partition("/")[0])
    async with OpenAIModel({"generation": endpoint(address)}) as model:
        with pytest.raises(ModelUnavailableError, match="after 4 tries"):
            await model.complete(request_of())
        with pytest.raises(ModelUnavailableError, match="after 1 try "):
            await model.complete(request_of())
        with ScriptedServer(port=port, canned=[("", "Back.")]):
            assert (await model.complete(request_of())).text == "Back."
        with pytest.raises(ModelUnavailableError, match="after 4 tries"):
            await model.complete(request_of())


@pytest.mark.parametrize(
    "fault",
    [
        broken,
        b"",
        b"nonsense\r\n\r\n",
        http("{garbage"),
        http("[]"),
        http({}),
        http({"choices": "none"}),
        http({"error": {"message": "Overloaded"}}),
        *(refused(status, "later") for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)),
        http("<html><title>502 Bad Gateway</title></html>", 502, "text/html"),
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnope",
    ],
)
async def test_passing_faults_are_tried_again(fault, endpoint, request_of) -> None:
    async with OddServer(fault, whole("Fine.")) as server:
        reply = await complete(endpoint(server.base_url), request_of())
    assert (reply.text, reply.calls, len(server.requests)) == ("Fine.", 1, 2)


async def test_a_reply_that_is_packed_is_not_unpacked(endpoint, request_of) -> None:
    """A thousand bytes may unpack to a million; nobody asked for that."""
    bomb = gzip.compress(b" " * 1_000_000)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    for ask in (complete, streamed):
        async with OddServer(head + bomb) as server:
            with pytest.raises(ModelUnavailableError, match="packed as 'gzip', which was not asked for"):
                await ask(endpoint(server.base_url), request_of())
        assert "accept-encoding: identity" in server.heads[0].lower()


async def test_a_stream_without_an_end_is_left(endpoint, request_of) -> None:
    """Every event is short and says nothing, so that only the sum tells."""
    told = b": still here\n\n" * 2_500_000
    async with OddServer(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + told
    ) as server:
        with pytest.raises(ModelError, match="sent more than 32,000,000 bytes"):
            await streamed(endpoint(server.base_url), request_of())


async def test_a_server_that_stays_broken_ends_in_an_error(endpoint, request_of) -> None:
    async with OddServer(refused(503, "no")) as server:
        with pytest.raises(ModelUnavailableError, match=r"did not answer after 4 tries \(503: no\)") as caught:
            await complete(endpoint(server.base_url), request_of())
    assert "SCHOLARMIND_LLM_BASE_URL" in str(caught.value)
    assert len(server.requests) == 4


async def test_nobody_at_home(endpoint, request_of) -> None:
    async with OddServer(whole()) as server:
        gone = server.base_url
    for ask in (complete, streamed):
        with pytest.raises(ModelUnavailableError, match="SCHOLARMIND_LLM_BASE_URL") as caught:
            await ask(endpoint(gone), request_of())
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (refused(401, "Incorrect API key"), "SCHOLARMIND_LLM_API_KEY"),
        (refused(403, "no"), "SCHOLARMIND_LLM_API_KEY"),
        (refused(404, "no such path"), r"SCHOLARMIND_LLM_BASE_URL \(it usually ends in /v1\)"),
        (refused(404, "model not found"), "SCHOLARMIND_LLM_MODEL"),
        (http("<html><title>Chat</title>", kind="text/html"), "a web page 'Chat'; check SCHOLARMIND_LLM_BASE_URL"),
        (http("", 307, location="http://127.0.0.1:1/v1"), "SCHOLARMIND_LLM_BASE_URL"),
    ],
)
async def test_a_refusal_is_not_tried_again(reply: bytes, told: str, endpoint, request_of) -> None:
    async with OddServer(reply) as server:
        for ask in (complete, streamed):
            with pytest.raises(ModelUnavailableError, match=told):
                await ask(endpoint(server.base_url), request_of())
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [200, 400, 413, 500])
async def test_too_long_is_an_error_of_its_own(status: int, endpoint, request_of) -> None:
    async with OddServer(refused(status, "the request exceeds the available context size")) as server:
        for ask in (complete, streamed):
            with pytest.raises(ContextOverflowError):
                await ask(endpoint(server.base_url), request_of())
    assert len(server.requests) == 2


async def test_a_small_context_of_the_scripted_server_is_known(endpoint, request_of) -> None:
    with ScriptedServer(faults=[Fault("small_context", tokens=100)]) as server, pytest.raises(ContextOverflowError):
        await complete(endpoint(server.base_url), request_of("word " * 200))


@pytest.mark.parametrize("header", [{"Retry-After": "0.04"}, {"Retry-After-Ms": "40"}])
async def test_a_server_that_asks_to_wait_is_left_alone_so_long(header, endpoint, request_of, monkeypatch) -> None:
    waited: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        waited.append(seconds)
        await sleep(0)

    monkeypatch.setattr("scholarmind.adapters.openai.connection.asyncio.sleep", noted)
    async with OddServer(http({}, 429, **header), http({}, 429, Retry_After="900"), whole()) as server:
        patience = Patience(first_pause=0.001, longest_pause=20)
        await complete(endpoint(server.base_url, patience=patience), request_of())
    assert [seconds for seconds in waited if seconds] == [0.04, 20]  # what is asked for is capped


async def test_who_is_not_told_how_long_waits_for_a_random_part_of_ever_longer_pauses(
    endpoint, request_of, monkeypatch
) -> None:
    waited: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        waited.append(seconds)
        await sleep(0)

    monkeypatch.setattr("scholarmind.adapters.openai.connection.asyncio.sleep", noted)
    monkeypatch.setattr("scholarmind.adapters.openai.connection.random.uniform", lambda low, high: (low + high) / 2)
    async with OddServer(refused(503, "no")) as server:
        patience = Patience(tries=5, first_pause=2, longest_pause=10)
        with pytest.raises(ModelUnavailableError, match="after 5 tries"):
            await complete(endpoint(server.base_url, patience=patience), request_of())
    assert [seconds for seconds in waited if seconds] == [1, 2, 4, 5]


async def test_who_asks_for_more_time_than_there_is_gets_none(endpoint, request_of) -> None:
    async with OddServer(http({}, 429, Retry_After="15")) as server:
        with pytest.raises(ModelUnavailableError, match="after 1 try "):
            await complete(endpoint(server.base_url, patience=Patience(total=10)), request_of())
    assert len(server.requests) == 1


async def test_a_hang_ends_with_the_read_time_out_and_is_tried_again(endpoint, request_of) -> None:
    async with OddServer(hang, whole("Fine.")) as server:
        patience = Patience(read=0.1, first_pause=0.01)
        reply = await complete(endpoint(server.base_url, patience=patience), request_of())
        await server.all_closed.wait()
    assert (reply.text, len(server.requests)) == ("Fine.", 2)


@pytest.mark.parametrize("ask", [complete, streamed])
async def test_a_slow_drip_ends_with_the_total_time(ask, endpoint, request_of) -> None:
    async def dripping(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        while True:
            writer.write(b" ")
            await asyncio.sleep(0.01)

    async with OddServer(dripping) as server:
        with pytest.raises(ModelUnavailableError, match=r"longer than 0\.2 seconds.*SCHOLARMIND_LLM_CALL_SECONDS"):
            await ask(endpoint(server.base_url, patience=Patience(total=0.2)), request_of())
        await server.all_closed.wait()
    assert len(server.requests) == 1


async def test_waiting_for_a_turn_takes_no_time_of_the_call(endpoint, request_of) -> None:
    with ScriptedServer(latency=0.2) as server:
        url = endpoint(server.base_url, concurrency=1, patience=Patience(total=1.0))
        async with OpenAIModel({"generation": url}) as model:
            replies = await asyncio.gather(*(model.complete(request_of(str(n))) for n in range(6)))
    assert [reply.text for reply in replies] == [str(n) for n in range(6)]


async def test_an_answer_without_end_does_not_fill_the_memory(endpoint) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while True:
            writer.write(b" " * 100_000)
            await writer.drain()

    async with OddServer(endless) as server, Connection(endpoint(server.base_url)) as connection:
        with pytest.raises(ModelReplyError, match="more than 1,000,000 bytes"):
            await connection.ask("models", most=1_000_000)
        await server.all_closed.wait()


@pytest.mark.parametrize("streaming", [False, True])
async def test_no_more_calls_run_at_a_time_than_may(streaming: bool, endpoint, request_of) -> None:
    with ScriptedServer(latency=0.02) as server:
        # Two tasks on one server share its turns, and the most careful one counts
        endpoints = {"generation": endpoint(server.base_url, concurrency=6), "routing": endpoint(server.base_url)}
        async with OpenAIModel(endpoints) as model:

            async def asked(number: int) -> str:
                request = request_of(str(number), task="generation" if number % 2 else "routing")
                if not streaming:
                    return (await model.complete(request)).text
                return "".join([item async for item in model.stream(request) if isinstance(item, str)])

            texts = await asyncio.gather(*map(asked, range(64)))
        assert texts == [str(number) for number in range(64)]
        assert server.most_at_once == 6


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_cancelled_call_leaves_no_task_and_no_socket(streaming: bool, endpoint, request_of) -> None:
    async def begun(writer: asyncio.StreamWriter) -> None:
        writer.write(stream(delta("Fi"), done=False))
        await asyncio.Event().wait()

    async with OddServer(begun if streaming else hang) as server:
        url = endpoint(server.base_url)
        async with OpenAIModel({"generation": url}) as model:
            known, heard = asyncio.all_tasks(), asyncio.Event()

            async def consume() -> None:
                async for _ in model.stream(request_of()):
                    heard.set()

            task = asyncio.create_task(consume()) if streaming else asyncio.create_task(model.complete(request_of()))
            await (heard if streaming else server.asked).wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await server.all_closed.wait()
            assert {left for left in asyncio.all_tasks() - known if "openai/odd_server" not in str(left)} == set()


async def test_who_stops_listening_closes_the_connection(endpoint, request_of) -> None:
    async def begun(writer: asyncio.StreamWriter) -> None:
        writer.write(stream(delta("Fi"), done=False))
        await asyncio.Event().wait()

    async with OddServer(begun) as server, OpenAIModel({"generation": endpoint(server.base_url)}) as model:
        pieces = model.stream(request_of())
        assert await anext(pieces) == "Fi"
        await pieces.aclose()
        await server.all_closed.wait()


async def test_closing_twice_and_asking_after_it(endpoint, request_of) -> None:
    with ScriptedServer() as server:
        model = OpenAIModel({"generation": endpoint(server.base_url)})
        await model.aclose()
        first = await model.complete(request_of("a"))
        await model.aclose()
        second = await model.complete(request_of("b"))
        await model.aclose()
        await model.aclose()
    assert [first.text, second.text] == ["a", "b"]


async def test_a_call_that_waits_for_its_turn_while_all_is_closed_is_an_error(endpoint, request_of) -> None:
    async with OddServer(hang) as server:
        model = OpenAIModel({"generation": endpoint(server.base_url, concurrency=1)})
        calls = [asyncio.create_task(model.complete(request_of(str(n)))) for n in range(2)]
        await server.asked.wait()
        await asyncio.gather(model.aclose(), model.aclose())
        calls[0].cancel()
        found = await asyncio.gather(*calls, return_exceptions=True)
        await server.all_closed.wait()
    assert [type(each) for each in found] == [asyncio.CancelledError, ModelUnavailableError]


def test_each_loop_has_its_connections_and_takes_them_along(endpoint, request_of) -> None:
    with ScriptedServer() as server:
        model = OpenAIModel({"generation": endpoint(server.base_url)})
        found = [asyncio.run(model.complete(request_of(str(n)))).text for n in range(3)]
        threads = [
            threading.Thread(target=lambda n=n: found.append(asyncio.run(model.complete(request_of(n))).text))
            for n in "abc"
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        gc.collect()  # a socket that was left open would complain here, and complaints are errors
    assert sorted(found) == ["0", "1", "2", "a", "b", "c"]


async def test_closing_reaches_connections_on_other_loops(endpoint, request_of) -> None:
    def work() -> None:
        async def ask_and_wait() -> None:
            await model.complete(request_of())
            asked.set()
            await asyncio.to_thread(done.wait)

        asyncio.run(ask_and_wait())

    asked, done = threading.Event(), threading.Event()
    async with OddServer(kept) as server:
        model = OpenAIModel({"generation": endpoint(server.base_url)})
        thread = threading.Thread(target=work)
        thread.start()
        await asyncio.to_thread(asked.wait)
        assert server.open == 1
        try:
            await model.aclose()
            await asyncio.wait_for(server.all_closed.wait(), 10)
        finally:
            done.set()
            await asyncio.to_thread(thread.join)


async def kept(writer: asyncio.StreamWriter) -> None:
    """Answer, and leave the connection open for the next question."""
    writer.write(whole().replace(b"Connection: close", b"Connection: keep-alive"))
    await asyncio.Event().wait()


async def test_what_is_opened_anew_before_the_old_is_closed_stays(endpoint, request_of, caplog) -> None:
    caplog.set_level(logging.DEBUG, "httpcore2.connection")
    with ScriptedServer() as server:
        model = OpenAIModel({"generation": endpoint(server.base_url)})
        await model.complete(request_of("a"))
        elsewhere = threading.Thread(target=lambda: asyncio.run(model.aclose()))
        elsewhere.start()
        elsewhere.join()  # our own loop stands still, and learns only afterwards that it should close its connections
        replies = [await model.complete(request_of(text)) for text in "bc"]
        await model.aclose()
    assert [reply.text for reply in replies] == ["b", "c"]
    assert caplog.text.count("connect_tcp.started") == 2


async def test_a_model_that_is_forgotten_closes_its_connections(endpoint, request_of) -> None:
    async with OddServer(kept) as server:
        model = OpenAIModel({"generation": endpoint(server.base_url)})
        await model.complete(request_of())
        assert server.open == 1
        del model
        gc.collect()
        await server.all_closed.wait()


@pytest.mark.parametrize(
    "reply",
    [
        refused(401, "Incorrect API key provided: sk-very-secret. Header: Bearer sk-very-secret"),
        refused(500, "while handling Authorization: Bearer sk-very-secret"),
        refused(400, "the request with sk-very-secret exceeds the available context size"),
        http("sk-very-secret is no JSON"),
        http("<html><title>sk-very-secret</title></html>"),
        stream({"error": {"message": "sk-very-secret"}}),
        b"HTTP/1.1 sk-very-secret\r\n\r\n",
    ],
)
async def test_the_key_is_in_no_error_and_no_log(reply: bytes, endpoint, request_of, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    async with OddServer(reply) as server:
        url = endpoint(server.base_url, api_key="sk-very-secret")
        model = OpenAIModel({"generation": url})
        for ask in (complete, streamed):
            with pytest.raises(ModelError) as caught:
                await ask(url, request_of())
            assert "very-secret" not in "".join(traceback.format_exception(caught.value)) + repr(caught.value)
        assert "very-secret" not in f"{url!r} {model!r} {url} {Connection(url)!r}"
        assert "very-secret" not in caplog.text.replace("b'HTTP/1.1 sk-very-secret'", "")
    assert "Bearer sk-very-secret" in server.heads[0]


async def test_calls_and_streams_one_after_the_other_share_a_connection(endpoint, request_of, caplog) -> None:
    caplog.set_level(logging.DEBUG, "httpcore2.connection")
    with ScriptedServer() as server:
        async with OpenAIModel({"generation": endpoint(server.base_url)}) as model:
            for number in range(3):
                await model.complete(request_of(str(number)))
                assert [item async for item in model.stream(request_of(str(number)))]
    assert caplog.text.count("connect_tcp.started") == 1


async def test_a_query_goes_along_with_every_request(endpoint, request_of) -> None:
    async with OddServer(whole()) as server:
        await complete(endpoint(f"{server.base_url}?api-version=2024-10-21"), request_of())
    assert server.heads[0].startswith("POST /v1/chat/completions?api-version=2024-10-21 HTTP/1.1")


async def test_a_proxy_does_not_come_between_us_and_this_machine(endpoint, request_of, monkeypatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with OddServer(whole("Fine.")) as server:
        assert (await complete(endpoint(server.base_url), request_of())).text == "Fine."


KINDS = ["rate_limit", "server_error", "html_error", "garbage", "slow_drip", "empty", "endless", "fenced"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ask", [complete, streamed])
async def test_every_fault_of_the_scripted_server_is_got_over(ask, kind: str, endpoint, request_of) -> None:
    with ScriptedServer(faults=[Fault(kind, times=1, seconds=0.001)]) as server:
        found = await ask(endpoint(server.base_url), request_of("hello"))
    reply = found[-1] if isinstance(found, list) else found
    expected = {"empty": ("", "stop"), "endless": ("and so on " * 6_000, "cut")}
    assert (reply.text, reply.finish) == expected.get(kind, ("hello", "stop"))


async def test_a_line_that_is_cut_is_got_over_until_something_was_given(endpoint, request_of) -> None:
    with ScriptedServer(faults=[Fault("cut_stream", times=2)]) as server:
        assert (await complete(endpoint(server.base_url), request_of("hello"))).text == "hello"
        server.play(Fault("cut_stream"))
        with pytest.raises(ModelUnavailableError, match="broke off in the middle"):
            await streamed(endpoint(server.base_url), request_of("hello " * 20))


def test_what_was_typed_is_what_errors_name() -> None:
    endpoint = Endpoint(base_url="http://127.0.0.1:11434/v1", model="qwen3", typed="ollama/qwen3")
    assert [endpoint.setting(name) for name in ("BASE_URL", "MODEL", "API_KEY")] == [
        "--llm ollama/qwen3",
        "--llm ollama/qwen3",
        "SCHOLARMIND_LLM_API_KEY",
    ]
