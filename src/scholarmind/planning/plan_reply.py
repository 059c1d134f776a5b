"""What a model is asked to reply when it plans: parts alone. Every field may be wrong: nothing is believed before it is mended."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPart:
    """One part, numbered by its place from 1; `#N` in its question stands for the answer of part N."""

    question: str
    depends_on: tuple[int, ...] = ()
    kind: str = "factual"  # factual, reasoning, global; compare, conclude: it only puts parts together
    rows: tuple[str, ...] = ()  # where it asks the same of several things: each of these questions


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReply:
    """The parts; what needs no documents is answered in their place."""

    parts: tuple[PlannedPart, ...] = ()
    own_answer: str = ""
    standalone: str = ""  # in a conversation: the question with all that a follow-up leaves out
