"""What a server's refusal means. Servers agree on no status and no format, so it is read from their words.

The words are those of OpenAI, Azure, DeepSeek, DashScope, Gemini, Anthropic, Groq, Ollama, vLLM, llama.cpp, llama-cpp-python and LM Studio.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast
from urllib.parse import quote

from scholarmind.adapters.openai.endpoint import Endpoint
from scholarmind.errors import ContextOverflowError, ModelError, ModelReplyError, ModelUnavailableError

_TOLD = 300  # characters of a server's own words that go into an error
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|context_exceeded|maximum context length|max_seq_len|max_model_len"
    r"|exceed\w*.{0,60}?(?:context|maximum number of tokens|maximum length)"
    r"|context\s(?:window|length|size|limit).{0,40}?(?:exceed|overflow|reached)"
    r"|prompt is too long|input is too long|too large to process|too many input tokens|range of input length|context the overflows"
    r"|greater than the context length|reduce the length of|tokens must be reduced|(?:上下文|输入).{0,12}(?:过长|超)",
    re.IGNORECASE | re.DOTALL,
)
_UNSUPPORTED = re.compile(
    r"unsupported|not (?:yet |currently )?(?:be )?supported|only supports?\b|(?:does|do) ?n[o']t support|unavailable now"
    r"|not implemented|unrecognized|literal_error|extra_forbidden|extra inputs|not permitted|unknown (?:field|parameter|name)"
    r"|cannot (?:use|be used)\b.{0,20}?\bstream|invalid schema|failed to (?:parse|initialize|convert).{0,20}(?:grammar|schema)|不支持",
    re.IGNORECASE | re.DOTALL,
)
_STRAYED = re.compile(r"model produced output that does not match the expected", re.IGNORECASE)
_NO_MONEY = re.compile(r"insufficient_quota|insufficient balance|arrearage|credit balance is too low", re.IGNORECASE)
_BAD_KEY = re.compile(r"api[ _-]?key", re.IGNORECASE)
_SOON = re.compile(r"(?:retry|try again) in (\d+(?:\.\d+)?) ?(ms|s)\b", re.IGNORECASE)
_BEARER = re.compile(r"(Bearer\s+)[^\s\"',}]+", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_PAGE = re.compile(r"\s*<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_PASSING = {408, 409, 425, 429}


class RefusedError(ModelUnavailableError):
    """A server refused a request; its words may tell which field of the request it does not know."""

    def __init__(self, message: str, status: int, words: str) -> None:
        super().__init__(message)
        self.status = status
        self.words = words


class PassingError(ModelUnavailableError):
    """A fault that may be gone at the next try; `wait` is what the server asked for, in seconds."""

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait


class NobodyThereError(PassingError):
    """No connection came about, once more; `refused` counts how often in a row."""

    def __init__(self, message: str, refused: int) -> None:
        super().__init__(message)
        self.refused = refused


class BrokenReplyError(PassingError):
    """A reply that came to its end, but in no form that a reply has."""


class StrayedReplyError(ModelReplyError):
    """A model replied, but not in the form that its own server expects, which therefore does not hand the reply on."""


def refusal(endpoint: Endpoint, status: int, body: str, headers: Mapping[str, str] | None = None) -> ModelError:
    """Return the error that this answer is."""
    words = redacted(body, endpoint.api_key)
    told = f"{status}: {words_of(words)}"
    if status == 413 or _TOO_LONG.search(words):
        return ContextOverflowError(f"{endpoint.server} was given more than {_model(endpoint)} can read ({told})")
    if _STRAYED.search(words):
        return StrayedReplyError(f"{endpoint.server} could not read what {_model(endpoint)} said ({told})")
    if _NO_MONEY.search(words) or status == 402:
        advice = f"the account behind {endpoint.setting('API_KEY')} has nothing left"
    elif (status in _PASSING or (status >= 500 and status != 501)) and not is_unsupported(words):
        return PassingError(told, asked_wait(headers or {}, words))
    else:
        status = 401 if status == 400 and _BAD_KEY.search(words) else status  # as Gemini says it
        advice = _advice(endpoint, status, words)
    return RefusedError(f"{endpoint.server} refused {_model(endpoint)} ({told}); {advice}", status, words)


def is_unsupported(words: str) -> bool:
    """Tell whether a server says that it does not know what it was asked for, whatever status it says it with."""
    return _UNSUPPORTED.search(words) is not None


def words_of(body: str) -> str:
    """Return in one short line what a server says in the body of an error."""
    if _PAGE.match(body):
        title = _TITLE.search(body)
        return f"a web page {' '.join(title[1].split())[:80]!r}" if title else "a web page"
    with suppress(ValueError, RecursionError):  # plain words are taken as they are
        body = _message(json.loads(body)) or body
    return " ".join(body.split())[:_TOLD] or "no words"


def redacted(text: str, key: str) -> str:
    """Return the text without the key, however it was written."""
    for form in {key, quote(key, safe=""), json.dumps(key)[1:-1]} - {""} if key else ():
        text = text.replace(form, "***")
    return _BEARER.sub(r"\1***", text)


def asked_wait(headers: Mapping[str, str], words: str = "") -> float:
    """Return for how many seconds a server asks to be left alone (0: it does not say)."""
    if milliseconds := _number(headers.get("retry-after-ms", "")):
        return milliseconds / 1000
    told = headers.get("retry-after", "")
    if seconds := _number(told):
        return seconds
    if told.count(":") == 2:
        return _until(told)
    soon = _SOON.search(words)
    return float(soon[1]) / (1000 if soon[2].lower() == "ms" else 1) if soon else 0.0


def _until(told: str) -> float:
    from datetime import UTC, datetime  # noqa: PLC0415
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  (slow to import, and hardly ever needed)

    try:
        until = parsedate_to_datetime(told)
    except ValueError:
        return 0.0
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())


def _number(told: str) -> float:
    try:
        return max(0.0, float(told)) if told.strip()[:1].isdigit() else 0.0
    except ValueError:
        return 0.0


def _model(endpoint: Endpoint) -> str:
    return f"model {endpoint.model!r}" if endpoint.model else "its only model"


def _advice(endpoint: Endpoint, status: int, words: str) -> str:
    key, url, model = (endpoint.setting(name) for name in ("API_KEY", "BASE_URL", "MODEL"))
    if status in {401, 403}:
        return f"check {key}"
    if status in {404, 405} or 300 <= status < 400 or _PAGE.match(words):
        return f"check {url} (it usually ends in /v1)" + ("" if model == url else f" and {model}")
    return f"check {model}"


def _message(told: Any) -> str:
    """Find the words in {"error": {"message": ...}}, [{...}], {"detail": ...} and what else servers send."""
    if isinstance(told, list):
        found = cast("list[Any]", told)
        return _message(found[0]) if found else ""
    if isinstance(told, dict):
        fields = cast("dict[str, Any]", told)
        for name in ("error", "message", "detail", "msg"):
            if fields.get(name):
                return _message(fields[name])
        return json.dumps(fields, ensure_ascii=False)
    return str(told)


def error_in(endpoint: Endpoint, data: Any) -> ModelError | None:
    """Return the error that a server put into an answer which it calls a success."""
    told = cast("dict[str, Any]", data).get("error") if isinstance(data, dict) else None
    if not told:
        return None
    code = cast("dict[str, Any]", told).get("code") if isinstance(told, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    return refusal(endpoint, status, json.dumps(told, ensure_ascii=False))
