"""Models on any servers that speak OpenAI's protocol: one for each task, vectors, and a probe of what a server can do.

What names the same server shares it. Where no model is named, the server is asked for the only one that it offers.
"""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from scholarmind.adapters.openai.chat_completions import ChatModel, ChatRequest, Learnt, Paid
from scholarmind.adapters.openai.connection import Connection, Endpoint, Patience, RefusedError
from scholarmind.calls import TASKS, PromptMessage, Reply, Request, Task
from scholarmind.errors import ContextOverflowError, ModelError, ModelUnavailableError, SettingsError
from scholarmind.model import Check
from scholarmind.ports import Embeddings

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


# -- vectors from any server that speaks OpenAI's `/embeddings`: batches, retries, and errors that name the setting to mend

_MOST_BYTES = 500_000_000  # 2,048 texts with 4,096 numbers each are 200 MB of JSON


class OpenAIEmbedder:
    """One model on one server. The server's tokenizer is unknown, so no text counts as unknown to it."""

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str = "",
        batch: int = 64,
        timeout: float = 60.0,
        patience: Patience | None = None,
    ) -> None:
        self.fingerprint = f"openai/{model}"
        self._model = model
        self._batch = batch
        self._endpoint = Endpoint(
            base_url=base_url,
            model=model,
            api_key=api_key,
            patience=patience
            or Patience(connect=timeout, read=timeout, total=5 * timeout, setting="SCHOLARMIND_EMBEDDING_TIMEOUT"),
            settings="SCHOLARMIND_EMBEDDING",
        )
        self._url = self._endpoint.server

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a unit vector for each text."""
        import numpy as np  # noqa: PLC0415

        vectors: list[list[float]] = []
        async with Connection(self._endpoint) as connection:
            for start in range(0, len(texts), self._batch):
                batch = [text or " " for text in texts[start : start + self._batch]]
                vectors += self._read(await self._ask(connection, batch), len(batch))
        matrix = np.array(vectors, np.float32).reshape(len(vectors), -1)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not np.isfinite(matrix).all() or not lengths.all():
            raise ModelError(
                f"{self._url} gave a vector that is zero or not finite; model {self._model!r} cannot be used"
            )
        return Embeddings(vectors=matrix / lengths, unknown=[0.0] * len(texts))

    async def _ask(self, connection: Connection, batch: list[str]) -> Any:
        body = {"model": self._model, "input": batch, "encoding_format": "float"}
        try:
            return await connection.ask("embeddings", body, most=_MOST_BYTES)
        except ContextOverflowError as error:
            raise ModelUnavailableError(
                f"{error}; try a smaller SCHOLARMIND_EMBEDDING_BATCH or SCHOLARMIND_PASSAGE_TOKENS"
            ) from error
        except RefusedError as error:
            if error.status == 200:  # a web page: nobody should go on without vectors because the address is wrong
                raise ModelError(f"{error}; is it an embeddings endpoint?") from error
            if error.status in {400, 422}:
                raise ModelUnavailableError(f"{error} and SCHOLARMIND_EMBEDDING_BATCH") from error
            raise

    def _read(self, answer: Any, count: int) -> list[list[float]]:
        try:
            rows = sorted(answer["data"], key=lambda row: row["index"])
            vectors = [[float(number) for number in row["embedding"]] for row in rows]
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"{self._url} answered without the vectors that were asked for ({error!r}); is it an embeddings endpoint?"
            ) from error
        if len(vectors) != count or len({len(vector) for vector in vectors}) > 1:
            raise ModelError(
                f"{self._url} gave {len(vectors)} vectors of mixed or wrong number for {count} texts; try SCHOLARMIND_EMBEDDING_BATCH=1"
            )
        return vectors


# -- tries out a language model, one ability after the other, and tells in one line each what works and how to mend what does not

_TRIES = 2  # somebody waits for the result
_MOST_TOKENS = 200
_SAY = ChatRequest(messages=(PromptMessage("user", "Reply with the single word: ready"),), max_tokens=_MOST_TOKENS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Capital:
    """What a model is asked to see whether it keeps to a shape."""

    country: str
    city: str


async def probe(endpoint: Endpoint, *, embedding_model: str = "") -> list[Check]:
    """Return what was found out. Where one ability fails, those that need it are not tried."""
    endpoint = replace(endpoint, patience=replace(endpoint.patience, tries=_TRIES))
    async with Connection(endpoint) as connection:
        return await _Probe(endpoint, Server(connection), embedding_model).run()


@dataclass(slots=True)
class _Probe:
    endpoint: Endpoint
    server: Server
    embedding_model: str
    checks: list[Check] = field(default_factory=list[Check])
    listed: list[str] = field(default_factory=list[str])

    async def run(self) -> list[Check]:
        if await self._check("server", self._reach) and await self._check("chat", self._chat):
            await self._check("typed replies", self._typed)
            await self._check("streaming", self._stream)
            await self._check("embeddings", self._embed)
        return self.checks

    async def _check(self, name: str, look: Callable[[], Awaitable[str]]) -> bool:
        try:
            self.checks.append(Check(name=name, ok=True, seen=await look()))
        except ModelError as error:
            seen, _, mend = str(error).rpartition("; ")
            self.checks.append(Check(name=name, ok=False, seen=seen or mend, mend=mend if seen else ""))
        return self.checks[-1].ok

    async def _reach(self) -> str:
        where = f"{self.endpoint.server} answers"
        try:
            self.listed = await list_models(self.server.connection)
        except RefusedError as error:
            if error.status in {400, 401, 403}:
                raise
            return f"{where}, but lists no models ({error.status})"  # Azure's deployments do not
        shown = ", ".join(self.listed[:3]) + (", ..." if len(self.listed) > 3 else "")
        return f"{where} and lists {len(self.listed)} models ({shown})"

    async def _model(self) -> ChatModel:
        return await self.server.chat(self.endpoint)

    async def _chat(self) -> str:
        started, chat = time.monotonic(), await self._model()
        paid = await chat.said(_SAY)
        seconds = f"{time.monotonic() - started:.1f} s"
        note = (
            "" if self.endpoint.model in {"", *self.listed} or not self.listed else ", which the server does not list"
        )
        told = "" if paid.said.usage else "; it does not tell the tokens, so they are estimated"
        return f"{chat.endpoint.model!r}{note} said {paid.said.text.strip()[:40]!r} in {seconds}{told}"

    async def _typed(self) -> str:
        from scholarmind.adapters.openai.structured import RUNGS, Ladder  # noqa: PLC0415

        request = Request(
            purpose="typed replies",
            task="extraction",
            messages=(
                PromptMessage("user", "Which city is the capital of France? Reply in JSON with country and city."),
            ),
            shape=Capital,
            max_tokens=_MOST_TOKENS,
        )
        ladder = Ladder(await self._model(), request)
        value: Any = await ladder.climb()
        repaired = f", after {len(ladder.paid) - 1} repairs" if len(ladder.paid) > 1 else ""
        return f"by {RUNGS[ladder.chat.learnt.rung]}{repaired}: {value.city!r}"

    async def _stream(self) -> str:
        chat, pieces, usage = await self._model(), 0, False
        async with aclosing(chat.pieces(_SAY)) as found:
            async for piece in found:
                pieces += isinstance(piece, str)
                usage = isinstance(piece, Paid) and piece.said.usage is not None
        told = "the tokens at its end" if usage else "no tokens, so they are estimated"
        return f"{pieces} pieces, {told}" if chat.learnt.streams else "not streamed: the reply comes whole"

    async def _embed(self) -> str:
        model = self.embedding_model or next((name for name in self.listed if "embed" in name.lower()), "")
        if not model:
            return "none is listed; embedder = 'minilm' needs no server"
        answer: Any = await self.server.connection.ask("embeddings", {"model": model, "input": ["ready"]})
        try:
            return f"{model!r} gives vectors of {len(answer['data'][0]['embedding'])} numbers"
        except (KeyError, IndexError, TypeError) as error:
            raise ModelError(f"{model!r} gives no vectors ({str(answer)[:80]!r}); use embedder = 'minilm'") from error
