"""Replies that are there already are not paid for again: those of a run from its journal, those of earlier runs from a cache.

A memory that fails costs nothing but a note. What it holds is read anew, so that no reply comes back in a shape of yesterday.
"""

import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, MutableSequence
from dataclasses import replace
from typing import Any, Literal, Protocol, cast, get_args

from scholarmind.calls import Finish, LanguageModel, Reply, Request, ResponseCache, Task, Usage
from scholarmind.errors import ScholarMindError
from scholarmind.llm.typed_replies import parse, read
from scholarmind.ports import Journal


class _Memory(Protocol):
    """Where replies are kept."""

    name: Literal["journal", "cache"]

    def address(self, request: Request) -> str: ...
    def keeps(self, reply: Reply) -> bool: ...
    async def get(self, address: str) -> str | None: ...
    async def put(self, address: str, request: Request, value: str) -> None: ...


class _Remembering:
    """A model with a memory."""

    def __init__(self, model: LanguageModel, memory: _Memory, notes: MutableSequence[str] | None) -> None:
        self._model = model
        self._memory = memory
        self._notes = notes

    async def complete(self, request: Request) -> Reply:
        """Return the reply that is remembered, or ask and remember."""
        if (kept := await self._recalled(request)) is not None:
            return kept
        reply = await self._model.complete(request)
        await self._keep(request, reply)
        return reply

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        """Do the same in pieces; what is remembered comes as one."""
        if (kept := await self._recalled(request)) is not None:
            yield kept.text
            yield kept
            return
        pieces = self._model.stream(request)
        try:
            async for piece in pieces:
                if isinstance(piece, Reply):
                    await self._keep(request, piece)
                yield piece
        finally:
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()

    async def _recalled(self, request: Request) -> Reply | None:
        try:
            value = await self._memory.get(self._memory.address(request))
        except ScholarMindError as error:
            self._note(f"the {self._memory.name} of replies could not be read: {error}")
            return None
        reply = _read(value, request) if value is not None else None
        return reply and replace(reply, remembered=self._memory.name)

    async def _keep(self, request: Request, reply: Reply) -> None:
        if not self._memory.keeps(reply):
            return
        try:
            await self._memory.put(self._memory.address(request), request, _written(reply))
        except ScholarMindError as error:
            self._note(f"the {self._memory.name} of replies could not be written: {error}")

    def _note(self, note: str) -> None:
        if self._notes is not None and note not in self._notes:
            self._notes.append(note)


class Journalled(_Remembering):
    """What this run was told once it is told again for nothing, also after a kill. `basis` is all else that replies rest on."""

    def __init__(
        self,
        model: LanguageModel,
        journal: Journal,
        run: str,
        *,
        basis: str,
        names: Mapping[Task, str],
        notes: MutableSequence[str] | None = None,
    ) -> None:
        super().__init__(model, _InJournal(journal, run, basis, names), notes)


class Cached(_Remembering):
    """What any run was told that could see as much (`rights`)."""

    def __init__(
        self,
        model: LanguageModel,
        cache: ResponseCache,
        *,
        rights: str,
        names: Mapping[Task, str],
        notes: MutableSequence[str] | None = None,
    ) -> None:
        super().__init__(model, _InCache(cache, rights, names), notes)


class _InJournal:
    name: Literal["journal", "cache"] = "journal"

    def __init__(self, journal: Journal, run: str, basis: str, names: Mapping[Task, str]) -> None:
        self._journal = journal
        self._run = run
        self._basis = basis
        self._names = names

    def address(self, request: Request) -> str:
        return _address("call", self._basis, self._names.get(request.task, ""), request)

    def keeps(self, reply: Reply) -> bool:
        del reply
        return True  # also half a reply is paid for

    async def get(self, address: str) -> str | None:
        return await self._journal.get(self._run, address)

    async def put(self, address: str, request: Request, value: str) -> None:
        await self._journal.put(self._run, address, request.purpose, value)


class _InCache:
    name: Literal["journal", "cache"] = "cache"

    def __init__(self, cache: ResponseCache, rights: str, names: Mapping[Task, str]) -> None:
        self._cache = cache
        self._rights = rights
        self._names = names

    def address(self, request: Request) -> str:
        return _address("reply", self._rights, self._names.get(request.task, ""), request)

    def keeps(self, reply: Reply) -> bool:
        return reply.finish == "stop" and bool(reply.text.strip())  # another time it may come whole

    async def get(self, address: str) -> str | None:
        return await self._cache.get(address)

    async def put(self, address: str, request: Request, value: str) -> None:
        del request
        await self._cache.put(address, value)


def _address(*parts: str | Request) -> str:
    told = [part.content if isinstance(part, Request) else part for part in parts]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _written(reply: Reply) -> str:
    usage = [reply.usage.prompt, reply.usage.completion, reply.usage.estimated]
    return json.dumps({"text": reply.text, "model": reply.model, "usage": usage, "finish": reply.finish})


def _read(value: str, request: Request) -> Reply | None:
    """Return what was written, with its value in the shape that is wanted today; None if that cannot be done."""
    try:
        kept: dict[str, Any] = json.loads(value)
        text, model, finish = kept["text"], kept["model"], kept["finish"]
        prompt, completion, estimated = kept["usage"]
        if not isinstance(text, str) or finish not in get_args(Finish):
            return None
        typed = read(request.shape, parse(text)) if request.shape else None
        usage = Usage(int(prompt), int(completion), bool(estimated))
    except (ValueError, TypeError, KeyError):
        return None
    return Reply(text=text, model=str(model), value=typed, usage=usage, finish=cast("Finish", finish), calls=0)
