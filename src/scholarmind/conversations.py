"""Conversations: what is remembered of each question that was asked in one, and who keeps it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question of a conversation as it stood alone, as it was typed, and what it was about and brought, in short."""

    question: str
    asked: str
    answer: str = ""
    entities: tuple[str, ...] = ()
    aspects: tuple[str, ...] = ()


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
