"""Which model answers which task, and that errors name it."""

import asyncio

import pytest
from asking import complete, streamed
from odd_server import OddServer, http, refused, whole

from scholarmind.adapters.openai.client import OpenAIModel
from scholarmind.calls import TASKS
from scholarmind.errors import ModelError, ModelUnavailableError
from scholarmind.testing.scripted import ScriptedServer

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]


async def test_the_only_model_is_asked_for_once(endpoint, request_of) -> None:
    with ScriptedServer(models=["nomic-embed-text", "qwen3"]) as server:
        async with OpenAIModel({"generation": endpoint(server.base_url, model="")}) as model:
            names = model.names
            assert names == {"routing": "", "extraction": "", "generation": ""}
            replies = await asyncio.gather(*(model.complete(request_of(str(n))) for n in range(5)))
            assert names == {"routing": "qwen3", "extraction": "qwen3", "generation": "qwen3"}
            assert names is model.names  # who was given them before the first call sees the name as well
        asked = [call.path for call in server.requests if call.path.endswith("/models")]
    assert {reply.model for reply in replies} == {"qwen3"}
    assert len(asked) == 1


async def test_names_can_only_be_read(endpoint) -> None:
    names = OpenAIModel({"generation": endpoint("http://127.0.0.1:9/v1")}).names
    assert (list(names), len(names), repr(names)) == (list(TASKS), 3, repr(dict.fromkeys(TASKS, "m")))
    with pytest.raises(TypeError):
        names["routing"] = "other"  # type: ignore[index]


@pytest.mark.parametrize("reply", [refused(400, "maximum context length is 10"), refused(401, "no")])
async def test_an_error_names_the_only_model(reply: bytes, endpoint, request_of) -> None:
    async with OddServer(http({"data": [{"id": "qwen3"}]}), reply) as server:
        for ask in (complete, streamed):
            server.replies = [http({"data": [{"id": "qwen3"}]}), reply]
            with pytest.raises(ModelError, match="model 'qwen3'"):
                await ask(endpoint(server.base_url, model=""), request_of())


async def test_an_error_before_the_only_model_is_known_names_none(endpoint, request_of) -> None:
    async with OddServer(refused(401, "no")) as server:
        with pytest.raises(ModelUnavailableError, match=r"refused its only model \(401: no\)"):
            await complete(endpoint(server.base_url, model=""), request_of())


async def test_an_error_names_the_model_and_the_settings_of_its_task(endpoint, request_of) -> None:
    async with OddServer(refused(401, "no")) as server:
        small = endpoint(server.base_url, model="small", settings="SCHOLARMIND_LLM_ROUTING")
        async with OpenAIModel({"generation": endpoint(server.base_url), "routing": small}) as model:
            with pytest.raises(ModelUnavailableError, match=r"model 'small' .* check SCHOLARMIND_LLM_ROUTING_API_KEY"):
                await model.complete(request_of(task="routing"))
            with pytest.raises(ModelUnavailableError, match=r"model 'm' .* check SCHOLARMIND_LLM_API_KEY"):
                await model.complete(request_of())


@pytest.mark.parametrize(("models", "told"), [(["a", "b"], "2 models \\('a', 'b'\\)"), ([], "no model")])
async def test_of_several_models_somebody_has_to_choose(models: list[str], told: str, endpoint, request_of) -> None:
    with ScriptedServer(models=models) as server, pytest.raises(ModelUnavailableError, match=told) as caught:
        await complete(endpoint(server.base_url, model=""), request_of())
    assert "SCHOLARMIND_LLM_MODEL" in str(caught.value)


async def test_each_task_asks_its_own_model(endpoint, request_of) -> None:
    async with OddServer(whole("one")) as one, OddServer(whole("two")) as two:
        endpoints = {
            "routing": endpoint(one.base_url, model="small"),
            "generation": endpoint(two.base_url, model="big"),
        }
        async with OpenAIModel(endpoints) as model:
            assert model.names == {"routing": "small", "extraction": "big", "generation": "big"}
            found = [
                (await model.complete(request_of(task=task))).text for task in ("routing", "extraction", "generation")
            ]
    assert found == ["one", "two", "two"]
