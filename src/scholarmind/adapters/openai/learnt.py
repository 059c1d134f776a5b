"""What a server turned out not to know, for one of its models: learnt from its words, and not asked again."""

import re
from dataclasses import dataclass
from typing import Any, Literal

from scholarmind.adapters.openai.refusals import is_unsupported
from scholarmind.adapters.openai.replies import Gathered, Said

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

    def notice(self, gathered: Gathered) -> None:
        """Take note of a reply that came to its end."""
        self.broken = 0
        self.unopened = self.unopened or gathered.spoken.unopened

    def needs_room(self, said: Said) -> bool:
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
