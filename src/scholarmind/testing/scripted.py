"""A scripted language model, within the process and as a server, with the faults of real ones."""

import asyncio
import dataclasses
import json
import random
import re
import socket
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, field, fields, replace
from types import TracebackType
from typing import Any, Literal, cast, get_args

from scholarmind.calls import Reply, Request, Usage
from scholarmind.errors import ModelReplyError
from scholarmind.llm.typed_replies import parse, read
from scholarmind.testing import model_servers
from scholarmind.testing.model_servers import (
    JSON,
    Call,
    CallLog,
    ClientConnection,
    HashEmbedder,
    Incoming,
    Logged,
    Outgoing,
    asked_for,
    error,
    minimal,
    said,
    tokens,
)

# -- a journal


class MemoryJournal:
    """A journal that ends with its program. `steps` lists what was put, in order."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str]] = []  # run and step
        self._values: dict[tuple[str, str], str] = {}

    async def get(self, run: str, address: str) -> str | None:
        """Return what this run noted under the address."""
        return self._values.get((run, address))

    async def put(self, run: str, address: str, step: str, value: str) -> None:
        """Note it."""
        self.steps.append((run, step))
        self._values[run, address] = value


# -- a language model

_PIECE = 4  # characters in a streamed piece


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A reply that breaks off: its text, and then the error."""

    text: str
    error: Exception


class ScriptedModel:
    """Says what `answer` makes of each request: a text, an Exception to raise, or what is sent as JSON, such as a dataclass or dict.

    `requests` lists what was asked, also what then failed; `latency` is in seconds.
    """

    def __init__(
        self,
        answer: Callable[[Request], str | object | Exception] = lambda request: "ok",  # noqa: ARG005
        *,
        model: str = "scripted",
        latency: float = 0.0,
    ) -> None:
        self.requests: list[Request] = []
        self._answer = answer
        self._model = model
        self._latency = latency

    async def complete(self, request: Request) -> Reply:
        """Return the whole reply."""
        said = await self._said(request)
        if isinstance(said, Interrupted):
            raise said.error
        return self._reply(request, said)

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        """Yield the reply in small pieces, then whole."""
        said = await self._said(request)
        text = said.text if isinstance(said, Interrupted) else said
        for start in range(0, len(text), _PIECE):
            yield text[start : start + _PIECE]
            await asyncio.sleep(0)  # others run between two pieces, as they do with a server
        if isinstance(said, Interrupted):
            raise said.error
        yield self._reply(request, text)

    async def _said(self, request: Request) -> str | Interrupted:
        self.requests.append(request)
        await asyncio.sleep(self._latency)
        made = self._answer(request)
        if isinstance(made, Exception):
            raise made
        return made if isinstance(made, str | Interrupted) else json.dumps(_plain(made), ensure_ascii=False)

    def _reply(self, request: Request, text: str) -> Reply:
        value = None
        if request.shape is not None:
            try:
                value = read(request.shape, parse(text))
            except ValueError as error:
                raise ModelReplyError(f"{self._model!r} replied {text[:200]!r}: {error}") from error
        prompt = sum(tokens(message.text) for message in request.messages)
        return Reply(
            text=text, model=self._model, value=value, usage=Usage(prompt, tokens(text)), seconds=self._latency
        )


def _plain(value: Any) -> Any:
    """Return dataclasses as dicts, however deep they are."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("list[Any]", value)]
    return value


# -- what real servers of language models do wrong, to be played on request

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


# -- rules as JSON

_PLAIN = ("fault_rate", "seed", "latency", "token_rate", "purposes", "models", "key")
_KNOWN = ("canned", "faults", *_PLAIN)


def rules(text: str | bytes) -> dict[str, Any]:
    """Return the rules that a JSON text tells, as arguments of a ScriptedServer. A ValueError says what is wrong with it."""
    told = _object(json.loads(text), _KNOWN)
    found = {name: told[name] for name in _PLAIN if name in told}
    if "faults" in told:
        found["faults"] = [_fault(fault) for fault in told["faults"]]
    if "canned" in told:
        found["canned"] = [_canned(one) for one in told["canned"]]
    return found


def _fault(told: Any) -> Fault:
    known = dict(_object(told, tuple(field.name for field in fields(Fault))))
    return Fault(known.pop("kind", ""), **known)  # a kind that is missing is refused as any that is unknown


def _canned(told: Any) -> tuple[str, Any]:
    known = _object(told, ("match", "reply"))
    return known.get("match", ""), known.get("reply", "")


def _object(told: Any, known: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(told, dict):
        raise TypeError(f"{told!r} should be an object of {', '.join(known)}")
    found = cast("Mapping[str, Any]", told)
    for name in found:
        if name not in known:
            raise ValueError(f"there is no rule {name!r}; known: {', '.join(known)}")
    return found


# -- the server

Said = str | Mapping[str, Any] | list[Any] | Fault | None
Rule = Callable[[Call], Said]
_LONGEST_ECHO = 60
_ENDPOINTS = ("/chat/completions", "/embeddings", "/models")


def _no_answer(_: Call) -> Said:
    return None


@dataclass(kw_only=True, eq=False)
class ScriptedServer:
    """Use it in a `with` block. `answer`, `canned`, `latency` and `token_rate` may be set anew while it runs, faults by `play`.

    It says what `answer` makes of the call; where that is None, what belongs to the first `canned` pattern found in the
    messages; else the smallest JSON that the asked schema allows, or a short text. What is no text is sent as JSON; a Fault is played.
    """

    answer: Rule = _no_answer
    canned: Sequence[tuple[str, Said]] = ()
    latency: float = 0.0  # seconds before a reply starts
    token_rate: float | None = None  # tokens a second of a stream; None: all at once
    faults: Sequence[Fault] = ()
    fault_rate: float = 1.0
    seed: int = 0
    purposes: Mapping[str, str] = field(default_factory=dict[str, str])  # of calls, by a pattern in their messages
    models: Sequence[str] = ("scripted",)
    key: str = ""  # what the client must send; '' lets everybody in
    port: int = 0  # 0: any that is free
    requests: list[Call] = field(default_factory=list[Call], init=False)  # what was asked, whole

    def __post_init__(self) -> None:
        """Set the dice."""
        self._misfortune = Misfortune(self.faults, rate=self.fault_rate, seed=self.seed)
        self._log = CallLog()
        self._number = 0
        self._embedder = HashEmbedder()
        self._errors: list[BaseException] = []
        self._stop: Callable[[], object] = list

    @property
    def base_url(self) -> str:
        """What SCHOLARMIND_LLM_BASE_URL would be."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def log(self) -> list[Logged]:
        """Every call to any of its endpoints."""
        return self._log.calls

    @property
    def most_at_once(self) -> int:
        """How many chat calls ran at the same time at most."""
        return model_servers.most_at_once(self._chat_calls())

    def levels(self) -> int:
        """Return how many chat calls ran one after another."""
        return model_servers.levels(self._chat_calls())

    def clear(self) -> None:
        """Forget what was asked until now."""
        self._log.clear()
        self.requests.clear()

    def play(self, *faults: Fault, rate: float = 1.0, seed: int = 0) -> None:
        """Play these faults from now on in place of those before; none are no faults."""
        self._misfortune = Misfortune(faults, rate=rate, seed=seed)

    def __enter__(self) -> "ScriptedServer":
        listening = socket.create_server(("127.0.0.1", self.port), backlog=1_024)
        self.port = listening.getsockname()[1]
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(listening, ready)), daemon=True)
        self._thread.start()
        ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        self._thread.join()
        if self._errors and error is None:
            raise self._errors[0]  # of a rule: the test that gave it is wrong

    async def _serve(self, listening: socket.socket, ready: threading.Event) -> None:
        loop = asyncio.get_running_loop()
        stopped = asyncio.Event()
        self._stop = lambda: loop.call_soon_threadsafe(stopped.set)
        connections: set[ClientConnection] = set()

        def connected() -> ClientConnection:
            connection = ClientConnection(self._handle, connections, self._errors.append)
            connection.closing = stopped.is_set()
            return connection

        server = await loop.create_server(connected, sock=listening)
        ready.set()
        await stopped.wait()
        loop.remove_reader(listening)  # not yet closed: asyncio forgets connections that it is just accepting then
        ourselves = asyncio.current_task()
        while asyncio.all_tasks() - {ourselves} or any(connection.is_open for connection in connections):
            for connection in list(connections):
                connection.close()
            await asyncio.sleep(0)
        server.close()
        await server.wait_closed()

    async def _handle(self, connection: ClientConnection, request: Incoming) -> None:
        call = self._call(request) if request.path.endswith(_ENDPOINTS) else self._about_itself(request)
        if isinstance(call, Outgoing):
            await connection.send(call)
            return
        self._log.start(call)
        gone = False
        try:
            reply = await self._reply(call)
            await connection.send(reply)
        except asyncio.CancelledError:
            gone = not connection.closing
            raise
        finally:
            self._log.end(call.number, gone=gone)

    def _about_itself(self, request: Incoming) -> Outgoing:
        if request.path == "/faults" and request.method == "PUT":
            try:
                told = rules(request.body)
            except (TypeError, ValueError) as error:
                return model_servers.error(400, str(error))
            self.play(*told.get("faults", ()), rate=told.get("fault_rate", 1.0), seed=told.get("seed", 0))
            return model_servers.as_json({"faults": len(told.get("faults", ()))})
        if request.path != "/log":
            return model_servers.error(404, f"there is no {request.path}")
        if request.method == "DELETE":
            self.clear()
        calls = [asdict(call) for call in self.log]
        return model_servers.as_json({"calls": calls, "levels": self.levels(), "most_at_once": self.most_at_once})

    def _call(self, request: Incoming) -> Call | Outgoing:
        """Return the call that a request is, or why it is none."""
        key = request.headers.get("api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if self.key and key != self.key:
            return model_servers.error(401, "Incorrect API key provided.", code="invalid_api_key")
        try:
            body: Any = json.loads(request.body or b"{}")
        except ValueError as error:
            return model_servers.error(400, f"We could not parse the JSON body of your request: {error}")
        if not isinstance(body, dict):
            return model_servers.error(400, "The body must be a JSON object.")
        told = cast("JSON", body)
        rung, schema, name = asked_for(told)
        self._number += 1
        call = Call(
            number=self._number,
            path=request.path,
            body=told,
            key=key,
            rung=rung,
            schema=schema,
            schema_name=name,
            purposes=self.purposes,
        )
        self.requests.append(call)
        return call

    async def _reply(self, call: Call) -> Outgoing:
        fault = self._misfortune.fault(call)
        made = None if fault and fault.kind in NEVER_REACH_THE_MODEL else self._said(call)
        if isinstance(made, Fault):
            fault, made = made, self._nothing_special(call)
        self._log.note(call.number, fault=fault.kind if fault else "")
        if fault and fault.kind == "hang":
            await asyncio.Event().wait()
        reply = refusal(fault, call) if fault else None
        if reply is None:
            await asyncio.sleep(self.latency)
            reply = self._made(call, fault, made)
        self._log.note(call.number, fault=fault.kind if fault else "", status=reply.status)
        return reply

    def _made(self, call: Call, fault: Fault | None, made: Any) -> Outgoing:
        if call.path.endswith("/models"):
            reply = model_servers.models(self.models)
        elif call.path.endswith("/embeddings"):
            reply = model_servers.vectors(call, self._embedder)
        else:
            text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
            text = spoiled_text(fault, call, text) if fault else text
            pause = 1 / self.token_rate if self.token_rate else 0.0
            reply = model_servers.completion(call, text, pause=pause, endless=bool(fault and fault.kind == "endless"))
        return spoiled(fault, reply) if fault else reply

    def _said(self, call: Call) -> Said:
        if not call.chat:
            return None
        made = self.answer(call)
        if made is None:
            made = next((reply for pattern, reply in self.canned if re.search(pattern, call.text)), None)
        return self._nothing_special(call) if made is None else made

    def _nothing_special(self, call: Call) -> Said:
        if call.schema is not None:
            return minimal(call.schema)
        if call.rung:
            return {}
        echo = " ".join(said(call.messages[-1]).split())[:_LONGEST_ECHO] if call.messages else ""
        return echo or "ok"

    def _chat_calls(self) -> list[Logged]:
        return [call for call in self.log if call.path.endswith("/chat/completions")]
