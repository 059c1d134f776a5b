"""The planner that needs no language model: talk by rules, then gate, rule planner and second look together."""

import asyncio
from dataclasses import dataclass, field, replace

from scholarmind.plan import Complexity, Plan
from scholarmind.planning.decompose import UNSURE
from scholarmind.planning.gate import SURE_SIMPLE_PROBABILITY, Gate, Judgement
from scholarmind.planning.how_many import how_many
from scholarmind.planning.planner import READER, RulePlanner, direct
from scholarmind.planning.second_look import SecondLook, second_look
from scholarmind.planning.talk import Talk, small_talk
from scholarmind.ports import Look
from scholarmind.text.language import language_of

_COVERED = 0.9  # below this chance, one passage that has every word of a question makes it simple
_SPREAD = 0.2  # above this chance, passages that add to each other make a question composite
_REPLIES: dict[Talk, tuple[str, str]] = {
    "empty": ("Nothing is asked yet. Ask about your documents.", "还没有提问。请就您的文档提一个问题。"),
    "greeting": ("Hello. Ask a question about your documents.", "您好。请就您的文档提问。"),
    "thanks": ("You are welcome.", "不客气。"),
    "farewell": ("Goodbye.", "再见。"),
    "about us": (
        "ScholarMind answers questions from your own documents, cites every sentence, and shows for every part whether it was answered.",
        "ScholarMind 根据您自己的文档回答问题：拆分问题，逐项检索，每句话都附引文，并说明每一部分是否得到了回答。",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeylessPlanner:
    """Decides whether a question is composite, leaning to yes, and takes it apart by rules."""

    rules: RulePlanner = field(default_factory=RulePlanner)
    gate: Gate = field(default_factory=Gate)
    decompose: bool = True

    def talk(self, question: str) -> str:
        """Return a reply to what is no question, or ''."""
        talk = small_talk(question)
        return "" if talk is None else _REPLIES[talk][language_of(question) == "zh"]

    async def plan(self, question: str, look: Look) -> Plan:
        """Return the plan of a question whose first look is known."""
        if not self.decompose:
            return direct(question, "taking apart is switched off", "setting")
        plan = self.rules.plan(question, look.names)
        judgement = await asyncio.to_thread(self.gate.judge, question, look.names)
        second = second_look(question, look.names, look.evidence, look.rarity)
        complexity, decided_by = _decision(judgement, plan, second)
        if complexity == "simple":
            covered = decided_by == "second look"
            reason = second.reason if covered else "one question about one thing, answered in one step"
            if len(plan.parts) > 1:
                plan = replace(direct(question, reason, decided_by), milliseconds=plan.milliseconds)
            return replace(plan, complexity=complexity, decided_by=decided_by, reason=reason, steps=1)
        seen = second.reason if decided_by == "second look" else judgement.reason
        reason = plan.reason if len(plan.parts) > 1 else seen
        steps = how_many(question, look.names, second)
        return replace(plan, complexity=complexity, decided_by=decided_by, reason=reason, steps=steps)


def _decision(judgement: Judgement, plan: Plan, second: SecondLook) -> tuple[Complexity, str]:
    """Return whether a question is composite, and who says so: the gate, the parts that rules found, or the first passages."""
    chance = judgement.probability
    if chance == 0:
        return "simple", "rules"
    if plan.decided_by == READER:
        return "composite", READER
    # parts that only may be right count where no reader has judged the question
    surely_apart = len(plan.parts) > 1 and (judgement.decided_by == "rules" or _has_sure_reason(plan))
    if second.verdict == "simple" and chance < _COVERED and not _has_sure_reason(plan):
        return "simple", "second look"
    if judgement.complexity == "composite":
        return "composite", judgement.decided_by
    if surely_apart and chance >= SURE_SIMPLE_PROBABILITY:
        return "composite", "planner"
    if second.verdict == "composite" and chance >= _SPREAD:
        return "composite", "second look"
    return "simple", judgement.decided_by


def _has_sure_reason(plan: Plan) -> bool:
    """Tell whether a plan rests on more than what only looks like several things."""
    found = plan.reason.removeprefix("found: ").split(", ")
    return len(plan.parts) > 1 and not UNSURE.issuperset(found)
