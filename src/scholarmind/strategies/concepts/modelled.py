"""Ask a language model for the concepts of a question; what it said is remembered for whoever asks the same again."""

import asyncio
import hashlib
import json
from dataclasses import dataclass

from scholarmind.calls import ResponseCache
from scholarmind.errors import ModelError, ScholarMindError
from scholarmind.llm.prompts import Assistant, within
from scholarmind.planning.plan_reply import plain
from scholarmind.steps.journal import decode, encode
from scholarmind.text.language import language_of

_MOST_TOKENS = 400  # of the reply
_LONGEST = 200  # characters of a concept, of the reason, or of an error


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptReply:
    """What a model is asked to reply."""

    reason: str = ""
    concepts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The concepts of a question, and why it is about these."""

    concepts: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Unnamed:
    """Why no concepts came."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Namer:
    """Names concepts with one call, unless the same question was asked before. `rests_on` is what the reply depends on beside it."""

    assistant: Assistant
    memory: ResponseCache
    most: int
    seconds: float
    rests_on: tuple[str, ...] = ()

    async def name(self, question: str) -> Named | Unnamed:
        """Return the concepts, or why there are none: then the question is searched for as it stands."""
        address = self._address(question)
        if kept := await self._recalled(address):
            return kept
        try:
            async with asyncio.timeout(self.seconds):
                reply = await self._asked(question)
        except TimeoutError:
            return _without(f"no concepts came from the model within {self.seconds:g} s")
        except ModelError as error:
            return _without(" ".join(str(error).split())[:_LONGEST] or type(error).__name__)
        if not isinstance(reply, ConceptReply):
            return _without("the model's reply named no concepts")
        marker = self.assistant.marker
        concepts = (plain(concept, marker)[:_LONGEST] for concept in reply.concepts)
        named = Named(concepts=tuple(filter(None, concepts)), reason=plain(reply.reason, marker)[:_LONGEST])
        await self._remember(address, named)
        return named

    async def _asked(self, question: str) -> object:
        request = self.assistant.request(
            ("concepts", _language(question)),
            purpose="concepts",
            max_tokens=_MOST_TOKENS,
            shape=ConceptReply,
            values={"most": str(self.most), "question": within(question, self.assistant.marker, "question")},
        )
        return (await self.assistant.model.complete(request)).value

    def _address(self, question: str) -> str:
        prompt = self.assistant.prompts.filled("concepts", _language(question), marker="", most="", question="")
        content = ["concepts", question.strip().lower(), self.most, prompt.version, *self.rests_on]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    async def _recalled(self, address: str) -> Named | None:
        """Return what was named before; a memory that fails costs a call and nothing else."""
        try:
            kept = await self.memory.get(address)
        except ScholarMindError:
            return None
        return decode(Named, kept) if kept else None

    async def _remember(self, address: str, named: Named) -> None:
        try:
            await self.memory.put(address, encode(named))
        except ScholarMindError:
            return  # the next question asks again


def _without(why: str) -> Unnamed:
    return Unnamed(f"the question was searched for as it stands: {why}")


def _language(question: str) -> str:
    return "zh" if language_of(question) == "zh" else "en"
