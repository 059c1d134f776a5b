"""The planner that needs no model: talk by rules, then gate, rule planner, classifier and second look together."""

from dataclasses import dataclass, field, replace

from scholarmind.plan import Plan
from scholarmind.planning.gate import decide, judge
from scholarmind.planning.gate_model import GateModel
from scholarmind.planning.how_many import how_many
from scholarmind.planning.planner import RulePlanner, direct
from scholarmind.planning.second_look import second_look
from scholarmind.planning.talk import Talk, small_talk
from scholarmind.ports import Embedder, Look
from scholarmind.text.language import language_of

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
    embedder: Embedder | None = None  # of the classifier's vectors
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
        judgement = judge(question, look.names)
        second = second_look(question, look.names, look.evidence, look.rarity)
        probability = (
            None if judgement.verdict != "unsure" or len(plan.parts) > 1 else await self._probability(question)
        )
        complexity, decided_by = decide(question, judgement, probability, len(plan.parts), second)
        if complexity == "simple" and len(plan.parts) > 1:
            plan = replace(direct(question, second.reason, decided_by), milliseconds=plan.milliseconds)
        told = {"second look": second.reason, "classifier": "reads like questions of several steps"}
        if complexity == "simple":
            reason = (
                second.reason if decided_by == "second look" else "one question about one thing, answered in one step"
            )
        else:
            reason = plan.reason if len(plan.parts) > 1 else told.get(decided_by, judgement.reason)
        steps = how_many(question, look.names, second) if complexity == "composite" else 1
        return replace(plan, complexity=complexity, decided_by=decided_by, reason=reason, steps=steps)

    async def _probability(self, question: str) -> float:
        model = GateModel.load()
        vector = None
        if self.embedder is not None and self.embedder.fingerprint == model.fingerprint:
            found = await self.embedder.embed([question])
            vector = found.vectors[0] if found.unknown[0] <= 0.25 else None
        return model.probability(question, vector)
