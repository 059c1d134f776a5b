"""One model on one server: what it is sent, and how often, until it has said something or cannot.

What a model said is read out of the answer, whole or in pieces, without what it only thought. What a server turns out not to know is
learnt from its words, and not asked again.
"""

import codecs
import json
import re
from collections.abc import AsyncGenerator, Generator, Iterable, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from scholarmind.adapters.openai.connection import (
    DONE,
    BrokenReplyError,
    Connection,
    Endpoint,
    PassingError,
    RefusedError,
    StrayedReplyError,
    Tries,
    error_in,
    is_unsupported,
)
from scholarmind.calls import Finish, PromptMessage, Usage
from scholarmind.errors import ModelError, ModelUnavailableError

# -- replies: what a model said

_TAG = re.compile(r"<(/?)(?:think|thinking|thought)>", re.IGNORECASE)
_BEGUN_TAG = re.compile(r"</?[a-z]{0,8}$", re.IGNORECASE)
_DENSE = re.compile(r"[\u3040-\U0003ffff]")  # kana, Han, Hangul and what else stands beyond the alphabets
_FINISHES: dict[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "filter",
    "safety": "filter",
    "sensitive": "filter",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswer:
    """What a model said in one answer. Without `usage` the server did not tell it."""

    text: str
    finish: Finish
    usage: Usage | None = None
    thought: bool = False


def tokens_in(text: str) -> int:
    """Return about how many tokens a text has: one for 4 characters, or for 1.6 where each of them is a word."""
    dense = len(_DENSE.findall(text))
    return round(dense / 1.6 + (len(text) - dense) / 4)


class Spoken:
    """Lets through what a model says and holds back what stands in <think>, also where a tag comes in pieces.

    Some servers leave out the first <think>, as it is part of their prompt: what was said until </think> is taken
    back then (`unopened`). Who knows this beforehand has such thoughts held back from the start.
    """

    def __init__(self, *, unopened: bool = False) -> None:
        self.thought = False
        self.unopened = False
        self.said: list[str] = []
        self._presumed = self._inside = unopened
        self._aside = ""  # thoughts, if they are ones
        self._held = ""

    def take(self, text: str, *, last: bool = False) -> str:
        """Return what may be said of this and what was held back before."""
        self._held += text
        new: list[str] = []
        while tag := _TAG.search(self._held):
            before, self._held = self._held[: tag.start()], self._held[tag.end() :]
            if tag[1] and (self._presumed or not self._inside):
                self.unopened = True
                self.said.clear()
                new.clear()
            elif not self._inside:
                new.append(before)
            self.thought, self._presumed, self._aside = True, False, ""
            self._inside = not tag[1]
        new.append(self._rest(last=last))
        text = "".join(new)
        text = text if self.said else text.lstrip()
        if text:
            self.said.append(text)
        return text

    def _rest(self, *, last: bool) -> str:
        begun = None if last else _BEGUN_TAG.search(self._held)
        place = begun.start() if begun else len(self._held)
        rest, self._held = self._held[:place], self._held[place:]
        if not self._inside:
            return rest
        self._aside += rest if self._presumed else ""
        return self._aside if last else ""  # no tag came: it was no thought


class ReplyBuilder:
    """Gathers one answer from its pieces; a whole answer is one piece."""

    def __init__(self, limit: int, *, unopened: bool = False) -> None:
        self.spoken = Spoken(unopened=unopened)
        self.given = 0  # characters
        self.finish: Finish | None = None
        self.ended = False
        self._limit = limit
        self._join = codecs.getincrementaldecoder("utf-16-le")("replace").decode
        self._arguments: list[str] = []
        self._usage: Usage | None = None
        self._thought = False

    def take(self, data: Any) -> str:
        """Take in a piece of the answer and return what it adds to the text."""
        fields = _fields(data)
        self._usage = _usage(fields.get("usage")) or self._usage
        self._thought = self._thought or _has_thought(fields.get("usage"))
        choices = fields.get("choices")
        if not isinstance(choices, list) or not choices:
            return ""
        choice = _fields(cast("list[Any]", choices)[0])
        self.ended = self.ended or "delta" not in choice  # it came whole
        message = _fields(choice.get("delta") or choice.get("message") or {})
        self._thought = self._thought or bool(message.get("reasoning_content") or message.get("reasoning"))
        self._arguments += _arguments(message.get("tool_calls"))
        if reason := choice.get("finish_reason"):
            self.finish = _FINISHES.get(str(reason).lower(), "stop")
        if message.get("refusal"):
            self.finish = "filter"
        return self._within(self.spoken.take(self._characters(_text(message.get("content")))))

    def outlasts(self, error: ModelError) -> bool:
        """Tell whether there is a reply in spite of an error after it."""
        if isinstance(error, StrayedReplyError):  # it is only the server that could not read what the model had said
            self.ended = self.ended or self.given > 0
        return self.ended or self.finish is not None

    def end(self) -> str:
        """Return what was held back to the end. An answer that ended too early is a BrokenReplyError."""
        if self.finish is None and not self.ended:
            raise BrokenReplyError("its reply ended before its end")
        return self._within(self.spoken.take(self._characters("", last=True), last=True))

    def said(self) -> ChatAnswer:
        """Return all of it."""
        text = "".join(self._arguments) or "".join(self.spoken.said)
        return ChatAnswer(
            text=text[: self._limit],
            finish=self.finish or "stop",
            usage=self._usage,
            thought=self._thought or self.spoken.thought,
        )

    def _characters(self, text: str, *, last: bool = False) -> str:
        """Return the text in whole characters: a server may send the two halves of one in two pieces, or only one of them."""
        return self._join(text.encode("utf-16-le", "surrogatepass"), last)

    def _within(self, text: str) -> str:
        room = self._limit - self.given
        if len(text) > room or sum(map(len, self._arguments)) > self._limit:
            self.finish = "cut"
        self.given += min(len(text), room)
        return text[:room]


def _fields(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise BrokenReplyError(f"something that is no reply: {str(data)[:80]!r}")
    return cast("dict[str, Any]", data)


def _text(content: Any) -> str:
    """Return the text of a message, which some servers send in parts."""
    if isinstance(content, list):
        parts = [cast("dict[str, Any]", part) for part in cast("list[Any]", content) if isinstance(part, dict)]
        return "".join(str(part.get("text") or "") for part in parts if part.get("type", "text") == "text")
    return content if isinstance(content, str) else ""


def _arguments(calls: Any) -> Iterable[str]:
    """Return what a function was called with: the first one, as no other was asked for."""
    if not isinstance(calls, list) or not calls:
        return
    call = _fields(cast("list[Any]", calls)[0])
    found = _fields(call.get("function") or {}).get("arguments")
    if call.get("index") in {None, 0} and found:
        yield found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def _usage(told: Any) -> Usage | None:
    if not isinstance(told, dict):
        return None
    fields = cast("dict[str, Any]", told)
    prompt, completion = fields.get("prompt_tokens"), fields.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int) or prompt <= 0 or completion < 0:
        return None
    return Usage(prompt, completion)


def _has_thought(told: Any) -> bool:
    details = cast("dict[str, Any]", told).get("completion_tokens_details") if isinstance(told, dict) else None
    return isinstance(details, dict) and bool(cast("dict[str, Any]", details).get("reasoning_tokens"))


# -- what a server does not know, for one of its models

_ROOM = 4_000  # tokens that a model which thinks aloud is given beside those of its answer
_NO_STREAM = re.compile(r"\bstream(?!_|\\*['\"]?\s*:)", re.IGNORECASE)  # but not what is only repeated of the request
_MOST_BROKEN = 2  # streams in a row that had no proper end
_NO_SYSTEM = re.compile(r"system (?:role|message|prompt)|roles must alternate", re.IGNORECASE)
_ANOTHER_FIELD = re.compile(r"max_completion_tokens", re.IGNORECASE)


@dataclass(slots=True)
class Learnt:
    """Begins with what most servers know."""

    tokens: Literal["max_tokens", "max_completion_tokens", ""] = "max_tokens"
    temperature: bool = True
    usage_in_stream: bool = True
    streams: bool = True
    broken: int = 0  # streams in a row
    system: bool = True
    room: int = 0  # for thinking
    unopened: bool = False  # its thoughts begin without <think>
    rung: int = 0  # of the ladder for typed replies
    unusable: int = 0  # typed replies in a row on that rung

    def mends(self, body: dict[str, Any], words: str) -> bool:
        """Tell whether the request can be made in another way, after the server said this about `body`."""
        # What counts is the body and not what is known by now: another call may have learnt it meanwhile.
        lessons = (
            self._tokens_from,
            self._temperature_from,
            self._usage_from,
            self._streams_from,
            self._system_from,
        )
        return any(lesson(body, words) for lesson in lessons)

    def doubt_streams(self, body: dict[str, Any]) -> None:
        """Take note of a reply in no proper form. After two of them that were streamed, whole replies are asked for."""
        if "stream" in body:
            self.broken += 1
            self.streams = self.broken < _MOST_BROKEN

    def notice(self, gathered: ReplyBuilder) -> None:
        """Take note of a reply that came to its end."""
        self.broken = 0
        self.unopened = self.unopened or gathered.spoken.unopened

    def needs_room(self, said: ChatAnswer) -> bool:
        """Tell whether a model thought for so long that nothing was left for its answer, and give it more from now on."""
        if said.finish != "length" or not (said.thought or not said.text) or self.room:
            return False
        self.room = _ROOM
        return True

    def _tokens_from(self, body: dict[str, Any], words: str) -> bool:
        if "max_tokens" in body and "max_tokens" in words and (is_unsupported(words) or _ANOTHER_FIELD.search(words)):
            self.tokens = "max_completion_tokens"
            return True
        if "max_completion_tokens" in body and "max_completion_tokens" in words and is_unsupported(words):
            self.tokens = ""
            return True
        return False

    def _temperature_from(self, body: dict[str, Any], words: str) -> bool:
        if "temperature" not in body or "temperature" not in words:
            return False
        self.temperature = False
        return True

    def _usage_from(self, body: dict[str, Any], words: str) -> bool:
        if "stream_options" not in body or not ("stream_options" in words or "include_usage" in words):
            return False
        self.usage_in_stream = False
        return True

    def _streams_from(self, body: dict[str, Any], words: str) -> bool:
        if "stream" not in body or not _NO_STREAM.search(words):
            return False
        self.streams = False
        return True

    def _system_from(self, body: dict[str, Any], words: str) -> bool:
        if body["messages"][0]["role"] != "system" or not _NO_SYSTEM.search(words):
            return False
        self.system = False
        return True


# -- the chat

_PATH = "chat/completions"
_FAREWELL = 0.2  # seconds for the end of a stream after [DONE]: who hears it can use the connection again


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What a model is asked; `fields` are put into the request as they are."""

    messages: Sequence[PromptMessage]
    max_tokens: int
    fields: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Paid:
    """What was said, with what all of it cost: a model that thought for too long is asked twice."""

    said: ChatAnswer
    usage: Usage
    calls: int


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A model on a server, and what is known of both."""

    endpoint: Endpoint
    connection: Connection
    learnt: Learnt

    async def said(self, asked: ChatRequest) -> Paid:
        """Ask, and return the whole reply."""
        # It is streamed all the same: some servers notice only then that nobody waits any more
        async with aclosing(self.pieces(asked, handed_on=False)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Paid):
                    return piece
        raise AssertionError("the last piece is the whole")

    async def pieces(self, asked: ChatRequest, *, handed_on: bool = True) -> AsyncGenerator[str | Paid]:
        """Ask, and give the text as it comes, then the whole reply. What was handed on cannot be asked for again."""
        tries, usage, calls = Tries(self.endpoint), Usage(), 0
        while True:
            body = self._body(asked)
            gathered = ReplyBuilder(self.endpoint.limit_characters, unopened=self.learnt.unopened)
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

    async def _tried(self, body: dict[str, Any], tries: Tries, gathered: ReplyBuilder) -> AsyncGenerator[str]:
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

    async def _data(self, body: dict[str, Any], tries: Tries, gathered: ReplyBuilder) -> AsyncGenerator[Any]:
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

    def _body(self, asked: ChatRequest) -> dict[str, Any]:
        learnt = self.learnt
        messages = asked.messages if learnt.system else _without_system(asked.messages)
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


def _without_system(messages: Sequence[PromptMessage]) -> list[PromptMessage]:
    """Return the messages with those of the system put before the first of the user."""
    told = [message.text for message in messages if message.role == "system"]
    rest = [message for message in messages if message.role != "system"]
    if told and rest:
        rest[0] = replace(rest[0], text="\n\n".join([*told, rest[0].text]))
    return rest or [PromptMessage("user", text) for text in told]


def estimated(messages: Iterable[PromptMessage], said: str) -> Usage:
    """Return about what a reply cost whose server does not tell."""
    return Usage(sum(tokens_in(message.text) for message in messages), tokens_in(said), estimated=True)
