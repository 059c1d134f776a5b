"""What a model is asked to reply when it plans. Every field may be wrong: nothing of it is believed before it is mended."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPart:
    """One part as the model numbers it; `#N` in its question stands for the answer of part N."""

    question: str
    id: int = 0
    kind: str = "factual"  # factual, reasoning, global
    depends_on: tuple[int, ...] = ()
    role: str = "find"  # find, compare, conclude
    each: int = 0  # the part whose answer is a list, for each item of which this one is asked
    entity: str = ""  # of a comparison: the side that this part is about
    aspect: str = ""  # ... and what is compared
    translations: tuple[str, ...] = ()  # the question, in the other languages of the library in the order asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedBridge:
    """The answer of a part that others wait for, where the passages that were shown say it."""

    part: int = 0
    answer: str = ""
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReply:
    """Gate, plan, bridges, and whether documents are needed at all, in one reply."""

    standalone: str = ""  # the question with all that a follow-up leaves out
    needs_retrieval: bool = True
    own_answer: str = ""
    complexity: str = "composite"  # simple, composite
    reason: str = ""
    core_intent: str = ""
    known_entities: tuple[str, ...] = ()
    unknown_entities: tuple[str, ...] = ()
    parts: tuple[PlannedPart, ...] = ()
    bridges: tuple[ResolvedBridge, ...] = ()
