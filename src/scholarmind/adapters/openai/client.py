"""A language model for each task, on any servers that speak OpenAI's protocol. What names the same server shares it.

Where no model is named, the server is asked for the only one that it offers.
"""

import time
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from scholarmind.adapters.openai.chat_completions import ChatModel, ChatRequest, Learnt, Paid
from scholarmind.adapters.openai.connection import Connection
from scholarmind.adapters.openai.endpoint import Endpoint
from scholarmind.calls import TASKS, Reply, Request, Task
from scholarmind.errors import ModelUnavailableError, SettingsError

if TYPE_CHECKING:
    import httpx2


# -- which models a server offers

_SHOWN = 5
_NO_CHAT = ("embed", "rerank", "whisper", "tts", "bge-")


async def list_models(connection: Connection) -> list[str]:
    """Return the names of the models that a server lists."""
    answer = await connection.ask("models")
    rows = cast("dict[str, Any]", answer).get("data") if isinstance(answer, dict) else answer
    if not isinstance(rows, list):
        raise ModelUnavailableError(
            f"{connection.endpoint.server} lists no models; check {connection.endpoint.setting('BASE_URL')}, "
            f"or name a model in {connection.endpoint.setting('MODEL')}"
        )
    found = [cast("dict[str, Any]", row).get("id") for row in cast("list[Any]", rows) if isinstance(row, dict)]
    return [name for name in found if isinstance(name, str) and name]


async def _only_model(connection: Connection) -> str:
    """Return the one model that a server offers to talk to. Where there are several, somebody has to choose."""
    names = await list_models(connection)
    talking = [name for name in names if not any(part in name.lower() for part in _NO_CHAT)] or names
    if len(talking) == 1:
        return talking[0]
    shown = ", ".join(map(repr, talking[:_SHOWN])) + (", ..." if len(talking) > _SHOWN else "")
    raise ModelUnavailableError(
        f"{connection.endpoint.server} offers {f'{len(talking)} models ({shown})' if talking else 'no model'}; "
        f"name one in {connection.endpoint.setting('MODEL')}"
    )


# -- the client


@dataclass(slots=True)
class Server:
    """One server under one key: its connection, its only model once that is known, and what was learnt of its models."""

    connection: Connection
    model: str = ""
    learnt: dict[str, Learnt] = field(default_factory=dict[str, Learnt])

    async def chat(self, endpoint: Endpoint) -> ChatModel:
        """Return a model of this server to talk to."""
        model = endpoint.model or self.model or await self._only_model()
        return ChatModel(replace(endpoint, model=model), self.connection, self.learnt.setdefault(model, Learnt()))

    async def _only_model(self) -> str:
        async with await self.connection.asking():
            self.model = self.model or await _only_model(self.connection)
        return self.model


class OpenAIModel:
    """Answers requests, each with the endpoint of its task; without one it is that of `generation`, or any.

    A `transport` carries the requests in place of the network, such as those of `scholarmind.testing.replay`. What it
    connects to, by which proxies and certificates and how often at a time, is then its own affair.
    """

    def __init__(
        self, endpoints: Mapping[Task, Endpoint], *, transport: "httpx2.AsyncBaseTransport | None" = None
    ) -> None:
        if not endpoints:
            raise SettingsError(
                "no language model is set; set SCHOLARMIND_LLM_BASE_URL, or leave models out altogether"
            )
        spare = endpoints.get("generation") or next(iter(endpoints.values()))
        self._endpoints: dict[Task, Endpoint] = {task: endpoints.get(task, spare) for task in TASKS}
        self._servers: dict[tuple[str, str], Server] = {}
        # Where tasks differ in how much they may ask of a server at a time, the most careful one counts
        for endpoint in sorted(self._endpoints.values(), key=lambda endpoint: endpoint.concurrency):
            if _key(endpoint) not in self._servers:
                self._servers[_key(endpoint)] = Server(Connection(endpoint, transport))
        self._names = _Names(self._endpoints, self._servers)

    async def __aenter__(self) -> "OpenAIModel":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    @property
    def names(self) -> Mapping[Task, str]:
        """Which model answers which task; '' until a server was asked for its only one, which shows here from then on."""
        return self._names

    async def settle(self) -> None:
        """Ask each server whose only model is not known yet for its name."""
        for endpoint in self._endpoints.values():
            await self._servers[_key(endpoint)].chat(endpoint)

    async def complete(self, request: Request) -> Reply:
        """Return the whole reply."""
        started = time.monotonic()
        chat = await self._chat(request.task)
        if request.shape is None:
            return _reply(chat, await chat.said(_asked(request)), started)
        from scholarmind.adapters.openai.structured import Ladder  # noqa: PLC0415  (10 ms that plain text does not need)

        ladder = Ladder(chat, request)
        value = await ladder.climb()
        last = ladder.paid[-1].said
        return replace(_reply(chat, Paid(last, ladder.usage, ladder.calls), started), value=value)

    async def stream(self, request: Request) -> AsyncGenerator[str | Reply]:
        """Give pieces of the text as they come, then the whole reply. A typed reply comes in one piece, as only a whole one is sure."""
        if request.shape is not None:
            reply = await self.complete(request)
            yield reply.text
            yield reply
            return
        started = time.monotonic()
        chat = await self._chat(request.task)
        async with aclosing(chat.pieces(_asked(request))) as pieces:
            async for piece in pieces:
                yield _reply(chat, piece, started) if isinstance(piece, Paid) else piece

    async def aclose(self) -> None:
        """Close all connections."""
        for server in self._servers.values():
            await server.connection.aclose()

    async def _chat(self, task: Task) -> ChatModel:
        endpoint = self._endpoints[task]
        return await self._servers[_key(endpoint)].chat(endpoint)


class _Names(Mapping[Task, str]):
    """The models as they are known by now."""

    def __init__(self, endpoints: Mapping[Task, Endpoint], servers: Mapping[tuple[str, str], Server]) -> None:
        self._endpoints = endpoints
        self._servers = servers

    def __getitem__(self, task: Task) -> str:
        endpoint = self._endpoints[task]
        return endpoint.model or self._servers[_key(endpoint)].model

    def __iter__(self) -> Iterator[Task]:
        return iter(self._endpoints)

    def __len__(self) -> int:
        return len(self._endpoints)

    def __repr__(self) -> str:
        return repr(dict(self))


def _key(endpoint: Endpoint) -> tuple[str, str]:
    return endpoint.base_url, endpoint.api_key


def _asked(request: Request) -> ChatRequest:
    return ChatRequest(messages=request.messages, max_tokens=request.max_tokens)


def _reply(chat: ChatModel, paid: Paid, started: float) -> Reply:
    return Reply(
        text=paid.said.text,
        model=chat.endpoint.model,
        usage=paid.usage,
        seconds=time.monotonic() - started,
        finish=paid.said.finish,
        calls=paid.calls,
    )
