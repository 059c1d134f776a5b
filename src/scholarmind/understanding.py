"""What is really asked: a follow-up made to stand alone, and the words in which the same was asked before."""

from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.conversations import Turn
from scholarmind.events import Understood
from scholarmind.model import Name
from scholarmind.parts import Parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Understanding:
    """The question that is worked on, what there is to tell of how it came to be that, and to note."""

    question: str
    events: tuple[Understood, ...] = ()
    notes: tuple[str, ...] = ()


async def understanding(parts: Parts, typed: str, turns: Sequence[Turn]) -> Understanding:
    """Return what is asked by what was typed."""
    question, events = typed, list[Understood]()
    if turns:
        from scholarmind.planning.followup import stand_alone  # noqa: PLC0415  (many rules, which only a conversation needs)

        alone = stand_alone(typed, turns, await names_in(parts, typed))
        if alone.became != typed:
            question = alone.became
            events.append(Understood(question=typed, became=question, reason=alone.reason))
    if parts.asked_before is None:
        return Understanding(question=question, events=tuple(events))
    # what is kept of a question is found by its words: take over those in which the same was asked before
    same = await parts.asked_before.same(question, await names_in(parts, question))
    if same is None:
        return Understanding(question=question, events=tuple(events))
    reason = f"asked before in these words (similarity {same.likeness:.3f})"
    events.append(Understood(question=question, became=same.question, reason=reason))
    note = f"answered as {same.question!r}, {reason}; --no-cache asks it as it stands"
    return Understanding(question=same.question, events=tuple(events), notes=(note,))


async def names_in(parts: Parts, text: str) -> tuple[Name, ...]:
    """Return the names in a text that the library knows."""
    return (await parts.names.names([text]))[0] if parts.names else ()
