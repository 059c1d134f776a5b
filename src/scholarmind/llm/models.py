"""The language models that an engine may ask, with all that belongs to them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from scholarmind.calls import LanguageModel, ResponseCache, Task
from scholarmind.errors import ModelError
from scholarmind.llm.prices import PriceList
from scholarmind.llm.prompts import Prompts

_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """`model` answers the requests of every task; `names` says which model answers which, for prices and for journals."""

    model: LanguageModel
    names: Mapping[Task, str] = field(default_factory=dict[Task, str])
    prompts: Prompts = field(default_factory=Prompts)
    prices: PriceList = field(default_factory=PriceList)
    cache: ResponseCache | None = None
    rights: str = ""  # who asks may see this much: part of every address in the cache
    settle: Callable[[], Awaitable[None]] | None = (
        None  # finds out the names that are not known before a server is asked
    )
    closers: tuple[Callable[[], Awaitable[None]], ...] = ()

    async def named(self, seconds: float = _SECONDS) -> None:
        """Find out the names, since what was asked before is looked up by them. A server that does not say will not answer either."""
        if self.settle is not None and not all(self.names.values()):
            with suppress(ModelError, TimeoutError):
                async with asyncio.timeout(min(_SECONDS, seconds)):
                    await self.settle()

    async def close(self) -> None:
        """Let go of every connection and file."""
        for close in self.closers:
            await close()
