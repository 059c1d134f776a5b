"""The planner that asks a language model, once. The rule plan is made before, and is the plan wherever the model's is none.

The model is shown the best passages of the first look; in a conversation it may also say the question so that it stands alone.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scholarmind.calls import Reply
from scholarmind.errors import ContextOverflowError, ModelError
from scholarmind.llm.prompts import Assistant, fenced, within
from scholarmind.model import Evidence, Name
from scholarmind.plan import Plan
from scholarmind.planning.coverage import lost_words
from scholarmind.planning.plan_checks import other_language, points_back
from scholarmind.planning.plan_mending import PlanContext, mended
from scholarmind.planning.plan_reply import PlanReply, plain
from scholarmind.planning.question_gate import SecondLook, is_sure, second_look
from scholarmind.planning.rule_planner import direct, how_many
from scholarmind.ports import Look, Planner
from scholarmind.text.analysis import spans, terms
from scholarmind.text.language import language_of

# -- passages for the model: the best, long ones around the words of the question

MOST_SHOWN = 6  # passages
WINDOW = 400  # characters of each
_READ = 4_000  # characters of a passage that are searched for the window
_SLACK = 100  # a passage that is hardly longer is shown whole


def _snippets(question: str, look: Look, most: int = MOST_SHOWN) -> list[Evidence]:
    """Return the best passages of the look, each cut down to where it has most of the question's words."""
    wanted = {term: look.rarity.get(term, 1.0) for term in terms(question)}
    return [_cut_to_window(found, wanted) for found in look.evidence[:most]]


def _cut_to_window(found: Evidence, wanted: dict[str, float]) -> Evidence:
    text = found.passage.text
    if len(text) <= WINDOW + _SLACK:
        return found
    start = _best_start(text[:_READ], wanted)
    end = min(len(text), start + WINDOW)
    while start and not text[start - 1].isspace() and text[start].isascii() and start > end - WINDOW - _SLACK:
        start -= 1
    while end < len(text) and not text[end].isspace() and text[end].isascii() and end < start + WINDOW + _SLACK:
        end += 1
    body = f"{'… ' if start else ''}{text[start:end].strip()}{' …' if end < len(text) else ''}"
    return replace(found, passage=replace(found.passage, text=body))


def _best_start(text: str, wanted: dict[str, float]) -> int:
    """Return where a window begins that holds the words of most worth; of equals, the first."""
    hits = [(start, end, shared) for start, end, held in spans(text) if (shared := held & wanted.keys())]
    best, best_worth = 0, 0.0
    for start, _, _ in hits:
        held = {
            term for begin, end, shared in hits if start <= begin and end <= start + WINDOW * 3 // 4 for term in shared
        }
        worth = sum(wanted[term] for term in held)
        if worth > best_worth:
            best, best_worth = start, worth
    return max(0, best - WINDOW // 4)


# -- whether the question that a model made of a follow-up may take its place

_LONGEST_STANDALONE = 1_000  # characters, or twice what was given


def _stands_alone(standalone: str, known: PlanContext, typed: str) -> str:
    """Return the model's stand-alone question if it differs from the one given and is to be used, or ''.

    It must keep every word of what was typed, and may add only what the conversation has said.
    """
    became = plain(standalone, known.marker)
    if not became or became == plain(known.question) or len(became) > max(_LONGEST_STANDALONE, 2 * len(known.question)):
        return ""
    if other_language(became, typed or known.question) or points_back(became):
        return ""
    if lost_words(typed or known.question, [became]) or known.grounds().guesses(became):
        return ""
    return became


# -- the planner

_MOST_TOKENS = 1_000  # of the reply
_COVERED_LITTLE = (
    0.5  # of the worth of a question's words, by the best passage: below this the library does not speak of it
)

_LONGEST_OWN = 4_000  # characters of an answer from the model's own knowledge
_LONGEST_ERROR = 200
_NO_PLAN = "the model's reply was none of a plan"
_TURNS = 6  # of a conversation that are shown
_LONGEST_TURN = 600  # characters of each of their answers


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlanner:
    """Takes a question apart with one call to a model, unless rules and the first look are sure of the plan.

    `earlier` are the questions and short answers of the conversation so far; `typed` is the follow-up as it was typed, where
    rules have made the question of it.
    """

    rules: Planner
    assistant: Assistant
    seconds: float = 20.0
    cap: int = 5
    earlier: Sequence[tuple[str, str]] = ()
    typed: str = ""

    def talk(self, question: str) -> str:
        """Return a reply to what is no question, or '': rules tell."""
        return self.rules.talk(question)

    async def plan(self, question: str, look: Look) -> Plan:
        """Return the plan of a question whose first look is known."""
        started = time.perf_counter()
        ruled = await self.rules.plan(question, look)
        second = second_look(question, look.names, look.evidence, look.rarity)
        if not self.earlier and is_sure(ruled, second):
            return ruled
        # 1. One call, within its time, that asks for no more parts than there can be
        most = (
            self.cap if self.earlier else min(self.cap, max(len(ruled.parts), how_many(question, look.names, second)))
        )
        replied = await self._replied(question, look, most, started)
        if isinstance(replied, str):
            plan = _by_rules(ruled, replied)
        else:
            # 2. What came back, as far as it can be used
            plan = await self._read(replied[0], self._known(question, look, ruled, replied[1]), second)
        return replace(plan, milliseconds=round((time.perf_counter() - started) * 1000, 3))

    @property
    def _said(self) -> tuple[str, ...]:
        return (*(text for turn in self.earlier for text in turn), self.typed)

    def _known(self, question: str, look: Look, ruled: Plan, shown: Mapping[str, Evidence]) -> PlanContext:
        marker = self.assistant.marker
        return PlanContext(
            question=question, look=look, ruled=ruled, shown=shown, said=self._said, cap=self.cap, marker=marker
        )

    async def _replied(
        self, question: str, look: Look, most: int, started: float
    ) -> tuple[Reply, Mapping[str, Evidence]] | str:
        """Return the reply and the passages that were shown, or why there is none in what is left of the time."""
        try:
            async with asyncio.timeout(max(0.0, self.seconds - (time.perf_counter() - started))):
                return await self._asked(question, look, most)
        except TimeoutError:
            return f"no plan came from the model within {self.seconds:g} s"
        except ModelError as error:
            return " ".join(str(error).split())[:_LONGEST_ERROR] or type(error).__name__

    async def _asked(self, question: str, look: Look, cap: int) -> tuple[Reply, Mapping[str, Evidence]]:
        """Return the reply and the passages that were shown; once more with half of them if they were too much."""
        found = _snippets(question, look)
        try:
            return await self._call(question, found, cap)
        except ContextOverflowError:
            if len(found) < 2:
                raise
            return await self._call(question, found[: len(found) // 2], cap)

    async def _call(self, question: str, found: Sequence[Evidence], cap: int) -> tuple[Reply, Mapping[str, Evidence]]:
        marker = self.assistant.marker
        language = "zh" if language_of(question) == "zh" else "en"
        nothing = "（无）" if language == "zh" else "(none)"
        passages = fenced(found, marker, longest=2 * WINDOW)
        request = self.assistant.request(
            ("plan", language),
            purpose="plan",
            max_tokens=_MOST_TOKENS,
            shape=PlanReply,
            values={
                "cap": str(cap),
                "passages": passages.text or nothing,
                "conversation": within(self._conversation(), marker, "conversation") if self.earlier else nothing,
                "question": within(question, marker, "question"),
            },
        )
        return await self.assistant.model.complete(request), passages.passages

    def _conversation(self) -> str:
        turns = [f"Q: {question}\nA: {answer[:_LONGEST_TURN]}" for question, answer in self.earlier[-_TURNS:]]
        return "\n".join([*turns, *([f"Q: {self.typed}"] if self.typed else [])])

    async def _read(self, reply: Reply, known: PlanContext, second: SecondLook) -> Plan:
        """Return the plan that a reply makes: its own knowledge, its parts mended, or that of the rules."""
        value = reply.value
        if not isinstance(value, PlanReply):
            return _by_rules(known.ruled, _NO_PLAN)
        knows = bool(value.own_answer.strip()) and not value.parts
        if knows and (own := self._own_knowledge(value, known, second)):
            return own
        if self.earlier and (became := _stands_alone(value.standalone, known, self.typed)):
            known = await self._for(became, known)
        if knows:
            return _by_rules(known.ruled, "the model would have answered from its own knowledge")
        plan = mended(value, known)
        return _by_rules(known.ruled, plan) if isinstance(plan, str) else plan

    def _own_knowledge(self, reply: PlanReply, known: PlanContext, second: SecondLook) -> Plan | None:
        """Return the model's own answer as a plan, where the library has no word against that."""
        answer = reply.own_answer.strip()[:_LONGEST_OWN]
        speaks = bool(known.look.names) or second.best >= _COVERED_LITTLE
        if speaks or not plain(answer, known.marker) or other_language(answer, known.question):
            return None
        plan = direct(known.question, "needs no documents", "model")
        return replace(plan, retrieval=False, own_answer=answer.replace(known.marker, " "))

    async def _for(self, question: str, known: PlanContext) -> PlanContext:
        """Return what is known of a follow-up once the model has made it stand alone, with the rules' plan of it."""
        names = _names_within(question, known.look)
        ruled = await self.rules.plan(question, Look(names=names))
        look = replace(known.look, names=names)
        return replace(known, question=question, look=look, ruled=ruled, said=(*known.said, known.question))


def _names_within(question: str, look: Look) -> tuple[Name, ...]:
    """Return the names of a look that another question holds, where they stand in it."""
    return tuple(
        replace(name, start=place, end=place + len(name.text))
        for name in look.names
        if (place := question.find(name.text)) >= 0
    )


def _by_rules(ruled: Plan, why: str) -> Plan:
    return replace(ruled, notes=(*ruled.notes, f"the plan was made by rules: {why}"))
