"""One call of a model that is closed after it."""

from collections.abc import AsyncIterator

from scholarmind.adapters.openai.client import OpenAIModel
from scholarmind.adapters.openai.connection import Endpoint
from scholarmind.calls import Reply, Request


async def complete(endpoint: Endpoint, request: Request) -> Reply:
    async with OpenAIModel({"generation": endpoint}) as model:
        return await model.complete(request)


async def streamed(endpoint: Endpoint, request: Request) -> tuple[list[str], Reply]:
    async with OpenAIModel({"generation": endpoint}) as model:
        return await gathered(model.stream(request))


async def gathered(items: AsyncIterator[str | Reply]) -> tuple[list[str], Reply]:
    found = [item async for item in items]
    assert isinstance(found[-1], Reply)
    return [item for item in found if isinstance(item, str)], found[-1]
