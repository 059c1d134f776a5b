"""Reads what a model said out of a server's answer, whole or in pieces, and leaves out what it only thought."""

import codecs
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from scholarmind.adapters.openai.refusals import BrokenReplyError, StrayedReplyError
from scholarmind.calls import Finish, Usage
from scholarmind.errors import ModelError

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
class Said:
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
        return self._say("".join(new))

    def _rest(self, *, last: bool) -> str:
        begun = None if last else _BEGUN_TAG.search(self._held)
        place = begun.start() if begun else len(self._held)
        rest, self._held = self._held[:place], self._held[place:]
        if not self._inside:
            return rest
        self._aside += rest if self._presumed else ""
        return self._aside if last else ""  # no tag came: it was no thought

    def _say(self, text: str) -> str:
        text = text if self.said else text.lstrip()
        if text:
            self.said.append(text)
        return text


class Gathered:
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

    def said(self) -> Said:
        """Return all of it."""
        text = "".join(self._arguments) or "".join(self.spoken.said)
        return Said(
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
