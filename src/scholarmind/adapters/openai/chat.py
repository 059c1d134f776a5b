"""One model on one server: what it is sent, and how often, until it has said something or cannot."""

from collections.abc import AsyncGenerator, Generator, Iterable, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from scholarmind.adapters.openai.connection import Connection, Tries
from scholarmind.adapters.openai.endpoint import Endpoint
from scholarmind.adapters.openai.learnt import Learnt
from scholarmind.adapters.openai.refusals import (
    BrokenReplyError,
    PassingError,
    RefusedError,
    StrayedReplyError,
    error_in,
)
from scholarmind.adapters.openai.replies import Gathered, Said, tokens_in
from scholarmind.adapters.openai.sse import DONE
from scholarmind.calls import Message, Usage
from scholarmind.errors import ModelError, ModelUnavailableError

_PATH = "chat/completions"
_FAREWELL = 0.2  # seconds for the end of a stream after [DONE]: who hears it can use the connection again


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a model is asked; `fields` are put into the request as they are."""

    messages: Sequence[Message]
    max_tokens: int
    fields: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Paid:
    """What was said, with what all of it cost: a model that thought for too long is asked twice."""

    said: Said
    usage: Usage
    calls: int


@dataclass(frozen=True, slots=True)
class Chat:
    """A model on a server, and what is known of both."""

    endpoint: Endpoint
    connection: Connection
    learnt: Learnt

    async def said(self, asked: Asked) -> Paid:
        """Ask, and return the whole reply."""
        # It is streamed all the same: some servers notice only then that nobody waits any more
        async with aclosing(self.pieces(asked, handed_on=False)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Paid):
                    return piece
        raise AssertionError("the last piece is the whole")

    async def pieces(self, asked: Asked, *, handed_on: bool = True) -> AsyncGenerator[str | Paid]:
        """Ask, and give the text as it comes, then the whole reply. What was handed on cannot be asked for again."""
        tries, usage, calls = Tries(self.endpoint), Usage(), 0
        while True:
            body = self._body(asked)
            gathered = Gathered(self.endpoint.limit_characters, unopened=self.learnt.unopened)
            with paid_before(usage, calls):
                try:
                    async with aclosing(self._tried(body, tries, gathered)) as pieces:
                        async for piece in pieces:
                            yield piece
                except (PassingError, RefusedError) as error:
                    await self._mended(error, body, tries, given=handed_on and gathered.given > 0)
                    continue
            said = gathered.said()
            usage, calls = usage + (said.usage or estimated(asked.messages, said.text)), calls + 1
            self.learnt.notice(gathered)
            if not self.learnt.needs_room(said) or (handed_on and gathered.given):
                yield Paid(said, usage, calls)
                return
            tries = Tries(self.endpoint)

    async def _tried(self, body: dict[str, Any], tries: Tries, gathered: Gathered) -> AsyncGenerator[str]:
        try:
            async with aclosing(self._data(body, tries, gathered)) as found:
                async for data in found:
                    if piece := gathered.take(data):
                        yield piece
                    if gathered.finish == "cut":
                        return
                    if gathered.finish and "stream" in body:
                        tries.hurry(self.endpoint.patience.grace)
        except (ModelUnavailableError, StrayedReplyError) as error:
            if not gathered.outlasts(error):
                raise
        if piece := gathered.end():
            yield piece

    async def _data(self, body: dict[str, Any], tries: Tries, gathered: Gathered) -> AsyncGenerator[Any]:
        if "stream" not in body:
            yield self._sound(await self.connection.ask_once(_PATH, body, tries))
            return
        async with aclosing(self.connection.events(_PATH, body, tries)) as events:
            async for event in events:
                if event.strip() == DONE:
                    gathered.ended = True
                    tries.hurry(_FAREWELL)
                    continue
                yield self._sound(self.connection.read(event))

    def _sound(self, data: Any) -> Any:
        if error := error_in(self.endpoint, data):
            raise error
        return data

    async def _mended(
        self, error: PassingError | RefusedError, body: dict[str, Any], tries: Tries, *, given: bool
    ) -> None:
        """Return when it makes sense to ask again, and raise where it does not."""
        if isinstance(error, BrokenReplyError):
            self.learnt.doubt_streams(body)
        if given:
            raise ModelUnavailableError(
                f"{self.endpoint.server} broke off in the middle of a reply of model {self.endpoint.model!r} ({error})"
            ) from error
        if isinstance(error, PassingError):
            await tries.pause(error)
        elif not self.learnt.mends(body, error.words):
            raise error

    def _body(self, asked: Asked) -> dict[str, Any]:
        learnt = self.learnt
        messages = asked.messages if learnt.system else without_system(asked.messages)
        body: dict[str, Any] = {
            "model": self.endpoint.model,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
        }
        if learnt.tokens:
            body[learnt.tokens] = asked.max_tokens + learnt.room
        if learnt.temperature and self.endpoint.temperature is not None:
            body["temperature"] = self.endpoint.temperature
        if learnt.streams:
            body["stream"] = True
            if learnt.usage_in_stream:
                body["stream_options"] = {"include_usage": True}
        return body | asked.fields


@contextmanager
def paid_before(usage: Usage, calls: int) -> Generator[None]:
    """Have what fails inside tell what the replies before it cost."""
    try:
        yield
    except ModelError as error:
        if calls:
            error.usage, error.calls = usage + (error.usage or Usage()), calls + error.calls
        raise


def without_system(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with those of the system put before the first of the user."""
    told = [message.text for message in messages if message.role == "system"]
    rest = [message for message in messages if message.role != "system"]
    if told and rest:
        rest[0] = replace(rest[0], text="\n\n".join([*told, rest[0].text]))
    return rest or [Message("user", text) for text in told]


def estimated(messages: Iterable[Message], said: str) -> Usage:
    """Return about what a reply cost whose server does not tell."""
    return Usage(sum(tokens_in(message.text) for message in messages), tokens_in(said), estimated=True)
