"""A second opinion, by a language model, on whether claims are supported. Code has the first word, and the last on numbers and names."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scholarmind.answer import Claim, Draft, Support
from scholarmind.errors import ContextOverflowError, ModelError
from scholarmind.llm.assistant import Assistant
from scholarmind.llm.fences import within
from scholarmind.plan import Plan
from scholarmind.text.language import language_of
from scholarmind.writing.check import contradicted

_SHOWN = 60  # claims
_LONGEST_CLAIM = 800
_LONGEST_QUOTE = 1_500
_TOKENS, _TOKENS_PER_CLAIM = 100, 40
_TOLD = 100  # characters of a claim and of a reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What a model thinks of one claim."""

    claim: int
    support: Literal["supported", "partly", "not"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinions:
    """What a model thinks of several claims."""

    opinions: tuple[Opinion, ...]


class ModelExaminer:
    """Doubts paraphrases, and vouches for what code could not confirm and cannot contradict. What is verified stays so."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant

    async def examine(self, plan: Plan, draft: Draft) -> Draft:
        """Return the draft with the same text, its claims judged anew; notes tell which and why."""
        open_to_doubt = [place for place, claim in enumerate(draft.claims) if _is_open(claim)][:_SHOWN]
        if not open_to_doubt:
            return draft
        try:
            opinions = await self._asked_for(plan, {place + 1: draft.claims[place] for place in open_to_doubt})
        except ModelError as error:
            return replace(draft, notes=(*draft.notes, f"no second opinion: {error}"))
        return await asyncio.to_thread(_weighed, draft, opinions)

    async def _asked_for(self, plan: Plan, claims: Mapping[int, Claim]) -> dict[int, Opinion]:
        """Ask; if that is too long for the model, once more for the first half of the claims."""
        try:
            return await self._ask(plan, claims)
        except ContextOverflowError:
            if len(claims) == 1:
                raise
            return await self._ask(plan, {number: claims[number] for number in list(claims)[: len(claims) // 2]})

    async def _ask(self, plan: Plan, claims: Mapping[int, Claim]) -> dict[int, Opinion]:
        marker = self._assistant.marker
        request = self._assistant.request(
            ("opinion", language_of(plan.question)),
            purpose="opinion",
            max_tokens=_TOKENS + _TOKENS_PER_CLAIM * len(claims),
            values={"claims": "\n\n".join(_shown(number, claim, marker) for number, claim in claims.items())},
            shape=Opinions,
        )
        reply = await self._assistant.model.complete(request)
        opinions: Opinions = reply.value
        return {opinion.claim: opinion for opinion in opinions.opinions if opinion.claim in claims}


def _is_open(claim: Claim) -> bool:
    """Tell whether an opinion could change anything: a claim that cites nothing has nothing to be held against."""
    return claim.status != "verified" and not claim.counted and bool(_quotes(claim))


def _quotes(claim: Claim) -> list[str]:
    return list(dict.fromkeys(citation.quote for citation in claim.citations if citation.quote.strip()))


def _shown(number: int, claim: Claim, marker: str) -> str:
    quotes = (within(quote[:_LONGEST_QUOTE], marker, f"quote for {number}") for quote in _quotes(claim))
    return "\n".join((within(claim.text[:_LONGEST_CLAIM], marker, f"claim {number}"), *quotes))


def _weighed(draft: Draft, opinions: Mapping[int, Opinion]) -> Draft:
    claims, notes = list(draft.claims), list(draft.notes)
    for place, before in enumerate(draft.claims):
        if opinion := opinions.get(place + 1):
            claims[place] = replace(before, status=_judged(before, opinion))
            notes += _told(before, claims[place], opinion)
    return replace(draft, claims=tuple(claims), notes=tuple(notes))


def _judged(claim: Claim, opinion: Opinion) -> Support:
    if opinion.support == "not":
        return "unsupported"
    if opinion.support == "supported" and not contradicted(claim.text, _quotes(claim)):
        return "paraphrase"
    return claim.status


def _told(before: Claim, after: Claim, opinion: Opinion) -> Sequence[str]:
    """Return a note on a claim that is judged in another way now, or of which only a part is supported."""
    if before.status != after.status:
        verdict = (
            "is not supported" if after.status == "unsupported" else "is supported, which words alone did not show"
        )
    elif opinion.support == "partly":
        verdict = "is supported in part"
    else:
        return ()
    reason = f": {_brief(opinion.reason)}" if opinion.reason.strip() else ""
    return (f"second opinion: “{_brief(before.text)}” {verdict}{reason}",)


def _brief(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _TOLD else plain[:_TOLD] + " …"
