"""Tries out a language model, one ability after the other, and tells in one line each what works and how to mend what does not."""

import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from scholarmind.adapters.openai.chat_completions import ChatModel, ChatRequest, Paid
from scholarmind.adapters.openai.client import Server, list_models
from scholarmind.adapters.openai.connection import Connection
from scholarmind.adapters.openai.endpoint import Endpoint
from scholarmind.adapters.openai.refusals import RefusedError
from scholarmind.adapters.openai.structured import RUNGS, Ladder
from scholarmind.calls import PromptMessage, Request
from scholarmind.errors import ModelError
from scholarmind.model import Check

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
