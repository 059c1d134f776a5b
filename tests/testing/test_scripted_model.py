"""The scripted model within the program: texts, shapes, errors and pieces."""

from dataclasses import dataclass
from typing import Any

import pytest

from scholarmind.calls import PromptMessage, Reply, Request, Usage
from scholarmind.errors import ModelReplyError, ModelUnavailableError
from scholarmind.testing import Interrupted, ScriptedModel

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    text: str
    depends_on: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    parts: tuple[Part, ...]


PARTS = Parts(parts=(Part(text="one"), Part(text="二", depends_on=(1,))))


def request(shape: type[Any] | None = None) -> Request:
    messages = (PromptMessage("system", "Plan it."), PromptMessage("user", "Why?"))
    return Request(purpose="plan", task="extraction", messages=messages, shape=shape)


async def streamed(model: ScriptedModel, asked: Request) -> tuple[list[str], Reply]:
    *pieces, reply = [piece async for piece in model.stream(asked)]
    return [piece for piece in pieces if isinstance(piece, str)], reply  # type: ignore[return-value]


async def test_a_text_is_replied_whole_and_in_pieces() -> None:
    model = ScriptedModel(lambda asked: f"{asked.purpose}: because.", model="m")
    expected = Reply(text="plan: because.", model="m", usage=Usage(3, 4))
    assert await model.complete(request()) == expected
    assert await streamed(model, request()) == (["plan", ": be", "caus", "e."], expected)
    assert model.requests == [request(), request()]


@pytest.mark.parametrize(
    "said",
    [
        PARTS,
        {"parts": PARTS.parts},
        {"parts": [{"text": "one"}, {"text": "二", "depends_on": [1]}]},
        '```json\n{"parts": [{"text": "one"}, {"text": "二", "depends_on": [1]},]}\n```',
    ],
)
async def test_what_fits_the_shape_becomes_its_value(said: Any) -> None:
    model = ScriptedModel(lambda _: said)
    assert (await model.complete(request(Parts))).value == PARTS
    assert (await streamed(model, request(Parts)))[1].value == PARTS


async def test_what_does_not_fit_is_an_error_of_the_reply() -> None:
    model = ScriptedModel(lambda _: "I would rather not.")
    with pytest.raises(ModelReplyError, match="'scripted' replied 'I would rather not"):
        await model.complete(request(Parts))


async def test_an_error_is_raised_and_its_request_noted() -> None:
    model = ScriptedModel(lambda _: ModelUnavailableError("out of order"))
    with pytest.raises(ModelUnavailableError, match="out of order"):
        await model.complete(request())
    with pytest.raises(ModelUnavailableError, match="out of order"):
        await streamed(model, request())
    assert len(model.requests) == 2


async def test_a_reply_may_break_off() -> None:
    model = ScriptedModel(lambda _: Interrupted("half a", ModelUnavailableError("cut")))
    stream = model.stream(request())
    assert [await anext(stream), await anext(stream)] == ["half", " a"]
    with pytest.raises(ModelUnavailableError, match="cut"):
        await anext(stream)
    with pytest.raises(ModelUnavailableError, match="cut"):
        await model.complete(request())
