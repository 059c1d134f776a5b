"""A call to a language model: what is asked, what comes back, what it costs, and how much of that may be spent."""

import hashlib
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Task = Literal["routing", "extraction", "generation"]
Effort = Literal["keyless", "fast", "standard", "deep"]
Finish = Literal["stop", "length", "filter", "cut"]  # cut: we had read enough and closed the connection
TASKS: tuple[Task, ...] = ("routing", "extraction", "generation")


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of a call."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a model is asked. With a `shape` (a dataclass) the reply is JSON of that shape; without one it is text."""

    purpose: str  # "plan", "part 2", "answer", "check": what people are shown
    task: Task
    messages: tuple[PromptMessage, ...]
    shape: type[Any] | None = None
    max_tokens: int = 1_000
    part: int | None = None
    prompt: str = ""  # name and version of the prompt
    marker: str = ""  # the random word that fences documents in the messages

    @property
    def content(self) -> str:
        """The address of all that the reply depends on, which the random marker is no part of."""
        texts = [(message.role, message.text) for message in self.messages]
        if self.marker:
            texts = [(role, text.replace(self.marker, "\ufffc")) for role, text in texts]
        shape = self.shape.__qualname__ if self.shape else ""
        told = json.dumps([self.task, texts, shape, self.max_tokens, self.prompt], ensure_ascii=False)
        return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that went in and came out; estimated where the server does not say."""

    prompt: int = 0
    completion: int = 0
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.prompt + other.prompt, self.completion + other.completion, self.estimated or other.estimated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back: its text, and where a shape was asked for, the value of that shape."""

    text: str
    model: str
    value: Any = None
    usage: Usage = Usage()
    seconds: float = 0.0
    finish: Finish = "stop"
    calls: int = 1  # requests that were answered and are paid for: repairs count
    remembered: Literal["", "journal", "cache"] = ""  # nothing was asked, nothing is paid


class LanguageModel(Protocol):
    """Answers requests. What it cannot answer is a ModelError. A stream yields pieces of text, then the whole Reply."""

    async def complete(self, request: Request) -> Reply: ...
    def stream(self, request: Request) -> AsyncIterator[str | Reply]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCost:
    """What one call cost. A cost of None is unknown: no price is known for the model."""

    purpose: str
    task: Task
    model: str
    part: int | None = None
    prompt: str = ""
    usage: Usage = Usage()
    calls: int = 1
    cost: float | None = None
    seconds: float = 0.0
    remembered: Literal["", "journal", "cache"] = ""
    error: str = ""  # why it brought nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much may be spent on one question; None sets no limit. Seconds are those of the whole run (`run_seconds`)."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """About what a plan will cost, told before it is carried out: rather more than less, without repairs and further rounds."""

    calls: int
    levels: int  # calls that wait for one another
    prompt_tokens: int
    completion_tokens: int
    cost: float | None = None
    currency: str = "USD"


class ResponseCache(Protocol):
    """Keeps replies across runs, by an address made of all that they depend on and of the rights of who asks."""

    async def get(self, address: str) -> str | None: ...
    async def put(self, address: str, value: str) -> None: ...


Prices = Mapping[str, tuple[float, float]]  # by model: money for a million tokens in, and out
