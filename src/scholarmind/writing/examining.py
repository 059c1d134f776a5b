"""What code could not settle, put to a language model in one call: which words of the sources say this? Code decides whether they do."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from scholarmind.answer import Claim, Doubt, Draft
from scholarmind.errors import ContextOverflowError, ModelError
from scholarmind.judge.claims import words_say
from scholarmind.llm.prompts import Assistant, within
from scholarmind.plan import Plan
from scholarmind.text.language import language_of

_MOST = 60  # claims
_LONGEST_CLAIM = 800
_LONGEST_SOURCE = 1_500
_TOKENS, _TOKENS_PER_CLAIM = 100, 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The words of its sources that a model points at for one claim."""

    claim: int
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """The same for several claims."""

    checks: tuple[Check, ...]


class ModelExaminer:
    """Asks for the words that say what is in doubt. Nothing but such words confirms anything, and what is settled stays so."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant

    async def examine(self, plan: Plan, draft: Draft) -> Draft:
        """Return the draft with the same text; what its sources were found to say is confirmed."""
        doubtful = {number: claim for number, claim in enumerate(draft.claims, 1) if claim.doubt}
        shown = dict([*doubtful.items()][:_MOST])
        if not shown:
            return draft
        try:
            words = await self._asked(plan, shown)
        except ModelError as error:
            count = f"{len(doubtful)} sentence{'s' * (len(doubtful) > 1)}"
            return replace(draft, notes=(*draft.notes, f"{count} could not be checked by the model: {error}"))
        return await asyncio.to_thread(_settled, draft, words)

    async def _asked(self, plan: Plan, claims: Mapping[int, Claim]) -> dict[int, str]:
        """Ask; if that is too long for the model, once more for the first half of the claims."""
        try:
            return await self._ask(plan, claims)
        except ContextOverflowError:
            if len(claims) == 1:
                raise
            return await self._ask(plan, {number: claims[number] for number in list(claims)[: len(claims) // 2]})

    async def _ask(self, plan: Plan, claims: Mapping[int, Claim]) -> dict[int, str]:
        marker = self._assistant.marker
        request = self._assistant.request(
            ("check", language_of(plan.question)),
            purpose="check",
            max_tokens=_TOKENS + _TOKENS_PER_CLAIM * len(claims),
            values={
                "claims": "\n\n".join("\n".join(_shown(number, claim, marker)) for number, claim in claims.items())
            },
            shape=Checks,
        )
        reply = await self._assistant.model.complete(request)
        checks: Checks = reply.value
        return {check.claim: check.words for check in checks.checks if check.claim in claims}


def _shown(number: int, claim: Claim, marker: str) -> Iterator[str]:
    """Yield a claim, and of each passage that it cites the part that is nearest to it, below what its document says of itself."""
    yield within(claim.text[:_LONGEST_CLAIM], marker, f"claim {number}")
    doubt = claim.doubt or Doubt(sources=())
    if doubt.about:
        yield within(doubt.about[:_LONGEST_CLAIM], marker, f"documents of {number}")
    for source in doubt.sources:
        yield within(_nearest(source, claim), marker, f"source of {number}")


def _nearest(source: str, claim: Claim) -> str:
    if len(source) <= _LONGEST_SOURCE:
        return source
    places = [source.find(citation.quote) for citation in claim.citations if citation.quote in source]
    middle = places[0] + len(claim.citations[0].quote) // 2 if places else 0
    start = max(0, min(middle - _LONGEST_SOURCE // 2, len(source) - _LONGEST_SOURCE))
    return source[start : start + _LONGEST_SOURCE]


def _settled(draft: Draft, words: Mapping[int, str]) -> Draft:
    claims, answers = list(draft.claims), dict(draft.answers)
    for place, claim in enumerate(draft.claims):
        said = words.get(place + 1, "").strip()
        if claim.doubt and said:
            ruling = words_say(said, claim.text, claim.doubt.sources, claim.doubt.about)
            if ruling not in ("doubtful", "refused"):
                claims[place] = replace(claim, status=ruling, doubt=None)
                answers.setdefault(claim.row, claim.text)
    return replace(draft, claims=tuple(claims), answers=answers)
