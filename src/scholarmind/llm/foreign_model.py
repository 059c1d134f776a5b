"""A chat model of another framework as a language model of ours: a function that streams text is all that is asked of it."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import Any

from scholarmind.calls import TASKS, PromptMessage, Reply, Request, Usage
from scholarmind.errors import ModelReplyError, ModelUnavailableError
from scholarmind.llm.language_models import Models
from scholarmind.llm.typed_replies import parse, read, schema_of, told_schema

Say = Callable[
    [Sequence[PromptMessage]], AsyncIterator[str | Usage]
]  # pieces of a reply, and what it took, if that is known
_REPAIRS = 2
_CHARACTERS = 4  # of a token, where nobody counts them


class ForeignModel:
    """Asks by `say`. A shape is told in the prompt, and what does not have it is sent back to be repaired."""

    def __init__(self, say: Say, name: str) -> None:
        self._say = say
        self._name = name

    async def complete(self, request: Request) -> Reply:
        """Return the whole reply."""
        began, usage, wrong, text = time.monotonic(), Usage(), "", ""
        schema = schema_of(request.shape) if request.shape else {}
        messages = told_schema(request.messages, schema) if request.shape else request.messages
        for calls in range(1, 2 + _REPAIRS):
            text, value = "", None
            async with aclosing(self._pieces(messages)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Usage):
                        usage += piece
                    else:
                        text += piece
            try:
                value = read(request.shape, parse(text)) if request.shape else None
            except ValueError as error:
                wrong = str(error)
                told = f"That reply cannot be used: {wrong}. Send only one corrected JSON object: {json.dumps(schema)}"
                messages = (*messages, PromptMessage("assistant", text or "."), PromptMessage("user", told))
                continue
            seconds = time.monotonic() - began
            return Reply(text=text, model=self._name, value=value, usage=usage, seconds=seconds, calls=calls)
        unusable = ModelReplyError(
            f"model {self._name!r} replied {1 + _REPAIRS} times with something that cannot be used for "
            f"{request.purpose!r} ({wrong}; the last reply begins {text[:80]!r}); another model may do better"
        )
        unusable.usage, unusable.calls = usage, 1 + _REPAIRS
        raise unusable

    async def stream(self, request: Request) -> AsyncGenerator[str | Reply]:
        """Give pieces of the text as they come, then the whole reply; a typed one comes in one piece."""
        if request.shape is not None:
            reply = await self.complete(request)
            yield reply.text
            yield reply
            return
        began, usage, text = time.monotonic(), Usage(), ""
        async with aclosing(self._pieces(request.messages)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Usage):
                    usage += piece
                else:
                    text += piece
                    yield piece
        yield Reply(text=text, model=self._name, usage=usage, seconds=time.monotonic() - began)

    async def _pieces(self, messages: Sequence[PromptMessage]) -> AsyncGenerator[str | Usage]:
        """Ask in a task of its own, so that whatever another framework raises can be looked at; it becomes an error of ours."""
        said: asyncio.Queue[str | Usage | None] = asyncio.Queue()
        length = 0

        async def ask() -> None:
            async for piece in self._say(messages):
                said.put_nowait(piece)

        task: asyncio.Task[Any] = asyncio.create_task(ask())
        task.add_done_callback(lambda _: said.put_nowait(None))
        is_counted = False
        try:
            while (piece := await said.get()) is not None:
                is_counted = is_counted or isinstance(piece, Usage)
                length += len(piece) if isinstance(piece, str) else 0
                yield piece
            if task.cancelled() or isinstance(task.exception(), Exception):
                error = None if task.cancelled() else task.exception()
                told = f"{type(error).__name__}: {error}" if error else "it was cancelled"
                raise ModelUnavailableError(
                    f"model {self._name!r} did not reply ({told}); see its framework"
                ) from error
            task.result()
        finally:
            task.cancel()
            await asyncio.wait([task])
        if not is_counted:
            shown = sum(len(message.text) for message in messages)
            yield Usage(shown // _CHARACTERS, length // _CHARACTERS, estimated=True)


def foreign_models(say: Say, name: str) -> Models:
    """Return the models of an Engine or a Library that ask by this function, for every task."""
    return Models(model=ForeignModel(say, name), names=dict.fromkeys(TASKS, name))
