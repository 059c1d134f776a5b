"""The embedder on an OpenAI-compatible server, against a real server on this machine."""

import json

import numpy as np
import pytest

from scholarmind import Library, Settings
from scholarmind.adapters.openai.client import OpenAIEmbedder
from scholarmind.adapters.openai.connection import Patience
from scholarmind.errors import LibraryMismatchError, ModelError, ModelUnavailableError
from scholarmind.testing import EmbeddingServer, HashEmbedder, ServerReply

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]


PATIENCE = Patience(first_pause=0.01, longest_pause=0.05)


def embedder(server: EmbeddingServer, **options: object) -> OpenAIEmbedder:
    return OpenAIEmbedder(**{"base_url": server.base_url, "model": "m", "patience": PATIENCE, **options})  # type: ignore[arg-type]


async def test_texts_go_in_batches_and_come_back_in_order() -> None:
    texts = [f"text number {n}" for n in range(10)]
    with EmbeddingServer() as server:
        found = await embedder(server, batch=4).embed(texts)
    assert [len(request["input"]) for request in server.requests] == [4, 4, 2]
    assert {request["model"] for request in server.requests} == {"m"}
    expected = (await HashEmbedder().embed(texts)).vectors
    assert found.vectors == pytest.approx(expected, abs=1e-6)
    assert list(found.unknown) == [0.0] * 10


async def test_vectors_are_brought_to_unit_length_and_into_the_order_of_their_index() -> None:
    data = [{"index": 1, "embedding": [0, 5]}, {"index": 0, "embedding": [3, 4]}]
    with EmbeddingServer(replies=[ServerReply(body=json.dumps({"data": data}).encode())]) as server:
        found = await embedder(server).embed(["a", "b"])
    assert found.vectors == pytest.approx(np.array([[0.6, 0.8], [0, 1]]))


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
async def test_passing_faults_are_tried_again(status: int) -> None:
    with EmbeddingServer(
        replies=[ServerReply(status=status, headers={"Retry-After": "0.01"}), ServerReply(status=status)]
    ) as server:
        found = await embedder(server).embed(["a"])
    assert found.vectors.shape == (1, 64)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (ServerReply(status=401, body=b"wrong key"), "SCHOLARMIND_EMBEDDING_API_KEY"),
        (ServerReply(status=404, body=b"no such model"), "SCHOLARMIND_EMBEDDING_BASE_URL"),
        (ServerReply(status=400, body=b"too long"), "SCHOLARMIND_EMBEDDING_BATCH"),
    ],
)
async def test_a_refusal_is_told_with_the_setting_to_mend(reply: ServerReply, told: str) -> None:
    with EmbeddingServer(replies=[reply]) as server, pytest.raises(ModelUnavailableError, match=told) as caught:
        await embedder(server, api_key="secret-key").embed(["a"])
    assert reply.body.decode() in str(caught.value)
    assert "secret-key" not in str(caught.value)


async def test_a_text_that_is_too_long_is_not_sent_again() -> None:
    told = b'{"error": {"code": 500, "message": "input (3002 tokens) is too large to process. increase the physical batch size"}}'
    with EmbeddingServer(replies=[ServerReply(status=500, body=told)]) as server:
        with pytest.raises(ModelUnavailableError, match=r"3002 tokens.*SCHOLARMIND_PASSAGE_TOKENS"):
            await embedder(server).embed(["a"])
        assert server.requests == []


async def test_a_server_that_stays_broken_ends_in_an_error() -> None:
    with (
        EmbeddingServer(replies=[ServerReply(status=500)] * 9) as server,
        pytest.raises(ModelUnavailableError, match="after 4 tries"),
    ):
        await embedder(server).embed(["a"])


@pytest.mark.parametrize(
    "body",
    [
        b"<html>hello</html>",
        b"[]",
        b'{"data": []}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 0, "embedding": ["x"]}]}',
        b'{"data": [{"index": 0, "embedding": [0, 0]}]}',
        b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1]}]}',
    ],
)
async def test_nonsense_is_an_error_and_not_a_vector(body: bytes) -> None:
    with EmbeddingServer(replies=[ServerReply(body=body)]) as server, pytest.raises(ModelError):
        await embedder(server).embed(["a"])


async def test_nobody_at_home() -> None:
    with EmbeddingServer() as server:
        gone = server.base_url
    with pytest.raises(ModelUnavailableError, match="SCHOLARMIND_EMBEDDING_BASE_URL"):
        await OpenAIEmbedder(base_url=gone, model="m", patience=PATIENCE).embed(["a"])


def test_a_library_is_bound_to_the_model_it_was_embedded_with(tmp_path, note) -> None:
    with EmbeddingServer() as server:
        settings = {"embedder": "openai", "embedding_base_url": server.base_url}
        with Library(Settings(library=tmp_path / "library", embedding_model="first", **settings)) as library:
            assert library.add(note).embedded == 1
            assert library.search("sparse attention").evidence[0].scores.vector_rank == 1
        with (
            Library(Settings(library=tmp_path / "library", embedding_model="second", **settings)) as other,
            pytest.raises(LibraryMismatchError, match="doctor --reembed"),
        ):
            other.search("sparse attention")


def test_search_goes_on_by_keywords_when_the_server_is_gone(tmp_path, note) -> None:
    with EmbeddingServer() as server:
        settings = Settings(
            library=tmp_path / "library", embedder="openai", embedding_base_url=server.base_url, embedding_model="m"
        )
        with Library(settings) as library:
            library.add(note)
    with Library(settings) as library:
        found = library.search("sparse attention")
    assert [item.scores.keyword_rank for item in found.evidence] == [1]
    assert "did not answer" in found.notices[0]


@pytest.fixture
def note(tmp_path):
    path = tmp_path / "note.md"
    path.write_text("# Note\n\nSparse attention in 注意力机制 and elsewhere.", encoding="utf-8")
    return path
