"""What an OpenAI-compatible chat call asks, read from its body."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, cast

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
