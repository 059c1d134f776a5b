"""Whether a question asks for one thing or for several, or for something by way of another: a few plain signs, then a reader's word.

The gate leans to `composite`: a wrong split costs milliseconds, a missed one costs the answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scholarmind import languages
from scholarmind.model import Name
from scholarmind.plan import Complexity, Plan
from scholarmind.planning.gate_text import LONGEST, gate_text
from scholarmind.planning.second_look import SecondLook
from scholarmind.planning.talk import small_talk
from scholarmind.ports import QuestionReader

COMPOSITE_PROBABILITY = 0.5
SURE_SIMPLE_PROBABILITY = (
    0.05  # below this a sign of several things, or a plan of several parts, is taken for a mistake
)
_SIGNED = 0.95  # chance that a question with a sign of several things is composite
_UNSIGNED = 0.3  # ... and one without, where no reader says more
_SEVERAL_QUESTIONS = re.compile(
    r"[?？]\s*\S[^?？]{3,400}[?？]|[;；]\s*\S"
    r"|(?:^|\s)(?:1[.、)）]|\(1\)|（1）|①)\s?\S.{1,400}(?:2[.、)）]|\(2\)|（2）|②)"
)
_FOUND = "found: "
_JOINTS = frozenset(
    ("several questions", "several clauses", "comparison", "effect")
)  # of a question, at which rules cut it without a doubt
_POINTS = "a word that points back"
_ASKS_FOR_A_NAME = re.compile(r"\b(?:who|whom|whose|which|what)\b|[谁哪]|什么", re.IGNORECASE)
_SIGNS = {
    "second_request": "a second request",
    "comparison": "a comparison",
    "effect": "an effect or a relation",
    "several_entities": "several entities or aspects",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the gate says of a question; `probability` is the chance that it is composite, `decided_by` who says so."""

    complexity: Complexity
    probability: float
    reason: str
    decided_by: Literal["rules", "classifier"] = "rules"

    @property
    def is_sure(self) -> bool:
        """Tell whether a sign in the words settles that it is composite."""
        return self.complexity == "composite" and self.decided_by == "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Judges questions. Without a `reader`, or where it cannot read a question, the signs decide alone."""

    reader: QuestionReader | None = None

    def judge(self, question: str, names: Sequence[Name] = ()) -> Judgement:
        """Judge a question by its words; `names` are what the library knows in it, and protected."""
        signs = judge(question, names)
        if self.reader is None or signs.probability in {0.0, 1.0}:
            return signs
        probability = self.reader.composite(question)
        if probability is None or (signs.is_sure and probability >= SURE_SIMPLE_PROBABILITY):
            return signs
        if probability >= COMPOSITE_PROBABILITY:
            reason = "reads like a question that takes several look-ups"
            return Judgement(complexity="composite", probability=probability, reason=reason, decided_by="classifier")
        reason = "reads like one question about one thing"
        return Judgement(complexity="simple", probability=probability, reason=reason, decided_by="classifier")


def judge(question: str, names: Sequence[Name] = ()) -> Judgement:
    """Judge a question by the signs in its words alone, far under a millisecond."""
    if small_talk(question):
        return Judgement(complexity="simple", probability=0.0, reason="nothing is asked of documents")
    if len(question) > LONGEST:
        reason = f"longer than {LONGEST} characters"
        return Judgement(complexity="composite", probability=1.0, reason=reason)
    text = gate_text(question, names)
    language = languages.language("zh" if text.chinese else "en")
    shown = ["several questions"] if _SEVERAL_QUESTIONS.search(text.masked) else []
    shown += [called for sign, called in _SIGNS.items() if language.pattern(f"gate.{sign}").search(text.masked)]
    if shown:
        return Judgement(complexity="composite", probability=_SIGNED, reason="shows " + ", ".join(shown))
    if language.pattern("gate.one_thing").fullmatch(text.masked):
        return Judgement(complexity="simple", probability=0.0, reason="asks one plain thing")
    return Judgement(complexity="simple", probability=_UNSIGNED, reason="shows no sign of several things")


def is_sure(plan: Plan, look: SecondLook) -> bool:
    """Tell whether a rule plan is so surely right that no model needs to be asked for one.

    A simple question: the reader of questions, or one passage that has every word that counts, says that it asks one thing. A composite
    one: it was cut at its own joints, no word of it points at something that is still to be found out, and no part waits for another whose
    answer it does not name.
    """
    if plan.decided_by == "setting":
        return True
    if plan.complexity == "simple":
        return len(plan.parts) == 1 and (look.verdict == "simple" or plan.decided_by == "classifier")
    found = set(plan.reason.removeprefix(_FOUND).split(", "))
    if not plan.reason.startswith(_FOUND) or not found <= _JOINTS | {_POINTS}:
        return False
    asks_for_a_name = bool(_ASKS_FOR_A_NAME.search(plan.question))
    leans = any(part.role == "find" and part.depends_on and "#" not in part.text for part in plan.parts)
    return not leans and not any(part.bridges for part in plan.parts) and not (_POINTS in found and asks_for_a_name)
