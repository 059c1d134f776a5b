"""The protocol of OpenAI, as its official client speaks it with a service that runs."""

import socket
from collections.abc import Iterator

import openai
import pytest
from tests.service.conftest import QUESTION, Served, until

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]


@pytest.fixture
def official(served: Served) -> Iterator[openai.OpenAI]:
    """The official client, with a key that is none: it always wants one."""
    with openai.OpenAI(base_url=f"{served.address}/v1", api_key="unused", max_retries=0) as client:
        yield client


def test_each_collection_is_a_model(official: openai.OpenAI) -> None:
    ids = {model.id for model in official.models.list()}
    assert {"default", "secret", "default:roadmap", "default:keyless", "default:plan:fast"} <= ids
    assert official.models.retrieve("default:plan").id == "default:plan"
    with pytest.raises(openai.NotFoundError):
        official.models.retrieve("nothing")


def test_a_chat_is_answered_with_citations_where_they_stand(official: openai.OpenAI) -> None:
    reply = official.chat.completions.create(model="default", messages=[{"role": "user", "content": QUESTION}])
    message = reply.choices[0].message
    assert message.content is not None
    assert "Jacob Devlin" in message.content
    assert message.annotations
    for annotation in message.annotations:
        place = annotation.url_citation
        assert message.content[place.start_index : place.end_index].startswith("[")
        assert "/api/v1/collections/default/documents/" in place.url
    assert reply.model_extra is not None
    assert {source["url"] for source in reply.model_extra["sources"]} >= {
        each.url_citation.url for each in message.annotations
    }


def test_a_chat_is_streamed_its_progress_first(official: openai.OpenAI) -> None:
    plain = official.chat.completions.create(model="default", messages=[{"role": "user", "content": QUESTION}])
    thoughts, text, kinds = "", "", list[str]()
    stream = official.chat.completions.create(
        model="default",
        messages=[{"role": "user", "content": QUESTION}],
        stream=True,
        stream_options={"include_usage": True},
    )
    for chunk in stream:
        if not chunk.choices:
            kinds.append("usage")
            continue
        delta = chunk.choices[0].delta
        thought = (delta.model_extra or {}).get("reasoning_content", "")
        thoughts, text = thoughts + thought, text + (delta.content or "")
        kinds += [kind for kind, told in (("thought", thought), ("text", delta.content)) if told]
    assert "1. Who proposed BERT?" in thoughts
    assert text == plain.choices[0].message.content
    assert kinds.index("text") > len(kinds) - 1 - kinds[::-1].index("thought")
    assert kinds[-1] == "usage"


def test_earlier_turns_resolve_a_follow_up(official: openai.OpenAI) -> None:
    reply = official.chat.completions.create(
        model="default",
        messages=[
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "content": "Who proposed BERT?"},
            {"role": "assistant", "content": "BERT was proposed by Jacob Devlin and others."},
            {"role": "user", "content": [{"type": "text", "text": "And GPT-2?"}]},
        ],
    )
    assert "Radford" in (reply.choices[0].message.content or "")


def test_the_newer_protocol_goes_on_from_a_response(official: openai.OpenAI) -> None:
    first = official.responses.create(model="default", input="Who proposed BERT?")
    assert "Jacob Devlin" in first.output_text
    (message,) = (item for item in first.output if item.type == "message")
    assert {each.type for each in message.content[0].annotations} == {"file_citation"}
    later = official.responses.create(model="default", input="And GPT-2?", previous_response_id=first.id)
    assert "Radford" in later.output_text


def test_the_newer_protocol_is_streamed(official: openai.OpenAI) -> None:
    with official.responses.stream(model="default", input=QUESTION) as stream:
        types = [event.type for event in stream]
        final = stream.get_final_response()
    assert types[0] == "response.created"
    assert types[-1] == "response.completed"
    assert {"response.reasoning_summary_text.delta", "response.output_text.delta"} <= set(types)
    assert "Jacob Devlin" in final.output_text


@pytest.mark.parametrize(
    ("model", "content", "error"),
    [
        pytest.param("nothing", "Who?", openai.NotFoundError, id="no such model"),
        pytest.param("default", " ", openai.BadRequestError, id="nothing asked"),
        pytest.param(
            "default", [{"type": "image_url", "image_url": {"url": "x"}}], openai.BadRequestError, id="a picture"
        ),
    ],
)
def test_what_cannot_be_asked_is_an_error_of_the_client(
    official: openai.OpenAI, model: str, content: object, error: type[openai.APIStatusError]
) -> None:
    with pytest.raises(error) as caught:
        official.chat.completions.create(model=model, messages=[{"role": "user", "content": content}])  # type: ignore[arg-type]
    assert caught.value.body is not None


def test_vectors_need_an_embedder(official: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError):
        official.embeddings.create(model="minilm", input="otters")


def test_a_chat_ends_with_its_client_and_a_run_goes_on(served: Served) -> None:
    chat = b'{"model":"default","stream":true,"messages":[{"role":"user","content":"Who proposed Reformer?"}]}'
    host = served.address.removeprefix("http://")
    name, _, port = host.partition(":")
    with served.client() as client:
        for number in range(12):  # so that what comes now has to wait
            asked = {"question": f"Compare BERT, GPT-2 and XLNet on data and size, number {number}"}
            run = client.post("/api/v1/runs", json=asked).json()["id"]
        requests = (
            f"GET /api/v1/runs/{run}/events HTTP/1.1\r\nhost: {host}\r\n\r\n".encode(),
            f"POST /v1/chat/completions HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(chat)}\r\n\r\n".encode()
            + chat,
        )
        for request in requests:
            with socket.create_connection((name, int(port))) as connection:
                connection.sendall(request)
                assert connection.recv(12) == b"HTTP/1.1 200"
        listed = until(
            lambda: (
                (found := client.get("/api/v1/runs").json()["items"])[0]["state"] not in {"waiting", "running"}
                and found
            )
        )
        assert (listed[0]["question"], listed[0]["state"]) == ("Who proposed Reformer?", "cancelled")
        until(lambda: client.get(f"/api/v1/runs/{run}").json()["state"] == "done")
