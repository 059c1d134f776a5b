"""Take a composite question apart into sub-questions that are searched side by side: by one call to a model, or by rules."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scholarmind.answer import Finding
from scholarmind.calls import Request
from scholarmind.errors import ModelError, ModelReplyError
from scholarmind.llm.prompts import Assistant, filled_in, within
from scholarmind.plan import Plan, SubQuestion, is_open
from scholarmind.planning.plan_reply import plain
from scholarmind.planning.rule_planner import RulePlanner, direct
from scholarmind.ports import Look, Planner
from scholarmind.steps.execute import resolved
from scholarmind.steps.options import Scored
from scholarmind.text.language import language_of

_REPLY_TOKENS = 1_000
_LONGEST_ERROR = 200
_LONGEST_TEXT = 2_000  # characters of a sub-question
_REPLY = '{"sub_questions": ["...", "..."]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """What a model replies."""

    sub_questions: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPlanner:
    """Plans parts that wait for nothing. Whether a question is composite is for the usual planner to say."""

    usual: Planner
    scored: Scored
    assistant: Assistant | None = None
    decompose: bool = True
    seconds: float = 8.0

    def talk(self, question: str) -> str:
        """Return a reply to what is no question, or ''."""
        return self.usual.talk(question)

    async def plan(self, question: str, look: Look) -> Plan:
        """Return the sub-questions of a composite question; of a simple one, the question."""
        started = time.perf_counter()
        if not self.decompose or self.scored.max_decomposition_count == 1:
            return replace(direct(question, "taking apart is switched off", "setting"), strategy="scored")
        usual = await self.usual.plan(question, look)
        if usual.complexity == "simple":
            return replace(usual, parts=direct(question, "", "").parts, strategy="scored")
        ruled = RulePlanner(cap=self.scored.max_decomposition_count, depth=1).plan(question, look.names)
        plan = replace(usual, parts=_numbered(_side_by_side(ruled), question), strategy="scored")
        if self.assistant is not None:
            plan = await self._by_model(plan, self.assistant)
        return replace(plan, milliseconds=round((time.perf_counter() - started) * 1000, 3))

    async def _by_model(self, plan: Plan, assistant: Assistant) -> Plan:
        """Return the model's sub-questions in place of those of the rules, if it has any."""
        try:
            async with asyncio.timeout(self.seconds):
                count, split = await self._asked(plan, assistant)
        except TimeoutError:
            return _by_rules(plan, f"no sub-questions came from the model within {self.seconds:g} s")
        except ModelError as error:
            return _by_rules(plan, " ".join(str(error).split())[:_LONGEST_ERROR] or type(error).__name__)
        told = (plain(text, assistant.marker)[:_LONGEST_TEXT] for text in split.sub_questions)
        kept = _different(text for text in told if not is_open(text) or is_open(plan.question))  # they wait for nothing
        kept = kept[: self.scored.max_decomposition_count]
        reason = plain(split.reason, assistant.marker)[:_LONGEST_ERROR] or plan.reason
        as_asked = len(kept) == len(split.sub_questions) == count
        notes = plan.notes if as_asked else (*plan.notes, _miscounted(count, split, kept))
        return replace(plan, parts=_numbered(kept, plan.question), reason=reason, decided_by="model", notes=notes)

    async def _asked(self, plan: Plan, assistant: Assistant) -> tuple[int, Split]:
        """Return how many were asked for, and the reply: as many as the rules see, or where they see one thing, as its steps."""
        ruled = len(plan.parts)
        count = min(self.scored.max_decomposition_count, ruled if ruled > 1 else max(2, plan.steps))
        reply = await assistant.model.complete(self._request(plan.question, count, assistant))
        if not isinstance(reply.value, Split):
            raise ModelReplyError("the model's reply holds no sub-questions")
        return count, reply.value

    def _request(self, question: str, count: int, assistant: Assistant) -> Request:
        own, language = self.scored.decomposition_prompt, language_of(question)
        if own:
            task = filled_in(own, original_query=question, max_count=str(count))
            values = {"task": task, "reply": _REPLY}
        else:
            told = within(question, assistant.marker, "question")
            values = {"original_query": told, "max_count": str(count)}
        return assistant.request(
            ("custom" if own else "split", language),
            purpose="plan",
            max_tokens=_REPLY_TOKENS,
            values=values,
            shape=Split,
        )


def _side_by_side(plan: Plan) -> list[str]:
    """Return what is to be looked up; in place of an answer that a part would wait for stands what was asked."""
    told: dict[int, Finding] = {}
    for part in plan.parts:
        given = {number: told[number] for number in part.depends_on if number in told}
        told[part.id] = Finding(part=part, question=resolved(part, given))
    return [told[part.id].question for part in plan.parts if part.role == "find"]


def _different(texts: Iterable[str]) -> list[str]:
    """Return each text once, in whatever case it stands."""
    kept: dict[str, str] = {}
    for text in texts:
        if text:
            kept.setdefault(text.casefold(), text)
    return list(kept.values())


def _numbered(texts: Sequence[str], question: str) -> tuple[SubQuestion, ...]:
    """Return the parts; of one text alone, the question as it stands."""
    texts = texts if len(texts) > 1 else [question.strip() or "?"]
    return tuple(SubQuestion(id=number, text=text) for number, text in enumerate(texts, 1))


def _by_rules(plan: Plan, why: str) -> Plan:
    return replace(plan, notes=(*plan.notes, f"the sub-questions were made by rules: {why}"))


def _miscounted(count: int, split: Split, kept: Sequence[str]) -> str:
    gave = len(split.sub_questions)
    return f"the model was asked for {count} sub-questions and gave {gave}, of which {len(kept)} can be used"
