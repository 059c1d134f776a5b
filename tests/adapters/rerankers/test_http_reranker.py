"""Rerank servers in both shapes, with everything that goes wrong with servers, against a real one on this machine."""

import asyncio
import json

import pytest

from scholarmind import Settings, wiring
from scholarmind.adapters.rerankers import HttpReranker
from scholarmind.errors import SettingsError
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.ports import Rated
from scholarmind.testing import RerankServer, ServerReply

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]

QUESTION = "batch size of the transformer"
TEXTS = ("a garden of roses", "the transformer has a batch size of 4096", "the size of a garden")
WORDS = (0.0, 1.0, pytest.approx(1 / 3))  # shares of the question's words


def evidence(*texts: str) -> list[Evidence]:
    return [
        Evidence(
            passage=Passage(text=text, start=0, end=len(text), position=place),
            document=Document(id="d", title=""),
            scores=Scores(fused=0.5),
        )
        for place, text in enumerate(texts)
    ]


def told(*rows: object, wrapped: bool = True) -> ServerReply:
    return ServerReply(body=json.dumps({"results": rows} if wrapped else list(rows)).encode())


async def rate(server: RerankServer, *texts: str, **options: object) -> Rated:
    reranker = HttpReranker(**{"base_url": server.base_url, "model": "m", "seconds": 3.0, **options})  # type: ignore[arg-type]
    return await reranker.rate(QUESTION, evidence(*(texts or TEXTS)))


async def test_a_server_of_the_first_shape() -> None:
    with RerankServer("cohere", key="secret") as server:
        rated = await rate(server, api_key="secret")
    assert rated == Rated(scores=WORDS)
    assert server.requests == [{"model": "m", "query": QUESTION, "documents": [*TEXTS], "top_n": 3}]


async def test_a_server_of_the_other_shape_is_recognised_once() -> None:
    with RerankServer("tei") as server:
        reranker = HttpReranker(base_url=server.base_url)
        first = await reranker.rate(QUESTION, evidence(*TEXTS))
        second = await reranker.rate(QUESTION, evidence(*TEXTS))
    assert first == second == Rated(scores=WORDS)
    in_its_shape = {"query": QUESTION, "texts": [*TEXTS], "raw_scores": False, "truncate": True}
    assert server.requests[1:] == [in_its_shape, in_its_shape]


@pytest.mark.parametrize("status", [400, 404, 405, 415, 422])
async def test_any_refusal_of_the_request_leads_to_the_other_shape(status: int) -> None:
    with RerankServer("tei", replies=[ServerReply(status=status)]) as server:
        assert await rate(server) == Rated(scores=WORDS)
    assert len(server.requests) == 2


async def test_a_server_that_knows_neither_shape_is_told_with_the_settings() -> None:
    with RerankServer(replies=[ServerReply(status=404, body=b"nothing here")] * 2) as server:
        rated = await rate(server)
    assert rated.scores == (None,) * 3
    assert all(word in rated.notes[0] for word in ("nothing here", "rerank_base_url", "rerank_model"))


@pytest.mark.parametrize("status", [408, 429, 500, 503])
async def test_passing_faults_are_tried_again_when_the_server_asks_for_it(status: int) -> None:
    again = ServerReply(status=status, headers={"Retry-After": "0.01"})
    with RerankServer(replies=[again, again]) as server:
        assert await rate(server) == Rated(scores=WORDS)
    assert len(server.requests) == 3


async def test_who_asks_to_be_left_alone_for_longer_than_there_is_time_is_not_waited_for() -> None:
    with RerankServer(replies=[ServerReply(status=429, body=b"slow down", headers={"Retry-After": "60"})]) as server:
        rated = await asyncio.wait_for(rate(server), 2.5)
    assert rated.scores == (None,) * 3
    assert "slow down" in rated.notes[0]


async def test_a_slow_server_costs_its_time_and_the_scores() -> None:
    with RerankServer(latency=0.5) as server:
        rated = await rate(server, seconds=0.1)
    assert rated.scores == (None,) * 3
    assert "longer than 0.1 seconds" in rated.notes[0]


async def test_a_server_that_is_not_there_is_told() -> None:
    with RerankServer() as server:
        gone = server.base_url
    rated = await HttpReranker(base_url=gone, seconds=0.3).rate(QUESTION, evidence("a"))
    assert rated.scores == (None,)
    assert "could not be asked" in rated.notes[0]


async def test_the_key_goes_nowhere_else_and_into_no_note() -> None:
    with RerankServer() as other:
        pointer = ServerReply(status=307, headers={"Location": f"{other.base_url}/rerank?key=secret"})
        echo = ServerReply(status=401, body=b"Bearer secret is no key")
        with RerankServer(replies=[pointer, echo]) as server:
            pointed = await rate(server, api_key="secret")
            refused = await rate(server, api_key="secret")
    assert (other.requests, server.keys) == ([], ["Bearer secret"] * 2)
    assert [rated.scores for rated in (pointed, refused)] == [(None,) * 3] * 2
    assert "rerank_base_url" in pointed.notes[0]
    assert "rerank_api_key" in refused.notes[0]
    assert "secret" not in pointed.notes[0] + refused.notes[0]
    assert "secret" not in repr(Settings(rerank_api_key="secret"))


async def test_scores_beyond_0_to_1_are_brought_there_from_then_on() -> None:
    first = told(
        {"index": 0, "relevance_score": 0.0},
        {"index": 1, "relevance_score": 2.0},
        {"index": 2, "relevance_score": -800},
    )
    later = told(*({"index": place, "relevance_score": 0.0} for place in range(3)))
    with RerankServer(replies=[first, later]) as server:
        reranker = HttpReranker(base_url=server.base_url)
        one = await reranker.rate(QUESTION, evidence(*TEXTS))
        two = await reranker.rate(QUESTION, evidence(*TEXTS))
    assert one.scores == (0.5, pytest.approx(0.8808, abs=1e-4), 0.0)
    assert two.scores == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    "row",
    [
        {"relevance_score": 0.9},
        {"index": 7, "relevance_score": 0.9},
        {"index": -1, "relevance_score": 0.9},
        {"index": "1", "relevance_score": 0.9},
        {"index": True, "relevance_score": 0.9},
        {"index": 1},
        {"index": 1, "relevance_score": "high"},
        {"index": 1, "relevance_score": True},
        {"index": 1, "relevance_score": float("nan")},
        {"index": 1, "relevance_score": 10**400},
        "no row at all",
    ],
)
async def test_a_row_without_a_sound_index_and_score_is_passed_over_and_told(row: object) -> None:
    reply = told(
        {"index": 2, "score": 0.25}, row, {"index": 0, "score": 0.5}, {"index": 0, "score": 0.75}, wrapped=False
    )
    with RerankServer(replies=[reply]) as server:
        rated = await rate(server)
    assert rated.scores == (0.5, None, 0.25)
    assert "no score for 1 of 3 passages" in rated.notes[0]


@pytest.mark.parametrize(
    "body", [b"<html>hello</html>", b"", b'{"message": "hello"}', b"17", b"[" * 100_000, b'{"results": 3}']
)
async def test_a_reply_that_is_none_is_told(body: bytes) -> None:
    with RerankServer(replies=[ServerReply(body=body)]) as server:
        rated = await rate(server)
    assert rated.scores == (None,) * 3
    assert len(rated.notes) == 1
    assert "127.0.0.1 answered" in rated.notes[0]


@pytest.mark.parametrize("ending", ["", "/", "/rerank", "/rerank/"])
async def test_the_address_may_be_given_with_or_without_its_end(ending: str) -> None:
    with RerankServer() as server:
        reranker = HttpReranker(base_url=server.base_url + ending)
        assert await reranker.rate(QUESTION, evidence(*TEXTS)) == Rated(scores=WORDS)


@pytest.mark.parametrize("url", ["", "localhost:8080", "ftp://localhost", "http://", "http://[::1"])
def test_an_address_that_is_none_is_an_error(url: str) -> None:
    with pytest.raises(SettingsError, match="rerank_base_url"):
        HttpReranker(base_url=url)


async def test_the_settings_make_it() -> None:
    with RerankServer(key="secret") as server:
        settings = Settings(rerank="http", rerank_base_url=server.base_url, rerank_model="m", rerank_api_key="secret")
        reranker = wiring.reranker(settings)
        assert reranker is not None
        rated = await reranker.rate(QUESTION, evidence(*TEXTS))
    assert rated == Rated(scores=WORDS)
    assert [len(request["documents"]) for request in server.requests] == [3]
