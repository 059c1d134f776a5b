"""Conversations: what is remembered of each question that was asked in one, and who keeps it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from scholarmind.plan import Plan

_LONGEST_ANSWER = 400  # characters
_MOST = 40  # entities, and aspects, of a turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question of a conversation as it stood alone, as it was typed, and what it was about and brought, in short."""

    question: str
    asked: str
    answer: str = ""
    entities: tuple[str, ...] = ()
    aspects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoodAlone:
    """A question as it was typed, what it became to stand alone, and why; `became` is the question where nothing had to be done."""

    question: str
    became: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation in one line: how many turns it has, what was typed last, and when."""

    name: str
    turns: int
    last: str
    when: float  # seconds since 1970


class Conversations(Protocol):
    """Keeps the turns of each conversation, the oldest first. A run has one turn in a conversation, however often it is resumed."""

    async def turns(self, conversation: str, before: str = "") -> Sequence[Turn]: ...  # before: of this run
    async def add_turn(self, conversation: str, run: str, turn: Turn) -> None: ...


def turn_of(asked: str, plan: "Plan", answer_texts: Mapping[str, str]) -> Turn:
    """Return what is remembered of a question that was answered: its plan's entities and aspects, and the answers by row, in short."""
    asks = [ask for part in plan.parts for ask in part.rows]
    bridges = {number for part in plan.parts for number in part.bridges}
    found = [
        answer for part in plan.parts if part.id in bridges for row in part.row_ids if (answer := answer_texts.get(row))
    ]
    short = [answer for answer in found if len(answer) <= _LONGEST_ANSWER // 4]
    entities = dict.fromkeys([*plan.known_entities, *(ask.entity for ask in asks), *short])
    aspects = dict.fromkeys(ask.aspect for ask in asks)
    return Turn(
        question=plan.question.strip(),
        asked=asked,
        answer="; ".join(filter(None, answer_texts.values()))[:_LONGEST_ANSWER],
        entities=tuple(filter(None, entities))[:_MOST],
        aspects=tuple(filter(None, aspects))[:_MOST],
    )
