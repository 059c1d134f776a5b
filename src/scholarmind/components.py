"""What an engine is made of, and who does the work of one run and how far it may go.

Whatever is here comes in by constructor: of rules and models this module knows only their ports.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from scholarmind.answer import Draft, Finding, Review
from scholarmind.calls import Effort, Estimate, ResponseCache, Task
from scholarmind.events import OnEvent
from scholarmind.llm.language_models import Models
from scholarmind.llm.metering import Meter
from scholarmind.llm.prompts import Assistant
from scholarmind.model import Evidence, Name
from scholarmind.plan import Plan
from scholarmind.ports import (
    Answerer,
    Entailment,
    Examiner,
    Journal,
    Languages,
    Lexicon,
    Links,
    Material,
    Names,
    Overview,
    Planner,
    Relations,
    Reranker,
    Retriever,
    Reviewer,
    Selector,
    StoodAlone,
    Translator,
    Turn,
    Wordings,
    Writer,
)
from scholarmind.steps.execute import Steering
from scholarmind.steps.gather import Gatherer, Gathering
from scholarmind.steps.investigate import Investigator
from scholarmind.steps.journal import Basis, Investigate
from scholarmind.steps.options import Options
from scholarmind.steps.run_caches import Recent
from scholarmind.steps.search_function import SearchFunction

# -- what an engine is made of


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What is None is done without, and planned, written or reviewed by our rules. Without `models` everything is done by rules."""

    retriever: Retriever | SearchFunction
    meaning: Retriever | None = None  # the same by vectors alone, for a text that stands for a passage
    planner: Planner | None = None
    writer: Writer | None = None
    reviewer: Reviewer | None = None
    entailment: Entailment | None = None  # whether a text says a sentence of a model, by its meaning
    models: Models | None = None
    reranker: Reranker | None = None
    names: Names | None = None
    links: Links | None = None
    relations: Relations | None = None  # the graph of papers
    overview: Overview | None = None  # the tree of summaries
    lexicon: Lexicon | None = None
    languages: Languages | None = None
    journal: Journal | None = None
    plans: ResponseCache = field(
        default_factory=Recent
    )  # what models planned before, for whichever question asks again
    basis: Basis = field(default_factory=lambda: Basis(library=""))
    asked_before: Wordings | None = None  # knows a question again that comes in other words
    options: Options = field(default_factory=Options)
    steering: Steering | None = None  # what is asked of single parts meanwhile

    @property
    def effort(self) -> Effort:
        """What may be spent: nothing, where there is nobody to pay."""
        return self.options.effort if self.models else "keyless"

    @property
    def writer_name(self) -> str:
        """The model that writes."""
        return self._name_of("generation")

    @property
    def planner_name(self) -> str:
        """The model that plans, and answers what needs no documents."""
        return self._name_of("extraction")

    @property
    def rests_on(self) -> Basis:
        """What findings rest on; with models, on these and on the prompts that they are given."""
        if self.models is None or self.effort == "keyless":
            return self.basis
        told = {**self.models.names, **self.models.prompts.versions(), "effort": self.effort}
        return replace(self.basis, models={**self.basis.models, **told})

    def _name_of(self, task: Task) -> str:
        return (self.models.names.get(task) or "a language model") if self.models else ""


# -- who does the work of one run


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


class TeamComposition(Protocol):
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
