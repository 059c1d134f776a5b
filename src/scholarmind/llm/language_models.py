"""Language models for each task, ours and those of other programs."""

import asyncio
import json
import math
import re
import time
import tomllib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from scholarmind.calls import (
    TASKS,
    Estimate,
    LanguageModel,
    Prices,
    PromptMessage,
    Reply,
    Request,
    ResponseCache,
    Task,
    Usage,
)
from scholarmind.errors import ModelError, ModelReplyError, ModelUnavailableError, SettingsError
from scholarmind.llm.prompts import TASK_OF, Prompt, Prompts
from scholarmind.llm.typed_replies import parse, read, schema_of, told_schema
from scholarmind.text.language import lazy_regex

# -- prices

_OURS = Path(__file__).with_name("prices.toml")
_VERSION = re.compile(
    r"[-@:](?:(?:latest|preview|exp)|(?:v?\d{3,8}(?:-\d{2}){0,2})|(?:\d{2}-\d{4}))"
)  # of the same model

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """Prices by model, in one currency, as they were at a date ('' if nobody says)."""

    prices: Prices = field(default_factory=dict[str, tuple[float, float]])
    currency: str = "USD"
    as_of: str = ""


def price_list(own: Path | None = None) -> PriceList:
    """Return our prices with the user's over them; prices in another currency than ours take the place of all of ours."""
    ours = _read(_OURS)
    if own is None:
        return ours
    theirs = _read(own)
    if theirs.currency != ours.currency:
        return theirs
    return PriceList(prices={**ours.prices, **theirs.prices}, currency=ours.currency, as_of=theirs.as_of or ours.as_of)


def price_of(model: str, known: Prices) -> tuple[float, float] | None:
    """Return what a million tokens cost, in and out: of this name, of the name without its date, or of the longest `name*` that fits."""
    name = model.strip().casefold()
    known = {key.casefold(): price for key, price in known.items()}
    for written in (name, name.rpartition("/")[2]):  # a router puts the vendor before it
        if written in known:
            return known[written]
        if dated := [key for key in known if written.startswith(key) and _VERSION.fullmatch(written[len(key) :])]:
            return known[max(dated, key=len)]
    open_ended = [key for key in known if key.endswith("*") and name.startswith(key[:-1])]
    return known[max(open_ended, key=len)] if open_ended else None


def cost(usage: Usage, model: str, known: Prices) -> float | None:
    """Return what so many tokens of a model cost; None if its price is unknown."""
    price = price_of(model, known)
    return price and (usage.prompt * price[0] + usage.completion * price[1]) / _MILLION


def _read(path: Path) -> PriceList:
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"the prices in {str(path)!r} cannot be read: {error}") from error
    if unknown := found.keys() - {"currency", "as_of", "models"}:
        raise SettingsError(f"{str(path)!r} has {min(unknown)!r}; known are currency, as_of and the table [models]")
    models = found.get("models", {})
    if not isinstance(models, Mapping):
        raise SettingsError(f"{str(path)!r}: [models] must be a table of prices by model")
    found_prices = {name: _price(name, value, path) for name, value in cast("Mapping[str, Any]", models).items()}
    return PriceList(prices=found_prices, currency=str(found.get("currency", "USD")), as_of=str(found.get("as_of", "")))


def _price(name: str, value: Any, path: Path) -> tuple[float, float]:
    told = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    money = [told.get("in"), told.get("out")]
    numbers = [float(one) for one in money if isinstance(one, (int, float)) and 0 <= one < _MILLION]
    if len(told) != 2 or len(numbers) != 2:
        raise SettingsError(
            f"{str(path)!r}: the price of {name!r} must be like {{ in = 0.5, out = 2 }}, for a million tokens"
        )
    return numbers[0], numbers[1]


# -- models, with all that belongs to them

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


# -- estimates

_WIDE = lazy_regex(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_OTHER = lazy_regex(r"[^\x00-\x7f]")
_PROMPT = 500  # tokens of a prompt without its passages
PASSAGE = 400  # ... and of one of them
_REPLIES: dict[Prompt, int] = {  # tokens, at most
    "plan": 1_000,
    "translate": 1_000,
    "short": 300,
    "part": 700,
    "answer": 2_000,
    "check": 1_500,
    "concepts": 400,
    "hypothetical": 250,
    "split": 1_000,
    "relevance": 200,
    "route": 200,
    "filter": 400,
    "decide": 200,
    "roadmap": 2_000,
    "own": 500,
    "custom": 1_000,
    "summary": 700,
    "statements": 2_000,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatedCalls:
    """Calls of one kind; as many of them as `levels` wait for one another, and all for those of the work before."""

    prompt: Prompt
    calls: int = 1
    levels: int = 1
    shown: int = 0  # passages in each prompt
    told: int = 0  # tokens of other replies in each prompt
    reply: int = 0  # tokens of each reply at most; 0: what is usual for the prompt

    @property
    def task(self) -> Task:
        """What kind of model is asked."""
        return TASK_OF[self.prompt]

    @property
    def longest(self) -> int:
        """How many tokens each reply has at most."""
        return self.reply or _REPLIES[self.prompt]

    @property
    def usage(self) -> Usage:
        """The tokens of all the calls."""
        prompt = _PROMPT + self.told + self.shown * PASSAGE
        return Usage(self.calls * prompt, self.calls * self.longest, estimated=True)


def estimate(work: Iterable[EstimatedCalls], models: Models) -> Estimate:
    """Return what work comes to that is done one kind after another."""
    done = [each for each in work if each.calls]
    total = sum((each.usage for each in done), Usage())
    costs = [cost(each.usage, models.names.get(each.task, ""), models.prices.prices) for each in done]
    known = [one for one in costs if one is not None]
    return Estimate(
        calls=sum(each.calls for each in done),
        levels=sum(each.levels for each in done),
        prompt_tokens=total.prompt,
        completion_tokens=total.completion,
        cost=math.fsum(known) if len(known) == len(costs) else None,
        currency=models.prices.currency,
    )


def tokens_of(text: str) -> int:
    """Return about how many tokens a text has, rather too many: four letters of English, one sign of Chinese, two of other scripts."""
    wide = len(_WIDE.findall(text))
    other = len(_OTHER.findall(text)) - wide
    return math.ceil((len(text) - wide - other) / 4 + wide + other / 2)


# -- a chat model of another framework as a language model of ours: a function that streams text is all that is asked of it

Say = Callable[
    [Sequence[PromptMessage]], AsyncIterator[str | Usage]
]  # pieces of a reply, and what it took, if that is known
_REPAIRS = 2
_CHARACTERS = 4  # of a token, where nobody counts them


class ForeignModel:
    """Asks by `say`. A shape is told in the prompt, and what does not have it is sent back to be repaired."""

    def __init__(self, say: Say, name: str) -> None:
        self._say = say
        self._name = name

    async def complete(self, request: Request) -> Reply:
        """Return the whole reply."""
        began, usage, wrong, text = time.monotonic(), Usage(), "", ""
        schema = schema_of(request.shape) if request.shape else {}
        messages = told_schema(request.messages, schema) if request.shape else request.messages
        for calls in range(1, 2 + _REPAIRS):
            text, value = "", None
            async with aclosing(self._pieces(messages)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Usage):
                        usage += piece
                    else:
                        text += piece
            try:
                value = read(request.shape, parse(text)) if request.shape else None
            except ValueError as error:
                wrong = str(error)
                told = f"That reply cannot be used: {wrong}. Send only one corrected JSON object: {json.dumps(schema)}"
                messages = (*messages, PromptMessage("assistant", text or "."), PromptMessage("user", told))
                continue
            seconds = time.monotonic() - began
            return Reply(text=text, model=self._name, value=value, usage=usage, seconds=seconds, calls=calls)
        unusable = ModelReplyError(
            f"model {self._name!r} replied {1 + _REPAIRS} times with something that cannot be used for "
            f"{request.purpose!r} ({wrong}; the last reply begins {text[:80]!r}); another model may do better"
        )
        unusable.usage, unusable.calls = usage, 1 + _REPAIRS
        raise unusable

    async def stream(self, request: Request) -> AsyncGenerator[str | Reply]:
        """Give pieces of the text as they come, then the whole reply; a typed one comes in one piece."""
        if request.shape is not None:
            reply = await self.complete(request)
            yield reply.text
            yield reply
            return
        began, usage, text = time.monotonic(), Usage(), ""
        async with aclosing(self._pieces(request.messages)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Usage):
                    usage += piece
                else:
                    text += piece
                    yield piece
        yield Reply(text=text, model=self._name, usage=usage, seconds=time.monotonic() - began)

    async def _pieces(self, messages: Sequence[PromptMessage]) -> AsyncGenerator[str | Usage]:
        """Ask in a task of its own, so that whatever another framework raises can be looked at; it becomes an error of ours."""
        said: asyncio.Queue[str | Usage | None] = asyncio.Queue()
        length = 0

        async def ask() -> None:
            async for piece in self._say(messages):
                said.put_nowait(piece)

        task: asyncio.Task[Any] = asyncio.create_task(ask())
        task.add_done_callback(lambda _: said.put_nowait(None))
        is_counted = False
        try:
            while (piece := await said.get()) is not None:
                is_counted = is_counted or isinstance(piece, Usage)
                length += len(piece) if isinstance(piece, str) else 0
                yield piece
            if task.cancelled() or isinstance(task.exception(), Exception):
                error = None if task.cancelled() else task.exception()
                told = f"{type(error).__name__}: {error}" if error else "it was cancelled"
                raise ModelUnavailableError(
                    f"model {self._name!r} did not reply ({told}); see its framework"
                ) from error
            task.result()
        finally:
            task.cancel()
            await asyncio.wait([task])
        if not is_counted:
            shown = sum(len(message.text) for message in messages)
            yield Usage(shown // _CHARACTERS, length // _CHARACTERS, estimated=True)


def foreign_models(say: Say, name: str) -> Models:
    """Return the models of an Engine or a Library that ask by this function, for every task."""
    return Models(model=ForeignModel(say, name), names=dict.fromkeys(TASKS, name))
