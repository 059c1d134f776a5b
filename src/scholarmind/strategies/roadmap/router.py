"""The reasoning router: whether a question, or a sub-goal, needs no retrieval, one retrieval, or a plan."""

from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.events import Routed
from scholarmind.llm.prompts import within
from scholarmind.model import Name
from scholarmind.strategies.roadmap.actions import OF_ROUTER, Action, Verb
from scholarmind.strategies.roadmap.asking import Asking
from scholarmind.strategies.roadmap.routing_rules import weigh
from scholarmind.text.language import language_of

WAYS: dict[Verb, str] = {"No Retrieval": "Direct Answering", "Retrieval": "Single-pass", "Planning": "Multi-Step"}
_TOKENS = 200
_MOST_NAMES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be routed: a question, or a sub-goal of a whole one; `composite` is what a planner saw in it, if one looked."""

    question: str
    names: Sequence[Name] = ()
    composite: bool | None = None
    whole: str = ""
    part: int = 0

    @property
    def called(self) -> str:
        """What to call it in a note."""
        return f"part {self.part}" if self.part else "the question"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where it goes, who says so, and why."""

    action: Action
    by: str  # model, rules
    reason: str
    notes: tuple[str, ...] = ()

    def event(self, asked: Asked, seconds: float) -> Routed:
        """Return the route as those who watch are told of it."""
        return Routed(
            route=WAYS[self.action.verb],
            reason=self.reason,
            part=asked.part,
            question=asked.question,
            action=str(self.action),
            by=self.by,
            seconds=seconds,
        )


async def route(asked: Asked, asking: Asking | None) -> Route:
    """Return where it goes: a model says, and where it has no word of use, rules."""
    weighed = weigh(asked.question, asked.names, composite=asked.composite, step=bool(asked.part))
    if asking is None:
        return Route(action=weighed.action, by="rules", reason=weighed.reason)
    action = await _said(asked, asking)
    if isinstance(action, Action):
        return Route(action=action, by="model", reason="")
    return Route(
        action=weighed.action,
        by="rules",
        reason=weighed.reason,
        notes=(f"{asked.called} was routed by rules: {action}",),
    )


async def _said(asked: Asked, asking: Asking) -> Action | str:
    marker, language = asking.assistant.marker, "zh" if language_of(asked.question) == "zh" else "en"
    nothing = "（无）" if language == "zh" else "(none)"
    names = ", ".join(dict.fromkeys(name.text for name in asked.names[:_MOST_NAMES]))
    request = asking.assistant.request(
        ("route", language),
        purpose=f"route of part {asked.part}" if asked.part else "route",
        max_tokens=_TOKENS,
        values={
            "names": within(names, marker, "names") if names else nothing,
            "whole": within(asked.whole, marker, "whole") if asked.whole else nothing,
            "question": within(asked.question, marker, "question"),
        },
        part=asked.part or None,
    )
    return await asking.action(request, OF_ROUTER)
