"""Fakes within the program: a language model that says what a test wants, and a journal that keeps nothing on disk."""

import asyncio
import dataclasses
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from scholarmind.calls import Reply, Request, Usage
from scholarmind.errors import ModelReplyError
from scholarmind.llm.typed_replies import parse, read
from scholarmind.testing.chat_protocol import tokens

# -- a journal


class MemoryJournal:
    """A journal that ends with its program. `steps` lists what was put, in order."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str]] = []  # run and step
        self._values: dict[tuple[str, str], str] = {}

    async def get(self, run: str, address: str) -> str | None:
        """Return what this run noted under the address."""
        return self._values.get((run, address))

    async def put(self, run: str, address: str, step: str, value: str) -> None:
        """Note it."""
        self.steps.append((run, step))
        self._values[run, address] = value


# -- a language model

_PIECE = 4  # characters in a streamed piece


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A reply that breaks off: its text, and then the error."""

    text: str
    error: Exception


class ScriptedModel:
    """Says what `answer` makes of each request: a text, an Exception to raise, or what is sent as JSON, such as a dataclass or dict.

    `requests` lists what was asked, also what then failed; `latency` is in seconds.
    """

    def __init__(
        self,
        answer: Callable[[Request], str | object | Exception] = lambda request: "ok",  # noqa: ARG005
        *,
        model: str = "scripted",
        latency: float = 0.0,
    ) -> None:
        self.requests: list[Request] = []
        self._answer = answer
        self._model = model
        self._latency = latency

    async def complete(self, request: Request) -> Reply:
        """Return the whole reply."""
        said = await self._said(request)
        if isinstance(said, Interrupted):
            raise said.error
        return self._reply(request, said)

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        """Yield the reply in small pieces, then whole."""
        said = await self._said(request)
        text = said.text if isinstance(said, Interrupted) else said
        for start in range(0, len(text), _PIECE):
            yield text[start : start + _PIECE]
            await asyncio.sleep(0)  # others run between two pieces, as they do with a server
        if isinstance(said, Interrupted):
            raise said.error
        yield self._reply(request, text)

    async def _said(self, request: Request) -> str | Interrupted:
        self.requests.append(request)
        await asyncio.sleep(self._latency)
        made = self._answer(request)
        if isinstance(made, Exception):
            raise made
        return made if isinstance(made, str | Interrupted) else json.dumps(_plain(made), ensure_ascii=False)

    def _reply(self, request: Request, text: str) -> Reply:
        value = None
        if request.shape is not None:
            try:
                value = read(request.shape, parse(text))
            except ValueError as error:
                raise ModelReplyError(f"{self._model!r} replied {text[:200]!r}: {error}") from error
        prompt = sum(tokens(message.text) for message in request.messages)
        return Reply(
            text=text, model=self._model, value=value, usage=Usage(prompt, tokens(text)), seconds=self._latency
        )


def _plain(value: Any) -> Any:
    """Return dataclasses as dicts, however deep they are."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("list[Any]", value)]
    return value
