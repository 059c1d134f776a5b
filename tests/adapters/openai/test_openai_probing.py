"""What `doctor --llm` finds out."""

import pytest
from odd_server import OddServer, delta, http, refused, stream, whole

from scholarmind.adapters.openai.client import probe
from scholarmind.testing.scripted import Fault, ScriptedServer

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
JSON = '{"country": "France", "city": "Paris"}'


async def test_a_server_that_can_do_everything(endpoint) -> None:
    said = [("ready", "ready"), ("France", {"country": "France", "city": "Paris"})]
    with ScriptedServer(canned=said, models=["scripted", "tiny-embed"]) as server:
        checks = await probe(endpoint(server.base_url, model="scripted"))
    assert [(check.name, check.ok, check.mend) for check in checks] == [
        (name, True, "") for name in ("server", "chat", "typed replies", "streaming", "embeddings")
    ]
    seen = {check.name: check.seen for check in checks}
    assert seen["server"].endswith("answers and lists 2 models (scripted, tiny-embed)")
    assert seen["chat"].startswith("'scripted' said 'ready' in ")
    assert seen["typed replies"] == "by json_schema, strict: 'Paris'"
    assert seen["streaming"] == "2 pieces, the tokens at its end"
    assert seen["embeddings"] == "'tiny-embed' gives vectors of 64 numbers"


async def test_what_a_server_cannot_do_is_told(endpoint) -> None:
    no = refused(400, "response_format is not supported")
    replies = [http({}, 404), whole("ready"), no, no, whole(JSON), stream(delta("ready", "stop"))]
    async with OddServer(*replies) as server:
        checks = await probe(endpoint(server.base_url))
    seen = {check.name: check.seen for check in checks}
    assert all(check.ok for check in checks)
    assert seen["server"].endswith("answers, but lists no models (404)")
    assert seen["chat"].endswith("; it does not tell the tokens, so they are estimated")
    assert seen["typed replies"] == "by tools: 'Paris'"
    assert seen["streaming"] == "1 pieces, no tokens, so they are estimated"
    assert seen["embeddings"] == "none is listed; embedder = 'minilm' needs no server"


async def test_nobody_at_home_is_one_line(endpoint) -> None:
    with ScriptedServer() as server:
        gone = server.base_url
    (check,) = await probe(endpoint(gone))
    assert (check.name, check.ok) == ("server", False)
    assert check.mend == "check SCHOLARMIND_LLM_BASE_URL and that the server runs"


async def test_a_wrong_key_is_one_line_without_the_key(endpoint) -> None:
    with ScriptedServer(key="right") as server:
        (check,) = await probe(endpoint(server.base_url, api_key="sk-wrong"))
    assert (check.ok, check.mend) == (False, "check SCHOLARMIND_LLM_API_KEY")
    assert "sk-wrong" not in repr(check)


@pytest.mark.parametrize(
    ("kind", "bad"),
    [
        ("wrong_schema", ["typed replies"]),
        ("server_error", ["server"]),
        ("garbage", ["server"]),
        ("empty", ["typed replies"]),
        ("cut_stream", ["server"]),
    ],
)
async def test_what_fails_is_told_and_the_rest_goes_on(kind, bad: list[str], endpoint) -> None:
    with ScriptedServer(faults=[Fault(kind)]) as server:
        checks = await probe(endpoint(server.base_url))
    assert [check.name for check in checks if not check.ok] == bad
    assert all("\n" not in check.seen + check.mend for check in checks)
    assert all(check.mend for check in checks if not check.ok)


async def test_of_several_models_one_has_to_be_chosen(endpoint) -> None:
    with ScriptedServer(models=["a", "b"]) as server:
        checks = await probe(endpoint(server.base_url, model=""))
    assert [(check.name, check.ok) for check in checks] == [("server", True), ("chat", False)]
    assert checks[1].mend == "name one in SCHOLARMIND_LLM_MODEL"


async def test_a_server_that_gives_no_vectors(endpoint) -> None:
    async with OddServer(
        http({"data": [{"id": "m"}]}), whole("ready"), whole(JSON), stream(delta("r", "stop")), http({})
    ) as server:
        checks = await probe(endpoint(server.base_url), embedding_model="e")
    assert [(check.name, check.mend) for check in checks if not check.ok] == [("embeddings", "use embedder = 'minilm'")]
