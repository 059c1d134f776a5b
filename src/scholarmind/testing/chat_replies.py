"""How an OpenAI-compatible server words its replies: completions whole and in pieces, vectors, models, errors."""

import base64
import json
from collections.abc import Sequence
from typing import Any

from scholarmind.testing.chat import Call, tokens
from scholarmind.testing.embedders import HashEmbedder
from scholarmind.testing.wire import Outgoing

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
