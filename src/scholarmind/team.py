"""Who does the work of one run, and how far it may go."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from scholarmind.answer import Draft, Finding, Review
from scholarmind.calls import Estimate
from scholarmind.conversations import StoodAlone, Turn
from scholarmind.events import OnEvent
from scholarmind.llm.metering import Meter
from scholarmind.llm.prompts import Assistant
from scholarmind.model import Evidence, Name
from scholarmind.parts import Parts
from scholarmind.plan import Plan
from scholarmind.ports import Answerer, Examiner, Material, Planner, Reviewer, Selector, Translator, Writer
from scholarmind.steps.gather import Gatherer, Gathering
from scholarmind.steps.investigate import Investigator
from scholarmind.steps.journal import Investigate


def _its_own(gatherer: Gatherer) -> Gatherer:
    return gatherer


def _itself(investigator: Investigator) -> Investigate:
    return investigator


class OwnKnowledge(Protocol):
    """Writes and reviews the answer of a plan that rests on no document, if that is allowed."""

    def __call__(self, plan: Plan, *, allowed: bool) -> tuple[str, Review]: ...


class PlanEstimate(Protocol):
    """Tells what carrying out a plan will cost, where there is a model; what was `planned` costs no call any more."""

    def __call__(self, plan: Plan, *, planned: bool) -> Estimate | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """Who does what in one run. `notes` are what its caches could not do; `assistant` is the language model, if there is one.

    `gatherer` and `investigator` are where a strategy comes in: each is given what the default one would use, and returns its own.
    """

    stand_alone: Callable[[str, Sequence[Turn], Sequence[Name]], StoodAlone]  # what a follow-up asks by itself
    planner: Planner
    rule_planner: Planner  # what stands behind a planner that asks a model
    estimate: PlanEstimate
    selector: Selector
    show: Callable[[Plan, Sequence[Finding], Sequence[Evidence], int], tuple[Evidence, ...]]  # what so many tokens hold
    answerer: Answerer  # in a few words, for the parts that wait for it
    narrator: Answerer | None = None  # in a few sentences, for every other part
    writer: Writer
    examiner: Examiner | None = None
    quote_below: Callable[[Draft, Material], tuple[Draft, str]]  # what a model wrote and nothing confirms
    own_knowledge: OwnKnowledge
    reviewer: Reviewer
    assistant: Assistant | None = None
    meter: Meter | None = None
    translator: Translator | None = None  # of what is asked, into the other languages of the library
    notes: list[str] = field(default_factory=list[str])
    gatherer: Callable[[Gathering], Gatherer] = _its_own  # what searches for one thing that is asked
    investigator: Callable[[Investigator], Investigate] = _itself  # what researches one part
    looks: bool = True  # whether the original question is searched for before it is planned
    places: int = 10  # passages that are kept
    pool: int = 100  # passages that those are taken from which a model writes from
    evidence_tokens: int = 4_000  # that these may take
    rounds: int = 2  # for weak parts
    repairs: int = 0  # for what a model says is missing


class Composition(Protocol):
    """Puts together who works on a run."""

    def rules_of(self, parts: Parts) -> Team: ...
    def team_of(
        self,
        parts: Parts,
        run: str,
        report: OnEvent,
        began: float,
        conversation: tuple[Sequence[Turn], str] = ((), ""),
        *,
        writes: bool = True,
    ) -> Team: ...
