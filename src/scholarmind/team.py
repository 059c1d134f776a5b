"""Who does the work of one run, and how far it may go."""

from collections.abc import Callable
from dataclasses import dataclass, field

from scholarmind.llm.metering import Meter
from scholarmind.llm.prompts import Assistant
from scholarmind.planning.plan_translation import ModelTranslator
from scholarmind.ports import Answerer, Examiner, Planner, Reviewer, Selector, Writer
from scholarmind.steps.gather import Gatherer, Gathering
from scholarmind.steps.investigate import Investigator
from scholarmind.steps.journal import Investigate


def _its_own(gatherer: Gatherer) -> Gatherer:
    return gatherer


def _itself(investigator: Investigator) -> Investigate:
    return investigator


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """Who does what in one run. `notes` are what its memories could not do; `assistant` is the language model, if there is one.

    `gatherer` and `investigator` are where a strategy comes in: each is given what the default one would use, and returns its own.
    """

    planner: Planner
    selector: Selector
    answerer: Answerer  # in a few words, for the parts that wait for it
    narrator: Answerer | None = None  # in a few sentences, for every other part
    writer: Writer
    examiner: Examiner | None = None
    reviewer: Reviewer
    assistant: Assistant | None = None
    meter: Meter | None = None
    translator: ModelTranslator | None = None  # of what is asked, into the other languages of the library
    notes: list[str] = field(default_factory=list[str])
    gatherer: Callable[[Gathering], Gatherer] = _its_own  # what searches for one thing that is asked
    investigator: Callable[[Investigator], Investigate] = _itself  # what researches one part
    looks: bool = True  # whether the original question is searched for before it is planned
    places: int = 10  # passages that are kept
    pool: int = 100  # passages that those are taken from which a model writes from
    evidence_tokens: int = 4_000  # that these may take
    rounds: int = 2  # for weak parts
    repairs: int = 0  # for what a model says is missing
