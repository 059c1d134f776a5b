"""What real servers of language models do wrong, to be played on request."""

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal, get_args

from scholarmind.testing.chat_protocol import Call, error, tokens
from scholarmind.testing.http_connections import Outgoing

Kind = Literal[
    "rate_limit",  # 429 with Retry-After: `seconds`
    "server_error",  # 500
    "html_error",  # 502, and a page for people
    "wrong_key",  # 401, in words that repeat the key
    "refuse_json_schema",  # 400 (or `status`): response_format of type json_schema is not supported
    "refuse_all_formats",  # the same for every response_format and for tools
    "small_context",  # 400 for prompts of more than `tokens`
    "hang",  # never answers
    "fenced",  # JSON within thoughts, prose and fences
    "wrong_schema",  # valid JSON of another shape
    "empty",  # a reply without a word
    "endless",  # a reply of 200,000 characters
    "garbage",  # a body that is no JSON
    "slow_drip",  # a token or byte every `seconds`
    "cut_stream",  # the connection ends in the middle
]
KINDS: tuple[Kind, ...] = get_args(Kind)
_ENDLESS = 200_000
_OF_ANY_CALL: frozenset[Kind] = frozenset(
    {"rate_limit", "server_error", "html_error", "wrong_key", "hang", "garbage", "slow_drip", "cut_stream"}
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong: `times` times at once, or again and again at the server's rate.

    `matching` is a pattern that the purpose or the text of a call must have.
    """

    kind: Kind
    _: KW_ONLY
    times: int | None = None
    matching: str = ""
    status: int | None = None
    seconds: float = 0.05
    tokens: int = 8_192

    def __post_init__(self) -> None:
        """Refuse a kind that there is not."""
        if self.kind not in KINDS:
            raise ValueError(f"there is no fault {self.kind!r}; one of: {', '.join(KINDS)}")

    def concerns(self, call: Call) -> bool:
        """Say whether this call can meet it."""
        if self.matching and not any(re.search(self.matching, text) for text in (call.purpose, call.text)):
            return False
        if self.kind == "refuse_json_schema":
            return call.rung.startswith("json_schema")
        if self.kind == "refuse_all_formats":
            return call.rung not in {"", "prompt"}
        if self.kind == "small_context":
            return tokens(call.text) > self.tokens
        if self.kind == "wrong_schema":
            return call.rung != ""
        return call.chat or self.kind in _OF_ANY_CALL


class Misfortune:
    """Which fault a call meets: first those that have their times, in order, then at a rate any other that concerns it."""

    def __init__(self, faults: Sequence[Fault], *, rate: float = 1.0, seed: int = 0) -> None:
        self._left = {place: fault.times for place, fault in enumerate(faults) if fault.times is not None}
        self._faults = list(faults)
        self._rate = rate
        self._dice = random.Random(seed)  # noqa: S311  (the same faults again for the same seed)

    def fault(self, call: Call) -> Fault | None:
        """Return the fault of this call, None if all goes well."""
        for place, times in self._left.items():
            if times and self._faults[place].concerns(call):
                self._left[place] = times - 1
                return self._faults[place]
        if self._dice.random() >= self._rate:
            return None
        choice = [fault for fault in self._faults if fault.times is None and fault.concerns(call)]
        return self._dice.choice(choice) if choice else None


def refusal(fault: Fault, call: Call) -> Outgoing | None:
    """Return the error that a fault is, None where it spoils an answer only."""
    made = _REFUSALS.get(fault.kind)
    reply = made(fault, call) if made else None
    return replace(reply, status=fault.status) if reply and fault.status else reply


def spoiled_text(fault: Fault, call: Call, text: str) -> str:
    """Return what the model says instead of its text."""
    if fault.kind == "fenced":
        said = f"Sure, here it is:\n\n```json\n{text}\n```\nLet me know if you need more." if call.rung else text
        return f'<think>\nThey want me to answer. Is it {{"answer": "42"}}? No.\n</think>\n\n{said}'
    if fault.kind == "wrong_schema":
        return json.dumps({"status": "ok", "items": [{"id": 1, "note": "done"}], "count": 1})
    if fault.kind == "empty":
        return ""
    return ("and so on " * (_ENDLESS // 10)) if fault.kind == "endless" else text


def spoiled(fault: Fault, reply: Outgoing) -> Outgoing:
    """Return the reply as a bad line would bring it."""
    if fault.kind == "cut_stream":
        return replace(reply, cut=True)
    if fault.kind == "slow_drip":
        pieces = reply.pieces if reply.chunked else [bytes([byte]) for byte in b"".join(reply.pieces)]
        return replace(reply, pieces=pieces, pause=fault.seconds)
    return reply


def _rate_limit(fault: Fault, _: Call) -> Outgoing:
    told = "Rate limit reached for requests. Please try again later."
    return error(429, told, type="requests", code="rate_limit_exceeded", Retry_After=f"{fault.seconds:g}")


def _server_error(_: Fault, __: Call) -> Outgoing:
    return error(500, "The server had an error while processing your request. Sorry about that!", type="server_error")


def _html_error(_: Fault, __: Call) -> Outgoing:
    page = (
        b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><h1>502 Bad Gateway</h1></body>\r\n</html>\r\n"
    )
    return Outgoing(status=502, kind="text/html", pieces=(page,))


def _wrong_key(_: Fault, call: Call) -> Outgoing:
    told = f"Incorrect API key provided: {call.key}. You can find your API key in your account."
    return error(401, told, type="invalid_request_error", code="invalid_api_key")


def _no_schema(_: Fault, __: Call) -> Outgoing:
    told = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
    return error(400, told, type="invalid_request_error", param="response_format")


def _no_format(_: Fault, call: Call) -> Outgoing:
    asked = "tools" if call.rung == "tools" else "response_format"
    told = f"Unrecognized request argument supplied: {asked}. This server does not support {asked}."
    return error(400, told, type="invalid_request_error", param=asked)


def _small_context(fault: Fault, call: Call) -> Outgoing:
    told = (
        f"This model's maximum context length is {fault.tokens} tokens. However, your messages resulted in "
        f"{tokens(call.text)} tokens. Please reduce the length of the messages."
    )
    return error(400, told, type="invalid_request_error", param="messages", code="context_length_exceeded")


def _garbage(_: Fault, call: Call) -> Outgoing:
    if call.stream:
        return Outgoing(
            pieces=(b'data: {"choices": [{"del\x00\xff', b"\n\n%%%% {{{{\n\n"), kind="text/event-stream", chunked=True
        )
    return Outgoing(pieces=(b'\x00\xff\xfe{"choices": [[[ %%%%',))


_REFUSALS: Mapping[Kind, Callable[[Fault, Call], Outgoing]] = {
    "rate_limit": _rate_limit,
    "server_error": _server_error,
    "html_error": _html_error,
    "wrong_key": _wrong_key,
    "refuse_json_schema": _no_schema,
    "refuse_all_formats": _no_format,
    "small_context": _small_context,
    "garbage": _garbage,
}
NEVER_REACH_THE_MODEL: frozenset[Kind] = frozenset({*_REFUSALS, "hang"})
