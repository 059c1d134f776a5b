"""A server of language models that says what a test wants, as fast and as badly as the test wants. It speaks the OpenAI protocol.

with ScriptedServer(answer=lambda call: {"answer": "Rome"}, latency=0.2) as server:
    ...  # SCHOLARMIND_LLM_BASE_URL would be server.base_url

Who starts it as a program gives its rules as JSON:

{"canned": [{"match": "capital", "reply": {"answer": "Rome"}}], "faults": [{"kind": "rate_limit", "times": 2}], "fault_rate": 0.3,
 "seed": 1, "latency": 0.2, "token_rate": 50, "purposes": {"^Plan": "plan"}, "models": ["m"], "key": "secret"}
"""

import asyncio
import json
import re
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from types import TracebackType
from typing import Any, cast

from scholarmind.testing import chat_protocol
from scholarmind.testing.chat_protocol import JSON, Call, CallLog, Logged, asked_for, minimal, said
from scholarmind.testing.faults import NEVER_REACH_THE_MODEL, Fault, Misfortune, refusal, spoiled, spoiled_text
from scholarmind.testing.http_connections import ClientConnection, Incoming, Outgoing
from scholarmind.testing.model_servers import HashEmbedder

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
        return chat_protocol.most_at_once(self._chat_calls())

    def levels(self) -> int:
        """Return how many chat calls ran one after another."""
        return chat_protocol.levels(self._chat_calls())

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
            return self._switched(request.body)
        if request.path != "/log":
            return chat_protocol.error(404, f"there is no {request.path}")
        if request.method == "DELETE":
            self.clear()
        calls = [asdict(call) for call in self.log]
        return chat_protocol.as_json({"calls": calls, "levels": self.levels(), "most_at_once": self.most_at_once})

    def _switched(self, body: bytes) -> Outgoing:
        try:
            told = rules(body)
        except (TypeError, ValueError) as error:
            return chat_protocol.error(400, str(error))
        self.play(*told.get("faults", ()), rate=told.get("fault_rate", 1.0), seed=told.get("seed", 0))
        return chat_protocol.as_json({"faults": len(told.get("faults", ()))})

    def _call(self, request: Incoming) -> Call | Outgoing:
        """Return the call that a request is, or why it is none."""
        key = request.headers.get("api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if self.key and key != self.key:
            return chat_protocol.error(401, "Incorrect API key provided.", code="invalid_api_key")
        try:
            body: Any = json.loads(request.body or b"{}")
        except ValueError as error:
            return chat_protocol.error(400, f"We could not parse the JSON body of your request: {error}")
        if not isinstance(body, dict):
            return chat_protocol.error(400, "The body must be a JSON object.")
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
            reply = chat_protocol.models(self.models)
        elif call.path.endswith("/embeddings"):
            reply = chat_protocol.vectors(call, self._embedder)
        else:
            text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
            text = spoiled_text(fault, call, text) if fault else text
            pause = 1 / self.token_rate if self.token_rate else 0.0
            reply = chat_protocol.completion(call, text, pause=pause, endless=bool(fault and fault.kind == "endless"))
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
