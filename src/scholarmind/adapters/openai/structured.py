"""Typed replies: the best way that a server knows to keep a model to a shape, and repairs where it strays all the same."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from scholarmind.adapters.openai.chat_completions import (
    ChatAnswer,
    ChatModel,
    ChatRequest,
    Paid,
    estimated,
    paid_before,
)
from scholarmind.adapters.openai.connection import RefusedError, StrayedReplyError, is_unsupported
from scholarmind.calls import PromptMessage, Request, Usage
from scholarmind.errors import ModelReplyError
from scholarmind.llm import typed_replies
from scholarmind.llm.typed_replies import read, schema_of, told_schema

RUNGS = ("json_schema, strict", "json_schema", "tools", "json_object", "prompt")
_TOLD_SCHEMA = 3  # from this rung on the schema stands in the prompt, as the server is not told it
_REPAIRS = 2
_PATIENCE = 3  # unusable replies in a row after which a rung is given up, though the server accepts it
_SHOWN = 4_000  # characters of a bad reply that the model is shown again
_NOTHING = ChatAnswer(text="", finish="stop")  # that its server would hand on
_BAD_REQUEST = {400, 415, 422, 501}


class UnusableReplyError(ModelReplyError):
    """No reply could be used; all of them are paid for."""

    def __init__(self, message: str, usage: Usage, calls: int) -> None:
        super().__init__(message)
        self.usage = usage
        self.calls = calls


@dataclass(slots=True)
class Ladder:
    """One request for a typed reply, from the rung that is known to hold down to the prompt alone."""

    chat: ChatModel
    request: Request
    paid: list[Paid] = field(default_factory=list[Paid])

    @property
    def usage(self) -> Usage:
        """What all replies took, the bad ones too."""
        return sum((paid.usage for paid in self.paid), Usage())

    @property
    def calls(self) -> int:
        """How many requests were answered."""
        return sum(paid.calls for paid in self.paid)

    async def climb(self) -> Any:
        """Return the value; after the last repair a ModelReplyError tells what was wrong."""
        messages, said, wrong = self.request.messages, "", ""
        for _ in range(1 + _REPAIRS):
            said = await self._said(messages)
            try:
                value = read(cast("type[Any]", self.request.shape), typed_replies.parse(said))
            except ValueError as error:
                wrong = str(error)
                self._note_unusable()
                messages = (*self.request.messages, *self._repair(said, wrong))
            else:
                if len(self.paid) == 1:  # a repair saw the schema, so it proves nothing about the rung
                    self.chat.learnt.unusable = 0
                return value
        raise self._unusable(
            f"replied {len(self.paid)} times with something that cannot be used for {self.request.purpose!r} "
            f"({_short(wrong)}; the last reply begins {said[:80]!r})"
        )

    async def _said(self, messages: Sequence[PromptMessage]) -> str:
        """Ask on the best rung that the server accepts. What the server refuses on every rung was not the rung's fault."""
        learnt, rung = self.chat.learnt, self.chat.learnt.rung
        while True:
            try:
                with paid_before(self.usage, self.calls):
                    paid = await self.chat.said(self._asked(messages, rung))
            except StrayedReplyError:
                paid = Paid(_NOTHING, estimated(messages, ""), 1)
            except RefusedError as error:
                if rung + 1 == len(RUNGS) or not (error.status in _BAD_REQUEST or is_unsupported(error.words)):
                    raise
                rung += 1
                continue
            if rung > learnt.rung:
                learnt.rung, learnt.unusable = rung, 0
            self.paid.append(paid)
            if paid.said.finish == "filter":
                raise self._unusable(f"declined to reply for {self.request.purpose!r}")
            return paid.said.text

    def _asked(self, messages: Sequence[PromptMessage], rung: int) -> ChatRequest:
        if rung >= _TOLD_SCHEMA:
            messages = told_schema(messages, self._schema)
        return ChatRequest(messages=messages, max_tokens=self.request.max_tokens, fields=self._fields(rung))

    def _fields(self, rung: int) -> dict[str, Any]:
        name = cast("type[Any]", self.request.shape).__name__
        if rung <= 1:
            named = {"name": name, "schema": self._schema} | ({"strict": True} if rung == 0 else {})
            return {"response_format": {"type": "json_schema", "json_schema": named}}
        if rung == 2:
            function = {"name": name, "description": "Takes the reply.", "parameters": self._schema}
            return {
                "tools": [{"type": "function", "function": function}],
                "tool_choice": {"type": "function", "function": {"name": name}},
            }
        return {"response_format": {"type": "json_object"}} if rung == 3 else {}

    @property
    def _schema(self) -> dict[str, Any]:
        return schema_of(cast("type[Any]", self.request.shape))

    def _repair(self, said: str, wrong: str) -> tuple[PromptMessage, PromptMessage]:
        cut = " Your reply was cut off: be shorter." if self.paid[-1].said.finish in {"length", "cut"} else ""
        told = (
            f"That reply cannot be used: {_short(wrong)}.{cut} Send only one corrected JSON object, without any other "
            f"words, that follows this JSON Schema:\n{json.dumps(self._schema, ensure_ascii=False)}"
        )
        return PromptMessage("assistant", said[:_SHOWN] or "."), PromptMessage("user", told)

    def _unusable(self, what: str) -> UnusableReplyError:
        endpoint = self.chat.endpoint
        advice = f"another {endpoint.setting('MODEL')} may do better"
        return UnusableReplyError(f"model {endpoint.model!r} {what}; {advice}", self.usage, self.calls)

    def _note_unusable(self) -> None:
        learnt = self.chat.learnt
        if self.paid[-1].said.finish != "stop":
            return  # it had no room or was not allowed to end; that says nothing about the rung
        learnt.unusable += 1
        if learnt.unusable >= _PATIENCE and learnt.rung + 1 < len(RUNGS):
            learnt.rung, learnt.unusable = learnt.rung + 1, 0


def _short(wrong: str) -> str:
    return " ".join(wrong.split())[:600].rstrip(".")
