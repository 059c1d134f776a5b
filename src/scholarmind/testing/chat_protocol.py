"""The protocol of an OpenAI-compatible server of language models: what a call asks, how replies are worded, and a log of the calls.

The smallest value that a JSON schema allows is what a model says that keeps the form and knows nothing. What such servers do wrong is
in `faults`, the server itself in `scripted`.
"""

import base64
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Any, Literal, cast

from scholarmind.testing.model_servers import HashEmbedder, Outgoing

# -- the smallest value that a JSON schema allows

Schema = Mapping[str, Any]
_DEEPEST = 40  # a schema that requires itself has no value at all
_PLAIN: Mapping[str, Any] = {"boolean": False, "null": None}


def minimal(schema: Schema, root: Schema | None = None, depth: int = 0) -> Any:
    """Return a minimal valid instance of a schema."""
    root = schema if root is None else root
    if depth > _DEEPEST:
        return None
    sure = [schema["enum"][0]] if schema.get("enum") else []
    sure += [schema[name] for name in ("const", "default") if name in schema]
    if sure:
        return sure[0]
    chosen = _chosen(schema, root)
    return _of_type(schema, root, depth) if chosen is None else minimal(chosen, root, depth + 1)


def _chosen(schema: Schema, root: Schema) -> Schema | None:
    """Return the schema that stands in place of this one, if another does."""
    if "$ref" in schema:
        return _named(str(schema["$ref"]), root)
    for choice in ("anyOf", "oneOf"):
        if schema.get(choice):
            return schema[choice][0]
    return _together(schema, root) if schema.get("allOf") else None


def _of_type(schema: Schema, root: Schema, depth: int) -> Any:
    kind: Any = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind if isinstance(kind, str) else kind[0]
    if kind == "object":
        properties = _properties(schema)
        return {name: minimal(properties.get(name, {}), root, depth + 1) for name in schema.get("required", ())}
    if kind == "array":
        return [minimal(schema.get("items") or {}, root, depth + 1) for _ in range(schema.get("minItems", 0))]
    if kind in {"integer", "number"}:
        return _number(schema)
    if kind == "string":
        return "ok".ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength", 1_000)]
    return _PLAIN.get(kind)


def _number(schema: Schema) -> Any:
    value: Any = 0
    value = max(value, schema.get("minimum", value), schema.get("exclusiveMinimum", -1) + 1)
    return min(value, schema.get("maximum", value), schema.get("exclusiveMaximum", value + 1) - 1)


def _named(reference: str, root: Schema) -> Schema:
    """Return the schema that `#/$defs/Name` points to."""
    found: Any = root
    for name in reference.removeprefix("#").strip("/").split("/"):
        found = found[name] if name else found
    return found


def _together(schema: Schema, root: Schema) -> Schema:
    every = [_named(str(part["$ref"]), root) if "$ref" in part else part for part in schema["allOf"]]
    parts = [{name: value for name, value in schema.items() if name != "allOf"}, *every]
    merged: dict[str, Any] = {}
    for part in parts:
        merged |= part
    merged["properties"] = dict(pair for part in parts for pair in _properties(part).items())
    merged["required"] = [name for part in parts for name in part.get("required", ())]
    return merged


def _properties(schema: Schema) -> Schema:
    return schema.get("properties") or {}


# -- what a call asks

Rung = Literal["", "prompt", "json_object", "tools", "json_schema", "json_schema strict"]  # "": no JSON was asked for
JSON = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request to the server. `rung` says by which means JSON was asked for, `schema` of which kind."""

    number: int  # from 1, in the order of arrival
    path: str
    body: JSON
    key: str = ""  # as the client sent it
    rung: Rung = ""
    schema: JSON | None = None
    schema_name: str = ""
    purposes: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def model(self) -> str:
        """The model that was asked."""
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> list[JSON]:
        """The messages as they came."""
        return self.body.get("messages") or []

    @property
    def stream(self) -> bool:
        """Whether the reply is wanted in pieces."""
        return bool(self.body.get("stream"))

    @property
    def chat(self) -> bool:
        """Whether it is a call to a language model."""
        return self.path.endswith("/chat/completions")

    @property
    def most_tokens(self) -> int | None:
        """How long the reply may be."""
        return self.body.get("max_completion_tokens") or self.body.get("max_tokens")

    @cached_property
    def text(self) -> str:
        """All that the messages say."""
        return "\n".join(said(message) for message in self.messages)

    @cached_property
    def purpose(self) -> str:
        """What it is for: by the first of the server's `purposes` that the text matches, else the name of the schema."""
        named = (name for pattern, name in self.purposes.items() if re.search(pattern, self.text))
        return next(named, self.schema_name)


def said(message: JSON) -> str:
    """Return the text of a message, which may come in parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def tokens(text: str) -> int:
    """Estimate the tokens of a text: four bytes make one, which Chinese pays three of a character."""
    return (len(text.encode("utf-8", "replace")) + 3) // 4


def asked_for(body: JSON) -> tuple[Rung, JSON | None, str]:
    """Return by which means a body asks for JSON, of which schema, and the schema's name."""
    wanted: JSON = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        told: JSON = wanted.get("json_schema") or {}
        return "json_schema strict" if told.get("strict") else "json_schema", told.get("schema"), told.get("name", "")
    if body.get("tools") and body.get("tool_choice") != "none":
        function: JSON = body["tools"][0].get("function") or {}
        return "tools", function.get("parameters"), function.get("name", "")
    schema = wanted.get("schema") or _schema_within(body)
    name = str(schema.get("title", "")) if schema else ""
    if wanted.get("type") == "json_object":
        return "json_object", schema, name
    return ("prompt" if schema else ""), schema, name


def _schema_within(body: JSON) -> JSON | None:
    """Return the JSON schema that the messages show, if they do."""
    messages: list[JSON] = body.get("messages") or []
    for text in map(said, messages):
        known = text.find('"properties"')
        start = text.find("{")
        while 0 <= start < known:
            found = _object_at(text, start)
            if found is not None and found.get("type") == "object" and "properties" in found:
                return found
            start = text.find("{", start + 1)
    return None


def _object_at(text: str, start: int) -> JSON | None:
    try:
        found, _ = json.JSONDecoder().raw_decode(text, start)
    except json.JSONDecodeError:
        return None
    return cast("JSON", found) if isinstance(found, dict) else None


# -- how replies are worded: completions whole and in pieces, vectors, models, errors

_PIECE = 4  # characters in a streamed token; more where there would be too many
_MOST_PIECES = 4_000
_AT_ONCE = 16  # pieces of a text that comes all at once, as servers send what has piled up
_EVENTS = "text/event-stream"


def completion(call: Call, text: str, *, pause: float = 0.0, endless: bool = False) -> Outgoing:
    """Return the reply that says the text, cut to the tokens that the call allows unless it is to be endless."""
    text, finish = (text, "length") if endless else _allowed(call, text)
    return _pieces(call, text, finish, pause) if call.stream else _whole(call, text, finish)


def error(status: int, message: str, **more: Any) -> Outgoing:
    """Return a refusal; `more` are its headers, and the fields `type`, `code` and `param` of the error."""
    fields = {name: more.pop(name, None) for name in ("type", "param", "code")}
    body = json.dumps({"error": {"message": message, **fields}}, ensure_ascii=False).encode()
    return Outgoing(
        status=status, pieces=(body,), headers={name.replace("_", "-"): told for name, told in more.items()}
    )


def as_json(value: Any, status: int = 200) -> Outgoing:
    """Return a reply of plain JSON."""
    return Outgoing(status=status, pieces=(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"),))


def vectors(call: Call, embedder: HashEmbedder) -> Outgoing:
    """Return a vector for each text of an embeddings call."""
    given: Any = call.body.get("input", [])
    texts: list[str] = [given] if isinstance(given, str) else list(given)
    packed = call.body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": place, "embedding": _vector(embedder, text, packed)}
        for place, text in enumerate(texts)
    ]
    count = sum(map(tokens, texts))
    return as_json(
        {
            "object": "list",
            "data": data,
            "model": call.model,
            "usage": {"prompt_tokens": count, "total_tokens": count},
        }
    )


def models(names: Sequence[str]) -> Outgoing:
    """Return the list of models."""
    data = [{"id": name, "object": "model", "created": 0, "owned_by": "scholarmind"} for name in names]
    return as_json({"object": "list", "data": data})


def _vector(embedder: HashEmbedder, text: str, packed: bool) -> Any:
    vector = embedder.vector(text)
    return base64.b64encode(vector.tobytes()).decode() if packed else vector.tolist()


def _allowed(call: Call, text: str) -> tuple[str, str]:
    count, most = tokens(text), call.most_tokens
    if most is not None and count > most:
        return text[: len(text) * most // count], "length"
    return text, "tool_calls" if call.rung == "tools" else "stop"


def _usage(call: Call, text: str) -> dict[str, int]:
    prompt, reply = tokens(call.text), tokens(text)
    return {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}


def _tool(call: Call, text: str, **more: Any) -> list[dict[str, Any]]:
    return [{"id": f"call_{call.number}", "type": "function", **more} | _arguments(call, text)]


def _arguments(call: Call, text: str) -> dict[str, Any]:
    return {"function": {"name": call.schema_name, "arguments": text}}


def _whole(call: Call, text: str, finish: str) -> Outgoing:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if call.rung == "tools":
        message |= {"content": None, "tool_calls": _tool(call, text)}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return as_json(_about(call, "chat.completion") | {"choices": [choice], "usage": _usage(call, text)})


def _about(call: Call, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{call.number}", "object": kind, "created": 0, "model": call.model}


def _pieces(call: Call, text: str, finish: str, pause: float) -> Outgoing:
    about = _about(call, "chat.completion.chunk")
    first: dict[str, Any] = {"role": "assistant", "content": ""}
    if call.rung == "tools":
        first |= {"content": None, "tool_calls": _tool(call, "", index=0)}
    sent = [
        _event(about, first),
        *_said(call, about, text, _MOST_PIECES if pause else _AT_ONCE),
        _event(about, {}, finish),
    ]
    options: dict[str, Any] = call.body.get("stream_options") or {}
    if options.get("include_usage"):
        sent.append(_data(about | {"choices": [], "usage": _usage(call, text)}))
    return Outgoing(pieces=[*sent, b"data: [DONE]\n\n"], kind=_EVENTS, chunked=True, pause=pause)


def _said(call: Call, about: dict[str, Any], text: str, most: int) -> list[bytes]:
    """Return an event for each token, or for several of them. Only the token differs, so the rest of the event is made once."""
    delta = (
        {"tool_calls": [{"index": 0, "function": {"arguments": "\0"}}]} if call.rung == "tools" else {"content": "\0"}
    )
    before, _, after = _event(about, delta).partition(b'"\\u0000"')
    size = max(_PIECE, -(-len(text) // most))
    tokens_of_text = (text[start : start + size] for start in range(0, len(text), size))
    return [before + json.dumps(token).encode() + after for token in tokens_of_text]


def _event(about: dict[str, Any], delta: dict[str, Any], finish: str | None = None) -> bytes:
    return _data(about | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _data(value: Any) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


# -- the log: how many calls waited for one another, and how many ran at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """One call. `end` is None while it is answered; times are those of `time.monotonic`."""

    number: int
    path: str
    model: str
    purpose: str
    stream: bool
    rung: Rung
    start: float
    end: float | None = None
    status: int | None = None  # None: no reply was ready before it ended
    fault: str = ""
    gone: bool = False  # the client went away before the end


class CallLog:
    """The calls of a server, in the order in which they came."""

    def __init__(self) -> None:
        self._calls: dict[int, Logged] = {}

    @property
    def calls(self) -> list[Logged]:
        """All calls until now."""
        return list(self._calls.values())

    def start(self, call: Call) -> None:
        """Note that a call came."""
        self._calls[call.number] = Logged(
            number=call.number,
            path=call.path,
            model=call.model,
            purpose=call.purpose,
            stream=call.stream,
            rung=call.rung,
            start=time.monotonic(),
        )

    def note(self, number: int, *, fault: str = "", status: int | None = None) -> None:
        """Note what it is answered with."""
        if number in self._calls:  # the log may have been cleared meanwhile
            self._calls[number] = replace(self._calls[number], fault=fault, status=status)

    def end(self, number: int, *, gone: bool) -> None:
        """Note that it is over."""
        if number in self._calls:
            self._calls[number] = replace(self._calls[number], end=time.monotonic(), gone=gone)

    def clear(self) -> None:
        """Forget all calls."""
        self._calls = {}


def levels(calls: Sequence[Logged]) -> int:
    """Return how many calls ran one after another: the longest chain of which each started after the one before had ended."""
    count, over = 0, -inf
    for call in sorted(calls, key=_end):  # who ends first leaves most room to those after
        if call.start > over:
            count, over = count + 1, _end(call)
    return count


def most_at_once(calls: Sequence[Logged]) -> int:
    """Return how many calls ran at the same time at most."""
    changes = sorted([(call.start, 1) for call in calls] + [(_end(call), -1) for call in calls])
    now = most = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def _end(call: Logged) -> float:
    return inf if call.end is None else call.end
