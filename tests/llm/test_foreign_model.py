"""Somebody else's chat model as ours: a function that streams text is all there is of it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from scholarmind.calls import PromptMessage, Reply, Request, Usage
from scholarmind.errors import ModelReplyError, ModelUnavailableError
from scholarmind.llm.language_models import ForeignModel

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, kw_only=True)
class Town:
    """A shape."""

    name: str
    people: int


class Foreign:
    """Says these replies one after another, in two pieces each; what is no text is raised or given as it is."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.asked: list[Sequence[PromptMessage]] = []
        self.ended = 0

    async def __call__(self, messages: Sequence[PromptMessage]) -> AsyncIterator[str | Usage]:
        self.asked.append(messages)
        reply = self.replies.pop(0)
        try:
            if isinstance(reply, BaseException):
                raise reply
            if isinstance(reply, Usage):
                yield reply
                reply = "fine"
            yield reply[:3]
            await asyncio.sleep(0)
            yield reply[3:]
        finally:
            self.ended += 1


def request(shape: type[Any] | None = None) -> Request:
    return Request(purpose="plan", task="extraction", messages=(PromptMessage("user", "Which town?"),), shape=shape)


async def test_text_comes_in_pieces_and_then_whole() -> None:
    model = ForeignModel(Foreign("Rome it is."), "theirs")
    *pieces, reply = [piece async for piece in model.stream(request())]
    assert pieces == ["Rom", "e it is."]
    assert isinstance(reply, Reply)
    assert (reply.text, reply.model, reply.usage.estimated) == ("Rome it is.", "theirs", True)


async def test_what_it_says_of_its_cost_counts() -> None:
    reply = await ForeignModel(Foreign(Usage(7, 2)), "theirs").complete(request())
    assert (reply.text, reply.usage) == ("fine", Usage(7, 2))


async def test_a_shape_is_told_and_repaired() -> None:
    foreign = Foreign("Rome!", '{"name": "Rome"}', '{"name": "Rome", "people": 3}')
    reply = await ForeignModel(foreign, "theirs").complete(request(Town))
    assert (reply.value, reply.calls) == (Town(name="Rome", people=3), 3)
    assert '"people"' in foreign.asked[0][0].text
    assert [message.text for message in foreign.asked[2] if message.role == "assistant"] == [
        "Rome!",
        '{"name": "Rome"}',
    ]
    assert "people is missing" in foreign.asked[2][-1].text


async def test_what_cannot_be_repaired_tells_what_it_cost() -> None:
    foreign = Foreign("a", "b", "c", "d")
    with pytest.raises(ModelReplyError, match=r"'theirs' replied 3 times .* for 'plan' .*begins 'c'") as caught:
        await ForeignModel(foreign, "theirs").complete(request(Town))
    assert caught.value.calls == 3
    assert len(foreign.asked) == 3


@pytest.mark.parametrize("error", [OSError("no route"), KeyError("choices"), asyncio.CancelledError()])
async def test_whatever_it_raises_is_an_error_of_ours(error: BaseException) -> None:
    with pytest.raises(ModelUnavailableError, match="model 'theirs' did not reply"):
        await ForeignModel(Foreign(error), "theirs").complete(request())


async def test_who_stops_listening_stops_it() -> None:
    foreign = Foreign("Rome it is.")
    pieces = ForeignModel(foreign, "theirs").stream(request())
    assert await anext(pieces) == "Rom"
    await pieces.aclose()
    assert foreign.ended == 1
